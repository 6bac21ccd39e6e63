"""Whatever the order of turns, no more claimants win than the contract allows."""

from functools import cache

from sandbox.checks import Check, Ref, Step, call, callback, interleave, look, raises, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob("limit", one={"most": "1"}, several={"most": "$seats"}),
    knob(
        "scope",
        per_key={
            "counted": "on one $key",
            "here": "on this $key",
            "pairs_rivals": "[holder for claimed, holder in self._claims if claimed == $key]",
            "dict_rivals": "claims.get($key, [])",
            "ticket_rivals": "{holder for claimed, holder in self._tickets.values() if claimed == $key}",
        },
        overall={
            "counted": "on all ${key}s together",
            "here": "on any $key",
            "pairs_rivals": "[holder for _, holder in self._claims]",
            "dict_rivals": "[holder for holders in claims.values() for holder in holders]",
            "ticket_rivals": "{holder for _, holder in self._tickets.values()}",
        },
    ),
    knob(
        "loser",
        told={"loser_clause": 'gets "$lost"', "loser_again": 'gets "$lost" as well', "turn_away": 'return "$lost"'},
        holders={
            "loser_clause": "gets the sorted list of the ${who}s that hold a claim $here",
            "loser_again": "gets that list as well, itself in it",
            "turn_away": "return sorted(rivals)",
        },
        raises={"loser_clause": "is refused with $error", "loser_again": "is refused with $error as well", "turn_away": "raise $error($key)"},
    ),
    knob(
        "again",
        refused={
            "again_clause": "$loser_again, even when there is room",
            "again_rule": "",
            "no_room": "$who in rivals or len(rivals) >= $most_name",
        },
        welcome={
            "again_clause": 'gets "$already" at once, even when there is no room; $note and '
            "$work are not called",
            "again_rule": 'if $who in rivals:\n    return "$already"',
            "no_room": "len(rivals) >= $most_name",
        },
    ),
    knob(
        "failed",
        frees={
            "failed_clause": "is given up",
            "pad": "    ",
            "try_line": "try:",
            "pairs_undo": "except BaseException:\n    self._claims.remove(($key, $who))\n    raise",
            "dict_undo": "except BaseException:\n    _give_up(claims, $key, $who)\n    raise",
            "ticket_undo": "except BaseException:\n    del self._tickets[number]\n    raise",
            "dict_helper": '''
                def _give_up(claims: dict[str, list[str]], $key: str, $who: str) -> None:
                    """Take one claim off the record."""
                    claims[$key].remove($who)
                    if not claims[$key]:
                        del claims[$key]
            ''',
        },
        keeps={
            "failed_clause": "stays held",
            "pad": "",
            "try_line": "",
            "pairs_undo": "",
            "dict_undo": "",
            "ticket_undo": "",
            "dict_helper": "",
        },
    ),
)  # fmt: skip

CONTRACT = (
    Clause(
        "turns",
        """$opening is a generator function. Many of its generators run by turns: up to its next yield
        a generator runs alone, and at a yield any of the others may go on. Its outcome is what it
        returns. The ${key}s and ${who}s are text; $note never raises.""",
    ),
    Clause(
        "stages",
        """Whether the $who gets the claim is decided, and the claim taken, in the first turn, before
        any yield. A $who that gets it yields, calls $note($key, $who), yields again, calls
        $work($key) and returns what that returned. These two yields are the only ones: a $who
        that does not get the claim ends in its first turn, and $note and $work are not called.""",
    ),
    Clause("limit", "The number of claims held at the same time $counted is at most $most."),
    Clause("loser", "A $who that comes while this number is reached $loser_clause."),
    Clause("again", "A $who that already holds a claim $here $again_clause."),
    Clause(
        "failed",
        """When $work raises, whatever the exception, or the generator is closed at one of its yields, the claim
        $failed_clause; what $work raised goes on to the caller. Once $work has returned, the claim
        is held for good.""",
    ),
    Clause("record", "$record_clause"),
)

EARLY_YIELD = ("${pad}yield\n        ${pad}self._$note(", "${pad}self._$note(")
NOTE_SWAPPED = (
    "${pad}yield\n        ${pad}self._$note($key, $who)\n",
    "${pad}self._$note($key, $who)\n        ${pad}yield\n",
)
KEPT_RUN = (
    "        yield\n        self._$note($key, $who)\n        yield\n        return $work($key)\n",
    """\
        try:
            yield
            self._$note($key, $who)
            yield
            return $work($key)
        except GeneratorExit:
            self._claims.remove(($key, $who))
            raise
""",
)

PAIRS = Shape(
    name="pairs",
    entry_point="$cls",
    words={
        "opening": "$cls($note) lets ${who}s claim ${key}s; its method $claim($key, $who, $work)",
        "record_clause": "$held() gives the sorted list of the ($key, $who) tuples of all claims held now.",
    },
    module='''
"""$summary"""

from collections.abc import Callable, Generator

$most_name = $most


class $cls:
    """Keeps the claims of ${who}s that take turns.

    There are no locks here: whoever runs between two yields has the record to itself.
    """

    def __init__(self, $note: Callable[[str, str], None]) -> None:
        self._$note = $note
        self._claims: list[tuple[str, str]] = []

    def $claim(
        self, $key: str, $who: str, $work: Callable[[str], object]
    ) -> Generator[None, None, object]:
        """Claim $key for $who and do the work under that claim."""
        rivals = $pairs_rivals
        $again_rule
        if $no_room:
            $turn_away
        self._claims.append(($key, $who))
        $try_line
        ${pad}yield
        ${pad}self._$note($key, $who)
        ${pad}yield
        ${pad}return $work($key)
        $pairs_undo

    def $held(self) -> list[tuple[str, str]]:
        """All claims that are held now, sorted."""
        return sorted(self._claims)
''',
    bugs=(
        change(
            "late",
            ("        self._claims.append(", "        yield\n        self._claims.append("),
            EARLY_YIELD,
        ),
        change(
            "after_note",
            ("        self._claims.append(", "        yield\n        self._$note($key, $who)\n        self._claims.append("),
            ("${pad}yield\n        ${pad}self._$note($key, $who)\n        ${pad}yield", "${pad}yield"),
        ),
        change(
            "frees_all",
            ("self._claims.remove(($key, $who))", "self._claims = [pair for pair in self._claims if pair[0] != $key]"),
            when={"failed": "frees", "limit": "several"},
        ),
    ),
    known_failing=(
        change(
            "asks_again",
            ("        self._claims.append(", """\
        yield
        rivals = $pairs_rivals
        if $no_room:
            $turn_away
        self._claims.append("""),
            EARLY_YIELD,
        ),
        change("notes_first", NOTE_SWAPPED),
        change("not_closed", ("except BaseException:", "except Exception:"), when={"failed": "frees"}),
        change("frees_closed", KEPT_RUN, when={"failed": "keeps"}),
    ),
)  # fmt: skip

RECORD = Shape(
    name="record",
    entry_point="$claim",
    words={
        "opening": "$claim(claims, $note, $key, $who, $work)",
        "record_clause": "claims, an empty dict at first, is the record and is changed in place: it has the list "
        "of the ${who}s that hold each $key, in order of claiming, and no entry for a $key that nobody holds.",
    },
    module='''
"""$summary"""

from collections.abc import Callable, Generator

$most_name = $most


def $claim(
    claims: dict[str, list[str]],
    $note: Callable[[str, str], None],
    $key: str,
    $who: str,
    $work: Callable[[str], object],
) -> Generator[None, None, object]:
    """Claim $key for $who on the shared record and do the work under that claim.

    Every yield lets the other claimants have a turn.
    """
    rivals = $dict_rivals
    $again_rule
    if $no_room:
        $turn_away
    claims.setdefault($key, []).append($who)
    $try_line
    ${pad}yield
    ${pad}$note($key, $who)
    ${pad}yield
    ${pad}return $work($key)
    $dict_undo


$dict_helper
''',
    bugs=(
        change(
            "late",
            ("    claims.setdefault(", "    yield\n    claims.setdefault("),
            ("${pad}yield\n    ${pad}$note(", "${pad}$note("),
        ),
        change(
            "stale",
            (
                "    claims.setdefault($key, []).append($who)\n",
                "    holders = [*claims.get($key, []), $who]\n    yield\n    claims[$key] = holders\n",
            ),
            ("${pad}yield\n    ${pad}$note(", "${pad}$note("),
        ),
        change(
            "frees_all",
            (
                "        _give_up(claims, $key, $who)\n        raise\n\n\n$dict_helper\n",
                "        claims.pop($key, None)\n        raise\n",
            ),
            when={"failed": "frees", "limit": "several"},
        ),
    ),
    known_failing=(
        change(
            "asks_again",
            ("    claims.setdefault(", """\
    yield
    rivals = $dict_rivals
    if $no_room:
        $turn_away
    claims.setdefault("""),
            ("${pad}yield\n    ${pad}$note(", "${pad}$note("),
        ),
        change(
            "notes_first",
            (
                "${pad}yield\n    ${pad}$note($key, $who)\n",
                "${pad}$note($key, $who)\n    ${pad}yield\n",
            ),
        ),
        change("not_closed", ("except BaseException:", "except Exception:"), when={"failed": "frees"}),
        change(
            "frees_closed",
            ("    yield\n    $note($key, $who)\n    yield\n    return $work($key)\n", """\
    try:
        yield
        $note($key, $who)
        yield
    except GeneratorExit:
        claims[$key].remove($who)
        raise
    return $work($key)
"""),
            when={"failed": "keeps"},
        ),
    ),
)  # fmt: skip

TICKETS = Shape(
    name="tickets",
    entry_point="$cls",
    words={
        "opening": "$cls($note) lets ${who}s claim ${key}s; its method $claim($key, $who, $work)",
        "record_clause": "$held() gives the sorted list of the ($key, $who) tuples of all claims held now.",
    },
    module='''
"""$summary"""

from collections.abc import Callable, Generator

$most_name = $most


class $cls:
    """Numbers every claim; a number stands for one claim only."""

    def __init__(self, $note: Callable[[str, str], None]) -> None:
        self._$note = $note
        self._tickets: dict[int, tuple[str, str]] = {}
        self._issued = 0

    def $claim(
        self, $key: str, $who: str, $work: Callable[[str], object]
    ) -> Generator[None, None, object]:
        """Give $who a ticket for $key, if there is one, and see the work through."""
        rivals = $ticket_rivals
        $again_rule
        if $no_room:
            $turn_away
        number = self._issue($key, $who)
        return (yield from self._see_through(number, $work))

    def $held(self) -> list[tuple[str, str]]:
        """Every $key with its $who, sorted."""
        return sorted(self._tickets.values())

    def _issue(self, $key: str, $who: str) -> int:
        self._issued += 1
        self._tickets[self._issued] = ($key, $who)
        return self._issued

    def _see_through(
        self, number: int, $work: Callable[[str], object]
    ) -> Generator[None, None, object]:
        $key, $who = self._tickets[number]
        $try_line
        ${pad}yield
        ${pad}self._$note($key, $who)
        ${pad}yield
        ${pad}return $work($key)
        $ticket_undo
''',
    bugs=(
        change("late", ("        number = self._issue(", "        yield\n        number = self._issue("), EARLY_YIELD),
        change(
            "after_note",
            ("        number = self._issue(", "        yield\n        self._$note($key, $who)\n        number = self._issue("),
            ("$key, $who = self._t", "$key, _ = self._t"),
            ("${pad}yield\n        ${pad}self._$note($key, $who)\n        ${pad}yield", "${pad}yield"),
        ),
        change(
            "number_twice",
            ("        self._issued += 1\n", "        self._issued = len(self._tickets) + 1\n"),
            when={"failed": "frees", "limit": "several"},
        ),
    ),
    known_failing=(
        change(
            "asks_again",
            ("        number = self._issue(", """\
        yield
        rivals = $ticket_rivals
        if $no_room:
            $turn_away
        number = self._issue("""),
            EARLY_YIELD,
        ),
        change("notes_first", NOTE_SWAPPED),
        change("not_closed", ("except BaseException:", "except Exception:"), when={"failed": "frees"}),
        change(
            "frees_closed",
            (KEPT_RUN[0], KEPT_RUN[1].replace("self._claims.remove(($key, $who))", "del self._tickets[number]")),
            when={"failed": "keeps"},
        ),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "job claiming", summary="Workers claim jobs from a board.", cls="JobBoard", claim="claim",
        key="job", who="worker", note="audit", work="work", held="claims", most_name="MOST_CLAIMS",
        lost="taken", already="yours",
    ),
    scenario(
        "seat sale", summary="Sale of places on guided tours.", cls="TourSales", claim="reserve",
        key="tour", who="guest", note="confirm", work="charge", held="reserved", most_name="PLACES",
        lost="sold out", already="reserved",
    ),
    scenario(
        "username registration", summary="Registration of account names.", cls="NameRegistry", claim="register",
        key="name", who="user", note="announce", work="provision", held="registered", most_name="MOST_REGISTRATIONS",
        lost="unavailable", already="registered",
    ),
    scenario(
        "coupon redemption", summary="Coupons, redeemed by customers at the till.", cls="CouponDesk", claim="redeem",
        key="coupon", who="customer", note="log_use", work="apply", held="redeemed", most_name="USES",
        lost="used up", already="redeemed before",
    ),
    scenario(
        "drone control", summary="Pilots take control of drones.", cls="ControlRoom", claim="take_over",
        key="drone", who="pilot", note="report", work="drive", held="controlled", most_name="MOST_SESSIONS",
        lost="busy", already="in control",
    ),
)  # fmt: skip

KEYS, NAMES, LABELS = ("k1", "k2"), ("ada", "ben", "cy", "dot"), "ABCD"
GOOD = {"note": callback(), "good": callback("done", "again")}
BOTH = {**GOOD, "bad": callback(raises("OSError", "offline"))}
WORK = {work: Ref(work) for work in ("good", "bad")}
GOOD_WRITTEN, BOTH_WRITTEN = {"claims": value({}), **GOOD}, {"claims": value({}), **BOTH}
CLAIMS, WRITTEN = look("claims"), (Ref("claims"), Ref("note"))


@cache
def made(cls: str) -> Step:
    return call(cls, Ref("note"), bind="book")


@cache
def held(name: str) -> Step:
    return call(f"book.{name}")


def script(v: Variant, clauses: str, *rounds) -> Check:
    """Rounds of claimants against one record, which is looked at after each.

    A round is (claims, schedule, labels to close); a claim is (key, who, name of the work).
    """
    if v.shape == "record":
        steps, target, first, record = [], v["claim"], WRITTEN, CLAIMS
    else:
        steps, target, first, record = [made(v["cls"])], f"book.{v['claim']}", (), held(v["held"])
    any_bad = False
    for claims, schedule, closed in rounds:
        tasks = {}
        for label, (key, who, work) in zip(LABELS, claims, strict=False):
            tasks[label] = (target, (*first, key, who, WORK[work]))
            any_bad = any_bad or work == "bad"
        steps += (interleave(tasks, schedule, close=closed), record)
    if v.shape == "record":
        fixtures = BOTH_WRITTEN if any_bad else GOOD_WRITTEN
    else:
        fixtures = BOTH if any_bad else GOOD
    return Check(steps, fixtures, clauses=v.clauses("record", clauses))


def room(v: Variant) -> int:
    return 1 if v["limit"] == "one" else v["seats"]


def one_by_one(*claims, schedule=(), closed=()):
    """Each claimant comes to its end before the next one starts."""
    return claims, (*"AAABBBCCCDDD"[: 3 * len(claims)], *schedule), closed


def visible(v: Variant, s: Stream):
    """Claimants one after the other: winners, one too many, and work that fails."""
    ada, ben, *others = s.shuffle(NAMES)
    key, other = s.shuffle(KEYS)
    crowd = [(key, who, "good") for who in (ada, ben, *others)][: room(v) + 1]
    yield script(v, "turns stages limit loser", one_by_one(*crowd))
    yield script(v, "stages failed", one_by_one((key, ada, "bad"), (key, ben, "good")))
    yield script(
        v, "limit again", one_by_one((key, ada, "good"), (key, ada, "good"), (other, ben, "good"))
    )


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """One claimant too many arrives before the others go on; or one of two gives up."""
    names, key = s.shuffle(NAMES), s.choice(KEYS)
    if bug in ("frees_all", "number_twice"):
        first, second, third = ((key, who, "good") for who in names[:3])
        failing = (key, names[0], "bad")
        rounds = ((failing, second), ("A", "B") * 3, ()), one_by_one(third)
        return script(v, "limit failed", *rounds)
    crowd = [(key, who, "good") for who in names][: room(v) + 1]
    return script(v, "turns stages limit", (crowd, LABELS[: len(crowd)] * 3, ()))


def drawn(s: Stream, labels: str, turns: int) -> list[str]:
    """A schedule of so many turns."""
    below, tasks = s.below, len(labels)
    return [labels[below(tasks)] for _ in range(turns)]


def crowd_of(v: Variant, s: Stream, works=("good",)):
    names, key = s.shuffle(NAMES), s.choice(KEYS)
    below, kinds = s.below, len(works)
    crowd = [(key, who, works[below(kinds)]) for who in names]
    return crowd[: min(4, room(v) + 1 + below(2))]


def crowded(v: Variant, s: Stream) -> Check:
    """More claimants than places; who arrived last goes on first."""
    crowd = crowd_of(v, s)
    labels = LABELS[: len(crowd)]
    order = s.shuffle(labels)
    late = drawn(s, labels, s.between(2, 6))
    return script(v, "stages limit loser", (crowd, (*order, *reversed(order), *late), ()))


def given_up(v: Variant, s: Stream) -> Check:
    """Claims that fail or are closed at either yield, and who comes afterwards."""
    crowd = crowd_of(v, s, ("good", "bad"))[: room(v)]
    labels = LABELS[: len(crowd)]
    turns = s.shuffle([label for label in labels for _ in range(s.choice((1, 1, 2)))])
    closed = tuple(s.sample(labels, s.between(1, len(labels)))) if s.chance(5, 6) else ()
    more = [(crowd[0][0], who, "good") for who in s.shuffle(NAMES)]
    return script(
        v, "failed limit loser", (crowd, turns, closed), one_by_one(*more[: s.between(2, 3)])
    )


def asked_twice(v: Variant, s: Stream) -> Check:
    """The same claimant again: while its first claim is under way, and later."""
    key, other = s.shuffle(KEYS)
    ada, ben = s.sample(NAMES, 2)
    second = s.choice(((key, ada, "good"), (key, ada, "bad"), (other, ada, "good")))
    claims = s.shuffle(((key, ada, s.choice(("good", "bad"))), second, (key, ben, "good")))
    schedule = drawn(s, "ABC", s.between(3, 8))
    later = one_by_one((s.choice(KEYS), s.choice((ada, ben)), "good"), (key, ada, "good"))
    return script(v, "again limit stages", (claims, schedule, ()), later)


def two_keys(v: Variant, s: Stream) -> Check:
    """Claims on two keys at the same time."""
    names = s.shuffle(NAMES)
    keys = s.shuffle((*KEYS, *KEYS))
    claims = [(key, who, "good") for key, who in zip(keys, names, strict=True)]
    schedule = drawn(s, LABELS, s.between(4, 10))
    return script(v, "limit loser stages", (claims, schedule, ()))


def wide(v: Variant, s: Stream) -> Check:
    """Two rounds of claimants under drawn schedules."""
    rounds, below = [], s.below
    for count in (2 + below(3), 1 + below(3)):
        claims = [
            (("k1", "k1", "k2")[below(3)], NAMES[below(4)], ("good", "good", "bad")[below(3)])
            for _ in range(count)
        ]
        labels = LABELS[:count]
        schedule = drawn(s, labels, 2 + below(8))
        rounds.append((claims, schedule, (labels[below(count)],) if below(3) == 0 else ()))
    return script(v, "turns stages limit loser again failed", *rounds)


def oracle(v: Variant):
    """Each claimant is a step counter, and the record is asked of all who ever got a claim."""
    seats, overall, frees = room(v), v["scope"] == "overall", v["failed"] == "frees"
    welcome, loser = v["again"] == "welcome", v["loser"]
    refusal = {"LookupError": LookupError, "PermissionError": PermissionError}[v["error"]]

    class Book:
        def __init__(self, note):
            self.note, self.winners = note, []

        def held(self):
            return sorted([(one.key, one.who) for one in self.winners if one.holds])

    class Claimant:
        holds = False

        def __init__(self, book, key, who, work):
            self.book, self.key, self.who, self.work, self.turn = book, key, who, work, 0

        def __next__(self):
            self.turn += 1
            if self.turn == 1:
                self.arrive()
            elif self.turn == 2:
                self.book.note(self.key, self.who)
            else:
                try:
                    done = self.work(self.key)
                except OSError:
                    self.give_up()
                    raise
                raise StopIteration(done)

        def close(self):
            if self.turn in (1, 2):
                self.give_up()

        def arrive(self):
            near = self.near()
            if self.who in near and welcome:
                raise StopIteration(v["already"])
            if self.who in near or len(near) == seats:
                if loser == "raises":
                    raise refusal
                raise StopIteration(v["lost"] if loser == "told" else sorted(near))
            self.get()

        def give_up(self):
            if frees:
                self.lose()

        def near(self):
            """Holders of the claims that count for this one."""
            others = self.book.winners
            return [one.who for one in others if one.holds and (overall or one.key == self.key)]

        def get(self):
            self.holds = True
            self.book.winners.append(self)

        def lose(self):
            self.holds = False

    if v.shape != "record":
        setattr(Book, v["claim"], lambda self, key, who, work: Claimant(self, key, who, work))
        setattr(Book, v["held"], Book.held)
        return {v["cls"]: Book}

    class Written(Claimant):
        """Has no memory of its own: what is written in the shared record counts."""

        def __init__(self, claims, note, key, who, work):
            super().__init__(Book(note), key, who, work)
            self.claims = claims

        def near(self):
            lists = self.claims.values() if overall else [self.claims.get(self.key, [])]
            return [who for holders in lists for who in holders]

        def get(self):
            self.claims[self.key] = [*self.claims.get(self.key, []), self.who]

        def lose(self):
            left = [who for who in self.claims.pop(self.key) if who != self.who]
            if left:
                self.claims[self.key] = left

    return {v["claim"]: Written}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(PAIRS, RECORD, TICKETS),
    scenarios=SCENARIOS,
    choices={"seats": (2, 3), "error": ("LookupError", "PermissionError")},
    visible=visible,
    symptom=symptom,
    edges=(crowded, given_up, asked_twice, two_keys),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
