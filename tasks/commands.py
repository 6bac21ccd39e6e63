"""The verbs of `python3 -m tasks` and their flags."""

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tasks.export import export
from tasks.kit.category import AuthoringError
from tasks.kit.environments import differing
from tasks.kit.epoch import Keys
from tasks.kit.keyfile import read_root
from tasks.kit.load import TREE, category_files, load_categories, overlay_folder, slugs
from tasks.kit.table import as_document
from tasks.kit.taxonomy import cells
from tasks.kit.validate import Report, as_text, validate
from tasks.new import write_skeleton
from tasks.show import as_page, counter_of, drawn_task, first_accepted, from_prompts, keys_of


def add_commands(commands: Any) -> None:
    """Declare every verb on the parser's subcommands."""
    verb = commands.add_parser("validate", help="run all gates of some categories, or of all")
    verb.add_argument("slug", nargs="*")
    verb.add_argument(
        "--quick", action="store_true", help="fewer oracle inputs and tasks, for authors at work"
    )
    verb.add_argument("--json", action="store_true")
    verb.add_argument("--table", action="store_true", help="figures as a Markdown document")
    _add_common(verb)
    verb.set_defaults(run=run_validate)

    verb = commands.add_parser("export", help="draw an epoch: prompts.jsonl and drawing.json")
    verb.add_argument("--epoch", required=True)
    verb.add_argument("--key-file", required=True, help="root key: 32 bytes as base64url")
    verb.add_argument("--out", required=True, type=Path)
    verb.add_argument("--practice", type=int, default=16)
    verb.add_argument("--sealed", type=int, default=80)
    verb.add_argument("--category", nargs="+", default=[])
    verb.add_argument("--domain", nargs="+", default=[])
    _add_common(verb)
    verb.set_defaults(run=run_export)
    verb = commands.add_parser("show", help="print one task; with the key also its hidden checks")
    verb.add_argument("instance", help="failmap__<category>-<number>")
    verb.add_argument("--prompts", help="read the prompt from this prompts.jsonl")
    verb.add_argument("--drawing", help="drawing.json with the accepted counters")
    verb.add_argument("--epoch")
    verb.add_argument("--key-file", help="root key; without it the public trial epoch is shown")
    verb.add_argument("--counter", type=int)
    verb.add_argument("--prompt-only", action="store_true")
    _add_common(verb)
    verb.set_defaults(run=run_show)
    verb = commands.add_parser("new", help="write the skeleton of a category")
    verb.add_argument("slug")
    verb.set_defaults(run=run_new)
    verb = commands.add_parser("list", help="the 256 categories: built or not")
    verb.add_argument("--json", action="store_true")
    verb.add_argument("--overlay")
    verb.set_defaults(run=run_list)


def _add_common(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--overlay", help="folder with private categories (or FAILMAP_OVERLAY)")
    verb.add_argument("--jobs", type=int, default=os.cpu_count() or 1)


def chosen_slugs(given: list[str], overlay: str | None) -> list[str]:
    """The named categories, or all; an unknown name is an error."""
    if not given:
        return list(slugs(overlay_folder(overlay)))
    folder = overlay_folder(overlay)
    known = {*category_files(TREE), *(category_files(folder) if folder else ())}
    if unknown := [slug for slug in given if slug not in known]:
        raise AuthoringError(f"not built: {', '.join(unknown)}")
    return given


def run_validate(given: argparse.Namespace) -> int:
    """Validate in parallel; progress on stderr, reports on stdout."""
    chosen = chosen_slugs(given.slug, given.overlay)
    reports: list[Report] = []
    with ProcessPoolExecutor(max(1, min(given.jobs, len(chosen)))) as pool:
        running = [pool.submit(validate, slug, given.overlay, given.quick) for slug in chosen]
        for count, future in enumerate(running, 1):
            reports.append(future.result())
            print(f"{count}/{len(chosen)} {reports[-1].slug}", file=sys.stderr)
            if not (given.json or given.table):
                print(as_text(reports[-1]), flush=True)
    sound = [report.slug for report in reports if not report.faults]
    elsewhere = differing(sound, given.overlay, given.jobs, other_pythons=not given.quick)
    for report in reports:
        if fault := elsewhere.get(report.slug):
            report.faults.append(fault)
            if not (given.json or given.table):
                print(f"  !  {report.slug}: {fault}")
    if given.json:
        print(json.dumps([report.as_data() for report in reports], indent=2))
    elif given.table:
        print(as_document(reports), end="")
    else:
        print(_summary(reports))
    return 1 if any(report.faults for report in reports) else 0


def _summary(reports: list[Report]) -> str:
    failed = [report.slug for report in reports if report.faults]
    seconds = sum(report.cpu_seconds for report in reports)
    tail = f"; failed: {', '.join(failed)}" if failed else ""
    passed = len(reports) - len(failed)
    return f"{passed} of {len(reports)} categories pass, {seconds:.0f} s of CPU in all{tail}"


def run_export(given: argparse.Namespace) -> int:
    """Draw an epoch; the summary goes to stdout."""
    root = read_root(given.key_file)
    keys = Keys.of(given.epoch, root, given.practice, given.sealed)
    # All of them are loaded, whatever is chosen: the digest of the corpus speaks of the whole tree.
    chosen = [
        slug
        for slug, category in load_categories(overlay_folder(given.overlay)).items()
        if (not given.category or slug in given.category)
        and (not given.domain or category.domain in given.domain)
    ]
    if missing := set(given.category) - set(chosen):
        raise AuthoringError(f"not built, or not in these domains: {', '.join(sorted(missing))}")
    if not chosen:
        raise AuthoringError("no category is chosen")
    drawing = export(
        keys,
        root,
        chosen,
        given.out,
        given.overlay,
        given.jobs,
        lambda t: print(t, file=sys.stderr),
    )
    print(json.dumps({**drawing["prompts"], "corpus": drawing["corpus"]}))
    return 0


def run_show(given: argparse.Namespace) -> int:
    """Print one task."""
    if given.prompts:
        print(from_prompts(given.instance, given.prompts))
        return 0
    drawing = json.loads(Path(given.drawing).read_text("utf-8")) if given.drawing else None
    keys = keys_of(drawing, given.epoch, given.key_file)
    overlay = overlay_folder(given.overlay)
    if given.counter is not None:
        counter = given.counter
    elif drawing is not None:
        counter = counter_of(given.instance, drawing)
    elif given.key_file:
        raise AuthoringError("which drawing was accepted? give --drawing, or a --counter")
    else:
        counter, remark = first_accepted(given.instance, keys, overlay)
        print(remark, end="", file=sys.stderr)
    task, hidden = drawn_task(given.instance, keys, counter, overlay)
    print(task.prompt if given.prompt_only else as_page(task, hidden))
    return 0


def run_new(given: argparse.Namespace) -> int:
    """Write a skeleton."""
    print(write_skeleton(given.slug))
    return 0


def run_list(given: argparse.Namespace) -> int:
    """Print every cell with its state; the overlay's categories follow."""
    built = set(slugs(overlay_folder(given.overlay)))
    rows = [(c.domain_slug, c.category_slug, c.title) for c in cells().values()]
    extra = sorted(built - set(cells()))
    if given.json:
        states = [{"domain": d, "slug": g, "title": t, "built": g in built} for d, g, t in rows]
        print(json.dumps({"categories": states, "overlay": extra}, indent=2))
        return 0
    for domain, slug, title in rows:
        print(f"{'built' if slug in built else '  -  '}  {domain:22} {slug:32} {title}")
    for slug in extra:
        print(f"built  {'overlay':22} {slug}")
    print(f"{len(built) - len(extra)} of {len(rows)} built, {len(extra)} in the overlay")
    return 0
