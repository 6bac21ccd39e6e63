"""The few modules of ours that a zygote holds, carried as code instead of as files.

No path of this installation is readable in a jail, and none shows in a traceback. What compiling
leaves behind in a heap stays in the process that compiles.
"""

from __future__ import annotations

import marshal
import re
from pathlib import Path

# What a zygote runs by -c: arguments are its settings and the descriptor that holds the code.
# The finder has to exist before the first module of ours can be imported.
BOOTSTRAP = """
import json, marshal, os, sys, types
with os.fdopen(int(sys.argv[2]), "rb") as carried: codes = marshal.load(carried)
module = types.ModuleType("carried")
exec(marshal.loads(codes.pop("sandbox.jail.carried")), module.__dict__)
sys.meta_path.insert(0, module.CodeFinder(codes))
from sandbox.jail.zygote import main
main(json.loads(sys.argv[1]))
"""
# Carried for every runner.
_ALWAYS = ("sandbox.jail.carried", "sandbox.jail.zygote")


def collect_code(runner: str, root: Path) -> bytes:
    """The modules of `collect_sources` compiled, for an interpreter like this one: marshalled, by
    name, as `carried` reads them."""
    return marshal.dumps(
        {
            name: marshal.dumps(compile(text, "<string>", "exec", dont_inherit=True))
            for name, text in collect_sources(runner, root).items()
        }
    )


def collect_sources(runner: str, root: Path) -> dict[str, str]:
    """Text of `runner`, of the zygote, and of every module under `root` that they import."""
    ours = {"sandbox", runner.partition(".")[0]}
    texts: dict[str, str] = {}
    waiting = [runner, *_ALWAYS]
    while waiting:
        name = waiting.pop()
        if name.partition(".")[0] not in ours:
            continue
        text = _text_of(name, root)
        if name in texts or text is None:
            continue
        texts[name] = text
        waiting += _imported(text)
        waiting += [name.rpartition(".")[0]] if "." in name else []
    return texts


def _text_of(name: str, root: Path) -> str | None:
    """None for a name that is no module of ours; a folder without __init__.py is empty."""
    stem = root.joinpath(*name.split("."))
    for path in (stem / "__init__.py", stem.with_name(stem.name + ".py")):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return "" if stem.is_dir() else None


# Ours are written by one formatter, so that a pattern finds in a tenth of the time what a parser
# would; a line of prose that looks the same names a module that has no file.
_IMPORT = re.compile(
    r"^[ ]*(?:import ([\w., ]+)|from ([\w.]+) import (?:\(([^)]*)\)|([^\n(]+)))", re.MULTILINE
)


def _imported(text: str) -> list[str]:
    """Names that may be modules: an imported attribute is told apart by having no file."""
    names: list[str] = []
    for plain, module, inside, after in _IMPORT.findall(text):
        given = [part.split() for part in (plain or inside or after).split(",")]
        words = [part[0] for part in given if part]
        names += words if plain else [module, *(f"{module}.{word}" for word in words)]
    return names
