"""The figures of all categories as a Markdown document."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tasks.kit.gate import ENOUGH_KILLS, EQUIVALENCE_INPUTS
from tasks.kit.hidden import HIDDEN_CHECKS
from tasks.kit.taxonomy import cells
from tasks.kit.validate import LEVELS, Report, level_shares

_HEAD = f"""\
# The categories in figures

Written by `python3 -m tasks validate --table`: do not edit. A row is one category drawn for the trial
epoch with all gates.

- variants: knob vectors of the contract; different: how many kinds of answers they give when all are
  asked the same checks
- oracle inputs: steps on which reference and oracle agree
- killed / set aside: mutants that at least {ENOUGH_KILLS} of {HIDDEN_CHECKS} hidden checks kill, and
  automatic ones that {EQUIVALENCE_INPUTS} inputs do not tell from the reference
- rejected: drawings that a gate refused before the tasks were complete
- hidden s: CPU seconds to draw all tasks and their hidden checks from the key
- CPU s: CPU seconds of all gates, the oracle's inputs included
- difficulty: share of tasks on the levels 1 to 5, in percent

"""
# Column -> figure of the report.
_COUNTS = {
    "variants": "variants",
    "different": "variants with different answers",
    "tasks": "tasks",
    "oracle inputs": "oracle inputs",
    "killed": "mutants killed",
    "set aside": "equivalent mutants set aside",
    "rejected": "rejected drawings",
}
_COLUMNS = ("domain", "category", *_COUNTS, "hidden s", "CPU s", "difficulty", "gates")
_ABSENT = "-"


def as_document(reports: Sequence[Report]) -> str:
    """Explanation, one row a category, and a row of totals."""
    rows = [_row(report) for report in reports]
    rows.append(_totals(reports))
    widths = [max(map(len, column)) for column in zip(_COLUMNS, *rows, strict=True)]
    ruled = ["-" * width for width in widths]
    return _HEAD + "".join(
        f"| {' | '.join(c.ljust(w) for c, w in zip(row, widths, strict=True))} |\n"
        for row in (_COLUMNS, ruled, *rows)
    )


def _row(report: Report) -> list[str]:
    cell = cells().get(report.slug)
    figures = report.figures
    counts = (figures.get(name) for name in _COUNTS.values())
    return [
        cell.domain_slug if cell else "overlay",
        report.slug,
        *(f"{n:,}" if isinstance(n, int) else _ABSENT for n in counts),
        str(figures.get("seconds to draw the hidden checks", _ABSENT)),
        f"{report.cpu_seconds:.1f}",
        _shares(_levels(report)),
        f"{len(report.faults)} fail" if report.faults else "pass",
    ]


def _totals(reports: Sequence[Report]) -> list[str]:
    def total(name: str) -> int:
        found = (report.figures.get(name) for report in reports)
        return sum(n for n in found if isinstance(n, int))

    levels: Counter[int] = Counter()
    for report in reports:
        levels.update(_levels(report))
    failed = sum(bool(report.faults) for report in reports)
    return [
        "all",
        f"{len(reports)} categories",
        *(f"{total(name):,}" for name in _COUNTS.values()),
        _ABSENT,
        f"{sum(report.cpu_seconds for report in reports):.0f}",
        _shares(levels),
        f"{failed} fail" if failed else "pass",
    ]


def _levels(report: Report) -> Mapping[int, int]:
    found = report.figures.get("difficulty")
    return found if isinstance(found, dict) else {}


def _shares(counts: Mapping[int, int]) -> str:
    shares = level_shares(counts)
    return " / ".join(f"{shares[level]}" for level in LEVELS) if shares else _ABSENT
