"""python3 -m sandbox check: a line in, a line out."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

from sandbox.checks import Check, call
from sandbox.client_check import answer_line
from sandbox.codec_json import check_to_json, observation_to_json
from sandbox.reference import observe_check
from sandbox.runner import load
from test.sandbox.corpus import FAULTY, REFERENCE
from test.sandbox.test_server import InProcessLane

ROOT = Path(__file__).parents[2]


def visible(*checks: Check) -> list:
    """Visible checks as a prompt has them."""
    namespace = load(REFERENCE)
    return [
        {
            "check": check_to_json(check),
            "assert": f"check {number}",
            "expected": observation_to_json(observe_check(namespace, check)),
        }
        for number, check in enumerate(checks, 1)
    ]


VISIBLE = visible(Check((call("distance", 1, 3, 10),)), Check((call("distance", 0, 9, 10),)))


def line(module, **changes) -> str:
    """One request line."""
    document = {"id": "a", "module": module, "entry_point": "distance", "visible": VISIBLE}
    return json.dumps({**document, **changes})


class AnswerLineTest(unittest.TestCase):
    def setUp(self) -> None:
        InProcessLane.gate.set()

    def answer(self, text: str) -> dict:
        return answer_line(text, InProcessLane())  # type: ignore[arg-type]

    def test_statuses_and_failures_are_told(self):
        self.assertEqual(
            self.answer(line(REFERENCE)),
            {"id": "a", "status": "passed", "passed": 2, "total": 2, "failures": []},
        )
        told = self.answer(line(FAULTY))
        self.assertEqual((told["status"], told["passed"]), ("failed", 1))
        self.assertEqual(told["failures"], [{"assert": "check 2", "outcome": "9"}])
        told = self.answer(line("def distance("))
        self.assertEqual(
            (told["status"], told["failures"][0]["outcome"]), ("invalid", "SyntaxError")
        )
        self.assertEqual(self.answer(line(None))["status"], "invalid")
        self.assertEqual(self.answer(line("x" * 70_000))["status"], "invalid")

    def test_outcomes_are_readable_and_harmless_to_a_terminal(self):
        told = self.answer(line("def distance(a, b, size): return '\\x1b[31m' + 'x' * 9999"))
        self.assertNotIn("\x1b", told["failures"][0]["outcome"])
        self.assertLessEqual(len(told["failures"][0]["outcome"]), 400)
        told = self.answer(line("def distance(a, b, size): raise KeyError(a)"))
        self.assertEqual(told["failures"][0]["outcome"], "raised KeyError(1)")

    def test_lines_that_are_no_request_get_an_error(self):
        for text in ("{", "[]", "5", line(5), line("x", entry_point=None), line("x", visible=[]),
                     line("x", visible=[5]), line("x", visible=[{"check": 1, "assert": 1}]),
                     "[" * 100_000):  # fmt: skip
            self.assertIn("error", self.answer(text))


class ProcessTest(unittest.TestCase):
    def test_it_stays_up_and_answers_in_order(self):
        process = subprocess.Popen(
            [sys.executable, "-m", "sandbox", "check"], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        with process:
            assert process.stdin and process.stdout
            ready = json.loads(process.stdout.readline())
            self.assertIs(ready["ready"], True)
            self.assertIn(ready["isolation"]["profile"], ("S", "L"))
            for module, status in (
                (REFERENCE, "passed"), (FAULTY, "failed"), ("import os\nos._exit(1)", "crashed"),
                ("while True: pass", "timed_out"), (REFERENCE, "passed"),
            ):  # fmt: skip
                process.stdin.write(line(module) + "\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["status"], status)
            process.stdin.close()
            self.assertEqual(process.wait(20), 0)


if __name__ == "__main__":
    unittest.main()
