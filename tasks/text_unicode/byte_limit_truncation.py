"""A text is cut to a number of encoded bytes, between characters, with room for its marker."""

from sandbox.checks import Check, call
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "marker_bytes",
        inside={
            "room_clause": "The kept part and the $marker together have at most $limit bytes",
            "room_rule": "room = $limit - $mark_size\n$unfit",
            "in_characters": "room = $limit - len($marker)\n$unfit",
            "room": "room",
            "keep_room": "self._room = room",
            "recall": "room, $marker = self._room, self._$marker",
            "unfit_sentence": "A $marker of more than $limit bytes $unfit_clause.",
        },
        on_top={
            "room_clause": "The kept part alone has at most $limit bytes; the $marker comes on top"
            " of that, whatever its size",
            "room_rule": "",
            "in_characters": "",
            "room": "$all_bytes",
            "keep_room": "",
            "recall": "$marker = self._$marker",
            "unfit_sentence": "",
        },
    ),
    knob(
        "unfit_marker",
        dropped={
            "unfit_clause": "is left out where a $text is cut, and the kept part may have $limit"
            " bytes then",
            "unfit": 'if room < 0:\n    $marker, room = "", $limit',
            "other_unfit": 'if room < 0:\n    raise ValueError("no room for the $marker")',
        },
        refused={
            "unfit_clause": "raises ValueError $unfit_time",
            "unfit": 'if room < 0:\n    raise ValueError("no room for the $marker")',
            "other_unfit": 'if room < 0:\n    $marker, room = "", $limit',
        },
    ),
    knob(
        "encoding",
        utf8={
            "encoding_clause": "UTF-8",
            "codec": "utf-8",
            "even": "$room",
            "narrow": r'sum(1 if char < "\x80" else 2 for char in text)',
        },
        utf16={
            "encoding_clause": "UTF-16, without a byte order mark",
            "codec": "utf-16-le",
            "even": "$room // 2 * 2",
            "narrow": "2 * len(text)",
        },
    ),
    knob(
        "keep",
        head={
            "part_clause": "The kept part is the beginning of the $text, and the $marker follows"
            " it",
            "border": "is followed by a blank (U+0020) in the $text",
            "count_rule": "end = _count($text, $room)",
            "edge_rule": "end = bisect.bisect_right(edges, $room) - 1",
            "short_rule": "end = bisect.bisect_left(edges, $room) - 1",
            "byte_rule": '$no_half\nend = len(data[:$room].decode("$codec", "ignore"))',
            "character_rule": "end = min(len($text), $room)",
            "replace_rule": 'end = len(data[:$room].decode("$codec", "replace"))',
            "word_rule": 'if " " in $text[: end + 1]:\n    end = $text.rindex(" ", 0, end + 1)',
            "eager_rule": 'if " " in $text[:end]:\n    end = $text.rindex(" ", 0, end)',
            "part": "$text[:end]",
            "trim": "rstrip",
            "joined": "kept + $marker",
        },
        tail={
            "part_clause": "The kept part is the end of the $text, and the $marker precedes it",
            "border": "is preceded by a blank (U+0020) in the $text",
            "count_rule": "start = len($text) - _count($text[::-1], $room)",
            "edge_rule": "start = bisect.bisect_left(edges, edges[-1] - $room)",
            "short_rule": "start = bisect.bisect_right(edges, edges[-1] - $room)",
            "byte_rule": "$no_half\nsize = len(data) - $even\n"
            'start = len($text) - len(data[size:].decode("$codec", "ignore"))',
            "character_rule": "start = max(len($text) - $room, 0)",
            "replace_rule": "size = len(data) - $even\n"
            'start = len($text) - len(data[size:].decode("$codec", "replace"))',
            "word_rule": 'if " " in $text[start - 1 :]:\n'
            '    start = $text.index(" ", start - 1) + 1',
            "eager_rule": 'if " " in $text[start:]:\n    start = $text.index(" ", start) + 1',
            "part": "$text[start:]",
            "trim": "lstrip",
            "joined": "$marker + kept",
        },
    ),
    knob(
        "place",
        anywhere={
            "cut_clause": "The cut may fall between any two characters of the $text",
            "cut_rule": "",
        },
        at_word={
            "cut_clause": "The cut falls where a word ends: the kept part is the longest one,"
            " possibly an empty one, that $border. Where no such part exists, the cut"
            " may fall between any two characters",
            "cut_rule": "$word_rule",
        },
    ),
    knob(
        "blanks",
        stay={
            "blank_clause": "stay",
            "strip": "",
            "other_strip": '.$trim(" ")',
        },
        go={
            "blank_clause": "are taken off once it is chosen, and nothing takes their place",
            "strip": '.$trim(" ")',
            "other_strip": "",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "size",
        """Sizes are numbers of bytes in $encoding_clause. Every $limit is an integer; a negative one
        raises ValueError$negative_time.""",
    ),
    Clause("fits", "A $text of at most $limit bytes is given back as it is, without a $marker."),
    Clause(
        "part",
        """From a longer $text a part is kept. $part_clause. $room_clause. The kept part
        consists of whole characters (code points) and is the longest one that this clause and the
        next one allow.""",
    ),
    Clause("cut", "$cut_clause."),
    Clause(
        "blanks", "Blanks (U+0020) of the kept part on the side where it was cut $blank_clause."
    ),
    Clause("unfit", "$unfit_sentence"),
)

SIZE = """
def _size(text: str) -> int:
    return len(text.encode("$codec"))
"""

# What the shapes share: the end of a cut, and the repairs that go astray in the same manner.
NARROW = change("narrow", ('len(text.encode("$codec"))', "$narrow"))
STRIP_ALL = change("strip_all", slots={"strip": '.strip(" ")'})
BLANKS = change("blanks", slots={"strip": "$other_strip"})
EAGER = change("eager", slots={"word_rule": "$eager_rule"}, when={"place": "at_word"})
UNFIT = change("unfit", slots={"unfit": "$other_unfit"}, when={"marker_bytes": "inside"})
UNRESERVED = change(
    "unreserved",
    slots={
        "room_rule": "",
        "room": "$all_bytes",
        "keep_room": "",
        "recall": "$marker = self._$marker",
    },
    when={"marker_bytes": "inside"},
)
IN_CHARACTERS = change(
    "in_characters", slots={"room_rule": "$in_characters"}, when={"marker_bytes": "inside"}
)
SHORT_RESERVE = change(
    "short_reserve",
    slots={"room_rule": "$in_characters"},
    when={"marker_bytes": "inside"},
    against=("characters", "unreserved", "exact"),
)


def function_words(opening: str) -> dict[str, str]:
    return {
        "opening": opening,
        "negative_time": "",
        "unfit_time": "where a $text has to be cut",
        "mark_size": "_size($marker)",
        "all_bytes": "$limit",
        "no_half": "",
    }


SINGLE = Shape(
    name="single",
    entry_point="$function",
    words=function_words(
        "$function($text, $limit, $marker) returns the $text, cut if need be. A $marker that is"
        ' left out is "…", and it may be "".'
    ),
    module='''
"""$summary"""

from itertools import accumulate


def $function($text: str, $limit: int, $marker: str = "…") -> str:
    """The $text itself, or as much of it as $limit bytes hold."""
    if $limit < 0:
        raise ValueError("$limit must not be negative")
    if _size($text) <= $limit:
        return $text
    $room_rule
    $count_rule
    $cut_rule
    kept = $part$strip
    return $joined


def _count(text: str, room: int) -> int:
    """How many of the first characters of a longer text fit into the room."""
    sizes = accumulate(map(_size, text))
    return next(count for count, size in enumerate(sizes) if size > room)


'''
    + SIZE.lstrip("\n"),
    bugs=(
        change("characters", ("map(_size, text)", "map(len, text)")),
        UNRESERVED,
        IN_CHARACTERS,
        change("exact", ("_size($text) <= $limit", "_size($text) < $limit")),
        change("one_short", ("if size > room)", "if size >= room)")),
    ),
    known_failing=(
        NARROW, STRIP_ALL, BLANKS, EAGER, UNFIT, SHORT_RESERVE,
        change("negative", ('raise ValueError("$limit must not be negative")', "$limit = 0")),
        change("exact_fit", ("_size($text) <= $limit", "_size($text) < $limit"),
               against=("characters", "unreserved", "in_characters", "one_short")),
    ),
)  # fmt: skip

RECORD = Shape(
    name="record",
    entry_point="$record_function",
    words=function_words(
        "$record_function(record, limits, $marker) returns a new dict with the entries of record,"
        " a dict of ${text}s by field. limits is a dict of the $limit of each field, and an entry"
        " whose field has none is given back as it is; a field that record lacks is ignored,"
        ' whatever its $limit. A $marker that is left out is "…", and it may be "".'
    ),
    module='''
"""$summary"""

import bisect
from itertools import accumulate


def $record_function(
    record: dict[str, str], limits: dict[str, int], $marker: str = "…"
) -> dict[str, str]:
    """A copy of the record in which every $text keeps to the $limit of its field."""
    return {
        field: _cut($text, limits[field], $marker) if field in limits else $text
        for field, $text in record.items()
    }


def _cut($text: str, $limit: int, $marker: str) -> str:
    if $limit < 0:
        raise ValueError("$limit below zero")
    # edges[n] is the size of the first n characters.
    edges = [0, *accumulate(map(_size, $text))]
    if edges[-1] <= $limit:
        return $text
    $room_rule
    $edge_rule
    $cut_rule
    kept = $part$strip
    return $joined


'''
    + SIZE.lstrip("\n"),
    bugs=(
        change("characters", ('len(text.encode("$codec"))', "len(text)")),
        UNRESERVED,
        IN_CHARACTERS,
        change("exact", ("edges[-1] <= $limit", "edges[-1] < $limit")),
        change("one_short", slots={"edge_rule": "$short_rule"}),
    ),
    known_failing=(
        NARROW, STRIP_ALL, BLANKS, EAGER, UNFIT, SHORT_RESERVE,
        change("negative", ('raise ValueError("$limit below zero")', "$limit = 0")),
        change("exact_fit", ("edges[-1] <= $limit", "edges[-1] < $limit"),
               against=("characters", "unreserved", "in_characters", "one_short")),
    ),
)  # fmt: skip

CUTTER = Shape(
    name="cutter",
    entry_point="$cls",
    words={
        "opening": "$cls($limit, $marker) holds the rules for one kind of ${text}s, and"
        ' $cut($text) returns a $text, cut if need be. A $marker that is left out is "…", and it'
        ' may be "".',
        "negative_time": " when $cls is called",
        "unfit_time": "when $cls is called",
        "mark_size": 'len($marker.encode("$codec"))',
        "all_bytes": "self._$limit",
        "no_half": "# Half a character is no longer valid, and decoding leaves it out.",
    },
    module='''
"""$summary"""


class $cls:
    """Cuts ${text}s to a number of bytes; the rules are settled once."""

    def __init__(self, $limit: int, $marker: str = "…") -> None:
        if $limit < 0:
            raise ValueError("negative $limit")
        $room_rule
        self._$limit = $limit
        $keep_room
        self._$marker = $marker

    def $cut(self, $text: str) -> str:
        """The $text, or the part of it that fits and the $marker."""
        data = $text.encode("$codec")
        if len(data) <= self._$limit:
            return $text
        $recall
        $byte_rule
        $cut_rule
        kept = $part$strip
        return $joined
''',
    bugs=(
        UNRESERVED,
        IN_CHARACTERS,
        change("exact", ("len(data) <= self._$limit", "len(data) < self._$limit")),
        change("characters", slots={"byte_rule": "$character_rule"}),
    ),
    known_failing=(
        STRIP_ALL, BLANKS, EAGER, UNFIT, SHORT_RESERVE,
        change("replace", slots={"byte_rule": "$replace_rule"}),
        change("negative", ('raise ValueError("negative $limit")', "$limit = 0")),
        change("exact_fit", ("len(data) <= self._$limit", "len(data) < self._$limit"),
               against=("characters", "unreserved", "in_characters")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "push messages", summary="Push messages keep to the size that the gateway takes.",
        function="fit_notice", record_function="fit_payload", cls="NoticeCutter", cut="fit",
        text="notice", limit="max_bytes", marker="trailer",
    ),
    scenario(
        "database columns", summary="Values for columns whose size is counted in bytes.",
        function="clip_value", record_function="clip_row", cls="Column", cut="clip",
        text="value", limit="width", marker="suffix",
    ),
    scenario(
        "archive titles", summary="Titles that keep to the size which an archive takes.",
        function="short_title", record_function="short_titles", cls="TitleRule", cut="shorten",
        text="title", limit="budget", marker="mark",
    ),
    scenario(
        "label printer", summary="Lines for a label printer with small line buffers.",
        function="label_line", record_function="label_lines", cls="LinePrinter", cut="line",
        text="line", limit="buffer_size", marker="sign",
    ),
    scenario(
        "chat bridge", summary="Chat messages relayed to a network with short lines.",
        function="relay_message", record_function="relay_fields", cls="Relay", cut="relay",
        text="message", limit="line_bytes", marker="cut_mark",
    ),
)  # fmt: skip

CODECS = {"utf8": "utf-8", "utf16": "utf-16-le"}
WIDE = ("a", "b", " ", "é", "€", "😀")


def size(encoding: str, text: str) -> int:
    return len(text.encode(CODECS[encoding]))


def is_refused(v: Variant, limit: int, marker: str) -> bool:
    """Whether a cutter with these rules cannot be made."""
    inside = v["marker_bytes"] == "inside" and v["unfit_marker"] == "refused"
    return limit < 0 or (inside and size(v["encoding"], marker) > limit)


def asked(v: Variant, *requests, clauses: str = "") -> Check:
    """Each request is a text, a limit and perhaps a marker, put in the manner of the shape."""
    steps = []
    for turn, (text, limit, *marker) in enumerate(requests):
        if v.shape == "single":
            steps.append(call(v.entry_point, text, limit, *marker))
        elif v.shape == "record":
            record, limits = {"name": text, "note": "é" * turn}, {"name": limit, "code": -1}
            steps.append(call(v.entry_point, record, limits, *marker))
        elif is_refused(v, limit, *marker or "…"):
            steps.append(call(v.entry_point, limit, *marker))
        else:
            steps.append(call(v.entry_point, limit, *marker, bind=f"rule{turn}"))
            steps.append(call(f"rule{turn}.{v['cut']}", text))
    return Check(tuple(steps), clauses=v.clauses("call", "part", clauses))


def limit_for(v: Variant, room: int, marker: str) -> int:
    """The limit that leaves so many bytes for the kept part."""
    return room + (size(v["encoding"], marker) if v["marker_bytes"] == "inside" else 0)


def visible(v: Variant, s: Stream):
    """Texts that are clearly shorter or longer than the limit, cut within a word."""
    word, marker = s.text("abc", 3, 6), s.choice(".-+")
    yield asked(v, (word, 2 * len(word) + s.between(3, 9), marker), clauses="size fits")
    long_word = s.text(("é", "ab", "é"), 8, 11)
    yield asked(v, (long_word, limit_for(v, 2 * s.between(1, 3), ""), ""), clauses="size cut")
    yield asked(v, (s.text("xyz", 16, 20), limit_for(v, 2 * s.between(2, 4), marker), marker))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A word cut where the bug finds another place, or one that fits exactly."""
    kept = s.between(2, 4)
    if bug == "exact":
        word = s.text("abc", 4, 7)
        return asked(v, (word, size(v["encoding"], word), "."), clauses="fits")
    if bug == "in_characters":
        marker = "…" if v["encoding"] == "utf8" else ".."
        return asked(v, ("é" * 9, limit_for(v, 2 * kept, marker), marker), clauses="size")
    letters = "é" if bug == "characters" else "abc"
    word = s.text(letters, 16, 20)
    return asked(v, (word, limit_for(v, 2 * kept, "."), "."), clauses="size cut")


def around_the_size(v: Variant, s: Stream) -> Check:
    """Limits just below, at and just above the size of a text."""
    text = s.text(WIDE, 3, 7)
    exact, marker = size(v["encoding"], text), s.choice((".", "…", "", "»»"))
    steps = s.between(1, 2)
    limits = s.shuffle((exact, exact - steps, max(exact - 3, 0), exact + 1))
    return asked(v, *((text, limit, marker) for limit in limits), clauses="size fits")


def small_limits(v: Variant, s: Stream) -> Check:
    """Limits that the marker does not fit into, none at all, and one below zero."""
    text, marker = s.text(("a", "b", "é", "a "), 5, 8), s.choice(("…", "...", "😀"))
    least = size(v["encoding"], marker)
    limits = s.shuffle((least - 1, least, s.between(0, least)))
    rest = ((text, limit, marker) for limit in limits)
    odd = ("", 0, s.choice((marker, "", ""))), (text, -s.between(1, 9), "")
    return asked(v, *rest, *odd, clauses="size unfit fits")


def between_words(v: Variant, s: Stream) -> Check:
    """Texts of short words, cut before, at and behind the blanks; blanks at both ends."""
    gap = s.choice((" ", "  ", " "))
    words = [s.text("abé", 1, 4) for _ in range(4)]
    ends = s.choice(("", " ", "  "))
    text = ends + gap.join(words) + s.choice(("", " "))
    middle = size(v["encoding"], text[: len(text) // 2])
    step = 1 if v["encoding"] == "utf8" else 2
    limits = (limit_for(v, middle + n * step, ".") for n in (-1, 0, 1))
    first = limit_for(v, s.between(0, 3) * step, ".")
    return asked(v, *((text, limit, ".") for limit in (*limits, first)), clauses="cut blanks")


def wide_characters(v: Variant, s: Stream) -> Check:
    """Characters of two, three and four bytes, cut at every byte of one of them."""
    text = s.text(("😀", "€", "é", "😀"), 5, 8)
    start, marker = s.between(3, 8), s.choice(("…", "", ".."))
    limits = (limit_for(v, start + n, marker) for n in range(4))
    return asked(v, *((text, limit, marker) for limit in limits), clauses="size cut")


def wide(v: Variant, s: Stream) -> Check:
    """Two random texts, limits and markers; sometimes the marker is left out."""
    requests = []
    for _ in range(2):
        text, marker = s.text((*WIDE, "a", " "), 0, 9), s.choice(("…", "", "..", "é", "…"))
        near = max(size(v["encoding"], text) - s.between(0, 6), 0)
        limit = s.choice((near, s.between(0, 14)))
        requests.append((text, limit) if s.chance(1, 4) else (text, limit, marker))
    return asked(v, *requests, clauses="size cut blanks")


def oracle(v: Variant):
    """Tries every part of the text, from the longest to the empty one."""

    def rules(limit, marker):
        if limit < 0:
            raise ValueError
        if v["marker_bytes"] == "on_top":
            return limit, marker
        if size(v["encoding"], marker) <= limit:
            return limit - size(v["encoding"], marker), marker
        if v["unfit_marker"] == "refused":
            raise ValueError
        return limit, ""

    def kept_part(text, room):
        lengths = range(len(text), -1, -1)
        parts = [text[:n] if v["keep"] == "head" else text[len(text) - n :] for n in lengths]
        fitting = [part for part in parts if size(v["encoding"], part) <= room]
        if v["place"] == "at_word":
            for part in fitting:
                rest = len(text) - len(part)
                beside = text[len(part)] if v["keep"] == "head" else text[rest - 1]
                if beside == " ":
                    return part
        return fitting[0]

    def model(text, limit, marker="…", ready=None):
        if limit < 0:
            raise ValueError
        if size(v["encoding"], text) <= limit:
            return text
        room, marker = ready or rules(limit, marker)
        part = kept_part(text, room)
        if v["blanks"] == "go" and v["keep"] == "head":
            while part.endswith(" "):
                part = part[:-1]
        elif v["blanks"] == "go":
            while part.startswith(" "):
                part = part[1:]
        return part + marker if v["keep"] == "head" else marker + part

    class Cutter:
        def __init__(self, limit, marker="…"):
            self.limit, self.ready = limit, rules(limit, marker)

        def cut(self, text):
            return model(text, self.limit, ready=self.ready)

    def record(entries, limits, marker="…"):
        kept = dict(entries)
        for field, limit in limits.items():
            if field in kept:
                kept[field] = model(kept[field], limit, marker)
        return kept

    setattr(Cutter, v["cut"], Cutter.cut)
    return {v["function"]: model, v["record_function"]: record, v["cls"]: Cutter}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(SINGLE, RECORD, CUTTER),
    scenarios=SCENARIOS,
    allows=lambda k: k["marker_bytes"] == "inside" or k["unfit_marker"] == "dropped",
    visible=visible,
    symptom=symptom,
    edges=(around_the_size, small_limits, between_words, wide_characters),
    wide=wide,
    oracle=oracle,
)
