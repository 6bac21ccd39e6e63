"""Which counters of a category survive the draw gate: one for each task number."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tasks.kit.category import AuthoringError, Category
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.finalizers import mute_finalizers
from tasks.kit.fingerprint import fingerprint
from tasks.kit.gate import Rejected, Tries, examine
from tasks.kit.task import Task

MOST_COUNTERS = 400


@dataclass(slots=True)
class Drawing:
    """The accepted tasks of one category, and why others were rejected."""

    tasks: list[Task] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    tries: Tries = field(default_factory=Tries)

    @property
    def counters(self) -> list[int]:
        """The accepted counter of task number i + 1."""
        return [task.counter for task in self.tasks]


def accept(keys: Keys, category: Category) -> Drawing:
    """Draw every task of a category; raises AuthoringError when a number runs out of counters."""
    mute_finalizers()
    drawing = Drawing()
    seen: set[bytes] = set()
    for number in range(1, keys.tasks + 1):
        task = next(_acceptable(keys, category, number, seen, drawing), None)
        if task is None:
            most = "; ".join(f"{n} x {why}" for why, n in drawing.rejected.most_common(5))
            raise AuthoringError(
                f"task {number} found no acceptable drawing in {MOST_COUNTERS} counters: {most}"
            )
        drawing.tasks.append(task)
    return drawing


def _acceptable(
    keys: Keys, category: Category, number: int, seen: set[bytes], drawing: Drawing
) -> Iterator[Task]:
    for counter in range(MOST_COUNTERS):
        task = draw_task(keys, category, number, counter)
        mark = fingerprint(category, task)
        if mark in seen:
            drawing.rejected["distinct: the same task under other names"] += 1
            continue
        try:
            examine(keys, category, task, drawing.tries)
        except Rejected as reason:
            drawing.rejected[str(reason)] += 1
            continue
        seen.add(mark)
        yield task
