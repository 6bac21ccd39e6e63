"""The two things in the arguments of a step that stand for something else.

They are read-only to the type checker alone, as steps are.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(slots=True, unsafe_hash=True)
class Ref:
    """Inside the arguments of a step: the object bound to `name`."""

    name: Final[str]

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Ref, (self.name,)


@dataclass(slots=True, unsafe_hash=True)
class Attr:
    """Inside the arguments of a step: the attribute `name` of the module under test."""

    name: Final[str]

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Attr, (self.name,)
