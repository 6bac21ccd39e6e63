"""How the process of one patch ended, as the lane saw it from outside."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Literal

# exited: by itself, with `code`. died: by signal -`code`. timed_out: wall or CPU limit.
# flooded: wrote more than allowed. lost: the lane died with it twice, or somebody outside the jail
# killed it: no fault of the patch.
Ending = Literal["exited", "died", "timed_out", "flooded", "lost"]


@dataclass(frozen=True, slots=True)
class PatchRun:
    """`output` is what the process wrote, cut at the limit. It is hostile, whatever the ending."""

    output: bytes
    ending: Ending
    code: int
    cpu_us: int
    peak_kib: int


def ending_of(
    status: int, wall_ran_out: bool, cpu_us: int, cpu_limit_ms: int
) -> tuple[Ending, int]:
    """(ending, code) of a wait status and what the zygote measured."""
    code = os.waitstatus_to_exitcode(status)
    if wall_ran_out or code == -signal.SIGXCPU:
        return "timed_out", code
    # The CPU timer kills like anybody else; only the time used tells it apart. A patch cannot send
    # this signal, not even to itself, so what is left is the kernel that ran out of memory.
    if code == -signal.SIGKILL:
        return ("timed_out" if cpu_us >= cpu_limit_ms * 1000 - 10_000 else "lost"), code
    return ("exited" if code >= 0 else "died"), code
