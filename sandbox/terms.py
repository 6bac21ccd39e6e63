"""Reads the codec's bytes as terms: strictly, without building or hashing what they claim.

Bytes of a hostile process become inert pairs of a tag and its content that can be compared and
printed. Any deviation from the one canonical form, and anything over the limits, is a
`CodecError`; no other exception is raised.
"""

import math
import re
import struct
from typing import Any, NamedTuple

from sandbox.limits import LIMITS, CodecError, Limits
from sandbox.texts import check_leaf


class Term(NamedTuple):
    """`content` of a leaf: its bytes. Of a container: terms. Of a mapping: (key, value) terms.

    `label` is the type's name for `m t e O ?` and the reason for `!`. `raw` is the canonical form.
    """

    tag: str
    content: Any
    label: str
    raw: bytes


_HEX = re.compile(rb"0|-?[1-9a-f][0-9a-f]*")
_COUNT = re.compile(rb"0|[1-9a-f][0-9a-f]{0,7}")
_SHORT_COUNTS = {b"%x" % number: number for number in range(256)}
_NAN = b"\x7f\xf8" + bytes(6)
_BARE = "NTF.~U"
_MAPS = ("OrderedDict", "defaultdict", "Counter")
NUMBERED = frozenset("[{<BQmO")
_TAGS = [chr(byte) for byte in range(256)]
_BARE_TERMS = {tag: Term(tag, b"", "", tag.encode()) for tag in _BARE}


class _Reader:
    __slots__ = ("data", "pos", "items", "limits", "numbers", "unnumbered")

    def __init__(self, data: bytes, limits: Limits) -> None:
        self.data = data
        self.pos = 0
        self.items = limits.items
        self.limits = limits
        self.numbers = 0
        self.unnumbered = 0

    def term(self, depth: int) -> Term:
        start = self.pos
        if start >= len(self.data):
            raise CodecError("cut off")
        tag = _TAGS[self.data[start]]
        self.pos = start + 1
        if tag in _BARE:
            return _BARE_TERMS[tag]
        if tag in NUMBERED and not self.unnumbered:
            self.numbers += 1
        label = ""
        if tag == "s":
            content: Any = self.take(self.count())
            if not content.isascii():
                check_leaf("s", content)
        elif tag == "i" or tag == "&":
            content = self.number(tag)
        elif tag == "f" or tag == "c":
            content = self.doubles(1 if tag == "f" else 2)
        elif tag in "bBdqrDMHL":
            content = self.take(self.count())
            check_leaf(tag, content)
        elif tag in "?!X@$":
            label, content = self.name(), b""
        elif tag == "e":
            label, content = self.name(), self.name().encode("utf-8", "surrogatepass")
        elif depth >= self.limits.depth:
            raise CodecError("too deep")
        elif tag in "([<>StQ":
            label, content = self.sequence(tag, depth + 1)
        elif tag in "{mO":
            label, content = self.pairs(tag, depth + 1)
        elif tag == "E":
            content = self.exception(depth + 1)
        else:
            raise CodecError("unknown tag")
        return Term(tag, content, label, self.data[start : self.pos])

    def take(self, size: int) -> bytes:
        end = self.pos + size
        if end > len(self.data):
            raise CodecError("cut off")
        part = self.data[self.pos : end]
        self.pos = end
        return part

    def count(self) -> int:
        start = self.pos
        end = self.data.find(b":", start, start + 3)
        if end > 0 and (short := _SHORT_COUNTS.get(self.data[start:end])) is not None:
            self.pos = end + 1
            return short
        found = _COUNT.match(self.data, self.pos)
        if found is None or self.data[found.end() : found.end() + 1] != b":":
            raise CodecError("bad length")
        self.pos = found.end() + 1
        return int(found.group(), 16)

    def opened(self, extra: int = 0) -> int:
        count = self.count()
        self.items -= count + extra
        if self.items < 0:
            raise CodecError("too many items")
        return count

    def number(self, tag: str) -> bytes:
        found = _HEX.match(self.data, self.pos)
        if found is None or self.data[found.end() : found.end() + 1] != b";":
            raise CodecError("bad number")
        self.pos = found.end() + 1
        text = found.group()
        if tag == "&" and (
            len(text) > 8 or self.unnumbered or not 0 <= int(text, 16) < self.numbers
        ):
            raise CodecError("bad alias")
        return text

    def doubles(self, count: int) -> bytes:
        content = self.take(8 * count)
        for start in range(0, 8 * count, 8):
            part = content[start : start + 8]
            if part != _NAN and math.isnan(struct.unpack(">d", part)[0]):
                raise CodecError("bad NaN")
        return content

    def name(self) -> str:
        if self.take(1) != b"s":
            raise CodecError("a name is text")
        content = self.take(self.count())
        check_leaf("s", content)
        text = content.decode("utf-8", "surrogatepass")
        if len(text) > 200:
            raise CodecError("long name")
        return text

    def sequence(self, tag: str, depth: int) -> tuple[str, tuple[Term, ...]]:
        count = self.opened()
        if tag == "S" and count != 3:
            raise CodecError("a slice has three parts")
        label = self.name() if tag == "t" else ""
        is_set = tag in "<>"
        self.unnumbered += is_set
        head = (self.term(depth),) if tag == "Q" else ()
        terms = head + tuple(self.term(depth) for _ in range(count))
        self.unnumbered -= is_set
        if is_set and any(a.raw >= b.raw for a, b in zip(terms, terms[1:], strict=False)):
            raise CodecError("a set is sorted and has no repeats")
        if tag == "Q" and not (terms[0].tag == "N" or _is_length(terms[0], count)):
            raise CodecError("bad maximum length")
        return label, terms

    def pairs(self, tag: str, depth: int) -> tuple[str, tuple[tuple[Term, Term], ...]]:
        count = self.opened()
        label = "" if tag == "{" else self.name()
        if tag == "m" and label not in _MAPS:
            raise CodecError("unknown mapping")
        pairs = []
        for _ in range(count):
            if tag == "O":
                start = self.pos
                name = self.name()
                key = Term(
                    "s", name.encode("utf-8", "surrogatepass"), "", self.data[start : self.pos]
                )
            else:
                key = self.term(depth)
            pairs.append((key, self.term(depth)))
        names = [key.content if tag == "O" else key.raw for key, _ in pairs]
        if tag == "O":
            if any(a >= b for a, b in zip(names, names[1:], strict=False)):
                raise CodecError("fields are sorted and have no repeats")
        elif len(set(names)) != count:
            raise CodecError("repeated key")
        return label, tuple(pairs)

    def exception(self, depth: int) -> tuple[tuple[str, ...], Term]:
        count = self.opened()
        if not count:
            raise CodecError("an exception has a type")
        labels = tuple(self.name() for _ in range(count))
        self.unnumbered += 1
        args = self.term(depth)
        self.unnumbered -= 1
        if args.tag not in "(!":
            raise CodecError("arguments are a tuple")
        return labels, args


def _is_length(term: Term, least: int) -> bool:
    return term.tag == "i" and len(term.content) < 16 and int(term.content, 16) >= least


def read_at(data: bytes, start: int) -> Term:
    """The term that begins at `start`, whatever follows it; the numbers of aliases go unchecked."""
    reader = _Reader(data, LIMITS)
    reader.pos, reader.numbers = start, 1 << 32
    return reader.term(0)


def read(data: bytes, limits: Limits = LIMITS) -> Term:
    """The term that `data` is the canonical form of."""
    if len(data) > limits.size:
        raise CodecError("too large")
    reader = _Reader(data, limits)
    term = reader.term(0)
    if reader.pos != len(data):
        raise CodecError("bytes left over")
    return term
