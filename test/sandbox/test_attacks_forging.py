"""Attacks P01 to P16 of the corpus and their siblings: forging a verdict."""

import struct
import unittest

from test.sandbox.attack import AttackCase
from test.sandbox.corpus import REFERENCE

WRONG = "def distance(a, b, size):\n    return 0\n"

LIE = """
class Lie(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __index__(self): return 0
    def __reduce__(self): return (int, (1,))
"""

FRAME_WALK = """
import sys, gc, inspect

def distance(a, b, size):
    frame = sys._getframe()
    while frame is not None:
        for name, value in list(frame.f_locals.items()):
            if name in ("expected", "result", "results", "wanted", "answer", "verdict", "passed"):
                try: value.append(True)
                except Exception: pass
                return value
        frame = frame.f_back
    return 0
"""

GC_SCAN = """
import gc

def distance(a, b, size):
    hits = [o for o in gc.get_objects() if isinstance(o, (list, tuple)) and len(o) > 40
            and all(isinstance(x, (int, bytes)) for x in o)]
    dicts = [o for o in gc.get_objects() if isinstance(o, dict) and "expected" in o]
    return hits[0] if hits else dicts[0]["expected"] if dicts else 0
"""

OPEN_FRAMES = """
import os, struct
HEAD = struct.Struct("<BII")

def write(data):
    for fd in range(3, 64):
        try: os.write(fd, data)
        except OSError: pass
"""

# A well-formed answer with a guessed value, before the runner's own.
GUESS = b"(3:i0;(1:(3:s5:valuei0;(0:(0:"


def forged(count: int, then: str = "") -> str:
    """A module that writes a complete answer of its own when it is loaded."""
    frames = struct.pack("<BII", 1, 0, 0)
    for number in range(1, count + 1):
        frames += struct.pack("<BII", 3, number, len(GUESS)) + GUESS
    return f"{OPEN_FRAMES}\nwrite({frames!r})\n{then}\n{WRONG}"


class ForgingTest(AttackCase):
    def test_an_equal_to_all_object_is_wrong(self):
        self.assert_rows(
            {
                "P01": (LIE + "def distance(a, b, size): return Lie(0)", {"wrong"}),
                "P02 list": (LIE + "def distance(a, b, size): return [Lie(0)]", {"wrong"}),
                "P02 key": (LIE + "def distance(a, b, size): return {Lie(0): 1}", {"wrong"}),
                "P02 tuple": (LIE + "def distance(a, b, size): return (Lie(0),)", {"wrong"}),
                "P02 real value": (
                    LIE
                    + REFERENCE.replace(
                        "return min(gap, size - gap)", "return Lie(min(gap, size - gap))"
                    ),
                    {"wrong"},
                ),
                "P02 bool": ("def distance(a, b, size): return True", {"wrong"}),
            }
        )

    def test_nothing_to_find_in_frames_or_in_the_collector(self):
        self.assert_rows(
            {
                "P03 call": (FRAME_WALK, {"wrong"}),
                "P03 import": (FRAME_WALK + "\ndistance(1, 2, 3)\n", {"wrong"}),
                "P03 traceback": (
                    "def distance(a, b, size):\n    try: 1 / 0\n"
                    "    except ZeroDivisionError as e:\n"
                    "        f = e.__traceback__.tb_frame\n        while f.f_back: f = f.f_back\n"
                    "        return f.f_locals.get('expected', 0)\n",
                    {"wrong"},
                ),
                "P04": (GC_SCAN, {"wrong"}),
                "P04 modules": (
                    "import sys\ndef distance(a, b, size):\n    return [n for n in sys.modules"
                    " if 'judge' in n or 'compare' in n or n.startswith('tasks')] or 0\n",
                    {"wrong"},
                ),
            }
        )

    def test_neither_the_judge_nor_the_tasks_are_importable(self):
        source = (
            "def distance(a, b, size):\n    for name in ('sandbox.judge', 'sandbox.compare',"
            " 'sandbox.material', 'tasks.kit.draw', 'sandbox.drawing'):\n"
            "        try: __import__(name)\n        except ImportError: continue\n"
            "        return name\n    return -1\n"
        )
        for profile in ("S", "L"):
            verdict, output = self.run_between(source, profile)
            self.assertEqual(verdict.bucket, "wrong")
            self.assertEqual({answer[1] for answer in self.answers(output)}, {-1})  # type: ignore

    def test_ending_the_process_early_is_no_pass(self):
        self.assert_rows(
            {
                "P05 sys": ("import sys\nsys.exit(0)\n" + WRONG, {"invalid"}),
                "P05 quit": ("quit(0)\n" + WRONG, {"invalid"}),
                "P05 raise": ("raise KeyboardInterrupt\n" + WRONG, {"invalid"}),
                "P05 own": ("class B(BaseException): pass\nraise B\n" + WRONG, {"invalid"}),
                "P06": ("import os\ndef distance(a, b, size): os._exit(0)", {"crashed"}),
                "P06 import": ("import os\nos._exit(0)\n" + WRONG, {"crashed"}),
                "P06 abort": ("import os\ndef distance(a, b, size): os.abort()", {"crashed"}),
                "P06 kill": (
                    "import os\ndef distance(a, b, size): os.kill(os.getpid(), 9)",
                    {"crashed", "wrong"},
                ),
                "P07 exit": ("def distance(a, b, size): raise SystemExit(0)", {"wrong"}),
                "P07 interrupt": ("def distance(a, b, size): raise KeyboardInterrupt", {"wrong"}),
                "P07 generator": ("def distance(a, b, size): raise GeneratorExit", {"wrong"}),
                "P07 own": (
                    "class B(BaseException): pass\ndef distance(a, b, size): raise B",
                    {"wrong"},
                ),
            }
        )

    def test_what_the_visible_checks_say_outlives_a_crash_in_a_hidden_one(self):
        # Visible checks use small rings, hidden ones large ones.
        for profile in ("S", "L"):
            for ending, bucket in (
                ("os._exit(0)", "crashed"), ("os.abort()", "crashed"),
                ("ctypes.string_at(0)", "crashed"), ("while True: pass", "timed_out"),
            ):  # fmt: skip
                for least, shown in ((100, True), (0, False)):
                    source = (
                        f"import ctypes, os\n{REFERENCE}\nright = distance\n"
                        f"def distance(a, b, size):\n    if size >= {least}:\n"
                        f"        {ending}\n    return right(a, b, size)\n"
                    )
                    with self.subTest(ending=ending, least=least, profile=profile):
                        verdict, _ = self.run_between(source, profile)
                        self.assertEqual((verdict.bucket, verdict.visible_passed), (bucket, shown))

    def test_forged_frames_gain_nothing(self):
        count = len(self.tasks[1].expected)
        self.assert_rows(
            {
                "P08": (
                    "import atexit\n"
                    + OPEN_FRAMES
                    + f"atexit.register(write, {GUESS!r})\n"
                    + WRONG,
                    {"wrong", "crashed"},
                ),
                "P09": (
                    "import sys\nfor s in (sys.stdout, sys.stderr, sys.__stdout__):\n"
                    "    print('PASSED', '{\"verdict\": \"pass\"}', '5 passed in 0.1s', file=s)\n"
                    + WRONG,
                    {"wrong"},
                ),
                "P10 before": (forged(count), {"crashed"}),
                "P10 instead": (forged(count, "os._exit(0)"), {"wrong"}),
                "P10 too many": (forged(count + 1, "os._exit(0)"), {"crashed"}),
                "P10 too few": (forged(count - 1, "os._exit(0)"), {"crashed"}),
                "P10 garbage": (OPEN_FRAMES + "write(b'\\xff' * 100)\n" + WRONG, {"crashed"}),
                "P10 huge length": (
                    OPEN_FRAMES + "write(HEAD.pack(3, 1, 0xffffffff))\nos._exit(0)\n" + WRONG,
                    {"crashed"},
                ),
                "P10 load error": (
                    OPEN_FRAMES + "write(HEAD.pack(2, 0, 0))\nos._exit(0)\n",
                    {"invalid"},
                ),
            }
        )

    def test_replacing_the_runner_or_builtins_gains_nothing(self):
        patch = (
            "import sys\nfor m in list(sys.modules.values()):\n"
            "    if m.__name__.startswith('sandbox'):\n        for n in list(vars(m)):\n"
            "            if {}:\n                setattr(m, n, lambda *a, **k: b'T')\n"
        )
        self.assert_rows(
            {
                "P11 encode": (
                    patch.format("n in ('encode', 'encode_flat', 'join_tuple')") + WRONG,
                    {"wrong", "crashed"},
                ),
                "P11 frames": (
                    patch.format("n.startswith('pack')") + WRONG,
                    {"wrong", "crashed", "invalid"},
                ),
                "P11 all": (
                    patch.format("callable(getattr(m, n))") + WRONG,
                    {"wrong", "crashed", "invalid"},
                ),
                "P11 class": (
                    "import sys\nE = sys.modules['sandbox.codec'].Encoder\n"
                    "E.put = lambda s, v, d=0: s.out.append(b'T')\n" + WRONG,
                    {"wrong", "crashed"},
                ),
                "P12": (
                    "import json, struct, builtins\n"
                    "json.dumps = struct.pack = builtins.repr = lambda *a, **k: '1'\n"
                    "builtins.len = builtins.isinstance = builtins.sorted = lambda *a, **k: True\n"
                    + WRONG,
                    {"wrong", "crashed"},
                ),
                "P14 conftest": (
                    "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n" + WRONG,
                    {"wrong"},
                ),
                "P14 unittest": (
                    "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n" + WRONG,
                    {"wrong", "invalid"},
                ),
                "P15": (
                    "def __getattr__(name):\n    return lambda *a: 0\n",
                    {"invalid"},
                ),
                "P15 not callable": ("distance = 5\n", {"invalid"}),
            }
        )

    def test_patching_the_clock_changes_no_budget(self):
        self.assert_rows(
            {
                "P13 right": (
                    "import time, random, datetime\n"
                    "time.time = time.monotonic = time.perf_counter = lambda: 0\n"
                    "random.random = lambda: 0.5\ndatetime.datetime = None\n" + REFERENCE,
                    {"fixed"},
                ),
                "P13 loop": (
                    "import time\ntime.time = time.monotonic = time.process_time = lambda: 0\n"
                    "def distance(a, b, size):\n    while True: pass\n",
                    {"timed_out"},
                ),
            }
        )

    def test_callable_objects_with_right_values_pass(self):
        self.assert_rows(
            {
                "P16 object": (
                    "class D:\n    def __call__(self, a, b, size):\n"
                    "        gap = abs(b - a) % size\n"
                    "        return min(gap, size - gap)\ndistance = D()\n",
                    {"fixed"},
                ),
                "P16 partial": (
                    "from functools import partial\ndef d(extra, a, b, size):\n"
                    "    gap = abs(b - a) % size\n"
                    "    return min(gap, size - gap)\ndistance = partial(d, None)\n",
                    {"fixed"},
                ),
                "P12 right": (
                    "import builtins\n"
                    "for n in ('len', 'type', 'isinstance', 'sorted', 'repr', 'enumerate'):\n"
                    "    setattr(builtins, n, lambda *a, **k: True)\n" + REFERENCE,
                    {"fixed"},
                ),
            }
        )


if __name__ == "__main__":
    unittest.main()
