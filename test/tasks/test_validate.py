"""The report of a category: figures, and faults that only all tasks together show."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from tasks.kit.accept import Drawing
from tasks.kit.bounds import MOST_PROMPT_BYTES
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.table import as_document
from tasks.kit.validate import Report, as_text, report_drawing, validate
from test.tasks.folders import OVERLAY_LINE, PLANTED
from test.tasks.planted import SOUND

KEYS = Keys.of("validate", bytes(range(32)))


def drawing(size: int = 96) -> Drawing:
    return Drawing([draw_task(KEYS, SOUND, number, 0) for number in range(1, size + 1)])


class ReportOfAllTasks(unittest.TestCase):
    def test_a_drawing_in_order_has_figures_and_no_fault(self):
        report = Report("planted")
        report_drawing(drawing(), report)
        self.assertEqual([], report.faults)
        self.assertEqual(96, report.figures["tasks"])
        levels = report.figures["difficulty"]
        assert isinstance(levels, dict)
        self.assertEqual(96, sum(levels.values()))

    def test_a_prompt_that_is_too_long_is_told(self):
        found = drawing(4)
        found.tasks[0] = replace(found.tasks[0], contract=("x" * MOST_PROMPT_BYTES + ".",))
        report = Report("planted")
        report_drawing(found, report)
        self.assertRegex(report.faults[0], "a prompt has [0-9]+ bytes")

    def test_too_few_symptoms_are_told(self):
        found = drawing()
        found.tasks = [replace(task, has_symptom=False) for task in found.tasks]
        report = Report("planted")
        report_drawing(found, report)
        self.assertEqual(["0% of the tasks show a symptom"], report.faults)


class Table(unittest.TestCase):
    def test_has_a_row_a_category_and_one_of_totals(self):
        reports = [Report("planted"), Report("ttl-off-by-one-unit", faults=["torn"])]
        report_drawing(drawing(), reports[0])
        lines = as_document(reports).splitlines()
        head, _, planted, torn, totals = lines[-5:]
        self.assertEqual({head.count("|")}, {line.count("|") for line in lines[-5:]})
        for word in ("| overlay ", "| planted ", "| 96 ", "| pass "):
            self.assertIn(word, planted)
        shares = reports[0].figures["difficulty in percent"]
        assert isinstance(shares, dict)
        self.assertEqual([1, 2, 3, 4, 5], list(shares))
        self.assertIn(" / ".join(map(str, shares.values())), planted)
        self.assertIn("| caching-expiry ", torn)
        self.assertIn("| 1 fail ", torn)
        self.assertIn("| 2 categories ", totals)


class ValidateOne(unittest.TestCase):
    def run_on(self, text: str) -> Report:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "house_rules" / "newest_items.py"
            path.parent.mkdir()
            path.write_text(text)
            return validate("newest-items", folder, quick=True)

    def test_a_sound_category_passes_every_gate(self):
        report = self.run_on(PLANTED.read_text() + OVERLAY_LINE)
        self.assertEqual([], report.faults)
        self.assertEqual(24, report.figures["tasks"])
        self.assertTrue(as_text(report).startswith("ok   newest-items"))

    def test_a_file_that_breaks_is_a_fault_not_a_crash(self):
        for text in ("raise RuntimeError('torn')\n", "def (\n", "X = 1\n"):
            report = self.run_on(text)
            self.assertEqual(1, len(report.faults), text)
            self.assertTrue(as_text(report).startswith("FAIL newest-items"))
            self.assertIn("house_rules/newest_items.py does not load: ", report.faults[0])

    def test_the_fault_of_a_file_that_breaks_has_its_line_and_reason(self):
        for text, told in (
            ("\nraise RuntimeError('torn')\n", "line 2: RuntimeError: torn"),
            ("X = 1\ndef (\n", "line 2: invalid syntax"),
            ("X = 1\n", "it has no CATEGORY"),
        ):
            self.assertIn(told, self.run_on(text).faults[0])


if __name__ == "__main__":
    unittest.main()
