"""One task from the key, the category, its number and a counter: no code runs, nothing is tried."""

from itertools import combinations
from typing import Any

from tasks.kit.category import AuthoringError, Category, Change
from tasks.kit.epoch import Keys
from tasks.kit.render import apply_change, replace_spans
from tasks.kit.stream import Stream
from tasks.kit.task import Task
from tasks.kit.variants import Rendered, applicable, patches_against, render_variant

FEWEST_PATCHES = 3
TWO_FAULTS_ONE_IN = 8
SYMPTOM_SHOWN, SYMPTOM_OF = 3, 4


def draw_task(keys: Keys, category: Category, number: int, counter: int) -> Task:
    """The task of that number at that counter; AuthoringError if the file contradicts itself."""
    label = f"{category.slug}/{number}/{counter}"
    stream = Stream(keys.draw, label)
    shape = stream.choice(category.shapes)
    knobs = stream.choice(category.vectors)
    words = draw_words(category, stream)
    rendered = render_variant(category, shape, knobs, words)
    bugs = _draw_bugs(rendered, stream)
    names = tuple(bug.name for bug in bugs)
    rendered = rendered.with_bugs(names)
    singles = tuple(rendered.changed(bug) for bug in bugs)
    module = singles[0] if len(bugs) == 1 else both_bugs(rendered, bugs)
    patches = patches_against(shape, knobs, names)
    if len(patches) < FEWEST_PATCHES:
        raise AuthoringError(f"{shape.name} has {len(patches)} known-failing patches for {names}")
    has_symptom = stream.chance(SYMPTOM_SHOWN, SYMPTOM_OF)
    visible = list(category.visible(rendered.variant, stream))
    for name in names if has_symptom else ():
        check = category.symptom(rendered.variant, name, stream)
        visible.insert(stream.below(len(visible) + 1), check)
    return Task(
        instance_id=f"failmap__{category.slug}-{number}",
        domain=category.domain,
        category=category.slug,
        number=number,
        counter=counter,
        part=keys.part(category.slug, number),
        entry_point=rendered.variant.entry_point,
        contract=rendered.contract,
        module=module,
        reference=rendered.reference,
        known_failing=tuple((patch.name, rendered.changed(patch)) for patch in patches),
        single_faults=singles,
        visible=tuple(visible),
        has_symptom=has_symptom,
        hard_points=_hard_points(category, rendered, bugs),
        variant=rendered.variant,
    )


def draw_words(category: Category, stream: Stream) -> dict[str, Any]:
    """The words of one scenario and one of each choice."""
    words = dict(stream.choice(category.scenarios).words)
    for name, options in category.choices.items():
        words[name] = stream.choice(options)
    return words


def bug_pairs(rendered: Rendered, bugs: tuple[Change, ...]) -> list[tuple[Change, Change]]:
    """Pairs of independent bugs: they touch different text, and enough patches fit both."""
    return [
        pair
        for pair in combinations(bugs, 2)
        if not _touching(rendered, *pair)
        and len(
            patches_against(rendered.shape, rendered.variant.knobs, (pair[0].name, pair[1].name))
        )
        >= FEWEST_PATCHES
    ]


def _draw_bugs(rendered: Rendered, stream: Stream) -> tuple[Change, ...]:
    bugs = applicable(rendered.shape.bugs, rendered.variant.knobs)
    if not bugs:
        raise AuthoringError(f"{rendered.shape.name} has no bug for {rendered.variant.knobs}")
    if stream.chance(1, TWO_FAULTS_ONE_IN) and (pairs := bug_pairs(rendered, bugs)):
        return stream.choice(pairs)
    return (stream.choice(bugs),)


def _touching(rendered: Rendered, first: Change, second: Change) -> bool:
    if bool(first.slots) != bool(second.slots):
        return True
    if first.slots:
        return bool(set(first.slots) & set(second.slots))
    spans = sorted(_spans(rendered, first) + _spans(rendered, second))
    return any(end > start for (_, end, _), (start, _, _) in zip(spans, spans[1:], strict=False))


def _spans(rendered: Rendered, bug: Change) -> tuple[tuple[int, int, str], ...]:
    return apply_change(bug, rendered.shape.module, rendered.reference, rendered.slots)[1]


def both_bugs(rendered: Rendered, bugs: tuple[Change, ...]) -> str:
    """The module with a pair of independent bugs."""
    first, second = bugs
    if first.slots:
        merged = Change("both", slots={**first.slots, **second.slots})
        return rendered.changed(merged)
    return replace_spans(
        rendered.reference, tuple(sorted(_spans(rendered, first) + _spans(rendered, second)))
    )


def _hard_points(category: Category, rendered: Rendered, bugs: tuple[Change, ...]) -> int:
    """One for each thing that makes the repair harder, the number of places apart."""
    knobs = rendered.variant.knobs
    against_idiom = sum(knobs[knob.name] != next(iter(knob.options)) for knob in category.knobs)
    points = (
        category.stateful,
        category.effects,
        against_idiom >= 2,
        any(bug.deep for bug in bugs),
    )
    return sum(points)
