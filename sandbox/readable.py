"""What was observed, in words for the person whose patch it is."""

import struct

from sandbox.codec import CodecError
from sandbox.terms import Term, read

MAX_TEXT = 400
_BARE = {"N": "None", "T": "True", "F": "False", ".": "...", "~": "NotImplemented"}
_LISTS = {"(": ("(", ")"), "[": ("[", "]"), "<": ("{", "}"), ">": ("frozenset({", "})")}
_TEXT = {
    "d": "Decimal('{}')", "q": "Fraction({})", "r": "range({})", "D": "date({})",
    "M": "datetime({})", "H": "time({})", "L": "timedelta({})",
}  # fmt: skip


def readable(observation: bytes) -> str:
    """The outcomes of all steps and the watched values, on one line, cut to `MAX_TEXT`."""
    try:
        _, steps, watched = read(observation).content
        parts = [_step(step) for step in steps.content if step.content[0].content != b"bound"]
        parts += [f"afterwards {_text(value)}" for value in watched.content]
    except (CodecError, ValueError, IndexError, AttributeError):
        return "no readable answer"
    text = "; ".join(parts) or "nothing"
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def _step(step: Term) -> str:
    kind, value, effects = step.content
    text = ("raised " if kind.content == b"raised" else "") + _text(value)
    events = ", ".join(_event(event) for event in effects.content)
    return f"{text} after {events}" if events else text


def _event(event: Term) -> str:
    if event.tag != "(":
        return _text(event)
    words = [part.content.decode(errors="replace") for part in event.content[:2]]
    rest = event.content[2:]
    given = [_text(part) for part in rest]
    if len(rest) == 2 and rest[0].tag == "(" and rest[1].tag == "{":
        given = [_text(part) for part in rest[0].content]
        given += [f"{_bare(key)}={_text(value)}" for key, value in rest[1].content]
    return f"{words[0]}{'' if words[1] == 'call' else '.' + words[1]}({', '.join(given)})"


def _bare(term: Term) -> str:
    return term.content.decode(errors="replace") if term.tag == "s" else _text(term)


def _text(term: Term) -> str:
    tag, content = term.tag, term.content
    if tag in _BARE:
        return _BARE[tag]
    if tag == "i":
        return str(int(content, 16)) if len(content) < 3000 else f"0x{content.decode()}"
    if tag == "f":
        return repr(struct.unpack(">d", content)[0])
    if tag == "c":
        return repr(complex(*struct.unpack(">dd", content)))
    if tag == "s":
        return text_literal(content)
    if tag in "bB":
        return repr(content) if tag == "b" else f"bytearray({content!r})"
    if tag in _TEXT:
        return _TEXT[tag].format(content.decode())
    if tag in _LISTS:
        left, right = _LISTS[tag]
        inner = ", ".join(_text(item) for item in content)
        if tag == "<" and not content:
            return "set()"
        return f"{left}{inner}{',' if tag == '(' and len(content) == 1 else ''}{right}"
    return _named(term)


def _named(term: Term) -> str:
    tag, content, label = term.tag, term.content, term.label
    if tag in "{m":
        inner = ", ".join(f"{_text(key)}: {_text(value)}" for key, value in content)
        return f"{{{inner}}}" if tag == "{" else f"{label}({{{inner}}})"
    if tag == "O":
        return f"{label}({', '.join(f'{_bare(key)}={_text(value)}' for key, value in content)})"
    if tag == "E":
        labels, args = content
        inner = ", ".join(_text(arg) for arg in args.content) if args.tag == "(" else "…"
        return f"{labels[0].removeprefix('.')}({inner})"
    if tag == "e":
        return f"{label}.{content.decode(errors='replace')}"
    if tag in "SQt":
        name = {"S": "slice", "Q": "deque", "t": label}[tag]
        return f"{name}({', '.join(_text(item) for item in content)})"
    if tag == "?":
        return f"an object of type {label}, which cannot be compared"
    if tag == "!":
        return f"a value over the limit ({label})"
    return {"U": "a function", "&": "the same object again"}.get(tag, label)


def text_literal(content: bytes) -> str:
    """Text as a literal in which no control character reaches a terminal."""
    return repr(content.decode("utf-8", "surrogatepass"))
