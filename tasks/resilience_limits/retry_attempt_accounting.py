"""A retry makes as many calls as stated, waits between them only, and surfaces the stated error."""

from fractions import Fraction
from functools import cache, partial
from itertools import chain

from sandbox.checks import Check, Ref, Reply, call, callback, clock, get, raises
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "counted",
        attempts={
            "limit_clause": "is called at most $limit times",
            "most": "$at_least",
            "other_most": "$limit + 1",
            "calls_line": "$least_line",
            "calls": "$least_calls",
            "other_line": "calls = $limit + 1",
            "other_calls": "calls",
        },
        retries={
            "limit_clause": "is called once, and then at most $limit times more",
            "most": "$limit + 1",
            "other_most": "$at_least",
            "calls_line": "calls = $limit + 1",
            "calls": "calls",
            "other_line": "$least_line",
            "other_calls": "$least_calls",
        },
    ),
    knob(
        "zero",
        one_call={
            "zero_clause": "of 0 means a single call; a negative one",
            "least_line": "calls = max($limit, 1)",
            "least_calls": "calls",
            "lowest": "0",
            "at_least": "max($limit, 1)",
            "other_lowest": "1",
        },
        refused={
            "zero_clause": "of 0 or less",
            "least_line": "",
            "least_calls": "$limit",
            "lowest": "1",
            "at_least": "$limit",
            "other_lowest": "0",
        },
    ),
    knob(
        "which",
        last={
            "which_clause": "last",
            "first_none": "",
            "keep_first": "",
            "first_reset": "",
            "kept": "error",
            "listed": "failures[-1]",
            "other_kept": "first",
            "other_none": "first: OSError | None = None",
            "other_keep": "first = first or error",
            "other_listed": "failures[0]",
        },
        first={
            "which_clause": "first",
            "first_none": "first: OSError | None = None",
            "keep_first": "first = first or error",
            "first_reset": "first = None",
            "kept": "first",
            "listed": "failures[0]",
            "other_kept": "error",
            "other_none": "",
            "other_keep": "",
            "other_listed": "failures[-1]",
        },
    ),
    knob(
        "exhausted",
        itself={
            "exhausted_clause": "that error itself is raised",
            "error_class": "",
            "give_up": "raise $kept",
            "give_up_listed": "raise $listed",
        },
        wrapped={
            "exhausted_clause": "$error is raised, with the number of calls made$this as its attribute "
            "`calls` and that error as its attribute `error`",
            # A class in the module takes two blank lines with it.
            "error_class": '''
                ${blank}
                ${blank}
                class $error(Exception):
                    """All $calls_of failed; `error` is the one that counts."""

                    def __init__(self, calls: int, error: OSError | None) -> None:
                        super().__init__(f"gave up after {calls} calls: {error}")
                        self.calls = calls
                        self.error = error
            ''',
            "give_up": "raise $error(number, $kept)",
            "give_up_listed": "raise $error(len(failures), $listed)",
        },
    ),
    knob(
        "hook",
        each_failure={
            "hook_clause": "after each failure, the last one included",
            "note_each": "$note(number, error)",
            "note_wait": "",
            "self_each": "self._$note(len(failures), error)",
            "self_wait": "",
            "hook_when": "each time $work fails",
        },
        each_wait={
            "hook_clause": "before each wait, and only then",
            "note_each": "",
            "note_wait": "$note(number, error)",
            "self_each": "",
            "self_wait": "self._$note(len(failures), failures[-1])",
            "hook_when": "ahead of every wait",
        },
    ),
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause("limit", "$work $limit_clause$each. $limit is an integer."),
    Clause("zero", "A $limit $zero_clause raises ValueError$when_built before anything is called."),
    Clause(
        "failure",
        """Only OSError and its subclasses are failures. Whatever else $work raises goes on to the
        caller at once: nothing is waited for, $note is not called and nothing is wrapped. Whatever
        $work returns is a success, None included.""",
    ),
    Clause(
        "wait",
        """Between a failure and the next call sleep is called once, with n times $pause, where n is
        the number of failures so far$this. A wait of 0 is a call of sleep too. There is no other
        wait: none ahead of the first call and none after the last. $pause is an integer or a
        Fraction, not negative.""",
    ),
    Clause(
        "hook",
        """$note(n, error) is called $hook_clause: n is the number of failures so far$this, error
        what $work raised last. It comes ahead of the wait. $note and sleep never raise.""",
    ),
    Clause(
        "exhausted",
        "When every call allowed$this has failed, the $which_clause of their errors counts: "
        "$exhausted_clause.",
    ),
    Clause("more", "$more_clause"),
)

HEAD = '''
"""$summary"""

from collections.abc import Callable
from fractions import Fraction
$error_class


'''

SIBLINGS = (
    change("zero_other", slots={"lowest": "$other_lowest"}, when={"counted": "retries"}),
    change(
        "any_error",
        ("except OSError as error:", "except Exception as error:"),
    ),
)

FUNCTION = Shape(
    name="function",
    entry_point="$function",
    words={
        "opening": "$function($work, $limit, $pause, sleep, $note) calls $work() until it succeeds "
        "and returns what it returned.",
        "blank": "",
        "each": "",
        "this": "",
        "when_built": "",
        "more_clause": "",
    },
    module=HEAD
    + '''\
def $function(
    $work: Callable[[], object],
    $limit: int,
    $pause: Fraction,
    sleep: Callable[[Fraction], None],
    $note: Callable[[int, OSError], None],
) -> object:
    """Call $work until it succeeds, pausing longer after every failure.

    sleep is injected so that the caller owns the clock.
    $note is told $hook_when.
    """
    if $limit < $lowest:
        raise ValueError(f"$limit out of range: {$limit}")
    $calls_line
    number = 0
    $first_none
    while True:
        number += 1
        try:
            return $work()
        except OSError as error:
            $keep_first
            $note_each
            if number >= $calls:
                $give_up
            $note_wait
            sleep(number * $pause)
''',
    bugs=(
        change(
            "one_short",
            ("if number >= $calls:", "if number >= $calls - 1:"),
            when={"counted": "attempts"},
        ),
        change("counts_other", slots={"calls_line": "$other_line", "calls": "$other_calls"}),
        change(
            "sleeps_last",
            (
                "            if number >= $calls:\n",
                "            sleep(number * $pause)\n            if number >= $calls:\n",
            ),
            ("\n            $note_wait\n            sleep(number * $pause)\n", "\n"),
            when={"hook": "each_failure"},
        ),
        change("wait_late", ("sleep(number * $pause)", "sleep((number - 1) * $pause)")),
        change(
            "note_late",
            (
                "            $note(number, error)\n            sleep(number * $pause)\n",
                "            sleep(number * $pause)\n            $note(number, error)\n",
            ),
            when={"hook": "each_wait"},
        ),
    ),
    known_failing=(
        *SIBLINGS,
        change(
            "which_other",
            slots={"first_none": "$other_none", "keep_first": "$other_keep", "kept": "$other_kept"},
        ),
        change(
            "still_sleeps",
            (
                "                $give_up\n",
                "                sleep(number * $pause)\n                $give_up\n",
            ),
            against=("one_short", "wait_late", "note_late"),
        ),
        change(
            "one_too_many",
            ("if number >= $calls:", "if number > $calls:"),
            against=("one_short", "wait_late", "note_late"),
        ),
        change(
            "note_missed",
            (
                "            $note(number, error)\n"
                "            if number >= $calls:\n"
                "                $give_up\n",
                "            if number >= $calls:\n"
                "                $give_up\n"
                "            $note(number, error)\n",
            ),
            when={"hook": "each_failure"},
            against=("one_short", "wait_late"),
        ),
        change(
            "none_again",
            (
                "            return $work()\n",
                "            outcome = $work()\n"
                "            if outcome is not None or number >= $calls:\n"
                "                return outcome\n",
            ),
        ),
    ),
)

CLASS = Shape(
    name="class",
    entry_point="$cls",
    words={
        "opening": "$cls($limit, $pause, sleep, $note) makes an object whose method $run($work) "
        "calls $work() until it succeeds and returns what it returned. Each $run is on its own.",
        "blank": "",
        "each": " in one $run",
        "this": " in that $run",
        "when_built": " in the constructor",
        "more_clause": "The attribute `waited`, a Fraction, is the sum of all waits of all ${run}s "
        "so far, 0 at first.",
    },
    module=HEAD
    + '''\
class $cls:
    """Runs work that may fail for a moment, with pauses that grow by the failure.

    sleep is injected so that the owner decides what time is.
    $note is told $hook_when.
    """

    def __init__(
        self,
        $limit: int,
        $pause: Fraction,
        sleep: Callable[[Fraction], None],
        $note: Callable[[int, OSError], None],
    ) -> None:
        if $limit < $lowest:
            raise ValueError(f"$limit out of range: {$limit}")
        self._calls = $most
        self._$pause = $pause
        self._sleep = sleep
        self._$note = $note
        self.waited = Fraction(0)

    def $run(self, $work: Callable[[], object]) -> object:
        """Call $work until it succeeds, or until its calls are used up."""
        failures: list[OSError] = []
        while len(failures) < self._calls:
            if failures:
                self._wait(failures)
            try:
                return $work()
            except OSError as error:
                failures.append(error)
                $self_each
        $give_up_listed

    def _wait(self, failures: list[OSError]) -> None:
        $self_wait
        span = len(failures) * self._$pause
        self.waited += span
        self._sleep(span)
''',
    bugs=(
        change(
            "one_short",
            ("while len(failures) < self._calls:", "while len(failures) < self._calls - 1:"),
            when={"counted": "attempts"},
        ),
        change("counts_other", slots={"most": "$other_most"}),
        change(
            "sleeps_last",
            ("            if failures:\n                self._wait(failures)\n", ""),
            (
                "                failures.append(error)\n                $self_each\n",
                "                failures.append(error)\n"
                "                $self_each\n"
                "                self._wait(failures)\n",
            ),
            when={"hook": "each_failure"},
        ),
        change(
            "carried_over",
            ("failures: list[OSError] = []", "failures = self._failures"),
            (
                "        self.waited = Fraction(0)\n",
                "        self._failures: list[OSError] = []\n        self.waited = Fraction(0)\n",
            ),
        ),
        change(
            "wait_late",
            ("span = len(failures) * self._$pause", "span = (len(failures) - 1) * self._$pause"),
        ),
        change("waited_last", ("self.waited += span", "self.waited = span")),
    ),
    known_failing=(
        *SIBLINGS,
        change("which_other", slots={"listed": "$other_listed"}),
        change(
            "sleeps_after",
            (
                "        $give_up_listed\n",
                "        self._sleep(len(failures) * self._$pause)\n        $give_up_listed\n",
            ),
            against=("one_short", "carried_over", "wait_late", "waited_last"),
        ),
        change(
            "none_again",
            (
                "                return $work()\n",
                "                outcome = $work()\n"
                "                if outcome is not None:\n"
                "                    return outcome\n"
                "                failures.append(OSError())\n",
            ),
        ),
        change(
            "waited_by_run",
            (
                "        failures: list[OSError] = []\n",
                "        failures: list[OSError] = []\n        self.waited = Fraction(0)\n",
            ),
            against=("one_short", "counts_other", "sleeps_last", "wait_late"),
        ),
        change(
            "one_too_many",
            ("while len(failures) < self._calls:", "while len(failures) <= self._calls:"),
            against=("one_short", "wait_late", "waited_last"),
        ),
    ),
)

BATCH = Shape(
    name="batch",
    entry_point="$batch",
    words={
        "opening": "$batch($work, $items, $limit, $pause, sleep, $note) calls $work($item) for "
        "each $item of the list $items, in order, again and again until it succeeds, and returns "
        "the list of what it returned. A $item is tried no further once it has succeeded; the next one follows "
        "without a wait.",
        "blank": "",
        "each": " for each $item",
        "this": " for that $item",
        "when_built": "",
        "more_clause": "What is raised ends the call: the ${item}s that follow are not tried. "
        "$items is not changed.",
    },
    module=HEAD
    + '''\
def $batch(
    $work: Callable[[str], object],
    $items: list[str],
    $limit: int,
    $pause: Fraction,
    sleep: Callable[[Fraction], None],
    $note: Callable[[int, OSError], None],
) -> list[object]:
    """Try each of $items until $work takes it, pausing longer after every failure.

    Order matters to the receiver, so a $item that fails holds up those behind it.
    $note is told $hook_when.
    """
    if $limit < $lowest:
        raise ValueError(f"$limit out of range: {$limit}")
    $calls_line
    outcomes: list[object] = []
    number = 0
    $first_none
    while len(outcomes) < len($items):
        try:
            outcome = $work($items[len(outcomes)])
        except OSError as error:
            number += 1
            $keep_first
            $note_each
            if number >= $calls:
                $give_up
            $note_wait
            sleep(number * $pause)
        else:
            outcomes.append(outcome)
            number = 0
            $first_reset
    return outcomes
''',
    bugs=(
        change(
            "one_short",
            ("if number >= $calls:", "if number >= $calls - 1:"),
            when={"counted": "attempts"},
        ),
        change("counts_other", slots={"calls_line": "$other_line", "calls": "$other_calls"}),
        change("shared", ("            number = 0\n", "")),
        change(
            "sleeps_last",
            (
                "            if number >= $calls:\n",
                "            sleep(number * $pause)\n            if number >= $calls:\n",
            ),
            (
                "                $give_up\n"
                "            $note_wait\n"
                "            sleep(number * $pause)\n",
                "                $give_up\n",
            ),
            when={"hook": "each_failure"},
        ),
        change("wait_late", ("sleep(number * $pause)", "sleep((number - 1) * $pause)")),
    ),
    known_failing=(
        *SIBLINGS,
        change(
            "which_other",
            slots={"first_none": "$other_none", "keep_first": "$other_keep", "kept": "$other_kept"},
            when={"which": "last"},
        ),
        change("first_of_all", ("            first = None\n", ""), when={"which": "first"}),
        change(
            "still_sleeps",
            (
                "                $give_up\n",
                "                sleep(number * $pause)\n                $give_up\n",
            ),
            against=("one_short", "wait_late", "shared"),
        ),
        change(
            "waits_between",
            (
                "            outcomes.append(outcome)\n",
                "            outcomes.append(outcome)\n"
                "            if number:\n"
                "                sleep($pause)\n",
            ),
            against=("sleeps_last",),
        ),
        change(
            "none_again",
            (
                "            outcomes.append(outcome)\n            number = 0\n",
                "            if outcome is None and number < $calls - 1:\n"
                "                number += 1\n"
                "                continue\n"
                "            outcomes.append(outcome)\n"
                "            number = 0\n",
            ),
        ),
        change(
            "one_too_many",
            ("if number >= $calls:", "if number > $calls:"),
            against=("one_short", "wait_late", "shared"),
        ),
    ),
)

SCENARIOS = (
    scenario(
        "API client", summary="Calls to an API that is down for moments.", calls_of="requests",
        function="fetch", cls="ApiClient", run="request", batch="fetch_all", work="ask",
        items="paths", item="path", limit="limit", pause="pause", note="on_failure",
        error="ApiUnavailable",
    ),
    scenario(
        "device poll", summary="Polling of devices on a lossy line.", calls_of="polls",
        function="poll", cls="Poller", run="poll", batch="poll_all", work="read", items="registers",
        item="register", limit="max_tries", pause="gap", note="report", error="DeviceSilent",
    ),
    scenario(
        "job runner", summary="Runs jobs that may be refused for a while.", calls_of="starts",
        function="run_job", cls="JobRunner", run="run", batch="run_jobs", work="start",
        items="jobs", item="job", limit="budget", pause="delay", note="log_failure",
        error="JobAbandoned",
    ),
    scenario(
        "mail gateway", summary="Hands mail to a gateway that drops connections.",
        calls_of="deliveries", function="deliver", cls="Courier", run="deliver",
        batch="deliver_all", work="send", items="letters", item="letter", limit="bound",
        pause="step", note="warn", error="Undeliverable",
    ),
    scenario(
        "DNS lookup", summary="Name lookups against a busy resolver.", calls_of="queries",
        function="resolve", cls="Resolver", run="resolve", batch="resolve_all", work="query",
        items="names", item="name", limit="max_rounds", pause="interval", note="trace",
        error="LookupFailed",
    ),
)  # fmt: skip

FAILURES = ("TimeoutError", "ConnectionResetError", "BrokenPipeError", "InterruptedError")
OTHERS = ("ValueError", "KeyError", "RuntimeError")
ITEMS = ("north", "south", "east", "west")
CLOCK, NOTE, SLEEP, WAITED = clock(0), callback(), Ref("clock.sleep"), get("made.waited")


@cache
def failure(number: int) -> Reply:
    """Failures of different numbers are told from one another."""
    return raises(FAILURES[(number - 1) % len(FAILURES)], f"failure {number}")


def failing(count: int, *ending, first: int = 0):
    """Replies: so many failures, numbered from `first` + 1, then the ending."""
    return (*map(failure, range(first + 1, first + count + 1)), *ending)


def tried(v: Variant, limit: int, pause, plans, clauses: str, bind: str | None = None) -> Check:
    """Work that replies as planned, one plan after the other, in the manner of the shape."""
    settings = (limit, pause, SLEEP, Ref(v["note"]))
    fixtures = {"clock": CLOCK, v["note"]: NOTE}
    if v.shape == "batch":
        fixtures[v["work"]] = callback(*chain(*plans))
        items = list(ITEMS[: len(plans)])
        steps = [call(v.entry_point, Ref(v["work"]), items, *settings, bind=bind)]
    else:
        works = [v["work"] + ("" if n == 0 else f"_{n + 1}") for n in range(len(plans))]
        fixtures |= {name: callback(*plan) for name, plan in zip(works, plans, strict=True)}
        if v.shape == "class":
            steps = [call(v["cls"], *settings, bind="made")]
            if limit < 0 or (limit == 0 and v["zero"] == "refused"):
                return Check(tuple(steps), fixtures, clauses=v.clauses("call", clauses))
            steps += (call(f"made.{v['run']}", Ref(name), bind=bind) for name in works)
            steps.append(WAITED)
        else:
            steps = [call(v.entry_point, Ref(name), *settings, bind=bind) for name in works]
    if bind:
        inside = ("calls", "error.args") if v["exhausted"] == "wrapped" else ("args",)
        steps += (get(f"{bind}.{path}") for path in inside)
    return Check(tuple(steps), fixtures, clauses=v.clauses("call", clauses, "more"))


def allowed(v: Variant, limit: int) -> int:
    """Calls that a limit from 1 on allows."""
    return limit if v["counted"] == "attempts" else limit + 1


def visible(v: Variant, s: Stream):
    """Work that succeeds at once or after one failure, long before its calls are used up."""
    good = s.choice(("ready", "done", 17))
    yield tried(v, 3, s.between(1, 5), [(good,)], "limit failure")
    yield tried(v, 4, s.between(1, 3), [("early",), (good,)], "failure")
    yield tried(v, -s.between(1, 3), 1, [(good,)], "zero")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Success at the last call allowed, or too late; for some bugs two pieces of work."""
    limit, pause = s.between(2, 3), s.between(2, 5)
    calls, kind = allowed(v, limit), s.below(4)
    fits = failing(calls - 1, "ready", first=kind)
    if bug == "sleeps_last" or (bug == "counts_other" and v["counted"] == "attempts"):
        again = raises(FAILURES[kind], "again")
        return tried(v, limit, pause, [(*[again] * (calls + 2), "late")], "limit wait exhausted")
    if bug in ("carried_over", "shared"):
        return tried(v, limit, pause, [failing(1, "one"), failing(calls - 1, "two")], "limit wait")
    if bug == "waited_last":
        return tried(v, 4, pause, [failing(2, "one")], "wait")
    return tried(v, limit, pause, [fits], "limit wait hook")


def around_the_limit(v: Variant, s: Stream) -> Check:
    """As many failures as just fit, one less or one more, after work that has failed too."""
    limit = s.between(1, 3)
    count = allowed(v, limit) + s.choice((-1, -1, 0, 1))
    first = failing(s.between(0, allowed(v, limit) - 1), s.choice(("one", None)))
    second = failing(count, s.choice(("two", 0, None)), first=s.below(9))
    return tried(v, limit, s.choice((1, 2, Fraction(1, 2))), [first, second], "limit wait hook")


def used_up(v: Variant, s: Stream) -> Check:
    """Every call fails, in another way each time; who is raised, and what it holds."""
    limit = s.choice((1, 2, 2, 3, 4))
    late = failing(allowed(v, limit) + 2, "late", first=s.below(9))
    before = failing(1 if allowed(v, limit) > 1 else 0, "one", first=s.below(9))
    return tried(v, limit, s.between(1, 4), [before, late], "exhausted wait hook", bind="out")


def small_limits(v: Variant, s: Stream) -> Check:
    """A negative limit, then one of 0 or next to it."""
    plan = failing(s.between(0, 3), s.choice(("ready", None)), first=s.below(9))
    used = tried(v, s.choice((0, 0, 0, 1)), s.between(1, 3), [plan], "zero limit")
    refused = tried(v, -s.between(1, 2), 1, [plan], "zero")
    return Check((*refused.steps[:1], *used.steps), used.fixtures, clauses=used.clauses)


def other_errors(v: Variant, s: Stream) -> Check:
    """Errors that are no failures, right away or after some; None and 0 as what is returned."""
    plan = failing(s.between(0, 2), raises(s.choice(OTHERS), "no"), "late", first=s.below(9))
    first = failing(s.between(0, 1), s.choice((None, None, 0, "")))
    return tried(v, s.between(2, 4), s.choice((0, 1, 3)), [first, plan], "failure hook")


def wide(v: Variant, s: Stream) -> Check:
    """Up to three pieces of work with up to four failures each."""
    plans = []
    for n in range(s.between(1, 3)):
        ending = raises(s.choice(OTHERS), "no") if s.chance(1, 8) else s.choice(("ok", None, n))
        plans.append(failing(s.choice((0, 0, 1, 1, 2, 3, 4)), ending, "late", first=s.below(9)))
    pause = s.choice((0, 1, 2, 5, Fraction(1, 3)))
    return tried(v, s.choice((-1, 0, 1, 2, 2, 3, 3, 4)), pause, plans, "limit wait hook failure")


def oracle(v: Variant):
    """Lists the steps of a run, and asks before each one what the list so far calls for."""
    which = 0 if v["which"] == "first" else -1
    wraps, notes_all = v["exhausted"] == "wrapped", v["hook"] == "each_failure"

    def init(self, calls, error):
        Exception.__init__(self)
        self.calls, self.error = calls, error

    gave_up = type(v["error"], (Exception,), {"__init__": init})

    def most(limit):
        if limit < 0 or (limit == 0 and v["zero"] == "refused"):
            raise ValueError
        return limit + 1 if v["counted"] == "retries" else limit or 1

    def next_step(steps, most):
        latest = steps[-1] if steps else "slept"
        if latest in ("slept", "returned"):
            return "call" if latest == "slept" else "return"
        is_last = steps.count("failed") == most
        if latest == "failed" and (notes_all or not is_last):
            return "note"
        return "raise" if is_last else "sleep"

    def play(work, most, pause, sleep, note):
        steps, errors, outcome = [], [], None
        while (step := next_step(steps, most)) != "return":
            if step == "call":
                try:
                    outcome = work()
                    steps.append("returned")
                except OSError as failure:
                    errors.append(failure)
                    steps.append("failed")
            elif step == "note":
                note(len(errors), errors[-1])
                steps.append("noted")
            elif step == "sleep":
                sleep(len(errors) * pause)
                steps.append("slept")
            else:
                raise gave_up(len(errors), errors[which]) if wraps else errors[which]
        return outcome

    class Retrier:
        def __init__(self, limit, pause, sleep, note):
            self.most, self.pause, self.sleep, self.note = most(limit), pause, sleep, note
            self.waited = Fraction(0)

        def run(self, work):
            return play(work, self.most, self.pause, self.wait, self.note)

        def wait(self, span):
            self.waited += span
            self.sleep(span)

    def function(work, limit, *settings):
        return play(work, most(limit), *settings)

    def batch(work, items, limit, *settings):
        calls = most(limit)
        return [play(partial(work, item), calls, *settings) for item in items]

    setattr(Retrier, v["run"], Retrier.run)
    return {v["cls"]: Retrier, v["function"]: function, v["batch"]: batch}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(FUNCTION, CLASS, BATCH),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(around_the_limit, used_up, small_limits, other_errors),
    wide=wide,
    oracle=oracle,
    effects=True,
)
