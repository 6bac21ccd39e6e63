"""Rows without a value go to the end that the contract names, in either direction of a sort."""

from functools import cache

from sandbox.checks import Check, Ref, Step, call, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "place",
        last={
            "place_clause": "comes after all others, in either direction",
            "join": "present + missing",
            "other_join": "missing + present if descending else present + missing",
            "one_gone": "return gone",
            "other_one_gone": "return -gone if descending else gone",
        },
        with_direction={
            "place_clause": "comes after all others in ascending order, and before them in"
            " descending order",
            "join": "missing + present if descending else present + missing",
            "other_join": "present + missing",
            "one_gone": "return -gone if descending else gone",
            "other_one_gone": "return gone",
        },
        first={
            "place_clause": "comes before all others, in either direction",
            "join": "missing + present",
            "other_join": "present + missing if descending else missing + present",
            "one_gone": "return -gone",
            "other_one_gone": "return gone if descending else -gone",
        },
    ),
    knob(
        "absent",
        as_none={
            "absent_clause": "A $row that lacks the $column is placed as if it had None there",
            "missing_sort": "",
            "both_gone": "return 0",
        },
        beyond={
            "absent_clause": "Among the $rows whose value is missing, those that lack the $column"
            " come after those that have it, in either direction",
            "missing_sort": "missing.sort(key=lambda row: $column not in row)",
            "both_gone": "return ($column not in one) - ($column not in other)",
        },
    ),
    knob(
        "blank",
        text={
            "blank_clause": "A text counts as a value even if it is empty or nothing but spaces"
            " (U+0020)",
            "missing_test": "value is None",
            "other_missing_test": 'value in (None, "")',
            "falsy_test": "not value",
        },
        missing={
            "blank_clause": "A text that is empty or nothing but spaces (U+0020) counts as missing, not"
            " as a text",
            "missing_test": 'value is None or (isinstance(value, str) and not value.strip(" "))',
            "other_missing_test": 'value is None or value == ""',
            "falsy_test": 'not value or (isinstance(value, str) and not value.strip(" "))',
        },
    ),
    knob(
        "mixed",
        numbers_first={
            "mixed_clause": "An integer comes before a text in ascending order, and after it in"
            " descending order",
            "refuse_rule": "",
            "sort_key": "(isinstance(row[$column], str), row[$column])",
            "text_key": "str(row[$column])",
            "kind_rule": "$by_kind",
            "text_rule": "first, second = str(first), str(second)",
        },
        refused={
            "mixed_clause": "If one $row has an integer under a $column that is sorted by and another"
            " one a text, ValueError is raised",
            "refuse_rule": "$refuse",
            "sort_key": "row[$column]",
            "text_key": "str(row[$column])",
            "kind_rule": "",
            "text_rule": "first, second = str(first), str(second)",
        },
    ),
    knob(
        "ties",
        given={
            "ties_clause": "in the order in which they are given",
            "given_rule": "",
            "other_given_rule": '$rows = sorted($rows, key=itemgetter("$id"))',
            "last_resort": "return 0",
            "other_last_resort": 'return 1 if one["$id"] > other["$id"] else -1',
            "getter_import": "",
            "other_getter_import": "from operator import itemgetter",
        },
        by_id={
            "ties_clause": "in ascending order of $id",
            "given_rule": '$rows = sorted($rows, key=itemgetter("$id"))',
            "other_given_rule": "",
            "last_resort": 'return 1 if one["$id"] > other["$id"] else -1',
            "other_last_resort": "return 0",
            "getter_import": "from operator import itemgetter",
            "other_getter_import": "",
        },
    ),
)

ROWS = (
    '$rows is a list of dicts, each with a "$id", a text that no other one has; it is not changed.'
    " Under a $column a $row has an integer, a text or None, or it lacks the $column."
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "mixed",
        "Integers under a $column are ordered by size, texts by code points. $mixed_clause.",
    ),
    Clause(
        "blank",
        "A value is missing where it is None and where a $row lacks the $column. $blank_clause.",
    ),
    Clause("place", "A $row whose value is missing $place_clause."),
    Clause("absent", "$absent_clause."),
    Clause(
        "ties",
        "Where these rules leave $rows equal, they are put $ties_clause, in either direction.",
    ),
)

IS_MISSING = '''
def _is_missing(value: int | str | None) -> bool:
    """Whether there is nothing to sort by."""
    return $missing_test
'''
FALSY = change("falsy", slots={"missing_test": "$falsy_test"})
OTHER_BLANK = change("other_blank", slots={"missing_test": "$other_missing_test"})

PARTED = Shape(
    name="parted",
    entry_point="$function",
    words={
        "opening": "$function($rows, $column, descending) returns a new list with the $id of each"
        " $row, sorted by that $column: in ascending order, or in descending order if the"
        f" flag is true. {ROWS}",
        "refuse": """
            if len({isinstance(row[$column], str) for row in present}) > 1:
                raise ValueError(f"numbers and texts under {$column}")
        """,
        "sort_rule": "present.sort(key=lambda row: $sort_key, reverse=descending)",
        "get": "row.get($column)",
    },
    module='''
"""$summary"""

$getter_import
from typing import Any


def $function($rows: list[dict[str, Any]], $column: str, descending: bool = False) -> list[str]:
    """The $id of each of the $rows, sorted by one $column."""
    $given_rule
    missing = [row for row in $rows if _is_missing($get)]
    present = [row for row in $rows if not _is_missing($get)]
    $refuse_rule
    $sort_rule
    $missing_sort
    ordered = $join
    return [row["$id"] for row in ordered]


'''
    + IS_MISSING.lstrip("\n"),
    bugs=(
        FALSY,
        change("follows", slots={"join": "$other_join"}),
        change(
            "reversed",
            slots={
                "sort_rule": "present.sort(key=lambda row: $sort_key)\n"
                "if descending:\n    present.reverse()"
            },
        ),
        change("as_text", slots={"sort_key": "$text_key"}),
    ),
    known_failing=(
        OTHER_BLANK,
        change("bare", slots={"get": "row[$column]"}),
        change(
            "other_ties",
            slots={"given_rule": "$other_given_rule", "getter_import": "$other_getter_import"},
        ),
        change("follows", slots={"join": "$other_join"}, against=("falsy", "reversed", "as_text")),
    ),
)

COMPARED = Shape(
    name="compared",
    entry_point="$multi",
    words={
        "opening": "$multi($rows, order) returns a new list with the $id of each $row, sorted by"
        " every $column that the list order names: by the first one, and where that leaves two equal, by"
        ' the next. A "-" in front of a name, which is not part of it, asks for descending order,'
        f" and other ${{column}}s are in ascending order. {ROWS}",
        "refuse": """
            for $column, _ in ${column}s:
                values = [row.get($column) for row in $rows]
                if len({isinstance(value, str) for value in values if not _is_missing(value)}) > 1:
                    raise ValueError(f"numbers and texts under {$column}")
        """,
        "by_kind": "first, second = (isinstance(first, str), first), (isinstance(second, str),"
        " second)",
        "get": "one.get($column), other.get($column)",
        "top_rule": "",
        "outcome": "result = (first > second) - (first < second)\n"
        "return -result if descending else result",
    },
    module='''
"""$summary"""

from functools import cmp_to_key
from typing import Any


def $multi($rows: list[dict[str, Any]], order: list[str]) -> list[str]:
    """The $id of each of the $rows, sorted by every $column that order names."""
    ${column}s = [(name.removeprefix("-"), name.startswith("-")) for name in order]
    $refuse_rule

    def compare(one: dict[str, Any], other: dict[str, Any]) -> int:
        for $column, descending in ${column}s:
            if result := _compare(one, other, $column, descending):
                return result
        $last_resort

    return [row["$id"] for row in sorted($rows, key=cmp_to_key(compare))]


def _compare(one: dict[str, Any], other: dict[str, Any], $column: str, descending: bool) -> int:
    """Below 0 if one comes first, above 0 if the other does, 0 if the $column leaves it open."""
    $top_rule
    first, second = $get
    gone = _is_missing(first) - _is_missing(second)
    if gone:
        $one_gone
    if _is_missing(first):
        $both_gone
    $kind_rule
    $outcome


'''
    + IS_MISSING.lstrip("\n"),
    bugs=(
        FALSY,
        change("follows", slots={"one_gone": "$other_one_gone"}),
        change(
            "turned",
            slots={
                "top_rule": "if descending:\n    one, other = other, one",
                "outcome": "return (first > second) - (first < second)",
            },
            when={"place": ("last", "first")},
        ),
        change("as_text", slots={"kind_rule": "$text_rule"}),
    ),
    known_failing=(
        OTHER_BLANK,
        change("bare", slots={"get": "one[$column], other[$column]"}),
        change("other_ties", slots={"last_resort": "$other_last_resort"}),
        change("follows", slots={"one_gone": "$other_one_gone"}, against=("falsy", "as_text")),
    ),
)
SCENARIOS = (
    scenario(
        "lead scores", summary="Sales leads, ordered for the call list.", function="call_order",
        multi="sort_leads", rows="leads", row="lead", id="ref", column="field",
        columns=("score", "owner"), ids=("L03", "L07", "L11", "L18", "L24", "L30"),
    ),
    scenario(
        "due dates", summary="The task list, sorted the way its reader asks for.",
        function="sort_by_field", multi="sort_tasks", rows="tasks", row="task", id="key",
        column="field", columns=("due", "assignee"),
        ids=("A-1", "A-2", "A-5", "B-1", "B-4", "C-3"),
    ),
    scenario(
        "sensor list", summary="Sensors and their latest readings.", function="sensors_by",
        multi="sensor_order", rows="sensors", row="sensor", id="serial", column="column",
        columns=("reading", "site"), ids=("s10", "s12", "s23", "s31", "s44", "s58"),
    ),
    scenario(
        "price comparison", summary="Deals of a price comparison.", function="deals_by",
        multi="arrange_deals", rows="deals", row="deal", id="shop", column="field",
        columns=("price", "delivery"), ids=("Alma", "Beck", "Cobb", "Dunn", "Eder", "Foss"),
    ),
    scenario(
        "staff directory", summary="The staff directory and its sortable table.",
        function="directory_by", multi="directory", rows="records", row="record", id="badge",
        column="column", columns=("room", "team"), ids=("104", "118", "205", "233", "307", "412"),
    ),
)  # fmt: skip

ABSENT = object()
UP, DOWN = False, True
# The order in which the rows are given, by position of their ids.
GIVEN = ((3, 0, 5, 1, 4, 2), (5, 4, 3, 2, 1, 0), (1, 4, 0, 5, 2, 3), (2, 5, 4, 0, 3, 1))
NUMBERS = (-2, 0, 3, 9, 10, 0, None, None, ABSENT)
TEXTS = ("", " ", "b", "B", "ab", "b", None, ABSENT)
# A second column, from the first row to the last.
SECOND = ((1, 2, 1, None, 2, 1), (2, 1, 1, 2, 1, 2), (None, 1, 2, 1, None, 1), (1, 1, 2, 2, 1, 1))
MIXED = (0, 3, 10, "", "  ", "10", "b", None, ABSENT)


@cache
def one_row(names: tuple[str, ...], content: tuple[object, ...]) -> dict[str, object]:
    pairs = zip(names, content, strict=True)
    return {name: item for name, item in pairs if item is not ABSENT}


def table(v: Variant, given: tuple[int, ...], cells) -> list[dict[str, object]]:
    """Rows with one cell under each column."""
    names = (v["id"], *v["columns"])
    return [one_row(names, (v["ids"][n], *cell)) for n, cell in zip(given, cells, strict=False)]


def sorting(v: Variant, rows: object, *order: tuple[int, bool]) -> list[Step]:
    """Sorts by columns with their directions: by each of them, or by all of them at once."""
    names = v["columns"]
    if v.shape == "parted":
        return [call(v.entry_point, rows, names[n], descending) for n, descending in order]
    return [call(v.entry_point, rows, ["-" * down + names[n] for n, down in order])]


def asked(v: Variant, given: tuple[int, ...], cells, *orders, clauses: str) -> Check:
    """The same rows sorted in several orders, and looked at afterwards."""
    steps = [step for order in orders for step in sorting(v, Ref("rows"), *order)]
    fixtures = {"rows": value(table(v, given, cells))}
    return Check(tuple(steps), fixtures, ("rows",), v.clauses("call", clauses))


def both_ways(v: Variant, s: Stream, cells, clauses: str) -> Check:
    """Rows given in some order, sorted by the first column in both directions."""
    return asked(v, s.choice(GIVEN), cells, [(0, UP)], [(0, DOWN)], clauses=clauses)


def visible(v: Variant, s: Stream):
    """Different numbers in both directions, and an ascending column with a missing value."""
    numbers = s.sample(range(1, 10), 3)
    cells = [(number, text) for number, text in zip(numbers, s.shuffle("xyz"), strict=True)]
    rows = table(v, s.choice(GIVEN), cells)
    yield Check(tuple(sorting(v, rows, (0, UP))), clauses=v.clauses("call", "mixed"))
    yield Check(tuple(sorting(v, rows, (1, DOWN))), clauses=v.clauses("call", "mixed"))
    rows = table(v, s.choice(GIVEN), [(5, "x"), (None, "x"), (s.between(6, 9), "x")])
    yield Check(tuple(sorting(v, rows, (0, UP))), clauses=v.clauses("place"))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Numbers in which the bug finds another order; ids rise in the order given."""
    number, down = s.between(2, 8), bug != "falsy"
    numbers: list[int | None] = s.shuffle([-number, 0, number, None])
    if bug == "reversed":
        numbers = s.shuffle([number, number, number + 1])
    elif bug == "as_text":
        numbers = s.shuffle([number, number + 10, 10 * number + 100])
    elif down:
        numbers = s.shuffle([number, number + 1, None])
    rows = table(v, (0, 1, 2, 3), [(number, "x") for number in numbers])
    return Check(tuple(sorting(v, rows, (0, down))), clauses=v.clauses("mixed", "place"))


def missing_numbers(v: Variant, s: Stream) -> Check:
    """Zero, None and an absent column between other numbers."""
    cells = s.shuffle([0, None, ABSENT, s.choice((None, ABSENT)), -s.between(1, 3), 2])
    return both_ways(v, s, [(cell, "x") for cell in cells], "place absent blank")


def blank_texts(v: Variant, s: Stream) -> Check:
    """Empty and blank texts among texts or numbers."""
    others = s.choice((("b", "a"), ("b", "b"), ("B", " a"), (3, 0)))
    cells = s.shuffle(["", "  ", None, *others, ABSENT])
    return both_ways(v, s, [(cell, "x") for cell in cells], "blank place mixed")


def numbers_and_texts(v: Variant, s: Stream) -> Check:
    """Numbers next to texts of digits, in one column or in two."""
    cells = s.shuffle([9, 10, s.choice((100, "9")), s.choice(("10", None)), s.choice(("B", 0))])
    other = s.shuffle(["a", "B", s.choice(("b", None)), s.choice(("a", 1)), "a"])
    orders = [(1, DOWN), (0, UP)], [(0, DOWN)]
    cells = list(zip(cells, other, strict=True))
    return asked(v, s.choice(GIVEN), cells, *orders, clauses="mixed ties")


def equal_values(v: Variant, s: Stream) -> Check:
    """Few different values in each of two columns."""
    pool = s.choice(((4, 7, None), ("k", "K", None), (0, ABSENT, None)))
    cells = [(s.choice(pool), second) for second in s.choice(SECOND)]
    orders = [(0, DOWN)], [(1, DOWN), (0, s.chance(1, 2))], []
    return asked(v, s.choice(GIVEN), cells, *orders, clauses="ties place absent")


def wide(v: Variant, s: Stream) -> Check:
    """Any two columns, sorted in any directions."""
    pool = s.choice((NUMBERS, NUMBERS, TEXTS, MIXED))
    cells = [(s.choice(pool), second) for second in s.choice(SECOND)[s.below(3) :]]
    way = s.choice(((UP, DOWN), (DOWN, UP), (DOWN, DOWN)))
    first = s.below(2)
    return asked(
        v, s.choice(GIVEN), cells, [(first, way[0]), (1 - first, way[1])],
        clauses="mixed place ties absent blank",
    )  # fmt: skip


def oracle(v: Variant):
    """Lays out the shelves of a column one after the other, and looks up where a row belongs."""
    is_beyond, drops_blank = v["absent"] == "beyond", v["blank"] == "missing"
    is_refused, by_id, id_name = v["mixed"] == "refused", v["ties"] == "by_id", v["id"]
    in_front_of = {
        descending: v["place"] == "first" or (v["place"] == "with_direction" and descending)
        for descending in (False, True)
    }
    absent = object()

    def places(rows, column, descending):
        cells = [row.get(column, absent) for row in rows]
        numbers, texts = set(), set()
        for cell in cells:
            kind = type(cell)
            if kind is int:
                numbers.add(cell)
            elif kind is str and not (drops_blank and not cell.strip(" ")):
                texts.add(cell)
        if is_refused and numbers and texts:
            raise ValueError
        shelves = [*sorted(numbers), *sorted(texts)]
        if descending:
            shelves.reverse()
        place_of = {cell: place for place, cell in enumerate(shelves)}
        gone = -2 if in_front_of[descending] else len(shelves)
        place_of[absent] = gone + is_beyond
        return [place_of.get(cell, gone) for cell in cells]

    def several(rows, order):
        ranks = [places(rows, name.lstrip("-"), name[0] == "-") for name in order]
        ids = [row[id_name] for row in rows]
        last = ids if by_id else range(len(ids))
        return [found[-1] for found in sorted(zip(*ranks, last, ids, strict=True))]

    def single(rows, column, descending=False):
        return several(rows, ["-" * descending + column])

    return {v["function"]: single, v["multi"]: several}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(PARTED, COMPARED),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(missing_numbers, blank_texts, numbers_and_texts, equal_values),
    wide=wide,
    oracle=oracle,
)
