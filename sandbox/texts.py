"""Leaves whose form is text: read, and refused unless the text is the canonical one."""

import datetime
import decimal
import fractions
from collections.abc import Callable
from typing import Any

from sandbox.limits import MAX_FRACTION_TEXT, CodecError


def _parse_decimal(text: str) -> decimal.Decimal:
    value = decimal.Decimal(text)
    if str(value) != text:
        raise CodecError("not canonical")
    return value


def _parse_fraction(text: str) -> fractions.Fraction:
    if len(text) > MAX_FRACTION_TEXT:
        raise CodecError("long fraction")
    top, bottom = (int(part, 16) for part in text.split("/"))
    value = fractions.Fraction(top, bottom)
    if f"{value.numerator:x}/{value.denominator:x}" != text:
        raise CodecError("not canonical")
    return value


def _parse_range(text: str) -> range:
    start, stop, step = (int(part, 16) for part in text.split(","))
    if f"{start:x},{stop:x},{step:x}" != text:
        raise CodecError("not canonical")
    return range(start, stop, step)


def _parse_timedelta(text: str) -> datetime.timedelta:
    if len(text) > 40:
        raise CodecError("long duration")
    days, seconds, micros = (int(part) for part in text.split(","))
    value = datetime.timedelta(days, seconds, micros)
    if f"{value.days},{value.seconds},{value.microseconds}" != text:
        raise CodecError("not canonical")
    return value


def _parse_iso(kind: Any) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        if len(text) > 60:
            raise CodecError("long date")
        if kind is datetime.date:
            value, again = (found := kind.fromisoformat(text)), found.isoformat()
        else:
            bare = text.removesuffix("~")
            value = kind.fromisoformat(bare).replace(fold=int(bare != text))
            again = (
                value.isoformat("T", "microseconds")
                if kind is datetime.datetime
                else value.isoformat("microseconds")
            ) + "~" * value.fold
        if again != text:
            raise CodecError("not canonical")
        return value

    return parse


_PARSERS: dict[str, Callable[[str], Any]] = {
    "d": _parse_decimal,
    "q": _parse_fraction,
    "r": _parse_range,
    "L": _parse_timedelta,
    "D": _parse_iso(datetime.date),
    "M": _parse_iso(datetime.datetime),
    "H": _parse_iso(datetime.time),
}


def check_leaf(tag: str, content: bytes) -> Any:
    try:
        if tag == "s":
            return content.decode("utf-8", "surrogatepass")
        if tag in "bB":
            return content
        return _PARSERS[tag](content.decode("ascii"))
    except CodecError:
        raise
    except (ValueError, ArithmeticError, OverflowError, decimal.DecimalException) as error:
        raise CodecError(f"bad content of {tag}") from error
