"""Loads a module and observes what a check sees of it.

The jail runs this beside hostile code and the judge runs it on references, so it imports only
the codec, the checks, their fixtures and the frames. It knows no expected value and decides
nothing: what it says is the module's own claim.
"""

import io
import marshal
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any

from sandbox.codec import CodecError, Encoder, OverLimit, type_label
from sandbox.fixtures import Scope, build
from sandbox.flat import encode_flat, join_tuple
from sandbox.pristine import (
    BaseException,
    LookupError,
    MemoryError,
    RecursionError,
    StopIteration,
    bytes,
    callable,
    compile,
    dict,
    exec,
    int,
    iter,
    len,
    list,
    next,
    range,
    setattr,
    str,
    tuple,
    type,
)
from sandbox.schedule import run_turns, run_virtual
from sandbox.targets import TARGETS, follow
from sandbox.wire import LOAD_ERROR, LOADED, OBSERVATION, pack_answer, unpack_task

MAX_OBSERVATION = 1 << 20
_ModuleType, _modules, _BytesIO = types.ModuleType, sys.modules, io.BytesIO
_read_pickle, _read_marshal, _enumerate, _join = pickle.loads, marshal.loads, enumerate, b"".join
_PICKLE = 0x80  # how a pickle begins; what is marshalled begins with the mark of a tuple
# A pipe holds 64 KiB: larger writes would wait for the judge, smaller ones cost a call each.
_SEND_AT = 1 << 15


class NotLoaded(Exception):
    """The module's text does not give the entry point; the argument is the kind of failure."""


def load(source: str | bytes, name: str = "module", entry_point: str | None = None) -> dict:
    """The namespace of the module text, executed under `name`.

    The text is compiled from bytes, as the interpreter reads a file, so that marks and coding
    lines mean what they mean in a file. Whatever loading raises comes out as it is; a missing
    entry point raises `NotLoaded`.
    """
    data = source.encode("utf-8", "surrogatepass") if type(source) is str else source
    code = compile(data, f"<{name}>", "exec", dont_inherit=True)
    module = _ModuleType(name)
    # Dataclasses and typing look a class's module up by its name.
    _modules[name] = module
    namespace = module.__dict__
    exec(code, namespace)
    if entry_point is not None and not callable(dict.get(namespace, entry_point)):
        raise NotLoaded("no entry point")
    return namespace


def observe(namespace: dict, packed: bytes) -> bytes:
    """What a check, packed, sees of a loaded module, in the codec's form:
    (count of things without a form, (step outcomes), (watched values))."""
    try:
        return CheckRun(namespace, packed).observation()
    except (CodecError, RecursionError, MemoryError):
        return _OVER


def run(frame: bytes, send: Callable[[bytes], None]) -> None:
    """What the process of one patch does: load the module, do every check, answer by frames.

    The entry of the jail. Any failure to load, whatever its class, is one kind of answer.
    """
    source, entry_point, checks, shown = unpack_task(frame)
    try:
        namespace = load(source, "module", entry_point)
    except BaseException as error:
        label = type_label(type(error)).encode("utf-8", "replace")
        send(pack_answer(LOAD_ERROR, 0, label))
        return
    waiting, size = [pack_answer(LOADED, 0, b"")], 0
    for sequence, packed in _enumerate(checks, 1):
        part = pack_answer(OBSERVATION, sequence, observe(namespace, packed))
        waiting.append(part)
        size += len(part)
        if size > _SEND_AT or sequence == shown:
            send(b"".join(waiting))
            waiting, size = [], 0
    send(b"".join(waiting))


_OVER = join_tuple([b"i1;", b"(0:", b"(0:"])


def _loads(data: bytes) -> Any:
    return _read_pickle(data) if data[0] == _PICKLE else _read_marshal(data)


class _Unpickler(pickle.Unpickler):
    """Puts bound objects in the place of `Ref` and `Attr`. Reads the judge's bytes only."""

    def __init__(self, data: bytes, run: "CheckRun") -> None:
        super().__init__(_BytesIO(data))
        self.run = run

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if module_name == "sandbox.names":
            return self.run.resolve if global_name == "Ref" else self.run.attribute
        return super().find_class(module_name, global_name)


class CheckRun:
    """One check against one module; `outcomes` holds the bytes of each step that was done."""

    __slots__ = ("steps", "watch", "aliasing", "scope", "names", "log", "opaque", "outcomes")

    def __init__(self, namespace: dict, packed: bytes) -> None:
        fixtures, self.steps, self.watch, self.aliasing = _loads(packed)
        self.scope = scope = Scope(namespace)
        self.names, self.log = scope.names, scope.log
        self.opaque = 0
        self.outcomes: list[bytes] = []
        for name, kind, parts in fixtures:
            scope.names[name] = build(name, kind, self.thaw(parts), scope)

    def observation(self) -> bytes:
        for step in self.steps:
            self.do(step)
        watched = [self.look_at(path) for path in self.watch]
        opaque = self.opaque + self.log.opaque
        data = join_tuple([b"i%x;" % opaque, join_tuple(self.outcomes), join_tuple(watched)])
        return data if len(data) <= MAX_OBSERVATION else _OVER

    def look_at(self, path: tuple[str, ...]) -> bytes:
        try:
            return self.form(self.resolve(path))
        except BaseException as error:  # a patch may have emptied what the path leads through
            return self.form(error)

    def do(self, step: tuple[Any, ...]) -> None:
        op, target, rest, bind = step
        kept_as = None if op == "within" else bind
        try:
            value = _OPS[op](self, target, rest, bind)
        except BaseException as error:
            if kept_as is not None:
                self.names[kept_as] = error
            kind, form = b"(3:s6:raised", self.form(error)
        else:
            if kept_as is not None:
                self.names[kept_as] = value
                kind, form = b"(3:s5:bound", b"N"
            else:
                kind, form = b"(3:s5:value", value if op in _ENCODED else self.form(value)
        self.outcomes.append(_join((kind, form, self.log.drain())))

    def form(self, value: Any) -> bytes:
        """The canonical form, or a mark of its own for what is over a limit."""
        try:
            flat = None if self.aliasing else encode_flat(value)
            if flat is not None:
                return flat
            encoder = Encoder(self.aliasing)
            encoder.put(value)
        except OverLimit as limit:
            self.opaque += 1
            return b"!s%x:%b" % (len(limit.args[0]), limit.args[0].encode())
        except (RecursionError, RuntimeError):  # changed while it was read
            self.opaque += 1
            return b"!s5:stack"
        self.opaque += encoder.opaque
        return b"".join(encoder.out)

    def thaw(self, frozen: Any) -> Any:
        """The values that `sandbox.freezing.Freezer` froze, fresh and with names resolved."""
        kind = type(frozen)
        if kind is tuple:
            return frozen
        return _loads(frozen) if kind is bytes else _Unpickler(frozen[0], self).load()

    def attribute(self, name: str) -> Any:
        namespace = self.scope.module
        if name not in namespace:
            raise LookupError(f"the module has no {name}")
        return namespace[name]

    def resolve(self, path: str | tuple[str, ...]) -> Any:
        parts = path if type(path) is tuple else path.split(".")  # type: ignore[union-attr]
        first = parts[0]
        found = self.names[first] if first in self.names else self.attribute(first)
        return follow(found, parts[1:]) if len(parts) > 1 else found

    # Each step gives the value that it observes; an exception is an outcome as well.

    def call(self, target: tuple[str, ...], rest: Any, bind: str | None) -> Any:
        first = target[0]
        function = TARGETS[first] if first[0] == "@" else self.resolve(target)
        args, kwargs, fills = rest
        if type(args) is not tuple:
            args, kwargs = self.thaw(args)
        if fills:
            args = list(args)
            for place, fill in fills:
                args[place] = self.resolve(fill) if type(fill) is tuple else self.thaw(fill)[0]
        return function(*args, **kwargs) if kwargs else function(*args)

    def get(self, target: tuple[str, ...], rest: Any, bind: str | None) -> Any:
        return self.resolve(target)

    def put(self, target: tuple[str, ...], rest: Any, bind: str | None) -> Any:
        (value,) = self.thaw(rest)
        last = target[-1]
        if len(target) == 1:
            self.scope.module[last] = value
            return
        owner = self.resolve(target[:-1])
        if type(owner) is list:
            owner[int(last)] = value
        elif type(owner) is dict:
            owner[last] = value
        else:
            setattr(owner, last, value)

    def tick(self, target: tuple[str, ...], rest: Any, bind: str | None) -> Any:
        self.names[target[0]].advance(self.thaw(rest)[0])

    def take(self, target: tuple[str, ...], rest: Any, bind: str | None) -> bytes:
        (count,) = self.thaw(rest)
        source, items, ending = iter(self.resolve(target)), [], b"s4:open"
        try:
            for _ in range(count):
                # Encoded at once: the producer may go on changing what it gave.
                items.append(self.form(next(source)))
        except StopIteration:
            ending = b"s8:finished"
        except BaseException as error:
            ending = self.form(error)
        return join_tuple([join_tuple(items), ending])

    def within(self, target: tuple[str, ...], rest: Any, bind: str | None) -> Any:
        steps, frozen = rest
        (reply,) = self.thaw(frozen)
        ended = False
        with self.resolve(target) as entered:
            if bind is not None:
                self.names[bind] = entered
            for step in steps:
                self.do(step)
            if reply is not None:
                raise self.scope.exception(reply[2], reply[1])
            ended = True
        return "left" if ended else "suppressed"

    def same(self, target: tuple[str, ...], rest: Any, bind: str | None) -> Any:
        return self.resolve(target) is self.resolve(self.thaw(rest)[0])

    def interleave(self, target: tuple[str, ...], rest: Any, bind: str | None) -> Any:
        plan, schedule, max_turns, close = self.thaw(rest)
        tasks = {label: self.resolve(path)(*args) for label, path, args in plan}
        endings = run_turns(tasks, schedule, max_turns, close)
        return tuple((label, *ending) for label, ending in endings.items())

    def run_async(self, target: tuple[str, ...], rest: Any, bind: str | None) -> Any:
        args, kwargs, clock_name = self.thaw(rest)
        clock = self.names[clock_name] if clock_name else _Instant()
        function = self.resolve(target)
        return run_virtual(lambda: function(*args, **kwargs), lambda: clock.now, clock.advance)


class _Instant:
    """The loop's time when no clock of the check is to move with it."""

    now: Any = 0.0

    def advance(self, duration: float) -> None:
        self.now += duration


_ENCODED = ("take",)
_OPS = {
    "call": CheckRun.call, "get": CheckRun.get, "put": CheckRun.put, "tick": CheckRun.tick, "take": CheckRun.take,
    "within": CheckRun.within, "look": CheckRun.get, "same": CheckRun.same, "interleave": CheckRun.interleave,
    "run_async": CheckRun.run_async,
}  # fmt: skip
