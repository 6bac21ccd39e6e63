"""Is a slip that no hidden check tells from the reference one that nothing tells apart?"""

from collections.abc import Iterator
from typing import NamedTuple

from sandbox.checks import Check, Compare
from sandbox.packing import pack
from tasks.kit.category import Category, Variant
from tasks.kit.forms import Seen, is_right, look
from tasks.kit.hidden import HIDDEN_CHECKS, make_checks
from tasks.kit.mutants import Mutants
from tasks.kit.probes import Probes
from tasks.kit.stream import Stream
from tasks.kit.trial import execute, load_bounded
from tasks.kit.turns import TurnCounter


class Input(NamedTuple):
    """A check, packed; what the reference shows for it, and the slips that matter to it, as bits."""

    packed: bytes
    compare: Compare
    steps: int
    seen: Seen
    slips: int


class Further:
    """Further inputs of one variant, made and run on the reference when they are first needed.

    They are drawn from the variant alone, so one slip after another can be asked about them.
    """

    def __init__(self, category: Category, variant: Variant, reference: str) -> None:
        self._category, self._variant = category, variant
        named = "/".join((category.slug, variant.shape, *variant.knobs.values()))
        self._stream = Stream(b"equivalence", named)
        self._mutants = Mutants(reference)
        self._probes = Probes(reference)
        self._reference = execute(self._probes.code, self._probes.given)
        self._always = self._probes.hit
        self._inputs: list[Input] = []
        self._made: Iterator[Check] = iter(())

    def tell(self, index: int, fewest: int) -> bool:
        """Whether slip `index` fails one of the inputs, of at least `fewest` steps in all.

        A slip that does not matter to a check is right there without being run.
        """
        turns = TurnCounter()
        mutant = None
        for known in self._upto(fewest):
            if not known.slips >> index & 1:
                continue
            if mutant is None:
                mutant = load_bounded(self._mutants.code(index), turns)
                if mutant is None:
                    return True
            turns.reset()
            if not is_right(known.seen, look(mutant, known.packed), known.compare):
                return True
        return False

    def _upto(self, fewest: int) -> Iterator[Input]:
        place = steps = 0
        while steps < fewest:
            if place == len(self._inputs):
                self._inputs.append(self._one_more())
            yield (known := self._inputs[place])
            place += 1
            steps += known.steps

    def _one_more(self) -> Input:
        check = next(self._made, None)
        if check is None:
            more = make_checks(self._category, self._variant, self._stream, HIDDEN_CHECKS)
            self._made = iter(more)
            check = next(self._made)
        self._probes.hit = self._always
        packed = pack(check)
        seen = look(self._reference, packed)
        return Input(packed, check.compare, len(check.steps), seen, self._probes.hit)
