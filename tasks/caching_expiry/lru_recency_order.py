"""Eviction takes the entry whose last use is longest ago, by the stated notion of a use."""

from functools import cache
from typing import Any

from sandbox.checks import Check, Ref, Step, call, callback, raises
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "reading",
        uses={
            "read_clause": "is a use of it",
            "read_tick": "self._touch($key)",
            "read_order": "self._recent.move_to_end($key)",
            "read_entry": "self._touch(self._entries[$key])",
        },
        looks={
            "read_clause": "is no use of it",
            "read_tick": "",
            "read_order": "",
            "read_entry": "",
        },
    ),
    knob(
        "overwriting",
        uses={
            "again_clause": "is a use of it",
            "again_tick": "self._touch($key)",
            "again_order": "self._recent.move_to_end($key)",
            "again_entry": "self._touch(entry)",
        },
        keeps_place={
            "again_clause": "is no use of it",
            "again_tick": "",
            "again_order": "",
            "again_entry": "",
        },
    ),
    knob(
        "zero",
        stores_nothing={
            "zero_clause": "makes a cache that never stores anything and never evicts; a negative "
            "one raises ValueError",
            "lowest": "0",
            "zero_rule": "if self._capacity == 0:\n    return",
            "zero_load": "if self._capacity == 0:\n    return self._load($key)",
        },
        refused={
            "zero_clause": "raises ValueError, as does a negative one",
            "lowest": "1",
            "zero_rule": "",
            "zero_load": "",
        },
    ),
    knob(
        "order",
        before={
            "order_clause": "after the old entry was taken out and before the new one is there",
            "make_room": "if len(self) >= self._capacity:\n    self._evict()",
            "trim": "",
        },
        after={
            "order_clause": "after the new entry came in and the old one was taken out",
            "make_room": "",
            "trim": "if len(self) > self._capacity:\n    self._evict()",
        },
    ),
    knob(
        "listing",
        by_use={
            "listing_clause": "from the one whose last use is longest ago to the one used last",
            "in_order": "by last use",
            "list_ticks": "in_order = sorted(self._used, key=lambda $key: self._used[$key])\n"
            "return [($key, self._values[$key]) for $key in in_order]",
            "listed_order": "[($key, self._values[$key]) for $key in self._recent]",
            "list_entries": "in_order = sorted(self._entries.items(), key=lambda pair: "
            "pair[1].used)\n"
            "return [($key, entry.$value) for $key, entry in in_order]",
        },
        by_age={
            "listing_clause": "in the order in which their ${key}s came in; overwriting does not "
            "change this order, and what was taken out and comes again is new",
            "in_order": "by age",
            "list_ticks": "return list(self._values.items())",
            "listed_order": "list(self._values.items())",
            "list_entries": "return [($key, entry.$value) for $key, entry in "
            "self._entries.items()]",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause(
        "zero",
        "The capacity is an integer. A capacity of 0 $zero_clause.",
    ),
    Clause(
        "use",
        """Coming in is the first use of an entry. Calling $reads for an entry that is there
        $read_clause; calling $stores for a $key that is there overwrites the $value and
        $again_clause. Asking with `in`, `len` or $items is never a use. Any ${value}, None
        included, makes an entry like any other.""",
    ),
    Clause(
        "evict",
        """When an entry comes in for a new $key and the capacity is used up, one entry is evicted:
        of those that were there, the one whose last use is longest ago. Overwriting evicts nothing.""",
    ),
    Clause(
        "told",
        """$evicted($key, $value) is called for each eviction, $order_clause, and for nothing else.
        What it raises goes on to the caller; what was done before it is not undone and what comes
        after it is not done.""",
    ),
    Clause("listing", "$items() returns the list of all ($key, $value) pairs, $listing_clause."),
    Clause(
        "drop",
        "$drop($key) takes the entry out, without a call of $evicted, and returns True, or "
        "False if there is none.",
    ),
)

INIT = """
        if capacity < $lowest:
            raise ValueError(f"capacity out of range: {capacity}")
        self._capacity = capacity
        self._$evicted = $evicted
"""

STORE_WORDS = {
    "opening": "$cls(capacity, $evicted) keeps at most that many ${value}s by $key. $put($key, "
    "$value) stores and returns None, $get($key) returns the $value, or None if there is none, "
    "`$key in cache` tells whether there is one, and len(cache) how many there are.",
    "reads": "$get",
    "stores": "$put",
}

TICKS = Shape(
    name="ticks",
    entry_point="$cls",
    words=STORE_WORDS,
    module='''
"""$summary"""

from collections.abc import Callable


class $cls:
    """Keeps the ${value}s in use; the count of uses tells which one to give up."""

    def __init__(self, capacity: int, $evicted: Callable[[str, object], None]) -> None:'''
    + INIT
    + '''\
        self._values: dict[str, object] = {}
        self._used: dict[str, int] = {}
        self._uses = 0

    def $put(self, $key: str, $value: object) -> None:
        """Store $value under $key, giving up another one if need be."""
        $zero_rule
        if $key in self._values:
            self._values[$key] = $value
            $again_tick
            return
        $make_room
        self._values[$key] = $value
        self._touch($key)
        $trim

    def $get(self, $key: str) -> object | None:
        """The $value of $key, or None."""
        if $key not in self._values:
            return None
        $read_tick
        return self._values[$key]

    def $drop(self, $key: str) -> bool:
        """Take $key out; whether it was there."""
        if $key not in self._values:
            return False
        del self._values[$key]
        del self._used[$key]
        return True

    def $items(self) -> list[tuple[str, object]]:
        """All pairs, $in_order."""
        $list_ticks

    def __contains__(self, $key: str) -> bool:
        return $key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def _touch(self, $key: str) -> None:
        self._uses += 1
        self._used[$key] = self._uses

    def _evict(self) -> None:
        oldest = min(self._used, key=lambda $key: self._used[$key])
        del self._used[oldest]
        self._$evicted(oldest, self._values.pop(oldest))
''',
    bugs=(
        change(
            "read_lost",
            ("            return None\n        self._touch($key)\n", "            return None\n"),
            when={"reading": "uses"},
        ),
        change(
            "read_marks",
            (
                "        return self._values[$key]\n",
                "        self._touch($key)\n        return self._values[$key]\n",
            ),
            when={"reading": "looks"},
        ),
        change(
            "again_lost",
            ("            self._touch($key)\n            return\n", "            return\n"),
            when={"overwriting": "uses"},
        ),
        change(
            "again_marks",
            (
                "            self._values[$key] = $value\n            return\n",
                "            self._values[$key] = $value\n"
                "            self._touch($key)\n"
                "            return\n",
            ),
            when={"overwriting": "keeps_place"},
        ),
        change(
            "evicts_first",
            (
                "        if $key in self._values:\n            self._values",
                "        $make_room\n        if $key in self._values:\n            self._values",
            ),
            ("        $make_room\n        self._values[", "        self._values["),
            when={"order": "before"},
        ),
        change("not_forgotten", ("        del self._used[$key]\n", "")),
    ),
    known_failing=(
        change(
            "in_marks",
            (
                "        return $key in self._values\n",
                "        if $key not in self._values:\n"
                "            return False\n"
                "        self._touch($key)\n"
                "        return True\n",
            ),
        ),
        change(
            "drop_tells",
            (
                "        del self._values[$key]\n        del self._used[$key]\n",
                "        self._$evicted($key, self._values.pop($key))\n"
                "        del self._used[$key]\n",
            ),
            against=("read_lost", "read_marks", "again_lost", "again_marks", "evicts_first"),
        ),
        change(
            "told_late",
            slots={
                "make_room": "if len(self) >= self._capacity:\n"
                "    oldest = min(self._used, key=self._used.get)\n"
                "    gone = self._values.pop(oldest)\n"
                "    del self._used[oldest]\n"
                "else:\n"
                "    oldest = gone = None",
                "trim": "if oldest is not None:\n    self._$evicted(oldest, gone)",
            },
            when={"order": "before"},
        ),
        change(
            "told_early",
            slots={"make_room": "if len(self) >= self._capacity:\n    self._evict()", "trim": ""},
            when={"order": "after"},
        ),
        change(
            "none_missing",
            (
                "        if $key not in self._values:\n            return None\n",
                "        if self._values.get($key) is None:\n            return None\n",
            ),
            when={"reading": "uses"},
        ),
        change(
            "same_again",
            (
                "            self._values[$key] = $value\n            $again_tick\n",
                "            if self._values[$key] == $value:\n"
                "                return\n"
                "            self._values[$key] = $value\n"
                "            $again_tick\n",
            ),
            when={"overwriting": "uses"},
        ),
        change(
            "again_tells",
            (
                "            self._values[$key] = $value\n            $again_tick\n",
                "            self._$evicted($key, self._values[$key])\n"
                "            self._values[$key] = $value\n"
                "            $again_tick\n",
            ),
            against=("read_lost", "read_marks", "not_forgotten"),
        ),
    ),
)

ORDERED = Shape(
    name="ordered",
    entry_point="$cls",
    words=STORE_WORDS,
    module='''
"""$summary"""

from collections import OrderedDict
from collections.abc import Callable


class $cls:
    """Keeps at most `capacity` ${value}s.

    The ${value}s lie in one table; the other holds their ${key}s, the next to go first.
    """

    def __init__(self, capacity: int, $evicted: Callable[[str, object], None]) -> None:'''
    + INIT
    + '''\
        self._values: dict[str, object] = {}
        self._recent: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._recent)

    def __contains__(self, $key: str) -> bool:
        return $key in self._recent

    def $get(self, $key: str) -> object | None:
        """What is stored under $key, or None."""
        if $key in self._recent:
            $read_order
            return self._values[$key]
        return None

    def $put(self, $key: str, $value: object) -> None:
        """Remember $value; what makes room for it is reported."""
        $zero_rule
        if $key in self._recent:
            $again_order
            self._values[$key] = $value
            return
        $make_room
        self._values[$key] = $value
        self._recent[$key] = None
        $trim

    def _evict(self) -> None:
        $key, _ = self._recent.popitem(last=False)
        self._$evicted($key, self._values.pop($key))

    def $drop(self, $key: str) -> bool:
        """Forget $key; False if it was not there."""
        if $key not in self._recent:
            return False
        del self._recent[$key]
        del self._values[$key]
        return True

    def $items(self) -> list[tuple[str, object]]:
        """What is stored, $in_order."""
        return $listed_order
''',
    bugs=(
        change(
            "read_lost",
            (
                "            self._recent.move_to_end($key)\n"
                "            return self._values[$key]\n",
                "            return self._values[$key]\n",
            ),
            when={"reading": "uses"},
        ),
        change(
            "read_marks",
            (
                "            return self._values[$key]\n",
                "            self._recent.move_to_end($key)\n"
                "            return self._values[$key]\n",
            ),
            when={"reading": "looks"},
        ),
        change(
            "again_lost",
            (
                "            self._recent.move_to_end($key)\n"
                "            self._values[$key] = $value\n"
                "            return\n",
                "            self._values[$key] = $value\n            return\n",
            ),
            when={"overwriting": "uses"},
        ),
        change(
            "again_marks",
            (
                "            self._values[$key] = $value\n            return\n",
                "            self._recent.move_to_end($key)\n"
                "            self._values[$key] = $value\n"
                "            return\n",
            ),
            when={"overwriting": "keeps_place"},
        ),
        change(
            "evicts_first",
            (
                "        if $key in self._recent:\n"
                "            $again_order\n"
                "            self._values[$key] = $value\n",
                "        $make_room\n"
                "        if $key in self._recent:\n"
                "            $again_order\n"
                "            self._values[$key] = $value\n",
            ),
            ("        $make_room\n        self._values[", "        self._values["),
            when={"order": "before"},
        ),
        change(
            "left_behind",
            ("        del self._values[$key]\n        return True", "        return True"),
            when={"listing": "by_age"},
        ),
    ),
    known_failing=(
        change(
            "in_marks",
            (
                "        return $key in self._recent\n",
                "        if $key not in self._recent:\n"
                "            return False\n"
                "        self._recent.move_to_end($key)\n"
                "        return True\n",
            ),
        ),
        change(
            "drop_tells",
            (
                "        del self._values[$key]\n        return True",
                "        self._$evicted($key, self._values.pop($key))\n        return True",
            ),
            against=("read_lost", "read_marks", "again_lost", "again_marks", "evicts_first"),
        ),
        change(
            "told_late",
            slots={
                "make_room": "gone = None\n"
                "if len(self) >= self._capacity:\n"
                "    oldest, _ = self._recent.popitem(last=False)\n"
                "    gone = (oldest, self._values.pop(oldest))",
                "trim": "if gone:\n    self._$evicted(*gone)",
            },
            when={"order": "before"},
        ),
        change(
            "told_early",
            slots={"make_room": "if len(self) >= self._capacity:\n    self._evict()", "trim": ""},
            when={"order": "after"},
        ),
        change(
            "none_missing",
            (
                "        if $key in self._recent:\n            $read_order\n            return",
                "        if self._values.get($key) is not None:\n"
                "            $read_order\n"
                "            return",
            ),
            when={"reading": "uses"},
        ),
        change(
            "comes_anew",
            (
                "            self._values[$key] = $value\n            return\n",
                "            del self._values[$key]\n"
                "            self._values[$key] = $value\n"
                "            return\n",
            ),
            when={"listing": "by_age"},
            against=("read_lost", "read_marks", "evicts_first", "left_behind"),
        ),
        change(
            "again_tells",
            (
                "            self._values[$key] = $value\n            return\n",
                "            self._$evicted($key, self._values[$key])\n"
                "            self._values[$key] = $value\n"
                "            return\n",
            ),
            against=("read_lost", "read_marks", "left_behind"),
        ),
        change(
            "listing_marks",
            (
                "        return $listed_order\n",
                "        return [($key, self.$get($key)) for $key, _ in $listed_order]\n",
            ),
            when={"reading": "uses", "listing": "by_age"},
        ),
    ),
)

LOADING = Shape(
    name="loading",
    entry_point="$loader",
    words={
        "opening": "$loader(capacity, $load, $evicted) keeps at most that many ${value}s by $key. "
        "$fetch($key) returns the $value of the entry, and $refresh($key) makes the $value anew; "
        "either calls $load($key) once when it needs a $value, lets an entry with it come in if "
        "there is none, and returns it. What $load raises goes on to the caller and nothing "
        "changes. `$key in cache` tells whether there is an entry, and len(cache) how many there "
        "are.",
        "reads": "$fetch",
        "stores": "$refresh",
    },
    module='''
"""$summary"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class _Entry:
    $value: object
    used: int = 0


class $loader:
    """Makes ${value}s on demand and keeps those that were of use lately."""

    def __init__(
        self,
        capacity: int,
        $load: Callable[[str], object],
        $evicted: Callable[[str, object], None],
    ) -> None:'''
    + INIT
    + '''\
        self._load = $load
        self._entries: dict[str, _Entry] = {}
        self._uses = 0

    def $fetch(self, $key: str) -> object:
        """The $value of $key, made now if it is not there."""
        if $key not in self._entries:
            return self.$refresh($key)
        $read_entry
        return self._entries[$key].$value

    def $refresh(self, $key: str) -> object:
        """Make the $value of $key anew."""
        $zero_load
        $value = self._load($key)
        entry = self._entries.get($key)
        if entry is not None:
            entry.$value = $value
            $again_entry
            return $value
        $make_room
        self._entries[$key] = _Entry($value)
        self._touch(self._entries[$key])
        $trim
        return $value

    def $drop(self, $key: str) -> bool:
        """Take the entry out; False if there is none."""
        return self._entries.pop($key, None) is not None

    def $items(self) -> list[tuple[str, object]]:
        """All pairs, $in_order."""
        $list_entries

    def __contains__(self, $key: str) -> bool:
        return $key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def _touch(self, entry: _Entry) -> None:
        self._uses += 1
        entry.used = self._uses

    def _evict(self) -> None:
        oldest = min(self._entries, key=lambda $key: self._entries[$key].used)
        self._$evicted(oldest, self._entries.pop(oldest).$value)
''',
    bugs=(
        change(
            "read_lost",
            (
                "        self._touch(self._entries[$key])\n"
                "        return self._entries[$key].$value\n",
                "        return self._entries[$key].$value\n",
            ),
            when={"reading": "uses"},
        ),
        change(
            "read_marks",
            (
                "        return self._entries[$key].$value\n",
                "        self._touch(self._entries[$key])\n"
                "        return self._entries[$key].$value\n",
            ),
            when={"reading": "looks"},
        ),
        change(
            "again_lost",
            ("            self._touch(entry)\n            return", "            return"),
            when={"overwriting": "uses"},
        ),
        change(
            "again_marks",
            (
                "            entry.$value = $value\n            return",
                "            entry.$value = $value\n"
                "            self._touch(entry)\n"
                "            return",
            ),
            when={"overwriting": "keeps_place"},
        ),
        change(
            "evicts_first",
            (
                "        entry = self._entries.get($key)\n",
                "        $make_room\n        entry = self._entries.get($key)\n",
            ),
            ("        $make_room\n        self._entries[", "        self._entries["),
            when={"order": "before"},
        ),
        change(
            "not_used_yet",
            ("_Entry($value)\n        self._touch(self._entries[$key])\n", "_Entry($value)\n"),
            when={"reading": "uses"},
        ),
    ),
    known_failing=(
        change(
            "in_marks",
            (
                "        return $key in self._entries\n",
                "        if $key not in self._entries:\n"
                "            return False\n"
                "        self._touch(self._entries[$key])\n"
                "        return True\n",
            ),
        ),
        change(
            "drop_tells",
            (
                "        return self._entries.pop($key, None) is not None\n",
                "        if $key not in self._entries:\n"
                "            return False\n"
                "        self._$evicted($key, self._entries.pop($key).$value)\n"
                "        return True\n",
            ),
        ),
        change(
            "told_late",
            slots={
                "make_room": "gone = None\n"
                "if len(self) >= self._capacity:\n"
                "    oldest = min(self._entries, key=lambda name: "
                "self._entries[name].used)\n"
                "    gone = (oldest, self._entries.pop(oldest).$value)",
                "trim": "if gone:\n    self._$evicted(*gone)",
            },
            when={"order": "before"},
        ),
        change(
            "told_early",
            slots={"make_room": "if len(self) >= self._capacity:\n    self._evict()", "trim": ""},
            when={"order": "after"},
        ),
        change(
            "none_again",
            (
                "        if $key not in self._entries:\n            return self.",
                "        if $key not in self._entries or self._entries[$key].$value is None:\n"
                "            return self.",
            ),
        ),
    ),
)

SCENARIOS = (
    scenario(
        "photo cache", summary="Decoded photos, the latest ones at hand.", cls="PhotoCache",
        loader="PhotoLoader", key="name", value="photo", put="add", get="find", drop="discard",
        items="entries", evicted="on_evict", fetch="fetch", refresh="reload", load="decode",
    ),
    scenario(
        "compiled templates", summary="Compiled templates of a web server.", cls="TemplateCache",
        loader="TemplateCompiler", key="path", value="template", put="store", get="lookup",
        drop="forget", items="contents", evicted="unloaded", fetch="template", refresh="recompile",
        load="build",
    ),
    scenario(
        "geocoder", summary="Places that were looked up lately.", cls="PlaceCache",
        loader="Geocoder", key="town", value="place", put="remember", get="recall", drop="erase",
        items="places", evicted="on_drop", fetch="locate", refresh="locate_anew", load="resolve",
    ),
    scenario(
        "user profiles", summary="User profiles kept in memory.", cls="ProfileCache",
        loader="ProfileSource", key="user", value="profile", put="keep", get="profile_of",
        drop="log_out", items="profiles", evicted="saved", fetch="open", refresh="sync",
        load="read",
    ),
    scenario(
        "query plans", summary="Plans of recent statements.", cls="PlanCache", loader="Planner",
        key="statement", value="plan", put="save", get="plan_for", drop="invalidate", items="plans",
        evicted="released", fetch="prepare", refresh="replan", load="optimise",
    ),
)  # fmt: skip

KEYS = ("ant", "bee", "cat", "dog", "elk")
LOADED = (10, None, 20, None, 30, 0, None, 40, "", None, 50, 60, None, 70)


BUILTIN = {"in": "@contains", "len": "@len"}
RENAMED = {"put": "refresh", "get": "fetch"}


@cache
def ask(target: str, key: str | None) -> Step:
    """A call with nothing to give but a key, if that; builtins are given the cache first."""
    first = (Ref("cache"),) if target.startswith("@") else ()
    return call(target, *first, *(() if key is None else (key,)))


def script(v: Variant, capacity: int, ops, clauses: str, told=(None,), loaded=LOADED) -> Check:
    """Operations on one cache; a stored value is drawn from `loaded` in every shape."""
    loading = v.shape == "loading"
    made = (Ref(v["load"]), Ref(v["evicted"])) if loading else (Ref(v["evicted"]),)
    steps = [call(v.entry_point, capacity, *made, bind="cache")]
    fixtures = {v["evicted"]: callback(*told)}
    if loading:
        fixtures[v["load"]] = callback(*(loaded if ops else loaded[:1]))
    values = iter(loaded)
    for op, key in ops:
        if op == "put" and not loading:
            steps.append(call(f"cache.{v['put']}", key, next(values, 7)))
        elif op in BUILTIN:
            steps.append(ask(BUILTIN[op], key))
        else:
            steps.append(ask(f"cache.{v[RENAMED.get(op, op) if loading else op]}", key))
    return Check(tuple(steps), fixtures, clauses=v.clauses("call", clauses))


def spelled(text: str, keys):
    """Operations from words such as `put0 get1 items`."""
    words = (word.rstrip("0123456789") for word in text.split())
    places = (word[len(word.rstrip("0123456789")) :] for word in text.split())
    return [(op, keys[int(at)] if at else None) for op, at in zip(words, places, strict=True)]


PLAIN = (1, 2, 3, 4, 5, 6, 7, 8, 9)


def visible(v: Variant, s: Stream):
    """Fewer entries than the capacity, then one eviction in order of arrival."""
    keys = s.shuffle(KEYS)
    yield script(v, 4, spelled("put0 put1 get0 in2 len items", keys[:3]), "use", loaded=PLAIN)
    yield script(v, 2, spelled("put0 put1 put2 len in2 in0", keys), "evict told", loaded=PLAIN)
    yield script(v, -s.between(1, 2), [], "zero")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """The oldest entry is read, overwritten or dropped, then a new one comes."""
    text = {
        "read_lost": "put0 put1 get0 put2 len get0",
        "read_marks": "put0 put1 get0 put2 len get1",
        "again_lost": "put0 put1 put0 put2 len get0",
        "again_marks": "put0 put1 put0 put2 len get1",
        "evicts_first": "put0 put1 put1 len get0",
        "not_forgotten": "put0 put1 drop0 put2 put3 len get2",
        "left_behind": "put0 put1 drop0 items",
        "not_used_yet": "put0 get0 put1 put2 get0",
    }[bug]
    return script(v, 2, spelled(text, s.shuffle(KEYS)), "use evict told", loaded=PLAIN)


def drawn(s: Stream, count: int, ops, keys):
    return [(s.choice(ops), s.choice(keys)) for _ in range(count)]


def filled(s: Stream, capacity: int):
    """As many entries as fit, in drawn order."""
    keys = s.shuffle(KEYS)
    return [("put", key) for key in keys[:capacity]], keys


def used_then_new(v: Variant, s: Stream) -> Check:
    """A full cache; reads, overwrites and looks; then new entries."""
    capacity = s.between(2, 3)
    ops, keys = filled(s, capacity)
    ops.append((s.choice(("get", "put", "in", "in", "in")), keys[0]))
    ops += drawn(s, s.between(0, 2), ("get", "put", "in"), keys[:capacity])
    ops += [("put", keys[3]), ("items", None), ("put", keys[4]), ("items", None)]
    return script(v, capacity, ops, "use evict told listing", loaded=s.shuffle(LOADED))


def overwritten(v: Variant, s: Stream) -> Check:
    """The oldest entry of a full cache, overwritten with what it has or read as None; then a new one."""
    capacity, held = s.between(2, 3), s.choice((None, 1))
    ops, keys = filled(s, capacity)
    again = "get" if held is None and s.chance(2, 3) else "put"
    ops += [(again, keys[0]), ("len", None), ("put", keys[3]), ("items", None), ("get", keys[0])]
    ops += [("put", keys[4]), ("items", None)]
    others = [s.choice((held, None, 1, 2)) for _ in range(4)]
    loaded = (held, *others[: capacity - 1], held, *others[capacity - 1 :])
    return script(v, capacity, ops, "use evict told listing", loaded=loaded)


def callback_raises(v: Variant, s: Stream) -> Check:
    """The call of an eviction raises; what is there then, and after one more."""
    capacity = s.between(1, 3)
    ops, keys = filled(s, capacity)
    ops += drawn(s, s.between(0, 2), ("get", "put"), keys[:capacity])
    ops += [("put", keys[3]), ("items", None), ("in", keys[3]), ("put", keys[4]), ("items", None)]
    error = raises(s.choice(("OSError", "RuntimeError")), "not now")
    told = (error, None) if s.chance(2, 3) else (None, error, None)
    return script(v, capacity, ops, "told evict listing", told=told)


def dropped(v: Variant, s: Stream) -> Check:
    """An entry, mostly the next to go, is taken out and may come back; others are not there."""
    capacity = s.between(2, 3)
    ops, keys = filled(s, capacity)
    next_to_go = keys[1 if v["reading"] == "uses" else 0]
    out = next_to_go if s.chance(3, 4) else s.choice(keys[:4])
    ops += [("get", keys[0]), ("drop", out), ("drop", s.choice((out, keys[0], keys[3])))]
    ops += [("items", None), *drawn(s, 1, ("put", "in"), keys[:3]), ("put", keys[3])]
    ops += [("put", keys[4]), ("items", None)]
    return script(v, capacity, ops, "drop listing evict", loaded=s.shuffle(LOADED))


def smallest(v: Variant, s: Stream) -> Check:
    """Capacities of -1 and 0, and the smallest one that is not refused, in use."""
    least = 1 if v["zero"] == "refused" else 0
    ops = [("put", s.choice(KEYS)), *drawn(s, 3, ("put", "get", "in"), KEYS[:3])]
    ops += [("len", None), ("items", None)]
    used = script(v, least, ops, "zero evict", loaded=s.shuffle(LOADED))
    refused = [script(v, capacity, [], "zero").steps[0] for capacity in range(-1, least)]
    return Check((*refused, *used.steps), used.fixtures, clauses=used.clauses)


def wide(v: Variant, s: Stream) -> Check:
    """A full cache and a random script; now and then an eviction or the loader raises."""
    capacity = s.choice((-1, 0, 1, 2, 2, 2, 3, 3))
    if capacity < 0 or (capacity == 0 and v["zero"] == "refused"):
        return script(v, capacity, [], "zero")
    ops, keys = filled(s, capacity)
    ops.append((s.choice(("get", "in", "put")), keys[0]))
    ops += drawn(s, s.between(2, 5), ("put", "get", "get", "in", "in", "drop"), keys[:4])
    ops += [("items", None), ("put", keys[4]), ("items", None)]
    told = (None, raises("OSError", "no"), None) if s.chance(1, 5) else (None,)
    loaded: list[Any] = s.shuffle(LOADED)
    if v.shape == "loading" and s.chance(1, 3):
        loaded.insert(s.between(1, 4), raises("KeyError", "gone"))
    return script(v, capacity, ops, "use evict told listing drop", told, loaded)


def oracle(v: Variant):
    """Writes down every event and works the order of use and of arrival out from that."""

    class Store:
        def __init__(self, capacity, *callbacks):
            if capacity < 0 or (capacity == 0 and v["zero"] == "refused"):
                raise ValueError
            self.capacity, self.load, self.evicted = capacity, callbacks[0], callbacks[-1]
            self.pairs, self.events = [], []

        def _found(self, key):
            return [pair for pair in self.pairs if pair[0] == key]

        def last_use(self, key):
            return max(place for place, name in enumerate(self.events) if name == key)

        def put(self, key, value):
            if self.capacity == 0:
                return
            if self._found(key):
                self.pairs = [(k, value if k == key else old) for k, old in self.pairs]
                if v["overwriting"] == "uses":
                    self.events.append(key)
                return
            out = None
            if len(self.pairs) == self.capacity:
                out = min(self.pairs, key=lambda pair: self.last_use(pair[0]))
                self.pairs.remove(out)
            if out and v["order"] == "before":
                self.evicted(*out)
            self.pairs.append((key, value))
            self.events.append(key)
            if out and v["order"] == "after":
                self.evicted(*out)

        def get(self, key):
            found = self._found(key)
            if found and v["reading"] == "uses":
                self.events.append(key)
            return found[0][1] if found else None

        def fetch(self, key):
            return self.get(key) if self._found(key) else self.refresh(key)

        def refresh(self, key):
            value = self.load(key)
            self.put(key, value)
            return value

        def drop(self, key):
            found = self._found(key)
            self.pairs = [pair for pair in self.pairs if pair not in found]
            return bool(found)

        def items(self):
            if v["listing"] == "by_age":
                return list(self.pairs)
            return sorted(self.pairs, key=lambda pair: self.last_use(pair[0]))

        def __contains__(self, key):
            return bool(self._found(key))

        def __len__(self):
            return len(self.pairs)

    methods = {name: Store.__dict__[name] for name in METHODS}
    for name, method in methods.items():
        setattr(Store, v[name], method)
    return {v["cls"]: Store, v["loader"]: Store}


METHODS = ("put", "get", "drop", "items", "fetch", "refresh")

CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(TICKS, ORDERED, LOADING),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(used_then_new, overwritten, callback_raises, dropped, smallest),
    wide=wide,
    oracle=oracle,
    # Without any use but the first one, the order of use is the order of arrival.
    allows=lambda knobs: (
        "uses" in (knobs["reading"], knobs["overwriting"]) or knobs["listing"] == "by_use"
    ),
    stateful=True,
    effects=True,
)
