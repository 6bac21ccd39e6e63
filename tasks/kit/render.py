"""Templates with `$slot` marks, and exact edits; anything left over or ambiguous is an error."""

import re
from collections.abc import Mapping
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


def render(template: str, slots: Mapping[str, Any], depth: int = 0) -> str:
    """Fill every slot, also those inside fills. `$$` stands for a dollar sign."""
    if "$" not in template:
        return template
    if depth > _DEEPEST:
        raise AuthoringError(f"slots refer to each other in a circle near {template[:60]!r}")

    def fill(mark: re.Match[str]) -> str:
        if mark["dollar"]:
            return "$"
        name = mark["b1"] or mark["i1"] or mark["i2"]
        if not name:
            around = template[max(0, mark.start() - 30) : mark.start() + 30]
            raise AuthoringError(f"a stray dollar sign in {around!r}")
        if name not in slots:
            raise AuthoringError(f"nothing fills the slot ${name}")
        value = slots[name]
        if not isinstance(value, (str, int)):
            raise AuthoringError(
                f"${name} is {type(value).__name__}; only text and integers fill slots"
            )
        text = str(value)
        if mark["block"] is None:
            text = render(text, slots, depth + 1)
            if "\n" in text.strip("\n"):
                raise AuthoringError(
                    f"${name} has several lines but shares its line with other text"
                )
            return text.strip("\n")
        text = render(dedent(text).strip("\n"), slots, depth + 1)
        ending = "\n" if mark[0].endswith("\n") else ""
        return indent(text, mark["pad"]) + ending if text else _GAP

    return _close_gaps(_MARK.sub(fill, template))


def _close_gaps(text: str) -> str:
    """Take out the lines of empty fragments; of blank lines on both sides, keep those above."""
    if _GAP not in text:
        return text
    text = re.sub(rf"\n\n{_GAP}+\n", "\n\n", text)
    return text.replace(_GAP, "")


def module_text(template: str, slots: Mapping[str, Any]) -> str:
    """A module: one final newline, none at the start."""
    return render(template.strip("\n") + "\n", slots).strip("\n") + "\n"


def sentence(template: str, slots: Mapping[str, Any]) -> str:
    """A clause: white space collapsed, so that authors may break lines at will."""
    return " ".join(render(" ".join(template.split()), slots).split())


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
