"""Resource limits: of the zygote once, of every patch again and tighter."""

from __future__ import annotations

import resource
from dataclasses import dataclass

MEBIBYTE = 1 << 20
# Linux numbers of limits that the resource module does not name on every build.
_RLIMIT_LOCKS, _RLIMIT_MSGQUEUE = 10, 12
_RLIMIT_NICE, _RLIMIT_RTPRIO = 13, 14


@dataclass(frozen=True, slots=True)
class Limits:
    """What one patch may use. Times in milliseconds, memory in MiB of address space,
    output in bytes over the whole run.
    """

    wall_ms: int = 5_000
    cpu_ms: int = 2_000
    memory_mib: int = 256
    output_bytes: int = 4 << 20


DEFAULT_LIMITS = Limits()


def limit_lane(descriptors: int) -> None:
    """Limits of launcher and zygote; nothing here stops the zygote from forking."""
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_FSIZE, 0)
    _set(resource.RLIMIT_MEMLOCK, 0)
    _set(resource.RLIMIT_STACK, 8 * MEBIBYTE)
    _set(resource.RLIMIT_NOFILE, descriptors)
    _set(_RLIMIT_LOCKS, 0)
    _set(_RLIMIT_MSGQUEUE, 0)
    _set(_RLIMIT_NICE, 0)
    _set(_RLIMIT_RTPRIO, 0)


def limit_patch(cpu_ms: int, memory_mib: int) -> None:
    """Limits of the process that runs a patch: it cannot fork, nor start a thread.

    RLIMIT_CPU counts whole seconds and ends in SIGKILL because soft and hard limit are one;
    the exact limit is a timer, this one is what holds if the timer fails.
    """
    _set(resource.RLIMIT_NPROC, 0)
    _set(resource.RLIMIT_CPU, -(-cpu_ms // 1000) + 1)
    _set(resource.RLIMIT_AS, memory_mib * MEBIBYTE)
    _set(resource.RLIMIT_NOFILE, 16)


def _set(which: int, value: int) -> None:
    """Lower soft and hard limit to `value`, or to the hard limit where that is lower."""
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))
