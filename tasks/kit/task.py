"""One drawn task, as the sandbox, the gates and the export see it."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from sandbox.checks import Check
from tasks.kit.category import Variant
from tasks.kit.epoch import Part

PROMPT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Task:
    """A faulty module with its contract; everything here but hidden checks, which never enter it."""

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
    lines_needed: int
    difficulty: int
    variant: Variant

    @property
    def prompt(self) -> str:
        """The text for the model; runs the reference once to show what the visible checks expect."""
        from tasks.kit.prompt import prompt_text

        return prompt_text(self)


def changed_lines(before: str, after: str) -> int:
    """Lines that differ: the larger side of every differing block, summed."""
    return sum(max(b - a, d - c) for a, b, c, d in _differing(before, after))


def changed_places(before: str, after: str) -> int:
    """Separate blocks of lines that differ."""
    return len(_differing(before, after))


def _differing(before: str, after: str) -> list[tuple[int, int, int, int]]:
    matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return [tuple(code[1:]) for code in matcher.get_opcodes() if code[0] != "equal"]
