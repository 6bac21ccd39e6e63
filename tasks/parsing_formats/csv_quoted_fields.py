"""Quoted fields hold separators, quotes and line breaks; a row is not a line."""

import re
from functools import cache

from sandbox.checks import Check, Compare, Step, call, take
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "escape",
        doubled={
            "escape_clause": """Two '"' side by side within it stand for one""",
            "escaped": "text[at : at + 2] == QUOTE * 2",
            "content": r'(?:[^"]|"")*',
            "one_line": r'(?:[^"\n]|"")*',
            "unescaped": """quoted.replace('""', '"')""",
            "chained": "",
        },
        backslash={
            "escape_clause": """A backslash within it is dropped, and the character after it, '"'"""
            " and backslash included, is data",
            "escaped": r'text[at] == "\\"',
            "content": r'(?:[^"\\]|\\[\s\S])*',
            "one_line": r'(?:[^"\\\n]|\\[\s\S])*',
            "unescaped": r're.sub(r"\\([\s\S])", r"\1", quoted)',
            "chained": r"""quoted.replace('\\"', '"').replace("\\\\", "\\")""",
        },
    ),
    knob(
        "bare_empty",
        text={
            "empty_clause": "is ''",
            "none_type": "",
            "or_none": "",
            "filler": '""',
        },
        none={
            "empty_clause": "is None",
            "none_type": " | None",
            "or_none": " or None",
            "filler": "None",
        },
    ),
    knob(
        "blanks",
        data={
            "before_clause": "",
            "after_clause": "",
            "skip_blanks": "",
            "pad": "",
            "strip": "",
        },
        ignored={
            "before_clause": ", or its first one behind blanks (U+0020)",
            "after_clause": " Blanks before its first '\"' and after its last are ignored.",
            "skip_blanks": 'while text[at : at + 1] == " ":\n    at += 1',
            "pad": " *",
            "strip": '.strip(" ")',
        },
    ),
    knob(
        "short",
        refused={
            "short_clause": "is refused",
            "unfit": "!=",
            "too_short_only": "<",
            "filled": "row",
        },
        padded={
            "short_clause": "is filled up with empty bare fields",
            "unfit": ">",
            "too_short_only": "",
            "filled": "row + [$filler] * ($width - len(row))",
        },
    ),
    knob(
        "inner",
        literal={
            "inner_clause": "is data",
            "inner_rule": "",
            "bare_pattern": r'(?!$pad")[^$sep\n]*',
        },
        refused={
            "inner_clause": "is refused",
            "inner_rule": "if text[at] == QUOTE:\n    raise $error(number)",
            "bare_pattern": r'[^"$sep\n]*',
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "rows",
        r"""Fields are parted by '$sep' and rows by '\n', which may also end the last row. An empty
        row, which has no character at all, is skipped and not counted, at the top too. Every other character, '\r'
        included, is data where the clauses below do not say otherwise.""",
    ),
    Clause(
        "quoted",
        """A field is quoted if '"' is its first character$before_clause; it ends with the next '"'
        that is not escaped. Its value is what lies between the two, '$sep' and line breaks
        included. $escape_clause.$after_clause Any other character between its end and the '$sep',
        line break or end of the text is refused, and so is a quoted field without an end.""",
    ),
    Clause(
        "bare",
        """Every other field is bare, and all its characters are its value, blanks and backslashes
        included. A '"' in a bare field $inner_clause.""",
    ),
    Clause("empty", "An empty bare field $empty_clause; an empty quoted field is ''."),
    Clause(
        "width",
        """A row with more fields than the first row is refused. A row with fewer fields
        $short_clause.""",
    ),
    Clause(
        "refusal",
        """Refused means that $error is raised with one argument, the number of the row. Rows are
        counted, not lines, and the first row has number 1. $meanwhile""",
    ),
)

# The first repairs that come to mind, in the words of both shapes.
LONG_ROWS = change("long_rows", slots={"unfit": "$too_short_only"}, when={"short": "refused"})
LONG_PADDED = change(
    "long_rows",
    ("        if len(row) $unfit $width:\n            raise $error(number)\n", ""),
    when={"short": "padded"},
)
LINE_BREAKS = change(
    "line_breaks", ("    at = 0\n", '    text = text.replace("\\r\\n", "\\n")\n    at = 0\n')
)
BLANK_ROWS = change("blank_rows", ('if text[at] == "\\n":', "if text[at].isspace():"))
FILL_TEXT = change(
    "fill_text", ("[$filler] *", '[""] *'), when={"bare_empty": "none", "short": "padded"}
)
COUNT_LINES = 'number = text.count("\\n", 0, at) + 1'

FIELDS = Shape(
    name="fields",
    entry_point="$function",
    words={
        "opening": "$function(text) returns the list of the rows of a text, each a list of the"
        " values of its fields.",
        "meanwhile": "The first row with anything to refuse counts.",
        "width": "width",
    },
    module=r'''
"""$summary"""

SEPARATOR = "$sep"
QUOTE = '"'


class $error(Exception):
    """A row cannot be read; the argument is its number."""


def $function(text: str) -> list[list[str$none_type]]:
    """Read $things, the heading included."""
    rows: list[list[str$none_type]] = []
    at = 0
    while at < len(text):
        if text[at] == "\n":
            at += 1
            continue
        number = len(rows) + 1
        row: list[str$none_type] = []
        more = True
        while more:
            value, at = _field(text, at, number)
            row.append(value)
            more = text[at : at + 1] == SEPARATOR
            at += 1
        width = len(rows[0]) if rows else len(row)
        if len(row) $unfit width:
            raise $error(number)
        rows.append($filled)
    return rows


def _field(text: str, at: int, number: int) -> tuple[str$none_type, int]:
    """The value of the field that begins there, and where it ends."""
    start = at
    $skip_blanks
    if text[at : at + 1] == QUOTE:
        return _quoted(text, at + 1, number)
    while at < len(text) and text[at] not in (SEPARATOR, "\n"):
        $inner_rule
        at += 1
    return text[start:at]$or_none, at


def _quoted(text: str, at: int, number: int) -> tuple[str, int]:
    value = ""
    while at < len(text):
        if $escaped:
            value += text[at + 1 : at + 2]
            at += 2
        elif text[at] != QUOTE:
            value += text[at]
            at += 1
        else:
            at += 1
            $skip_blanks
            if at < len(text) and text[at] not in (SEPARATOR, "\n"):
                break
            return value, at
    raise $error(number)
''',
    bugs=(
        change("line_ends", ("while at < len(text):\n        if $escaped:",
                             'while at < len(text) and text[at] != "\\n":\n        if $escaped:')),
        change("pair_kept", ("value += text[at + 1 : at + 2]", "value += text[at : at + 2]")),
        change("quoted_none", ("row.append(value)", "row.append(value or None)"),
               ("text[start:at] or None, at", "text[start:at], at"), when={"bare_empty": "none"}),
        change("count", ("number = len(rows) + 1", COUNT_LINES)),
        change("last_empty", ("while more:", "while more and at < len(text):"), when={"short": "refused"}),
    ),
    known_failing=(
        LONG_ROWS, LONG_PADDED, LINE_BREAKS, BLANK_ROWS, FILL_TEXT,
        change("junk", ("            if at < len(text) and text[at] not in (SEPARATOR, \"\\n\"):\n                break\n",
                        "            while at < len(text) and text[at] not in (SEPARATOR, \"\\n\"):\n                at += 1\n")),
        change("unclosed", ("                break\n", "                raise $error(number)\n"),
               ("            return value, at\n    raise $error(number)\n", "            return value, at\n    return value, at\n"),
               against=("line_ends", "pair_kept", "last_empty")),
        change("strip_bare", ("text[start:at]$or_none", "text[start:at]$strip$or_none"), when={"blanks": "ignored"}),
    ),
)  # fmt: skip

RECORDS = Shape(
    name="records",
    entry_point="$records",
    words={
        "opening": "$records(text) is a generator over a text. The first row names the columns, by"
        " texts that are all different and never empty; for each row after it a dict of the values"
        " of its fields by column is yielded.",
        "meanwhile": "The rows before it are yielded first.",
        "width": "len(columns)",
    },
    module=r'''
"""$summary"""

import re
from collections.abc import Iterator

_FIELD = re.compile(
    r'(?:$pad"(?P<quoted>$content)"$pad|(?P<bare>$bare_pattern))(?P<end>[$sep\n]|\Z)'
)


class $error(Exception):
    """A row cannot be read; the argument is its number."""


def $records(text: str) -> Iterator[dict[str, str$none_type]]:
    """Read $things below the heading, each as a dict."""
    columns: list[str] = []
    number = 0
    at = 0
    while at < len(text):
        if text[at] == "\n":
            at += 1
            continue
        number += 1
        row, at = _row(text, at, number)
        if not columns:
            columns = row
        if len(row) $unfit len(columns):
            raise $error(number)
        if row is not columns:
            yield dict(zip(columns, $filled))


def _row(text: str, at: int, number: int) -> tuple[list[str$none_type], int]:
    """The values of the row that begins there, and where the next one may begin."""
    row, end = [], "$sep"
    while end == "$sep":
        field = _FIELD.match(text, at)
        if field is None:
            raise $error(number)
        bare, quoted = field["bare"], field["quoted"]
        if quoted is None:
            row.append(bare$or_none)
        else:
            row.append($unescaped)
        at, end = field.end(), field["end"]
    return row, at
''',
    bugs=(
        change("line_ends", slots={"content": "$one_line"}),
        change("raw", ("row.append($unescaped)", "row.append(quoted)")),
        change("quoted_none", ("if quoted is None:", "if not quoted:")),
        change("count", ("    number = 0\n", ""), ("number += 1", COUNT_LINES)),
        change("last_empty", ('while end == "$sep":', 'while end == "$sep" and at < len(text):'), when={"short": "refused"}),
    ),
    known_failing=(
        LONG_ROWS, LONG_PADDED, LINE_BREAKS, BLANK_ROWS, FILL_TEXT,
        change("junk", ("(?P<end>[", "[^$sep\\n]*(?P<end>["), against=("line_ends", "raw", "quoted_none", "last_empty")),
        change("unclosed", ('$content)"$pad|', '$content)"?$pad|'), against=("raw", "quoted_none", "last_empty")),
        change("strip_bare", ("(bare$or_none)", "(bare$strip$or_none)"), when={"blanks": "ignored"},
               against=("line_ends", "raw", "count", "last_empty")),
        change("chained", ("row.append($unescaped)", "row.append($chained)"), when={"escape": "backslash"}),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "bank statement", summary="Bank statements as the branch exports them.",
        function="read_statement", records="bookings", things="the bookings of a statement",
        error="StatementError", columns=("payee", "amount", "purpose"),
    ),
    scenario(
        "product import", summary="Product lists of suppliers.", function="product_rows",
        records="read_products", things="the products of a list", error="ImportRefused",
        columns=("sku", "name", "details"),
    ),
    scenario(
        "survey export", summary="Answers exported from the survey tool.",
        function="survey_rows", records="survey_answers", things="the answers of a survey",
        error="SurveyFormatError", columns=("question", "answer", "comment"),
    ),
    scenario(
        "address list", summary="Address lists for the mail merge.", function="load_addresses",
        records="recipients", things="the addresses of a list", error="AddressListError",
        columns=("name", "street", "city"),
    ),
    scenario(
        "sensor log", summary="Logs that the sensor gateway writes.", function="parse_log",
        records="log_entries", things="the entries of a log", error="LogFormatError",
        columns=("sensor", "reading", "note"),
    ),
)  # fmt: skip

STRICT = Compare(exception_args=True)
WORDS = ("ab", "c d", "7", "x\\y", "e\r", "\u2028f", "\\", "it's")


@cache
def taken(turn: int) -> Step:
    return take(f"rows{turn}", 9)


def read(v: Variant, clauses: str, *texts: str) -> Check:
    """Every text is read on its own, below a heading of two columns or three."""
    steps = []
    for turn, text in enumerate(texts):
        if v.shape == "records":
            steps += [call(v.entry_point, text, bind=f"rows{turn}"), taken(turn)]
        else:
            steps.append(call(v.entry_point, text))
    names = v.clauses("call", "rows", clauses)
    return Check(tuple(steps), clauses=names, compare=STRICT)


def table(v: Variant, width: int, *rows, end: str = "\n") -> str:
    """A text of rows, each a sequence of fields as they are written, below a heading."""
    separator = v["sep"]
    lines = [separator.join(row) for row in (v["columns"][:width], *rows)]
    return "\n".join(lines) + end


def quoted(v: Variant, value: str, before: str = "", after: str = "") -> str:
    """The value as a quoted field; the blanks around it only where they are ignored."""
    if v["escape"] == "doubled":
        inner = value.replace('"', '""')
    else:
        # Any character may have a backslash before it; here the letter a has one as well.
        inner = "".join([f"\\{char}" if char in '\\"a' else char for char in value])
    return f'{before}"{inner}"{after}' if v["blanks"] == "ignored" else f'"{inner}"'


def drawn_value(v: Variant, s: Stream, low: int = 0) -> str:
    return s.text((v["sep"], "\n", '"', "a", "\\", " ", "\r\n"), low, 5)


def drawn_field(v: Variant, s: Stream) -> str:
    """A field that is not refused."""
    kind = s.below(4)
    if kind < 2:
        return quoted(v, drawn_value(v, s), s.choice(("", " ", "  ")), s.choice(("", " ")))
    return s.choice((*WORDS, "", " ", " g ")) if kind == 2 else s.choice(WORDS)


def visible(v: Variant, s: Stream):
    """Plain fields, and quoted ones with separators."""
    one, two, three = s.sample(("Ann", "Bo Li", "42", "red", "open"), 3)
    yield read(v, "bare", table(v, 3, (one, two, three), (two, one, two), end=""))
    yield read(v, "quoted", table(v, 2, (quoted(v, one + v["sep"] + two), three), (two, three)))
    rows = [(quoted(v, one + v["sep"]), quoted(v, two), three)]
    short = [(two,)] if v["short"] == "padded" and v["bare_empty"] == "text" else []
    yield read(v, "quoted width", table(v, 3, *rows, *short, end=""))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A line break or an escape in a quoted field; an empty one; a number; a trailing separator."""
    one, two = s.sample(("Ann", "Bo", "42", "red"), 2)
    if bug in ("line_ends", "count"):
        rows: list[tuple[str, ...]] = [(quoted(v, f"{one}\n{two}"), two)]
        if bug == "count":
            rows.append((one,) if v["short"] == "refused" else (two, f'"{one}'))
        return read(v, "quoted refusal", table(v, 2, *rows))
    if bug == "last_empty":
        return read(v, "empty", table(v, 2, (one, two), (two, ""), end=""))
    field = quoted(v, "" if bug == "quoted_none" else f'{one} "{two}" {one}')
    return read(v, "quoted empty", table(v, 2, (one, field), (field, two)))


def rich_values(v: Variant, s: Stream) -> Check:
    """Quoted fields full of separators, quotes, backslashes and line breaks."""
    rows = [[quoted(v, drawn_value(v, s, 2)), s.choice(WORDS)] for _ in range(2)]
    return read(v, "quoted bare", table(v, 2, *map(s.shuffle, rows), end=s.choice(("", "\n"))))


def empties(v: Variant, s: Stream) -> Check:
    """Empty and blank fields, quoted or not, at every place, and rows without anything."""
    pool = ("", "", '""', " ", s.choice(WORDS))
    rows = [[s.choice(pool) for _ in range(2)] for _ in range(3)]
    rows.insert(s.below(4), [""])
    last = (s.choice(WORDS), "")
    return read(v, "empty bare", s.choice(("", "\n")) + table(v, 2, *rows, last, end=""))


def blanks(v: Variant, s: Stream) -> Check:
    """Blanks before and behind quoted and bare fields."""
    before, after = s.choice((" ", "  ")), s.choice(("", " "))
    value = s.choice(("a", v["sep"], f"b{v['sep']}c", "", "d\n"))
    inner = f'{before}"{value}"{after}'
    other = s.choice((f"{before}e{after}", "f ", " "))
    return read(
        v,
        "quoted bare",
        table(v, 2, (other, "g"), ("h", inner)),
        table(v, 2, (f'"{value}" ', other)),
    )


def bare_quotes(v: Variant, s: Stream) -> Check:
    """Quotes within bare fields, behind a quoted field of several lines."""
    odd = s.choice(('d"e', 'd""', 'd "e" ', 'd"e"', '\\"d'))
    rows = s.shuffle([(quoted(v, "a\n" * s.below(3)), s.choice(WORDS)), (s.choice(WORDS), odd)])
    return read(v, "bare refusal", table(v, 2, *rows), table(v, 2, (odd, quoted(v, "b")), end=""))


def refused(v: Variant, s: Stream) -> Check:
    """Something to refuse, in a row behind others that have several lines or none."""
    texts = []
    for endless in (False, True):
        rows = [(quoted(v, s.text(("b", "\n", '"'), 1, 3)), "c") for _ in range(s.between(0, 2))]
        odd = s.choice(('"d" e', '"d"e', '""f ', '"d"\r', 'd"e'))
        if endless:
            odd = s.choice(('"', '"d', '"d\n', '"d""' if v["escape"] == "doubled" else '"d\\"'))
        blank, before = s.choice(("", "\n")), s.choice(("", "c"))
        texts.append(table(v, 2, *rows, end="\n" + blank) + before + v["sep"] + odd)
    return read(v, "quoted bare refusal", *texts)


def widths(v: Variant, s: Stream) -> Check:
    """Rows with fewer and with more fields than the first, behind a row of several lines."""
    texts = []
    for change_by in s.shuffle((-1, 1)):
        width = s.between(2, 3)
        wide_row = [quoted(v, "a\n" * s.below(3)), *"bc"[: width - 1]]
        odd = [drawn_field(v, s) for _ in range(width + change_by)]
        # An empty row would be none at all.
        odd[0] = odd[0] or "d"
        texts.append(table(v, width, wide_row, odd, wide_row))
    return read(v, "width refusal", *texts)


def wide(v: Variant, s: Stream) -> Check:
    """Drawn fields, or a soup of the characters that matter."""
    if s.chance(1, 3):
        pieces = ("a", v["sep"], '"', "\n", " ", "\\", '""')
        soup = (s.text(pieces, 1, 5) + v["sep"] + s.text(pieces, 0, 4) for _ in range(2))
        return read(v, "quoted bare refusal", *(table(v, 2, (text,)) for text in soup))
    rows = [[drawn_field(v, s) for _ in range(3)] for _ in range(2)]
    ends = ("", "\n", "\n\n", v["sep"])
    return read(v, "quoted bare empty", table(v, 3, *rows, end=s.choice(ends)))


def oracle(v: Variant):
    """Goes from piece to piece and keeps in mind what it is in the middle of."""
    refusal = type(v["error"], (Exception,), {"__module__": "module"})
    end, sep, doubled = object(), v["sep"], v["escape"] == "doubled"
    nothing = None if v["bare_empty"] == "none" else ""
    ignores, refuses_inner = v["blanks"] == "ignored", v["inner"] == "refused"
    breaks, refuses_short = {sep, "\n", end}, v["short"] == "refused"
    # Characters with a meaning stand alone; what lies between two of them is one piece.
    pieces = re.compile(f'[{re.escape(sep)}"\n\\\\ ]|[^{re.escape(sep)}"\n\\\\ ]+').findall

    def rows(text):
        number, row, value, state, width = 1, [], "", "open", None
        for piece in [*pieces(text), end]:
            if state == "quoted" or state == "taken":
                if piece is end:
                    raise refusal(number)
                if state == "taken":
                    value, state = value + piece, "quoted"
                elif piece == "\\" and not doubled:
                    state = "taken"
                elif piece == '"':
                    state = "behind"
                else:
                    value += piece
            elif state == "behind" and piece == '"' and doubled:
                value, state = value + piece, "quoted"
            elif piece in breaks:
                is_bare_empty = state == "open" and value == ""
                if is_bare_empty and piece != sep and not row:
                    continue
                row.append(nothing if is_bare_empty else value)
                value, state = "", "open"
                if piece == sep:
                    continue
                width = width or len(row)
                if len(row) > width or (len(row) < width and refuses_short):
                    raise refusal(number)
                yield row + [nothing] * (width - len(row))
                number, row = number + 1, []
            elif state != "open":
                if piece != " " or not ignores:
                    raise refusal(number)
                state = "over"
            elif piece != '"':
                value += piece
            elif value.strip(" " if ignores else "") == "":
                value, state = "", "quoted"
            elif refuses_inner:
                raise refusal(number)
            else:
                value += piece

    def records(text):
        found = rows(text)
        columns = next(found, None)
        for row in found:
            yield {column: row[at] for at, column in enumerate(columns or ())}

    names = {v["function"]: lambda text: list(rows(text)), v["records"]: records}
    return {**names, v["error"]: refusal}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(FIELDS, RECORDS),
    scenarios=SCENARIOS,
    choices={"sep": (",", ";", "|")},
    visible=visible,
    symptom=symptom,
    edges=(rich_values, empties, blanks, bare_quotes, refused, widths),
    wide=wide,
    oracle=oracle,
    effects=True,
)
