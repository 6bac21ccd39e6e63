"""All gates of one category, and what they found, as a report that an author can act on."""

import time
import traceback
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from tasks.kit.accept import Drawing, accept
from tasks.kit.agree import agree
from tasks.kit.bounds import MOST_PROMPT_BYTES
from tasks.kit.category import AuthoringError, Category
from tasks.kit.different import alike
from tasks.kit.epoch import Keys
from tasks.kit.keyfile import TRIAL_EPOCH, TRIAL_ROOT
from tasks.kit.load import load_category, overlay_folder
from tasks.kit.speed import FULL_SIZE, measure
from tasks.kit.static import pairs_possible, static_faults

ORACLE_INPUTS, QUICK_INPUTS = 2000, 200
SYMPTOM_SHARE = (0.6, 0.9)
LEVELS = range(1, 6)


@dataclass(slots=True)
class Report:
    """Figures and faults of one category; it is in order when there are no faults."""

    slug: str
    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def as_data(self) -> dict[str, object]:
        """Plain data for --json."""
        return asdict(self)


def validate(slug: str, overlay: str | None = None, quick: bool = False) -> Report:
    """Run every gate in this process; whatever goes wrong becomes a fault of the report."""
    report = Report(slug)
    began, cpu_began = time.perf_counter(), time.process_time()
    try:
        category = load_category(slug, overlay_folder(overlay))
        _run_gates(category, report, quick)
    except AuthoringError as error:
        report.faults.append(str(error))
    except Exception:
        report.faults.append(traceback.format_exc())
    report.seconds = round(time.perf_counter() - began, 2)
    report.cpu_seconds = round(time.process_time() - cpu_began, 2)
    return report


def _run_gates(category: Category, report: Report, quick: bool) -> None:
    report.faults += static_faults(category)
    if report.faults:
        return
    if not pairs_possible(category):
        report.faults.append("no two bugs of a shape are independent, so no task can carry two")
    found = agree(category, QUICK_INPUTS if quick else ORACLE_INPUTS)
    report.faults += found.faults
    same = alike(category)
    report.faults += [f"no check tells these variants apart: {group}" for group in same[:3]]
    report.figures |= {
        "variants": found.variants,
        "variants with different answers": found.variants - sum(len(g) - 1 for g in same),
        "oracle inputs": found.inputs,
        "knob shares": {k.name: round(found.knob_share(k.name), 3) for k in category.knobs},
    }
    if report.faults:
        return
    parts = (4, 20) if quick else (16, 80)
    keys = Keys.of(TRIAL_EPOCH, TRIAL_ROOT, *parts)
    drawing = accept(keys, category)
    report_drawing(drawing, report)
    figures, slow = measure(keys, category, drawing.tasks)
    report.figures |= figures
    report.faults += slow


def report_drawing(drawing: Drawing, report: Report) -> None:
    """Figures of the accepted tasks; prompts too long and too few symptoms are faults."""
    tasks = drawing.tasks
    longest = max(len(task.prompt.encode()) for task in tasks)
    if longest > MOST_PROMPT_BYTES:
        report.faults.append(f"a prompt has {longest} bytes, more than {MOST_PROMPT_BYTES}")
    shown = sum(task.has_symptom for task in tasks) / len(tasks)
    if len(tasks) >= FULL_SIZE and not SYMPTOM_SHARE[0] <= shown <= SYMPTOM_SHARE[1]:
        report.faults.append(f"{shown:.0%} of the tasks show a symptom")
    rejected = drawing.rejected.total()
    levels = dict(sorted(Counter(task.difficulty for task in tasks).items()))
    report.figures |= {
        "tasks": len(tasks),
        "rejected drawings": rejected,
        "two faults": sum(len(task.single_faults) > 1 for task in tasks),
        "show a symptom": round(shown, 2),
        "mutants tried": drawing.tries.mutants,
        "mutants killed": drawing.tries.killed,
        "equivalent mutants set aside": drawing.tries.set_aside,
        "difficulty": levels,
        "difficulty in percent": level_shares(levels),
        "shapes": dict(Counter(task.variant.shape for task in tasks)),
        "bugs": dict(Counter(name for task in tasks for name in task.variant.bugs)),
        "longest prompt": longest,
        "lines": [f(len(t.module.splitlines()) for t in tasks) for f in (min, max)],
    }
    report.remarks += [f"{n} x {why}" for why, n in drawing.rejected.most_common(8)]


def level_shares(counts: Mapping[int, int]) -> dict[int, int]:
    """Percent of the tasks on each level 1 to 5; empty without tasks."""
    total = sum(counts.values())
    return {level: round(100 * counts.get(level, 0) / total) for level in LEVELS} if total else {}


def as_text(report: Report) -> str:
    """The report for a terminal."""
    state = "FAIL" if report.faults else "ok  "
    lines = [f"{state} {report.slug}  {report.seconds} s, {report.cpu_seconds} s of CPU"]
    lines += [f"     {name}: {value}" for name, value in report.figures.items()]
    lines += [f"     rejected: {remark}" for remark in report.remarks]
    lines += [f"  !  {fault}" for fault in report.faults]
    return "\n".join(lines)
