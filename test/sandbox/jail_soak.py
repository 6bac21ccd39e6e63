"""Runs many tasks through one lane a worker and prints what it cost and what stayed behind.

python3 -m test.sandbox.jail_soak [--tasks 10000] [--lanes 1] [--profile S]
"""

from __future__ import annotations

import argparse
import os
import resource
import threading
import time

from sandbox.jail.lane import Lane
from sandbox.jail.profile import walls_of
from sandbox.jail.rlimits import Limits
from test.sandbox.jail_neighbours import RUNNER, children_of

_GOOD = b"emit(sum(i * i for i in range(50)))"
# One in twenty does something that a lane has to clean up after.
_BAD = (
    b"import os; os._exit(9)",
    b"held = []\nwhile True: held.append(bytes(8 << 20))",
    b"import ctypes; ctypes.string_at(0)",
    b"while True: emit('x' * 65536)",
    b"raise SystemExit",
)
_LIMITS = Limits(wall_ms=60_000, cpu_ms=2_000, memory_mib=128, output_bytes=1 << 18)
_BAD_LIMITS = Limits(wall_ms=60_000, cpu_ms=100, memory_mib=128, output_bytes=1 << 18)


class Worker(threading.Thread):
    """One lane and its share of the tasks."""

    def __init__(self, slot: int, profile: str, tasks: int) -> None:
        super().__init__()
        self._tasks = tasks
        began = time.monotonic()
        self.lane = Lane(walls_of("L" if profile == "L" else "S", slot=slot, runner=RUNNER))
        self.lane.submit(_GOOD)
        self.lane.receive()
        self.first_seconds = time.monotonic() - began
        self.right = 0
        self.good_cpu_us = 0

    def run(self) -> None:
        """Submit ahead, receive, count."""
        for number in range(self._tasks):
            if number % 20 == 19:
                self.lane.submit(_BAD[number // 20 % len(_BAD)], _BAD_LIMITS)
            else:
                self.lane.submit(_GOOD, _LIMITS)
            if self.lane.pending >= 32:
                self._take()
        while self.lane.pending:
            self._take()

    def _take(self) -> None:
        run = self.lane.receive()
        if run.output == b"40425\n":
            self.right += 1
            self.good_cpu_us += run.cpu_us

    def resident_kib(self) -> int:
        """Of the zygote."""
        with open(f"/proc/{self.lane.zygote_pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * 4


def main() -> None:
    """Print one line of figures a measurement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--lanes", type=int, default=1)
    parser.add_argument("--profile", choices=("S", "L"), default="S")
    options = parser.parse_args()
    share = options.tasks // options.lanes
    workers = [Worker(slot, options.profile, share) for slot in range(options.lanes)]
    print(f"load average {os.getloadavg()[0]:.1f}")
    print(f"start to first run: {max(w.first_seconds for w in workers) * 1000:.0f} ms")
    before = _state(workers)
    began = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.monotonic() - began
    done = share * options.lanes
    print(f"{done} tasks, {sum(w.right for w in workers)} right, {seconds:.1f} s,", end=" ")
    print(f"{seconds / done * 1000:.2f} ms a task")
    good = sum(w.right for w in workers)
    print(
        f"CPU of a good patch's process: {sum(w.good_cpu_us for w in workers) / good / 1000:.2f} ms"
    )
    names = ("descriptors", "processes", "judge KiB", "zygote KiB")
    for name, earlier, later in zip(names, before, _state(workers), strict=True):
        print(f"{name}: {earlier} -> {later}")
    print(f"zygotes replaced: {sum(w.lane.deaths for w in workers)}")
    for worker in workers:
        worker.lane.close()


def _state(workers: list[Worker]) -> tuple[int, int, int, int]:
    children = children_of(os.getpid())
    grandchildren = [pid for child in children for pid in children_of(child)]
    return (
        len(os.listdir("/proc/self/fd")),
        len(children) + len(grandchildren),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        max(worker.resident_kib() for worker in workers),
    )


if __name__ == "__main__":
    main()
