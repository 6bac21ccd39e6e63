"""Checks as bytes: what a patch gets is equal to what was drawn, and nothing more is one object."""

import unittest
from datetime import date
from fractions import Fraction

from sandbox.checks import Check, Ref, call, same, value
from sandbox.codec_json import check_from_json, check_to_json
from sandbox.decode import decode
from sandbox.packing import pack
from sandbox.runner import load, observe

MODULE = load("""
def keep(x):
    return x


def one(a, b):
    return a is b


def ends(rows):
    return rows[0] is rows[-1]
""")
TEXT = "".join(["some ", "text"])
EQUAL = (TEXT, b"some bytes", (1, 2.5), Fraction(1, 3), 10**30, date(2026, 1, 31), 2.5)


def seen(check: Check) -> list[object]:
    return [step[1] for step in decode(observe(MODULE, pack(check)))[1]]


class PackTest(unittest.TestCase):
    """pack(check)"""

    def test_values_that_cannot_change_are_never_one_object(self):
        for x in EQUAL:
            check = Check(
                (
                    call("one", x, x), call("ends", [x, x]), call("ends", (x, x)),
                    call("keep", x, bind="a"), call("keep", x, bind="b"), same("a", "b"),
                    call("keep", [x], bind="c"), call("keep", [x], bind="d"), same("c.0", "d.0"),
                    call("one", x, Ref("given")),
                ),
                {"given": value(x)},
            )  # fmt: skip
            answers = [answer for answer in seen(check) if answer is not None]
            self.assertEqual(answers, [False] * 6, repr(x))

    def test_a_client_that_read_the_check_as_json_sees_the_same(self):
        for x in EQUAL:
            check = Check((call("one", x, x), call("ends", [x, x])))
            again = check_from_json(check_to_json(check))
            self.assertEqual(seen(check), seen(again))

    def test_an_object_that_can_change_stays_one_where_it_was_one(self):
        row = [1]
        check = Check((call("one", row, row), call("ends", [row, [2], row]), call("one", [1], [1])))
        self.assertEqual(seen(check), [True, True, False])


if __name__ == "__main__":
    unittest.main()
