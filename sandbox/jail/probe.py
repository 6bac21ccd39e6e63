"""Says in words what this machine can isolate."""

from __future__ import annotations

import os
import platform
import sys
from typing import Literal

from sandbox.jail.isolation import Isolation, prove
from sandbox.jail.profile import IsolationUnavailable


def main() -> int:
    """Print the findings; 0 when some profile stands, 1 when none does."""
    user = "root" if hasattr(os, "geteuid") and os.geteuid() == 0 else "an ordinary user"
    print(f"Python {platform.python_version()} at {sys.executable}, started as {user}")
    print(f"{platform.system()} {platform.release()} on {platform.machine()}")
    if not sys.platform.startswith("linux"):
        print("no isolation: run the sandbox in a Linux container")
        return 1
    found: list[Isolation] = []
    profiles: tuple[tuple[Literal["S", "L"], str], ...] = (
        ("S", "namespaces, emptied root, Landlock, seccomp, limits"),
        ("L", "Landlock, seccomp, limits, no namespaces"),
    )
    for profile, meaning in profiles:
        print(f"profile {profile} ({meaning}):")
        try:
            isolation = prove(profile)
        except (IsolationUnavailable, LookupError, OSError) as error:
            print(f"  not here: {error}")
            continue
        found.append(isolation)
        for line in _describe(isolation):
            print(f"  {line}")
    if not found:
        print("no isolation: a sandbox refuses to start here")
        return 1
    print(f"a sandbox here uses profile {found[0].profile}")
    return 0


def _describe(isolation: Isolation) -> list[str]:
    tests = isolation.self_tests
    abi = isolation.landlock_abi
    return [
        f"stands: {tests.held} of {tests.run} attempts to get out were held",
        f"Landlock ABI {abi}" if abi else "without Landlock: only the emptied root hides files",
        f"seccomp filters {isolation.seccomp[:16]}",
    ]
