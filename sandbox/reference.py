"""Observes references: what the judge expects, and where in it each step stands."""

from sandbox.checks import Check
from sandbox.packing import pack
from sandbox.runner import CheckRun, observe


def observe_check(namespace: dict, check: Check) -> bytes:
    """`sandbox.runner.observe` of a check that is not packed."""
    return observe(namespace, pack(check))


def observe_reference(namespace: dict, packed: bytes) -> tuple[bytes, list[int]]:
    """The observation of a packed check on our own module, and the places in it where its steps
    begin and the last one ends.

    Raises `CodecError` or whatever else a check does that cannot be observed.
    """
    run = CheckRun(namespace, packed)
    observed = run.observation()
    places = [len(b"(3:i0;(%x:" % len(run.outcomes))]
    for outcome in run.outcomes:
        places.append(places[-1] + len(outcome))
    return observed, places
