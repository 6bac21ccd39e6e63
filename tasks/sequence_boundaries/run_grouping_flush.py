"""Neighbours that belong together form one run, and the run still open at the end is one too."""

from functools import lru_cache

from sandbox.checks import Check, Ref, call, get, stream, take, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "same",
        exact={"same_clause": "when they are equal", "is_same": "$state == current"},
        any_case={
            "same_clause": "when they are equal but for upper and lower case; a run bears the "
            "$state of its first $item as written there",
            "is_same": "$state.casefold() == current.casefold()",
        },
    ),
    knob(
        "gap",
        ignored={
            "gap_clause": "has no influence on runs",
            "open_run": "",
            "gap_rule": "",
            "other_gap_rule": "if $number != last + 1:\n    return False",
            "latest": "",
            "params": "",
            "args": "",
            "self_args": "",
            "other_params": "last: int, $number: int, ",
            "other_args": "last, $number, ",
            "other_self_args": "self._last, $number, ",
        },
        ends={
            "gap_clause": "ends the run before it, whatever the ${state}s are",
            "open_run": " that no gap has ended",
            "gap_rule": "if $number != last + 1:\n    return False",
            "other_gap_rule": "",
            "latest": " whose latest $number is `last`",
            "params": "last: int, $number: int, ",
            "args": "last, $number, ",
            "self_args": "self._last, $number, ",
            "other_params": "",
            "other_args": "",
            "other_self_args": "",
        },
    ),
    knob(
        "missing",
        ends={
            "missing_clause": "ends the run before it and is part of none",
            "none_joins": "False",
            "other_joins": "True",
        },
        joins={
            "missing_clause": "is part of the run that is open before it, if there is one$open_run, "
            "and otherwise of none",
            "none_joins": "True",
            "other_joins": "False",
        },
    ),
    knob(
        "short",
        kept={
            "short_clause": "A run of a single $item counts like any other.",
            "least_line": "",
            "long": "",
            "brief": "",
            "size_none": "",
            "size_one": "",
            "size_grow": "",
            "scan_rule": "",
            "self_none": "",
            "self_one": "",
            "self_grow": "",
        },
        dropped={
            "short_clause": "A run of fewer than $least ${item}s is left out; the runs beside "
            "it are not joined.",
            "least_line": "$least_name = $least",
            "long": " and size >= $least_name",
            "brief": " or self._size < $least_name",
            "size_none": "size = 0",
            "size_one": "size = 1",
            "size_grow": "size += 1",
            "scan_rule": "if stop - start < $least_name:\n    continue",
            "self_none": "self._size = 0",
            "self_one": "self._size = 1",
            "self_grow": "self._size += 1",
        },
    ),
    knob(
        "end",
        inclusive={
            "end_clause": "the $number of its last $item",
            "plus": "",
            "from_next": "$number - 1",
        },
        exclusive={
            "end_clause": "the $number of its last $item plus one",
            "plus": " + 1",
            "from_next": "$number",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "run",
        """A run is a row of neighbouring ${item}s with the same $state. It is given as a tuple of
        three: its $state, the $number of its first $item, and $end_clause. The runs come in the
        order of the ${item}s; the one that is still open after the last $item is given like all
        others, and without any $item there is no run.""",
    ),
    Clause("same", 'Two ${state}s are the same $same_clause. "" is a $state like any other.'),
    Clause(
        "gap",
        """Where the ${number}s of two neighbouring ${item}s are more than one apart, there is a gap
        between them. A gap $gap_clause.""",
    ),
    Clause("missing", "Where the $state of a $item is None, that $item $missing_clause."),
    Clause("short", "$short_clause"),
    Clause("use", "$use_clause"),
)

HEAD = '''
$least_line


def _goes_on(current: str, $params$state: str | None) -> bool:
    """Whether a $item belongs to the run of `current`$latest."""
    $gap_rule
    if $state is None:
        return $none_joins
    return $is_same


'''

DOMAIN = """each a tuple of its $number, an integer, and its $state, a text of ASCII characters or
    None. The ${number}s rise from $item to $item"""

SIBLINGS = (
    change(
        "gap_other",
        slots={
            "gap_rule": "$other_gap_rule",
            "params": "$other_params",
            "args": "$other_args",
            "self_args": "$other_self_args",
        },
    ),
    change("missing_other", slots={"none_joins": "$other_joins"}),
    change(
        "falsy", ("    if $state is None:\n        return", "    if not $state:\n        return")
    ),
)

SCAN = Shape(
    name="scan",
    entry_point="$function",
    words={
        "opening": f"$function($items) takes a list of ${{item}}s, {DOMAIN}. It returns the "
        "list of all runs.",
        "use_clause": "$items is not changed.",
    },
    module='"""$summary"""\n'
    + HEAD
    + '''\
def $function($items: list[tuple[int, str | None]]) -> list[tuple[str, int, int]]:
    """List the runs of $items as ($state, first, end)."""
    runs = []
    stop = 0
    while stop < len($items):
        start = stop
        first, current = $items[start]
        stop += 1
        if current is None:
            continue
        last = first
        while stop < len($items):
            $number, $state = $items[stop]
            if not _goes_on(current, $args$state):
                break
            last = $number
            stop += 1
        $scan_rule
        runs.append((current, first, last$plus))
    return runs
''',
    bugs=(
        change(
            "last_lost",
            (
                "stop = 0\n    while stop < len($items):",
                "stop = 0\n    while stop < len($items) - 1:",
            ),
            when={"short": "kept"},
        ),
        change(
            "last_split",
            (
                "last = first\n        while stop < len($items):",
                "last = first\n        while stop < len($items) - 1:",
            ),
        ),
        change(
            "from_next",
            (
                "runs.append((current, first, last$plus))",
                "$number = $items[stop][0] if stop < len($items) else last + 1\n"
                "        runs.append((current, first, $from_next))",
            ),
        ),
        change(
            "after_first",
            ("_goes_on(current, last,", "_goes_on(current, first,"),
            when={"gap": "ends"},
        ),
        change(
            "by_span",
            ("if stop - start < $least_name", "if last - first < $least_name"),
            when={"short": "dropped"},
        ),
    ),
    known_failing=(
        *SIBLINGS,
        change(
            "no_none_test",
            ("        if current is None:\n            continue\n", ""),
            when={"short": "kept"},
        ),
        change(
            "more_than_one",
            (
                "        runs.append(",
                "        if stop == len($items) and stop - start == 1:\n"
                "            continue\n"
                "        runs.append(",
            ),
            when={"short": "kept"},
            against=("last_split", "from_next", "after_first"),
        ),
        change(
            "short_last",
            ("stop - start < $least_name:", "stop - start < $least_name and stop < len($items):"),
            when={"short": "dropped"},
        ),
    ),
)

LAZY = Shape(
    name="lazy",
    entry_point="$function",
    words={
        "opening": f"$function($items) is a generator function. It takes an iterable of "
        f"${{item}}s, which may be walked once only, {DOMAIN}. It yields the runs.",
        "use_clause": "Each run is yielded before the next $item after the one that ended it is "
        "asked for, and nothing is asked for before a run is wanted or after the "
        "end of $items was met.",
    },
    module='"""$summary"""\n\nfrom collections.abc import Iterable, Iterator\n'
    + HEAD
    + '''\
def $function(
    $items: Iterable[tuple[int, str | None]],
) -> Iterator[tuple[str, int, int]]:
    """Yield ($state, first, end) for each run, as soon as it is known to be over."""
    current: str | None = None
    first = last = 0
    $size_none
    for $number, $state in $items:
        if current is not None and _goes_on(current, $args$state):
            last = $number
            $size_grow
            continue
        if current is not None$long:
            yield current, first, last$plus
        current, first, last = $state, $number, $number
        $size_one
    if current is not None$long:
        yield current, first, last$plus
''',
    bugs=(
        change(
            "last_lost",
            ("\n    if current is not None$long:\n        yield current, first, last$plus\n", "\n"),
        ),
        change(
            "last_single",
            (
                "\n    if current is not None$long:\n        yield",
                "\n    if current is not None and last > first:\n        yield",
            ),
            when={"short": "kept"},
        ),
        change(
            "last_skewed",
            (
                "\n    if current is not None$long:\n        yield",
                "\n    if current is not None and size > $least_name:\n        yield",
            ),
            when={"short": "dropped"},
        ),
        change(
            "from_next",
            (
                "            yield current, first, last$plus",
                "            yield current, first, $from_next",
            ),
        ),
        change(
            "stale_last",
            ("current, first, last = $state, $number, $number", "current, first = $state, $number"),
            when={"short": "kept"},
        ),
    ),
    known_failing=(
        *SIBLINGS,
        change(
            "no_guard",
            (
                "\n    if current is not None$long:\n        yield",
                "\n    yield",
            ),
        ),
        change(
            "more_than_one",
            (
                "\n    if current is not None$long:\n        yield",
                "\n    if current is not None and last > first:\n        yield",
            ),
            when={"short": "kept"},
            against=("last_lost", "from_next", "stale_last"),
        ),
        change(
            "short_last",
            (
                "\n    if current is not None$long:\n        yield",
                "\n    if current is not None:\n        yield",
            ),
            when={"short": "dropped"},
        ),
        change(
            "read_at_once",
            ("    for $number, $state in $items:", "    for $number, $state in list($items):"),
        ),
    ),
)

TRACKER = Shape(
    name="tracker",
    entry_point="$cls",
    words={
        "opening": "$cls() keeps the runs of $items. $add($number, $state) adds one and returns "
        "None: its $number is an integer, its $state a text of ASCII characters or None, and the "
        "${number}s rise from $item to $item. $runs() returns the list of all runs so far.",
        "use_clause": "Asking changes nothing: an open run that $runs() gave goes on with the next "
        "$item if that belongs to it, and the list is the caller's own.",
    },
    module='"""$summary"""\n'
    + HEAD
    + '''\
class $cls:
    """Collects ${item}s one by one and tells their runs at any time."""

    def __init__(self) -> None:
        self._closed: list[tuple[str, int, int]] = []
        self._current: str | None = None
        self._first = self._last = 0
        $self_none

    def $add(self, $number: int, $state: str | None) -> None:
        """Take the next $item in."""
        current = self._current
        if current is not None and _goes_on(current, $self_args$state):
            self._last = $number
            $self_grow
            return
        self._closed += self._open_run()
        self._current = $state
        self._first = self._last = $number
        $self_one

    def $runs(self) -> list[tuple[str, int, int]]:
        """All runs so far as ($state, first, end); the open one as it stands."""
        return self._closed + self._open_run()

    def _open_run(self) -> list[tuple[str, int, int]]:
        if self._current is None$brief:
            return []
        return [(self._current, self._first, self._last$plus)]
''',
    bugs=(
        change(
            "last_lost", ("return self._closed + self._open_run()", "return list(self._closed)")
        ),
        change(
            "stale_last",
            ("self._first = self._last = $number\n", "self._first = $number\n"),
            when={"short": "kept"},
        ),
        change(
            "not_ended",
            (
                "        self._current = $state\n",
                "        if $state is None:\n            return\n        self._current = $state\n",
            ),
            when={"missing": "ends"},
        ),
        change(
            "after_first",
            ("_goes_on(current, self._last,", "_goes_on(current, self._first,"),
            when={"gap": "ends"},
        ),
    ),
    known_failing=(
        *SIBLINGS,
        change(
            "moved",
            (
                "return self._closed + self._open_run()",
                "self._closed += self._open_run()\n"
                "        self._current = None\n"
                "        return list(self._closed)",
            ),
        ),
        change(
            "repeated",
            (
                "return self._closed + self._open_run()",
                "self._closed += self._open_run()\n        return list(self._closed)",
            ),
        ),
        change(
            "handed_out",
            (
                "return self._closed + self._open_run()",
                "open_run = self._open_run()\n"
                "        return self._closed + open_run if open_run else self._closed",
            ),
        ),
    ),
)

SCENARIOS = (
    scenario(
        "machine states", summary="Stretches of one machine state, from minute readings.",
        function="state_stretches", cls="StateLog", items="readings", item="reading",
        number="minute", state="state", add="record", runs="stretches",
        least_name="SHORTEST_STRETCH", states=("up", "down", "idle"),
    ),
    scenario(
        "habit streaks", summary="Streaks in a habit diary.", function="streaks", cls="HabitDiary",
        items="marks", item="mark", number="day", state="habit", add="note", runs="streaks",
        least_name="SHORTEST_STREAK", states=("run", "read", "swim"),
    ),
    scenario(
        "vehicle stops", summary="Where a vehicle stayed, from where it was sighted.",
        function="stays", cls="StayFinder", items="sightings", item="sighting", number="tick",
        state="place", add="locate", runs="stays", least_name="SHORTEST_STAY",
        states=("depot", "dock", "yard"),
    ),
    scenario(
        "pixel rows", summary="Run lengths of one row of pixels.", function="row_spans",
        cls="SpanEncoder", items="pixels", item="pixel", number="column", state="colour",
        add="paint", runs="spans", least_name="SHORTEST_SPAN", states=("red", "blue", "white"),
    ),
    scenario(
        "log bursts", summary="Bursts of log lines of one level.", function="bursts",
        cls="BurstMeter", items="lines", item="line", number="position", state="level",
        add="append", runs="bursts", least_name="SHORTEST_BURST",
        states=("info", "warning", "error"),
    ),
)  # fmt: skip


# Readings and names are few, so most steps have been made before.
asking, taking = lru_cache(4096)(call), lru_cache(64)(take)
PLACES = range(4)
LOGS, ROWS, FEEDS, RUNS = (
    tuple(f"{name}{place}" for place in PLACES) for name in ("log", "rows", "feed", "runs")
)
REFS = {name: Ref(name) for name in ("feed", *ROWS, *FEEDS)}
USE, LOOK, NEXT = call("before.append", "mine"), get("feed.pulls"), take("runs", 1)
PULLED = (LOOK, NEXT, LOOK, NEXT, LOOK, take("runs", 9), LOOK)


def asked(v: Variant, *rows, clauses: str = "", pulls: int = 9) -> Check:
    """Each list of readings is given to the module in the manner of its shape."""
    steps, fixtures, entry = [], {}, v.entry_point
    watch = ROWS[: len(rows)] if v.shape == "scan" else ()
    if v.shape == "tracker":
        for log, readings in zip(LOGS, rows, strict=False):
            add = f"{log}.{v['add']}"
            steps.append(asking(entry, bind=log))
            steps += [asking(add, *reading) for reading in readings]
            steps.append(asking(f"{log}.{v['runs']}"))
    elif v.shape == "scan":
        for name, readings in zip(ROWS, rows, strict=False):
            fixtures[name] = value(list(readings))
            steps.append(asking(entry, REFS[name]))
    else:
        for feed, name, readings in zip(FEEDS, RUNS, rows, strict=False):
            fixtures[feed] = stream(readings)
            steps += (asking(entry, REFS[feed], bind=name), taking(name, pulls))
    return Check(steps, fixtures, watch, v.clauses("call", "run", clauses))


def in_steps(v: Variant, s: Stream, readings, clauses: str) -> Check:
    """The same, asked in the middle: between pulls, between additions, after the list was used."""
    if v.shape == "scan":
        return asked(v, readings, readings[:-1], clauses=clauses + " use")
    numbers = v.clauses("run", "use", clauses)
    if v.shape == "lazy":
        steps = (asking(v.entry_point, REFS["feed"], bind="runs"), *PULLED)
        return Check(steps, {"feed": stream(readings)}, clauses=numbers)
    runs, add = f"log.{v['runs']}", f"log.{v['add']}"
    asks, later = asking(runs, bind="before"), asking(runs)
    adds = [asking(add, *reading) for reading in readings]
    steps, watched = [asking(v.entry_point, bind="log"), asks, USE], max(len(adds) - 3, 0)
    steps += adds[:watched]
    for step in adds[watched:]:
        steps += (step, later)
    steps += (asks, USE, later)
    return Check(steps, clauses=numbers)


def counted(states, start: int = 1):
    return [(start + place, state) for place, state in enumerate(states)]


def visible(v: Variant, s: Stream):
    """Long runs without gaps; the second one of a kind ends the first."""
    a, b, c = s.shuffle(v["states"])
    many = v["least"] + s.between(0, 1)
    last = [c] if v.shape == "lazy" else []
    yield asked(v, counted([a] * many + [b] * v["least"] + last, 3), clauses="short", pulls=2)
    yield asked(v, counted([b] * many + [a] * many + [b] * many, 8), pulls=1)
    yield asked(v, counted([c] * many + [b] * many, 5), pulls=1)


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Runs with a gap behind them, a last one of just the shortest length, or a None behind it."""
    a, b, c = s.shuffle(v["states"])
    if bug == "from_next":
        return asked(v, [*counted([a] * 3, 2), *counted([b] * 3, 2 + 5)])
    if bug == "last_single":
        return asked(v, counted([a, a, a, b], 4))
    if bug == "not_ended":
        return asked(v, counted([a, a, a, None], 1), clauses="missing")
    if bug == "stale_last":
        return asked(v, counted([a, a, b, c, c, c], 5), clauses="short")
    if bug in ("last_skewed", "by_span"):
        return asked(v, counted([a] * 4 + [b] * v["least"], 2), clauses="short")
    if bug == "last_lost" and v.shape == "scan":
        return asked(v, counted([a, a, b], 2))
    return asked(v, counted([a] * 4 + [b] * 4, 2))


def at_the_end(v: Variant, s: Stream) -> Check:
    """Last runs of one less than the shortest length, of that, and of one more; and no input."""
    a, b = s.sample((*v["states"], ""), 2)
    head = s.choice(([], [a] * 4, [a] * 2))
    sizes = s.shuffle((v["least"] - 1, v["least"], v["least"] + 1))
    rows = [counted(head + [b] * size, s.between(-2, 1)) for size in sizes]
    return asked(v, [], *rows, clauses="short same")


def with_missing(v: Variant, s: Stream) -> Check:
    """None before, within and after runs."""
    a, b = s.sample((*v["states"], ""), 2)
    many = v["least"] + s.below(2)
    states = [*[None] * s.below(3), *[a] * many, None, *[a] * s.between(1, 2)]
    tail = s.below(4)
    if tail < 2:
        states += [None] * (tail + 1)
    else:
        states += [b] * many + [None] if tail == 2 else [None] + [b] * many
    return in_steps(v, s, counted(states, s.between(-4, 1)), "missing short")


def with_gaps(v: Variant, s: Stream) -> Check:
    """Gaps within a run, at its end, and before and after a None."""
    a, b = s.sample(v["states"], 2)
    many = v["least"] + 1
    states = [a] * many + s.choice(([a] * many, [None] + [a] * many, [b] * many, [a, None]))
    number, readings = s.between(-3, 2), []
    for place, state in enumerate(states):
        number += s.between(2, 4) if place == many or s.chance(1, 6) else 1
        readings.append((number, state))
    return in_steps(v, s, readings, "gap missing")


def in_any_case(v: Variant, s: Stream) -> Check:
    """Spellings that differ in case only, and empty texts."""
    spell = (str.lower, str.upper, str.title)
    a, b = s.sample(v["states"], 2)
    many = v["least"]
    states = [s.choice(spell)(word) for word in [a] * many + [b] * (many + 1)]
    return asked(
        v, counted(states, 1), counted(["", *[""] * many, a, a, a], 0), clauses="same short"
    )


def wide(v: Variant, s: Stream) -> Check:
    """A random row of readings."""
    a, b = s.sample((*v["states"], "", ""), 2)
    pool, below = (a, a, a, b, b, None, a.upper()), s.below
    number, readings = below(11) - 5, []
    state = pool[below(7)]
    for _ in range(below(11)):
        if below(5) < 2:
            state = pool[below(7)]
        number += (1, 1, 1, 1, 2)[below(5)]
        readings.append((number, state))
    if below(2) == 0:
        return in_steps(v, s, readings, "same gap missing")
    return asked(v, readings, clauses="same gap missing short")


def groups(v: Variant, readings):
    """Marks the readings that join the one before, then cuts at the others; (run, last place)."""
    fold = str.lower if v["same"] == "any_case" else str
    rows, before, bearer = [], None, None
    for place, (number, state) in enumerate(readings):
        if before is not None and number - before > 1 and v["gap"] == "ends":
            bearer = None
        before = number
        if state is None:
            joined = bearer is not None and v["missing"] == "joins"
            bearer = bearer if joined else None
        else:
            joined = bearer is not None and fold(bearer) == fold(state)
            bearer = bearer if joined else state
        if joined:
            rows[-1].append((bearer, number, place))
        elif bearer is not None:
            rows.append([(bearer, number, place)])
    fewest = v["least"] if v["short"] == "dropped" else 1
    add = 1 if v["end"] == "exclusive" else 0
    whole = [row for row in rows if len(row) >= fewest]
    return [((row[0][0], row[0][1], row[-1][1] + add), row[-1][2]) for row in whole]


def oracle(v: Variant):
    """Finds the runs of every beginning of the readings anew."""

    def eager(readings):
        return [run for run, _ in groups(v, readings)]

    def lazily(readings):
        seen, given = [], 0
        for reading in readings:
            seen.append(reading)
            # The latest reading may still be followed by more of its run.
            over = [run for run, place in groups(v, seen) if place < len(seen) - 1]
            yield from over[given:]
            given = len(over)
        yield from eager(seen)[given:]

    class Tracker:
        def __init__(self):
            self.seen = []

    setattr(Tracker, v["add"], lambda self, *reading: self.seen.append(reading))
    setattr(Tracker, v["runs"], lambda self: eager(self.seen))
    function = lazily if v.shape == "lazy" else eager
    return {v["cls"]: Tracker, v["function"]: function}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(SCAN, LAZY, TRACKER),
    scenarios=SCENARIOS,
    choices={"least": (2, 3)},
    visible=visible,
    symptom=symptom,
    edges=(at_the_end, with_missing, with_gaps, in_any_case),
    wide=wide,
    oracle=oracle,
)
