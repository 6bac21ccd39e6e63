"""A bound on loop turns, compiled into mutants: what loops without end does not depend on a clock."""

import ast

from tasks.kit.slips import blocks

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


_TURN = ast.parse("__turn__()").body[0]


def with_turns(tree: ast.Module) -> ast.Module:
    """The same tree, changed so that every loop turn calls `__turn__`."""
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
