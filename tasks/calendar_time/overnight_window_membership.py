"""A daily window may run over midnight, and its days, ends and seconds count as stated."""

from datetime import datetime, time, timedelta
from functools import cache

from sandbox.checks import Check, call
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "end",
        excluded={"end_clause": "no longer holds", "until": "<", "other_until": "<="},
        included={"end_clause": "still holds", "until": "<=", "other_until": "<"},
    ),
    knob(
        "equal",
        all_day={
            "equal_clause": "runs for 24 hours, to that time of the next day",
            "equal_rule": "",
            "length": "(_seconds(end) - begin) % DAY or DAY",
            "other_length": "(_seconds(end) - begin) % DAY",
            "other_equal": "if start == end:\n    return False",
        },
        empty={
            "equal_clause": "holds at no time",
            "equal_rule": "if start == end:\n    return False",
            "other_equal": "",
            "length": "(_seconds(end) - begin) % DAY",
            "other_length": "(_seconds(end) - begin) % DAY or DAY",
        },
    ),
    knob(
        "weekday",
        of_start={
            "weekday_clause": "on which it begins, and it then holds until its end: with Friday"
            " alone, a $window from 22:00 to 06:00 holds on Saturday at 05:00 and not on Friday at"
            " 05:00",
            "early_day": "(today - 1) % 7",
            "other_early": "today",
            "in_week": "any((now - day * DAY - begin) % WEEK $until length for day in days)",
            "other_week": "$moment.weekday() in days and (now - begin) % DAY $until length",
            "now": "$moment.weekday() * DAY + _seconds($moment)",
            "other_now": "_seconds($moment)",
            "week_line": "WEEK = 7 * DAY",
            "other_line": "",
            "since": "Monday began; the week goes round",
            "other_since": "midnight; the day goes round",
            "day_of": "day",
            "other_day": "$moment",
        },
        of_moment={
            "weekday_clause": "of the moments at which it may hold, whenever it began: with"
            " Friday alone, a $window from 22:00 to 06:00 holds on Friday at 05:00 and not on"
            " Saturday at 05:00",
            "early_day": "today",
            "other_early": "(today - 1) % 7",
            "in_week": "$moment.weekday() in days and (now - begin) % DAY $until length",
            "other_week": "any((now - day * DAY - begin) % WEEK $until length for day in days)",
            "now": "_seconds($moment)",
            "other_now": "$moment.weekday() * DAY + _seconds($moment)",
            "week_line": "",
            "other_line": "WEEK = 7 * DAY",
            "since": "midnight; the day goes round",
            "other_since": "Monday began; the week goes round",
            "day_of": "$moment",
            "other_day": "day",
        },
    ),
    knob(
        "no_days",
        every_day={
            "no_days_clause": "stands for all seven",
            "days_rule": "days = days or range(7)",
            "other_days": "",
        },
        never={
            "no_days_clause": "means that the $window never holds",
            "days_rule": "",
            "other_days": "days = days or range(7)",
        },
    ),
    knob(
        "seconds",
        exact={
            "seconds_clause": "counts with its seconds",
            "round_rule": "",
            "other_round": "$moment = ($moment + timedelta(seconds=30)).replace(second=0)",
            "clock_names": "datetime, time",
            "other_names": "datetime, time, timedelta",
        },
        rounded={
            "seconds_clause": "is first rounded to the nearest full minute, from 30 seconds on to"
            " the next one, and that is what counts, with its weekday",
            "round_rule": "$moment = ($moment + timedelta(seconds=30)).replace(second=0)",
            "other_round": "",
            "clock_names": "datetime, time, timedelta",
            "other_names": "datetime, time",
        },
    ),
    knob(
        "answer",
        all={
            "answer_clause": "the list of the names of all ${window}s that hold at it, in the order"
            " in which they were given",
            "answer_type": "list[str]",
            "found": "[name for name, *rule in $source if $check]",
        },
        first={
            "answer_clause": "the name of the first of the given ${window}s that holds at it, or"
            " None",
            "answer_type": "str | None",
            "found": "next((name for name, *rule in $source if $check), None)",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "window",
        """A $window has a name, a list of weekdays (0 is Monday, 6 is Sunday), and a start and an
        end, which are times of full minutes. Where its weekdays allow it, it holds at its start and
        from then on until its end; an end that is earlier in the day than the start is that of the
        next day.""",
    ),
    Clause("end", "At its end a $window $end_clause."),
    Clause("equal", "A $window whose end equals its start $equal_clause."),
    Clause("weekday", "The weekdays of a $window are those $weekday_clause."),
    Clause("no_days", "An empty list of weekdays $no_days_clause."),
    Clause("seconds", "A $moment is a datetime of full seconds; it $seconds_clause."),
    Clause("answer", "The answer for a $moment is $answer_clause."),
)

# Repairs that go astray in the same manner in every shape.
SIBLINGS = (
    change("end", slots={"until": "$other_until"}),
    change("equal", slots={"equal_rule": "$other_equal", "length": "$other_length"}),
    change("no_days", slots={"days_rule": "$other_days"}),
    change("seconds", slots={"round_rule": "$other_round", "clock_names": "$other_names"}),
)

HALVES = Shape(
    name="halves",
    entry_point="$function",
    words={
        "opening": "$function(${window}s, $moment) gives the answer for one $moment. ${window}s is"
        " a list of tuples (name, weekdays, start, end).",
        "source": "${window}s",
        "check": "_holds(*rule, $moment)",
    },
    module='''
"""$summary"""

from collections.abc import Sequence
from datetime import $clock_names

Rule = tuple[str, list[int], time, time]


def $function(${window}s: list[Rule], $moment: datetime) -> $answer_type:
    """$about"""
    return $found


def _holds(days: Sequence[int], start: time, end: time, $moment: datetime) -> bool:
    $equal_rule
    $days_rule
    $round_rule
    clock, today = $moment.time(), $moment.weekday()
    if start < end:
        return today in days and start <= clock $until end
    # What lies after midnight began on the day before.
    early = clock $until end and $early_day in days
    return early or (clock >= start and today in days)
''',
    bugs=(
        change("never",
               ("    if start < end:\n        return today", "    return today"),
               ("    # What lies after midnight began on the day before.\n", ""),
               ("    early = clock $until end and $early_day in days\n", ""),
               ("    return early or (clock >= start and today in days)\n", "")),
        change("always_split",
               ("    if start < end:\n        return today in days and start <= clock $until end\n",
                "")),
        change("other_day", ("$until end and $early_day", "$until end and $other_early")),
        change("evening_only",
               ("    # What lies after midnight began on the day before.\n", ""),
               ("    early = clock $until end and $early_day in days\n", ""),
               ("early or (clock >= start and today in days)", "clock >= start and today in days")),
    ),
    known_failing=(
        *SIBLINGS,
        change("no_wrap", ("(today - 1) % 7", "today - 1"), when={"weekday": "of_start"}),
        change("early_any_day", ("clock $until end and $early_day in days", "clock $until end")),
    ),
)  # fmt: skip

WEEK = Shape(
    name="week",
    entry_point="$many_function",
    words={
        "opening": "$many_function(${moment}s, ${window}s) returns the list of the answers for a"
        " list of ${moment}s, one for each. ${window}s is a list of tuples (name, weekdays, start,"
        " end).",
        "source": "${window}s",
        "check": "_holds(*rule, $moment)",
    },
    module='''
"""$summary"""

from collections.abc import Sequence
from datetime import $clock_names

DAY = 86_400
$week_line

Rule = tuple[str, list[int], time, time]


def $many_function(${moment}s: list[datetime], ${window}s: list[Rule]) -> list[$answer_type]:
    """$about"""
    answers = []
    for $moment in ${moment}s:
        answers.append($found)
    return answers


def _seconds(clock: datetime | time) -> int:
    return (clock.hour * 60 + clock.minute) * 60 + clock.second


def _holds(days: Sequence[int], start: time, end: time, $moment: datetime) -> bool:
    """Whether a $window holds, in seconds since $since."""
    $equal_rule
    $days_rule
    $round_rule
    begin = _seconds(start)
    length = $length
    now = $now
    return $in_week
''',
    bugs=(
        change("never", ("(_seconds(end) - begin) % DAY", "_seconds(end) - begin")),
        change("always_next", slots={"length": "_seconds(end) + DAY - begin"}),
        change("other_day", slots={"in_week": "$other_week", "now": "$other_now",
                                   "week_line": "$other_line", "since": "$other_since"}),
    ),
    known_failing=(
        *SIBLINGS,
        change(
            "no_round",
            (
                "any((now - day * DAY - begin) % WEEK $until length for day in days)",
                "any(0 <= now - day * DAY - begin $until length for day in days)",
            ),
            when={"weekday": "of_start"},
        ),
    ),
)  # fmt: skip

BOOK = Shape(
    name="book",
    entry_point="$cls",
    words={
        "opening": "$cls() starts without a $window. $add(name, days, start, end) adds one behind"
        " the others and returns None; a name that is there already raises ValueError, and nothing"
        " changes. $at($moment) gives the answer for a $moment.",
        "source": "self._${window}s",
        "check": "_holds(*rule, $moment)",
    },
    module='''
"""$summary"""

from collections.abc import Sequence
from datetime import datetime, time, timedelta


class $cls:
    """$about"""

    def __init__(self) -> None:
        self._${window}s: list[tuple[str, Sequence[int], time, time]] = []

    def $add(self, name: str, days: Sequence[int], start: time, end: time) -> None:
        """Add a $window that begins at start and holds until end."""
        if any(name == known for known, *_ in self._${window}s):
            raise ValueError(f"there is a $window {name} already")
        self._${window}s.append((name, list(days), start, end))

    def $at(self, $moment: datetime) -> $answer_type:
        """The answer for one $moment."""
        return $found


def _holds(days: Sequence[int], start: time, end: time, $moment: datetime) -> bool:
    $equal_rule
    $days_rule
    $round_rule
    nights = timedelta(days=1 if end <= start else 0)
    for day in ($moment - timedelta(days=1), $moment):
        begin = datetime.combine(day, start)
        over = datetime.combine(day + nights, end)
        if begin <= $moment $until over and ${day_of}.weekday() in days:
            return True
    return False
''',
    bugs=(
        change("never",
               ("    nights = timedelta(days=1 if end <= start else 0)\n", ""),
               ("day + nights", "day")),
        change("tomorrow", ("in ($moment - timedelta(days=1), $moment):", "in ($moment, $moment + timedelta(days=1)):")),
        change("other_day", ("and ${day_of}.weekday()", "and ${other_day}.weekday()")),
    ),
    known_failing=(
        *SIBLINGS,
        change("replaces", ('raise ValueError(f"there is a $window {name} already")',
               "self._${window}s = [rule for rule in self._${window}s if rule[0] != name]")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "quiet hours", summary="Quiet hours in which a phone does not ring.",
        about="Which quiet hours hold.", function="quiet_at", many_function="mark_quiet",
        cls="QuietHours", add="add", at="at", window="period", moment="moment",
        names=("sleep", "prayer", "school", "nap"),
    ),
    scenario(
        "night tariff", summary="Electricity tariffs by the time of use.",
        about="Which tariffs apply.", function="tariff_at", many_function="tariffs_of",
        cls="TariffBook", add="offer", at="applying", window="tariff", moment="reading",
        names=("night", "solar", "peak", "weekend"),
    ),
    scenario(
        "shift premiums", summary="Premiums for work at unusual hours.",
        about="Which premiums are due.", function="premium_at", many_function="premiums_for",
        cls="PremiumRules", add="agree", at="due_at", window="premium", moment="stamp",
        names=("late", "night", "sunday", "early"),
    ),
    scenario(
        "door access", summary="When doors may be opened, and under which rule.",
        about="Which rules open the door.", function="access_at", many_function="check_visits",
        cls="DoorRules", add="allow", at="opened_by", window="slot", moment="visit",
        names=("guards", "cleaners", "staff", "deliveries"),
    ),
    scenario(
        "trading sessions", summary="Trading sessions, some of them through the night.",
        about="Which sessions are open.", function="session_at", many_function="sessions_of",
        cls="TradingHours", add="schedule", at="open_at", window="session", moment="trade",
        names=("futures", "regular", "asia", "auction"),
    ),
)  # fmt: skip

MONDAY = datetime(2024, 4, 1)


@cache
def clock_time(minutes: int) -> time:
    """A time of the day, from minutes of any day."""
    return time(minutes % 1440 // 60, minutes % 60)


def at_minute(day: int, minutes: int, seconds: int = 0) -> datetime:
    """A moment by day of the week (7 is the next Monday), minutes and seconds."""
    return MONDAY + timedelta(day, minutes * 60 + seconds)


def asked(v: Variant, windows, moments, clauses: str = "") -> Check:
    """Windows (days, start, end) in minutes, named in turn, and moments to ask about."""
    rules = [
        (name, list(days), clock_time(start), clock_time(end))
        for name, (days, start, end) in zip(v["names"], windows, strict=False)
    ]
    if v.shape == "halves":
        steps = [call(v.entry_point, rules, moment) for moment in moments]
    elif v.shape == "week":
        steps = [call(v.entry_point, list(moments), rules)]
    else:
        steps = [call(v.entry_point, bind="book")]
        steps += (call(f"book.{v['add']}", *rule) for rule in rules)
        steps += (call(f"book.{v['at']}", moment) for moment in moments)
    return Check(tuple(steps), clauses=v.clauses("call", "window", "answer", clauses))


ALL_DAYS = tuple(range(7))


def night(s: Stream) -> tuple[int, int]:
    """Start and end, in minutes, of a window over midnight."""
    return s.between(18, 23) * 60 + s.choice((0, 30)), s.between(1, 7) * 60 + s.choice((0, 15))


def visible(v: Variant, s: Stream):
    """Every day, full minutes, and moments well within or outside."""
    start, end = s.between(8, 10) * 60, s.between(13, 16) * 60
    day = s.between(1, 5)
    late, early = night(s)
    both = ((ALL_DAYS, start, end), (ALL_DAYS, late, early))
    noon, evening = at_minute(day, 690), at_minute(day, 1020)
    yield asked(v, both[:1], (noon, evening, at_minute(day, 300)), "weekday")
    yield asked(v, ((ALL_DAYS, start, end), (ALL_DAYS, 660, 735)), (noon, evening), "weekday")
    yield asked(v, both[1:], (at_minute(day, late + 20),), "weekday")
    if s.chance(1, 2):
        yield asked(v, [], (noon, evening))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A night before and after midnight, or noon; for one day of the week if the bug needs it."""
    late, early = night(s)
    day = s.between(1, 5)
    if bug == "other_day":
        days = [day - 1] if v["weekday"] == "of_start" else [day]
        return asked(v, [(days, late, early)], [at_minute(day, early - 20)], "weekday")
    if bug in ("always_split", "always_next"):
        hour = s.between(14, 16)
        return asked(v, [(ALL_DAYS, 9 * 60, 12 * 60)], [at_minute(day, hour * 60)], "window")
    moments = [at_minute(day, early - 25), at_minute(day, late + 10)]
    return asked(v, [(ALL_DAYS, late, early)], moments, "window")


# Seconds from a start or an end at which rounding decides.
BESIDE_START = ((-31, -30), (-30, -31))
BESIDE_END = {"included": ((29, 30), (30, 29)), "excluded": BESIDE_START}


def around_ends(v: Variant, s: Stream) -> Check:
    """At or just beside the start and the end of a night and of a daytime window."""
    late, early = night(s)
    start, end = s.between(7, 11) * 60, s.between(12, 17) * 60
    day, starts, ends = s.below(7), (0, 0, *BESIDE_START[0]), (0, 0, *BESIDE_END[v["end"]][0])
    moments = (
        at_minute(day, late, s.choice(starts)),
        at_minute(day, start, s.choice(starts)),
        at_minute(day, early, s.choice(ends)),
        at_minute(day, end, s.choice(ends)),
        at_minute(day, s.choice((late, start, early, end)) + s.choice((-1, 1))),
    )
    windows = s.shuffle(((ALL_DAYS, late, early), (ALL_DAYS, start, end)))
    return asked(v, windows, moments, "end seconds")


def by_weekday(v: Variant, s: Stream) -> Check:
    """Nights of one or two weekdays, asked in the evening and the mornings around; Sunday too."""
    late, early = night(s)
    day = s.choice((0, 3, 6, 6))
    windows = (((day,), late, early), (((day + 1) % 7, s.below(7)), late + 10, early + 30))
    moments = [at_minute(day, late + 15), at_minute(day, early - 1), at_minute(day + 1, early - 5)]
    return asked(v, windows, [*moments, at_minute(day + 1, late + 20)], "weekday")


def equal_ends(v: Variant, s: Stream) -> Check:
    """Windows whose end equals their start, on some days; midnight as a start or an end."""
    edge, day = s.between(0, 23) * 60, s.between(0, 6)
    windows = (((day,), edge, edge), (ALL_DAYS, 20 * 60, 0), ((day,), 0, s.choice((0, 90))))
    moments = [at_minute(day, edge + n) for n in (-1, 0, 1)]
    moments += [at_minute(day + 1, edge + s.choice((-1, 0, 0, 1))), at_minute(day + 1, 0)]
    moments.append(at_minute(day, 1439 - s.below(15)))
    return asked(v, s.shuffle(windows), moments, "equal end weekday")


def without_days(v: Variant, s: Stream) -> Check:
    """Windows without weekdays beside others, at any time of a day."""
    late, early = night(s)
    start, day = s.between(6, 12) * 60, s.between(0, 6)
    windows = s.shuffle((((), late, early), ((day,), start, start + 240), ((), start + 60, 1080)))
    moments = (at_minute(day, late + 5), at_minute(day, start + 90), at_minute(day + 1, early - 9))
    return asked(v, windows, moments, "no_days weekday")


def with_seconds(v: Variant, s: Stream) -> Check:
    """Seconds around ends and midnight; and a name that comes twice in a book."""
    late, early = night(s)
    day, near = s.between(0, 6), s.choice(BESIDE_END[v["end"]])
    early_by, late_by = s.choice(BESIDE_START)
    windows = ((ALL_DAYS, late, early), (ALL_DAYS, early, late), (ALL_DAYS, early + 60, early + 90))
    moments = (
        at_minute(day, early, early_by),
        at_minute(day, late, late_by),
        at_minute(day, early + 90, near[0]),
        at_minute(day, s.choice((early, late)), near[1]),
    )
    if v.shape != "book":
        return asked(v, windows, moments, "seconds end")
    name, rest = v["names"][0], v.clauses("call", "window", "seconds", "end")
    steps = [call(v.entry_point, bind="book")]
    for start, end in s.sample(((late, early), (early, late), (early + 60, early + 90)), 2):
        steps.append(
            call(f"book.{v['add']}", name, list(ALL_DAYS), clock_time(start), clock_time(end))
        )
    steps += (call(f"book.{v['at']}", moment) for moment in moments)
    return Check(tuple(steps), clauses=rest)


def wide(v: Variant, s: Stream) -> Check:
    """Random windows and moments, most of them near one of the ends."""
    windows = []
    for _ in range(s.between(1, 4)):
        days = s.sample(range(7), s.choice((0, 1, 2, 3, 7)))
        start, length = s.between(0, 47) * 30, s.choice((0, 240, 480, 600, 900, 1439))
        windows.append((sorted(days), start, start + length))
    moments = []
    for _ in range(3):
        _, start, end = s.choice(windows)
        minutes = s.choice((start, end, start + 60)) % 1440 + s.choice((-1, 0, 1, -30))
        moments.append(at_minute(s.between(0, 7), minutes, s.choice((0, 0, 20, 40))))
    return asked(v, windows, moments, "end equal weekday no_days seconds")


def oracle(v: Variant):
    """Looks back from the moment, and asks which was later: the latest start or the latest end."""
    is_rounded, is_included = v["seconds"] == "rounded", v["end"] == "included"
    is_empty, is_never = v["equal"] == "empty", v["no_days"] == "never"
    by_start, wants_all = v["weekday"] == "of_start", v["answer"] == "all"
    a_day = 24 * 60 * 60

    def holds(days, start, end, today, clock):
        """`clock` is in seconds since midnight of the weekday `today`."""
        if is_never and not days:
            return False
        start_ago = (clock - (start.hour * 60 + start.minute) * 60) % a_day
        end_ago = (clock - (end.hour * 60 + end.minute) * 60) % a_day
        ends_now, is_equal = is_included and not end_ago, start_ago == end_ago
        if is_empty if is_equal else end_ago < start_ago and not ends_now:
            return False
        if not days or not by_start:
            return not days or today in days
        if (today - (start_ago > clock)) % 7 in days:
            return True
        # As a window of 24 hours ends the next one begins: it may be either of the two.
        return is_equal and ends_now and (today - 1) % 7 in days

    def answer(rules, moment):
        seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
        if is_rounded:
            seconds = (seconds + 30) // 60 * 60
        later, clock = divmod(seconds, a_day)
        today = (moment.weekday() + later) % 7
        found = []
        for name, days, start, end in rules:
            if holds(days, start, end, today, clock):
                found.append(name)
        if wants_all:
            return found
        return found[0] if found else None

    class Book:
        def __init__(self):
            self.rules = {}

        def add(self, name, days, start, end):
            if name in self.rules:
                raise ValueError
            self.rules[name] = (name, days, start, end)

        def at(self, moment):
            return answer(self.rules.values(), moment)

    setattr(Book, v["add"], Book.add)
    setattr(Book, v["at"], Book.at)

    def many(moments, rules):
        return [answer(rules, moment) for moment in moments]

    return {v["function"]: answer, v["many_function"]: many, v["cls"]: Book}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(HALVES, WEEK, BOOK),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(around_ends, by_weekday, equal_ends, without_days, with_seconds),
    wide=wide,
    oracle=oracle,
)
