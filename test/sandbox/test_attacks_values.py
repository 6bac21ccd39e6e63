"""Attacks P20 to P34 of the corpus and their siblings: values that lie, loop or explode."""

import dataclasses
import unittest

from sandbox.checks import Check, Ref, call, take, value
from sandbox.material import TaskMaterial, prepare
from test.sandbox.attack import AttackCase
from test.sandbox.corpus import TinyTask


def returning(expression: str, before: str = "") -> str:
    """A module whose function always returns one expression."""
    return f"{before}\ndef distance(a, b, size):\n    return {expression}\n"


def task_of(reference: str, *hidden: Check) -> TaskMaterial:
    """Material for another function than the tiny one; a filler keeps it unguessable."""
    task = dataclasses.replace(TinyTask(1, "practice"), reference=reference, visible=())
    filler = tuple(Check((call("distance", number, 0, 1000),)) for number in range(20))
    return prepare(task, (*hidden, *filler))


RIGHT = "def distance(a, b, size):\n    return abs(a - b)\n"


class ValuesTest(AttackCase):
    def assert_extra(self, extra: str, wrong: str, right: bool = False, *steps: Check) -> None:
        """A module right but for `extra(x)`: `wrong` replaces what the reference returns."""
        checks = steps or (Check((call("extra", 1),)),)
        material = task_of(RIGHT + extra, *checks)
        for profile in ("S", "L"):
            with self.subTest(profile=profile, extra=wrong):
                verdict, _ = self.run_between(RIGHT + wrong, profile, material)
                self.assertEqual(verdict.bucket, "fixed" if right else "wrong")

    def test_the_comparator_is_strict_on_types_and_bits(self):
        for expected, given in (
            ("0.0", "-0.0"), ("1", "True"), ("1", "1.0"), ("1.0", "1"), ("(1, 2)", "[1, 2]"),
            ("[1, 2]", "(1, 2)"), ("{1: 2}", "{True: 2}"), ("{1: (2, 3)}", "{'1': [2, 3]}"),
            ("b'a'", "'a'"), ("b'a'", "bytearray(b'a')"), ("None", "False"), ("''", "None"),
            ("{1, 2}", "frozenset({1, 2})"), ("float('inf')", "-float('inf')"),
            ("float('nan')", "None"), ("0", "0.0"), ("[1]", "[1.0]"), ("1", "'1'"),
        ):  # fmt: skip
            self.assert_extra(
                f"def extra(x):\n    return {expected}\n", f"def extra(x):\n    return {given}\n"
            )

    def test_nan_is_nan_and_dicts_need_no_order(self):
        for expected, given in (
            ("float('nan')", "-float('nan')"), ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
            ("{1, 2, 3}", "{3, 2, 1}"), ("{'a': 1}", "__import__('collections').Counter('a')"),
            ("10 ** 5000 + 1", "int('1' + '0' * 100) ** 50 + 1"),
            (
                r"'\ud800\0\ufeff\u2028\u202e\U0001f600'",
                "''.join(map(chr, (0xd800, 0, 0xfeff, 0x2028, 0x202e, 0x1f600)))",
            ),
        ):  # fmt: skip
            self.assert_extra(
                f"def extra(x):\n    return {expected}\n",
                f"def extra(x):\n    return {given}\n",
                True,
            )

    def test_text_that_only_looks_the_same_is_wrong(self):
        for given in (
            r"'a\u0301'",
            r"'\u00e1 '",
            r"'\u0430\u0301'",
            r"'\ufeff\u00e1'",
            r"'\ud800'",
        ):
            self.assert_extra(
                "def extra(x):\n    return '\\u00e1'\n", f"def extra(x):\n    return {given}\n"
            )

    def test_values_that_are_too_much_are_wrong(self):
        self.assert_rows(
            {
                "P22": (returning("10 ** (10 ** 6 * 7)"), {"wrong", "crashed", "timed_out"}),
                "P23 list": ("x = []\nx.append(x)" + returning("x"), {"wrong"}),
                "P23 dict": ("x = {}\nx[1] = x" + returning("x"), {"wrong"}),
                "P24": (
                    "x = []\nfor _ in range(200_000): x = [x]" + returning("x"),
                    {"wrong", "crashed"},
                ),
                "P24 tuple": (
                    "x = ()\nfor _ in range(200_000): x = (x,)" + returning("x"),
                    {"wrong", "crashed"},
                ),
                "P24 shared": (
                    "x = []\nfor _ in range(64): x = [x, x]" + returning("x"),
                    {"wrong"},
                ),
                "P34": (returning("'x' * (200 << 20)"), {"wrong", "crashed", "timed_out"}),
                "P34 bytes": (returning("bytes(200 << 20)"), {"wrong", "crashed", "timed_out"}),
                "P34 many": (returning("[str(i) for i in range(300_000)]"), {"wrong", "timed_out"}),
                "P34 just below": (returning("'x' * 900_000"), {"wrong", "crashed"}),
            }
        )

    def test_an_endless_iterator_ends_by_count_or_clock(self):
        bounded = Check((call("extra", 1, bind="it"), take("it", 5)))
        self.assert_extra(
            "def extra(x):\n    return iter(range(3))\n",
            "import itertools\ndef extra(x):\n    return itertools.count()\n",
            False,
            bounded,
        )
        self.assert_rows(
            {
                "P25 iterator": ("import itertools" + returning("itertools.count()"), {"wrong"}),
                "P25 list": (
                    "import itertools" + returning("list(itertools.count())"),
                    {"wrong", "crashed", "timed_out"},
                ),
            }
        )

    def test_hooks_of_results_are_never_called(self):
        hooks = (
            "import os\n"
            "def boom(*args): os._exit(7)\n"
            "def loop(*args):\n    while True: pass\n"
            "class Key:\n    n = 0\n    def __hash__(self):\n        Key.n += 1\n"
            "        return Key.n\n"
            "    def __eq__(self, other): return True\n"
            "class Loop:\n"
            "    __repr__ = __str__ = __format__ = __bool__ = __len__ = __iter__ = loop\n"
            "class Reduce:\n    def __reduce__(self): return (os.system, ('true',))\n"
            "    __reduce_ex__ = __getstate__ = boom\n"
            "class S(str):\n    __len__ = __iter__ = encode = __eq__ = boom\n"
            "    __hash__ = str.__hash__\n"
            "class D(dict):\n    items = keys = __iter__ = __len__ = __getitem__ = boom\n"
            "class L(list):\n    __iter__ = __len__ = __getitem__ = boom\n"
            "class E:\n    __class__ = ValueError\n"
            "class G:\n    __getattribute__ = boom\n"
            "class P:\n    __dict__ = property(boom)\n"
        )
        self.assert_rows(
            {
                "P28": (hooks + returning("{Key(): 1}"), {"wrong"}),
                "P29": (hooks + returning("[Loop(), Loop()]"), {"wrong"}),
                "P30": (hooks + returning("Reduce()"), {"wrong"}),
                "P31 str": (hooks + returning("S('5')"), {"wrong"}),
                "P31 dict": (hooks + returning("D(a=1)"), {"wrong"}),
                "P31 list": (hooks + returning("L([1])"), {"wrong"}),
                "P32": (hooks + returning("E()"), {"wrong"}),
                "P29 attributes": (hooks + returning("G()"), {"wrong"}),
                "P29 dict": (hooks + returning("P()"), {"wrong"}),
                "P29 raised": (
                    hooks + "class X(Exception):\n    __str__ = __repr__ = loop\n"
                    "    args = property(boom)\n"
                    "def distance(a, b, size): raise X\n",
                    {"wrong"},
                ),
            }
        )

    def test_exceptions_are_judged_by_real_type_and_bounded(self):
        raising = "def extra(x):\n    raise {}\n"
        self.assert_extra(
            raising.format("ValueError('x')"), raising.format("ValueError('y')"), True
        )
        self.assert_extra(
            raising.format("ValueError('x')"), raising.format("ValueError('z' * (30 << 20))"), True
        )
        self.assert_extra(raising.format("LookupError"), raising.format("KeyError(1)"), True)
        self.assert_extra(raising.format("KeyError(1)"), raising.format("LookupError"))
        fake = "class E(Exception): pass\nE.__name__ = 'ValueError'\n"
        self.assert_extra(raising.format("ValueError"), fake + raising.format("E"))
        returned = "def extra(x):\n    return ValueError('x')\n"
        self.assert_extra(raising.format("ValueError('x')"), returned)

    def test_mutated_arguments_are_watched(self):
        check = Check((call("extra", Ref("rows")),), {"rows": value([3, 1, 2])}, ("rows",))
        self.assert_extra(
            "def extra(x):\n    return sorted(x)\n",
            "def extra(x):\n    x.sort()\n    return list(x)\n",
            False,
            check,
        )


if __name__ == "__main__":
    unittest.main()
