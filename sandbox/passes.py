"""Runs jobs so that no verdict is the doing of a machine that was slow, or of a lane that died.

A first pass goes through all of them, the less patiently the more it had to cut off: what it cuts
off is not judged. A second one runs those again, each to its full limits, and that counts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from sandbox.material import TaskMaterial
from sandbox.verdict import Run, Verdict

# Frames that wait in a lane: it starts up to four by itself.
_AHEAD = 6
# The first pass halves its limits with each run that it cuts off, so many times, down to these:
# ten times what a patch takes, and enough of a machine that ten others want.
_HALVINGS, _LEAST_CPU_MS, _LEAST_WALL_MS = 4, 100, 200
# How much longer the second pass lets a process wait for its share of the machine.
_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Milliseconds of CPU and wall for one patch."""

    cpu_ms: int
    wall_ms: int

    def after(self, cut: int) -> "TimeLimits":
        """For the first pass, when it has cut off so many runs."""
        halvings = min(cut, _HALVINGS)
        cpu, wall = self.cpu_ms >> halvings, self.wall_ms >> halvings
        return TimeLimits(max(cpu, _LEAST_CPU_MS), max(wall, _LEAST_WALL_MS))

    def patient(self) -> "TimeLimits":
        """For the second pass: the same CPU, and time enough to get it."""
        return TimeLimits(self.cpu_ms, _PATIENCE * self.wall_ms)


def limits_for(material: TaskMaterial) -> TimeLimits:
    """Generous multiples of what the reference took in this process, on this machine.

    A patch that only waits is ended by its zygote within two seconds; the wall is for one that
    naps and for a machine that is overloaded. A whole shard of patches that never end has to fit
    into the ten minutes that a caller waits for it.
    """
    cpu = min(10_000, 500 + int(20 * material.cpu_ms))
    return TimeLimits(cpu, 2 * cpu + 2_000)


class Runner(Protocol):
    """Lanes of two hash seeds (`seed` 0 or 1)."""

    def submit(self, frame: bytes, limits: TimeLimits, seed: int) -> None: ...
    def receive(self, seed: int) -> Run: ...
    def run_apart(self, tasks: Sequence[tuple[bytes, TimeLimits]], seed: int) -> Sequence[Run]: ...


class Job(Protocol):
    """A module, and the task that it is for."""

    @property
    def material(self) -> TaskMaterial: ...
    @property
    def source(self) -> str: ...


class Settled(NamedTuple):
    """A verdict, and whether even the last lane was lost with it."""

    verdict: Verdict
    lost: bool


AnyJob = TypeVar("AnyJob", bound=Job)


def settle(
    runner: Runner, jobs: Sequence[AnyJob], seed: int, judge: Callable[[AnyJob, Run], Verdict]
) -> list[Settled]:
    """What `judge` says of the run of each job that counts."""

    def settled(place: int, run: Run) -> Settled:
        return Settled(judge(jobs[place], run), run.ending == "lost")

    def again(places: list[int]) -> None:
        tasks = [_task(jobs[place], limits_for(jobs[place].material).patient()) for place in places]
        for place, run in zip(places, runner.run_apart(tasks, seed), strict=True):
            found[place] = settled(place, run)

    found = [settled(place, run) for place, run in enumerate(_sieve(runner, jobs, seed))]
    again([place for place, (verdict, _) in enumerate(found) if verdict.bucket == "timed_out"])
    # One by one: several at a time may be what the memory was not enough for.
    for place in [place for place, (_, lost) in enumerate(found) if lost]:
        again([place])
    return found


def _sieve(runner: Runner, jobs: Sequence[Job], seed: int) -> Iterator[Run]:
    submitted = cut = 0
    for place in range(len(jobs)):
        for job in jobs[submitted : place + _AHEAD]:
            runner.submit(*_task(job, limits_for(job.material).after(cut)), seed)
            submitted += 1
        run = runner.receive(seed)
        cut += run.ending == "timed_out"
        yield run


def _task(job: Job, limits: TimeLimits) -> tuple[bytes, TimeLimits]:
    return job.material.frame(job.source), limits
