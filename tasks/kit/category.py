"""What an author writes: one category as plain data and a few functions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from sandbox.checks import Check
from tasks.kit.stream import Stream


class AuthoringError(Exception):
    """A category file contradicts itself; the message says where."""


@dataclass(frozen=True, slots=True)
class Knob:
    """A choice the contract makes; each option fills slots of the clauses and of the code.

    The first option is the common idiom: difficulty counts how many knobs depart from it.
    """

    name: str
    options: Mapping[str, Mapping[str, str]]


def knob(name: str, **options: Mapping[str, str]) -> Knob:
    """A knob whose options are given as `option={"slot": "text", ...}`, common idiom first."""
    return Knob(name, options)


@dataclass(frozen=True, slots=True)
class Clause:
    """One numbered sentence (or three) of the contract; omitted when it renders to nothing."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """A business setting: words for the vocabulary slots, the same slots in every scenario."""

    name: str
    words: Mapping[str, Any]


def scenario(name: str, **words: Any) -> Scenario:
    """A scenario; words that are not text (lists, numbers) are for generators and oracle."""
    return Scenario(name, words)


@dataclass(frozen=True, slots=True)
class Change:
    """An injected bug or a known-failing patch, as exact edits of the rendered reference.

    Each `(find, replace)` must match exactly once. `slots` replaces slot fills instead. `when`
    limits the change to knob options, `against` a known-failing patch to tasks with these bugs.
    `deep` marks a bug whose local repair breaks another clause (one point of difficulty).
    """

    name: str
    edits: tuple[tuple[str, str], ...] = ()
    slots: Mapping[str, str] = field(default_factory=dict)
    when: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    against: tuple[str, ...] = ()
    deep: bool = False


def change(
    name: str,
    *edits: tuple[str, str],
    slots: Mapping[str, str] | None = None,
    when: Mapping[str, str | tuple[str, ...]] | None = None,
    against: tuple[str, ...] = (),
    deep: bool = False,
) -> Change:
    """A bug or a known-failing patch: `change("name", (find, replace), ...)`."""
    return Change(name, edits, slots or {}, when or {}, against, deep)


@dataclass(frozen=True, slots=True)
class Shape:
    """One way the module is built: its text with slots, its entry point, its bugs and patches.

    `words` fills slots that only this shape has (a clause may say how the shape is called).
    """

    name: str
    module: str
    entry_point: str
    bugs: tuple[Change, ...]
    known_failing: tuple[Change, ...]
    words: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variant:
    """One drawing of shape, knobs and words, as generators and oracle see it.

    `v["edge"]` is the drawn option of the knob "edge", `v["item"]` the drawn word of that slot.
    """

    shape: str
    knobs: Mapping[str, str]
    words: Mapping[str, Any]
    bugs: tuple[str, ...]
    entry_point: str
    clause_numbers: Mapping[str, int]
    _drawn: Mapping[str, Any] = field(init=False, repr=False, compare=False)
    _numbers: dict[tuple[str, ...], tuple[int, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_drawn", {**self.words, **self.knobs})

    def __getitem__(self, name: str) -> Any:
        return self._drawn[name]

    def clauses(self, *names: str) -> tuple[int, ...]:
        """The numbers of the named clauses, without those that this variant omits (number 0).

        Names may come parted by spaces: `clauses("store", "edge agree")`.
        """
        numbers = self._numbers.get(names)
        if numbers is None:
            found = (self.clause_numbers[name] for name in " ".join(names).split())
            numbers = self._numbers[names] = tuple(number for number in found if number)
        return numbers


MakeCheck = Callable[[Variant, Stream], Check]


@dataclass(frozen=True, slots=True)
class Category:
    """One cell of the map.

    visible   3 to 5 checks of ordinary behaviour, passed by every known-failing patch
    symptom   one check that the named bug fails and every known-failing patch passes
    edges     makers of checks aimed at the edge, taken in turn for half of a hidden set
    wide      maker of checks from the whole input domain: the other half
    oracle    obviously right: the names of the module, written from the contract alone
    allows    False for knob vectors in which one knob makes another one moot
    choices   further words, each drawn on its own: `{"error": ("ValueError", "LookupError")}`
    stateful  state lives across calls (difficulty)
    effects   an exception path, a virtual clock or a schedule decides (difficulty)
    vectors   every allowed knob vector, in the order of the file (the kit fills it)
    """

    knobs: tuple[Knob, ...]
    contract: tuple[Clause, ...]
    shapes: tuple[Shape, ...]
    scenarios: tuple[Scenario, ...]
    visible: Callable[[Variant, Stream], Iterable[Check]]
    symptom: Callable[[Variant, str, Stream], Check]
    edges: tuple[MakeCheck, ...]
    wide: MakeCheck
    oracle: Callable[[Variant], Mapping[str, object]]
    choices: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    allows: Callable[[Mapping[str, str]], bool] = lambda knobs: True
    stateful: bool = False
    effects: bool = False
    slug: str = ""
    domain: str = ""
    title: str = ""
    origin: str = "public"
    vectors: tuple[Mapping[str, str], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = [knob.name for knob in self.knobs]
        every = (
            dict(zip(names, options, strict=True))
            for options in product(*(knob.options for knob in self.knobs))
        )
        allowed = tuple(knobs for knobs in every if self.allows(knobs))
        object.__setattr__(self, "vectors", allowed)

    def shape(self, name: str) -> Shape:
        """The shape of that name."""
        return next(shape for shape in self.shapes if shape.name == name)
