"""Every unit belongs to one tier, the unit at a limit too, and tiers price as the contract says."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cache
from itertools import pairwise

from sandbox.checks import Check, call
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "edge",
        lower={
            "edge_clause": "at least its number, so that the one at a limit is the last of its tier",
            "numbers": "list(limits)",
            "other_numbers": "[limit - 1 for limit in limits]",
        },
        upper={
            "edge_clause": "greater than its number, so that the one at a limit belongs to the next"
            " tier",
            "numbers": "[limit - 1 for limit in limits]",
            "other_numbers": "list(limits)",
        },
    ),
    knob(
        "pricing",
        marginal={
            "pricing_clause": "Each $unit is charged at the rate of its own tier",
            "sum_rule": "$sum_marginal",
            "other_sum": "$sum_whole",
            "summed": "count",
            "other_summed": "$units",
            "lines_rule": "$lines_marginal",
            "bisect_import": "",
            "other_lines": "$lines_whole",
            "price_rule": "$price_marginal",
            "other_price": "$price_whole",
        },
        whole={
            "pricing_clause": "All ${unit}s are charged at the rate of the tier that the last of"
            " them belongs to",
            "sum_rule": "$sum_whole",
            "other_sum": "$sum_marginal",
            "summed": "$units",
            "other_summed": "count",
            "lines_rule": "$lines_whole",
            "bisect_import": "from bisect import bisect_left",
            "other_lines": "$lines_marginal",
            "price_rule": "$price_whole",
            "other_price": "$price_marginal",
        },
    ),
    knob(
        "top",
        open={
            "top_clause": "A $unit for which there is no such tier belongs to the last one",
            "top_rule": "lasts[-1] = max(lasts[-1], $units)",
            "other_top": "$top_check",
            "place_rule": "return min(bisect_left(self._lasts, number), len(self._lasts) - 1)",
            "other_place": "place = bisect_left(self._lasts, number)\n"
            "if place == len(self._lasts):\n"
            '    raise ValueError("beyond the last tier")\n'
            "return place",
        },
        capped={
            "top_clause": "A call that concerns a $unit for which there is no such tier raises"
            " ValueError",
            "top_rule": "$top_check",
            "other_top": "lasts[-1] = max(lasts[-1], $units)",
            "place_rule": "place = bisect_left(self._lasts, number)\n"
            "if place == len(self._lasts):\n"
            '    raise ValueError("beyond the last tier")\n'
            "return place",
            "other_place": "return min(bisect_left(self._lasts, number), len(self._lasts) - 1)",
        },
    ),
    knob(
        "zero",
        free={
            "zero_clause": "cost 0.00, whatever the $minimum",
            "nothing": 'Decimal("0.00")',
            "other_nothing": "$least",
        },
        fee={
            "zero_clause": "cost the $minimum",
            "nothing": "$least",
            "other_nothing": 'Decimal("0.00")',
        },
    ),
    knob(
        "floor",
        total={
            "floor_clause": "Where the sum of the charges is less than the $minimum, the price is"
            " the $minimum instead; the charges themselves stay as they are",
            "charge": "_cents($counted * rate)",
            "total": "max($due, $least)",
            "settled": "due = $sum_of_spans\nreturn max(due, $least)",
            "other_settled": "return $sum_of_spans",
            "settled_whole": "return max($one_charge, $least)",
            "other_charge": "max(_cents($counted * rate), $least)",
            "other_total": "$due",
        },
        each={
            "floor_clause": "Where the charge of a tier is less than the $minimum, the charge is"
            " the $minimum instead. The price is the sum of the charges",
            "charge": "max(_cents($counted * rate), $least)",
            "total": "$due",
            "settled": "return $sum_of_spans",
            "other_settled": "due = $sum_of_spans\nreturn max(due, $least)",
            "settled_whole": "return $one_charge",
            "other_charge": "_cents($counted * rate)",
            "other_total": "max($due, $least)",
        },
    ),
    knob(
        "rounding",
        half_up={
            "rounding_clause": "away from zero",
            "mode": "ROUND_HALF_UP",
            "other_mode": "ROUND_HALF_EVEN",
        },
        half_even={
            "rounding_clause": "to an even last digit",
            "mode": "ROUND_HALF_EVEN",
            "other_mode": "ROUND_HALF_UP",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "input",
        """tiers is a list of tuples (limit, rate) of a positive integer and a Decimal above 0. An empty list
        and limits that do not rise from tier to tier raise ValueError$tiers_time. $units is an
        integer; a negative one raises ValueError. $minimum is a Decimal with two digits after the
        point, 0.00 or more.""",
    ),
    Clause(
        "edge",
        """The ${unit}s are numbered from 1. A $unit belongs to the first tier whose limit is
        $edge_clause. $top_clause.""",
    ),
    Clause("pricing", "$pricing_clause."),
    Clause(
        "rounding",
        """A tier whose rate applies to no $unit has no charge. The charge of any other is the
        number of ${unit}s that its rate applies to times the rate, rounded once to two digits after
        the point, a half $rounding_clause.""",
    ),
    Clause("floor", "$floor_clause."),
    Clause("zero", "0 ${unit}s $zero_clause$zero_lines."),
)

CENTS = """
def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), rounding=$mode)
"""

TIERS_RULE = """\
    limits = [limit for limit, _ in tiers]
    if not limits or limits != sorted(set(limits)):
        raise ValueError("the limits of the tiers must rise")
"""

COMMON = {
    "top_check": 'if $units > lasts[-1]:\n    raise ValueError("more than the tiers allow")',
    "tiers_time": ", also for 0 ${unit}s",
    "sum_marginal": """
        due, below = Decimal(0), 0
        for last, (_, rate) in zip(lasts, tiers, strict=True):
            count = min($units, last) - below
            if count > 0:
                due += $charge
            below = last
    """,
    "sum_whole": """
        rate = next(rate for last, (_, rate) in zip(lasts, tiers, strict=True) if $units <= last)
        due = $charge
    """,
    "lines_marginal": """
        starts = [0, *lasts[:-1]]
        counts = [min($units, last) - start for start, last in zip(starts, lasts, strict=True)]
        billed = [(n, rate) for n, (_, rate) in zip(counts, tiers, strict=True) if n > 0]
    """,
    "lines_whole": """
        billed = [($units, tiers[bisect_left(lasts, $units)][1])]
    """,
    "due": "sum(charges)",
    "least": "$minimum",
}

# Repairs that go astray in the same manner in every shape.
ROUNDING = change("rounding", slots={"mode": "$other_mode"})
ZERO = change("zero", slots={"nothing": "$other_nothing"})
EDGE = change("edge", slots={"numbers": "$other_numbers"})
FLOOR = change(
    "floor",
    slots={
        "charge": "$other_charge",
        "total": "$other_total",
        "settled": "$other_settled",
    },
    when={"pricing": "marginal"},
)
TOP = change("top", slots={"top_rule": "$other_top"})
UNORDERED = change(
    "unordered", ("if not limits or limits != sorted(set(limits)):", "if not limits:")
)

PRICE = Shape(
    name="price",
    entry_point="$function",
    words={
        **COMMON,
        "counted": "$summed",
        "due": "due",
        "opening": "$function($units, tiers, $minimum) returns the price of that many"
        " ${unit}s, a Decimal.",
        "zero_lines": "",
    },
    module='''
"""$summary"""

from decimal import $mode, Decimal


def $function($units: int, tiers: list[tuple[int, Decimal]], $minimum: Decimal) -> Decimal:
    """What that many ${unit}s cost."""
    if $units < 0:
        raise ValueError("$units must not be negative")
'''
    + TIERS_RULE
    + """\
    # The number of the last $unit in each tier.
    lasts = $numbers
    $top_rule
    if $units == 0:
        return $nothing
    $sum_rule
    return $total


"""
    + CENTS.lstrip("\n"),
    bugs=(
        EDGE,
        change("twice", ("below = last\n", "below = last - 1\n"), when={"pricing": "marginal"}),
        change("other_pricing", slots={"sum_rule": "$other_sum", "summed": "$other_summed"}),
        change("rate_rounded", ("_cents($counted * rate)", "$counted * _cents(rate)")),
    ),
    known_failing=(
        ROUNDING, ZERO, TOP, UNORDERED, FLOOR,
        change("edge_left", slots={"numbers": "$other_numbers"}, when={"pricing": "whole"},
               against=("other_pricing", "rate_rounded")),
        change("each_rate", ("_cents($counted * rate)", "$counted * _cents(rate)"),
               against=("edge", "twice", "other_pricing")),
    ),
)  # fmt: skip

LINES = Shape(
    name="lines",
    entry_point="$lines_function",
    words={
        **COMMON,
        "counted": "count",
        "opening": "$lines_function($units, tiers, $minimum) returns a tuple of the price of that"
        " many ${unit}s, a Decimal, and a list with a tuple (number of ${unit}s, rate, charge) for each"
        " tier that has a charge, in the order of the tiers.",
        "zero_lines": "; there is no charge then, and the list is empty",
    },
    module='''
"""$summary"""

$bisect_import
from decimal import $mode, Decimal


def $lines_function(
    $units: int, tiers: list[tuple[int, Decimal]], $minimum: Decimal
) -> tuple[Decimal, list[tuple[int, Decimal, Decimal]]]:
    """The price of that many ${unit}s, and the lines that it is made of."""
    if $units < 0:
        raise ValueError("$units below zero")
'''
    + TIERS_RULE
    + """\
    lasts = $numbers
    $top_rule
    if $units == 0:
        return $nothing, []
    $lines_rule
    charges = [$charge for count, rate in billed]
    lines = [(*line, charge) for line, charge in zip(billed, charges, strict=True)]
    return $total, lines


"""
    + CENTS.lstrip("\n"),
    bugs=(
        EDGE,
        change("twice", ("[0, *lasts[:-1]]", "[0, *(last - 1 for last in lasts[:-1])]"),
               when={"pricing": "marginal"}),
        change("whole", when={"pricing": "marginal"}, slots={"lines_rule": "$other_lines",
               "bisect_import": "from bisect import bisect_left"}),
        change("marginal", when={"pricing": "whole"}, slots={"lines_rule": "$other_lines",
               "bisect_import": ""}),
        change("rate_rounded", ("_cents($counted * rate)", "$counted * _cents(rate)")),
    ),
    known_failing=(
        ROUNDING, ZERO, TOP, UNORDERED, FLOOR,
        change("edge_left", slots={"numbers": "$other_numbers"}, when={"pricing": "whole"},
               against=("marginal", "rate_rounded")),
        change("each_rate", ("_cents($counted * rate)", "$counted * _cents(rate)"),
               against=("edge", "twice", "whole", "marginal")),
    ),
)  # fmt: skip

TARIFF = Shape(
    name="tariff",
    entry_point="$cls",
    words={
        "opening": "$cls(tiers, $minimum) never changes. $price($units) returns the price of that"
        " many ${unit}s, a Decimal. $rate_of(number) returns the rate of the tier that the $unit of that"
        " number belongs to; a number below 1 raises ValueError.",
        "tiers_time": " when $cls is called",
        "zero_lines": "",
        "counted": "count",
        "least": "self._$minimum",
        "price_marginal": """
            full = self._lasts[:place]
            spans = zip([0, *full], [*full, $units], self._rates, strict=False)
            $settled
        """,
        "sum_of_spans": "sum(self._charge(end - start, rate) for start, end, rate in spans if end > start)",
        "price_whole": "$settled_whole",
        "one_charge": "self._charge($units, self._rates[place])",
    },
    module='''
"""$summary"""

from bisect import bisect_left
from decimal import $mode, Decimal


class $cls:
    """Prices for a number of ${unit}s, by tiers."""

    def __init__(self, tiers: list[tuple[int, Decimal]], $minimum: Decimal) -> None:
        limits = [limit for limit, _ in tiers]
        if not limits or limits != sorted(set(limits)):
            raise ValueError("limits must rise")
        self._lasts = $numbers
        self._rates = [rate for _, rate in tiers]
        self._$minimum = $minimum

    def $price(self, $units: int) -> Decimal:
        """The price of that many ${unit}s."""
        if $units < 0:
            raise ValueError("$units must not be negative")
        if $units == 0:
            return $nothing
        place = self._place($units)
        $price_rule

    def $rate_of(self, number: int) -> Decimal:
        """The rate of one $unit."""
        if number < 1:
            raise ValueError("${unit}s are numbered from 1")
        return self._rates[self._place(number)]

    def _place(self, number: int) -> int:
        $place_rule

    def _charge(self, count: int, rate: Decimal) -> Decimal:
        return $charge


'''
    + CENTS.lstrip("\n"),
    bugs=(
        EDGE,
        change("twice", ("zip([0, *full], [", "zip([0, *(n - 1 for n in full)], ["),
               when={"pricing": "marginal"}),
        change("other_pricing", slots={"price_rule": "$other_price"}),
        change("rate_rounded", ("_cents($counted * rate)", "$counted * _cents(rate)")),
    ),
    known_failing=(
        ROUNDING, ZERO, UNORDERED, FLOOR,
        change("top", slots={"place_rule": "$other_place"}),
        change("edge_left", slots={"numbers": "$other_numbers"}, when={"pricing": "whole"},
               against=("other_pricing", "rate_rounded")),
        change("each_rate", ("_cents($counted * rate)", "$counted * _cents(rate)"),
               against=("edge", "twice", "other_pricing")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "water tariff", summary="Water prices that rise with what a household uses.",
        function="water_price", lines_function="water_bill", cls="WaterTariff", price="price",
        rate_of="rate_of", unit="cubic metre", units="used", minimum="base_price",
    ),
    scenario(
        "cloud usage", summary="Metered requests, cheaper in bulk.",
        function="usage_fee", lines_function="usage_invoice", cls="RequestPlan", price="fee",
        rate_of="rate_for", unit="request", units="requests", minimum="least_fee",
    ),
    scenario(
        "sales commission", summary="Commission on contracts sold, by steps.",
        function="commission", lines_function="commission_note", cls="CommissionPlan",
        price="commission", rate_of="step_rate", unit="contract", units="sold", minimum="guarantee",
    ),
    scenario(
        "parcel weight", summary="Postage by weight, in steps of kilograms.",
        function="postage", lines_function="postage_slip", cls="PostalRates", price="postage",
        rate_of="rate_at", unit="kilogram", units="weight", minimum="least_postage",
    ),
    scenario(
        "print shop", summary="Copies, priced by the size of the order.",
        function="copy_price", lines_function="copy_receipt", cls="CopyPrices", price="price_for",
        rate_of="page_rate", unit="copy page", units="pages", minimum="handling",
    ),
)  # fmt: skip

FREE, RATES = Decimal("0.00"), range(11, 99)
PLANS = tuple(f"plan{turn}" for turn in range(6))


def asked(v: Variant, *requests, clauses: str = "") -> Check:
    """Each request is a number of units, tiers and perhaps a minimum, in the shape's manner."""
    steps, entry, is_tariff = [], v.entry_point, v.shape == "tariff"
    for plan, (units, tiers, *minimum) in zip(PLANS, requests, strict=False):
        least = minimum[0] if minimum else FREE
        if not is_tariff:
            steps.append(call(entry, units, tiers, least))
        elif not tiers or any([a >= b for (a, _), (b, _) in pairwise(tiers)]):
            steps.append(call(entry, tiers, least))
        else:
            steps.append(call(entry, tiers, least, bind=plan))
            steps.append(call(f"{plan}.{v['price']}", units))
            if len(requests) > 2:
                steps.append(call(f"{plan}.{v['rate_of']}", units))
    names = v.clauses("call", "input", "pricing", "rounding", clauses)
    return Check(steps, clauses=names)


@cache
def part(number: int, digits: int) -> Decimal:
    """So many hundredths, or thousandths."""
    return Decimal(number).scaleb(-digits)


def money(cents: int) -> Decimal:
    return part(cents, 2)


def three_tiers(s: Stream, first: int, digits: int = 2):
    """Three tiers with different rates; the first reaches up to `first`."""
    second = first + 3 + s.below(5)
    third = second + 3 + s.below(5)
    one, two, three = s.sample(RATES, 3)
    return [(first, part(one, digits)), (second, part(two, digits)), (third, part(three, digits))]


def visible(v: Variant, s: Stream):
    """Numbers of units away from every limit, and rates of two digits."""
    tiers = three_tiers(s, s.between(6, 9))
    (first, _), (second, _), (third, _) = tiers
    yield asked(v, (second + 2 if third > second + 3 else second + 1, tiers), clauses="edge")
    yield asked(v, (s.between(2, first - 2), tiers, money(s.between(1, 20))), clauses="floor")
    yield asked(v, (s.between(1, 9), []), clauses="input")
    if s.chance(1, 2):
        yield asked(v, (-s.between(1, 3), tiers), clauses="input")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A number at a limit, one within the second tier, or a rate of three digits."""
    if bug == "edge":
        tiers = three_tiers(s, s.between(4, 9))
        return asked(v, (tiers[s.below(2)][0], tiers), clauses="edge")
    if bug == "rate_rounded":
        tiers = [(s.between(14, 18), part(s.choice((112, 124, 136, 244)), 3))]
        return asked(v, (s.between(5, 11), tiers), clauses="rounding")
    tiers = three_tiers(s, s.between(4, 9))
    return asked(v, (tiers[0][0] + 2, tiers), clauses="pricing")


def at_limits(v: Variant, s: Stream) -> Check:
    """Just below, at and just above one limit; the first tier may be the number 1 alone."""
    tiers = three_tiers(s, s.choice((1, 1, 2, 5)))
    limit = tiers[s.below(2)][0]
    asks = ((limit + n, tiers, money(s.choice((0, 0, 40)))) for n in s.shuffle((-1, 0, 1)))
    return asked(v, *asks, clauses="edge floor zero")


def at_the_top(v: Variant, s: Stream) -> Check:
    """Around the limit of the last tier, and far above it."""
    tiers = three_tiers(s, s.between(1, 5))[: s.between(1, 3)]
    top = tiers[-1][0]
    asks = s.shuffle((top - 1, top, top + 1, top + s.between(2, 20)))
    return asked(v, *((units, tiers, money(50)) for units in asks), clauses="edge floor zero")


def small_charges(v: Variant, s: Stream) -> Check:
    """Minimums between the charges of single tiers and their sum; nothing at all."""
    tiers = three_tiers(s, s.between(2, 5))
    units = tiers[1][0] + s.between(1, 2)
    least = money(s.choice((60, 120, 250, 400)))
    asks = ((units, tiers, least), (tiers[0][0] + 1, tiers, least), (0, tiers, least))
    return asked(v, *asks, (0, tiers), clauses="floor zero")


def bad_input(v: Variant, s: Stream) -> Check:
    """Tiers out of order or at the same limit, none, and negative numbers."""
    tiers = three_tiers(s, s.between(2, 6))
    swapped = [tiers[1], tiers[0], tiers[2]]
    equal = [tiers[0], (tiers[0][0], Decimal("0.05")), tiers[2]]
    units = s.between(1, 9)
    asks = s.shuffle((swapped, equal, [])[: s.between(2, 3)])
    rest = ((units, tiers), (-s.between(1, 4), tiers, money(50)))
    return asked(v, *((s.choice((0, units)), bad) for bad in asks), *rest, clauses="input zero")


def halves(v: Variant, s: Stream) -> Check:
    """Charges that end on half a cent, or just beside it."""
    rates = [part(s.choice((5, 15, 25, 125, 345, 1005)), 3) for _ in range(3)]
    limits = (s.choice((3, 5, 7)), s.choice((10, 12, 14)), 20)
    tiers = list(zip(limits, rates, strict=True))
    asks = ((s.choice(units), tiers) for units in ((1, 3), (5, 7, 9), (11, 13, 15, 17)))
    return asked(v, *asks, clauses="rounding")


def wide(v: Variant, s: Stream) -> Check:
    """Two random numbers of units and tiers."""
    asks, below = [], s.below
    for _ in range(2):
        tiers = three_tiers(s, 1 + below(6), 2 + below(2))[: (1, 2, 3, 3)[below(4)]]
        units = below(tiers[-1][0] + 3)
        asks.append((units, tiers, money((0, 0, 30, 150)[below(4)])))
    return asked(v, *asks, clauses="edge floor")


def oracle(v: Variant):
    """Goes through the units one by one and asks each for its tier."""
    mode = ROUND_HALF_UP if v["rounding"] == "half_up" else ROUND_HALF_EVEN

    def check(tiers):
        limits = [limit for limit, _ in tiers]
        if not limits or any(later <= limit for limit, later in pairwise(limits)):
            raise ValueError

    def tier_of(number, tiers):
        for place, (limit, _) in enumerate(tiers):
            if limit > number or (limit == number and v["edge"] == "lower"):
                return place
        if v["top"] == "capped":
            raise ValueError
        return len(tiers) - 1

    def model(units, tiers, minimum):
        if units < 0:
            raise ValueError
        check(tiers)
        if units == 0:
            return (minimum if v["zero"] == "fee" else FREE), []
        places = [tier_of(number, tiers) for number in range(1, units + 1)]
        if v["pricing"] == "whole":
            places = [places[-1]] * units
        lines = []
        for place in sorted(set(places)):
            rate = tiers[place][1]
            exact = sum((rate for taken in places if taken == place), Decimal(0))
            charge = exact.quantize(Decimal("1.00"), rounding=mode)
            if v["floor"] == "each" and charge < minimum:
                charge = minimum
            lines.append((places.count(place), rate, charge))
        price = sum(charge for _, _, charge in lines)
        return (minimum if price < minimum else price), lines

    class Tariff:
        def __init__(self, tiers, minimum):
            check(tiers)
            self.tiers, self.minimum = tiers, minimum

        def price(self, units):
            return model(units, self.tiers, self.minimum)[0]

        def rate_of(self, number):
            if number < 1:
                raise ValueError
            return self.tiers[tier_of(number, self.tiers)][1]

    setattr(Tariff, v["price"], Tariff.price)
    setattr(Tariff, v["rate_of"], Tariff.rate_of)
    return {
        v["function"]: lambda *given: model(*given)[0],
        v["lines_function"]: model,
        v["cls"]: Tariff,
    }


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(PRICE, LINES, TARIFF),
    scenarios=SCENARIOS,
    allows=lambda k: k["pricing"] == "marginal" or k["floor"] == "total",
    visible=visible,
    symptom=symptom,
    edges=(at_limits, at_the_top, small_charges, bad_input, halves),
    wide=wide,
    oracle=oracle,
)
