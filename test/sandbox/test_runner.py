"""observe and load: what a check sees of a module."""

import unittest
from fractions import Fraction

from sandbox.checks import (
    Attr,
    Check,
    Compare,
    Ref,
    call,
    callback,
    clock,
    get,
    interleave,
    lock,
    look,
    put,
    raises,
    returns,
    run_async,
    same,
    take,
    tick,
    value,
    within,
)
from sandbox.compare import is_sound, matches
from sandbox.decode import decode
from sandbox.reference import observe_check
from sandbox.runner import NotLoaded, load
from test.sandbox.subject import MODULE, outcomes


class StepsTest(unittest.TestCase):
    def test_objects_are_bound_called_and_looked_into(self):
        fixtures = {"clock": clock(0)}
        done = outcomes(
            call("Cache", Ref("clock"), 10, bind="cache"),
            call("cache.put", "a", 1),
            tick("clock", Fraction(19, 2)),
            call("cache.get", "a"),
            tick("clock", Fraction(1, 2)),
            call("cache.get", "a", bind="error"),
            get("error.args"),
            get("cache.items.a.0"),
            put("cache.ttl", 99),
            call("cache.get", "a"),
            get("LIMIT"),
            fixtures=fixtures,
        )
        self.assertEqual([kind for kind, _ in done].count("raised"), 1)
        self.assertEqual(
            [v for k, v in done if k == "value"], [None, None, 1, None, ("a",), 1, None, 1, 3]
        )

    def test_exceptions_carry_their_real_lines(self):
        ((_, error),) = outcomes(call("retry", Ref("f"), Ref("f"), 0), fixtures={"f": callback()})
        self.assertEqual(error.label, ".StoreError")
        self.assertEqual(error.parts[0], ("KeyError", "LookupError", "Exception", "BaseException"))

    def test_builtins_work_on_bound_objects(self):
        done = outcomes(
            call("count", 2, bind="it"),
            call("@next", Ref("it")),
            call("@list", Ref("it")),
            call("@next", Ref("it")),
            call("@isinstance", Ref("it"), Attr("StoreError")),
            call("@len", Ref("rows")),
            call("@getitem", Ref("rows"), 0),
            call("@contains", Ref("rows"), 5),
            fixtures={"rows": value([5])},
        )
        self.assertEqual([v for k, v in done if k == "value"], [[0], [[1]], False, 1, 5, True])

    def test_a_builtin_that_is_not_listed_is_refused(self):
        with self.assertRaises(ValueError):
            call("@open", "/etc/passwd")

    def test_take_tells_the_items_and_how_it_ended(self):
        done = outcomes(call("count", 3, bind="it"), take("it", 2), take("it", 2))
        self.assertEqual(
            [v for k, v in done if k == "value"], [(([0], [1]), "open"), (([2],), "finished")]
        )
        done = outcomes(call("broken", bind="it"), take("it", 9))
        self.assertEqual(done[1][1][1].label, "OSError")

    def test_within_tells_how_the_block_was_left(self):
        for suppress, expected in ((True, "suppressed"), (False, None)):
            done = outcomes(
                call("Scope", Ref("log"), suppress, bind="scope"),
                within("scope", call("grow", []), raises=raises("ValueError", "x"), bind="s"),
                same("s", "scope"),
                fixtures={"log": callback()},
            )
            self.assertEqual(done[1], ("value", [0]))
            self.assertEqual(done[2][1] if suppress else done[2][0], expected or "raised")
            self.assertEqual(done[3], ("value", True))
        done = outcomes(
            call("Scope", Ref("log"), bind="s"), within("s"), fixtures={"log": callback()}
        )
        self.assertEqual(done[1], ("value", "left"))

    def test_identity_and_mutation_are_seen(self):
        check = Check(
            (call("grow", Ref("rows"), bind="out"), same("out", "rows"), look("rows")),
            {"rows": value([7])},
            ("rows",),
        )
        observed = decode(observe_check(MODULE, check))
        self.assertEqual([step[1] for step in observed[1]], [None, True, [7, 1]])
        self.assertEqual(observed[2], ([7, 1],))

    def test_every_step_and_every_check_gets_fresh_arguments(self):
        rows = [1]
        check = Check((call("grow", rows), call("grow", rows)))
        for _ in range(2):
            self.assertEqual(
                [step[1] for step in decode(observe_check(MODULE, check))[1]], [[1, 1]] * 2
            )
        self.assertEqual(rows, [1])

    def test_generator_tasks_run_by_schedule_then_in_turns(self):
        tasks = {
            "a": ("claim", ("a", Ref("owners"), Ref("lock"))),
            "b": ("claim", ("b", Ref("owners"), Ref("lock"))),
        }
        fixtures = {"owners": value([]), "lock": lock()}
        for schedule, order in ((("a", "b"), ["a", "b"]), (("b", "b", "b", "a"), ["b", "a"])):
            check = Check((interleave(tasks, schedule),), fixtures, ("owners",))
            observed = decode(observe_check(MODULE, check))
            self.assertEqual(observed[1][0][1], (("a", "returned", "a"), ("b", "returned", "b")))
            self.assertEqual(observed[2], (order,))

    def test_tasks_that_fail_are_closed_or_never_end_are_told_apart(self):
        tasks = {"f": ("fail", ("x",)), "c": ("count", (5,)), "s": ("forever", ())}
        ((_, endings),) = outcomes(interleave(tasks, ("c", "f"), close=("c",), max_turns=20))
        self.assertEqual(
            [ending[:2] for ending in endings], [("f", "raised"), ("c", "closed"), ("s", "stuck")]
        )

    def test_coroutines_run_on_virtual_time(self):
        fixtures = {
            "clock": clock(0.0),
            "fetch": callback(returns(1, takes=3600), returns(2, takes=60), is_async=True),
        }
        done = outcomes(
            run_async("both", Ref("fetch"), clock="clock"), get("clock.now"), fixtures=fixtures
        )
        self.assertEqual([v for _, v in done], [[1, 2], 3600.0])
        done = outcomes(run_async("first", Ref("fetch"), 5), fixtures=fixtures)
        self.assertEqual(done, [("value", "late")])
        ((kind, error),) = outcomes(run_async("stuck"))
        self.assertEqual(
            (kind, error.label, error.parts[1]), ("raised", "RuntimeError", ("deadlock",))
        )

    def test_what_has_no_form_makes_an_observation_unsound(self):
        for step in (call("strange"), call("count", 3)):
            observation = observe_check(MODULE, Check((step,)))
            self.assertFalse(is_sound(observation))
            self.assertFalse(matches(observation, observation, Compare()))

    def test_a_name_that_does_not_exist_is_an_outcome(self):
        self.assertEqual(
            [kind for kind, _ in outcomes(call("missing"), get("nothing.x"))], ["raised"] * 2
        )


class LoadTest(unittest.TestCase):
    def test_a_missing_or_uncallable_entry_point_is_not_loaded(self):
        for text in ("", "other = 1", "wanted = 5"):
            with self.assertRaises(NotLoaded):
                load(text, "module", "wanted")

    def test_dataclasses_and_annotations_find_their_module(self):
        text = (
            "from __future__ import annotations\nfrom dataclasses import dataclass, field\n"
            "from typing import ClassVar, get_type_hints\n@dataclass\nclass P:\n    x: int\n"
            "    y: ClassVar[int] = 2\n    z: list[int] = field(default_factory=list)\n"
            "def hints():\n    return sorted(get_type_hints(P))\n"
        )
        ((_, found, _),) = decode(observe_check(load(text), Check((call("hints"),))))[1]
        self.assertEqual(found, ["x", "y", "z"])


if __name__ == "__main__":
    unittest.main()
