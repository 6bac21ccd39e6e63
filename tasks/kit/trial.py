"""Running checks against references, oracles and mutants, in this process, for the gates."""

import re
import sys
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from types import CodeType, ModuleType
from typing import Any

from sandbox.checks import Check
from sandbox.compare import matches
from sandbox.runner import load, observe
from tasks.kit.asserts import readable
from tasks.kit.mutants import TurnCounter, TurnsUsedUp, bounded

Namespace = dict[str, Any]


# A dict, another mapping, a named tuple, an exception: what may differ in bytes and yet match.
_LENIENT = re.compile(rb"[{E]|[mt][0-9a-f]+:s")


class Trial:
    """Checks with what the reference shows for them; counts how many a mutant gets wrong."""

    def __init__(self, reference: Namespace, checks: Sequence[Check]) -> None:
        self.checks = tuple(checks)
        self.expected = tuple(observe(reference, check) for check in self.checks)
        self._order = list(range(len(self.checks)))

    def first_difference(self, namespace: Namespace) -> int | None:
        """Index of the first check that another namespace answers differently."""
        turns = TurnCounter()
        return next((i for i in range(len(self.checks)) if self._fails(namespace, turns, i)), None)

    def kills(self, mutant: str | CodeType, enough: int | None = None) -> int:
        """Checks that the mutant fails, counted up to `enough`; all of them if it does not load.

        Checks that killed before are asked first: the count is the same, and sooner reached.
        """
        if enough is None:
            enough = len(self.checks)
        turns = TurnCounter()
        namespace = load_bounded(mutant, turns)
        if namespace is None:
            return enough
        killers: list[int] = []
        for index in self._order:
            if self._fails(namespace, turns, index):
                killers.append(index)
                if len(killers) >= enough:
                    break
        found = set(killers)
        self._order = killers + [index for index in self._order if index not in found]
        return len(killers)

    def told(self, index: int, other: Mapping[str, object]) -> str:
        """The check with what the reference shows, and how another namespace differs."""
        check = self.checks[index]
        ours = readable(check, self.expected[index])
        theirs = readable(check, observe(dict(other), check))
        pairs = zip_longest(ours.splitlines(), theirs.splitlines(), fillvalue="")
        lines = [f"    {a}" if a == b else f"  > {a}\n  < {b}" for a, b in pairs]
        return "\n".join(["  > reference   < other", *lines])

    def _fails(self, namespace: Namespace, turns: TurnCounter, index: int) -> bool:
        turns.reset()
        check, expected = self.checks[index], self.expected[index]
        observed = observe(namespace, check)
        if observed == expected:
            return False
        strict = check.compare.effect_order and check.compare.tolerance is None
        if strict and not (_LENIENT.search(observed) and _LENIENT.search(expected)):
            return True
        return not matches(expected, observed, check.compare)


def load_bounded(mutant: str | CodeType, turns: TurnCounter) -> Namespace | None:
    """The mutant's namespace with counted loop turns; None if it does not load."""
    module = ModuleType("module")
    # Dataclasses look the module of a class up by its name.
    sys.modules["module"] = module
    namespace = module.__dict__
    namespace["__turn__"] = turns
    try:
        code = bounded(mutant) if isinstance(mutant, str) else mutant
        exec(code, namespace)
    except (Exception, TurnsUsedUp):
        return None
    return namespace


def load_reference(source: str) -> Namespace:
    """The namespace of a module that must load."""
    return load(source)
