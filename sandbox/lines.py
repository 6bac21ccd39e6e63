"""How many lines a patch changed, at a cost that hostile text cannot raise."""

from difflib import SequenceMatcher

# Above this product of line counts the exact matching is left out: it is quadratic and worse.
MAX_PRODUCT = 250_000


def lines_changed(before: str, after: str) -> int:
    """The larger side of every differing block of lines, summed.

    Text with very many lines is counted as one block between its common head and tail.
    """
    old, new = before.splitlines(), after.splitlines()
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(old) * len(new) > MAX_PRODUCT:
        return max(len(old), len(new))
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for kind, a, b, c, d in codes if kind != "equal")
