"""Which walls a lane gets, and the refusal when there can be none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from sandbox.jail.footprint import Footprint, footprint

# S: namespaces and an emptied root. L: without them, what an unprivileged container allows.
ProfileName = Literal["S", "L"]

# Lanes started by root run as this uid and the following ones, one each.
FIRST_UID = 60_001
_CAP_SETGID, _CAP_SETUID = 1 << 6, 1 << 7


class IsolationUnavailable(Exception):
    """No walls on this machine; the text says why and what the operator can do."""


@dataclass(frozen=True, slots=True)
class Walls:
    """What a launcher needs to know. Built by `walls_of`."""

    profile: ProfileName
    footprint: Footprint
    uid: int
    gid: int
    keep_read_capability: bool
    hash_seed: int
    runner: str


def walls_of(
    profile: ProfileName,
    *,
    slot: int = 0,
    hash_seed: int = 0,
    runner: str = "sandbox.runner",
    interpreter: str | None = None,
) -> Walls:
    """The walls of lane number `slot` in a profile.

    `runner` is the module whose `run(frame, send)` a patch's process calls.
    """
    found = footprint(interpreter)
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0 and _may_become(FIRST_UID + slot):
        uid = gid = FIRST_UID + slot
    return Walls(
        profile=profile,
        footprint=found,
        uid=uid,
        gid=gid,
        keep_read_capability=profile == "L" and uid != os.geteuid() and not _all_may_read(found),
        hash_seed=hash_seed,
        runner=runner,
    )


def _may_become(number: int) -> bool:
    """Whether this root can take the id: root of a container may have no other, or no right to."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        effective = next(line.split()[1] for line in status if line.startswith("CapEff:"))
    rights = _CAP_SETGID | _CAP_SETUID
    return int(effective, 16) & rights == rights and all(
        _is_mapped(kind, number) for kind in ("uid", "gid")
    )


def _is_mapped(kind: str, number: int) -> bool:
    with open(f"/proc/self/{kind}_map", encoding="ascii") as lines:
        for line in lines:
            inside, _, count = map(int, line.split())
            if inside <= number < inside + count:
                return True
    return False


def _all_may_read(found: Footprint) -> bool:
    """Whether any uid can reach the interpreter: it may lie in a closed home directory."""
    for path in (found.executable, *found.listable, *found.libraries):
        while path != os.path.dirname(path):
            path = os.path.dirname(path)
            if not os.stat(path).st_mode & 0o001:
                return False
    return True
