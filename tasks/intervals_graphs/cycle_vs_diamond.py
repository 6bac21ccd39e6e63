"""Only a way that leads back to itself is a cycle; two ways to one node are not."""

from functools import cache

from sandbox.checks import Check, Compare, call, get
from tasks.kit import Category, Change, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "report",
        entry={
            "report_clause": "starting with the $node that the walk came back to",
            "report_rule": "$find_start\n${give}$entry_cycle$end",
            "other_report": "${give}$lead_cycle$end",
        },
        smallest={
            "report_clause": "starting with the smallest name among them",
            "report_rule": "$find_start\ncycle = path[start:]\nturn = cycle.index(min(cycle))\n"
            "${give}cycle[turn:] + cycle[$turn_end]$end",
            "other_report": "$find_start\n${give}$entry_cycle$end",
        },
        with_lead={
            "report_clause": "starting with the $node that the walk came back to; before them come"
            " all ${node}s through which the walk got there, from the one that it started at",
            "report_rule": "${give}$lead_cycle$end",
            "other_report": "$find_start\n${give}$entry_cycle$end",
        },
    ),
    knob(
        "closing",
        once={
            "closing_clause": "is named once",
            "self_again": "",
            "entry_cycle": "path[start:]",
            "lead_cycle": "path",
            "turn_end": ":turn",
            "sorted_cycle": "sorted(path[start:])",
        },
        again={
            "self_again": ", which the report names twice",
            "closing_clause": "is named once, but the first $node of the cycle is named again at"
            " the end",
            "entry_cycle": "[*path[start:], $node]",
            "lead_cycle": "[*path, $node]",
            "turn_end": ": turn + 1",
            "sorted_cycle": "[*sorted(path[start:]), min(path[start:])]",
        },
    ),
    knob(
        "self_edge",
        cycle={
            "self_clause": "is a cycle of one $node$self_again",
            "self_rule": "",
            "other_self": "if $other == $node:\n    continue",
        },
        ignored={
            "self_clause": "is treated as if it did not",
            "self_rule": "if $other == $node:\n    continue",
            "other_self": "",
        },
    ),
    knob(
        "stranger",
        leaf={
            "stranger_clause": "$verb nothing itself$leaf_note",
            "stranger_rule": "",
            "found": "$graph.get($node, [])",
            "other_stranger": "$refuse",
            "other_found": "$graph[$node]",
        },
        refused={
            "stranger_clause": "raises LookupError, whatever else is in $graph",
            "stranger_rule": "$refuse",
            "found": "$graph[$node]",
            "other_stranger": "",
            "other_found": "$graph.get($node, [])",
        },
    ),
    knob(
        "order",
        given={
            "order_clause": "in the order of $graph",
            "inner_clause": "in the order of their list",
            "roots": "$graph",
            "others": "${found}",
            "other_roots": "sorted($graph)",
            "other_others": "sorted(${found})",
        },
        ascending={
            "order_clause": "in ascending order",
            "inner_clause": "in ascending order too",
            "roots": "sorted($graph)",
            "others": "sorted(${found})",
            "other_roots": "$graph",
            "other_others": "${found}",
        },
    ),
)

GRAPH = (
    "$graph is a dict with a list of ${node}s under each $node: those that it $verb, none of them"
    " twice. A $node is a text, and $graph is not changed."
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "walk",
        """The walk takes the keys of $graph $order_clause. When it enters a $node, it goes on to the
        ${node}s that this one $verb, $inner_clause, and leaves each of them before it comes to the
        next; then it leaves the $node. It does not enter again what it has left.""",
    ),
    Clause(
        "cycle",
        """A cycle is found where the walk comes to a $node that it has entered and not left. That a
        $node is reached in more than one way makes no cycle. The first cycle that is found ends
        the walk.""",
    ),
    Clause(
        "report",
        """The ${node}s of a cycle are reported in the order in which one $verb the next,
        $report_clause.""",
    ),
    Clause("closing", "In the report each $node $closing_clause."),
    Clause("self", "A $node that $verb itself $self_clause."),
    Clause("stranger", "A $node that is in a list but is not a key of $graph $stranger_clause."),
)

REFUSE = """
unknown = {$other for others in $graph.values() for $other in others} - $graph.keys()
if unknown:
    raise LookupError(f"unknown: {', '.join(sorted(unknown))}")
"""

# Faults and repairs that the shapes share.
UNLEFT = change("unleft", slots={"leave_rule": "$stay_rule"})
OTHER_REPORT = change("other_report", slots={"report_rule": "$other_report"})
SORTED = change(
    "sorted",
    slots={"report_rule": "$find_start\n${give}$sorted_cycle$end"},
    when={"report": "smallest"},
)
PATCHES = (
    change("other_self", slots={"self_rule": "$other_self"}),
    change("other_stranger", slots={"stranger_rule": "$other_stranger", "found": "$other_found"}),
    change("other_order", slots={"roots": "$other_roots", "others": "$other_others"}),
)


def with_other_report(*bugs: str) -> tuple[Change, ...]:
    """The patches of a shape; one that reports in another way suits these bugs only."""
    return (*PATCHES, change("report", slots={"report_rule": "$other_report"}, against=bugs))


FIND = Shape(
    name="find",
    entry_point="$find",
    words={
        "opening": "$find($graph) returns a cycle as a list of ${node}s, or None where there is"
        f" none. {GRAPH}",
        "leaf_note": "",
        "refuse": REFUSE,
        "find_start": "start = path.index($node)",
        "leave_rule": "path.pop()\ndone.add($node)",
        "stay_rule": "done.add($node)",
        "give": "return ",
        "end": "",
        "first_cycle": "(cycle for cycle in walks if cycle is not None)",
    },
    module='''
"""$summary"""


def $find($graph: dict[str, list[str]]) -> list[str] | None:
    """The first cycle among the ${node}s, or None."""
    $stranger_rule
    done: set[str] = set()
    walks = (_walk($graph, $node, [], done) for $node in $roots)
    return next($first_cycle, None)


def _walk(
    $graph: dict[str, list[str]], $node: str, path: list[str], done: set[str]
) -> list[str] | None:
    """Look for a cycle behind this $node; path leads from a root to it."""
    if $node in path:
        $report_rule
    if $node in done:
        return None
    path.append($node)
    for $other in $others:
        $self_rule
        cycle = _walk($graph, $other, path, done)
        if cycle is not None:
            return cycle
    $leave_rule
    return None
''',
    bugs=(
        UNLEFT,
        OTHER_REPORT,
        SORTED,
        change("one_root", slots={"first_cycle": "walks"}),
    ),
    known_failing=with_other_report("unleft", "one_root", "sorted"),
)

PLAN = Shape(
    name="plan",
    entry_point="$plan",
    words={
        "opening": "$plan($graph) returns the list of all ${node}s, in the order in which the walk"
        " leaves them. Where there is a cycle it raises $error instead, whose only argument is the"
        f' text of the report, the names joined by " -> ". {GRAPH}',
        "leaf_note": " and is in the result",
        "refuse": REFUSE,
        "find_start": "start = path.index($node)",
        "leave_rule": "path.pop()",
        "stay_rule": "",
        "give": 'raise $error(" -> ".join(',
        "end": "))",
        "enter_rule": "",
        "ready_rule": "ready.append($node)",
    },
    module='''
"""$summary"""


class $error(Exception):
    """The message names ${node}s of which each $verb the next."""


def $plan($graph: dict[str, list[str]]) -> list[str]:
    """All ${node}s, each of them after those that it $verb."""
    $stranger_rule
    ready: list[str] = []
    path: list[str] = []

    def enter($node: str) -> None:
        if $node in path:
            $report_rule
        if $node in ready:
            return
        $enter_rule
        path.append($node)
        for $other in $others:
            $self_rule
            enter($other)
        $leave_rule
        $ready_rule

    for $node in $roots:
        enter($node)
    return ready
''',
    bugs=(
        UNLEFT,
        OTHER_REPORT,
        SORTED,
        change("preorder", slots={"enter_rule": "ready.append($node)", "ready_rule": ""}),
    ),
    known_failing=with_other_report("unleft", "preorder", "sorted"),
)

SCENARIOS = (
    scenario(
        "package resolver", summary="Order of installation for packages.", find="circular_packages",
        plan="install_order", error="CircularRequirement", graph="index", node="package",
        other="wanted", verb="requires", stranger_name="zlib",
        names=("click", "jinja", "numpy", "pandas", "rich", "scipy"),
    ),
    scenario(
        "service start", summary="Start order of the services of a host.", find="start_loop",
        plan="start_order", error="StartLoop", graph="units", node="unit", other="after",
        verb="waits for", stranger_name="udev",
        names=("api", "cache", "db", "mail", "proxy", "queue"),
    ),
    scenario(
        "formula sheets", summary="Recalculation of a sheet of formulas.", find="circular_cells",
        plan="recalculation", error="CircularFormula", graph="formulas", node="cell", other="source",
        verb="reads", stranger_name="Z9", names=("A1", "A2", "B1", "B7", "C3", "D4"),
    ),
    scenario(
        "approval chains", summary="Approval steps and what they depend on.", find="blocked_steps",
        plan="approval_order", error="NeverApproved", graph="steps", node="step", other="before",
        verb="depends on", stranger_name="works council",
        names=("audit", "budget", "finance", "legal", "owner", "team"),
    ),
    scenario(
        "template includes", summary="Which templates include which.", find="include_loop",
        plan="compile_order", error="IncludeLoop", graph="library", node="template",
        other="part", verb="includes", stranger_name="theme",
        names=("base", "cart", "footer", "header", "menu", "page"),
    ),
)  # fmt: skip

# Graphs by place in a drawn order of the names: "0:12 1:" means that 0 needs 1 and 2. 6 is none of
# the keys.
DIAMONDS = (
    "0:12 1:3 2:3 3:", "0:312 1:3 2:1 3:", "0:12 1:34 2:34 3:5 4:5 5:", "0:21 1:2 2:3 3:",
    "0:123 1:4 2:4 3:4 4:",
)  # fmt: skip
LOOPS = (
    "0:1 1:2 2:3 3:1", "0:12 1:3 2:3 3:4 4:2", "0:12 1: 2:1 3:4 4:5 5:3", "0:21 1:3 2:3 3:1",
    "0:1 1:2 2:4 3:0 4:3", "0:3 1:2 2:1 3:2", "0: 1:0 2:3 3:4 4:52 5:",
)  # fmt: skip
SELVES = ("0:1 1:1 2:02", "0:0 1:20 2:1", "0:12 1:3 2:1 3:3", "0: 1:120 2:1", "0:1 1:2 2:21")
STRANGERS = ("0:16 1:0", "0:6 1:6 2:01", "0:1 1:06 2:16", "0:16 1:26 2:06", "0:1 1: 2:3 3:26")
NEEDS = ("", "1", "23", "0", "4", "31", "2", "042")
SHUFFLED = ("310524", "052413", "031524", "240351", "041532", "125340", "053142")
RISING = ("0123", "1245", "0235", "2345", "0145")


@cache
def named(names: tuple[str, ...], stranger: str, text: str, order: str) -> dict[str, list[str]]:
    """The graph with the names in that order."""
    name_of = {place: names[int(n)] for place, n in enumerate(order)} | {6: stranger}
    rows = [row.split(":") for row in text.split()]
    return {name_of[int(key)]: [name_of[int(n)] for n in needs] for key, needs in rows}


def graph(v: Variant, text: str, order: str) -> dict[str, list[str]]:
    return named(v["names"], v["stranger_name"], text, order)


def asked(v: Variant, *graphs: dict[str, list[str]], clauses: str) -> Check:
    """One call a graph; the argument of the module's own exception counts."""
    argued = v.shape == "plan" and "stranger" not in clauses
    return Check(
        tuple(call(v.entry_point, one) for one in graphs),
        clauses=v.clauses("call", clauses),
        compare=Compare(exception_args=argued),
    )


def shown(v: Variant, one: dict[str, list[str]], is_cyclic: bool, clauses: str) -> Check:
    """One call; the text of an exception is looked at in a step of its own."""
    steps = (call(v.entry_point, one),)
    if is_cyclic and v.shape == "plan":
        steps = (call(v.entry_point, one, bind="failure"), get("failure.args"))
    return Check(steps, clauses=v.clauses("call", clauses))


def visible(v: Variant, s: Stream):
    """Nothing, names on their own, and a plain cycle in ascending order."""
    yield shown(v, {}, False, "walk")
    yield shown(v, graph(v, "0: 1: 2:", s.choice(RISING)), False, "walk cycle")
    loop = s.choice(("0:1 1:0", "0:1 1:2 2:0", "0:1 1:2 2:3 3:0"))
    yield shown(v, graph(v, loop, s.choice(RISING)), True, "cycle report closing")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A graph in ascending order, in which the bug sees another cycle or none."""
    texts = {
        "unleft": ("0:12 1:3 2:3 3:", "0:123 1:3 2:3 3:", "0:12 1:2 2:"),
        "other_report": ("0:2 1:2 2:1", "0:3 1:2 2:3 3:1"),
        "sorted": ("0:2 1:0 2:1", "0:3 1:0 2:1 3:2", "0:2 1:3 2:1 3:0"),
        "one_root": ("0: 1:2 2:1", "0:1 1: 2:3 3:2"),
        "preorder": ("0:1 1:2 2:", "0:1 1: 2:3 3:"),
    }
    one = graph(v, s.choice(texts[bug]), s.choice(RISING))
    return shown(v, one, bug not in ("unleft", "preorder"), "walk cycle report")


def drawn(v: Variant, s: Stream, *texts: tuple[str, ...]) -> list[dict[str, list[str]]]:
    return [graph(v, s.choice(some), s.choice(SHUFFLED)) for some in texts]


def diamonds(v: Variant, s: Stream) -> Check:
    """Two ways to one node, and cycles behind or beside them."""
    return asked(v, *drawn(v, s, DIAMONDS, DIAMONDS, LOOPS), clauses="walk cycle")


def late_entries(v: Variant, s: Stream) -> Check:
    """Cycles that the walk enters from outside, or not at their smallest name."""
    return asked(v, *drawn(v, s, LOOPS, LOOPS), clauses="report closing cycle")


def selves(v: Variant, s: Stream) -> Check:
    """Nodes that need themselves, some of them on other cycles."""
    return asked(v, *drawn(v, s, SELVES, SELVES), clauses="self report closing")


def strangers(v: Variant, s: Stream) -> Check:
    """Lists with a name that is no key, with and without a cycle before it."""
    return asked(v, *drawn(v, s, STRANGERS, STRANGERS, LOOPS), clauses="stranger walk")


def wide(v: Variant, s: Stream) -> Check:
    """Two graphs of five nodes and any lists."""
    graphs = []
    for _ in range(2):
        text = " ".join(f"{n}:{s.choice(NEEDS)}" for n in range(5))
        graphs.append(graph(v, text, s.choice(SHUFFLED)))
    return asked(v, *graphs, clauses="walk cycle report closing self")


def oracle(v: Variant):
    """Tries every way from every key and remembers none: the first that comes back to itself counts."""
    is_refused, skips_self = v["stranger"] == "refused", v["self_edge"] == "ignored"
    ascends, again = v["order"] == "ascending", v["closing"] == "again"
    with_lead, from_smallest = v["report"] == "with_lead", v["report"] == "smallest"
    failure = type(v["error"], (Exception,), {})

    def backwards(names):
        return sorted(names, reverse=True) if ascends else [*names][::-1]

    def walk(needs):
        """What was left, in that order, and the report of a cycle or None."""
        if is_refused and not needs.keys() >= {
            name for others in needs.values() for name in others
        }:
            raise LookupError
        left: list[str | None] = []
        ways: list[tuple[str | None, ...]] = [(name,) for name in backwards(needs)]
        while ways:
            *way, name = ways.pop()
            if name is None:
                left.append(way[-1])
                continue
            if name in way:
                return left, report(way, name)
            # A way on to None stands for leaving; it is taken after those to all others.
            ways.append((*way, name, None))
            for other in backwards(needs.get(name, ())):
                if other != name or not skips_self:
                    ways.append((*way, name, other))
        return list(dict.fromkeys(left)), None

    def report(way, name):
        lead, cycle = [], list(way)
        while cycle[0] != name:
            lead.append(cycle.pop(0))
        if from_smallest:
            while cycle[0] != min(cycle):
                cycle.append(cycle.pop(0))
        return (lead if with_lead else []) + cycle + (cycle[:1] if again else [])

    def plan(needs):
        left, cycle = walk(needs)
        if cycle is not None:
            raise failure(" -> ".join(cycle))
        return left

    return {v["find"]: lambda needs: walk(needs)[1], v["plan"]: plan}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(FIND, PLAN),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(diamonds, late_entries, selves, strangers),
    wide=wide,
    oracle=oracle,
)
