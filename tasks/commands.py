"""The verbs of `python3 -m tasks` and their flags."""

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from tasks.kit.category import AuthoringError
from tasks.kit.load import overlay_folder, slugs
from tasks.kit.validate import Report, as_text, validate


def add_commands(commands: Any) -> None:
    """Declare every verb on the parser's subcommands."""
    verb = commands.add_parser("validate", help="run all gates of some categories, or of all")
    verb.add_argument("slug", nargs="*")
    verb.add_argument(
        "--quick", action="store_true", help="fewer oracle inputs, for authors at work"
    )
    verb.add_argument("--json", action="store_true")
    _add_common(verb)
    verb.set_defaults(run=run_validate)


def _add_common(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--overlay", help="folder with private categories (or FAILMAP_OVERLAY)")
    verb.add_argument("--jobs", type=int, default=os.cpu_count() or 1)


def chosen_slugs(given: list[str], overlay: str | None) -> list[str]:
    """The named categories, or all; an unknown name is an error."""
    known = slugs(overlay_folder(overlay))
    if unknown := [slug for slug in given if slug not in known]:
        raise AuthoringError(f"not built: {', '.join(unknown)}")
    return given or list(known)


def run_validate(given: argparse.Namespace) -> int:
    """Validate in parallel; progress on stderr, reports on stdout."""
    chosen = chosen_slugs(given.slug, given.overlay)
    reports: list[Report] = []
    with ProcessPoolExecutor(min(given.jobs, len(chosen)) or 1) as pool:
        running = [pool.submit(validate, slug, given.overlay, given.quick) for slug in chosen]
        for count, future in enumerate(running, 1):
            reports.append(future.result())
            print(f"{count}/{len(chosen)} {reports[-1].slug}", file=sys.stderr)
            if not given.json:
                print(as_text(reports[-1]), flush=True)
    if given.json:
        print(json.dumps([report.as_data() for report in reports], indent=2))
    return 1 if any(report.faults for report in reports) else 0
