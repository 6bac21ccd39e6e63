"""A module to observe, and what a list of steps sees of it."""

from typing import Any

from sandbox.checks import Check
from sandbox.decode import decode
from sandbox.reference import observe_check
from sandbox.runner import load

MODULE = load(
    """
import asyncio
LIMIT = 3


class StoreError(KeyError):
    pass


class Cache:
    def __init__(self, clock, ttl):
        self.clock, self.ttl, self.items = clock, ttl, {}

    def put(self, key, value):
        self.items[key] = (value, self.clock.now)

    def get(self, key):
        value, since = self.items[key]
        if self.clock() - since >= self.ttl:
            raise StoreError(key)
        return value


class Scope:
    def __init__(self, log, suppress=False):
        self.log, self.suppress = log, suppress

    def __enter__(self):
        self.log("enter")
        return self

    def __exit__(self, kind, error, trace):
        self.log("exit", kind and kind.__name__)
        return self.suppress


def retry(action, sleep, times):
    for attempt in range(times):
        try:
            return action(attempt)
        except TimeoutError:
            sleep(2 ** attempt)
    raise StoreError("gave up")


def count(n):
    for i in range(n):
        yield [i]


def broken():
    yield 1
    raise OSError("gone")


def head(items, n):
    return [item for item, _ in zip(items, range(n))]


def claim(name, owners, lock):
    yield from lock.acquire()
    owners.append(name)
    yield
    lock.release()
    return name


def fail(name):
    yield
    raise StoreError(name)


def forever():
    while True:
        yield


async def both(fetch):
    return await asyncio.gather(fetch("a"), fetch("b"))


async def first(fetch, limit):
    try:
        return await asyncio.wait_for(fetch("a"), limit)
    except asyncio.TimeoutError:
        return "late"


async def stuck():
    await asyncio.Event().wait()


def grow(rows):
    rows.append(len(rows))
    return rows


def note(sink, row):
    sink(row)
    row.append("changed later")


def strange():
    return type("N", (int,), {})(1)
"""
)


def outcomes(*steps, **more) -> list[Any]:
    """Kind and value of each step, decoded."""
    return [step[:2] for step in decode(observe_check(MODULE, Check(steps, **more)))[1]]


def effects(*steps, **more) -> list[Any]:
    """All effects, without the fixture's name where it is the only one."""
    return [
        event
        for step in decode(observe_check(MODULE, Check(steps, **more)))[1]
        for event in step[2]
    ]
