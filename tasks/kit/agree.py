"""Gates that run every variant: oracle and reference agree, and each knob changes answers."""

from collections import Counter
from dataclasses import dataclass, field

from sandbox.compare import is_sound
from tasks.kit.category import AuthoringError, Category
from tasks.kit.finalizers import mute_finalizers
from tasks.kit.gate import inputs
from tasks.kit.static import every_variant
from tasks.kit.stream import Stream
from tasks.kit.trial import Trial, load_reference
from tasks.kit.variants import Rendered, render_variant, siblings

LEAST_KNOB_SHARE = 0.02
SIBLING_CHECKS = 24


@dataclass(slots=True)
class Agreement:
    """What running all variants showed."""

    variants: int = 0
    inputs: int = 0
    faults: list[str] = field(default_factory=list)
    changed: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)

    def knob_share(self, name: str) -> float:
        """Share of checks whose answer changes when the knob is turned."""
        return self.changed[name] / self.asked[name] if self.asked[name] else 0.0


def agree(category: Category, fewest_inputs: int) -> Agreement:
    """Compare oracle and reference on at least so many inputs (steps) for every knob vector.

    The shapes of a vector share its inputs: a variant of the contract is what the oracle knows.
    """
    mute_finalizers()
    found = Agreement()
    for rendered in every_variant(category):
        variant = rendered.variant
        stream = Stream(
            b"agree", f"{category.slug}/{variant.shape}/{sorted(variant.knobs.items())}"
        )
        checks = inputs(category, variant, stream, fewest_inputs // len(category.shapes))
        found.inputs += sum(len(check.steps) for check in checks)
        try:
            trial = Trial(load_reference(rendered.reference), checks)
        except Exception as error:
            raise AuthoringError(
                f"{variant.shape}, {variant.knobs} does not load: {error!r}"
            ) from error
        found.faults += _faults(category, rendered, trial)
        if len(found.faults) >= 5:
            break
        some = stream.sample(range(len(checks)), min(SIBLING_CHECKS, len(checks)))
        _turn_knobs(category, rendered, trial.part(some), found)
    found.variants = len(category.vectors)
    for knob in category.knobs:
        share = found.knob_share(knob.name)
        if not found.faults and share < LEAST_KNOB_SHARE:
            found.faults.append(f"the knob {knob.name} changes {share:.1%} of the answers only")
    return found


def _faults(category: Category, rendered: Rendered, trial: Trial) -> list[str]:
    variant = rendered.variant
    where = f"{variant.shape}, {', '.join(variant.knobs.values())}"
    if not all(is_sound(expected) for expected in trial.expected):
        bad = next(c for c, e in zip(trial.checks, trial.expected, strict=True) if not is_sound(e))
        return [f"{where}: a result has no form that can be compared: {bad.steps}"]
    index = trial.first_difference(dict(category.oracle(variant)))
    if index is None:
        return []
    return [
        f"{where}: oracle and reference disagree:\n" + trial.told(index, category.oracle(variant))
    ]


def _turn_knobs(category: Category, rendered: Rendered, trial: Trial, found: Agreement) -> None:
    shape = rendered.shape
    words = {n: w for n, w in rendered.variant.words.items() if n not in shape.words}
    for name, knobs in siblings(category, rendered.variant.knobs):
        sibling = render_variant(category, shape, knobs, words)
        knob = name.partition("=")[0]
        found.changed[knob] += trial.kills(sibling.reference)
        found.asked[knob] += len(trial.checks)
