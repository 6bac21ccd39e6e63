"""What the judge knows about the tasks of one category: checks, expected observations, controls.

Derived from the epoch's key alone, held in the judge's memory only, never written anywhere.
"""

import hashlib
import math
import threading
import time
from array import array
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sandbox.checks import Check, Compare
from sandbox.codec import CodecError
from sandbox.compare import is_sound
from sandbox.packing import pack
from sandbox.reference import observe_reference
from sandbox.runner import load
from sandbox.shard import ShardRequest
from sandbox.wire import pack_task

Part = Literal["practice", "sealed"]
# A patch that answers each check at random, knowing how often each answer occurs, passes with a
# chance of 2 to the minus this; a task below it proves nothing.
MIN_GUESS_BITS = 32.0


class QuarantinedError(Exception):
    """The shard must not be scored: our own material or a control is not what it has to be."""


class DrawnTask(Protocol):
    """The parts of a kit's task that the judge uses."""

    @property
    def instance_id(self) -> str: ...
    @property
    def part(self) -> Part: ...
    @property
    def entry_point(self) -> str: ...
    @property
    def module(self) -> str: ...
    @property
    def reference(self) -> str: ...
    @property
    def known_failing(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def single_faults(self) -> tuple[str, ...]: ...
    @property
    def visible(self) -> tuple[Check, ...]: ...
    @property
    def lines_needed(self) -> int: ...


# (label, bounds) -> one number below each bound.
Secrets = Callable[[str, Sequence[int]], list[int]]


class Draw(Protocol):
    """One category of one epoch, drawn from the key."""

    @property
    def tasks(self) -> Sequence[tuple[DrawnTask, tuple[Check, ...]]]:
        """Each task with its hidden checks, in the order of their numbers."""
        ...

    def secrets(self) -> Secrets:
        """A source of secret numbers that does not hold on to the tasks."""
        ...


@dataclass(slots=True)
class TaskMaterial:
    """One task, ready to judge. Checks are kept packed: as objects they take ten times as much.

    `steps` tells for each expected observation where its steps are.
    """

    task: DrawnTask
    visible: int
    compares: tuple[Compare, ...]
    packed: list[bytes]
    expected: tuple[bytes, ...]
    steps: tuple[Sequence[int], ...]
    cpu_ms: float

    def frame(self, source: str) -> bytes:
        """The frame that sends a module and all checks of this task to a lane."""
        data = source.encode("utf-8", "surrogatepass")
        return pack_task(data, self.task.entry_point, self.packed, self.visible)


def guess_bits(expected: Sequence[bytes]) -> float:
    """How surprising these observations are together, in bits, to somebody who knows how often
    each occurs but not where: the price of passing without computing anything."""
    counts = Counter(expected)
    total = len(expected)
    return sum(-count * math.log2(count / total) for count in counts.values())


# A module is registered by its name while it loads, so references are observed one at a time.
_observing = threading.Lock()


def prepare(task: DrawnTask, hidden: tuple[Check, ...]) -> TaskMaterial:
    """The material of one task; runs the reference in this process.

    Raises `QuarantinedError` if there are no hidden checks, if something expected has no form, or
    if the answers could be guessed.
    """
    checks = (*task.visible, *hidden)
    if not hidden:
        raise QuarantinedError("a task without hidden checks")
    packed = [pack(check) for check in checks]
    with _observing:
        started = time.thread_time()
        namespace = load(task.reference, "module", task.entry_point)
        try:
            seen = [observe_reference(namespace, check) for check in packed]
        except (CodecError, RecursionError, MemoryError):
            raise QuarantinedError("a reference could not be observed") from None
        cpu_ms = (time.thread_time() - started) * 1000
    expected = tuple(observation for observation, _ in seen)
    steps = tuple(array("I", places) for _, places in seen)
    if not all(is_sound(observation) for observation in expected):
        raise QuarantinedError("an expected observation has no form")
    if guess_bits(expected[len(task.visible) :]) < MIN_GUESS_BITS:
        raise QuarantinedError("the expected observations can be guessed")
    compares = tuple(check.compare for check in checks)
    return TaskMaterial(task, len(task.visible), compares, packed, expected, steps, cpu_ms)


@dataclass(frozen=True, slots=True)
class OurRuns:
    """How our own modules of one task behave in the jail. Sets of checks are bits, check 0 lowest.

    faulty:  the checks that the faulty module passes.
    singles: the same for each module with a single one of its faults.
    traps:   digests of what the known-failing patches show.
    """

    faulty: int
    singles: tuple[int, ...]
    traps: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class CategoryMaterial:
    """All tasks of one category in one epoch. `secrets` gives numbers below bounds that only the
    key tells, the same for the same label.

    `ours` is filled by the judge as wrong patches ask for it, by instance id.
    """

    tasks: dict[str, TaskMaterial]
    secrets: Secrets
    ours: dict[str, OurRuns] = field(default_factory=dict)


def _fingerprint(request: ShardRequest) -> bytes:
    epoch = request.epoch
    parts = (epoch.id, epoch.key.hex(), epoch.practice, epoch.sealed, request.category)
    return hashlib.sha256(repr((*parts, request.counters)).encode()).digest()


class MaterialCache:
    """The categories judged last, and of many more how our own modules behave: that is small, and
    takes several times longer to find out than everything else."""

    def __init__(self, room: int = 4, room_for_runs: int = 1024) -> None:
        self._room, self._room_for_runs = room, room_for_runs
        self._kept: OrderedDict[bytes, CategoryMaterial] = OrderedDict()
        self._ours: OrderedDict[bytes, dict[str, OurRuns]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, request: ShardRequest, make: Callable[[ShardRequest], Draw]) -> CategoryMaterial:
        """The material for a shard request, derived anew unless it is kept."""
        name = _fingerprint(request)
        with self._lock:
            found = self._kept.get(name)
            if found is not None:
                self._kept.move_to_end(name)
                return found
        draw = make(request)
        tasks = {task.instance_id: prepare(task, hidden) for task, hidden in draw.tasks}
        with self._lock:
            ours = self._ours.setdefault(name, {})
            self._ours.move_to_end(name)
            made = self._kept[name] = CategoryMaterial(tasks, draw.secrets(), ours)
            while len(self._kept) > self._room:
                self._kept.popitem(last=False)
            while len(self._ours) > self._room_for_runs:
                self._ours.popitem(last=False)
        return made
