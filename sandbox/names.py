"""The two things in the arguments of a step that stand for something else."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ref:
    """Inside the arguments of a step: the object bound to `name`."""

    name: str

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Ref, (self.name,)


@dataclass(frozen=True, slots=True)
class Attr:
    """Inside the arguments of a step: the attribute `name` of the module under test."""

    name: str

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Attr, (self.name,)
