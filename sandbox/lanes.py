"""Lanes as the judge uses them, and the pool of workers that shards wait for."""

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from sandbox.jail.rlimits import Limits
from sandbox.judge import TimeLimits
from sandbox.verdict import Run

# Address space of one patch; a module under test needs a fraction of it.
MEMORY_MIB = 256
# All claims of one patch together; a reference's are about a hundredth.
OUTPUT_BYTES = 1 << 20


class Lane(Protocol):
    """What opens by `sandbox.jail.isolation.open_lane`, or without isolation."""

    def submit(self, frame: bytes, limits: Limits = ...) -> None: ...
    def receive(self) -> Run: ...
    def close(self) -> None: ...


# Opens a lane: (slot, hash seed).
OpenLane = Callable[[int, int], Lane]


class SeededLanes:
    """One lane for each hash seed, opened when it is first used."""

    def __init__(self, worker: int, open_lane: OpenLane) -> None:
        self._worker = worker
        self._open = open_lane
        self._lanes: dict[int, Lane] = {}

    def submit(self, frame: bytes, limits: TimeLimits, seed: int) -> None:
        """Queues a frame; never blocks."""
        if seed not in self._lanes:
            self._lanes[seed] = self._open(2 * self._worker + seed, seed)
        caps = Limits(limits.wall_ms, limits.cpu_ms, MEMORY_MIB, OUTPUT_BYTES)
        self._lanes[seed].submit(frame, caps)

    def receive(self, seed: int) -> Run:
        """The run of the oldest frame queued for this seed."""
        return self._lanes[seed].receive()

    def close(self) -> None:
        """Ends the lanes with everything in them; the next use opens new ones."""
        for lane in self._lanes.values():
            lane.close()
        self._lanes.clear()


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
