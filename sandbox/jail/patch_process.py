"""The life of the process that runs one patch."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import struct
from collections.abc import Callable
from typing import NoReturn

from sandbox.jail import descriptors, landlock
from sandbox.jail.frames import FRAME_HEAD, OUT_OF_STEP, STATUS
from sandbox.jail.rlimits import limit_patch
from sandbox.jail.seccomp import Filter
from sandbox.jail.syscalls import SIGKILL, die_with_parent, syscall

_CLOCK_PROCESS_CPUTIME = 2


class PatchProcess:
    """What a fresh child of the zygote does; made before the zygote's walls are sealed."""

    def __init__(
        self,
        run: Callable[[bytes, Callable[[bytes], None]], None],
        last_filter: Filter,
        signal_scope: int | None,
    ) -> None:
        self._run = run
        self._filter = last_filter
        self._scope = signal_scope
        self._zygote = os.getpid()
        # struct sigevent: SIGEV_SIGNAL with SIGKILL.
        self._event = struct.pack("@qii48x", 0, SIGKILL, 0)
        self._timer = ctypes.c_int()

    def live(self, sequence: int, cpu_ms: int, memory_mib: int) -> NoReturn:
        """Read the frame of this task, give up everything else, run it, end."""
        code = 1
        try:
            die_with_parent()
            # The zygote may have died before the line above: then nobody will end this process.
            if os.getppid() != self._zygote:
                os._exit(1)
            frame = _read_frame(sequence)
            self._give_up(sequence, cpu_ms, memory_mib)
            gc.enable()
            random.seed(0)
            self._run(frame, _send)
            code = 0
        finally:
            os._exit(code)

    def _give_up(self, sequence: int, cpu_ms: int, memory_mib: int) -> None:
        if self._scope is not None:
            landlock.restrict(self._scope)
        output = descriptors.FIRST_OUTPUT + sequence % descriptors.OUTPUTS
        os.dup2(output, descriptors.OUTPUT)
        os.closerange(descriptors.OUTPUT + 1, descriptors.LANE_DESCRIPTORS)
        limit_patch(cpu_ms, memory_mib)
        syscall("timer_create", _CLOCK_PROCESS_CPUTIME, self._event, ctypes.byref(self._timer))
        seconds, milliseconds = divmod(cpu_ms, 1000)
        expiry = struct.pack("@qqqq", 0, 0, seconds, milliseconds * 1_000_000)
        syscall("timer_settime", self._timer.value, 0, expiry, None)
        self._filter.install()


def _read_frame(sequence: int) -> bytes:
    own, length = FRAME_HEAD.unpack(_read(FRAME_HEAD.size))
    if own != sequence:
        _report_out_of_step()
    return _read(length)


def _read(size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = os.read(descriptors.FRAMES, size)
        if not part:
            _report_out_of_step()
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _report_out_of_step() -> NoReturn:
    os.write(descriptors.STATUS, STATUS.pack(OUT_OF_STEP, 0, 0, 0, 0))
    os._exit(1)


def _send(data: bytes) -> None:
    """Write all of `data` to the lane."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptors.OUTPUT, view) :]
