"""The runner of a lane that first tries to break out of itself and then takes patches: a client
that waits for its first answer starts one zygote and not two."""

from __future__ import annotations

from sandbox.jail import hostile
from sandbox.runner import run as run_patch


def run(frame: bytes, send: hostile.Send) -> None:
    """An attempt is a name in letters; the frame of a patch begins with its version."""
    if frame[:1].isalpha():
        hostile.run(frame, send)
    else:
        run_patch(frame, send)
