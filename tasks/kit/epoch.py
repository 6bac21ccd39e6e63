"""The keys of one epoch, and which task numbers are practice."""

import hmac
from dataclasses import dataclass
from functools import cache
from typing import Literal

from tasks.kit.stream import derive_key

Part = Literal["practice", "sealed"]


@dataclass(frozen=True, slots=True)
class Keys:
    """Purpose keys of one epoch (32 bytes each) and how many tasks each part holds."""

    epoch: str
    split: bytes
    draw: bytes
    inputs: bytes
    controls: bytes
    practice: int = 16
    sealed: int = 80

    @classmethod
    def of(cls, epoch: str, root: bytes, practice: int = 16, sealed: int = 80) -> "Keys":
        """Derive every purpose key from the 32 byte root key."""
        if len(root) != 32:
            raise ValueError(f"the root key has {len(root)} bytes, not 32")
        purposes = ("split", "draw", "inputs", "controls")
        derived = (derive_key(root, epoch, purpose) for purpose in purposes)
        return cls(epoch, *derived, practice=practice, sealed=sealed)

    @property
    def tasks(self) -> int:
        """Tasks per category."""
        return self.practice + self.sealed

    def part(self, slug: str, number: int) -> Part:
        """The part of task `number` (1 .. tasks) of a category."""
        return _parts(self.split, slug, self.practice, self.tasks)[number - 1]


@cache
def _parts(split: bytes, slug: str, practice: int, tasks: int) -> tuple[Part, ...]:
    def order(number: int) -> bytes:
        return hmac.digest(split, f"{slug}/{number}".encode(), "sha256")

    drawn = set(sorted(range(1, tasks + 1), key=order)[:practice])
    return tuple("practice" if n in drawn else "sealed" for n in range(1, tasks + 1))
