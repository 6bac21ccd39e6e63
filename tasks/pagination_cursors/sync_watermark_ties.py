"""Resuming a sync loses no row that shares the mark's instant and repeats none beyond its promise."""

from functools import lru_cache

from sandbox.checks import Check, Ref, call, callback, get, raises, take
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "delivery",
        at_least_once={
            "state_clause": "A state is the mark, an integer, or None where nothing was ever "
            "reached.",
            "new_clause": "its $stamp is at or after the mark; so what lies at the mark comes "
            "again with every run that meets it",
            "next_clause": "",
            "state_type": "int | None",
            "is_new": """
                def _is_new($row: Row, state: State) -> bool:
                    return state is None or $row["$stamp"] >= state
            """,
            "advance": """
                def _advance(state: State, $rows: list[Row]$moment_type) -> State:
                    \"\"\"The state after these ${row}s were $stored.\"\"\"
                    $goal
                    return mark if state is None else max(state, mark)
            """,
        },
        exactly_once={
            "state_clause": "A state is None where nothing was ever reached, and otherwise a tuple "
            "of the mark, an integer, and a sorted tuple of ($key, $stamp) pairs.",
            "new_clause": "its $stamp is at or after the mark and its ($key, $stamp) pair is not "
            "among those of the state",
            "next_clause": "The pairs of the next state are those of the old state and of the "
            "${row}s $stored whose $stamp is at or after the new mark.",
            "state_type": "tuple[int, tuple[tuple[str, int], ...]] | None",
            "is_new": """
                def _is_new($row: Row, state: State) -> bool:
                    if state is None:
                        return True
                    mark, seen = state
                    return $row["$stamp"] >= mark and ($row["$key"], $row["$stamp"]) not in seen
            """,
            "advance": """
                def _advance(state: State, $rows: list[Row]$moment_type) -> State:
                    \"\"\"The state after these ${row}s were $stored.\"\"\"
                    $goal
                    pairs = {($row["$key"], $row["$stamp"]) for $row in $rows}
                    if state is not None:
                        mark = max(mark, state[0])
                        pairs.update(state[1])
                    return mark, tuple(sorted(pair for pair in pairs if pair[1] >= mark))
            """,
        },
    ),
    knob(
        "reach",
        latest={
            "reach_clause": "the highest $stamp of the ${row}s $stored",
            "moved_clause": "`now`",
            "goal": """
                mark = $highest
            """,
            "lag_line": "",
            "moment_of_goal": "",
            "type_of_goal": "",
            "other_goal": """
                latest = $highest
                mark = min(latest, now - $lag)
            """,
        },
        lagging={
            "reach_clause": "the highest $stamp of the ${row}s $stored, but at most `now` - $lag",
            "moved_clause": "`now` - $lag",
            "goal": """
                latest = $highest
                mark = min(latest, now - $lag_name)
            """,
            "lag_line": "$lag_name = $lag",
            "moment_of_goal": ", now",
            "type_of_goal": ", now: int",
            "other_goal": """
                mark = $highest
            """,
        },
    ),
    knob(
        "order",
        given={
            "order_clause": "in the order of the page",
            "sort": "",
            "other_sort": 'fresh.sort(key=lambda $row: ($row["$stamp"], $row["$key"]))',
            "pick": "return [$row for $row in page if _is_new($row, self.state)]",
            "other_pick": """
                fresh = [$row for $row in page if _is_new($row, self.state)]
                return sorted(fresh, key=lambda $row: ($row["$stamp"], $row["$key"]))
            """,
        },
        by_stamp={
            "order_clause": "in ascending order of $stamp, equal ones by $key",
            "sort": 'fresh.sort(key=lambda $row: ($row["$stamp"], $row["$key"]))',
            "other_sort": "",
            "pick": """
                fresh = [$row for $row in page if _is_new($row, self.state)]
                return sorted(fresh, key=lambda $row: ($row["$stamp"], $row["$key"]))
            """,
            "other_pick": "return [$row for $row in page if _is_new($row, self.state)]",
        },
    ),
    knob(
        "idle",
        stays={
            "idle_clause": "leaves the state as it was and saves nothing",
            "highest": 'max($row["$stamp"] for $row in $rows)',
            "of_last": '$rows[-1]["$stamp"]',
            "other_highest": 'max(($row["$stamp"] for $row in $rows), default=now)',
            "moment": "$moment_of_goal",
            "moment_type": "$type_of_goal",
            "idle_end": "if found:\n    $save(reached)",
            "idle_alone": "",
            "keep_idle_end": "if found:\n    self._keep(reached)",
            "keep_idle_alone": "",
            "other_idle_end": "if not found:\n"
            "    reached = _advance(reached, [], now)\n"
            "$save(reached)",
            "other_idle_alone": "if not found:\n    $save(_advance(state, [], now))",
            "other_keep_idle_end": "self._keep(reached if found else _advance(reached, [], now))",
            "other_keep_idle_alone": "if not found:\n    self._keep(_advance(reached, [], now))",
            "found_none": "$found_none_end",
            "found_set": "$found_set_end",
        },
        moves={
            "idle_clause": "moves the mark to $moved_clause, but never back, and saves the state "
            "once",
            "highest": 'max(($row["$stamp"] for $row in $rows), default=now)',
            "of_last": '$rows[-1]["$stamp"] if $rows else now',
            "other_highest": 'max(($row["$stamp"] for $row in $rows), default=now)',
            "moment": ", now",
            "moment_type": ", now: int",
            "idle_end": "if not found:\n    reached = _advance(reached, [], now)\n$save(reached)",
            "idle_alone": "if not found:\n"
            "    reached = _advance(reached, [], now)\n"
            "    $save(reached)",
            "keep_idle_end": "self._keep(reached if found else _advance(reached, [], now))",
            "keep_idle_alone": "if not found:\n    self._keep(_advance(reached, [], now))",
            "other_idle_end": "if found:\n    $save(reached)",
            "other_idle_alone": "",
            "other_keep_idle_end": "if found:\n    self._keep(reached)",
            "other_keep_idle_alone": "",
            "found_none": "found = False",
            "found_set": "found = True",
        },
    ),
    knob(
        "saved",
        at_end={
            "saved_clause": "once, after the last page",
            "save_page": "",
            "save_end": "$idle_end",
            "keep_page": "",
            "keep_end": "$keep_idle_end",
            "other_page": "$save(reached)",
            "other_end": "$idle_alone",
            "other_keep_page": "self._keep(reached)",
            "other_keep_end": "$keep_idle_alone",
            "found_none_end": "found = False",
            "found_set_end": "found = True",
        },
        by_page={
            "saved_clause": "after each page with new ${row}s",
            "save_page": "$save(reached)",
            "save_end": "$idle_alone",
            "keep_page": "self._keep(reached)",
            "keep_end": "$keep_idle_alone",
            "other_page": "",
            "other_end": "$idle_end",
            "other_keep_page": "",
            "other_keep_end": "$keep_idle_end",
            "found_none_end": "",
            "found_set_end": "",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "pages",
        """A page is a list of ${row}s, dicts with a text under "$key" and an integer under "$stamp".
        No $stamp in a page is lower than one in a page before it; within a page they come in any
        order, and equal ones are common. No ($key, $stamp) pair comes twice in a run. Pages are not
        changed.""",
    ),
    Clause("state", "$state_clause $resume_clause"),
    Clause("new", "Any $row is new when $new_clause. Where the state is None every $row is new."),
    Clause(
        "handed",
        """The new ${row}s of a page are $handed together, as one list, $order_clause; a page without
        any is passed over.""",
    ),
    Clause(
        "mark",
        "When new ${row}s were $stored, the next mark is $reach_clause. Where that is "
        "lower than the old mark, the old mark stays. $next_clause",
    ),
    Clause(
        "saved",
        "With new ${row}s in a run, the state reached is given to $save $saved_clause, "
        "$after_clause",
    ),
    Clause("idle", "A run without any new $row $idle_clause."),
)

HEAD = '''
"""$summary"""

$imports
from typing import Any

Row = dict[str, Any]
State = $state_type
$lag_line


$is_new


$advance


'''

CORE = (
    change(
        "strict",
        ('$row["$stamp"] >= state', '$row["$stamp"] > state'),
        when={"delivery": "at_least_once"},
    ),
    change(
        "strict_pairs",
        ('$row["$stamp"] >= mark and', '$row["$stamp"] > mark and'),
        when={"delivery": "exactly_once"},
    ),
    change("forgets", ("        pairs.update(state[1])\n", ""), when={"delivery": "exactly_once"}),
    change(
        "last_one",
        ("$highest", "$of_last"),
        when={"order": "given"},
    ),
    change(
        "goes_back",
        (
            "    mark = min(latest, now - $lag_name)\n"
            "    return mark if state is None else max(state, mark)\n",
            "    if state is not None:\n"
            "        latest = max(latest, state)\n"
            "    return min(latest, now - $lag_name)\n",
        ),
        when={"delivery": "at_least_once", "reach": "lagging"},
    ),
    change(
        "mark_back",
        # It takes in the line after, which "forgets" drops: a block cannot lose both.
        (
            "        mark = max(mark, state[0])\n        pairs.update(state[1])\n",
            "        pairs.update(state[1])\n",
        ),
        when={"delivery": "exactly_once", "reach": "lagging"},
    ),
)


# What a patch needs that lets `_advance` look at the clock.
WITH_NOW = {"highest": "$other_highest", "moment": ", now", "moment_type": ", now: int"}


# What a patch needs that asks at the end whether anything was found.
FOUND = {"found_none": "found = False", "found_set": "found = True"}


def common(*more: str):
    """Patches of every shape; `more` names the bugs of a shape beside those in CORE."""
    ties = ("strict", "strict_pairs", "forgets", *more)
    return (
        change(
            "reach_other",
            slots={"goal": "$other_goal", "moment": ", now", "moment_type": ", now: int"},
            against=(*ties, "last_one"),
        ),
        change(
            "order_other",
            slots={"sort": "$other_sort", "pick": "$other_pick"},
            against=(*ties, "goes_back", "mark_back"),
        ),
        change(
            "by_key",
            (
                '($row["$key"], $row["$stamp"]) not in seen',
                '$row["$key"] not in {name for name, _ in seen}',
            ),
            when={"delivery": "exactly_once"},
        ),
        change(
            "zero_mark",
            ("return state is None or", "return not state or"),
            when={"delivery": "at_least_once"},
        ),
    )


# Bugs whose symptom is a run of one page.
SINGLE_PAGE = ("strict", "strict_pairs", "forgets", "last_one", "goes_back", "mark_back")

FUNCTION = Shape(
    name="function",
    entry_point="$function",
    words={
        "imports": "from collections.abc import Callable",
        "opening": "$function(pages, state, now, $store, $save) is one run: it hands the new "
        "${row}s of the list `pages` to $store. It returns a tuple of the number of ${row}s "
        "$stored and the state reached. `now` is an integer.",
        "handed": "given to $store",
        "stored": "stored",
        "resume_clause": "The state given is where the run takes up.",
        "after_clause": "after they were stored. What $store raises goes on to the caller; "
        "nothing is stored or saved after it. $save never raises.",
    },
    module=HEAD
    + '''\
def $function(
    pages: list[list[Row]],
    state: State,
    now: int,
    $store: Callable[[list[Row]], None],
    $save: Callable[[State], None],
) -> tuple[int, State]:
    """One run of the sync, from the state that the run before it reached."""
    found, reached = 0, state
    for page in pages:
        fresh = [$row for $row in page if _is_new($row, state)]
        if not fresh:
            continue
        $sort
        $store(fresh)
        reached = _advance(reached, fresh$moment)
        found += len(fresh)
        $save_page
    $save_end
    return found, reached
''',
    bugs=(
        *CORE,
        change(
            "saves_first",
            (
                "        $store(fresh)\n"
                "        reached = _advance(reached, fresh$moment)\n"
                "        found += len(fresh)\n"
                "        $save(reached)\n",
                "        reached = _advance(reached, fresh$moment)\n"
                "        found += len(fresh)\n"
                "        $save(reached)\n"
                "        $store(fresh)\n",
            ),
            when={"saved": "by_page"},
        ),
        change(
            "from_start",
            (
                "reached = _advance(reached, fresh$moment)",
                "reached = _advance(state, fresh$moment)",
            ),
            when={"delivery": "exactly_once"},
        ),
    ),
    known_failing=(
        *common("saves_first", "from_start"),
        change(
            "saved_other",
            slots={"save_page": "$other_page", "save_end": "$other_end"},
            against=(*SINGLE_PAGE, "saves_first"),
        ),
        change(
            "idle_other",
            slots={
                "idle_end": "$other_idle_end",
                "idle_alone": "$other_idle_alone",
                **WITH_NOW,
            },
        ),
        change(
            "stores_nothing",
            ("        if not fresh:\n            continue\n", ""),
            when={"saved": "at_end"},
        ),
    ),
)

CLASS = Shape(
    name="class",
    entry_point="$cls",
    words={
        "imports": "from collections.abc import Callable",
        "opening": "$cls($store, $save, state) keeps a sync going. $run(pages, now) is one run: it "
        "hands the new ${row}s of the list `pages` to $store and returns the number of ${row}s "
        "$stored. `now` is an integer.",
        "handed": "given to $store",
        "stored": "stored",
        "resume_clause": "The attribute `state` holds the state given to $save last, or the one "
        "from the beginning; there a run takes up.",
        "after_clause": "after they were stored. What $store raises goes on to the caller; "
        "nothing is stored or saved after it. $save never raises.",
    },
    module=HEAD
    + '''\
class $cls:
    """Carries new ${row}s over, run by run; the state tells where the last one got to."""

    def __init__(
        self,
        $store: Callable[[list[Row]], None],
        $save: Callable[[State], None],
        state: State = None,
    ) -> None:
        self._$store = $store
        self._$save = $save
        self.state = state

    def $run(self, pages: list[list[Row]], now: int) -> int:
        """One run; returns how many ${row}s were new."""
        found, reached = 0, self.state
        for page in pages:
            if fresh := self._fresh(page):
                self._$store(fresh)
                found += len(fresh)
                reached = _advance(reached, fresh$moment)
                $keep_page
        $keep_end
        return found

    def _fresh(self, page: list[Row]) -> list[Row]:
        $pick

    def _keep(self, state: State) -> None:
        self._$save(state)
        self.state = state
''',
    bugs=(
        *CORE,
        change(
            "not_kept",
            (
                "        self._$save(state)\n        self.state = state\n",
                "        self._$save(state)\n        self.state = self.state or state\n",
            ),
        ),
        change(
            "saves_first",
            (
                "                self._$store(fresh)\n"
                "                found += len(fresh)\n"
                "                reached = _advance(reached, fresh$moment)\n"
                "                self._keep(reached)\n",
                "                found += len(fresh)\n"
                "                reached = _advance(reached, fresh$moment)\n"
                "                self._keep(reached)\n"
                "                self._$store(fresh)\n",
            ),
            when={"saved": "by_page"},
        ),
    ),
    known_failing=(
        *common("not_kept", "saves_first"),
        change(
            "saved_other",
            slots={"keep_page": "$other_keep_page", "keep_end": "$other_keep_end"},
            against=(*SINGLE_PAGE, "not_kept", "saves_first"),
        ),
        change(
            "idle_other",
            slots={
                "keep_idle_end": "$other_keep_idle_end",
                "keep_idle_alone": "$other_keep_idle_alone",
                **WITH_NOW,
            },
        ),
        change(
            "stores_nothing",
            (
                "            if fresh := self._fresh(page):\n                self._$store(fresh)\n",
                "            fresh = self._fresh(page)\n"
                "            self._$store(fresh)\n"
                "            if fresh:\n",
            ),
            when={"saved": "at_end"},
        ),
    ),
)

STREAM = Shape(
    name="stream",
    entry_point="$stream",
    words={
        "imports": "from collections.abc import Callable, Iterable, Iterator",
        "opening": "$stream(pages, state, now, $save) is a generator function, and each generator "
        "of it one run: it yields the new ${row}s of the iterable `pages`. `now` is an integer.",
        "handed": "yielded",
        "stored": "yielded",
        "resume_clause": "The state given is where the run takes up.",
        "after_clause": "when the generator, having yielded them, is asked to go on: only then "
        "has the receiver got them. $save never raises.",
    },
    module=HEAD
    + '''\
def $stream(
    pages: Iterable[list[Row]],
    state: State,
    now: int,
    $save: Callable[[State], None],
) -> Iterator[list[Row]]:
    """Yield the new ${row}s page by page, and save how far the receiver has got.

    Coming back for more is how the receiver says that it has dealt with a page.
    """
    $found_none
    reached = state
    for page in pages:
        fresh = [$row for $row in page if _is_new($row, state)]
        if not fresh:
            continue
        $sort
        yield fresh
        $found_set
        reached = _advance(reached, fresh$moment)
        $save_page
    $save_end
''',
    bugs=(
        *CORE,
        change(
            "saves_first",
            (
                "        yield fresh\n"
                "        $found_set\n"
                "        reached = _advance(reached, fresh$moment)\n"
                "        $save(reached)\n",
                "        $found_set\n"
                "        reached = _advance(reached, fresh$moment)\n"
                "        $save(reached)\n"
                "        yield fresh\n",
            ),
            when={"saved": "by_page"},
        ),
        change(
            "from_start",
            (
                "reached = _advance(reached, fresh$moment)",
                "reached = _advance(state, fresh$moment)",
            ),
            when={"delivery": "exactly_once"},
        ),
    ),
    known_failing=(
        *common("saves_first", "from_start"),
        change(
            "saved_other",
            slots={"save_page": "$other_page", "save_end": "$other_end", **FOUND},
            against=(*SINGLE_PAGE, "saves_first"),
        ),
        change(
            "idle_other",
            slots={
                "idle_end": "$other_idle_end",
                "idle_alone": "$other_idle_alone",
                **WITH_NOW,
                **FOUND,
            },
        ),
        change(
            "yields_nothing",
            ("        if not fresh:\n            continue\n", ""),
            when={"saved": "at_end"},
        ),
    ),
)

SCENARIOS = (
    scenario(
        "CRM replication", summary="Carries contacts of the CRM over to our tables.",
        function="replicate", cls="ContactReplica", stream="changed_contacts", run="catch_up",
        rows="contacts", row="contact", key="id", stamp="updated_at", store="upsert",
        save="save_mark", lag_name="CLOCK_LAG",
    ),
    scenario(
        "bank feed", summary="Takes bookings over from the bank.", function="import_bookings",
        cls="BookingFeed", stream="new_bookings", run="fetch", rows="bookings", row="booking",
        key="reference", stamp="booked_at", store="book", save="remember", lag_name="SETTLING_TIME",
    ),
    scenario(
        "warehouse ETL", summary="Loads changed orders into the warehouse.", function="load_orders",
        cls="OrderLoader", stream="order_batches", run="load", rows="orders", row="order",
        key="number", stamp="modified", store="write", save="commit", lag_name="SAFETY_LAG",
    ),
    scenario(
        "ticket mirror", summary="Mirrors support tickets.", function="mirror", cls="TicketMirror",
        stream="ticket_changes", run="refresh", rows="tickets", row="ticket", key="ticket_id",
        stamp="changed_at", store="put", save="checkpoint", lag_name="MAX_DELAY",
    ),
    scenario(
        "directory sync", summary="Follows a staff directory.", function="follow",
        cls="DirectorySync", stream="staff_changes", run="pull", rows="members", row="member",
        key="login", stamp="touched", store="apply", save="note_mark", lag_name="GRACE",
    ),
)  # fmt: skip

IDS = ("a1", "b2", "c3", "d4", "e5")
SAVED, STATE = callback(), get("sync.state")
RUNS = ("run1", "run2", "run3")
LAST = {name: (get(f"{name}.0"), get(f"{name}.1")) for name in RUNS}
REACHED = {name: Ref(f"{name}.1") for name in RUNS}
replying = lru_cache(64)(callback)
taking = lru_cache(64)(take)
referring = lru_cache(64)(Ref)


def state_of(v: Variant, mark, pairs=()):
    """A state with that mark; the pairs count for exactly-once only."""
    if mark is None or v["delivery"] == "at_least_once":
        return mark
    return mark, tuple(sorted([pair for pair in pairs if pair[1] >= mark]))


def runs(v: Variant, state, plan, clauses: str, stored=(None,), count: int = 9) -> Check:
    """Runs, each (pages, now, mark and pairs of its own), one taking up after the other.

    A run has its own state where the module cannot pass on what it has reached.
    """
    save_name, key, stamp, entry = v["save"], v["key"], v["stamp"], v.entry_point
    save, fixtures, steps, given = referring(save_name), {save_name: SAVED}, [], state
    if v.shape == "stream":
        for name, (pages, now, own) in zip(RUNS, plan, strict=False):
            pages = [[{key: row, stamp: when} for row, when in page] for page in pages]
            given = state_of(v, *own) if steps else state
            steps.append(call(entry, pages, given, now, save, bind=name))
            steps += (taking(name, 1), taking(name, count))
        return Check(steps, fixtures, clauses=v.clauses("call", "pages", clauses))
    store_name, breaks = v["store"], stored != (None,)
    store = referring(store_name)
    fixtures[store_name] = replying(*stored)
    if v.shape == "class":
        run = f"sync.{v['run']}"
        steps.append(call(entry, store, save, state, bind="sync"))
        for pages, now, _ in plan:
            pages = [[{key: row, stamp: when} for row, when in page] for page in pages]
            steps += (call(run, pages, now), STATE)
        return Check(steps, fixtures, clauses=v.clauses("call", "pages", clauses))
    for name, (pages, now, own) in zip(RUNS, plan, strict=False):
        pages = [[{key: row, stamp: when} for row, when in page] for page in pages]
        if breaks and steps:
            given = state_of(v, *own)
        if breaks or name == RUNS[len(plan) - 1]:
            steps.append(call(entry, pages, given, now, store, save))
        else:
            steps.append(call(entry, pages, given, now, store, save, bind=name))
            steps += LAST[name]
            given = REACHED[name]
    return Check(steps, fixtures, clauses=v.clauses("call", "pages", clauses))


def visible(v: Variant, s: Stream):
    """First runs, and one that goes on with later rows, long before `now`; one page each."""
    a, b, c = s.sample(IDS, 3)
    start = s.between(10, 20)
    pages = [sorted([(a, start), (b, start + 2)], key=lambda pair: pair[1])]
    yield runs(v, None, [(pages, 90, None)], "state new handed mark saved")
    yield runs(v, state_of(v, 30), [([[(c, 35 + start)]], 90, None)], "new mark saved")
    yield runs(v, state_of(v, 40), [([[(b, 41), (c, 43)]], 80, None)], "new mark saved")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Rows at the mark, in a second page or a second run; a `now` that lies behind."""
    a, b, c = sorted(s.sample(IDS, 3))
    mark = s.between(20, 40)
    state = state_of(v, mark)
    if bug in ("strict", "strict_pairs"):
        return runs(v, state, [([[(a, mark), (b, mark + 3)]], 90, None)], "new mark")
    if bug == "forgets":
        state = state_of(v, mark, [(a, mark)])
        return runs(v, state, [([[(b, mark)]], 90, None)], "mark saved state")
    if bug == "last_one":
        pages = [[(a, mark + 5), (b, mark + 2)]]
        return runs(v, state, [(pages, 90, None)], "mark saved handed")
    if bug in ("goes_back", "mark_back"):
        return runs(v, state, [([[(a, mark + 1)]], mark - 5, None)], "mark saved")
    if bug == "from_start":
        return runs(v, state, [([[(a, mark + 4)], [(b, mark + 4)]], 90, None)], "mark state")
    if bug == "not_kept":
        first = ([[(a, mark + 4)]], 90, None)
        return runs(v, state, [first, ([[(b, mark + 2), (c, mark + 9)]], 95, None)], "state new")
    return runs(v, state, [([[(a, mark + 4)]], 90, None)], "saved handed")


def drawn_pages(s: Stream, low: int, names, most: int = 3):
    """Pages whose stamps rise from page to page and are often equal."""
    pages, stamp, pool = [], low, set()
    below, many = s.below, len(names)
    for _ in range(1 + below(most)):
        page, latest = [], stamp
        for _ in range((0, 1, 2, 2, 3)[below(5)]):
            pair = (names[below(many)], stamp + (0, 0, 1, 2)[below(4)])
            if pair not in pool:
                pool.add(pair)
                page.append(pair)
                if pair[1] > latest:
                    latest = pair[1]
        pages.append(page)
        stamp = latest
    return pages


def resumed(v: Variant, s: Stream) -> Check:
    """Two or three runs; each sees rows of before again, and new ones at the same instant."""
    below = s.below
    mark, plan = (0, 0, 5, 9)[below(4)], []
    known = [(name, mark) for name in s.sample(IDS, below(3))]
    state, now = state_of(v, mark, known), mark + (1, 3, 6)[below(3)]
    for _ in range(2 + below(2)):
        again = s.shuffle([*known, (IDS[below(5)], mark - 1)])
        fresh = [(name, mark + (0, 0, 1, 2)[below(4)]) for name in s.sample(IDS, 2)]
        page = list(dict.fromkeys([*again[:2], *fresh]))
        plan.append(([page], now, (mark, known)))
        mark, known = max([mark, *[when for _, when in page]]), page
        now += (0, 1, 4)[below(3)]
    return runs(v, state, plan, "state new handed mark saved")


def many_pages(v: Variant, s: Stream) -> Check:
    """Pages with ties across their border, some without new rows."""
    below = s.below
    mark = (0, 4, 4, 7)[below(4)]
    known = [(name, mark) for name in s.sample(IDS, below(4))]
    pages = drawn_pages(s, mark + (-1, 0, 0, 1)[below(4)], IDS, 3)
    now = mark + (-2, 1, 2, 3, 8)[below(5)]
    plan = [(pages, now, None), (drawn_pages(s, mark + 2, IDS, 2), now + 2, (mark, known))]
    state = None if below(4) == 3 else state_of(v, mark, known)
    return runs(v, state, plan, "new handed mark saved", count=(0, 1, 9)[below(3)])


def without_rows(v: Variant, s: Stream) -> Check:
    """Runs with nothing new, with a mark before or after `now`, and a run after them."""
    mark = s.choice((0, 0, 5))
    known = [(name, mark) for name in s.sample(IDS, 2)]
    old = [(s.choice(IDS), mark - s.between(1, 2))]
    pages = s.choice(([], [[]], [old], [[], old], [old, known]))
    now = mark + s.choice((-3, 0, 1, 2, 5, 9))
    after = [[(s.choice(IDS), now + s.choice((-2, -1, 0, 1)))]]
    state = state_of(v, s.choice((mark, mark, mark, None)), known)
    plan = [(pages, now, None), (after, now + 1, (mark, known))]
    return runs(v, state, plan, "idle mark new saved")


def store_fails(v: Variant, s: Stream) -> Check:
    """The store raises for the first or second page; what was saved before, and a run after it."""
    mark = s.between(3, 6)
    own = mark, [(IDS[0], mark)]
    state = state_of(v, *own)
    names = s.shuffle(IDS)
    pages = [
        [(names[0], mark + 1), (names[1], mark)],
        [(names[2], mark + 1)],
        [(names[3], mark + 2)],
    ]
    error = raises(s.choice(("OSError", "ConnectionError")), "gone")
    stored = s.choice(((error, None), (None, error, None), (None, None, error, None)))
    plan = [(pages[: s.between(2, 3)], mark + 9, None), (pages[:2], mark + 9, own)]
    return runs(v, state, plan, "saved state new", stored, count=s.choice((0, 1)))


def wide(v: Variant, s: Stream) -> Check:
    """Up to three runs of random pages; the mark may be 0 or negative."""
    below = s.below
    low = (-2, 0, 1, 6)[below(4)]
    known = [(name, low) for name in s.sample(IDS, below(3))]
    state = state_of(v, (None, low, low, low + 1)[below(4)], known)
    plan, now = [], low + (0, 2, 4, 9)[below(4)]
    for _ in range(1 + below(3)):
        plan.append((drawn_pages(s, low, IDS, 2), now, (low, known)))
        low, now = low + (0, 1, 1, 2)[below(4)], now + (0, 1, 3)[below(3)]
    return runs(v, state, plan, "state new handed mark saved")


def oracle(v: Variant):
    """Decides pair by pair what a run hands over and saves, all of it before the run begins."""

    def parts(state):
        """Mark and pairs of a state, whatever its form."""
        if state is None:
            return None, ()
        return (state, ()) if v["delivery"] == "at_least_once" else state

    def pick(page, state):
        mark, pairs = parts(state)
        new = []
        for row in page:
            pair = (row[v["key"]], row[v["stamp"]])
            early = mark is not None and pair[1] < mark
            if not early and pair not in list(pairs):
                new.append(row)
        if v["order"] == "by_stamp":
            new = sorted(new, key=lambda row: row[v["key"]])
            new = sorted(new, key=lambda row: row[v["stamp"]])
        return new

    def after(state, handed, now):
        """The state after everything that was handed over since `state`."""
        mark, pairs = parts(state)
        stamps = sorted(row[v["stamp"]] for row in handed) or [now]
        goal = stamps[-1]
        if v["reach"] == "lagging" and goal > now - v["lag"]:
            goal = now - v["lag"]
        if mark is not None and goal < mark:
            goal = mark
        pairs = [*pairs, *((row[v["key"]], row[v["stamp"]]) for row in handed)]
        return state_of(v, goal, set(pairs))

    def go(pages, state, now, save):
        """Plans the whole run, then plays it: yields what to hand over; returns number and state."""
        handed = [new for new in (pick(page, state) for page in pages) if new]
        first = 1 if v["saved"] == "by_page" or not handed else len(handed)
        saves = {
            n: after(state, [row for new in handed[:n] for row in new], now)
            for n in range(first, len(handed) + 1)
        }
        for n, new in enumerate(handed, 1):
            yield new
            if n in saves:
                save(saves[n])
        if not handed and v["idle"] == "moves":
            saves[0] = after(state, [], now)
            save(saves[0])
        return sum(map(len, handed)), saves.get(len(handed), state)

    def function(pages, state, now, store, save):
        run = go(pages, state, now, save)
        try:
            while True:
                store(next(run))
        except StopIteration as end:
            return end.value

    class Sync:
        def __init__(self, store, save, state=None):
            self.store, self.save, self.state = store, save, state

        def run(self, pages, now):
            def keep(state):
                self.save(state)
                self.state = state

            return function(pages, self.state, now, self.store, keep)[0]

    def stream(pages, state, now, save):
        yield from go(pages, state, now, save)

    if v["run"] != "run":
        setattr(Sync, v["run"], Sync.run)
    return {v["function"]: function, v["cls"]: Sync, v["stream"]: stream}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(FUNCTION, CLASS, STREAM),
    scenarios=SCENARIOS,
    choices={"lag": (2, 3, 5)},
    visible=visible,
    symptom=symptom,
    edges=(resumed, many_pages, without_rows, store_fails),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
