"""Compares ways to run patches on the same tasks, in one run: python3 -m test.bench.sandbox.

- jail: this sandbox, one confined process per patch, verdict outside.
- fresh: a new `python -I` for each patch.
- evalplus: a multiprocessing child per patch, forked from a pool that holds all tasks, as
  human-eval and EvalPlus do it; written for this comparison only. Its child judges itself.
- limit: all patches in one process, without isolation.

Expected observations exist before the clock starts, as a grader's do. Ratios matter, not times.
"""

import argparse
import json
import multiprocessing
import os
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from sandbox.compare import matches
from sandbox.jail.isolation import detect, open_lane
from sandbox.judge import limits_for
from sandbox.lanes import SeededLanes
from sandbox.material import TaskMaterial, prepare
from sandbox.runner import load, observe
from sandbox.verdict import judge_run
from sandbox.wire import read_answer
from tasks.kit.category import AuthoringError
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.hidden import hidden_checks
from tasks.kit.load import load_category, slugs

Work = list[tuple[TaskMaterial, str]]
TASKS: Work = []


def draw_work(count: int, chosen: tuple[str, ...] = ()) -> Work:
    """`count` tasks over all or the chosen categories, with right and wrong patches in turn."""
    keys = Keys.of("bench", bytes(32), practice=16, sealed=max(80, count))
    categories = [load_category(slug) for slug in slugs() if slug in chosen or not chosen]
    work: Work = []
    number = 0
    while len(work) < count:
        number += 1
        for category in categories:
            try:
                task = draw_task(keys, category, number, 0)
                material = prepare(task, hidden_checks(keys, category, task))
            except AuthoringError:
                continue
            patches = (task.reference, task.module, task.reference, task.known_failing[0][1])
            work.append((material, patches[number % 4]))
            if len(work) == count:
                break
    return work


def in_one_process(material: TaskMaterial, source: str) -> bool:
    """Loads and checks a patch right here."""
    try:
        namespace = load(source, "module", material.task.entry_point)
    except Exception:
        return False
    good = True
    for compare, packed, wanted in zip(
        material.compares, material.packed, material.expected, strict=True
    ):
        good &= matches(wanted, observe(namespace, packed), compare)
    return good


def share(work: Work, workers: int) -> list[Work]:
    """The work dealt out to workers in turn."""
    return [work[start::workers] for start in range(workers)]


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


def way_jail(work: Work, workers: int, isolation: Any) -> int:
    """This sandbox: lanes and verdicts as the service has them, one thread per lane."""
    passed = [0] * workers

    def run(number: int, part: Work) -> None:
        lanes = SeededLanes(
            number, lambda slot, seed: open_lane(isolation, slot=slot, hash_seed=seed)
        )
        for start in range(0, len(part), 100):
            shard = part[start : start + 100]
            for material, source in shard:
                lanes.submit(material.frame(source), limits_for(material), 0)
            for material, _ in shard:
                passed[number] += judge_run(lanes.receive(0), material).bucket == "fixed"
        lanes.close()

    threads = [threading.Thread(target=run, args=item) for item in enumerate(share(work, workers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(passed)


_FRESH = (
    "import os, sys; sys.path.insert(0, sys.argv[1]); from sandbox.runner import run;"
    "run(sys.stdin.buffer.read(), lambda data: os.write(1, data) and None)"
)


def way_fresh(work: Work, workers: int) -> int:
    """A new interpreter per patch."""
    root = os.getcwd()
    passed = [0] * workers

    def run(number: int, part: Work) -> None:
        for material, source in part:
            done = subprocess.run(
                [sys.executable, "-I", "-c", _FRESH, root],
                input=material.frame(source),
                capture_output=True,
            )
            answer = read_answer(done.stdout, len(material.expected))
            passed[number] += answer.complete and all(
                matches(wanted, found, compare)
                for wanted, found, compare in zip(
                    material.expected, answer.observations, material.compares, strict=False
                )
            )

    threads = [threading.Thread(target=run, args=item) for item in enumerate(share(work, workers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(passed)


def _guarded(index: int, status: Any, details: Any) -> None:
    """The child of the EvalPlus way: limits, removed functions, timers, and its own verdict."""
    material, source = TASKS[index]
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    for name in ("kill", "system", "fork", "forkpty", "remove", "rename", "chdir", "unlink"):
        setattr(os, name, None)
    sys.stdout = sys.stderr = open(os.devnull, "w")
    try:
        namespace = load(source, "module", material.task.entry_point)
        for place, (compare, packed, wanted) in enumerate(
            zip(material.compares, material.packed, material.expected, strict=True)
        ):
            signal.setitimer(signal.ITIMER_REAL, 1.0)
            try:
                found = observe(namespace, packed)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            details[place] = matches(wanted, found, compare)
        status.value = 1
    except BaseException:
        status.value = 2


def _untrusted_check(index: int) -> bool:
    material, _ = TASKS[index]
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    context = multiprocessing.get_context("fork")
    status = context.Value("i", 0)
    details = context.Array("b", [False] * len(material.expected))
    child = context.Process(target=_guarded, args=(index, status, details))
    child.start()
    child.join(timeout=60)
    if child.is_alive():
        child.kill()
        child.join()
    return status.value == 1 and all(details[:])


def way_evalplus(work: Work, workers: int) -> int:
    """A pool of workers, each of which forks a child per patch."""
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        return sum(pool.map(_untrusted_check, range(len(work))))


def measure(way: Callable[[Work, int], int], work: Work, workers: int) -> dict[str, float]:
    """Wall and CPU milliseconds per task, and how many passed."""
    before = _cpu()
    started = time.perf_counter()
    passed = way(work, workers)
    wall = time.perf_counter() - started
    each = 1000 / len(work)
    return {"wall_ms": wall * each, "cpu_ms": (_cpu() - before) * each, "passed": passed}


def _cpu() -> float:
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main() -> None:
    """Prints a table and, last, one line of JSON."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--fresh", type=int, default=200, help="tasks of the slow fresh way")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--profile", choices=("auto", "S", "L"), default="auto")
    parser.add_argument("--category", nargs="*", default=[], help="slugs; default: all")
    options = parser.parse_args()
    isolation = detect(options.profile)
    TASKS[:] = draw_work(options.tasks, tuple(options.category))
    checks = sum(len(material.expected) for material, _ in TASKS) / len(TASKS)
    ways: dict[str, Callable[[Work, int], int]] = {
        "jail": lambda work, workers: way_jail(work, workers, isolation),
        "limit": way_limit,
        "evalplus": way_evalplus,
        "fresh": way_fresh,
    }
    rows = []
    for workers in options.workers:
        taken: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
        for _ in range(options.rounds):
            for name, way in ways.items():
                work = TASKS[: options.fresh] if name == "fresh" else TASKS
                taken[name].append(measure(way, work, workers))
        row: dict[str, Any] = {"workers": workers, "load": round(os.getloadavg()[0], 1)}
        for name, runs in taken.items():
            for key in ("wall_ms", "cpu_ms"):
                row[f"{name}_{key}"] = round(statistics.median(run[key] for run in runs), 3)
            row[f"{name}_passed"] = runs[0]["passed"]
        row["evalplus_over_jail"] = round(row["evalplus_wall_ms"] / row["jail_wall_ms"], 2)
        row["fresh_over_jail"] = round(row["fresh_wall_ms"] / row["jail_wall_ms"], 2)
        row["jail_cpu_over_limit"] = round(row["jail_cpu_ms"] / row["limit_cpu_ms"], 2)
        row["jail_wall_over_limit"] = round(row["jail_wall_ms"] / row["limit_wall_ms"], 2)
        rows.append(row)
        print(
            f"{workers} workers, {len(TASKS)} tasks, {checks:.0f} checks each, load {row['load']}"
        )
        for name in ways:
            wall, cpu = row[f"{name}_wall_ms"], row[f"{name}_cpu_ms"]
            print(
                f"  {name:9s} {wall:8.2f} ms a task, {cpu:8.2f} ms CPU, {1000 / wall:7.0f} tasks/s"
            )
        print(
            f"  evalplus/jail {row['evalplus_over_jail']}, fresh/jail {row['fresh_over_jail']}, "
            f"CPU jail/limit {row['jail_cpu_over_limit']}"
        )
    print(json.dumps({"bench": "sandbox", "profile": isolation.profile, "rows": rows}))


if __name__ == "__main__":
    main()
