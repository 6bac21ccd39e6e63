"""One verdict from what a process claimed and how it ended. It never leaves the judge."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sandbox.codec import CodecError
from sandbox.compare import matches
from sandbox.material import TaskMaterial
from sandbox.wire import WireError, read_answer, read_shown

Bucket = Literal["fixed", "wrong", "crashed", "timed_out", "invalid", "no_answer"]
MAX_MODULE = 64 * 1024


class Run(Protocol):
    """How the process of one patch ended, see `sandbox.jail.patch_run`."""

    @property
    def output(self) -> bytes: ...
    @property
    def ending(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """`passed` has one entry per check of the task, and is empty unless all were answered.

    `visible_passed` is known of an incomplete answer too: what a client's own check would say.
    """

    bucket: Bucket
    passed: tuple[bool, ...] = ()
    digest: bytes = b""
    visible_passed: bool = False


def judge_run(
    run: Run, material: TaskMaterial, expected: tuple[bytes, ...] | None = None
) -> Verdict:
    """The verdict on one run.

    A complete answer is judged on its values however the process ended afterwards. Anything else
    is a timeout if the clock ended it, and a crash otherwise.
    """
    steps: Sequence[Sequence[int]] = material.steps
    if expected is None:
        expected = material.expected
    else:
        steps = ((),) * len(expected)
    try:
        answer = read_answer(run.output, len(expected))
        if run.output and not answer.loaded:
            return Verdict("invalid")
        if not answer.complete or run.ending == "flooded":
            raise WireError("incomplete")
        passed = _compare(answer.observations, expected, steps, material)
    except WireError:
        bucket = "timed_out" if run.ending == "timed_out" else "crashed"
    except CodecError:
        bucket = "crashed"
    else:
        bucket = "fixed" if all(passed) else "wrong"
        digest = hashlib.sha256(b"".join(answer.observations)).digest()
        return Verdict(bucket, passed, digest, all(passed[: material.visible]))
    return Verdict(bucket, visible_passed=_passes_visible(run.output, material))


def _compare(
    found: Sequence[bytes],
    expected: Sequence[bytes],
    steps: Sequence[Sequence[int]],
    material: TaskMaterial,
) -> tuple[bool, ...]:
    return tuple(
        matches(wanted, observed, compare, places)
        for wanted, observed, compare, places in zip(
            expected, found, material.compares, steps, strict=False
        )
    )


def _passes_visible(output: bytes, material: TaskMaterial) -> bool:
    """Of what a process said before it went wrong in a later check."""
    shown = read_shown(output, material.visible)
    if shown is None:
        return False
    try:
        return all(_compare(shown, material.expected, material.steps, material))
    except CodecError:
        return False


def bits(passed: tuple[bool, ...]) -> int:
    """The checks that passed as a set of bits, check 0 lowest."""
    return sum(1 << place for place, good in enumerate(passed) if good)


def mends(passed: int, singles: tuple[int, ...], checks: int) -> int:
    """How many of the injected faults a patch mends, all sets of bits over `checks` checks.

    A fault counts as mended if the patch passes all checks that fail with this fault alone and
    with no other one; where every such check is shared, all that fail with this fault.
    """
    mended = 0
    for place, own in enumerate(singles):
        shows = apart = ~own & ((1 << checks) - 1)
        for other in singles[:place] + singles[place + 1 :]:
            apart &= other
        needed = apart or shows
        mended += bool(shows) and passed & needed == needed
    return mended
