"""Compares ways to run patches on the same tasks, in one run: python3 -m test.bench.sandbox.

- jail: this sandbox, one confined process per patch, verdict outside.
- limit: all patches in one process per worker, without isolation: the checks alone.
- evalplus: two multiprocessing children per patch, as EvalPlus does it; see `sandbox_evalplus`.
- fresh: a new `python -I` for each patch.

Expected observations exist before the clock starts, as a grader's do. Ways take turns; each one's
best round counts, because a busy machine only ever adds. Ratios matter, not times; on a busy
machine those of CPU, since the scheduler gives a lane's session a share of its own.

How many times faster than EvalPlus' way a sandbox can be is bounded by evalplus/limit: the checks
have to run. The same ways on trivial tasks show what isolation costs by itself.
"""

import argparse
import json
import os
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

from sandbox.jail.isolation import Isolation, detect, open_lane
from sandbox.jail.rlimits import Limits
from test.bench.sandbox_evalplus import way_evalplus
from test.bench.sandbox_ways import Jail, way_fresh, way_limit
from test.bench.sandbox_work import Work, draw_work, trivial_work, without_endless

Way = Callable[[Work, int], int]


def measure(way: Way, work: Work, workers: int) -> dict[str, float]:
    """Wall and CPU milliseconds per task, and how many passed."""
    before = _cpu(way)
    started = time.perf_counter()
    passed = way(work, workers)
    wall = time.perf_counter() - started
    each = 1000 / len(work)
    return {"wall_ms": wall * each, "cpu_ms": (_cpu(way) - before) * each, "passed": passed}


def _cpu(way: Way) -> float:
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    held = way.cpu_seconds() if isinstance(way, Jail) else 0.0
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime + held


def compare_ways(
    ways: dict[str, Way], work: Work, workers: int, rounds: int, fresh: int
) -> dict[str, Any]:
    """The best round of each way, and how they relate."""
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            taken[name].append(measure(way, work[:fresh] if name == "fresh" else work, workers))
    row: dict[str, Any] = {"workers": workers, "load": round(os.getloadavg()[0], 1)}
    for name, runs in taken.items():
        for key in ("wall_ms", "cpu_ms"):
            row[f"{name}_{key}"] = round(min(run[key] for run in runs), 3)
        row[f"{name}_passed"] = runs[0]["passed"]
    for name, over, under, key in (
        ("evalplus_over_jail", "evalplus", "jail", "wall_ms"),
        ("evalplus_over_jail_cpu", "evalplus", "jail", "cpu_ms"),
        ("evalplus_over_limit", "evalplus", "limit", "wall_ms"),
        ("fresh_over_jail", "fresh", "jail", "wall_ms"),
        ("jail_cpu_over_limit", "jail", "limit", "cpu_ms"),
        ("jail_wall_over_limit", "jail", "limit", "wall_ms"),
    ):
        row[name] = round(row[f"{over}_{key}"] / row[f"{under}_{key}"], 2)
    return row


def tell(title: str, ways: dict[str, Way], row: dict[str, Any]) -> None:
    """The row for people."""
    print(f"{title}, {row['workers']} workers, load {row['load']}")
    for name in ways:
        wall, cpu = row[f"{name}_wall_ms"], row[f"{name}_cpu_ms"]
        print(f"  {name:9s} {wall:8.2f} ms a task, {cpu:8.2f} ms CPU, {1000 / wall:7.0f} tasks/s")
    print(
        f"  evalplus/jail {row['evalplus_over_jail']} (CPU {row['evalplus_over_jail_cpu']}) of at "
        f"most {row['evalplus_over_limit']}, fresh/jail {row['fresh_over_jail']}, "
        f"CPU jail/limit {row['jail_cpu_over_limit']}",
        flush=True,
    )


def gone_after(isolation: Isolation, times: int = 20) -> dict[str, float]:
    """Milliseconds from the wall limit of an endless patch to the moment when it is reaped."""
    limits = Limits(wall_ms=300, cpu_ms=60_000, memory_mib=128, output_bytes=1 << 16)
    with open_lane(isolation, runner="sandbox.jail.hostile") as lane:
        lane.submit(b"stay_quiet")
        lane.receive()
        late = []
        for _ in range(times):
            started = time.perf_counter()
            lane.submit(b"burn_cpu", limits)
            lane.receive()
            late.append((time.perf_counter() - started) * 1000 - limits.wall_ms)
    return {"median": round(statistics.median(late), 1), "most": round(max(late), 1)}


def main() -> None:
    """Prints tables and, last, one line of JSON."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--trivial", type=int, default=1000, help="tasks of the trivial kind")
    parser.add_argument("--fresh", type=int, default=100, help="tasks of the slow fresh way")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--profile", choices=("auto", "S", "L"), default="auto")
    parser.add_argument("--category", nargs="*", default=[], help="slugs; default: all")
    options = parser.parse_args()
    isolation = detect(options.profile)
    work = without_endless(draw_work(options.tasks, tuple(options.category)), isolation)
    checks = sum(len(material.expected) for material, _ in work) / len(work)
    kinds = {
        "map": (work, f"{len(work)} tasks of {checks:.0f} checks"),
        "trivial": (trivial_work(options.trivial), f"{options.trivial} trivial tasks"),
    }
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    for workers in options.workers:
        jail = Jail(workers, isolation)
        ways: dict[str, Way] = {
            "jail": jail, "limit": way_limit, "evalplus": way_evalplus, "fresh": way_fresh
        }  # fmt: skip
        for kind, (tasks, title) in kinds.items():
            row = compare_ways(ways, tasks, workers, options.rounds, options.fresh)
            rows[kind].append(row)
            tell(title, ways, row)
        jail.close()
    gone = gone_after(isolation)
    print(f"an endless patch is gone {gone['median']} ms after its limit, {gone['most']} at most")
    print(
        json.dumps(
            {
                "bench": "sandbox", "profile": isolation.profile, "rows": rows["map"],
                "trivial": rows["trivial"], "gone_after_ms": gone,
            }
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
