"""The objects that a check brings along: virtual clock, callbacks, recorders, streams, locks.

They run inside the process of the patch. What they log is encoded at once, because the patch may
change the arguments later; a patch that forges their log only makes a claim like any other.
"""

import builtins
from collections.abc import Callable, Generator
from typing import Any

from sandbox.codec import Encoder, OverLimit, write_by_name
from sandbox.flat import encode_flat, join_tuple
from sandbox.leaves import encode_text
from sandbox.pristine import (
    LookupError,
    RuntimeError,
    StopIteration,
    ValueError,
    len,
    min,
    setattr,
    type,
)

_EXCEPTIONS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
MAX_EFFECTS = 20_000
# ("returns" or "raises", result or arguments, name of the exception, virtual time used up)
Reply = tuple[str, Any, str, Any]


class Log:
    """Effects since the last `drain`, as encoded bytes."""

    __slots__ = ("parts", "opaque", "left")

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.opaque = 0
        self.left = MAX_EFFECTS

    def add(self, *event: Any) -> None:
        """Appends one effect: (fixture, method, what it was given)."""
        self.left -= 1
        if self.left < 0:
            self.opaque += 1
            raise OverLimit("effects")
        encoder = Encoder()
        try:
            flat = encode_flat(event)
            if flat is not None:
                self.parts.append(flat)
                return
            encoder.put(event)
            self.parts.append(b"".join(encoder.out))
            self.opaque += encoder.opaque
        except OverLimit as limit:
            self.opaque += 1
            self.parts.append(b"!s%x:%b" % (len(limit.args[0]), limit.args[0].encode()))

    def add_call(self, head: bytes, name: str, method: str, args: Any, kwargs: Any) -> None:
        """`add` of a call; `head` are the bytes up to its arguments."""
        try:
            form = None if kwargs or self.left <= 0 else encode_flat(args)
        except OverLimit:
            form = None
        if form is None:
            self.add(name, method, args, kwargs)
        else:
            self.left -= 1
            self.parts.append(b"%b%b{0:" % (head, form))

    def drain(self) -> bytes:
        """The bytes of the tuple of effects; the log is empty afterwards."""
        if not self.parts:
            return b"(0:"
        parts, self.parts = self.parts, []
        return join_tuple(parts)


class Scope:
    """What names mean during one check: fixtures and bound results, then the module."""

    __slots__ = ("names", "module", "log")

    def __init__(self, module: dict[str, Any]) -> None:
        self.names: dict[str, Any] = {}
        self.module = module
        self.log = Log()

    def exception(self, kind: str, args: tuple[Any, ...]) -> BaseException:
        """A new exception of a builtin kind, or of the module's own (`.StoreError`)."""
        found = self.module.get(kind[1:]) if kind[:1] == "." else _EXCEPTIONS.get(kind)
        if found is None:
            raise LookupError(f"the module has no exception {kind}")
        return found(*args)


class Clock:
    """Virtual time. `.now` and calling it read it; `.sleep(d)` advances it and is logged."""

    def __init__(self, name: str, scope: Scope, start: Any) -> None:
        self._name, self._log, self._now = name, scope.log, start

    @property
    def now(self) -> Any:
        return self._now

    def __call__(self) -> Any:
        return self._now

    def sleep(self, duration: Any) -> None:
        """Raises ValueError for a negative duration, like `time.sleep`."""
        self._log.add(self._name, "sleep", duration)
        self.advance(duration)

    def advance(self, duration: Any) -> None:
        """Moves time on without logging it."""
        if duration < type(duration)():
            raise ValueError("sleep length must be non-negative")
        self._now = self._now + duration


class _Replier:
    """Gives the replies of one callback or method in order; the last one repeats."""

    __slots__ = ("name", "method", "scope", "replies", "clock", "calls", "head")

    def __init__(
        self, name: str, method: str, scope: Scope, replies: tuple[Reply, ...], clock: str | None
    ) -> None:
        self.name, self.method, self.scope = name, method, scope
        self.replies, self.clock, self.calls = replies, clock, 0
        self.head = b"(4:%b%b" % (encode_text(name), encode_text(method))

    def next(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reply:
        self.scope.log.add_call(self.head, self.name, self.method, args, kwargs)
        reply = self.replies[min(self.calls, len(self.replies) - 1)]
        self.calls += 1
        return reply

    def answer(self, reply: Reply) -> Any:
        kind, payload, exception, _ = reply
        if kind == "raises":
            raise self.scope.exception(exception, payload)
        return payload

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        reply = self.next(args, kwargs)
        if reply[3] is not None and self.clock is not None:
            self.scope.names[self.clock].advance(reply[3])
        return self.answer(reply)

    async def later(self, *args: Any, **kwargs: Any) -> Any:
        reply = self.next(args, kwargs)
        if reply[3] is not None:
            import asyncio

            await asyncio.sleep(reply[3])
        return self.answer(reply)


class Callback:
    """A function that logs each call and replies as it was told."""

    def __init__(self, name: str, replier: _Replier) -> None:
        self._name, self._replier = name, replier
        self.__name__ = self.__qualname__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._replier(*args, **kwargs)


class AsyncCallback(Callback):
    """The same as a coroutine function."""

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return await self._replier.later(*args, **kwargs)


class Recorder:
    """An object whose methods log their calls; with `enter` and `exit` a context manager too."""

    def __init__(self, name: str, methods: dict[str, Callable[..., Any]]) -> None:
        self._name = name
        for method, replier in methods.items():
            setattr(self, method, replier)

    def __enter__(self) -> Any:
        given = self.enter()  # type: ignore[attr-defined]
        return self if given is None else given

    def __exit__(self, kind: type | None, error: BaseException | None, trace: Any) -> Any:
        return self.exit(None if kind is None else kind.__name__)  # type: ignore[attr-defined]


class Stream:
    """A one-shot iterator that counts how often it was asked."""

    def __init__(self, name: str, scope: Scope, parts: tuple[Any, ...]) -> None:
        self._name, self._scope = name, scope
        self._items, self._fails_at, self._error, self._logged = parts
        self._place = 0
        self.pulls = 0

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Any:
        pull = self.pulls
        self.pulls += 1
        if self._logged:
            self._scope.log.add(self._name, "pull", pull)
        if pull == self._fails_at:
            raise self._scope.exception(self._error[2], self._error[1])
        if self._place >= len(self._items):
            raise StopIteration
        item = self._items[self._place]
        self._place += 1
        return item


class Lock:
    """A lock for generator tasks: acquiring gives up turns while another task holds it."""

    def __init__(self, name: str, scope: Scope, logged: bool) -> None:
        self._name, self._log, self._logged = name, scope.log, logged
        self.held = False

    def acquire(self) -> Generator[None, None, bool]:
        while self.held:
            yield
        return self.try_acquire()

    def try_acquire(self) -> bool:
        if self.held:
            return False
        self.held = True
        if self._logged:
            self._log.add(self._name, "acquire")
        return True

    def release(self) -> None:
        if not self.held:
            raise RuntimeError("release unlocked lock")
        self.held = False
        if self._logged:
            self._log.add(self._name, "release")


for _kind in (Clock, Callback, AsyncCallback, Recorder, Stream, Lock):
    write_by_name(_kind, lambda fixture: fixture._name)


def build(name: str, kind: str, parts: tuple[Any, ...], scope: Scope) -> Any:
    """The object that a check's fixture `name` of this kind becomes."""
    if kind == "value":
        return parts[0]
    if kind == "clock":
        return Clock(name, scope, parts[0])
    if kind == "callback":
        replies, clock, is_async = parts
        replier = _Replier(name, "call", scope, replies, clock)
        return AsyncCallback(name, replier) if is_async else Callback(name, replier)
    if kind == "recorder":
        methods, clock, is_async = parts
        repliers = {m: _Replier(name, m, scope, replies, clock) for m, replies in methods}
        return Recorder(name, {m: r.later if is_async else r for m, r in repliers.items()})
    if kind == "stream":
        return Stream(name, scope, parts)
    if kind == "lock":
        return Lock(name, scope, parts[0])
    raise ValueError(f"unknown fixture {kind}")
