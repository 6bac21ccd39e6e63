"""One task as a person would want to read it; with the key also what stays hidden."""

import json
import re
from difflib import unified_diff
from pathlib import Path

from sandbox.checks import Check
from tasks.kit.asserts import readable
from tasks.kit.category import AuthoringError
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.gate import Rejected, Tries, examine
from tasks.kit.hidden import hidden_checks
from tasks.kit.keyfile import TRIAL_EPOCH, TRIAL_ROOT, read_root
from tasks.kit.load import load_category
from tasks.kit.task import Task
from tasks.kit.trial import Trial, load_reference

MOST_TRIED = 20


def split_id(instance_id: str) -> tuple[str, int]:
    """Category and number of an instance id."""
    found = re.fullmatch(r"failmap__([a-z0-9-]+)-([1-9][0-9]*)", instance_id)
    if found is None:
        raise AuthoringError(f"{instance_id} is not of the form failmap__<category>-<number>")
    return found[1], int(found[2])


def from_prompts(instance_id: str, prompts: str | Path) -> str:
    """The prompt of a task from an exported prompts.jsonl."""
    with open(prompts, encoding="utf-8") as lines:
        for line in lines:
            if (prompt := json.loads(line))["instance_id"] == instance_id:
                return prompt["prompt"]
    raise AuthoringError(f"{prompts} has no task {instance_id}")


def drawn_task(
    instance_id: str, keys: Keys, counter: int, overlay: Path | None
) -> tuple[Task, tuple[Check, ...]]:
    """The task at a counter, with its hidden checks."""
    slug, number = split_id(instance_id)
    category = load_category(slug, overlay)
    task = draw_task(keys, category, number, counter)
    return task, hidden_checks(keys, category, task)


def first_accepted(instance_id: str, keys: Keys, overlay: Path | None) -> tuple[int, str]:
    """The first counter that passes the draw gate on its own, and a remark if none does.

    A drawing that repeats another task's would be rejected as well: only the whole category tells.
    """
    slug, number = split_id(instance_id)
    category = load_category(slug, overlay)
    reason: Exception | None = None
    for counter in range(MOST_TRIED):
        try:
            examine(keys, category, draw_task(keys, category, number, counter), Tries())
        except Rejected as rejected:
            reason = rejected
        except AuthoringError as error:
            return counter, f"counter {counter} is shown although a gate fails: {error}\n"
        else:
            return counter, ""
    return 0, f"counter 0 is shown, although the draw gate rejects it and others: {reason}\n"


def keys_of(drawing: dict | None, epoch: str | None, key_file: str | None) -> Keys:
    """Keys of the named epoch, of the drawing's, or of the trial epoch."""
    if key_file is None:
        return Keys.of(TRIAL_EPOCH, TRIAL_ROOT)
    name = epoch or (drawing or {}).get("epoch")
    if name is None:
        raise AuthoringError("a key file needs --epoch or --drawing")
    parts = {part: drawing[part] for part in ("practice", "sealed")} if drawing else {}
    return Keys.of(name, read_root(key_file), **parts)


def counter_of(instance_id: str, drawing: dict) -> int:
    """The accepted counter that a drawing records."""
    slug, number = split_id(instance_id)
    for category in drawing["categories"]:
        if category["slug"] == slug and number <= len(category["counters"]):
            return category["counters"][number - 1]
    raise AuthoringError(f"the drawing has no task {instance_id}")


def as_page(task: Task, hidden: tuple[Check, ...]) -> str:
    """The prompt, then variant, faults, patches and hidden checks."""
    trial = Trial(load_reference(task.reference), hidden)
    knobs = ", ".join(f"{name}={option}" for name, option in task.variant.knobs.items())
    parts = [
        task.prompt,
        _title("what stays hidden"),
        f"shape {task.variant.shape}; {knobs}\nbugs {', '.join(task.variant.bugs)}; difficulty"
        f" {task.difficulty}; counter {task.counter}; {task.part}",
        _title("module -> reference"),
        _diff(task.module, task.reference),
    ]
    for name, patch in task.known_failing:
        killed = trial.kills(patch)
        parts += [_title(f"known-failing patch {name}, fails {killed} of {len(hidden)}")]
        parts += [_diff(task.reference, patch)]
    for number, (check, expected) in enumerate(zip(hidden, trial.expected, strict=True), 1):
        clauses = ", ".join(map(str, check.clauses))
        parts.append(f"# hidden check {number}, clauses {clauses}\n{readable(check, expected)}\n")
    return "\n".join(parts)


def _title(text: str) -> str:
    return f"\n## {text}\n"


def _diff(before: str, after: str) -> str:
    lines = list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))
    return "\n".join(lines[2:])
