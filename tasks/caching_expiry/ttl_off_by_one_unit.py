"""A cache entry dies at the instant its contract states, whichever way the cache is asked."""

from fractions import Fraction
from functools import cache

from sandbox.checks import Check, Ref, call, clock, tick
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "edge",
        dead_at={"span": "is less than", "dead": ">=", "flipped_dead": ">", "live": "<", "flipped_live": "<="},
        alive_at={"span": "is at most", "dead": ">", "flipped_dead": ">=", "live": "<=", "flipped_live": "<"},
    ),
    knob(
        "zero",
        never={
            "zero_clause": "stores nothing and drops what the $key held before",
            "zero_rule": """
                if $ttl == 0:
                    self._drop($key)
                    return
            """,
            "same_instant_dead": "",
            "same_instant_live": "",
        },
        same_instant={
            "zero_clause": "stores a $thing that is live only while the clock shows exactly its start",
            "zero_rule": "",
            "same_instant_dead": """
                if $no_span:
                    return now != start
            """,
            "same_instant_live": """
                if self.$ttl == 0:
                    return now == self.start
            """,
        },
    ),
    knob(
        "none",
        forever={
            "none_clause": "means that the $thing never dies",
            "default_line": "",
            "none_rule": "",
            "below_zero": "$ttl is not None and $ttl < 0",
            "endless_dead": """
                if $no_end:
                    return False
            """,
            "endless_live": """
                if self.$ttl is None:
                    return True
            """,
            "stored_type": "Fraction | None",
            "end": "None if $ttl is None else start + $ttl",
        },
        default={
            "none_clause": "stands for a $ttl of $default ${unit}s",
            "default_line": "$default_name = $default",
            "none_rule": """
                if $ttl is None:
                    $ttl = Fraction($default_name)
            """,
            "below_zero": "$ttl < 0",
            "endless_dead": "",
            "endless_live": "",
            "stored_type": "Fraction",
            "end": "start + $ttl",
        },
    ),
    knob(
        "stored",
        exact={"start_clause": "the time of the call", "start_time": "self._clock()"},
        whole_units={
            "start_clause": "the time of the call rounded down to a whole $unit",
            "start_time": "Fraction(self._clock() // 1)",
        },
    ),
    knob(
        "negative",
        refused={
            "negative_clause": "raises ValueError and changes nothing",
            "negative_rule": """
                if $below_zero:
                    raise ValueError("$ttl must not be negative")
            """,
        },
        over={
            "negative_clause": "stores nothing and drops what the $key held before",
            "negative_rule": """
                if $below_zero:
                    self._drop($key)
                    return
            """,
        },
    ),
)

CONTRACT = (
    Clause(
        "store",
        """$cls(clock) keeps ${thing}s by $key. clock() gives the time in ${unit}s as an integer or a
        Fraction and never runs backwards. $put($key, $value, $ttl) stores a $thing, which replaces
        whatever the $key held before, and returns None.""",
    ),
    Clause("start", "A $thing starts at $start_clause."),
    Clause(
        "edge",
        """A $thing with a positive $ttl is live while its age, the present time minus its start, $span
        the $ttl; after that it is dead. The age is exact, never rounded.""",
    ),
    Clause("zero", "A $ttl of 0 $zero_clause."),
    Clause("none", "A $ttl of None, which is also what an omitted one means, $none_clause."),
    Clause("negative", "A negative $ttl $negative_clause."),
    Clause(
        "agree",
        """$get($key) returns the $value of a live $thing and None otherwise. `$key in store` is True
        for a live $thing and False otherwise.""",
    ),
    Clause(
        "purge",
        "$purge() takes out every dead $thing and returns the sorted list of the ${key}s it took out.",
    ),
)

HEAD = '''
"""$summary"""

from collections.abc import Callable
$imports
from fractions import Fraction

$default_line
'''

INTERFACE = '''
    def $put(self, $key: str, $value: object, $ttl: Fraction | None = None) -> None:
        """Remember $value under $key for $ttl ${unit}s."""
        $none_rule
        $negative_rule
        $zero_rule
'''

TUPLES = Shape(
    name="tuples",
    entry_point="$cls",
    words={"imports": "", "no_span": "lifetime == 0", "no_end": "lifetime is None"},
    module=HEAD
    + '''

class $cls:
    """Keeps each $thing for a limited number of ${unit}s.

    The clock is injected: callers decide what time means, and tests can move it.
    """

    def __init__(self, clock: Callable[[], Fraction]) -> None:
        self._clock = clock
        self._entries: dict[str, tuple[object, Fraction, $stored_type]] = {}
'''
    + INTERFACE
    + '''\
        self._entries[$key] = ($value, $start_time, $ttl)

    def $get(self, $key: str) -> object | None:
        """Return what is live under $key, or None."""
        entry = self._entries.get($key)
        if entry is None or self._is_dead(entry):
            return None
        return entry[0]

    def __contains__(self, $key: str) -> bool:
        entry = self._entries.get($key)
        return entry is not None and not self._is_dead(entry)

    def $purge(self) -> list[str]:
        """Take out whatever has died and return its ${key}s, sorted."""
        dead = [$key for $key, entry in self._entries.items() if self._is_dead(entry)]
        for $key in dead:
            self._drop($key)
        return sorted(dead)

    def _drop(self, $key: str) -> None:
        self._entries.pop($key, None)

    def _is_dead(self, entry: tuple[object, Fraction, $stored_type]) -> bool:
        _, start, lifetime = entry
        now = self._clock()
        $endless_dead
        $same_instant_dead
        return now - start $dead lifetime
''',
    bugs=(
        change("early", ("return now - start $dead lifetime", "return now - start $dead lifetime - 1")),
        change("age_rounded", ("return now - start $dead", "return now // 1 - start $dead")),
        change(
            "start_rounded",
            ("($value, $start_time, $ttl)", "($value, Fraction(self._clock() // 1), $ttl)"),
            when={"stored": "exact"},
        ),
    ),
    known_failing=(
        change("flipped", ("return now - start $dead lifetime", "return now - start $flipped_dead lifetime")),
        change(
            "only_get",
            ("entry is None or self._is_dead(entry)", "entry is None or self._is_dead(entry, early=0)"),
            ("$stored_type]) -> bool:", "$stored_type], early: int = 1) -> bool:"),
            ("return now - start $dead lifetime", "return now - start $dead lifetime - early"),
            deep=True,
        ),
        change(
            "purge_left",
            ("self._entries.items() if self._is_dead(entry)]", "self._entries.items() if self._is_dead(entry, early=1)]"),
            ("$stored_type]) -> bool:", "$stored_type], early: int = 0) -> bool:"),
            ("return now - start $dead lifetime", "return now - start $dead lifetime - early"),
        ),
        change(
            "one_unit_late",
            ("return now - start $dead lifetime", "return now - start $dead lifetime + 1"),
            against=("early", "start_rounded"),
        ),
    ),
)

RECORDS = Shape(
    name="records",
    entry_point="$cls",
    words={"imports": "from dataclasses import dataclass"},
    module=HEAD
    + '''

@dataclass
class Record:
    """One $thing with its start and its $ttl in ${unit}s."""

    $value: object
    start: Fraction
    $ttl: $stored_type

    def is_live(self, now: Fraction) -> bool:
        $endless_live
        $same_instant_live
        return now - self.start $live self.$ttl


class $cls:
    """${Things} by $key, each for a limited time."""

    def __init__(self, clock: Callable[[], Fraction]) -> None:
        self._clock = clock
        self._records: dict[str, Record] = {}
'''
    + INTERFACE
    + '''\
        self._records[$key] = Record($value, $start_time, $ttl)

    def $get(self, $key: str) -> object | None:
        """Return the live $value of $key, or None."""
        record = self._live($key)
        return record.$value if record else None

    def __contains__(self, $key: str) -> bool:
        return self._live($key) is not None

    def $purge(self) -> list[str]:
        """Forget the dead ${thing}s; return their ${key}s, sorted."""
        now = self._clock()
        gone = sorted($key for $key, it in self._records.items() if not it.is_live(now))
        for $key in gone:
            self._drop($key)
        return gone

    def _drop(self, $key: str) -> None:
        self._records.pop($key, None)

    def _live(self, $key: str) -> Record | None:
        record = self._records.get($key)
        if record is None or not record.is_live(self._clock()):
            return None
        return record
''',
    bugs=(
        change("early", ("return now - self.start $live self.$ttl", "return now - self.start $live self.$ttl - 1")),
        change("age_rounded", ("return now - self.start $live", "return now // 1 - self.start $live")),
        change(
            "start_rounded",
            ("Record($value, $start_time, $ttl)", "Record($value, Fraction(self._clock() // 1), $ttl)"),
            when={"stored": "exact"},
        ),
    ),
    known_failing=(
        change("flipped", ("return now - self.start $live", "return now - self.start $flipped_live")),
        change("purge_left", ("if not it.is_live(now))", "if not it.is_live(now + 1))"), when={"zero": "never"}),
        change(
            "purge_left",
            ("if not it.is_live(now))", "if it.$ttl and not it.is_live(now + 1))"),
            when={"zero": "same_instant"},
        ),
        change(
            "purge_late",
            ("if not it.is_live(now))", "if not it.is_live(now - 1))"),
        ),
        change(
            "one_unit_late",
            ("$live self.$ttl", "$live self.$ttl + 1"),
            against=("early", "start_rounded"),
        ),
    ),
)

SPANS = Shape(
    name="spans",
    entry_point="$cls",
    words={"imports": "", "no_span": "end == start", "no_end": "end is None"},
    module=HEAD
    + '''

class $cls:
    """A table of ${thing}s that forgets.

    Values and time spans are kept apart, so that a sweep does not touch the values.
    """

    def __init__(self, clock: Callable[[], Fraction]) -> None:
        self._clock = clock
        self._values: dict[str, object] = {}
        self._spans: dict[str, tuple[Fraction, $stored_type]] = {}
'''
    + INTERFACE
    + '''\
        start = $start_time
        self._values[$key] = $value
        self._spans[$key] = (start, $end)

    def $get(self, $key: str) -> object | None:
        """Return the $value of $key while it is live, or None."""
        return self._values[$key] if $key in self else None

    def __contains__(self, $key: str) -> bool:
        return $key in self._spans and not self._is_over($key, self._clock())

    def $purge(self) -> list[str]:
        """Forget all that is over and return the sorted ${key}s."""
        now = self._clock()
        over = sorted($key for $key in self._spans if self._is_over($key, now))
        for $key in over:
            self._drop($key)
        return over

    def _drop(self, $key: str) -> None:
        self._values.pop($key, None)
        self._spans.pop($key, None)

    def _is_over(self, $key: str, now: Fraction) -> bool:
        start, end = self._spans[$key]
        $endless_dead
        $same_instant_dead
        return now $dead end
''',
    bugs=(
        change("early", ("return now $dead end", "return now $dead end - 1")),
        change("age_rounded", ("return now $dead end", "return start + (now - start) // 1 $dead end")),
        change("start_rounded", ("start = $start_time", "start = Fraction(self._clock() // 1)"), when={"stored": "exact"}),
    ),
    known_failing=(
        change("flipped", ("return now $dead end", "return now $flipped_dead end")),
        change("purge_left", ("if self._is_over($key, now))", "if self._is_over($key, now + 1))")),
        change("purge_late", ("if self._is_over($key, now))", "if self._is_over($key, now - 1))")),
        change("one_unit_late", ("return now $dead end", "return now $dead end + 1"), against=("early", "start_rounded")),
    ),
)

SCENARIOS = (
    scenario(
        "session store",
        summary="Login sessions that end on their own.",
        cls="SessionStore", thing="session", Things="Sessions", key="token", value="user", ttl="lifetime",
        put="open", get="user_of", purge="sweep", unit="minute", default_name="DEFAULT_LIFETIME",
    ),
    scenario(
        "price quotes",
        summary="Quoted prices, binding for a while.",
        cls="QuoteBook", thing="quote", Things="Quotes", key="sku", value="price", ttl="validity",
        put="publish", get="price_of", purge="withdraw_expired", unit="hour", default_name="DEFAULT_VALIDITY",
    ),
    scenario(
        "DNS answers",
        summary="Resolver answers kept until their time to live is used up.",
        cls="AnswerCache", thing="answer", Things="Answers", key="name", value="address", ttl="ttl",
        put="store", get="lookup", purge="evict", unit="second", default_name="DEFAULT_TTL",
    ),
    scenario(
        "access grants",
        summary="Temporary access grants to rooms.",
        cls="GrantRegistry", thing="grant", Things="Grants", key="badge", value="room", ttl="duration",
        put="grant", get="room_for", purge="revoke_expired", unit="day", default_name="DEFAULT_DURATION",
    ),
)  # fmt: skip

HALF = Fraction(1, 2)
KEYS = ("a17", "b02", "c40")


def script(v: Variant, clauses: tuple[str, ...], *steps) -> Check:
    """A check that drives one store through the steps; time starts at 0."""
    make = call(v["cls"], Ref("clock"), bind="store")
    return Check((make, *steps), {"clock": clock(0)}, clauses=v.clauses("store", *clauses))


def put(v: Variant, key: str, value: object, *ttl):
    return call(f"store.{v['put']}", key, value, *ttl)


def get(v: Variant, key: str):
    return call(f"store.{v['get']}", key)


def holds(key: str):
    return call("@contains", Ref("store"), key)


def purge(v: Variant):
    return call(f"store.{v['purge']}")


def asked(v: Variant):
    """Ask about every key in both ways, the purge last."""
    return _asked(v["get"], v["purge"])


@cache
def _asked(get: str, purge: str):
    questions = (ask for key in KEYS for ask in (call(f"store.{get}", key), holds(key)))
    return (*questions, call(f"store.{purge}"))


def visible(v: Variant, s: Stream):
    """Ordinary life of entries, at whole instants far from any edge."""
    key, other = s.sample(KEYS, 2)
    ttl = s.between(4, 7)
    yield script(v, ("edge", "agree"), put(v, key, 1, ttl), tick("clock", 2), get(v, key), tick("clock", ttl), get(v, key), purge(v))
    yield script(v, ("agree",), put(v, key, "x", ttl), put(v, key, "y", ttl), get(v, key), holds(other), get(v, other))
    far = v["default"] + 5
    yield script(v, ("none",), put(v, key, 3, None), put(v, other, 4), tick("clock", far), get(v, key), holds(other), purge(v))
    if s.chance(1, 2):
        yield script(v, ("negative",), put(v, key, 5, 9), put(v, key, 6, -2), get(v, key))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """One look at an entry that the bug judges differently, seen through get alone."""
    key, ttl = s.choice(KEYS), s.between(2, 6)
    if bug == "early":
        return script(v, ("edge",), put(v, key, 1, ttl), tick("clock", ttl - HALF), get(v, key))
    if bug == "age_rounded":
        return script(v, ("edge",), put(v, key, 1, ttl + HALF), tick("clock", ttl + 3 * HALF / 2), get(v, key))
    return script(v, ("start", "edge"), tick("clock", HALF), put(v, key, 1, ttl), tick("clock", ttl - HALF / 2), get(v, key))


def around_the_edge(v: Variant, s: Stream) -> Check:
    """Three entries whose last instant lies just before, at and just after the moment of asking."""
    ttl, gap = s.between(2, 5), s.choice((HALF, 1, HALF / 2))
    puts = (put(v, key, key.upper(), ttl + shift) for key, shift in zip(s.shuffle(KEYS), (-gap, 0, gap), strict=True))
    return script(v, ("edge", "agree", "purge"), tick("clock", s.choice((0, 1, HALF))), *puts, tick("clock", ttl), *asked(v))


def between_units(v: Variant, s: Stream) -> Check:
    """Entries that start or end between whole units, asked about less than a unit from their end."""
    shift, ttl = s.choice((HALF, HALF / 2, 3 * HALF / 2)), s.between(1, 3)
    puts = (put(v, key, key.upper(), end) for key, end in zip(KEYS, (ttl, ttl + HALF, ttl + 1), strict=True))
    wait = s.choice((ttl - shift, ttl, ttl + HALF / 2, ttl + 3 * HALF / 2))
    return script(v, ("start", "edge", "purge"), tick("clock", s.choice((0, shift, shift))), *puts, tick("clock", wait), *asked(v))


def odd_lifetimes(v: Variant, s: Stream) -> Check:
    """Zero, None and negative lifetimes over entries that were there before."""
    odd = s.shuffle((0, None, -s.between(1, 3)))
    before = (put(v, key, "old", 30) for key in KEYS)
    puts = (put(v, key, "new", ttl) for key, ttl in zip(KEYS, odd, strict=True))
    start = tick("clock", s.choice((0, HALF, 1)))
    wait = tick("clock", v["default"] + s.choice((-1, 0, 1, 1, HALF)))
    return script(v, ("zero", "none", "negative", "agree"), start, *before, *puts, *asked(v)[:-1], wait, *asked(v))


def wide(v: Variant, s: Stream) -> Check:
    """A random script over two keys and a clock that moves in halves."""
    steps = []
    for turn in range(s.between(5, 12)):
        key = s.choice(KEYS[:2])
        kind = s.below(10)
        if kind < 4:
            steps.append(put(v, key, turn, s.choice((0, 1, 2, 2, 3, None, -1, 3 * HALF))))
        elif kind < 7:
            steps.append(tick("clock", s.choice((0, HALF, HALF, 1, 1, 2, v["default"], v["default"]))))
        else:
            steps.append(s.choice((get(v, key), holds(key), purge(v))))
    return script(v, ("edge", "agree", "purge"), *steps, *asked(v))


def oracle(v: Variant):
    """Keeps every put ever made, and works out from the contract which one counts."""

    class Store:
        def __init__(self, clock):
            self.clock, self.puts = clock, []

        def put(self, key, value, ttl=None):
            if ttl is not None and ttl < 0 and v["negative"] == "refused":
                raise ValueError
            start = self.clock() if v["stored"] == "exact" else self.clock() // 1
            self.puts.append((key, value, start, ttl))

        def live(self, key):
            """The entry of a key as a list of one, or an empty list."""
            last = [entry for entry in self.puts if entry[0] == key][-1:]
            return [entry for entry in last if self.is_live(*entry[2:])]

        def is_live(self, start, ttl):
            if ttl is None:
                if v["none"] == "forever":
                    return True
                ttl = v["default"]
            age = self.clock() - start
            if ttl == 0:
                return v["zero"] == "same_instant" and age == 0
            return ttl > 0 and (age < ttl or (age == ttl and v["edge"] == "alive_at"))

        def get(self, key):
            return self.live(key)[0][1] if self.live(key) else None

        def __contains__(self, key):
            return bool(self.live(key))

        def stored(self, key):
            """Whether the last put of a key stored anything."""
            ttl = [entry for entry in self.puts if entry[0] == key][-1][3]
            return ttl is None or ttl > 0 or (ttl == 0 and v["zero"] == "same_instant")

        def purge(self):
            keys = {entry[0] for entry in self.puts}
            dead = [key for key in keys if not self.live(key)]
            gone = sorted(key for key in dead if self.stored(key))
            self.puts = [entry for entry in self.puts if entry[0] not in dead]
            return gone

    for name in ("put", "get", "purge"):
        setattr(Store, v[name], Store.__dict__[name])
    return {v["cls"]: Store}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(TUPLES, RECORDS, SPANS),
    scenarios=SCENARIOS,
    choices={"default": (5, 8, 10, 12)},
    visible=visible,
    symptom=symptom,
    edges=(around_the_edge, between_units, odd_lifetimes),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
