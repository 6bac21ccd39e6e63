"""What a prompt may look like: sizes, format, imports, and words that would give the bug away."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tasks.kit.pieces import taken_apart
from tasks.kit.task import Task

FEWEST_LINES, MOST_LINES = 15, 80
MOST_COLUMNS = 100
MOST_PROMPT_BYTES = 12 * 1024
FEWEST_VISIBLE, MOST_VISIBLE = 3, 6
# Imports that reach time, files, the network, threads or chance.
_BANNED = frozenset(
    "ctypes gc inspect io multiprocessing os pathlib pickle random secrets select shutil signal"
    " socket subprocess sys tempfile threading time urllib weakref zoneinfo locale uuid".split()
)
_GIVEAWAYS = re.compile(
    r"\b(bug|bugs|buggy|faulty|broken|mutant|mutated|incorrect|incorrectly|wrong|wrongly|fixme"
    r"|todo|xxx|hack|oracle|knob|off.by.one|should be|should have been)\b",
    re.IGNORECASE,
)
_UNTIDY = re.compile(r"[$\t]|[^\S\n](\n|\Z)")
_DEFINES = re.compile(r"(async def|def|class)\b|@")
# Lines at the left edge that belong to the statement above.
_CLOSING = re.compile(r"(elif|else|except|finally)\b|[)\]}]|\"\"\"")
_BANNED_CALLS = frozenset("open input eval exec compile __import__ print breakpoint".split())


def text_faults(task: Task) -> list[str]:
    """What is wrong with the texts of a task that a person would see; empty when all is well."""
    found = [*module_faults(task.module), *module_faults(task.reference)]
    found += giveaways(task)
    if not FEWEST_VISIBLE <= len(task.visible) <= MOST_VISIBLE:
        found.append(f"{len(task.visible)} visible checks, not {FEWEST_VISIBLE} to {MOST_VISIBLE}")
    for number, clause in enumerate(task.contract, 1):
        if not clause.endswith("."):
            found.append(f"clause {number} has no full stop")
        if "$" in clause or "{" in clause and "}" in clause and "_clause" in clause:
            found.append(f"clause {number} has template residue")
    return list(dict.fromkeys(found))


@lru_cache(1024)
def module_faults(source: str) -> tuple[str, ...]:
    """Format, size and imports of one module."""
    lines = source.split("\n")
    found = []
    if not source.endswith("\n") or source.endswith("\n\n") or source.startswith("\n"):
        found.append("the module does not start with text and end with one line break")
    if not FEWEST_LINES <= len(lines) - 1 <= MOST_LINES:
        found.append(f"{len(lines) - 1} lines, not {FEWEST_LINES} to {MOST_LINES}")
    if _UNTIDY.search(source) or max(map(len, lines)) > MOST_COLUMNS:
        found += _line_faults(lines)
    return (*found, *_blank_line_faults(lines), *_import_faults(source))


def _line_faults(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_COLUMNS:
            yield f"line {number} has {len(line)} columns: {line.strip()[:50]}"
        if line != line.rstrip() or "\t" in line:
            yield f"line {number} has blanks at its end or tabs"
        if "$" in line:
            yield f"line {number} has a dollar sign"


def _blank_line_faults(lines: list[str]) -> list[str]:
    """Two blank lines around top-level definitions, at most one inside, none after an opening."""
    found = []
    blanks, before = 0, ""
    for number, line in enumerate(lines, 1):
        if not line:
            blanks += 1
            continue
        indented = len(line) - len(line.lstrip())
        if blanks > (1 if indented else 2):
            found.append(f"line {number} has {blanks} blank lines above it")
        if _DEFINES.match(line) and before and blanks < 2 and before[0] not in "@#":
            found.append(f"line {number} has {blanks} blank lines above it, not 2")
        opening = before.endswith(":") and len(before) - len(before.lstrip()) < indented
        if blanks and opening:
            found.append(f"line {number} follows a blank line after an opening line")
        if line[0] not in " )]}" and before[:1] == " " and blanks < 2 and not _CLOSING.match(line):
            found.append(f"line {number} has {blanks} blank lines above it, not 2")
        blanks, before = 0, line
    return found


def _import_faults(source: str) -> list[str]:
    try:
        facts = _facts_of(source)
    except SyntaxError as error:
        return [f"line {error.lineno} is not Python: {error.msg}"]
    used = frozenset().union(*(part.used for part in facts))
    found = [f"calls {call}" for part in facts for call in part.banned_calls]
    for node in (node for part in facts for node in part.imports):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
        for top in ((name or ".").split(".")[0] for name in names):
            if top not in sys.stdlib_module_names:
                found.append(f"imports {top}, which is not in the standard library")
            if top in _BANNED:
                found.append(f"imports {top}, which is not deterministic or reaches outside")
        # An import that only the reference needs would point at the bug.
        bound = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        found += [f"imports {name} and never uses it" for name in sorted(bound - used)]
    return found


class _Facts(NamedTuple):
    """What one piece of a module imports, names and calls."""

    used: frozenset[str]
    banned_calls: tuple[str, ...]
    imports: tuple[ast.Import | ast.ImportFrom, ...]


def _facts_of(source: str) -> list[_Facts]:
    """The modules of a category differ in a function or two, so each function is read once."""
    pieces = taken_apart(source)
    try:
        return [_facts(pieces.frame), *(_facts(one.alone) for one in pieces.functions)]
    except SyntaxError:
        return [_facts(source)]


@lru_cache(1024)
def _facts(text: str) -> _Facts:
    used: set[str] = set()
    calls: list[str] = []
    imports: list[ast.Import | ast.ImportFrom] = []
    for node in every_node(ast.parse(text)):
        if isinstance(node, ast.Name):
            used.add(node.id)
        elif isinstance(node, ast.Call):
            if getattr(node.func, "id", "") in _BANNED_CALLS:
                calls.append(ast.unparse(node.func))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(node)
    return _Facts(frozenset(used), tuple(calls), tuple(imports))


def every_node(tree: ast.AST) -> Iterator[ast.AST]:
    """What `ast.walk` gives, in another order and in half the time."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, ast.AST):
                waiting.append(child)
            elif isinstance(child, list):
                waiting += [item for item in child if isinstance(item, ast.AST)]


def giveaways(task: Task) -> list[str]:
    """Words of the module and the contract that hint at a bug."""
    texts = {"module": task.module, **{f"clause {i}": c for i, c in enumerate(task.contract, 1)}}
    # An identifier is read as words: is_wrong_total is three.
    return [
        f"{where} says {hit[0]!r}"
        for where, text in texts.items()
        for hit in _GIVEAWAYS.finditer(text.replace("_", " "))
    ]
