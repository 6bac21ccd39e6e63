"""A page holds the rows beyond its cursor, so that a walk serves every row exactly once."""

from functools import cache

from sandbox.checks import Check, Step, call
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "names",
        last_served={
            "cursor_clause": "The $cursor names the last $row already served: a page holds only"
            " ${row}s that come after it in the order.",
            "next_clause": "the $key of the last $row of the page",
            "above": ">",
            "not_above": ">=",
            "below": "<",
            "not_below": "<=",
            "above_side": "right",
            "below_side": "left",
            "next_row": "page[-1]",
            "other_next": "$first_left",
        },
        first_of_next={
            "cursor_clause": "The $cursor names the first $row to serve: a page holds that $row and"
            " those that come after it in the order.",
            "next_clause": "the $key of the first $row that follows the page",
            "above": ">=",
            "not_above": ">",
            "below": "<=",
            "not_below": "<",
            "above_side": "left",
            "below_side": "right",
            "next_row": "$first_left",
            "other_next": "page[-1]",
        },
    ),
    knob(
        "deleted",
        keeps_place={
            "deleted_clause": "keeps its place in the order: the page starts with the next $row"
            " after that place",
            "deleted_rule": "",
            "zero_gone": "",
        },
        refused={
            "deleted_clause": "is refused with LookupError",
            "zero_gone": " A $cursor that is refused with other limits is refused with 0 too.",
            "deleted_rule": """
                if $cursor is not None and $cursor not in {row["$key"] for row in $rows}:
                    raise LookupError(f"no $row {$cursor}")
            """,
        },
    ),
    knob(
        "remaining",
        flag={
            "rest_clause": "whether any ${row}s follow the page (True or False)",
            "rest": "$is_left",
            "rest_type": "bool",
        },
        count={
            "rest_clause": "how many ${row}s follow the page",
            "rest": "$number_left",
            "rest_type": "int",
        },
    ),
    knob(
        "over",
        capped={
            "over_clause": "A $limit above $most counts as $most",
            "over_rule": "$limit = min($limit, $most_name)",
            "highest": "",
        },
        refused={
            "over_clause": "A $limit above $most raises ValueError",
            "over_rule": "",
            "highest": " or $limit > $most_name",
        },
    ),
    knob(
        "zero",
        empty={
            "zero_clause": "gives an empty page. Its next $cursor is the $cursor given, None too,"
            " and every $row that is still to be served from there follows it.$zero_gone",
            "lowest": "0",
            "zero_rule": "if $limit == 0:\n    return [], $cursor, $rest",
        },
        refused={"zero_clause": "raises ValueError.", "lowest": "1", "zero_rule": ""},
    ),
)

CONTRACT = (
    Clause(
        "order",
        """$function($rows, $cursor, $limit, descending) serves one page. $rows is a list of dicts
        in any order, each with an integer under "$key" that no other one has; it is not changed.
        The order is by $key, ascending, or descending when the flag is true.""",
    ),
    Clause("cursor", "$cursor_clause With None for the $cursor the page starts at the top."),
    Clause("deleted", "A $cursor whose $row is not in $rows $deleted_clause."),
    Clause(
        "result",
        """The result is a tuple of three: the list of at most $limit ${row}s in order; the next
        $cursor, which is $next_clause, or None when no $row follows; and $rest_clause.""",
    ),
    Clause("over", "$over_clause. A negative $limit raises ValueError."),
    Clause("zero", "A $limit of 0 $zero_clause"),
    Clause("first", "The $limit is looked at before the $cursor."),
)

HEAD = '''
"""$summary"""

$imports

$most_name = $most

$row_type = dict[str, object]


def $function(
    $rows: list[$row_type],
    $cursor: int | None,
    $limit: int,
    descending: bool = False,
) -> tuple[list[$row_type], int | None, $rest_type]:
    """Serve one page of ${row}s: the ${row}s, the next $cursor, and what is left.

    Pages are cut by $key rather than by offset, so that ${row}s which come or go
    between two requests do not shift the pages after them.
    """
    if $limit < $lowest$highest:
        raise ValueError(f"$limit out of range: {$limit}")
    $over_rule
    $deleted_rule
'''

TAIL = """\
    page, left = beyond[:$limit], beyond[$limit:]
    $zero_rule
    next_$cursor = $next_row["$key"] if left else None
    return page, next_$cursor, $rest
"""

SLICED = {"first_left": "left[0]", "is_left": "bool(left)", "number_left": "len(left)"}

NEXT = change("next", ("next_$cursor = $next_row", "next_$cursor = $other_next"))
FULL_PAGE = change("full_page", ("if left else None", "if len(page) == $limit else None"))

FILTER = Shape(
    name="filter",
    entry_point="$function",
    words={**SLICED, "imports": "from operator import itemgetter"},
    module=HEAD
    + """\
    ordered = sorted($rows, key=itemgetter("$key"), reverse=descending)
    if $cursor is None:
        beyond = ordered
    elif descending:
        beyond = [row for row in ordered if row["$key"] $below $cursor]
    else:
        beyond = [row for row in ordered if row["$key"] $above $cursor]
"""
    + TAIL,
    bugs=(
        change(
            "both",
            ("] $below $cursor", "] $not_below $cursor"),
            ("] $above $cursor", "] $not_above $cursor"),
        ),
        change("ascending", ("] $above $cursor", "] $not_above $cursor")),
        change("descending", ("] $below $cursor", "] $not_below $cursor")),
        NEXT,
    ),
    known_failing=(
        change(
            "unsorted",
            (
                'sorted($rows, key=itemgetter("$key"), reverse=descending)',
                "$rows[::-1] if descending else $rows",
            ),
        ),
        change(
            "falsy_cursor",
            ("if $cursor is None:\n        beyond", "if not $cursor:\n        beyond"),
        ),
        FULL_PAGE,
        change(
            "one_way", ("] $below $cursor", "] $not_below $cursor"), against=("both", "ascending")
        ),
        change(
            "drop_first",
            ("] $below $cursor", "] <= $cursor"),
            (
                "] $above $cursor]",
                "] >= $cursor]\n    if $cursor is not None:\n        beyond = beyond[1:]",
            ),
            when={"names": "last_served", "deleted": "keeps_place"},
        ),
    ),
)

BISECT = Shape(
    name="bisect",
    entry_point="$function",
    words={**SLICED, "imports": "import bisect"},
    module=HEAD
    + """\
    by_key = {row["$key"]: row for row in $rows}
    keys = sorted(by_key)
    if $cursor is None:
        start, end = 0, len(keys)
    else:
        start = bisect.bisect_$above_side(keys, $cursor)
        end = bisect.bisect_$below_side(keys, $cursor)
    chosen = reversed(keys[:end]) if descending else keys[start:]
    beyond = [by_key[key] for key in chosen]
"""
    + TAIL,
    bugs=(
        change(
            "both",
            ("= bisect.bisect_$above_side", "= bisect.bisect_$below_side"),
            ("end = bisect.bisect_$below_side", "end = bisect.bisect_$above_side"),
        ),
        change(
            "ascending", ("start = bisect.bisect_$above_side", "start = bisect.bisect_$below_side")
        ),
        change(
            "descending", ("end = bisect.bisect_$below_side", "end = bisect.bisect_$above_side")
        ),
        NEXT,
    ),
    known_failing=(
        change("unsorted", ("keys = sorted(by_key)", "keys = list(by_key)")),
        change(
            "falsy_cursor", ("if $cursor is None:\n        start", "if not $cursor:\n        start")
        ),
        FULL_PAGE,
        change(
            "one_way",
            ("end = bisect.bisect_$below_side", "end = bisect.bisect_$above_side"),
            against=("both", "ascending"),
        ),
        change(
            "index",
            ("start = bisect.bisect_$above_side(keys, $cursor)", "start = keys.index($cursor) + 1"),
            when={"names": "last_served", "deleted": "keeps_place"},
        ),
    ),
)

CHOSEN = "chosen = heapq.nsmallest($limit + 1, beyond, key=place)"

NEAREST = Shape(
    name="nearest",
    entry_point="$function",
    words={
        "imports": "import heapq",
        "first_left": "chosen[-1]",
        "is_left": "len(chosen) > $limit",
        "number_left": "len(beyond) - len(page)",
    },
    module=HEAD
    + """\
    sign = -1 if descending else 1

    def place(row: $row_type) -> int:
        return sign * row["$key"]

    beyond = list($rows)
    if $cursor is not None:
        beyond = [row for row in $rows if place(row) $above sign * $cursor]
    chosen = heapq.nsmallest($limit + 1, beyond, key=place)
    page = chosen[:$limit]
    $zero_rule
    next_$cursor = $next_row["$key"] if len(chosen) > $limit else None
    return page, next_$cursor, $rest
""",
    bugs=(
        change(
            "both", ("place(row) $above sign * $cursor", "place(row) $not_above sign * $cursor")
        ),
        change("unsigned", ("$above sign * $cursor", "$above $cursor")),
        change("one_less", ("nsmallest($limit + 1, beyond", "nsmallest($limit, beyond")),
        NEXT,
    ),
    known_failing=(
        change(
            "unsorted", (CHOSEN, "chosen = (beyond[::-1] if descending else beyond)[: $limit + 1]")
        ),
        change(
            "falsy_cursor",
            ("if $cursor is not None:\n        beyond", "if $cursor:\n        beyond"),
        ),
        change(
            "full_page", ("if len(chosen) > $limit else None", "if len(page) == $limit else None")
        ),
        change(
            "counts_chosen",
            ("page, next_$cursor, len(beyond) -", "page, next_$cursor, len(chosen) -"),
            when={"remaining": "count"},
            against=("both", "unsigned"),
        ),
    ),
)

SCENARIOS = (
    scenario(
        "ticket queue", summary="Pages of support tickets.", function="ticket_page",
        rows="tickets", row="ticket", row_type="Ticket", key="number", cursor="cursor",
        limit="limit", most_name="MAX_LIMIT",
    ),
    scenario(
        "audit events", summary="Audit log, page by page.", function="list_events",
        rows="events", row="event", row_type="Event", key="sequence", cursor="marker",
        limit="page_size", most_name="LARGEST_PAGE",
    ),
    scenario(
        "order list", summary="Order history of a customer.", function="fetch_orders",
        rows="orders", row="order", row_type="Order", key="order_id", cursor="position",
        limit="count", most_name="MAX_COUNT",
    ),
    scenario(
        "product feed", summary="Cursor paging for the product feed.", function="next_products",
        rows="products", row="product", row_type="Product", key="id", cursor="token",
        limit="size", most_name="MAX_SIZE",
    ),
)  # fmt: skip


@cache
def made_rows(key_name: str) -> dict[int, dict[str, object]]:
    return {key: {key_name: key, "label": f"#{key}"} for key in range(-4, 22)}


def page(v: Variant, keys, cursor: int | None, limit: int, *descending: bool) -> Step:
    """One request; `keys` are the rows in the order in which they are given."""
    rows = made_rows(v["key"])
    return call(v.entry_point, [rows[key] for key in keys], cursor, limit, *descending)


def visible(v: Variant, s: Stream):
    """First pages in both directions, with rows already in order and a page that is not full."""
    keys = list(range(s.between(1, 3), 9, 2))
    few = keys[: s.between(1, 2)]
    names = v.clauses("order", "result")
    yield Check((page(v, few, None, 3),), clauses=names)
    yield Check((page(v, few, None, 3, True), page(v, [], None, 2, s.chance(1, 2))), clauses=names)
    yield Check((page(v, keys, None, -1),), clauses=v.clauses("over"))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A page from inside rows that are already in order, or the first of several pages."""
    first = s.between(1, 3)
    keys = range(first, first + 18, 3)
    if bug in ("next", "one_less"):
        return Check((page(v, keys, None, 2),), clauses=v.clauses("result"))
    descending = bug in ("descending", "unsigned")
    cursor = keys[1] if descending else keys[-2]
    return Check((page(v, keys, cursor, 3, descending),), clauses=v.clauses("order", "cursor"))


def at_the_cursor(v: Variant, s: Stream) -> Check:
    """Both directions from the same row, and from key 0; the rows in any order."""
    keys = s.sample(range(-4, 8), s.between(3, 6))
    cursor = s.choice(keys)
    both = (page(v, keys, cursor, s.between(1, 3), way) for way in (False, True))
    zero = page(v, [*keys, 0] if 0 not in keys else keys, 0, 2, s.chance(1, 2))
    return Check((*both, zero), clauses=v.clauses("order", "cursor", "result"))


def without_cursor_row(v: Variant, s: Stream) -> Check:
    """The cursor's row has gone, or lies beyond either end."""
    keys = s.sample(range(1, 15), s.between(2, 6))
    gone = s.choice([key for key in range(-1, 17) if key not in keys])
    asked = ((gone, False), (gone, True), (s.choice(keys), False))
    steps = tuple(page(v, keys, cursor, s.between(1, 3), way) for cursor, way in asked)
    return Check(steps, clauses=v.clauses("cursor", "deleted", "result"))


def around_the_limit(v: Variant, s: Stream) -> Check:
    """Pages that hold exactly what is left, one less and one more; limits around the largest."""
    most, way = v["most"], s.chance(1, 2)
    keys = s.sample(range(20), most + s.between(1, 2))
    ordered = sorted(keys, reverse=way)
    steps = (
        page(v, keys, None, most + 1, way),
        page(v, keys[:most], None, most, way),
        page(v, keys, ordered[-3], s.between(1, 3), way),
        page(v, keys, s.choice((None, None, *ordered)), 0, way),
    )
    return Check(steps, clauses=v.clauses("result", "over", "zero"))


def both_refused(v: Variant, s: Stream) -> Check:
    """Limits out of range together with cursors whose row is gone."""
    keys = s.sample(range(1, 12), s.between(1, 5))
    gone = s.choice([key for key in range(1, 14) if key not in keys])
    limits = (-1, 0, v["most"] + 1)
    steps = (page(v, keys, s.choice((gone, None)), limit, s.chance(1, 2)) for limit in limits)
    names = v.clauses("deleted", "over", "zero", "first")
    return Check((*steps, page(v, keys, keys[0], 1)), clauses=names)


def wide(v: Variant, s: Stream) -> Check:
    """Three requests against one set of rows."""
    keys = s.sample(range(-3, 12), s.between(0, 7))
    cursors = (None, *keys, *keys, s.between(-5, 13))
    steps = (
        page(v, keys, s.choice(cursors), s.between(0, v["most"] + 1), s.chance(1, 2))
        for _ in range(3)
    )
    return Check(tuple(steps), clauses=v.clauses("order", "cursor", "result"))


def oracle(v: Variant):
    """Serves row after row by looking for the next smallest (or largest) key."""
    key_name = v["key"]

    def is_allowed(limit):
        lowest = 1 if v["zero"] == "refused" else 0
        return limit >= lowest and (limit <= v["most"] or v["over"] == "capped")

    def model(rows, cursor, limit, descending=False):
        if not is_allowed(limit):
            raise ValueError
        there = any(row[key_name] == cursor for row in rows)
        if v["deleted"] == "refused" and cursor is not None and not there:
            raise LookupError
        waiting = []
        for row in rows:
            key = row[key_name]
            beyond = cursor is None or (key < cursor if descending else key > cursor)
            if beyond or (key == cursor and v["names"] == "first_of_next"):
                waiting.append(row)
        served, size = [], min(limit, v["most"])
        while waiting and len(served) < size:
            pick = (max if descending else min)(waiting, key=lambda row: row[key_name])
            waiting.remove(pick)
            served.append(pick)
        following = None
        if limit == 0:
            following = cursor
        elif waiting and v["names"] == "last_served":
            following = served[-1][key_name]
        elif waiting:
            following = (max if descending else min)(row[key_name] for row in waiting)
        return served, following, bool(waiting) if v["remaining"] == "flag" else len(waiting)

    return {v.entry_point: model}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(FILTER, BISECT, NEAREST),
    scenarios=SCENARIOS,
    choices={"most": (3, 4, 5)},
    visible=visible,
    symptom=symptom,
    edges=(at_the_cursor, without_cursor_row, around_the_limit, both_refused),
    wide=wide,
    oracle=oracle,
)
