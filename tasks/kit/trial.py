"""Running checks against references, oracles and mutants, in this process, for the gates."""

import sys
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from types import CodeType, ModuleType
from typing import Any

from sandbox.checks import Check
from sandbox.runner import load
from tasks.kit.asserts import readable
from tasks.kit.forms import Seen, is_right, look
from tasks.kit.mutants import bounded
from tasks.kit.turns import TurnCounter, TurnsUsedUp

Namespace = dict[str, Any]


class Trial:
    """Checks with what the reference shows for them; counts how many a mutant gets wrong."""

    def __init__(
        self,
        reference: Namespace,
        checks: Sequence[Check],
        seen: Sequence[Seen] | None = None,
        turns: TurnCounter | None = None,
    ) -> None:
        self.checks = tuple(checks)
        self._turns = turns
        if seen is None:
            seen = [self._counted(reference, check) for check in self.checks]
        self._seen = tuple(seen)
        self.expected = tuple(one.data for one in seen)

    def part(self, indices: Sequence[int]) -> "Trial":
        """Some of the checks; nothing runs again."""
        checks = [self.checks[index] for index in indices]
        return Trial({}, checks, [self._seen[index] for index in indices])

    def first_difference(self, namespace: Namespace) -> int | None:
        """Index of the first check that another namespace answers differently."""
        turns = TurnCounter()
        return next((i for i in range(len(self.checks)) if self._fails(namespace, turns, i)), None)

    def holds(self, reference: Namespace, count: int) -> bool:
        """Whether the reference shows the same again for the first `count` checks."""
        again = (self._counted(reference, check) for check in self.checks[:count])
        return all(a.data == b for a, b in zip(again, self.expected, strict=False))

    def kills(self, mutant: str | CodeType, enough: int | None = None) -> int:
        """Checks that the mutant fails, counted up to `enough`; all of them if it does not load."""
        return len(self.killers(mutant, len(self.checks) if enough is None else enough))

    def killers(
        self, mutant: str | CodeType, enough: int, first: Sequence[int] = ()
    ) -> Sequence[int]:
        """Indices of `enough` checks that the mutant fails, or of all that there are.

        The checks `first` are asked before the others: it is found sooner, how many is the same.
        """
        turns = TurnCounter()
        namespace = load_bounded(mutant, turns)
        if namespace is None:
            return range(enough)
        found: list[int] = []
        for index in dict.fromkeys((*first, *range(len(self.checks)))):
            if self._fails(namespace, turns, index):
                found.append(index)
                if len(found) >= enough:
                    break
        # A module and its functions hold each other; they need not wait for the collector.
        namespace.clear()
        return found

    def told(self, index: int, other: Mapping[str, object]) -> str:
        """The check with what the reference shows, and how another namespace differs."""
        check = self.checks[index]
        ours = readable(check, self.expected[index])
        theirs = readable(check, look(dict(other), check).data)
        pairs = zip_longest(ours.splitlines(), theirs.splitlines(), fillvalue="")
        lines = [f"    {a}" if a == b else f"  > {a}\n  < {b}" for a, b in pairs]
        return "\n".join(["  > reference   < other", *lines])

    def _counted(self, reference: Namespace, check: Check) -> Seen:
        if self._turns is not None:
            self._turns.reset()
        return look(reference, check)

    def _fails(self, namespace: Namespace, turns: TurnCounter, index: int) -> bool:
        turns.reset()
        check = self.checks[index]
        return not is_right(self._seen[index], look(namespace, check), check.compare)


def load_bounded(mutant: str | CodeType, turns: TurnCounter) -> Namespace | None:
    """The mutant's namespace with counted loop turns; None if it does not load."""
    try:
        code = bounded(mutant) if isinstance(mutant, str) else mutant
        return execute(code, {"__turn__": turns})
    except (Exception, TurnsUsedUp):
        return None


def execute(code: CodeType, given: Mapping[str, object]) -> Namespace:
    """The namespace of a module's code, which finds the names `given` in it."""
    module = ModuleType("module")
    # Dataclasses look the module of a class up by its name.
    sys.modules["module"] = module
    namespace = module.__dict__
    namespace.update(given)
    exec(code, namespace)
    return namespace


def load_reference(source: str) -> Namespace:
    """The namespace of a module that must load."""
    return load(source)
