"""Concurrent calls for one key share a single load and its outcome."""

from functools import cache

from sandbox.checks import Check, Ref, call, callback, interleave, raises
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "failure",
        shared={
            "failed_clause": "raises the same error",
            "failed_rule": "raise flight.error", "board_failed": "raise value",
            "error_init": "self.error: Exception | None = None",
            "on_error": 'except Exception as error:\n    flight.state, flight.error = "failed", error\n    raise',
        },
        retry={
            "failed_clause": "starts over, as if that turn were its first",
            "failed_rule": "return (yield from self.$fetch($key))", "board_failed": "return (yield from self.$fetch($key))",
            "error_init": "", "on_error": 'except Exception:\n    flight.state = "failed"\n    raise',
        },
    ),
    knob(
        "closed",
        handover={
            "closed_clause": "starts over, as if that turn were its first",
            "closed_rule": "return (yield from self.$fetch($key))", "board_closed": "return (yield from self.$fetch($key))",
        },
        stops={
            "closed_clause": "raises $error",
            "closed_rule": "raise $error($key)", "board_closed": "raise $error($key)",
        },
    ),
    knob(
        "kept",
        forgotten={
            "kept_clause": "A result goes to the calls of its flight and is not kept for later ones",
            "kept_init": "", "kept_rule": "", "keep": "", "board_keep": "", "kept_word": "",
        },
        kept={
            "kept_clause": "The result of a flight is kept from the end of that flight on$kept_over. A call for a $key with a "
            "kept result returns it in its first turn$kept_air",
            "kept_init": "self._kept: dict[str, object] = {}",
            "kept_rule": "if $key in self._kept:\n    return $from_kept",
            "keep": "self._kept[$key] = flight.result", "board_keep": "self._kept[$key] = result",
            "kept_word": ', "kept" for a call that found a kept result',
        },
    ),
    knob(
        "late",
        joins={
            "air_clause": "From the first turn of its leader until it has ended the flight is in the air",
            "close_off": "", "board_off": "", "kept_over": "", "kept_air": "",
        },
        anew={
            "air_clause": "From the first turn of its leader until $load has been called the flight is in the air; "
            "it ends later, and those who joined it wait for that",
            "close_off": "self._take_down($key, flight)", "board_off": "self._take_down($key, board)",
            "kept_over": ", in the place of an earlier one", "kept_air": ", even when a flight is in the air",
        },
    ),
    knob(
        "report",
        plain={
            "report_clause": "the result alone",
            "from_kept": "self._kept[$key]", "from_load": "flight.result", "from_flight": "flight.result",
            "board_load": "result", "board_flight": "value", "returned": "object",
        },
        told={
            "report_clause": 'a tuple of the result and a text: "loaded" for the call that led the flight, "joined" for '
            "one that joined it$kept_word",
            "from_kept": '(self._kept[$key], "kept")', "from_load": '(flight.result, "loaded")',
            "from_flight": '(flight.result, "joined")', "board_load": '(result, "loaded")',
            "board_flight": '(value, "joined")', "returned": "tuple[object, str]",
        },
    ),
)  # fmt: skip

CONTRACT = (
    Clause(
        "turns",
        """$cls($load) gets ${thing}s for many callers at a time. $fetch($key) is a generator
        function; its generators run by turns: up to its next yield a generator runs alone, and at
        a yield any of the others may go on. Its outcome is what it returns. A $key is text; any
        object may be a result, None included.""",
    ),
    Clause(
        "lead",
        """A call for a $key without a flight in the air starts a flight in its first turn and leads
        it: it yields, calls $load($key), yields again and, in its third turn, ends the flight and
        returns. It yields nowhere else. $air_clause.""",
    ),
    Clause(
        "join",
        """A call for a $key with a flight in the air joins it, without a call of $load: it yields
        until it finds, at the start of a turn, that the flight has ended, and returns in that turn.""",
    ),
    Clause(
        "failure",
        """When $load raises an Exception, the flight ends at once and its leader raises that error in
        the same turn; $load raises nothing else. In its next turn a call that joined the flight $failed_clause.""",
    ),
    Clause(
        "closed",
        """When the generator of the leader is closed at a yield, the flight ends at once and without
        a result, even if $load has been called. In its next turn a call that joined it $closed_clause. The closing of
        a call that joined changes nothing for the others.""",
    ),
    Clause("kept", "$kept_clause. Errors are never kept."),
    Clause("report", "A call returns $report_clause."),
    Clause("flights", "$flights() gives the sorted list of the ${key}s with a flight in the air."),
)

LATE = (
    "        flight = self._flights[$key] = Flight()\n        try:\n            yield\n",
    "        flight = Flight()\n        try:\n            yield\n            self._flights[$key] = flight\n",
)
ASKS_AFTER = (
    LATE[0],
    """\
        yield
        if $key in self._flights:
            return (yield from self.$fetch($key))
        flight = self._flights[$key] = Flight()
        try:
""",
)
WAITS = '        while flight.state == "in flight":\n            yield\n'
NOT_CLOSING = ("late", "leaves_failed")

STATES = Shape(
    name="states",
    entry_point="$cls",
    module='''
"""$summary"""

from collections.abc import Callable, Generator


class Flight:
    """One load under way; those who wait for it hold on to this object."""

    def __init__(self) -> None:
        self.state = "in flight"
        self.result: object = None
        $error_init


class $cls:
    """Lets callers that want the same $key wait for one load."""

    def __init__(self, $load: Callable[[str], object]) -> None:
        self._$load = $load
        self._flights: dict[str, Flight] = {}
        $kept_init

    def $fetch(self, $key: str) -> Generator[None, None, $returned]:
        """The $thing for $key, loaded by this call or by another one."""
        $kept_rule
        flight = self._flights.get($key)
        if flight is None:
            return (yield from self._lead($key))
        while flight.state == "in flight":
            yield
        if flight.state == "failed":
            $failed_rule
        if flight.state == "closed":
            $closed_rule
        return $from_flight

    def $flights(self) -> list[str]:
        """The ${key}s that have a flight to join."""
        return sorted(self._flights)

    def _lead(self, $key: str) -> Generator[None, None, $returned]:
        flight = self._flights[$key] = Flight()
        try:
            yield
            flight.result = self._$load($key)
            $close_off
            yield
            flight.state = "landed"
            $keep
            return $from_load
        except GeneratorExit:
            flight.state = "closed"
            raise
        $on_error
        finally:
            self._take_down($key, flight)

    def _take_down(self, $key: str, flight: Flight) -> None:
        if self._flights.get($key) is flight:
            del self._flights[$key]
''',
    bugs=(
        change("late", LATE),
        change(
            "leaves_failed",
            ("            $keep\n            return $from_load\n", "            $keep\n            self._take_down($key, flight)\n            return $from_load\n"),
            ("            flight.state = \"closed\"\n", "            flight.state = \"closed\"\n            self._take_down($key, flight)\n"),
            ("        finally:\n            self._take_down($key, flight)\n", ""),
            when={"failure": "shared", "late": "joins"},
        ),
        change(
            "leaves_failed",
            ("            flight.state = \"closed\"\n", "            flight.state = \"closed\"\n            self._take_down($key, flight)\n"),
            ("        finally:\n            self._take_down($key, flight)\n", ""),
            when={"failure": "shared", "late": "anew"},
        ),
        change("joiner_removes", (WAITS, """\
        try:
            while flight.state == "in flight":
                yield
        except GeneratorExit:
            self._take_down($key, flight)
            raise
""")),
        change(
            "closed_stuck",
            ("        if flight.state == \"closed\":\n            $closed_rule\n", ""),
            ("        except GeneratorExit:\n            flight.state = \"closed\"\n            raise\n", ""),
        ),
    ),
    known_failing=(
        change("asks_after", ASKS_AFTER, when={"late": "joins"}, against=NOT_CLOSING),
        change("clears_all", ("        if self._flights.get($key) is flight:\n            del self._flights[$key]", "        self._flights.clear()")),
        change("early_out", ("while flight.state == \"in flight\":", "while flight.state == \"in flight\" and flight.result is None:")),
        change("no_error", ("        if flight.state == \"failed\":\n            $failed_rule\n", "        if flight.state == \"failed\":\n            return $from_flight\n"), when={"failure": "shared"}),
        change("failed_alone", ("        if flight.state == \"failed\":\n            $failed_rule\n", "        if flight.state == \"failed\":\n            return (yield from self._lead($key))\n"), when={"failure": "retry"}),
        change("closed_alone", ("        if flight.state == \"closed\":\n            $closed_rule\n", "        if flight.state == \"closed\":\n            return (yield from self._lead($key))\n"), when={"closed": "handover"}),
        change("takes_any", ("        if self._flights.get($key) is flight:\n            del self._flights[$key]", "        self._flights.pop($key, None)"), when={"late": "anew"}),
        change("none_absent", ("if $key in self._kept:", "if self._kept.get($key) is not None:"), when={"kept": "kept"}),
    ),
)  # fmt: skip

LOADS_ALONE = "            result = self._$load($key)\n            return $board_load\n"

NEVER_CLOSED = (
    ("        except GeneratorExit:\n            board.append((\"closed\", None))\n            raise\n", ""),
    ("        if ending == \"closed\":\n            $board_closed\n", ""),
)  # fmt: skip

BOARDS = Shape(
    name="boards",
    entry_point="$cls",
    module='''
"""$summary"""

from collections.abc import Callable, Generator

# Empty while a flight is under way; then it has one entry: how it ended, and with what.
Board = list[tuple[str, object]]


class $cls:
    """Gets ${thing}s by $key; callers that come together share one load."""

    def __init__(self, $load: Callable[[str], object]) -> None:
        self._$load = $load
        self._boards: dict[str, Board] = {}
        $kept_init

    def $fetch(self, $key: str) -> Generator[None, None, $returned]:
        """Get the $thing for $key, by a flight of its own or one that is in the air."""
        $kept_rule
        if $key in self._boards:
            return (yield from self._join($key, self._boards[$key]))
        board: Board = []
        self._boards[$key] = board
        try:
            yield
            result = self._$load($key)
            $board_off
            yield
            board.append(("landed", result))
            $board_keep
            return $board_load
        except GeneratorExit:
            board.append(("closed", None))
            raise
        except Exception as error:
            board.append(("failed", error))
            raise
        finally:
            self._take_down($key, board)

    def $flights(self) -> list[str]:
        """Which ${key}s can be joined now."""
        return sorted(self._boards)

    def _join(self, $key: str, board: Board) -> Generator[None, None, $returned]:
        while not board:
            yield
        ending, value = board[0]
        if ending == "failed":
            $board_failed
        if ending == "closed":
            $board_closed
        return $board_flight

    def _take_down(self, $key: str, board: Board) -> None:
        if self._boards.get($key) is board:
            del self._boards[$key]
''',
    bugs=(
        change("late", ("        self._boards[$key] = board\n        try:\n            yield\n", "        try:\n            yield\n            self._boards[$key] = board\n")),
        change(
            "leaves_failed",
            ("            $board_keep\n            return $board_load\n", "            $board_keep\n            self._take_down($key, board)\n            return $board_load\n"),
            ("            board.append((\"closed\", None))\n", "            board.append((\"closed\", None))\n            self._take_down($key, board)\n"),
            ("        finally:\n            self._take_down($key, board)\n", ""),
            when={"failure": "shared", "late": "joins"},
        ),
        change(
            "leaves_failed",
            ("            board.append((\"closed\", None))\n", "            board.append((\"closed\", None))\n            self._take_down($key, board)\n"),
            ("        finally:\n            self._take_down($key, board)\n", ""),
            when={"failure": "shared", "late": "anew"},
        ),
        change("joiner_removes", ("        while not board:\n            yield\n", """\
        try:
            while not board:
                yield
        finally:
            self._take_down($key, board)
""")),
        change("closed_stuck", *NEVER_CLOSED, when={"failure": "retry"}),
        change(
            "closed_stuck",
            *NEVER_CLOSED,
            ("self._join($key, self", "self._join(self"),
            ("_join(self, $key: str, board", "_join(self, board"),
            when={"failure": "shared"},
        ),
    ),
    known_failing=(
        change("asks_after", ("        board: Board = []\n        self._boards[$key] = board\n        try:\n            yield\n", """\
        yield
        if $key in self._boards:
            return (yield from self._join($key, self._boards[$key]))
        board: Board = []
        self._boards[$key] = board
        try:
"""), when={"late": "joins"}, against=NOT_CLOSING),
        change("clears_all", ("        if self._boards.get($key) is board:\n            del self._boards[$key]", "        self._boards.clear()")),
        change(
            "early_out",
            ("            result = self._$load($key)\n", "            result = self._$load($key)\n            board.append((\"landed\", result))\n"),
            ("            yield\n            board.append((\"landed\", result))\n", "            yield\n"),
        ),
        change("no_error", ("        if ending == \"failed\":\n            $board_failed\n", "        if ending == \"failed\":\n            return None\n"), when={"failure": "shared"}),
        change("failed_alone", ("        if ending == \"failed\":\n            $board_failed\n", "        if ending == \"failed\":\n" + LOADS_ALONE), when={"failure": "retry"}),
        change("closed_alone", ("        if ending == \"closed\":\n            $board_closed\n", "        if ending == \"closed\":\n" + LOADS_ALONE), when={"closed": "handover"}),
        change("takes_any", ("        if self._boards.get($key) is board:\n            del self._boards[$key]", "        self._boards.pop($key, None)"), when={"late": "anew"}),
        change("none_absent", ("if $key in self._kept:", "if self._kept.get($key) is not None:"), when={"kept": "kept"}),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "token refresh", summary="Access tokens, refreshed once for all who wait.", cls="TokenSource", load="refresh",
        fetch="token_for", key="scope", thing="token", flights="refreshing",
    ),
    scenario(
        "report builder", summary="Reports that are built on request.", cls="ReportDesk", load="build",
        fetch="report", key="title", thing="report", flights="being_built",
    ),
    scenario(
        "image resize", summary="Thumbnails, made when they are asked for.", cls="Thumbnails", load="resize",
        fetch="thumbnail", key="path", thing="thumbnail", flights="in_work",
    ),
    scenario(
        "schema load", summary="Table schemas from the catalogue.", cls="SchemaCatalogue", load="read_schema",
        fetch="schema_of", key="table", thing="schema", flights="loading",
    ),
    scenario(
        "geocoding", summary="Positions of places, from a slow geocoder.", cls="Geocoder", load="locate",
        fetch="position", key="place", thing="position", flights="pending",
    ),
)  # fmt: skip

KEYS, LABELS = ("k1", "k2"), "ABCDE"
FAILS = raises("OSError", "offline")


@cache
def desk(cls: str, fetch: str, flights: str):
    """How a desk is made, how each key is fetched from it, and the question for its flights."""
    fetched = {key: (f"desk.{fetch}", (key,)) for key in KEYS}
    return call(cls, Ref("source"), bind="desk"), fetched, call(f"desk.{flights}")


def script(v: Variant, clauses: str, replies, *rounds) -> Check:
    """Rounds of calls at one source, which is asked for its flights after each.

    A round is (keys by label, schedule, labels to close); labels take turns in the order given.
    """
    made, fetched, ask = desk(v["cls"], v["fetch"], v["flights"])
    steps = [made]
    for keys, schedule, closed in rounds:
        tasks = {label: fetched[key] for label, key in keys.items()}
        steps += (interleave(tasks, schedule, max_turns=20, close=closed), ask)
    numbers = v.clauses("turns", "report", "flights", clauses)
    return Check(tuple(steps), {"source": callback(*replies)}, clauses=numbers)


def same_key(labels: str, key: str = "k1"):
    return dict.fromkeys(labels, key)


def results(s: Stream, failing: int = 0):
    """What the source gives: an error `failing` times, then results that differ, one perhaps None."""
    found = [
        None if s.chance(1, 4) else f"v{s.below(50)}",
        f"w{s.below(50)}",
        f"x{s.below(50)}",
        f"y{s.below(50)}",
    ]
    return (*[FAILS] * failing, *found)


def visible(v: Variant, s: Stream):
    """Calls one after the other, for one key and for two, and a load that fails."""
    replies = [f"v{s.below(50)}", f"w{s.below(50)}"]
    key, other = s.shuffle(KEYS)
    yield script(v, "lead kept", replies, (same_key("AB", key), "AAABBB", ()))
    yield script(v, "lead", replies, ({"A": key, "B": other}, "AAABBB", ()))
    yield script(v, "lead failure", (FAILS,), (same_key("A", key), "A", ()))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Two calls that come together; after a failure; a call that is closed."""
    replies, key = [f"v{s.below(50)}", f"w{s.below(50)}"], s.choice(KEYS)
    if bug == "late":
        return script(v, "lead join", replies, (same_key("AB", key), "AB" * s.between(1, 3), ()))
    if bug == "leaves_failed":
        return script(
            v,
            "failure",
            (FAILS, *replies),
            (same_key("A", key), "A", ()),
            (same_key("B", key), "", ()),
        )
    if bug == "joiner_removes":
        return script(v, "closed join", replies, (same_key("CAB", key), "AB", ("B",)))
    return script(v, "closed", replies, (same_key("AB", key), "AB", ("A",)))


def together(v: Variant, s: Stream) -> Check:
    """Several calls for one key, the first two in turn; then one more."""
    labels = LABELS[: s.between(2, 4)]
    lead = s.choice(("AB", "AB", "BA", "AAB"))
    schedule = lead + s.text(labels, 3, 8)
    return script(
        v, "lead join", results(s), (same_key(labels), schedule, ()), (same_key("A"), "", ())
    )


def failing(v: Variant, s: Stream) -> Check:
    """A load fails while others wait for it."""
    labels = LABELS[: s.between(3, 4)]
    replies = results(s, s.choice((1, 1, 2)))
    schedule = "".join(s.shuffle(labels)) + s.text(labels, 1, 6)
    return script(
        v, "failure join lead", replies, (same_key(labels), schedule, ()), (same_key("A"), "", ())
    )


def leader_closed(v: Variant, s: Stream) -> Check:
    """The leader is closed, before or after its load, when others wait; they have had a turn or not."""
    labels = LABELS[: s.between(3, 4)]
    leader, *others = s.shuffle(labels)
    arrived = leader + "".join(others)
    schedule = arrived + s.choice(
        ("", leader + "".join(others), leader + "".join(s.shuffle(others)), leader)
    )
    order = "".join(s.shuffle(labels))
    return script(
        v,
        "closed join",
        results(s),
        (same_key(order), schedule, (leader,)),
        (same_key("A"), "", ()),
    )


def joiner_closed(v: Variant, s: Stream) -> Check:
    """A call that waits is closed, then another one comes while the flight is in the air."""
    leader, waits, comes, last = s.shuffle("ABCD")
    schedule = leader + waits + s.choice(("", last))
    order = comes + "".join(s.shuffle((leader, waits, last)))
    replies = results(s, s.choice((0, 0, 1)))
    return script(
        v,
        "closed join lead",
        replies,
        (same_key(order), schedule, (waits,)),
        (same_key("A"), "", ()),
    )


def closed_after_load(v: Variant, s: Stream) -> Check:
    """The leader is closed between its load and the end of its flight; others had a turn there, and
    may have a newer flight in the air."""
    key = s.choice(KEYS)
    joined = ("AAC", "AACB", "ABAB", "ABCAB")
    schedule = s.choice(joined if v["late"] == "joins" else ("ABACB", "ABABC"))
    order = s.choice(("DABC", "DBAC"))
    _, *others = results(s)
    return script(
        v,
        "lead join closed",
        (f"v{s.below(50)}", *others),
        (same_key(order, key), schedule, ("A",)),
        (same_key("A", key), "", ()),
    )


def after_the_load(v: Variant, s: Stream) -> Check:
    """Calls that come between a load and the end of its flight, while a newer flight is in the air."""
    key = s.choice(KEYS)
    schedule = s.choice(("AAC", "ABAC", "AACB")) + s.choice(("AD", "AD", "DA", "CAD"))
    order = s.choice(("DABC", "DBAC"))
    return script(
        v,
        "lead join kept",
        results(s),
        (same_key(order, key), schedule + s.text("ABCD", 0, 3), ()),
        (same_key("A", key), "", ()),
    )


def two_keys(v: Variant, s: Stream) -> Check:
    """Flights for two keys at a time; a call joins the one when the other has ended."""
    key, other = s.shuffle(KEYS)
    keys = {"A": key, "B": other, "C": other, "D": s.choice(KEYS)}
    schedule = s.choice(("ABAAC", "ABAAC", "BAAAC", "ABACA")) + s.text("ABCD", 0, 6)
    return script(
        v,
        "lead join",
        results(s, s.choice((0, 0, 1))),
        (keys, schedule, ()),
        (same_key("A", other), "", ()),
    )


def wide(v: Variant, s: Stream) -> Check:
    """Two rounds of calls, some closed, with a source that fails now and then."""
    replies = [*(s.choice((FAILS, None, f"v{at}", f"v{at}")) for at in range(3)), "v3"]
    rounds = []
    for most in (4, 3):
        labels = LABELS[: s.between(2, most)]
        keys = {label: s.choice(("k1", "k1", "k2")) for label in labels}
        closed = tuple(s.sample(labels, 1)) if s.chance(1, 3) else ()
        rounds.append((keys, s.text(labels, 2, 9), closed))
    return script(v, "lead join failure closed kept", replies, *rounds)


def oracle(v: Variant):
    """Writes a log of what each call did, and keeps nothing else: whom a call waits for, which
    flights are in the air and how one ended is looked up in the log."""
    is_kept, is_told = v["kept"] == "kept", v["report"] == "told"
    is_shared, stops = v["failure"] == "shared", v["closed"] == "stops"
    closed_error = {"RuntimeError": RuntimeError, "InterruptedError": InterruptedError}[v["error"]]
    grounded = ["landed", "failed", "closed", *(["called"] if v["late"] == "anew" else ())]

    class Desk:
        def __init__(self, load):
            self.load, self.log = load, []

        def last(self, call):
            """What the call did last and what came of it."""
            for who, did, what in reversed(self.log):
                if who is call:
                    return did, what
            return "nothing", None

        def in_air(self):
            """Leaders of the flights that can be joined, by key."""
            leaders = {}
            for who, did, _ in self.log:
                if did == "leads":
                    leaders[who.key] = who
                elif did in grounded and leaders.get(who.key) is who:
                    del leaders[who.key]
            return leaders

    class Call:
        def __init__(self, desk, key):
            self.desk, self.key = desk, key

        def note(self, did, what=None):
            self.desk.log.append((self, did, what))

        def answer(self, result, how):
            raise StopIteration((result, how) if is_told else result)

        def __next__(self):
            did, what = self.desk.last(self)
            if did == "leads":
                try:
                    self.note("called", self.desk.load(self.key))
                except OSError as error:
                    self.note("failed", error)
                    raise
            elif did == "called":
                self.note("landed", what)
                self.answer(what, "loaded")
            elif did == "nothing" or self.starts_over(*self.desk.last(what)):
                self.arrive()

        def starts_over(self, ending, value):
            """Whether a call that joined does, by what its leader did last."""
            if ending == "landed":
                self.answer(value, "joined")
            if ending == "failed" and is_shared:
                raise value
            if ending == "closed" and stops:
                raise closed_error
            return ending in ("failed", "closed")

        def arrive(self):
            for who, did, what in reversed(self.desk.log):
                if is_kept and did == "landed" and who.key == self.key:
                    self.answer(what, "kept")
            leader = self.desk.in_air().get(self.key)
            self.note("leads" if leader is None else "joins", leader)

        def close(self):
            if self.desk.last(self)[0] in ("leads", "called"):
                self.note("closed")

    setattr(Desk, v["fetch"], lambda self, key: Call(self, key))
    setattr(Desk, v["flights"], lambda self: sorted(self.in_air()))
    return {v["cls"]: Desk}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(STATES, BOARDS),
    scenarios=SCENARIOS,
    choices={"error": ("RuntimeError", "InterruptedError")},
    visible=visible,
    symptom=symptom,
    edges=(
        together,
        failing,
        leader_closed,
        joiner_closed,
        closed_after_load,
        after_the_load,
        two_keys,
    ),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
