"""Automatic mutants of a module: one small slip each, compiled with a bound on loop turns."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType

from tasks.kit.pieces import (
    InseparableError,
    code_within,
    compile_tree,
    compiled,
    function_code,
    put_together,
    taken_apart,
)
from tasks.kit.slips import Slip, slips_of
from tasks.kit.turns import with_turns

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(64)
def bounded(source: str) -> CodeType:
    """The module compiled so that every loop turn calls `__turn__`."""
    return compiled(source)


class Mutants:
    """All automatic mutants of one module, compiled on request."""

    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)
        self._slips = list(slips_of(self._tree))
        with_turns(self._tree)
        self._functions = {function.lineno: function for function in _functions(self._tree)}
        self._pieces = taken_apart(source)

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
            return self._code_within(slip)
        except (InseparableError, KeyError):
            return compile_tree(self._tree)
        finally:
            slip.undo()

    def _code_within(self, slip: Slip) -> CodeType:
        """Compiles nothing but the function that the slip is in."""
        codes = []
        inside = False
        for one in self._pieces.functions:
            function = self._functions[one.line]
            here = _is_in_body(function, slip.place)
            known = one.owner, one.name
            codes.append(
                _changed_code(function, *known) if here else function_code(*known, one.alone)
            )
            inside |= here
        if not inside:
            raise InseparableError("the slip is in no function")
        return put_together(self._pieces, codes)


def _functions(tree: ast.Module) -> Iterator[_Function]:
    for statement in tree.body:
        inner = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        yield from (one for one in inner if isinstance(one, _Function))


def _is_in_body(function: _Function, place: ast.AST) -> bool:
    line = getattr(place, "lineno", 0)
    return function.body[0].lineno <= line <= (function.end_lineno or 0)


def _changed_code(function: _Function, owner: str, name: str) -> CodeType:
    tree = ast.parse(f"class {owner}: pass" if owner else "pass")
    decorators = function.decorator_list
    function.decorator_list = []
    try:
        block = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else tree.body
        block[:] = [function]
        return code_within(tree, owner, name)
    finally:
        function.decorator_list = decorators
