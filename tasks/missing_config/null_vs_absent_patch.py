"""In a patch None clears, what is absent stays, and a nested dict is a patch of its own."""

import json
from functools import cache
from itertools import product
from typing import Any

from sandbox.checks import Check, Compare, Ref, call, look, put, value
from tasks.kit import Category, Change, Clause, Shape, Stream, Variant, change, knob, scenario

PASSES_OVER = {
    "nested_clause": "is passed over: what the $thing has under that key stays",
    "nested_fill": "inner.update((key, part) for key, part in value.items() if part is not None)",
    "nested_after": "return {**inner, **{key: part for key, part in value.items() if part is not None}}",
}
CLEARS_INSIDE = {
    "nested_clause": "$null_inside",
    "nested_fill": "$null_fill",
    "nested_after": "$null_after",
}
KNOBS = (
    knob(
        "null",
        removes={
            "null_clause": "takes the field out of the $thing, and does nothing where it is absent",
            "null_inside": "takes the key out of that dict",
            "null_rule": "$into.pop(field, None)",
            "null_skip": "if value is None:\n    continue",
            "null_fill": """
                for key, part in value.items():
                    if part is None:
                        inner.pop(key, None)
                    else:
                        inner[key] = part
            """,
            "null_after": """
                both = {**inner, **value}
                return {key: part for key, part in both.items() if key not in value or part is not None}
            """,
        },
        stores={
            "null_clause": "gives the field the value None, also where it is absent",
            "null_inside": "gives the key the value None",
            "null_rule": "$into[field] = None",
            "null_skip": "",
            "null_fill": "inner.update(value)",
            "null_after": "return {**inner, **value}",
        },
    ),
    knob("nested", clears=CLEARS_INSIDE, passed_over=PASSES_OVER),
    knob(
        "lists",
        replaced={
            "lists_clause": "takes the place of what the $thing has there",
            "plain_values": '0, "" and the empty list',
            "list_rule": "",
            "kept_value": "deepcopy(value)",
            "list_after": "",
        },
        joined={
            "lists_clause": "is joined to the list that the $thing has there, which may also be "
            "None or absent and then counts as empty: each text that is not in it yet is appended "
            "once, in order",
            "plain_values": '0 and ""',
            "list_rule": """
                elif isinstance(value, list):
                    items = $into.get(field) or []
                    fresh = [item for item in dict.fromkeys(value) if item not in items]
                    $into[field] = items + fresh
            """,
            "kept_value": "value",
            "list_after": """
                if isinstance(value, list):
                    items = old or []
                    return items + [item for item in dict.fromkeys(value) if item not in items]
            """,
        },
    ),
    knob(
        "unknown",
        refused={
            "counted": "patch that is not refused",
            "unknown_clause": "has the patch refused: $error is raised, with the name of the first "
            "such field of the patch as its argument, and nothing is changed",
            "fields_line": '_FIELDS = ("$text", "$number", "$items", "$nest")',
            "unknown_rule": """
                for field in patch:
                    if field not in _FIELDS:
                        raise $error(field)
            """,
        },
        added={
            "counted": "patch",
            "unknown_clause": "holds a text, an integer or None, and is treated like the others",
            "fields_line": "",
            "unknown_rule": "",
        },
    ),
    knob(
        "empty",
        counts={
            "empty_clause": "a patch without any field counts as well",
            "bump_rule": '$into["version"] += 1',
            "bump": "1",
        },
        ignored={
            "empty_clause": "a patch without any field does not count",
            "bump_rule": 'if patch:\n    $into["version"] += 1',
            "bump": "bool(patch)",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "fields",
        """The $thing has four fields: "$text", a text; "$number", an integer; "$items", a list of
        texts; and "$nest", a dict from texts to texts, integers or None. Each of them may be None
        or absent. "version", an integer, is always there. A patch is a dict that has some fields,
        with the same kinds of values; it never has "version".""",
    ),
    Clause("absent", "A field that the patch does not have stays as it is, be it there or not."),
    Clause("null", "None under a field of the patch $null_clause."),
    Clause(
        "nested",
        """A dict under "$nest" is in turn a patch of the dict that the $thing has there: its keys
        are set to its values and all other keys stay. Where the $thing has None there or nothing,
        it patches an empty dict, and "$nest" holds the outcome even if that is empty too. None
        under a key of it $nested_clause.""",
    ),
    Clause("lists", 'A list under "$items" $lists_clause.'),
    Clause(
        "values",
        """Any other value takes the place of what the $thing has under that field; $plain_values
        are values like any other.""",
    ),
    Clause("unknown", "A field of the patch that is none of the four $unknown_clause."),
    Clause(
        "version",
        """The "version" rises by one with every $counted, even if nothing else
        changes; $empty_clause.""",
    ),
    Clause("apart", "$apart"),
)

# The nested dict as a branch of its own, so that a module can do without it.
NEST = """
    $elif isinstance(value, dict):
        inner = $into.get(field) or {}
        $nested_fill
        $into[field] = inner
"""
BUGS = ("none_skipped", "nest_replaced")
BRANCHES = {
    "map_branch": NEST,
    "none_branch": "if value is None:\n    $null_rule",
    "elif": "elif",
    "last": "else",
}
NONE_SKIPPED = change(
    "none_skipped",
    slots={**BRANCHES, "none_branch": "", "elif": "if", "last": "elif value is not None"},
)
NESTED = (({"nested": "clears"}, PASSES_OVER), ({"nested": "passed_over"}, CLEARS_INSIDE))
NESTED_NONE = tuple(change("nested_none", slots=slots, when=when) for when, slots in NESTED)


def other_nested(*bugs: str) -> tuple[Change, ...]:
    """The sibling's rule for None in the nested dict, against bugs in other places."""
    against = (*BUGS, *bugs)
    return tuple(
        change("other_nested", slots=slots, when=when, against=against) for when, slots in NESTED
    )


NULL_UNKNOWN = change(
    "null_unknown",
    ("if field not in _FIELDS:", "if field not in _FIELDS and patch[field] is not None:"),
    when={"unknown": "refused"},
)
COPY = Shape(
    name="copy",
    entry_point="$function",
    words={
        "opening": "$function($thing, patch) returns the $thing as it is after the patch, a new "
        "dict.",
        "apart": "Neither the $thing nor the patch that is passed in is changed, and no dict or "
        "list of the result is one of theirs.",
        "into": "patched",
        **BRANCHES,
    },
    module='''
"""$summary"""

from copy import deepcopy
from typing import Any

$fields_line


def $function($thing: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Apply a partial update and return what it leads to.

    Clients send the fields that they want to change; the others are not in the patch.
    """
    $unknown_rule
    patched = deepcopy($thing)
    for field, value in patch.items():
        $none_branch
        $map_branch
        $list_rule
        $last:
            patched[field] = $kept_value
    $bump_rule
    return patched
''',
    bugs=(
        NONE_SKIPPED,
        change("nest_replaced", slots={"map_branch": ""}),
        *NESTED_NONE,
        change(
            "thing_changed",
            ("patched = deepcopy($thing)", "patched = dict($thing)"),
            when={"lists": "replaced"},
        ),
        change(
            "thing_changed",
            ("from copy import deepcopy", "from copy import copy"),
            ("patched = deepcopy($thing)", "patched = copy($thing)"),
            when={"lists": "joined"},
        ),
    ),
    known_failing=(
        *other_nested("thing_changed"),
        NULL_UNKNOWN,
        change("falsy", ("if value is None:", "if not value:")),
        change("no_dict", ("inner = patched.get(field) or {}", "inner = patched[field]")),
        change(
            "on_change",
            slots={"bump_rule": 'if patched != $thing:\n    patched["version"] += 1'},
        ),
        change(
            "patch_shared",
            ("patched[field] = deepcopy(value)", "patched[field] = value"),
            when={"lists": "replaced"},
        ),
    ),
)

KEEPER = Shape(
    name="keeper",
    entry_point="$cls",
    words={
        "opening": "$cls($thing) keeps a copy of the $thing. $apply(patch) patches what is kept and "
        'returns its "version" after that. $read() returns a copy of what is kept.',
        "apart": "Nothing that is passed in is changed, and what is kept shares no dict or list "
        "with what is passed in or returned.",
        "into": "self._kept",
        **BRANCHES,
    },
    module='''
"""$summary"""

from copy import deepcopy
from typing import Any

$fields_line


class $cls:
    """Keeps one $thing and takes partial updates of it in."""

    def __init__(self, $thing: dict[str, Any]) -> None:
        self._kept = deepcopy($thing)

    def $apply(self, patch: dict[str, Any]) -> int:
        """Take one update in and return the version that it leads to."""
        $unknown_rule
        for field, value in patch.items():
            self._set(field, value)
        $bump_rule
        return self._kept["version"]

    def $read(self) -> dict[str, Any]:
        """The $thing as it is now."""
        return deepcopy(self._kept)

    def _set(self, field: str, value: Any) -> None:
        $none_branch
        $map_branch
        $list_rule
        $last:
            self._kept[field] = $kept_value
''',
    bugs=(
        NONE_SKIPPED,
        change("nest_replaced", slots={"map_branch": ""}),
        *NESTED_NONE,
        change("thing_changed", ("self._kept = deepcopy($thing)", "self._kept = $thing")),
        change(
            "half_done",
            (
                """
        for field in patch:
            if field not in _FIELDS:
                raise $error(field)
        for field, value in patch.items():
            self._set(field, value)
""",
                """
        for field, value in patch.items():
            if field not in _FIELDS:
                raise $error(field)
            self._set(field, value)
""",
            ),
            when={"unknown": "refused"},
        ),
    ),
    known_failing=(
        *other_nested("thing_changed", "half_done"),
        NULL_UNKNOWN,
        change("falsy", ("if value is None:", "if not value:")),
        change("no_dict", ("inner = self._kept.get(field) or {}", "inner = self._kept[field]")),
        change("each_field", slots={"bump_rule": 'self._kept["version"] += len(patch)'}),
        change("handed_out", ("return deepcopy(self._kept)", "return dict(self._kept)")),
    ),
)

BODIES = Shape(
    name="bodies",
    entry_point="$function",
    words={
        "opening": "$function(stored, body) takes two JSON texts, one of the $thing and one of a "
        "patch, and returns the JSON text of the $thing as it is after the patch, its keys "
        "sorted as json.dumps does with sort_keys=True. A JSON object is called a dict here, and "
        "null is called None.",
        "apart": "",
        "into": "patched",
        "map_branch": """
            if isinstance(value, dict):
                inner = old or {}
                $nested_after
        """,
    },
    module='''
"""$summary"""

import json
from typing import Any

$fields_line


def $function(stored: str, body: str) -> str:
    """Answer a PATCH request: what is stored, and what is to be stored after it."""
    $thing, patch = json.loads(stored), json.loads(body)
    $unknown_rule
    patched: dict[str, Any] = {}
    for field in {**$thing, **patch}:
        if field not in patch:
            patched[field] = $thing[field]
            continue
        value = patch[field]
        $null_skip
        patched[field] = _after(${thing}.get(field), value)
    patched["version"] = $thing["version"] + $bump
    return json.dumps(patched, sort_keys=True)


def _after(old: Any, value: Any) -> Any:
    """What a field holds once `value` was sent for it."""
    $map_branch
    $list_after
    return value
''',
    bugs=(
        change("none_skipped", ("if field not in patch:", "if patch.get(field) is None:")),
        change(
            "absent_cleared",
            (
                """
        if field not in patch:
            patched[field] = $thing[field]
            continue
        value = patch[field]
""",
                """
        value = patch.get(field)
""",
            ),
        ),
        change("nest_replaced", slots={"map_branch": ""}, when={"lists": "joined"}),
        *NESTED_NONE,
    ),
    known_failing=(
        *other_nested("absent_cleared"),
        NULL_UNKNOWN,
        change("no_dict", ("inner = old or {}", "inner = dict(old)")),
        change("each_field", slots={"bump": "len(patch)"}),
        change("on_change", slots={"bump": "(patched != $thing)"}),
        change(
            "falsy",
            ("if value is None:\n            continue", "if not value:\n            continue"),
            when={"null": "removes"},
        ),
    ),
)

SCENARIOS = (
    scenario(
        "profile API", summary="The profile of a user, as the profile page changes it.",
        thing="profile", text="nickname", number="age", items="interests", nest="address",
        function="patch_profile", cls="ProfileStore", apply="change", read="profile_now",
        parts=("street", "city", "zip"), unknowns=("avatar", "shoe_size"),
    ),
    scenario(
        "device twin", summary="What a device is told to be, set piece by piece.",
        thing="twin", text="firmware", number="interval", items="sensors", nest="network",
        function="updated_twin", cls="DeviceTwin", apply="desire", read="desired",
        parts=("ssid", "channel", "proxy"), unknowns=("battery", "locale"),
    ),
    scenario(
        "ticket update", summary="Updates of a support ticket by several agents.",
        thing="ticket", text="assignee", number="priority", items="labels", nest="reporter",
        function="update_ticket", cls="TicketDesk", apply="update", read="ticket",
        parts=("mail", "phone", "team"), unknowns=("sla", "origin"),
    ),
    scenario(
        "listing edit", summary="Edits of a listing while it is on the market.",
        thing="listing", text="title", number="price", items="photos", nest="location",
        function="edited_listing", cls="ListingDraft", apply="edit", read="listing",
        parts=("town", "floor", "lift"), unknowns=("agent", "heating"),
    ),
    scenario(
        "account settings", summary="Settings of an account, saved one form at a time.",
        thing="account", text="locale", number="page_size", items="shortcuts", nest="mail",
        function="save_form", cls="AccountSettings", apply="save", read="current",
        parts=("sender", "footer", "copies"), unknowns=("theme", "beta"),
    ),
)  # fmt: skip


STRICT = Compare(exception_args=True)


def fields(v: Variant, **given) -> dict[str, Any]:
    """A patch, or what a thing has besides its version; fields by what they are called here."""
    return {v[name]: content for name, content in given.items()}


@cache
def asks(apply: str, read: str):
    """How the class is called, and what is kept."""
    return f"kept.{apply}", call(f"kept.{read}")


def plain(v: Variant, clauses: str, start, *patches) -> Check:
    """The patches in the manner of the shape: each on its own, or one after another."""
    start = {"version": 4, **start}
    numbers = v.clauses("call", "fields", "version", clauses)
    if v.shape == "bodies":
        stored = json.dumps(start, sort_keys=True)
        steps = [call(v.entry_point, stored, json.dumps(patch)) for patch in patches]
    elif v.shape == "copy":
        steps = [call(v.entry_point, start, patch) for patch in patches]
    else:
        apply, read = asks(v["apply"], v["read"])
        steps = [call(v["cls"], start, bind="kept")]
        for patch in patches:
            steps += (call(apply, patch), read)
    return Check(tuple(steps), clauses=numbers, compare=STRICT)


def visible(v: Variant, s: Stream):
    """One field a patch: new texts and numbers, longer lists, and dicts with the same keys."""
    n = s.between(2, 90)
    one, two, _ = v["parts"]
    nest = {one: "a", two: n}
    start = fields(v, text="first", number=n, items=["x"])
    yield plain(v, "absent values", start, fields(v, number=n + 1))
    yield plain(v, "lists", start, fields(v, items=["x", "y"]), fields(v, text="second"))
    start = fields(v, number=n, nest=nest)
    yield plain(v, "nested absent", start, fields(v, nest={one: "b", two: n + 1}))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """The least patch that the bug serves differently."""
    n = s.between(2, 90)
    one, two, _ = v["parts"]
    start = fields(v, text="first", number=n, nest={one: "a", two: n})
    if bug == "none_skipped":
        return plain(v, "null absent", start, fields(v, text=None))
    if bug == "absent_cleared":
        return plain(v, "absent", start, fields(v, number=n + 1))
    if bug == "half_done":
        refused = {**fields(v, number=n + 1), v["unknowns"][0]: n}
        return plain(v, "unknown", start, refused)
    if bug == "thing_changed":
        fixtures = {"start": value({"version": 4, **start})}
        patch = fields(v, nest={one: "b", two: n + 1})
        steps = (call(v.entry_point, Ref("start"), patch),)
        if v.shape == "keeper":
            steps = (call(v["cls"], Ref("start"), bind="kept"), call(f"kept.{v['apply']}", patch))
        return Check(steps, fixtures, ("start",), v.clauses("nested", "apart"), STRICT)
    if bug == "nested_none":
        return plain(v, "nested", start, fields(v, nest={one: None, two: n + 1}))
    return plain(v, "nested", start, fields(v, nest={one: "b"}))


def nulls(v: Variant, s: Stream) -> Check:
    """None over fields that hold something, hold None, or are absent."""
    start = fields(v, number=s.choice((None, 5, 5)), nest=s.choice((None, {v["parts"][0]: 1})))
    if s.chance(1, 2):
        start[v["text"]] = s.choice(("", "a", None))
    names = [v[name] for name in ("text", "number", "items", "nest")]
    one, two = (dict.fromkeys(s.sample(names, s.between(1, 2))) for _ in range(2))
    number = fields(v, number=s.choice((0, 6)))
    return plain(v, "null absent", start, one, {**two, **number})


def parts_of(v: Variant, s: Stream):
    """Two or three parts of the nested dict, in drawn order."""
    contents = (None, None, 0, "", 7, "b")
    return {part: s.choice(contents) for part in s.sample(v["parts"], s.between(2, 3))}


def inside(v: Variant, s: Stream) -> Check:
    """Patches of the nested dict, whatever was there."""
    nest = s.choice((None, {}, ..., ..., ...))
    start = fields(v, number=1) if nest is ... and s.chance(1, 4) else fields(v, nest=nest)
    if nest is ... and v["nest"] in start:
        start[v["nest"]] = parts_of(v, s)
    return plain(v, "nested values", start, *(fields(v, nest=parts_of(v, s)) for _ in range(2)))


def empties(v: Variant, s: Stream) -> Check:
    """0, empty texts, lists and dicts; lists that have texts in common."""
    lists = (["a"], ["b", "a"], ["b", "b", "c"], ["a", "a"], [])
    start = fields(v, text="x", number=5, items=s.choice((*lists[:4], None)), nest={"k": 1})
    one = fields(v, items=s.choice(lists), number=0)
    two = fields(v, text="", nest={}, items=s.choice(lists[1:]))
    return plain(v, "lists values nested", start, *s.shuffle([one, two]))


def refused(v: Variant, s: Stream) -> Check:
    """Unknown fields with something and with None; patches that are empty or change nothing."""
    one, two = s.shuffle(v["unknowns"])
    start = fields(v, text="x", number=s.between(1, 9))
    first = {v["text"]: "y", one: s.choice((None, "z", 0)), two: s.choice((None, 3))}
    alone = {two: s.choice((None, None, 4))}
    others = s.sample(({v["text"]: "x"}, alone, first), 2)
    return plain(v, "unknown values", start, *s.shuffle([{}, *others]))


def apart(v: Variant, s: Stream) -> Check:
    """What came out is changed, and then what went in."""
    part, other, _ = v["parts"]
    start = {"version": s.between(1, 9), **fields(v, items=["a"], nest={part: 1, other: 2})}
    patch = fields(v, items=["b", "c"][: s.between(1, 2)], nest={part: 3})
    if s.chance(1, 2):
        del patch[v["nest"]]
    if v.shape == "bodies":
        return inside(v, s)
    fixtures = {"start": value(start), "patch": value(patch)}
    uses = [call(f"mine.{v['items']}.append", "z"), put(f"mine.{v['nest']}.{other}", s.below(9))]
    numbers = v.clauses("call", "nested", "lists", "apart")
    if v.shape == "copy":
        steps = (call(v.entry_point, Ref("start"), Ref("patch"), bind="mine"), *uses, look("mine"))
        return Check(steps, fixtures, ("start", "patch"), numbers, STRICT)
    apply, read = asks(v["apply"], v["read"])
    mine = call(f"kept.{v['read']}", bind="mine")
    uses += [call(f"start.{v['items']}.append", "s"), put(f"start.{v['nest']}.{part}", 8)]
    uses.append(call(f"patch.{v['items']}.append", "p"))
    first = (call(v["cls"], Ref("start"), bind="kept"), call(apply, Ref("patch")), mine)
    return Check((*first, *uses, read), fixtures, ("start", "patch"), numbers, STRICT)


@cache
def worlds(text: str, number: str, items: str, nest: str, parts: tuple[str, ...], others):
    """What things and patches may have; the unknown fields come with some of the patches."""
    one, two, three = parts
    nests = (None, {one: 1, two: None}, {two: "b", three: 0}, {one: None, three: "c"}, ...)
    contents = ((None, "", "a", ...), (None, 0, 3, ...), (None, ["a"], ["b", "a", "b"], ...), nests)
    names = (text, number, items, nest)
    things = [
        {name: it for name, it in zip(names, world, strict=True) if it is not ...}
        for world in product(*contents)
    ]
    extra = [{**it, others[at % 2]: (None, "u", 0)[at % 3]} for at, it in enumerate(things[::9])]
    return things, (*things, *extra)


def wide(v: Variant, s: Stream) -> Check:
    """A thing of a small world and two patches."""
    names = (v[name] for name in ("text", "number", "items", "nest", "parts", "unknowns"))
    things, patches = worlds(*names)
    both = s.choice(patches), s.choice(patches)
    return plain(v, "absent null nested lists values unknown", s.choice(things), *both)


def fresh(content):
    """A copy of what a field holds: text, number, None, or a flat list or dict of these."""
    return content.copy() if isinstance(content, (list, dict)) else content


def copied(thing):
    return {field: fresh(content) for field, content in thing.items()}


def oracle(v: Variant):
    """Says of each field on its own what it holds after a patch."""
    items, nest = v["items"], v["nest"]
    refused = v["unknown"] == "refused"
    known = {v["text"], v["number"], items, nest}
    error = {"KeyError": KeyError, "ValueError": ValueError}[v["error"]]
    stores, counts = v["null"] == "stores", v["empty"] == "counts"
    joins, passes_over = v["lists"] == "joined", v["nested"] == "passed_over"

    def after_null(field, whole):
        if stores:
            whole[field] = None

    def joined(old, new):
        whole = list(old)
        for text in new:
            if text not in whole:
                whole.append(text)
        return whole

    def nested(old, new):
        whole = {}
        for key in {**old, **new}:
            if key not in new or (new[key] is None and passes_over):
                if key in old:
                    whole[key] = old[key]
            elif new[key] is None:
                after_null(key, whole)
            else:
                whole[key] = new[key]
        return whole

    def model(old, patch):
        if refused and not known.issuperset(patch):
            raise error(next(field for field in patch if field not in known))
        whole = {"version": old["version"] + (1 if patch or counts else 0)}
        for field in {**old, **patch}:
            if field == "version":
                continue
            if field not in patch:
                whole[field] = fresh(old[field])
                continue
            new = patch[field]
            if new is None:
                after_null(field, whole)
            elif field == nest:
                whole[field] = nested(old.get(field) or {}, new)
            elif field == items and joins:
                whole[field] = joined(old.get(field) or (), new)
            else:
                whole[field] = fresh(new)
        return whole

    class Keeper:
        def __init__(self, start):
            self._start = copied(start)

    def apply(self, patch):
        self._start = model(self._start, patch)
        return self._start["version"]

    def bodies(stored, body):
        return json.dumps(model(json.loads(stored), json.loads(body)), sort_keys=True)

    setattr(Keeper, v["apply"], apply)
    setattr(Keeper, v["read"], lambda self: copied(self._start))
    return {v["cls"]: Keeper, v["function"]: bodies if v.shape == "bodies" else model}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(COPY, KEEPER, BODIES),
    scenarios=SCENARIOS,
    choices={"error": ("KeyError", "ValueError")},
    visible=visible,
    symptom=symptom,
    edges=(nulls, inside, empties, refused, apart),
    wide=wide,
    oracle=oracle,
)
