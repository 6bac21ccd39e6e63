"""A runner without a jail, for tests that feed the judge text of their own."""

from collections import deque
from collections.abc import Callable, Sequence

from sandbox.jail.patch_run import PatchRun
from sandbox.passes import TimeLimits
from sandbox.runner import run
from sandbox.wire import unpack_task


def answer(frame: bytes) -> PatchRun:
    """What the process of a harmless patch gives."""
    parts: list[bytes] = []
    run(frame, parts.append)
    return PatchRun(b"".join(parts), "exited", 0, 0, 0)


class InProcess:
    """Runs frames here; `change` may replace the run of a module by its text and seed."""

    def __init__(self, change: Callable[[str, int, PatchRun], PatchRun] | None = None) -> None:
        self._change = change
        self._waiting: dict[int, deque[bytes]] = {0: deque(), 1: deque()}
        self.runs: list[tuple[str, int]] = []
        self.limits: list[TimeLimits] = []

    def submit(self, frame: bytes, limits: TimeLimits, seed: int) -> None:
        self._waiting[seed].append(frame)
        self.limits.append(limits)

    def receive(self, seed: int) -> PatchRun:
        frame = self._waiting[seed].popleft()
        source = unpack_task(frame)[0].decode()
        self.runs.append((source, seed))
        done = answer(frame)
        return self._change(source, seed, done) if self._change else done

    def run_apart(self, tasks: Sequence[tuple[bytes, TimeLimits]], seed: int) -> list[PatchRun]:
        runs = []
        for frame, limits in tasks:
            self.submit(frame, limits, seed)
            runs.append(self.receive(seed))
        return runs
