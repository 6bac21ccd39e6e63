"""Lane: order, limits, recovery; and that nothing is left when it ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from sandbox.jail.frames import FRAME_HEAD
from sandbox.jail.lane import Lane
from sandbox.jail.profile import ProfileName, walls_of
from sandbox.jail.rlimits import Limits
from test.sandbox.jail_neighbours import LIMITS, PATIENT, RUNNER, SHORT, children_of

_ROOT = Path(__file__).resolve().parents[2]
_SLEEP = b"import time; time.sleep(3600)"


class Lanes:
    """Each promise in both profiles."""

    class Promises(unittest.TestCase):
        """Mixed into one class a profile."""

        profile: ProfileName

        def setUp(self) -> None:
            self.lane = Lane(walls_of(self.profile, runner=RUNNER))
            self.addCleanup(self.lane.close)

        def test_runs_come_back_in_the_order_of_submission(self) -> None:
            for number in range(50):
                self.lane.submit(f"emit({number})".encode(), LIMITS)
            outputs = [self.lane.receive().output for _ in range(50)]
            self.assertEqual(outputs, [f"{number}\n".encode() for number in range(50)])
            self.assertEqual(self.lane.pending, 0)
            with self.assertRaises(IndexError):
                self.lane.receive()

        def test_frames_larger_than_a_pipe_arrive_whole(self) -> None:
            for size in (0, 1, 65_536, 3_000_000):
                self.lane.submit(b"emit(len('" + b"x" * size + b"'))", LIMITS)
            self.assertEqual(
                [int(self.lane.receive().output) for _ in range(4)], [0, 1, 65536, 3000000]
            )

        def test_output_larger_than_a_pipe_arrives_whole(self) -> None:
            for _ in range(3):
                self.lane.submit(b"emit('x' * 3_000_000)", Limits())
            for _ in range(3):
                self.assertEqual(len(self.lane.receive().output), 3_000_003)

        def test_a_patch_holds_four_descriptors(self) -> None:
            self.lane.submit(
                b"import os, stat\n"
                b"kinds = {}\n"
                b"for number in range(300):\n"
                b"    try: kinds[number] = stat.S_IFMT(os.fstat(number).st_mode)\n"
                b"    except OSError: pass\n"
                b"emit({n: 'pipe' if k == stat.S_IFIFO else 'device' if k == stat.S_IFCHR else k\n"
                b"      for n, k in kinds.items()})"
            )
            held = eval(self.lane.receive().output)
            self.assertEqual(held, {0: "device", 1: "device", 2: "device", 3: "pipe"})

        def test_a_patch_sees_the_fixed_environment(self) -> None:
            self.lane.submit(
                b"import os, sys, time, random\n"
                b"emit((dict(os.environ), sys.argv, sys.flags.hash_randomization, time.tzname[0],\n"
                b"  hash('failmap'), random.random()))"
            )
            first = eval(self.lane.receive().output)
            self.assertEqual(first[:4], ({}, [""], 0, "UTC"))
            with Lane(walls_of(self.profile, slot=1, runner=RUNNER)) as other:
                other.submit(b"import random; emit((hash('failmap'), random.random()))")
                self.assertEqual(eval(other.receive().output), first[4:6])
            with Lane(walls_of(self.profile, hash_seed=1, runner=RUNNER)) as other:
                other.submit(b"emit(hash('failmap'))")
                self.assertNotEqual(eval(other.receive().output), first[4])

        def test_classes_hash_the_same_in_every_lane_of_a_hash_seed(self) -> None:
            task = b"class Own: pass\nemit([hash(thing) for thing in (None, object, Own, len)])"
            seen = []
            for seed in (0, 0, 1, 1):
                with Lane(walls_of(self.profile, hash_seed=seed, runner=RUNNER)) as lane:
                    for _ in range(6):
                        lane.submit(task)
                    seen.append({lane.receive().output for _ in range(6)})
            self.assertEqual([len(hashes) for hashes in seen], [1] * 4)
            self.assertEqual((seen[0], seen[2]), (seen[1], seen[3]))
            self.assertNotEqual(seen[0], seen[2])

        def test_the_process_measures_itself_from_outside(self) -> None:
            self.lane.submit(b"held = bytearray(64 << 20)\nfor _ in range(3_000_000): pass")
            run = self.lane.receive()
            self.assertGreater(run.cpu_us, 10_000)
            self.assertGreater(run.peak_kib, 64 << 10)

        def test_a_killed_zygote_is_replaced_and_no_task_is_lost(self) -> None:
            for number in range(6):
                self.lane.submit(f"emit({number})".encode())
            self.assertEqual(self.lane.receive().output, b"0\n")
            os.kill(self.lane.zygote_pid, signal.SIGKILL)
            rest = [self.lane.receive().output for _ in range(5)]
            self.assertEqual(rest, [f"{number}\n".encode() for number in range(1, 6)])
            self.assertEqual(self.lane.deaths, 1)

        def test_a_hanging_zygote_is_replaced(self) -> None:
            self.lane.submit(b"emit(1)", SHORT)
            self.assertEqual(self.lane.receive().output, b"1\n")
            os.kill(self.lane.zygote_pid, signal.SIGSTOP)
            self.lane.submit(b"emit(2)", SHORT)
            self.assertEqual((self.lane.receive().output, self.lane.deaths), (b"2\n", 1))

        def test_a_judge_that_comes_late_finds_its_runs(self) -> None:
            brief = Limits(wall_ms=1_500, cpu_ms=300)
            for number in range(4):
                self.lane.submit(f"emit('x' * 200_000 + '{number}')".encode(), brief)
            first = self.lane.receive()
            time.sleep(3)
            runs = [first, *(self.lane.receive() for _ in range(3))]
            self.assertEqual(
                [run.output[-3:] for run in runs], [b"0'\n", b"1'\n", b"2'\n", b"3'\n"]
            )
            self.assertEqual(self.lane.deaths, 0)

        def test_a_task_with_which_the_lane_dies_twice_is_lost(self) -> None:
            self.lane.submit(_SLEEP, Limits(wall_ms=60_000))
            self.lane.submit(b"emit(1)")
            for deaths in (1, 2):
                self.lane._permit()
                os.kill(self.lane.zygote_pid, signal.SIGKILL)
                while self.lane.deaths < deaths:
                    self.lane._step()
            self.assertEqual(self.lane.receive().ending, "lost")
            self.assertEqual(self.lane.receive().output, b"1\n")

        def test_a_patch_that_is_killed_from_outside_is_lost_not_dead(self) -> None:
            self.lane.submit(b"while True: pass", PATIENT)
            self.lane._permit()
            while not (patch := children_of(self.lane.zygote_pid)):
                time.sleep(0.01)
            os.kill(patch[0], signal.SIGKILL)
            run = self.lane.receive()
            self.assertEqual((run.ending, self.lane.deaths), ("lost", 0))

        def test_a_frame_that_is_not_the_next_one_makes_the_lane_start_anew(self) -> None:
            stale = b"emit('stale')"
            os.write(self.lane._zygote.frames, FRAME_HEAD.pack(7, len(stale)) + stale)
            self.lane.submit(b"emit(1)")
            self.assertEqual((self.lane.receive().output, self.lane.deaths), (b"1\n", 1))

        def test_close_leaves_no_process_and_no_descriptor(self) -> None:
            before = len(os.listdir("/proc/self/fd"))
            lane = Lane(walls_of(self.profile, slot=2, runner=RUNNER))
            lane.submit(_SLEEP)
            lane._permit()
            zygote = lane.zygote_pid
            patch = _wait_for_child(zygote)
            lane.close()
            self.assertFalse(Path(f"/proc/{zygote}").exists())
            self.assertTrue(_ends(patch))
            self.assertEqual(len(os.listdir("/proc/self/fd")), before)
            lane.close()

        def test_killing_the_judge_ends_everything(self) -> None:
            program = (
                "from sandbox.jail.lane import Lane\n"
                "from sandbox.jail.profile import walls_of\n"
                f"lane = Lane(walls_of({self.profile!r}, slot=3, runner={RUNNER!r}))\n"
                f"lane.submit({_SLEEP!r})\n"
                "print(lane.zygote_pid, flush=True)\n"
                "lane.receive()\n"
            )
            judge = subprocess.Popen(
                [sys.executable, "-c", program], cwd=_ROOT, stdout=subprocess.PIPE, text=True
            )
            assert judge.stdout
            with judge.stdout:
                zygote = int(judge.stdout.readline())
            patch = _wait_for_child(zygote)
            judge.kill()
            judge.wait()
            self.assertTrue(_ends(zygote))
            self.assertTrue(_ends(patch))

        def test_many_tasks_change_nothing(self) -> None:
            self._run_many(100)
            before = self._state()
            self._run_many(300)
            self.assertEqual(self._state(), before)
            self.assertEqual(self.lane.deaths, 0)

        def _run_many(self, count: int) -> None:
            for number in range(count):
                self.lane.submit(b"emit(1)" if number % 10 else b"import os; os._exit(3)", LIMITS)
            for _ in range(count):
                self.lane.receive()

        def _state(self) -> tuple[int, int, list[int]]:
            own = len(os.listdir("/proc/self/fd"))
            # Whole MiB: the allocator may keep a few pages more or less.
            with open(f"/proc/{self.lane.zygote_pid}/statm", encoding="ascii") as statm:
                pages = int(statm.read().split()[1])
            return own, pages // 1024, children_of(self.lane.zygote_pid)


def _wait_for_child(pid: int) -> int:
    """The zygote's current patch; it appears as soon as the frame is there."""
    for _ in range(3000):
        children = children_of(pid)
        if children:
            return children[0]
        time.sleep(0.01)
    raise AssertionError(f"process {pid} has no child")


def _ends(pid: int) -> bool:
    """Whether the process is gone within a minute."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([pidfd], [], [], 60)[0])
    finally:
        os.close(pidfd)


class ProfileS(Lanes.Promises):
    """With namespaces."""

    profile = "S"


class ProfileL(Lanes.Promises):
    """Without namespaces."""

    profile = "L"
