"""Checks as plain data, as bytes for the runner, and back.

`plain` is what `codec_json` writes into prompts; `pack` is what goes to the process of a patch.
"""

from collections.abc import Callable
from typing import Any

from sandbox.checks import BUILTINS, Check, Compare, Fixture, Reply, Step
from sandbox.codec import encode
from sandbox.freezing import Freezer, dump, is_immutable
from sandbox.names import Ref


def plain(check: Check) -> tuple[Any, ...]:
    """The check as tuples of plain data, without clauses and compare."""
    fixtures = tuple(
        (name, item.kind, _plain_fixture(item.kind, item.parts))
        for name, item in check.fixtures.items()
    )
    return (fixtures, tuple(_plain_step(step) for step in check.steps), tuple(check.watch))


def from_plain(data: tuple[Any, ...], clauses: tuple[int, ...], compare: Compare) -> Check:
    """The check that `plain` gave; ValueError for data of any other shape."""
    fixtures, steps, watch = data
    if not (_all(fixtures, _is_fixture) and _all(steps, _is_step) and _all(watch, _is_text)):
        raise ValueError("not a check")
    named = {
        name: Fixture(kind, _plain_fixture(kind, parts, Reply)) for name, kind, parts in fixtures
    }
    return Check(tuple(_step_from(step) for step in steps), named, watch, clauses, compare)


def _all(items: Any, is_right: Callable[[Any], bool]) -> bool:
    return type(items) is tuple and all(is_right(item) for item in items)


def _is_text(value: Any) -> bool:
    return type(value) is str


def _has(value: Any, *kinds: type | None) -> bool:
    """A tuple with one item of each exact type; None stands for any type."""
    return (
        type(value) is tuple
        and len(value) == len(kinds)
        and all(kind is None or type(item) is kind for item, kind in zip(value, kinds, strict=True))
    )


# What follows the target of a step, and the parts of a fixture.
_STEPS: dict[str, tuple[type | None, ...]] = {
    "call": (tuple, dict), "get": (), "put": (None,), "tick": (None,), "take": (int,),
    "look": (), "same": (str,), "run_async": (tuple, dict, None),
}  # fmt: skip
_FIXTURES: dict[str, tuple[type | None, ...]] = {
    "value": (None,), "clock": (None,), "callback": (tuple, None, bool),
    "recorder": (tuple, None, bool), "stream": (tuple, None, None, bool), "lock": (bool,),
}  # fmt: skip


def _is_reply(value: Any) -> bool:
    return _has(value, str, None, str, None) and (value[0] != "raises" or type(value[1]) is tuple)


def _is_fixture(value: Any) -> bool:
    if not _has(value, str, str, tuple) or value[1] not in _FIXTURES:
        return False
    _, kind, parts = value
    if not _has(parts, *_FIXTURES[kind]):
        return False
    if kind == "callback":
        return bool(parts[0]) and _all(parts[0], _is_reply)
    if kind == "recorder":
        return _all(parts[0], lambda m: _has(m, str, tuple) and m[1] and _all(m[1], _is_reply))
    return kind != "stream" or parts[2] is None or _is_reply(parts[2])


def _is_step(value: Any) -> bool:
    if not _has(value, str, tuple, None) or not (value[2] is None or _is_text(value[2])):
        return False
    op, parts, _ = value
    if op == "within":
        return (
            _has(parts, str, tuple, None)
            and _all(parts[1], _is_step)
            and (parts[2] is None or _is_reply(parts[2]))
        )
    if op == "interleave":
        return _has(parts, tuple, tuple, int, tuple) and _all(
            parts[0], lambda task: _has(task, str, str, tuple)
        )
    if op not in _STEPS or not _has(parts, str, *_STEPS[op]):
        return False
    is_builtin = parts[0].startswith("@")
    return not is_builtin or (op == "call" and parts[0] in BUILTINS)


def _as_tuple(*fields: Any) -> tuple[Any, ...]:
    return fields


def _plain_reply(reply: Any, make: Any) -> Any:
    if reply is None:
        return None
    if isinstance(reply, Reply):
        reply = (reply.kind, reply.payload, reply.text, reply.takes)
    return make(*reply)


def _plain_fixture(kind: str, parts: tuple[Any, ...], make: Any = _as_tuple) -> tuple[Any, ...]:
    """The parts with each reply made by `make`."""
    if kind == "callback":
        return (tuple(_plain_reply(reply, make) for reply in parts[0]), *parts[1:])
    if kind == "recorder":
        methods = tuple(
            (name, tuple(_plain_reply(reply, make) for reply in replies))
            for name, replies in parts[0]
        )
        return (methods, *parts[1:])
    if kind == "stream":
        return (*parts[:2], _plain_reply(parts[2], make), *parts[3:])
    return parts


def _plain_step(step: Step) -> tuple[Any, ...]:
    parts = step.parts
    if step.op == "within":
        name, steps, error = parts
        inner = tuple(_plain_step(one) for one in steps)
        parts = (name, inner, _plain_reply(error, _as_tuple))
    return (step.op, parts, step.bind)


def _step_from(data: tuple[Any, ...]) -> Step:
    op, parts, bind = data
    if op == "within":
        name, steps, error = parts
        parts = (name, tuple(_step_from(one) for one in steps), _plain_reply(error, Reply))
    return Step(op, parts, bind)


def pack(check: Check) -> bytes:
    """The check as the runner reads it.

    Arguments are frozen apart, so that each step gets fresh objects and late bindings resolve.
    """
    if check._packed:
        return check._packed[0]
    fixtures, steps, watch = plain(check)
    freezer = Freezer()
    data = dump(
        (
            tuple((name, kind, freezer.parts(parts)) for name, kind, parts in fixtures),
            tuple(_freeze_step(step, freezer) for step in steps),
            tuple(map(_split, watch)),
            check.compare.aliasing,
        )
    )
    check._packed.append(data)
    return data


def _freeze_step(step: tuple[Any, ...], freezer: Freezer) -> tuple[Any, ...]:
    op, parts, bind = step
    if op == "within":
        name, steps, error = parts
        inner = tuple(_freeze_step(one, freezer) for one in steps)
        return (op, _split(name), (inner, freezer.parts((error,))), bind)
    if op == "interleave":
        return (op, (), freezer.parts(parts), bind)
    if op == "call":
        return (op, _split(parts[0]), _freeze_call(parts[1], parts[2], freezer), bind)
    return (op, _split(parts[0]), freezer.parts(parts[1:]), bind)


def _freeze_call(args: tuple[Any, ...], kwargs: dict[str, Any], freezer: Freezer) -> Any:
    """(arguments, keyword arguments, what is to be filled in and where: the path of a name, or a
    frozen argument), the first two frozen as one where arguments may hold the same object."""
    fills: list[tuple[int, Any]] = [
        (place, _split(arg.name)) for place, arg in enumerate(args) if type(arg) is Ref
    ]
    given = [None if type(arg) is Ref else arg for arg in args]
    changeable = [place for place, arg in enumerate(given) if not is_immutable(arg)]
    if len(changeable) > 1 or not all(map(is_immutable, kwargs.values())):
        return (freezer.parts((tuple(given), kwargs)), None, tuple(fills))
    for place in changeable:
        fills.append((place, freezer.argument(given[place])))
        given[place] = None
    return (tuple(given), kwargs or None, tuple(fills))


def _split(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


def validate(check: Check) -> None:
    """Raises `Unencodable` or `OverLimit` unless every value of the check has a form."""
    fixtures, steps, _ = plain(check)
    for part in (*fixtures, *steps):
        encode(part, aliasing=True)
