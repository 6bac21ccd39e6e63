"""The same digests under other hash seeds, locales, time zones and Python versions."""

import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PYTHONS_VARIABLE = "FAILMAP_PYTHONS"
# Categories a process looks at: starting one costs as much as a category.
PART = 12
_MINORS = ("python3.11", "python3.12", "python3.13", "python3.14")


@dataclass(frozen=True, slots=True)
class Environment:
    """An interpreter and the variables that must not matter."""

    name: str
    python: str
    variables: tuple[tuple[str, str], ...]


def environments(other_pythons: bool) -> list[Environment]:
    """Two that differ in hash seed, locale and time zone, and one for each other Python found."""
    plain = (("PYTHONHASHSEED", "1"), ("LC_ALL", "C"), ("TZ", "UTC"))
    far = (("PYTHONHASHSEED", "4021"), ("LC_ALL", "tr_TR.UTF-8"), ("TZ", "Asia/Kathmandu"))
    found = [
        Environment("hash seed 1", sys.executable, plain),
        Environment("hash seed 4021, Turkish, Kathmandu", sys.executable, far),
    ]
    if other_pythons:
        found += [Environment(f"Python {v}", path, far) for v, path in _other_pythons().items()]
    return found


def _other_pythons() -> dict[str, str]:
    """Version -> interpreter, of those named in FAILMAP_PYTHONS (parted as PATH is) or on PATH."""
    named = [path for path in os.environ.get(PYTHONS_VARIABLE, "").split(os.pathsep) if path]
    on_path = [path for name in _MINORS if (path := shutil.which(name))]
    this = platform.python_version()
    found = {version: path for path in (*on_path, *named) if (version := _version(path))}
    return {version: path for version, path in sorted(found.items()) if version != this}


def _version(python: str) -> str:
    """The version of an interpreter; empty for a command that is none, such as an unset shim."""
    command = [python, "-c", "import platform; print(platform.python_version())"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def differing(
    slugs: list[str], overlay: str | None, jobs: int, other_pythons: bool
) -> dict[str, str]:
    """Categories whose digest depends on the environment, with what differs."""
    chosen = environments(other_pythons)
    # Each environment in parts: two cores have three of them to share.
    parts = [slugs[start : start + PART] for start in range(0, len(slugs), PART)]
    results: list[dict[str, str]] = [{} for _ in chosen]
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        runs = [
            (result, pool.submit(_digests, env, part, overlay))
            for part in parts
            for env, result in zip(chosen, results, strict=True)
        ]
        for result, run in runs:
            result.update(run.result())
    faults: dict[str, str] = {}
    for slug in slugs:
        seen = [result.get(slug, "no digest") for result in results]
        if len(set(seen)) > 1:
            told = (f"{env.name}: {text[:60]}" for env, text in zip(chosen, seen, strict=True))
            faults[slug] = "draws or answers differ between environments: " + "; ".join(told)
    return faults


def _digests(environment: Environment, slugs: list[str], overlay: str | None) -> dict[str, str]:
    variables = {**os.environ, **dict(environment.variables)}
    if overlay:
        variables["FAILMAP_OVERLAY"] = str(Path(overlay).resolve())
    command = [environment.python, "-m", "tasks.kit.digest", *slugs]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return {slug: f"{environment.name} failed: {last}" for slug in slugs}
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())
