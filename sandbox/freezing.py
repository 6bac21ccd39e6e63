"""Freezes the values of checks: as bytes that make fresh objects each time they are read.

The bytes are marshal, or pickle where a value is none that marshal knows: for their speed, and
because the direction is safe. Only the judge writes them, and the process of a patch reads nothing
else. Nothing that comes back is ever either.

Values that happen to be one object here and cannot change are written apart: they are equal objects
there, as they are for a client, and `is` cannot pass for `==`.
"""

import io
import marshal
import pickle
from collections import deque
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sandbox.names import Attr, Ref

# The last version of marshal that writes equal values apart and texts as they are, not interned.
_APART = 2
_MARSHALLED = frozenset({type(None), bool, int, float, str, bytes, tuple, list, dict, set})
_IMMUTABLE = frozenset(
    {type(None), bool, int, float, str, bytes, Fraction, Decimal, date, datetime, timedelta, time}
)
# What pickle would write as a reference where it stands a second time.
_PICKLED_ONCE = _IMMUTABLE - {type(None), bool, int, float} | {
    tuple, frozenset, complex, range, slice, timezone,
}  # fmt: skip
_LEAVES = _IMMUTABLE | {Ref, Attr, complex, range}
_FIXED_HOLDERS = frozenset({tuple, frozenset})


def is_immutable(value: Any) -> bool:
    """Whether the value is plain and cannot change, so that it need not be frozen."""
    kind = type(value)
    return kind in _IMMUTABLE or (kind is tuple and all(map(is_immutable, value)))


def dump(frozen: tuple[Any, ...]) -> bytes:
    """A check whose arguments are frozen or immutable, as bytes."""
    try:
        return marshal.dumps(frozen, _APART)
    except ValueError:
        return _pickled(frozen, apart=True)


class Freezer:
    """Freezes the values of one check; what several of its steps are given is frozen once."""

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}

    def argument(self, value: Any) -> Any:
        """One argument that no other argument of its step shares an object with."""
        key = id(value)
        if key not in self._known:
            self._known[key] = self.parts((value,))
        return self._known[key]

    def parts(self, parts: tuple[Any, ...]) -> Any:
        """Values that cannot change as they are, others as bytes; in a list if they hold names."""
        if is_immutable(parts):
            return parts
        reached = _reached(parts)
        if not reached:
            data = _pickled_sharing(parts)
        elif set(map(type, reached)) <= _MARSHALLED:
            return marshal.dumps(parts, _APART)
        else:
            data = _pickled(parts, apart=_has_twins(reached))
        return [data] if b"sandbox.names" in data else data


def _reached(parts: tuple[Any, ...]) -> list[Any]:
    """All values that the parts hold; none if one object that can change is reached twice: it has
    to stay one."""
    seen: set[int] = set()
    reached: list[Any] = [parts]
    for value in reached:
        kind = type(value)
        if kind in _LEAVES:
            continue
        if kind not in _FIXED_HOLDERS:
            if id(value) in seen:
                return []
            seen.add(id(value))
        if isinstance(value, dict):
            reached += value
            reached += value.values()
        elif isinstance(value, (list, tuple, set, frozenset, deque)):
            reached += value
    return reached


def _has_twins(reached: list[Any]) -> bool:
    """Whether an object that cannot change stands in several places."""
    fixed = [id(value) for value in reached if type(value) in _PICKLED_ONCE]
    return len(set(fixed)) < len(fixed)


# A fraction is pickled as text by default, which is ten times slower to read.
_REDUCED = {Fraction: lambda value: (Fraction, (value.numerator, value.denominator))}


class _Pickler(pickle.Pickler):
    dispatch_table = _REDUCED


class _SharingPickler(pickle._Pickler):  # type: ignore[name-defined]
    """Writes references to what can change alone. Slow, as only the pickler in Python asks what to
    remember, but few checks give one object twice in a step."""

    dispatch_table = _REDUCED

    def memoize(self, obj: Any) -> None:
        if type(obj) not in _PICKLED_ONCE:
            super().memoize(obj)  # type: ignore[misc]


def _pickled(value: Any, apart: bool) -> bytes:
    """With `apart` nothing is written as a reference to what came before, not even the name of a
    class: without, it is half as long and read twice as fast."""
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, 5)
    pickler.fast = apart
    pickler.dump(value)
    return buffer.getvalue()


def _pickled_sharing(value: Any) -> bytes:
    buffer = io.BytesIO()
    _SharingPickler(buffer, 5).dump(value)
    return buffer.getvalue()
