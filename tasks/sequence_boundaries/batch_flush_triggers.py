"""A batch goes out at its limits and at the close, once each, and never empty."""

from functools import lru_cache

from sandbox.checks import Check, Ref, call, callback, clock, raises, tick
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

# What two options of a knob have in the same place; patches and faults put in the other one's.
BELONGS = {"fit_sign": "<=", "full_sign": ">="}
DOES_NOT = {"fit_sign": "<", "full_sign": ">"}
SINCE_FIRST = {
    "since": "if not self._items:\n    self._since = self._clock()",
    "lane_end": "0",
    "put_off": "",
}
SINCE_LAST = {
    "since": "self._since = self._clock()",
    "lane_end": "-1",
    "put_off": "batch.due = $due",
}
SENT_FIRST = {
    "flush": """
        self._$send(tuple(self._items))
        self._items, self._$weight = [], 0
    """,
    "lane_flush": """
        self._$send($key, tuple(one.$item for one in self._lanes[$key]))
        del self._lanes[$key]
    """,
    "hand_over": """
        self._$send(tuple(batch.$items))
        self._batch = None
    """,
}
GONE_FIRST = {
    "flush": """
        items, self._items, self._$weight = tuple(self._items), [], 0
        self._$send(items)
    """,
    "lane_flush": """
        lane = self._lanes.pop($key)
        self._$send($key, tuple(one.$item for one in lane))
    """,
    "hand_over": """
        self._batch = None
        self._$send(tuple(batch.$items))
    """,
}


def other(fills: dict[str, str]) -> dict[str, str]:
    """The fills of the other option, under names of their own."""
    return {f"other_{name}": fill for name, fill in fills.items()}


KNOBS = (
    knob(
        "test",
        before={
            "test_clause": "When a new $item does not fit the waiting batch, that batch is sent "
            "first, and the $item begins a new one. It fits while the batch has fewer than "
            "$max_count ${item}s and its $weight with the $item $fit_clause $max_weight.",
            "misfit": "if self._items and not self._fits($weight):\n    self._flush()",
            "misfit_or_alone": "(alone or not self._fits($weight))",
            "misfit_alone": "alone or not self._fits($weight)",
            "full": "",
            "full_or_alone": "alone",
            "room_method": """
                def _fits(self, $weight: int) -> bool:
                    total = self._$weight + $weight
                    return len(self._items) < self._max_count and total $fit_sign self._max_weight
            """,
            "lane_misfit": "lane = self._lanes.get($key)\n"
            "if lane and not self._fits(lane, $weight):\n    self._flush($key)",
            "lane_misfit_or_alone": "(alone or not self._fits(lane, $weight))",
            "lane_full": "",
            "lane_full_or_alone": "alone",
            "lane_method": """
                def _fits(self, lane: list[_Waiting], $weight: int) -> bool:
                    total = sum(one.$weight for one in lane) + $weight
                    return len(lane) < self._max_count and total $fit_sign self._max_weight
            """,
            "open_misfit": "batch = self._batch\n"
            "if batch is not None and not self._limits.leave_room(batch, $weight):\n"
            "    self._hand_over(batch)",
            "open_misfit_or_alone": "(alone or not self._limits.leave_room(batch, $weight))",
            "open_full": "",
            "open_full_or_alone": "alone",
            "limit_rule": """
                def leave_room(self, batch: _Batch, $weight: int) -> bool:
                    total = batch.$weight + $weight
                    return len(batch.$items) < self.$max_count and total $fit_sign self.$max_weight
            """,
        },
        after={
            "test_clause": "Each $item joins the waiting batch, which is sent at once when it then "
            "has $max_count ${item}s or more, or its $weight $full_clause $max_weight.",
            "misfit": "",
            "misfit_or_alone": "alone",
            "misfit_alone": "alone",
            "full": "if self._is_full():\n    self._flush()",
            "full_or_alone": "alone or self._is_full()",
            "room_method": """
                def _is_full(self) -> bool:
                    return len(self._items) >= self._max_count or self._$weight $full_sign self._max_weight
            """,
            "lane_misfit": "",
            "lane_misfit_or_alone": "alone",
            "lane_full": "if self._is_full($key):\n    self._flush($key)",
            "lane_full_or_alone": "alone or self._is_full($key)",
            "lane_method": """
                def _is_full(self, $key: str) -> bool:
                    lane = self._lanes[$key]
                    total = sum(one.$weight for one in lane)
                    return len(lane) >= self._max_count or total $full_sign self._max_weight
            """,
            "open_misfit": "",
            "open_misfit_or_alone": "alone",
            "open_full": "if self._limits.are_reached(batch):\n    self._hand_over(batch)",
            "open_full_or_alone": "alone or self._limits.are_reached(batch)",
            "limit_rule": """
                def are_reached(self, batch: _Batch) -> bool:
                    over = batch.$weight $full_sign self.$max_weight
                    return over or len(batch.$items) >= self.$max_count
            """,
        },
    ),
    knob(
        "edge",
        limit_belongs={
            "fit_clause": "is at most",
            "full_clause": "is at least",
            "heavy_clause": "more than",
            "heavy_sign": ">",
            **BELONGS,
            **other(DOES_NOT),
        },
        limit_does_not={
            "fit_clause": "is less than",
            "full_clause": "is more than",
            "heavy_clause": "at least",
            "heavy_sign": ">=",
            **DOES_NOT,
            **other(BELONGS),
        },
    ),
    knob(
        "heavy",
        alone={
            "heavy_rule": "is sent alone: first the waiting batch, if there is one, and then the "
            "$item by itself",
            "by_itself": ", alone or with others",
            "heavy_refuse": "",
            "heavy_test": "alone = $weight $heavy_sign $limit_weight",
            "pre": "if self._items and $misfit_or_alone:\n    self._flush()",
            "post": "if $full_or_alone:\n    self._flush()",
            "lane_pre": "lane = self._lanes.get($key)\n"
            "if lane and $lane_misfit_or_alone:\n    self._flush($key)",
            "lane_post": "if $lane_full_or_alone:\n    self._flush($key)",
            "open_pre": "batch = self._batch\n"
            "if batch is not None and $open_misfit_or_alone:\n    self._hand_over(batch)",
            "open_post": "if $open_full_or_alone:\n    self._hand_over(batch)",
        },
        refused={
            "heavy_rule": "is refused: $add raises ValueError and does nothing else",
            "by_itself": "",
            "heavy_refuse": "if $weight $heavy_sign $limit_weight:\n"
            '    raise ValueError(f"$weight out of range: {$weight}")',
            "heavy_test": "",
            "pre": "$misfit",
            "post": "$full",
            "lane_pre": "$lane_misfit",
            "lane_post": "$lane_full",
            "open_pre": "$open_misfit",
            "open_post": "$open_full",
        },
    ),
    knob(
        "age",
        first={"age_clause": "the $item it began with", **SINCE_FIRST, **other(SINCE_LAST)},
        last={"age_clause": "the latest $item in it", **SINCE_LAST, **other(SINCE_FIRST)},
    ),
    knob(
        "failed",
        keeps={
            "failed_clause": "That batch stays as it is, to be tried again when the next reason to "
            "send it comes, and a $close that raised has not closed",
            "after_close": "$nothing_left",
            "close_first": "",
            "close_last": "self._closed = True",
            **SENT_FIRST,
            **other(GONE_FIRST),
        },
        drops={
            "failed_clause": "That batch is given up, and a $close that raised has closed",
            "after_close": "$others_left",
            "close_first": "self._closed = True",
            "close_last": "",
            **GONE_FIRST,
            **other(SENT_FIRST),
        },
    ),
)

NOTHING_LEFT = "raise nothing then and send nothing, as nothing waits"

CONTRACT = (
    Clause("call", "$opening"),
    Clause("limits", "$test_clause $max_count is a positive integer."),
    Clause(
        "heavy",
        """Any $item whose $weight is $heavy_clause $max_weight $heavy_rule. A $weight is a positive
        integer, as is $max_weight.""",
    ),
    Clause(
        "age",
        """A waiting batch is due when $max_age has passed, exactly or more, since $age_clause was
        taken. $poll() sends all that is due$every. $add does so too, before it does anything with its $item
        that is not refused. $max_age is a positive integer; the clock never runs backwards
        and stands still during a call.""",
    ),
    Clause("empty", "$send never gets an empty tuple: without anything to send it is not called."),
    Clause(
        "close",
        """$close() sends all that is waiting$in_turn and closes: from then on $add raises
        RuntimeError, whatever it is given. $poll() and a further $close() $after_close.""",
    ),
    Clause(
        "failed",
        """What $send raises goes on to the caller, and nothing more is done in that call. The $item
        given to $add is then taken only if it is in the batch that was being sent$by_itself.
        $failed_clause.""",
    ),
)

ONE_LANE = {
    "opening": "$cls($send, clock, $max_count, $max_weight, $max_age) collects $items in batches. "
    "$add($item, $weight) takes one, $poll() and $close() send what they have to; all return None. "
    "A batch is sent by $send(batch), a tuple of its ${item}s in the order in which they were "
    "taken. $waiting() returns the list of the ${item}s that wait. clock() gives the time.",
    "every": "",
    "in_turn": "",
    "nothing_left": NOTHING_LEFT,
    "others_left": NOTHING_LEFT,
}

SINGLE_CLOSE = "        if self._items:\n            self._flush()\n"

SINGLE = Shape(
    name="single",
    entry_point="$cls",
    words={**ONE_LANE, "limit_weight": "self._max_weight"},
    module='''
"""$summary"""

from collections.abc import Callable


class $cls:
    """Collects $items and hands them on in batches.

    A batch ends by number, by $weight, by age, or at the close.
    """

    def __init__(
        self,
        $send: Callable[[tuple[str, ...]], None],
        clock: Callable[[], int],
        $max_count: int,
        $max_weight: int,
        $max_age: int,
    ) -> None:
        self._$send = $send
        self._clock = clock
        self._max_count = $max_count
        self._max_weight = $max_weight
        self._max_age = $max_age
        self._items: list[str] = []
        self._$weight = 0
        self._since = clock()
        self._closed = False

    def $add(self, $item: str, $weight: int) -> None:
        """Take one $item in, and send what its coming makes ready."""
        if self._closed:
            raise RuntimeError("closed")
        $heavy_refuse
        self.$poll()
        $heavy_test
        $pre
        $since
        self._items.append($item)
        self._$weight += $weight
        $post

    def $poll(self) -> None:
        """Send the batch if it has waited long enough."""
        if self._items and self._clock() - self._since >= self._max_age:
            self._flush()

    def $close(self) -> None:
        """Send what is left and take no more."""
        $close_first
        if self._items:
            self._flush()
        $close_last

    def $waiting(self) -> list[str]:
        """The ${item}s that have not been sent."""
        return list(self._items)

    $room_method

    def _flush(self) -> None:
        $flush
''',
    bugs=(
        change("close_empty", (SINGLE_CLOSE, "        self._flush()\n")),
        change("close_lost", (SINGLE_CLOSE, "")),
        change("due_late", ("self._since >= self._max_age", "self._since > self._max_age")),
        change("age_other", slots={"since": "$other_since"}),
        change(
            "weight_kept",
            ("self._items, self._$weight = [], 0", "self._items = []"),
            when={"failed": "keeps"},
        ),
        change(
            "weight_left",
            (
                "items, self._items, self._$weight = tuple(self._items), [], 0",
                "items, self._items = tuple(self._items), []",
            ),
            when={"failed": "drops"},
        ),
        change(
            "sends_nothing",
            ("if self._items and $misfit_or_alone:", "if $misfit_alone:"),
            when={"heavy": "alone"},
        ),
    ),
    known_failing=(
        change("failed_other", slots={"flush": "$other_flush"}),
        change(
            "edge_other", slots={"fit_sign": "$other_fit_sign", "full_sign": "$other_full_sign"}
        ),
        change("add_waits", ("        self.$poll()\n", "")),
        change(
            "joins_heavy",
            ("        if self._items and alone:\n            self._flush()\n", ""),
            when={"heavy": "alone", "test": "after"},
            against=("close_empty", "close_lost", "due_late"),
        ),
        change(
            "polls_nothing",
            (
                "if self._items and self._clock() - self._since >=",
                "if self._clock() - self._since >=",
            ),
        ),
        change("close_again", ("        $close_last\n", ""), when={"failed": "keeps"}),
        change(
            "close_after",
            (
                "        $close_first\n" + SINGLE_CLOSE,
                SINGLE_CLOSE + "        self._closed = True\n",
            ),
            when={"failed": "drops"},
            against=("due_late", "age_other", "weight_left", "sends_nothing"),
        ),
    ),
)

LANES_CLOSE = "        for $key in list(self._lanes):\n            self._flush($key)\n"

LANES = Shape(
    name="lanes",
    entry_point="$lanes",
    words={
        "opening": "$lanes($send, clock, $max_count, $max_weight, $max_age) collects $items in "
        "batches, one batch for each $key. $add($key, $item, $weight) takes one, $poll() and "
        "$close() send what they have to; all return None. A batch is sent by $send($key, batch), "
        "a tuple of its ${item}s in the order in which they were taken. $waiting($key) returns the "
        "list of its ${item}s that wait. clock() gives the time.",
        "every": ", for every $key, in the order in which the batches began",
        "in_turn": " in that order",
        "nothing_left": NOTHING_LEFT,
        "others_left": "then send what still waits, as they did before",
        "limit_weight": "self._max_weight",
    },
    module='''
"""$summary"""

from collections.abc import Callable
from typing import NamedTuple


class _Waiting(NamedTuple):
    $item: str
    $weight: int
    since: int


class $lanes:
    """Hands $items on in batches, a batch of its own for each $key."""

    def __init__(
        self,
        $send: Callable[[str, tuple[str, ...]], None],
        clock: Callable[[], int],
        $max_count: int,
        $max_weight: int,
        $max_age: int,
    ) -> None:
        self._$send = $send
        self._clock = clock
        self._max_count = $max_count
        self._max_weight = $max_weight
        self._max_age = $max_age
        self._lanes: dict[str, list[_Waiting]] = {}
        self._closed = False

    def $add(self, $key: str, $item: str, $weight: int) -> None:
        """Take one $item in for $key."""
        if self._closed:
            raise RuntimeError("closed")
        $heavy_refuse
        self.$poll()
        $heavy_test
        $lane_pre
        waiting = _Waiting($item, $weight, self._clock())
        self._lanes.setdefault($key, []).append(waiting)
        $lane_post

    def $poll(self) -> None:
        """Send every batch that has waited long enough, in order of their beginning."""
        for $key, lane in list(self._lanes.items()):
            if self._clock() - lane[$lane_end].since >= self._max_age:
                self._flush($key)

    def $close(self) -> None:
        """Send all that is left; nothing is taken any more."""
        $close_first
        for $key in list(self._lanes):
            self._flush($key)
        $close_last

    def $waiting(self, $key: str) -> list[str]:
        """The ${item}s of $key that have not been sent."""
        return [one.$item for one in self._lanes.get($key, [])]

    $lane_method

    def _flush(self, $key: str) -> None:
        $lane_flush
''',
    bugs=(
        change("close_lost", (LANES_CLOSE, "        self.$poll()\n")),
        change("due_late", (".since >= self._max_age", ".since > self._max_age")),
        change("age_other", ("lane[$lane_end].since", "lane[$other_lane_end].since")),
        change(
            "close_one",
            (
                LANES_CLOSE,
                "        if self._lanes:\n            self._flush(next(iter(self._lanes)))\n",
            ),
        ),
        change(
            "left_empty",
            ("        del self._lanes[$key]\n", "        self._lanes[$key] = []\n"),
            when={"failed": "keeps"},
        ),
        change(
            "polls_one",
            (
                "                self._flush($key)\n\n",
                "                self._flush($key)\n                break\n\n",
            ),
        ),
    ),
    known_failing=(
        change("failed_other", slots={"lane_flush": "$other_lane_flush"}),
        change(
            "edge_other", slots={"fit_sign": "$other_fit_sign", "full_sign": "$other_full_sign"}
        ),
        change("add_waits", ("        self.$poll()\n", "")),
        change(
            "add_own",
            (
                "        self.$poll()\n",
                "        first = self._lanes.get($key)\n"
                "        if first and self._clock() - first[$lane_end].since >= "
                "self._max_age:\n"
                "            self._flush($key)\n",
            ),
        ),
        change("close_again", ("        $close_last\n", ""), when={"failed": "keeps"}),
        change(
            "close_after",
            ("        $close_first\n" + LANES_CLOSE, LANES_CLOSE + "        self._closed = True\n"),
            when={"failed": "drops"},
            against=("due_late", "age_other", "polls_one"),
        ),
    ),
)

OPEN_CLOSE = "        if self._batch is not None:\n            self._hand_over(self._batch)\n"
PUT_IN_SENT = (
    "        if self._batch is None:\n"
    "            self._batch = _Batch($due)\n"
    "        batch = self._batch\n",
    "        if batch is None:\n            batch = self._batch = _Batch($due)\n",
)


OPEN = Shape(
    name="open",
    entry_point="$cls",
    words={
        **ONE_LANE,
        "limit_weight": "self._limits.$max_weight",
        "due": "self._clock() + self._limits.$max_age",
    },
    module='''
"""$summary"""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class _Batch:
    """What one call of $send will take, and the time at which it has to go."""

    due: int
    $items: list[str] = field(default_factory=list)
    $weight: int = 0


@dataclass(frozen=True)
class _Limits:
    $max_count: int
    $max_weight: int
    $max_age: int

    $limit_rule


class $cls:
    """Fills one batch of $items after another."""

    def __init__(
        self,
        $send: Callable[[tuple[str, ...]], None],
        clock: Callable[[], int],
        $max_count: int,
        $max_weight: int,
        $max_age: int,
    ) -> None:
        self._$send = $send
        self._clock = clock
        self._limits = _Limits($max_count, $max_weight, $max_age)
        self._batch: _Batch | None = None
        self._closed = False

    def $add(self, $item: str, $weight: int) -> None:
        """Put one $item into the batch that is filling."""
        if self._closed:
            raise RuntimeError("no more $items are taken")
        $heavy_refuse
        self.$poll()
        $heavy_test
        $open_pre
        if self._batch is None:
            self._batch = _Batch($due)
        batch = self._batch
        batch.$items.append($item)
        batch.$weight += $weight
        $put_off
        $open_post

    def $poll(self) -> None:
        """Hand the batch over once its time has come."""
        if self._batch is not None and self._clock() >= self._batch.due:
            self._hand_over(self._batch)

    def $close(self) -> None:
        """Hand over what is left; from now on nothing is taken."""
        $close_first
        if self._batch is not None:
            self._hand_over(self._batch)
        $close_last

    def $waiting(self) -> list[str]:
        """The ${item}s in the batch that is filling."""
        return [] if self._batch is None else list(self._batch.$items)

    def _hand_over(self, batch: _Batch) -> None:
        $hand_over
''',
    bugs=(
        change("close_lost", (OPEN_CLOSE, "        self.$poll()\n")),
        change("due_late", ("self._clock() >= self._batch.due", "self._clock() > self._batch.due")),
        change("age_other", slots={"put_off": "$other_put_off"}),
        change("opened_early", ("self._batch = None\n", "self._batch = _Batch($due)\n")),
        change("put_in_sent", PUT_IN_SENT, when={"heavy": "alone"}),
        change("put_in_sent", PUT_IN_SENT, when={"heavy": "refused", "test": "before"}),
        change(
            "count_late",
            ("len(batch.$items) < self.$max_count", "len(batch.$items) <= self.$max_count"),
            when={"test": "before"},
        ),
        change(
            "count_late",
            ("len(batch.$items) >= self.$max_count", "len(batch.$items) > self.$max_count"),
            when={"test": "after"},
        ),
    ),
    known_failing=(
        change("failed_other", slots={"hand_over": "$other_hand_over"}),
        change(
            "edge_other", slots={"fit_sign": "$other_fit_sign", "full_sign": "$other_full_sign"}
        ),
        change("add_waits", ("        self.$poll()\n", "")),
        change(
            "joins_heavy",
            (
                "        batch = self._batch\n"
                "        if batch is not None and alone:\n"
                "            self._hand_over(batch)\n",
                "",
            ),
            when={"heavy": "alone", "test": "after"},
            against=("close_lost", "due_late", "age_other", "opened_early", "count_late"),
        ),
        change("close_again", ("        $close_last\n", ""), when={"failed": "keeps"}),
        change(
            "close_after",
            ("        $close_first\n" + OPEN_CLOSE, OPEN_CLOSE + "        self._closed = True\n"),
            when={"failed": "drops"},
        ),
    ),
)

SCENARIOS = (
    scenario(
        "metrics exporter", summary="Sends measurements to the collector in batches.",
        cls="MetricExporter", lanes="ExporterByHost", items="samples", item="sample", weight="size",
        send="export", add="record", poll="tick", close="shutdown", waiting="pending", key="host",
        max_count="max_samples", max_weight="max_size", max_age="max_delay",
    ),
    scenario(
        "SMS sender", summary="Hands text messages to the carrier in batches.", cls="SmsBatcher",
        lanes="SmsByCarrier", items="texts", item="text", weight="length", send="submit",
        add="queue", poll="check", close="stop", waiting="queued", key="carrier",
        max_count="max_texts", max_weight="max_length", max_age="max_wait",
    ),
    scenario(
        "bulk index writer", summary="Writes documents to a search index in bulk.",
        cls="BulkWriter", lanes="BulkWriterByIndex", items="documents", item="document",
        weight="bulk", send="write", add="index", poll="poll", close="close", waiting="buffered",
        key="target", max_count="max_documents", max_weight="max_bulk", max_age="max_age",
    ),
    scenario(
        "invoice mailer", summary="Mails invoices in envelopes of several.", cls="InvoiceMailer",
        lanes="InvoicesByCustomer", items="invoices", item="invoice", weight="thickness",
        send="mail", add="enclose", poll="post_due", close="finish", waiting="enclosed",
        key="customer", max_count="most_invoices", max_weight="most_thickness",
        max_age="longest_wait",
    ),
    scenario(
        "click collector", summary="Collects clicks and stores them by the batch.",
        cls="ClickCollector", lanes="ClicksBySite", items="clicks", item="click", weight="cost",
        send="store", add="collect", poll="run_timers", close="drain", waiting="held", key="site",
        max_count="batch_size", max_weight="batch_cost", max_age="batch_age",
    ),
)  # fmt: skip

# The same few steps come again and again.
asking, passing, replying = lru_cache(2048)(call), lru_cache(64)(tick), lru_cache(64)(callback)
CLOCK = clock(0)
LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
EVENTS = (("wait", 1), ("wait", 2), ("wait", 5), ("poll", None), ("add2", 4))
ENDING = (("waiting", None), ("close", None), ("waiting", None))
DOWN = raises("OSError", "down")
SOME_FAIL = ((None,), (None,), (DOWN, None), (None, DOWN, None))


@lru_cache(64)
def fixed_steps(poll: str, close: str, waiting: str, keys: tuple[str, ...]):
    """The steps of the operations that have no amount, by name."""
    asks = [call(f"box.{waiting}", key) for key in keys] or [call(f"box.{waiting}")]
    return {
        "poll": (call(f"box.{poll}"),),
        "close": (call(f"box.{close}"),),
        "waiting": tuple(asks),
    }


def script(v: Variant, ops, clauses: str, limits=(3, 10, 5), sent=(None,)) -> Check:
    """Operations on one object: a weight is added, the rest is named; lanes alternate."""
    fixtures = {"clock": CLOCK, v["send"]: replying(*sent)}
    steps = [call(v.entry_point, Ref(v["send"]), Ref("clock"), *limits, bind="box")]
    names, lanes, add = iter(LETTERS), v.shape == "lanes", f"box.{v['add']}"
    fixed = fixed_steps(v["poll"], v["close"], v["waiting"], ("p1", "p2") if lanes else ())
    for op, amount in ops:
        if op in fixed:
            steps += fixed[op]
        elif op == "wait":
            steps.append(passing("clock", amount))
        elif lanes:
            steps.append(asking(add, "p2" if op == "add2" else "p1", next(names), amount))
        else:
            steps.append(asking(add, next(names), amount))
    return Check(steps, fixtures, clauses=v.clauses("call", clauses))


def plan(text: str):
    """Operations from words: `3` adds a weight of 3, `3'` to the other lane, `+2` waits."""
    short = {"p": ("poll", None), "c": ("close", None), "w": ("waiting", None)}
    ops = []
    for word in text.split():
        if word in short:
            ops.append(short[word])
        elif word[0] == "+":
            ops.append(("wait", int(word[1:])))
        else:
            ops.append(("add2" if word[-1] == "'" else "add", int(word.rstrip("'"))))
    return ops


def visible(v: Variant, s: Stream):
    """Batches that end by number or by weight well over the limit, and one that is due."""
    some = s.between(1, 2)
    yield script(v, plan("1 1 w 1 2 w"), "limits")
    yield script(v, plan(f"{some} 7 5 w"), "limits")
    yield script(v, plan("2 +9 p w"), "age")
    yield script(v, plan(f"3 {some} w"), "limits")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """The close after a batch or within one, the exact age, or what one batch left behind."""
    text = {
        "close_empty": "1 +6 p c",
        "close_lost": f"{s.between(1, 3)} 2 w c",
        "due_late": "2 +4 p w +1 p w",
        "age_other": "1 +3 2 +3 p w",
        "weight_kept": "3 3 3 6 1 w",
        "weight_left": "3 3 3 6 1 w",
        "sends_nothing": "14 1 w",
        "close_one": "1 2' c w",
        "left_empty": "1 +6 p +6 p c",
        "opened_early": "1 +6 p +6 p c",
        "put_in_sent": "3 1 14 3 3 6 w",
        "count_late": "1 1 1 1 w",
        "polls_one": "1 2' +6 p w",
    }[bug]
    return script(v, plan(text), "limits age close")


def weighed(s: Stream, count: int):
    """Weights that often add up to 9, 10 or 11."""
    adds, total, below = [], 0, s.below
    for _ in range(count):
        if below(2) == 0:
            weight = max(1, 10 - total + below(3) - 1)
        else:
            weight = 1 + below(6)
        total = 0 if total + weight >= 9 else total + weight
        adds.append(("add2" if below(6) == 0 else "add", weight))
    return adds


def around_the_weight(v: Variant, s: Stream) -> Check:
    """Weights that just reach the limit, just miss it, or go over it by one; then just enough."""
    limits = (s.choice((3, 4, 9)), 10, 5)
    first, second = s.between(2, 7), s.between(2, 7)
    most = 10 if v["edge"] == "limit_belongs" else 9
    ops = [("add", first), ("add", 10 - first + s.choice((-1, 0, 0, 0, 1))), ("waiting", None)]
    ops += [("wait", 5), ("add", second), ("add", most - second), ("waiting", None)]
    ops += [*weighed(s, s.between(0, 2)), ("close", None)]
    return script(v, ops, "limits empty close", limits)


def too_heavy(v: Variant, s: Stream) -> Check:
    """Items of about the limit by themselves, into an empty batch and into one that waits."""
    heavy = s.shuffle((9, 10, 11, 14))
    ops = [("add", 1)] if s.chance(1, 2) else []
    for weight in heavy[:3]:
        ops += [("add", weight), ("waiting", None)] + ([("add", 2)] if s.chance(1, 2) else [])
    if s.chance(1, 2):
        ops[1:1] = [("wait", 5)]
    return script(v, [*ops, ("close", None)], "heavy limits empty", (4, 10, 5))


def around_the_age(v: Variant, s: Stream) -> Check:
    """A poll or an addition about when the first item is due, and again when the last one is."""
    gap, early = s.between(1, 4), s.choice((-1, 0, 0, 1))
    third = s.choice((("poll", None), ("add", 1), ("add2", 1), ("add2", 1)))
    ops = [("add", 1), ("wait", gap), ("add", 2), ("wait", max(5 - gap + early, 1)), third]
    if s.chance(2, 3):
        ops.insert(s.between(1, 2), ("add2", 1))
    left = 5 if third[0] == "add" else max(gap - early, 1)
    ops += [("waiting", None), ("wait", left + s.choice((-1, 0, 0, 1)))]
    ops += [s.choice((("poll", None), ("add2", 1))), ("waiting", None), ("poll", None)]
    return script(v, ops, "age empty", (9, 20, 5))


def closing(v: Variant, s: Stream) -> Check:
    """The close after some, none, or a full batch, done or raising; and what is asked after it."""
    limits, sent = (s.choice((2, 3, 6)), 12, 5), (None,)
    ops = [("add" if s.chance(1, 2) else "add2", s.between(1, 5)) for _ in range(s.between(0, 4))]
    ends: list[tuple[str, int | None]] = [("close", None), ("waiting", None)]
    if s.chance(2, 3):
        # Nothing is sent before the close, which is what raises then.
        ops, limits, sent = [("add", s.between(1, 9)), *ops[:1]], (3, 15, 5), (DOWN, None)
        ends.append(("add", 2))
    last = s.shuffle((("add", 1), ("add", 30), ("close", None), ("poll", None), ("wait", 9)))
    ops += [*ends, *last, ("poll", None)]
    return script(v, ops, "close empty failed", limits, sent)


def failing(v: Variant, s: Stream) -> Check:
    """The first or second send raises, by a limit, by age or at the close; then it goes on."""
    error = raises(s.choice(("OSError", "TimeoutError")), "down")
    sent = s.choice(((error, None), (error, error, None), (None, error, None)))
    first = s.between(2, 5)
    ops = [("add", first), ("add", s.choice((10 - first, s.between(2, 6))))]
    ops += s.choice(
        (
            [("add", 6), ("waiting", None), ("add", 1)],
            [("wait", 6), ("poll", None), ("waiting", None), ("add", 2)],
            [("add2", 3), ("wait", 6), ("add", 4), ("waiting", None)],
            [("add2", 1)],
        )
    )
    ops += [("waiting", None), ("close", None), ("waiting", None), ("add", 1), ("close", None)]
    return script(v, [*ops, ("waiting", None)], "failed close limits", (3, 10, 5), sent)


def wide(v: Variant, s: Stream) -> Check:
    """A random script with small limits."""
    ops, below = [], s.below
    for _ in range(5 + below(4)):
        if below(5) >= 3:
            ops.append(EVENTS[below(5)])
        elif below(3) == 0:
            ops += weighed(s, 1)
        else:
            ops.append(("add", (1, 2, 3, 5, 8, 11)[below(6)]))
    ops += ENDING
    sent = SOME_FAIL[below(4)]
    limits = ((1, 2, 3, 3)[below(4)], 10, (2, 5)[below(2)])
    return script(v, ops, "limits age close empty", limits, sent)


def oracle(v: Variant):
    """A journal of what was taken; what was sent or given up is struck out in it."""

    class Box:
        def __init__(self, send, clock, max_count, max_weight, max_age):
            self.send, self.clock, self.limits = send, clock, (max_count, max_weight, max_age)
            self.journal, self.over = [], False

        def open_lines(self, key):
            return [line for line in self.journal if line["key"] == key and not line["struck"]]

        def dispatch(self, key):
            lines = self.open_lines(key)
            if not lines:
                return
            batch = tuple(line["item"] for line in lines)
            try:
                self.send(batch) if key is None else self.send(key, batch)
            except Exception:
                if v["failed"] == "drops":
                    self.strike(lines)
                raise
            self.strike(lines)

        def strike(self, lines):
            for line in lines:
                line["struck"] = True

        def keys(self):
            """Lanes in the order in which their waiting batches began."""
            waiting = [line["key"] for line in self.journal if not line["struck"]]
            return sorted(set(waiting), key=waiting.index)

        def run_due(self):
            for key in self.keys():
                ages = [self.clock() - line["time"] for line in self.open_lines(key)]
                if (max(ages) if v["age"] == "first" else min(ages)) >= self.limits[2]:
                    self.dispatch(key)

        def take(self, key, item, weight):
            most, limit, _ = self.limits
            if self.over:
                raise RuntimeError
            reached = v["edge"] == "limit_does_not"
            heavy = weight > limit or (weight == limit and reached)
            if heavy and v["heavy"] == "refused":
                raise ValueError
            self.run_due()
            lines = self.open_lines(key)
            total = sum(line["weight"] for line in lines) + weight
            fits = total < limit or (total == limit and not reached)
            if heavy or (v["test"] == "before" and (len(lines) + 1 > most or not fits)):
                self.dispatch(key)
            now = self.clock()
            line = {"key": key, "item": item, "weight": weight, "time": now, "struck": False}
            self.journal.append(line)
            lines = self.open_lines(key)
            total = sum(line["weight"] for line in lines)
            full = len(lines) >= most or total > limit or (total == limit and not reached)
            if heavy or (v["test"] == "after" and full):
                self.dispatch(key)

        def finish_all(self):
            self.over = self.over or v["failed"] == "drops"
            for key in self.keys():
                self.dispatch(key)
            self.over = True

    class Single(Box):
        pass

    setattr(Box, v["poll"], Box.run_due)
    setattr(Box, v["close"], Box.finish_all)
    setattr(Box, v["add"], Box.take)
    show = {v["waiting"]: lambda self, key: [line["item"] for line in self.open_lines(key)]}
    setattr(Box, v["waiting"], show[v["waiting"]])
    setattr(Single, v["add"], lambda self, item, weight: Box.take(self, None, item, weight))
    setattr(Single, v["waiting"], lambda self: show[v["waiting"]](self, None))
    return {v["cls"]: Single, v["lanes"]: Box}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(SINGLE, LANES, OPEN),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(around_the_weight, around_the_age, too_heavy, around_the_age, closing, failing),
    wide=wide,
    oracle=oracle,
    stateful=True,
    effects=True,
)
