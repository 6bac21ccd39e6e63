"""Frames are cut at the announced length, whatever way the bytes arrive."""

from functools import cache
from typing import Literal

from sandbox.checks import Check, Compare, Ref, Step, call, callback
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "covers",
        body={
            "covers_clause": "the bytes of the body",
            "low_clause": "",
            "read_size": 'size = int.from_bytes(header, "$endian")',
            "announced": "size",
            "low": "",
            "minus": "",
        },
        header_too={
            "covers_clause": "the bytes of the header and of the body together",
            "low_clause": "A length of less than $width is refused in the same way.",
            "read_size": """
                length = int.from_bytes(header, "$endian")
                size = length - HEADER_SIZE
            """,
            "announced": "length",
            "low": "size < 0 or ",
            "minus": " - HEADER_SIZE",
        },
    ),
    knob(
        "order",
        big={"order_clause": "most", "endian": "big"},
        little={"order_clause": "least", "endian": "little"},
    ),
    knob(
        "zero",
        handed={
            "zero_clause": "is $handed like any other, as b''",
            "deliver_rule": "self._$deliver(body)",
            "skip_rule": "",
            "append_rule": "bodies.append(bytes(part[HEADER_SIZE:]))",
        },
        skipped={
            "zero_clause": "is skipped: it is not $handed",
            "deliver_rule": "if body:\n    self._$deliver(body)",
            "skip_rule": 'while body == b"":\n    body = self._take()',
            "append_rule": "if size:\n    bodies.append(bytes(part[HEADER_SIZE:]))",
        },
    ),
    knob(
        "limit",
        up_to={"limit_clause": "more than", "over": ">", "other_over": ">="},
        below={"limit_clause": "at least", "over": ">=", "other_over": ">"},
    ),
    knob(
        "rest",
        raises={
            "close_clause": "If a $frame is incomplete then, it raises EOFError with one argument,"
            " how many bytes of it have come, its header included; else it returns None.",
            "next_clause": "$next() raises EOFError if a $frame is incomplete, with one argument,"
            " how many bytes of it have come, its header included; else it returns None. It does so"
            " as often as it is called.",
            "result_clause": "EOFError is raised if a $frame is incomplete, with one argument, how"
            " many bytes of it have come, its header included; else $function returns the list of"
            " the bodies.",
            "close_type": "None",
            "close_rule": "if self._waiting:\n    raise EOFError(len(self._waiting))",
            "body_left": "if len(self._waiting) > HEADER_SIZE:\n"
            "    raise EOFError(len(self._waiting))",
            "end_rule": "if body is None and self._data:\n    raise EOFError(len(self._data))",
            "end_falsy": "if not body and self._data:\n    raise EOFError(len(self._data))",
            "end_body_left": "if body is None and len(self._data) > HEADER_SIZE:\n"
            "    raise EOFError(len(self._data))",
            "result_type": "list[bytes]",
            "result_rule": "if part:\n    raise EOFError(len(part))\nreturn bodies",
            "result_body_left": "if len(part) > HEADER_SIZE:\n"
            "    raise EOFError(len(part))\nreturn bodies",
        },
        returned={
            "close_clause": "It returns the bytes of a $frame that is incomplete then, its header"
            " included, or b'' if there is none.",
            "next_clause": "the bytes of a $frame that is incomplete, its header included, are"
            " returned in place of a body by one call of $next(); other calls return None.",
            "result_clause": "$function returns a tuple of two: the list of the bodies, and the"
            " bytes of a $frame that is incomplete, its header included, or b'' if there is none.",
            "close_type": "bytes",
            "close_rule": "return bytes(self._waiting)",
            "body_left": "return bytes(self._waiting[HEADER_SIZE:])",
            "end_rule": 'if body is None:\n    body, self._data = self._data or None, b""',
            "end_falsy": 'if not body:\n    body, self._data = self._data or None, b""',
            "end_body_left": "if body is None:\n"
            '    body, self._data = self._data[HEADER_SIZE:] or None, b""',
            "result_type": "tuple[list[bytes], bytes]",
            "result_rule": "return bodies, bytes(part)",
            "result_body_left": "return bodies, bytes(part[HEADER_SIZE:])",
        },
    ),
)

CONTRACT = (
    Clause("opening", "$opening"),
    Clause(
        "layout",
        """A $frame is a header of $width bytes and a body. The header is a length, an unsigned
        integer with its $order_clause significant byte first, which counts $covers_clause.""",
    ),
    Clause(
        "cuts",
        """Chunks are cut anywhere, also within a header, and one chunk may hold several ${frame}s.
        A $frame is $handed once its last byte is there.""",
    ),
    Clause("zero", "A $frame with an empty body $zero_clause."),
    Clause(
        "limit",
        """A $frame whose body would have $limit_clause $most bytes is refused: $error, with the
        length in the header as its one argument, is raised as soon as the header is complete;
        $meanwhile. $low_clause""",
    ),
    Clause("end", "$end_clause"),
)

HEAD = '''
"""$summary"""

from collections.abc import $imported

HEADER_SIZE = $width
$most_name = $most


class $error(Exception):
    """A header announces a length out of bounds, which is the argument."""


'''

SIZE = """

def _body_size(header: $raw) -> int:
    $read_size
    if ${low}size $over $most_name:
        raise $error($announced)
    return size
"""

AT_LIMIT = change("at_limit", slots={"over": "$other_over"})
COUNTS_HEADER = ("${low}size $over $most_name", "${low}length $over $most_name")
LIMIT_LENGTH = change("limit_length", COUNTS_HEADER, when={"covers": "header_too"})
NO_LOW = change("no_low", slots={"low": ""}, when={"covers": "header_too"})

BUFFER = Shape(
    name="buffer",
    entry_point="$cls",
    words={
        "imported": "Callable, Iterator",
        "raw": "bytearray",
        "handed": "given to $deliver",
        "meanwhile": "the ${frame}s before it are given to $deliver first, and no call follows",
        "opening": "$cls($deliver) takes bytes through $feed(chunk), which returns None, and calls"
        " $deliver(body) with the body of each $frame, as bytes, in order. $deliver never raises"
        " and makes no call of its own."
        " $held() gives the number of bytes taken so far that belong to no complete $frame.",
        "end_clause": "$close() is the last call, once all bytes have come. $close_clause",
    },
    module=HEAD
    + '''\
class $cls:
    """Cuts incoming bytes into ${frame}s and gives their bodies to $deliver."""

    def __init__(self, $deliver: Callable[[bytes], None]) -> None:
        self._$deliver = $deliver
        self._waiting = bytearray()

    def $feed(self, chunk: bytes) -> None:
        """Take the bytes that came in and deliver what they complete."""
        self._waiting += chunk
        for body in self._complete():
            $deliver_rule

    def $held(self) -> int:
        """How many bytes wait for the rest of their $frame."""
        return len(self._waiting)

    def $close(self) -> $close_type:
        """Say that no more bytes will come."""
        $close_rule

    def _complete(self) -> Iterator[bytes]:
        while len(self._waiting) >= HEADER_SIZE:
            end = HEADER_SIZE + _body_size(self._waiting[:HEADER_SIZE])
            if len(self._waiting) < end:
                return
            yield bytes(self._waiting[HEADER_SIZE:end])
            del self._waiting[:end]
'''
    + SIZE,
    bugs=(
        change("together", ("            if len(self._waiting) < end:\n                return\n", "")),
        change("more", ("len(self._waiting) < end", "len(self._waiting) <= end")),
        change("one_each", ("while len(self._waiting)", "if len(self._waiting)")),
        change(
            "header_lost",
            (
                "            end = HEADER_SIZE + _body_size(self._waiting[:HEADER_SIZE])\n",
                "            size = _body_size(self._waiting[:HEADER_SIZE])\n"
                "            del self._waiting[:HEADER_SIZE]\n",
            ),
            ("len(self._waiting) < end", "len(self._waiting) < size"),
            ("self._waiting[HEADER_SIZE:end]", "self._waiting[:size]"),
            ("del self._waiting[:end]", "del self._waiting[:size]"),
        ),
        LIMIT_LENGTH,
    ),
    known_failing=(
        AT_LIMIT,
        NO_LOW,
        change("header_more", ("len(self._waiting) >= HEADER_SIZE", "len(self._waiting) > HEADER_SIZE")),
        change(
            "empty_stops",
            (
                "            if body:\n                self._$deliver(body)\n",
                "            if not body:\n                break\n            self._$deliver(body)\n",
            ),
            when={"zero": "skipped"},
        ),
        change("body_left", slots={"close_rule": "$body_left"}),
        change(
            "late",
            (
                "HEADER_SIZE + _body_size(self._waiting[:HEADER_SIZE])",
                'HEADER_SIZE + int.from_bytes(self._waiting[:HEADER_SIZE], "$endian")$minus',
            ),
            ("            yield", "            _body_size(self._waiting[:HEADER_SIZE])\n            yield"),
            against=("together", "more", "one_each"),
        ),
        change("counts_header", COUNTS_HEADER, when={"covers": "header_too"},
               against=("together", "more", "one_each", "header_lost")),
    ),
)  # fmt: skip

READER = Shape(
    name="reader",
    entry_point="$reader",
    words={
        "imported": "Callable",
        "raw": "bytes",
        "handed": "returned",
        "meanwhile": "the ${frame}s before it are returned first, and no call follows",
        "opening": "$reader($receive) reads ${frame}s: $next() returns the body of the next one, as"
        " bytes. $receive() returns the next chunk of at least one byte, or b'' when the input has"
        " ended. It is called only while the bytes received so far do not settle what $next()"
        " returns or raises, and not again after b''.",
        "end_clause": "When the input has ended and all complete ${frame}s are returned,"
        " $next_clause",
    },
    module=HEAD
    + '''\
class $reader:
    """Reads ${frame}s one by one from a source that gives bytes in chunks of any size."""

    def __init__(self, $receive: Callable[[], bytes]) -> None:
        self._$receive = $receive
        self._data = b""
        self._ended = False

    def $next(self) -> bytes | None:
        """The body of the next $frame, or what the end of the input calls for."""
        body = self._take()
        $skip_rule
        $end_rule
        return body

    def _take(self) -> bytes | None:
        if not self._fill(HEADER_SIZE):
            return None
        end = HEADER_SIZE + _body_size(self._data[:HEADER_SIZE])
        if not self._fill(end):
            return None
        body = self._data[HEADER_SIZE:end]
        self._data = self._data[end:]
        return body

    def _fill(self, count: int) -> bool:
        """Receive until so many bytes are there; False if the input ends before that."""
        while len(self._data) < count and not self._ended:
            chunk = self._$receive()
            self._data += chunk
            self._ended = not chunk
        return len(self._data) >= count
'''
    + SIZE,
    bugs=(
        change("once", ("while len(self._data) < count and", "if len(self._data) < count and")),
        change("more", ("while len(self._data) < count", "while len(self._data) <= count")),
        change(
            "short_last",
            ("        if not self._fill(end):\n            return None\n", "        self._fill(end)\n"),
        ),
        change("drops", ("self._data = self._data[end:]", 'self._data = b""')),
        LIMIT_LENGTH,
    ),
    known_failing=(
        AT_LIMIT,
        NO_LOW,
        change("falsy", slots={"end_rule": "$end_falsy"}, when={"zero": "handed"}),
        change("header_more", ("self._fill(HEADER_SIZE)", "self._fill(HEADER_SIZE + 1)")),
        change("body_left", slots={"end_rule": "$end_body_left"}, against=("once", "more", "drops", "limit_length")),
        change(
            "asks_again",
            ("            self._data += chunk\n            self._ended = not chunk\n",
             "            if not chunk:\n                return False\n            self._data += chunk\n"),
        ),
        change(
            "late",
            (
                "HEADER_SIZE + _body_size(self._data[:HEADER_SIZE])",
                'HEADER_SIZE + int.from_bytes(self._data[:HEADER_SIZE], "$endian")$minus',
            ),
            ("        body = self._data[", "        _body_size(self._data[:HEADER_SIZE])\n        body = self._data["),
            against=("once", "more", "drops", "short_last"),
        ),
        change("counts_header", COUNTS_HEADER, when={"covers": "header_too"}, against=("once", "more", "drops", "short_last")),
    ),
)  # fmt: skip

STAGES = Shape(
    name="stages",
    entry_point="$function",
    words={
        "imported": "Iterable",
        "raw": "bytearray",
        "handed": "taken into the result",
        "meanwhile": "nothing is returned then",
        "opening": "$function(chunks) takes an iterable of bytes objects, which may be empty ones,"
        " and collects the bodies of the ${frame}s in them, as bytes, in order.",
        "end_clause": "When the chunks have ended, $result_clause",
    },
    module=HEAD
    + '''\
def $function(chunks: Iterable[bytes]) -> $result_type:
    """Collect the bodies of all ${frame}s in a stream that arrives in chunks."""
    bodies: list[bytes] = []
    part = bytearray()
    wanted, size = HEADER_SIZE, None
    for chunk in chunks:
        at = 0
        while True:
            taken = chunk[at : at + wanted - len(part)]
            part += taken
            at += len(taken)
            if len(part) < wanted:
                break
            if size is None:
                size = _body_size(part)
                wanted += size
                continue
            $append_rule
            part.clear()
            wanted, size = HEADER_SIZE, None
    $result_rule
'''
    + SIZE,
    bugs=(
        change("short", ("if len(part) < wanted:", "if len(part) < HEADER_SIZE:")),
        change("overtakes", ("chunk[at : at + wanted - len(part)]", "chunk[at : at + wanted]")),
        change("header_lost", ("wanted += size", "wanted = size")),
        change(
            "reset",
            ("    wanted, size = HEADER_SIZE, None\n    for chunk in chunks:\n        at = 0\n",
             "    for chunk in chunks:\n        at, wanted, size = 0, HEADER_SIZE, None\n"),
        ),
        LIMIT_LENGTH,
    ),
    known_failing=(
        AT_LIMIT,
        NO_LOW,
        change("bounded", ("while True:", "while at < len(chunk):")),
        change("body_left", slots={"result_rule": "$result_body_left"}),
        change(
            "late",
            ("size = _body_size(part)", 'size = int.from_bytes(part, "$endian")$minus'),
            ("            part.clear()\n", "            _body_size(part[:HEADER_SIZE])\n            part.clear()\n"),
            against=("short", "overtakes", "reset"),
        ),
        change("counts_header", COUNTS_HEADER, when={"covers": "header_too"}, against=("short", "overtakes", "reset", "header_lost")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "device protocol", summary="Frames of the meter bus.", cls="BusDecoder", reader="BusReader",
        function="bus_frames", frame="frame", feed="feed", held="pending", close="close",
        deliver="on_frame", receive="receive", next="next_frame", error="FrameError",
        most_name="PAYLOAD_LIMIT",
    ),
    scenario(
        "message queue", summary="Messages on a broker connection.", cls="MessageSplitter",
        reader="MessageSource", function="split_messages", frame="message", feed="data_received",
        held="backlog", close="eof_received", deliver="publish", receive="recv",
        next="next_message", error="MessageRefused", most_name="MESSAGE_LIMIT",
    ),
    scenario(
        "game server", summary="Packets between game client and server.", cls="PacketAssembler",
        reader="PacketReader", function="decode_packets", frame="packet", feed="push",
        held="buffered", close="finish", deliver="handle", receive="pull", next="read_packet",
        error="PacketError", most_name="PACKET_LIMIT",
    ),
    scenario(
        "backup archive", summary="Blocks of a backup archive.", cls="BlockParser",
        reader="ArchiveReader", function="archive_blocks", frame="block", feed="write",
        held="unparsed", close="end", deliver="store", receive="read_piece", next="read_block",
        error="ArchiveError", most_name="BLOCK_LIMIT",
    ),
    scenario(
        "payment terminal", summary="Requests from card terminals.", cls="TerminalLink",
        reader="TerminalReader", function="terminal_requests", frame="request", feed="received",
        held="incomplete", close="hang_up", deliver="process", receive="next_bytes",
        next="next_request", error="LengthRefused", most_name="REQUEST_LIMIT",
    ),
)  # fmt: skip

STRICT = Compare(exception_args=True)
BYTES = bytes(range(1, 60)) * 2
SILENT = callback()
PAIRS = [(f"link{turn}", f"source{turn}") for turn in range(4)]


@cache
def number_of(length: int, width: int, order: Literal["little", "big"]) -> bytes:
    return length.to_bytes(width, order)


def header(v: Variant, size: int) -> bytes:
    """The header of a body of so many bytes; a size below 0 gives a length below the header's."""
    width = v["width"]
    return number_of(size + width if v["covers"] == "header_too" else size, width, v["order"])


def cut(s: Stream, data: bytes, pieces: int) -> list[bytes]:
    """The data in at most so many chunks of at least one byte, or all in chunks of one length."""
    size = len(data)
    if pieces > 3:
        length = s.between(1, 3)
        return [data[at : at + length] for at in range(0, size, length)]
    places, below = {0, size}, s.below
    for _ in range(pieces - 1):
        places.add(below(size + 1))
    places = sorted(places)
    return [data[a:b] for a, b in zip(places, places[1:], strict=False)]


@cache
def ask(target: str) -> Step:
    return call(target)


@cache
def link(target: str, turn: int) -> Step:
    """A new decoder or reader with its callback."""
    return call(target, Ref(f"source{turn}"), bind=f"link{turn}")


class Talk:
    """One input: complete frames by their sizes, then a tail, which may begin a refused frame."""

    def __init__(self, v: Variant, s: Stream, sizes, tail: bytes = b"", refused=False, pieces=3):
        at, data, width = s.below(40), [], v["width"]
        extra = width if v["covers"] == "header_too" else 0
        for size in sizes:
            data += (number_of(size + extra, width, v["order"]), BYTES[at : at + size])
            at += 1
        data = b"".join(data)
        # Nothing is called after a refusal, so that a refused header ends in the last chunk.
        self.chunks = cut(s, data + (tail[:width] if refused else tail), pieces)
        if refused:
            self.chunks[-1] += tail[width:]
        shown = len(sizes) if v["zero"] == "handed" else len(sizes) - sizes.count(0)
        self.asks = shown + (1 if refused else 2)
        self.refused = refused


def check(v: Variant, clauses: str, *talks: Talk) -> Check:
    """Every talk has its own decoder."""
    steps, fixtures, entry, shape = [], {}, v.entry_point, v.shape
    for turn, talk in enumerate(talks):
        chunks = talk.chunks
        if shape == "stages":
            empty = [b""] if len(chunks) % 2 else []
            steps.append(call(entry, [*chunks[:1], *empty, *chunks[1:]]))
            continue
        name, source = PAIRS[turn]
        steps.append(link(entry, turn))
        if shape == "reader":
            fixtures[source] = callback(*chunks, b"")
            steps += [ask(f"{name}.{v['next']}")] * talk.asks
        else:
            fixtures[source] = SILENT
            feed, held = f"{name}.{v['feed']}", ask(f"{name}.{v['held']}")
            steps += [call(feed, chunk) for chunk in chunks]
            steps.insert(-1, held)
            if not talk.refused:
                steps += (held, ask(f"{name}.{v['close']}"))
    names = v.clauses("opening", "layout", "cuts", clauses)
    return Check(steps, fixtures, clauses=names, compare=STRICT)


def visible(v: Variant, s: Stream):
    """Small frames that arrive whole, one in each chunk or cut within the body."""
    yield check(v, "", once(v, s, [s.between(1, 3)]))
    yield check(v, "end", once(v, s, [s.between(1, 3)], s.between(1, 3)))
    size = v["most"] + s.between(3, 6)
    yield check(v, "limit", once(v, s, [2], refused=header(v, size) + BYTES[:size]))


def once(v: Variant, s: Stream, first, *more: int, refused: bytes = b"") -> Talk:
    """A talk in which each frame is one chunk; `first` may be several frames in one."""
    talk = Talk(v, s, [*first, *more], refused, bool(refused))
    data = b"".join(talk.chunks)
    ends = [sum(v["width"] + size for size in first)]
    for size in more:
        ends.append(ends[-1] + v["width"] + size)
    ends.append(len(data))
    starts = [0, *ends]
    talk.chunks = [data[a:b] for a, b in zip(starts, ends, strict=False) if b > a]
    talk.asks = min(talk.asks, len(first) + len(more) + 1)
    return talk


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A frame in two chunks; several frames in one; a large one; one that is never completed."""
    if bug == "limit_length":
        return check(v, "limit", once(v, s, [v["most"] - 1]))
    if bug in ("one_each", "drops"):
        return check(v, "", once(v, s, [2, s.between(1, 3), 3]))
    if bug == "short_last":
        talk = once(v, s, [2])
        talk.chunks.append(header(v, 3) + BYTES[: s.between(1, 2)])
        return check(v, "end", talk)
    talk = once(v, s, [3, 2])
    if bug != "more":
        data, place = b"".join(talk.chunks), v["width"] + 1
        talk.chunks = [data[:place], data[place : place + 1], data[place + 1 :]]
    return check(v, "", talk)


def cut_small(v: Variant, s: Stream) -> Check:
    """A few frames in chunks of a few bytes, the last one complete."""
    sizes = [s.between(0, 4), s.between(1, 5), s.between(1, 3)]
    return check(v, "zero end", Talk(v, s, sizes, pieces=9))


def empty_bodies(v: Variant, s: Stream) -> Check:
    """Empty bodies first, between others and at the end."""
    sizes = s.shuffle([0, s.between(1, 3), 0])
    return check(v, "zero end", Talk(v, s, sizes), once(v, s, [2], 0, s.between(1, 2), 0))


def around_the_limit(v: Variant, s: Stream) -> Check:
    """Bodies just below, at and just above the limit."""
    most = v["most"]
    talks = [Talk(v, s, [most - s.between(1, 3), s.between(1, 2)])]
    if v["limit"] == "up_to":
        talks.append(Talk(v, s, [s.between(1, 3), most]))
    first_refused = most + (v["limit"] == "up_to")
    for size in (first_refused, first_refused + s.between(0, 2)):
        tail = header(v, size) + BYTES[: s.choice((0, 0, size))]
        talks.append(Talk(v, s, [s.between(0, 3)], tail, True))
    return check(v, "limit", *talks)


def refused_early(v: Variant, s: Stream) -> Check:
    """A header that is refused, with nothing or only a part of a body behind it."""
    talks = []
    for size in (v["most"] + s.between(2, 90), -s.between(1, v["width"] - 1)):
        size = abs(size) + v["most"] if v["covers"] == "body" else size
        tail = header(v, size) + BYTES[: s.choice((0, 0, 1, 2))]
        talks.append(Talk(v, s, [s.between(0, 3) for _ in range(s.between(1, 2))], tail, True))
    return check(v, "limit", *talks)


def left_over(v: Variant, s: Stream) -> Check:
    """Inputs that end within a header, behind one, and within a body."""
    talks = []
    for length in (s.between(1, v["width"]), v["width"] + s.between(0, 2)):
        tail = (header(v, s.between(3, 5)) + BYTES)[:length]
        talks.append(Talk(v, s, [s.between(0, 3) for _ in range(s.below(3))], tail))
    return check(v, "end", *talks)


def wide(v: Variant, s: Stream) -> Check:
    """Frames of any allowed size in a drawn number of chunks, some of them incomplete."""
    most = v["most"] - (v["limit"] == "below")
    sizes = [s.choice((0, 1, 2, s.between(0, most), most)) for _ in range(s.between(1, 4))]
    tail = (header(v, 4) + BYTES)[: s.choice((0, s.below(v["width"] + 4)))]
    return check(v, "zero limit end", Talk(v, s, sizes, tail, pieces=s.between(2, 4)))


def oracle(v: Variant):
    """Reads everything received so far anew, from the first byte, whenever something is asked."""
    refusal = type(v["error"], (Exception,), {"__module__": "module"})

    def parse(data: bytes):
        """The bodies to hand over, the incomplete rest, and the length that is refused or None."""
        bodies, width = [], v["width"]
        while len(data) >= width:
            digits = data[:width] if v["order"] == "big" else data[:width][::-1]
            length = sum(byte * 256**n for n, byte in enumerate(reversed(digits)))
            total = length if v["covers"] == "header_too" else length + width
            largest = v["most"] if v["limit"] == "up_to" else v["most"] - 1
            if not 0 <= total - width <= largest:
                return bodies, data, length
            if len(data) < total:
                break
            if total > width or v["zero"] == "handed":
                bodies.append(data[width:total])
            data = data[total:]
        return bodies, data, None

    def at_end(rest):
        if rest and v["rest"] == "raises":
            raise EOFError(len(rest))

    class Decoder:
        def __init__(self, deliver):
            self.deliver, self.data, self.given = deliver, b"", 0

        def feed(self, chunk):
            self.data += chunk
            bodies, _, refused = parse(self.data)
            for body in bodies[self.given :]:
                self.deliver(body)
            self.given = len(bodies)
            if refused is not None:
                raise refusal(refused)

        def held(self):
            return len(parse(self.data)[1])

        def close(self):
            rest = parse(self.data)[1]
            at_end(rest)
            return rest if v["rest"] == "returned" else None

    class Reader:
        def __init__(self, receive):
            self.receive, self.data, self.given, self.ended = receive, b"", 0, False

        def next(self):
            while True:
                bodies, rest, refused = parse(self.data)
                self.given += 1
                if self.given <= len(bodies):
                    return bodies[self.given - 1]
                if refused is not None:
                    raise refusal(refused)
                if self.ended:
                    at_end(rest)
                    return rest if rest and self.given == len(bodies) + 1 else None
                chunk = self.receive()
                self.data, self.ended = self.data + chunk, not chunk
                self.given -= 1

    def collect(chunks):
        bodies, rest, refused = parse(b"".join(chunks))
        if refused is not None:
            raise refusal(refused)
        at_end(rest)
        return (bodies, rest) if v["rest"] == "returned" else bodies

    for name in ("feed", "held", "close"):
        setattr(Decoder, v[name], Decoder.__dict__[name])
    setattr(Reader, v["next"], Reader.next)
    names = {v["cls"]: Decoder, v["reader"]: Reader, v["function"]: collect}
    return {**names, v["error"]: refusal}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(BUFFER, READER, STAGES),
    scenarios=SCENARIOS,
    choices={"width": (2, 3, 4), "most": (8, 10, 12, 16)},
    visible=visible,
    symptom=symptom,
    edges=(cut_small, empty_bodies, around_the_limit, refused_early, left_over),
    wide=wide,
    oracle=oracle,
    stateful=True,
)
