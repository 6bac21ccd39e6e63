"""An index and its counts say the same as the records, whatever was done to them."""

from functools import cache

from sandbox.checks import Check, Compare, Step, call, put
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

IF_TAKEN = "        if taken := self.$find($field):\n            raise $error(taken[0])\n"

KNOBS = (
    knob(
        "shared",
        many={
            "shared_clause": "Several ${record}s may have the same $field.",
            "none_shared": "",
            "unique_rule": "",
            "unique_new": "",
            "refusals": "KeyError",
        },
        unique={
            "shared_clause": "No two ${record}s may have the same $field: a call that would give a"
            " second one the $field raises $error with one argument, the $key of the $record that has"
            " it. A $record may be given the $field that it has already.",
            "none_shared": ", and no two ${record}s may have it",
            "unique_rule": """
                for other in self.$find($field):
                    if other != $key:
                        raise $error(other)
            """,
            "unique_new": IF_TAKEN,
            "refusals": "(KeyError, $error)",
        },
    ),
    knob(
        "none",
        left_out={
            "none_clause": "is no $field: $find(None) gives [], $counts() leaves it out, and any"
            " number of ${record}s may have it",
            "none_rule": "if $field is None:\n    return",
            "other_none": "",
            "lowered": "$field = $field.lower()",
            "other_lowered": "$field = $field and $field.lower()",
        },
        counts={
            "none_clause": "is a $field like any other: $find and $counts() treat it as such$none_shared",
            "none_rule": "",
            "other_none": "if $field is None:\n    return",
            "lowered": "$field = $field and $field.lower()",
            "other_lowered": "$field = $field.lower()",
        },
    ),
    knob(
        "empty",
        dropped={
            "empty_clause": "is left out of $counts()",
            "empty_rule": "$drop_empty",
            "other_empty": "",
        },
        stays={
            "empty_clause": "stays in $counts(), with 0",
            "empty_rule": "",
            "other_empty": "$drop_empty",
        },
    ),
    knob(
        "case",
        exact={
            "case_clause": "not the same $field",
            "case_rule": "",
            "inner_case": "",
            "other_case": "$field = $field and $field.lower()",
            "other_inner": "$lowered",
        },
        folded={
            "case_clause": "the same $field in all of this; $counts() gives it in lower case, while"
            " $listing(), $change and $remove give it as it was set",
            "case_rule": "$field = $field and $field.lower()",
            "inner_case": "$lowered",
            "other_case": "",
            "other_inner": "",
        },
    ),
    knob(
        "bulk",
        none={
            "bulk_clause": "no change of the list is made, and all is as it was before the call",
            "bulk_rule": "$guarded",
        },
        some={
            "bulk_clause": "the changes before that one stay made, and those after it are not made",
            "bulk_rule": "for $key, $field in changes:\n    self.$change($key, $field)",
        },
    ),
)

CONTRACT = (
    Clause(
        "calls",
        """$cls() keeps ${record}s. Each has a $key, a text, and a $field, a text of ASCII letters
        and digits or None. $add($key, $field) takes in a new one and returns None.
        $change($key, $field) gives the $record a new $field and $remove($key) takes it out; both return
        the $field it had. $listing() returns a new dict of the $field of each $key.""",
    ),
    Clause(
        "find",
        """$find($field) returns a new list, the sorted ${key}s of the ${record}s that have the
        $field now. $counts() returns a new dict of how many ${record}s have each $field now. A
        $field that no $record has any more $empty_clause.""",
    ),
    Clause("none", "None $none_clause."),
    Clause("case", "Texts that differ only in the case of their letters are $case_clause."),
    Clause("shared", "$shared_clause"),
    Clause(
        "failure",
        """$add with a $key that is there already raises $error with that $key as its one argument,
        whatever the $field. An unknown $key raises KeyError with the $key as its one argument in
        $change, whatever the $field, and in $remove. $add, $change and $remove leave all as it was when they raise.""",
    ),
    Clause(
        "bulk",
        """$change_all(changes) takes a list of tuples ($key, $field), makes each of these changes
        in order as $change would, and returns None. If one of them raises, the error goes on to the
        caller; $bulk_clause.""",
    ),
)

HEAD = '''
"""$summary"""

$imports


class $error(Exception):
    """A $record is in the way; the argument is its $key."""


class $cls:
    """$about"""

    def __init__(self) -> None:
        $tables

    def $add(self, $key: str, $field: str | None) -> None:
        """Take in a new $record."""
        if $key in self._$listing:
            raise $error($key)
        $unique_new
        self._$listing[$key] = $field
        self._enter($key, $field)

    def $change(self, $key: str, $field: str | None) -> str | None:
        """Give a $record another $field; returns the one it had."""
        old = self._$listing[$key]
        $unique_rule
        self._leave($key, old)
        self._$listing[$key] = $field
        self._enter($key, $field)
        return old

    def $change_all(self, changes: list[tuple[str, str | None]]) -> None:
        """Make several changes in order."""
        $bulk_rule

    def $remove(self, $key: str) -> str | None:
        """Take a $record out; returns the $field it had."""
        self._leave($key, self._$listing[$key])
        return self._$listing.pop($key)

    def $listing(self) -> dict[str, str | None]:
        """The $field of every $record by $key."""
        return dict(self._$listing)
'''

LEAVE_IN_CHANGE = "        self._leave($key, old)\n        self._$listing[$key] = $field\n"
MOVE = LEAVE_IN_CHANGE + "        self._enter($key, $field)\n"
STALE = change("stale", (LEAVE_IN_CHANGE, "        self._$listing[$key] = $field\n"))
ONLY_PRESENT = (
    MOVE,
    "        self._$listing[$key] = $field\n"
    "        if $field is not None:\n"
    "            self._leave($key, old)\n"
    "            self._enter($key, $field)\n",
)
LATE_LOOK = change(
    "late_look",
    (
        "        old = self._$listing[$key]\n        for other in self.$find($field):\n"
        "            if other != $key:\n                raise $error(other)\n"
        "        self._leave($key, old)\n",
        "        old = self._$listing[$key]\n        self._leave($key, old)\n" + IF_TAKEN,
    ),
    when={"shared": "unique"},
)
ALL_BUGS = ("stale", "late_look", "removed_left", "only_present")
OTHERS = (
    change("other_none", slots={"none_rule": "$other_none", "lowered": "$other_lowered"}),
    change("other_empty", slots={"empty_rule": "$other_empty"}),
    change("other_case", slots={"case_rule": "$other_case", "inner_case": "$other_inner"}),
    change(
        "own_field",
        (
            "        for other in self.$find($field):\n            if other != $key:\n"
            "                raise $error(other)\n        self._leave($key, old)\n",
            IF_TAKEN + "        self._leave($key, old)\n",
        ),
        when={"shared": "unique"},
        against=("stale", "removed_left", "only_present"),
    ),
    change("leaves_first", *LATE_LOOK.edits, when=LATE_LOOK.when, against=("removed_left",)),
    change("only_new", ONLY_PRESENT, against=("stale", "late_look", "removed_left")),
)

SETS = Shape(
    name="sets",
    entry_point="$cls",
    words={
        "imports": "",
        "about": "Keeps ${record}s and finds them by $field, from one set of ${key}s for each.",
        "tables": """
            self._$listing: dict[str, str | None] = {}
            self._index: dict[str | None, set[str]] = {}
        """,
        "guarded": """
            before = dict(self._$listing)
            index = {$field: set(found) for $field, found in self._index.items()}
            try:
                for $key, $field in changes:
                    self.$change($key, $field)
            except $refusals:
                self._$listing, self._index = before, index
                raise
        """,
        "drop_empty": "if not self._index[$field]:\n    del self._index[$field]",
    },
    module=HEAD
    + '''
    def $find(self, $field: str | None) -> list[str]:
        """The ${key}s of the ${record}s with that $field, sorted."""
        $case_rule
        return sorted(self._index.get($field, ()))

    def $counts(self) -> dict[str | None, int]:
        """How many ${record}s there are by $field."""
        return {$field: len(found) for $field, found in self._index.items()}

    def _enter(self, $key: str, $field: str | None) -> None:
        $none_rule
        $inner_case
        self._index.setdefault($field, set()).add($key)

    def _leave(self, $key: str, $field: str | None) -> None:
        $none_rule
        $inner_case
        self._index[$field].remove($key)
        $empty_rule
''',
    bugs=(
        STALE,
        LATE_LOOK,
        change("removed_left", ("        self._leave($key, self._$listing[$key])\n", "")),
        change("only_present", ONLY_PRESENT),
        change("shallow", ("{$field: set(found) for $field, found in self._index.items()}", "dict(self._index)"), when={"bulk": "none"}),
    ),
    known_failing=(
        *OTHERS,
        change("one_copy", ("set(found) for", "found for"), when={"bulk": "none"}, against=ALL_BUGS),
    ),
)  # fmt: skip

SIZES = Shape(
    name="sizes",
    entry_point="$cls",
    words={
        "imports": "from bisect import insort",
        "about": "Finds ${record}s by $field without a search, and knows how many there are.",
        "tables": """
            self._$listing: dict[str, str | None] = {}
            self._found: dict[str | None, list[str]] = {}
            self._sizes: dict[str | None, int] = {}
        """,
        "guarded": """
            draft = $cls()
            draft._$listing, draft._sizes = dict(self._$listing), dict(self._sizes)
            draft._found = {$field: list(found) for $field, found in self._found.items()}
            for $key, $field in changes:
                draft.$change($key, $field)
            self._$listing, self._found, self._sizes = draft._$listing, draft._found, draft._sizes
        """,
        "drop_empty": "if not self._sizes[$field]:\n    del self._sizes[$field]",
    },
    module=HEAD
    + '''
    def $find(self, $field: str | None) -> list[str]:
        """The sorted ${key}s of the ${record}s with that $field."""
        $case_rule
        return list(self._found.get($field, ()))

    def $counts(self) -> dict[str | None, int]:
        """How many ${record}s have each $field."""
        return dict(self._sizes)

    def _enter(self, $key: str, $field: str | None) -> None:
        $none_rule
        $inner_case
        insort(self._found.setdefault($field, []), $key)
        self._sizes[$field] = self._sizes.get($field, 0) + 1

    def _leave(self, $key: str, $field: str | None) -> None:
        $none_rule
        $inner_case
        self._found[$field].remove($key)
        self._sizes[$field] -= 1
        $empty_rule
''',
    bugs=(
        STALE,
        LATE_LOOK,
        change("removed_left", ("        self._leave($key, self._$listing[$key])\n", "")),
        change("only_present", ONLY_PRESENT),
        change("draft_shared", ("{$field: list(found) for $field, found in self._found.items()}", "dict(self._found)"), when={"bulk": "none"}),
        change("size_left", ("        self._sizes[$field] -= 1\n", "")),
    ),
    known_failing=(
        *OTHERS,
        change("sizes_shared", ("dict(self._$listing), dict(self._sizes)", "dict(self._$listing), self._sizes"), when={"bulk": "none"}, against=ALL_BUGS),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "contacts by e-mail", summary="Contacts, also found by their mailbox.", cls="ContactBook",
        record="contact", key="name", field="mailbox", add="add", change="set_mailbox",
        change_all="set_mailboxes", remove="remove", find="by_mailbox", counts="mailbox_counts",
        listing="mailboxes", error="ContactConflict",
    ),
    scenario(
        "stock by bin", summary="Which part lies on which shelf of the store.", cls="StoreRoom",
        record="part", key="sku", field="shelf", add="put_in", change="move",
        change_all="move_all", remove="take_out", find="parts_on", counts="shelf_counts",
        listing="places", error="PlacementError",
    ),
    scenario(
        "devices by owner", summary="Devices and the people who have them.", cls="DeviceRegister",
        record="device", key="serial", field="holder", add="register", change="hand_over",
        change_all="hand_over_all", remove="retire", find="devices_of", counts="device_counts",
        listing="holders", error="DeviceConflict",
    ),
    scenario(
        "lockers by member", summary="Lockers of a sports club.", cls="LockerRoom",
        record="locker", key="label", field="member", add="install", change="assign",
        change_all="assign_all", remove="scrap", find="lockers_of", counts="locker_counts",
        listing="assignments", error="LockerConflict",
    ),
    scenario(
        "pages by tag", summary="Pages of a site, each with one tag.", cls="PageIndex",
        record="page", key="path", field="tag", add="publish", change="retag",
        change_all="retag_all", remove="withdraw", find="pages_tagged", counts="tag_counts",
        listing="tags", error="PageConflict",
    ),
)  # fmt: skip

STRICT = Compare(exception_args=True)
KEYS = ("k1", "k2", "k3")
FIELDS = ("ab", "cd", "AB", "Cd", None, "e7")
ALL = (("listing",), ("counts",), ("find", "ab"), ("find", "cd"), ("find", None))


@cache
def step(target: str, *args) -> Step:
    return call(target, *args)


def script(v: Variant, clauses: str, *acts) -> Check:
    """Every act is the name of a method and its arguments."""
    steps = [call(v["cls"], bind="book")]
    for name, *args in acts:
        if name == "change_all":
            steps.append(call(f"book.{v[name]}", *args))
        else:
            steps.append(step(f"book.{v[name]}", *args))
    names = v.clauses("calls", "find", clauses)
    return Check(tuple(steps), clauses=names, compare=STRICT)


def filled(*fields: str | None) -> list[tuple]:
    """Additions of one record for each field."""
    return [("add", key, field) for key, field in zip(KEYS, fields, strict=False)]


def visible(v: Variant, s: Stream):
    """Records taken in, found, given another field, and refused."""
    one, two, new = s.sample(("north", "south", "east", "west"), 3)
    yield script(
        v, "", *filled(one, two), ("find", one), ("counts",), ("remove", "k2"), ("listing",)
    )
    yield script(v, "", *filled(one, two), ("change", "k1", new), ("find", new), ("listing",))
    changes = [("k1", new), ("k2", one)]
    yield script(v, "bulk", *filled(one, two), ("change_all", changes), ("listing",))
    yield script(v, "failure", *filled(one), ("add", "k1", two), ("remove", "k3"), ("listing",))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """One thing done to one record, and a look at what is found then."""
    one, two, new = s.sample(("north", "south", "east", "west"), 3)
    acts, clauses = {
        "stale": ([("change", "k1", new)], ""),
        "late_look": ([("change", "k1", two)], "shared failure"),
        "removed_left": ([("remove", "k1")], ""),
        "only_present": ([("change", "k1", None)], "none"),
        "size_left": ([("remove", "k1"), ("add", "k3", one), ("counts",)], ""),
    }.get(bug, ([("change_all", [("k1", new), ("k3", one)]), ("find", new)], "bulk"))
    return script(v, clauses, *filled(one, two), *acts, ("find", one))


def changes(v: Variant, s: Stream) -> Check:
    """Records that leave a field, share it, or come back to it."""
    acts: list[tuple] = [("change", s.choice(KEYS), s.choice(FIELDS)) for _ in range(3)]
    acts.insert(s.below(4), s.choice((("remove", "k1"), ("remove", "k2"))))
    second = s.choice(("ab", "cd", "x"))
    return script(v, "shared failure", *filled("ab", second, "cd"), *acts, *ALL)


def without_field(v: Variant, s: Stream) -> Check:
    """None given, taken away, and given to a second record."""
    acts = [("change", "k1", None), ("find", "ab"), ("change", "k1", s.choice(("ab", "cd")))]
    more = [("change", "k2", s.choice(("cd", None))), ("find", None), ("counts",)]
    acts = [*more, *acts] if s.chance(1, 2) else [*acts, *more]
    last = s.choice((("remove", "k2"), ("add", "k3", None), ("change", "k1", None)))
    return script(v, "none shared", *filled("ab", None), *acts, last, *ALL)


def emptied(v: Variant, s: Stream) -> Check:
    """The last record of a field leaves it, and another one comes."""
    leave = s.choice((("remove", "k1"), ("change", "k1", "e7"), ("change_all", [("k1", "x")])))
    back = s.choice((("add", "k3", "ab"), ("change", "k2", "ab")))
    looks = (("counts",), ("find", "ab"))
    return script(
        v, "find", *filled("ab", "cd"), leave, *looks, back, *ALL, ("remove", "k2"), *looks
    )


def letters(v: Variant, s: Stream) -> Check:
    """The same text in other letters: another record's, one's own, and in a look."""
    acts = [("change", "k1", "AB"), ("counts",), ("change", "k2", s.choice(("Ab", "aB")))]
    acts = [*s.shuffle(acts), ("find", "Ab"), ("add", "k3", s.choice(("CD", "aB"))), ("find", "cD")]
    first = s.choice(("ab", "Ab"))
    return script(v, "case shared", *filled(first, "Cd"), *acts, ("remove", "k1"), *ALL)


def refused(v: Variant, s: Stream) -> Check:
    """Calls that raise, and a look at everything after each."""
    taken = s.choice(("ab", "cd"))
    calls = (
        ("add", "k2", s.choice(("ab", "cd", "e7", None))), ("change", "k1", taken),
        ("change", "k9", "ab"), ("remove", "k9"), ("add", "k3", taken), ("change", "k2", taken),
    )  # fmt: skip
    acts = [act for one in s.sample(calls, 3) for act in (one, *s.sample(ALL, 2))]
    return script(v, "shared failure", *filled("ab", "cd"), *acts, ("change", "k2", "e7"), *ALL)


def in_bulk(v: Variant, s: Stream) -> Check:
    """Several changes with one of an unknown record among them, and two that swap fields."""
    first = s.choice(("e7", "x", "EF"))
    end = ("k9", s.choice(("ab", "x", None)))
    many = [("k1", first), ("k2", "ab"), ("k1", s.choice(("cd", "y"))), end, ("k2", "z")]
    start = filled("ab", "cd", *s.sample(("q", None), 1))
    acts = (
        ("change_all", many),
        ("find", "e7"),
        *ALL,
        ("change_all", [("k2", "ab"), ("k1", "cd")]),
    )
    return script(v, "bulk failure shared", *start, *acts, *ALL)


def own_results(v: Variant, s: Stream) -> Check:
    """Results that the caller changes, between looks at the same things."""
    check = script(v, "", *filled("ab", "cd", None), *ALL)
    looks = check.steps[-len(ALL) :]
    changed = [
        call(f"book.{v['listing']}", bind="got1"), put("got1.k1", "zz"),
        call(f"book.{v['counts']}", bind="got2"), put("got2.ab", s.between(5, 9)),
        call(f"book.{v['find']}", "ab", bind="got3"), put("got3.0", f"k{s.between(4, 9)}"),
    ]  # fmt: skip
    more = script(v, "", ("change", s.choice(KEYS), s.choice(("e7", "ab", None)))).steps[1:]
    return Check((*check.steps, *changed, *more, *looks), clauses=check.clauses, compare=STRICT)


def wide(v: Variant, s: Stream) -> Check:
    """A drawn script over three records and a few fields."""
    acts = filled(*(s.choice(FIELDS) for _ in range(s.between(1, 3))))
    for _ in range(s.between(3, 6)):
        key, field, kind = s.choice(KEYS), s.choice(FIELDS), s.below(6)
        if kind < 3:
            acts.append(("change", key, field))
        elif kind == 3:
            acts.append(("remove", key))
        elif kind == 4:
            acts.append(("add", key, field))
        else:
            acts.append(("change_all", [(key, field), (s.choice(KEYS), s.choice(FIELDS))]))
    return script(v, "none case shared failure bulk", *acts, *ALL)


def oracle(v: Variant):
    """Has no index: goes through all records, and knows which fields were ever there."""
    conflict = type(v["error"], (Exception,), {"__module__": "module"})

    class Book:
        def __init__(self):
            self.records, self.ever = [], set()

        def seen(self, field):
            """What the field is for the index, or nothing."""
            if field is None:
                return [None] if v["none"] == "counts" else []
            return [field.lower() if v["case"] == "folded" else field]

        def known(self, key):
            if all(other != key for other, _ in self.records):
                raise KeyError(key)

        def store(self, key, field):
            if v["shared"] == "unique":
                for other, its in self.records:
                    if other != key and self.seen(field) and self.seen(its) == self.seen(field):
                        raise conflict(other)
            before = [its for other, its in self.records if other == key]
            self.records = [pair for pair in self.records if pair[0] != key] + [(key, field)]
            self.ever.update(self.seen(field))
            return before[0] if before else None

        def add(self, key, field):
            if any(other == key for other, _ in self.records):
                raise conflict(key)
            self.store(key, field)

        def change(self, key, field):
            self.known(key)
            return self.store(key, field)

        def change_all(self, changes):
            before = self.records, set(self.ever)
            try:
                for key, field in changes:
                    self.change(key, field)
            except Exception:
                if v["bulk"] == "none":
                    self.records, self.ever = before
                raise

        def remove(self, key):
            self.known(key)
            field = dict(self.records)[key]
            self.records = [pair for pair in self.records if pair[0] != key]
            return field

        def listing(self):
            return dict(self.records)

        def find(self, field):
            wanted = self.seen(field)
            return sorted(key for key, its in self.records if wanted and self.seen(its) == wanted)

        def counts(self):
            sizes = {field: len(self.find(field)) for field in self.ever}
            if v["empty"] == "dropped":
                return {field: size for field, size in sizes.items() if size}
            return sizes

    names = ("add", "change", "change_all", "remove", "find", "counts", "listing")
    methods = {v[name]: Book.__dict__[name] for name in names}
    return {v["cls"]: type("Model", (Book,), methods), v["error"]: conflict}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(SETS, SIZES),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(changes, without_field, emptied, letters, refused, in_bulk, own_results),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
