"""Counts of one shard: all that leaves the sandbox."""

from dataclasses import dataclass, fields
from typing import Any

PROTOCOL = 1


@dataclass(slots=True)
class Counts:
    """Sums over the tasks of one part. The first six after `tasks` are the buckets."""

    tasks: int = 0
    fixed: int = 0
    wrong: int = 0
    crashed: int = 0
    timed_out: int = 0
    invalid: int = 0
    no_answer: int = 0
    visible_passed: int = 0
    regressed: int = 0
    trapped: int = 0
    faults_injected: int = 0
    faults_mended: int = 0
    lines_changed: int = 0
    lines_needed: int = 0

    def as_json(self) -> dict[str, int]:
        """The counts by name; checks that every task is in exactly one bucket."""
        counted = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        buckets = list(counted.values())[1:7]
        if sum(buckets) != self.tasks:
            raise AssertionError("every task is in exactly one bucket")
        return counted


@dataclass(frozen=True, slots=True)
class Identity:
    """What judged: in /health and in every tally."""

    corpus: str
    runtime: dict[str, Any]
    isolation: dict[str, Any]


@dataclass(slots=True)
class Control:
    """How many controls of one kind ran, and how many came out as they must."""

    run: int = 0
    held: int = 0


def tally_json(
    identity: Identity,
    request: Any,
    controls: dict[str, Control],
    parts: dict[str, Counts],
) -> dict[str, Any]:
    """The tally: no timings, no attempt number, so the same shard gives the same bytes."""
    return {
        "protocol": PROTOCOL,
        "corpus": identity.corpus,
        "epoch": request.epoch.id,
        "submission": request.submission,
        "category": request.category,
        "runtime": identity.runtime,
        "isolation": identity.isolation,
        "controls": {name: {"run": c.run, "held": c.held} for name, c in controls.items()},
        "parts": {name: counts.as_json() for name, counts in parts.items()},
    }
