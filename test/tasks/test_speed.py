"""How long a category takes, told so that a busy machine is no fault of the category."""

import itertools
import time
import unittest
from dataclasses import replace
from unittest import mock

from tasks.kit import Category, speed
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.speed import FULL_SIZE, Clock, Span, measure
from test.tasks.planted import SOUND, with_text

KEYS = Keys.of("speed", bytes(range(32)))


def slower(times: float) -> Clock:
    """The clock of a machine that is so many times slower."""
    return lambda: time.process_time() * times


def told(category: Category, clock: Clock = time.process_time) -> list[str]:
    tasks = [draw_task(KEYS, category, number, 0) for number in (1, 2)]
    return measure(KEYS, category, tasks, clock)[1]


class Measure(unittest.TestCase):
    def test_gives_figures_for_all_tasks_of_the_epoch(self):
        tasks = [draw_task(KEYS, SOUND, number, 0) for number in range(1, 9)]
        figures, faults = measure(KEYS, SOUND, tasks)
        self.assertEqual([], faults)
        self.assertEqual(
            ["seconds to draw the hidden checks", "microseconds a check"], list(figures)
        )

    def test_a_machine_a_thousand_times_slower_changes_no_verdict(self):
        self.assertEqual([], told(SOUND, slower(1000)))

    def test_a_neighbour_during_two_of_three_passes_changes_no_figure(self):
        tasks = [draw_task(KEYS, SOUND, number, 0) for number in (1, 2)]
        # A pass over two tasks asks the clock six times, and each task takes a second.
        for busy in (range(12), range(6, 18), range(12, 24)):
            ticks = itertools.accumulate(1000 if n in busy else 1 for n in itertools.count())
            figures, _ = measure(KEYS, SOUND, tasks, lambda ticks=ticks: next(ticks))
            self.assertEqual(FULL_SIZE, figures["seconds to draw the hidden checks"])

    def test_checks_that_are_slow_to_draw_are_told_on_any_machine(self):
        def slow(v, s):
            sum(range(400_000))
            return SOUND.wide(v, s)

        for clock in (slower(1), slower(0.001)):
            faults = told(replace(SOUND, wide=slow), clock)
            self.assertRegex(faults[0], "drawing the hidden checks takes [0-9.]+ s of CPU")

    def test_a_reference_that_is_slow_to_run_is_told(self):
        loop = "    $over_rule\n    sum(range(400000))\n"
        with mock.patch.object(speed, "MOST_CHECK_YARDS", 1):
            self.assertEqual([], told(SOUND))
            faults = told(with_text("    $over_rule\n", loop))
        self.assertRegex(faults[-1], "a check takes the reference [0-9.]+ ms of CPU")


class Spans(unittest.TestCase):
    def test_tell_work_in_yards_whatever_a_second_is(self):
        for second in (1, 50):
            ticks = iter([0, 2, 8, 10, 12, 14])
            span = Span(lambda second=second, ticks=ticks: next(ticks) * second)
            self.assertEqual("a", span.time(lambda: "a"))
            span.time(lambda: None)
            # Yards of 2 and 2 seconds, work of 6 and 2.
            self.assertEqual((8 * second, 4.0), (span.seconds, span.length))


if __name__ == "__main__":
    unittest.main()
