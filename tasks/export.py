"""Draws an epoch: public prompts and the drawing that lets the sandbox draw the same tasks again.

Hidden checks never come here: the draw gate runs them behind `accept`, and the prompts are rendered
from categories whose makers of hidden checks refuse to work.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from sandbox.codec_json import check_to_json, observation_to_json
from tasks.kit.accept import accept
from tasks.kit.asserts import readable
from tasks.kit.category import AuthoringError, Category
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.load import corpus_digest, load_category, overlay_folder
from tasks.kit.prompt import visible_expected
from tasks.kit.stream import commitment
from tasks.kit.task import PROMPT_VERSION, Task

DRAWING_VERSION = 1
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What one category adds to an epoch."""

    slug: str
    domain: str
    origin: str
    counters: tuple[int, ...]
    lines: tuple[bytes, ...]


def export(
    keys: Keys,
    root: bytes,
    chosen: Iterable[str],
    out: Path,
    overlay: str | None = None,
    jobs: int = 1,
    progress: Progress = lambda text: None,
) -> dict[str, Any]:
    """Write prompts.jsonl and drawing.json; gives the drawing. Same key and corpus, same bytes."""
    wanted = list(chosen)
    corpus = corpus_digest(overlay_folder(overlay))
    drawn: list[Drawn] = []
    with ProcessPoolExecutor(max(1, min(jobs, len(wanted)))) as pool:
        running = [pool.submit(draw_category, keys, slug, overlay) for slug in wanted]
        for count, future in enumerate(running, 1):
            drawn.append(future.result())
            progress(f"{count}/{len(wanted)} {drawn[-1].slug}")
    prompts = b"".join(line for category in drawn for line in category.lines)
    drawing = {
        "drawing": DRAWING_VERSION,
        "epoch": keys.epoch,
        "practice": keys.practice,
        "sealed": keys.sealed,
        "corpus": corpus,
        "prompt_version": PROMPT_VERSION,
        "prompts": {
            "sha256": hashlib.sha256(prompts).hexdigest(),
            "bytes": len(prompts),
            "count": sum(len(category.lines) for category in drawn),
        },
        "commitment": commitment(keys.epoch, root),
        "categories": [
            {
                "slug": category.slug,
                "domain": category.domain,
                "origin": category.origin,
                "counters": list(category.counters),
            }
            for category in drawn
        ],
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "prompts.jsonl").write_bytes(prompts)
    (out / "drawing.json").write_bytes(canonical(drawing))
    return drawing


def draw_category(keys: Keys, slug: str, overlay: str | None = None) -> Drawn:
    """Accepted counters and prompt lines of one category."""
    category = load_category(slug, overlay_folder(overlay))
    try:
        counters = accept(keys, category).counters
    except AuthoringError as error:
        raise AuthoringError(f"{slug}: {error}") from error
    blind = without_hidden(category)
    tasks = (draw_task(keys, blind, number, c) for number, c in enumerate(counters, 1))
    lines = tuple(canonical(prompt_line(task)) for task in tasks)
    return Drawn(slug, category.domain, category.origin, tuple(counters), lines)


def without_hidden(category: Category) -> Category:
    """The category without its makers of hidden checks: whoever asks for one gets an error."""

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("prompts never depend on hidden checks")

    return replace(category, edges=(refuse,), wide=refuse)


def prompt_line(task: Task) -> dict[str, Any]:
    """One task as the public sees it."""
    visible = [
        {
            "check": check_to_json(check),
            "assert": readable(check, expected),
            "expected": observation_to_json(expected),
        }
        for check, expected in zip(task.visible, visible_expected(task), strict=True)
    ]
    return {
        "instance_id": task.instance_id,
        "domain": task.domain,
        "category": task.category,
        "part": task.part,
        "entry_point": task.entry_point,
        "contract": list(task.contract),
        "module": task.module,
        "visible": visible,
        "prompt": task.prompt,
        "prompt_version": PROMPT_VERSION,
    }


def canonical(document: Any) -> bytes:
    """RFC 8785 for documents without fractions, and a line break."""
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"
