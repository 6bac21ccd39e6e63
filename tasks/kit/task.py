"""One drawn task, as the sandbox, the gates and the export see it."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from sandbox.checks import Check
from tasks.kit.category import Variant
from tasks.kit.epoch import Part

PROMPT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Task:
    """A faulty module with its contract; hidden checks are no part of it."""

    instance_id: str
    domain: str
    category: str
    number: int
    counter: int
    part: Part
    entry_point: str
    contract: tuple[str, ...]
    module: str
    reference: str
    known_failing: tuple[tuple[str, str], ...]
    single_faults: tuple[str, ...]
    visible: tuple[Check, ...]
    has_symptom: bool
    hard_points: int
    variant: Variant

    @property
    def lines_needed(self) -> int:
        """How many lines the repair changes; compared anew each time, as a draw has no use for it."""
        return changed(self.module, self.reference)[0]

    @property
    def difficulty(self) -> int:
        """1 .. 5: one, one for two or more places to mend, and what the draw knows to be hard."""
        places = changed(self.module, self.reference)[1]
        return min(5, 1 + (places > 1) + self.hard_points)

    @property
    def prompt(self) -> str:
        """The text for the model; runs the reference for what the visible checks expect."""
        from tasks.kit.prompt import prompt_text

        return prompt_text(self)


def changed(before: str, after: str) -> tuple[int, int]:
    """Lines that differ (the larger side of every differing block, summed) and such blocks."""
    old, new = before.splitlines(), after.splitlines()
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    blocks = [max(b - a, d - c) for kind, a, b, c, d in codes if kind != "equal"]
    return sum(blocks), len(blocks)
