"""The authoring kit: what a category file imports."""

from tasks.kit.category import (
    AuthoringError,
    Category,
    Change,
    Clause,
    Knob,
    Scenario,
    Shape,
    Variant,
    change,
    knob,
    scenario,
)
from tasks.kit.stream import Stream

__all__ = [
    "AuthoringError",
    "Category",
    "Change",
    "Clause",
    "Knob",
    "Scenario",
    "Shape",
    "Stream",
    "Variant",
    "change",
    "knob",
    "scenario",
]
