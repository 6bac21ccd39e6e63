"""What an interpreter needs on disk: itself, its standard library, its shared libraries.

Run as a program inside that interpreter, the module prints the footprint as JSON.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

# Extension modules for terminals and desktops, whose libraries a jail has no use for.
_UNWANTED = ("_tkinter", "_curses", "_curses_panel", "readline", "_dbm", "_gdbm", "_test", "xx")
_FOREIGN = ("site-packages", "dist-packages")
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Footprint:
    """Absolute paths.

    `listable` are the directories of the standard library, `readable` what in them a patch may
    read: every entry but packages that somebody installed. `libraries` are named as the dynamic
    loader looks them up.
    """

    executable: str
    listable: tuple[str, ...]
    readable: tuple[str, ...]
    hidden: tuple[str, ...]
    libraries: tuple[str, ...]


@functools.lru_cache(maxsize=8)
def footprint(interpreter: str | None = None) -> Footprint:
    """The footprint of `interpreter`, by default of the one that runs this.

    A virtual environment counts as the interpreter that it was made from. Raises OSError when it
    does not run.
    """
    executable = interpreter or base_interpreter()
    done = subprocess.run(
        [executable, *ISOLATED_FLAGS, "-m", __name__],
        env={"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        timeout=60,
    )
    if done.returncode != 0:
        raise OSError(f"{executable} does not run: {done.stderr.decode(errors='replace')[-300:]}")
    found = json.loads(done.stdout)
    return Footprint(
        executable=found["executable"],
        **{name: tuple(found[name]) for name in ("listable", "readable", "hidden", "libraries")},
    )


# -I would do all of this, but also ignore PYTHONHASHSEED: no user site, no site, no script path.
ISOLATED_FLAGS = ("-s", "-S", "-P", "-B")


def base_interpreter() -> str:
    """The real path of this interpreter, outside any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def is_listed(path: str, found: Footprint) -> bool:
    """Whether a path lies in one of the directories of the standard library."""
    return any(path.startswith(directory + os.sep) for directory in found.listable)


def _own_footprint() -> Footprint:
    directories = [path for path in sys.path if path and path != str(REPOSITORY)]
    listable = [path for path in directories if os.path.isdir(path)]
    readable = [path for path in directories if os.path.isfile(path)]
    hidden = []
    for directory in listable:
        for entry in sorted(os.listdir(directory)):
            path = os.path.join(directory, entry)
            if path in listable or entry == "__pycache__":
                readable.append(path)
            elif entry in _FOREIGN:
                hidden.append(path)
            else:
                readable.append(path)
    return Footprint(
        executable=base_interpreter(),
        listable=tuple(listable),
        readable=tuple(dict.fromkeys(readable)),
        hidden=tuple(hidden),
        libraries=tuple(_loaded_libraries(listable)),
    )


def _loaded_libraries(directories: list[str]) -> list[str]:
    for directory in directories:
        for entry in sorted(os.listdir(directory)):
            if entry.endswith(".so") and not entry.startswith(_UNWANTED):
                try:
                    ctypes.CDLL(os.path.join(directory, entry))
                except OSError:
                    # A module whose library is not installed fails to import outside a jail too.
                    continue
    # libc loads this one late, to end a thread.
    try:
        ctypes.CDLL("libgcc_s.so.1")
    except OSError:
        pass
    inside = tuple(directory + os.sep for directory in directories)
    return [path for path in _mapped_objects() if not path.startswith(inside)]


def _mapped_objects() -> list[str]:
    """Names of the loaded objects as the dynamic loader found them, not their real paths."""
    names: list[str] = []

    class Info(ctypes.Structure):
        """The head of struct dl_phdr_info."""

        _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]

    def note(info: object, _size: int, _data: object) -> int:
        name = info.contents.name  # type: ignore[attr-defined]
        if name and name.startswith(b"/"):
            names.append(os.fsdecode(name))
        return 0

    callback = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p
    )
    ctypes.CDLL(None).dl_iterate_phdr(callback(note), None)
    return names


if __name__ == "__main__":
    json.dump(asdict(_own_footprint()), sys.stdout)
