"""What the memory of a zygote and of a patch holds, read from outside while a patch runs."""

from __future__ import annotations

import os
import secrets
import time
import unittest

from sandbox.jail.footprint import REPOSITORY
from sandbox.jail.lane import Lane
from sandbox.jail.profile import ProfileName, walls_of
from sandbox.jail.rlimits import Limits
from sandbox.jail.sources import collect_sources
from test.sandbox.jail_neighbours import RUNNER, children_of

_LONG = Limits(wall_ms=120_000, cpu_ms=60_000)


class Secrets:
    """Each promise in both profiles."""

    class Promises(unittest.TestCase):
        """Mixed into one class a profile."""

        profile: ProfileName

        def test_a_process_holds_its_own_task_only(self) -> None:
            """Root looks; for anybody else the promise is that the kernel refuses to let look."""
            key, past, own, queued = (secrets.token_bytes(16).hex() for _ in range(4))
            os.environ["FAILMAP_TEST_KEY"] = key
            self.addCleanup(os.environ.pop, "FAILMAP_TEST_KEY")
            with Lane(walls_of(self.profile, runner=RUNNER)) as lane:
                lane.submit(f"seen = {past!r} * 50; emit(1)".encode())
                self.assertEqual(lane.receive().output, b"1\n")
                lane.submit(
                    f"mine = {own!r}; emit(1)\nimport time\ntime.sleep(100)".encode(), _LONG
                )
                lane.submit(f"mine = {queued!r}".encode(), _LONG)
                lane._permit()
                while lane._unwritten:
                    lane._write_frames()
                patch = _running_patch(lane)
                if os.geteuid() != 0:
                    for pid in (lane.zygote_pid, patch):
                        with self.assertRaises(PermissionError):
                            open(f"/proc/{pid}/mem", "rb").close()
                    return
                zygote = _memory_holds(lane.zygote_pid, (key, past, own, queued))
                child = _memory_holds(patch, (key, past, own, queued))
            self.assertEqual(zygote, [False] * 4)
            self.assertEqual(child, [False, False, True, False])

        def test_a_patch_finds_no_task_among_its_objects(self) -> None:
            marker = secrets.token_hex(16)
            with Lane(walls_of(self.profile, runner=RUNNER)) as lane:
                lane.submit(f"seen = [{marker!r}]".encode())
                lane.submit(
                    b"import gc, sys\n"
                    b"plain = [o for o in gc.get_objects() if type(o) in (list, dict)]\n"
                    b"found = [repr(o)[:5000] for o in plain]\n"
                    b"frame = sys._getframe()\n"
                    b"while frame:\n"
                    b"    found.append(repr(frame.f_locals)[:100_000])\n"
                    b"    frame = frame.f_back\n"
                    b"emit(found)"
                )
                lane.submit(f"seen = [{marker!r}]".encode())
                lane.receive()
                run = lane.receive()
            self.assertGreater(len(run.output), 10_000)
            self.assertNotIn(marker.encode(), run.output)


class ProfileS(Secrets.Promises):
    """With namespaces."""

    profile = "S"


class ProfileL(Secrets.Promises):
    """Without namespaces."""

    profile = "L"


class Carried(unittest.TestCase):
    """collect_sources"""

    def test_nothing_that_compares_or_derives_is_carried_in(self) -> None:
        carried = collect_sources("sandbox.runner", REPOSITORY)
        self.assertIn("sandbox.runner", carried)
        self.assertIn("sandbox.jail.zygote", carried)
        for name in carried:
            self.assertTrue(name.startswith("sandbox"), name)
        kept_out = ("judge", "compare", "shard", "tally", "verdict", "server", "service", "drawing")
        for word in kept_out:
            self.assertNotIn(f"sandbox.{word}", carried)
        text = "".join(carried.values())
        for word in ("import tasks", "from tasks", "kit.hidden"):
            self.assertNotIn(word, text)


def _running_patch(lane: Lane) -> int:
    """The pid of the patch once its first output shows that it runs."""
    output = lane._zygote.outputs[lane._flying[0].sequence % len(lane._zygote.outputs)]
    for _ in range(3000):
        try:
            if os.read(output, 16):
                return children_of(lane.zygote_pid)[0]
        except BlockingIOError:
            time.sleep(0.01)
    raise AssertionError("the patch does not run")


def _memory_holds(pid: int, markers: tuple[str, ...]) -> list[bool]:
    """Which markers the readable memory of a process holds."""
    found = [False] * len(markers)
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory, open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            span, rights = line.split()[:2]
            if not rights.startswith("r") or "[v" in line:
                continue
            start, end = (int(word, 16) for word in span.split("-"))
            memory.seek(start)
            try:
                content = memory.read(end - start)
            except OSError:
                continue
            for position, marker in enumerate(markers):
                found[position] |= marker.encode() in content
    return found
