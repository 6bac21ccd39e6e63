"""Of records with one key the stated one survives, and it stands where the contract says."""

from collections.abc import Mapping
from functools import cache
from itertools import product

from sandbox.checks import Check, Ref, call, value
from tasks.kit import Category, Change, Clause, Shape, Stream, Variant, change, knob, scenario

Fills = Mapping[str, str]
HIGHEST = {
    "survivor_clause": 'the one with the highest "$version"; of several with that "$version", the '
    "$tie_word one in the list",
    "winner": 'max($tie_places, key=lambda place: $records[place]["$version"])',
    "best_first": 'sorted($tie_places, key=lambda place: -$records[place]["$version"])',
    "best_rule": """
        if key not in self._best or $record["$version"] $tie_beats $best_record["$version"]:
            self._best[key] = $best_entry
    """,
}
LISTED = {
    "survivor_clause": 'the $tie_word one in the list, whatever its "$version"',
    "winner": "$tie_place",
    "best_first": "$tie_places",
    "best_rule": "$tie_rule",
}
LAST = {
    "tie_word": "last",
    "tie_places": "reversed(places)",
    "tie_place": "places[-1]",
    "tie_beats": ">=",
    "tie_rule": "self._best[key] = $best_entry",
}
FIRST = {
    "tie_word": "first",
    "tie_places": "places",
    "tie_place": "places[0]",
    "tie_beats": ">",
    "tie_rule": "self._best.setdefault(key, $best_entry)",
}
AT_FIRST = {
    "seat_clause": "the place of the first of its group in the list",
    "group_seat": "places[0]",
    "seat_test": "key in survivors",
    "survivor": "survivors.pop(key)",
    "firsts_init": "self._firsts: dict[str, int] = {}",
    "firsts_note": "self._firsts.setdefault(key, place)",
    "best_type": "$type",
    "best_entry": "$record",
    "best_record": "self._best[key]",
    "best_rows": "for key, $record in self._best.items():",
    "row_seat": "self._firsts[key]",
}
AT_OWN = {
    "seat_clause": "its own place in the list",
    "group_seat": "winner",
    "seat_test": "survivors[key] == place",
    "survivor": "place",
    "firsts_init": "",
    "firsts_note": "",
    "best_type": "tuple[int, $type]",
    "best_entry": "(place, $record)",
    "best_record": "self._best[key][1]",
    "best_rows": "for place, $record in self._best.values():",
    "row_seat": "place",
}
AT_LAST = {
    **AT_FIRST,
    "group_seat": "places[-1]",
    "seat_test": "key not in keys[place + 1 :]",
    "survivor": "survivors[key]",
    "firsts_init": "self._latest: dict[str, int] = {}",
    "firsts_note": "self._latest[key] = place",
    "row_seat": "self._latest[key]",
}
BARE = {
    "fill_clause": "it keeps that None",
    "group_head": "$head",
    "taken": "$records[winner]",
    "value_head": "$head",
    "values": "",
    "found": "$records[$survivor]",
    "values_init": "",
    "values_note": "",
    "row": "$record",
    "row_method": "",
}
FILLED = {
    "fill_clause": "it gets what the first $record of its group, in the order of "
    'the list, holds there that is not None, if any does; 0 and "" are not None',
    "group_head": '''
        def _completed(survivor: $type, group: list[$type]) -> $type:
            """The survivor, its gaps filled from its group, first come, first served."""
            full = dict(survivor)
            for $record in group:
                for field, value in ${record}.items():
                    if $gap:
                        full[field] = value
            return full


        $head
    ''',
    "taken": "_completed($records[winner], [$records[place] for place in places])",
    "value_head": '''
        def _completed($record: $type, values: dict[tuple[str, str], object]) -> $type:
            """The $record, its gaps filled with values of its $key."""
            return {
                field: values.get(($record["$key"], field)) if value is None else value
                for field, value in ${record}.items()
            }


        $head
    ''',
    "values": """
        values: dict[tuple[str, str], object] = {}
        for $record in $records:
            for field, value in ${record}.items():
                $value_note
    """,
    "found": "_completed($records[$survivor], values)",
    "values_init": "self._values: dict[tuple[str, str], object] = {}",
    "values_note": "for field, value in ${record}.items():\n    $value_note",
    "row": "self._completed($record)",
    "row_method": """
        def _completed(self, $record: $type) -> $type:
            return {
                field: self._values.get(($record["$key"], field)) if value is None else value
                for field, value in ${record}.items()
            }
    """,
}
STAYS = {
    "alone_clause": "is in the result as it is, at its own place in the list",
    "group_rule": """
        if $record["$key"] is not None:
            groups.setdefault($record["$key"], []).append(place)
        else:
            kept[place] = $record
    """,
    "branch": "if key is None:\n    kept.append($records[place])\nelif $seat_test:",
    "alone_init": "self._alone: list[tuple[int, $type]] = []",
    "alone_rule": "if key is None:\n    self._alone.append((place, $record))\n    return",
    "rows": "list(self._alone)",
}
LEFT_OUT = {
    "alone_clause": "is not in the result",
    "group_rule": """
        if $record["$key"] is not None:
            groups.setdefault($record["$key"], []).append(place)
    """,
    "branch": "if key is not None and $seat_test:",
    "alone_init": "",
    "alone_rule": "if key is None:\n    return",
    "rows": "[]",
}
GROUPED = {
    "group_rule": 'groups.setdefault($record["$key"], []).append(place)',
    "branch": "if $seat_test:",
    "alone_init": "",
    "alone_rule": "",
    "rows": "[]",
}

KNOBS = (
    knob("rule", listed=LISTED, version=HIGHEST),
    knob("ties", last=LAST, first=FIRST),
    knob("seat", first=AT_FIRST, own=AT_OWN),
    knob("fill", bare=BARE, filled=FILLED),
    knob("alone", stays=STAYS, left_out=LEFT_OUT),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "fields",
        """Each $record is a dict with "$key", a text or None; "$version", an integer; "$label", a
        text or None; and "$size", an integer or None. Nothing that is passed in is changed;
        what comes out may hold the same dicts.""",
    ),
    Clause(
        "survivor",
        """All ${record}s with the same text under "$key" are a group; "" is a text like any other. One
        of each group survives: $survivor_clause.""",
    ),
    Clause(
        "seat",
        """In the result the survivor stands at $seat_clause; the others of its group are left out.
        What is in the result keeps the order of these places.""",
    ),
    Clause("fill", 'Where a survivor holds None under "$label" or "$size", $fill_clause.'),
    Clause(
        "alone",
        'A $record with None under "$key" belongs to no group and $alone_clause.',
    ),
    Clause("result", "$outcome"),
)
COUNTS = """a dict from the "$key" of each group of two or more to the number of its ${record}s that
    do not survive"""


def turned(name: str, part: str, fills: Mapping[str, Fills], **when: str) -> tuple[Change, ...]:
    """Two changes: each option of a knob is served as the other one, under these conditions."""
    (one, its), (other, others) = fills.items()
    return (
        change(name, slots=others, when={part: one, **when}),
        change(name, slots=its, when={part: other, **when}),
    )


def against(name: str, changes: tuple[Change, ...], *bugs: str) -> tuple[Change, ...]:
    """The changes as known-failing patches under another name, against these bugs only."""
    return tuple(change(name, slots=c.slots, when=c.when, against=bugs) for c in changes)


TIES = turned("ties", "ties", {"last": LAST, "first": FIRST}, rule="version")
SEATS = {"first": AT_FIRST, "own": AT_OWN}
# Where the first in the list survives, both seats are one.
SEAT = turned("seat", "seat", SEATS, rule="version") + turned(
    "seat", "seat", SEATS, rule="listed", ties="last"
)
BUGS = (
    change("last_wins", slots={**LISTED, **LAST}, when={"rule": "version"}),
    change("last_wins", slots=LAST, when={"rule": "listed", "ties": "first"}),
    change("first_wins", slots=FIRST, when={"rule": "listed", "ties": "last"}),
    *TIES,
    *SEAT,
    change("grouped", slots=GROUPED),
)
WINS = ("last_wins", "first_wins")
RULES = (
    change("rule", slots=HIGHEST, when={"rule": "listed"}),
    change("rule", slots=LISTED, when={"rule": "version", "ties": "last"}),
    change("rule", slots=LISTED, when={"rule": "version", "ties": "first"}),
)
PATCHES = (
    *against("other_ties", TIES, *WINS, "seat", "grouped", "fill"),
    *against("other_seat", SEAT, *WINS, "ties", "grouped", "fill"),
    *against("other_rule", RULES[:1], *WINS, "seat", "ties", "grouped", "fill"),
    *against("other_rule", RULES[1:2], "seat", "ties", "grouped", "fill"),
    *against("other_rule", RULES[2:], *WINS, "ties", "grouped", "fill"),
    change(
        "last_seat",
        slots=AT_LAST,
        when={"ties": "first"},
        against=(*WINS, "ties", "grouped", "fill"),
    ),
    *against(
        "other_alone",
        turned("alone", "alone", {"stays": STAYS, "left_out": LEFT_OUT}),
        *WINS,
        "seat",
        "ties",
        "fill",
    ),
)
NOT_NONE = 'if value is not None:\n    values.setdefault(($record["$key"], field), value)'
LIST_WORDS = {
    "opening": "$function($records) takes a list of ${record}s, which may be empty.",
    "outcome": f"The result is a tuple of two: the list of dicts, and {COUNTS}.",
    "head": "def $function($records: list[$type]) -> tuple[list[$type], dict[str, int]]:",
}


def falsy(values: str) -> tuple[Change, ...]:
    """Fills what is merely false; shows only where another record can be before the survivor."""
    found = f'{values}.get(($record["$key"], field))'
    edit = (f"{found} if value is None else value", f"value or {found}")
    return (
        change("falsy", edit, when={"fill": "filled", "rule": "version"}),
        change("falsy", edit, when={"fill": "filled", "rule": "listed", "ties": "last"}),
    )


GROUPS = Shape(
    name="groups",
    entry_point="$function",
    words={**LIST_WORDS, "gap": "full[field] is None", "value_note": ""},
    module='''
"""$summary"""

from typing import Any

$type = dict[str, Any]


$group_head
    """Leave one $record of each $key.

    Returns the ${record}s that are left and, by $key, how many were not.
    """
    groups: dict[str, list[int]] = {}
    kept: dict[int, $type] = {}
    for place, $record in enumerate($records):
        $group_rule
    for places in groups.values():
        winner = $winner
        kept[$group_seat] = $taken
    dropped = {key: len(places) - 1 for key, places in groups.items() if len(places) > 1}
    return [kept[place] for place in sorted(kept)], dropped
''',
    bugs=(
        *BUGS,
        change("fill", slots={"gap": "value is not None"}, when={"fill": "filled"}),
    ),
    known_failing=(
        *PATCHES,
        change("falsy_key", ('if $record["$key"] is not None:', 'if $record["$key"]:')),
        change(
            "falsy", ("if full[field] is None:", "if not full[field]:"), when={"fill": "filled"}
        ),
        change(
            "last_value",
            ("for $record in group:", "for $record in reversed(group):"),
            when={"fill": "filled"},
            against=("seat", "grouped", "ties", *WINS),
        ),
    ),
)

BEST_FIRST = Shape(
    name="best_first",
    entry_point="$function",
    words={**LIST_WORDS, "gap": "", "value_note": NOT_NONE},
    module='''
"""$summary"""

from collections import Counter
from typing import Any

$type = dict[str, Any]


$value_head
    """Leave one $record of each $key.

    Returns the ${record}s that are left and, by $key, how many were not.
    """
    keys = [$record["$key"] for $record in $records]
    places = range(len(keys))
    survivors: dict[str, int] = {}
    for place in $best_first:
        survivors.setdefault(keys[place], place)
    $values
    kept: list[$type] = []
    for place, key in enumerate(keys):
        $branch
            kept.append($found)
    counts = Counter(key for key in keys if key is not None)
    return kept, {key: count - 1 for key, count in counts.items() if count > 1}
''',
    bugs=(
        *BUGS,
        change(
            "fill",
            slots={"value_note": 'values.setdefault(($record["$key"], field), value)'},
            when={"fill": "filled"},
        ),
    ),
    known_failing=(
        *PATCHES,
        change("falsy_key", ("if key is None:", "if not key:"), when={"alone": "stays"}),
        change(
            "falsy_key",
            ("if key is not None and $seat_test:", "if key and $seat_test:"),
            when={"alone": "left_out"},
        ),
        *falsy("values"),
        change(
            "last_value",
            (
                'values.setdefault(($record["$key"], field), value)',
                'values[$record["$key"], field] = value',
            ),
            when={"fill": "filled"},
            against=("seat", "grouped", "ties", *WINS),
        ),
    ),
)

ROSTER = Shape(
    name="roster",
    entry_point="$cls",
    words={
        "opening": "$cls() starts with an empty list of ${record}s; $add($record) puts one at its "
        "end and returns None.",
        "outcome": f"$kept() gives the result, a new list, for the list as it is at that "
        f"time; $dropped() gives {COUNTS}.",
        "head": "",
        "gap": "",
        "value_note": NOT_NONE.replace("values.", "self._values.").replace(
            '$record["$key"]', "key"
        ),
    },
    module='''
"""$summary"""

from collections import Counter
from operator import itemgetter
from typing import Any

$type = dict[str, Any]


class $cls:
    """Takes ${record}s one by one and knows which one of each $key survives."""

    def __init__(self) -> None:
        self._length = 0
        self._sizes: Counter[str] = Counter()
        self._best: dict[str, $best_type] = {}
        $firsts_init
        $values_init
        $alone_init

    def $add(self, $record: $type) -> None:
        """Put one at the end of the list."""
        place, key = self._length, $record["$key"]
        self._length += 1
        $alone_rule
        self._sizes[key] += 1
        $firsts_note
        $values_note
        $best_rule

    def $kept(self) -> list[$type]:
        """What is left of the list so far."""
        rows = $rows
        $best_rows
            rows.append(($row_seat, $row))
        return [$record for _, $record in sorted(rows, key=itemgetter(0))]

    def $dropped(self) -> dict[str, int]:
        """How many ${record}s of one $key are left out, where any are."""
        return {key: size - 1 for key, size in self._sizes.items() if size > 1}

    $row_method
''',
    bugs=(
        *BUGS,
        change(
            "fill",
            slots={"value_note": "self._values.setdefault((key, field), value)"},
            when={"fill": "filled"},
        ),
    ),
    known_failing=(
        *PATCHES,
        change("falsy_key", ("if key is None:", "if not key:")),
        *falsy("self._values"),
        change(
            "last_value",
            ("self._values.setdefault((key, field), value)", "self._values[key, field] = value"),
            when={"fill": "filled"},
            against=("seat", "grouped", "ties", *WINS),
        ),
    ),
)

SCENARIOS = (
    scenario(
        "customer master", summary="One row for each customer out of several systems.",
        type="Customer", record="customer", records="customers", key="email", version="revision",
        label="phone", size="discount", function="master_rows", cls="CustomerMaster", add="load",
        kept="rows", dropped="duplicates",
    ),
    scenario(
        "product import", summary="Products of a supplier's feed, one of each article number.",
        type="Product", record="product", records="products", key="article", version="issue",
        label="colour", size="stock", function="single_products", cls="ImportBatch", add="read",
        kept="products", dropped="repeated",
    ),
    scenario(
        "contact merge", summary="Merges the contacts of two address books.",
        type="Contact", record="contact", records="contacts", key="handle", version="edits",
        label="city", size="extension", function="merge_contacts", cls="AddressBook", add="bring",
        kept="entries", dropped="merged_away",
    ),
    scenario(
        "config lines", summary="Settings from several files, one line for each option.",
        type="Line", record="line", records="lines", key="option", version="priority",
        label="comment", size="number", function="effective_lines", cls="LineSet", add="append",
        kept="effective", dropped="overridden",
    ),
    scenario(
        "patient charts", summary="Charts as the wards sent them, one for each patient.",
        type="Chart", record="chart", records="charts", key="patient", version="edition",
        label="ward", size="pulse", function="current_charts", cls="ChartRoom", add="file",
        kept="current", dropped="superseded",
    ),
)  # fmt: skip


def row(v: Variant, key: str | None, version: int, name: str | None, size: int | None):
    return {v["key"]: key, v["version"]: version, v["label"]: name, v["size"]: size}


def asked(v: Variant, rows, clauses: str, pause: int = 0) -> Check:
    """The rows given to the module in the manner of its shape; a class is also asked midway."""
    numbers = v.clauses("call", "fields", "result", clauses)
    if v.shape == "roster":
        adds = [call(f"roster.{v['add']}", one) for one in rows]
        asks = call(f"roster.{v['kept']}"), call(f"roster.{v['dropped']}")
        early = asks if pause else ()
        steps = (call(v["cls"], bind="roster"), *adds[:pause], *early, *adds[pause:], *asks)
        return Check(steps, clauses=numbers)
    if not pause:
        return Check((call(v.entry_point, rows),), clauses=numbers)
    return Check((call(v.entry_point, Ref("given")),), {"given": value(rows)}, ("given",), numbers)


def rising(v: Variant, low: int) -> tuple[int, int]:
    """Two versions in list order, of which the survivor of either rule has the higher one."""
    return (low, low + 2) if v["ties"] == "last" else (low + 2, low)


def visible(v: Variant, s: Stream):
    """Pairs that stand side by side, the survivor chosen alike by place and by version."""
    low, size = s.between(1, 5), s.between(20, 90)
    one, two = rising(v, low)
    lone = row(v, "ann", low, "north", size)
    pair = [row(v, "bob", one, "east", size + 1), row(v, "bob", two, "west", size + 2)]
    other = [row(v, "eve", one, "west", size + 3), row(v, "eve", two, "north", size + 4)]
    yield asked(v, [lone, *pair], "survivor")
    yield asked(v, [*other, *pair, lone], "survivor seat")
    yield asked(v, [], "seat")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """The least list that the bug treats differently."""
    low, size = s.between(1, 5), s.between(20, 90)
    one, two = (low + 2, low) if bug == "last_wins" else rising(v, low)
    first, second = row(v, "bob", one, "east", size), row(v, "bob", two, "west", size + 1)
    between = row(v, "ann", low, "north", size + 2)
    if bug == "ties":
        return asked(v, [first, {**second, v["version"]: one}], "survivor")
    if bug == "seat":
        second[v["version"]] = one + 1
        return asked(v, [first, between, second], "seat")
    if bug == "grouped":
        return asked(v, [{**first, v["key"]: None}, between, {**second, v["key"]: None}], "alone")
    if bug != "fill":
        return asked(v, [between, first, second], "survivor")
    if v["ties"] == "first":
        gap = None if v.shape != "groups" else "east"
        return asked(v, [{**first, v["label"]: gap}, second], "fill")
    gap = None if v.shape != "groups" else "north"
    middle = row(v, "bob", low + 1, "south", size + 3)
    return asked(v, [{**first, v["label"]: gap}, middle, {**second, v["label"]: None}], "fill")


def versions(v: Variant, s: Stream) -> Check:
    """One group with equal versions in it, and two others between its records."""
    key, other = s.sample(("ann", "bob", ""), 2)
    rows = [row(v, key, n, "ab"[at % 2], at) for at, n in enumerate(s.shuffle((1, 2, 2, 3, 3)))]
    rows.insert(1, row(v, other, s.between(1, 2), "c", 7))
    rows.insert(s.between(3, 5), row(v, other, s.between(1, 2), "d", 8))
    return asked(v, rows[: s.between(5, 7)], "survivor seat", s.below(2) * 4)


def gaps(v: Variant, s: Stream) -> Check:
    """A group whose records have gaps, empty texts and zeros."""
    key = s.choice(("ann", ""))
    rows = []
    for n in s.shuffle((0, 1, 1, 2)):
        kind = s.below(16)
        rows.append(row(v, key, n, (None, "", "x", "y")[kind & 3], (None, 0, 4, 5)[kind >> 2]))
    rows[s.below(4)][v["label"]] = None
    return asked(v, rows, "fill survivor", 2)


def without_key(v: Variant, s: Stream) -> Check:
    """Records with None or an empty text for a key, between those of a group."""
    rows = []
    for at in range(6):
        kind = s.below(20)
        key = (None, None, "", "", "ann")[kind % 5]
        rows.append(row(v, key, 1 + kind // 10, ("x", None)[kind // 5 % 2], at))
    return asked(v, rows, "alone seat", 3)


def woven(v: Variant, s: Stream) -> Check:
    """Two groups whose records alternate, with gaps in them."""
    rows = []
    for at, key in enumerate(("ann", *s.shuffle(("ann", "bob", "bob", "ann")), "bob")):
        kind = s.below(16)
        label, size = (None, "", "x", "y")[kind & 3], (None, at)[kind >> 2 & 1]
        rows.append(row(v, key, 1 + (kind >> 3), label, size))
    return asked(v, rows, "survivor seat fill")


@cache
def pool(key: str, version: str, name: str):
    """Every record of a small world, but for its size."""
    names = (key, version, name)
    worlds = product(("ann", "ann", "bob", "", None), (0, 1, 2), (None, "", "x"))
    return [dict(zip(names, world, strict=True)) for world in worlds]


def wide(v: Variant, s: Stream) -> Check:
    """Some records of a small world."""
    world = pool(v["key"], v["version"], v["label"])
    sizes = (None, 0, 1, 2, None, 4, 5, 6)
    rows = [{**s.choice(world), v["size"]: sizes[at]} for at in range(s.between(2, 8))]
    return asked(v, rows, "survivor seat fill alone")


def oracle(v: Variant):
    """Enters places in dicts by key, the stronger ones later: what is there in the end survives."""
    key_name, version, fields = v["key"], v["version"], (v["label"], v["size"])
    by_version, by_first = v["rule"] == "version", v["ties"] == "first"
    at_first, fills, stays = v["seat"] == "first", v["fill"] == "filled", v["alone"] == "stays"

    def kept(rows):
        keys = [one[key_name] for one in rows]
        backwards = range(len(rows) - 1, -1, -1)
        rising = backwards if by_first else backwards[::-1]
        if by_version:
            rising = sorted(rising, key=lambda place: rows[place][version])
        survivors = {keys[place]: place for place in rising}
        seats = {keys[place]: place for place in backwards} if at_first else survivors
        values = {
            (keys[place], field): rows[place][field]
            for place in (backwards if fills else ())
            for field in fields
            if rows[place][field] is not None
        }
        out = []
        for place, key in enumerate(keys):
            if key is None:
                out += [rows[place]] if stays else []
            elif seats[key] == place:
                whole = dict(rows[survivors[key]])
                if fills:
                    for field in fields:
                        if whole[field] is None:
                            whole[field] = values.get((key, field))
                out.append(whole)
        return out

    def dropped(rows):
        keys = [one[key_name] for one in rows]
        counts = {key: keys.count(key) for key in keys if key is not None}
        return {key: count - 1 for key, count in counts.items() if count > 1}

    class Roster:
        def __init__(self):
            self.all_added = []

    setattr(Roster, v["add"], lambda self, one: self.all_added.append(one))
    setattr(Roster, v["kept"], lambda self: kept(self.all_added))
    setattr(Roster, v["dropped"], lambda self: dropped(self.all_added))
    return {v["cls"]: Roster, v["function"]: lambda rows: (kept(rows), dropped(rows))}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(GROUPS, BEST_FIRST, ROSTER),
    scenarios=SCENARIOS,
    # The first in the list stands where the first of its group does.
    allows=lambda knobs: (
        (knobs["rule"], knobs["ties"], knobs["seat"]) != ("listed", "first", "own")
    ),
    visible=visible,
    symptom=symptom,
    edges=(versions, gaps, without_key, woven),
    wide=wide,
    oracle=oracle,
)
