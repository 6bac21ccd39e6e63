"""A small sound category, and ways to plant one fault in it."""

from dataclasses import replace

from sandbox.checks import Check, call
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario
from tasks.kit.category import Change

KNOBS = (
    knob(
        "zero",
        nothing={"zero_clause": "gives an empty list", "zero_result": "[]"},
        everything={"zero_clause": "gives every item", "zero_result": "list($items)"},
    ),
    knob(
        "over",
        all={"over_clause": "gives every item", "over_rule": ""},
        refused={
            "over_clause": "raises LookupError",
            "over_rule": "if $count > len($items):\n    raise LookupError($count)",
        },
    ),
    knob(
        "order",
        kept={"order_clause": "in their order", "result": "found"},
        reversed={"order_clause": "the last one first", "result": "found[::-1]"},
    ),
    knob(
        "negative",
        refused={
            "negative_clause": "raises ValueError",
            "negative_rule": "raise ValueError($count)",
        },
        absolute={
            "negative_clause": "counts as if it were positive",
            "negative_rule": "$count = -$count",
        },
    ),
)

CONTRACT = (
    Clause(
        "last",
        "$function($items, $count) gives a new list of the last $count items, $order_clause.",
    ),
    Clause("zero", "A $count of 0 $zero_clause."),
    Clause("over", "A $count above the number of items $over_clause."),
    Clause("negative", "A negative $count $negative_clause."),
)

HEAD = '''
"""$summary"""


def $function($items: list[int], $count: int) -> list[int]:
    """Return the last few $items."""
    if $count < 0:
        $negative_rule
    if $count == 0:
        return $zero_result
    $over_rule
'''

SLICE = Shape(
    name="slice",
    entry_point="$function",
    module=HEAD
    + '''\
    first = max(0, len($items) - $count)
    found = $items[first:]
    return $result


def newest($items: list[int]) -> int:
    """Return the last one."""
    return $items[-1]
''',
    bugs=(
        change("one_more", ("len($items) - $count)", "len($items) - $count - 1)")),
        change("zero_kept", ("if $count == 0:", "if $count == 1:")),
    ),
    known_failing=(
        change("four", ("$items[first:]", "$items[first : first + 4]")),
        change("stops_short", ("$items[first:]", "$items[first : first + 3]")),
        change("capped", ("len($items) - $count)", "len($items) - min($count, 3))")),
    ),
)

LOOP = Shape(
    name="loop",
    entry_point="$function",
    module=HEAD
    + """\
    found: list[int] = []
    for item in reversed($items):
        if len(found) == $count:
            break
        found.append(item)
    found.reverse()
    return $result
""",
    bugs=(
        change("one_more", ("if len(found) == $count:", "if len(found) == $count + 1:")),
        change("zero_kept", ("if $count == 0:", "if $count == 1:")),
    ),
    known_failing=(
        change("four", ("if len(found) == $count:", "if len(found) == min($count, 4):")),
        change("stops_short", ("reversed($items)", "reversed($items[-3:])")),
        change(
            "capped",
            (
                "found.append(item)",
                "found.append(item)\n        if len(found) == 3:\n            break",
            ),
        ),
    ),
)

SCENARIOS = tuple(
    scenario(
        name, summary=f"The newest {name}.", function=f"last_{name}", items=name, count="count"
    )
    for name in ("orders", "events", "readings")
)


def ask(v: Variant, items, *counts, clauses="last") -> Check:
    steps = tuple(call(v.entry_point, list(items), count) for count in counts)
    return Check(steps, clauses=v.clauses(*clauses.split()))


def visible(v: Variant, s: Stream):
    items = [s.below(100) for _ in range(3)]
    yield ask(v, items, 3)
    yield ask(v, items, 2)
    yield ask(v, [s.below(9)], 1)


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    return ask(v, [1, 2, 3], 0 if bug == "zero_kept" else 2, 1)


def around_zero(v: Variant, s: Stream) -> Check:
    items = [s.below(100) for _ in range(s.between(1, 6))]
    return ask(v, items, 0, 1, -1, -2, clauses="last zero negative")


def around_all(v: Variant, s: Stream) -> Check:
    items = [s.below(100) for _ in range(s.between(4, 9))]
    size = len(items)
    return ask(v, items, size - 1, size, size + 1, 4, clauses="last over")


def wide(v: Variant, s: Stream) -> Check:
    items = [s.below(100) for _ in range(s.between(3, 8))]
    return ask(v, items, s.between(-2, 10), s.between(1, 5), clauses="last zero over negative")


def oracle(v: Variant):
    def model(items, count):
        if count < 0:
            if v["negative"] == "refused":
                raise ValueError
            return model_positive(items, -count)
        return model_positive(items, count)

    def model_positive(items, count):
        if count == 0:
            return [] if v["zero"] == "nothing" else [item for item in items]
        if count > len(items) and v["over"] == "refused":
            raise LookupError
        chosen = [item for place, item in enumerate(items) if place >= len(items) - count]
        return chosen if v["order"] == "kept" else chosen[::-1]

    return {v.entry_point: model}


SOUND = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(SLICE, LOOP),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(around_zero, around_all),
    wide=wide,
    oracle=oracle,
    slug="planted",
    domain="sequence-boundaries",
)


def with_shapes(**parts) -> Category:
    """The sound category with the same part replaced in every shape."""
    return replace(SOUND, shapes=tuple(replace(shape, **parts) for shape in SOUND.shapes))


def with_bugs(*bugs: Change) -> Category:
    return with_shapes(bugs=bugs)


def with_patch(patch: Change) -> Category:
    """One known-failing patch of every shape replaced."""
    shapes = (replace(s, known_failing=(*s.known_failing[:2], patch)) for s in SOUND.shapes)
    return replace(SOUND, shapes=tuple(shapes))


def with_text(find: str, replacement: str) -> Category:
    """The template of every shape edited."""
    shapes = (replace(s, module=s.module.replace(find, replacement)) for s in SOUND.shapes)
    return replace(SOUND, shapes=tuple(shapes))
