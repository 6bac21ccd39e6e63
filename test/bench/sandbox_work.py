"""What the ways of the sandbox's benchmark run: tasks of the map, and trivial ones."""

from typing import Any

from sandbox.jail.isolation import Isolation, open_lane
from sandbox.lanes import SeededLanes
from sandbox.material import TaskMaterial, prepare
from sandbox.passes import limits_for
from tasks.kit.category import AuthoringError
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.hidden import hidden_checks
from tasks.kit.load import load_category, slugs
from test.sandbox.corpus import REFERENCE, TinyDraw, material

Work = list[tuple[TaskMaterial, str]]


def draw_work(count: int, chosen: tuple[str, ...] = ()) -> Work:
    """`count` tasks over all or the chosen categories, with right and wrong patches in turn."""
    keys = Keys.of("bench", bytes(32), practice=16, sealed=max(80, count))
    categories = [load_category(slug) for slug in slugs() if slug in chosen or not chosen]
    work: Work = []
    number = 0
    while len(work) < count:
        number += 1
        for category in categories:
            try:
                task = draw_task(keys, category, number, 0)
                ready = prepare(task, hidden_checks(keys, category, task))
            except AuthoringError:
                continue
            patches = (task.reference, task.module, task.reference, task.known_failing[0][1])
            work.append((ready, patches[number % 4]))
            if len(work) == count:
                break
    return work


def trivial_work(count: int) -> Work:
    """The same three-line function again and again: what is left is what isolation costs."""
    (ready,) = material(TinyDraw(count=1, hidden=12)).tasks.values()
    return [(ready, REFERENCE)] * count


def without_endless(work: Work, isolation: Isolation) -> Work:
    """Patches that never end would measure time limits, and one process has none: the reference
    takes their place."""
    lanes = lanes_of(0, isolation)
    for ready, source in work:
        lanes.submit(ready.frame(source), limits_for(ready), 0)
    kept = [
        (ready, ready.task.reference if lanes.receive(0).ending == "timed_out" else source)
        for ready, source in work
    ]
    lanes.close()
    return kept


def lanes_of(worker: int, isolation: Any) -> SeededLanes:
    """Lanes as the service has them."""
    return SeededLanes(worker, lambda slot, seed: open_lane(isolation, slot=slot, hash_seed=seed))
