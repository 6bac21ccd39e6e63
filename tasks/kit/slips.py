"""The small slips that automatic mutants make: one change of a module's tree each."""

import ast
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import Any

from tasks.kit.plain import plain_names

_FLIPPED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_WITH_BLOCKS = (ast.Module, ast.stmt, ast.ExceptHandler, ast.match_case)
_COPIES = {"list", "dict", "set", "tuple", "copy", "deepcopy"}


@dataclass(frozen=True, slots=True)
class Slip:
    """One possible mutant: what it does, in words, and how to do and undo it on the tree.

    Until `place`, a node of the unchanged tree, is evaluated or begun, it makes no difference.
    """

    name: str
    place: ast.AST
    do: Callable[[], None]
    undo: Callable[[], None]


def slips_of(tree: ast.Module) -> Iterator[Slip]:
    """Every slip of the tree, always in the same order."""
    nodes = _in_breadth(tree)
    skipped = _annotations(nodes)
    plain = plain_names(tree, nodes)
    for node in nodes:
        if id(node) in skipped:
            continue
        yield from _node_slips(node)
        if isinstance(node, _WITH_BLOCKS):
            for block in blocks(node):
                yield from _block_slips(block, plain)


def _in_breadth(tree: ast.AST) -> list[ast.AST]:
    """What `ast.walk` gives, in its order and in half the time; contexts and operators left out."""
    found = [tree]
    for node in found:
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, list):
                found += [item for item in child if isinstance(item, ast.AST)]
            elif isinstance(child, ast.AST) and child._fields:
                found.append(child)
    return found


def _annotations(nodes: list[ast.AST]) -> set[int]:
    """Ids of all nodes that never run: annotations."""
    roots = [
        root
        for node in nodes
        for root in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if root is not None
    ]
    return {id(inner) for root in roots for inner in _in_breadth(root)}


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements right inside a node."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _set(node: Any, name: str, value: Any, what: str) -> Slip:
    before = getattr(node, name)
    return Slip(
        f"line {node.lineno}: {what}",
        node,
        lambda: setattr(node, name, value),
        lambda: setattr(node, name, before),
    )


def _node_slips(node: ast.AST) -> Iterator[Slip]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            flipped = list(node.ops)
            flipped[place] = _FLIPPED[type(operator)]()
            yield _set(node, "ops", flipped, "flips a comparison")
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield _set(node, "value", node.value + 1, "adds one to a number")
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        swapped = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield _set(node, "op", swapped, "swaps plus and minus")
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, (ast.Call, ast.Subscript)) and (original := _copied(value)):
            yield _set_child(node, name, value, original)


def _set_child(node: Any, name: str, value: Any, original: ast.expr) -> Slip:
    return Slip(
        f"line {value.lineno}: drops a copy",
        value,
        lambda: setattr(node, name, original),
        lambda: setattr(node, name, value),
    )


def _copied(value: ast.AST) -> ast.expr | None:
    """What is copied, if the expression is a plain copy."""
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        bare = value.slice.lower is value.slice.upper is value.slice.step is None
        return value.value if bare else None
    if not isinstance(value, ast.Call) or value.keywords:
        return None
    function = value.func
    if isinstance(function, ast.Attribute) and function.attr == "copy" and not value.args:
        return function.value
    name = getattr(function, "id", getattr(function, "attr", ""))
    if name in _COPIES and len(value.args) == 1 and not isinstance(value.args[0], ast.GeneratorExp):
        return value.args[0]
    return None


def _block_slips(block: list[ast.stmt], plain: Set[str]) -> Iterator[Slip]:
    for statement in block:
        if isinstance(statement, ast.If) and not statement.orelse and _leaves(statement.body):
            nothing = ast.copy_location(ast.Pass(), statement)
            yield _swap_in(block, [nothing], [statement], "drops a guard", statement.body[0])
    for pair in zip(block, block[1:], strict=False):
        if all(_is_effect(statement) for statement in pair) and _order_matters(*pair, plain):
            swapped = [pair[1], pair[0]]
            yield _swap_in(block, swapped, list(pair), "swaps two statements", pair[0])


def _swap_in(
    block: list[ast.stmt], new: list[ast.stmt], old: list[ast.stmt], what: str, place: ast.stmt
) -> Slip:
    """Both lists have the same length; statements are found by identity, as blocks may grow."""
    first = old[0]

    def start(statements: list[ast.stmt]) -> int:
        return next(at for at, known in enumerate(block) if known is statements[0])

    def put(current: list[ast.stmt], wanted: list[ast.stmt]) -> None:
        at = start(current)
        block[at : at + len(wanted)] = wanted

    name = f"line {first.lineno}: {what}"
    return Slip(name, place, lambda: put(old, new), lambda: put(new, old))


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _is_effect(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    return isinstance(statement, (ast.Assign, ast.AugAssign, ast.Delete))


def _order_matters(first: ast.stmt, second: ast.stmt, plain: Set[str]) -> bool:
    """False when neither statement touches what the other mentions: swapping shows nothing."""
    touched, mentioned = _names(first, plain)
    other_touched, other_mentioned = _names(second, plain)
    return bool(touched & other_mentioned or other_touched & mentioned)


def _names(statement: ast.stmt, plain: Set[str]) -> tuple[set[str], set[str]]:
    """Names that may change, and names that appear; `self.x` is one name.

    Methods may change their object, and functions that are not `plain` may do anything. Variables
    of a comprehension are its own.
    """
    touched: set[str] = set()
    mentioned: set[str] = set()
    own: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.comprehension):
            own |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.Name) and node.id != "self":
            mentioned.add(node.id)
            if not isinstance(node.ctx, ast.Load):
                touched.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id not in plain:
                root = f"self.{node.attr}" if node.value.id == "self" else node.value.id
                mentioned.add(root)
                touched.add(root)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id not in plain:
                touched.add("calls")
                mentioned.add("calls")
    return touched - own, mentioned - own
