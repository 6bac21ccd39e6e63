"""A tiny category of our own, so that the judge is tested apart from the kit."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

from sandbox.checks import Check, call
from sandbox.material import CategoryMaterial, Part, Secrets, prepare
from sandbox.shard import Epoch, Patch, ShardRequest
from sandbox.tally import Identity

# The target of the attack corpus: small, pure, and its answers depend on the secret numbers.
REFERENCE = '''"""Distances on a ring."""


def distance(a, b, size):
    """The shorter way round from a to b."""
    gap = abs(b - a) % size
    return min(gap, size - gap)
'''
FAULTY = REFERENCE.replace("abs(b - a)", "(b - a)").replace("min(gap, size - gap)", "gap")
TURN_ONLY = REFERENCE.replace(" % size", "")
BOTH = TURN_ONLY.replace("min(gap, size - gap)", "gap")
GAP_ONLY = REFERENCE.replace("min(gap, size - gap)", "gap")
NO_WRAP = REFERENCE.replace("min(gap, size - gap)", "gap if gap < 9 else size - gap")
HALF = REFERENCE.replace("gap = abs(b - a) % size", "gap = min(abs(b - a), size)")
CAPPED = REFERENCE.replace("return min(", "return min(50, ")
KNOWN_FAILING = (("fixed-turn", NO_WRAP), ("no-modulo", HALF), ("capped", CAPPED))


@dataclass(frozen=True, slots=True)
class TinyTask:
    """A task as the kit draws it."""

    number: int
    part: Part
    category: str = "ring-distance"
    entry_point: str = "distance"
    module: str = FAULTY
    reference: str = REFERENCE
    known_failing: tuple[tuple[str, str], ...] = KNOWN_FAILING
    single_faults: tuple[str, ...] = (FAULTY,)
    visible: tuple[Check, ...] = (
        Check((call("distance", 1, 3, 10),)),
        Check((call("distance", 0, 9, 10),)),
    )
    lines_needed: int = 2

    @property
    def instance_id(self) -> str:
        return f"failmap__{self.category}-{self.number}"


@dataclass(slots=True)
class TinyDraw:
    """Hidden numbers from a key, like the kit's streams."""

    key: bytes = bytes(32)
    count: int = 6
    hidden: int = 48
    task: type = TinyTask
    reference: str = REFERENCE
    made: list[tuple[TinyTask, tuple[Check, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number in range(1, self.count + 1):
            part: Part = "practice" if number <= self.count // 3 else "sealed"
            task = TinyTask(number, part, reference=self.reference)
            self.made.append((task, tuple(self._check(number, i) for i in range(self.hidden))))

    @property
    def tasks(self) -> Sequence[tuple[TinyTask, tuple[Check, ...]]]:
        return self.made

    def numbers(self, label: str) -> list[int]:
        digest = hmac.digest(self.key, label.encode(), "sha256")
        return [int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4)]

    def _check(self, number: int, index: int) -> Check:
        a, b, size, *_ = self.numbers(f"{number}/{index}")
        return Check((call("distance", a % 1000, b % 1000, 100 + size % 900),))

    def secrets(self) -> Secrets:
        return lambda label, bounds: [
            number % bound for number, bound in zip(self.numbers(label), bounds, strict=False)
        ]


def material(draw: TinyDraw) -> CategoryMaterial:
    """The tiny category, ready to judge."""
    tasks = {task.instance_id: prepare(task, hidden) for task, hidden in draw.tasks}
    return CategoryMaterial(tasks, draw.secrets())


IDENTITY = Identity(
    hashlib.sha256(b"corpus").hexdigest(),
    {"python": "3.11.7", "sandbox": hashlib.sha256(b"sources").hexdigest()},
    {"profile": "S"},
)


def request(
    draw: TinyDraw, modules: dict[int, str | None], submission: str = "sub_1"
) -> ShardRequest:
    """A shard request with modules by task number."""
    patches = tuple(
        Patch(f"failmap__ring-distance-{number}", module) for number, module in modules.items()
    )
    epoch = Epoch("tiny", draw.key, draw.count // 3, draw.count - draw.count // 3)
    return ShardRequest(
        IDENTITY.corpus, epoch, "ring-distance", (0,) * draw.count, submission, patches
    )
