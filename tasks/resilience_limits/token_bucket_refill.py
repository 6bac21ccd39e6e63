"""Tokens come back at the stated rate, up to the capacity, and no fraction of one is lost."""

from fractions import Fraction

from sandbox.checks import Check, call
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "start",
        full={"start_clause": "full", "start_level": "self._capacity", "first_level": "most"},
        empty={"start_clause": "empty", "start_level": "Fraction(0)", "first_level": "Fraction(0)"},
    ),
    knob(
        "over",
        refused={
            "over_clause": "raises ValueError$untouched",
            "over_self": "if $cost > self._capacity:\n"
            '    raise ValueError(f"$cost {$cost} is over the capacity")',
            "need_self": "$cost",
            "over_keyed": "$over_self",
            "over_local": "if $cost > most:\n"
            '    raise ValueError(f"$cost {$cost} is over the capacity")',
            "other_over_self": "",
            "other_need_self": "min($cost, self._capacity)",
            "other_over_keyed": "$cost = min($cost, self._capacity)",
            "other_over_local": "$cost = min($cost, most)",
        },
        whole_bucket={
            "over_clause": "counts as a $cost of exactly the capacity",
            "over_self": "",
            "need_self": "min($cost, self._capacity)",
            "over_keyed": "$cost = min($cost, self._capacity)",
            "over_local": "$cost = min($cost, most)",
            "other_over_self": "if $cost > self._capacity:\n"
            '    raise ValueError(f"$cost {$cost} is over the capacity")',
            "other_need_self": "$cost",
            "other_over_keyed": "$other_over_self",
            "other_over_local": "if $cost > most:\n"
            '    raise ValueError(f"$cost {$cost} is over the capacity")',
        },
    ),
    knob(
        "refusal",
        free={
            "refusal_clause": "takes nothing",
            "drain_self": "",
            "drain_local": "",
            "drain_else": "",
            "other_drain_else": "else:\n    level = Fraction(0)",
            "other_drain_self": "self._level = Fraction(0)",
            "other_drain_local": "level = Fraction(0)",
        },
        drains={
            "refusal_clause": "takes all ${token}s that there are",
            "drain_self": "self._level = Fraction(0)",
            "drain_local": "level = Fraction(0)",
            "drain_else": "else:\n    level = Fraction(0)",
            "other_drain_else": "",
            "other_drain_self": "",
            "other_drain_local": "",
        },
    ),
    knob(
        "back",
        ignored={
            "back_clause": "counts as that latest one",
            "back_self": "now = max(now, $latest)",
            "back_local": "now = max(now, seen)",
            "other_back_self": 'if now < $latest:\n    raise ValueError("time went back")',
            "other_back_local": 'if now < seen:\n    raise ValueError("time went back")',
        },
        refused={
            "back_clause": "raises ValueError$untouched",
            "back_self": 'if now < $latest:\n    raise ValueError("time went back")',
            "back_local": 'if now < seen:\n    raise ValueError("time went back")',
            "other_back_self": "now = max(now, $latest)",
            "other_back_local": "now = max(now, seen)",
        },
    ),
    knob(
        "refill",
        steady={
            "refill_clause": "flow in steadily, $rate of them per $unit",
            "latest": "self._stamp",
            "first_latest": "",
            "keep_latest": "",
            "span_self": "now - self._stamp",
            "wait_self": "lacking / self._rate",
            "born": "",
            "born_now": "",
            "span_local": "now - seen",
            "wait_local": "lacking / self._rate",
            "span_replay": "now - seen",
        },
        by_unit={
            "refill_clause": "come all at once, $rate of them, at the end of each whole $unit "
            "since $born_clause",
            "latest": "self._latest",
            "first_latest": "self._latest = now",
            "keep_latest": "self._latest = now",
            "span_self": "int(now - self._stamp)",
            "wait_self": "Fraction(-(-lacking // self._rate) - (self._latest - self._stamp))",
            "born": ", born",
            "born_now": ", now",
            "span_local": "int(now - born) - int(seen - born)",
            "wait_local": "Fraction(-(-lacking // self._rate) - (now - born) % 1)",
            "span_replay": "int(now - $begin) - int(seen - $begin)",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "numbers",
        """Times (in ${unit}s), ${cost}s, capacity and $rate are integers or Fractions, the capacity and
        $rate above 0. All reckoning is exact.""",
    ),
    Clause(
        "refill",
        """A bucket holds ${token}s, fractions of one included, at most its capacity, and is
        $start_clause at first. New ${token}s $refill_clause; what does not fit is lost.""",
    ),
    Clause(
        "ask",
        """A request is judged with the ${token}s there are at its own time: when they are at least
        its $cost it is granted and takes them, otherwise it is refused. A $cost of 0 is always
        granted; a negative one raises ValueError$untouched.""",
    ),
    Clause("refusal", "A refused request $refusal_clause."),
    Clause("over", "A $cost above the capacity $over_clause."),
    Clause("back", "A time before the latest one that was given$per_key $back_clause."),
    Clause("more", "$more_clause"),
)

BUCKET = Shape(
    name="bucket",
    entry_point="$cls",
    words={
        "opening": "$cls(capacity, $rate, now) makes a bucket at the time `now`. $take($cost, now) "
        "tells whether the request is granted (True or False); $wait($cost, now) how many ${unit}s "
        "it would have to wait until that many ${token}s are there if no other came, as a "
        "Fraction, 0 when they are there; $level(now) how many ${token}s there are, as a Fraction.",
        "born_clause": "the bucket was made",
        "per_key": " (that of its making included)",
        "more_clause": "$wait and $level take no ${token}s; a $cost that $take would turn down "
        "with ValueError $wait turns down as well.",
        "begin": "",
        "untouched": " and changes nothing",
    },
    module='''
"""$summary"""

from fractions import Fraction


class $cls:
    """A bucket of ${token}s that fills up by itself; every request takes some.

    Time is an argument, so that one decision is made at one instant.
    """

    def __init__(self, capacity: Fraction, $rate: Fraction, now: Fraction) -> None:
        self._capacity = Fraction(capacity)
        self._rate = Fraction($rate)
        self._level = $start_level
        self._stamp = now
        $first_latest

    def $take(self, $cost: Fraction, now: Fraction) -> bool:
        """Take $cost ${token}s if they are there at `now`."""
        need = self._need($cost)
        self._refill(now)
        if self._level < need:
            $drain_self
            return False
        self._level -= need
        return True

    def $wait(self, $cost: Fraction, now: Fraction) -> Fraction:
        """How many ${unit}s from `now` until $cost ${token}s are there."""
        need = self._need($cost)
        self._refill(now)
        lacking = need - self._level
        if lacking <= 0:
            return Fraction(0)
        return $wait_self

    def $level(self, now: Fraction) -> Fraction:
        """How many ${token}s there are at `now`."""
        self._refill(now)
        return self._level

    def _need(self, $cost: Fraction) -> Fraction:
        if $cost < 0:
            raise ValueError(f"$cost must not be negative: {$cost}")
        $over_self
        return $need_self

    def _refill(self, now: Fraction) -> None:
        $back_self
        $keep_latest
        span = $span_self
        self._level = min(self._capacity, self._level + span * self._rate)
        self._stamp += span
''',
    bugs=(
        change(
            "cuts_span",
            ("span = now - self._stamp", "span = int(now - self._stamp)"),
            ("self._stamp += span", "self._stamp = now"),
            when={"refill": "steady"},
        ),
        change(
            "loses_rest", ("self._stamp += span", "self._stamp = now"), when={"refill": "by_unit"}
        ),
        change(
            "frozen",
            (
                "        span = $span_self\n",
                "        if self._level == self._capacity:\n"
                "            return\n"
                "        span = $span_self\n",
            ),
        ),
        change(
            "overflow",
            (
                "min(self._capacity, self._level + span * self._rate)",
                "min(self._capacity, self._level) + span * self._rate",
            ),
        ),
        change("exact_refused", ("if self._level < need:", "if self._level <= need:")),
    ),
    known_failing=(
        change(
            "over_other", slots={"over_self": "$other_over_self", "need_self": "$other_need_self"}
        ),
        change("refusal_other", slots={"drain_self": "$other_drain_self"}),
        change("back_other", slots={"back_self": "$other_back_self"}),
        change(
            "whole_tokens",
            (
                "self._level + span * self._rate)\n        self._stamp += span",
                "self._level + gained)\n        self._stamp += gained / self._rate",
            ),
            (
                "        span = now - self._stamp\n",
                "        gained = int((now - self._stamp) * self._rate)\n",
            ),
            when={"refill": "steady", "back": "ignored"},
            against=("exact_refused", "overflow"),
        ),
        change(
            "clock_units",
            ("span = int(now - self._stamp)", "span = now // 1 - self._stamp // 1"),
            when={"refill": "by_unit"},
        ),
    ),
)

KEYED = Shape(
    name="keyed",
    entry_point="$keyed",
    words={
        "opening": "$keyed(capacity, $rate) keeps one bucket for each $key, made at the time of "
        "the first request for that $key which raises nothing. $admit($key, $cost, now) is one "
        "request; it returns a Fraction: 0 if it is granted, otherwise how many ${unit}s from then "
        "until that many ${token}s are there if no other request came.",
        "born_clause": "the bucket was made",
        "per_key": " for the same $key",
        "more_clause": "The wait of a refused request is reckoned with the ${token}s that are there after it.",
        "begin": "",
        "untouched": " and changes nothing",
    },
    module='''
"""$summary"""

from fractions import Fraction


class $keyed:
    """One bucket of ${token}s for each $key.

    A bucket is the ${token}s it held and the time of the latest request; what has
    come since is worked out when the next one arrives.
    """

    def __init__(self, capacity: Fraction, $rate: Fraction) -> None:
        self._capacity = Fraction(capacity)
        self._rate = Fraction($rate)
        self._buckets: dict[str, tuple[Fraction, ...]] = {}

    def $admit(self, $key: str, $cost: Fraction, now: Fraction) -> Fraction:
        """Take $cost ${token}s of $key and return 0, or return the time to wait."""
        if $cost < 0:
            raise ValueError(f"$cost must not be negative: {$cost}")
        $over_keyed
        fresh = ($start_level, now$born_now)
        level, seen$born = self._buckets.get($key, fresh)
        $back_local
        span = $span_local
        level = min(self._capacity, level + span * self._rate)
        lacking = Fraction(0)
        if level >= $cost:
            level -= $cost
        else:
            $drain_local
            lacking = $cost - level
        self._buckets[$key] = (level, now$born)
        if lacking == 0:
            return lacking
        return $wait_local
''',
    bugs=(
        change("cuts_span", ("span = $span_local", "span = int(now - seen)")),
        change(
            "frozen",
            (
                "        level = min(self._capacity, level + span * self._rate)\n",
                "        if level < self._capacity:\n"
                "            level = min(self._capacity, level + span * self._rate)\n"
                "            seen = now\n",
            ),
            ("(level, now$born)\n", "(level, seen$born)\n"),
        ),
        change(
            "overflow",
            (
                "min(self._capacity, level + span * self._rate)",
                "min(self._capacity, level) + span * self._rate",
            ),
        ),
        change(
            "exact_refused", ("if level >= $cost:", "if level > $cost:"), when={"refill": "steady"}
        ),
    ),
    known_failing=(
        change("over_other", slots={"over_keyed": "$other_over_keyed"}),
        change("refusal_other", slots={"drain_local": "$other_drain_local"}),
        change("back_other", slots={"back_local": "$other_back_local"}),
        change(
            "clock_units",
            ("span = $span_local", "span = now // 1 - seen // 1"),
            when={"refill": "by_unit"},
        ),
        change(
            "saved_if_granted",
            (
                "            level -= $cost\n",
                "            level -= $cost\n            self._buckets[$key] = (level, now$born)\n",
            ),
            (
                "        self._buckets[$key] = (level, now$born)\n        if lacking",
                "        if lacking",
            ),
            when={"refusal": "drains"},
            against=("cuts_span", "overflow"),
        ),
        change(
            "one_bucket",
            ("self._buckets.get($key, fresh)", 'self._buckets.get("", fresh)'),
            (
                "        self._buckets[$key] = (level, now$born)\n",
                '        self._buckets[""] = (level, now$born)\n',
            ),
            against=("cuts_span", "overflow", "exact_refused"),
        ),
    ),
)

REPLAY = Shape(
    name="replay",
    entry_point="$replay",
    words={
        "opening": "$replay($requests, capacity, $rate, $begin) judges the list $requests of "
        "(time, $cost) pairs in its order, by one bucket that is made at the time $begin. It "
        "returns a list with one pair for each: whether it is granted (True or False), and how "
        "many ${token}s it left, as a Fraction.",
        "born_clause": "$begin",
        "per_key": " (at first $begin)",
        "more_clause": "A request that raises ends the call. $requests is not changed.",
        "begin": "begin",
        "untouched": "",
    },
    module='''
"""$summary"""

from fractions import Fraction


def $replay(
    $requests: list[tuple[Fraction, Fraction]],
    capacity: Fraction,
    $rate: Fraction,
    $begin: Fraction,
) -> list[tuple[bool, Fraction]]:
    """Judge recorded ${requests} as a bucket of that size and $rate would have.

    Returns for each whether it passes and how many ${token}s remain after it.
    """
    most = Fraction(capacity)
    level = $first_level
    seen = $begin
    outcomes = []
    for now, $cost in $requests:
        if $cost < 0:
            raise ValueError(f"$cost must not be negative: {$cost}")
        $over_local
        $back_local
        level = min(most, level + ($span_replay) * $rate)
        seen = now
        granted = level >= $cost
        if granted:
            level -= $cost
        $drain_else
        outcomes.append((granted, level))
    return outcomes
''',
    bugs=(
        change("cuts_span", ("level + ($span_replay) * $rate", "level + int(now - seen) * $rate")),
        change(
            "frozen",
            (
                "        level = min(most, level + ($span_replay) * $rate)\n        seen = now\n",
                "        if level < most:\n"
                "            level = min(most, level + ($span_replay) * $rate)\n"
                "            seen = now\n",
            ),
        ),
        change(
            "overflow",
            (
                "min(most, level + ($span_replay) * $rate)",
                "min(most, level) + ($span_replay) * $rate",
            ),
        ),
        change("exact_refused", ("granted = level >= $cost", "granted = level > $cost")),
        change(
            "first_free",
            ("    seen = $begin\n", "    seen = $requests[0][0] if $requests else $begin\n"),
            when={"start": "empty"},
        ),
    ),
    known_failing=(
        change(
            "over_other",
            slots={"over_local": "$other_over_local"},
        ),
        change("refusal_other", slots={"drain_else": "$other_drain_else"}),
        change("back_other", slots={"back_local": "$other_back_local"}),
        change(
            "clock_units",
            ("int(now - $begin) - int(seen - $begin)", "now // 1 - seen // 1"),
            when={"refill": "by_unit"},
        ),
        change("sorted_first", ("in $requests:", "in sorted($requests):")),
    ),
)

SCENARIOS = (
    scenario(
        "API quota", summary="Quota of an API client.", cls="Quota", keyed="ClientQuotas",
        replay="replay_calls", take="spend", wait="wait_for", level="credits_at", admit="admit",
        token="credit", rate="refill", cost="cost", key="client", requests="calls", unit="second",
    ),
    scenario(
        "SMS sending", summary="Keeps a text message sender within its contract.", cls="SendBudget",
        keyed="SenderBudgets", replay="replay_sendings", take="send", wait="delay_for",
        level="left_at", admit="request", token="segment", rate="allowance", cost="length",
        key="sender", requests="messages", unit="minute",
    ),
    scenario(
        "login attempts", summary="Slows down guessing of passwords.", cls="AttemptGuard",
        keyed="AttemptGuards", replay="replay_attempts", take="attempt", wait="lock_time",
        level="chances_at", admit="attempt", token="chance", rate="recovery", cost="weight",
        key="account", requests="attempts", unit="minute",
    ),
    scenario(
        "disk writes", summary="Paces background writes to a disk.", cls="WritePacer",
        keyed="VolumePacers", replay="replay_writes", take="write", wait="pause_before",
        level="room_at", admit="reserve", token="block", rate="throughput", cost="size", key="volume",
        requests="writes", unit="tick",
    ),
    scenario(
        "ad requests", summary="Throttle for requests to an ad server.", cls="AdThrottle",
        keyed="PublisherThrottle", replay="replay_requests", take="allow", wait="hold_for",
        level="slots_at", admit="pass_through", token="slot", rate="pace", cost="price",
        key="publisher", requests="requests", unit="hour",
    ),
)  # fmt: skip

KEYS = ("ada", "bob")


def asked(v: Variant, capacity, rate, begin, requests, clauses: str) -> Check:
    """Requests (time, cost, way) at one bucket; `way` is what a bucket is asked besides."""
    numbers = v.clauses("call", clauses)
    if v.shape == "replay":
        pairs = [(now, cost) for now, cost, _ in requests]
        return Check((call(v.entry_point, pairs, capacity, rate, begin),), clauses=numbers)
    if v.shape == "keyed":
        steps = [call(v.entry_point, capacity, rate, bind="buckets")]
        # The bucket is there from the beginning, as in the other shapes.
        steps.append(call(f"buckets.{v['admit']}", KEYS[0], 0, begin))
        for now, cost, way in requests:
            key = KEYS[1] if way == "other" else KEYS[0]
            steps.append(call(f"buckets.{v['admit']}", key, cost, now))
        return Check(tuple(steps), clauses=numbers)
    steps = [call(v.entry_point, capacity, rate, begin, bind="bucket")]
    for now, cost, way in requests:
        if way == "wait":
            steps.append(call(f"bucket.{v['wait']}", cost, now))
        steps.append(call(f"bucket.{v['take']}", cost, now))
        if way == "level":
            steps.append(call(f"bucket.{v['level']}", now))
    return Check(tuple(steps), clauses=numbers)


def plainly(v: Variant, capacity, rate, pairs, clauses: str = "refill ask") -> Check:
    return asked(v, capacity, rate, 0, [(now, cost, "") for now, cost in pairs], clauses)


def visible(v: Variant, s: Stream):
    """Requests that are all granted, a bucket far from full, and one negative cost."""
    capacity, rate = s.between(6, 9), s.between(1, 2)
    yield plainly(v, 40, rate, [(20, 12 * rate), (30, 5), (36, 6)])
    yield plainly(v, capacity, 3, [(12, capacity - 2), (24, capacity - 1)])
    yield plainly(v, capacity, rate, [(15, 2), (17, -s.between(1, 3))], "ask numbers")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Idle time in two parts, or idle time of a full bucket, or all it holds at once."""
    capacity, rate = s.between(3, 6), 2
    if bug in ("cuts_span", "loses_rest"):
        return plainly(v, capacity, rate, [(20, capacity), (20 + HALF, 0), (21, 2)])
    if bug == "frozen":
        return plainly(v, capacity, rate, [(10, 0), (20, 0), (30, capacity), (30, capacity)])
    if bug == "overflow":
        return plainly(v, capacity, rate, [(10, 0), (30, capacity), (30, capacity)])
    if bug == "first_free":
        return plainly(v, capacity, rate, [(9, 2)])
    return plainly(v, capacity, rate, [(20, capacity)])


HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
RATES = (1, 2, 3, HALF, Fraction(2, 3))
# Times are drawn in twelfths of a unit; integers stay integers.
UNIT = 12
TIMES = tuple(n // UNIT if n % UNIT == 0 else Fraction(n, UNIT) for n in range(200 * UNIT))
BEGINS = (0, 6, 3, 3 * UNIT, 40)


def timed(v: Variant, capacity, rate, begin: int, requests, clauses: str) -> Check:
    """Requests whose times, and the beginning, are given in twelfths."""
    exact = [(TIMES[now], cost, way) for now, cost, way in requests]
    return asked(v, capacity, rate, TIMES[begin], exact, clauses)


def small_steps(v: Variant, s: Stream) -> Check:
    """Many requests within few units, after the bucket was emptied."""
    capacity, rate, begin = s.between(2, 5), s.choice(RATES), s.choice(BEGINS)
    now = begin + 20 * UNIT
    requests: list[tuple] = [(now, capacity, "level")]
    for _ in range(s.between(3, 5)):
        now += s.choice((3, 4, 6, 9))
        requests.append((now, s.choice((0, HALF, 1, rate)), s.choice(("wait", "level"))))
    return timed(v, capacity, rate, begin, requests, "refill ask refusal numbers more")


def idle_and_full(v: Variant, s: Stream) -> Check:
    """A look at the full bucket; long idle times, then as much as it holds, and a bit more."""
    capacity, rate, begin = s.between(2, 5), s.choice(RATES), s.choice(BEGINS)
    now = begin + 20 * UNIT
    requests: list[tuple] = [(now, 0, "")]
    for _ in range(2):
        now += s.choice((1, 10, 15, 30)) * UNIT
        requests.append((now, s.choice((0, 1, capacity)), "level"))
        requests.append((now, s.choice((capacity, 1)), "wait"))
    return timed(v, capacity, rate, begin, requests, "refill ask refusal more")


def too_much(v: Variant, s: Stream) -> Check:
    """Costs above the capacity by a little or a lot; the bucket full or nearly so."""
    capacity, rate, begin = s.between(2, 4), s.choice((1, 2, 3)), s.choice(BEGINS)
    plan = (
        (20, 1, "wait"),
        (21, capacity, "level"),
        (30, capacity + s.choice((1, 2, 10)), "wait"),
        (31, capacity + s.choice((0, 0, 1)), "wait"),
        (32, -1, "wait"),
    )
    requests = [(begin + units * UNIT, cost, way) for units, cost, way in plan]
    return timed(v, capacity, rate, begin, requests, "over ask more")


def back_in_time(v: Variant, s: Stream) -> Check:
    """Times that go back by a part of a unit or more, once or twice."""
    capacity, rate, begin = s.between(2, 5), s.choice((1, 2, HALF)), s.choice(BEGINS)
    now = begin + 10 * UNIT + s.choice((0, 6, 9))
    back = now - s.choice((3, 6, UNIT, 2 * UNIT, 7 * UNIT))
    requests = [(now, capacity - s.choice((0, 1)), "level"), (back, s.choice((0, 1, 2)), "wait")]
    requests += [(back + 6, 1, "level"), (now + 6, 1, "level"), (now + UNIT, 1, "wait")]
    if v.shape == "replay" and s.chance(1, 2):
        requests[1:3] = []
    return timed(v, capacity, rate, begin, requests, "back refill refusal")


def refused(v: Variant, s: Stream) -> Check:
    """Requests that come too early, and what is there after them."""
    capacity, rate, begin = s.between(3, 6), s.choice((1, 2, HALF)), s.choice(BEGINS)
    now = begin + 20 * UNIT
    requests = [(now, capacity - 1, "level")]
    for _ in range(3):
        now += s.choice((6, UNIT, UNIT))
        requests.append((now, s.between(2, capacity), "wait"))
    requests.append((now, 1, "level"))
    if s.chance(1, 2):
        requests.insert(2, (now, capacity, "other"))
    return timed(v, capacity, rate, begin, requests, "refusal ask more")


def wide(v: Variant, s: Stream) -> Check:
    """Random requests from the first moment on; some times go back, some costs are too high."""
    capacity, rate, begin = s.between(1, 5), s.choice(RATES), s.choice(BEGINS)
    now, requests = begin, []
    for _ in range(s.between(3, 8)):
        step = s.choice((0, 3, 6, UNIT, UNIT, 2 * UNIT, 5 * UNIT))
        now += -min(step, now) if s.chance(1, 14) else step
        cost = s.choice((0, HALF, 1, 1, 2, capacity, capacity))
        cost = capacity + 1 if s.chance(1, 20) else cost
        requests.append((now, cost, s.choice(("", "wait", "level", "other"))))
    return timed(v, capacity, rate, begin, requests, "refill ask refusal numbers")


def oracle(v: Variant):
    """Counts in whole grains what a bucket lacks to be full, and lets deliveries come one by one.

    A grain is a twelfth of a unit of time, a sixth of a token a unit, or their product.
    """
    is_steady, drains = v["refill"] == "steady", v["refusal"] == "drains"
    over_refused, back_refused = v["over"] == "refused", v["back"] == "refused"
    starts_empty = v["start"] == "empty"
    whole_rate = 6
    whole_token = UNIT * whole_rate

    def grains(amount, whole):
        if type(amount) is int:
            return amount * whole
        above, below = amount.as_integer_ratio()
        count, rest = divmod(above * whole, below)
        if rest:
            raise ArithmeticError(f"{amount} is not a number of grains")
        return count

    class Bucket:
        def __init__(self, capacity, rate, now):
            self.capacity, self.rate = grains(capacity, whole_token), grains(rate, whole_rate)
            self.lacks = self.capacity if starts_empty else 0
            self.latest = grains(now, UNIT)
            self.next_delivery = self.latest + UNIT

        def come_to(self, cost, now):
            """Lets time go on to `now`; gives the cost that counts."""
            need, then = grains(cost, whole_token), grains(now, UNIT)
            if need < 0 or (over_refused and need > self.capacity):
                raise ValueError
            if then < self.latest:
                if back_refused:
                    raise ValueError
                then = self.latest
            if is_steady:
                self.lacks = max(self.lacks - (then - self.latest) * self.rate, 0)
            while not is_steady and self.next_delivery <= then:
                self.lacks = max(self.lacks - self.rate * UNIT, 0)
                self.next_delivery += UNIT
            self.latest = then
            return min(need, self.capacity)

        def take(self, cost, now):
            lacks = self.come_to(cost, now) + self.lacks
            granted = lacks <= self.capacity
            if granted or drains:
                self.lacks = min(lacks, self.capacity)
            return granted

        def wait(self, cost, now):
            excess = self.come_to(cost, now) + self.lacks - self.capacity
            if excess <= 0:
                return Fraction(0)
            if is_steady:
                return Fraction(excess, self.rate * UNIT)
            delivery = self.next_delivery
            while (excess := excess - self.rate * UNIT) > 0:
                delivery += UNIT
            return Fraction(delivery - self.latest, UNIT)

        def left(self):
            return Fraction(self.capacity - self.lacks, whole_token)

        def level(self, now):
            self.come_to(0, now)
            return self.left()

    class Keyed:
        def __init__(self, capacity, rate):
            self.settings, self.buckets = (capacity, rate), {}

        def admit(self, key, cost, now):
            bucket = self.buckets.get(key) or Bucket(*self.settings, now)
            granted = bucket.take(cost, now)
            self.buckets[key] = bucket
            return Fraction(0) if granted else bucket.wait(cost, Fraction(bucket.latest, UNIT))

    def replay(requests, capacity, rate, begin):
        bucket = Bucket(capacity, rate, begin)
        return [(bucket.take(cost, now), bucket.left()) for now, cost in requests]

    for name in ("take", "wait", "level"):
        setattr(Bucket, v[name], Bucket.__dict__[name])
    setattr(Keyed, v["admit"], Keyed.admit)
    return {v["cls"]: Bucket, v["keyed"]: Keyed, v["replay"]: replay}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(BUCKET, KEYED, REPLAY),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(small_steps, idle_and_full, too_much, back_in_time, refused),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
