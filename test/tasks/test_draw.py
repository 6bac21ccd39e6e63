"""Streams, keys, templates and the drawing of tasks."""

import hashlib
import hmac
import struct
import unittest
from collections import Counter
from dataclasses import replace

from sandbox.checks import Check, call
from tasks.kit import AuthoringError, change
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.fingerprint import fingerprint, normalised
from tasks.kit.hidden import HIDDEN_CHECKS, hidden_checks
from tasks.kit.mutants import Mutants, bounded
from tasks.kit.render import Slots, apply_change, module_text, render, sentence
from tasks.kit.stream import Stream, commitment, derive_key
from tasks.kit.task import changed
from tasks.kit.trial import Trial, load_bounded, load_reference
from tasks.kit.turns import TurnCounter
from test.tasks.planted import SOUND, with_bugs

ROOT = bytes(range(32))
KEYS = Keys.of("draw", ROOT)


class Streams(unittest.TestCase):
    def test_the_derivation_is_hkdf_of_rfc_5869(self):
        key = hmac.digest(bytes(32), ROOT, hashlib.sha256)
        block = hmac.digest(key, b"failmap/v1/e/draw\x01", hashlib.sha256)
        self.assertEqual(block, derive_key(ROOT, "e", "draw"))

    def test_known_draws(self):
        stream = Stream(b"key", "label")
        self.assertEqual(KNOWN_DRAWS, [stream.below(1000) for _ in range(6)])
        self.assertEqual(KNOWN_COMMITMENT, commitment("e", ROOT))

    def test_words_are_hmac_of_label_and_block_number_whatever_the_key_is_long(self):
        for key in (b"key", bytes(32), bytes(range(100))):
            blocks = (hmac.digest(key, b"a/1\x00" + n.to_bytes(8), "sha256") for n in range(3))
            words = [w for block in blocks for w in reversed(struct.unpack(">8I", block))]
            stream = Stream(key, "a/1")
            self.assertEqual(words, [stream.below(2**32) for _ in range(24)])

    def test_words_of_the_last_incomplete_round_are_left_out(self):
        for bound in (2**16 + 1, 2**31 + 1, 3 * 10**9, 2**32 - 1):
            words, stream = Stream(b"key", "fair"), Stream(b"key", "fair")
            rounds = 2**32 // bound * bound
            fair = [w for w in (words.below(2**32) for _ in range(200)) if w < rounds][:50]
            self.assertEqual([w % bound for w in fair], [stream.below(bound) for _ in fair])

    def test_labels_part_streams(self):
        one, two = (Stream(b"key", label) for label in ("a", "b"))
        self.assertNotEqual([one.below(99) for _ in range(8)], [two.below(99) for _ in range(8)])

    def test_draws_are_even(self):
        stream = Stream(b"key", "even")
        seen = Counter(stream.below(6) for _ in range(6000))
        self.assertEqual(set(range(6)), set(seen))
        self.assertTrue(all(850 < count < 1150 for count in seen.values()), seen)

    def test_samples_have_no_repeats_and_shuffles_keep_all(self):
        stream = Stream(b"key", "sample")
        for _ in range(50):
            self.assertEqual(4, len(set(stream.sample(range(9), 4))))
            self.assertEqual([1, 2, 3], sorted(stream.shuffle([1, 2, 3])))

    def test_a_bound_outside_its_range_is_refused(self):
        for bound in (0, -1, 2**32 + 1):
            with self.assertRaises(ValueError):
                Stream(b"key", "x").below(bound)


KNOWN_DRAWS = [92, 376, 345, 548, 676, 748]
KNOWN_COMMITMENT = "d5425f82ca69749f1d41547638bd201dd4b8dae0f688097d8330aa039062dc47"


class Epochs(unittest.TestCase):
    def test_parts_have_their_sizes_and_depend_on_key_and_category(self):
        parts = [KEYS.part("a", n) for n in range(1, 97)]
        self.assertEqual({"practice": 16, "sealed": 80}, dict(Counter(parts)))
        self.assertNotEqual(parts, [KEYS.part("b", n) for n in range(1, 97)])
        other = Keys.of("other", ROOT)
        self.assertNotEqual(parts, [other.part("a", n) for n in range(1, 97)])

    def test_a_root_of_another_size_is_refused(self):
        with self.assertRaises(ValueError):
            Keys.of("e", b"short")


class Templates(unittest.TestCase):
    def test_a_fragment_takes_the_indentation_of_its_slot(self):
        slots = {"block": "if x:\n    return", "name": "total"}
        self.assertEqual(
            "def $f():\n    if x:\n        return\n    total = 1\n".replace("$f", "f"),
            module_text("\ndef f():\n    $block\n    $name = 1\n", slots),
        )

    def test_an_empty_fragment_leaves_no_gap(self):
        template = "a = 1\n\n$block\n\n\nb = 2\n"
        self.assertEqual("a = 1\n\n\nb = 2\n", module_text(template, {"block": ""}))
        self.assertEqual("a\nb\n", module_text("a\n$one\n$two\nb", {"one": "", "two": ""}))

    def test_fills_may_hold_slots_but_no_circle(self):
        self.assertEqual("a b", render("$x", {"x": "a $y", "y": "b"}))
        with self.assertRaises(AuthoringError):
            render("-$x", {"x": "-$y", "y": "-$x"})

    def test_fills_are_rendered_once_and_for_line_and_block_apart(self):
        slots = Slots({"rule": "a $y", "y": "b"}, {"many": "one\n$y"})
        self.assertEqual("x a b\n  a b\n", render("x $rule\n  $rule\n", slots))
        self.assertEqual("  one\n  b\n", render("  $many\n", slots))
        with self.assertRaises(AuthoringError):
            render("x $many", slots)
        self.assertEqual("a c", render("$rule", Slots(slots, {"y": "c"})))

    def test_other_fills_reach_whatever_hangs_on_them(self):
        slots = Slots({"x": "a $y", "y": "b $z", "z": "c", "w": "d $v", "v": "e"})
        template = "  $x\n- $y $w $z $v\n"
        self.assertEqual("  a b c\n- b c d e c e\n", render(template, slots))
        other = slots.refilled({"z": "C"})
        self.assertEqual("  a b C\n- b C d e C e\n", render(template, other))
        self.assertEqual("  a B\n- B d e C e\n", render(template, other.refilled({"y": "B"})))
        self.assertEqual("  a b c\n- b c d e c e\n", render(template, slots))

    def test_a_fill_within_a_line_keeps_its_spaces_even_if_it_is_another_slot(self):
        slots = {"what": "$kind ", "kind": "  in stock", "tail": "$none", "none": ""}
        self.assertEqual("goods  in stock .", render("goods$what$tail.", slots))
        self.assertEqual(
            "100% of 5% each", render("$all of 5% $each", {"all": "100%", "each": "each"})
        )

    def test_what_is_left_over_is_refused(self):
        for template in ("$missing", "5$ each", "a $block b"):
            with self.assertRaises(AuthoringError):
                render(template, {"block": "one\ntwo"})
        self.assertEqual("5$ each", render("5$$ each", {}))

    def test_clauses_may_be_broken_anywhere(self):
        self.assertEqual("a b c", sentence(" a\n   $x\n c ", {"x": "b"}))

    def test_edits_replace_exactly_what_they_name(self):
        bug = change("b", ("x + 1", "x"), ("y", "z"))
        text, spans = apply_change(bug, "", "x + 1 < y\n", {})
        self.assertEqual("x < z\n", text)
        self.assertEqual(2, len(spans))
        with self.assertRaisesRegex(AuthoringError, "empty"):
            apply_change(change("b", ("$rule", "y")), "", "x\n", {"rule": ""})


class DrawnTasks(unittest.TestCase):
    def test_are_the_same_for_the_same_key_and_another_for_another(self):
        one, two = draw_task(KEYS, SOUND, 5, 0), draw_task(KEYS, SOUND, 5, 0)
        self.assertEqual(one, two)
        self.assertNotEqual(one.module, one.reference)

    def test_say_in_their_prompt_where_a_module_has_to_run(self):
        text = " ".join(draw_task(KEYS, SOUND, 5, 0).prompt.split())
        for word in ("Python 3.11", "standard library", "threads", "event loop", "network"):
            self.assertIn(word, text)
        drawn = {draw_task(KEYS, SOUND, 5, counter).module for counter in range(12)}
        self.assertGreater(len(drawn), 6)

    def test_single_faults_are_each_part_of_the_module(self):
        tasks = [draw_task(KEYS, SOUND, n, 0) for n in range(1, 97)]
        double = [task for task in tasks if len(task.single_faults) == 2]
        self.assertTrue(4 <= len(double) <= 24, len(double))
        for task in double:
            self.assertEqual(3, len({task.module, *task.single_faults}))
            lines, places = changed(task.module, task.reference)
            self.assertEqual((2, 2), (lines, places))
        for task in tasks:
            if len(task.single_faults) == 1:
                self.assertEqual((task.module,), task.single_faults)

    def test_about_three_of_four_show_a_symptom(self):
        shown = sum(draw_task(KEYS, SOUND, n, 1).has_symptom for n in range(1, 97))
        self.assertTrue(58 <= shown <= 86, shown)

    def test_hidden_checks_follow_from_the_key_alone(self):
        task = draw_task(KEYS, SOUND, 3, 2)
        self.assertEqual(HIDDEN_CHECKS, len(hidden_checks(KEYS, SOUND, task)))
        self.assertEqual(hidden_checks(KEYS, SOUND, task), hidden_checks(KEYS, SOUND, task))
        other = Keys.of("draw", bytes(32))
        self.assertNotEqual(hidden_checks(KEYS, SOUND, task), hidden_checks(other, SOUND, task))

    def test_difficulty_counts_what_makes_the_repair_harder(self):
        plain = draw_task(KEYS, SOUND, 1, 0)
        self.assertTrue(1 <= plain.difficulty <= 3)
        harder = draw_task(KEYS, replace(SOUND, stateful=True, effects=True), 1, 0)
        self.assertEqual(min(5, plain.difficulty + 2), harder.difficulty)
        deep = with_bugs(*(replace(bug, deep=True) for bug in SOUND.shapes[0].bugs))
        deep = replace(deep, shapes=(deep.shapes[0], deep.shapes[0]))
        self.assertGreaterEqual(draw_task(KEYS, deep, 1, 0).difficulty, 2)


class Fingerprints(unittest.TestCase):
    def test_names_and_literals_do_not_count_but_structure_does(self):
        one = "def f(a):\n    '''x'''\n    return a + 1\n"
        self.assertEqual(normalised(one), normalised("def g(b):\n    return b + 2\n"))
        self.assertNotEqual(normalised(one), normalised("def f(a):\n    return a - 1\n"))
        self.assertNotEqual(normalised("x = min(a)\n"), normalised("x = max(a)\n"))

    def test_two_scenarios_of_one_drawing_are_the_same_task(self):
        marks: dict[tuple, set[bytes]] = {}
        for number in range(1, 60):
            task = draw_task(KEYS, SOUND, number, 0)
            key = (task.variant.shape, *task.variant.knobs.values(), task.variant.bugs)
            marks.setdefault(key, set()).add(fingerprint(SOUND, task))
        self.assertTrue(all(len(found) == 1 for found in marks.values()))
        self.assertGreater(len(set().union(*marks.values())), 20)


SOURCE = """
def f(xs, limit):
    if limit < 0:
        raise ValueError(limit)
    ys = list(xs)
    ys.sort()
    ys.append(limit + 1)
    n = 0
    while n <= limit:
        n = n + 1
    return ys[:]
"""


class AutomaticMutants(unittest.TestCase):
    def test_every_kind_of_slip_is_made(self):
        mutants = Mutants(SOURCE)
        names = Counter(mutants.name(n).partition(": ")[2] for n in range(len(mutants)))
        self.assertEqual(
            {
                "flips a comparison": 2,
                "adds one to a number": 4,
                "swaps plus and minus": 2,
                "drops a copy": 2,
                "drops a guard": 1,
                "swaps two statements": 2,
            },
            dict(names),
        )

    def test_only_statements_whose_order_can_show_change_places(self):
        for pair, swapped in (
            ("a = [x for x in xs if blank(x.get(1))]\n    b = [x for x in xs if x]", 0),
            ("a = math.floor(xs[0])\n    b = math.ceil(xs[1])", 0),
            ("a = blank(xs)\n    b = a + 1", 1),
            ("a = tell(xs)\n    b = tell(xs)", 1),
            ("a = note(xs)\n    b = note(xs)", 1),
            ("a = xs.pop()\n    b = xs.pop()", 1),
            ("a = grow(xs)\n    b = grow(xs)", 1),
            ("a = says(xs)\n    b = says(xs)", 1),
            ("a = asks(xs, tell)\n    b = asks(xs, tell)", 1),
            ("a = keys(xs)\n    b = keys(xs)", 1),
        ):
            source = (
                "import math\ndef blank(x):\n    return x is None or x.get(1) == ''\n"
                "def note(x):\n    x[0] = 1\n    return x\n"
                "def grow(x):\n    x += [1]\n    return x\n"
                "def says(x):\n    return print(x)\n"
                "def asks(x, min):\n    return min(x)\n"
                "class Log:\n    def keys(self):\n        self.read = True\n"
                "def keys(x):\n    return x.keys()\n"
                f"def f(xs, tell):\n    {pair}\n    return a, b\n"
            )
            with self.subTest(pair):
                names = [name for name in Mutants(source).names if "swaps two" in name]
                self.assertEqual(len(names), swapped)

    def test_each_is_undone_before_the_next(self):
        mutants = Mutants(SOURCE)
        first = [mutants.code(n).co_code for n in range(len(mutants))]
        again = [mutants.code(n).co_code for n in range(len(mutants))]
        self.assertEqual(first, again)

    def test_a_loop_without_end_counts_as_killed(self):
        endless = SOURCE.replace("n = n + 1", "n = n - 1")
        turns = TurnCounter()
        namespace = load_bounded(bounded(endless), turns)
        assert namespace is not None
        reference = load_reference(SOURCE)
        trial = Trial(reference, [Check((call("f", [1], n),)) for n in range(3)])
        self.assertEqual(3, trial.kills(endless))
        self.assertEqual(0, trial.kills(SOURCE))


if __name__ == "__main__":
    unittest.main()
