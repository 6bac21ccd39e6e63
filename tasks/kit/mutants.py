"""Automatic mutants of a module: one small slip each, compiled with a bound on loop turns."""

import ast
from functools import lru_cache
from types import CodeType

from tasks.kit.slips import blocks, slips_of

MOST_TURNS = 20_000


class TurnsUsedUp(BaseException):
    """A loop of the module under test went round too often; no `except Exception` stops it."""


class TurnCounter:
    """Counts loop turns across a module; `reset` before each check."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MOST_TURNS

    def reset(self) -> None:
        """Start a new budget."""
        self.left = MOST_TURNS

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TurnsUsedUp


@lru_cache(64)
def bounded(source: str) -> CodeType:
    """The module compiled so that every loop turn calls `__turn__`."""
    return _compile(_with_turns(ast.parse(source)))


class Mutants:
    """All automatic mutants of one module, compiled on request."""

    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)
        self._slips = list(slips_of(self._tree))
        _with_turns(self._tree)

    def __len__(self) -> int:
        return len(self._slips)

    @property
    def names(self) -> tuple[str, ...]:
        """What each mutant changes, with its line."""
        return tuple(slip.name for slip in self._slips)

    def name(self, index: int) -> str:
        """What mutant `index` changes, with its line."""
        return self._slips[index].name

    def code(self, index: int) -> CodeType:
        """Mutant `index`, bounded."""
        slip = self._slips[index]
        slip.do()
        try:
            return _compile(self._tree)
        finally:
            slip.undo()


def _compile(tree: ast.Module) -> CodeType:
    return compile(tree, "module.py", "exec", dont_inherit=True)


_TURN = ast.parse("__turn__()").body[0]


def _with_turns(tree: ast.Module) -> ast.Module:
    _count_turns(tree.body)
    return tree


def _count_turns(block: list[ast.stmt]) -> None:
    """Loops are statements, so expressions are never looked at: this runs once a mutant."""
    for statement in block:
        for inner in blocks(statement):
            _count_turns(inner)
        for handler in getattr(statement, "handlers", ()) or getattr(statement, "cases", ()):
            _count_turns(handler.body)
        if isinstance(statement, (ast.For, ast.While, ast.AsyncFor)):
            statement.body.insert(0, _TURN)
