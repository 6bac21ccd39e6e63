"""Builds the walls of one lane, then becomes its zygote.

Run as a program by a lane. Prints the pid of the zygote, which is a child of the lane's process,
and ends. Errors go to stderr in words.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from sandbox.jail import descriptors, namespaces, rootfs, syscalls
from sandbox.jail.footprint import ISOLATED_FLAGS, REPOSITORY, Footprint, is_listed
from sandbox.jail.rlimits import limit_lane
from sandbox.jail.sources import BOOTSTRAP, collect_code


def main(settings: dict[str, Any]) -> None:
    """`settings` is what `lane.py` passes: profile, footprint, ids, pipes, runner, hash seed."""
    footprint = Footprint(**settings["footprint"])
    code = collect_code(settings["runner"], REPOSITORY)
    _arrange_descriptors(settings["pipes"], code)
    os.umask(0o077)
    _go_first_when_memory_runs_out()
    if settings["uid"] != os.geteuid():
        os.setgroups([])
    if settings["profile"] == "S":
        namespaces.enter_namespaces(settings["uid"], settings["gid"])
        sources = rootfs.open_sources(footprint)
        namespaces.become_inside_user()
        rootfs.empty_root(sources, footprint)
        namespaces.hide_host_name()
        for descriptor in sources.values():
            os.close(descriptor)
    pid = syscalls.clone_sibling()
    if pid:
        os.write(1, f"{pid}\n".encode())
        return
    try:
        _become_zygote(settings, footprint)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}".encode(errors="replace"))
    os._exit(1)


def _become_zygote(settings: dict[str, Any], footprint: Footprint) -> NoReturn:
    os.dup2(0, 1)
    os.setsid()
    os.chdir("/")
    limit_lane(descriptors.LANE_DESCRIPTORS)
    reading = settings["keep_read_capability"]
    syscalls.drop_bounding_set(keep=syscalls.CAP_DAC_READ_SEARCH if reading else None)
    if settings["profile"] == "L" and settings["uid"] != os.geteuid():
        syscalls.prctl(syscalls.PR_SET_KEEPCAPS, 1 if reading else 0)
        os.setresgid(settings["gid"], settings["gid"], settings["gid"])
        os.setresuid(settings["uid"], settings["uid"], settings["uid"])
    syscalls.drop_capabilities(keep=syscalls.CAP_DAC_READ_SEARCH if reading else None)
    syscalls.set_no_new_privileges()
    readable = footprint.readable
    if settings["profile"] == "S":
        # What is hidden in these directories has an empty one mounted over it. Every rule of an
        # entry of its own would be copied for each patch.
        outside = (path for path in readable if not is_listed(path, footprint))
        readable = (*footprint.listable, *outside)
    told = {
        "readable": [*readable, *footprint.libraries],
        "listable": footprint.listable,
        # An emptied root hides the files too; without one nothing else does.
        "landlock_required": settings["profile"] == "L",
        "runner": settings["runner"],
    }
    try:
        syscalls.fix_addresses(other=bool(settings["hash_seed"]))
    except OSError:
        # A container's filter may refuse: then sets of classes differ from lane to lane.
        pass
    arguments = [
        footprint.executable,
        *ISOLATED_FLAGS,
        "-c",
        BOOTSTRAP,
        json.dumps(told),
        str(descriptors.SOURCES),
    ]
    os.execve(footprint.executable, arguments, _environment(settings, footprint))


def _environment(settings: dict[str, Any], footprint: Footprint) -> dict[str, str]:
    """All that a patch can learn from its environment, the same on every machine."""
    directories = dict.fromkeys(os.path.dirname(path) for path in footprint.libraries)
    return {
        "PYTHONHASHSEED": str(settings["hash_seed"]),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        # Every symbol is bound in the zygote: a patch that binds one copies pages for it.
        "LD_BIND_NOW": "1",
        "LD_LIBRARY_PATH": ":".join(directories),
    }


def _go_first_when_memory_runs_out() -> None:
    """The kernel's choice of a victim falls on a patch, not on the judge."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write("1000")
    except OSError:
        # A read-only /proc: the address space limit still holds for each patch.
        pass


def _arrange_descriptors(pipes: Sequence[int], code: bytes) -> None:
    """Put the lane's pipes and the code at their numbers, close all others."""
    sources = os.memfd_create("sources")
    view = memoryview(code)
    while view:
        view = view[os.write(sources, view) :]
    os.lseek(sources, 0, os.SEEK_SET)
    order = [*pipes, sources]
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 100) for descriptor in order]
    for target, descriptor in enumerate(high, start=descriptors.FRAMES):
        os.dup2(descriptor, target)
    os.closerange(descriptors.SOURCES + 1, 1 << 20)


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except OSError as error:
        said = str(error.strerror or error)
        step = traceback.extract_tb(error.__traceback__)[-1].name
        # Calls by number name themselves.
        sys.exit(said if ":" in said else f"{step}: {said}")
