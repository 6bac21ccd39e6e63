"""A lane: one zygote and the tasks that it is given, seen from the trusted side."""

from __future__ import annotations

import os
import select
import time
from collections import deque
from dataclasses import dataclass
from types import TracebackType

from sandbox.jail import descriptors
from sandbox.jail.frames import FRAME_HEAD, PERMIT, READY, STATUS
from sandbox.jail.patch_run import PatchRun, ending_of
from sandbox.jail.profile import IsolationUnavailable, Walls
from sandbox.jail.rlimits import DEFAULT_LIMITS, Limits
from sandbox.jail.zygote_handle import ZygoteHandle, start_zygote

_START_SECONDS = 20.0
# How much later than the zygote's own clock the lane's one ends everything.
_GRACE_SECONDS = 1.0
_ATTEMPTS = 2
_CHUNK = 1 << 16


@dataclass(slots=True)
class _Task:
    frame: bytes
    limits: Limits
    attempts: int = 0
    sequence: int = 0
    size: int = 0
    flooded: bool = False


class Lane:
    """Runs frames in order, one fresh process each. Not for use by two threads at once."""

    def __init__(self, walls: Walls) -> None:
        """Start the zygote; raises IsolationUnavailable with the reason when it cannot stand."""
        self._walls = walls
        self._waiting: deque[_Task] = deque()
        self._flying: deque[_Task] = deque()
        self._done: deque[PatchRun] = deque()
        self._output: list[bytes] = []
        self._unwritten = memoryview(b"")
        self._sequence = 0
        self._head_since = 0.0
        self.deaths = 0
        self._zygote = self._start()

    def submit(self, frame: bytes, limits: Limits = DEFAULT_LIMITS) -> None:
        """Queue one task. Never blocks; `receive` does the work."""
        self._waiting.append(_Task(frame, limits))

    def receive(self) -> PatchRun:
        """The run of the oldest task not yet received; raises IndexError when there is none."""
        while not self._done:
            if not self._waiting and not self._flying:
                raise IndexError("no task was submitted")
            self._permit()
            self._step()
        return self._done.popleft()

    @property
    def pending(self) -> int:
        """Tasks submitted and not received."""
        return len(self._waiting) + len(self._flying) + len(self._done)

    @property
    def zygote_pid(self) -> int:
        """The zygote's pid, as this process sees it."""
        return self._zygote.pid

    def close(self) -> None:
        """End the zygote and all that it started; tasks that were not received are gone."""
        self._waiting.clear()
        self._flying.clear()
        self._done.clear()
        self._zygote.kill()

    def __enter__(self) -> Lane:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def _start(self) -> ZygoteHandle:
        zygote = start_zygote(self._walls)
        try:
            first = zygote.read_status(_START_SECONDS)
            if len(first) != STATUS.size or STATUS.unpack(first)[0] != READY:
                raise IsolationUnavailable(zygote.last_words() or "the zygote did not start")
        except BaseException:
            zygote.kill()
            raise
        zygote.hush()
        return zygote

    def _permit(self) -> None:
        """Let the zygote start as many of the waiting tasks as there are output pipes.

        The next one starts only when the frame before is written: its clock is running.
        """
        while self._waiting and len(self._flying) < descriptors.OUTPUTS and not self._unwritten:
            task = self._waiting.popleft()
            task.sequence = self._sequence
            self._sequence += 1
            head = FRAME_HEAD.pack(task.sequence, len(task.frame))
            self._unwritten = memoryview(head + task.frame)
            self._write_frames()
            if not self._flying:
                self._head_since = time.monotonic()
            self._flying.append(task)
            limits = task.limits
            self._zygote.write_permit(
                PERMIT.pack(task.sequence, limits.wall_ms, limits.cpu_ms, limits.memory_mib)
            )

    def _step(self) -> None:
        """Wait for one event of the task at the head and act on it."""
        head = self._flying[0]
        output = self._zygote.outputs[head.sequence % descriptors.OUTPUTS]
        poll = select.poll()
        poll.register(self._zygote.status, select.POLLIN)
        poll.register(output, select.POLLIN)
        if self._unwritten:
            poll.register(self._zygote.frames, select.POLLOUT)
        allowed = head.limits.wall_ms / 1000 + _GRACE_SECONDS
        left = self._head_since + allowed - time.monotonic()
        ready = dict(poll.poll(max(left, 0.0) * 1000))
        if self._zygote.frames in ready:
            self._write_frames()
        if output in ready:
            self._read_output(head, output)
        if self._zygote.status in ready:
            self._finish(head, output)
        elif left <= 0 and not self._is_reported():
            self._recover()

    def _is_reported(self) -> bool:
        """Whether a status waits: a judge that was busy elsewhere comes late, the task was not."""
        poll = select.poll()
        poll.register(self._zygote.status, select.POLLIN)
        return bool(poll.poll(0))

    def _write_frames(self) -> None:
        try:
            written = os.write(self._zygote.frames, self._unwritten[: 1 << 20])
        except BlockingIOError:
            return
        except BrokenPipeError:
            # The status pipe tells the same, and is where a dead zygote is dealt with.
            self._unwritten = memoryview(b"")
            return
        self._unwritten = self._unwritten[written:]

    def _read_output(self, task: _Task, output: int) -> bool:
        """One read; False when the pipe is empty."""
        try:
            chunk = os.read(output, _CHUNK)
        except BlockingIOError:
            return False
        room = task.limits.output_bytes - task.size
        if len(chunk) > room:
            task.flooded = True
            chunk = chunk[:room]
        task.size += len(chunk)
        self._output.append(chunk)
        return True

    def _finish(self, task: _Task, output: int) -> None:
        status = self._zygote.read_status(0.0)
        if len(status) != STATUS.size:
            self._recover()
            return
        sequence, wait_status, ran_out, cpu_us, peak_kib = STATUS.unpack(status)
        if sequence != task.sequence:
            # OUT_OF_STEP, or a zygote that counts differently: its frames cannot be trusted.
            self._recover()
            return
        # The zygote has buried the process: what it wrote is in the pipe, and nobody adds to it.
        while self._read_output(task, output):
            pass
        ending, code = ending_of(wait_status, bool(ran_out), cpu_us, task.limits.cpu_ms)
        if task.flooded:
            ending = "flooded"
        self._flying.popleft()
        self._done.append(PatchRun(self._take_output(), ending, code, cpu_us, peak_kib))
        self._head_since = time.monotonic()

    def _take_output(self) -> bytes:
        output = b"".join(self._output)
        self._output.clear()
        return output

    def _recover(self) -> None:
        """Start a new zygote; the task at the head gets one more try, the others come after it."""
        self.deaths += 1
        self._zygote.kill()
        head = self._flying.popleft()
        head.attempts += 1
        if head.attempts >= _ATTEMPTS:
            self._done.append(PatchRun(self._take_output(), "lost", 0, 0, 0))
        else:
            head.size, head.flooded = 0, False
            self._output.clear()
            self._flying.appendleft(head)
        self._waiting.extendleft(reversed(self._flying))
        self._flying.clear()
        self._unwritten = memoryview(b"")
        self._sequence = 0
        self._zygote = self._start()
