"""What makes two tasks the same: the syntax tree but for names and literals, and the contract."""

import ast
import builtins
import hashlib

from tasks.kit.category import Category
from tasks.kit.render import Slots, sentence
from tasks.kit.task import Task
from tasks.kit.variants import all_slots

_KEPT = frozenset(dir(builtins)) | {"self", "cls"}


def fingerprint(category: Category, task: Task) -> bytes:
    """Equal for tasks that differ in dressing only."""
    shape = category.shape(task.variant.shape)
    words = {name: f"<{name}>" for name in task.variant.words}
    marked = {name: f"<{name}>" for name in shape.words}
    slots = Slots(all_slots(category, shape, task.variant.knobs, words), marked)
    clauses = sorted(sentence(clause.text, slots) for clause in category.contract)
    text = "\n".join([normalised(task.module), *clauses])
    return hashlib.sha256(text.encode()).digest()


def normalised(source: str) -> str:
    """The tree as text: names of the module by order of appearance, literals by type."""
    names: dict[str, str] = {}

    def named(name: str) -> str:
        return name if name in _KEPT else names.setdefault(name, f"n{len(names)}")

    def show(node: object) -> str:
        if isinstance(node, list):
            return "[" + ",".join(show(item) for item in _without_docstring(node)) + "]"
        if isinstance(node, str):
            return named(node)
        if isinstance(node, ast.Constant):
            kept = node.value is None or isinstance(node.value, bool)
            return repr(node.value) if kept else type(node.value).__name__
        if isinstance(node, ast.AST):
            inner = ",".join(show(value) for _, value in ast.iter_fields(node) if value is not None)
            return f"{type(node).__name__}({inner})"
        return repr(node)

    return show(ast.parse(source))


def _without_docstring(nodes: list) -> list:
    if nodes and isinstance(nodes[0], ast.Expr) and isinstance(nodes[0].value, ast.Constant):
        return nodes[1:]
    return nodes
