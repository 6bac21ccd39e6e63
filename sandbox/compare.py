"""Decides whether an observation says what the reference's says. Trusted side only."""

import builtins
import re
import struct
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from sandbox.checks import Compare
from sandbox.limits import CodecError
from sandbox.terms import Term, read, read_at

# Dicts, other mappings, named tuples and exceptions, or data that looks like them: without one of
# them in what was observed, only equal bytes are right.
_LENIENT = re.compile(rb"\{[1-9a-f]|E[1-9a-f][0-9a-f]*:s|[mt][0-9a-f]+:s")
# Where a plain type is expected, the standard subclasses of it are as good.
_PLAIN = {"m": "{", "t": "("}


def is_sound(observation: bytes) -> bool:
    """Whether everything in it has a form; an unsound observation matches nothing."""
    return observation.startswith(b"(3:i0;")


def matches(expected: bytes, observed: bytes, compare: Compare, steps: Sequence[int] = ()) -> bool:
    """Whether `observed` is right. Bytes first; what differs is read as terms, never as objects.

    `steps`: where the steps of `expected` begin and the last one ends, see `observe_steps`; with
    them a wrong answer is found out many times faster. Raises `CodecError` if as much of
    `observed` as decides is not canonical: that is a broken frame.
    """
    if not is_sound(expected):
        return False
    if expected == observed:
        return True
    strict = compare.effect_order and compare.tolerance is None
    if strict and not _LENIENT.search(observed):
        return False
    comparison = _Comparison(compare)
    if steps and is_sound(observed) and comparison.differ_at_once(expected, observed, steps):
        return False
    wanted, found = read(expected), read(observed)
    if not _is_observation(found):
        raise CodecError("not an observation")
    return is_sound(observed) and comparison.observations(wanted, found)


def _first_difference(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _is_observation(term: Term) -> bool:
    if term.tag != "(" or [part.tag for part in term.content] != ["i", "(", "("]:
        return False
    return all(_is_step(step) for step in term.content[1].content)


def _is_step(term: Term) -> bool:
    return (
        term.tag == "("
        and len(term.content) == 3
        and term.content[0].tag == "s"
        and term.content[2].tag == "("
    )


class _Comparison:
    def __init__(self, compare: Compare) -> None:
        self.compare = compare

    def differ_at_once(self, expected: bytes, observed: bytes, steps: Sequence[int]) -> bool:
        """Whether the step with the first different byte is wrong, as it is in most wrong answers.
        False says nothing."""
        step = bisect_right(steps, _first_difference(expected, observed)) - 1
        if not 0 <= step < len(steps) - 1:
            return False
        # Up to here the bytes are the same, so the same step begins in both.
        wanted, found = read_at(expected, steps[step]), read_at(observed, steps[step])
        return not (_is_step(found) and self.steps(wanted, found))

    def observations(self, wanted: Term, found: Term) -> bool:
        steps, other_steps = wanted.content[1].content, found.content[1].content
        watched, other_watched = wanted.content[2].content, found.content[2].content
        return (
            len(steps) == len(other_steps)
            and len(watched) == len(other_watched)
            and all(self.steps(a, b) for a, b in zip(steps, other_steps, strict=True))
            and all(self.terms(a, b) for a, b in zip(watched, other_watched, strict=True))
        )

    def steps(self, wanted: Term, found: Term) -> bool:
        kind, value, effects = wanted.content
        other_kind, other_value, other_effects = found.content
        if kind.raw != other_kind.raw or not self.terms(value, other_value):
            return False
        return self.effects(effects.content, other_effects.content)

    def effects(self, wanted: tuple[Term, ...], found: tuple[Term, ...]) -> bool:
        if len(wanted) != len(found):
            return False
        if self.compare.effect_order:
            return all(self.terms(a, b) for a, b in zip(wanted, found, strict=True))
        left = list(found)
        for event in wanted:
            place = next((i for i, other in enumerate(left) if self.terms(event, other)), None)
            if place is None:
                return False
            del left[place]
        return True

    def terms(self, wanted: Term, found: Term) -> bool:
        """Whether `found` may stand where `wanted` is expected."""
        if wanted.raw == found.raw:
            return True
        if wanted.tag == "E" and found.tag == "E":
            return self.exceptions(wanted, found)
        if wanted.tag != found.tag and _PLAIN.get(found.tag) != wanted.tag:
            return False
        if wanted.tag in "fc":
            return self.floats(wanted.content, found.content)
        if wanted.tag in "([StQ" and (wanted.tag == "(" or wanted.label == found.label):
            return len(wanted.content) == len(found.content) and all(
                self.terms(a, b) for a, b in zip(wanted.content, found.content, strict=True)
            )
        if wanted.tag in "{mO" and (wanted.tag == "{" or wanted.label == found.label):
            return self.mappings(wanted, found)
        return False

    def exceptions(self, wanted: Term, found: Term) -> bool:
        labels, args = wanted.content
        other_labels, other_args = found.content
        if not _is_that_exception(labels, other_labels):
            return False
        return not self.compare.exception_args or self.terms(args, other_args)

    def mappings(self, wanted: Term, found: Term) -> bool:
        if len(wanted.content) != len(found.content):
            return False
        if self.compare.dict_order:
            pairs, others = wanted.content, found.content
        else:
            pairs = sorted(wanted.content, key=_key)
            others = sorted(found.content, key=_key)
        return all(
            key.raw == other_key.raw and self.terms(value, other_value)
            for (key, value), (other_key, other_value) in zip(pairs, others, strict=True)
        )

    def floats(self, wanted: bytes, found: bytes) -> bool:
        tolerance = self.compare.tolerance
        if tolerance is None:
            return False
        for start in range(0, len(wanted), 8):
            if wanted[start : start + 8] == found[start : start + 8]:
                continue
            (a,) = struct.unpack_from(">d", wanted, start)
            (b,) = struct.unpack_from(">d", found, start)
            # Infinities and NaN never come near each other by subtraction.
            if not abs(a - b) <= tolerance * max(1.0, abs(a), abs(b)) < float("inf"):
                return False
        return True


_BUILTINS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}


def _is_that_exception(wanted: tuple[str, ...], found: tuple[str, ...]) -> bool:
    """Whether an exception with the classes `found` is of the first class of `wanted`.

    It may be derived from it, but not from another one beside: that would stand for everything
    that a contract can ask for. A class of the module's own may have got another builtin base.
    """
    first = wanted[0]
    if first not in found:
        return False
    place = found.index(first)
    kind = _BUILTINS.get(first)
    for label in found[:place]:
        nearer = _BUILTINS.get(label)
        if nearer is not None and not (kind and issubclass(nearer, kind)):
            return False
    # Classes that are no exceptions come last in a line.
    last = found.index("BaseException") if "BaseException" in found else len(found)
    more = [
        label
        for at, label in enumerate(found[place:], place)
        if label not in wanted and (at < last or label in _BUILTINS)
    ]
    if kind is None and more and (base := _BUILTINS.get(more[0])):
        more = [label for label in more if not issubclass(base, _BUILTINS.get(label, int))]
    return not more


def _key(pair: tuple[Term, Any]) -> bytes:
    return pair[0].raw
