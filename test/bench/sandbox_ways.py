"""Ways to run patches: this sandbox, a fresh interpreter for each, and all in one process."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable

from sandbox.compare import matches
from sandbox.jail.isolation import Isolation
from sandbox.jail.patch_run import PatchRun
from sandbox.material import TaskMaterial
from sandbox.passes import limits_for
from sandbox.runner import load, observe
from sandbox.verdict import judge_run
from test.bench.sandbox_work import Work, lanes_of, trivial_work
from test.sandbox.attack import children_of

# Tasks that a shard of the service has.
_SHARD = 96


def share(work: Work, workers: int) -> list[Work]:
    """The work dealt out to workers in turn."""
    return [work[start::workers] for start in range(workers)]


def _in_threads(work: Work, workers: int, run: Callable[[int, Work], int]) -> int:
    passed = [0] * workers

    def one(number: int, part: Work) -> None:
        passed[number] = run(number, part)

    threads = [threading.Thread(target=one, args=item) for item in enumerate(share(work, workers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(passed)


class Jail:
    """This sandbox: lanes and verdicts as the service has them, one thread per lane. Lanes are open
    before the clock starts, as a service's are."""

    def __init__(self, workers: int, isolation: Isolation) -> None:
        self._lanes = [lanes_of(number, isolation) for number in range(workers)]
        self(trivial_work(workers), workers)

    def __call__(self, work: Work, workers: int) -> int:
        """Runs the work; how many patches pass."""

        def run(number: int, part: Work) -> int:
            passed, lanes = 0, self._lanes[number]
            for start in range(0, len(part), _SHARD):
                shard = part[start : start + _SHARD]
                for material, source in shard:
                    lanes.submit(material.frame(source), limits_for(material), 0)
                for material, _ in shard:
                    passed += judge_run(lanes.receive(0), material).bucket == "fixed"
            return passed

        return _in_threads(work, workers, run)

    def cpu_seconds(self) -> float:
        """What the zygotes and the patches that they have buried have used."""
        ticks = 0
        for pid in children_of(os.getpid()):
            with open(f"/proc/{pid}/stat", encoding="latin-1") as stat:
                ticks += sum(map(int, stat.read().rpartition(")")[2].split()[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """Ends the lanes."""
        for lanes in self._lanes:
            lanes.close()


def in_one_process(material: TaskMaterial, source: str) -> bool:
    """Loads and checks a patch right here."""
    try:
        namespace = load(source, "module", material.task.entry_point)
    except Exception:
        return False
    good = True
    for compare, packed, wanted, steps in zip(
        material.compares, material.packed, material.expected, material.steps, strict=True
    ):
        good &= matches(wanted, observe(namespace, packed), compare, steps)
    return good


def way_limit(work: Work, workers: int) -> int:
    """All in one process per worker."""
    reading, writing = os.pipe()
    children = []
    for part in share(work, workers):
        child = os.fork()
        if child == 0:
            passed = sum(in_one_process(material, source) for material, source in part)
            os.write(writing, passed.to_bytes(4, "big"))
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        counts = pipe.read()
    return sum(int.from_bytes(counts[i : i + 4], "big") for i in range(0, len(counts), 4))


_FRESH = (
    "import os, sys; sys.path.insert(0, sys.argv[1]); from sandbox.runner import run;"
    "run(sys.stdin.buffer.read(), lambda data: os.write(1, data) and None)"
)


def way_fresh(work: Work, workers: int) -> int:
    """A new interpreter per patch."""
    root = os.getcwd()

    def run(_number: int, part: Work) -> int:
        passed = 0
        for material, source in part:
            done = subprocess.run(
                [sys.executable, "-I", "-c", _FRESH, root],
                input=material.frame(source),
                capture_output=True,
            )
            ended = PatchRun(done.stdout, "exited", done.returncode, 0, 0)
            passed += judge_run(ended, material).bucket == "fixed"
        return passed

    return _in_threads(work, workers, run)
