"""Quick looks at observations, so that the gates read few of them as terms."""

import re

from sandbox.checks import Check
from sandbox.compare import matches

# An exception up to its arguments; what follows is skipped only if it is text and whole numbers.
_EXCEPTION = re.compile(rb"E[0-9a-f]+:(?:s[0-9a-f]+:[.A-Za-z_][\w.]*)+\(([0-9a-f]+):")
_WHOLE = re.compile(rb"i-?[0-9a-f]+;|[NTF]")
_TEXT = re.compile(rb"s([0-9a-f]+):")
# Mappings that are no dicts and named tuples may match other bytes of another length.
_STAND_IN = re.compile(rb"[mt][0-9a-f]+:s")


def without_exceptions(observation: bytes) -> bytes:
    """The observation with each plain exception cut down to one byte."""
    if b"E" not in observation:
        return observation
    parts, end = [], 0
    for found in _EXCEPTION.finditer(observation):
        stop = _arguments_end(observation, found.end(), int(found[1], 16))
        if found.start() >= end and stop is not None:
            parts += [observation[end : found.start()], b"E"]
            end = stop
    return b"".join([*parts, observation[end:]])


def _arguments_end(data: bytes, place: int, count: int) -> int | None:
    for _ in range(count):
        if found := _TEXT.match(data, place):
            place = found.end() + int(found[1], 16)
        elif found := _WHOLE.match(data, place):
            place = found.end()
        else:
            return None
    return place


def is_right(check: Check, expected: bytes, bare: bytes, observed: bytes) -> bool:
    """Whether `observed` matches; `bare` is `without_exceptions(expected)`.

    Observations that cannot match under any leniency are told by their bytes alone: another order
    of dict entries keeps the length, and an exception's own form is taken out before.
    """
    if observed == expected:
        return True
    compare = check.compare
    if compare.tolerance is None and not compare.exception_args:
        seen = without_exceptions(observed)
        if seen != bare:
            reordered = len(seen) == len(bare) and (b"{" in seen or not compare.effect_order)
            if not reordered and not _STAND_IN.search(seen) and not _STAND_IN.search(bare):
                return False
    return matches(expected, observed, compare)
