"""Exceptions within observations, found by their bytes: they are most of what is right though it
differs, since their arguments do not count."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

# An exception up to its arguments; these are skipped only if they are texts and whole numbers.
_EXCEPTION = re.compile(rb"E[0-9a-f]+:(?:s[0-9a-f]+:[.A-Za-z_][\w.]*)+(?=\([0-9a-f]+:)")
_TUPLE = re.compile(rb"\(([0-9a-f]+):")
_WHOLE = re.compile(rb"i-?[0-9a-f]+;|[NTF]")
# Leaves with their length before them; `f` and `c` are 8 and 16 bytes of floating point.
_SIZED = re.compile(rb"[sbBdqrDMHL]([0-9a-f]+):")
_TEXT = re.compile(rb"s([0-9a-f]+):")
# Mappings that are no dicts and named tuples may match other bytes of another length.
_STAND_IN = re.compile(rb"[mt][0-9a-f]+:s")


def differ_in_arguments(wanted: bytes, found: bytes) -> bool:
    """Whether nothing but plain arguments of exceptions differs; False says nothing.

    Up to its arguments the bytes are the same, so what is an exception in `wanted` is one in `found`.
    """
    spans = _spans(wanted)
    if not spans:
        return False
    end = place = 0
    for _, start, stop in spans:
        length = start - end
        if wanted[end:start] != found[place : place + length]:
            return False
        other = _arguments_end(found, place + length)
        if other is None:
            return False
        end, place = stop, other
    return wanted[end:] == found[place:]


def may_match(wanted: bytes, found: bytes) -> bool:
    """False if no leniency but that of texts and numbers can make the two match.

    Another order of dict entries keeps the length, and exceptions are taken out before.
    """
    bare, seen = _without_exceptions(wanted), _without_exceptions(found)
    if bare == seen or (len(bare) == len(seen) and b"{" in seen):
        return True
    return any(_STAND_IN.search(form) or _EXCEPTION.search(form) for form in (bare, seen))


def _spans(observed: bytes) -> tuple[tuple[int, int, int], ...]:
    """Where each exception begins, where its arguments do, and where it ends.

    What might be text that looks like one is left out: no text or number reaches over its start.
    """
    return _spans_within(observed) if b"E" in observed else ()


@lru_cache(4096)
def _spans_within(observed: bytes) -> tuple[tuple[int, int, int], ...]:
    texts = [(one.start(), one.end() + int(one[1], 16)) for one in _SIZED.finditer(observed)]
    return tuple(
        (start, first, stop)
        for start, first, stop in _plain_exceptions(observed)
        if not any(begin < start < end for begin, end in texts)
        and b"f" not in observed[max(0, start - 8) : start]
        and b"c" not in observed[max(0, start - 16) : start]
    )


def _plain_exceptions(observed: bytes) -> Iterator[tuple[int, int, int]]:
    end = 0
    for found in _EXCEPTION.finditer(observed):
        stop = _arguments_end(observed, found.end())
        if found.start() >= end and stop is not None:
            yield found.start(), found.end(), stop
            end = stop


def _arguments_end(data: bytes, place: int) -> int | None:
    opened = _TUPLE.match(data, place)
    if not opened:
        return None
    place = opened.end()
    for _ in range(int(opened[1], 16)):
        if found := _TEXT.match(data, place):
            place = found.end() + int(found[1], 16)
        elif found := _WHOLE.match(data, place):
            place = found.end()
        else:
            return None
    return place


def without_arguments(observed: bytes) -> bytes:
    """With the plain arguments of each exception taken out, its types left."""
    return _cut(observed, [(first, stop) for _, first, stop in _spans(observed)], b"")


def _without_exceptions(observed: bytes) -> bytes:
    """With each plain exception cut down to one byte."""
    return _cut(observed, [(start, stop) for start, _, stop in _spans(observed)], b"E")


def _cut(observed: bytes, spans: Sequence[tuple[int, int]], left: bytes) -> bytes:
    """With `left` in the place of each span."""
    parts, end = [], 0
    for start, stop in spans:
        parts += [observed[end:start], left]
        end = stop
    return b"".join([*parts, observed[end:]])
