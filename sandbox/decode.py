"""Builds Python values from the codec's bytes. For data of our own: what a patch claims stays in
terms, because a hostile dict may be made slow to hash."""

import struct
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandbox.limits import LIMITS, CodecError, Limits
from sandbox.names import Attr, Ref
from sandbox.terms import Term, read
from sandbox.texts import check_leaf


@dataclass(frozen=True, slots=True)
class Stand:
    """Stands for a value that cannot be built outside its module; equal if all parts are.

    `kind` is exception, member, instance, opaque, over, function or fixture.
    """

    kind: str
    label: str
    parts: tuple[Any, ...] = ()


_BARE = {"N": None, "T": True, "F": False, ".": Ellipsis, "~": NotImplemented, "U": None}
_MAPS: dict[str, Callable[[Any], Any]] = {
    "OrderedDict": OrderedDict,
    "defaultdict": lambda pairs: defaultdict(None, pairs),
    "Counter": lambda pairs: Counter(dict(pairs)),
}


def _build(term: Term, known: list[Any]) -> Any:
    tag, content = term.tag, term.content
    if tag in _BARE:
        return Stand("function", "") if tag == "U" else _BARE[tag]
    if tag == "i":
        return int(content, 16)
    if tag == "&":
        return known[int(content, 16)]
    if tag == "f":
        return struct.unpack(">d", content)[0]
    if tag == "c":
        return complex(*struct.unpack(">dd", content))
    if tag in "sbdqrDMHL":
        return check_leaf(tag, content)
    if tag == "@":
        return Ref(term.label)
    if tag == "$":
        return Attr(term.label)
    if tag in "?!X":
        return Stand({"?": "opaque", "!": "over", "X": "fixture"}[tag], term.label)
    if tag == "e":
        return Stand("member", term.label, (content.decode("utf-8", "surrogatepass"),))
    if tag == "E":
        labels, args = content
        return Stand("exception", labels[0], (labels[1:], _build(args, [])))
    return _build_container(term, known)


def _build_container(term: Term, known: list[Any]) -> Any:
    tag, content = term.tag, term.content
    if tag == "B":
        value: Any = bytearray(content)
        known.append(value)
    elif tag == "[":
        value = []
        known.append(value)
        value.extend(_build(item, known) for item in content)
    elif tag in "(St":
        items = tuple(_build(item, known) for item in content)
        value = (
            items
            if tag == "("
            else slice(*items)
            if tag == "S"
            else Stand("named tuple", term.label, items)
        )
    elif tag in "<>":
        items = [_build(item, []) for item in content]
        value = set(items) if tag == "<" else frozenset(items)
        if len(value) != len(items):
            raise CodecError("repeated element")
        if tag == "<":
            known.append(value)
    elif tag == "Q":
        value = deque((), _build(content[0], known))
        known.append(value)
        value.extend(_build(item, known) for item in content[1:])
    elif tag == "{" or tag == "m":
        value = {} if tag == "{" else _MAPS[term.label](())
        known.append(value)
        for key, item in content:
            value[_build(key, known)] = _build(item, known)
        if len(value) != len(content):
            raise CodecError("repeated key")
    else:
        known.append(None)  # an instance: stands are immutable, so a cycle through one is refused
        place = len(known) - 1
        value = Stand(
            "instance",
            term.label,
            tuple(
                (key.content.decode("utf-8", "surrogatepass"), _build(item, known))
                for key, item in content
            ),
        )
        known[place] = value
    return value


def decode(data: bytes, limits: Limits = LIMITS) -> Any:
    """The value that `data` is the canonical form of."""
    try:
        return _build(read(data, limits), [])
    except (TypeError, RecursionError, IndexError) as error:
        raise CodecError("cannot be built") from error
