"""How long a category takes to draw and to run, told in turns of a yardstick as well as in seconds.

CPU seconds grow with what else a machine does: neighbours on its cores and in its caches. A fixed
piece of work, timed between the parts of what is measured, grows with them.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from sandbox.checks import Check
from tasks.kit.category import Category
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.hidden import hidden_checks
from tasks.kit.task import Task
from tasks.kit.trial import Trial, load_reference

# About a millisecond of a quiet core of 2023, so the bounds are about 2 s and 20 ms on one. Aimed
# at are 0.2 s and a few hundred microseconds.
YARDSTICK_ROUNDS = 1200
MOST_HIDDEN_YARDS = 2000
MOST_CHECK_YARDS = 20
# Enough to time the drawing of hidden checks by.
TIMED_TASKS, RUN_TASKS = 24, 8
# What else a machine does only adds to a pass, so the shortest one counts.
PASSES = 3
# Tasks of a whole epoch, to which the time of drawing is extended.
FULL_SIZE = 96

T = TypeVar("T")
Clock = Callable[[], float]


@dataclass(slots=True)
class Span:
    """CPU time of some work, and of the yardstick in between."""

    clock: Clock
    seconds: float = 0.0
    yards: int = 0
    yard_seconds: float = 0.0

    def time(self, work: Callable[[], T]) -> T:
        """Do a part of the work, after one turn of the yardstick."""
        began = self.clock()
        _yard()
        between = self.clock()
        result = work()
        self.yard_seconds += between - began
        self.seconds += self.clock() - between
        self.yards += 1
        return result

    @property
    def length(self) -> float:
        """The work in yards."""
        return self.seconds / max(self.yard_seconds, 1e-9) * self.yards


def _yard() -> int:
    """Calls, small objects and texts, as drawing and running are made of them."""
    known: dict[str, tuple[int, str]] = {}
    for turn in range(YARDSTICK_ROUNDS):
        name = f"{turn % 97}"
        known[name] = (turn, name.join("ab"))
    return len(known)


def measure(
    keys: Keys, category: Category, tasks: list[Task], clock: Clock = time.process_time
) -> tuple[dict[str, object], list[str]]:
    """Figures and faults: drawing the hidden checks of 96 tasks anew, and running one check."""
    timed = tasks[:TIMED_TASKS]
    passes: list[Span] = []
    drawn: list[tuple[Task, tuple[Check, ...]]] = []
    for _ in range(PASSES):
        passes.append(span := Span(clock))
        drawn = [span.time(partial(_drawn, keys, category, task)) for task in timed]
    draw, run = min(passes, key=lambda span: span.seconds), Span(clock)
    for task, checks in drawn[:RUN_TASKS]:
        run.time(partial(_run, task, checks))
    share = FULL_SIZE / len(timed)
    count = sum(len(checks) for _, checks in drawn[:RUN_TASKS])
    faults = []
    if draw.length * share > MOST_HIDDEN_YARDS:
        faults.append(f"drawing the hidden checks takes {draw.seconds * share:.2f} s of CPU")
    if run.length / count > MOST_CHECK_YARDS:
        faults.append(f"a check takes the reference {run.seconds / count * 1000:.1f} ms of CPU")
    figures: dict[str, object] = {
        "seconds to draw the hidden checks": round(draw.seconds * share, 3),
        "microseconds a check": round(run.seconds / count * 1e6),
    }
    return figures, faults


def _drawn(keys: Keys, category: Category, task: Task) -> tuple[Task, tuple[Check, ...]]:
    again = draw_task(keys, category, task.number, task.counter)
    return again, hidden_checks(keys, category, again)


def _run(task: Task, checks: tuple[Check, ...]) -> Trial:
    return Trial(load_reference(task.reference), checks)
