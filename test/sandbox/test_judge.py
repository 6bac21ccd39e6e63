"""Judge.judge: from patches to counts."""

import dataclasses
import json
import unittest
from typing import Any

from sandbox.jail.patch_run import PatchRun
from sandbox.judge import Judge
from sandbox.lines import lines_changed
from sandbox.material import QuarantinedError, guess_bits
from sandbox.tally import Counts
from sandbox.verdict import bits, mends
from sandbox.wire import LOADED, OBSERVATION, pack_answer, read_answer
from test.sandbox.corpus import (
    BOTH,
    FAULTY,
    GAP_ONLY,
    IDENTITY,
    KNOWN_FAILING,
    REFERENCE,
    TURN_ONLY,
    TinyDraw,
    material,
    request,
)
from test.sandbox.in_process import InProcess

LATE = PatchRun(b"", "timed_out", -9, 0, 0)
DEAD = PatchRun(b"", "died", -11, 0, 0)
LOST = PatchRun(b"", "lost", 0, 0, 0)


class JudgeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.draw = TinyDraw(count=6)
        self.category = material(self.draw)

    def judge(self, modules, runner=None, submission="sub_1"):
        judge = Judge(IDENTITY, runner or InProcess())
        return judge.judge(request(self.draw, modules, submission), self.category)

    def total(self, tally) -> dict[str, int]:
        practice, sealed = tally["parts"]["practice"], tally["parts"]["sealed"]
        return {name: practice[name] + sealed[name] for name in practice}

    def test_every_task_is_in_exactly_one_bucket(self):
        modules = {1: REFERENCE, 2: FAULTY, 3: "def", 4: None, 5: "x" * 70_000}
        counts = self.total(self.judge(modules))
        self.assertEqual(counts["tasks"], 6)
        self.assertEqual(
            [
                counts[name]
                for name in ("fixed", "wrong", "crashed", "timed_out", "invalid", "no_answer")
            ],
            [1, 1, 0, 0, 2, 2],
        )

    def test_parts_are_counted_apart(self):
        tally = self.judge({1: REFERENCE, 6: REFERENCE})
        self.assertEqual(tally["parts"]["practice"]["tasks"], 2)
        self.assertEqual(tally["parts"]["practice"]["fixed"], 1)
        self.assertEqual(tally["parts"]["sealed"]["fixed"], 1)

    def test_the_same_shard_gives_the_same_bytes_whatever_the_order(self):
        modules = {1: REFERENCE, 2: FAULTY, 3: KNOWN_FAILING[0][1], 4: None, 5: "def"}
        first = json.dumps(self.judge(modules))
        again = json.dumps(self.judge(dict(reversed(list(modules.items())))))
        self.assertEqual(first, again)
        self.category = material(self.draw)
        self.assertEqual(first, json.dumps(self.judge(modules)))

    def test_the_tally_has_no_time_and_no_attempt(self):
        text = json.dumps(self.judge({1: REFERENCE}))
        for word in ("_ms", "second", "attempt", "duration", "instance", "failmap__"):
            self.assertNotIn(word, text)

    def test_controls_run_in_every_shard_even_an_empty_one(self):
        for modules in ({}, {1: None}, {n: REFERENCE for n in range(1, 7)}):
            controls = self.judge(modules)["controls"]
            self.assertEqual(
                controls,
                {
                    name: {"run": 2, "held": 2}
                    for name in ("reference", "known_failing", "unsolvable")
                },
            )

    def test_controls_sit_at_other_places_for_another_submission(self):
        orders = set()
        for number in range(8):
            runner = InProcess()
            self.judge({n: FAULTY for n in range(1, 7)}, runner, f"sub_{number}")
            orders.add(tuple(source for source, _ in runner.runs[:12]))
        self.assertGreater(len(orders), 3)

    def test_a_reference_that_fails_quarantines_the_shard(self):
        broken = InProcess(lambda source, seed, run: DEAD if source == REFERENCE else run)
        with self.assertRaises(QuarantinedError):
            self.judge({1: FAULTY}, broken)

    def test_a_known_failing_patch_that_passes_quarantines_the_shard(self):
        broken = [(name, (REFERENCE + "# " + name)) for name, _ in KNOWN_FAILING]
        for item in self.category.tasks.values():
            item.task = dataclasses.replace(item.task, known_failing=tuple(broken))  # type: ignore
        with self.assertRaises(QuarantinedError):
            self.judge({1: FAULTY})

    def test_a_judge_that_passes_everything_is_caught_by_the_unsolvable_probe(self):
        from unittest import mock

        with (
            mock.patch("sandbox.verdict.matches", lambda *_: True),
            self.assertRaises(QuarantinedError),
        ):
            self.judge({1: REFERENCE})

    def test_a_timeout_is_confirmed_by_a_second_run(self):
        seen: list[str] = []

        def slow_once(source, seed, run):
            if "slow" not in source:
                return run
            seen.append(source)
            return LATE if len(seen) == 1 else run

        counts = self.total(self.judge({1: REFERENCE + "# slow"}, InProcess(slow_once)))
        self.assertEqual((counts["fixed"], counts["timed_out"]), (1, 0))
        always = InProcess(lambda source, seed, run: LATE if "slow" in source else run)
        counts = self.total(self.judge({1: REFERENCE + "# slow"}, always))
        self.assertEqual((counts["fixed"], counts["timed_out"]), (0, 1))
        self.assertEqual(sum("slow" in source for source, _ in always.runs), 2)

    def test_a_lane_that_died_is_no_fault_of_the_patch_unless_it_dies_again(self):
        seen: list[str] = []

        def lost_once(source, seed, run):
            if "lost" not in source:
                return run
            seen.append(source)
            return LOST if len(seen) == 1 else run

        self.assertEqual(
            self.total(self.judge({1: REFERENCE + "# lost"}, InProcess(lost_once)))["fixed"], 1
        )
        always = InProcess(lambda source, seed, run: LOST if "lost" in source else run)
        self.assertEqual(self.total(self.judge({1: REFERENCE + "# lost"}, always))["crashed"], 1)

    def test_a_slow_machine_does_not_quarantine_a_control_that_holds_at_last(self):
        seen: list[str] = []

        def slow_once(source, seed, run):
            if source != REFERENCE or len(seen) >= 2:
                return run
            seen.append(source)
            return LATE

        tally = self.judge({}, InProcess(slow_once))
        self.assertEqual(tally["controls"]["reference"], {"run": 2, "held": 2})

    def test_what_passes_under_one_hash_seed_only_is_not_fixed(self):
        module = REFERENCE + "\nSEEN = set('ab')\n"
        runner = InProcess(lambda source, seed, run: DEAD if seed == 1 else run)
        counts = self.total(self.judge({1: module, 2: REFERENCE}, runner))
        self.assertEqual((counts["fixed"], counts["crashed"]), (1, 1))
        self.assertEqual([source for source, seed in runner.runs if seed == 1], [module])

    def test_broken_frames_are_crashes(self):
        for output in (b"", b"\1", b"\1" + bytes(8), b"\xff" * 100, b"\3" + bytes(8)):
            broken = PatchRun(output, "exited", 0, 0, 0)
            runner = InProcess(
                lambda source, seed, run, broken=broken: broken if "me" in source else run
            )
            self.assertEqual(self.total(self.judge({1: REFERENCE + "# me"}, runner))["crashed"], 1)

    def test_a_flood_is_a_crash_even_with_all_frames_there(self):
        def flood(source, seed, run):
            return dataclasses.replace(run, ending="flooded") if "me" in source else run

        self.assertEqual(
            self.total(self.judge({1: REFERENCE + "# me"}, InProcess(flood)))["crashed"], 1
        )

    def test_a_complete_answer_is_judged_however_the_process_ended(self):
        def killed(source, seed, run):
            return dataclasses.replace(run, ending="timed_out") if "me" in source else run

        self.assertEqual(
            self.total(self.judge({1: REFERENCE + "# me"}, InProcess(killed)))["fixed"], 1
        )

    def test_a_patch_that_behaves_like_a_known_failing_one_is_trapped(self):
        text = KNOWN_FAILING[0][1].replace("gap", "way")
        counts = self.total(self.judge({1: text, 2: FAULTY}))
        self.assertEqual(counts["trapped"], 1)

    def test_a_check_that_the_faulty_module_passes_and_the_patch_fails_is_a_regression(self):
        counts = self.total(self.judge({1: "def distance(a, b, size): return -1", 2: FAULTY}))
        self.assertEqual((counts["wrong"], counts["regressed"]), (2, 1))

    def test_visible_passed_counts_patches_that_pass_what_they_were_shown(self):
        self.assertEqual(
            self.total(self.judge({1: REFERENCE, 2: FAULTY, 3: KNOWN_FAILING[0][1]}))[
                "visible_passed"
            ],
            2,
        )

    def test_a_crash_in_a_hidden_check_does_not_undo_what_the_visible_ones_say(self):
        (shown,) = {item.visible for item in self.category.tasks.values()}

        def cut(source, seed, run):
            if "cut" not in source:
                return run
            answer = read_answer(run.output, shown + 48)
            kept = shown - source.count("early")
            frames = [pack_answer(LOADED, 0, b"")] + [
                pack_answer(OBSERVATION, n, answer.observations[n - 1]) for n in range(1, kept + 1)
            ]
            # What a process was killed in the middle of comes after them.
            torn = b"\x03\x09" if "torn" in source else b""
            return dataclasses.replace(run, output=b"".join(frames) + torn, ending="died")

        for ending in ("", " torn", " early", " early torn"):
            counts = self.total(self.judge({1: REFERENCE + "# cut" + ending}, InProcess(cut)))
            self.assertEqual((counts["crashed"], counts["fixed"]), (1, 0), ending)
            self.assertEqual(counts["visible_passed"], 0 if "early" in ending else 1, ending)
        counts = self.total(self.judge({1: FAULTY + "# cut"}, InProcess(cut)))
        self.assertEqual((counts["crashed"], counts["visible_passed"]), (1, 0))

    def test_lines_are_summed_over_fixed_tasks(self):
        rewritten = REFERENCE.replace("gap", "way")
        counts = self.total(self.judge({1: REFERENCE, 2: rewritten, 3: FAULTY + "# more\n" * 9}))
        self.assertEqual((counts["lines_changed"], counts["lines_needed"]), (4, 4))

    def test_half_a_repair_of_two_faults_mends_one(self):
        for item in self.category.tasks.values():
            task: Any = item.task
            item.task = dataclasses.replace(task, module=BOTH, single_faults=(TURN_ONLY, GAP_ONLY))
        counts = self.total(self.judge({1: TURN_ONLY, 2: REFERENCE, 3: BOTH, 4: GAP_ONLY}))
        self.assertEqual((counts["faults_injected"], counts["fixed"]), (12, 1))
        self.assertEqual(counts["faults_mended"], 4)

    def test_our_own_modules_run_once_for_an_epoch(self):
        first, second = InProcess(), InProcess()
        tally = self.judge({1: FAULTY, 2: FAULTY}, first)
        self.assertEqual(self.judge({1: FAULTY, 2: FAULTY}, second), tally)
        self.assertEqual(len(first.runs) - len(second.runs), 2 * 4)

    def test_limits_follow_the_cost_of_the_reference(self):
        runner = InProcess()
        self.judge({1: REFERENCE}, runner)
        self.assertTrue(all(500 <= limit.cpu_ms <= 10_000 for limit in runner.limits))
        for item in self.category.tasks.values():
            item.cpu_ms = 100.0
        runner = InProcess()
        self.judge({1: REFERENCE}, runner)
        self.assertEqual({limit.cpu_ms for limit in runner.limits}, {2500})


class SmallPartsTest(unittest.TestCase):
    def test_lines_changed_is_the_larger_side_of_each_block(self):
        self.assertEqual(lines_changed("a\nb\nc\n", "a\nx\ny\nc\n"), 2)
        self.assertEqual(lines_changed("a\nb\nc\n", "a\nc\n"), 1)
        self.assertEqual(lines_changed("a\n", "a\n"), 0)
        self.assertEqual(lines_changed("", "a\nb\n"), 2)

    def test_lines_changed_is_cheap_on_hostile_text(self):
        self.assertEqual(lines_changed("\n".join("ab" * 40), "\n".join("ba" * 15_000)), 30_000)

    def test_guess_bits_count_what_cannot_be_known(self):
        self.assertEqual(guess_bits([b"a"] * 48), 0)
        self.assertEqual(guess_bits([b"a", b"b"] * 24), 48)
        self.assertGreater(guess_bits([b"%d" % n for n in range(48)]), 200)

    def test_mends_asks_for_the_checks_that_one_fault_alone_breaks(self):
        first, second = bits((False, False, True, True)), bits((True, False, False, True))
        self.assertEqual(mends(0b1111, (first, second), 4), 2)
        self.assertEqual(mends(bits((True, False, False, True)), (first, second), 4), 1)
        self.assertEqual(mends(bits((False, False, False, True)), (first, second), 4), 0)
        self.assertEqual(mends(0b0011, (0b1100, 0b1100), 4), 2)
        self.assertEqual(mends(0b0001, (0b1100,), 4), 0)

    def test_a_tally_whose_buckets_do_not_add_up_is_refused(self):
        with self.assertRaises(AssertionError):
            Counts(tasks=2, fixed=1).as_json()


if __name__ == "__main__":
    unittest.main()
