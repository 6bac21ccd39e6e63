"""Everything is closed although one close fails, and the error that counts comes out."""

from functools import cache
from textwrap import indent

from sandbox.checks import Check, Fixture, Ref, Step, call, callback, get, put, raises, recorder
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "order",
        last_first={
            "order_clause": "The $item that comes last in $whole is closed first, the first one last",
            "sequence": "reversed($items)", "other_sequence": "$items",
            "end": "", "other_end": "0",
        },
        first_first={
            "order_clause": "The $item that comes first in $whole is closed first, the last one last",
            "sequence": "$items", "other_sequence": "reversed($items)",
            "end": "0", "other_end": "",
        },
    ),
    knob(
        "closed",
        skipped={
            "closed_clause": "is passed over",
            "skip": "if $item.closed:\n    continue",
        },
        again={"closed_clause": "is closed like the others", "skip": ""},
    ),
    knob(
        "which",
        first={
            "which_clause": "first", "pick": "0", "other_pick": "-1",
            "by_weight": "closing", "other_weight": "closing[::-1]",
            "plain_kept": "close_errors or [error]", "kept": "closing or [error]", "kept_part": ":1",
        },
        last={
            "which_clause": "last", "pick": "-1", "other_pick": "0",
            "by_weight": "closing[::-1]", "other_weight": "closing",
            "plain_kept": "[error]", "kept": "[error]", "kept_part": "-1:",
        },
    ),
    knob(
        "body",
        body_wins={
            "body_clause": "above",
            "choose": "job_error or close_errors[$pick]",
            "other_choose": "close_errors[$pick] if close_errors else job_error",
            "other_end_choose": "job_error or close_errors[$other_pick]",
            "ranked": "[*from_job, *$by_weight]", "other_ranked": "[*$by_weight, *from_job]",
            "other_end_ranked": "[*from_job, *$other_weight]",
        },
        close_wins={
            "body_clause": "below",
            "choose": "close_errors[$pick] if close_errors else job_error",
            "other_choose": "job_error or close_errors[$pick]",
            "other_end_choose": "close_errors[$other_pick] if close_errors else job_error",
            "ranked": "[*$by_weight, *from_job]", "other_ranked": "[*from_job, *$by_weight]",
            "other_end_ranked": "[*$other_weight, *from_job]",
        },
    ),
    knob(
        "others",
        listed={
            "others_clause": "the list of all other errors in the order in which they came up, [] when there are none",
            "others_value": "[error for error in every if error is not chosen]",
        },
        counted={
            "others_clause": "the number of all other errors, 0 when there are none",
            "others_value": "len(every) - 1",
        },
    ),
)  # fmt: skip

CONTRACT = (
    Clause("opening", "$opening"),
    Clause(
        "all",
        """Every $item has its turn once, whatever $job or an earlier close() raised. This holds for
        every BaseException, KeyboardInterrupt included: it is kept and the closing goes on.
        Callers never give the same $item twice, and no two of the errors are the same object.""",
    ),
    Clause("order", "$order_clause."),
    Clause(
        "closed",
        "A $item whose attribute closed is true $closed_clause; nothing ever changes that attribute.",
    ),
    Clause(
        "which",
        "Among several errors of close() the one that came up $which_clause ranks above the others.",
    ),
    Clause(
        "body",
        """Once all is closed, the error of the highest rank is raised, the very object that came up.
        An error of $job ranks $body_clause every error of close().""",
    ),
    Clause("others", "The error raised has an attribute others: $others_clause."),
)

PLAIN_JOB = """\
    except BaseException as error:
        job_error = error
"""
PLAIN_LOOP = """\
    for $item in $sequence:
        $skip
        try:
            $item.close()
        except BaseException as error:
            close_errors.append(error)
"""
NOT_MASKED = ("stops", "skips_all", "reversed")

PLAIN = Shape(
    name="plain",
    entry_point="$run",
    words={
        "opening": "$run($job, $items) calls $job(), then close() of each $item in the list $items, and returns "
        "what $job returned, unless anything raised.",
        "whole": "$items",
    },
    module='''
"""$summary"""

from collections.abc import Callable, Sequence
from typing import Protocol


class $protocol(Protocol):
    """What has to be closed in the end."""

    closed: bool

    def close(self) -> None: ...


def $run($job: Callable[[], object], $items: Sequence[$protocol]) -> object:
    """Call $job and close all $items behind it.

    Errors are kept until everything is closed; one of them is raised then.
    """
    job_error: BaseException | None = None
    close_errors: list[BaseException] = []
    outcome = None
    try:
        outcome = $job()
'''
    + PLAIN_JOB
    + PLAIN_LOOP
    + '''\
    every = close_errors if job_error is None else [job_error, *close_errors]
    if not every:
        return outcome
    chosen = $choose
    chosen.others = $others_value
    raise chosen
''',
    bugs=(
        change("stops", (PLAIN_LOOP, """
    try:
        for $item in $sequence:
            $skip
            $item.close()
    except BaseException as error:
        close_errors.append(error)
""")),
        change("skips_all", (PLAIN_JOB + PLAIN_LOOP, indent(PLAIN_LOOP, "    ") + PLAIN_JOB)),
        change("reversed", ("in $sequence:", "in $other_sequence:")),
        change("masked", ("chosen = $choose", "chosen = $other_choose")),
    ),
    known_failing=(
        change("close_interrupted", ("BaseException as error:\n            close_", "Exception as error:\n            close_")),
        change("job_interrupted", ("BaseException as error:\n        job_error", "Exception as error:\n        job_error")),
        change("other_end", ("chosen = $choose", "chosen = $other_end_choose")),
        change("one_kept", ("close_errors.append(error)", "close_errors = $plain_kept")),
        change(
            "drops_close",
            ("            close_errors.append(error)", "            if job_error is None:\n                close_errors.append(error)"),
            against=NOT_MASKED,
        ),
    ),
)  # fmt: skip

CHARGE_JOB = """\
        except BaseException as error:
            from_job.append(error)
"""
CHARGE_LOOP = """\
        while self._charge:
            $item = self._charge.pop($end)
            $skip
            try:
                $item.close()
            except BaseException as error:
                closing.append(error)
"""

CHARGE = Shape(
    name="charge",
    entry_point="$cls",
    words={
        "opening": "$cls() takes charge of ${items}: $add($item) puts one more in its charge and returns it. "
        "$run($job) calls $job(), then close() of each $item in charge, and returns what $job returned, unless "
        "anything raised. After $run, however it ended, nothing is in charge; len() tells how many ${items} are.",
        "whole": "the order of adding",
    },
    module='''
"""$summary"""

from collections.abc import Callable
from typing import Any


class $cls:
    """Is in charge of ${items} until the call that needs them is over."""

    def __init__(self) -> None:
        self._charge: list[Any] = []

    def $add(self, $item: Any) -> Any:
        """Take charge of one more $item, which is open already."""
        self._charge.append($item)
        return $item

    def __len__(self) -> int:
        return len(self._charge)

    def $run(self, $job: Callable[[], object]) -> object:
        """Call $job, then close whatever is in charge.

        An error waits until the last $item has had its turn.
        """
        from_job: list[BaseException] = []
        closing: list[BaseException] = []
        outcome = None
        try:
            outcome = $job()
'''
    + CHARGE_JOB
    + CHARGE_LOOP
    + '''\
        every = from_job + closing
        if not every:
            return outcome
        chosen = $ranked[0]
        chosen.others = $others_value
        raise chosen
''',
    bugs=(
        change("stops", (CHARGE_LOOP, """
        try:
            while self._charge:
                $item = self._charge.pop($end)
                $skip
                $item.close()
        except BaseException as error:
            closing.append(error)
""")),
        change("skips_all", (CHARGE_JOB + CHARGE_LOOP, indent(CHARGE_LOOP, "    ") + CHARGE_JOB)),
        change("reversed", (".pop($end)", ".pop($other_end)")),
        change("masked", ("chosen = $ranked", "chosen = $other_ranked")),
    ),
    known_failing=(
        change("close_interrupted", ("BaseException as error:\n                closing", "Exception as error:\n                closing")),
        change("job_interrupted", ("BaseException as error:\n            from_job", "Exception as error:\n            from_job")),
        change("other_end", ("chosen = $ranked", "chosen = $other_end_ranked")),
        change("one_kept", ("closing.append(error)", "closing = $kept")),
        change(
            "drops_close",
            ("                closing.append(error)", "                if not from_job:\n                    closing.append(error)"),
            against=NOT_MASKED,
        ),
    ),
)  # fmt: skip

COLLECTED_LOOP = """\
    for $item in $sequence:
        $skip
        with in_close:
            $item.close()
"""

COLLECTED = Shape(
    name="collected",
    entry_point="$run",
    words={
        "opening": "$run($job, $items) calls $job(), then close() of each $item in the list $items, and returns "
        "what $job returned, unless anything raised.",
        "whole": "$items",
    },
    module='''
"""$summary"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any


class Collected:
    """Keeps what its with-blocks raise, so that the code after them still runs."""

    def __init__(self) -> None:
        self._errors: list[BaseException] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is not None:
            self._errors.append(error)
        return error is not None

    def __iter__(self) -> Iterator[BaseException]:
        return iter(self._errors)


def $run($job: Callable[[], object], $items: Sequence[Any]) -> object:
    """Run $job over open $items, close them and report the error that counts."""
    in_job, in_close = Collected(), Collected()
    outcome = None
    with in_job:
        outcome = $job()
'''
    + COLLECTED_LOOP
    + '''\
    from_job, closing = list(in_job), list(in_close)
    every = from_job + closing
    if every:
        chosen = $ranked[0]
        chosen.others = $others_value
        raise chosen
    return outcome
''',
    bugs=(
        change("stops", (COLLECTED_LOOP, """
    with in_close:
        for $item in $sequence:
            $skip
            $item.close()
""")),
        change("skips_all", (COLLECTED_LOOP, indent(COLLECTED_LOOP, "    "))),
        change("reversed", ("in $sequence:", "in $other_sequence:")),
        change("masked", ("chosen = $ranked", "chosen = $other_ranked")),
    ),
    known_failing=(
        change("interrupted", ("return error is not None", "return isinstance(error, Exception)")),
        change("other_end", ("chosen = $ranked", "chosen = $other_end_ranked")),
        change("one_kept", ("list(in_close)", "list(in_close)[$kept_part]")),
        change(
            "drops_close",
            ("list(in_close)\n", "list(in_close)\n    if from_job:\n        closing = []\n"),
            against=NOT_MASKED,
        ),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "device bus", summary="Devices on a bus, released after a measurement.", run="measure", job="readout",
        items="devices", item="device", protocol="Device", cls="Bus", add="attach", names=("camera", "laser", "stage", "shutter"),
    ),
    scenario(
        "file bundle", summary="Bundles of report files that are open together.", run="write_bundle", job="writer",
        items="files", item="file", protocol="OpenFile", cls="Bundle", add="include", names=("cover", "body", "index", "notes"),
    ),
    scenario(
        "nested transactions", summary="Nested transactions behind one booking.", run="book", job="booking",
        items="transactions", item="transaction", protocol="Transaction", cls="Ledger", add="enter", names=("outer", "stock", "payment", "mail"),
    ),
    scenario(
        "worker set", summary="A set of workers that ends with its batch.", run="run_batch", job="batch",
        items="workers", item="worker", protocol="Worker", cls="Crew", add="hire", names=("north", "south", "east", "west"),
    ),
    scenario(
        "shard handles", summary="Handles of shards that one query needs.", run="query_shards", job="query",
        items="handles", item="handle", protocol="Handle", cls="ShardSet", add="hold", names=("eu", "us", "asia", "africa"),
    ),
)  # fmt: skip

JOBS = {
    kind: callback(raises(kind, "job")) for kind in ("OSError", "ValueError", "KeyboardInterrupt")
}
FINE = callback("done")
KINDS = ("OSError", "OSError", "KeyboardInterrupt", "ValueError", "KeyboardInterrupt")


JOB, OTHERS, SIZE = Ref("job"), get("outcome.others"), call("@len", Ref("book"))


@cache
def resource(name: str, kind: str) -> Fixture:
    """A resource whose close() raises that kind of error, or none for ""."""
    return recorder(close=raises(kind, name) if kind else None)


@cache
def flag(name: str, is_closed: bool) -> Step:
    return put(f"{name}.closed", is_closed)


@cache
def add(target: str, name: str) -> Step:
    return call(target, Ref(name), bind=f"added_{name}")


def script(v: Variant, clauses: str, job: str, closes, closed=()) -> Check:
    """One job, "" or the error it raises, over resources: "" or the error of each close()."""
    names = v["names"][: len(closes)]
    fixtures = {"job": JOBS[job] if job else FINE}
    fixtures |= zip(names, map(resource, names, closes), strict=True)
    flags = [flag(name, name in closed) for name in names]
    is_again = v["closed"] == "again"
    turns = [
        kind for name, kind in zip(names, closes, strict=True) if is_again or name not in closed
    ]
    fails = bool(job) or any(turns)
    bind = "outcome" if fails else None
    look = (OTHERS,) if fails else ()
    numbers = v.clauses("opening", "all", clauses)
    if v.shape != "charge":
        run = call(v["run"], JOB, [Ref(name) for name in names], bind=bind)
        return Check((*flags, run, *look), fixtures, clauses=numbers)
    target = f"book.{v['add']}"
    adds = [add(target, name) for name in names]
    run = call(f"book.{v['run']}", JOB, bind=bind)
    steps = (call(v["cls"], bind="book"), *flags, *adds, run, *look, SIZE)
    return Check(steps, fixtures, clauses=numbers)


def visible(v: Variant, s: Stream):
    """Jobs that go well, one that fails, and one close that fails."""
    count = s.between(2, 3)
    yield script(v, "order", "", [""] * count)
    yield script(v, "body others", s.choice(("OSError", "ValueError")), [""])
    yield script(v, "closed", "", [""] * 3, (s.choice(v["names"][:3]),))
    if s.chance(1, 2):
        yield script(v, "which", "", ["", "OSError"])


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """One close that fails among three, a job that fails, or both."""
    kinds = s.shuffle(("OSError", "ValueError"))
    closes = s.shuffle(["", "", kinds[0]])
    if bug == "stops":
        return script(v, "which others", "", ["", s.choice(kinds), ""])
    if bug == "masked":
        return script(v, "body others", kinds[1], closes)
    return script(
        v, "order body", s.choice(kinds) if bug == "skips_all" else "", [""] * s.between(2, 3)
    )


def some_closed(v: Variant, s: Stream, count: int):
    return tuple(name for name in v["names"][:count] if s.chance(1, 4))


def failing(s: Stream, count: int, of: int):
    """`count` closes of which `of` fail."""
    return s.shuffle([s.choice(KINDS) for _ in range(of)] + [""] * (count - of))


def two_fail(v: Variant, s: Stream) -> Check:
    """Two or more closes fail and the job does not."""
    count = s.between(2, 4)
    closes = failing(s, count, s.between(2, count))
    return script(v, "order which others", "", closes)


def job_and_closes(v: Variant, s: Stream) -> Check:
    """The job fails and so do some closes."""
    count = s.between(1, 4)
    closes = failing(s, count, s.between(1, count))
    return script(
        v, "order which body others", s.choice(KINDS[1:]), closes, some_closed(v, s, count)
    )


def closed_before(v: Variant, s: Stream) -> Check:
    """Some are closed before, and their close() would raise."""
    count = s.between(2, 4)
    closes = failing(s, count, s.between(1, count))
    closed = [
        name for name, kind in zip(v["names"], closes, strict=False) if kind and s.chance(2, 3)
    ]
    return script(
        v, "closed order which", s.choice(("", "", *KINDS)), closes, closed or v["names"][:1]
    )


def wide(v: Variant, s: Stream) -> Check:
    """Up to four resources, each failing or closed by chance."""
    count = s.choice((0, 1, 2, 3, 3, 4, 4))
    closes = [s.choice(KINDS) if s.chance(2, 5) else "" for _ in range(count)]
    job = s.choice(KINDS) if s.chance(2, 5) else ""
    return script(v, "order closed which body others", job, closes, some_closed(v, s, count))


def oracle(v: Variant):
    """Numbers the errors as they come up, gives each a rank of two numbers, and takes the highest."""
    order = 1 if v["order"] == "first_first" else -1
    job_rank = 1 if v["body"] == "body_wins" else -1
    rising = 1 if v["which"] == "last" else -1

    def model(job, resources):
        notes, ranks, outcome = [], [], None
        turns = [one.close for one in resources if v["closed"] == "again" or not one.closed]
        for action in (job, *turns[::order]):
            try:
                found = action()
                outcome = found if action is job else outcome
            except BaseException as error:
                ranks.append((job_rank if action is job else 0, rising * len(notes)))
                notes.append(error)
        if not notes:
            return outcome
        winner = notes.pop(ranks.index(max(ranks)))
        winner.others = notes if v["others"] == "listed" else len(notes)
        raise winner

    if v.shape != "charge":
        return {v["run"]: model}

    class Charge:
        def __init__(self):
            self.resources = ()

        def add(self, resource):
            self.resources += (resource,)
            return resource

        def __len__(self):
            return len(self.resources)

        def run(self, job):
            resources, self.resources = self.resources, ()
            return model(job, resources)

    setattr(Charge, v["add"], Charge.add)
    setattr(Charge, v["run"], Charge.run)
    return {v["cls"]: Charge}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(PLAIN, CHARGE, COLLECTED),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(two_fail, job_and_closes, closed_before),
    wide=wide,
    oracle=oracle,
    effects=True,
)
