"""Slips that no hidden check tells: which further inputs they matter to, and what these say."""

import unittest
from unittest import mock

from sandbox.checks import Check, call
from sandbox.packing import pack
from tasks.kit import equivalence
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.equivalence import Further
from tasks.kit.forms import look
from tasks.kit.hidden import HIDDEN_CHECKS, hidden_checks
from tasks.kit.mutants import Mutants
from tasks.kit.probes import Probes
from tasks.kit.trial import Trial, execute, load_reference
from test.tasks.planted import SOUND

KEYS = Keys.of("equivalence", bytes(range(32)), practice=2, sealed=6)
SOURCE = '''\
LIMITS = [low for low in range(9) if low < 3]


class Meter:
    """Counts."""

    def __init__(self, most: int = 4) -> None:
        self.seen = []
        self.most = most

    def add(self, items, *, strict=False):
        if items is None:
            return 0
        for item in list(items):
            if item > self.most:
                self.seen.append(item)
                self.seen.sort()
            elif strict and 0 <= item < 90:
                try:
                    raise KeyError(item)
                except KeyError:
                    self.most = item + 1
        return len(self.seen)


def measure(items, strict=False):
    meter = Meter()
    first = meter.add(items, strict=strict)
    return first, meter.most, LIMITS[:]
'''
CALLS = (
    call("measure", None),
    call("measure", [1, 2, 3]),
    call("measure", (1, 4, 5)),
    call("measure", [90, 7, 8], True),
    call("measure", [4, 4], True),
    call("measure", ["x", 2]),
    call("measure", []),
)


class WhatMatters(unittest.TestCase):
    def setUp(self):
        self.mutants, self.probes = Mutants(SOURCE), Probes(SOURCE)
        self.reference = execute(self.probes.code, self.probes.given)
        self.always = self.probes.hit

    def slips(self, step) -> int:
        self.probes.hit = self.always
        look(self.reference, pack(Check((step,))))
        return self.probes.hit

    def names(self, slips: int) -> set[str]:
        return {name for place, name in enumerate(self.mutants.names) if slips >> place & 1}

    def hit_by(self, step) -> set[str]:
        return self.names(self.slips(step))

    def test_a_check_to_which_a_slip_does_not_matter_sees_the_same(self):
        """The promise of the probes, slip by slip and check by check, against really running it."""
        trial = Trial(load_reference(SOURCE), [Check((step,)) for step in CALLS])
        spared = 0
        for place in range(len(self.mutants)):
            fails = set(trial.killers(self.mutants.code(place), len(CALLS)))
            for at, step in enumerate(CALLS):
                mattered = self.slips(step) >> place & 1
                spared += not mattered
                if at in fails:
                    self.assertTrue(mattered, (self.mutants.name(place), step))
        self.assertGreater(spared, len(CALLS) * len(self.mutants) // 4)

    def test_probes_change_nothing_that_is_seen(self):
        plain = load_reference(SOURCE)
        for step in CALLS:
            packed = pack(Check((step,)))
            self.assertEqual(look(plain, packed).data, look(self.reference, packed).data)

    def test_an_order_matters_where_it_is_equal_or_raises(self):
        flip = "line 15: flips a comparison"
        self.assertNotIn(flip, self.hit_by(call("measure", [9])))
        self.assertIn(flip, self.hit_by(call("measure", [4])))
        self.assertIn(flip, self.hit_by(call("measure", ["x"])))

    def test_a_dropped_guard_matters_where_it_would_leave(self):
        guard = "line 12: drops a guard"
        self.assertIn(guard, self.hit_by(call("measure", None)))
        self.assertNotIn(guard, self.hit_by(call("measure", [])))

    def test_a_branch_that_is_not_taken_does_not_matter(self):
        swap, plus = "line 16: swaps two statements", "line 22: swaps plus and minus"
        self.assertIn(swap, self.hit_by(call("measure", [5])))
        self.assertNotIn(swap, self.hit_by(call("measure", [4], True)))
        self.assertIn(plus, self.hit_by(call("measure", [4], True)))
        self.assertNotIn(plus, self.hit_by(call("measure", [4])))

    def test_what_runs_while_the_module_loads_always_matters(self):
        told = self.names(self.always)
        self.assertIn("line 1: adds one to a number", told)
        self.assertIn("line 1: flips a comparison", told)
        self.assertIn("line 7: adds one to a number", told)


class FurtherInputs(unittest.TestCase):
    def setUp(self):
        self.task = draw_task(KEYS, SOUND, 1, 0)
        self.mutants = Mutants(self.task.reference)

    def further(self) -> Further:
        return Further(SOUND, self.task.variant, self.task.reference)

    def test_tell_what_running_every_input_tells(self):
        hidden = Trial(load_reference(self.task.reference), hidden_checks(KEYS, SOUND, self.task))
        further = self.further()
        told = [further.tell(place, 300) for place in range(len(self.mutants))]
        killed = [hidden.kills(self.mutants.code(place), 1) for place in range(len(self.mutants))]
        self.assertEqual([bool(kills) for kills in killed], told)

    def test_are_made_and_run_once_for_all_slips_and_only_as_they_are_needed(self):
        further = self.further()
        with mock.patch.object(
            equivalence, "make_checks", side_effect=equivalence.make_checks
        ) as made:
            further.tell(0, 1)
            self.assertEqual(1, made.call_count)
            for place in range(len(self.mutants)):
                further.tell(place, 4 * HIDDEN_CHECKS)
            self.assertLessEqual(made.call_count, 5)

    def test_are_as_many_as_asked_for(self):
        further = self.further()
        self.assertGreaterEqual(sum(known.steps for known in further._upto(500)), 500)

    def test_do_not_depend_on_the_slip_that_asks_first(self):
        one, other = self.further(), self.further()
        one.tell(0, 100)
        other.tell(len(self.mutants) - 1, 100)
        self.assertEqual(list(one._upto(100)), list(other._upto(100)))


if __name__ == "__main__":
    unittest.main()
