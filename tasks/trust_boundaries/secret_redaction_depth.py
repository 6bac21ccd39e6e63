"""Listed secrets are masked at every depth and in every listed spelling; nothing else changes."""

from functools import cache
from string import ascii_letters, digits

from sandbox.checks import Check, Ref, call, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "spelling",
        loose={
            "spelling_clause": "after every letter is put in lower case and every hyphen, underline and "
            "blank is taken out",
            "name_set": "{_plain(name) for name in names}", "key_form": "_plain(key)",
            "half_form": "key.lower()", "part_form": "any(name in _plain(key) for name in hidden)",
            "own_part_form": "any(name in _plain(key) for name in self._hidden)",
            "plain_helper": '''
                def _plain(key: str) -> str:
                    """The $field without case and separators."""
                    return key.lower().replace("-", "").replace("_", "").replace(" ", "")
            ''',
        },
        exact={
            "spelling_clause": "character by character",
            "name_set": "set(names)", "key_form": "key",
            "half_form": "key.lower()", "part_form": "any(name in key for name in hidden)",
            "own_part_form": "any(name in key for name in self._hidden)",
            "plain_helper": "",
        },
    ),
    knob(
        "hide",
        tail={
            "mask_clause": 'A secret text of at least $least characters is masked as "$mark" followed by its last $shown characters; a shorter '
            'one, the empty one included, as "$mark" alone',
            "sizes": "TAIL, LEAST = $shown, $least",
            "short_rule": "if len(value) < LEAST:\n    return MARK",
            "masked": "MARK + value[-TAIL:]",
        },
        tail_open={
            "mask_clause": 'A secret text of at least $least characters is masked as "$mark" followed by its last $shown characters; a shorter '
            "one, the empty one included, stays as it is, unmasked",
            "sizes": "TAIL, LEAST = $shown, $least",
            "short_rule": "if len(value) < LEAST:\n    return value",
            "masked": "MARK + value[-TAIL:]",
        },
        stars={
            "mask_clause": 'A secret text is masked as one "*" for each of its characters',
            "sizes": "", "short_rule": "", "masked": '"*" * len(value)',
        },
    ),
    knob(
        "nested",
        each={
            "nested_clause": "In a secret dict or list everything is masked in its place, at every depth and "
            "whatever the keys there; the dicts and lists themselves stay",
            "whole_rule": "", "each_rule": "if secret:\n    return _mask(value)",
            "inherit": "secret or ", "open": "",
        },
        whole={
            "nested_clause": 'A secret dict or list is masked as "$mark" as a whole, an empty one too',
            "whole_rule": "if secret:\n    return _mask(value)", "each_rule": "",
            "inherit": "", "open": " and not secret",
        },
    ),
    knob(
        "none",
        stays={"none_clause": "stays None", "none_rule": "if value is None:\n    return None"},
        masked={"none_clause": 'is masked as "$mark"', "none_rule": ""},
    ),
    knob(
        "text",
        masked={
            "text_clause": 'A text under any other key, or under none, is searched for pairs "name=value": the name is the '
            "longest run of ASCII letters, digits, hyphens and underlines before the equals sign, the value goes on to the next blank "
            "or ampersand or to the end, and neither is empty. Pairs are found from left to right and do not overlap. Where the "
            "name matches one of names, the value is masked as a secret text is",
            "re_import": "import re",
            "pair_line": 'PAIR = re.compile(r"([A-Za-z0-9_-]+)=([^ &]+)")',
            "scan": "if isinstance(value, str):\n    return _in_text(value, hidden)",
            "own_scan": "self._public(value)",
            "public_method": "def _public(self, value: Any) -> Any:\n    return _in_text(value, self._hidden) if isinstance(value, str) else value",
            "helpers": '''
                def _in_text(text: str, hidden: set[str]) -> str:
                    """The text with the values of secret pairs masked."""

                    def masked(pair: re.Match[str]) -> str:
                        key, value = pair.groups()
                        return f"{key}={_mask(value)}" if $key_form in hidden else pair[0]

                    return PAIR.sub(masked, text)


                $plain_helper
            ''',
        },
        left={
            "text_clause": "A text under any other key, or under none, stays as it is, whatever it holds",
            "re_import": "", "pair_line": "", "scan": "", "own_scan": "value", "public_method": "",
            "helpers": "$plain_helper",
        },
    ),
)  # fmt: skip

CONTRACT = (
    Clause("opening", "$opening"),
    Clause(
        "copy",
        """The result is a copy with secrets masked: equal to the $record in everything else, made of
        new dicts and lists. The $record is not changed.""",
    ),
    Clause(
        "match",
        "The value under a key is secret, at any depth, in lists as well, when the key matches one of names. They match when they are equal $spelling_clause.",
    ),
    Clause("mask", "$mask_clause."),
    Clause(
        "other", 'A secret number, True or False is masked as "$mark". A secret None $none_clause.'
    ),
    Clause("nested", "$nested_clause."),
    Clause("text", "$text_clause."),
)

HEAD = '''
"""$summary"""

$re_import
from collections.abc import Iterable
from typing import Any

MARK = "$mark"
$sizes
$pair_line
'''

MASK = """\


def _mask(value: Any) -> Any:
    $none_rule
    if not isinstance(value, str):
        return MARK
    $short_rule
    return $masked


$helpers
"""

SHARED_BUGS = (
    change(
        "short_shown",
        ("TAIL, LEAST = $shown, $least", "TAIL = $shown"),
        ("len(value) < LEAST", "len(value) < TAIL"),
        when={"hide": "tail"},
    ),
    change(
        "first_pair",
        ("PAIR.sub(masked, text)", "PAIR.sub(masked, text, count=1)"),
        when={"text": "masked"},
    ),
)
SHARED_PATCHES = (
    change(
        "empty_left",
        (
            "    if not isinstance(value, str):\n",
            '    if value == "" or value == []:\n        return value\n    if not isinstance(value, str):\n',
        ),
        when={"hide": "tail"},
    ),
    change(
        "zero_left",
        (
            "    if not isinstance(value, str):\n        return MARK\n",
            "    if not isinstance(value, str):\n        return MARK if value else value\n",
        ),
    ),
    change(
        "numbers_as_text",
        (
            "    if not isinstance(value, str):\n        return MARK\n",
            "    if isinstance(value, (int, float)):\n        value = str(value)\n    if not isinstance(value, str):\n        return MARK\n",
        ),
        when={"hide": ("tail_open", "stars")},
    ),
    change(
        "edge_hidden",
        ("len(value) < LEAST", "len(value) <= LEAST"),
        when={"hide": ("tail", "tail_open")},
    ),
)
# Patches that change how a key is matched make no sense where the match itself is at fault.
MATCH_KEPT = ("short_shown", "first_pair", "lists_left", "inner_left")

WALK = Shape(
    name="walk",
    entry_point="$redact",
    words={"opening": "$redact($record, names) takes a $record made of dicts with text keys, lists, text, numbers, True, False and None, "
           "and a list of names of secret ${field}s."},
    module=HEAD
    + '''\


def $redact($record: Any, names: Iterable[str]) -> Any:
    """A copy of $record that can be shown: values of the named ${field}s are masked."""
    hidden = $name_set

    def is_secret(key: str) -> bool:
        return $key_form in hidden

    def walk(value: Any, secret: bool) -> Any:
        $whole_rule
        if isinstance(value, dict):
            return {key: walk(inner, ${inherit}is_secret(key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [walk(inner, secret) for inner in value]
        $each_rule
        $scan
        return value

    return walk($record, False)
'''
    + MASK,
    bugs=(
        *SHARED_BUGS,
        change("lists_left", ("            return [walk(inner, secret) for inner in value]\n", "            return [_mask(inner) if secret else inner for inner in value]\n"), when={"nested": "each"}),
        change("lists_left", ("            return [walk(inner, secret) for inner in value]\n", "            return list(value)\n"), when={"nested": "whole"}),
        change("substring", ("return $key_form in hidden", "return $part_form")),
        change("inner_left", ("${inherit}is_secret(key))", "is_secret(key))"), when={"nested": "each"}),
    ),
    known_failing=(
        *SHARED_PATCHES,
        change("list_values", ("            return [walk(inner, secret) for inner in value]\n", "            return [walk(inner, False) for inner in value]\n"), when={"nested": "each"}, against=("short_shown", "first_pair", "substring")),
        change("list_dicts", ("            return [walk(inner, secret) for inner in value]\n", "            return [walk(inner, secret) if isinstance(inner, dict) else inner for inner in value]\n"), when={"nested": "whole"}),
        change("lower_only", ("return $key_form in hidden", "return $half_form in hidden"), against=MATCH_KEPT),
    ),
)  # fmt: skip

QUEUE = Shape(
    name="queue",
    entry_point="$cls",
    words={"opening": "$cls(names) takes a list of names of secret ${field}s. $redact($record) takes a $record made of dicts with text keys, "
           "lists, text, numbers, True, False and None."},
    module=HEAD
    + '''\


class $cls:
    """Masks the named ${field}s of a $record, however deep it is nested."""

    def __init__(self, names: Iterable[str]) -> None:
        self._hidden = $name_set

    def $redact(self, $record: Any) -> Any:
        """A masked copy of $record."""
        copy: list[Any] = [None]
        waiting: list[tuple[Any, Any, Any, bool]] = [(copy, 0, $record, False)]
        while waiting:
            place, at, value, secret = waiting.pop()
            if isinstance(value, dict)$open:
                place[at] = dict.fromkeys(value)
                for key, inner in value.items():
                    waiting.append((place[at], key, inner, ${inherit}self._is_secret(key)))
            elif isinstance(value, list)$open:
                place[at] = [None] * len(value)
                waiting += [(place[at], index, inner, secret) for index, inner in enumerate(value)]
            else:
                place[at] = _mask(value) if secret else $own_scan
        return copy[0]

    def _is_secret(self, key: str) -> bool:
        return $key_form in self._hidden

    $public_method
'''
    + MASK,
    bugs=(
        *SHARED_BUGS,
        change("lists_left", ("                waiting += [(place[at], index, inner, secret) for index, inner in enumerate(value)]\n", "                place[at] = [_mask(inner) if secret else inner for inner in value]\n"),
               ("                place[at] = [None] * len(value)\n", ""), when={"nested": "each"}),
        change("lists_left", ("                place[at] = [None] * len(value)\n                waiting += [(place[at], index, inner, secret) for index, inner in enumerate(value)]\n", "                place[at] = list(value)\n"), when={"nested": "whole"}),
        change("substring", ("return $key_form in self._hidden", "return $own_part_form")),
        change("inner_left", ("${inherit}self._is_secret(key)", "self._is_secret(key)"), when={"nested": "each"}),
    ),
    known_failing=(
        *SHARED_PATCHES,
        change("list_values", ("(place[at], index, inner, secret)", "(place[at], index, inner, False)"), when={"nested": "each"}, against=("short_shown", "first_pair", "substring")),
        change("list_dicts", ("            elif isinstance(value, list)$open:\n", "            elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):\n"), when={"nested": "whole"}),
        change("lower_only", ("return $key_form in self._hidden", "return $half_form in self._hidden"), against=MATCH_KEPT),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "audit log", summary="Audit rows, made fit for the log.", redact="redact", record="row", field="field", cls="AuditRedactor",
    ),
    scenario(
        "crash report", summary="Crash reports without the secrets of their sender.", redact="scrub", record="report", field="field",
        cls="ReportScrubber",
    ),
    scenario(
        "support bundle", summary="Support bundles that may leave the company.", redact="sanitise", record="bundle", field="setting",
        cls="BundleSanitiser",
    ),
    scenario(
        "API trace", summary="Traces of API calls, with credentials masked.", redact="mask_trace", record="trace", field="header",
        cls="TraceMasker",
    ),
    scenario(
        "config dump", summary="Configuration dumps for the status page.", redact="censor", record="config", field="option",
        cls="ConfigCensor",
    ),
)  # fmt: skip

NAMES = ("password", "api_key", "pin", "Auth-Token", "key")
SPELLINGS = {
    "password": ("password", "Password", "pass-word", "PASSWORD", "passwords", "old_password"),
    "api_key": ("api_key", "apikey", "API-Key", "api key", "api_keys", "api__key"),
    "pin": ("pin", "PIN", "p-i-n", "pins", "shipping"),
    "Auth-Token": ("Auth-Token", "auth-token", "AuthToken", "auth_token", "token"),
    "key": ("key", "Key", "k_e_y", "monkey", "keys"),
}
# Names in texts have no blanks; the plain spelling is drawn most often.
IN_TEXT = {
    name: (*[key.replace(" ", "") for key in keys], *keys[:1] * 5, "user")
    for name, keys in SPELLINGS.items()
}
OPEN_KEYS = ("user", "note", "items", "path")
OTHER_VALUES = (
    0,
    7,
    -2,
    1234567890123,
    True,
    False,
    None,
    None,
    "",
    [],
    {},
    [0, None],
    {"user": 0},
)
LETTERS = "k3hd8fa2mq7ze5rw9bt4xn6cg" * 2


RECORD, WATCHED = Ref("record"), ("record",)


def script(v: Variant, clauses: str, names, record) -> Check:
    """The record is masked, and looked at afterwards."""
    if v.shape == "walk":
        steps = (call(v["redact"], RECORD, list(names)),)
    else:
        made = call(v["cls"], list(names), bind="masker")
        steps = (made, call(f"masker.{v['redact']}", RECORD))
    numbers = v.clauses("opening", "copy", clauses)
    return Check(steps, {"record": value(record)}, WATCHED, numbers)


def letters(s: Stream, low: int, high: int) -> str:
    """A text of low .. high letters and digits."""
    start = s.below(25)
    return LETTERS[start : start + low + s.below(high - low + 1)]


def word(v: Variant, s: Stream) -> str:
    """A text whose length lies around the sizes at which masking changes."""
    start, size = s.below(25), v["least"] - 2 + s.below(6)
    return LETTERS[start : start + size]


def visible(v: Variant, s: Stream):
    """One secret in plain spelling, at the top and one level down."""
    name = s.choice(("password", "pin", "key"))
    text = letters(s, v["least"] + 1, v["least"] + 4)
    yield script(v, "match mask", [name], {"user": letters(s, 3, 6), name: text})
    yield script(v, "match mask", [name], {"user": {name: text, "id": 7}, "path": "home"})
    yield script(v, "match", [name], {"user": "ada", "items": [1, 2], "note": None})


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """One record that the bug masks otherwise."""
    name, text = s.choice(("password", "pin", "key")), letters(s, v["least"] + 1, v["least"] + 4)
    if bug == "short_shown":
        return script(
            v, "mask", [name], {"user": "ada", name: letters(s, v["shown"], v["least"] - 1)}
        )
    if bug == "first_pair":
        return script(v, "text", [name], {"note": f"user=ada {name}={text} {name}={text}x"})
    if bug == "lists_left":
        return script(v, "match", [name], {"items": [{name: text}, {"user": "ada"}]})
    if bug == "substring":
        longer = next(
            key
            for key in SPELLINGS[name]
            if key.endswith("s") or key == "monkey" or key == "shipping"
        )
        return script(v, "match", [name], {longer: text, name: text})
    return script(v, "nested", [name], {name: {"user": text, "note": text}})


def spelled(v: Variant, s: Stream) -> Check:
    """Every spelling of two names, with values of different sizes."""
    names = s.sample(NAMES, 2)
    keys = s.shuffle([key for name in names for key in SPELLINGS[name]])
    return script(v, "match mask", names, {key: word(v, s) for key in keys[: s.between(5, 8)]})


def sizes(v: Variant, s: Stream) -> Check:
    """Secret texts just below, at and just above the size that matters, and empty ones."""
    name = s.choice(NAMES)
    texts = [
        letters(s, size, size)
        for size in (v["least"] - 1, v["least"], v["least"] + 1, v["shown"], v["shown"] - 1, 0)
    ]
    return script(
        v, "mask", [name], {"items": [{name: text, "note": text} for text in s.shuffle(texts)]}
    )


def other_values(v: Variant, s: Stream) -> Check:
    """Secret numbers, truth values, None, and the empty ones of all kinds."""
    name = s.choice(NAMES)
    values = s.sample(OTHER_VALUES, s.between(4, 7))
    return script(
        v, "other nested", [name], {"items": [{name: inner, "note": inner} for inner in values]}
    )


def deep(v: Variant, s: Stream) -> Check:
    """Secret dicts and lists, and secrets in lists of lists."""
    name, other = s.sample(NAMES, 2)
    inner = {s.choice(OPEN_KEYS): word(v, s), name: word(v, s), "id": s.below(9)}
    secret = s.choice(
        ([word(v, s), inner, [word(v, s)]], {"user": inner, "items": [word(v, s), None]}, inner)
    )
    record = {
        "path": [[[{other: word(v, s)}], word(v, s)], inner],
        name: secret,
        "note": [word(v, s), 0],
    }
    return script(v, "match nested mask", (name, other), record)


def pairs(v: Variant, s: Stream) -> Check:
    """Texts with pairs, in dicts and lists, with names that are secret, nearly secret or not."""
    name = s.choice(NAMES)
    drawn = IN_TEXT[name]

    def text() -> str:
        found = [f"{s.choice(drawn)}={word(v, s)}" for _ in range(s.between(1, 3))]
        return (
            s.choice(("", "seen: ", "?", "x "))
            + s.choice((" ", "&", ", ", "; ", " & ")).join(found)
            + s.choice(("", "", "=", " end"))
        )

    return script(
        v,
        "text match",
        [name],
        {"note": text(), "items": [text(), {"path": text()}, 5], name: text()},
    )


def wide(v: Variant, s: Stream) -> Check:
    """A drawn record, a few levels deep."""
    names = s.sample(NAMES, s.between(1, 2))
    spellings = [key for name in names for key in SPELLINGS[name]]

    def made(depth: int):
        kind = s.below(8 if depth else 5)
        if kind < 2:
            return word(v, s)
        if kind < 4:
            return s.choice(
                (None, 0, 5, True, "", f"{s.choice(spellings).replace(' ', '')}={word(v, s)}")
            )
        if kind == 4 or kind == 7:
            return {
                s.choice(OPEN_KEYS): word(v, s),
                s.choice(spellings): s.choice((word(v, s), None)),
            }
        if kind == 5:
            return [made(depth - 1) for _ in range(s.between(0, 2))]
        return {key: made(depth - 1) for key in s.sample((*OPEN_KEYS, *spellings), 2)}

    return script(
        v,
        "match mask other nested text",
        names,
        {"user": made(2), s.choice(spellings): made(1), s.choice(OPEN_KEYS): made(1)},
    )


NAME_CHARS = ascii_letters + digits + "-_"
NO_SEPARATORS = str.maketrans("", "", "-_ ")
# Deeper than any record: the depth of a secret where there is none.
NOWHERE = 1 << 30


def oracle(v: Variant):
    """Notes all places of the record as an outline, and reads it: a secret ends where the outline
    comes back to its depth."""
    is_loose, is_whole, mark = v["spelling"] == "loose", v["nested"] == "whole", v["mark"]
    hide, least, shown = v["hide"], v["least"], v["shown"]
    none_stays, is_searched = v["none"] == "stays", v["text"] == "masked"

    @cache
    def bare(name):
        return name.lower().translate(NO_SEPARATORS) if is_loose else name

    def hidden_text(text):
        if hide == "stars":
            return "".join(["*" for _ in text])
        if len(text) >= least:
            return mark + text[len(text) - shown :]
        return text if hide == "tail_open" else mark

    def hidden(leaf):
        if leaf is None and none_stays:
            return None
        return hidden_text(leaf) if type(leaf) is str else mark

    def part(piece, secrets):
        """A stretch of text without blanks and ampersands: at most one pair."""
        at = piece.find("=")
        while 0 <= at < len(piece) - 1:
            before, after = piece[:at], piece[at + 1 :]
            name = before[len(before.rstrip(NAME_CHARS)) :]
            if name:
                return f"{before}={hidden_text(after)}" if bare(name) in secrets else piece
            at = piece.find("=", at + 1)
        return piece

    def open_text(text, secrets):
        words = [word.split("&") for word in text.split(" ")]
        return " ".join(["&".join([part(piece, secrets) for piece in it]) for it in words])

    def outline(node, copy, depth, places):
        """Notes (depth, container of the copy, key, what is there) of every place in a node."""
        for key, inner in node.items() if type(node) is dict else enumerate(node):
            places.append((depth, copy, key, inner))
            kind = type(inner)
            if kind is dict or kind is list:
                copy[key] = dict.fromkeys(inner) if kind is dict else [None] * len(inner)
                outline(inner, copy[key], depth + 1, places)
        return places

    def model(record, names):
        secrets, top = {bare(name) for name in names}, [None]
        secret_at = NOWHERE
        for depth, copy, key, inner in outline([record], top, 0, []):
            if depth <= secret_at:
                is_secret = type(key) is str and bare(key) in secrets
                secret_at = depth if is_secret else NOWHERE
            kind = type(inner)
            if kind is dict or kind is list:
                if is_whole and depth == secret_at:
                    copy[key] = mark
            elif secret_at != NOWHERE:
                copy[key] = hidden(inner)
            elif is_searched and kind is str and "=" in inner:
                copy[key] = open_text(inner, secrets)
            else:
                copy[key] = inner
        return top[0]

    if v.shape == "walk":
        return {v["redact"]: model}
    methods = {
        "__init__": lambda self, names: setattr(self, "names", names),
        v["redact"]: lambda self, record: model(record, self.names),
    }
    return {v["cls"]: type(v["cls"], (), methods)}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(WALK, QUEUE),
    scenarios=SCENARIOS,
    choices={"mark": ("***", "[hidden]", "<masked>"), "shown": (2, 3), "least": (6, 7, 8)},
    visible=visible,
    symptom=symptom,
    edges=(spelled, sizes, other_values, deep, pairs),
    wide=wide,
    oracle=oracle,
)
