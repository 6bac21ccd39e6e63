"""Runs an attack between two references and asserts what has to hold around it.

A1 the verdict is one of those listed; A2 both neighbours pass; A3 the key, the expected values and
the inputs of other tasks are nowhere in what came back; A4 no descriptor is left; A5 at the moment
of the verdict every process of the patch is gone, and its own limit was what it took at most;
A6 the judge has not grown by 16 MiB. How long that takes on a clock is measured by the benchmark.
"""

import os
import resource
import unittest
from collections.abc import Callable, Mapping

from sandbox.decode import decode
from sandbox.jail.isolation import Isolation, open_lane, prove
from sandbox.lanes import SeededLanes
from sandbox.material import TaskMaterial
from sandbox.passes import limits_for
from sandbox.verdict import Verdict, judge_run
from test.sandbox.corpus import REFERENCE, TinyDraw, material

KEY = bytes.fromhex("5eed") * 16
PROFILES: dict[str, Isolation] = {}


def isolation(profile: str) -> Isolation:
    """The proved walls of a profile, once for all tests."""
    if profile not in PROFILES:
        PROFILES[profile] = prove(profile)  # type: ignore[arg-type]
    return PROFILES[profile]


def _stat(pid: int | str) -> tuple[int, int]:
    """(parent, session) of a process."""
    with open(f"/proc/{pid}/stat", encoding="latin-1") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return int(fields[1]), int(fields[3])


def children_of(pid: int) -> list[int]:
    """Processes whose parent is `pid`, zombies included."""
    return _others(lambda parent, session: parent == pid)


def left_behind(zygote: int) -> list[int]:
    """Processes, zombies included, that a patch of this zygote started or was."""
    _, own = _stat(zygote)
    return [
        pid
        for pid in _others(lambda parent, session: parent == zygote or session == own)
        if pid != zygote
    ]


def _others(wanted: Callable[[int, int], bool]) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parent, session = _stat(name)
            except OSError:
                continue
            if wanted(parent, session):
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
        lanes.submit(frame, limits, 0)
        run = lanes.receive(0)
        verdict = judge_run(run, tried)
        same = lanes._lanes[0].zygote_pid == zygote  # type: ignore[attr-defined]
        if same:
            self.assertEqual(left_behind(zygote), [])
        # The kernel's clock ticks between the limit and the signal.
        self.assertLess(run.cpu_us, limits.cpu_ms * 1000 + 300_000)  # type: ignore[attr-defined]
        lanes.submit(after.frame(REFERENCE), limits_for(after), 0)
        self.assertEqual(judge_run(lanes.receive(0), after).bucket, "fixed", "neighbour after")
        self.assertNotIn(KEY, run.output)
        self.assertNotIn(KEY.hex().encode(), run.output)
        for secret in self.inputs:
            self.assertNotIn(secret, run.output)
        if same:
            self.assertEqual(len(os.listdir("/proc/self/fd")), descriptors)
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
