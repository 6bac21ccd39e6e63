"""Runs patches without walls, for people who try out code of their own on any system.

One new interpreter a patch, time and output limits, nothing else: a hostile patch can do whatever
its user can. Nothing that counts may be run by this.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections import deque
from types import TracebackType

from sandbox.jail.footprint import ISOLATED_FLAGS, REPOSITORY, base_interpreter
from sandbox.jail.patch_run import Ending, PatchRun
from sandbox.jail.rlimits import DEFAULT_LIMITS, Limits


class UnsafeLane:
    """The interface of `Lane`, without its promises."""

    deaths = 0

    def __init__(self, runner: str, hash_seed: int = 0) -> None:
        program = ["-m", "sandbox.jail.unsafe_child", runner]
        self._command = [base_interpreter(), *ISOLATED_FLAGS, *program]
        self._environment = {
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONHASHSEED": str(hash_seed),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }
        self._waiting: deque[tuple[bytes, Limits]] = deque()

    def submit(self, frame: bytes, limits: Limits = DEFAULT_LIMITS) -> None:
        """Queue one task."""
        self._waiting.append((frame, limits))

    def receive(self) -> PatchRun:
        """Run the oldest task; raises IndexError when there is none."""
        frame, limits = self._waiting.popleft()
        started = time.monotonic()
        child = subprocess.Popen(
            [*self._command, str(limits.cpu_ms), str(limits.memory_mib)],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
        )
        output = bytearray()
        reader = threading.Thread(target=_read, args=(child, output, limits.output_bytes))
        reader.start()
        # From here on the limit ends the process, even one that never reads its frame.
        clock = threading.Timer(limits.wall_ms / 1000, child.kill)
        clock.start()
        try:
            assert child.stdin
            with child.stdin:
                child.stdin.write(frame)
        except OSError:
            # It ended before it read its frame; how it ended says the rest.
            pass
        child.wait()
        clock.cancel()
        reader.join()
        spent = time.monotonic() - started
        ending = _ending(child.returncode, len(output), spent, limits)
        kept = bytes(output[: limits.output_bytes])
        return PatchRun(kept, ending, child.returncode, int(spent * 1e6), 0)

    @property
    def pending(self) -> int:
        """Tasks submitted and not received."""
        return len(self._waiting)

    def close(self) -> None:
        """Forget the tasks that wait; no process of ours outlives `receive`."""
        self._waiting.clear()

    def __enter__(self) -> UnsafeLane:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


def _ending(code: int, size: int, seconds: float, limits: Limits) -> Ending:
    if size > limits.output_bytes:
        return "flooded"
    if code >= 0:
        return "exited"
    # Nobody else measures here: a killed process that used up its time was killed for that.
    used_up = seconds * 1000 >= min(limits.wall_ms, limits.cpu_ms)
    return "timed_out" if used_up else "died"


def _read(child: subprocess.Popen[bytes], output: bytearray, limit: int) -> None:
    """Keep one byte more than the limit, then end the process that floods."""
    assert child.stdout
    with child.stdout as stream:
        while len(output) <= limit:
            part = stream.read(min(1 << 16, limit + 1 - len(output)))
            if not part:
                return
            output += part
    child.kill()
