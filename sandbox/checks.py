"""What a check is: data that says what to do with a module and what to watch.

A check never holds an expected value. The same check runs against the reference in the judge's
own process, against a patch in the jail, and against mutants in the authoring gates; the three
observations are compared as bytes. Authors of categories write checks like this:

    Check(
        steps=(
            call("TtlCache", default_ttl=10, clock=Ref("clock"), bind="cache"),
            call("cache.put", "a", 1),
            tick("clock", 10),
            call("cache.get", "a"),
        ),
        fixtures={"clock": clock(0)},
        clauses=(2,),
    )

**Names.** A step names what it works on by a path: `"merge"` is an attribute of the module under
test, `"cache.get"` an attribute of something bound, `"rows.0.id"` goes through list positions and
text keys. Names come from `fixtures` and from steps with `bind`; they win over the module's.
Inside arguments write `Ref("clock")` for a bound object and `Attr("StoreError")` for an attribute
of the module. Paths that start with `@` are builtins, see `BUILTINS`.

**Values** in arguments are plain data: None, bool, int, float, complex, str, bytes, bytearray,
tuple, list, dict, set, frozenset, range, slice, Decimal, Fraction, date, datetime, time, timedelta
and what is made of them. Every step gets fresh copies; use a `value` fixture where two steps, or
`watch`, need the same object.

**Observation.** For each step: the value, or the exception by its real type, and the effects
(calls to fixtures) since the step before, in order. After the last step: what `watch` names.
A value that has no form (a lock, an int subclass, a generator) never matches anything: give such
a result a name with `bind` and look at it through further steps.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.names import Attr, Ref

__all__ = [
    "BUILTINS", "Attr", "Check", "Compare", "Fixture", "Ref", "Reply", "Step", "call", "callback",
    "clock", "get", "interleave", "lock", "look", "put", "raises", "recorder", "returns",
    "run_async", "same", "stream", "take", "tick", "value", "within",
]  # fmt: skip

BUILTINS = frozenset(
    "@abs @add @aiter @anext @bool @bytes @contains @delitem @dict @divmod @enter @eq @exit @float"
    " @format @ge @getitem @gt @hash @int @isinstance @iter @le @len @list @lt @max @min @ne @neg"
    " @next @repr @reversed @round @set @setitem @sorted @str @sub @sum @tuple @type".split()
)
MAX_STEPS = 200


@dataclass(frozen=True, slots=True)
class Compare:
    """How far an observation may differ from the reference's; strict unless asked.

    exception_args: arguments of exceptions count too, not only the type.
    dict_order:     the order of dict entries counts.
    effect_order:   the order of effects within one step counts (their number always does).
    aliasing:       one shared object and two equal objects are different results.
    tolerance:      floats may differ by this much, absolutely or relative to the larger one.
    """

    exception_args: bool = False
    dict_order: bool = False
    effect_order: bool = True
    aliasing: bool = False
    tolerance: float | None = None


_STRICT = Compare()


# Replies, fixtures, steps and checks are read-only to the type checker alone: one category makes
# 20,000 of them at a time, and a frozen dataclass takes four times as long to make.


@dataclass(slots=True, unsafe_hash=True)
class Reply:
    """What a fixture does when it is called; made by `returns` and `raises`."""

    kind: Final[str]
    payload: Final[Any]
    text: Final[str] = ""
    takes: Final[Any] = None


def returns(result: Any, *, takes: Any = None) -> Reply:
    """The call returns `result`. `takes` is the virtual time that it uses up first."""
    return Reply("returns", result, "", takes)


def raises(kind: str, *args: Any, takes: Any = None) -> Reply:
    """The call raises `kind`: a builtin exception ("TimeoutError") or one of the module's own
    (".StoreError", with a dot in front), made with `args`."""
    return Reply("raises", args, kind, takes)


@dataclass(slots=True, unsafe_hash=True)
class Fixture:
    """An object that a check brings along; made by the functions below."""

    kind: Final[str]
    parts: Final[tuple[Any, ...]]


def value(content: Any) -> Fixture:
    """One object that several steps refer to, or that `watch` looks at for mutation."""
    return Fixture("value", (content,))


def clock(start: Any = 0) -> Fixture:
    """Virtual time: `.now` and calling it give the instant, `.sleep(d)` advances and is logged.
    Start and steps may be ints, Fractions, floats, datetimes with timedeltas."""
    return Fixture("clock", (start,))


def _replies(given: Any) -> tuple[Reply, ...]:
    items = given if isinstance(given, tuple) else (given,)
    replies = [item if isinstance(item, Reply) else Reply("returns", item) for item in items]
    return tuple(replies or [Reply("returns", None)])


def callback(*replies: Any, clock: str | None = None, is_async: bool = False) -> Fixture:
    """A function that logs each call with its arguments and gives the replies in order; the last
    one repeats, and without any it returns None. A plain value stands for `returns(value)`.
    `clock` names the clock that `takes` of a reply advances. `is_async` makes it a coroutine
    function whose `takes` is awaited on the virtual loop."""
    return Fixture("callback", (_replies(replies), clock, is_async))


def recorder(*, clock: str | None = None, is_async: bool = False, **methods: Any) -> Fixture:
    """An object with several methods that log their calls (store, sink, resource). The replies of
    a method are a value, a Reply or a tuple of them. Methods named `enter` and `exit` make it a
    context manager as well."""
    replies = [(name, _replies(given)) for name, given in methods.items()]
    return Fixture("recorder", (tuple(replies), clock, is_async))


def stream(
    items: Any, *, fails_at: int | None = None, error: Reply | None = None, logged: bool = False
) -> Fixture:
    """A one-shot iterator over `items`. `get("name.pulls")` tells how many items were asked for
    (the end counts as asked). Pull number `fails_at`, from 0, raises `error`. With `logged` every
    pull is an effect; ask for it only where a clause bounds the pulls."""
    if fails_at is not None and error is None:
        error = raises("OSError", "stream broke")
    return Fixture("stream", (tuple(items), fails_at, error, logged))


def lock(*, logged: bool = True) -> Fixture:
    """A lock for generator tasks: `yield from name.acquire()` gives up the turn while it is held,
    `name.try_acquire()` tells at once, `name.release()` of a free lock raises RuntimeError,
    `name.held` tells. With `logged`, successful acquisitions and releases are effects."""
    return Fixture("lock", (logged,))


@dataclass(slots=True, unsafe_hash=True)
class Step:
    """One thing to do; made by the functions below."""

    op: Final[str]
    parts: Final[tuple[Any, ...]]
    bind: Final[str | None] = None


def call(target: str, *args: Any, bind: str | None = None, **kwargs: Any) -> Step:
    """Calls `target`. With `bind` the result is kept under that name instead of being observed
    (the construction of an object, a generator); if the call raises, the exception is observed
    and kept under that name."""
    if target.startswith("@") and target not in BUILTINS:
        raise ValueError(f"{target} is not one of checks.BUILTINS")
    return Step("call", (target, args, kwargs), bind)


def get(target: str, *, bind: str | None = None) -> Step:
    """Reads an attribute (or an entry, by position or text key)."""
    return Step("get", (target,), bind)


def put(target: str, content: Any) -> Step:
    """Sets an attribute, or an entry of a list or dict."""
    return Step("put", (target, content))


def tick(clock: str, amount: Any) -> Step:
    """Advances the virtual clock; no effect is logged."""
    return Step("tick", (clock, amount))


def take(name: str, count: int) -> Step:
    """Pulls up to `count` items from an iterator. Observed: the items, and how it ended: still
    open, finished, or an exception."""
    return Step("take", (name, count))


def within(name: str, *steps: Step, raises: Reply | None = None, bind: str | None = None) -> Step:
    """A with-statement on `name`: enters, does `steps`, then raises `raises` if given, leaves.
    `bind` keeps what entering gave. Observed: each inner step, then "left", "suppressed" or the
    exception that came out."""
    return Step("within", (name, steps, raises), bind)


def look(name: str) -> Step:
    """What the bound object holds now."""
    return Step("look", (name,))


def same(a: str, b: str) -> Step:
    """Whether two paths lead to one and the same object."""
    return Step("same", (a, b))


def interleave(
    tasks: Mapping[str, tuple[str, tuple[Any, ...]]],
    schedule: tuple[str, ...] | list[str] = (),
    *,
    max_turns: int = 500,
    close: tuple[str, ...] = (),
) -> Step:
    """Runs generator functions together: {label: (target, args)}. Each entry of `schedule` gives
    one task a turn up to its next yield (finished tasks are skipped), then turns go round until
    all have finished. Labels in `close` are closed when the schedule ends (cancellation).
    Observed, per label: the returned value, the exception, "closed", or "stuck" after
    `max_turns`."""
    if not tasks.keys() >= {*schedule, *close}:
        raise ValueError(f"unknown labels {sorted({*schedule, *close} - tasks.keys())}")
    plan = [(label, target, tuple(args)) for label, (target, args) in tasks.items()]
    return Step("interleave", (tuple(plan), tuple(schedule), max_turns, tuple(close)))


def run_async(target: str, *args: Any, clock: str | None = None, **kwargs: Any) -> Step:
    """Runs a coroutine function on an event loop whose time is virtual: waiting costs nothing and
    when everything waits without a timer the outcome is RuntimeError("deadlock"). With `clock`
    the loop's time is that fixture's."""
    return Step("run_async", (target, args, kwargs, clock))


@dataclass(slots=True, unsafe_hash=True)
class Check:
    """Steps to do with a module, the fixtures they need, and what to compare.

    `watch` names objects whose content is observed after the last step (mutated arguments).
    `clauses` are the numbers of the contract's clauses that this check touches.
    """

    steps: Final[tuple[Step, ...]]
    fixtures: Final[Mapping[str, Fixture]]
    watch: Final[tuple[str, ...]]
    clauses: Final[tuple[int, ...]]
    compare: Final[Compare]
    _packed: list[bytes] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        steps: Step | Iterable[Step],
        fixtures: Mapping[str, Fixture] | None = None,
        watch: tuple[str, ...] = (),
        clauses: tuple[int, ...] = (1,),
        compare: Compare = _STRICT,
    ) -> None:
        self.steps = (steps,) if isinstance(steps, Step) else tuple(steps)
        self.fixtures = {} if fixtures is None else fixtures
        self.watch = watch
        self.clauses = clauses
        self.compare = compare
        self._packed = []
        if not 0 < len(self.steps) <= MAX_STEPS:
            raise ValueError(f"a check has 1 to {MAX_STEPS} steps")
