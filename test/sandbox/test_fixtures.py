"""Fixtures: what they record and what they give."""

import unittest

from sandbox.checks import (
    Check,
    Ref,
    call,
    callback,
    clock,
    get,
    raises,
    recorder,
    returns,
    stream,
    within,
)
from sandbox.compare import is_sound
from sandbox.decode import Stand
from sandbox.reference import observe_check
from sandbox.runner import load
from test.sandbox.subject import effects, outcomes


class FixturesTest(unittest.TestCase):
    def test_calls_are_logged_in_one_order_with_their_arguments_of_that_moment(self):
        found = effects(
            call("retry", Ref("action"), Ref("clock.sleep"), 3),
            fixtures={"clock": clock(0), "action": callback(raises("TimeoutError"), returns("ok"))},
        )
        self.assertEqual(
            found,
            [("action", "call", (0,), {}), ("clock", "sleep", 1), ("action", "call", (1,), {})],
        )
        found = effects(call("note", Ref("sink"), [1]), fixtures={"sink": callback()})
        self.assertEqual(found, [("sink", "call", ([1],), {})])

    def test_the_last_reply_repeats_and_replies_can_take_time(self):
        done = outcomes(
            call("f"), call("f"), call("f"), get("clock.now"),
            fixtures={"clock": clock(0), "f": callback(1, returns(2, takes=5), clock="clock")},
        )  # fmt: skip
        self.assertEqual([v for _, v in done], [1, 2, 2, 10])

    def test_a_reply_can_raise_an_exception_of_the_module(self):
        done = outcomes(call("f"), fixtures={"f": callback(raises(".StoreError", 5))})
        self.assertEqual((done[0][1].label, done[0][1].parts[1]), (".StoreError", (5,)))

    def test_recorders_have_methods_and_can_be_contexts(self):
        store = recorder(get=(1, raises("KeyError", "a")), put=None, enter=None, exit=True)
        steps = (call("s.get", "k"), call("s.get", key="k"), within("s", call("s.put", 1)))
        self.assertEqual(
            effects(*steps, fixtures={"s": store}),
            [
                ("s", "get", ("k",), {}), ("s", "get", (), {"key": "k"}), ("s", "enter", (), {}),
                ("s", "put", (1,), {}), ("s", "exit", (None,), {}),
            ],
        )  # fmt: skip

    def test_streams_count_pulls_and_break_where_they_are_told_to(self):
        done = outcomes(
            call("head", Ref("s"), 2), get("s.pulls"), call("@list", Ref("s")), get("s.pulls"),
            fixtures={"s": stream([1, 2, 3, 4])},
        )  # fmt: skip
        self.assertEqual([v for _, v in done], [[1, 2], 3, [4], 5])
        done = outcomes(call("@list", Ref("s")), fixtures={"s": stream([1, 2], fails_at=1)})
        self.assertEqual(done[0][1].label, "OSError")
        found = effects(call("@next", Ref("s")), fixtures={"s": stream([1], logged=True)})
        self.assertEqual(found, [("s", "pull", 0)])

    def test_a_fixture_as_an_argument_is_logged_by_its_name(self):
        found = effects(call("f", Ref("clock")), fixtures={"f": callback(), "clock": clock(0)})
        self.assertEqual(found[0][2], (Stand("fixture", "clock"),))

    def test_too_many_effects_end_the_observation(self):
        many = "def flood(sink):\n    for n in range(30_000):\n        sink(n)\n"
        check = Check((call("flood", Ref("sink")),), {"sink": callback()})
        self.assertFalse(is_sound(observe_check(load(many), check)))


if __name__ == "__main__":
    unittest.main()
