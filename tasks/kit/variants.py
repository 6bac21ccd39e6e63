"""The variants of a category: knob vectors, their slots, their clauses, their modules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.kit.category import Category, Change, Shape, Variant
from tasks.kit.render import Slots, apply_change, module_text, render, sentence


@dataclass(frozen=True, slots=True)
class Rendered:
    """A variant with its texts: what the draw builds a task from."""

    variant: Variant
    shape: Shape
    slots: Slots
    contract: tuple[str, ...]
    reference: str

    def changed(self, change: Change) -> str:
        """The reference with one change applied."""
        return apply_change(change, self.shape.module, self.reference, self.slots)[0]

    def with_bugs(self, names: tuple[str, ...]) -> "Rendered":
        """The same variant, drawn with these bugs."""
        v = self.variant
        drawn = Variant(v.shape, v.knobs, v.words, names, v.entry_point, v.clause_numbers)
        return Rendered(drawn, self.shape, self.slots, self.contract, self.reference)


def siblings(category: Category, knobs: Mapping[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Allowed vectors that differ in one knob, with a name such as `edge=alive_at`."""
    for knob in category.knobs:
        for option in knob.options:
            flipped = {**knobs, knob.name: option}
            if option != knobs[knob.name] and category.allows(flipped):
                yield f"{knob.name}={option}", flipped


def all_slots(
    category: Category, shape: Shape, knobs: Mapping[str, str], words: Mapping[str, Any]
) -> Slots:
    """Slot fills of one variant; knob options, words and shape words never share a slot."""
    fills = (knob.options[knobs[knob.name]] for knob in category.knobs)
    return Slots(words, shape.words, *fills)


def render_variant(
    category: Category,
    shape: Shape,
    knobs: Mapping[str, str],
    words: Mapping[str, Any],
) -> Rendered:
    """Clauses and reference of one variant, without a bug."""
    slots = all_slots(category, shape, knobs, words)
    contract, numbers = [], {}
    for clause in category.contract:
        text = sentence(clause.text, slots)
        contract += [text] if text else []
        numbers[clause.name] = len(contract) if text else 0
    merged = {**words, **shape.words}
    variant = Variant(shape.name, knobs, merged, (), render(shape.entry_point, slots), numbers)
    reference = module_text(shape.module, slots)
    return Rendered(variant, shape, slots, tuple(contract), reference)


def applicable(changes: tuple[Change, ...], knobs: Mapping[str, str]) -> tuple[Change, ...]:
    """The changes that make sense for this knob vector."""

    def fits(change: Change) -> bool:
        return all(
            knobs[name] == wanted if isinstance(wanted, str) else knobs[name] in wanted
            for name, wanted in change.when.items()
        )

    return tuple([change for change in changes if not change.when or fits(change)])


def patches_against(
    shape: Shape, knobs: Mapping[str, str], bugs: tuple[str, ...]
) -> tuple[Change, ...]:
    """The known-failing patches of a task with these bugs."""
    return tuple(
        patch
        for patch in applicable(shape.known_failing, knobs)
        if not patch.against or set(bugs) <= set(patch.against)
    )
