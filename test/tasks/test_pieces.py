"""Modules compiled function by function: the same code as when compiled as a whole."""

import ast
import unittest
from types import CodeType
from unittest import mock

from tasks.kit import pieces
from tasks.kit.mutants import Mutants
from tasks.kit.pieces import compile_tree, compiled, taken_apart
from tasks.kit.turns import with_turns

SOURCE = '''\
"""Counts things."""

from dataclasses import dataclass, field
from functools import cache

NAMES = [name for name in ("a", "b")]


class CountError(ValueError):
    """Too many."""

    def __init__(self, count):
        super().__init__(count)
        self.count = count


@dataclass(frozen=True)
class Entry:
    """One entry."""

    name: str
    tags: list[str] = field(default_factory=lambda: [n for n in NAMES])

    @property
    def label(self) -> str:
        return self.name + "!"

    @staticmethod
    def of(
        name: str,
        *,
        ending: str = "".join(n for n in NAMES),
    ) -> "Entry":
        """Make one."""

        def inner(text):
            return [text for _ in range(2)]

        return Entry("".join(inner(name)) + ending)

    async def later(self):
        while True:
            return self.__hidden()

    def __hidden(self):
        return f"{self.name}"


@cache
def twice(number, shift=1):
    total = 0
    for _ in range(2):
        total += number

    # The last word.
    return total + shift


def walk(items):
    for item in items:
        if item > 2:
            raise CountError(item)
        yield item
'''


def form(code: CodeType) -> tuple[object, ...]:
    """All that decides what the code does; lines are left out."""
    consts = (form(c) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts)
    shape = (code.co_argcount, code.co_kwonlyargcount, code.co_flags, code.co_qualname)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (*shape, *names, code.co_code, code.co_exceptiontable, *consts)


def whole(source: str) -> CodeType:
    return compile_tree(with_turns(ast.parse(source)))


class Pieces(unittest.TestCase):
    def test_every_function_but_one_with_super_is_a_piece(self):
        names = [(one.owner, one.name) for one in taken_apart(SOURCE).functions]
        of_entry = [("Entry", name) for name in ("label", "of", "later", "__hidden")]
        self.assertEqual([*of_entry, ("", "twice"), ("", "walk")], names)

    def test_give_the_code_of_the_whole(self):
        self.assertEqual(form(whole(SOURCE)), form(compiled(SOURCE)))

    def test_only_a_changed_function_is_compiled(self):
        compiled(SOURCE)
        for old, new in (("number\n\n", "number + 1\n\n"), ('+ "!"', '+ "?"'), ("> 2", ">= 2")):
            changed = SOURCE.replace(old, new)
            with mock.patch.object(pieces, "compile_tree", side_effect=compile_tree) as asked:
                code = compiled(changed)
            self.assertEqual(1, asked.call_count, new)
            self.assertEqual(form(whole(changed)), form(code))

    def test_a_changed_head_decorator_or_constant_counts(self):
        for old, new in (
            ("shift=1", "shift=2"),
            ("@cache\n", ""),
            ('"b")', '"c")'),
            ("super().__init__(count)", "super().__init__(count, 1)"),
            ("async def later", "def later"),
        ):
            changed = SOURCE.replace(old, new)
            self.assertEqual(form(whole(changed)), form(compiled(changed)), new)

    def test_what_deceives_is_compiled_as_a_whole(self):
        for source in (
            'TEXT = """\nclass A:\n    def f(self):\n        pass\n"""\n',
            'def f():\n    return """\ntext at the edge\n"""\n',
            "def f(a): return a\n",
            "if True:\n    def f(a):\n        return a\n",
            "class A:\n    def f(self):\n        return __class__\n",
            "class A:\n    def f(self, a=[\n        1\n    ]):\n        return a\n",
            "from __future__ import annotations\n\n\ndef f(a: B) -> C:\n    return a\n",
            "def f():\n    return 1\n\n\ndef f():\n    return 2\n",
        ):
            self.assertEqual(form(whole(source)), form(compiled(source)), source)

    def test_what_is_not_python_is_told(self):
        with self.assertRaises(SyntaxError):
            compiled("def f(a):\n    return (\n")

    def test_loops_count_their_turns(self):
        turns = mock.Mock()
        namespace: dict = {"__turn__": turns}
        exec(compiled(SOURCE), namespace)
        self.assertEqual(7, namespace["twice"](3))
        self.assertEqual(2, turns.call_count)


class Slips(unittest.TestCase):
    def test_compile_the_function_that_they_are_in_and_no_other(self):
        mutants = Mutants(SOURCE)
        codes = set()
        for index in range(len(mutants)):
            slip = mutants._slips[index]
            slip.do()
            expected = form(compile_tree(mutants._tree))
            slip.undo()
            with mock.patch.object(pieces, "compile_tree", side_effect=compile_tree) as asked:
                found = form(mutants.code(index))
            self.assertLessEqual(asked.call_count, 1, mutants.name(index))
            self.assertEqual(expected, found, mutants.name(index))
            codes.add(found)
        self.assertEqual(len(mutants), len(codes))
        self.assertNotIn(form(whole(SOURCE)), codes)


if __name__ == "__main__":
    unittest.main()
