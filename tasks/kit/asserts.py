"""A check and what the reference shows for it, as Python that a person can read."""

import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from sandbox.checks import Check, Fixture, Reply, Step
from sandbox.codec import Attr, Ref
from sandbox.decode import Stand, decode

_TIMES = (date, time, datetime, timedelta)
_INFIX = {
    "@add": "+", "@sub": "-", "@eq": "==", "@ne": "!=", "@lt": "<", "@le": "<=", "@gt": ">",
    "@ge": ">=",
}  # fmt: skip
# An error within what a check expects.
_SHOWN_ERROR = re.compile(r"^assert .*\b[A-Z]\w*(Error|Exception|Exit|Interrupt|Iteration)\(", re.M)
_NOTES = {
    "raises": "`with raises(E) as e:` passes if E, or a subclass of E, is raised; e is that error.",
    "error": "An error equals one of the same type or of a subclass, whatever its arguments.",
    "effects": "`effects()` lists the calls to helpers since it was last asked.",
    "clock": "`Clock(t)`: virtual time; calling it or `.now` gives it, `.sleep(d)` moves it and is "
    "one of those calls.",
    "callback": "`Callback(*replies)`: a function; gives its replies in order, the last for ever.",
    "recorder": "`Recorder(method=replies)`: an object whose methods give their replies in order.",
    "stream": "`Stream(items)`: an iterator that can be walked once; `.pulls` counts the requests.",
    "lock": "`Lock()`: `yield from lock.acquire()` waits for its turn; `.release()` frees it.",
    "take": "`take(it, n)`: pulls at most n items; gives them and 'open', 'finished' or the error.",
    "interleave": "`interleave(tasks, schedule)`: each name in the schedule lets that generator "
    "run to its next yield; then turns go round. Gives (name, outcome, value) of each.",
    "close": "`close=[names]`: these generators are closed when the schedule has ended.",
    "run_async": "`run(coroutine)`: runs on an event loop with virtual time.",
}


def readable(check: Check, expected: bytes) -> str:
    """The lines of a check; `expected` is the observation of the reference."""
    _, outcomes, watched = decode(expected)
    lines = [f"{name} = {_fixture(fixture)}" for name, fixture in check.fixtures.items()]
    steps = iter(outcomes)
    for step in check.steps:
        lines += _step(step, steps, check.compare.exception_args)
    lines += [f"assert {n} == {show(v)}" for n, v in zip(check.watch, watched, strict=True)]
    return "\n".join(lines)


def helper_notes(checks: Sequence[Check], shown: str) -> list[str]:
    """One line for each helper that the asserts of these checks use; `shown` is their text."""
    used = {fixture.kind for check in checks for fixture in check.fixtures.values()}
    used |= {step.op for check in checks for step in check.steps}
    used |= {word for word in ("raises", "effects") if f"{word}(" in shown}
    if "], close=[" in shown:
        used.add("close")
    if _SHOWN_ERROR.search(shown) and not any(check.compare.exception_args for check in checks):
        used.add("error")
    return [note for kind, note in _NOTES.items() if kind in used]


def show(value: Any) -> str:
    """A value, or what stands for one, as an expression."""
    if isinstance(value, (Ref, Attr)):
        return value.name
    if isinstance(value, Stand):
        return _stand(value)
    if type(value) is tuple:
        return f"({', '.join(map(show, value))}{',' if len(value) == 1 else ''})"
    if type(value) is list:
        return f"[{', '.join(map(show, value))}]"
    if type(value) is dict:
        return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in value.items()) + "}"
    if type(value) is OrderedDict:
        return f"OrderedDict({show(dict(value))})"
    if type(value) is deque:
        return f"deque({show(list(value))})"
    if type(value) in (set, frozenset) and value:
        inner = ", ".join(sorted(map(show, value)))
        return "{" + inner + "}" if type(value) is set else "frozenset({" + inner + "})"
    # Modules import the names of datetime, so that is how they are shown.
    return repr(value).replace("datetime.", "") if type(value) in _TIMES else repr(value)


def _stand(value: Stand) -> str:
    label = value.label.lstrip(".")
    if value.kind == "exception":
        arguments = value.parts[1] if isinstance(value.parts[1], tuple) else ()
        return f"{label}({', '.join(map(show, arguments))})"
    if value.kind == "instance":
        return f"{label}({', '.join(f'{n}={show(v)}' for n, v in value.parts)})"
    if value.kind == "named tuple":
        return f"{label}({', '.join(map(show, value.parts))})"
    if value.kind == "member":
        return f"{label}.{value.parts[0]}"
    return label


def _reply(reply: Reply) -> str:
    if reply.kind == "raises":
        shown = f"raises({', '.join([reply.text.lstrip('.'), *map(show, reply.payload)])})"
    else:
        shown = show(reply.payload)
    return shown if reply.takes is None else f"after({show(reply.takes)}, {shown})"


def _fixture(fixture: Fixture) -> str:
    kind, parts = fixture.kind, fixture.parts
    if kind == "value":
        return show(parts[0])
    if kind == "clock":
        return f"Clock({show(parts[0])})"
    if kind == "callback":
        name = "AsyncCallback" if parts[2] else "Callback"
        return f"{name}({', '.join(map(_reply, parts[0]))})"
    if kind == "recorder":
        methods = (f"{name}={_replies(replies)}" for name, replies in parts[0])
        return f"{'AsyncRecorder' if parts[2] else 'Recorder'}({', '.join(methods)})"
    if kind == "stream":
        items, fails_at, error, _ = parts
        fails = "" if fails_at is None else f", fails_at={fails_at}, error={_reply(error)}"
        return f"Stream({show(list(items))}{fails})"
    return "Lock()"


def _replies(replies: tuple[Reply, ...]) -> str:
    if len(replies) == 1:
        return _reply(replies[0])
    return f"({', '.join(map(_reply, replies))})"


def _step(step: Step, outcomes: Any, strict: bool) -> list[str]:
    """The lines of one step; takes its outcome, and those of steps inside it, from the iterator.

    `strict`: the arguments of errors count, so they are shown.
    """
    if step.op == "within":
        return _within(step, outcomes, strict)
    kind, value, effects = next(outcomes)
    if step.op == "tick":
        return [f"{step.parts[0]}.sleep({show(step.parts[1])})"]
    if step.op == "put":
        lines = [f"{step.parts[0]} = {show(step.parts[1])}"]
        lines = _raised(lines, value, None, strict) if kind == "raised" else lines
    else:
        text = _expression(step)
        if kind == "raised":
            lines = _raised([text], value, step.bind, strict)
        elif kind == "bound":
            lines = [f"{step.bind} = {text}"]
        else:
            lines = [_assertion(text, value)]
    if effects:
        lines.append(f"assert effects() == [{', '.join(map(_effect, effects))}]")
    return lines


def _within(step: Step, outcomes: Any, strict: bool) -> list[str]:
    name, steps, error = step.parts
    head = f"with {name}{f' as {step.bind}' if step.bind else ''}:"
    body = [line for inner in steps for line in _step(inner, outcomes, strict)]
    if error is not None:
        body.append(f"raise {_reply(error)[7:-1]}")
    kind, value, effects = next(outcomes)
    lines = [head, *(f"    {line}" for line in body or ["pass"])]
    if kind == "raised":
        lines = _raised(lines, value, None, strict)
    if effects:
        lines.append(f"assert effects() == [{', '.join(map(_effect, effects))}]")
    return lines


def _raised(lines: list[str], error: Stand, bind: str | None, strict: bool) -> list[str]:
    """The lines inside a block that expects the error; `bind` names it for later steps."""
    name = bind or ("error" if strict else None)
    head = f"with raises({error.label.lstrip('.')}){f' as {name}' if name else ''}:"
    shown = [f"assert {name}.args == {show(error.parts[1])}"] if strict else []
    return [head, *(f"    {line}" for line in lines), *shown]


def _assertion(text: str, value: Any) -> str:
    if value is None or isinstance(value, bool):
        return f"assert {f'({text})' if ' ' in text.split('(')[0] else text} is {value}"
    return f"assert {text} == {show(value)}"


def _arguments(args: Iterable[Any], kwargs: Any) -> str:
    return ", ".join([*map(show, args), *(f"{name}={show(v)}" for name, v in kwargs.items())])


def _expression(step: Step) -> str:
    if step.op == "call":
        return _call(*step.parts)
    if step.op in ("get", "look"):
        return step.parts[0]
    if step.op == "take":
        return f"take({step.parts[0]}, {step.parts[1]})"
    if step.op == "same":
        return f"({step.parts[0]} is {step.parts[1]})"
    if step.op == "interleave":
        plan, schedule, _, close = step.parts
        tasks = ", ".join(f"{label!r}: {t}({_arguments(args, {})})" for label, t, args in plan)
        closing = f", close={list(close)}" if close else ""
        return f"interleave({{{tasks}}}, {list(schedule)}{closing})"
    target, args, kwargs, _ = step.parts
    return f"run({target}({_arguments(args, kwargs)}))"


def _call(target: str, args: tuple[Any, ...], kwargs: Any) -> str:
    if not target.startswith("@"):
        return f"{target}({_arguments(args, kwargs)})"
    if target in _INFIX:
        return f"({show(args[0])} {_INFIX[target]} {show(args[1])})"
    if target == "@contains":
        return f"({show(args[1])} in {show(args[0])})"
    if target == "@getitem":
        return f"{show(args[0])}[{show(args[1])}]"
    if target == "@setitem":
        return f"{show(args[0])}.__setitem__({_arguments(args[1:], {})})"
    if target == "@delitem":
        return f"{show(args[0])}.__delitem__({show(args[1])})"
    if target in ("@enter", "@exit"):
        return f"{show(args[0])}.__{target[1:]}__({_arguments(args[1:], {})})"
    return f"{target[1:]}({_arguments(args, kwargs)})"


def _effect(effect: tuple[Any, ...]) -> str:
    """What a helper logged: (helper, method, args, kwargs) or (helper, what, amount)."""
    name, method, *rest = effect
    called = name if method == "call" else f"{name}.{method}"
    if len(rest) == 2 and isinstance(rest[0], tuple) and isinstance(rest[1], dict):
        return f"{called}({_arguments(*rest)})"
    return f"{called}({_arguments(rest, {})})"
