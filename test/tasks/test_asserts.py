"""What a prompt shows of a check is Python, and true of the reference."""

import ast
import datetime
import unittest
from collections import OrderedDict, deque
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction

from sandbox.checks import Check, Compare, Ref, call, clock, get, interleave
from sandbox.reference import observe_check
from sandbox.runner import load
from tasks.kit.asserts import helper_notes, readable
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.load import load_categories

KEYS = Keys.of("asserts", bytes(32))
MODULE = """
class Refused(Exception):
    pass


def refuse(amount):
    raise Refused(amount, "EUR")
"""


@contextmanager
def raises(expected):
    """The helper that prompts name: passes if the error, or a subclass of it, is raised."""
    told = expected.__new__(expected)
    try:
        yield told
    except expected as error:
        told.args = error.args
    else:
        raise AssertionError(f"{expected.__name__} was not raised")


NAMES = {
    **{name: getattr(datetime, name) for name in ("date", "time", "datetime", "timedelta")},
    **{kind.__name__: kind for kind in (Decimal, Fraction, OrderedDict, deque)},
    "raises": raises,
}


def shown(check):
    return readable(check, observe_check(load(MODULE), check))


class Readable(unittest.TestCase):
    def test_an_error_is_shown_by_its_type(self):
        text = shown(Check((call("refuse", 3),)))
        self.assertEqual(text, "with raises(Refused):\n    refuse(3)")

    def test_arguments_that_count_are_shown(self):
        text = shown(Check((call("refuse", 3),), compare=Compare(exception_args=True)))
        wanted = "with raises(Refused) as error:\n    refuse(3)\nassert error.args == (3, 'EUR')"
        self.assertEqual(text, wanted)

    def test_an_error_that_is_kept_bears_its_name(self):
        text = shown(Check((call("refuse", 3, bind="failure"), get("failure.args"))))
        wanted = (
            "with raises(Refused) as failure:\n    refuse(3)\nassert failure.args == (3, 'EUR')"
        )
        self.assertEqual(text, wanted)


class Notes(unittest.TestCase):
    def told(self, *checks, shown):
        return " ".join(helper_notes(checks, shown))

    def test_name_the_helpers_that_are_shown_and_no_other(self):
        check = Check((call("f", Ref("now")), interleave({"A": ("f", ())}, close=("A",))))
        with_clock = Check(check.steps, {"now": clock(3)})
        notes = self.told(
            with_clock, shown="now = Clock(3)\ninterleave({'A': f()}, [], close=['A'])"
        )
        for word in ("`Clock(t)`", "`interleave(", "`close=[names]`"):
            self.assertIn(word, notes)
        self.assertNotIn("`close=", self.told(check, shown="log = Recorder(close=None)"))
        self.assertEqual("", self.told(Check((call("f"),)), shown="assert f() == 3"))

    def test_say_how_errors_compare_where_one_is_expected(self):
        shown = "assert f() == ('raised', KeyError('k'))"
        self.assertIn(
            "of the same type or of a subclass", self.told(Check((call("f"),)), shown=shown)
        )
        strict = Check((call("f"),), compare=Compare(exception_args=True))
        self.assertEqual("", self.told(strict, shown=shown))
        self.assertEqual("", self.told(Check((call("f"),)), shown="tell = Callback(KeyError('k'))"))


class VisibleChecks(unittest.TestCase):
    def test_are_python_and_hold_for_the_reference(self):
        ran = 0
        for category in load_categories().values():
            for number in (1, 2, 3):
                task = draw_task(KEYS, category, number, 0)
                for check in task.visible:
                    text = readable(check, observe_check(load(task.reference), check))
                    with self.subTest(task.instance_id, text=text):
                        ast.parse(text)
                        if _needs_no_helper(check, text):
                            exec(text, {**NAMES, **load(task.reference)})
                            ran += 1
        self.assertGreater(ran, 100)


def _needs_no_helper(check, text):
    plain = all(fixture.kind == "value" for fixture in check.fixtures.values())
    return plain and all(step.op in ("call", "get", "put") for step in check.steps)


if __name__ == "__main__":
    unittest.main()
