"""Which slips of a module matter to a check: the others need not be run on it.

The reference runs once with probes in it. A flipped comparison matters where it gives another truth,
any other slip from the statement on that it is in: until then mutant and reference do the same.
"""

import ast
import operator
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from tasks.kit.slips import blocks, slips_of

# Orders are asked both ways; of the other comparisons a flip is always another truth.
_ORDERS: dict[type, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    ast.Lt: (operator.lt, operator.le),
    ast.LtE: (operator.le, operator.lt),
    ast.Gt: (operator.gt, operator.ge),
    ast.GtE: (operator.ge, operator.gt),
}


class Probes:
    """A module that tells which of its slips have mattered; slip `i` is bit `i` of `hit`.

    `code` and the names `given` to it make the namespace. A slip in what runs while the module
    loads matters to every check: read `hit` after loading, and reset it before each check.
    """

    def __init__(self, source: str) -> None:
        self.hit = 0
        self.given: dict[str, object] = {"__reached__": self._reached}
        tree = ast.parse(source)
        places: dict[int, int] = {}
        for index, slip in enumerate(slips_of(tree)):
            places[id(slip.place)] = places.get(id(slip.place), 0) | 1 << index
        orders = [node for node in ast.walk(tree) if id(node) in places and _is_order(node)]
        compared = {id(node): places.pop(id(node)) for node in orders}
        _announce(tree.body, places)
        probed = ast.fix_missing_locations(_Comparisons(compared, self).visit(tree))
        self.code: CodeType = compile(probed, "module.py", "exec", dont_inherit=True)

    def _reached(self, slips: int) -> None:
        self.hit |= slips

    def compare(self, kind: type, slip: int) -> Callable[[Any, Any], Any]:
        """A comparison that tells when its flip would have another result, or raise."""
        order, flipped = _ORDERS[kind]

        def compared(left: Any, right: Any) -> Any:
            if self.hit & slip:
                return order(left, right)
            # What raises has another text when it is flipped.
            self.hit |= slip
            result = order(left, right)
            if _same_truth(flipped, left, right, result):
                self.hit &= ~slip
            return result

        return compared


def _same_truth(order: Callable[[Any, Any], Any], left: Any, right: Any, result: Any) -> bool:
    try:
        return order(left, right) is result
    except Exception:
        return False


def _is_order(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _ORDERS


class _Comparisons(ast.NodeTransformer):
    """Puts a call of its probe in the place of each order."""

    def __init__(self, slips: dict[int, int], probes: Probes) -> None:
        self._slips = slips
        self._probes = probes

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        slip = self._slips.get(id(node))
        self.generic_visit(node)
        if slip is None:
            return node
        name = f"__compared_{slip.bit_length()}__"
        self._probes.given[name] = self._probes.compare(type(node.ops[0]), slip)
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.comparators[0]], [])


def _announce(block: list[ast.stmt], places: dict[int, int]) -> None:
    """Before each statement that holds places of slips, say so."""
    for statement in tuple(block):
        slips = 0
        for node in _own_nodes(statement):
            slips |= places.get(id(node), 0)
        for inner in blocks(statement):
            _announce(inner, places)
        for branch in getattr(statement, "handlers", ()) or getattr(statement, "cases", ()):
            _announce(branch.body, places)
        if slips:
            call = ast.Call(ast.Name("__reached__", ast.Load()), [ast.Constant(slips)], [])
            block.insert(block.index(statement), ast.Expr(call))


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The statement and what is in it, but for statements inside."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        inner = ast.iter_child_nodes(node)
        waiting += [child for child in inner if not isinstance(child, ast.stmt)]
