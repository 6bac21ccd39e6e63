"""Which names of a module are plain: to call them, or what they hold, changes nothing but a result."""

import ast
import builtins
from collections.abc import Iterable
from typing import Any

# Builtins that do something else than compute.
_ACTING = frozenset(
    "__import__ breakpoint compile delattr eval exec exit globals input locals next open print quit"
    " setattr vars".split()
)
_BUILTINS = frozenset(dir(builtins)) - _ACTING
# Methods of texts, mappings, dates and numbers that leave their object as it is.
_METHODS = frozenset(
    "casefold count date decode encode endswith find get index isdigit isoformat items join keys lower"
    " lstrip replace rstrip split startswith strip time total_seconds upper values weekday".split()
)
_CHANGES = (
    ast.Global, ast.Nonlocal, ast.Delete, ast.Yield, ast.YieldFrom, ast.Await, ast.With, ast.Raise,
)  # fmt: skip
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def plain_names(tree: ast.Module, nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Builtins, what is imported, and functions of the module that only compute; `nodes` are all
    that the tree has.

    A name that the module gives a second meaning somewhere is not plain.
    """
    bound = _bound(nodes)
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    plain = (_BUILTINS | imported) - set(bound)
    methods = _METHODS - set(bound)
    for function in tree.body:
        # One function after the other: what calls a later one does not count as plain.
        if isinstance(function, ast.FunctionDef) and bound.count(function.name) == 1:
            if not any(_may_change(node, plain, methods) for node in ast.walk(function)):
                plain |= {function.name}
    return plain


def _bound(nodes: Iterable[Any]) -> list[str]:
    """Every name that a definition, an argument or an assignment gives, but for imports."""
    found = []
    for node in nodes:
        kind = type(node)
        if kind is ast.Name and type(node.ctx) is not ast.Load:
            found.append(node.id)
        elif kind is ast.arg:
            found.append(node.arg)
        elif kind in _DEFINITIONS:
            found.append(node.name)
    return found


def _may_change(node: ast.AST, plain: frozenset[str], methods: frozenset[str]) -> bool:
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.AugAssign):
        # What is no number may be changed in place.
        return not (isinstance(node.value, ast.Constant) and type(node.value.value) is int)
    if not isinstance(node, ast.Call):
        return isinstance(node, _CHANGES)
    called = node.func
    if isinstance(called, ast.Attribute):
        is_imported = isinstance(called.value, ast.Name) and called.value.id in plain
        return called.attr not in methods and not is_imported
    return not (isinstance(called, ast.Name) and called.id in plain)
