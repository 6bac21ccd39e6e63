"""The process that every patch is forked from. It never reads a task.

It takes permits (limits only), forks, waits, reports how the patch's process ended.
"""

from __future__ import annotations

import gc
import importlib
import os
import platform
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from sandbox.jail import descriptors, landlock, seccomp, syscalls
from sandbox.jail.frames import PERMIT, READY, STATUS
from sandbox.jail.patch_process import PatchProcess
from sandbox.jail.preload import preload

# A process that has used next to nothing for this long waits for something that will not come:
# time stands still for a patch, and nobody calls it. On a busy machine one that computes gets less
# than its share, but it gets more than this.
_IDLE_MS = 750
_IDLE_CPU_SECONDS = 0.005
# The kind of clock, in the number that the kernel makes of a pid.
_SCHEDULED = 2

Run = Callable[[bytes, Callable[[bytes], None]], None]


def main(settings: dict[str, Any]) -> None:
    """Import, seal, serve; ends when the lane closes the permits."""
    preload()
    run: Run = importlib.import_module(settings["runner"]).run
    # Interrupts of Python level would be delivered even to pid 1, and break every later patch.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    syscalls.set_undumpable()
    if landlock.landlock_abi() or settings["landlock_required"]:
        landlock.restrict_files(settings["readable"], settings["listable"])
    machine = platform.machine()
    patch_process = PatchProcess(
        run, seccomp.Filter(seccomp.patch_filter(machine)), landlock.signal_scope()
    )
    seccomp.Filter(seccomp.zygote_filter(machine)).install()
    _forget()
    os.write(descriptors.STATUS, STATUS.pack(READY, 0, 0, 0, 0))
    os.dup2(0, 2)
    gc.collect()
    syscalls.give_back_free_memory()
    gc.freeze()
    gc.disable()
    _serve(patch_process)


def _forget() -> None:
    """Nothing of the way in stays readable: arguments, environment, search path of ours."""
    sys.argv[:] = [""]
    sys.orig_argv[:] = [""]
    os.environ.clear()


def _serve(patch_process: PatchProcess) -> None:
    # One at a time, and a pipe gives it whole: what stays buffered would lie among the objects that
    # the patches inherit, and their addresses would tell of each other.
    while permit := os.read(descriptors.PERMITS, PERMIT.size):
        sequence, wall_ms, cpu_ms, memory_mib = PERMIT.unpack(permit)
        # A fork that fails ends the lane: the exception leaves this loop.
        pid = syscalls.fork()
        if pid == 0:
            patch_process.live(sequence, cpu_ms, memory_mib)
        os.write(descriptors.STATUS, _bury(pid, sequence, wall_ms))


def _bury(pid: int, sequence: int, wall_ms: int) -> bytes:
    """Wait for the patch's process; end it at its wall limit, when it only waits, or with the lane."""
    pidfd = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    # Only its hang-up matters here: the lane's process is gone.
    poll.register(descriptors.PERMITS, 0)
    used = 0.0
    while not (events := dict(poll.poll(min(wall_ms, _IDLE_MS)))):
        wall_ms -= _IDLE_MS
        before, used = used, _cpu_seconds(pid)
        if wall_ms <= 0 or used - before < _IDLE_CPU_SECONDS:
            break
    if pidfd not in events:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    os.close(pidfd)
    cpu_us = int((usage.ru_utime + usage.ru_stime) * 1e6)
    return STATUS.pack(sequence, status, 0 if events else 1, cpu_us, usage.ru_maxrss)


def _cpu_seconds(pid: int) -> float:
    """CPU time of a child so far. It is not reaped, so the clock exists even when it has ended."""
    return time.clock_gettime(~pid << 3 | _SCHEDULED)
