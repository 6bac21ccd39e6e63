"""UnsafeLane: the limits that hold without walls."""

from __future__ import annotations

import os
import unittest

from sandbox.jail.isolation import no_isolation, open_lane
from sandbox.jail.rlimits import Limits
from test.sandbox.jail_neighbours import RUNNER

_SHORT = Limits(wall_ms=3_000, cpu_ms=1_000, memory_mib=512, output_bytes=1 << 16)


class Unsafe(unittest.TestCase):
    """open_lane without isolation"""

    def setUp(self) -> None:
        self.lane = open_lane(no_isolation(), hash_seed=0, runner=RUNNER)
        self.addCleanup(self.lane.close)

    def test_the_card_says_that_there_is_no_isolation(self) -> None:
        card = no_isolation().card()
        self.assertEqual((card["profile"], card["self_tests"]), ("unsafe", {"run": 0, "held": 0}))

    def test_runs_come_back_in_order_with_their_endings(self) -> None:
        before = len(os.listdir("/proc/self/fd"))
        sources = {
            "emit(1)": ("exited", 0, b"1\n"),
            "1 / 0": ("exited", 1, b""),
            "while True: pass": ("timed_out", -9, b""),
            "import time; time.sleep(3600)": ("timed_out", -9, b""),
            "import os; os.kill(os.getpid(), 11)": ("died", -11, b""),
            "print('noise'); emit(2)": ("exited", 0, b"2\n"),
        }
        for source in sources:
            self.lane.submit(
                source.encode(), Limits(wall_ms=20_000) if "emit" in source else _SHORT
            )
        for source, expected in sources.items():
            run = self.lane.receive()
            self.assertEqual((run.ending, run.code, run.output), expected, source)
        self.assertEqual(self.lane.pending, 0)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_a_flood_is_cut(self) -> None:
        self.lane.submit(b"while True: emit('x' * 1000)", _SHORT)
        run = self.lane.receive()
        self.assertEqual((run.ending, len(run.output)), ("flooded", _SHORT.output_bytes))

    def test_a_frame_larger_than_a_pipe_arrives_whole(self) -> None:
        self.lane.submit(b"emit(len('" + b"x" * 1_000_000 + b"'))", Limits(wall_ms=20_000))
        self.assertEqual(self.lane.receive().output, b"1000000\n")
