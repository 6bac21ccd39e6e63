"""Judge.judge: what may be a fault of ours counts for nobody."""

import unittest
from collections.abc import Callable

from sandbox.jail.patch_run import PatchRun
from sandbox.judge import Judge
from sandbox.material import QuarantinedError
from test.sandbox.corpus import (
    CAPPED,
    FAULTY,
    IDENTITY,
    KNOWN_FAILING,
    REFERENCE,
    TinyDraw,
    material,
    request,
)
from test.sandbox.in_process import InProcess

LATE = PatchRun(b"", "timed_out", -9, 0, 0)
DEAD = PatchRun(b"", "died", -11, 0, 0)
LOST = PatchRun(b"", "lost", -9, 0, 0)
OURS = (FAULTY, *(text for _, text in KNOWN_FAILING))


def nth(number: int, fault: PatchRun, chosen: Callable[[str, int], bool]) -> InProcess:
    """A runner that gives `fault` for the run with this number of those that are `chosen`."""
    seen: list[str] = []

    def change(source: str, seed: int, run: PatchRun) -> PatchRun:
        if not chosen(source, seed):
            return run
        seen.append(source)
        return fault if len(seen) == number else run

    return InProcess(change)


class JudgeFaultsTest(unittest.TestCase):
    def judge(self, module: str, runner: InProcess) -> dict[str, int]:
        """Counts of a shard whose first task, a practice one, has this patch."""
        draw = TinyDraw(count=6)
        self.category = material(draw)
        tally = Judge(IDENTITY, runner).judge(request(draw, {1: module}), self.category)
        return tally["parts"]["practice"]

    def test_a_fault_under_the_second_hash_seed_is_tried_again(self):
        module = REFERENCE + "\nSEEN = set('ab')\n"
        for fault in (LATE, LOST):
            runner = nth(1, fault, lambda source, seed: seed == 1)
            self.assertEqual(self.judge(module, runner)["fixed"], 1)
            self.assertEqual([seed for _, seed in runner.runs].count(1), 2)

    def test_sets_without_their_name_are_tried_under_a_second_hash_seed_too(self):
        for made in (
            "list({'a': 1}.keys() - {'b': 1}.keys())",
            "list({'a': 1}.items() | ())",
            "list({text[1:] for text in ('ab', 'cd')})",
            "'text'.__hash__()",
        ):
            runner = nth(1, DEAD, lambda source, seed: seed == 1)
            module = f"{REFERENCE}\nSEEN = {made}\n"
            self.assertEqual(self.judge(module, runner)["crashed"], 1, made)

    def test_a_fault_in_a_module_of_ours_changes_no_count(self):
        expected = self.judge(CAPPED, InProcess())
        self.assertEqual((expected["regressed"], expected["trapped"]), (1, 1))
        ours = nth(0, LOST, lambda source, seed: source in OURS)
        self.judge(CAPPED, ours)
        for number in range(1, sum(source in OURS for source, _ in ours.runs) + 1):
            for fault in (LATE, LOST):
                runner = nth(number, fault, lambda source, seed: source in OURS)
                self.assertEqual(self.judge(CAPPED, runner), expected, number)

    def test_a_module_of_ours_that_is_lost_again_quarantines_the_shard(self):
        always = InProcess(lambda source, seed, run: LOST if source == FAULTY else run)
        with self.assertRaises(QuarantinedError):
            self.judge(CAPPED, always)
        self.assertEqual(self.category.ours, {})
