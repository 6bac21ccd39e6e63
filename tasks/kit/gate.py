"""The draw gate: is a drawn task good enough, or does its number move on to the next counter?"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType

from sandbox.checks import Check
from sandbox.material import guess_bits
from tasks.kit.bounds import text_faults
from tasks.kit.category import AuthoringError, Category, Variant
from tasks.kit.epoch import Keys
from tasks.kit.equivalence import Further
from tasks.kit.hidden import HIDDEN_CHECKS, hidden_checks, make_checks
from tasks.kit.mutants import Mutants, bounded
from tasks.kit.stream import Stream
from tasks.kit.task import Task
from tasks.kit.trial import Trial, execute
from tasks.kit.turns import MOST_TURNS, REFERENCE_TURNS, TurnCounter
from tasks.kit.variants import render_variant, siblings

ENOUGH_KILLS = 3
ENOUGH_TOUCHES = 3
# Checks that killed a mutant of the same name before and are asked first.
MOST_LIKELY = 12
AUTOMATIC_MUTANTS = 6
EQUIVALENCE_INPUTS = 500
# Checks asked again after all others: module state that outlives a check would show.
STABLE_CHECKS = 6
# Of 48 observations: bits of entropy each (the judge refuses a task below 32 bits in all), and the
# share of the most common one.
ENTROPY_FLOOR_BITS = 2.5
MOST_COMMON_SHARE = 0.5


class Rejected(Exception):
    """The drawing is not good enough; the first word of the message names the gate."""


@dataclass(slots=True)
class Tries:
    """What the gate learns about a category over many drawings.

    equivalent  whether a slip that no hidden check killed is one that nothing can tell apart
    further     the inputs that decide it, by variant and the slips of its reference
    killers     by the mutant's name, how often the hidden check at each index killed it: makers
                take turns, so what killed it in other drawings is likely to do so again
    """

    equivalent: dict[tuple[object, ...], bool] = field(default_factory=dict)
    further: dict[tuple[object, ...], Further] = field(default_factory=dict)
    killers: dict[str, Counter[int]] = field(default_factory=dict)
    mutants: int = 0
    killed: int = 0
    set_aside: int = 0

    def kills(self, hidden: Trial, name: str, mutant: str | CodeType) -> int:
        """How many hidden checks kill a mutant, counted up to `ENOUGH_KILLS`."""
        self.mutants += 1
        known = self.killers.setdefault(name, Counter())
        likely = sorted(known, key=lambda index: (-known[index], index))
        found = hidden.killers(mutant, ENOUGH_KILLS, likely[:MOST_LIKELY])
        known.update(found)
        self.killed += len(found) >= ENOUGH_KILLS
        return len(found)


def examine(keys: Keys, category: Category, task: Task, tries: Tries) -> None:
    """Raises Rejected if a gate fails, AuthoringError if the category contradicts itself."""
    if faults := text_faults(task):
        raise AuthoringError(f"{task.variant.shape}, {task.variant.knobs}: {'; '.join(faults)}")
    turns = TurnCounter()
    reference = execute(bounded(task.reference), {"__turn__": turns})
    _examine_visible(task, Trial(reference, task.visible, turns=turns))
    hidden = Trial(reference, hidden_checks(keys, category, task), turns=turns)
    turns.reset()
    if turns.most > REFERENCE_TURNS:
        raise AuthoringError(
            f"{task.variant.shape}: a check takes the reference {turns.most} turns of its loops,"
            f" more than {REFERENCE_TURNS} of {MOST_TURNS}"
        )
    _examine_oracle(category, task, hidden)
    if not hidden.holds(reference, STABLE_CHECKS):
        raise AuthoringError(f"{task.variant.shape}: state of one check shows in another")
    _examine_coverage(task, hidden)
    for name, source in _written_mutants(category, task):
        if (killed := tries.kills(hidden, name, source)) < ENOUGH_KILLS:
            raise Rejected(f"killed: {name} by {killed} of {len(hidden.checks)} hidden checks")
    _examine_automatic(keys, category, task, hidden, tries)


def _examine_visible(task: Task, visible: Trial) -> None:
    for name, source in task.known_failing:
        if visible.kills(source, 1):
            raise Rejected(f"visible: known-failing patch {name} fails, bugs {task.variant.bugs}")
    if task.has_symptom and not visible.kills(task.module, 1):
        raise Rejected(f"symptom: no visible check fails for {task.variant.bugs}")


def _examine_oracle(category: Category, task: Task, hidden: Trial) -> None:
    index = hidden.first_difference(dict(category.oracle(task.variant)))
    if index is not None:
        raise AuthoringError(
            f"oracle and reference disagree: {task.variant.shape}, {task.variant.knobs},"
            f" {hidden.checks[index]}"
        )


def _examine_coverage(task: Task, hidden: Trial) -> None:
    touched = Counter(clause for check in hidden.checks for clause in set(check.clauses))
    for clause in range(1, len(task.contract) + 1):
        if touched[clause] < ENOUGH_TOUCHES:
            raise Rejected(
                f"clauses: clause {clause} is touched by {touched[clause]} hidden checks"
            )
    total = len(hidden.expected)
    entropy = guess_bits(hidden.expected) / total
    most = max(Counter(hidden.expected).values())
    if entropy < ENTROPY_FLOOR_BITS or most > MOST_COMMON_SHARE * total:
        raise Rejected(f"entropy: {entropy:.1f} bits, most common answer {most} of {total}")


def _written_mutants(category: Category, task: Task) -> Iterator[tuple[str, str]]:
    yield "the faulty module", task.module
    if len(task.single_faults) > 1:
        for bug, source in zip(task.variant.bugs, task.single_faults, strict=True):
            yield f"bug {bug} alone", source
    yield from ((f"patch {name}", source) for name, source in task.known_failing)
    yield from ((f"sibling {name}", source) for name, source in sibling_references(category, task))


def sibling_references(category: Category, task: Task) -> Iterator[tuple[str, str]]:
    """References of the variants that differ in one knob, under the same words."""
    variant = task.variant
    shape = category.shape(variant.shape)
    words = {name: word for name, word in variant.words.items() if name not in shape.words}
    for name, knobs in siblings(category, variant.knobs):
        yield name, render_variant(category, shape, knobs, words).reference


def _examine_automatic(
    keys: Keys, category: Category, task: Task, hidden: Trial, tries: Tries
) -> None:
    """A drawn handful of slips; one that no check tells from the reference is set aside."""
    mutants = Mutants(task.reference)
    stream = Stream(keys.controls, f"{task.category}/{task.number}/{task.counter}/mutants")
    for index in stream.sample(range(len(mutants)), min(AUTOMATIC_MUTANTS, len(mutants))):
        name = f"{task.variant.shape}: {mutants.name(index)}"
        killed = tries.kills(hidden, name, mutants.code(index))
        if killed >= ENOUGH_KILLS:
            continue
        if killed == 0 and is_equivalent(category, task, hidden, mutants, index, tries):
            tries.set_aside += 1
            continue
        raise Rejected(
            f"killed: {mutants.name(index)} of shape {task.variant.shape}"
            f" by {killed} of {len(hidden.checks)} hidden checks"
        )


def is_equivalent(
    category: Category, task: Task, hidden: Trial, mutants: Mutants, index: int, tries: Tries
) -> bool:
    """Whether a mutant that no hidden check killed agrees on further inputs; kept per variant."""
    variant = task.variant
    slips = (variant.shape, *variant.knobs.values(), *mutants.names)
    key = (*slips, index)
    if key not in tries.equivalent:
        if slips not in tries.further:
            tries.further[slips] = Further(category, variant, task.reference)
        asked = sum(len(check.steps) for check in hidden.checks)
        further = tries.further[slips]
        tries.equivalent[key] = not further.tell(index, EQUIVALENCE_INPUTS - asked)
    return tries.equivalent[key]


def inputs(category: Category, variant: Variant, stream: Stream, fewest: int) -> tuple[Check, ...]:
    """Checks with at least so many steps in all; a step is one input of the module."""
    checks: list[Check] = []
    steps = 0
    while steps < fewest:
        more = make_checks(category, variant, stream, HIDDEN_CHECKS)
        checks += more
        steps += sum(len(check.steps) for check in more)
    return tuple(checks)
