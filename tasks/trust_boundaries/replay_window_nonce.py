"""A message is accepted once, within the window, and its nonce lives as long as it has to."""

from functools import cache

from sandbox.checks import Check, Ref, Step, call, callback, clock, tick
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

HEAP_NOW = '''
def _now(self) -> int:
    """The present time; what is in use no longer has been let go."""
    now = self._clock()
    while self._ends and self._ends[0][0] $expired now:
        self._used.discard(heappop(self._ends)[1])
    return now
'''

KNOBS = (
    knob(
        "edge",
        inclusive={
            "span": "is at most", "beyond": ">", "flipped": ">=",
            "within": "<=", "short": "<", "expired": "<", "other_expired": "<=",
        },
        exclusive={
            "span": "is less than", "beyond": ">=", "flipped": ">",
            "within": "<", "short": "<=", "expired": "<=", "other_expired": "<",
        },
    ),
    knob(
        "future",
        same={"ahead_text": "$tolerance", "ahead_line": "", "ahead_name": "TOLERANCE"},
        smaller={"ahead_text": "$ahead", "ahead_line": "AHEAD = $ahead", "ahead_name": "AHEAD"},
    ),
    knob(
        "scope",
        sender={
            "scope_clause": "by a $message of the same $sender",
            "key": "key",
            "key_line": "key = ($sender, $nonce)",
            "other_key": "key",
            "other_line": 'key = f"{$sender}{$nonce}"',
            "key_type": "tuple[str, str]",
            "used_things": "pairs of $sender and $nonce",
        },
        everybody={
            "scope_clause": "by a $message of any $sender",
            "key": "$nonce",
            "key_line": "",
            "other_key": "key",
            "other_line": "key = ($sender, $nonce)",
            "key_type": "str",
            "used_things": "${nonce}s",
        },
    ),
    knob(
        "kept",
        by_stamp={
            "kept_clause": "while the present time minus the $stamp of that $message $span $tolerance",
            "late_note": ', though that of a "late" one is at once out of use again',
            "anchor": "$stamp", "other_anchor": "now",
            "is_used": "key in self._since and now - self._since[key] $within TOLERANCE",
            "is_used_rule": "now = 0\n\ndef is_used(key: $key_type) -> bool:\n    return any(use == key and now - since $within TOLERANCE for use, since in uses)",
            "used_here": "is_used($key)",
            "no_uses": "uses: list[tuple[$key_type, int]] = []",
            "note_use": "uses.append(($key, $anchor))", "note_other": "uses.append(($key, $other_anchor))",
            "note_now": "uses.append(($key, now))", "number_used": "len({key for key, _ in uses if is_used(key)})",
            "used_args": "$key, now", "used_params": "key: $key_type, now: int",
            "gate_count": "now = self._clock()\nreturn sum(self._is_used(key, now) for key in self._since)",
            "heap_import": "from heapq import heappop, heappush",
            "heap_init": "self._ends: list[tuple[int, $key_type]] = []",
            "heap_note": "heappush(self._ends, (since + TOLERANCE, key))",
            "use_args": "$key, $anchor", "other_use_args": "$key, $other_anchor", "use_params": "key: $key_type, since: int",
            "now_call": "self._now()", "count_now": "self._now()", "heap_now": HEAP_NOW,
        },
        by_later={
            "kept_clause": "while the present time minus the later of two instants, the $stamp of that "
            "$message and the time at which it arrived, $span $tolerance",
            "late_note": "",
            "anchor": "max(now, $stamp)", "other_anchor": "$stamp",
            "is_used": "key in self._since and now - self._since[key] $within TOLERANCE",
            "is_used_rule": "now = 0\n\ndef is_used(key: $key_type) -> bool:\n    return any(use == key and now - since $within TOLERANCE for use, since in uses)",
            "used_here": "is_used($key)",
            "no_uses": "uses: list[tuple[$key_type, int]] = []",
            "note_use": "uses.append(($key, $anchor))", "note_other": "uses.append(($key, $other_anchor))",
            "note_now": "uses.append(($key, now))", "number_used": "len({key for key, _ in uses if is_used(key)})",
            "used_args": "$key, now", "used_params": "key: $key_type, now: int",
            "gate_count": "now = self._clock()\nreturn sum(self._is_used(key, now) for key in self._since)",
            "heap_import": "from heapq import heappop, heappush",
            "heap_init": "self._ends: list[tuple[int, $key_type]] = []",
            "heap_note": "heappush(self._ends, (since + TOLERANCE, key))",
            "use_args": "$key, $anchor", "other_use_args": "$key, $other_anchor", "use_params": "key: $key_type, since: int",
            "now_call": "self._now()", "count_now": "self._now()", "heap_now": HEAP_NOW,
        },
        for_good={
            "kept_clause": "for good",
            "late_note": "",
            "anchor": "now", "other_anchor": "$stamp",
            "is_used": "key in self._since",
            "is_used_rule": "", "used_here": "$key in uses",
            "no_uses": "uses: set[$key_type] = set()",
            "note_use": "uses.add($key)", "note_other": "uses.add($key)",
            "note_now": "uses.add($key)", "number_used": "len(uses)",
            "used_args": "$key", "used_params": "key: $key_type", "gate_count": "return len(self._since)",
            "heap_import": "", "heap_init": "", "heap_note": "",
            "use_args": "$key", "other_use_args": "$key", "use_params": "key: $key_type",
            "now_call": "self._clock()", "count_now": "", "heap_now": "",
        },
    ),
    knob(
        "refused",
        unused={
            "refused_clause": 'neither do "late" and "early" ones',
            "burn": "", "function_burn": "", "heap_burn": "",
        },
        used_up={
            "refused_clause": '"late" and "early" ones bring their $nonce into use as accepted ones do, '
            "unless it is in use already$late_note",
            "burn": "if not used:\n    self._since[$key] = $anchor",
            "function_burn": "if not used:\n    $note_use",
            "heap_burn": "if $key not in self._used:\n    self._use($use_args)",
        },
    ),
)  # fmt: skip

CONTRACT = (
    Clause("opening", "$opening"),
    Clause(
        "order",
        """An empty $nonce raises ValueError, and nothing else of that $message is looked at. Otherwise $asked; where it
        is not, the $message is "forged". After that the $stamp is looked at, then the $nonce; the
        first thing that stands in the way decides.""",
    ),
    Clause(
        "past",
        """A $message whose $stamp lies in the past is in time while the present time minus its $stamp
        $span $tolerance; beyond that it is "late".""",
    ),
    Clause(
        "future",
        """A $message whose $stamp lies in the future is in time while its $stamp minus the present time
        $span $ahead_text; beyond that it is "early". One whose $stamp is the present time is in time.""",
    ),
    Clause(
        "nonce",
        """A $message is "replayed" when its $nonce is in use, brought into use $scope_clause. All
        others are "accepted" and bring their $nonce into use.""",
    ),
    Clause("kept", "A $nonce stays in use $kept_clause."),
    Clause(
        "refused", '"forged" and "replayed" ${message}s bring no $nonce into use; $refused_clause.'
    ),
    Clause("count", "$counted"),
)

GATE_WORDS = {
    "opening": "$cls(clock, $is_genuine) screens ${message}s. clock() gives the present time in whole ${unit}s; it "
    "never runs backwards and stands still during a call. $screen($sender, $nonce, $stamp, $seal) returns the verdict on one $message as "
    "text: ${sender}s, ${nonce}s and ${seal}s are text, the $stamp is an integer in ${unit}s.",
    "asked": "$is_genuine($sender, $nonce, $stamp, $seal) is called, once, and tells whether the $message is genuine",
    "counted": "$count() gives the number of $used_things in use at the present time.",
}

# A module that never looks ahead has no use for the limit.
NO_AHEAD = ("TOLERANCE = $tolerance\n$ahead_line\n", "TOLERANCE = $tolerance\n")

GATE = Shape(
    name="gate",
    entry_point="$cls",
    words=GATE_WORDS,
    module='''
"""$summary"""

from collections.abc import Callable

TOLERANCE = $tolerance
$ahead_line


class $cls:
    """Lets every genuine $message through once, while it is fresh."""

    def __init__(
        self, clock: Callable[[], int], $is_genuine: Callable[[str, str, int, str], bool]
    ) -> None:
        self._clock = clock
        self._$is_genuine = $is_genuine
        self._since: dict[$key_type, int] = {}

    def $screen(self, $sender: str, $nonce: str, $stamp: int, $seal: str) -> str:
        """The verdict on one $message."""
        if not $nonce:
            raise ValueError("a $message needs a $nonce")
        now = self._clock()
        $key_line
        used = self._is_used($used_args)
        if not self._$is_genuine($sender, $nonce, $stamp, $seal):
            return "forged"
        if now - $stamp $beyond TOLERANCE:
            $burn
            return "late"
        if $stamp - now $beyond $ahead_name:
            $burn
            return "early"
        if used:
            return "replayed"
        self._since[$key] = $anchor
        return "accepted"

    def $count(self) -> int:
        """How many ${nonce}s are in use now."""
        $gate_count

    def _is_used(self, $used_params) -> bool:
        return $is_used
''',
    bugs=(
        change("no_early", NO_AHEAD, ("""
        if $stamp - now $beyond $ahead_name:
            $burn
            return "early"
""", "")),
        change("late_edge", ("now - $stamp $beyond", "now - $stamp $flipped")),
        change("anchored", ("        self._since[$key] = $anchor\n        return", "        self._since[$key] = $other_anchor\n        return"),
               when={"kept": ("by_stamp", "by_later")}),
        change("freed", ("self._since[key] $within", "self._since[key] $short"), when={"kept": ("by_stamp", "by_later")}),
        change(
            "noted_first",
            ("        used = self._is_used($used_args)\n", "        used = self._is_used($used_args)\n        if not used:\n            self._since[$key] = $anchor\n"),
            ("        self._since[$key] = $anchor\n        return \"acc", "        return \"acc"),
            when={"refused": "unused"},
        ),
        change(
            "noted_first",
            ("        used = self._is_used($used_args)\n", "        used = self._is_used($used_args)\n        if not used:\n            self._since[$key] = $anchor\n"),
            ("        self._since[$key] = $anchor\n        return \"acc", "        return \"acc"),
            ("            $burn\n            return \"late\"\n", "            return \"late\"\n"),
            ("            $burn\n            return \"early\"\n", "            return \"early\"\n"),
            when={"refused": "used_up"},
        ),
    ),
    known_failing=(
        change("nonce_first", ("        if now - $stamp $beyond", '        if used:\n            return "replayed"\n        if now - $stamp $beyond')),
        change("forged_noted", ('            return "forged"', '            self._since.setdefault($key, now)\n            return "forged"'),
               against=("no_early", "late_edge", "anchored", "freed")),
        change("early_edge", ("$stamp - now $beyond", "$stamp - now $flipped")),
        change("other_key", slots={"key": "$other_key", "key_line": "$other_line"}),
        change("counts_all", ("sum(self._is_used(key, now) for key in self._since)", "len(self._since)"),
               when={"kept": ("by_stamp", "by_later")}),
        change("kept_longer", ("self._since[key] $within TOLERANCE", "self._since[key] $within 2 * TOLERANCE"),
               when={"kept": ("by_stamp", "by_later")}, against=("no_early", "late_edge", "anchored", "noted_first")),
    ),
)  # fmt: skip

BATCH = Shape(
    name="batch",
    entry_point="$function",
    words={
        "opening": "$function(${message}s) screens a list of ${message}s in their order. Each one is a tuple (now, $sender, "
        "$nonce, $stamp, genuine): now is the present time as it arrives, in whole ${unit}s and never less than that of "
        "the $message before; $sender and $nonce are text; $stamp is an integer in ${unit}s; genuine is True or False. "
        "The result is a tuple: the list of verdicts, which are text, and a number.",
        "asked": "the last entry of the tuple tells whether the $message is genuine",
        "counted": "The number in the result is that of the $used_things in use at the time of the last $message, after "
        "its verdict; it is 0 for an empty list.",
    },
    module='''
"""$summary"""

from collections.abc import Iterable

TOLERANCE = $tolerance
$ahead_line


def $function(${message}s: Iterable[tuple[int, str, str, int, bool]]) -> tuple[list[str], int]:
    """Verdicts on ${message}s in order of arrival, and how many ${nonce}s are in use then."""
    $no_uses
    verdicts: list[str] = []
    $is_used_rule

    for now, $sender, $nonce, $stamp, genuine in ${message}s:
        if not $nonce:
            raise ValueError("a $message needs a $nonce")
        $key_line
        used = $used_here
        if not genuine:
            verdict = "forged"
        elif now - $stamp $beyond TOLERANCE:
            verdict = "late"
            $function_burn
        elif $stamp - now $beyond $ahead_name:
            verdict = "early"
            $function_burn
        elif used:
            verdict = "replayed"
        else:
            verdict = "accepted"
            $note_use
        verdicts.append(verdict)
    return verdicts, $number_used
''',
    bugs=(
        change("no_early", NO_AHEAD, ("""
        elif $stamp - now $beyond $ahead_name:
            verdict = "early"
            $function_burn
""", "")),
        change("late_edge", ("now - $stamp $beyond", "now - $stamp $flipped")),
        change("anchored", ('"accepted"\n            $note_use', '"accepted"\n            $note_other'),
               when={"kept": ("by_stamp", "by_later")}),
        change("freed", ("now - since $within", "now - since $short"), when={"kept": ("by_stamp", "by_later")}),
        change(
            "noted_first",
            ("        used = $used_here\n", "        used = $used_here\n        if not used:\n            $note_use\n"),
            ('            verdict = "accepted"\n            $note_use\n', '            verdict = "accepted"\n'),
            when={"refused": "unused"},
        ),
        change(
            "noted_first",
            ("        used = $used_here\n", "        used = $used_here\n        if not used:\n            $note_use\n"),
            ('            verdict = "accepted"\n            $note_use\n', '            verdict = "accepted"\n'),
            ("            verdict = \"late\"\n            $function_burn\n", "            verdict = \"late\"\n"),
            ("            verdict = \"early\"\n            $function_burn\n", "            verdict = \"early\"\n"),
            when={"refused": "used_up"},
        ),
    ),
    known_failing=(
        change("nonce_first", ("        elif now - $stamp $beyond", '        elif used:\n            verdict = "replayed"\n        elif now - $stamp $beyond')),
        change("forged_noted", ('            verdict = "forged"', '            verdict = "forged"\n            $note_now'),
               against=("no_early", "late_edge", "anchored", "freed")),
        change("early_edge", ("$stamp - now $beyond", "$stamp - now $flipped")),
        change("other_key", slots={"key": "$other_key", "key_line": "$other_line"}),
        change("counts_uses", ("len({key for key, _ in uses if is_used(key)})", "len(uses)"),
               when={"kept": ("by_stamp", "by_later"), "refused": "unused"}, against=("no_early", "late_edge", "noted_first")),
        change("kept_longer", ("now - since $within TOLERANCE", "now - since $within 2 * TOLERANCE"),
               when={"kept": ("by_stamp", "by_later"), "refused": "unused"}, against=("no_early", "late_edge", "anchored", "noted_first")),
    ),
)  # fmt: skip

QUEUE = Shape(
    name="queue",
    entry_point="$cls",
    words=GATE_WORDS,
    module='''
"""$summary"""

from collections.abc import Callable
$heap_import

TOLERANCE = $tolerance
$ahead_line


class $cls:
    """Screens ${message}s against a window of time and the ${nonce}s that are in use."""

    def __init__(
        self, clock: Callable[[], int], $is_genuine: Callable[[str, str, int, str], bool]
    ) -> None:
        self._clock = clock
        self._$is_genuine = $is_genuine
        self._used: set[$key_type] = set()
        $heap_init

    def $screen(self, $sender: str, $nonce: str, $stamp: int, $seal: str) -> str:
        """Screen one $message and, if all is well, use its $nonce."""
        if not $nonce:
            raise ValueError("a $message needs a $nonce")
        now = $now_call
        $key_line
        if not self._$is_genuine($sender, $nonce, $stamp, $seal):
            return "forged"
        verdict = self._placed(now - $stamp)
        if verdict is not None:
            $heap_burn
            return verdict
        if $key in self._used:
            return "replayed"
        self._use($use_args)
        return "accepted"

    def $count(self) -> int:
        """The number of ${nonce}s in use."""
        $count_now
        return len(self._used)

    def _placed(self, age: int) -> str | None:
        if age $beyond TOLERANCE:
            return "late"
        if -age $beyond $ahead_name:
            return "early"
        return None

    def _use(self, $use_params) -> None:
        self._used.add(key)
        $heap_note

    $heap_now
''',
    bugs=(
        change("no_early", NO_AHEAD, ("""
        if -age $beyond $ahead_name:
            return "early"
""", "")),
        change("late_edge", ("if age $beyond", "if age $flipped")),
        change("anchored", ('        self._use($use_args)\n        return "acc', '        self._use($other_use_args)\n        return "acc'), when={"kept": ("by_stamp", "by_later")}),
        change("freed", ("[0][0] $expired now", "[0][0] $other_expired now"), when={"kept": ("by_stamp", "by_later")}),
        change(
            "noted_first",
            ("        now = $now_call\n        $key_line\n", "        now = $now_call\n        $key_line\n        used = $key in self._used\n        if not used:\n            self._use($use_args)\n"),
            ("        if $key in self._used:\n            return \"replayed\"\n        self._use($use_args)\n", "        if used:\n            return \"replayed\"\n"),
            when={"refused": "unused"},
        ),
        change(
            "noted_first",
            ("        now = $now_call\n        $key_line\n", "        now = $now_call\n        $key_line\n        used = $key in self._used\n        if not used:\n            self._use($use_args)\n"),
            ("        if $key in self._used:\n            return \"replayed\"\n        self._use($use_args)\n", "        if used:\n            return \"replayed\"\n"),
            ("            $heap_burn\n            return verdict\n", "            return verdict\n"),
            when={"refused": "used_up"},
        ),
    ),
    known_failing=(
        change("nonce_first", ("        verdict = self._placed", '        if $key in self._used:\n            return "replayed"\n        verdict = self._placed')),
        change("forged_noted", ('            return "forged"', '            self._used.add($key)\n            return "forged"'),
               against=("no_early", "late_edge", "anchored", "freed")),
        change("early_edge", ("if -age $beyond", "if -age $flipped")),
        change("other_key", slots={"key": "$other_key", "key_line": "$other_line"}),
        change("counts_late", ("        $count_now\n        return len", "        return len"), when={"kept": ("by_stamp", "by_later")}),
        change("kept_longer", ("(since + TOLERANCE, key)", "(since + 2 * TOLERANCE, key)"),
               when={"kept": ("by_stamp", "by_later")}, against=("no_early", "late_edge", "noted_first")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "payment API", summary="Signed payments, each to be carried out once.", cls="PaymentGate", screen="screen",
        function="screen_payments", message="payment", sender="merchant", nonce="reference", stamp="issued_at", seal="signature",
        is_genuine="verify", count="references_in_use", unit="second",
    ),
    scenario(
        "door badge", summary="Badge readings at the doors of a building.", cls="DoorReader", screen="read",
        function="read_badges", message="reading", sender="badge", nonce="code", stamp="made_at", seal="tag",
        is_genuine="is_authentic", count="codes_in_use", unit="second",
    ),
    scenario(
        "device command", summary="Remote commands to pumps, with protection against replay.", cls="CommandFilter",
        screen="receive", function="receive_commands", message="command", sender="station", nonce="serial", stamp="sent_at",
        seal="mac", is_genuine="is_signed", count="open_serials", unit="second",
    ),
    scenario(
        "ticket scan", summary="Tickets with codes that change, scanned at the gate.", cls="TicketScanner", screen="scan",
        function="scan_tickets", message="ticket", sender="visitor", nonce="token", stamp="shown_at", seal="proof",
        is_genuine="is_valid_proof", count="tokens_in_use", unit="minute",
    ),
    scenario(
        "vote", summary="Votes of members, received over the network.", cls="BallotBox", screen="receive",
        function="receive_votes", message="vote", sender="member", nonce="slip", stamp="cast_at", seal="signature",
        is_genuine="is_signed_by_member", count="slips_in_use", unit="minute",
    ),
)  # fmt: skip

SENDERS = ("a", "ab", "c")
NONCES = ("n1", "bn1", "n2")
SEAL = "7f3a"
CLOCK = clock(100)


@cache
def wait_for(span: int) -> Step:
    return tick("clock", span)


@cache
def gate(cls: str, count: str) -> tuple[Step, Step]:
    """How a gate is made, and the question for the number of its nonces."""
    return call(cls, Ref("clock"), Ref("genuine"), bind="gate"), call(f"gate.{count}")


def script(v: Variant, clauses: str, *messages, counts=False, after=()) -> Check:
    """Messages (wait, sender, nonce, age, genuine): `wait` passes first, age is the time since the stamp.

    The nonces in use are counted after each message with `counts`, and after further waits.
    """
    now, arrivals = 100, []
    for wait, sender, nonce, age, genuine in messages:
        now += wait
        arrivals.append((now, sender, nonce, now - age, genuine))
    numbers = v.clauses("opening", clauses, "count" if counts or v.shape == "batch" else "")
    if v.shape == "batch":
        return Check((call(v["function"], arrivals),), clauses=numbers)
    made, count = gate(v["cls"], v["count"])
    steps, screen = [made], f"gate.{v['screen']}"
    for (wait, *_), (_, sender, nonce, stamp, _) in zip(messages, arrivals, strict=True):
        if wait:
            steps.append(wait_for(wait))
        steps.append(call(screen, sender, nonce, stamp, SEAL))
        if counts:
            steps.append(count)
    for wait in after:
        steps += (wait_for(wait), count)
    answers = [message[4] for message in messages if message[2]]
    fixtures = {"clock": CLOCK, "genuine": callback(*answers)}
    return Check(tuple(steps), fixtures, clauses=numbers)


def ahead_of(v: Variant) -> int:
    return v["ahead"] if v["future"] == "smaller" else v["tolerance"]


def visible(v: Variant, s: Stream):
    """Fresh, stale and forged messages, and one that is replayed at once."""
    sender, other = s.sample(SENDERS, 2)
    nonce, another = s.sample(("n1", "n2", "n3"), 2)
    fresh = (0, sender, nonce, s.between(0, 1), True)
    yield script(v, "nonce past", fresh, (1, sender, nonce, 1, True), (1, other, another, 0, True))
    forged = (1, sender, nonce, 0, False)
    yield script(
        v,
        "past order",
        (0, sender, nonce, 0, True),
        forged,
        (0, other, another, v["tolerance"] + 2, True),
    )
    yield script(v, "order", fresh, (1, other, "", 0, True))
    if s.chance(1, 2):
        yield script(v, "nonce", fresh, (0, sender, another, 0, True), counts=v.shape != "batch")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """One message, or a replay, that the bug judges differently."""
    sender, nonce, tolerance = s.choice(SENDERS), s.choice(NONCES), v["tolerance"]
    if bug == "no_early":
        return script(v, "future", (0, sender, nonce, -tolerance - s.between(1, 4), True))
    if bug == "late_edge":
        return script(
            v, "past", (0, sender, nonce, tolerance, True), (0, sender, nonce + "x", 1, True)
        )
    if bug == "anchored" and v["kept"] == "by_stamp":
        age = tolerance if v["edge"] == "inclusive" else tolerance - 1
        again = (age + 1, sender, nonce, age, True)
        return script(v, "nonce kept", (0, sender, nonce, -1, True), again)
    if bug == "anchored":
        return script(
            v,
            "nonce kept",
            (0, sender, nonce, 1, True),
            (tolerance - 1, sender, nonce, 0, True),
            (1, sender, nonce, 0, True),
        )
    if bug == "freed":
        return script(
            v, "nonce kept", (0, sender, nonce, 0, True), (tolerance, sender, nonce, 0, True)
        )
    return script(v, "refused", (0, sender, nonce, 0, False), (1, sender, nonce, 0, True))


def pair(s: Stream):
    return s.choice(SENDERS), s.choice(NONCES)


def after(v: Variant):
    """Waits that end just before, at and just after the tolerance."""
    return (v["tolerance"] - 1, 1, 1)


def around_the_window(v: Variant, s: Stream) -> Check:
    """Stamps just inside, at and just outside both ends of the window."""
    edges = (v["tolerance"], -ahead_of(v), -v["tolerance"])
    ages = [s.choice(edges) + s.between(-1, 1) for _ in range(3)]
    messages = [
        (s.below(2), s.choice(SENDERS), f"n{turn}", age, True)
        for turn, age in enumerate((*ages, v["tolerance"], -ahead_of(v), 1 - ahead_of(v)))
    ]
    return script(v, "past future", *messages)


def around_the_end(v: Variant, s: Stream) -> Check:
    """One nonce again and again, around the instants at which it may come free."""
    sender, nonce = pair(s)
    age = s.choice((0, 1, 2, -1, -1, 1 - ahead_of(v)))
    wait = v["tolerance"] - s.choice((0, 0, age, age)) + s.between(-1, 1)
    later = [(s.between(0, 1), sender, nonce, s.between(0, 1), True) for _ in range(2)]
    return script(
        v,
        "nonce kept",
        (0, sender, nonce, age, True),
        (max(wait, 0), sender, nonce, 0, True),
        *later,
        counts=True,
        after=after(v),
    )


def refused_first(v: Variant, s: Stream) -> Check:
    """A forged, late or early message, then a good one with the same nonce."""
    sender, nonce = pair(s)
    genuine = s.chance(2, 3)
    age = s.choice((v["tolerance"] + 1, -ahead_of(v) - 1)) if genuine else s.between(0, 1)
    good = (s.choice((0, 1, 1, v["tolerance"])), sender, nonce, 0, True)
    again = (v["tolerance"] + s.between(-1, 1), sender, nonce, 0, True)
    return script(
        v,
        "order refused nonce",
        (0, sender, nonce, age, genuine),
        good,
        again,
        counts=True,
        after=after(v),
    )


def out_and_used(v: Variant, s: Stream) -> Check:
    """A message that is out of the window or forged with a nonce in use, and empty nonces."""
    sender, nonce = pair(s)
    age = s.choice((v["tolerance"] + 1, v["tolerance"] + 2, -ahead_of(v) - 1, -v["tolerance"] - 1))
    messages = [
        (0, sender, nonce, 0, True),
        (1, sender, nonce, age, True),
        (0, sender, nonce, 0, s.chance(1, 2)),
    ]
    if v.shape != "batch" or s.chance(1, 2):
        # In a batch an empty nonce is all that is seen of it.
        messages.append((0, sender, "", age, s.chance(1, 2)))
    return script(v, "order nonce refused", *messages, (1, sender, nonce, 1, True))


def other_senders(v: Variant, s: Stream) -> Check:
    """The same nonce by several senders, and pairs that run together when joined."""
    others = s.sample((("c", "n1"), ("a", "n1"), ("ab", "bn1")), 2)
    pairs = s.shuffle((("a", "bn1"), ("ab", "n1"), *others))
    messages = [(s.between(0, 1), sender, nonce, 0, True) for sender, nonce in pairs]
    return script(v, "nonce", *messages, counts=True, after=after(v))


def wide(v: Variant, s: Stream) -> Check:
    """A run of messages with few senders and nonces."""
    tolerance, ahead = v["tolerance"], ahead_of(v)
    messages = []
    for _ in range(s.between(4, 7)):
        sender, nonce = pair(s)
        age = s.choice((0, 0, 1, 1, tolerance, tolerance + 1, -1, -ahead, -ahead - 1))
        messages.append((s.choice((0, 1, 1, 2, tolerance)), sender, nonce, age, s.chance(5, 6)))
    if s.chance(1, 8):
        messages.append((1, sender, "", 0, True))
    return script(v, "past future nonce kept refused", *messages, counts=s.chance(1, 2))


def oracle(v: Variant):
    """Keeps every use of a nonce ever made, and asks of each whether it still counts."""

    def holds(span, limit):
        return span < limit or (span == limit and v["edge"] == "inclusive")

    def counts(use, now):
        _, _, stamp, at = use
        start = stamp if v["kept"] == "by_stamp" else max(stamp, at)
        return v["kept"] == "for_good" or holds(now - start, v["tolerance"])

    def same(use, sender, nonce):
        return use[1] == nonce and (use[0] == sender or v["scope"] == "everybody")

    def verdict(uses, now, sender, nonce, stamp, genuine):
        used = any(counts(use, now) for use in uses if same(use, sender, nonce))
        if not genuine:
            return "forged"
        found = "accepted"
        if now > stamp and not holds(now - stamp, v["tolerance"]):
            found = "late"
        elif stamp > now and not holds(stamp - now, ahead_of(v)):
            found = "early"
        elif used:
            found = "replayed"
        if found == "accepted" or (found != "replayed" and not used and v["refused"] == "used_up"):
            uses.append((sender, nonce, stamp, now))
        return found

    def number(uses, now):
        live = [use for use in uses if counts(use, now)]
        return sum(
            not any(same(use, *other[:2]) for other in live[:at]) for at, use in enumerate(live)
        )

    def batch(messages):
        uses, verdicts = [], []
        for now, sender, nonce, stamp, genuine in messages:
            if nonce == "":
                raise ValueError
            verdicts.append(verdict(uses, now, sender, nonce, stamp, genuine))
        return verdicts, number(uses, messages[-1][0]) if messages else 0

    class Gate:
        def __init__(self, clock, is_genuine):
            self.clock, self.is_genuine, self.uses = clock, is_genuine, []

        def screen(self, sender, nonce, stamp, seal):
            if nonce == "":
                raise ValueError
            genuine = self.is_genuine(sender, nonce, stamp, seal)
            return verdict(self.uses, self.clock(), sender, nonce, stamp, genuine)

        def count(self):
            return number(self.uses, self.clock())

    if v.shape == "batch":
        return {v["function"]: batch}
    setattr(Gate, v["screen"], Gate.screen)
    setattr(Gate, v["count"], Gate.count)
    return {v["cls"]: Gate}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(GATE, BATCH, QUEUE),
    scenarios=SCENARIOS,
    choices={"tolerance": (4, 5, 6), "ahead": (2, 3)},
    visible=visible,
    symptom=symptom,
    edges=(around_the_window, around_the_end, refused_first, out_and_used, other_senders),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
