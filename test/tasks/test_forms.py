"""Observations compared step by step: the same answer as `matches` on the whole, sooner."""

import unittest
from unittest import mock

from sandbox.checks import Check, Compare, Ref, call, callback, raises, value
from sandbox.compare import matches
from sandbox.runner import load
from tasks.kit import forms
from tasks.kit.exceptions import without_arguments
from tasks.kit.forms import Seen, is_right, look
from tasks.kit.trial import Trial

STEPS = Check(
    (
        call("shape", 0),
        call("shape", 1),
        call("each", [1, 2], Ref("tell")),
        call("fill", Ref("rows")),
    ),
    {"tell": callback(raises("LookupError", "no")), "rows": value([3])},
    watch=("rows",),
)
CALLED = Check((call("act"),))
HEAD = "from collections import OrderedDict, namedtuple\nPair = namedtuple('Pair', 'a b')\n"
# Ways to answer: (result of shape(0), statement of shape(1), what each tells, what fill leaves).
PARTS = (
    (
        "{'a': 1, 'b': (1, 2)}",
        "{'b': (1, 2), 'a': 1}",
        "OrderedDict(a=1, b=Pair(1, 2))",
        "{'a': 1}",
    ),
    (
        "(ValueError(1), {'a': KeyError('a', 2)})",
        "(ValueError('b'), {'a': KeyError(None, 2)})",
        "(TypeError('b'), {'a': KeyError(None, 2)})",
        "(ValueError(1), {'a': KeyError('a')})",
        "(ValueError((1,)), {'a': KeyError('a', 2)})",
        # Texts that look like exceptions, one beside a number that could hold one.
        "('E1:s3:Odd(1:s1:x', KeyError(1))",
        "('E1:s3:Odd(1:s1:y', KeyError(2))",
        "(0.5, KeyError(2))",
        "(0.5, KeyError(3))",
        # In one order of the entries a text that looks like one stands before a tuple.
        "{'x': 'E1:s1:A', (1, 2): 3}",
        "{(1, 2): 3, 'x': 'E1:s1:A'}",
    ),
    ("raise ValueError(1)", "raise ValueError('long text')", "raise KeyError(1)", "return 7"),
    ("tell(a), tell(b)", "tell(b), tell(a)", "tell(a)", "tell(a, 'E1:s3:abc(0:')"),
    ("rows.append({'k': 1, 'l': 2})", "rows.append({'l': 2, 'k': 1})", "rows.clear()", "pass"),
)
COMPARES = (
    Compare(),
    Compare(exception_args=True),
    Compare(dict_order=True),
    Compare(effect_order=False),
    Compare(tolerance=1e-6),
)


def module(first: str, other: str, second: str, third: str, fourth: str) -> str:
    return (
        f"{HEAD}def shape(n):\n    if n:\n        {second}\n    return {first}, {other}\n"
        f"def each(items, tell):\n    a, b = items\n    for act in (lambda: ({third}),):\n"
        f"        try:\n            act()\n        except LookupError:\n            tell(0)\n"
        f"def fill(rows):\n    {fourth}\n"
    )


class IsRight(unittest.TestCase):
    def test_says_what_matches_says_of_the_whole(self):
        plain = [parts[0] for parts in PARTS]
        seen = [look(load(module(*plain)), STEPS)]
        for place, parts in enumerate(PARTS):
            for part in parts[1:]:
                other = [*plain[:place], part, *plain[place + 1 :]]
                seen.append(look(load(module(*other)), STEPS))
        answers = set()
        for compare in COMPARES:
            for expected in seen:
                for observed in seen:
                    told = is_right(expected, observed, compare)
                    whole = matches(expected.data, observed.data, compare)
                    self.assertEqual(whole, told, (expected.data, observed.data, compare))
                    answers.add((expected is observed, told))
        self.assertEqual({(True, True), (False, True), (False, False)}, answers)

    def test_what_has_no_form_matches_nothing_else(self):
        expected = look(load(module(*(parts[0] for parts in PARTS))), STEPS)
        opaque = look(load(module("iter(())", *(parts[0] for parts in PARTS[1:]))), STEPS)
        for one, other in ((expected, opaque), (opaque, expected), (expected, forms._OVER)):
            self.assertFalse(is_right(one, other, Compare()))

    def test_a_step_far_too_long_is_not_read(self):
        expected = Seen(b"(3:i0;(1:(3:s5:valuei1;(0:(0:", [9, 28])
        text = b"s%x:%b" % (1 << 18, b"E" * (1 << 18))
        observed = Seen(b"(3:i0;(1:(3:s5:value%b(0:(0:" % text, [9, 26 + len(text)])
        with mock.patch.object(forms, "matches") as asked:
            self.assertFalse(is_right(expected, observed, Compare()))
        asked.assert_not_called()


class LoopsThatTell(unittest.TestCase):
    SOURCE = "def walk(items, tell):\n    for item in items:\n        tell(item)\n"
    ENDLESS = (
        "def walk(items, tell):\n    at = 0\n    while True:\n        at += 1\n"
        "        tell([[], [], [], [], [], []])\n"
    )

    def test_more_effects_than_can_be_read_fail_the_check(self):
        check = Check((call("walk", [1], Ref("tell")),), {"tell": callback()})
        # The reference tells so much that the length alone decides nothing.
        wordy = self.SOURCE.replace("tell(item)", "tell('x' * 9999)")
        trial = Trial(load(wordy), [check])
        self.assertEqual(1, trial.kills(self.ENDLESS))


class WithoutArgumentsTest(unittest.TestCase):
    def test_what_an_error_says_is_left_out_and_what_it_is_stays(self):
        def bare(body: str) -> bytes:
            return without_arguments(look(load(f"def act():\n    {body}\n"), CALLED).data)

        ours = bare("return [ValueError('month must be in 1..12'), 1]")
        self.assertEqual(ours, bare("return [ValueError('month must be in 1..12, not 13'), 1]"))
        self.assertNotEqual(ours, bare("return [KeyError('month must be in 1..12'), 1]"))
        self.assertNotEqual(ours, bare("return [ValueError('month must be in 1..12'), 2]"))
        self.assertNotEqual(bare("raise ValueError"), bare("raise KeyError"))
        self.assertNotEqual(bare("return 'E1:s3:Odd', ('x',)"), bare("return 'E1:s3:Odd', ('y',)"))


if __name__ == "__main__":
    unittest.main()
