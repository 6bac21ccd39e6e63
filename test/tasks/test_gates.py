"""Each gate lets the sound category pass and stops a category with one planted fault."""

import io
import sys
import unittest
from contextlib import redirect_stderr
from dataclasses import replace
from typing import Any
from unittest import mock

from sandbox.checks import Check, call
from sandbox.material import MIN_GUESS_BITS
from tasks.kit import AuthoringError, Category, Clause, change, knob
from tasks.kit.accept import accept
from tasks.kit.agree import agree
from tasks.kit.different import alike
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.finalizers import mute_finalizers
from tasks.kit.gate import ENTROPY_FLOOR_BITS, Rejected, Tries, examine
from tasks.kit.hidden import HIDDEN_CHECKS, hidden_checks
from tasks.kit.trial import Trial, load_reference
from test.tasks.planted import SOUND, ask, oracle, with_bugs, with_patch, with_shapes, with_text

KEYS = Keys.of("gates", bytes(range(32)), practice=2, sealed=6)


def rejections(category: Category, drawings: int = 12) -> set[str]:
    """The names of the gates that some of the first drawings fail."""
    found = set()
    for number in range(1, drawings + 1):
        try:
            examine(KEYS, category, draw_task(KEYS, category, 1, number), Tries())
        except Rejected as reason:
            found.add(str(reason))
    return found


class SoundCategory(unittest.TestCase):
    def test_is_accepted(self):
        drawing = accept(KEYS, SOUND)
        self.assertEqual(8, len(drawing.tasks))

    def test_agrees_with_its_oracle_on_every_variant(self):
        found = agree(SOUND, 200)
        self.assertEqual([], found.faults)
        self.assertEqual(16, found.variants)
        self.assertGreaterEqual(found.inputs, 16 * 200)


class OracleGate(unittest.TestCase):
    def test_an_oracle_that_ignores_a_knob_is_told_with_the_check(self):
        def ignorant(v):
            return oracle(replace(v, knobs={**v.knobs, "zero": "nothing"}))

        planted = replace(SOUND, oracle=ignorant)
        fault = agree(planted, 200).faults[0]
        self.assertIn("everything, all, kept, refused: oracle and reference disagree", fault)
        self.assertRegex(
            fault, r"  > assert last_\w+\(\[.*\], 0\) == \[.+\]\n  < assert .* == \[\]"
        )
        with self.assertRaisesRegex(AuthoringError, "oracle and reference disagree"):
            accept(KEYS, planted)

    def test_a_result_without_a_form_is_told(self):
        planted = with_text("return $result", "return iter($result)")
        self.assertIn("no form", agree(planted, 50).faults[0])

    def test_state_that_outlives_a_check_is_told(self):
        planted = with_text(
            "    if $count < 0:",
            "    _CALLS.append($count)\n    if len(_CALLS) > 100:\n        return []\n"
            "    if $count < 0:",
        )
        shapes = (
            replace(
                s, module=s.module.replace('"\n\n\ndef', '"\n\n_CALLS: list[int] = []\n\n\ndef', 1)
            )
            for s in planted.shapes
        )
        planted = replace(planted, shapes=tuple(shapes))
        with self.assertRaisesRegex(AuthoringError, "state of one check|disagree"):
            rejections(planted)


class TurnGate(unittest.TestCase):
    def test_a_reference_that_loops_about_as_long_as_a_mutant_may_is_told(self):
        for turns, told in (
            (100, None),
            (600, r"\d+ turns of its loops, more than 500 of 2000"),
            (10**9, r"20\d\d turns of its loops"),
        ):
            planted = with_text(
                "    $over_rule\n", f"    $over_rule\n    for _ in range({turns}):\n        pass\n"
            )
            if told is None:
                self.assertTrue(accept(KEYS, planted).tasks)
                continue
            with self.assertRaisesRegex(AuthoringError, told):
                rejections(planted)


class KnobGate(unittest.TestCase):
    def test_a_knob_that_changes_no_answer_is_told(self):
        idle = knob("idle", one={"idle_clause": "one"}, two={"idle_clause": "two"})
        clause = Clause("idle", "The log says $idle_clause.")
        planted = replace(SOUND, knobs=(*SOUND.knobs, idle), contract=(*SOUND.contract, clause))
        self.assertIn("the knob idle changes 0.0%", agree(planted, 50).faults[0])
        pairs = alike(planted)
        self.assertEqual(len(pairs), len(SOUND.vectors))
        self.assertEqual([one["idle"] for one in pairs[0]], ["one", "two"])

    def test_a_knob_that_changes_only_what_an_error_says_is_told(self):
        idle = knob("idle", one={"idle_rule": "'low'"}, two={"idle_rule": "'below zero'"})
        shapes = [
            replace(
                shape, module=shape.module.replace("$negative_rule", "raise ValueError($idle_rule)")
            )
            for shape in SOUND.shapes
        ]
        planted = replace(SOUND, knobs=(*SOUND.knobs, idle), shapes=tuple(shapes))
        # What is left of the knob for negative counts tells nothing apart either.
        self.assertEqual({len(group) for group in alike(planted)}, {4})

    def test_variants_that_all_answer_differently_are_told_apart(self):
        self.assertEqual(alike(SOUND), [])

    def test_a_sibling_that_passes_rejects_the_drawing(self):
        planted = replace(SOUND, edges=(lambda v, s: ask(v, [s.below(99) for _ in "abcd"], 2),))
        planted = replace(planted, wide=planted.edges[0])
        self.assertTrue(any("sibling" in why or "clause" in why for why in rejections(planted)))


class Finalizers(unittest.TestCase):
    CLEARS = "finally:\n            gone()\n"
    STAYS = "except GeneratorExit:\n            pass\n"

    def told(self, name: str, ending: str) -> str:
        source = (
            f"def endless():\n    while True:\n        try:\n            yield\n        {ending}"
        )
        namespace: dict[str, Any] = {}
        exec(compile(source, name, "exec"), namespace)
        begun = namespace["endless"]()
        next(begun)
        with mock.patch.object(sys, "unraisablehook"), redirect_stderr(io.StringIO()) as out:
            mute_finalizers()
            del begun
        return out.getvalue()

    def test_what_fails_in_a_discarded_module_is_not_printed(self):
        self.assertEqual("", self.told("module.py", self.CLEARS))
        self.assertIn("gone", self.told("ours.py", self.CLEARS))

    def test_nor_what_will_not_end(self):
        self.assertIn("GeneratorExit", self.told("ours.py", self.STAYS))
        # Since Python 3.14 such an error no longer tells what was ending.
        if sys.version_info < (3, 14):
            self.assertEqual("", self.told("module.py", self.STAYS))


class KillGate(unittest.TestCase):
    def test_a_bug_without_effect_rejects_the_drawing(self):
        planted = with_bugs(change("none", ("if $count == 0:", "if 0 == $count:")))
        planted = replace(planted, symptom=lambda v, bug, s: ask(v, [1], 1))
        found = rejections(planted)
        self.assertTrue(found)
        self.assertTrue(all(w.startswith(("symptom", "killed: the faulty module")) for w in found))

    def test_a_patch_that_is_right_rejects_the_drawing(self):
        planted = with_patch(change("right", ("if $count == 0:", "if 0 == $count:")))
        self.assertTrue(any("patch right by 0" in why for why in rejections(planted)))

    def test_a_patch_that_fails_a_visible_check_rejects_the_drawing(self):
        planted = with_patch(change("silly", ("return $result", "return [7]")))
        self.assertTrue(any("patch silly fails" in why for why in rejections(planted)))

    def test_checks_that_miss_a_branch_let_automatic_mutants_live(self):
        planted = with_text(
            "    $over_rule\n", "    $over_rule\n    if len($items) == 77:\n        return $items\n"
        )
        planted = replace(planted, wide=lambda v, s: SOUND.wide(v, s))
        category = replace(
            planted, oracle=lambda v: {v.entry_point: rare(oracle(v)[v.entry_point])}
        )
        found = accept(KEYS, category)
        self.assertGreater(found.tries.set_aside, 0)

    def test_a_rarely_reached_branch_rejects_the_drawing(self):
        def seldom(v, s):
            return ask(v, [s.below(90) for _ in range(s.between(3, 8))], 1, 2, 3, clauses=EVERY)

        planted = replace(SOUND, edges=(seldom,), wide=seldom)
        self.assertTrue(any(why.startswith("killed") for why in rejections(planted)))


EVERY = "last zero over negative"


def rare(model):
    def wrapped(items, count):
        return items if len(items) == 77 and count > 0 else model(items, count)

    return wrapped


class KillOrder(unittest.TestCase):
    def setUp(self):
        self.task = draw_task(KEYS, SOUND, 1, 0)
        reference = load_reference(self.task.reference)
        self.hidden = Trial(reference, hidden_checks(KEYS, SOUND, self.task))

    def test_checks_asked_first_change_who_kills_but_not_how_many(self):
        every = self.hidden.killers(self.task.module, 48)
        last = every[-1]
        self.assertEqual(last, self.hidden.killers(self.task.module, 1, [last])[0])
        for enough in (1, 3, 48):
            told = self.hidden.killers(self.task.module, enough, [last, 0, last])
            self.assertEqual(min(enough, len(every)), len(told))
            self.assertEqual(len(told), len(set(told)))

    def test_what_killed_a_mutant_is_asked_first_next_time(self):
        tries = Tries()
        source = self.task.module
        self.assertEqual(3, tries.kills(self.hidden, "bug", source))
        with mock.patch.object(Trial, "killers", return_value=range(3)) as asked:
            tries.kills(self.hidden, "bug", source)
            tries.kills(self.hidden, "another", source)
        likely = [call.args[2] for call in asked.call_args_list]
        self.assertEqual(list(self.hidden.killers(source, 3)), likely[0])
        self.assertEqual([], likely[1])
        self.assertEqual((3, 3), (tries.mutants, tries.killed))

    def test_a_mutant_that_does_not_load_is_killed(self):
        self.assertEqual(3, Tries().kills(self.hidden, "torn", "def f(:\n"))

    def test_a_part_of_a_trial_keeps_what_was_observed(self):
        part = self.hidden.part([5, 2])
        self.assertEqual((self.hidden.checks[5], self.hidden.checks[2]), part.checks)
        self.assertEqual((self.hidden.expected[5], self.hidden.expected[2]), part.expected)


class SymptomGate(unittest.TestCase):
    def test_a_symptom_that_the_bug_passes_rejects_the_drawing(self):
        planted = replace(SOUND, symptom=lambda v, bug, s: ask(v, [5, 6, 7], 3))
        planted = replace(planted, shapes=tuple(replace(s, bugs=s.bugs[1:]) for s in SOUND.shapes))
        planted = replace(planted, visible=lambda v, s: [ask(v, [1, 2, 3], n) for n in (2, 3, 2)])
        self.assertTrue(any(why.startswith("symptom") for why in rejections(planted)))


class CoverageGate(unittest.TestCase):
    def test_the_floor_is_far_above_what_the_judge_refuses(self):
        self.assertGreater(ENTROPY_FLOOR_BITS * HIDDEN_CHECKS, 2 * MIN_GUESS_BITS)

    def test_a_clause_that_no_check_touches_rejects_the_drawing(self):
        clause = Clause("unused", "Something else is promised.")
        planted = replace(SOUND, contract=(*SOUND.contract, clause))
        self.assertIn("clauses: clause 5 is touched by 0 hidden checks", rejections(planted))

    def test_answers_that_are_easy_to_guess_reject_the_drawing(self):
        def dull(v, s):
            return Check((call(v.entry_point, [1], 1),), clauses=v.clauses(*EVERY.split()))

        found = rejections(replace(SOUND, edges=(dull,), wide=dull))
        self.assertTrue(any(why.startswith("entropy") for why in found))


class DistinctGate(unittest.TestCase):
    def test_names_and_literals_make_no_new_task(self):
        one = replace(SOUND.knobs[0], options=dict(list(SOUND.knobs[0].options.items())[:1]))
        knobs = (
            one,
            *(replace(k, options=dict(list(k.options.items())[:1])) for k in SOUND.knobs[1:]),
        )
        planted = with_shapes(bugs=SOUND.shapes[0].bugs[1:])
        planted = replace(planted, knobs=knobs)
        with self.assertRaisesRegex(AuthoringError, "distinct"):
            accept(KEYS, planted)


if __name__ == "__main__":
    unittest.main()
