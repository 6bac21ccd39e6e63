"""The process that runs one patch without walls: frame on stdin, answer on stdout."""

from __future__ import annotations

import importlib
import os
import random
import resource
import sys


def main(runner: str, cpu_ms: int, memory_mib: int) -> None:
    """Run one frame, then end without the interpreter's own end."""
    run = importlib.import_module(runner).run
    frame = sys.stdin.buffer.read()
    output = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)
    _limit(cpu_ms, memory_mib)
    random.seed(0)

    def send(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(output, view) :]

    code = 1
    try:
        run(frame, send)
        code = 0
    finally:
        os._exit(code)


def _limit(cpu_ms: int, memory_mib: int) -> None:
    """Best effort: not every system enforces each of them."""
    for which, value in (
        (resource.RLIMIT_CPU, -(-cpu_ms // 1000)),
        (resource.RLIMIT_AS, memory_mib << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        try:
            resource.setrlimit(which, (value, value))
        except (OSError, ValueError):
            continue


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
