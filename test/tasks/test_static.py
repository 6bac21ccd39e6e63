"""Gates that read a category: names, slots, edits, format, words that give the bug away."""

import unittest
from dataclasses import replace

from tasks.kit import Clause, change, knob, scenario
from tasks.kit.bounds import giveaways, module_faults
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.static import pairs_possible, static_faults
from test.tasks.planted import SCENARIOS, SOUND, with_bugs, with_patch, with_text

KEYS = Keys.of("static", bytes(range(32)), practice=2, sealed=6)


class StaticFaults(unittest.TestCase):
    def told(self, category, *words):
        faults = "\n".join(static_faults(category))
        for word in words:
            self.assertIn(word, faults)

    def test_a_sound_category_has_none(self):
        self.assertEqual([], static_faults(SOUND))
        self.assertTrue(pairs_possible(SOUND))

    def test_an_edit_that_matches_nowhere(self):
        self.told(with_bugs(change("lost", ("no such text", "x"))), "lost", "is not in the module")

    def test_an_edit_that_matches_twice(self):
        self.told(with_bugs(change("twice", ("$count", "x"))), "twice", "more than once")

    def test_an_edit_that_changes_nothing(self):
        self.told(
            with_bugs(change("same", ("return $result", "return $result"))), "leaves the module"
        )

    def test_a_patch_that_is_not_python(self):
        self.told(with_patch(change("torn", ("return $result", "return ["))), "torn is not Python")

    def test_a_pair_of_bugs_that_is_no_python(self):
        up, down = "        $count += 1\n", "        $count -= 1\n"
        planted = with_text("    $over_rule\n", f"    $over_rule\n    if 99 < $count:\n{up}{down}")
        bugs = change("up", (down, "")), change("down", (up, ""))
        shapes = tuple(replace(shape, bugs=bugs) for shape in planted.shapes)
        self.told(replace(planted, shapes=shapes), "bugs up and down together")
        self.told(replace(planted, shapes=shapes), "slice", "loop")

    def test_too_few_patches(self):
        shapes = tuple(replace(s, known_failing=s.known_failing[:2]) for s in SOUND.shapes)
        self.told(replace(SOUND, shapes=shapes), "2 known-failing patches against one_more")

    def test_a_slot_that_nothing_fills(self):
        self.told(
            with_text("return $result", "return $result or $outcome"),
            "nothing fills the slot $outcome",
        )

    def test_a_stray_dollar_sign(self):
        self.told(with_text("return $result", "return $result  # 5$"), "a stray dollar sign")

    def test_a_slot_used_nowhere(self):
        extra = knob("extra", one={"unused": "1"}, two={"unused": "2"})
        self.told(replace(SOUND, knobs=(*SOUND.knobs, extra)), "slot unused of knob extra")

    def test_options_that_fill_different_slots(self):
        odd = knob(
            "zero", nothing={"zero_clause": "a", "zero_result": "[]"}, other={"zero_clause": "b"}
        )
        self.told(
            replace(SOUND, knobs=(odd, *SOUND.knobs[1:])), "only some options fill zero_result"
        )

    def test_scenarios_with_different_words(self):
        odd = scenario("odd", summary="Odd.", function="f", items="xs")
        self.told(replace(SOUND, scenarios=(*SCENARIOS, odd)), "count not in every scenario")

    def test_one_name_with_two_meanings(self):
        self.told(replace(SOUND, choices={"items": ("a", "b")}), "the name items has 2 meanings")

    def test_a_condition_on_no_option(self):
        bug = change("late", ("return $result", "return []"), when={"zero": "sometimes"})
        self.told(with_bugs(bug), "depends on zero=sometimes")

    def test_bugs_that_touch_the_same_text(self):
        first = change("first", ("return $result", "return []"))
        second = change("second", ("return $result", "return [1]"))
        self.assertFalse(pairs_possible(with_bugs(first, second)))


HEAD = '"""Totals."""\n\nimport math\n\n\n'
BODY = "".join(
    f"def part_{n}(x: int) -> int:\n    return math.floor(x) + {n}\n\n\n" for n in range(4)
)
GOOD = (HEAD + BODY).rstrip("\n") + "\n"


class ModuleFaults(unittest.TestCase):
    def told(self, source, word):
        self.assertIn(word, "\n".join(module_faults(source)))

    def test_a_formatted_module_has_none(self):
        self.assertEqual((), module_faults(GOOD))

    def test_sizes(self):
        self.told(GOOD[: GOOD.index("def part_1")].rstrip() + "\n", "lines, not 15 to 80")
        self.told(GOOD + "\n\nX = 1\n" * 40, "lines, not 15 to 80")

    def test_long_lines(self):
        self.told(GOOD.replace("import math", "import math  # " + "x" * 100), "columns")

    def test_blanks_at_line_ends(self):
        self.told(GOOD.replace("import math", "import math "), "blanks at its end")

    def test_a_missing_final_line_break(self):
        self.told(GOOD.rstrip("\n"), "end with one line break")

    def test_blank_lines_between_definitions(self):
        self.told(GOOD.replace("\n\n\ndef part_2", "\n\ndef part_2"), "not 2")
        self.told(GOOD.replace("\n\n\ndef part_2", "\n\n\n\ndef part_2"), "3 blank lines")

    def test_a_blank_line_after_an_opening_line(self):
        self.told(
            GOOD.replace(
                "int:\n    return math.floor(x) + 1", "int:\n\n    return math.floor(x) + 1"
            ),
            "opening line",
        )

    def test_imports_from_outside_the_standard_library(self):
        self.told(GOOD.replace("import math", "import numpy"), "not in the standard library")

    def test_imports_that_nothing_uses(self):
        self.told(GOOD.replace("import math", "import json\nimport math"), "json and never uses it")

    def test_imports_that_reach_time_or_chance(self):
        self.told(GOOD.replace("import math", "from time import time"), "not deterministic")
        self.told(GOOD.replace("math.floor(x) + 1", "open(x)"), "calls open")


class Giveaways(unittest.TestCase):
    def test_words_in_module_names_and_clauses(self):
        task = draw_task(KEYS, SOUND, 1, 0)
        self.assertEqual([], giveaways(task))
        planted = with_text("found: list", "wrong_items: list").shapes[1].module
        self.assertIn("wrong_items", planted)
        for text in ("# the bug is here", "is_wrong = True", "# TODO: check", "# off by one"):
            told = giveaways(replace(task, module=task.module + text + "\n"))
            self.assertEqual(1, len(told), text)
        clause = Clause("x", "This is what the faulty module gets incorrectly.")
        self.assertEqual(2, len(giveaways(replace(task, contract=(clause.text,)))))


if __name__ == "__main__":
    unittest.main()
