"""All replacements apply to the original text at once; what was put in is not replaced again."""

from string import ascii_letters, digits

from sandbox.checks import Check, Ref, call, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "pick",
        longest={
            "pick_clause": "the longest of them",
            "first_place": "",
            "order": "sorted(table, key=len, reverse=True)",
            "other_order": "list(table)",
            "named": "$order",
            "other_named": "table",
            "best": "found[0]",
            "other_best": "min(found, key=list(table).index)",
        },
        first={
            "pick_clause": "the first of them in the order",
            "first_place": ", and its place in the order is that of the first one",
            "order": "list(table)",
            "other_order": "sorted(table, key=len, reverse=True)",
            "named": "table",
            "other_named": "$other_order",
            "best": "min(found, key=list(table).index)",
            "other_best": "found[0]",
        },
    ),
    knob(
        "case",
        exact={
            "case_clause": "A capital letter and a small one are different characters.",
            "key": "old",
            "source_line": "",
            "source": "$text",
            "taken": "hit[0]",
            "flags": "re.ASCII | re.DOTALL",
            "other_key": "old.lower()",
            "other_source_line": "source = $text.lower()",
            "other_source": "source",
            "other_taken": "hit[0].lower()",
            "other_flags": "re.ASCII | re.DOTALL | re.IGNORECASE",
        },
        ignored={
            "case_clause": "A capital letter and the small one count as the same character wherever"
            " texts are compared; what is copied stays as it is written.",
            "key": "old.lower()",
            "source_line": "source = $text.lower()",
            "source": "source",
            "taken": "hit[0].lower()",
            "flags": "re.ASCII | re.DOTALL | re.IGNORECASE",
            "other_key": "old",
            "other_source_line": "",
            "other_source": "$text",
            "other_taken": "hit[0]",
            "other_flags": "re.ASCII | re.DOTALL",
        },
    ),
    knob(
        "place",
        anywhere={
            "place_clause": "An occurrence counts whatever stands beside it.",
            "apart_rule": "",
            "before": "",
            "after": "",
            "helper": "",
        },
        whole_words={
            "place_clause": "An occurrence counts only if neither the character before it nor the"
            " one behind it in the original $text is a letter, a digit or an underscore.",
            "apart_rule": "found = [old for old in found if _is_apart($text, at, at + len(old))]",
            "before": r"(?<!\w)",
            "after": r"(?!\w)",
            "helper": '''
                def _is_apart(text: str, start: int, end: int) -> bool:
                    """Whether no word goes on beyond either end."""
                    before, behind = text[max(start - 1, 0) : start], text[end : end + 1]
                    return not (_is_of_word(before) or _is_of_word(behind))


                def _is_of_word(char: str) -> bool:
                    return char.isalnum() or char == "_"
            ''',
        },
    ),
    knob(
        "repeated",
        last={
            "repeated_clause": "the last one gives the $new$first_place",
            "store": "$table[$key] = new",
            "other_store": "$table.setdefault($key, new)",
        },
        first={
            "repeated_clause": "the first one counts and the others are ignored",
            "store": "$table.setdefault($key, new)",
            "other_store": "$table[$key] = new",
        },
    ),
    knob(
        "empty",
        refused={
            "empty_clause": "raises ValueError$unchanged",
            "empty_rule": 'if not old:\n    raise ValueError("empty $old")',
            "other_empty": "if not old:\n    $leave",
        },
        ignored={
            "empty_clause": "is ignored",
            "empty_rule": "if not old:\n    $leave",
            "other_empty": 'if not old:\n    raise ValueError("empty $old")',
        },
    ),
    knob(
        "tilde",
        plain={
            "tilde_clause": "A tilde (~) is a character like any other.",
            "tilde_rule": "",
            "other_tilde": "$skip_rule",
            "guard": "",
            "kept": "",
            "other_guard": "~(.)|",
            "other_kept": "hit[1] or ",
        },
        protects={
            "tilde_clause": "Where the reading reaches a tilde (~) that is not the last character,"
            " the tilde is left out, the character behind it is copied, and the reading goes on"
            " behind that; no rule is looked for at either of the two.",
            "tilde_rule": "$skip_rule",
            "other_tilde": "",
            "guard": "~(.)|",
            "kept": "hit[1] or ",
            "other_guard": "",
            "other_kept": "",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening All texts consist of ASCII characters."),
    Clause(
        "scan",
        """The $text is read once, from left to right. Where the $old of a rule occurs at the place
        that the reading has reached, its $new is put into the result, character by character as it
        is, and the reading goes on behind the occurrence. Any other character is copied. What was
        put in is not read again.""",
    ),
    Clause("pick", "Where several rules occur at the same place, $pick_clause is applied."),
    Clause("case", "$case_clause"),
    Clause("place", "$place_clause"),
    Clause("repeated", "Of several rules with the same $old, $repeated_clause."),
    Clause("empty", "A rule whose $old is empty $empty_clause."),
    Clause("tilde", "$tilde_clause"),
)

COMMON = {
    "skip_rule": """
        if $text[at] == "~" and at + 1 < len($text):
            pieces.append($text[at + 1])
            at += 2
            continue
    """,
    "table": "table",
    "leave": "continue",
    "unchanged": "",
    "opening": "$function($text, rules) returns the $text with all rules applied. rules is a list"
    " of tuples ($old, $new), and is not changed.",
}

FUNCTION = '''
"""$summary"""

$imports


def $function($text: str, rules: list[tuple[str, str]]) -> str:
    """$about"""
    table: dict[str, str] = {}
    for old, new in rules:
        $empty_rule
        $store
    return _swap($text, table)


def _swap($text: str, table: dict[str, str]) -> str:
    """Put in what the table holds for each of its texts."""
'''

# Repairs that go astray in the same manner in every shape.
SIBLINGS = (
    change("repeated", slots={"store": "$other_store"}),
    change("empty", slots={"empty_rule": "$other_empty"}),
    change("case", slots={
        "key": "$other_key", "source_line": "$other_source_line", "source": "$other_source",
        "taken": "$other_taken", "flags": "$other_flags",
    }),
    change("tilde", slots={
        "tilde_rule": "$other_tilde", "guard": "$other_guard", "kept": "$other_kept",
    }),
)  # fmt: skip

NESTED = ("return _swap($text, table)",
          "table = {old: _swap(new, table) for old, new in table.items()}\n"
          "    return _swap($text, table)")  # fmt: skip
CHAIN = ("return _swap($text, table)", "for old in $order:\n"
         "        $text = _swap($text, {old: table[old]})\n    return $text")  # fmt: skip
MARKS = ("return _swap($text, table)", "for place, old in enumerate($order):\n"
         '        $text = _swap($text, {old: f"<{place}>"})\n'
         "    for place, old in enumerate($order):\n"
         '        $text = $text.replace(f"<{place}>", table[old])\n'
         "    return $text")  # fmt: skip

SCAN = Shape(
    name="scan",
    entry_point="$function",
    words={**COMMON, "imports": ""},
    module=FUNCTION
    + """\
    olds = $order
    $source_line
    pieces: list[str] = []
    at = 0
    while at < len($text):
        $tilde_rule
        found = [old for old in olds if ${source}.startswith(old, at)]
        $apart_rule
        if found:
            pieces.append(table[found[0]])
            at += len(found[0])
        else:
            pieces.append($text[at])
            at += 1
    return "".join(pieces)


$helper
""",
    bugs=(
        change("chain", NESTED),
        change("other_order", ("olds = $order", "olds = $other_order")),
        change("too_far", ("len(found[0])", "len(found[0]) + 1")),
        change("one_side", ("(before) or _is", "(before) and _is"), when={"place": "whole_words"}),
    ),
    known_failing=(
        *SIBLINGS,
        change("marks", MARKS),
        change("chained", CHAIN, against=("other_order", "too_far", "one_side")),
    ),
)  # fmt: skip

PATTERN = Shape(
    name="pattern",
    entry_point="$function",
    words={**COMMON, "imports": "import re"},
    module=FUNCTION
    + '''\
    names = "|".join(map(re.escape, $named)) or "(?!)"
    pattern = re.compile(rf"$guard$before(?:{names})$after", $flags)
    return pattern.sub(lambda hit: ${kept}table[$taken], $text)
''',
    bugs=(
        change("chain", NESTED),
        change("other_order", ("re.escape, $named)", "re.escape, $other_named)")),
        change("once_each", ("table[$taken], $text)", "table[$taken], $text, count=len(table))")),
        change("one_side", (")$after\"", ')"'), when={"place": "whole_words"}),
    ),
    known_failing=(
        *SIBLINGS,
        change("marks", MARKS),
        change("chained", CHAIN, against=("other_order", "once_each", "one_side")),
    ),
)  # fmt: skip

REWRITER = Shape(
    name="rewriter",
    entry_point="$cls",
    words={
        **COMMON,
        "table": "self._table",
        "leave": "return",
        "unchanged": ", and nothing changes",
        "opening": "$cls() starts without a rule. $add(old, new) adds a rule behind the others,"
        " with old for its $old and new for its $new, and returns None. $apply($text) returns the $text with all rules applied.",
    },
    module='''
"""$summary"""


class $cls:
    """$about"""

    def __init__(self) -> None:
        self._table: dict[str, str] = {}

    def $add(self, old: str, new: str) -> None:
        """Add a rule that puts new in the place of old."""
        $empty_rule
        $store

    def $apply(self, $text: str) -> str:
        """The $text with all rules applied."""
        return _swap($text, self._table)


def _swap($text: str, table: dict[str, str]) -> str:
    sizes = sorted({len(old) for old in table}, reverse=True)
    $source_line
    pieces: list[str] = []
    at = 0
    while at < len($text):
        $tilde_rule
        cuts = [${source}[at : at + size] for size in sizes]
        found = [old for old in cuts if old in table]
        $apart_rule
        if found:
            old = $best
            pieces.append(table[old])
            at += len(old)
        else:
            pieces.append($text[at])
            at += 1
    return "".join(pieces)


$helper
''',
    bugs=(
        change("chain", ("return _swap($text, self._table)",
               "table = {old: _swap(new, self._table) for old, new in self._table.items()}\n"
               "        return _swap($text, table)")),
        change("other_order", ("old = $best", "old = $other_best")),
        change("too_far", ("at += len(old)", "at += len(old) + 1")),
        change("one_side", ("(before) or _is", "(before) and _is"), when={"place": "whole_words"}),
    ),
    known_failing=(
        *SIBLINGS,
        change("sorted_chain", ("return _swap($text, self._table)",
               "for old in sorted(self._table, key=len, reverse=True):\n"
               "            $text = _swap($text, {old: self._table[old]})\n        return $text"),
               against=("too_far", "one_side")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "mail templates", summary="Fills the placeholders of mail templates.",
        about="Fill a template.", function="fill", cls="Template", add="define", apply="fill",
        text="template", old="placeholder", new="content", names=("name", "city", "date", "sum"),
    ),
    scenario(
        "phonetic spelling", summary="Spells names so that they can be read over the phone.",
        about="Spell a message.", function="spell", cls="Speller", add="teach", apply="spell",
        text="message", old="sound", new="word", names=("sch", "ch", "ng", "qu"),
    ),
    scenario(
        "terminology", summary="Swaps the terms of one house style for those of another.",
        about="Swap the terms of a paragraph.", function="swap_terms", cls="Glossary",
        add="enter", apply="translate", text="paragraph", old="term", new="substitute",
        names=("client", "server", "user", "host"),
    ),
    scenario(
        "identifier renaming", summary="Renames identifiers in lines of source code.",
        about="Rename what a line mentions.", function="rename", cls="Renamer", add="plan",
        apply="rename", text="line", old="identifier", new="replacement",
        names=("left", "right", "item", "total"),
    ),
    scenario(
        "report fields", summary="Codes in report lines become the words they stand for.",
        about="Expand the codes of a report.", function="expand", cls="CodeBook", add="register",
        apply="expand", text="report", old="code", new="meaning", names=("eu", "qty", "vat", "net"),
    ),
)  # fmt: skip

RULES, MORE = Ref("rules"), Ref("more")


def asked(v: Variant, rules, *texts: str, clauses: str = "", book: str = "book") -> Check:
    """The texts, one after the other, under the same rules."""
    numbers = v.clauses("call", "scan", clauses)
    if v.shape != "rewriter":
        steps = [call(v.entry_point, text, RULES) for text in texts]
        return Check(tuple(steps), {"rules": value(list(rules))}, ("rules",), numbers)
    steps = [call(v.entry_point, bind=book)]
    steps += (call(f"{book}.{v['add']}", *rule) for rule in rules)
    steps += (call(f"{book}.{v['apply']}", text) for text in texts)
    return Check(tuple(steps), clauses=numbers)


def both(one: Check, two: Check) -> Check:
    """Two checks as one; a rule book of the second needs a name of its own."""
    if one.fixtures:
        fixtures = {"rules": one.fixtures["rules"], "more": two.fixtures["rules"]}
        again = (call(step.parts[0], *step.parts[1][:1], MORE) for step in two.steps)
        return Check((*one.steps, *again), fixtures, ("rules", "more"), one.clauses)
    return Check((*one.steps, *two.steps), clauses=one.clauses)


def joined(s: Stream, tokens, gaps=(" ", "-", ", ", "", " ")) -> str:
    """The tokens with drawn gaps between them."""
    return "".join([token + s.choice(gaps) for token in tokens])


def visible(v: Variant, s: Stream):
    """Names that have nothing to do with each other, and texts that are not names."""
    one, two, three = s.sample(v["names"], 3)
    rules = [(one, "xx"), (two, "y-z")]
    yield asked(v, rules, f"{two} - {one}, {three}!", clauses="place")
    yield asked(v, rules[:1], f"{one} {one}", "", clauses="place")
    yield asked(v, [], f"{three} ({one})")
    if s.chance(1, 2):
        yield asked(v, [*rules, (three, "")], f"({three}) {one} + {two}", clauses="place")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Rules that feed each other, that begin alike, or that change the length."""
    one, two, three = s.sample(v["names"], 3)
    if bug == "chain":
        return asked(v, [(one, two), (two, three)], f"{one} and {two}", clauses="pick")
    if bug == "other_order":
        rules = [(one, "x"), (f"{one}-{two}", "zz")]
        return asked(v, rules, f"{one}-{two}, {one}", clauses="pick")
    if bug == "once_each":
        return asked(v, [(one, "x")], f"{one}, {three}; {one} + {one}", clauses="scan")
    if bug == "one_side":
        return asked(v, [(one, "x")], f"{one}s {one}", clauses="place")
    return asked(v, [(one, one * 2 + "xyz")], f"{one} ({three}) end", clauses="scan")


def cascades(v: Variant, s: Stream) -> Check:
    """Rules in a ring, some of which take in the name of another one."""
    names = s.sample(("a", "b", "c", "1", "0", "ab", "<"), 4)
    fresh = [s.choice((name, f"({name})", f"{name} {name}", "")) for name in names[1:] + names[:1]]
    rules = list(zip(names, fresh, strict=True))
    return asked(v, rules, joined(s, s.shuffle(names)), joined(s, names, ("", " ")), clauses="pick")


def overlapping(v: Variant, s: Stream, book: str) -> Check:
    """Rules of which one begins with another one, with and without gaps in between."""
    a, b = s.sample("abxy", 2)
    gapped = (a, f"{a}-{b}", b, f"{b} {a}")
    olds = s.shuffle((*s.choice((gapped, gapped, (a, a + b, f"{b}.{a}", b))), a + b + a))
    if s.chance(2, 3):
        olds.sort(key=len)
    rules = [(old, str(place) * len(old)) for place, old in enumerate(olds, 1)]
    text = joined(s, (*s.shuffle(olds), f"{a}-{b}", a + b + a), (" ", ". ", " ", " ", "_", ""))
    return asked(v, rules, text, clauses="pick place", book=book)


def overlaps(v: Variant, s: Stream) -> Check:
    """Two sets of rules that overlap."""
    return both(overlapping(v, s, "first"), overlapping(v, s, "second"))


def in_capitals(v: Variant, s: Stream) -> Check:
    """Names and texts in capitals, and names that come twice or twice but for capitals."""
    one, two, three = s.sample(v["names"], 3)
    rules = [(one.upper(), "First"), (two, "second"), (s.choice((one, one.upper())), "THIRD")]
    rules.append((s.choice((two, two.title())), f"{one}!"))
    spell = (str.upper, str.title, str.lower)
    tokens = [s.choice(spell)(name) for name in (one, two, three, one, two)]
    return asked(v, rules, joined(s, tokens, (" ", "-")), clauses="case repeated")


def odd_rules(v: Variant, s: Stream) -> Check:
    """Empty names, names of signs, and contents that look like patterns."""
    one, two = s.sample(v["names"], 2)
    signs = s.sample((".", "+", "(x)", "\\d", "[a]", "^"), 2)
    rules = [(one, "\\1\\n"), (signs[0], one), (two, "\\g<0>"), (signs[1], two), (one, "again")]
    tokens = s.shuffle((one, two, *signs, "d", "\\"))
    plain = asked(
        v, rules, joined(s, tokens, (" ", "", " ")), "", clauses="empty repeated", book="plain"
    )
    rest = [(two, one), ("", s.choice(("!", one))), (one, "x")]
    return both(plain, asked(v, s.shuffle(rest), f"{one}, {two}!"))


def with_tildes(v: Variant, s: Stream) -> Check:
    """Tildes before names, within them, in rows and at the end."""
    one, two = s.sample(v["names"], 2)
    rules = s.shuffle(((one, two), (two, "w~w"), (one[:1], "q"), ("~", "tilde"), ("x~y", "mid")))
    text = joined(s, (f"~{one}", f"~~{two}", one, "x~y", s.choice(("~ ", "~", "~~~"))))
    return asked(v, rules[: s.between(3, 5)], text, f"{two} ~", clauses="tilde pick place")


def wide(v: Variant, s: Stream) -> Check:
    """Random rules over few letters, and a random text."""
    pool = ("a", "b", "A", "ab", "ba", "aB", "1", "b1", "a~", ".", "_", "~", "<1>", "aa")
    rules = [
        (s.choice(pool), s.text(("a", "b", "1", "~", "", "Z"), 0, 3))
        for _ in range(s.between(1, 5))
    ]
    text = s.text((*pool, " ", "-", " "), 2, 9)
    return asked(v, rules, text, clauses="pick case place repeated tilde")


WORD_CHARS = frozenset(ascii_letters + digits + "_")


def oracle(v: Variant):
    """Finds all occurrences of every rule first, then reads and takes those that it comes to."""
    is_exact, is_anywhere = v["case"] == "exact", v["place"] == "anywhere"
    protects, by_length = v["tilde"] == "protects", v["pick"] == "longest"
    last_counts, refuses_empty = v["repeated"] == "last", v["empty"] == "refused"

    def folded(text):
        return text if is_exact else text.casefold()

    def refuse(old):
        if refuses_empty and not old:
            raise ValueError

    def settle(rules):
        """Pairs of a folded name and its content, those that are preferred first."""
        pairs = [(folded(old), new) for old, new in rules if old]
        new_of = dict(pairs if last_counts else reversed(pairs))
        names = list(dict.fromkeys([old for old, _ in pairs]))
        if by_length:
            names.sort(key=len, reverse=True)
        return [(name, new_of[name]) for name in names]

    def is_apart(text, at, end):
        return WORD_CHARS.isdisjoint((text[at - 1 : at], text[end : end + 1]))

    def occurrences(text, rules):
        """By place, how long the occurrence there is and what it becomes."""
        source, found = folded(text), {}
        for old, new in settle(rules):
            at = source.find(old)
            while at >= 0:
                if at not in found and (is_anywhere or is_apart(text, at, at + len(old))):
                    found[at] = (len(old), new)
                at = source.find(old, at + 1)
        return found

    def rewrite(text, rules):
        found, result, at = occurrences(text, rules), "", 0
        while at < len(text):
            if protects and text[at] == "~" and at + 1 < len(text):
                size, new = 2, text[at + 1]
            else:
                size, new = found.get(at) or (1, text[at])
            result += new
            at += size
        return result

    def rewrite_all(text, rules):
        for old, _ in rules:
            refuse(old)
        return rewrite(text, rules)

    class Book:
        def __init__(self):
            self.rules = []

        def add(self, old, new):
            refuse(old)
            self.rules.append((old, new))

        def apply(self, text):
            return rewrite(text, self.rules)

    setattr(Book, v["add"], Book.add)
    setattr(Book, v["apply"], Book.apply)
    return {v["function"]: rewrite_all, v["cls"]: Book}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(SCAN, PATTERN, REWRITER),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(cascades, overlaps, in_capitals, odd_rules, with_tildes),
    wide=wide,
    oracle=oracle,
)
