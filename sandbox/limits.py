"""What the codec refuses, and from which size on."""

from dataclasses import dataclass


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
