"""An update of several parts that fails leaves every visible part as it was."""

from sandbox.checks import Check, Compare, Ref, call, callback, get, look, raises, same, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "blame",
        first={
            "blame_clause": "the $key of the first bad $change", "blamed": "bad[0]",
            "after_bad": "break", "all_text": "",
        },
        every={
            "blame_clause": "the list of the ${key}s of all bad ${change}s in order, one for each", "blamed": "bad",
            "after_bad": "continue", "all_text": "A bad $change counts as not made for those after it.",
        },
    ),
    knob(
        "repeat",
        builds={
            "repeat_clause": "Several ${change}s of one $key build on each other",
            "plan_repeat": "", "journal_repeat": "", "made_line": "", "made_note": "",
        },
        refused={
            "repeat_clause": "A $change is bad as well when one before it, which is not bad, has the same $key",
            "plan_repeat": "$key in planned or ", "journal_repeat": "$key in made or ",
            "made_line": "made: set[str] = set()", "made_note": "made.add($key)",
        },
    ),
    knob(
        "told",
        each={
            "told_clause": "$notify($key, $level) is called for each $change in order, with the $level that this $change led to",
            "tell": "for ($key, _), $level in zip(${change}s, reached):\n    $teller($key, $level)",
        },
        together={
            "told_clause": "$notify(${key}s) is called once, with the sorted list of the ${key}s that have a $change, each $key once",
            "tell": "$teller(sorted({$key for $key, _ in ${change}s}))",
        },
    ),
    knob(
        "listener",
        stands={
            "listener_clause": "the ${change}s stand all the same",
            "announce": "$tell",
        },
        undone={
            "listener_clause": "all ${change}s are undone first",
            "announce": "try:\n    $tell\nexcept Exception:\n    $undo\n    raise",
        },
    ),
    knob(
        "empty",
        nothing={"empty_clause": "returns [] without a call of $notify", "empty_rule": "if not ${change}s:\n    return []"},
        refused={
            "empty_clause": "raises ValueError",
            "empty_rule": 'if not ${change}s:\n    raise ValueError("there is nothing to $apply")',
        },
    ),
)  # fmt: skip

CONTRACT = (
    Clause("opening", "$opening"),
    Clause(
        "change",
        """${change}s is a list of ($key, $amount) tuples, which are made in order: each adds its
        $amount, an integer of any sign or 0, to the $level of its $key and appends it to the $history. The result is the
        list of the $levels that the ${change}s led to, one for each.""",
    ),
    Clause(
        "bad",
        """A $change is bad when its $key is unknown or when it leads, after the ${change}s before it,
        to a $level below 0. $repeat_clause. $all_text""",
    ),
    Clause(
        "refusal",
        """When any $change is bad, $error is raised with one argument, $blame_clause. Everything is
        then as it was before the call, and $notify is not called.""",
    ),
    Clause("told", "Once all ${change}s are made, $told_clause."),
    Clause(
        "listener",
        """$notify may raise, but nothing other than Exceptions. It is not called again then and its
        error goes on to the caller; $listener_clause.""",
    ),
    Clause("empty", "An empty list of ${change}s $empty_clause."),
    Clause("record", "$record"),
)

HEAD = '''
"""$summary"""

from collections.abc import Callable
$imports


class $error(Exception):
    """Not every $change can be made; the argument tells which cannot."""
'''

COMMIT = """\
    for $key, $amount in ${change}s:
        ${store}[$key]["$level"] += $amount
        ${store}[$key]["$history"].append($amount)
"""
AT_ONCE = """\
        reached.append($level)
        ${store}[$key]["$level"] = $level
        ${store}[$key]["$history"].append($amount)
"""
RESTORE = """\
    if bad:
        ${store}.clear()
        ${store}.update(before)
"""

PLAN = Shape(
    name="plan",
    entry_point="$apply",
    words={
        "imports": "from typing import Any",
        "opening": '$apply($store, ${change}s, $notify) changes $store, a dict from each $key to a dict with a "$level", an '
        'integer of at least 0, and a "$history", a list of integers.',
        "record": "$store and the dicts and lists in it are changed in place; none of them is ever replaced by another object.",
        "teller": "$notify",
        "undo": """
            for $key, $amount in reversed(${change}s):
                ${store}[$key]["$level"] -= $amount
                ${store}[$key]["$history"].pop()
        """,
    },
    module=HEAD
    + '''\


def $apply(
    $store: dict[str, dict[str, Any]],
    ${change}s: list[tuple[str, int]],
    $notify: Callable[..., None],
) -> list[int]:
    """Make all ${change}s or none of them."""
    $empty_rule
    planned: dict[str, int] = {}
    reached: list[int] = []
    bad: list[str] = []
    for $key, $amount in ${change}s:
        start = planned.get($key, ${store}[$key]["$level"]) if $key in $store else None
        if start is None or ${plan_repeat}start + $amount < 0:
            bad.append($key)
            continue
        $level = start + $amount
        planned[$key] = $level
        reached.append($level)
    if bad:
        raise $error($blamed)
'''
    + COMMIT
    + '''\
    $announce
    return reached
''',
    bugs=(
        change("half", ("        reached.append($level)\n", AT_ONCE), (COMMIT, "")),
        change(
            "plan_blind",
            ("    planned: dict[str, int] = {}\n", ""),
            ('planned.get($key, ${store}[$key]["$level"]) if', '${store}[$key]["$level"] if'),
            ("        planned[$key] = $level\n", ""),
            when={"repeat": "builds"},
        ),
        change("history_left", ('            ${store}[$key]["$history"].pop()\n', ""), when={"listener": "undone"}),
        change(
            "end_only",
            ("start is None or start + $amount < 0:", "start is None:"),
            ("    if bad:\n", "    bad += [$key for $key, $level in planned.items() if $level < 0]\n    if bad:\n"),
            when={"repeat": "builds"},
        ),
        change("swallowed", ("        raise\n    return reached\n", "    return reached\n"), when={"listener": "undone"}),
        change("told_first", (COMMIT + "    $announce\n", "    $announce\n" + COMMIT), when={"listener": "stands"}),
    ),
    known_failing=(
        change(
            "replaced",
            ("from typing import Any\n", "from copy import deepcopy\nfrom typing import Any\n"),
            ("    planned: dict[str, int] = {}\n", "    before = deepcopy($store)\n    planned: dict[str, int] = {}\n"),
            ("        reached.append($level)\n", AT_ONCE),
            ("    if bad:\n", RESTORE),
            (COMMIT, ""),
            against=("half", "plan_blind"),
        ),
        change("unknown_key", ('${store}[$key]["$level"]) if $key in $store else None', '${store}[$key]["$level"])')),
        change("above_zero", ("start + $amount < 0", "start + $amount <= 0")),
        change("made_anyway", ("            bad.append($key)\n", "            bad.append($key)\n            planned[$key] = (start or 0) + $amount\n"), when={"blame": "every"}),
        change("blames_last", ("$error($blamed)", "$error(bad[-1])"), when={"blame": "first"}),
        change("names_twice", ("sorted({$key for $key, _ in ${change}s})", "[$key for $key, _ in ${change}s]"), when={"told": "together"}),
        change("level_at_end", ("$notify($key, $level)", '$notify($key, ${store}[$key]["$level"])'), when={"told": "each", "repeat": "builds"}),
    ),
)  # fmt: skip

UNDO = """\

    def _undo(self, journal: list[tuple[str, int]]) -> None:
        for $key, $amount in reversed(journal):
            self._set($key, self._levels[$key] - $amount)
            self._histories[$key].pop()
"""
NOT_UNDONE = (
    "            self._undo(journal)\n            raise $error",
    "            raise $error",
)

JOURNAL = Shape(
    name="journal",
    entry_point="$cls",
    words={
        "imports": "",
        "opening": "$cls($levels, $notify) starts with a dict from each $key to its $level, an integer of at least 0, and an "
        "empty $history for each. $apply(${change}s) changes them.",
        "record": "$peek($key) gives the tuple of the $level and the $history, a list. $at_zero() gives the sorted list of the "
        "${key}s whose $level is 0.",
        "teller": "self._$notify",
        "undo": "self._undo(journal)",
    },
    module=HEAD
    + '''\


class $cls:
    """Keeps the $level of each $key, its $history, and which $levels are at zero."""

    def __init__(self, $levels: dict[str, int], $notify: Callable[..., None]) -> None:
        self._$notify = $notify
        self._levels = dict($levels)
        self._histories: dict[str, list[int]] = {$key: [] for $key in $levels}
        self._zero = {$key for $key, $level in $levels.items() if $level == 0}

    def $apply(self, ${change}s: list[tuple[str, int]]) -> list[int]:
        """Make every $change; if that cannot be, leave no trace of any."""
        $empty_rule
        journal: list[tuple[str, int]] = []
        $made_line
        reached: list[int] = []
        bad: list[str] = []
        for $key, $amount in ${change}s:
            start = self._levels.get($key)
            if start is None or ${journal_repeat}start + $amount < 0:
                bad.append($key)
                $after_bad
            self._set($key, start + $amount)
            self._histories[$key].append($amount)
            journal.append(($key, $amount))
            $made_note
            reached.append(start + $amount)
        if bad:
            self._undo(journal)
            raise $error($blamed)
        $announce
        return reached

    def $peek(self, $key: str) -> tuple[int, list[int]]:
        """The $level and the $history of one $key."""
        return self._levels[$key], list(self._histories[$key])

    def $at_zero(self) -> list[str]:
        """The ${key}s with nothing left, sorted."""
        return sorted(self._zero)

    def _set(self, $key: str, $level: int) -> None:
        self._levels[$key] = $level
        if $level == 0:
            self._zero.add($key)
        else:
            self._zero.discard($key)
'''
    + UNDO,
    bugs=(
        change("half", NOT_UNDONE, when={"listener": "undone"}),
        change(
            "half",
            ("        journal: list[tuple[str, int]] = []\n", ""),
            ("            journal.append(($key, $amount))\n", ""),
            NOT_UNDONE,
            (f"\n{UNDO}", ""),
            when={"listener": "stands"},
        ),
        change("history_left", ("            self._set($key, self._levels[$key] - $amount)\n            self._histories[$key].pop()\n", "            self._set($key, self._levels[$key] - $amount)\n")),
        change("zero_stays", ("        if $level == 0:\n            self._zero.add($key)\n        else:\n            self._zero.discard($key)\n", "        if $level == 0:\n            self._zero.add($key)\n")),
        change("swallowed", ("            raise\n        return reached\n", "        return reached\n"), when={"listener": "undone"}),
        change("zero_left", ("self._set($key, self._levels[$key] - $amount)", "self._levels[$key] -= $amount")),
    ),
    known_failing=(
        change("last_only", ("in reversed(journal):", "in journal[-1:]:")),
        change("unknown_key", ("self._levels.get($key)", "self._levels[$key]")),
        change("above_zero", ("start + $amount < 0", "start + $amount <= 0")),
        change("keeps_zero", ("in reversed(journal):\n", "in reversed(journal):\n            self._zero.discard($key)\n"), ("            self._set($key, self._levels[$key] - $amount)", "            self._levels[$key] -= $amount"), against=("half", "history_left")),
        change("names_twice", ("sorted({$key for $key, _ in ${change}s})", "[$key for $key, _ in ${change}s]"), when={"told": "together"}),
        change("level_at_end", ("self._$notify($key, $level)", "self._$notify($key, self._levels[$key])"), when={"told": "each", "repeat": "builds"}),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "inventory move", summary="Stock movements, booked together.", apply="book", store="stock", change="movement", key="sku",
        amount="pieces", level="quantity", levels="quantities", history="log", notify="publish", error="MovementRefused", cls="Warehouse",
        peek="shelf", at_zero="sold_out",
    ),
    scenario(
        "account transfer", summary="Postings of one voucher to several accounts.", apply="post", store="accounts", change="posting",
        key="account", amount="cents", level="balance", levels="balances", history="trail", notify="report", error="VoucherRejected",
        cls="Ledger", peek="statement", at_zero="settled",
    ),
    scenario(
        "seat assignment", summary="Seats of course sections, assigned in one go.", apply="assign", store="sections", change="request",
        key="section", amount="seats", level="vacancy", levels="vacancies", history="record", notify="announce", error="AssignmentError",
        cls="Sections", peek="overview", at_zero="fully_booked",
    ),
    scenario(
        "quota revision", summary="Quotas of tenants, revised by a plan.", apply="revise", store="quotas", change="revision",
        key="tenant", amount="delta", level="limit", levels="limits", history="past", notify="inform", error="PlanRejected",
        cls="QuotaBook", peek="quota_of", at_zero="suspended",
    ),
)  # fmt: skip

KEYS = ("k1", "k2", "k3")
STRICT = Compare(exception_args=True)
QUIET, FAILS, FAILS_LATER = (
    callback(),
    callback(raises("OSError", "offline")),
    callback(None, raises("OSError", "offline")),
)


def script(
    v: Variant, clauses: str, levels, *updates, listener=QUIET, identity=False, strict=True
) -> Check:
    """Updates of one store that starts with the levels; everything is looked at after each update."""
    numbers = v.clauses("opening", "change", clauses)
    compare = STRICT if strict else Compare()
    steps = []
    if v.shape == "journal":
        steps.append(
            call(v["cls"], dict(zip(KEYS, levels, strict=False)), Ref("listener"), bind="book")
        )
        looks = [
            *(call(f"book.{v['peek']}", key) for key, _ in zip(KEYS, levels, strict=False)),
            call(f"book.{v['at_zero']}"),
        ]
        for update in updates:
            steps += [call(f"book.{v['apply']}", update), *looks]
        return Check(tuple(steps), {"listener": listener}, clauses=numbers, compare=compare)
    start = {
        key: {v["level"]: level, v["history"]: [level] if level else []}
        for key, level in zip(KEYS, levels, strict=False)
    }
    ends = []
    if identity:
        steps += [get("store.k1", bind="entry"), get(f"store.k1.{v['history']}", bind="past")]
        ends = [same("store.k1", "entry"), same(f"store.k1.{v['history']}", "past")]
    for update in updates:
        steps += [call(v["apply"], Ref("store"), update, Ref("listener")), look("store")]
    return Check(
        (*steps, *ends),
        {"store": value(start), "listener": listener},
        clauses=numbers,
        compare=compare,
    )


def visible(v: Variant, s: Stream):
    """Updates that can be made, and one with a single bad change."""
    first, second = s.between(4, 9), s.between(4, 9)
    yield script(v, "told", (first, second), [("k1", -s.between(1, 3)), ("k2", s.between(1, 5))])
    yield script(v, "told record", (first, 3), [("k1", 2)], [("k2", -2)])
    yield script(v, "bad refusal", (2, second), [("k1", -s.between(3, 9))])


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A good change before a bad one; a second withdrawal; a listener that fails."""
    level = s.between(3, 6)
    if bug == "half":
        return script(
            v, "bad refusal", (level, 2), [("k1", s.between(1, 4)), ("k2", -s.between(3, 6))]
        )
    if bug == "plan_blind":
        return script(v, "bad refusal", (level, 2), [("k1", 1 - level), ("k1", -2)])
    if bug == "end_only":
        return script(v, "bad refusal", (level, 2), [("k1", -level - 1), ("k1", s.between(2, 4))])
    if bug == "zero_stays":
        return script(v, "change record", (0, level), [("k1", s.between(2, 4)), ("k2", 1)])
    if bug == "zero_left":
        return script(
            v, "refusal record", (level, 0), [("k2", s.between(1, 4)), ("k1", -level - 1)]
        )
    if bug == "history_left" and v.shape == "journal":
        return script(v, "refusal record", (level, 2), [("k1", 1), ("k2", -s.between(3, 6))])
    return script(v, "listener told", (level, 2), [("k1", s.between(1, 4))], listener=FAILS)


def some_changes(s: Stream, levels, count: int):
    """Changes that mostly can be made, near the levels."""
    return [(s.choice(KEYS[: len(levels)]), s.choice((1, 2, 3, -1, -1, -2))) for _ in range(count)]


def start_levels(s: Stream):
    return [s.choice((0, 1, 2, 3, 4)) for _ in range(s.between(2, 3))]


def bad_after_good(v: Variant, s: Stream) -> Check:
    """Some good changes, then one that is bad, then more; the same store afterwards."""
    levels = [s.between(1, 4), s.choice((0, 0, 1, 3)), s.choice((0, 0, 2))]
    good = [("k1", s.between(1, 3)), (s.choice(("k2", "k3")), s.between(1, 3))][
        : s.choice((1, 2, 2))
    ]
    bad = s.choice((("k9", s.choice((1, -1, 0))), ("k3", -s.between(6, 9))))
    update = [*s.shuffle(good), bad, *some_changes(s, levels, s.below(3))]
    return script(v, "bad refusal record", levels, update, [("k1", 1)], identity=True)


def at_zero(v: Variant, s: Stream) -> Check:
    """Changes that lead to 1, 0 and -1."""
    levels = [s.between(1, 4), s.between(1, 4), 0]
    updates = [
        [(key, -level + s.choice((1, 0, 0, -1)))] for key, level in zip(KEYS, levels, strict=True)
    ]
    updates[2] = [("k1", s.between(1, 2)), ("k3", s.choice((0, 1, -1)))]
    return script(v, "bad refusal record", levels, *updates)


def one_key_again(v: Variant, s: Stream) -> Check:
    """Several changes of one key: each may be made alone, together they go too far, or just not."""
    level = s.between(2, 5)
    third = s.choice((-1, 0, 1))
    update = [
        ("k2", 1),
        ("k1", -level + 1),
        ("k1", s.choice((-1, -1, -2, -2))),
        ("k2", third),
        ("k1", s.choice((2, -1))),
    ]
    return script(
        v,
        "bad refusal told",
        (level, 1),
        update[: s.choice((3, 5, 5))],
        [("k1", 1), ("k2", 1), ("k1", 1)],
    )


def listener_fails(v: Variant, s: Stream) -> Check:
    """The listener fails at once or the second time."""
    levels = [s.between(0, 3), s.between(0, 3)]
    update = [("k1", s.between(1, 3)), ("k2", s.between(1, 3))]
    later = [("k2", s.between(1, 3)), ("k1", s.between(1, 3))]
    return script(
        v,
        "told listener record",
        levels,
        update,
        later,
        listener=s.choice((FAILS, FAILS_LATER)),
        identity=True,
    )


def several_bad(v: Variant, s: Stream) -> Check:
    """Two or three bad changes, the same key among them twice, and a good one behind the first."""
    levels = [s.between(1, 3), s.between(0, 2)]
    bad = [("k1", -s.between(4, 6)), ("k8", 1), ("k1", -levels[0] - 1), ("k2", -3)]
    update = s.sample(bad, s.between(2, 3))
    update.insert(s.between(1, len(update)), ("k1", s.choice((-1, 1, 1))))
    return script(v, "bad refusal", levels, update)


def empty(v: Variant, s: Stream) -> Check:
    """Nothing to do, between two updates."""
    levels = start_levels(s)
    return script(
        v,
        "empty told",
        levels,
        [("k1", s.between(1, 3))],
        [],
        [("k2", s.between(1, 3))],
        strict=False,
    )


def wide(v: Variant, s: Stream) -> Check:
    """Two drawn updates."""
    levels = start_levels(s)
    updates = [some_changes(s, levels, s.between(1, 4)) for _ in range(2)]
    if s.chance(1, 5):
        updates[0].insert(s.below(2), ("k9", 1))
    listener = s.choice((QUIET, QUIET, FAILS_LATER))
    return script(v, "bad refusal told listener record", levels, *updates, listener=listener)


def oracle(v: Variant):
    """Works on lists of amounts alone: a level is the sum of what was ever added."""
    refused = type(v["error"], (Exception,), {"__module__": "module"})

    def attempt(past, update):
        """What the lists of amounts come to, and the levels reached; raises if any change is bad."""
        made, bad, reached = [], [], []
        for key, amount in update:
            before = [gone for other, gone in made if other == key]
            total = sum(past.get(key, [])) + sum(before) + amount
            if key not in past or total < 0 or (before and v["repeat"] == "refused"):
                bad.append(key)
            else:
                made.append((key, amount))
                reached.append(total)
        if bad:
            raise refused(bad if v["blame"] == "every" else bad[0])
        return {
            key: amounts + [amount for other, amount in made if other == key]
            for key, amounts in past.items()
        }, reached

    def tell(listener, update, reached):
        if v["told"] == "together":
            listener(sorted(dict(update)))
        else:
            for at, (key, _) in enumerate(update):
                listener(key, reached[at])

    def carry_out(past, update, listener, write):
        if not update:
            if v["empty"] == "refused":
                raise ValueError
            return []
        after, reached = attempt(past, update)
        write(after)
        try:
            tell(listener, update, reached)
        except OSError:
            if v["listener"] == "undone":
                write(past)
            raise
        return reached

    def model(store, update, listener):
        old = {key: (entry[v["level"]], list(entry[v["history"]])) for key, entry in store.items()}

        def write(past):
            for key, amounts in past.items():
                store[key][v["level"]] = sum(amounts)
                store[key][v["history"]][:] = old[key][1] + amounts[1:]

        return carry_out({key: [level] for key, (level, _) in old.items()}, update, listener, write)

    class Book:
        def __init__(self, levels, listener):
            self.past, self.listener = {key: [level] for key, level in levels.items()}, listener

        def apply(self, update):
            return carry_out(
                self.past, update, self.listener, lambda past: setattr(self, "past", past)
            )

        def peek(self, key):
            return sum(self.past[key]), self.past[key][1:]

        def at_zero(self):
            return sorted(key for key, amounts in self.past.items() if sum(amounts) == 0)

    if v.shape == "plan":
        return {v["apply"]: model, v["error"]: refused}
    for name in ("apply", "peek", "at_zero"):
        setattr(Book, v[name], Book.__dict__[name])
    return {v["cls"]: Book, v["error"]: refused}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(PLAN, JOURNAL),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(bad_after_good, at_zero, one_key_again, listener_fails, several_bad, empty),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
