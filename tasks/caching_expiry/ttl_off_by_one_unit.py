"""A cache entry dies at the instant its contract states, whichever way the cache is asked."""

from fractions import Fraction
from functools import cache

from sandbox.checks import Check, Ref, Step, call, clock, tick
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "edge",
        dead_at={
            "span": "is less than",
            "over": ">=",
            "flipped": ">",
            "under": "<",
            "flipped_under": "<=",
        },
        alive_at={
            "span": "is at most",
            "over": ">",
            "flipped": ">=",
            "under": "<=",
            "flipped_under": "<",
        },
    ),
    knob(
        "zero",
        never={
            "zero_clause": "stores nothing and drops what the $key held before",
            "zero_rule": "$zero_alone",
            "spent_rule": "$zero_too",
            "zero_look": "",
            "zero_live": "",
            "span_names": "_, end",
        },
        same_instant={
            "zero_clause": "stores a $thing that is live only while clock() equals its start",
            "zero_rule": "",
            "spent_rule": "$below_zero",
            "zero_look": "if $is_zero:\n    return now != start",
            "zero_live": "if self.$ttl == 0:\n    return age == 0",
            "span_names": "start, end",
        },
    ),
    knob(
        "none",
        forever={
            "none_clause": "means that the $thing never dies",
            "default_line": "",
            "none_rule": "",
            "is_negative": "$ttl is not None and $ttl < 0",
            "is_spent": "$ttl is not None and $ttl <= 0",
            "endless_look": "if $is_endless:\n    return False",
            "endless_live": "if self.$ttl is None:\n    return True",
            "stored_type": "Fraction | None",
            "end": "None if $ttl is None else start + $ttl",
        },
        default={
            "none_clause": "stands for a $ttl of $default ${unit}s",
            "default_line": "$default_name = Fraction($default)",
            "none_rule": "if $ttl is None:\n    $ttl = $default_name",
            "is_negative": "$ttl < 0",
            "is_spent": "$ttl <= 0",
            "endless_look": "",
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
            "start_time": "Fraction(int(self._clock()))",
        },
    ),
    knob(
        "negative",
        refused={
            "negative_clause": "raises ValueError and changes nothing",
            "negative_rule": 'if $is_negative:\n    raise ValueError("$ttl must not be negative")',
            "zero_alone": "if $ttl == 0:\n    self._drop($key)\n    return",
            "below_zero": "",
            "zero_too": "",
        },
        over={
            "negative_clause": "stores nothing and drops what the $key held before",
            "negative_rule": "$spent_rule",
            "zero_alone": "",
            "below_zero": "if $is_negative:\n    self._drop($key)\n    return",
            "zero_too": "if $is_spent:\n    self._drop($key)\n    return",
        },
    ),
)

CONTRACT = (
    Clause(
        "store",
        """$cls(clock) keeps ${thing}s by $key. clock() gives the time in ${unit}s as an integer or
        a Fraction and never runs backwards. $put($key, $value, $ttl) stores a $thing, which replaces
        whatever the $key held before, and returns None.""",
    ),
    Clause("start", "A $thing starts at $start_clause."),
    Clause(
        "edge",
        """A $thing with a positive $ttl is live while its age, the present time minus its start,
        $span the $ttl; after that it is dead. The age is exact, never rounded.""",
    ),
    Clause("zero", "A $ttl of 0 $zero_clause."),
    Clause("none", "A $ttl of None, which is also what an omitted one means, $none_clause."),
    Clause("negative", "A negative $ttl $negative_clause."),
    Clause(
        "agree",
        """$get($key) returns the $value of a live $thing and None otherwise. `$key in store` is
        True for a live $thing and False otherwise.""",
    ),
    Clause(
        "purge",
        "$purge() takes out every dead $thing and returns the sorted list of their ${key}s.",
    ),
)

TOP = '''
"""$summary"""

from collections.abc import Callable
$dataclass_line
from fractions import Fraction

$default_line


'''

OWNER = '''\
class $cls:
    """$about

    The clock is injected: callers decide what time means, and tests can move it.
    """

    def __init__(self, clock: Callable[[], Fraction]) -> None:
        self._clock = clock
        $tables

    def $put(self, $key: str, $value: object, $ttl: Fraction | None = None) -> None:
        """Remember $value under $key for $ttl ${unit}s."""
        $none_rule
        $negative_rule
        $zero_rule
'''
HEAD = TOP + OWNER

ZERO_LEFT = (
    change(
        "zero_left",
        ("if $ttl == 0:\n            self._drop($key)\n", "if $ttl == 0:\n"),
        when={"zero": "never", "negative": "refused"},
    ),
    change(
        "zero_left",
        ("if $is_spent:\n            self._drop($key)\n", "if $is_spent:\n"),
        when={"zero": "never", "negative": "over"},
    ),
)
# It leaves nothing else without a use only where the rule for lifetimes calls `_drop` too.
KEPT = (
    "        dead = sorted(self._records.keys() - live.keys())\n"
    "        for $key in dead:\n"
    "            self._drop($key)\n"
    "        return dead\n",
    "        return sorted(self._records.keys() - live.keys())\n",
)

ENTRIES = Shape(
    name="entries",
    entry_point="$cls",
    words={
        "about": "Keeps each $thing for a limited number of ${unit}s.",
        "tables": "self._entries: dict[str, tuple[object, Fraction, $stored_type]] = {}",
        "dataclass_line": "",
        "is_zero": "lifetime == 0",
        "is_endless": "lifetime is None",
    },
    module=HEAD
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
        $endless_look
        $zero_look
        return now - start $over lifetime
''',
    bugs=(
        change("early", ("start $over lifetime", "start $over lifetime - 1")),
        change("age_rounded", ("now = self._clock()", "now = int(self._clock())")),
        change(
            "start_rounded",
            ("$start_time, $ttl)", "int(self._clock()), $ttl)"),
            when={"stored": "exact"},
        ),
        change(
            "member_stale",
            (
                "        entry = self._entries.get($key)\n"
                "        return entry is not None and not self._is_dead(entry)\n",
                "        return $key in self._entries\n",
            ),
        ),
        *ZERO_LEFT,
    ),
    known_failing=(
        change("flipped", ("start $over lifetime", "start $flipped lifetime")),
        change(
            "only_get",
            ("None or self._is_dead(entry)", "None or self._is_dead(entry, early=0)"),
            ("$stored_type]) -> bool:", "$stored_type], early: int = 1) -> bool:"),
            ("start $over lifetime", "start $over lifetime - early"),
        ),
        change(
            "purge_left",
            ("if self._is_dead(entry)]", "if self._is_dead(entry, early=1)]"),
            ("$stored_type]) -> bool:", "$stored_type], early: int = 0) -> bool:"),
            ("start $over lifetime", "start $over lifetime - early"),
        ),
        change(
            "late",
            ("start $over lifetime", "start $over lifetime + 1"),
            against=("early", "start_rounded"),
        ),
    ),
)

SPANS = Shape(
    name="spans",
    entry_point="$cls",
    words={
        "about": "A table of ${thing}s that forgets; ${value}s and time spans are kept apart.",
        "tables": """
            self._values: dict[str, object] = {}
            self._spans: dict[str, tuple[Fraction, $stored_type]] = {}
        """,
        "dataclass_line": "",
        "is_zero": "end == start",
        "is_endless": "end is None",
    },
    module=HEAD
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
        $span_names = self._spans[$key]
        $endless_look
        $zero_look
        return now $over end
''',
    bugs=(
        change("early", ("return now $over end", "return now $over end - 1")),
        change(
            "age_rounded",
            ("_is_over($key, self._clock())", "_is_over($key, int(self._clock()))"),
            ("now = self._clock()", "now = int(self._clock())"),
        ),
        change(
            "start_rounded",
            ("start = $start_time", "start = int(self._clock())"),
            when={"stored": "exact"},
        ),
        *ZERO_LEFT,
    ),
    known_failing=(
        change("flipped", ("return now $over end", "return now $flipped end")),
        change("purge_left", ("if self._is_over($key, now))", "if self._is_over($key, now + 1))")),
        change("purge_late", ("if self._is_over($key, now))", "if self._is_over($key, now - 1))")),
        change(
            "late",
            ("return now $over end", "return now $over end + 1"),
            against=("early", "start_rounded"),
        ),
    ),
)

RECORDS = Shape(
    name="records",
    entry_point="$cls",
    words={
        "about": "What was put in under each $key, and until when it counts.",
        "tables": "self._records: dict[str, _Record] = {}",
        "dataclass_line": "from dataclasses import dataclass",
    },
    module=TOP
    + """\
@dataclass(frozen=True)
class _Record:
    $value: object
    start: Fraction
    $ttl: $stored_type

    def is_live(self, now: Fraction) -> bool:
        $endless_live
        age = now - self.start
        $zero_live
        return age $under self.$ttl


"""
    + OWNER
    + '''\
        self._records[$key] = _Record($value, $start_time, $ttl)

    def $get(self, $key: str) -> object | None:
        """The $value under $key, or None if nothing live is there."""
        record = self._records.get($key)
        if record is None or not record.is_live(self._clock()):
            return None
        return record.$value

    def __contains__(self, $key: str) -> bool:
        return $key in self._live(self._clock())

    def $purge(self) -> list[str]:
        """Keep what is live and return the sorted ${key}s of the rest."""
        live = self._live(self._clock())
        dead = sorted(self._records.keys() - live.keys())
        for $key in dead:
            self._drop($key)
        return dead

    def _drop(self, $key: str) -> None:
        self._records.pop($key, None)

    def _live(self, now: Fraction) -> dict[str, _Record]:
        return {$key: record for $key, record in self._records.items() if record.is_live(now)}
''',
    bugs=(
        change("age_rounded", ("age = now - self.start", "age = int(now) - self.start")),
        change(
            "start_rounded",
            ("$start_time, $ttl)", "int(self._clock()), $ttl)"),
            when={"stored": "exact"},
        ),
        change("member_stale", ("in self._live(self._clock())\n", "in self._records\n")),
        change("purge_keeps", KEPT, when={"zero": "never"}),
        change("purge_keeps", KEPT, when={"zero": "same_instant", "negative": "over"}),
        *ZERO_LEFT,
    ),
    known_failing=(
        change("flipped", ("age $under self", "age $flipped_under self")),
        change("member_late", ("in self._live(self._clock())", "in self._live(self._clock() - 1)")),
        change(
            "purge_left",
            ("live = self._live(self._clock())", "live = self._live(self._clock() + 1)"),
        ),
        change(
            "purge_late",
            ("live = self._live(self._clock())", "live = self._live(self._clock() - 1)"),
        ),
        change("late", ("$under self.$ttl", "$under self.$ttl + 1"), against=("start_rounded",)),
        change(
            "falsy",
            ("if self.$ttl is None:", "if not self.$ttl:"),
            when={"none": "forever", "zero": "same_instant"},
        ),
    ),
)

SCENARIOS = (
    scenario(
        "session store", summary="Login sessions that end on their own.", cls="SessionStore",
        thing="session", key="token", value="user", ttl="lifetime", put="open", get="user_of",
        purge="sweep", unit="minute", default_name="DEFAULT_LIFETIME",
    ),
    scenario(
        "price quotes", summary="Quoted prices, binding for a while.", cls="QuoteBook",
        thing="quote", key="sku", value="price", ttl="validity", put="publish", get="price_of",
        purge="withdraw_expired", unit="hour", default_name="DEFAULT_VALIDITY",
    ),
    scenario(
        "DNS records", summary="Resolver records kept until they run out.", cls="RecordCache",
        thing="record", key="name", value="host", ttl="ttl", put="store", get="lookup",
        purge="evict", unit="second", default_name="DEFAULT_TTL",
    ),
    scenario(
        "access grants", summary="Temporary access grants to rooms.", cls="GrantRegistry",
        thing="grant", key="badge", value="room", ttl="duration", put="grant", get="room_for",
        purge="revoke_expired", unit="day", default_name="DEFAULT_DURATION",
    ),
)  # fmt: skip

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
LIFETIMES = (0, 1, 2, 2, 3, None, None, -1, 3 * HALF)
KEYS = ("a17", "b02", "c40")
CLOCK = clock(0)


def script(v: Variant, clauses: str, *steps) -> Check:
    """A check that drives one store through the steps; time starts at 0."""
    make = call(v["cls"], Ref("clock"), bind="store")
    numbers = v.clauses("store", clauses)
    return Check((make, *steps), {"clock": CLOCK}, clauses=numbers)


def put(v: Variant, key: str, value: object, *ttl):
    return call(f"store.{v['put']}", key, value, *ttl)


@cache
def wait(span: int | Fraction) -> Step:
    return tick("clock", span)


@cache
def get(v_get: str, key: str):
    return call(f"store.{v_get}", key)


@cache
def asked(v_get: str, v_purge: str):
    """Ask about every key in both ways, the purge last."""
    both = (ask for key in KEYS for ask in (get(v_get, key), call("@contains", Ref("store"), key)))
    return (*both, call(f"store.{v_purge}"))


def visible(v: Variant, s: Stream):
    """Ordinary life of entries, at whole instants far from any edge."""
    key, other = s.sample(KEYS, 2)
    ttl, look = s.between(4, 7), get(v["get"], key)
    purge = asked(v["get"], v["purge"])[-1]
    yield script(
        v,
        "edge agree",
        put(v, key, 1, ttl),
        tick("clock", 2),
        look,
        tick("clock", ttl),
        look,
        purge,
    )
    yield script(
        v, "agree", put(v, key, "x", ttl), put(v, key, "y", ttl), look, get(v["get"], other)
    )
    late = tick("clock", v["default"] + 5)
    yield script(
        v, "none", put(v, key, 3, None), put(v, other, 4), late, look, get(v["get"], other), purge
    )
    if s.chance(1, 2):
        yield script(v, "negative", put(v, key, 5, 9), put(v, key, 6, -2), look)


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """One look at an entry that the bug judges differently."""
    key, ttl = s.choice(KEYS), s.between(2, 6)
    if bug == "zero_left":
        return script(v, "zero", put(v, key, 1, ttl), put(v, key, 2, 0), get(v["get"], key))
    if bug == "member_stale":
        over = tick("clock", ttl + 3), call("@contains", Ref("store"), key)
        return script(v, "agree", put(v, key, 1, ttl), *over)
    if bug == "purge_keeps":
        purge, puts = call(f"store.{v['purge']}"), [put(v, name, 1, ttl) for name in KEYS[:2]]
        return script(v, "purge", *puts, tick("clock", ttl + 3), purge, purge)
    start, lifetime, age = {
        "early": (0, ttl, ttl - HALF),
        "age_rounded": (0, ttl + HALF, ttl + 3 * QUARTER),
        "start_rounded": (HALF, ttl, ttl - QUARTER),
    }[bug]
    life = (tick("clock", start), put(v, key, 1, lifetime), tick("clock", age))
    return script(v, "start edge", *life, get(v["get"], key))


def around_the_edge(v: Variant, s: Stream) -> Check:
    """Three entries whose end lies just before, at and just after the moment of asking; two purges."""
    ttl, gap = s.between(2, 5), s.choice((QUARTER, HALF, 1))
    puts = (
        put(v, key, n, ttl + n * gap) for n, key in zip((-1, 0, 1), s.shuffle(KEYS), strict=True)
    )
    steps, asks = (wait(s.choice((0, 1, HALF))), *puts, wait(ttl)), asked(v["get"], v["purge"])
    return script(v, "edge agree purge", *steps, *asks, asks[-1])


def between_units(v: Variant, s: Stream) -> Check:
    """Entries that start or end between whole units, asked within a unit of their end."""
    ttl, shift = s.between(1, 3), s.choice((QUARTER, HALF, 3 * QUARTER))
    puts = (put(v, key, n, ttl + n * HALF) for n, key in enumerate(KEYS))
    wait = ttl + s.choice((-shift, 0, QUARTER, 3 * QUARTER))
    start = tick("clock", s.choice((0, shift, shift)))
    return script(
        v, "start edge purge", start, *puts, tick("clock", wait), *asked(v["get"], v["purge"])
    )


def odd_lifetimes(v: Variant, s: Stream) -> Check:
    """Zero, None and negative lifetimes over entries that were there before."""
    odd = s.shuffle((0, None, -s.between(1, 3)))
    puts = (put(v, key, "new", ttl) for key, ttl in zip(KEYS, odd, strict=True))
    before = (put(v, key, "old", 30) for key in KEYS)
    start, wait = s.choice((0, HALF, 1)), v["default"] + s.choice((-1, 0, 1, HALF, HALF))
    steps = (
        tick("clock", start),
        *before,
        *puts,
        *asked(v["get"], v["purge"])[:-1],
        tick("clock", wait),
    )
    return script(v, "zero none negative agree", *steps, *asked(v["get"], v["purge"]))


def wide(v: Variant, s: Stream) -> Check:
    """A random script over two keys and a clock that moves in halves."""
    steps = []
    for turn in range(s.between(4, 9)):
        if s.chance(1, 2):
            ttl = s.choice(LIFETIMES)
            steps.append(put(v, s.choice(KEYS[:2]), turn, ttl))
        else:
            steps.append(wait(s.choice((0, HALF, HALF, 1, 1, 2, v["default"]))))
    return script(v, "edge agree purge", *steps, *asked(v["get"], v["purge"]))


def oracle(v: Variant):
    """Keeps every put ever made, and works out from the contract which one counts."""

    class Store:
        def __init__(self, clock):
            self.clock, self.puts = clock, []

        def put(self, key, value, ttl=None):
            if ttl is not None and ttl < 0 and v["negative"] == "refused":
                raise ValueError
            if ttl is None and v["none"] == "default":
                ttl = v["default"]
            start = self.clock() if v["stored"] == "exact" else self.clock() // 1
            self.puts.append((key, value, start, ttl))

        def last(self, key):
            """The put that counts: the last of the key, if it stored anything."""
            found = [entry for entry in self.puts if entry[0] == key][-1:]
            least = 0 if v["zero"] == "same_instant" else Fraction(1, 1000)
            return [entry for entry in found if entry[3] is None or entry[3] >= least]

        def is_live(self, start, ttl):
            if ttl is None:
                return True
            age = self.clock() - start
            return age == 0 if ttl == 0 else age < ttl or (age == ttl and v["edge"] == "alive_at")

        def get(self, key):
            return next((value for _, value, *span in self.last(key) if self.is_live(*span)), None)

        def __contains__(self, key):
            return any(self.is_live(*span) for _, _, *span in self.last(key))

        def purge(self):
            gone = sorted(key for key in KEYS if self.last(key) and key not in self)
            self.puts = [entry for entry in self.puts if entry[0] not in gone]
            return gone

    for name in ("put", "get", "purge"):
        setattr(Store, v[name], Store.__dict__[name])
    return {v["cls"]: Store}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(ENTRIES, SPANS, RECORDS),
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
