"""Finds the walls that this machine can give, proves them, and opens lanes behind them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from sandbox.jail.lane import Lane
from sandbox.jail.profile import IsolationUnavailable, ProfileName, walls_of
from sandbox.jail.self_test import RUNNER, SelfTests, run_self_tests, try_lane
from sandbox.jail.unsafe import UnsafeLane

RUNNER_AFTER_TESTS = "sandbox.jail.self_tested"
Found = TypeVar("Found")
_ADVICE = {
    "S": "profile S needs user namespaces: allow them (user.max_user_namespaces > 0, "
    "kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or run "
    "the container with CAP_SYS_ADMIN and a seccomp profile that lets unshare and mount pass",
    "L": "profile L needs Linux 5.13 or later with Landlock among its security modules (boot with "
    "lsm=landlock,...) and seccomp filters",
}


@dataclass(frozen=True, slots=True)
class Isolation:
    """What was proved at start. `seccomp` is the SHA-256 (hex) of the filters."""

    profile: ProfileName | Literal["unsafe"]
    landlock_abi: int
    user_namespace: bool
    seccomp: str
    self_tests: SelfTests
    interpreter: str | None = None

    def card(self) -> dict[str, object]:
        """The `isolation` field of health answers and tallies."""
        return {
            "profile": self.profile,
            "landlock_abi": self.landlock_abi,
            "user_namespace": self.user_namespace,
            "seccomp": self.seccomp,
            "self_tests": {"run": self.self_tests.run, "held": self.self_tests.held},
        }


Wanted = Literal["auto", "S", "L"]


def detect(wanted: Wanted = "auto", interpreter: str | None = None) -> Isolation:
    """The strongest profile whose self-tests all hold here; takes about a second.

    Raises IsolationUnavailable, in words for the operator, when there is none.
    """
    return _strongest(wanted, lambda profile: prove(profile, interpreter))


def detect_lane(wanted: Wanted = "auto") -> tuple[Isolation, Lane]:
    """The same with the lane that was tried, which takes patches now: for one lane, half the time."""
    return _strongest(wanted, _prove_lane)


def _strongest(wanted: Wanted, attempt: Callable[[ProfileName], Found]) -> Found:
    if not sys.platform.startswith("linux"):
        raise IsolationUnavailable(
            f"{sys.platform} cannot confine a patch: run the sandbox in a Linux container"
        )
    reasons: list[str] = []
    profiles: tuple[ProfileName, ...] = ("S", "L") if wanted == "auto" else (wanted,)
    for profile in profiles:
        try:
            return attempt(profile)
        except (IsolationUnavailable, LookupError, OSError) as error:
            reasons.append(f"profile {profile}: {error}; {_ADVICE[profile]}.")
    raise IsolationUnavailable("\n".join(reasons))


def prove(profile: ProfileName, interpreter: str | None = None) -> Isolation:
    """Run the self-tests in one profile; raises IsolationUnavailable unless all hold."""
    tests = run_self_tests(walls_of(profile, runner=RUNNER, interpreter=interpreter))
    return _judged(profile, tests, interpreter)


def _prove_lane(profile: ProfileName) -> tuple[Isolation, Lane]:
    lane = Lane(walls_of(profile, runner=RUNNER_AFTER_TESTS))
    try:
        return _judged(profile, try_lane(lane), None), lane
    except BaseException:
        lane.close()
        raise


def _judged(profile: ProfileName, tests: SelfTests, interpreter: str | None) -> Isolation:
    # These know Linux only, and this module is read on every system.
    from sandbox.jail.landlock import landlock_abi
    from sandbox.jail.seccomp import filter_digest

    if tests.held != tests.run:
        raise IsolationUnavailable(
            f"{tests.run - tests.held} of {tests.run} attempts got out: {'; '.join(tests.escapes)}"
        )
    return Isolation(profile, landlock_abi(), profile == "S", filter_digest(), tests, interpreter)


def no_isolation() -> Isolation:
    """What an explicit unsafe switch asks for: no walls, and a card that says so."""
    return Isolation("unsafe", 0, False, "", SelfTests(0, 0, ()))


def open_lane(
    isolation: Isolation, *, slot: int = 0, hash_seed: int = 0, runner: str = "sandbox.runner"
) -> Lane | UnsafeLane:
    """A lane behind the proved walls. Lanes that live together need different slots."""
    if isolation.profile == "unsafe":
        return UnsafeLane(runner, hash_seed)
    return Lane(
        walls_of(
            isolation.profile,
            slot=slot,
            hash_seed=hash_seed,
            runner=runner,
            interpreter=isolation.interpreter,
        )
    )
