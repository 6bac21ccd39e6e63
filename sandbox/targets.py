"""What the paths of steps lead to: positions, entries and attributes, and builtins by `@name`."""

import operator
from typing import Any

from sandbox.pristine import dict, getattr, int, list, tuple, type


def follow(value: Any, steps: Any) -> Any:
    """Goes down a path: positions of sequences, text keys of dicts, attributes of the rest."""
    for step in steps:
        if type(value) is dict:
            value = value[step]
        elif type(value) in (list, tuple) and step.lstrip("-").isdigit():
            value = value[int(step)]
        else:
            value = getattr(value, step)
    return value


TARGETS: dict[str, Any] = {
    f"@{kind.__name__}": kind
    for kind in (
        abs, bool, bytes, dict, divmod, float, format, hash, int, isinstance, iter, len, list,
        max, min, next, repr, reversed, round, set, sorted, str, sum, tuple, type, aiter, anext,
    )
}  # fmt: skip
TARGETS |= {
    f"@{name}": getattr(operator, name)
    for name in ("add", "contains", "delitem", "eq", "ge", "getitem", "gt", "le", "lt", "ne", "neg")
} | {"@setitem": operator.setitem, "@sub": operator.sub}
TARGETS["@enter"] = lambda manager: type(manager).__enter__(manager)
TARGETS["@exit"] = lambda manager, *error: type(manager).__exit__(
    manager, *(error or (None, None, None))
)
