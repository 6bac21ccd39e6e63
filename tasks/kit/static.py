"""Gates that read a category without running it: names, slots, edits and texts of every variant."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

from tasks.kit.bounds import module_faults
from tasks.kit.category import AuthoringError, Category
from tasks.kit.draw import FEWEST_PATCHES, both_bugs, bug_pairs
from tasks.kit.pieces import compiled
from tasks.kit.variants import Rendered, applicable, patches_against, render_variant

_SLOT = re.compile(r"\$\{?([A-Za-z_]\w*)")
FEWEST_SHAPES = 2
FEWEST_SCENARIOS = 3
FEWEST_VECTORS = 8
# Variants in which a pair of bugs is tried: whether they fit together rarely hangs on a knob.
PAIR_TRIES = 4
# More of them say nothing new.
MOST_FAULTS = 12


def word_sets(category: Category) -> Iterator[dict[str, Any]]:
    """Every scenario in turn, with the choices advancing too; endless."""
    for turn, scenario in enumerate(cycle(category.scenarios)):
        chosen = {name: options[turn % len(options)] for name, options in category.choices.items()}
        yield {**scenario.words, **chosen}


def every_variant(category: Category) -> Iterator[Rendered]:
    """Every shape with every knob vector, scenarios taken in turn."""
    words = word_sets(category)
    for knobs, shape in product(category.vectors, category.shapes):
        yield render_variant(category, shape, knobs, next(words))


def static_faults(category: Category) -> list[str]:
    """What is wrong with the file as written; empty when all is well."""
    found = [*_shortages(category), *_name_faults(category), *_slot_faults(category)]
    if found:
        return found
    words = word_sets(category)
    tried: Counter[tuple[str, ...]] = Counter()
    for knobs, shape in product(category.vectors, category.shapes):
        where = f"{shape.name}, {', '.join(knobs.values())}"
        try:
            rendered = render_variant(category, shape, knobs, next(words))
            found += [f"{where}: {fault}" for fault in _variant_faults(rendered)]
            found += [f"{where}: {fault}" for fault in _pair_faults(rendered, tried)]
        except AuthoringError as error:
            found.append(f"{where}: {error}")
        if len(found) > MOST_FAULTS:
            break
    return found


def pairs_possible(category: Category) -> bool:
    """Whether any variant can carry two independent bugs."""
    return any(
        bug_pairs(rendered, applicable(rendered.shape.bugs, rendered.variant.knobs))
        for rendered in every_variant(category)
    )


def _shortages(category: Category) -> Iterator[str]:
    if len(category.shapes) < FEWEST_SHAPES:
        yield f"{len(category.shapes)} shapes, at least {FEWEST_SHAPES} are needed"
    if len(category.scenarios) < FEWEST_SCENARIOS:
        yield f"{len(category.scenarios)} scenarios, at least {FEWEST_SCENARIOS} are needed"
    if len(category.vectors) < FEWEST_VECTORS:
        yield f"{len(category.vectors)} knob vectors, at least {FEWEST_VECTORS} are needed"
    if not category.edges:
        yield "no makers of checks aimed at the edge"


def _name_faults(category: Category) -> Iterator[str]:
    for shape in category.shapes:
        names: Counter[str] = Counter(knob.name for knob in category.knobs)
        names.update(list(category.scenarios[0].words))
        names.update(list(category.choices))
        names.update(list(shape.words))
        for knob in category.knobs:
            names.update(set().union(*knob.options.values()))
        for name, count in names.items():
            if count > 1:
                yield f"the name {name} has {count} meanings in shape {shape.name}"
        for kind, changes in (("bug", shape.bugs), ("patch", shape.known_failing)):
            if not changes:
                yield f"shape {shape.name} has no {kind}"
            for change in changes:
                for name, wanted in change.when.items():
                    options = next((k.options for k in category.knobs if k.name == name), {})
                    asked = (wanted,) if isinstance(wanted, str) else wanted
                    if not set(asked) <= set(options):
                        yield f"{kind} {change.name} depends on {name}={wanted}, which is no option"
                if missing := set(change.against) - {bug.name for bug in shape.bugs}:
                    yield f"{kind} {change.name} is against {missing}, no bugs of {shape.name}"
    yield from _repeated("knob", [knob.name for knob in category.knobs])
    yield from _repeated("clause", [clause.name for clause in category.contract])
    yield from _repeated("shape", [shape.name for shape in category.shapes])


def _repeated(kind: str, names: list[str]) -> Iterator[str]:
    yield from (f"two {kind}s are called {n}" for n, count in Counter(names).items() if count > 1)


def _slot_faults(category: Category) -> Iterator[str]:
    for knob in category.knobs:
        if len(knob.options) < 2:
            yield f"knob {knob.name} has {len(knob.options)} option"
        slots = [set(fills) for fills in knob.options.values()]
        if odd := set.union(*slots) - set.intersection(*slots):
            yield f"knob {knob.name}: only some options fill {', '.join(sorted(odd))}"
    first = set(category.scenarios[0].words)
    for scenario in category.scenarios:
        if odd := first ^ set(scenario.words):
            yield f"scenario {scenario.name}: {', '.join(sorted(odd))} not in every scenario"
    used = set(_SLOT.findall("\n".join(_templates(category))))
    for knob in category.knobs:
        for slot in set().union(*knob.options.values()) - used:
            yield f"the slot {slot} of knob {knob.name} is used nowhere"


def _templates(category: Category) -> Iterator[str]:
    yield from (clause.text for clause in category.contract)
    for knob in category.knobs:
        for fills in knob.options.values():
            yield from fills.values()
    for words in (category.scenarios[0].words, *(shape.words for shape in category.shapes)):
        yield from (word for word in words.values() if isinstance(word, str))
    for shape in category.shapes:
        yield shape.module
        yield shape.entry_point
        for change in (*shape.bugs, *shape.known_failing):
            yield from (part for edit in change.edits for part in edit)
            yield from change.slots.values()


def _variant_faults(rendered: Rendered) -> Iterator[str]:
    yield from module_faults(rendered.reference)
    shape, knobs = rendered.shape, rendered.variant.knobs
    bugs = applicable(shape.bugs, knobs)
    if not bugs:
        yield "no bug applies"
    for bug in bugs:
        yield from module_faults(rendered.changed(bug))
        patches = patches_against(shape, knobs, (bug.name,))
        if len(patches) < FEWEST_PATCHES:
            yield f"{len(patches)} known-failing patches against {bug.name}, not {FEWEST_PATCHES}"
    for patch in applicable(shape.known_failing, knobs):
        try:
            compiled(rendered.changed(patch))
        except SyntaxError as error:
            yield f"patch {patch.name} is not Python: {error}"


def _pair_faults(rendered: Rendered, tried: Counter[tuple[str, ...]]) -> Iterator[str]:
    """A drawing that takes such a pair would end the export of a whole epoch."""
    for pair in bug_pairs(rendered, applicable(rendered.shape.bugs, rendered.variant.knobs)):
        names = tuple(bug.name for bug in pair)
        tried[rendered.shape.name, *names] += 1
        if tried[rendered.shape.name, *names] <= PAIR_TRIES:
            for fault in module_faults(both_bugs(rendered, pair)):
                yield f"bugs {' and '.join(names)} together: {fault}"
