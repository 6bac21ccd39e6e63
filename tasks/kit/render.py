"""Templates with `$slot` marks, and exact edits; anything left over or ambiguous is an error."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent, indent
from typing import Any

from tasks.kit.category import AuthoringError, Change

# A slot alone on its line takes a fragment of any number of lines, indented as the slot is.
_MARK = re.compile(
    r"(?P<block>^(?P<pad>[ ]*)\$(?P<b1>[A-Za-z_]\w*)[ ]*(?:\n|\Z))"
    r"|\$(?:(?P<i1>[A-Za-z_]\w*)|\{(?P<i2>[A-Za-z_]\w*)\}|(?P<dollar>\$)|(?P<bad>))",
    re.MULTILINE,
)
_DEEPEST = 8
_GAP = "\x00"
_GAP_BELOW_BLANK = re.compile(rf"\n\n{_GAP}+\n")


class Slots(dict[str, Any]):
    """Slot fills that remember how each reads once rendered; not to be changed afterwards."""

    __slots__ = ("rendered",)

    def __init__(self, *given: Mapping[str, Any]) -> None:
        super().__init__()
        for fills in given:
            self.update(fills)
        self.rendered: dict[tuple[str, bool], str] = {}


@dataclass(frozen=True, slots=True)
class _Mark:
    """A slot within a template; a block has a line of its own, indented by `pad`."""

    name: str
    is_block: bool
    pad: str
    ending: str


def render(template: str, slots: Mapping[str, Any], depth: int = 0) -> str:
    """Fill every slot, also those inside fills. `$$` stands for a dollar sign."""
    if "$" not in template:
        return template
    if depth > _DEEPEST:
        raise AuthoringError(f"slots refer to each other in a circle near {template[:60]!r}")
    parts = _parsed(template)
    return _close_gaps(
        "".join([p if isinstance(p, str) else _filled(p, slots, depth) for p in parts])
    )


@lru_cache(8192)
def _parsed(template: str) -> tuple[str | _Mark, ...]:
    """Text and marks by turns: a category renders the same few hundred templates all the time."""
    parts: list[str | _Mark] = []
    end = 0
    for mark in _MARK.finditer(template):
        parts.append(template[end : mark.start()])
        end = mark.end()
        name = mark["b1"] or mark["i1"] or mark["i2"]
        if mark["dollar"]:
            parts.append("$")
        elif name:
            ending = "\n" if mark[0].endswith("\n") else ""
            parts.append(_Mark(name, mark["block"] is not None, mark["pad"] or "", ending))
        else:
            around = template[max(0, mark.start() - 30) : mark.start() + 30]
            raise AuthoringError(f"a stray dollar sign in {around!r}")
    return (*parts, template[end:])


def _filled(mark: _Mark, slots: Mapping[str, Any], depth: int) -> str:
    known = slots.rendered if isinstance(slots, Slots) else {}
    key = (mark.name, mark.is_block)
    text = known.get(key)
    if text is None:
        text = known[key] = _fill(mark, slots, depth)
    if not mark.is_block:
        return text
    return indent(text, mark.pad) + mark.ending if text else _GAP


def _fill(mark: _Mark, slots: Mapping[str, Any], depth: int) -> str:
    name = mark.name
    if name not in slots:
        raise AuthoringError(f"nothing fills the slot ${name}")
    value = slots[name]
    if not isinstance(value, (str, int)):
        raise AuthoringError(
            f"${name} is {type(value).__name__}; only text and integers fill slots"
        )
    if mark.is_block:
        return render(_unindented(str(value)), slots, depth + 1)
    text = render(str(value), slots, depth + 1).strip("\n")
    if "\n" in text:
        raise AuthoringError(f"${name} has several lines but shares its line with other text")
    return text


@lru_cache(1024)
def _unindented(text: str) -> str:
    return dedent(text).strip("\n")


def _close_gaps(text: str) -> str:
    """Take out the lines of empty fragments; of blank lines on both sides, keep those above."""
    if _GAP not in text:
        return text
    return _GAP_BELOW_BLANK.sub("\n\n", text).replace(_GAP, "")


def module_text(template: str, slots: Mapping[str, Any]) -> str:
    """A module: one final newline, none at the start."""
    return render(template.strip("\n") + "\n", slots).strip("\n") + "\n"


def sentence(template: str, slots: Mapping[str, Any]) -> str:
    """A clause: white space collapsed, so that authors may break lines at will."""
    return " ".join(render(_one_line(template), slots).split())


@lru_cache(1024)
def _one_line(template: str) -> str:
    return " ".join(template.split())


def apply_change(
    change: Change, template: str, reference: str, slots: Mapping[str, Any]
) -> tuple[str, tuple[tuple[int, int, str], ...]]:
    """The changed module and the spans of the reference it replaces; identical text is an error."""
    if change.slots:
        text = module_text(template, {**slots, **change.slots})
        spans: tuple[tuple[int, int, str], ...] = ()
        if change.edits:
            raise AuthoringError(f"{change.name}: give edits or slots, not both")
    else:
        spans = tuple(sorted(_span(change.name, edit, reference, slots) for edit in change.edits))
        text = replace_spans(reference, spans)
    if text == reference:
        raise AuthoringError(f"{change.name} leaves the module as it is")
    return text, spans


def replace_spans(text: str, spans: tuple[tuple[int, int, str], ...]) -> str:
    """Replace non-overlapping spans, given in order."""
    parts, end = [], 0
    for start, stop, replacement in spans:
        if start < end:
            raise AuthoringError(f"edits overlap at {text[start:stop][:60]!r}")
        parts += [text[end:start], replacement]
        end = stop
    return "".join([*parts, text[end:]])


def _span(
    name: str, edit: tuple[str, str], reference: str, slots: Mapping[str, Any]
) -> tuple[int, int, str]:
    find, replacement = (render(_unwrap(part), slots) for part in edit)
    start = reference.find(find)
    if start < 0:
        raise AuthoringError(f"{name}: {find!r} is not in the module:\n{reference}")
    if reference.find(find, start + 1) >= 0:
        raise AuthoringError(f"{name}: {find!r} is in the module more than once")
    return start, start + len(find), replacement


def _unwrap(part: str) -> str:
    """Text that starts with a line break is a block of whole lines between triple quotes."""
    return part[1:].rstrip(" ") if part.startswith("\n") else part
