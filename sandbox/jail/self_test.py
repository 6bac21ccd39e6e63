"""Runs the hostile attempts in a lane and judges them from outside."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Literal

from sandbox.jail.lane import Lane
from sandbox.jail.patch_run import PatchRun
from sandbox.jail.profile import IsolationUnavailable, Walls
from sandbox.jail.rlimits import Limits

# How each attempt has to end: it met errors only; the kernel ended it; its time ended it; its
# output was cut.
Expected = Literal["refused", "killed", "timed_out", "flooded"]

ATTEMPTS: dict[str, Expected] = {
    "read_files": "refused",
    "read_proc": "refused",
    "use_network": "refused",
    "fork_processes": "refused",
    "execute_programs": "refused",
    "signal_others": "refused",
    "trace_parent": "killed",
    "mount_files": "killed",
    "fill_memory": "refused",
    "burn_cpu": "timed_out",
    "flood_output": "flooded",
    "call_foreign_numbers": "killed",
}
# Small where a limit is what ends an attempt: a client waits for all of them.
_LIMITS = Limits(wall_ms=10_000, cpu_ms=5_000, memory_mib=128, output_bytes=1 << 16)
_SHORT = Limits(wall_ms=10_000, cpu_ms=50, memory_mib=128, output_bytes=1 << 16)
RUNNER = "sandbox.jail.hostile"


@dataclass(frozen=True, slots=True)
class SelfTests:
    """How many attempts ran, how many were held, and what the others did."""

    run: int
    held: int
    escapes: tuple[str, ...]


def run_self_tests(walls: Walls) -> SelfTests:
    """Try all attempts behind `walls`, whose runner must be `RUNNER`.

    Raises IsolationUnavailable when not even a harmless task comes back.
    """
    with Lane(walls) as lane:
        return try_lane(lane)


def try_lane(lane: Lane) -> SelfTests:
    """The same in a lane that runs attempts; each has a process of its own, so that the lane can
    be used for other things afterwards."""
    for name in ("stay_quiet", *ATTEMPTS, "stay_quiet"):
        endless = ATTEMPTS.get(name) in ("timed_out", "flooded")
        lane.submit(name.encode(), _SHORT if endless else _LIMITS)
    first = lane.receive()
    escapes = [
        f"{name}: {_told(run)}"
        for name, expected in ATTEMPTS.items()
        if not _held(run := lane.receive(), expected)
    ]
    last = lane.receive()
    if lane.deaths:
        escapes.append(f"the zygote died {lane.deaths} times")
    if first.output != b"held" or last.output != b"held":
        raise IsolationUnavailable(f"a harmless task does not run: {_told(first)}, {_told(last)}")
    held = len(ATTEMPTS) - len(escapes)
    return SelfTests(len(ATTEMPTS), max(held, 0), tuple(escapes))


def _held(run: PatchRun, expected: Expected) -> bool:
    if expected == "refused":
        return run.output == b"held" and run.ending == "exited"
    if expected == "killed":
        return not run.output and run.ending == "died" and run.code == -signal.SIGSYS
    return run.ending == expected and b"escaped" not in run.output


def _told(run: PatchRun) -> str:
    return f"{run.output[:80].decode(errors='replace')} ({run.ending} {run.code})"
