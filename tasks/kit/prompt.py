"""Prompt version 1: contract, module, visible checks, and the form of the answer."""

from tasks.kit.asserts import helper_notes, readable
from tasks.kit.task import Task
from tasks.kit.trial import Trial, load_reference

_TEXT = """\
The Python module below does not keep its contract. Repair it.

## Contract

{contract}

## Module

```python
{module}```

## Visible checks

A correct module passes these checks, and others that follow from the contract alone.{notes}

```python
{checks}
```

## Answer

Answer with the complete repaired module, from its first line to its last, in one ```python block,
and nothing after it. Keep the names and parameters that the contract mentions. The module has to
run on Python 3.11 and later with the standard library alone, without threads, processes, an event
loop of its own, files, network or real time.
"""


def visible_expected(task: Task) -> tuple[bytes, ...]:
    """What the reference shows for each visible check."""
    return Trial(load_reference(task.reference), task.visible).expected


def prompt_text(task: Task) -> str:
    """The text for the model: the same for the same task, byte for byte."""
    shown = [
        readable(check, expected)
        for check, expected in zip(task.visible, visible_expected(task), strict=True)
    ]
    checks = "\n\n".join(f"# check {n}\n{text}" for n, text in enumerate(shown, 1))
    notes = helper_notes(task.visible, checks)
    return _TEXT.format(
        contract="\n".join(f"{n}. {clause}" for n, clause in enumerate(task.contract, 1)),
        module=task.module,
        notes="\n" + "".join(f"\n- {note}" for note in notes) if notes else "",
        checks=checks,
    )
