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
import decimal
import enum
import fractions
import struct
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Hostile code may replace names in `builtins` later: these are bound before it is loaded.
from builtins import (  # noqa: I001
    AttributeError, BaseException, abs, any, bool, bytearray, bytes, complex, dict, float,
    frozenset, getattr, id, int, len, list, min, object, range, set, slice, sorted, str, tuple, type,
)  # fmt: skip


class CodecError(ValueError):
    """Bytes, or a value, that the codec refuses."""


class Unencodable(CodecError):
    """A value of a type that has no form here."""


class OverLimit(CodecError):
    """A value that is too deep, too large or has too many items; the argument says which."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Nesting levels, values counted at every level, and bytes of the result."""

    depth: int = 64
    items: int = 100_000
    size: int = 1 << 20


LIMITS = Limits()
# What an exception carries is a message for people: a long one is cut off as a whole.
ARGS_LIMITS = Limits(depth=8, items=200, size=4096)
# The gcd behind a fraction is quadratic, so its text is kept short.
MAX_FRACTION_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Ref:
    """Inside the arguments of a step: the object bound to `name`."""

    name: str

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Ref, (self.name,)


@dataclass(frozen=True, slots=True)
class Attr:
    """Inside the arguments of a step: the attribute `name` of the module under test."""

    name: str

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Attr, (self.name,)


_pack_double = struct.Struct(">d").pack
_NAN = b"\x7f\xf8" + bytes(6)
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
_type_name = type.__dict__["__name__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_type_flags = type.__dict__["__flags__"].__get__
_type_dict = type.__dict__["__dict__"].__get__
_exception_args = BaseException.__dict__["args"].__get__
_Getset, _MemberSlot = types.GetSetDescriptorType, types.MemberDescriptorType
_getset_get, _slot_get = _Getset.__get__, _MemberSlot.__get__
_EnumType = type(enum.Enum)
_timezone, _datetime_type, _time_type = datetime.timezone, datetime.datetime, datetime.time
_Decimal, _Fraction = decimal.Decimal, fractions.Fraction
_numerator = fractions.Fraction.__dict__["_numerator"].__get__
_denominator = fractions.Fraction.__dict__["_denominator"].__get__
_BUILTIN_NAMES = {
    id(kind): name
    for name, kind in vars(__import__("builtins")).items()
    if type(kind) is type and kind.__name__ == name
}


def _int(value: int) -> bytes:
    if value.bit_length() > 4 * LIMITS.size:
        raise OverLimit("size")
    return b"i%x;" % value


def _float(value: float) -> bytes:
    return b"f" + (_NAN if value != value else _pack_double(value))


def _complex(value: complex) -> bytes:
    return b"c" + _float(value.real)[1:] + _float(value.imag)[1:]


def _str(value: str) -> bytes:
    if len(value) > LIMITS.size:
        raise OverLimit("size")
    data = value.encode("utf-8", "surrogatepass")
    return b"s%x:%b" % (len(data), data)


def _bytes(value: bytes) -> bytes:
    if len(value) > LIMITS.size:
        raise OverLimit("size")
    return b"b%x:%b" % (len(value), value)


def _text(tag: bytes, text: str) -> bytes:
    return b"%b%x:%b" % (tag, len(text), text.encode("ascii"))


def _decimal(value: decimal.Decimal) -> bytes:
    return _text(b"d", _Decimal.__str__(value))


def _fraction(value: fractions.Fraction) -> bytes:
    top, bottom = _numerator(value), _denominator(value)
    if type(top) is not int or type(bottom) is not int:
        return b"q0:"  # forged; no reader takes it
    if (top.bit_length() + bottom.bit_length()) // 4 > MAX_FRACTION_TEXT - 8:
        raise OverLimit("size")
    return _text(b"q", f"{top:x}/{bottom:x}")


def _range(value: range) -> bytes:
    if (abs(value.start) | abs(value.stop) | abs(value.step)).bit_length() > LIMITS.size:
        raise OverLimit("size")
    return _text(b"r", f"{value.start:x},{value.stop:x},{value.step:x}")


def _datetime(value: datetime.datetime) -> bytes:
    return _text(b"M", value.isoformat("T", "microseconds") + "~" * value.fold)


def _time(value: datetime.time) -> bytes:
    return _text(b"H", value.isoformat("microseconds") + "~" * value.fold)


def _timedelta(value: datetime.timedelta) -> bytes:
    return _text(b"L", f"{value.days},{value.seconds},{value.microseconds}")


def _name(text: Any) -> bytes:
    return _str(text[:200]) if type(text) is str else b"s1:?"


# Keyed by id: a hash of the type itself would run a hostile metaclass.
_LEAVES: dict[int, Callable[[Any], bytes]] = {
    id(type(None)): lambda value: b"N",
    id(bool): lambda value: b"T" if value else b"F",
    id(type(Ellipsis)): lambda value: b".",
    id(type(NotImplemented)): lambda value: b"~",
    id(int): _int,
    id(float): _float,
    id(complex): _complex,
    id(str): _str,
    id(bytes): _bytes,
    id(decimal.Decimal): _decimal,
    id(fractions.Fraction): _fraction,
    id(range): _range,
    id(datetime.date): lambda value: _text(b"D", value.isoformat()),
    id(datetime.timedelta): _timedelta,
    id(Ref): lambda value: b"@" + _name(value.name),
    id(Attr): lambda value: b"$" + _name(value.name),
    id(types.FunctionType): lambda value: b"U",
    id(types.MethodType): lambda value: b"U",
    id(types.BuiltinFunctionType): lambda value: b"U",
}
_find_leaf = _LEAVES.get


def encode_leaf(value: Any) -> bytes | None:
    """The form of a value without parts, else None."""
    leaf = _find_leaf(id(type(value)))
    return None if leaf is None else leaf(value)


def write_by_name(kind: type, name_of: Callable[[Any], str]) -> None:
    """Makes instances of exactly `kind` be written as the name that they go by in a check."""
    _LEAVES[id(kind)] = lambda value: b"X" + _name(name_of(value))


def type_label(kind: type) -> str:
    """`ValueError` for a builtin type, `.StoreError` for any other: no class can pose as builtin."""
    return _BUILTIN_NAMES.get(id(kind)) or "." + _type_name(kind)[:200]


# By the id of the type, which is kept alive beside its bytes.
_heads: dict[int, tuple[type, bytes]] = {}


def _exception_head(line: tuple[type, ...]) -> bytes:
    known = _heads.get(id(line[0]))
    if known is not None:
        return known[1]
    labels = b"".join(_name(type_label(base)) for base in line if base is not object)
    head = b"E%x:%b" % (len(line) - 1, labels)
    if len(_heads) < 1000:
        _heads[id(line[0])] = (line[0], head)
    return head


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
        leaf = _find_leaf(id(kind))
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
                self._append(_datetime(value) if kind is _datetime_type else _time(value))
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
            if any(_find_leaf(id(type(key))) is None for key, _ in pairs):
                self._opaque(kind)
                return
            pairs = OrderedDict.items(value)
        if self._is_new(value):
            self._open(b"m", len(value))
            self._append(_name(_type_name(kind)))
            self._pairs(pairs, depth)

    def _instance(self, kind: type, value: Any, depth: int) -> None:
        line = _type_mro(kind)
        if any(base is BaseException for base in line):
            self._exception(value, line)
        elif type(kind) is _EnumType:
            name = (_fields(kind, line, value) or {}).get("_name_")
            if type(name) is str:
                self._append(b"e" + _name(_type_name(kind)) + _name(name))
            else:
                self._opaque(kind)
        elif len(line) > 2 and line[-2] is tuple and _is_named_tuple(line):
            self._open(b"t", tuple.__len__(value))
            self._append(_name(_type_name(kind)))
            self._sequence(tuple.__iter__(value), depth)
        else:
            fields = _fields(kind, line, value)
            if fields is None:
                self._opaque(kind)
            elif self._is_new(value):
                public = sorted(name for name in fields if not name.startswith("_"))
                self._open(b"O", len(public))
                self._append(_name(_type_name(kind)))
                for name in public:
                    self._append(_name(name))
                    self.put(fields[name], depth)

    def _exception(self, value: Any, line: tuple[type, ...]) -> None:
        inner = Encoder(limits=ARGS_LIMITS)
        try:
            inner.put(_exception_args(value))
            args = b"".join(inner.out)
        except OverLimit:
            args = b"!s4:args"
        self._append(_exception_head(line) + args)

    def _opaque(self, kind: type) -> None:
        self.opaque += 1
        self._append(b"?" + _name(_type_name(kind)))

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
        out, find = self.out, _find_leaf
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
        out, find = self.out, _find_leaf
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


def _is_named_tuple(line: tuple[type, ...]) -> bool:
    # Entries are walked, not looked up: a look-up may call `__eq__` of a hostile key.
    return any(
        type(name) is str and name == "_fields" and type(entry) is tuple
        for base in line[:-2]
        for name, entry in _type_dict(base).items()
    )


def _fields(kind: type, line: tuple[type, ...], value: Any) -> dict[str, Any] | None:
    """The real content of an instance, or None unless its classes are all made by `class`."""
    fields: dict[str, Any] = {}
    is_enum = type(kind) is _EnumType
    for base in line:
        if base is object:
            continue
        if (_type_flags(base) & (_HEAP | _IMMUTABLE)) != _HEAP:
            if is_enum:
                continue
            return None
        for name, slot in _type_dict(base).items():
            if type(name) is not str:
                continue
            if type(slot) is _MemberSlot:
                try:
                    fields.setdefault(name, _slot_get(slot, value, kind))
                except AttributeError:
                    continue
            elif name == "__dict__" and type(slot) is _Getset:
                content = _getset_get(slot, value, kind)
                for key, part in dict.items(content):
                    if type(key) is str:
                        fields.setdefault(key, part)
    return fields


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


def join_tuple(parts: list[bytes]) -> bytes:
    """The bytes of a tuple whose items are encoded already."""
    return b"(%x:%b" % (len(parts), b"".join(parts))
