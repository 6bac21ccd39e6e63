"""A day that a month lacks is replaced as stated, and later dates are counted as stated too."""

from datetime import date, timedelta
from functools import lru_cache
from itertools import islice

from sandbox.checks import Check, call, take
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "missing",
        clamp={
            "missing_clause": "the last day of that month takes its place: 30 February is 28"
            " February, or 29 February in a leap year",
            "outcome": "return date(year, month, min(origin.day, length))",
            "least": "due = min(due, _first(target + 1) - 1)",
            "day": "date(year, month, origin.day - lacking)",
        },
        roll={
            "missing_clause": "the days are counted on into the month after it: 30 February is 2"
            " March, or 1 March in a leap year",
            "outcome": "due = date(year, month, min(origin.day, length))\n"
            "return date.fromordinal(due.toordinal() + max(origin.day - length, 0))",
            "least": "",
            "day": "date.fromordinal(date(year, month, origin.day - lacking).toordinal() + lacking)",
        },
    ),
    knob(
        "counted",
        from_start={
            "counted_clause": "Every step is counted from $start: the second leads to the month"
            " that lies two times $step months after that of $start, and starts from the day of"
            " $start, whatever date the first one led to.",
            "advance": "months += $pace",
            "other_advance": "$from_due",
        },
        from_last={
            "counted_clause": "Every step starts from the date that the step before it led to, and"
            " from the day which that date has.",
            "advance": "$from_due",
            "other_advance": "months += $pace",
        },
    ),
    knob(
        "last_day",
        number={
            "last_day_clause": "keeps its number like one from any other day: from 30 April one"
            " month leads to 30 May",
            "last_rule": "",
            "other_rule": "$is_last\n    return $month_end",
            "last_line": "",
            "other_line": "if origin.toordinal() == _first(index + 1) - 1:\n"
            "    due = _first(target + 1) - 1",
        },
        month_end={
            "last_day_clause": "leads to the last day of the month instead: from 30 April one month leads"
            " to 31 May",
            "last_rule": "$is_last\n    return $month_end",
            "other_rule": "",
            "last_line": "if origin.toordinal() == _first(index + 1) - 1:\n"
            "    due = _first(target + 1) - 1",
            "other_line": "",
        },
    ),
    knob(
        "negative",
        backwards={
            "negative_clause": "leads back in time by the same rules; earlier dates are the ones"
            " beyond $until then",
            "step_fault": "$step == 0",
            "other_fault": "$step <= 0",
            "over_line": "is_over = due $above $until if $pace > 0 else due $below $until",
            "over": "is_over",
            "within": "(due $above $until if $pace > 0 else due $below $until)",
        },
        refused={
            "negative_clause": "raises ValueError too",
            "step_fault": "$step <= 0",
            "other_fault": "$step == 0",
            "over_line": "",
            "over": "due $above $until",
            "within": "due $above $until",
        },
    ),
    knob(
        "first",
        start={
            "first_clause": "$start itself",
            "first_months": "0",
            "from_due": "origin, months = due, $pace",
        },
        one_step={
            "first_clause": "one step after $start",
            "first_months": "$pace",
            "from_due": "origin = due",
        },
    ),
    knob(
        "end",
        included={
            "end_clause": "one that equals $until is the last of them",
            "above": ">",
            "not_above": ">=",
            "below": "<",
            "not_below": "<=",
        },
        left_out={
            "end_clause": "one that equals $until is left out",
            "above": ">=",
            "not_above": ">",
            "below": "<=",
            "not_below": "<",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "step",
        """$start and $until are dates of the years 1900 to 2199; callers never ask for dates beyond
        the years 1 to 9999. $step is a number of months, an integer; 0 raises ValueError, and a negative one $negative_clause.$when_raised""",
    ),
    Clause("first", "The first $thing is $first_clause; the others follow step by step."),
    Clause("counted", "$counted_clause"),
    Clause(
        "missing",
        """A step keeps the number of the day that it starts from. Where the month that it leads
        to has no such day, $missing_clause.""",
    ),
    Clause("last_day", "A step from the last day of a month $last_day_clause."),
    Clause(
        "end", "No $thing beyond $until is given; $end_clause. There may be none at all.$endless"
    ),
)

# What the shapes word alike: a step in the months of one year, and a step by ordinal days.
MONTH_END = {
    "is_last": "if origin.day == calendar.monthrange(origin.year, origin.month)[1]:",
    "month_end": "date(year, month, length)",
    "when_raised": "",
    "endless": "",
}

# It stops before $start too: a row that ran down to the year 1 would take as long as all the rest.
ONE_WAY = change(
    "one_way",
    ("if $pace > 0 else due $below $until", "or due < $origin"),
    when={"negative": "backwards"},
)
FAULT = change("fault", ("if $step_fault:", "if $other_fault:"))
END = change("end", slots={"above": "$not_above", "below": "$not_below"})

LISTED = Shape(
    name="listed",
    entry_point="$function",
    words={
        **MONTH_END,
        "opening": "$function($start, $until, $step) returns the list of ${thing}s in the order in"
        " which they are reached. Without a value for $step, $step is 1.",
        "pace": "$step",
        "origin": "$start",
    },
    module='''
"""$summary"""

import calendar
from datetime import date


def $function($start: date, $until: date, $step: int = 1) -> list[date]:
    """The ${thing}s from $start to $until, $step months apart."""
    if $step_fault:
        raise ValueError(f"$step must not be {$step}")
    dates: list[date] = []
    origin, months = $start, $first_months
    while True:
        due = _shift(origin, months)
        $over_line
        if $over:
            return dates
        dates.append(due)
        $advance


def _shift(origin: date, months: int) -> date:
    """The date that lies so many months from origin."""
    years, month = divmod(origin.month - 1 + months, 12)
    year, month = origin.year + years, month + 1
    length = calendar.monthrange(year, month)[1]
    $last_rule
    $outcome
''',
    bugs=(
        change("other_count", ("$advance", "$other_advance")),
        change(
            "carry",
            ("divmod(origin.month - 1 + months, 12)", "divmod(origin.month + months, 12)"),
            ("year, month = origin.year + years, month + 1",
             "year, month = origin.year + years, month or 12"),
            when={"negative": "refused"},
        ),
        change("leap", ("monthrange(year, month)", "monthrange(origin.year, month)"),
               when={"negative": "backwards"}),
        change("day_28", ("min(origin.day, length)", "origin.day if origin.day <= length else 28"),
               when={"missing": "clamp"}),
        change("first_of_next", ("max(origin.day - length, 0)", "(origin.day > length)"),
               when={"missing": "roll"}),
    ),
    known_failing=(
        ONE_WAY, FAULT, END,
        change("last_day", ("    $outcome", "    $other_rule\n    $outcome"),
               when={"counted": "from_start", "last_day": "number"}),
        change("last_number", ("    $last_rule\n", ""),
               when={"counted": "from_start", "last_day": "month_end"}),
        change(
            "december",
            ("divmod(origin.month - 1 + months, 12)", "divmod(origin.month + months, 12)"),
            ("year, month = origin.year + years, month + 1",
             "year, month = origin.year + years, month or 12"),
            when={"negative": "refused"}, against=("other_count", "day_28", "first_of_next"),
        ),
        change("always_28",
               ("min(origin.day, length)", "origin.day if origin.day <= length else 28"),
               when={"missing": "clamp"}, against=("other_count", "carry", "leap")),
        change("next_first", ("max(origin.day - length, 0)", "(origin.day > length)"),
               when={"missing": "roll"}, against=("other_count", "carry", "leap")),
    ),
)  # fmt: skip

LAZY = Shape(
    name="lazy",
    entry_point="$function",
    words={
        "opening": "$function($start, $step, $until) is a generator that gives the ${thing}s in"
        " the order in which they are reached.",
        "when_raised": " The error comes when the first $thing is asked for.",
        "endless": " With None for $until, or without it, they never end.",
        "pace": "$step",
    },
    module='''
"""$summary"""

from collections.abc import Iterator
from datetime import date


def $function($start: date, $step: int, $until: date | None = None) -> Iterator[date]:
    """Yield the ${thing}s that begin at $start, one every $step months."""
    if $step_fault:
        raise ValueError("unusable $step")
    origin, months = $start, $first_months
    while True:
        due = _moved(origin, months)
        if $until is not None and $within:
            return
        yield due
        $advance


def _first(index: int) -> int:
    """The ordinal of the first day of a month; months are counted through the years."""
    return date(index // 12, index % 12 + 1, 1).toordinal()


def _moved(origin: date, months: int) -> date:
    index = origin.year * 12 + origin.month - 1
    target = index + months
    due = _first(target) + origin.day - 1
    $least
    $last_line
    return date.fromordinal(due)
''',
    bugs=(
        change("other_count", ("$advance", "$other_advance")),
        change("carry", ("12 + origin.month - 1", "12 + origin.month"),
               ("index % 12 + 1, 1)", "index % 12 or 12, 1)")),
        change("day_28",
               ("$least", "if due >= _first(target + 1):\n        due = _first(target) + 27"),
               when={"missing": "clamp"}),
        change("first_of_next", ("due = _first(target) + origin.day - 1",
               "due = min(_first(target) + origin.day - 1, _first(target + 1))"),
               when={"missing": "roll"}),
    ),
    known_failing=(
        change("one_way", ("$within", "(due $above $until or due < $start)"),
               when={"negative": "backwards"}),
        FAULT,
        END,
        change("last_day", ("    return date.from", "    $other_line\n    return date.from"),
               when={"counted": "from_start", "last_day": "number"}),
        change("last_number", ("    if origin.toordinal() == _first(index + 1) - 1:\n"
               "        due = _first(target + 1) - 1\n", ""),
               when={"counted": "from_start", "last_day": "month_end"}),
        change("december", ("12 + origin.month - 1", "12 + origin.month"),
               ("index % 12 + 1, 1)", "index % 12 or 12, 1)"),
               against=("other_count", "day_28", "first_of_next")),
        change("always_28",
               ("$least", "if due >= _first(target + 1):\n        due = _first(target) + 27"),
               when={"missing": "clamp"}, against=("other_count", "carry")),
        change("next_first", ("due = _first(target) + origin.day - 1",
               "due = min(_first(target) + origin.day - 1, _first(target + 1))"),
               when={"missing": "roll"}, against=("other_count", "carry")),
    ),
)  # fmt: skip

PLAN = Shape(
    name="plan",
    entry_point="$cls",
    words={
        **MONTH_END,
        "opening": "$cls($start, $step) makes a plan that never changes; without a value, $step is 1."
        " $upto($until) returns the list of its ${thing}s in the order in which they are reached."
        " $nth(n) returns the $thing number n, counted from 1; an n"
        " below 1 raises ValueError.",
        "when_raised": " The error comes when the plan is made.",
        "pace": "self._$step",
        "origin": "self._$start",
    },
    module='''
"""$summary"""

import calendar
from collections.abc import Iterator
from datetime import date
from itertools import islice


class $cls:
    """The ${thing}s of one contract, by number or up to a date."""

    def __init__(self, $start: date, $step: int = 1) -> None:
        if $step_fault:
            raise ValueError("$step out of range")
        self._$start = $start
        self._$step = $step

    def $nth(self, n: int) -> date:
        """The $thing number n."""
        if n < 1:
            raise ValueError("${thing}s are counted from 1")
        return next(islice(self._dates(), n - 1, None))

    def $upto(self, $until: date) -> list[date]:
        """All ${thing}s up to $until."""
        dates = []
        for due in self._dates():
            $over_line
            if $over:
                break
            dates.append(due)
        return dates

    def _dates(self) -> Iterator[date]:
        origin, months = self._$start, $first_months
        while True:
            due = self._step_on(origin, months)
            yield due
            $advance

    @staticmethod
    def _step_on(origin: date, months: int) -> date:
        index = origin.year * 12 + origin.month - 1 + months
        year, month = index // 12, index % 12 + 1
        length = calendar.monthrange(year, month)[1]
        lacking = max(origin.day - length, 0)
        $last_rule
        return $day
''',
    bugs=(
        change("other_count", ("            $advance", "            $other_advance")),
        change("carry", ("12 + origin.month - 1 + months", "12 + origin.month + months"),
               ("index % 12 + 1", "index % 12 or 12"), when={"negative": "refused"}),
        change("leap", ("monthrange(year, month)", "monthrange(origin.year, month)"),
               when={"negative": "backwards"}),
        change("day_28", ("return $day", "return date(year, month, 28 if lacking else origin.day)"),
               when={"missing": "clamp"}),
        change("first_of_next", (".toordinal() + lacking)", ".toordinal() + (lacking > 0))"),
               when={"missing": "roll"}),
    ),
    known_failing=(
        ONE_WAY, FAULT, END,
        change("last_day", ("        return $day", "        $other_rule\n        return $day"),
               when={"counted": "from_start", "last_day": "number"}),
        change("last_number", ("        $is_last\n            return $month_end\n", ""),
               when={"counted": "from_start", "last_day": "month_end"}),
        change("december", ("12 + origin.month - 1 + months", "12 + origin.month + months"),
               ("index % 12 + 1", "index % 12 or 12"), when={"negative": "refused"},
               against=("other_count", "day_28", "first_of_next")),
        change("always_28",
               ("return $day", "return date(year, month, 28 if lacking else origin.day)"),
               when={"missing": "clamp"}, against=("other_count", "carry", "leap")),
        change("next_first", (".toordinal() + lacking)", ".toordinal() + (lacking > 0))"),
               when={"missing": "roll"}, against=("other_count", "carry", "leap")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "rent", summary="Due dates of a rent contract.", function="rent_dates", cls="RentPlan",
        thing="due date", start="signed", until="end", step="interval", nth="due", upto="due_until",
    ),
    scenario(
        "subscriptions", summary="Renewal dates of subscriptions.", function="renewals",
        cls="Subscription", thing="renewal", start="joined", until="horizon", step="period",
        nth="renewal", upto="renewals_until",
    ),
    scenario(
        "loans", summary="When the instalments of a loan are due.", function="instalment_dates",
        cls="Loan", thing="instalment", start="paid_out", until="limit", step="spacing",
        nth="instalment", upto="instalments_until",
    ),
    scenario(
        "maintenance", summary="Inspection dates of a lift.", function="inspections",
        cls="InspectionPlan", thing="inspection", start="installed", until="last", step="cycle",
        nth="inspection", upto="inspections_until",
    ),
    scenario(
        "payroll", summary="Pay days of an employment contract.", function="pay_days",
        cls="PayCalendar", thing="pay day", start="hired", until="cutoff", step="rhythm",
        nth="pay_day", upto="pay_days_until",
    ),
)  # fmt: skip


def asked(v: Variant, *requests, clauses: str = "") -> Check:
    """Each request is a start, an end and a step, put in the manner of the shape."""
    steps = []
    for turn, (start, until, step) in enumerate(requests):
        if v.shape == "listed":
            steps.append(call(v.entry_point, start, until, step))
        elif v.shape == "lazy":
            steps.append(call(v.entry_point, start, step, until, bind=f"dates{turn}"))
            steps.append(take(f"dates{turn}", 30))
        elif step == 0 or (step < 0 and v["negative"] == "refused"):
            steps.append(call(v.entry_point, start, step))
        else:
            steps.append(call(v.entry_point, start, step, bind=f"plan{turn}"))
            steps.append(call(f"plan{turn}.{v['upto']}", until))
    return Check(tuple(steps), clauses=v.clauses("call", "first", clauses))


def days_after(start: date, days: int) -> date:
    return start + timedelta(days=days)


def visible(v: Variant, s: Stream):
    """Days that every month has, in one year, and ends that are no dates of their own."""
    year, day = s.between(2019, 2027), s.between(3, 20)
    start = date(year, s.between(1, 4), day)
    yield asked(v, (start, date(year, 8, day + 5), s.between(1, 2)), clauses="end")
    yield asked(v, (start, days_after(start, -s.between(2, 40)), 1), clauses="end")
    yield asked(v, (start, date(year, 9, 1), 0), clauses="step")
    if s.chance(1, 2):
        yield asked(v, (start, date(year, 10, day + 2), 3), clauses="step end")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Dates around February, or around the turn of a year."""
    common, leap = s.choice((2021, 2022, 2023, 2025)), s.choice((2020, 2024, 2028))
    if bug == "carry":
        start = date(common, 10, s.between(4, 24))
        return asked(v, (start, date(common + 1, 1, 26), 1), clauses="counted")
    if bug == "leap":
        return asked(v, (date(leap, 12, 29), date(leap + 1, 3, 20), 2), clauses="missing")
    if bug == "day_28":
        return asked(v, (date(leap, 1, 30), date(leap, 4, 12), 1), clauses="missing")
    if bug == "first_of_next":
        return asked(v, (date(common, 1, 30), date(common, 4, 12), 1), clauses="missing")
    return asked(v, (date(common, 1, 29), date(common, 4, 10), 1), clauses="counted missing")


def late_day(s: Stream, months=(1, 2, 3, 5, 8, 10, 11, 12)) -> date:
    """One of the last days of a month; leap years more often than they come."""
    after = date(s.choice((2019, 2020, 2023, 2024, 2027, 2028)), s.choice(months), 28)
    return days_after(after, s.between(0, 3)) if after.month != 2 else days_after(after, 0)


def month_ends(v: Variant, s: Stream) -> Check:
    """Starts on the last days of long and of short months."""
    thirtieth = date(s.between(2021, 2028), s.choice((4, 6, 9, 11)), 30)
    january = date(s.choice((2020, 2023, 2024, 2026)), 1, 30)
    requests = [(late_day(s), 130, 1), (thirtieth, 170, s.between(1, 2)), (january, 100, 1)]
    spans = ((start, days_after(start, days), step) for start, days, step in requests)
    return asked(v, *spans, clauses="counted missing last_day")


def at_the_end(v: Variant, s: Stream) -> Check:
    """Ends just before, at and just after a date of the row; also at the start."""
    day, step = s.between(2, 27), s.between(1, 3)
    start = date(s.between(2018, 2030), s.between(1, 9), day)
    reached = start.replace(month=start.month + step)
    ends = (days_after(reached, -1), reached, days_after(reached, 1), s.choice((start, reached)))
    return asked(v, *((start, end, step) for end in s.shuffle(ends)), clauses="end")


def over_years(v: Variant, s: Stream) -> Check:
    """Rows through December and through leap days, a year and more at a step."""
    leap_day = date(s.choice((2020, 2024, 2028)), 2, 29)
    start = days_after(date(s.between(2019, 2027), 12, 1), s.between(0, 30))
    before = date(leap_day.year - s.choice((0, 0, 1)), 1, 30)
    requests = (
        (before, days_after(before, s.between(60, 100)), 1),
        (leap_day, days_after(leap_day, 366 * 4 + s.between(0, 9)), 12),
        (start, days_after(start, s.between(360, 500)), s.choice((1, 2, 11))),
    )
    return asked(v, *requests, clauses="counted missing last_day")


def negative_steps(v: Variant, s: Stream) -> Check:
    """Steps of 0 and below; ends before, at and after the dates."""
    start, step = late_day(s, (3, 5, 7, 10, 12)), -s.between(1, 3)
    plain = date(2024, s.between(5, 12), s.between(1, 28))
    reached = plain.replace(month=plain.month + step)
    later = days_after(plain, 40)
    if v["negative"] == "refused":
        # Before every date, so that no row which is not refused runs down to the year 1.
        reached = later = days_after(plain, -140)
    requests = (
        (start, days_after(start, -s.between(100, 260)), step),
        (plain, days_after(reached, s.between(-1, 1)), step),
        (plain, s.choice((reached, later)), step),
        (start, days_after(start, s.between(20, 70)), 0),
    )
    return asked(v, *requests, clauses="step end missing")


def by_number(v: Variant, s: Stream) -> Check:
    """Single dates of a plan by number; the beginning of a row without end."""
    start, step = late_day(s), s.between(1, 4)
    numbers = v.clauses("call", "first", "counted", "missing", "end")
    if v.shape == "lazy":
        steps = (call(v.entry_point, start, step, bind="dates"), take("dates", s.between(3, 6)))
        return Check(steps, clauses=numbers)
    if v.shape == "plan":
        asks = (call(f"plan.{v['nth']}", n) for n in (1, 0, 2, s.between(3, 9), -1))
        return Check((call(v.entry_point, start, step, bind="plan"), *asks), clauses=numbers)
    return Check((call(v.entry_point, start, days_after(start, 125)),), clauses=numbers)


def wide(v: Variant, s: Stream) -> Check:
    """Two random rows."""
    requests = []
    for _ in range(2):
        start = days_after(date(2019, 1, 1), s.between(0, 3500))
        start = late_day(s) if s.chance(1, 2) else start
        step = s.choice((1, 1, 2, 3, 5, 6, 12, -1))
        span = s.between(-20, 150) * abs(step) if abs(step) < 6 else s.between(0, 900)
        if step < 0:
            span = -span if v["negative"] == "backwards" else -abs(span) - 31
        requests.append((start, days_after(start, span), step))
    return asked(v, *requests, clauses="counted missing last_day end")


@lru_cache(8192)
def days_of(year: int, month: int) -> tuple[date, ...]:
    """Every day of a month, found by walking from its first day on."""
    day, days = date(year, month, 1), []
    while day.month == month:
        days.append(day)
        day += timedelta(days=1)
    return tuple(days)


def oracle(v: Variant):
    """Picks each date from the sheets of the calendar, which list the days of a month."""
    month_end, clamp = v["last_day"] == "month_end", v["missing"] == "clamp"
    from_start, at_start = v["counted"] == "from_start", v["first"] == "start"
    negative, left_out = v["negative"], v["end"] == "left_out"

    def turned(year, month, months):
        """The year and month so many sheets further on, or back."""
        years, more = divmod(months, 12)
        year, month = year + years, month + more
        return (year + 1, month - 12) if month > 12 else (year, month)

    def moved(origin, months):
        place = turned(origin.year, origin.month, months)
        sheet, number = days_of(*place), origin.day
        if month_end and origin == days_of(origin.year, origin.month)[-1]:
            return sheet[-1]
        if number <= len(sheet):
            return sheet[number - 1]
        return sheet[-1] if clamp else days_of(*turned(*place, 1))[number - len(sheet) - 1]

    def row(start, step):
        taken, at = (0, start) if at_start else (1, moved(start, step))
        while True:
            yield at
            taken += 1
            at = moved(start, taken * step) if from_start else moved(at, step)

    def refuse(step):
        if step == 0 or (step < 0 and negative == "refused"):
            raise ValueError

    def lazy(start, step, until=None):
        refuse(step)
        for day in row(start, step):
            if until is not None:
                if day > until if step > 0 else day < until:
                    return
                if day == until and left_out:
                    return
            yield day

    class Plan:
        def __init__(self, start, step=1):
            refuse(step)
            self.start, self.step = start, step

        def upto(self, until):
            return list(lazy(self.start, self.step, until))

        def nth(self, n):
            if n < 1:
                raise ValueError
            return list(islice(row(self.start, self.step), n))[-1]

    setattr(Plan, v["upto"], Plan.upto)
    setattr(Plan, v["nth"], Plan.nth)

    def listed(start, until, step=1):
        return list(lazy(start, step, until))

    return {v["function"]: lazy if v.shape == "lazy" else listed, v["cls"]: Plan}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(LISTED, LAZY, PLAN),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(month_ends, at_the_end, over_years, negative_steps, by_number),
    wide=wide,
    oracle=oracle,
)
