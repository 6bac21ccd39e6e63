"""Which names of a module are plain: to call them, or what they hold, changes nothing but a result."""

import ast
import builtins

_BUILTINS = frozenset(dir(builtins)) - {"next", "setattr", "delattr"}
# Methods of texts, mappings, dates and numbers that leave their object as it is.
_METHODS = frozenset(
    "casefold count date decode encode endswith find get index isdigit isoformat items join keys lower"
    " lstrip replace rstrip split startswith strip time total_seconds upper values weekday".split()
)
_CHANGES = (
    ast.Global, ast.Nonlocal, ast.Delete, ast.Yield, ast.YieldFrom, ast.Await, ast.With, ast.Raise,
)  # fmt: skip


def plain_names(tree: ast.Module) -> frozenset[str]:
    """Builtins, what is imported, and functions of the module that only compute."""
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    plain = _BUILTINS | imported
    for function in tree.body:
        # One function after the other: what calls a later one does not count as plain.
        if isinstance(function, ast.FunctionDef) and _only_computes(function, plain):
            plain |= {function.name}
    return plain


def _only_computes(function: ast.FunctionDef, plain: frozenset[str]) -> bool:
    return not any(_may_change(node, plain) for node in ast.walk(function))


def _may_change(node: ast.AST, plain: frozenset[str]) -> bool:
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call):
        return isinstance(node, _CHANGES)
    called = node.func
    if isinstance(called, ast.Attribute):
        is_imported = isinstance(called.value, ast.Name) and called.value.id in plain
        return called.attr not in _METHODS and not is_imported
    return not (isinstance(called, ast.Name) and called.id in plain)
