"""The way EvalPlus judges a patch, written anew for the comparison.

After `evalplus/evaluate.py` and `evalplus/eval/__init__.py` (0.3): a pool of processes forked from
a parent that has loaded the data set; problem, expected outputs and patch travel to it as pickle;
for each patch one `multiprocessing` child runs the base checks (here: the visible ones) and a
second one the plus checks (here: the hidden ones), with shared memory for status, details and
progress, a temporary directory, the guard that takes functions away, swallowed streams and a timer
around each check. The child holds the expected outputs and judges itself.

What differs is in favour of that way: no numpy in the parent, so that its pages are fewer. All
checks run, as with its `--test-details`, since a tally needs each of them. Checks and comparison
are the sandbox's own on every side.
"""

import builtins
import contextlib
import faulthandler
import io
import multiprocessing
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from sandbox.compare import matches
from sandbox.runner import load, observe
from test.bench.sandbox_work import Work

_MEMORY = 4 << 30
_LEAST_SECONDS, _FACTOR = 0.2, 4.0
_SUCCESS, _FAILED, _UNKNOWN = 0, 1, 3
_TAKEN_AWAY = """
    kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames
    truncate replace unlink fchmod fchown chmod chown chroot lchown getcwd chdir
    """.split()
# (packed checks, expected, compares, places of steps, seconds that the reference takes for each)
_Checks = tuple[list[bytes], tuple[bytes, ...], Any, Any, list[float]]


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def ring(_number: int, _frame: Any) -> None:
        raise TimeoutError

    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.signal(signal.SIGALRM, ring)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def _temporary_directory() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as name:
        before = os.getcwd()
        os.chdir(name)
        try:
            yield
        finally:
            os.chdir(before)


def _guard() -> None:
    if platform.uname().system != "Darwin":
        with contextlib.suppress(ValueError):
            resource.setrlimit(resource.RLIMIT_STACK, (_MEMORY, _MEMORY))
    faulthandler.disable()
    os.environ["OMP_NUM_THREADS"] = "1"
    for place, names in (
        (os, _TAKEN_AWAY),
        (builtins, ("exit", "quit", "open", "help")),
        (shutil, ("rmtree", "move", "chown")),
        (subprocess, ("Popen",)),
    ):
        for name in names:
            setattr(place, name, None)
    for name in ("ipdb", "joblib", "resource", "psutil", "tkinter"):
        sys.modules[name] = None  # type: ignore[assignment]


def _unsafe_execute(
    source: str, entry_point: str, checks: _Checks, status: Any, details: Any, progress: Any
) -> None:
    with _temporary_directory():
        rmtree, rmdir, chdir = shutil.rmtree, os.rmdir, os.chdir
        _guard()
        try:
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
                namespace = load(source, "module", entry_point)
                for place, (packed, wanted, compare, steps, seconds) in enumerate(
                    zip(*checks, strict=True)
                ):
                    try:
                        with _time_limit(max(_LEAST_SECONDS, _FACTOR * seconds)):
                            found = observe(namespace, packed)
                        right = matches(wanted, found, compare, steps)
                    except BaseException:
                        right = False
                    details[place] = right
                    progress.value += 1
            status.value = _SUCCESS
        except BaseException:
            status.value = _FAILED
        shutil.rmtree, os.rmdir, os.chdir = rmtree, rmdir, chdir


def _untrusted_check(source: str, entry_point: str, checks: _Checks) -> bool:
    count = len(checks[0])
    limit = sum(max(_LEAST_SECONDS, _FACTOR * seconds) for seconds in checks[4]) + 2
    progress, status = multiprocessing.Value("i", 0), multiprocessing.Value("i", _UNKNOWN)
    details = multiprocessing.Array("b", [False] * count)
    child = multiprocessing.Process(
        target=_unsafe_execute, args=(source, entry_point, checks, status, details, progress)
    )
    child.start()
    child.join(timeout=limit + 1)
    if child.is_alive():
        child.terminate()
        time.sleep(0.1)
    if child.is_alive():
        child.kill()
        time.sleep(0.1)
    done = details[: progress.value]
    return status.value == _SUCCESS and len(done) == count and all(done)


def check_correctness(source: str, entry_point: str, base: _Checks, plus: _Checks) -> bool:
    """One patch, in a process of the pool."""
    shown = _untrusted_check(source, entry_point, base)
    return _untrusted_check(source, entry_point, plus) and shown


def way_evalplus(work: Work, workers: int) -> int:
    """All patches; how many pass."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        futures = []
        for material, source in work:
            each = material.cpu_ms / 1000 / len(material.expected)
            base, plus = (
                (
                    material.packed[part],
                    material.expected[part],
                    material.compares[part],
                    material.steps[part],
                    [each] * len(material.packed[part]),
                )
                for part in (slice(material.visible), slice(material.visible, None))
            )
            entry_point = material.task.entry_point
            futures.append(pool.submit(check_correctness, source, entry_point, base, plus))
        return sum(future.result() for future in futures)
