"""Whether an observation is right, told step by step: most wrong ones differ in their first steps,
and most right ones in the texts of exceptions alone."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sandbox.checks import Check, Compare
from sandbox.codec import CodecError
from sandbox.compare import is_sound, matches
from sandbox.limits import ARGS_LIMITS
from sandbox.packing import pack
from sandbox.reference import observe_reference
from tasks.kit.exceptions import differ_in_arguments, may_match

# What comes before the steps of an observation in which everything has a form.
_HEAD = b"(3:i0;"
# Longer steps are rare and would make the memory of comparisons large.
_LONGEST_KEPT = 2048
# A mapping or tuple that may stand for a plain one is longer by its name alone, an exception by its
# arguments: what a loop without end has logged need not be read.
_LONGER_BY_NAMES = 300


class Seen(NamedTuple):
    """What a check saw: the observation, and where in it its steps begin and the last one ends."""

    data: bytes
    places: Sequence[int] = ()


def look(namespace: dict[str, Any], check: Check | bytes) -> Seen:
    """What `sandbox.runner.observe` gives for a check or its packed form, with its steps' places."""
    try:
        packed = pack(check) if isinstance(check, Check) else check
        return Seen(*observe_reference(namespace, packed))
    except (CodecError, RecursionError, MemoryError):
        return _OVER


# It has no form, so it matches nothing.
_OVER = Seen(b"(3:i1;(0:(0:")


def is_right(expected: Seen, observed: Seen, compare: Compare) -> bool:
    """What `matches` says of the two, where that can be said; what cannot be read is wrong."""
    wanted, found = expected.data, observed.data
    if wanted == found:
        return True
    ours, theirs = expected.places, observed.places
    if len(ours) != len(theirs) or not (is_sound(wanted) and is_sound(found)):
        return False
    start, other = ours[0], theirs[0]
    for stop, other_stop in zip(ours[1:], theirs[1:], strict=True):
        step, other_step = wanted[start:stop], found[other:other_stop]
        if step != other_step and not _may_stand(b"(1:" + step, b"(1:" + other_step, compare):
            return False
        start, other = stop, other_stop
    watched, others = wanted[start:], found[other:]
    return watched == others or _may_stand(b"(0:" + watched, b"(0:" + others, compare)


def _may_stand(wanted: bytes, found: bytes, compare: Compare) -> bool:
    """Compares an observation of one step that watches nothing, or of watched values alone."""
    if not wanted.startswith(b"(0:"):
        wanted, found = wanted + b"(0:", found + b"(0:"
    if compare.tolerance is None and not compare.exception_args:
        if differ_in_arguments(wanted, found):
            return True
        if compare.effect_order and not may_match(wanted, found):
            return False
    if len(wanted) + len(found) > _LONGEST_KEPT:
        most = _LONGER_BY_NAMES * len(wanted) + ARGS_LIMITS.size * wanted.count(b"E")
        return len(found) <= most and _matches(wanted, found, compare)
    return _remembered(wanted, found, compare)


def _matches(wanted: bytes, found: bytes, compare: Compare) -> bool:
    try:
        return matches(_HEAD + wanted, _HEAD + found, compare)
    except CodecError:
        # A loop may log so many effects that reading them passes a limit.
        return False


_remembered = lru_cache(8192)(_matches)
