"""Forms of values without parts, by exact type.

The builtins are bound here before hostile code is loaded, and the table is keyed by the id of a
type: a hash of the type itself would run a hostile metaclass.
"""

import datetime
import decimal
import fractions
import struct
import types
from collections.abc import Callable
from typing import Any

from sandbox.limits import LIMITS, MAX_FRACTION_TEXT, OverLimit
from sandbox.names import Attr, Ref
from sandbox.pristine import abs, bytes, id, len, str, type

_pack_double = struct.Struct(">d").pack
_NAN = b"\x7f\xf8" + bytes(6)
_Decimal, _Fraction = decimal.Decimal, fractions.Fraction
_numerator = fractions.Fraction.__dict__["_numerator"].__get__
_denominator = fractions.Fraction.__dict__["_denominator"].__get__


def _int(value: int) -> bytes:
    if value.bit_length() > 4 * LIMITS.size:
        raise OverLimit("size")
    return b"i%x;" % value


def _float(value: float) -> bytes:
    return b"f" + (_NAN if value != value else _pack_double(value))


def _complex(value: complex) -> bytes:
    return b"c" + _float(value.real)[1:] + _float(value.imag)[1:]


# Keys and names come again and again; the forms of short texts are kept.
_texts: dict[str, bytes] = {}
find_text = _texts.get
MAX_KEPT_TEXTS, MAX_KEPT_LENGTH = 4096, 32


def encode_text(value: str) -> bytes:
    """The form of exactly a `str`."""
    known = find_text(value)
    if known is not None:
        return known
    if len(value) > LIMITS.size:
        raise OverLimit("size")
    data = value.encode("utf-8", "surrogatepass")
    form = b"s%x:%b" % (len(data), data)
    if len(value) <= MAX_KEPT_LENGTH and len(_texts) < MAX_KEPT_TEXTS:
        _texts[value] = form
    return form


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


def datetime_form(value: datetime.datetime) -> bytes:
    return _text(b"M", value.isoformat("T", "microseconds") + "~" * value.fold)


def time_form(value: datetime.time) -> bytes:
    return _text(b"H", value.isoformat("microseconds") + "~" * value.fold)


def _timedelta(value: datetime.timedelta) -> bytes:
    return _text(b"L", f"{value.days},{value.seconds},{value.microseconds}")


def name_form(text: Any) -> bytes:
    return encode_text(text[:200]) if type(text) is str else b"s1:?"


_LEAVES: dict[int, Callable[[Any], bytes]] = {
    id(type(None)): lambda value: b"N",
    id(bool): lambda value: b"T" if value else b"F",
    id(type(Ellipsis)): lambda value: b".",
    id(type(NotImplemented)): lambda value: b"~",
    id(int): _int,
    id(float): _float,
    id(complex): _complex,
    id(str): encode_text,
    id(bytes): _bytes,
    id(decimal.Decimal): _decimal,
    id(fractions.Fraction): _fraction,
    id(range): _range,
    id(datetime.date): lambda value: _text(b"D", value.isoformat()),
    id(datetime.timedelta): _timedelta,
    id(Ref): lambda value: b"@" + name_form(value.name),
    id(Attr): lambda value: b"$" + name_form(value.name),
    id(types.FunctionType): lambda value: b"U",
    id(types.MethodType): lambda value: b"U",
    id(types.BuiltinFunctionType): lambda value: b"U",
}
find_leaf = _LEAVES.get


def write_by_name(kind: type, name_of: Callable[[Any], str]) -> None:
    """Makes instances of exactly `kind` be written as the name that they go by in a check."""
    _LEAVES[id(kind)] = lambda value: b"X" + name_form(name_of(value))
