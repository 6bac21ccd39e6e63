"""matches: what may stand for what; checks as data."""

import unittest
from fractions import Fraction

from sandbox.checks import (
    Check,
    Compare,
    Ref,
    Reply,
    call,
    callback,
    clock,
    get,
    interleave,
    lock,
    look,
    put,
    raises,
    recorder,
    returns,
    run_async,
    same,
    stream,
    take,
    tick,
    value,
    within,
)
from sandbox.codec_json import check_from_json, check_to_json
from sandbox.compare import matches
from sandbox.packing import validate
from sandbox.reference import observe_check
from sandbox.runner import load
from test.sandbox.subject import MODULE


class CompareTest(unittest.TestCase):
    def matched(self, expected: str, given: str, **compare) -> bool:
        check = Check((call("f"),), compare=Compare(**compare))
        wanted, found = (
            observe_check(load(f"def f():\n    {text}\n"), check) for text in (expected, given)
        )
        return matches(wanted, found, check.compare)

    def assert_matches(self, good: bool, expected: str, given: str, **compare) -> None:
        self.assertIs(self.matched(expected, given, **compare), good, (expected, given))

    def test_an_exception_is_of_the_class_that_was_asked_for_and_of_no_other_beside(self):
        made = "class E({}): pass\n    raise E"
        own = "class Own({}): pass\n    class Near(Own): pass\n    raise {}"
        for good, expected, given in (
            (True, "raise ValueError", made.format("ValueError")),
            (True, "raise ValueError", "raise UnicodeError"),
            (True, "raise OSError", made.format("TimeoutError")),
            (True, "raise ValueError", made.format("ValueError, __import__('abc').ABC")),
            (True, "raise ZeroDivisionError", "raise __import__('decimal').DivisionByZero"),
            (True, made.format("KeyError, ValueError"), made.format("KeyError, ValueError")),
            (True, own.format("Exception", "Own"), own.format("Exception", "Near")),
            (True, own.format("Exception", "Own"), own.format("KeyError", "Own")),
            (True, "raise KeyError", own.format("KeyError", "Own")),
            (False, "raise ValueError", made.format("ValueError, TypeError")),
            (False, "raise TypeError", made.format("ValueError, TypeError")),
            (False, "raise LookupError", made.format("KeyError, ValueError")),
            (False, own.format("Exception", "Own"), own.format("KeyError, ValueError", "Own")),
        ):
            self.assert_matches(good, expected, given)
        both = "class A(Exception): pass\n    class B(Exception): pass\n    class C({}): pass\n    raise {}"
        for line in ("A, B", "B, A", "KeyError, A"):
            found = both.format(line, "C")
            asked = [both.format("A", name) for name in ("A", "B")] + ["raise KeyError"]
            passed = [self.matched(expected, found) for expected in asked]
            self.assertLessEqual(sum(passed), 1, line)

    def test_it_is_as_strict_as_it_is_told(self):
        raise_a, raise_b = "raise ValueError('a')", "raise ValueError('b')"
        self.assert_matches(True, raise_a, raise_b)
        self.assert_matches(False, raise_a, raise_b, exception_args=True)
        self.assert_matches(True, "raise LookupError", "raise KeyError(1)")
        self.assert_matches(False, "raise KeyError", "raise LookupError")
        self.assert_matches(True, "return {1: 2, 3: 4}", "return {3: 4, 1: 2}")
        self.assert_matches(False, "return {1: 2, 3: 4}", "return {3: 4, 1: 2}", dict_order=True)
        self.assert_matches(False, "return 0.1 + 0.2", "return 0.3")
        self.assert_matches(True, "return [0.1 + 0.2]", "return [0.3]", tolerance=1e-9)
        self.assert_matches(False, "return 1.0", "return 1", tolerance=1e-9)
        self.assert_matches(False, "return float('inf')", "return 1.0", tolerance=1e9)
        self.assert_matches(True, "return float('nan')", "return float('nan')", tolerance=1e-9)
        self.assert_matches(True, "x = [1]; return [x, x]", "return [[1], [1]]")
        self.assert_matches(False, "x = [1]; return [x, x]", "return [[1], [1]]", aliasing=True)
        self.assert_matches(
            True, "return {'a': 1}", "from collections import Counter; return Counter('a')"
        )
        self.assert_matches(
            False, "from collections import Counter; return Counter('a')", "return {'a': 1}"
        )
        self.assert_matches(False, "return {True: 1}", "return {1: 1}")

    def test_effects_may_come_in_any_order_where_it_is_asked_for(self):
        texts = (
            "def f(s):\n    s(1)\n    s(2)\n",
            "def f(s):\n    s(2)\n    s(1)\n",
            "def f(s):\n    s(1)\n",
        )
        for ordered in (True, False):
            check = Check(
                (call("f", Ref("s")),), {"s": callback()}, compare=Compare(effect_order=ordered)
            )
            wanted, turned, fewer = (observe_check(load(text), check) for text in texts)
            self.assertIs(matches(wanted, turned, check.compare), not ordered)
            self.assertFalse(matches(wanted, fewer, check.compare))


class DataTest(unittest.TestCase):
    def test_checks_come_back_from_json_and_observe_the_same(self):
        shared = [1]
        check = Check(
            (
                call("Scope", Ref("log"), True, bind="s"),
                within("s", call("grow", [shared, shared]), raises=raises("ValueError", 1.5)),
                interleave({"a": ("claim", ("a", Ref("o"), Ref("l")))}, ("a",)),
                take("it", 1), tick("c", Fraction(1, 2)), put("o", {(1, b"x"): {2}}),
                run_async("both", Ref("f"), clock="c"), same("o", "o"), look("o"), get("LIMIT"),
            ),
            {
                "log": callback(1, raises(".StoreError")), "o": value([]), "l": lock(),
                "c": clock(0),
                "it": stream([1], fails_at=0), "f": callback(is_async=True),
                "r": recorder(get=(1, returns(2, takes=3))),
            },
            ("o",), (1, 4), Compare(tolerance=0.5),
        )  # fmt: skip
        again = check_from_json(check_to_json(check))
        self.assertEqual(again, check)
        self.assertEqual(observe_check(MODULE, again), observe_check(MODULE, check))

    def test_a_check_with_a_value_that_has_no_form_is_refused(self):
        with self.assertRaises(ValueError):
            validate(Check((call("f", object()),)))

    def test_replies_are_plain_values_or_made(self):
        self.assertEqual(callback(5).parts[0], (Reply("returns", 5),))
        self.assertEqual(callback().parts[0], (Reply("returns", None),))


if __name__ == "__main__":
    unittest.main()
