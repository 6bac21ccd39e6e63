"""The hidden checks of a task, from the key alone. The export never imports this module."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.checks import Check
from tasks.kit.category import Category, Variant
from tasks.kit.epoch import Keys
from tasks.kit.stream import Stream
from tasks.kit.task import Task

HIDDEN_CHECKS = 48


def hidden_checks(keys: Keys, category: Category, task: Task) -> tuple[Check, ...]:
    """48 checks: the first 24 from the edge makers in turn, the others from the whole domain."""
    stream = Stream(keys.inputs, f"{category.slug}/{task.number}/{task.counter}")
    return make_checks(category, task.variant, stream, HIDDEN_CHECKS)


def make_checks(
    category: Category, variant: Variant, stream: Stream, count: int
) -> tuple[Check, ...]:
    """`count` checks for a variant, half of them aimed at the edge."""
    edges, half = category.edges, count // 2
    with _uncollected():
        aimed = [edges[turn % len(edges)](variant, stream) for turn in range(half)]
        return (*aimed, *(category.wide(variant, stream) for _ in range(count - half)))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: checks hold no cycles, and looking for some takes as long again.

    Threads that overlap here leave it switched on, if it was.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            # Files the new objects with the old ones; the collector would walk them first.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
