"""The contract between the judge and the process of one patch.

Judge to process, one frame per patch, made by `pack_task` and read by `unpack_task`: the module's
text, the entry point, and the packed checks (inputs only; an expected value is never sent). The
jail hands the process exactly its own frame, and calls `sandbox.runner.run(frame, send)` in it.

Process to judge, through `send`, in this order and nothing else:
    LOADED, sequence 0, empty            or  LOAD_ERROR, sequence 0, the exception's label
    OBSERVATION, sequence 1, bytes       one for each check, in the order of the frame
Those of the first `shown` checks are sent before the next check begins, so that they are there
whatever the others do.
How the process ended comes from the zygote, on a channel that no patch can write to. The judge
counts bytes, owns the wall clock, and takes every frame for a claim: `read_answer` accepts the
complete, well-formed sequence and nothing after it.

All numbers are little-endian and of fixed width.
"""

import struct
from dataclasses import dataclass

VERSION = 2
LOADED, LOAD_ERROR, OBSERVATION = 1, 2, 3
# More than this in one answer is cut by the lane and the patch counts as crashed.
MAX_ANSWER = 4 << 20
_TASK = struct.Struct("<BHIII")
_LENGTH = struct.Struct("<I")
_HEAD = struct.Struct("<BII")
# The process of a patch may replace builtins; what is used there after the load is bound here.
_len, _pack_head = len, _HEAD.pack


class WireError(ValueError):
    """A frame that does not have the one form."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a process claims. `loaded` is False when the module did not load, and then `error` is
    the label of the exception. `complete` if every observation is there."""

    loaded: bool
    complete: bool
    observations: tuple[bytes, ...] = ()
    error: str = ""


def pack_task(source: bytes, entry_point: str, checks: list[bytes], shown: int = 0) -> bytes:
    """The frame for one patch; `checks` are made by `sandbox.packing.pack`."""
    name = entry_point.encode()
    head = _TASK.pack(VERSION, len(name), len(source), len(checks), shown)
    body = b"".join(part for check in checks for part in (_LENGTH.pack(len(check)), check))
    return b"".join((head, name, source, body))


def unpack_task(frame: bytes) -> tuple[bytes, str, list[bytes], int]:
    """(source, entry point, packed checks, shown)."""
    version, name_size, source_size, count, shown = _TASK.unpack_from(frame)
    if version != VERSION:
        raise WireError("unknown version")
    place = _TASK.size
    name = frame[place : place + name_size].decode()
    place += name_size
    source = frame[place : place + source_size]
    place += source_size
    checks = []
    for _ in range(count):
        (size,) = _LENGTH.unpack_from(frame, place)
        place += _LENGTH.size
        checks.append(frame[place : place + size])
        place += size
    if place != len(frame):
        raise WireError("bytes left over")
    return source, name, checks, shown


def pack_answer(kind: int, sequence: int, payload: bytes) -> bytes:
    """One frame of an answer."""
    return _pack_head(kind, sequence, _len(payload)) + payload


def read_answer(output: bytes, count: int) -> Answer:
    """The answer for `count` checks that hostile `output` makes up.

    Raises `WireError` for anything but the frames of the contract in their order; output that
    ends at a border of frames, too early, is an incomplete answer.
    """
    place = 0
    frames: list[bytes] = []
    while place < len(output):
        if len(frames) > count:
            raise WireError("bytes left over")
        kind, payload, place = _read_frame(output, place, len(frames))
        if kind == LOAD_ERROR:
            if place != len(output):
                raise WireError("bytes left over")
            return Answer(False, True, (), payload[:200].decode("utf-8", "replace"))
        frames.append(payload)
    return Answer(True, len(frames) == count + 1, tuple(frames[1:]))


def read_shown(output: bytes, shown: int) -> tuple[bytes, ...] | None:
    """The first `shown` observations, whatever follows them; None unless all are there."""
    place, found = 0, []
    try:
        for sequence in range(shown + 1):
            kind, payload, place = _read_frame(output, place, sequence)
            if kind == LOAD_ERROR:
                return None
            found.append(payload)
    except WireError:
        return None
    return tuple(found[1:])


def _read_frame(output: bytes, place: int, sequence: int) -> tuple[int, bytes, int]:
    """(kind, payload, where the next frame begins) of frame number `sequence`."""
    if place + _HEAD.size > len(output):
        raise WireError("cut off")
    kind, given, size = _HEAD.unpack_from(output, place)
    place += _HEAD.size
    payload = output[place : place + size]
    if len(payload) != size or given != sequence:
        raise WireError("bad frame")
    if sequence:
        right = kind == OBSERVATION
    else:
        right = kind == LOAD_ERROR or (kind == LOADED and not size)
    if not right:
        raise WireError("bad kind")
    return kind, payload, place + size
