"""Lanes as the judge uses them, and the pool of workers that shards wait for."""

import queue
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from threading import Thread
from typing import Protocol

from sandbox.jail.rlimits import Limits
from sandbox.passes import TimeLimits
from sandbox.verdict import Run

# Address space of one patch; a module under test needs a fraction of it.
MEMORY_MIB = 256
# All claims of one patch together; a reference's are about a hundredth.
OUTPUT_BYTES = 1 << 20
# Lanes of one seed that a worker uses at a time for what has to run apart. What runs there mostly
# waits, or competes for the machine with everybody else; the memory of each is what limits it.
APART = 4


class Lane(Protocol):
    """What opens by `sandbox.jail.isolation.open_lane`, or without isolation."""

    def submit(self, frame: bytes, limits: Limits = ...) -> None: ...
    def receive(self) -> Run: ...
    def close(self) -> None: ...


# Opens a lane: (slot, hash seed).
OpenLane = Callable[[int, int], Lane]


class SeededLanes:
    """One lane for each hash seed, opened when it is first used, and more while they are needed."""

    def __init__(self, worker: int, open_lane: OpenLane) -> None:
        self._worker = worker
        self._open = open_lane
        self._lanes: dict[int, Lane] = {}

    def submit(self, frame: bytes, limits: TimeLimits, seed: int) -> None:
        """Queues a frame; never blocks."""
        self._lane(seed).submit(frame, _caps(limits))

    def receive(self, seed: int) -> Run:
        """The run of the oldest frame queued for this seed."""
        return self._lanes[seed].receive()

    def run_apart(self, tasks: Sequence[tuple[bytes, TimeLimits]], seed: int) -> list[Run]:
        """The run of each frame, in a lane that has nothing else to do; several lanes at a time."""
        waiting: queue.SimpleQueue[tuple[int, tuple[bytes, TimeLimits]]] = queue.SimpleQueue()
        for numbered in enumerate(tasks):
            waiting.put(numbered)
        runs: dict[int, Run] = {}
        faults: list[BaseException] = []

        def serve(lane: Lane) -> None:
            try:
                while True:
                    place, (frame, limits) = waiting.get_nowait()
                    lane.submit(frame, _caps(limits))
                    runs[place] = lane.receive()
            except queue.Empty:
                return
            except BaseException as fault:
                faults.append(fault)

        with ExitStack() as stack:
            lanes = [self._lane(seed)] if tasks else []
            for place in range(1, min(APART, (len(tasks) + 1) // 2)):
                more = self._open(self._slot(seed, place), seed)
                lanes.append(stack.enter_context(closing(more)))
            # Nobody waits for these when the server has to stop.
            threads = [Thread(target=serve, args=(lane,), daemon=True) for lane in lanes]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if faults:
            raise faults[0]
        return [runs[place] for place in range(len(tasks))]

    def _lane(self, seed: int) -> Lane:
        if seed not in self._lanes:
            self._lanes[seed] = self._open(self._slot(seed, 0), seed)
        return self._lanes[seed]

    def _slot(self, seed: int, place: int) -> int:
        """A number that no other lane of this process has."""
        return (2 * self._worker + seed) * APART + place

    def close(self) -> None:
        """Ends the lanes with everything in them; the next use opens new ones."""
        for lane in self._lanes.values():
            lane.close()
        self._lanes.clear()


def _caps(limits: TimeLimits) -> Limits:
    return Limits(limits.wall_ms, limits.cpu_ms, MEMORY_MIB, OUTPUT_BYTES)


class Busy(Exception):
    """No worker became free in time."""


class Pool:
    """Workers, one shard each at a time."""

    def __init__(self, count: int, open_lane: OpenLane) -> None:
        self._free: queue.Queue[SeededLanes] = queue.Queue()
        self._all = [SeededLanes(number, open_lane) for number in range(count)]
        for worker in self._all:
            self._free.put(worker)

    @contextmanager
    def worker(self, wait_seconds: float) -> Iterator[SeededLanes]:
        """A worker's lanes; they are thrown away if anything is raised while they are in use.

        Raises `Busy` after `wait_seconds`.
        """
        try:
            lanes = self._free.get(timeout=wait_seconds)
        except queue.Empty:
            raise Busy from None
        try:
            yield lanes
        except BaseException:
            lanes.close()
            raise
        finally:
            self._free.put(lanes)

    def close(self) -> None:
        """Ends every lane."""
        for worker in self._all:
            worker.close()
