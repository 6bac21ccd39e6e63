"""Templates with `$slot` marks, and exact edits; anything left over or ambiguous is an error."""

import re
from collections.abc import Mapping
from functools import lru_cache
from textwrap import dedent
from typing import Any

from tasks.kit.category import AuthoringError, Change

# A slot alone on its line takes a fragment of any number of lines, indented as the slot is.
_MARK = re.compile(
    r"^(?P<pad>[ ]*)\$(?P<alone>[A-Za-z_]\w*)(?P<end>[ ]*(?:\n|\Z))"
    r"|\$(?:(?P<bare>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\}|(?P<dollar>\$)|(?P<stray>))",
    re.MULTILINE,
)
_LINE_BREAK = re.compile(r"\n(?!\n)")
_DEEPEST = 8
_GAP = "\x00"
_GAP_BELOW_BLANK = re.compile(rf"\n\n{_GAP}+\n")


class Slots(dict[str, str]):
    """What fills the slots, and how each place that mentions one reads: found once, then kept.

    A slot within a line is mentioned as `name`, one alone on its line with its indentation and
    its line break as `    $name\\n`. `fills` is not to be changed.
    """

    __slots__ = ("_depth", "_noted", "fills")

    def __init__(self, *given: Mapping[str, Any]) -> None:
        self.fills: dict[str, Any] = {}
        self._depth = 0
        self._noted: list[str] = []
        for some in given:
            self.fills |= some.fills if isinstance(some, Slots) else some
        # Most fills are words: found here, they need no look of their own later.
        super().__init__([(name, fill) for name, fill in self.fills.items() if _is_word(fill)])

    def refilled(self, fills: Mapping[str, Any]) -> "Slots":
        """The same slots, some with other fills; what does not hang on those is not filled anew."""
        other = Slots()
        other.fills = {**self.fills, **fills}
        other.update(self)
        stale = set(fills)
        for name in fills:
            other.pop(name, None)
        # A text is noted after all those that it holds, so one pass finds what hangs on what.
        for mention in self._noted:
            name = mention.rpartition("$")[2].rstrip("\n")
            if name in stale or not stale.isdisjoint(_names_in(str(self.fills[name]))):
                stale.add(name)
                other.pop(mention, None)
            else:
                other._noted.append(mention)
        return other

    def __missing__(self, mention: str) -> str:
        pad, is_block, name = mention.rpartition("$")
        name = name.rstrip("\n")
        fill = self._fill(name)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise AuthoringError(f"slots refer to each other in a circle near ${name}")
        if is_block:
            text = render(_unindented(fill), self)
            ending = "\n" if mention[-1] == "\n" else ""
            text = pad + _LINE_BREAK.sub("\n" + pad, text) + ending if text else _GAP
        else:
            text = render(fill, self, within_line=True).strip("\n")
            if "\n" in text:
                raise AuthoringError(f"${name} has several lines but shares its line with others")
        self._depth -= 1
        self[mention] = text
        self._noted.append(mention)
        return text

    def _fill(self, name: str) -> str:
        if name not in self.fills:
            raise AuthoringError(f"nothing fills the slot ${name}")
        fill = self.fills[name]
        if not isinstance(fill, (str, int)):
            kind = type(fill).__name__
            raise AuthoringError(f"${name} is {kind}; only text and integers fill slots")
        return str(fill)


def _is_word(fill: Any) -> bool:
    return isinstance(fill, str) and "$" not in fill and "\n" not in fill


def render(template: str, slots: Mapping[str, Any], *, within_line: bool = False) -> str:
    """Fill every slot, also those inside fills. `$$` stands for a dollar sign.

    Within a line no slot stands alone, not even one that is all of the template.
    """
    if "$" not in template:
        return template
    text = _format(template, within_line) % (slots if isinstance(slots, Slots) else Slots(slots))
    return _close_gaps(text) if _GAP in text else text


@lru_cache(1024)
def _names_in(fill: str) -> frozenset[str]:
    return frozenset(
        name
        for mark in _MARK.finditer(fill)
        for name in mark.group("alone", "bare", "braced")
        if name
    )


@lru_cache(8192)
def _format(template: str, within_line: bool) -> str:
    """The template as a format for the `%` operator, so that one call fills all its slots.

    A category renders the same few hundred templates all the time.
    """

    def mention(mark: re.Match[str]) -> str:
        if mark["dollar"]:
            return "$"
        name = mark["alone"] or mark["bare"] or mark["braced"]
        if not name:
            around = mark.string[max(0, mark.start() - 30) : mark.start() + 30]
            raise AuthoringError(f"a stray dollar sign in {around!r}")
        if not mark["alone"]:
            return f"%({name})s"
        pad, end = mark["pad"], mark["end"]
        return f"{pad}%({name})s{end}" if within_line else f"%({pad}${name}{end.lstrip(' ')})s"

    return _MARK.sub(mention, template.replace("%", "%%"))


def _close_gaps(text: str) -> str:
    """Take out the lines of empty fragments; of blank lines on both sides, keep those above."""
    return _GAP_BELOW_BLANK.sub("\n\n", text).replace(_GAP, "")


@lru_cache(1024)
def _unindented(text: str) -> str:
    return dedent(text).strip("\n")


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
        known = slots if isinstance(slots, Slots) else Slots(slots)
        text = module_text(template, known.refilled(change.slots))
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
    if not find:
        raise AuthoringError(f"{name}: the text to find is empty")
    start = reference.find(find)
    if start < 0:
        raise AuthoringError(f"{name}: {find!r} is not in the module:\n{reference}")
    if reference.find(find, start + 1) >= 0:
        raise AuthoringError(f"{name}: {find!r} is in the module more than once")
    return start, start + len(find), replacement


def _unwrap(part: str) -> str:
    """Text that starts with a line break is a block of whole lines between triple quotes."""
    return part[1:].rstrip(" ") if part.startswith("\n") else part
