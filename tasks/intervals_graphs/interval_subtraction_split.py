"""What is left of an interval may be nothing, one piece or two, each with its own ends."""

from functools import cache

from sandbox.checks import Check, Ref, Step, call, look, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "ends",
        half_open={
            "ends_clause": "up to, but not including, its",
            "empty_clause": " A $cut whose start equals its end covers nothing and parts nothing.",
            "before": "$from_",
            "after": "$to",
            "other_after": "$to + 1",
            "is_something": "start < end",
            "size": "end - start",
            "other_is_something": "start <= end",
            "other_size": "end - start + 1",
            "two_or_more": "start + 1 < end",
            "empty_rule": "$skip_empty",
        },
        closed={
            "ends_clause": "up to and including its",
            "empty_clause": "",
            "before": "$from_ - 1",
            "after": "$to + 1",
            "other_after": "$to",
            "is_something": "start <= end",
            "size": "end - start + 1",
            "other_is_something": "start < end",
            "other_size": "end - start",
            "two_or_more": "start < end",
            "empty_rule": "",
        },
    ),
    knob(
        "payload",
        copied={
            "payload_clause": 'has a new list under "$tags", equal to that of its $span',
            "tags_entry": ', "$tags": [*$span["$tags"]]',
            "other_tags_entry": "",
        },
        shared={
            "payload_clause": 'has the very list of its $span under "$tags", not a copy',
            "tags_entry": "",
            "other_tags_entry": ', "$tags": [*$span["$tags"]]',
        },
    ),
    knob(
        "beyond",
        ignored={
            "beyond_clause": "What a $cut covers beyond the ${held}s is ignored",
            "beyond_rule": "",
            "other_beyond": "$refuse_beyond",
        },
        refused={
            "beyond_clause": 'A $cut for which there is no $held whose "$start" is at most its start'
            ' and whose "$end" is at least its end raises ValueError$unchanged',
            "beyond_rule": "$refuse_beyond",
            "other_beyond": "",
        },
    ),
    knob(
        "inverted",
        refused={
            "inverted_clause": "raises ValueError$unchanged",
            "inverted_rule": "$refuse_inverted",
            "other_inverted": "$skip_inverted",
        },
        ignored={
            "inverted_clause": "is ignored, wherever it lies",
            "inverted_rule": "$skip_inverted",
            "other_inverted": "$refuse_inverted",
        },
    ),
    knob(
        "short",
        kept={
            "short_clause": "A piece may be as short as one $unit.",
            "least_line": "",
            "is_kept": "$is_something",
            "other_is_kept": "$two_or_more",
            "odd_is_kept": "$other_is_something",
        },
        dropped={
            "short_clause": "A piece of fewer than $least ${unit}s is left out, even if it is a"
            " whole $span.",
            "least_line": "$least_name = $least",
            "is_kept": "$size >= $least_name",
            "other_is_kept": "$size > $least_name",
            "odd_is_kept": "$other_size >= $least_name",
        },
    ),
)

SPANS = (
    '$spans is a list of dicts with two integers, "$start" and "$end", and a list of texts, "$tags".'
    " Each covers at least one $unit, and no $unit is covered by two of them; they are in any order."
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "ends",
        """A $span covers the ${unit}s from its "$start" $ends_clause "$end", and a $cut those from
        its start $ends_clause end.$empty_clause""",
    ),
    Clause(
        "pieces",
        """The ${unit}s of a $span that no $cut covers are left. Each unbroken stretch of them is one
        piece: a new dict like that of the $span, in which "$start" and "$end" are its own.
        A $span that no $cut touches is one piece too. Pieces are in the order of the ${span}s that
        they belong to, and those of one $span in ascending order.""",
    ),
    Clause("payload", "Each piece $payload_clause."),
    Clause("beyond", "$beyond_clause."),
    Clause("inverted", "A $cut whose end is less than its start $inverted_clause."),
    Clause("short", "$short_clause"),
)

KEEP = '''
def _keep(left: list[$kind], $span: $kind, start: int, end: int) -> None:
    """Add this part of the $span to what is left, if it is long enough."""
    if $is_kept:
        left.append({**$span, "$start": start, "$end": end$tags_entry})
'''

# Faults and repairs that the shapes share.
AFTER = change("after", slots={"after": "$other_after"})
SIZE = change("size", slots={"is_kept": "$odd_is_kept"})
EMPTY_CUT = change("empty_cut", slots={"empty_rule": ""}, when={"ends": "half_open"})
PATCHES = (
    change("other_payload", slots={"tags_entry": "$other_tags_entry"}),
    change("other_beyond", slots={"beyond_rule": "$other_beyond"}),
    change("other_inverted", slots={"inverted_rule": "$other_inverted"}),
)

SWEEP = Shape(
    name="sweep",
    entry_point="$function",
    words={
        "opening": "$function($spans, $cuts) returns a new list of the pieces that are left of"
        f" $spans when $cuts are taken out. {SPANS} $cuts is a list of tuples of two integers, a"
        " start and an end, in any order; they may overlap. Neither list is changed.",
        "held": "$span",
        "unchanged": "",
        "from_": "cut_start",
        "to": "cut_end",
        "order_rule": "$cuts = sorted($cuts)",
        "next_start": "max(start, $after)",
        "skip_empty": "if cut_start == cut_end:\n    continue",
        "refuse_inverted": """
            if any(end < start for start, end in $cuts):
                raise ValueError("a $cut ends before it starts")
        """,
        "skip_inverted": "$cuts = [(start, end) for start, end in $cuts if start <= end]",
        "refuse_beyond": """
            for start, end in $cuts:
                if not any(one["$start"] <= start and end <= one["$end"] for one in $spans):
                    raise ValueError(f"no $span holds {start} to {end}")
        """,
        "cut_rule": """
            for cut_start, cut_end in $cuts:
                $empty_rule
                if cut_start > $span["$end"]:
                    break
                _keep(left, $span, start, $before)
                start = $next_start
            _keep(left, $span, start, $span["$end"])
        """,
        "trim_rule": """
            end = $span["$end"]
            for cut_start, cut_end in $cuts:
                $empty_rule
                if cut_start <= start:
                    start = $next_start
                elif cut_end >= end:
                    end = min(end, $before)
            _keep(left, $span, start, end)
        """,
    },
    module='''
"""$summary"""

from typing import Any

$least_line

$kind = dict[str, Any]


def $function($spans: list[$kind], $cuts: list[tuple[int, int]]) -> list[$kind]:
    """What is left of the $spans when the $cuts are taken out of them."""
    $inverted_rule
    $beyond_rule
    $order_rule
    left: list[$kind] = []
    for $span in $spans:
        start = $span["$start"]
        $cut_rule
    return left


'''
    + KEEP.lstrip("\n"),
    bugs=(
        AFTER,
        SIZE,
        EMPTY_CUT,
        change("trimmed", slots={"cut_rule": "$trim_rule"}),
        change("nested", slots={"next_start": "$after"}),
        change("unordered", slots={"order_rule": ""}),
    ),
    known_failing=(
        *PATCHES,
        change("short", slots={"is_kept": "$other_is_kept"},
               against=("after", "empty_cut", "trimmed", "nested", "unordered")),
        change("empty_cut", slots={"empty_rule": ""}, when={"ends": "half_open"},
               against=("after", "size", "trimmed", "nested", "unordered")),
    ),
)  # fmt: skip

LEDGER = Shape(
    name="ledger",
    entry_point="$cls",
    words={
        "opening": "$cls($spans) holds pieces, at first one for each $span. $remove(start, end)"
        " takes the $cut from start to end, two integers, out of all of them and returns None."
        f" $listing() returns a new list with the very pieces that are held. {SPANS} $spans is not changed.",
        "held": "piece",
        "unchanged": " and changes nothing",
        "from_": "start",
        "to": "end",
        "skip_empty": "if start == end:\n    return",
        "refuse_inverted": 'if end < start:\n    raise ValueError("a $cut ends before it starts")',
        "skip_inverted": "if end < start:\n    return",
        "refuse_beyond": """
            if not any(one["$start"] <= start and end <= one["$end"] for one in self._left):
                raise ValueError(f"nothing holds {start} to {end}")
        """,
        "low_end": "min($before, one[\"$end\"])",
        "high_start": "max($after, one[\"$start\"])",
        "split_rule": """
            _keep(left, one, one["$start"], $low_end)
            _keep(left, one, $high_start, one["$end"])
        """,
        "trim_rule": """
            if start <= one["$start"]:
                _keep(left, one, $high_start, one["$end"])
            else:
                _keep(left, one, one["$start"], $low_end)
        """,
    },
    module='''
"""$summary"""

from typing import Any

$least_line

$kind = dict[str, Any]


class $cls:
    """The ${span}s that were given, less whatever has been taken out since."""

    def __init__(self, $spans: list[$kind]) -> None:
        self._left: list[$kind] = []
        for one in $spans:
            _keep(self._left, one, one["$start"], one["$end"])

    def $remove(self, start: int, end: int) -> None:
        """Take a $cut out of every piece that it meets."""
        $inverted_rule
        $beyond_rule
        $empty_rule
        left: list[$kind] = []
        for one in self._left:
            $split_rule
        self._left = left

    def $listing(self) -> list[$kind]:
        """The pieces that are left."""
        return list(self._left)


'''
    + KEEP.lstrip("\n"),
    bugs=(
        AFTER,
        SIZE,
        EMPTY_CUT,
        change("trimmed", slots={"split_rule": "$trim_rule"}),
        change("pulled", slots={"high_start": "$after"}),
        change("stretched", slots={"low_end": "$before"}),
    ),
    known_failing=(
        *PATCHES,
        change("short", slots={"is_kept": "$other_is_kept"},
               against=("after", "empty_cut", "trimmed", "pulled", "stretched")),
        change("empty_cut", slots={"empty_rule": ""}, when={"ends": "half_open"},
               against=("after", "size", "trimmed", "pulled", "stretched")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "leave from availability", summary="Days on which staff are at work.",
        function="working_days", cls="Availability", remove="take_off", listing="at_work",
        spans="contracts", span="contract", kind="Contract", cuts="holidays", cut="holiday",
        start="from", end="to", tags="staff", unit="day", least_name="SHORTEST",
        content=("Ada", "Bo", "Cleo"),
    ),
    scenario(
        "maintenance windows", summary="Hours in which a plant can run.", function="running_hours",
        cls="PlantHours", remove="maintain", listing="slots", spans="runs", span="run", kind="Run",
        cuts="stops", cut="stop", start="from", end="until", tags="lines", unit="hour",
        least_name="MIN_HOURS", content=("press", "kiln", "dryer"),
    ),
    scenario(
        "sold seats", summary="Seats of a row that can still be sold.", function="free_seats",
        cls="SeatRow", remove="sell", listing="blocks", spans="rows", span="row", kind="Row",
        cuts="sales", cut="sale", start="from_seat", end="to_seat", tags="features", unit="seat",
        least_name="FEWEST_SEATS", content=("aisle", "view", "legroom"),
    ),
    scenario(
        "address blocks", summary="Address blocks less the parts that are leased.",
        function="unleased", cls="AddressPool", remove="lease_out", listing="free_blocks",
        spans="blocks", span="block", kind="Block", cuts="leases", cut="lease",
        start="low", end="high", tags="sites", unit="host", least_name="SMALLEST",
        content=("core", "edge", "lab"),
    ),
    scenario(
        "ad blackout", summary="Seconds of a broadcast that may carry advertising.",
        function="ad_space", cls="AdSpace", remove="black_out", listing="openings",
        spans="programmes", span="programme", kind="Programme", cuts="blackouts", cut="blackout",
        start="starts", end="ends", tags="ads", unit="second", least_name="SHORTEST_SPOT",
        content=("bank", "tea", "tyres"),
    ),
)  # fmt: skip


@cache
def table(names: tuple[str, str, str], content: tuple[str, ...], spans) -> list[dict[str, object]]:
    """The spans as dicts; how many texts a span has tells which one it is."""
    start, end, tags = names
    return [
        {start: low, end: high, tags: list(content[: n + 1])} for n, (low, high) in enumerate(spans)
    ]


def rows(v: Variant, spans) -> list[dict[str, object]]:
    return table((v["start"], v["end"], v["tags"]), v["content"], tuple(spans))


def taken(v: Variant, name: str, spans: object, cuts) -> list[Step]:
    """Steps that take cuts out of spans; a ledger is kept under that name and then listed."""
    if v.shape == "sweep":
        return [call(v.entry_point, spans, cuts)]
    steps = [call(f"{name}.{v['remove']}", start, end) for start, end in cuts]
    return [call(v.entry_point, spans, bind=name), *steps, call(f"{name}.{v['listing']}")]


def asked(v: Variant, *requests, clauses: str) -> Check:
    """Each request has spans, and the cuts that are taken out of them."""
    steps = [
        step
        for turn, (spans, cuts) in enumerate(requests)
        for step in taken(v, f"held{turn}", rows(v, spans), cuts)
    ]
    return Check(tuple(steps), clauses=v.clauses("call", "pieces", clauses))


def last(v: Variant, stop: int) -> int:
    """The end of an interval whose units are all below this number."""
    return stop if v["ends"] == "half_open" else stop - 1


def visible(v: Variant, s: Stream):
    """Nothing taken out, and long intervals that are cut at their end."""
    start, long = s.between(0, 9), s.between(20, 30)
    whole = (start, last(v, start + long))
    yield asked(v, ([whole], []), clauses="ends")
    cut = (start + s.between(8, 12), last(v, start + long))
    yield asked(v, ([whole], [cut]), clauses="ends payload")
    yield asked(v, ([(start, last(v, start + 9)), (whole[1] + 5, whole[1] + 25)], []), clauses="")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Cuts inside long intervals, one of which may leave a piece of the length that matters."""
    start = s.between(1, 9)
    stop, middle = start + 40, start + s.between(15, 20)
    cuts = [(middle, last(v, middle + 8))]
    if bug == "after":
        cuts = [(start, last(v, middle))]
    elif bug == "empty_cut":
        cuts = [(middle, middle)]
    elif bug == "nested":
        cuts = [(middle - 8, last(v, middle + 12)), (middle - 2, last(v, middle + 4))]
    elif bug == "unordered":
        cuts = [(middle + 10, last(v, middle + 15)), (middle - 8, last(v, middle - 2))]
    elif bug == "size":
        length = 1 if v["short"] == "kept" else v["least"]
        if v["ends"] == "half_open":
            length -= 1
        cuts = [(start + length, last(v, middle))]
    spans = [(start, last(v, stop))]
    if bug in ("pulled", "stretched"):
        spans.insert(s.below(2), (stop + 10, last(v, stop + 30)))
        if bug == "stretched":
            cuts = [(stop + 10, last(v, stop + 20))]
    return asked(v, (spans, cuts), clauses="ends")


def at_the_ends(v: Variant, s: Stream) -> Check:
    """Cuts that reach just to, up to and just beyond the ends of an interval."""
    start = s.between(0, 5)
    stop = start + s.between(4, 8)
    near = s.choice(((0, 3), (1, 3), (-1, 2), (2, 2)))
    far = s.choice(((2, 0), (3, 1), (3, -1), (2, 0)))
    whole = [(start, last(v, stop))]
    front = [(start + near[0], last(v, start + near[1]))]
    back = [(stop - far[0], last(v, stop - far[1]))]
    return asked(
        v, (whole, front), (whole, back), (whole, [(start + 1, last(v, stop - s.below(3)))]),
        clauses="ends beyond short",
    )  # fmt: skip


def several_cuts(v: Variant, s: Stream) -> Check:
    """Cuts that overlap, hold one another or touch, in any order, and leave short pieces."""
    start = s.between(-3, 3)
    a, b, c = start + s.between(1, 3), start + s.between(5, 7), start + s.between(9, 11)
    first = (a, last(v, a + s.between(1, 3)))
    cuts = [first, (b, last(v, b + s.between(1, 6))), (b + 1, last(v, b + 2))]
    stop = start + s.between(15, 17)
    others = [first, (c + 1, last(v, c + 2)), (stop + 3, last(v, stop + 5))]
    return asked(
        v,
        ([(start, last(v, stop))], s.shuffle(cuts)),
        ([(start, last(v, stop)), (stop + 2, last(v, stop + 6))], s.shuffle(others)),
        clauses="ends short",
    )


def odd_cuts(v: Variant, s: Stream) -> Check:
    """Cuts that end before they start, that cover nothing, or that lie outside."""
    start = s.between(2, 6)
    whole = (start, last(v, start + s.between(12, 15)))
    middle = start + s.between(5, 8)
    odd = s.choice(((middle + 2, middle - 1), (middle, middle - 2), (middle, start - 2)))
    outside = s.choice(((start - 4, start - 2), (whole[1] - 1, whole[1] + 4), (start - 1, middle)))
    good = (middle, last(v, middle + 2))
    return asked(
        v, ([whole], [odd]), ([whole], [(middle, middle)]), ([whole], [good, outside]),
        clauses="inverted beyond ends",
    )  # fmt: skip


def own_lists(v: Variant, s: Stream) -> Check:
    """A text is added to the list of a piece; the other pieces and the argument are looked at."""
    start = s.between(0, 9)
    stop, middle = start + 20, start + s.between(5, 12)
    spans = [(start, last(v, stop)), (stop, last(v, stop + 8))]
    *steps, listing = taken(v, "held", Ref("spans"), [(middle, last(v, middle + 3))])
    target, args = listing.parts[0], listing.parts[1]
    changed = f"left.{s.below(3)}.{v['tags']}.append"
    if v.shape == "ledger":
        steps += [call(target, bind="left"), call("left.clear")]
    steps += [call(target, *args, bind="left"), call(changed, s.choice(("new", "old")))]
    fixtures = {"spans": value(rows(v, spans))}
    return Check(
        (*steps, look("left")), fixtures, ("spans",), v.clauses("call", "pieces", "payload")
    )


def wide(v: Variant, s: Stream) -> Check:
    """One to three intervals and up to four cuts, most of them inside."""
    start = s.between(-5, 5)
    spans = []
    for _ in range(s.between(1, 3)):
        length = s.between(1, 9)
        spans.append((start, last(v, start + length)))
        start += length + s.between(0, 2)
    cuts = []
    for _ in range(s.between(1, 4)):
        low, high = s.choice(spans)
        first = s.between(low, high)
        cuts.append((first, s.between(first, high) if s.chance(5, 6) else first + s.between(-2, 6)))
    spans = spans if s.chance(1, 2) else spans[::-1]
    return asked(v, (spans, cuts), clauses="ends beyond short payload inverted")


def oracle(v: Variant):
    """Counts units one by one: sets of numbers, and runs of neighbours in what is left."""
    names, extra = (v["start"], v["end"]), 0 if v["ends"] == "half_open" else 1

    def pieces(one, gone):
        low, high = one[names[0]], one[names[1]] + extra
        runs, run = [], []
        for unit in range(low, high + 1):
            if unit < high and unit not in gone:
                run.append(unit)
            elif run:
                runs.append(run)
                run = []
        least = v["least"] if v["short"] == "dropped" else 1
        for run in runs:
            if len(run) >= least:
                tags = one[v["tags"]]
                tags = list(tags) if v["payload"] == "copied" else tags
                ends = {names[0]: run[0], names[1]: run[-1] + 1 - extra}
                yield {**one, **ends, v["tags"]: tags}

    def is_taken(held, start, end):
        if end < start:
            if v["inverted"] == "refused":
                raise ValueError
            return False
        inside = [one for one in held if one[names[0]] <= start and end <= one[names[1]]]
        if v["beyond"] == "refused" and not inside:
            raise ValueError
        return True

    def sweep(spans, cuts):
        gone = set()
        for start, end in cuts:
            if is_taken(spans, start, end):
                gone |= set(range(start, end + extra))
        return [piece for one in spans for piece in pieces(one, gone)]

    class Ledger:
        def __init__(self, spans):
            self.held = [piece for one in spans for piece in pieces(one, ())]

        def remove(self, start, end):
            if is_taken(self.held, start, end):
                gone = set(range(start, end + extra))
                self.held = [piece for one in self.held for piece in pieces(one, gone)]

        def listing(self):
            return self.held[:]

    setattr(Ledger, v["remove"], Ledger.remove)
    setattr(Ledger, v["listing"], Ledger.listing)
    return {v["function"]: sweep, v["cls"]: Ledger}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(SWEEP, LEDGER),
    scenarios=SCENARIOS,
    choices={"least": (2, 3)},
    visible=visible,
    symptom=symptom,
    edges=(at_the_ends, several_cuts, odd_cuts, own_lists),
    wide=wide,
    oracle=oracle,
)
