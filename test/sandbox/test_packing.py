"""Checks as bytes: what a patch gets is equal to what was drawn, and nothing more is one object."""

import unittest
from collections import deque
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from sandbox.checks import Attr, Check, Ref, call, same, value
from sandbox.codec import encode
from sandbox.codec_json import check_from_json, check_to_json
from sandbox.decode import decode
from sandbox.packing import pack
from sandbox.runner import load, observe

MODULE = load("""
def keep(x):
    return x


def one(a, b):
    return a is b


def grow(rows, by=1):
    rows.extend([0] * by)
    return len(rows)


def same_last(rows, others):
    return rows[-1] is others[-1]


def empty(rows):
    rows.clear()


def nested(rows, held):
    return rows[0] is held["row"]


LIMIT = 7


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

    def test_not_even_beside_an_object_that_can_change_and_stays_one(self):
        for x in (*EQUAL, "some text", frozenset({1}), 2 + 1j, range(1000), slice(0, 1000)):
            row = [1]
            check = Check(
                (
                    call("ends", [x, row, row, x]), call("one", [row, x], [row, x]),
                    call("nested", [row, x], {"row": row, "x": x}),
                    call("same_last", [row, x], [row, x]), call("ends", [x, x]),
                )
            )  # fmt: skip
            self.assertEqual(seen(check), [False, False, True, False, False], repr(x))

    def test_a_watched_path_that_leads_nowhere_any_more_is_an_observation(self):
        check = Check((call("empty", Ref("rows")),), {"rows": value([7])}, watch=("rows.0",))
        self.assertEqual(seen(check), [None])

    def test_each_step_gets_its_own_copy_of_what_several_are_given(self):
        rows = [[1], [2]]
        steps = (call("grow", rows), call("grow", rows, by=2), call("grow", rows))
        self.assertEqual(seen(Check(steps)), [3, 4, 3])

    def test_what_two_arguments_share_stays_shared_but_not_with_other_steps(self):
        row = [1]
        steps = (
            call("ends", ([row], 0, [row])[::2]),
            call("nested", [row], {"row": row}),
            call("nested", [row], {"row": [1]}),
            call("keep", row, bind="a"), call("keep", row, bind="b"), same("a", "b"),
        )  # fmt: skip
        answers = [answer for answer in seen(Check(steps)) if answer is not None]
        self.assertEqual(answers, [False, True, False, False])

    def test_every_kind_of_value_arrives_as_itself(self):
        for x in (*EQUAL, bytearray(b"ab"), {1, "a"}, frozenset({2}), 1j, range(3), slice(1, None),
                  -0.0, float("inf"), "\ud800", deque([1, [2]]), {"k": [Decimal("1.50")]},
                  {2: {"deep": ((), [None, True])}}, timedelta(seconds=1)):  # fmt: skip
            for given in (x, [x], {"x": x}, ([], x)):
                with self.subTest(given=given):
                    (kept,) = seen(Check((call("keep", given),)))
                    self.assertEqual(encode(kept), encode(given))

    def test_names_inside_values_are_filled_in(self):
        check = Check(
            (call("keep", [Ref("given"), [Ref("given")]], bind="a"), same("a.0", "given"),
             same("a.1.0", "given"), call("keep", [Attr("LIMIT")]), call("keep", Attr("LIMIT"))),
            {"given": value([1])},
        )  # fmt: skip
        self.assertEqual(seen(check)[1:], [True, True, [7], 7])


if __name__ == "__main__":
    unittest.main()
