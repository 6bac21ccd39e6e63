"""A runner for tests of the jail: executes the frame as Python and sends what `emit` is given."""

from __future__ import annotations

from collections.abc import Callable


def run(frame: bytes, send: Callable[[bytes], None]) -> None:
    """The frame is source text; `emit(value)` in it sends repr(value) and a line end."""

    def emit(value: object) -> None:
        send(repr(value).encode() + b"\n")

    exec(compile(frame, "patch", "exec"), {"__name__": "patch", "emit": emit})
