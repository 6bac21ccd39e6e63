"""What is planted in the judge is found nowhere else: promise 1 and 2."""

import contextlib
import dataclasses
import io
import json
import os
import re
import threading
import time
import unittest
from typing import Any

from sandbox.checks import Check, call
from sandbox.jail.isolation import open_lane
from sandbox.judge import Judge
from sandbox.lanes import SeededLanes
from sandbox.material import CategoryMaterial, prepare
from test.sandbox.attack import children_of, isolation
from test.sandbox.corpus import IDENTITY, REFERENCE, TinyDraw, TinyTask, material, request

KEY = bytes.fromhex("f00dfeed" * 8)
# Only in the hidden checks of task 1, of task 2, and in what the reference of task 2 answers.
INPUT_1, INPUT_2, EXPECTED_2 = "input_one_7f3a", "input_two_91bc", "expected_two_c4d5"
TOKEN_LIKE = "service-token-marker-55aa"
HALVES = EXPECTED_2[:9], EXPECTED_2[9:]
EXTRA = f"\ndef extra(text):\n    return {HALVES[0]!r} + {HALVES[1]!r} + text[:1]\n"
WAITS = "patch_that_waits_5e6f"
WAIT = (
    f"import time\nNAME = {WAITS!r}\ntime.sleep(1.2)\n"
    + REFERENCE
    + "\ndef extra(text):\n    return text\n"
)


def memory_of(pid: int) -> bytes:
    """Everything that is mapped and readable; empty where even we may not look."""
    found = bytearray()
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps:
                area = re.match(r"([0-9a-f]+)-([0-9a-f]+) r", line)
                if area is None or "[v" in line:
                    continue
                start, end = (int(part, 16) for part in area.groups())
                with contextlib.suppress(OSError, ValueError, OverflowError):
                    memory.seek(start)
                    found += memory.read(end - start)
    except OSError:
        return b""
    return bytes(found)


class Draw(TinyDraw):
    """The tiny category with a second function whose checks carry the markers."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for place, text in enumerate((INPUT_1, INPUT_2)):
            task, hidden = self.made[place]
            task = dataclasses.replace(task, reference=REFERENCE + EXTRA)
            self.made[place] = (task, (*hidden, Check((call("extra", text),))))


def category() -> CategoryMaterial:
    """Two tasks, ready to judge."""
    draw = Draw(key=KEY, count=2)
    return material(draw)


class MarkerTest(unittest.TestCase):
    def judge(self, profile: str, modules: dict[int, str | None], during: Any = None) -> str:
        """The tally and the log of a shard; `during` is given the zygote's pid meanwhile."""
        proved = isolation(profile)
        lanes = SeededLanes(6, lambda slot, seed: open_lane(proved, slot=slot, hash_seed=seed))
        logged, answer = io.StringIO(), []
        with contextlib.redirect_stderr(logged), contextlib.redirect_stdout(logged):
            draw = TinyDraw(key=KEY, count=2)
            judge = Judge(IDENTITY, lanes)
            thread = threading.Thread(
                target=lambda: answer.append(judge.judge(request(draw, modules), category()))
            )
            thread.start()
            if during is not None:
                while not lanes._lanes:
                    time.sleep(0.02)
                lane: Any = lanes._lanes[0]
                during(lane.zygote_pid)
            thread.join()
        lanes.close()
        return json.dumps(answer[0]) + logged.getvalue()

    def test_neither_zygote_nor_child_holds_the_key_or_another_tasks_inputs(self):
        os.environ["SANDBOX_TOKEN"] = TOKEN_LIKE
        self.addCleanup(os.environ.pop, "SANDBOX_TOKEN", None)
        for profile in ("S", "L"):
            with self.subTest(profile):
                seen: list[tuple[bytes, bytes]] = []

                def scan(zygote: int, seen: list[tuple[bytes, bytes]] = seen) -> None:
                    deadline = time.monotonic() + 20
                    while time.monotonic() < deadline and len(seen) < 3:
                        for child in children_of(zygote):
                            inside = memory_of(child)
                            # The reference is judged as well, in secret; it knows its answer.
                            if INPUT_2.encode() in inside and WAITS.encode() in inside:
                                seen.append((inside, memory_of(zygote)))
                        time.sleep(0.05)

                self.judge(profile, {2: WAIT}, scan)
                if os.geteuid() == 0:
                    self.assertTrue(seen, "the child of task 2 was never caught waiting")
                for inside, zygote in seen:
                    for secret in (KEY, KEY.hex().encode(), EXPECTED_2.encode(), INPUT_1.encode()):
                        self.assertNotIn(secret, inside)
                        self.assertNotIn(secret, zygote)
                    self.assertNotIn(INPUT_2.encode(), zygote)
                    self.assertNotIn(TOKEN_LIKE.encode(), inside)
                    self.assertNotIn(TOKEN_LIKE.encode(), zygote)

    def test_no_tally_and_no_log_holds_what_a_patch_or_a_check_says(self):
        spill = (
            "import sys\nINPUTS = []\n"
            + REFERENCE
            + "\ndef extra(text):\n    print(text, file=sys.stderr)\n    raise ValueError(text)\n"
        )
        for profile in ("S", "L"):
            for module in (spill, spill + "\nraise ValueError('patch_text_marker')\n"):
                text = self.judge(profile, {1: module, 2: module})
                for secret in (
                    KEY.hex(), INPUT_1, INPUT_2, EXPECTED_2, "patch_text_marker", "ValueError",
                ):  # fmt: skip
                    self.assertNotIn(secret, text)

    def test_reprs_of_what_the_judge_holds_show_no_key(self):
        draw = TinyDraw(key=KEY, count=2)
        text = repr(request(draw, {1: "patch_text_marker"}))
        self.assertNotIn("patch_text_marker", text)
        self.assertNotIn(repr(KEY)[2:12], text)

    def test_the_frame_of_a_task_holds_inputs_and_no_expected_value(self):
        task = TinyTask(2, "sealed", reference=REFERENCE + EXTRA)
        filler = tuple(Check((call("distance", n, 0, 1000),)) for n in range(30))
        frame = prepare(task, (Check((call("extra", INPUT_2),)), *filler)).frame("x = 1\n")
        self.assertIn(INPUT_2.encode(), frame)
        self.assertNotIn(EXPECTED_2.encode(), frame)


if __name__ == "__main__":
    unittest.main()
