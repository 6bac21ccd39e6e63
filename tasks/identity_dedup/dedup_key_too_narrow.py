"""Two events are the same one only when every identifying field agrees; otherwise both stay."""

from collections.abc import Mapping
from functools import cache
from itertools import product

from sandbox.checks import Check, Ref, call, value
from tasks.kit import Category, Change, Clause, Shape, Stream, Variant, change, knob, scenario

# How the shapes let a later event in; with the other ties it is a patch.
AMEND = """
    elif $event["$revision"] > kept[places[identity]]["$revision"]:
        kept[places[identity]] = $event
"""
OTHER_AMEND = AMEND.replace(" > ", " $ties ")
LATEST = 'max(group, key=lambda $event: $event["$revision"])'

KNOBS = (
    knob(
        "sender",
        counts={
            "sender_named": ', "$source"',
            "sender_field": ', $event["$source"]',
        },
        ignored={"sender_named": "", "sender_field": ""},
    ),
    knob(
        "date",
        ignored={"date_named": "", "date_field": ""},
        counts={
            "date_named": ', "$day"',
            "date_field": ', $event["$day"]',
        },
    ),
    knob(
        "content",
        ignored={"content_named": "", "content_field": ""},
        counts={
            "content_named": ', "$payload"',
            "content_field": ', $event["$payload"]',
        },
    ),
    knob(
        "missing",
        never={
            "missing_clause": "is the same as no other one",
            "or_none": " | None",
            "lone_rule": 'if $event["$id"] is None:\n    return None',
            "alone": "if identity is None:\n    kept.append($event)\n    continue",
            "lone_number": 'if $event["$id"] is None:\n    return (self._taken,)',
            "lone_text": 'if $event["$id"] is None:\n    return f"#{position}"',
            "position": ", position: int",
            "numbered": "position, $event in enumerate($events)",
            "at": ", position",
        },
        by_content={
            "missing_clause": "is the same as another one with None there when they agree in "
            '"$source" and "$payload"; what else they hold makes no difference',
            "or_none": "",
            "lone_rule": """
                if $event["$id"] is None:
                    return None, $event["$source"], $event["$payload"]
            """,
            "alone": "",
            "lone_number": "$lone_rule",
            "lone_text": """
                if $event["$id"] is None:
                    return json.dumps([None, $event["$source"], $event["$payload"]])
            """,
            "position": "",
            "numbered": "$event in $events",
            "at": "",
        },
    ),
    knob(
        "amended",
        dropped={
            "amended_clause": 'Every later one is dropped, also one whose "$revision" is higher than '
            "that of the one that is kept.",
            "list_order": "in the order of $events",
            "taken_order": "in the order in which they were taken in",
            "amend": "",
            "not_amended": "",
            "survivor": "group[0]",
            "ties": ">",
            "best_of": "group",
        },
        replaces={
            "amended_clause": 'A later one whose "$revision" is higher than that of the one that is '
            "kept takes its place, and that one is dropped; any other later one is dropped.",
            "list_order": "in the order in which the first one of each came",
            "taken_order": "in the order in which the first one of each was taken in",
            "amend": AMEND,
            "not_amended": ' and $event["$revision"] <= known["$revision"]',
            "survivor": LATEST,
            "ties": ">=",
            "best_of": "reversed(group)",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "fields",
        """Each $event is a dict with "$id", a text or None; "$source", a text; "$day",
        "$revision" and "$received", integers; and "$payload", $payload_kind. Nothing that is
        passed in is changed.""",
    ),
    Clause(
        "identity",
        """Two ${event}s whose "$id" is not None are the same one when they agree in each of these:
        "$id"$sender_named$date_named$content_named. What else they hold makes no difference.
        Texts agree when they are equal; "" is a text like any other.""",
    ),
    Clause(
        "missing",
        """Where "$id" is None, the $event $missing_clause. It is never the same as one
        whose "$id" is a text.""",
    ),
    Clause(
        "repeated",
        "Of ${event}s that are the same, the first is kept. $amended_clause",
    ),
    Clause("result", "$outcome"),
)

LIST_WORDS = {
    "opening": "$function($events) takes a list of ${event}s, which may be empty.",
    "outcome": """The result is a tuple of two: the list of the ${event}s that are kept,
        $list_order, and the number of those that are dropped.""",
}
FIELDS = '$event["$id"]$sender_field$date_field$content_field'


def narrow(kind: str) -> tuple[Change, ...]:
    """Identities that lack a field; `kind` tells which slots of the shape name the fields."""
    sender, date, content = ({f"{part}_{kind}": ""} for part in ("sender", "date", "content"))
    return (
        change("no_sender", slots=sender, when={"sender": "counts"}),
        change("no_date", slots=date, when={"date": "counts"}),
        change("no_content", slots=content, when={"content": "counts"}),
        change(
            "id_alone",
            slots={**sender, **date, **content},
            when={"sender": "counts", "date": "counts"},
        ),
    )


NARROW = ("no_sender", "no_date", "no_content", "id_alone")
NO_ID = ("none_is_an_id", "source_alone")
FALSY = change("falsy", ('if $event["$id"] is None:', 'if not $event["$id"]:'))


def without_id(slot: str, source_alone: str, content_alone: str, **others: str):
    """Bugs and patches of the rule for events without an id."""
    test = 'if $event["$id"] is None:\n    return '
    none_is_an_id = {slot: "", **others}
    bugs = (
        change("none_is_an_id", slots=none_is_an_id, when={"missing": "never"}),
        change("source_alone", slots={slot: test + source_alone}, when={"missing": "by_content"}),
    )
    patches = (
        change(
            "treats_none_as_id",
            slots=none_is_an_id,
            when={"missing": "never"},
            against=(*NARROW, "latest_kept"),
        ),
        change("content_alone", slots={slot: test + content_alone}, when={"missing": "by_content"}),
    )
    return bugs, patches


PLACES_BUGS, PLACES_PATCHES = without_id(
    "lone_rule",
    'None, $event["$source"]',
    'None, $event["$payload"]',
    alone="",
    or_none="",
)
GROUPS_BUGS, GROUPS_PATCHES = without_id(
    "lone_text",
    'json.dumps([None, $event["$source"]])',
    'json.dumps([None, $event["$payload"]])',
    position="",
    numbered="$event in $events",
    at="",
)
INBOX_BUGS, INBOX_PATCHES = without_id(
    "lone_number", 'None, $event["$source"]', 'None, $event["$payload"]'
)

PLACES = Shape(
    name="places",
    entry_point="$function",
    words=LIST_WORDS,
    module='''
"""$summary"""

from collections.abc import Hashable
from typing import Any

$type = dict[str, Any]


def _identity($event: $type) -> Hashable$or_none:
    """What two deliveries of one $event have in common."""
    $lone_rule
    return '''
    + FIELDS
    + '''


def $function($events: list[$type]) -> tuple[list[$type], int]:
    """Keep one of each $event, however often it was delivered.

    Returns the ${event}s that are kept and the number of those that are not.
    """
    kept: list[$type] = []
    places: dict[Hashable, int] = {}
    for $event in $events:
        identity = _identity($event)
        $alone
        if identity not in places:
            places[identity] = len(kept)
            kept.append($event)
        $amend
    return kept, len($events) - len(kept)
''',
    bugs=(
        *narrow("field"),
        *PLACES_BUGS,
        change(
            "latest_kept",
            slots={"amend": "else:\n    kept[places[identity]] = $event"},
            when={"amended": "replaces"},
        ),
    ),
    known_failing=(
        FALSY,
        *PLACES_PATCHES,
        change(
            "whole",
            (f"return {FIELDS}", "return tuple(sorted($event.items()))"),
            against=(*NARROW, *NO_ID),
        ),
        change(
            "joined",
            (f"return {FIELDS}", f'return ":".join(map(str, ({FIELDS})))'),
            when={"sender": "counts"},
        ),
        change("other_amend", slots={"amend": OTHER_AMEND}),
    ),
)

GROUPS = Shape(
    name="groups",
    entry_point="$function",
    words=LIST_WORDS,
    module='''
"""$summary"""

import json
from typing import Any


def _fingerprint($event: dict[str, Any]$position) -> str:
    """A text that deliveries of one $event share."""
    $lone_text
    return json.dumps(['''
    + FIELDS
    + '''])


def $function($events: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Group deliveries of the same $event and keep one of each group.

    Returns the ${event}s that are kept and the number of those that are not.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for $numbered:
        groups.setdefault(_fingerprint($event$at), []).append($event)
    # A group stands where its first delivery came in.
    kept = [$survivor for group in groups.values()]
    return kept, len($events) - len(kept)
''',
    bugs=(
        *narrow("field"),
        *GROUPS_BUGS,
        change("latest_kept", slots={"survivor": "group[-1]"}, when={"amended": "replaces"}),
    ),
    known_failing=(
        FALSY,
        *GROUPS_PATCHES,
        change(
            "whole",
            (f"json.dumps([{FIELDS}])", "json.dumps($event, sort_keys=True)"),
            against=(*NARROW, *NO_ID),
        ),
        change(
            "joined",
            (f"json.dumps([{FIELDS}])", f'":".join(map(str, [{FIELDS}]))'),
            when={"sender": "counts"},
        ),
        change("other_amend", slots={"survivor": LATEST.replace("(group", "($best_of")}),
    ),
)

INBOX = Shape(
    name="inbox",
    entry_point="$cls",
    words={
        "opening": "$cls() holds the ${event}s that are kept; it starts with none. $add($event) "
        "takes one in.",
        "outcome": "$add returns True when the $event is kept and False when it is dropped. "
        "$kept() gives the list of the ${event}s that are kept, $taken_order; the list is the "
        "caller's own. $dropped() gives the number of those that are dropped.",
    },
    module='''
"""$summary"""

from typing import Any

_IDENTIFYING = ["$id"$sender_named$date_named$content_named]


class $cls:
    """Takes ${event}s in one by one and keeps one of each, however often it is delivered."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], dict[str, Any]] = {}
        self._taken = 0

    def $add(self, $event: dict[str, Any]) -> bool:
        """Take one in and tell whether it is kept."""
        self._taken += 1
        identity = self._identity($event)
        known = self._kept.get(identity)
        if known is not None$not_amended:
            return False
        self._kept[identity] = $event
        return True

    def $kept(self) -> list[dict[str, Any]]:
        """The ${event}s that are kept, in order."""
        return list(self._kept.values())

    def $dropped(self) -> int:
        """How many ${event}s are not kept."""
        return self._taken - len(self._kept)

    def _identity(self, $event: dict[str, Any]) -> tuple[object, ...]:
        $lone_number
        return tuple($event[name] for name in _IDENTIFYING)
''',
    bugs=(
        *narrow("named"),
        *INBOX_BUGS,
        change(
            "latest_kept",
            slots={"not_amended": ' and $event["$received"] < known["$received"]'},
            when={"amended": "replaces"},
        ),
    ),
    known_failing=(
        FALSY,
        *INBOX_PATCHES,
        change(
            "whole",
            (
                "return tuple($event[name] for name in _IDENTIFYING)",
                "return tuple(sorted($event.items()))",
            ),
            against=(*NARROW, *NO_ID),
        ),
        change(
            "joined",
            (
                "return tuple($event[name] for name in _IDENTIFYING)",
                'return (":".join(str($event[name]) for name in _IDENTIFYING),)',
            ),
            when={"sender": "counts"},
        ),
        change(
            "amends",
            slots={"not_amended": ' and $event["$revision"] <= known["$revision"]'},
            when={"amended": "dropped"},
        ),
        change(
            "moved",
            (
                "        self._kept[identity]",
                """
        self._kept.pop(identity, None)
        self._kept[identity]""",
            ),
            when={"amended": "replaces"},
        ),
    ),
)

SCENARIOS = (
    scenario(
        "payment events", summary="Payment events without the repeats of their providers.",
        function="distinct_payments", cls="PaymentInbox", type="Payment", event="payment",
        events="payments", id="ref", source="provider", day="day", payload="amount",
        revision="version", received="received_at", add="accept", kept="accepted",
        dropped="repeats", payload_kind="an integer", sources=("nord", "lund", "nord:eu"),
        contents=(0, 250, 1900),
    ),
    scenario(
        "door access log", summary="The access log of a building, each swipe of a badge once.",
        function="distinct_swipes", cls="AccessLog", type="Swipe", event="swipe", events="swipes",
        id="swipe_id", source="door", day="day", payload="badge", revision="attempt",
        received="logged_at", add="record", kept="swipes_kept", dropped="dropped_count",
        payload_kind="a text", sources=("gate", "lab", "gate:2"), contents=("B-7", "B-9", ""),
    ),
    scenario(
        "alert stream", summary="Alerts of many sensors, without what was sent again.",
        function="without_repeats", cls="AlertFeed", type="Alert", event="alert", events="alerts",
        id="alert_id", source="sensor", day="epoch_day", payload="message", revision="update",
        received="arrival", add="take", kept="alerts_shown", dropped="suppressed",
        payload_kind="a text", sources=("tank", "pump", "tank:a"), contents=("low", "high", ""),
    ),
    scenario(
        "clickstream", summary="Clicks as analysts count them: retries of the tracker are gone.",
        function="count_once", cls="ClickBuffer", type="Click", event="click", events="clicks",
        id="event_id", source="client", day="date_number", payload="target", revision="sequence",
        received="offset", add="push", kept="clicks_held", dropped="discarded",
        payload_kind="a text", sources=("web", "app", "web:m"), contents=("/buy", "/help", ""),
    ),
    scenario(
        "lab results", summary="Lab results, each of them once, as the analysers report them.",
        function="distinct_findings", cls="FindingLedger", type="Finding", event="finding",
        events="findings", id="sample", source="device", day="run_day", payload="value",
        revision="issue", received="filed_at", add="enter", kept="entries", dropped="redundant",
        payload_kind="an integer", sources=("hema", "chem", "hema:2"), contents=(0, 7, 41),
    ),
)  # fmt: skip

IDS = ("17", "a3", "2:17", "", None)


def event(v: Variant, id_, source, payload, received: int, day: int = 3, revision: int = 1):
    """One event; the source and the payload by their numbers."""
    return {
        v["id"]: id_,
        v["source"]: v["sources"][source],
        v["day"]: day,
        v["payload"]: v["contents"][payload],
        v["revision"]: revision,
        v["received"]: received,
    }


def taken(v: Variant, clauses: str, events, then: str = "") -> Check:
    """The events given to the module in the manner of its shape, all or one by one.

    `then` also looks at what was passed in, or uses up the list that came out.
    """
    numbers = v.clauses("call", "fields", "result", clauses)
    if v.shape != "inbox":
        if not then:
            return Check((call(v.entry_point, events),), clauses=numbers)
        fixtures = {"given": value(events)}
        return Check((call(v.entry_point, Ref("given")),), fixtures, ("given",), numbers)
    add, asks = f"box.{v['add']}", asked(v["kept"], v["dropped"])
    adds = [call(add, one) for one in events]
    end = asks if then else asks[:2]
    return Check((call(v["cls"], bind="box"), *adds, *end), clauses=numbers)


@cache
def asked(kept: str, dropped: str):
    """Ask for all that is kept and how many were dropped; use the list up, and ask again."""
    look = call(f"box.{kept}")
    return look, call(f"box.{dropped}"), call(f"box.{kept}", bind="own"), call("own.clear"), look


def visible(v: Variant, s: Stream):
    """Repeats that are alike in all, and events that share nothing but their day."""
    first, other = s.sample(range(2), 2)
    at = s.between(100, 900)
    one = event(v, "17", first, 1, at)
    two = event(v, "a3", other, 2, at + 1)
    yield taken(v, "identity repeated", [one, two, one])
    yield taken(v, "missing", [two, event(v, None, first, 0, at + 2), one, two, two])
    yield taken(v, "identity", [])


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Two events that differ in the field which the bug leaves out."""
    source, payload = s.below(2), s.between(1, 2)
    at = s.between(100, 900)
    one = event(v, "17", source, payload, at)
    later = {
        "no_sender": event(v, "17", 1 - source, payload, at + 1),
        "id_alone": event(v, "17", 1 - source, payload, at + 1),
        "no_date": event(v, "17", source, payload, at + 1, day=4),
        "no_content": event(v, "17", source, 0, at + 1),
        "latest_kept": event(v, "17", source, payload, at + 1, revision=0),
    }
    if bug in later:
        return taken(v, "identity repeated", [one, later[bug]])
    alone = event(v, None, source, payload, at)
    kept = payload if bug == "none_is_an_id" else 0
    return taken(v, "missing", [alone, one, event(v, None, source, kept, at + 2)])


def one_field_apart(v: Variant, s: Stream) -> Check:
    """An event, and others that differ from it in one field each."""
    source, payload, at = s.below(2), s.below(2), s.between(0, 99)
    id_ = s.choice(IDS[:4])
    events = [
        event(v, id_, source, payload, at),
        event(v, id_, 1 - source, payload, at),
        event(v, id_, source, payload + 1, at),
        event(v, id_, source, payload, at, day=4),
        event(v, id_, source, payload, at + 1),
    ]
    return taken(v, "identity", s.shuffle(events))


def no_id(v: Variant, s: Stream) -> Check:
    """Events without an id or with an empty one, alike and not."""
    events = []
    for at in range(6):
        kind = s.below(16)
        id_ = "" if kind >= 10 else None
        events.append(event(v, id_, kind & 1, kind >> 1 & 1, at, day=3 + (kind >> 2 & 1)))
    return taken(v, "missing identity", events, "watch")


def revised(v: Variant, s: Stream) -> Check:
    """One event over and over, its revision going up, down and not at all; another between."""
    id_, source = s.choice(IDS[:3]), s.below(3)
    revisions = s.shuffle((1, 1, 2, 2, 3))
    events = [event(v, id_, source, 1, at, revision=n) for at, n in enumerate(revisions)]
    events.insert(s.between(1, 3), event(v, "b", source, 1, 50, revision=2))
    return taken(v, "repeated", events, "watch")


def near_texts(v: Variant, s: Stream) -> Check:
    """Ids and sources that are alike once they are put together."""
    payload, day = s.below(3), s.between(2, 3)
    whole, part = v["sources"][2], v["sources"][0]
    rest = whole[len(part) + 1 :]
    one = event(v, f"17:{part}", 0, payload, 1, day)
    one[v["source"]] = rest
    two = event(v, "17", 2, payload, 2, day)
    return taken(v, "identity", s.shuffle([one, two, event(v, "17", 0, payload, 3, day)]))


@cache
def pool(id_: str, source: str, day: str, payload: str, revision: str, sources, contents):
    """Every event of a small world, without the time of its arrival."""
    worlds = product(("17", "a3", "", None, None), sources[:2], (3, 4), contents[:2], (1, 2))
    return [
        dict(zip((id_, source, day, payload, revision), world, strict=True)) for world in worlds
    ]


def wide(v: Variant, s: Stream) -> Check:
    """Some events of a small world."""
    names = (v[name] for name in ("id", "source", "day", "payload", "revision"))
    world = pool(*names, v["sources"], v["contents"])
    events = [{**s.choice(world), v["received"]: at} for at in range(s.between(2, 8))]
    return taken(v, "identity missing repeated", events)


def oracle(v: Variant):
    """Compares every event with all that are kept, field by field."""
    name, source, payload, revision = (v[word] for word in ("id", "source", "payload", "revision"))
    counted = [v[field] for field, part in PARTS if v[part] == "counts"]
    never, drops = v["missing"] == "never", v["amended"] == "dropped"

    def is_same(one, other):
        if one[name] != other[name]:
            return False
        if one[name] is None:
            if never:
                return False
            return one[source] == other[source] and one[payload] == other[payload]
        for field in counted:
            if one[field] != other[field]:
                return False
        return True

    class Inbox:
        def __init__(self):
            self.all, self.keep = 0, []

        def add(self, one):
            self.all += 1
            for place, other in enumerate(self.keep):
                if is_same(one, other):
                    if one[revision] <= other[revision] or drops:
                        return False
                    self.keep[place] = one
                    return True
            self.keep.append(one)
            return True

    def model(events):
        inbox = Inbox()
        for one in events:
            inbox.add(one)
        return inbox.keep, inbox.all - len(inbox.keep)

    setattr(Inbox, v["add"], Inbox.add)
    setattr(Inbox, v["kept"], lambda self: self.keep[:])
    setattr(Inbox, v["dropped"], lambda self: self.all - len(self.keep))
    return {v["cls"]: Inbox, v["function"]: model}


PARTS = (("source", "sender"), ("day", "date"), ("payload", "content"))


def allows(knobs: Mapping[str, str]) -> bool:
    """Neither an id alone, nor the fields that stand in for a missing one anyway."""
    counted = tuple(knobs[part] == "counts" for _, part in PARTS)
    return any(counted) and (counted != (True, False, True) or knobs["missing"] == "never")


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(PLACES, GROUPS, INBOX),
    scenarios=SCENARIOS,
    allows=allows,
    visible=visible,
    symptom=symptom,
    edges=(one_field_apart, no_id, revised, near_texts),
    wide=wide,
    oracle=oracle,
)
