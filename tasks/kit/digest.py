"""`python3 -m tasks.kit.digest SLUG…`: what a category draws and shows, as one digest a line.

Run under another hash seed, locale, time zone or Python, it must print the same.
"""

import hashlib
import sys

from sandbox.reference import observe_check
from sandbox.runner import load
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.exceptions import without_arguments
from tasks.kit.hidden import hidden_checks
from tasks.kit.keyfile import TRIAL_EPOCH, TRIAL_ROOT
from tasks.kit.load import load_category, overlay_folder

TASKS = 12


def digest(slug: str) -> str:
    """SHA-256 over prompts and observations of some tasks of the trial epoch."""
    keys = Keys.of(TRIAL_EPOCH, TRIAL_ROOT)
    category = load_category(slug, overlay_folder())
    seen = hashlib.sha256()
    for number in range(1, TASKS + 1):
        task = draw_task(keys, category, number, 0)
        checks = hidden_checks(keys, category, task)
        seen.update(task.prompt.encode())
        for module in (task.reference, task.module):
            namespace = load(module)
            for check in checks:
                observed = observe_check(namespace, check)
                # Pythons word their own errors differently; verdicts do not depend on it either.
                asked = check.compare.exception_args
                seen.update(observed if asked else without_arguments(observed))
    return seen.hexdigest()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, digest(name), flush=True)
