"""Clusters 6 and 7 of the field cases: wild code, and judging values."""

import unittest

from sandbox.checks import Check, call
from sandbox.material import QuarantinedError, prepare
from test.sandbox.attack import AttackCase
from test.sandbox.corpus import REFERENCE, TinyTask
from test.sandbox.test_attacks_values import RIGHT, task_of

BODY = "    gap = abs(b - a) % size\n    return min(gap, size - gap)\n"


class WildCodeTest(AttackCase):
    def test_prints_are_not_read(self):
        self.assert_rows(
            {
                "CL-063": (
                    'print(\'{"verdict": "fail"}\')\n'
                    + REFERENCE.replace("    gap =", "    print('debug', a, end='')\n    gap ="),
                    {"fixed"},
                ),
                "CL-063 closed": (
                    "import sys\nsys.stdout.close()\nsys.stderr = None\n" + REFERENCE,
                    {"fixed"},
                ),
                "P49 flood": (
                    "def distance(a, b, size):\n    print('x' * 100_000)\n" + BODY,
                    {"fixed", "timed_out"},
                ),
            }
        )

    def test_nothing_of_the_judge_is_in_the_process(self):
        self.assert_rows(
            {
                "CL-065": (
                    "import gc\n"
                    "LOOT = [o for o in gc.get_objects() if type(o) is dict and 'expected' in o]\n"
                    "def distance(a, b, size):\n    return LOOT[0]['expected'] if LOOT else 0\n",
                    {"wrong"},
                )
            }
        )

    def test_subclasses_do_not_pass(self):
        self.assert_rows(
            {
                "CL-067": (
                    "class N(int):\n    def __eq__(self, o): return True\n"
                    "    __hash__ = int.__hash__\n"
                    "def distance(a, b, size): return N(0)\n",
                    {"wrong"},
                )
            }
        )

    def test_leaving_from_one_call_is_the_outcome_of_that_call(self):
        source = "def extra(x):\n    raise SystemExit('bad order')\n"
        material = task_of(RIGHT + source, Check((call("extra", 1),)))
        for profile in ("S", "L"):
            self.assertEqual(self.run_between(RIGHT + source, profile, material)[0].bucket, "fixed")

    def test_what_swallows_everything_ends_by_the_clock(self):
        self.assert_rows(
            {
                "CL-071": (
                    "def distance(a, b, size):\n    while True:\n        try:\n"
                    "            while True: pass\n"
                    "        except BaseException: continue\n",
                    {"timed_out"},
                )
            }
        )

    def test_processes_and_threads_left_behind_do_not_matter(self):
        quiet = "try:\n    {}\nexcept BaseException: pass\n"
        self.assert_rows(
            {
                "CL-073": (
                    "import subprocess, sys\n"
                    + quiet.format("subprocess.Popen([sys.executable, '-c', 'while True: pass'])")
                    + REFERENCE,
                    {"fixed"},
                ),
                "CL-075": (
                    "import threading, time, atexit\n"
                    + quiet.format("threading.Thread(target=time.sleep, args=(3600,)).start()")
                    + "atexit.register(time.sleep, 3600)\n"
                    + REFERENCE,
                    {"fixed"},
                ),
                "CL-078": (
                    "import os\ndef distance(a, b, size):\n    while True:\n        try:\n"
                    "            os.fork()\n"
                    "        except OSError:\n            gap = abs(b - a) % size\n"
                    "            return min(gap, size - gap)\n",
                    {"fixed"},
                ),
            }
        )

    def test_what_a_prompt_rules_out_is_refused_at_once(self):
        tried = {
            "threads": "import threading\nthreading.Thread(target=print).start()\n",
            "processes": "import multiprocessing\nmultiprocessing.Process(target=print).start()\n",
            "event loop": "import asyncio\nasyncio.run(asyncio.sleep(0))\n",
            "files": "open('/tmp/x', 'w')\n",
            "network": "import socket\nsocket.create_connection(('127.0.0.1', 80))\n",
        }
        self.assert_rows({name: (text + REFERENCE, {"invalid"}) for name, text in tried.items()})
        allowed = "import asyncio, threading\nLOCK, LATCH = threading.RLock(), asyncio.Lock()\n"
        guarded = REFERENCE.replace("    gap", "    with LOCK:\n        gap").replace(
            "    return", "        return"
        )
        self.assert_rows({"locks": (allowed + guarded, {"fixed"})})

    def test_memory_is_capped_for_the_task_alone(self):
        self.assert_rows(
            {
                "CL-076": (
                    "def distance(a, b, size):\n"
                    "    x = [b'0' * 2**20 for _ in range(2**20)]\n    return len(x)\n",
                    {"wrong", "crashed", "timed_out"},
                )
            }
        )


class JudgingValuesTest(AttackCase):
    def test_a_large_integer_arrives_exactly(self):
        power = "def extra(n):\n    return 10 ** n\n"
        material = task_of(RIGHT + power, Check((call("extra", 5000),)))
        for profile in ("S", "L"):
            self.assertEqual(self.run_between(RIGHT + power, profile, material)[0].bucket, "fixed")

    def test_set_order_is_the_same_in_every_run(self):
        order = "def extra(words):\n    return list(set(words))\n"
        first = "def extra(words):\n    return list(dict.fromkeys(words))\n"
        words = [f"w{number}" for number in range(12)]
        material = task_of(RIGHT + first, Check((call("extra", words),)))
        answers = set()
        for profile in ("S", "L"):
            for _ in range(10):
                verdict, output = self.run_between(RIGHT + order, profile, material)
                self.assertEqual(verdict.bucket, "wrong")
                answers.add(output)
        self.assertEqual(len(answers), 1)

    def test_a_task_without_hidden_checks_is_never_judged(self):
        with self.assertRaises(QuarantinedError):
            prepare(TinyTask(1, "practice"), ())

    def test_a_task_whose_answers_can_be_guessed_is_never_judged(self):
        constant = "def distance(a, b, size):\n    return 0\n"
        task = TinyTask(1, "practice", reference=constant)
        with self.assertRaises(QuarantinedError):
            prepare(task, tuple(Check((call("distance", n, n, n),)) for n in range(48)))

    def test_an_expected_value_without_a_form_is_never_judged(self):
        with self.assertRaises(QuarantinedError):
            task_of(RIGHT + "def extra(x):\n    return iter(())\n", Check((call("extra", 1),)))


if __name__ == "__main__":
    unittest.main()
