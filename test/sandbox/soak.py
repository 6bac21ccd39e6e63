"""Ten thousand patches through one service: python3 -m test.sandbox.soak --tasks 10000.

Prints the resident memory of the judge and the zygotes when each category was judged once, and at
the end, and the descriptors and processes that are left. All of them should be flat.
"""

import argparse
import base64
import json
import os
from typing import Any

from sandbox.drawing import Corpus
from sandbox.jail.isolation import detect, open_lane
from sandbox.service import Service
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.load import load_category, slugs
from test.sandbox.attack import children_of

KEY, TASKS = bytes(range(32)), 96
HOSTILE = (
    "import os\nos._exit(3)\n",
    "x = bytes(1 << 40)\n",
    "def broken(:\n",
    "import sys\nsys.exit(0)\n",
)


def resident_kib(pid: int | str) -> int:
    """Resident memory of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def descendants(pid: int) -> list[int]:
    """All processes below one."""
    found = children_of(pid)
    return found + [deeper for child in found for deeper in descendants(child)]


def body(slug: str, digest: str, submission: str) -> bytes:
    """A shard of 96 patches: right, faulty, known-failing, hostile and missing ones in turn."""
    keys = Keys.of("soak", KEY)
    category = load_category(slug)
    patches: list[dict[str, Any]] = []
    for number in range(1, TASKS + 1):
        task = draw_task(keys, category, number, 0)
        modules = (
            task.reference, task.module, task.known_failing[0][1], HOSTILE[number % 4], None,
        )  # fmt: skip
        patches.append({"instance_id": task.instance_id, "module": modules[number % 5]})
    epoch = {
        "id": "soak",
        "key": base64.urlsafe_b64encode(KEY).decode().rstrip("="),
        "practice": keys.practice,
        "sealed": keys.sealed,
    }
    return json.dumps(
        {
            "protocol": 1, "corpus": digest, "epoch": epoch, "category": slug,
            "counters": [0] * TASKS, "submission": submission, "patches": patches,
        }
    ).encode()  # fmt: skip


def main() -> None:
    """Runs and prints two lines."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--category", nargs="*", default=[])
    options = parser.parse_args()
    isolation = detect()
    corpus = Corpus()
    service = Service(
        corpus,
        dict(isolation.card()),
        lambda slot, seed: open_lane(isolation, slot=slot, hash_seed=seed),
        1,
    )
    chosen = options.category or list(slugs())
    first: dict[str, dict[str, Any]] = {}
    shards = -(-options.tasks // TASKS)
    warm = min(len(chosen), shards) - 1
    for number in range(shards):
        slug = chosen[number % len(chosen)]
        request = service.read(body(slug, corpus.digest, "sub_soak"))
        tally = service.judge(request, 60)
        assert first.setdefault(slug, tally) == tally, f"{slug} gave another tally"
        if number in (warm, shards - 1):
            below = descendants(os.getpid())
            print(
                f"{(number + 1) * TASKS} tasks: judge {resident_kib('self')} KiB, processes "
                f"{[resident_kib(pid) for pid in below]} KiB, "
                f"{len(os.listdir('/proc/self/fd'))} descriptors",
                flush=True,
            )
    service.close()
    print(f"left: {len(descendants(os.getpid()))} processes")


if __name__ == "__main__":
    main()
