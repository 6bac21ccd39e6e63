"""Runs an attack between two references and asserts what has to hold around it.

A1 the verdict is one of those listed; A2 both neighbours pass; A3 the key, the expected values and
the inputs of other tasks are nowhere in what came back; A4 no process or descriptor is left;
A5 the wall time stays within the limit and a second; A6 the judge has not grown by 16 MiB.
"""

import os
import resource
import time
import unittest
from collections.abc import Mapping

from sandbox.decode import decode
from sandbox.jail.isolation import Isolation, open_lane, prove
from sandbox.judge import limits_for
from sandbox.lanes import SeededLanes
from sandbox.material import TaskMaterial
from sandbox.verdict import Verdict, judge_run
from test.sandbox.corpus import REFERENCE, TinyDraw, material

KEY = bytes.fromhex("5eed") * 16
PROFILES: dict[str, Isolation] = {}


def isolation(profile: str) -> Isolation:
    """The proved walls of a profile, once for all tests."""
    if profile not in PROFILES:
        PROFILES[profile] = prove(profile)  # type: ignore[arg-type]
    return PROFILES[profile]


def children_of(pid: int) -> list[int]:
    """Processes whose parent is `pid`, zombies included."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="latin-1") as stat:
                    parent = int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                found.append(int(name))
    return found


class AttackCase(unittest.TestCase):
    """A group of attacks; subclasses hold the rows and run them in each profile."""

    lanes: dict[str, SeededLanes]
    tasks: list[TaskMaterial]
    inputs: list[bytes]

    @classmethod
    def setUpClass(cls) -> None:
        draw = TinyDraw(key=KEY, count=3)
        category = material(draw)
        # Of the neighbours: the target's own are no secret from it.
        cls.inputs = [
            repr(check.steps[0].parts[1]).encode()
            for task, hidden in draw.tasks
            for check in hidden
            if task.number != 2
        ]
        cls.tasks = list(category.tasks.values())
        cls.lanes = {}
        for number, profile in enumerate(("S", "L")):
            proved = isolation(profile)
            cls.lanes[profile] = SeededLanes(
                number,
                lambda slot, seed, proved=proved: open_lane(proved, slot=slot, hash_seed=seed),
            )

    @classmethod
    def tearDownClass(cls) -> None:
        for lanes in cls.lanes.values():
            lanes.close()

    def run_between(
        self, source: str | bytes, profile: str, target: TaskMaterial | None = None
    ) -> tuple[Verdict, bytes]:
        """The verdict on `source` and what its process wrote; asserts A2 to A6."""
        before, tried, after = self.tasks
        tried = target or tried
        lanes = self.lanes[profile]
        lanes.submit(before.frame(REFERENCE), limits_for(before), 0)
        self.assertEqual(judge_run(lanes.receive(0), before).bucket, "fixed", "neighbour before")
        zygote = lanes._lanes[0].zygote_pid  # type: ignore[attr-defined]
        descriptors = len(os.listdir("/proc/self/fd"))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        limits = limits_for(tried)
        if isinstance(source, bytes):
            frame = tried.frame("?" * len(source)).replace(b"?" * len(source), source)
        else:
            frame = tried.frame(source)
        started = time.monotonic()
        lanes.submit(frame, limits, 0)
        lanes.submit(after.frame(REFERENCE), limits_for(after), 0)
        run = lanes.receive(0)
        spent = time.monotonic() - started
        verdict = judge_run(run, tried)
        self.assertEqual(judge_run(lanes.receive(0), after).bucket, "fixed", "neighbour after")
        self.assertNotIn(KEY, run.output)
        self.assertNotIn(KEY.hex().encode(), run.output)
        for secret in self.inputs:
            self.assertNotIn(secret, run.output)
        if lanes._lanes[0].zygote_pid == zygote:  # type: ignore[attr-defined]
            self.assertEqual(children_of(zygote), [])
            self.assertEqual(len(os.listdir("/proc/self/fd")), descriptors)
        self.assertLess(spent, limits.wall_ms / 1000 + 1)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
        self.assertLess(grown, 16 * 1024)
        return verdict, run.output

    def assert_rows(self, rows: Mapping[str, tuple[str | bytes, set[str]]]) -> None:
        """Every row in both profiles."""
        for profile in ("S", "L"):
            for name, (source, allowed) in rows.items():
                with self.subTest(row=name, profile=profile):
                    verdict, _ = self.run_between(source, profile)
                    self.assertIn(verdict.bucket, allowed)

    def answers(self, output: bytes) -> list[object]:
        """The first step's outcome of each observation in an answer, decoded."""
        from sandbox.wire import read_answer

        claims = read_answer(output, len(self.tasks[1].expected)).observations
        return [decode(claim)[1][0] for claim in claims]
