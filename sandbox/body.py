"""Reads a request body with a cap that holds while it arrives."""

from email.message import Message
from io import BufferedIOBase

from sandbox.problem import Refusal

_CHUNK = 1 << 16
_MAX_LINE = 1 << 10


def read_body(stream: BufferedIOBase, headers: Message, most: int) -> bytes:
    """The body, by Content-Length or chunked.

    Raises `Refusal`: body-too-large as soon as the cap is passed, body-incomplete when it ends
    early or its framing is broken.
    """
    lengths = headers.get_all("Content-Length") or []
    codings = headers.get_all("Transfer-Encoding") or []
    # Two framings, or two lengths, are how one request is made to look like another.
    if len(lengths) + len(codings) != 1:
        raise Refusal("body-incomplete")
    if lengths:
        if not (lengths[0].isascii() and lengths[0].isdigit()):
            raise Refusal("body-incomplete")
        size = int(lengths[0]) if len(lengths[0]) < 16 else most + 1
        if size > most:
            raise Refusal("body-too-large")
        return _read_exactly(stream, size)
    if codings[0].strip().lower() != "chunked":
        raise Refusal("body-incomplete")
    return _read_chunks(stream, most)


def _read_exactly(stream: BufferedIOBase, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = stream.read1(min(size - len(parts), _CHUNK))
        if not part:
            raise Refusal("body-incomplete")
        parts += part
    return bytes(parts)


def _read_chunks(stream: BufferedIOBase, most: int) -> bytes:
    parts = bytearray()
    while True:
        digits = _line(stream).partition(b";")[0].strip()
        if not 0 < len(digits) <= 8 or digits.strip(b"0123456789abcdefABCDEF"):
            raise Refusal("body-incomplete")
        size = int(digits, 16)
        if len(parts) + size > most:
            raise Refusal("body-too-large")
        if size == 0:
            break
        parts += _read_exactly(stream, size)
        if _line(stream):
            raise Refusal("body-incomplete")
    for _ in range(16):  # trailers are read and forgotten
        if not _line(stream):
            return bytes(parts)
    raise Refusal("body-incomplete")


def _line(stream: BufferedIOBase) -> bytes:
    line = stream.readline(_MAX_LINE)
    if not line.endswith(b"\n"):
        raise Refusal("body-incomplete")
    return line.rstrip(b"\r\n")
