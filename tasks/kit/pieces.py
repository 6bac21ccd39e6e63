"""Compiles modules that differ in a function or two, each function once.

A module is a *frame*, its text with `...` for the body of each function and method, and the
functions, each compiled by itself. Their code takes its place in the code of the frame.
"""

import ast
import re
from collections.abc import Sequence
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

from tasks.kit.turns import with_turns

_DEFINES = re.compile(r"(?P<pad>|    )(?:async )?def (?P<name>\w+)\(")
_CLASS = re.compile(r"class (\w+)")
# A method with one of these has a cell of its class, which it has not when compiled by itself.
_OF_CLASS = ("super()", "__class__")
# What may begin a line at the left edge without ending a class.
_GOES_ON = frozenset(" \n#@)]}")


class Function(NamedTuple):
    """A function of a module: its class or "", its name and text.

    `line` is that of its `def` in the module, `frame_line` the first one of its code in the frame.
    """

    owner: str
    name: str
    text: str
    line: int
    frame_line: int

    @property
    def alone(self) -> str:
        """A module of nothing but this function, in its class if it has one."""
        return f"class {self.owner}:\n{self.text}" if self.owner else self.text


class Pieces(NamedTuple):
    """A module taken apart."""

    frame: str
    functions: tuple[Function, ...]


class InseparableError(Exception):
    """The functions cannot be compiled by themselves."""


def compiled(source: str) -> CodeType:
    """The module's code with counted loop turns, the same as if it were compiled as a whole."""
    pieces = taken_apart(source)
    try:
        codes = [function_code(one.owner, one.name, one.alone) for one in pieces.functions]
        return put_together(pieces, codes)
    except (SyntaxError, InseparableError):
        return compile_tree(with_turns(ast.parse(source)))


def taken_apart(source: str) -> Pieces:
    """Functions are found by their lines. Where these deceive, the pieces do not compile, or a
    function is missing from the frame's code."""
    if "from __future__" in source:
        return Pieces(source, ())
    lines = source.splitlines(keepends=True)
    frame: list[str] = []
    functions: list[Function] = []
    owner, place = "", 0
    while place < len(lines):
        line = lines[place]
        if line[0] not in _GOES_ON:
            named = _CLASS.match(line)
            owner = named[1] if named else ""
        found = _DEFINES.match(line)
        head = _head_end(lines, place, found["pad"]) if found else 0
        end = place + 1
        if found and head and (owner or not found["pad"]):
            end = _body_end(lines, head, found["pad"])
        text = "".join(lines[place:end])
        if found and end > head > 0 and not any(word in text for word in _OF_CLASS):
            first = _first_line(frame, found["pad"])
            functions.append(Function(owner, found["name"], text, place + 1, first))
            frame += [*lines[place:head], found["pad"] + "    ...\n"]
        else:
            frame += lines[place:end]
        place = end
    return Pieces("".join(frame), tuple(functions))


def _head_end(lines: Sequence[str], place: int, pad: str) -> int:
    """Where the body begins; 0 when that is not seen."""
    if lines[place].endswith(":\n"):
        return place + 1
    for end in range(place + 1, len(lines)):
        if lines[end].startswith(pad + ")"):
            return end + 1 if lines[end].endswith(":\n") else 0
        if not lines[end].startswith(pad + " "):
            break
    return 0


def _body_end(lines: Sequence[str], place: int, pad: str) -> int:
    end = place
    while place < len(lines) and (lines[place] == "\n" or lines[place].startswith(pad + " ")):
        place += 1
        if lines[place - 1] != "\n":
            end = place
    return end


def _first_line(frame: Sequence[str], pad: str) -> int:
    """The line that a function's code tells: that of its first decorator."""
    above = len(frame)
    while above and frame[above - 1].startswith(pad + "@"):
        above -= 1
    return above + 1


def put_together(pieces: Pieces, codes: Sequence[CodeType]) -> CodeType:
    """The module's code, given that of its functions in their order."""
    owners = {one.owner for one in pieces.functions}
    known = zip(pieces.functions, codes, strict=True)
    bodies = {(one.frame_line, one.name): code for one, code in known}

    def filled(code: CodeType) -> CodeType:
        consts = []
        for const in code.co_consts:
            if isinstance(const, CodeType):
                body = bodies.pop((const.co_firstlineno, const.co_name), None)
                if body is not None:
                    const = body
                elif const.co_name in owners:
                    const = filled(const)
            consts.append(const)
        return code.replace(co_consts=tuple(consts))

    whole = filled(_frame_code(pieces.frame))
    if bodies:
        raise InseparableError("a function is not where it seems to be")
    return whole


@lru_cache(256)
def _frame_code(frame: str) -> CodeType:
    return compile_tree(with_turns(ast.parse(frame)))


@lru_cache(1024)
def function_code(owner: str, name: str, alone: str) -> CodeType:
    """The code of a function or, with an owner, of a method of that class."""
    return code_within(with_turns(ast.parse(alone)), owner, name)


def code_within(tree: ast.Module, owner: str, name: str) -> CodeType:
    """The code of the function in a module that holds nothing else but, perhaps, its class."""
    code = compile_tree(tree)
    for wanted in (owner, name) if owner else (name,):
        inner = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == wanted]
        if len(inner) != 1:
            raise InseparableError(f"there are {len(inner)} codes named {wanted}")
        code = inner[0]
    if code.co_freevars:
        raise InseparableError(f"{name} refers to its class")
    return code


def compile_tree(tree: ast.Module) -> CodeType:
    """The code of a tree as it is."""
    return compile(tree, "module.py", "exec", dont_inherit=True)
