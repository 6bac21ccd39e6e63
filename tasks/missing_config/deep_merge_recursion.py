"""Nested maps are merged key by key to any depth, and neither input is touched."""

from functools import cache

from sandbox.checks import Check, Compare, Ref, call, look, put, value
from tasks.kit import Category, Change, Clause, Shape, Stream, Variant, change, knob, scenario

SETS = {
    "none_clause": "is a value like any other: the result has None under that key",
    "none_rule": "$into[key] = None",
    "elif": "elif",
}
REMOVES = {
    "none_clause": "takes the key out of the result, and does nothing where there is none",
    "none_rule": "$remove",
    "elif": "$elif_removed",
}
EMPTY_KEEPS = {
    "empty_clause": "leaves a map that $base has there as it is",
    "unless_empty": "",
}
EMPTY_CLEARS = {
    "empty_clause": "is not merged with a map that $base has there, but takes its place",
    "unless_empty": " and new",
}

STAYS = {
    "order_clause": "the keys of $base keep their order, and those that only $override has come "
    "after them, in the order of $override",
    "taken": "get(key)",
    "remove": "$into.pop(key, None)",
    "elif_removed": "elif",
}
MOVES = {
    "order_clause": "the keys that $override does not have come first, in the order of $base, and "
    "those that it has come after them, in the order of $override",
    "taken": "pop(key, None)",
    "remove": "continue",
    "elif_removed": "if",
}

KNOBS = (
    knob("none", sets=SETS, removes=REMOVES),
    knob(
        "clash",
        wins={
            "clash_clause": "that of $override takes the place of that of $base",
            "path_param": "",
            "path_top": "",
            "path_on": "",
            "path_note": "",
            "place_type": "str",
            "place_top": "key",
            "place_name": "key",
            "place_on": "name",
            "place_key": "",
            "map_clash": "",
            "scalar_clash": "",
            "lay": "_lay(self._settings, $override)",
            "unchanged": "",
        },
        raises={
            "clash_clause": "$error is raised with one argument, the tuple of the keys that lead "
            "there from the top; of several such places it names the first that is met when "
            "$override is read in the order of its keys, each map to its end before the next key",
            "path_param": ", path: tuple[str, ...]",
            "path_top": ", ()",
            "path_on": ", (*path, key)",
            "path_note": "; `path` leads there",
            "place_type": "tuple[str, ...]",
            "place_top": "(key,)",
            "place_name": "path",
            "place_on": "(*path, name)",
            "place_key": "key = path[-1]",
            "map_clash": "if old is not None and not isinstance(old, dict):\n    raise $error($where)",
            "scalar_clash": "elif isinstance(old, dict):\n    raise $error($where)",
            "lay": """
                # A layer that clashes must leave no trace, so it is tried on a copy.
                settings = deepcopy(self._settings)
                _lay(settings, $override, ())
                self._settings = settings
            """,
            "unchanged": " A call of $apply that raises changes nothing.",
        },
    ),
    knob(
        "lists",
        replace={
            "lists_clause": "the list of $override takes the place of that of $base",
            "lists_rule": "",
        },
        join={
            "lists_clause": "the result has the items of the list of $base, followed by those of "
            "the list of $override",
            "lists_rule": "elif isinstance(old, list) and isinstance(new, list):\n"
            "    $into[key] = old + new",
        },
    ),
    knob("empty", keeps=EMPTY_KEEPS, clears=EMPTY_CLEARS),
    knob("order", stays=STAYS, moves=MOVES),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "domain",
        """A map is a dict whose keys are texts and whose values are None, integers, texts, lists
        of integers, or maps; it may be empty.""",
    ),
    Clause(
        "maps",
        """Where $override does not have a key of $base, the result has the value of $base. A map
        under a key of $override is merged with the map that $base has there in the same way, at
        any depth; where $base has no map there, it is merged with an empty one. Any other value of
        $override takes the place of what $base has there, unless a clause below says
        otherwise.""",
    ),
    Clause("none", "None in $override, at any depth, $none_clause."),
    Clause(
        "clash",
        """Where one of the two has a map under a key and the other has a value that is neither a
        map nor None, $clash_clause.""",
    ),
    Clause("lists", "Where both have a list under a key, $lists_clause."),
    Clause(
        "empty",
        "An empty map under a key of $override $empty_clause. Anywhere else it is a map like any other.",
    ),
    Clause("order", "In every map of the result $order_clause."),
    Clause("apart", "$apart"),
)

FUNCTION_WORDS = {
    "opening": "$function($base, $override) takes two maps, and returns $override merged into "
    "$base, a new map.",
    "apart": "Neither $base nor $override is changed, and no dict or list of the result is one of "
    "theirs.",
}

NONE = (({"none": "sets"}, REMOVES), ({"none": "removes"}, SETS))
EMPTY = (({"empty": "keeps"}, EMPTY_CLEARS), ({"empty": "clears"}, EMPTY_KEEPS))
ORDER = (({"order": "stays"}, MOVES), ({"order": "moves"}, STAYS))
ORDER_BUGS = tuple(change("order", slots=slots, when=when) for when, slots in ORDER)
NEST = "            inner = old if isinstance(old, dict)$unless_empty else {}\n"


def nested_bugs(body: str, flat: str) -> tuple[Change, ...]:
    """Bugs of the branch for maps, whose `body` comes after the line that finds the inner map."""
    test = "        $elif isinstance(new, dict):\n"
    both = "        $elif isinstance(new, dict) and isinstance(old, dict):\n"
    when = {"clash": "wins", "none": "removes"}
    into_old = body.replace("inner", "old").removeprefix("            level[key] = old\n")
    return (
        change("one_level", (body, flat)),
        change(
            "raw_new",
            (test + NEST + body, both + into_old),
            when={**when, "empty": "keeps", "order": "stays"},
        ),
        change(
            "raw_new",
            (test + NEST, both + "            inner = old if new else {}\n"),
            when={**when, "empty": "clears"},
        ),
        *ORDER_BUGS,
    )


def shallow(body: str) -> tuple[Change, ...]:
    """The branch for maps left out; where lists are joined, the old value is still read."""
    branch = ("        $elif isinstance(new, dict):\n" + NEST + body, "")
    when = {"clash": "wins", "lists": "join"}
    return (
        change("shallow", branch, when={**when, "none": "sets"}),
        change("shallow", branch, when={**when, "none": "removes", "order": "stays"}),
    )


MERGED = "            merged[key] = _merged(inner, new$path_on)\n"
WAITING = """            level[key] = inner
            waiting += [(inner, $place_on, value) for name, value in reversed(new.items())]
"""
LAID = """            level[key] = inner
            _lay(inner, new$path_on)
"""
FLAT = "            level[key] = {**inner, **deepcopy(new)}\n"
COMMON = ("one_level", "shared", "path_lost", "scalar_wins", "order")


def patches(*bugs: str) -> tuple[Change, ...]:
    """The known-failing patches of every shape; `bugs` are its own that need no rule for None."""
    return (
        *(
            change("other_none", slots=slots, when=when, against=(*COMMON, *bugs))
            for when, slots in NONE
        ),
        *(change("other_empty", slots=slots, when=when) for when, slots in EMPTY),
        change("falsy", ("if new is None:", "if not new:")),
        change(
            "distinct_items",
            ("= old + new", "= old + [item for item in new if item not in old]"),
            when={"lists": "join"},
        ),
        change("map_wins", slots={"map_clash": ""}, when={"clash": "raises"}),
        change(
            "none_clashes",
            (
                "if old is not None and not isinstance(old, dict):",
                "if key in $into and not isinstance(old, dict):",
            ),
            when={"clash": "raises", "order": "stays"},
        ),
    )


SCALAR_WINS = change("scalar_wins", slots={"scalar_clash": ""}, when={"clash": "raises"})

RECURSIVE = Shape(
    name="recursive",
    entry_point="$function",
    words={**FUNCTION_WORDS, "into": "merged", "where": "(*path, key)"},
    module='''
"""$summary"""

from copy import deepcopy
from typing import Any

$type = dict[str, Any]


def $function($base: $type, $override: $type) -> $type:
    """What comes of $base when $override is merged into it."""
    return deepcopy(_merged($base, $override$path_top))


def _merged(base: $type, layer: $type$path_param) -> $type:
    """What two maps come to together$path_note."""
    merged = dict(base)
    for key, new in layer.items():
        old = merged.$taken
        if new is None:
            $none_rule
        $elif isinstance(new, dict):
            $map_clash
            inner = old if isinstance(old, dict)$unless_empty else {}
            merged[key] = _merged(inner, new$path_on)
        $scalar_clash
        $lists_rule
        else:
            merged[key] = new
    return merged
''',
    bugs=(
        *nested_bugs(MERGED, "            merged[key] = {**inner, **new}\n"),
        *shallow(MERGED),
        change(
            "shared",
            ("from copy import deepcopy\n", ""),
            (
                "return deepcopy(_merged($base, $override$path_top))",
                "return _merged($base, $override$path_top)",
            ),
        ),
        change("path_lost", slots={"path_on": ", (key,)"}, when={"clash": "raises"}),
        SCALAR_WINS,
    ),
    known_failing=(
        *patches("shallow"),
        change(
            "one_level_only",
            (MERGED, "            merged[key] = {**inner, **new}\n"),
            when={"order": "stays"},
            against=("shallow", "shared", "scalar_wins", "order"),
        ),
        change(
            "shallow_copy",
            ("return deepcopy(_merged(", "return dict(_merged("),
            against=("one_level", "shallow", "path_lost", "scalar_wins", "order", "raw_new"),
        ),
    ),
)

WORKLIST = Shape(
    name="worklist",
    entry_point="$function",
    words={**FUNCTION_WORDS, "into": "level", "where": "path"},
    module='''
"""$summary"""

from copy import deepcopy
from typing import Any

$type = dict[str, Any]


def $function($base: $type, $override: $type) -> $type:
    """Merge $override into a copy of $base and return the copy.

    What is still to be laid over the copy waits in a list, the next entry at its end.
    """
    merged = deepcopy($base)
    waiting: list[tuple[$type, $place_type, Any]] = [
        (merged, $place_top, new) for key, new in reversed(${override}.items())
    ]
    while waiting:
        level, $place_name, new = waiting.pop()
        $place_key
        old = level.$taken
        if new is None:
            $none_rule
        $elif isinstance(new, dict):
            $map_clash
            inner = old if isinstance(old, dict)$unless_empty else {}
            level[key] = inner
            waiting += [(inner, $place_on, value) for name, value in reversed(new.items())]
        $scalar_clash
        $lists_rule
        else:
            level[key] = deepcopy(new)
    return merged
''',
    bugs=(
        *nested_bugs(WAITING, FLAT),
        change("shared", ("merged = deepcopy($base)", "merged = dict($base)")),
        change("path_lost", slots={"place_on": "(name,)"}, when={"clash": "raises"}),
        SCALAR_WINS,
    ),
    known_failing=(
        *patches(),
        change("layer_shared", ("level[key] = deepcopy(new)", "level[key] = new")),
    ),
)

HOLDER = Shape(
    name="holder",
    entry_point="$cls",
    words={
        "opening": "$cls($base) holds a copy of a map. $apply($override) merges a second map into "
        "it and returns None; the result is the $base of the next $apply. $current() returns a "
        "copy of what is held.",
        "apart": "No map that is passed in is changed. What is held shares no dict or list with "
        "the maps that are passed in or returned.$unchanged",
        "into": "level",
        "where": "(*path, key)",
    },
    module='''
"""$summary"""

from copy import deepcopy
from typing import Any

$type = dict[str, Any]


class $cls:
    """A map that others are merged into, one after another."""

    def __init__(self, $base: $type) -> None:
        self._settings = deepcopy($base)

    def $apply(self, $override: $type) -> None:
        """Merge $override into what is held."""
        $lay

    def $current(self) -> $type:
        """A copy that belongs to the caller."""
        return deepcopy(self._settings)


def _lay(level: $type, layer: $type$path_param) -> None:
    """Lay one map over another, in place$path_note."""
    for key, new in layer.items():
        old = level.$taken
        if new is None:
            $none_rule
        $elif isinstance(new, dict):
            $map_clash
            inner = old if isinstance(old, dict)$unless_empty else {}
            level[key] = inner
            _lay(inner, new$path_on)
        $scalar_clash
        $lists_rule
        else:
            level[key] = deepcopy(new)
''',
    bugs=(
        *nested_bugs(LAID, FLAT),
        *shallow(LAID),
        change(
            "shared",
            ("self._settings = deepcopy($base)", "self._settings = dict($base)"),
            when={"clash": "wins"},
        ),
        change("path_lost", slots={"path_on": ", (key,)"}, when={"clash": "raises"}),
        SCALAR_WINS,
        change(
            "half_applied",
            slots={"lay": "_lay(self._settings, $override, ())"},
            when={"clash": "raises"},
        ),
    ),
    known_failing=(
        *patches("shallow", "half_applied"),
        change("layer_shared", ("level[key] = deepcopy(new)", "level[key] = new")),
        change("handed_out", ("return deepcopy(self._settings)", "return dict(self._settings)")),
    ),
)

SCENARIOS = (
    scenario(
        "service config", summary="Settings of a service: defaults and what a host has of its own.",
        type="Settings", base="defaults", override="local", function="merge_settings",
        cls="ServiceConfig", apply="load", current="settings",
        names=("server", "port", "tls", "limits", "retries"),
    ),
    scenario(
        "theme", summary="Colours and sizes of a theme, with the changes of a site.",
        type="Theme", base="theme", override="changes", function="themed", cls="ThemeEditor",
        apply="adjust", current="theme_now", names=("font", "size", "colour", "button", "margin"),
    ),
    scenario(
        "chart options", summary="Options of a chart: the preset and what the caller asks for.",
        type="Options", base="preset", override="options", function="chart_options",
        cls="ChartOptions", apply="refine", current="effective",
        names=("axis", "ticks", "legend", "grid", "label"),
    ),
    scenario(
        "tenant settings", summary="What a tenant may do: the plan and the terms of the contract.",
        type="Terms", base="plan", override="terms", function="tenant_terms", cls="TenantTerms",
        apply="agree", current="in_force", names=("seats", "storage", "region", "support", "quota"),
    ),
    scenario(
        "pipeline", summary="Build steps from a template and the file of a project.",
        type="Steps", base="template", override="project", function="pipeline_steps",
        cls="Pipeline", apply="extend", current="steps",
        names=("build", "test", "image", "env", "timeout"),
    ),
)  # fmt: skip

STRICT = Compare(exception_args=True, dict_order=True)


def merged(v: Variant, clauses: str, base, *layers) -> Check:
    """Merge each layer into the base; the class is asked after each."""
    fixtures = {"base": value(base), **{f"layer{n}": value(it) for n, it in enumerate(layers)}}
    numbers = v.clauses("call", "domain", "order", "apart", clauses)
    if v.shape == "holder":
        steps = [call(v["cls"], Ref("base"), bind="held")]
        for n in range(len(layers)):
            steps.append(call(f"held.{v['apply']}", Ref(f"layer{n}")))
            steps.append(call(f"held.{v['current']}"))
    else:
        steps = [call(v.entry_point, Ref("base"), Ref(f"layer{n}")) for n in range(len(layers))]
    return Check(tuple(steps), fixtures, tuple(fixtures), numbers, STRICT)


def used(v: Variant, base, layer, *uses) -> Check:
    """Merge, change what came out, and look whether anything else changed with it."""
    fixtures = {"base": value(base), "layer": value(layer)}
    if v.shape == "holder":
        ask = call(f"held.{v['current']}", bind="mine")
        again = call(f"held.{v['current']}")
        first = call(v["cls"], Ref("base"), bind="held")
        steps = (first, call(f"held.{v['apply']}", Ref("layer")), ask, *uses, again)
    else:
        steps = (call(v.entry_point, Ref("base"), Ref("layer"), bind="mine"), *uses, look("mine"))
    numbers = v.clauses("call", "maps", "apart")
    return Check(steps, fixtures, ("base", "layer"), numbers, STRICT)


def visible(v: Variant, s: Stream):
    """Scalars, new keys, and maps of two levels, in the order of both inputs."""
    a, b, c, d, _ = s.shuffle(v["names"])
    n = s.between(2, 90)
    yield merged(v, "maps", {a: n, b: "x"}, {a: n + 1, b: "y", c: "z"})
    yield merged(v, "maps", {a: {b: n, c: n + 1}, d: "x"}, {a: {b: n + 2}, d: "y"})
    yield merged(v, "maps", {a: n}, {a: n, b: {c: n + 1, d: {a: "x"}}})


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """The least pair of maps that the bug merges differently."""
    a, b, c, d, _ = s.shuffle(v["names"])
    n = s.between(2, 90)
    if bug == "one_level":
        return merged(v, "maps", {a: {b: {c: n, d: "x"}}}, {a: {b: {c: n + 1}}})
    if bug == "shared" and v.shape == "recursive":
        part = call("@getitem", Ref("mine"), a, bind="part")
        return used(v, {a: {b: n}, c: "x"}, {c: "y"}, part, call("@setitem", Ref("part"), b, n + 1))
    if bug == "path_lost":
        return merged(v, "clash", {a: {b: {c: {d: n}}}}, {a: {b: {c: "x"}}})
    if bug == "raw_new":
        return merged(v, "none", {a: n}, {a: n, b: {c: None, d: n + 1}})
    if bug == "order":
        return merged(v, "order", {a: n, b: "x"}, {a: n + 1})
    if bug == "scalar_wins":
        return merged(v, "clash", {a: n, b: {c: "x"}}, {b: n})
    if bug == "half_applied":
        return merged(v, "clash apart", {a: n, b: {c: "x"}}, {a: n + 1, b: n})
    return merged(v, "maps apart", {a: {b: n, c: "x"}}, {a: {b: n + 1}})


LEAVES = (0, 1, 2, "", "x", "y", [], [1], [2, 1], None)


def deep(v: Variant, s: Stream) -> Check:
    """Entries beside each other two and three levels down; a second layer for the class."""
    a, b, c, d, e = s.shuffle(v["names"])
    one, two, three, four, five = (s.choice(LEAVES) for _ in range(5))
    base = {a: {b: {c: one, d: 7}, e: two}, d: {c: 5, a: {b: 6}}, c: {a: 4}}
    layer = {d: {a: {c: three}}, c: {}, a: {e: four, b: {d: five, a: 8}, c: {b: 9}}}
    more = [{a: {b: {c: four}}}] if v.shape == "holder" else []
    return merged(v, "maps none lists", base, layer, *more)


def nones(v: Variant, s: Stream) -> Check:
    """None over every kind of value, in maps that the base has and in others."""
    a, b, c, d, e = s.shuffle(v["names"])
    base = {a: s.choice((None, 1, {b: 2}, [3], 0)), b: 3, c: {a: 4, d: None, e: {b: 1}}}
    new = {b: None, c: {a: None, e: s.choice((5, [], {}))}}
    layer = {a: None, d: new, c: {a: None, b: None, e: s.choice((None, {b: None}, {c: None}))}}
    layer[b] = s.choice((None, None, 6, {c: None}))
    if s.chance(2, 3):
        base[d] = None
    return merged(v, "maps none", base, layer)


def clashes(v: Variant, s: Stream) -> Check:
    """Maps over other values and other values over maps, at one to three places."""
    a, b, c, d, e = s.shuffle(v["names"])
    kinds = (
        (1, {a: 2, b: 0}),
        ({c: 2, d: 3}, "x"),
        ([1], {}),
        ({}, []),
        (None, {d: 4}),
        (None, {a: 1, e: 0}),
        ({e: 1}, None),
        (0, {e: None}),
        ({a: 1, b: 2}, {b: 3}),
        (5, 6),
    )
    (one, two, three), four = s.sample(kinds, 3), s.choice(kinds)
    base = {a: one[0], b: {c: two[0], d: {e: three[0], a: 1}}, c: 3, d: four[0]}
    layer = {b: {d: {e: three[1]}, c: two[1]}, c: 4, d: four[1], a: one[1]}
    more = [{c: 5, b: {e: 1}}] if v.shape == "holder" else []
    return merged(v, "clash none", base, layer, *more)


def lists_and_empties(v: Variant, s: Stream) -> Check:
    """Lists over lists, empty maps over maps, and both where the base has nothing."""
    a, b, c, d, e = s.shuffle(v["names"])
    lists = ([1], [2, 1], [1, 2, 2], [])
    base = {
        a: {b: 1, c: 2},
        b: s.choice(lists),
        c: {d: s.choice(lists), e: {a: 1}, b: 0},
        e: [s.below(3)],
    }
    layer = {c: {e: {}, d: s.choice(lists), a: {}}, d: {}, b: s.choice(lists), a: {}, e: [1, 0, 1]}
    if s.chance(1, 6):
        layer[b] = {}
    return merged(v, "lists empty", base, layer)


def apart(v: Variant, s: Stream) -> Check:
    """What came out is changed, and then what went in."""
    a, b, c, d, e = s.shuffle(v["names"])
    base = {a: {b: 1, c: {d: 2}}, c: [1], d: {e: [2]}}
    layer = {d: {a: [4]}, b: {c: [5]}, e: [s.below(9)]}
    uses = [
        put(f"mine.{a}.{b}", s.below(9)),
        put(f"mine.{a}.{c}.{d}", 0),
        call(f"mine.{c}.append", 6),
        call(f"mine.{d}.{e}.clear"),
        call(f"mine.{d}.{a}.append", 7),
        call(f"mine.{b}.{c}.clear"),
        call(f"mine.{e}.append", 8),
    ]
    if v.shape == "holder":
        uses += [put(f"base.{a}.{b}", 5), call(f"base.{c}.append", 9)]
        uses += [call(f"layer.{e}.append", 3), call(f"layer.{d}.{a}.clear")]
    return used(v, base, layer, *s.sample(uses, len(uses) - 3))


@cache
def pool(names: tuple[str, ...]) -> list[dict[str, object]]:
    """Maps of a small world; under the first two names there are mostly maps."""
    s = Stream(b"maps", "/".join(names))

    def small(depth: int):
        entries = {}
        for name in s.sample(names, s.between(1, 4)):
            is_map = depth and s.chance(4 if name in names[:2] else 1, 5)
            entries[name] = small(depth - 1) if is_map else s.choice(LEAVES)
        return entries if s.chance(9, 10) else {}

    return [small(2) for _ in range(90)]


def wide(v: Variant, s: Stream) -> Check:
    """Two or three maps of a small world."""
    world = pool(v["names"])
    layers = (s.choice(world) for _ in range(s.between(1, 2)))
    return merged(v, "maps none clash lists empty", s.choice(world), *layers)


def oracle(v: Variant):
    """Looks for the first clash, then says of every key where it stands and what it has."""
    error = {"ValueError": ValueError, "LookupError": LookupError}[v["error"]]
    moves, sets_none, joins = v["order"] == "moves", v["none"] == "sets", v["lists"] == "join"
    clears, raises = v["empty"] == "clears", v["clash"] == "raises"

    def first_clash(base, layer):
        """The keys that lead to it, or an empty tuple."""
        for key in layer:
            one, other = base.get(key), layer[key]
            if one is None or other is None:
                continue
            if (type(one) is dict) is not (type(other) is dict):
                return (key,)
            if type(one) is dict and (inner := first_clash(one, other)):
                return (key, *inner)
        return ()

    def copy_of(held):
        if type(held) is dict:
            return {key: copy_of(inner) for key, inner in held.items()}
        return held[:] if type(held) is list else held

    def together(base, layer):
        both = {}
        for key in base:
            if key not in layer:
                both[key] = copy_of(base[key])
            elif not moves:
                lay(both, key, base[key], layer[key])
        for key in layer:
            if moves or key not in base:
                lay(both, key, base.get(key), layer[key])
        return both

    def lay(both, key, old, new):
        """Puts under the key what old and new come to, if anything."""
        if type(new) is dict:
            is_fresh = type(old) is not dict or (clears and not new)
            both[key] = together({} if is_fresh else old, new)
        elif type(new) is list:
            both[key] = [*old, *new] if joins and type(old) is list else new[:]
        elif new is not None or sets_none:
            both[key] = new

    def model(base, layer):
        if raises and (path := first_clash(base, layer)):
            raise error(path)
        return together(base, layer)

    class Holder:
        def __init__(self, base):
            self._held = copy_of(base)

    def apply(self, layer):
        self._held = model(self._held, layer)

    setattr(Holder, v["apply"], apply)
    setattr(Holder, v["current"], lambda self: copy_of(self._held))
    return {v["cls"]: Holder, v["function"]: model}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(RECURSIVE, WORKLIST, HOLDER),
    scenarios=SCENARIOS,
    choices={"error": ("ValueError", "LookupError")},
    visible=visible,
    symptom=symptom,
    edges=(deep, nones, clashes, lists_and_empties, apart),
    wide=wide,
    oracle=oracle,
)
