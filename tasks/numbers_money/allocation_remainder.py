"""Shares of an amount are whole units that sum to it; what is left goes to the stated people."""

from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import lcm

from sandbox.checks import Check, Step, call
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "leftover",
        largest_cut={
            "leftover_clause": "The first unit goes to the $person whose share lost most by being cut"
            " down, the next to the one that lost most after that; of equal losses the one"
            " $tie_word in the order comes first.",
            "queue": "sorted($places, key=lambda at: exact[at] - counts[at], reverse=True)",
            "other_queue": "$places",
            "rank": "count - part, $tie_rank",
            "other_rank": "$tie_rank",
            "line": "sorted($names, key=lambda name: exact[name] - counts[name], reverse=True)",
            "other_line": "list($names)",
        },
        in_line={
            "leftover_clause": "Those units go out in the order, from the $line_word, $zero_words.",
            "queue": "$zero_places",
            "other_queue": "sorted($places, key=lambda at: exact[at] - counts[at], reverse=True)",
            "rank": "$zero_rank$tie_rank",
            "other_rank": "count - part, $tie_rank",
            "line": "$zero_line",
            "other_line": "sorted($names, key=lambda name: exact[name] - counts[name], reverse=True)",
        },
    ),
    knob(
        "ties",
        earlier={
            "tie_word": "earlier",
            "line_word": "first to the last",
            "places": "range(len($weights))",
            "tie_rank": "place",
            "names": "$weights",
        },
        later={
            "tie_word": "later",
            "line_word": "last to the first",
            "places": "range(len($weights))[::-1]",
            "tie_rank": "-place",
            "names": "reversed($weights)",
        },
    ),
    knob(
        "zero_weight",
        passed_over={
            "zero_words": "passing over everyone whose $weight is 0",
            "zero_places": "[at for at in $places if $weights[at]]",
            "zero_rank": "$weight == 0, ",
            "zero_line": "[name for name in $names if $weights[name]]",
            "all_places": "$places",
            "all_ranks": "$tie_rank",
            "all_line": "list($names)",
        },
        included={
            "zero_words": "those whose $weight is 0 included",
            "zero_places": "$places",
            "zero_rank": "",
            "zero_line": "list($names)",
            "all_places": "[at for at in $places if $weights[at]]",
            "all_ranks": "$weight == 0, $tie_rank",
            "all_line": "[name for name in $names if $weights[name]]",
        },
    ),
    knob(
        "negative",
        mirrored={
            "negative_clause": "is split like the positive $total of the same size, with the sign"
            " of every amount turned; an amount of zero has no sign",
            "negative_rule": "if $total < 0:\n    return $mirror",
        },
        refused={
            "negative_clause": "raises ValueError",
            "negative_rule": 'if $total < 0:\n    raise ValueError("$total must not be negative")',
        },
    ),
    knob(
        "all_zero",
        refused={
            "all_zero_clause": "raises ValueError, whatever the $total",
            "nothing": "not any($listed)",
            "even_rule": "",
        },
        even={
            "all_zero_clause": "is treated as if every $weight were 1",
            "nothing": "not $source",
            "even_rule": "if not any($listed):\n    $source = $even",
        },
    ),
    knob(
        "nobody",
        nothing={
            "nobody_clause": "a $total of 0 gives an empty result and any other $total raises"
            " ValueError",
            "nobody_rule": "if not $source and $total == 0:\n    return $empty",
        },
        refused={"nobody_clause": "every $total raises ValueError", "nobody_rule": ""},
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "unit",
        """A $total is a finite Decimal of at most 20 digits; one that is no whole multiple of $unit
        raises ValueError. A $weight is an integer or a Fraction; a negative one raises ValueError$unchanged.""",
    ),
    Clause(
        "share",
        """The exact share of a $person is the $total times its $weight over the sum of all
        ${weight}s, cut down to a whole multiple of $unit. The units of $unit that are left over
        after that are handed out one to a $person, so that the amounts sum to the $total. Each
        amount is a Decimal with two digits after the point.""",
    ),
    Clause("leftover", "$leftover_clause"),
    Clause("negative", "A negative $total $negative_clause."),
    Clause("all_zero", "A split in which every $weight is 0 $all_zero_clause."),
    Clause("nobody", "Without any $person $nobody_clause."),
)

TOTAL_RULE = """
    if $total % $unit_name:
        raise ValueError(f"{$total} is not a multiple of {$unit_name}")
"""

WEIGHTS_RULE = """
    if any($weight < 0 for $weight in $listed):
        raise ValueError("a $weight must not be negative")
"""

LEDGER_TOTAL = """\
        if $total % $unit_name:
            raise ValueError(f"{$total} is not a multiple of {$unit_name}")
"""

FUNCTION_OPENING = """$function($total, $weights) splits a $total between ${person}s. $weights is
a $kind, in order, and is not changed. The result is $outcome."""

LISTED = Shape(
    name="listed",
    entry_point="$function",
    words={
        "opening": FUNCTION_OPENING,
        "kind": "list of the ${weight}s of the ${person}s",
        "outcome": "a list of amounts in the same order",
        "unchanged": "",
        "mirror": "[-amount for amount in $function(-$total, $weights)]",
        "listed": "$weights",
        "source": "$weights",
        "even": "[1] * len($weights)",
        "empty": "[]",
    },
    module='''
"""$summary"""

from decimal import Decimal
from fractions import Fraction

$unit_name = Decimal("$unit")


def $function($total: Decimal, $weights: list[int | Fraction]) -> list[Decimal]:
    """Split $total in proportion to $weights, in whole units of $unit_name."""
    $negative_rule'''
    + TOTAL_RULE
    + WEIGHTS_RULE.removeprefix("\n")
    + """\
    $nobody_rule
    if $nothing:
        raise ValueError("nothing to split by")
    $even_rule
    units = int($total / $unit_name)
    whole = Fraction(sum($weights))
    exact = [units * $weight / whole for $weight in $weights]
    counts = [int(part) for part in exact]
    left = units - sum(counts)
    queue = $queue
    for at in queue[:left]:
        counts[at] += 1
    return [count * $unit_name for count in counts]
""",
    bugs=(
        change("each_rounded", ("int(part) for", "round(part) for")),
        change("all_to_one", ("for at in queue[:left]:\n        counts[at] += 1",
                              "if left:\n        counts[queue[0]] += left")),
        change(
            "not_mirrored",
            ("    if $total < 0:\n        return $mirror\n", ""),
            when={"negative": "mirrored"},
        ),
    ),
    known_failing=(
        change("by_weight", ("queue = $queue",
               "queue = sorted($places, key=lambda at: $weights[at], reverse=True)")),
        change("other_rule", ("queue = $queue", "queue = $other_queue")),
        change(
            "zeros",
            ("queue = $queue", "queue = $all_places"),
            when={"leftover": "in_line"},
        ),
        change("any_total", (TOTAL_RULE, "\n")),
        change(
            "rest_to_first",
            ("for at in queue[:left]:\n        counts[at] += 1", "counts[queue[0]] += left"),
            against=("each_rounded", "not_mirrored"),
        ),
    ),
)  # fmt: skip

NAMED = Shape(
    name="named",
    entry_point="$function",
    words={
        "opening": FUNCTION_OPENING,
        "kind": "dict of ${weight}s by $person",
        "outcome": "a dict of amounts by $person",
        "unchanged": "",
        "mirror": "{name: -amount for name, amount in $function(-$total, $weights).items()}",
        "listed": "$weights.values()",
        "source": "$weights",
        "even": "dict.fromkeys($weights, 1)",
        "empty": "{}",
    },
    module='''
"""$summary"""

import heapq
from decimal import Decimal
from fractions import Fraction

$unit_name = Decimal("$unit")


def $function($total: Decimal, $weights: dict[str, int | Fraction]) -> dict[str, Decimal]:
    """Give every $person its part of $total; parts are multiples of $unit_name."""
    $negative_rule'''
    + TOTAL_RULE
    + WEIGHTS_RULE.removeprefix("\n")
    + """\
    $nobody_rule
    if $nothing:
        raise ValueError("no $weight to go by")
    $even_rule
    left = units = int($total / $unit_name)
    whole = sum($weights.values())
    amounts, ranks = {}, []
    for place, (name, $weight) in enumerate($weights.items()):
        part = Fraction(units * $weight) / whole
        count = int(part)
        amounts[name] = count * $unit_name
        ranks.append(($rank, name))
        left -= count
    for *_, name in heapq.nsmallest(left, ranks):
        amounts[name] += $unit_name
    return amounts
""",
    bugs=(
        change("each_rounded", ("count = int(part)", "count = round(part)")),
        change("all_to_one", ("import heapq\n", ""),
               ("    for *_, name in heapq.nsmallest(left, ranks):\n        amounts[name] += $unit_name\n",
                "    amounts[min(ranks)[-1]] += left * $unit_name\n")),
        change(
            "not_mirrored",
            ("    if $total < 0:\n        return $mirror\n", ""),
            when={"negative": "mirrored"},
        ),
    ),
    known_failing=(
        change("by_weight", ("append(($rank, name))", "append((-$weight, $tie_rank, name))")),
        change("other_rule", ("append(($rank, name))", "append(($other_rank, name))")),
        change(
            "zeros",
            ("append(($rank, name))", "append(($all_ranks, name))"),
            when={"leftover": "in_line"},
        ),
        change("any_total", (TOTAL_RULE, "\n")),
        change(
            "rest_to_first",
            (
                "heapq.nsmallest(left, ranks):\n        amounts[name] += $unit_name",
                "heapq.nsmallest(1, ranks):\n        amounts[name] += left * $unit_name",
            ),
            against=("each_rounded", "not_mirrored"),
        ),
    ),
)  # fmt: skip

ROSTER = Shape(
    name="roster",
    entry_point="$cls",
    words={
        "opening": """$cls() starts without any $person. $add($person, $weight) puts a $person, a
        text, at the end of the order and returns None; one that is there already keeps its place,
        and its ${weight}s add up. $split($total) splits a $total between all of them and returns
        a list of tuples ($person, amount) in the order; it may be called again.""",
        "unchanged": " and adds nothing",
        "mirror": "[(name, -amount) for name, amount in self.$split(-$total)]",
        "listed": "$weights.values()",
        "source": "$weights",
        "even": "dict.fromkeys($weights, 1)",
        "empty": "[]",
    },
    module='''
"""$summary"""

from decimal import Decimal
from fractions import Fraction

$unit_name = Decimal("$unit")


class $cls:
    """A fixed order of ${person}s, each with a $weight, that amounts are split between."""

    def __init__(self) -> None:
        self._$weights: dict[str, int | Fraction] = {}

    def $add(self, $person: str, $weight: int | Fraction) -> None:
        """Take in a $person with a $weight."""
        if $weight < 0:
            raise ValueError(f"negative $weight of {$person}")
        self._$weights[$person] = self._$weights.get($person, 0) + $weight

    def $split(self, $total: Decimal) -> list[tuple[str, Decimal]]:
        """Amounts in whole units of $unit_name that sum to $total."""
        $negative_rule
'''
    + LEDGER_TOTAL
    + """\
        $weights = self._$weights
        $nobody_rule
        if $nothing:
            raise ValueError("nothing to split by")
        $even_rule
        units, whole = int($total / $unit_name), sum($weights.values())
        exact = {name: Fraction(units * $weight) / whole for name, $weight in $weights.items()}
        counts = {name: int(part) for name, part in exact.items()}
        left = units - sum(counts.values())
        line = $line
        for name in line[:left]:
            counts[name] += 1
        return [(name, count * $unit_name) for name, count in counts.items()]
""",
    bugs=(
        change("each_rounded", ("int(part) for", "round(part) for")),
        change("all_to_one", ("for name in line[:left]:\n            counts[name] += 1",
                              "if left:\n            counts[line[0]] += left")),
        change(
            "not_mirrored",
            ("        if $total < 0:\n            return $mirror\n", ""),
            when={"negative": "mirrored"},
        ),
        change("replaced", ("self._$weights.get($person, 0) + $weight", "$weight")),
    ),
    known_failing=(
        change("by_weight", ("line = $line",
               "line = sorted($names, key=lambda name: $weights[name], reverse=True)")),
        change("other_rule", ("line = $line", "line = $other_line")),
        change(
            "zeros",
            ("line = $line", "line = $all_line"),
            when={"leftover": "in_line"},
        ),
        change("any_total", (LEDGER_TOTAL, "")),
        change(
            "rest_to_first",
            ("for name in line[:left]:\n            counts[name] += 1", "counts[line[0]] += left"),
            against=("each_rounded", "not_mirrored", "replaced"),
        ),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "restaurant bills", summary="Split a restaurant bill between the people at the table.",
        function="split_bill", cls="Table", total="bill", weights="portions", weight="portion",
        person="guest", unit_name="SMALLEST_COIN", add="seat", split="settle",
    ),
    scenario(
        "cost centres", summary="Spread overhead costs over cost centres.",
        function="spread_cost", cls="CostPlan", total="cost", weights="keys", weight="key",
        person="centre", unit_name="STEP", add="include", split="spread",
    ),
    scenario(
        "dividends", summary="Pay a dividend out to the holders of a company.",
        function="pay_out", cls="ShareRegister", total="dividend", weights="stakes",
        weight="stake", person="holder", unit_name="PAYABLE_UNIT", add="register", split="pay_out",
    ),
    scenario(
        "royalties", summary="Royalties of one song, by writing credits.",
        function="share_royalty", cls="SongCredits", total="royalty", weights="credits",
        weight="credit", person="writer", unit_name="PAY_STEP", add="credit_to", split="share",
    ),
    scenario(
        "heating bills", summary="Heating costs of a house, flat by flat.",
        function="divide_heating", cls="House", total="charge", weights="sizes", weight="size",
        person="flat", unit_name="ROUNDING", add="add_flat", split="divide",
    ),
)  # fmt: skip

NAMES = ("Kim", "Ada", "Lou", "Eve", "Bo")
POOLS = ("pool0", "pool1", "pool2", "pool3")
UNITS = {text: Decimal(text) for text in ("0.01", "0.05", "0.10")}
WEIGHTS = (0, 1, 1, 2, 3, 5, 10, Fraction(1, 2), Fraction(4, 3))
PARTS = {below: [Fraction(n, below) for n in range(6)] for below in (2, 3, 4)}


@cache
def new_pool(entry_point: str, name: str) -> Step:
    return call(entry_point, bind=name)


def asked(v: Variant, *requests, clauses: str = "") -> Check:
    """Each request is a number of units (or an amount) and the weights, in the shape's manner."""
    steps, unit, entry, shape = [], UNITS[v["unit"]], v.entry_point, v.shape
    for pool, (units, weights) in zip(POOLS, requests, strict=False):
        total = units if type(units) is Decimal else units * unit
        if shape == "listed":
            steps.append(call(entry, total, weights))
        elif shape == "named":
            steps.append(call(entry, total, dict(zip(NAMES, weights, strict=False))))
        else:
            add = f"{pool}.{v['add']}"
            steps.append(new_pool(entry, pool))
            for name, weight in zip(NAMES, weights, strict=False):
                steps.append(call(add, name, weight))
            steps.append(call(f"{pool}.{v['split']}", total))
    return Check(steps, clauses=v.clauses("call", "share", clauses))


def joined_twice(v: Variant, s: Stream, units: int, more: int) -> Check:
    """A person of a roster comes a second time and is asked for again; elsewhere a plain split."""
    if v.shape != "roster":
        return asked(v, (units, [1, more, 2]), clauses="leftover")
    add, split = f"pool.{v['add']}", call(f"pool.{v['split']}", units * Decimal(v["unit"]))
    one, two, three = s.sample(NAMES, 3)
    adds = (call(add, one, 1), call(add, two, 2), split, call(add, one, more), call(add, three, 2))
    steps = (call(v.entry_point, bind="pool"), *adds, split, call(add, two, -1), split)
    return Check(steps, clauses=v.clauses("call", "share", "unit", "leftover"))


def visible(v: Variant, s: Stream):
    """Splits without leftovers, and equal weights with a single unit left."""
    weights = s.sample((1, 2, 3, 4), 3)
    heads, each = s.between(3, 5), s.between(2, 9)
    yield asked(v, (sum(weights) * each, weights), clauses="unit")
    yield asked(v, (heads * each + 1, [2] * heads), clauses="leftover")
    yield asked(v, (-2 * each, [s.between(2, 4)] * 2), clauses="negative")
    if s.chance(1, 2):
        yield asked(v, (2 * each, [1, -1, 1]), clauses="unit")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Equal weights with the leftover that the bug hands out in its own way."""
    weight = s.between(1, 3)
    if bug == "each_rounded":
        return asked(v, (4 * s.between(2, 20) + 3, [weight] * 2), clauses="leftover")
    if bug == "not_mirrored":
        return asked(v, (-3 * s.between(1, 20) - 1, [weight] * 3), clauses="negative leftover")
    if bug == "replaced":
        add, units = f"pool.{v['add']}", 4 * s.between(1, 9)
        one, two = s.sample(NAMES, 2)
        steps = (call(v.entry_point, bind="pool"), call(add, one, 1), call(add, two, 2))
        ask = call(f"pool.{v['split']}", units * Decimal(v["unit"]))
        return Check((*steps, call(add, one, 1), ask), clauses=v.clauses("call", "share"))
    return asked(v, (5 * s.between(1, 9) + s.between(2, 4), [weight] * 5), clauses="leftover")


def leftovers(v: Variant, s: Stream) -> Check:
    """Several units left: equal weights beside others, zero weights at either end."""
    ties = s.shuffle((1, 1, 1, s.between(2, 4)))
    ends = [0, *s.sample((1, 2, 3, 5), 2), s.choice((0, 7)), 0]
    mixed = [s.between(0, 6) for _ in range(4)] + [1]
    requests = ((s.between(1, 40), weights) for weights in (ties, ends, mixed))
    return asked(v, *requests, clauses="leftover")


def below_zero(v: Variant, s: Stream) -> Check:
    """Negative totals around a share's limit, zero, and their positive twins."""
    weights = [s.between(0, 4) for _ in range(s.between(1, 4))] + [s.between(1, 3)]
    units = s.between(1, 23)
    more = -s.between(1, 40)
    return asked(v, (-units, weights), (0, weights), (more, [1, 2, 3, 1]), clauses="negative")


def nobody(v: Variant, s: Stream) -> Check:
    """No people, and people without weight, for a total of zero and others."""
    zeros, units = [0] * s.between(1, 5), s.between(1, 30)
    empty = ((0, []), (units, []))
    return asked(v, *s.shuffle((*empty, (0, zeros), (units, zeros))), clauses="all_zero nobody")


def bad_input(v: Variant, s: Stream) -> Check:
    """Totals between units, negative weights, fractions as weights."""
    half = UNITS[v["unit"]] * s.choice((1, 2, 3)) / 4
    parts = []
    for _ in range(3):
        above = s.between(1, 5)
        parts.append(PARTS[s.between(2, 4)][above])
    negative = s.shuffle((s.between(1, 3), 2, -s.between(1, 2)))
    whole = s.between(1, 9) * UNITS[v["unit"]]
    requests = (whole + half, [1, 2]), (s.between(1, 20), negative), (s.between(5, 40), parts)
    return asked(v, *requests, clauses="unit leftover")


def again(v: Variant, s: Stream) -> Check:
    return joined_twice(v, s, s.between(1, 30), s.between(1, 5))


def wide(v: Variant, s: Stream) -> Check:
    """Two random splits."""
    below, requests = s.below, []
    for _ in range(2):
        units = below(70) - 9
        requests.append((units, [WEIGHTS[below(9)] for _ in range(1 + below(5))]))
    return asked(v, *requests, clauses="leftover negative")


def oracle(v: Variant):
    """Counts in whole numbers: weights of one denominator, and what each cut leaves of a unit."""
    unit, later, negative = Decimal(v["unit"]), v["ties"] == "later", v["negative"]
    by_cut, pass_over = v["leftover"] == "largest_cut", v["zero_weight"] == "passed_over"

    def whole_weights(weights):
        if any([weight.numerator < 0 for weight in weights]):
            raise ValueError
        scale = lcm(*[weight.denominator for weight in weights])
        return [weight.numerator * (scale // weight.denominator) for weight in weights]

    def counts_of(units, weights):
        """Units of each; those left over go out one by one, to whom is next among the others."""
        everything = sum(weights)
        counts, cuts = [], []
        for weight in weights:
            count, cut = divmod(units * weight, everything)
            counts.append(count)
            cuts.append(cut)
        waiting = [at for at, weight in enumerate(weights) if weight or not pass_over]
        if later:
            waiting.reverse()
        for _ in range(units - sum(counts)):
            best = max([cuts[at] for at in waiting]) if by_cut else None
            at = next(at for at in waiting if best is None or cuts[at] == best)
            waiting.remove(at)
            counts[at] += 1
        return counts

    def model(total, weights):
        weights = whole_weights(weights)
        if total < 0 and negative == "refused":
            raise ValueError
        units = int(total / unit)
        if units * unit != total:
            raise ValueError
        if not weights:
            if total or v["nobody"] == "refused":
                raise ValueError
            return []
        if not any(weights):
            if v["all_zero"] == "refused":
                raise ValueError
            weights = [1 for _ in weights]
        sign = -1 if units < 0 else 1
        return [sign * count * unit for count in counts_of(abs(units), weights)]

    class Roster:
        def __init__(self):
            self.joined = []

        def add(self, name, weight):
            if weight < 0:
                raise ValueError
            self.joined.append((name, weight))

        def split(self, total):
            names, weights = [], []
            for name, weight in self.joined:
                if name in names:
                    weights[names.index(name)] += weight
                else:
                    names.append(name)
                    weights.append(weight)
            return list(zip(names, model(total, weights), strict=True))

    setattr(Roster, v["add"], Roster.add)
    setattr(Roster, v["split"], Roster.split)

    def named(total, weights):
        return dict(zip(weights, model(total, weights.values()), strict=True))

    return {v["function"]: named if v.shape == "named" else model, v["cls"]: Roster}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(LISTED, NAMED, ROSTER),
    scenarios=SCENARIOS,
    choices={"unit": ("0.01", "0.05", "0.10")},
    allows=lambda k: k["leftover"] == "in_line" or k["zero_weight"] == "passed_over",
    visible=visible,
    symptom=symptom,
    edges=(leftovers, below_zero, nobody, bad_input, again),
    wide=wide,
    oracle=oracle,
)
