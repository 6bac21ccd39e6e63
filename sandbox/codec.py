"""Typed values as canonical bytes: equal values, and only those, give equal bytes.

`encode` reads hostile objects. It asks for real types by identity and reads content through the
slots of builtin types, so no method of a hostile object is ever called. Plain values are written
by their exact type; beside them come exceptions, enum members, named tuples and instances of
classes made by a `class` statement whose only builtin base is `object` (their public fields).
Every other object (a subclass of int, a lock, a generator) is *opaque*: it never equals anything.

The form of each value is one tag byte and its content, see `decode.py` for the reader:
numbers are hexadecimal, lengths are hexadecimal and end in a colon, sets are sorted by their bytes.
"""

import datetime
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from sandbox.classes import (
    EnumType,
    exception_args,
    exception_head,
    fields_of,
    is_exception,
    is_named_tuple,
    type_label,
    type_mro,
    type_name,
)
from sandbox.leaves import (
    datetime_form,
    find_leaf,
    name_form,
    time_form,
    write_by_name,
)
from sandbox.limits import ARGS_LIMITS, LIMITS, CodecError, Limits, OverLimit, Unencodable
from sandbox.names import Attr, Ref
from sandbox.pristine import (
    any,
    bytearray,
    bytes,
    dict,
    frozenset,
    id,
    len,
    list,
    set,
    slice,
    sorted,
    str,
    tuple,
    type,
)

__all__ = [
    "LIMITS", "Attr", "CodecError", "Encoder", "Limits", "OverLimit", "Ref", "Unencodable",
    "encode", "type_label", "write_by_name",
]  # fmt: skip

_timezone, _datetime_type, _time_type = datetime.timezone, datetime.datetime, datetime.time


class Encoder:
    """Writes one value. `opaque` counts the objects that had no form."""

    __slots__ = ("out", "items", "room", "depth", "numbers", "kept", "opaque")

    def __init__(self, aliasing: bool = False, limits: Limits = LIMITS) -> None:
        self.out: list[bytes] = []
        self.items = limits.items
        self.room = limits.size
        self.depth = limits.depth
        self.numbers: dict[int, int] | None = {} if aliasing else None
        self.kept: list[Any] = []
        self.opaque = 0

    def put(self, value: Any, depth: int = 0) -> None:
        """Appends `value`, which sits `depth` levels down."""
        kind = type(value)
        leaf = find_leaf(id(kind))
        if leaf is not None:
            self._append(leaf(value))
            return
        if depth >= self.depth:
            raise OverLimit("depth")
        if kind is tuple:
            self._open(b"(", len(value))
            self._sequence(value, depth + 1)
        elif kind is frozenset:
            self._set(b">", value, depth + 1)
        elif kind is _datetime_type or kind is _time_type:
            if value.tzinfo is None or type(value.tzinfo) is _timezone:
                self._append(datetime_form(value) if kind is _datetime_type else time_form(value))
            else:
                self._opaque(kind)
        elif kind is slice:
            self._open(b"S", 3)
            self._sequence((value.start, value.stop, value.step), depth + 1)
        else:
            self._put_object(kind, value, depth)

    def _put_object(self, kind: type, value: Any, depth: int) -> None:
        if kind is list:
            if self._is_new(value):
                self._open(b"[", len(value))
                self._sequence(value, depth + 1)
        elif kind is dict:
            if self._is_new(value):
                self._open(b"{", len(value))
                self._pairs(dict.items(value), depth + 1)
        elif kind is set:
            if self._is_new(value):
                self._set(b"<", value, depth + 1)
        elif kind is bytearray:
            if self._is_new(value):
                if len(value) > LIMITS.size:
                    raise OverLimit("size")
                self._append(b"B%x:%b" % (len(value), bytes(value)))
        elif kind is deque:
            if self._is_new(value):
                self._open(b"Q", len(value))
                self.put(value.maxlen, depth + 1)
                self._sequence(value, depth + 1)
        elif kind is OrderedDict or kind is defaultdict or kind is Counter:
            self._mapping(kind, value, depth + 1)
        else:
            self._instance(kind, value, depth + 1)

    def _mapping(self, kind: Any, value: Any, depth: int) -> None:
        pairs = dict.items(value)
        if kind is OrderedDict:
            # Its own order is read by looking keys up, which is safe for plain keys only.
            if any(find_leaf(id(type(key))) is None for key, _ in pairs):
                self._opaque(kind)
                return
            pairs = OrderedDict.items(value)
        if self._is_new(value):
            self._open(b"m", len(value))
            self._append(name_form(type_name(kind)))
            self._pairs(pairs, depth)

    def _instance(self, kind: type, value: Any, depth: int) -> None:
        line = type_mro(kind)
        if is_exception(line):
            self._exception(value, line)
        elif type(kind) is EnumType:
            name = (fields_of(kind, line, value) or {}).get("_name_")
            if type(name) is str:
                self._append(b"e" + name_form(type_name(kind)) + name_form(name))
            else:
                self._opaque(kind)
        elif len(line) > 2 and line[-2] is tuple and is_named_tuple(line):
            self._open(b"t", tuple.__len__(value))
            self._append(name_form(type_name(kind)))
            self._sequence(tuple.__iter__(value), depth)
        else:
            fields = fields_of(kind, line, value)
            if fields is None:
                self._opaque(kind)
            elif self._is_new(value):
                public = sorted(name for name in fields if not name.startswith("_"))
                self._open(b"O", len(public))
                self._append(name_form(type_name(kind)))
                for name in public:
                    self._append(name_form(name))
                    self.put(fields[name], depth)

    def _exception(self, value: Any, line: tuple[type, ...]) -> None:
        inner = Encoder(limits=ARGS_LIMITS)
        try:
            inner.put(exception_args(value))
            args = b"".join(inner.out)
        except OverLimit:
            args = b"!s4:args"
        self._append(exception_head(line) + args)

    def _opaque(self, kind: type) -> None:
        self.opaque += 1
        self._append(b"?" + name_form(type_name(kind)))

    def _append(self, data: bytes) -> None:
        self.room -= len(data)
        if self.room < 0:
            raise OverLimit("size")
        self.out.append(data)

    def _open(self, tag: bytes, count: int) -> None:
        self.items -= count
        if self.items < 0:
            raise OverLimit("items")
        self._append(b"%b%x:" % (tag, count))

    # The two loops below are where the time goes, so leaves are written without a call.

    def _sequence(self, values: Any, depth: int) -> None:
        out, find = self.out, find_leaf
        for value in values:
            leaf = find(id(type(value)))
            if leaf is None:
                self.put(value, depth)
                continue
            data = leaf(value)
            self.room -= len(data)
            if self.room < 0:
                raise OverLimit("size")
            out.append(data)

    def _pairs(self, pairs: Any, depth: int) -> None:
        out, find = self.out, find_leaf
        for pair in pairs:
            for value in pair:
                leaf = find(id(type(value)))
                if leaf is None:
                    self.put(value, depth)
                    continue
                data = leaf(value)
                self.room -= len(data)
                if self.room < 0:
                    raise OverLimit("size")
                out.append(data)

    def _set(self, tag: bytes, values: Any, depth: int) -> None:
        self._open(tag, len(values))
        # Elements have no order of their own, so nothing inside them gets a number.
        outer, numbers = self.out, self.numbers
        self.numbers = None
        parts = []
        for value in values:
            self.out = []
            self.put(value, depth)
            parts.append(b"".join(self.out))
        self.out, self.numbers = outer, numbers
        outer.extend(sorted(parts))

    def _is_new(self, value: Any) -> bool:
        """Numbers mutable objects in the order of their first visit, when aliasing counts."""
        numbers = self.numbers
        if numbers is None:
            return True
        number = numbers.get(id(value))
        if number is not None:
            self._append(b"&%x;" % number)
            return False
        numbers[id(value)] = len(numbers)
        self.kept.append(value)  # an id is only unique while the object lives
        return True


def encode(value: Any, *, aliasing: bool = False, limits: Limits = LIMITS) -> bytes:
    """Canonical bytes of `value`.

    With `aliasing`, the second and later visits to one mutable object are written as its number,
    so shared and equal-but-separate content differ, and cycles have a form.
    Raises `Unencodable` for an opaque object and `OverLimit` for too much of anything.
    """
    encoder = Encoder(aliasing, limits)
    encoder.put(value)
    if encoder.opaque:
        raise Unencodable("a value of this type has no form")
    return b"".join(encoder.out)
