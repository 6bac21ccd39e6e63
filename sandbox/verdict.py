"""One verdict from what a process claimed and how it ended. It never leaves the judge."""

import hashlib
from dataclasses import dataclass
from typing import Literal, Protocol

from sandbox.codec import CodecError
from sandbox.compare import matches
from sandbox.material import TaskMaterial
from sandbox.wire import WireError, read_answer

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
    """`passed` has one entry per check of the task, and is empty unless all were answered."""

    bucket: Bucket
    passed: tuple[bool, ...] = ()
    digest: bytes = b""


def judge_run(
    run: Run, material: TaskMaterial, expected: tuple[bytes, ...] | None = None
) -> Verdict:
    """The verdict on one run.

    A complete answer is judged on its values however the process ended afterwards. Anything else
    is a timeout if the clock ended it, and a crash otherwise.
    """
    expected = material.expected if expected is None else expected
    try:
        answer = read_answer(run.output, len(expected))
    except WireError:
        return Verdict("timed_out" if run.ending == "timed_out" else "crashed")
    if run.ending == "flooded":
        return Verdict("crashed")
    if run.output and not answer.loaded:
        return Verdict("invalid")
    if not answer.complete:
        return Verdict("timed_out" if run.ending == "timed_out" else "crashed")
    try:
        passed = tuple(
            matches(wanted, found, compare)
            for wanted, found, compare in zip(
                expected, answer.observations, material.compares, strict=True
            )
        )
    except CodecError:
        return Verdict("crashed")
    digest = hashlib.sha256(b"".join(answer.observations)).digest()
    return Verdict("fixed" if all(passed) else "wrong", passed, digest)


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
