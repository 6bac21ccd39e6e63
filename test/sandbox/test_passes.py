"""settle, and the lanes that a second pass uses: a clock alone decides nothing for good."""

import itertools
import threading
import time
import unittest
from collections.abc import Callable
from dataclasses import dataclass

from sandbox.jail.isolation import open_lane
from sandbox.jail.patch_run import PatchRun
from sandbox.lanes import APART, SeededLanes
from sandbox.material import TaskMaterial
from sandbox.passes import TimeLimits, limits_for, settle
from sandbox.verdict import judge_run
from test.sandbox.attack import isolation
from test.sandbox.corpus import FAULTY, REFERENCE, TinyDraw, material
from test.sandbox.in_process import InProcess

LATE = PatchRun(b"", "timed_out", -9, 0, 0)
LOST = PatchRun(b"", "lost", -9, 0, 0)
LIMITS = TimeLimits(500, 3_000)
# Long for a patch here, and within the limits; it goes by its own CPU time, so load changes nothing.
SLOW = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"


@dataclass(frozen=True, slots=True)
class Job:
    material: TaskMaterial
    source: str


def jobs(*sources: str) -> list[Job]:
    (task, *_) = material(TinyDraw(count=3)).tasks.values()
    return [Job(task, source) for source in sources]


def buckets(runner, given: list[Job], seed: int = 0) -> list[str]:
    settled = settle(runner, given, seed, lambda job, run: judge_run(run, job.material))
    return [verdict.bucket for verdict, _ in settled]


def first_run(fault: PatchRun, marked: str = "# odd") -> Callable[[str, int, PatchRun], PatchRun]:
    """Gives `fault` in place of the first run of every marked source."""
    seen: set[str] = set()

    def change(source: str, seed: int, run: PatchRun) -> PatchRun:
        if marked not in source or source in seen:
            return run
        seen.add(source)
        return fault

    return change


class SettleTest(unittest.TestCase):
    def test_every_run_that_was_cut_off_is_done_again_however_many(self):
        given = jobs(*(f"{REFERENCE}# odd {number}" for number in range(40)), FAULTY)
        self.assertEqual(buckets(InProcess(first_run(LATE)), given), ["fixed"] * 40 + ["wrong"])

    def test_what_is_cut_off_again_timed_out(self):
        runner = InProcess(lambda source, seed, run: LATE if "# odd" in source else run)
        self.assertEqual(buckets(runner, jobs(REFERENCE + "# odd", FAULTY)), ["timed_out", "wrong"])
        self.assertEqual([source for source, _ in runner.runs].count(REFERENCE + "# odd"), 2)

    def test_a_whole_answer_counts_in_the_first_pass_however_its_process_ended(self):
        given = jobs(REFERENCE)
        (whole,) = InProcess().run_apart([(given[0].material.frame(REFERENCE), LIMITS)], 0)
        late = PatchRun(whole.output, "timed_out", -9, 0, 0)
        runner = InProcess(lambda source, seed, run: late)
        self.assertEqual((buckets(runner, given), len(runner.runs)), (["fixed"], 1))

    def test_a_lane_that_dies_in_both_passes_counts_when_it_dies_with_the_patch_alone(self):
        faults = {
            "# late": iter([LATE, LOST]),
            "# lost": iter([LOST]),
            "# dies": itertools.repeat(LOST),
        }

        def change(source: str, seed: int, run: PatchRun) -> PatchRun:
            return next(faults.get(source[-6:], iter(())), run)

        given = jobs(REFERENCE + "# late", REFERENCE + "# lost", REFERENCE + "# dies")
        settled = settle(InProcess(change), given, 1, lambda job, run: judge_run(run, job.material))
        self.assertEqual([verdict.bucket for verdict, _ in settled], ["fixed", "fixed", "crashed"])
        self.assertEqual([lost for _, lost in settled], [False, False, True])

    def test_only_the_first_pass_loses_its_patience(self):
        given = jobs(*(f"{REFERENCE}# odd {number}" for number in range(20)))
        runner = InProcess(first_run(LATE))
        buckets(runner, given)
        whole = limits_for(given[0].material)
        first, second = runner.limits[:20], runner.limits[20:]
        self.assertEqual(first[0], whole)
        self.assertEqual(first, sorted(first, key=lambda limits: -limits.wall_ms))
        self.assertEqual(first[-1], TimeLimits(100, max(200, whole.wall_ms // 16)))
        self.assertEqual(second, [whole.patient()] * 20)
        self.assertEqual(whole.patient().cpu_ms, whole.cpu_ms)
        self.assertGreater(whole.patient().wall_ms, whole.wall_ms)

    def test_nothing_to_do_opens_no_lane(self):
        lanes = SeededLanes(0, lambda slot, seed: self.fail("a lane was opened"))
        self.assertEqual(settle(lanes, [], 0, lambda job, run: self.fail()), [])
        self.assertEqual(lanes.run_apart([], 0), [])

    def test_in_a_jail_slow_patches_among_endless_ones_are_judged_on_their_values(self):
        endless = ("while True: pass\n", "import time\ntime.sleep(3600)\n")
        sources = (*endless, *endless, SLOW + REFERENCE, *endless, SLOW + FAULTY, REFERENCE)
        proved = isolation("L")
        lanes = SeededLanes(7, lambda slot, seed: open_lane(proved, slot=slot, hash_seed=seed))
        self.addCleanup(lanes.close)
        found = buckets(lanes, jobs(*sources))
        self.assertEqual(
            found, ["timed_out"] * 4 + ["fixed"] + ["timed_out"] * 2 + ["wrong", "fixed"]
        )


class Slot:
    """A lane that says which one it is, and how many frames it had at a time."""

    def __init__(self, slot: int, opened: "list[Slot]") -> None:
        self.slot, self.frames, self.most, self.closed = slot, [], 0, False
        opened.append(self)

    def submit(self, frame, limits=None):
        self.frames.append(frame)
        self.most = max(self.most, len(self.frames))

    def receive(self):
        time.sleep(0.01)
        frame = self.frames.pop()
        if frame == b"fault":
            raise OSError("no zygote")
        return PatchRun(frame + b" in %d" % self.slot, "exited", 0, 0, 0)

    def close(self):
        self.closed = True


class ApartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.opened: list[Slot] = []
        self.lanes = SeededLanes(3, lambda slot, seed: Slot(slot, self.opened))

    def run_apart(self, *frames: bytes, seed: int = 0) -> list[bytes]:
        return [run.output for run in self.lanes.run_apart([(f, LIMITS) for f in frames], seed)]

    def test_several_lanes_share_them_and_the_order_stays(self):
        frames = [b"%d" % number for number in range(20)]
        found = self.run_apart(*frames)
        self.assertEqual([text.split(b" ")[0] for text in found], frames)
        self.assertEqual(len({text.split(b" ")[2] for text in found}), APART)
        self.assertEqual([lane.most for lane in self.opened], [1] * APART)
        self.assertEqual([lane.closed for lane in self.opened], [False, True, True, True])

    def test_a_single_one_needs_no_further_lane(self):
        self.run_apart(b"a")
        self.run_apart(b"b")
        self.assertEqual(len(self.opened), 1)

    def test_a_fault_of_one_lane_comes_out_and_leaves_none_open(self):
        running = threading.active_count()
        with self.assertRaises(OSError):
            self.run_apart(b"1", b"fault", *[b"2"] * 9)
        self.assertTrue(all(lane.closed for lane in self.opened[1:]))
        self.assertEqual(threading.active_count(), running)

    def test_no_two_lanes_of_a_process_have_the_same_slot(self):
        for worker in range(3):
            self.lanes = SeededLanes(worker, lambda slot, seed: Slot(slot, self.opened))
            for seed in (0, 1):
                self.run_apart(*[b"x"] * 9, seed=seed)
        slots = [lane.slot for lane in self.opened]
        self.assertEqual((len(slots), len(set(slots))), (3 * 2 * APART, 3 * 2 * APART))


if __name__ == "__main__":
    unittest.main()
