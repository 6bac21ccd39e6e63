"""What every attack test asserts: the patches before and after it are not touched by it."""

from __future__ import annotations

import os
import secrets
import unittest

from sandbox.jail.lane import Lane
from sandbox.jail.patch_run import PatchRun
from sandbox.jail.profile import ProfileName, walls_of
from sandbox.jail.rlimits import Limits
from test.sandbox.attack import left_behind

RUNNER = "test.sandbox.jail_stand_in"
LIMITS = Limits(wall_ms=4_000, cpu_ms=1_000, memory_mib=256, output_bytes=1 << 20)
# For attacks that only end at their limit.
SHORT = Limits(wall_ms=1_500, cpu_ms=300, memory_mib=256, output_bytes=1 << 20)
_GROWTH_KIB = 16 << 10
# For what ends by itself, or hangs the test.
PATIENT = Limits(wall_ms=900_000, cpu_ms=10_000, memory_mib=256, output_bytes=1 << 20)

# Names that attacks use: `attempt(f, ...)` says how a call ended, `call(name, ...)` is a raw one.
PRELUDE = """
import ctypes, errno, os, sys
from sandbox.jail.numbers import numbers_here
_LIBC = ctypes.CDLL(None, use_errno=True)
def attempt(function, *arguments):
    try:
        return ("done", function(*arguments))
    except BaseException as error:
        return type(error).__name__
def call(name, *arguments):
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    if _LIBC.syscall(ctypes.c_long(numbers_here()[name]), *words) == -1:
        return errno.errorcode[ctypes.get_errno()]
    return "done"
"""


class BetweenNeighbours(unittest.TestCase):
    """One lane a class; `attack` runs hostile source between two good patches."""

    profile: ProfileName
    lane: Lane

    @classmethod
    def setUpClass(cls) -> None:
        cls.lane = Lane(walls_of(cls.profile, runner=RUNNER))
        cls.addClassCleanup(cls.lane.close)

    def attack(self, source: str, limits: Limits = LIMITS) -> PatchRun:
        """The run of `source` after all that holds for any attack was checked."""
        markers = [secrets.token_hex(16) for _ in range(2)]
        descriptors = _descriptors()
        resident = _resident_kib()
        deaths = self.lane.deaths
        self.lane.submit(_good(markers[0]), LIMITS)
        self.lane.submit((PRELUDE + source).encode(), limits)
        before, run = self.lane.receive(), self.lane.receive()
        # Not "soon after": a patch is over when all that it started is gone.
        self.assertEqual(left_behind(self.lane.zygote_pid), [])
        self.lane.submit(_good(markers[1]), LIMITS)
        after = self.lane.receive()
        for neighbour in (before, after):
            self.assertEqual((neighbour.output, neighbour.ending), (b"40425\n", "exited"))
        for marker in markers:
            self.assertNotIn(marker.encode(), run.output)
        self.assertEqual(_descriptors(), descriptors)
        self.assertEqual(self.lane.deaths, deaths)
        # The kernel's clock ticks between the limit and the signal.
        self.assertLess(run.cpu_us, limits.cpu_ms * 1000 + 300_000)
        self.assertLess(_resident_kib() - resident, _GROWTH_KIB)
        self.assertLessEqual(len(run.output), limits.output_bytes)
        return run

    def answer(self, source: str, limits: Limits = LIMITS) -> object:
        """What an attack emitted in one call; it must have ended by itself."""
        run = self.attack(source, limits)
        self.assertEqual((run.ending, run.code), ("exited", 0), run)
        return eval(run.output, {"__builtins__": {}})

    def refused(self, source: str) -> None:
        """Every attempt in the list that the source emits ended in an error."""
        endings = self.answer(source)
        assert isinstance(endings, list)
        for position, ending in enumerate(endings):
            self.assertIn(ending, _REFUSALS, f"attempt {position} of {endings}")


_REFUSALS = (
    *("PermissionError", "FileNotFoundError", "BlockingIOError", "OSError", "gaierror"),
    *("RuntimeError", "EPERM", "EACCES", "EAGAIN", "ENOSYS", "EBADF", "ProcessLookupError"),
)


def children_of(pid: int) -> list[int]:
    """Pids of the children of a process with one thread."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        return [int(word) for word in children.read().split()]


def _good(marker: str) -> bytes:
    return f"SECRET = {marker!r}\nemit(sum(i * i for i in range(50)))".encode()


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _resident_kib() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
