"""`python3 -m sandbox check`: visible checks of patches on a user's own machine.

A line protocol for a client that keeps the process running. Every line in is answered by one line
out, in order; `docs` of the shapes are at `answer_line`. Visible checks only: nothing here knows a
hidden one, and expected observations come from the prompts.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.checks import Check
from sandbox.codec import CodecError
from sandbox.codec_json import check_from_json, observation_from_json
from sandbox.compare import matches
from sandbox.lanes import MEMORY_MIB, OUTPUT_BYTES, Lane, Limits
from sandbox.packing import pack
from sandbox.readable import readable
from sandbox.verdict import MAX_MODULE
from sandbox.wire import Answer, WireError, pack_task, read_answer

LIMITS = Limits(wall_ms=5_000, cpu_ms=2_000, memory_mib=MEMORY_MIB, output_bytes=OUTPUT_BYTES)
MAX_LINE = 4 << 20


class LineInvalid(ValueError):
    """A line that is not a request."""


def serve_lines(lines: Iterable[str], write: Callable[[str], None], lane: Lane) -> None:
    """Answers every line. A line that is no request gets {"id": null or its id, "error": why}."""
    for line in lines:
        if line.strip():
            write(json.dumps(answer_line(line, lane), ensure_ascii=True))


def answer_line(line: str, lane: Lane) -> dict[str, Any]:
    """In: {"id", "module": text or null, "entry_point", "visible": as in prompts.jsonl}.

    Out: {"id", "status": passed|failed|invalid|crashed|timed_out, "passed": n, "total": n,
    "failures": [{"assert": text, "outcome": text}]}.
    """
    name = None
    try:
        if len(line) > MAX_LINE:
            raise LineInvalid("line too long")
        document = json.loads(line)
        if type(document) is not dict:
            raise LineInvalid("not an object")
        name = document.get("id")
        module, entry_point = document.get("module"), document.get("entry_point")
        if not isinstance(module, str | None) or not isinstance(entry_point, str):
            raise LineInvalid("module or entry_point")
        if not (entry_point.isascii() and entry_point.isidentifier()):
            raise LineInvalid("module or entry_point")
        checks, expected, words = _visible(document.get("visible"))
    except (ValueError, RecursionError) as error:
        return {"id": name, "error": str(error)[:200] or type(error).__name__}
    return {"id": name, **run_visible(module, entry_point, checks, expected, words, lane)}


def _visible(given: Any) -> tuple[list[Check], list[bytes], list[str]]:
    if type(given) is not list or not given:
        raise LineInvalid("visible")
    checks, expected, words = [], [], []
    for item in given:
        if type(item) is not dict or not {"check", "assert", "expected"} <= set(item):
            raise LineInvalid("visible")
        checks.append(check_from_json(item["check"]))
        expected.append(observation_from_json(item["expected"]))
        words.append(str(item["assert"]))
    return checks, expected, words


def run_visible(
    module: str | None,
    entry_point: str,
    checks: list[Check],
    expected: list[bytes],
    words: list[str],
    lane: Lane,
) -> dict[str, Any]:
    """Runs one module against visible checks in a lane."""
    total = len(checks)
    source = (module or "").encode("utf-8", "surrogatepass")
    if module is None or len(source) > MAX_MODULE:
        return _told("invalid", 0, total, [])
    lane.submit(pack_task(source, entry_point, [pack(check) for check in checks]), LIMITS)
    run = lane.receive()
    try:
        answer = read_answer(run.output, total)
    except WireError:
        answer = Answer(True, False)
    if run.output and not answer.loaded:
        failure = {"assert": "the module loads", "outcome": answer.error.removeprefix(".")}
        return _told("invalid", 0, total, [failure])
    if not answer.complete or run.ending == "flooded":
        return _told("timed_out" if run.ending == "timed_out" else "crashed", 0, total, [])
    failures = []
    for check, wanted, found, text in zip(
        checks, expected, answer.observations, words, strict=True
    ):
        try:
            good = matches(wanted, found, check.compare)
        except CodecError:
            return _told("crashed", 0, total, [])
        if not good:
            failures.append({"assert": text, "outcome": readable(found)})
    status = "failed" if failures else "passed"
    return _told(status, total - len(failures), total, failures)


def _told(status: str, passed: int, total: int, failures: list[dict[str, str]]) -> dict[str, Any]:
    return {"status": status, "passed": passed, "total": total, "failures": failures}
