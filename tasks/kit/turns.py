"""A bound on loop turns, compiled into mutants: what loops without end does not depend on a clock."""

import ast

from tasks.kit.slips import blocks

MOST_TURNS = 2000
# What a reference may use of them in one check, so that a mutant is stopped for its own slip alone.
REFERENCE_TURNS = 500


class TurnsUsedUp(BaseException):
    """A loop of the module under test went round too often; no `except Exception` stops it."""


class TurnCounter:
    """Counts loop turns across a module; `reset` before each check."""

    __slots__ = ("left", "most")

    def __init__(self) -> None:
        self.left = MOST_TURNS
        self.most = 0

    def reset(self) -> None:
        """Start a new budget; `most` keeps what was used of the fullest one."""
        self.most = max(self.most, MOST_TURNS - self.left)
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
