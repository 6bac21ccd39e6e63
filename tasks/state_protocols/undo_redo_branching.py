"""Undo, redo and what a new step does to the steps that were taken back."""

from functools import cache

from sandbox.checks import Check, Ref, Step, call, put, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "branch",
        dropped={
            "branch_clause": "makes $redo() forget the steps that were taken back before it",
            "branch_rule": "$drop_undone",
            "place_step": "self._steps.append(($key, $value))",
        },
        kept={
            "branch_clause": "leaves the steps that were taken back in place: $redo() still does"
            " them, whatever their $key has by then, and $undo() of one of them gives its $key what"
            " it had just before that $redo()",
            "branch_rule": "",
            "place_step": "self._steps.insert(self._cursor, ($key, $value))",
        },
    ),
    knob(
        "limit",
        up_to={"limit_clause": "at most", "over": ">", "other_over": ">="},
        below={"limit_clause": "less than", "over": ">=", "other_over": ">"},
    ),
    knob(
        "unchanged",
        ignored={
            "unchanged_clause": "is no step: it is as if the call had not been made",
            "unchanged_rule": "if $present.get($key) == $value:\n    return",
            "other_unchanged": "",
        },
        recorded={
            "unchanged_clause": "is a step like any other",
            "unchanged_rule": "",
            "other_unchanged": "if $present.get($key) == $value:\n    return",
        },
    ),
    knob(
        "run",
        single={
            "run_clause": "that follow one another are each a step of their own",
            "start_join": "",
            "join": "",
            "stop_join": "",
            "join_rule": "",
        },
        joined={
            "run_clause": "that follow one another are one step together, which leads to the last"
            " $value. A call of $save(), or one of $undo() or $redo() that returns a $key, between"
            " two of them keeps them apart",
            "start_join": "self._joins = False",
            "join": "self._joins = True",
            "stop_join": "self._joins = False",
            "join_rule": "$joining",
        },
    ),
    knob(
        "saved",
        steps={
            "saved_clause": "the same steps are done as at the last $save(), and False otherwise. A new"
            " step that is made while fewer steps are done than at the last $save() leaves"
            " $is_saved() False until the next $save(), even if as many are done again",
            "start_mark": "self._saved = 0",
            "new_mark": "if $count < self._saved:\n    self._saved = -1",
            "trim_mark": "self._saved -= 1",
            "take_mark": "self._saved = $count",
            "is_mark": "self._saved == $count",
        },
        values={
            "saved_clause": "every $key has the same $value as at the last $save(), and no other"
            " $key has any, whatever steps led there, and False otherwise",
            "start_mark": "self._saved = dict(values)",
            "new_mark": "",
            "trim_mark": "",
            "take_mark": "self._saved = self.$values()",
            "is_mark": "self._saved == self.$values()",
        },
    ),
)

CONTRACT = (
    Clause(
        "set",
        """$cls(values) starts with a copy of values, a dict of integers by $key. $set($key, $value)
        gives a $key, which may be a new one, its $value and returns None. $values() returns a new
        dict of what every $key has now.""",
    ),
    Clause(
        "unchanged",
        "Each $set call is a step. One with the $value that the $key has already $unchanged_clause.",
    ),
    Clause("run", "Steps with the same $key $run_clause."),
    Clause(
        "undo",
        """$undo() takes back the last step that is done: its $key has again what it had before the
        step, or is gone if it had nothing. $redo() does the step again that was taken back last.
        Both return the $key of the step, or None if there is none, and change nothing then.""",
    ),
    Clause("branch", "A new step after $undo() $branch_clause."),
    Clause(
        "limit",
        """The number of steps that $undo() can take back is always $limit_clause $most. To keep it
        so when a step is done, the oldest cannot be taken back any more: what it set stays. $steps() returns a
        tuple of two: how many steps can be taken back, and how many $redo() can do again.""",
    ),
    Clause(
        "saved",
        """$is_saved() is True when $saved_clause. $cls(values) counts as the first $save(); $save()
        returns None.""",
    ),
)

HEAD = '''
"""$summary"""

UNDO_LIMIT = $most


class $cls:
    """$about"""

    def __init__(self, values: dict[str, int]) -> None:
        $tables
        $start_mark
        $start_join
'''

TAIL = '''
    def $save(self) -> None:
        """Mark the present state as the saved one."""
        $take_mark
        $stop_join

    def $is_saved(self) -> bool:
        """Whether there is nothing to save."""
        return $is_mark
'''

AT_LIMIT = change("at_limit", slots={"over": "$other_over"})
UNCHANGED = change("unchanged", slots={"unchanged_rule": "$other_unchanged"})
SAVED_COUNT = change(
    "saved_count",
    slots={
        "start_mark": "self._saved = 0",
        "take_mark": "self._saved = $count",
        "is_mark": "self._saved == $count",
    },
    when={"saved": "values"},
)
MARK_BACK = change("mark_back", slots={"new_mark": ""}, when={"saved": "steps"})
MARK_LOST = change(
    "mark_lost", ("if $count < self._saved:", "if $redoable:"), when={"saved": "steps"}
)
# The call that saves no longer parts the steps before it from those after it.
JOINS_SAVED = change(
    "joins_saved",
    (
        "        $take_mark\n        self._joins = False\n",
        "        $take_mark\n",
    ),
    when={"run": "joined"},
)

STACKS = Shape(
    name="stacks",
    entry_point="$cls",
    words={
        "about": "Keeps the $value of each $key, and two stacks: steps done and steps taken back.",
        "tables": """
            self._values = dict(values)
            self._done: list[tuple[str, int | None, int]] = []
            self._undone: list[tuple[str, int]] = []
        """,
        "present": "self._values",
        "count": "len(self._done)",
        "redoable": "self._undone",
        "drop_undone": "self._undone.clear()",
        "joining": """
            if self._joins and self._done[-1][0] == $key:
                self._done[-1] = ($key, self._done[-1][1], $value)
                self._values[$key] = $value
                return
        """,
    },
    module=HEAD
    + '''
    def $set(self, $key: str, $value: int) -> None:
        """Give the $key its $value, as a step that can be taken back."""
        $unchanged_rule
        $join_rule
        $new_mark
        $branch_rule
        self._do($key, $value)
        $join

    def $undo(self) -> str | None:
        """Take back the last step; returns its $key."""
        if not self._done:
            return None
        $key, old, $value = self._done.pop()
        self._undone.append(($key, $value))
        if old is None:
            del self._values[$key]
        else:
            self._values[$key] = old
        $stop_join
        return $key

    def $redo(self) -> str | None:
        """Do the step again that was taken back last; returns its $key."""
        if not self._undone:
            return None
        $key, $value = self._undone.pop()
        self._do($key, $value)
        $stop_join
        return $key

    def $values(self) -> dict[str, int]:
        """What every $key has now."""
        return dict(self._values)

    def $steps(self) -> tuple[int, int]:
        """How many steps can be taken back, and how many done again."""
        return len(self._done), len(self._undone)
'''
    + TAIL
    + """
    def _do(self, $key: str, $value: int) -> None:
        self._done.append(($key, self._values.get($key), $value))
        self._values[$key] = $value
        if len(self._done) $over UNDO_LIMIT:
            del self._done[0]
            $trim_mark
""",
    bugs=(
        change("redo_left", ("        self._undone.clear()\n", ""), when={"branch": "dropped"}),
        change("redo_as_new", ("self._undone.pop()\n        self._do($key, $value)\n",
                               "self._undone.pop()\n        self.$set($key, $value)\n"), when={"branch": "dropped"}),
        change("newest_dropped", ("del self._done[0]", "self._done.pop()")),
        change("redo_oldest", ("self._undone.pop()", "self._undone.pop(0)")),
        change("none_left", ("        if old is None:\n            del self._values[$key]\n        else:\n            self._values[$key] = old\n",
                             "        self._values[$key] = old\n")),
        MARK_BACK,
    ),
    known_failing=(
        AT_LIMIT, UNCHANGED, SAVED_COUNT, MARK_LOST, JOINS_SAVED,
        change("falsy_old", ("if old is None:", "if not old:"),
               against=("redo_left", "redo_as_new", "newest_dropped", "redo_oldest", "mark_back")),
        change("own_dict", ("return dict(self._values)", "return self._values"), when={"saved": "steps"}),
    ),
)  # fmt: skip

CURSOR = Shape(
    name="cursor",
    entry_point="$cls",
    words={
        "about": "Keeps the steps in one list; those before the cursor are done.",
        "tables": """
            self._base = dict(values)
            self._steps: list[tuple[str, int]] = []
            self._cursor = 0
        """,
        "present": "self.$values()",
        "count": "self._cursor",
        "redoable": "self._cursor < len(self._steps)",
        "drop_undone": "del self._steps[self._cursor :]",
        "joining": """
            if self._joins and self._steps[self._cursor - 1][0] == $key:
                self._steps[self._cursor - 1] = ($key, $value)
                return
        """,
    },
    module=HEAD
    + '''
    def $set(self, $key: str, $value: int) -> None:
        """Give the $key its $value, as a step that can be taken back."""
        $unchanged_rule
        $join_rule
        $new_mark
        $branch_rule
        $place_step
        self._advance()
        $join

    def $undo(self) -> str | None:
        """Take back the last step; returns its $key."""
        if self._cursor == 0:
            return None
        self._cursor -= 1
        $stop_join
        return self._steps[self._cursor][0]

    def $redo(self) -> str | None:
        """Do the step again that was taken back last; returns its $key."""
        if self._cursor == len(self._steps):
            return None
        $key, _ = self._steps[self._cursor]
        self._advance()
        $stop_join
        return $key

    def $values(self) -> dict[str, int]:
        """What every $key has after the steps that are done."""
        return {**self._base, **dict(self._steps[: self._cursor])}

    def $steps(self) -> tuple[int, int]:
        """How many steps can be taken back, and how many done again."""
        return self._cursor, len(self._steps) - self._cursor
'''
    + TAIL
    + '''
    def _advance(self) -> None:
        """Move past the next step; beyond the limit the oldest one goes into the base."""
        self._cursor += 1
        if self._cursor $over UNDO_LIMIT:
            $key, $value = self._steps.pop(0)
            self._base[$key] = $value
            self._cursor -= 1
            $trim_mark
''',
    bugs=(
        change("redo_left", ("        del self._steps[self._cursor :]\n        self._steps.append(", "        self._steps.insert(self._cursor, "), when={"branch": "dropped"}),
        change("appended", ("self._steps.insert(self._cursor, ($key, $value))", "self._steps.append(($key, $value))"), when={"branch": "kept"}),
        change("newest_dropped", ("self._steps.pop(0)", "self._steps.pop(self._cursor - 1)")),
        change("base_left", ("            $key, $value = self._steps.pop(0)\n            self._base[$key] = $value\n", "            self._steps.pop(0)\n")),
        change("mark_stays", ("            self._cursor -= 1\n            self._saved -= 1\n", "            self._cursor -= 1\n"), when={"saved": "steps"}),
        MARK_BACK,
    ),
    known_failing=(
        AT_LIMIT, UNCHANGED, SAVED_COUNT, MARK_LOST, JOINS_SAVED,
        change("keeps_argument", ("self._base = dict(values)", "self._base = values"),
               against=("redo_left", "appended", "mark_back")),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "text editor", summary="Indentation of paragraphs, with undo.", cls="Indentation",
        set="indent", key="paragraph", value="columns", values="layout", undo="undo", redo="redo",
        steps="history", save="save", is_saved="is_saved",
    ),
    scenario(
        "drawing tool", summary="Opacity of the layers of a drawing.", cls="LayerPanel",
        set="set_opacity", key="layer", value="opacity", values="opacities", undo="step_back",
        redo="step_forward", steps="depths", save="mark_saved", is_saved="is_clean",
    ),
    scenario(
        "form wizard", summary="Answers of a form wizard.", cls="WizardForm", set="answer",
        key="question", value="score", values="answers", undo="back", redo="forward",
        steps="step_counts", save="submit", is_saved="is_submitted",
    ),
    scenario(
        "price simulation", summary="A what-if simulation of list prices.",
        cls="PriceSimulation", set="set_price", key="product", value="price", values="prices",
        undo="undo", redo="redo", steps="undo_depth", save="publish", is_saved="is_published",
    ),
    scenario(
        "seating plan", summary="Seating plan of a wedding.", cls="SeatingPlan", set="seat",
        key="guest", value="table", values="tables_by_guest", undo="take_back", redo="repeat",
        steps="available", save="print_plan", is_saved="is_printed",
    ),
)  # fmt: skip

KEYS = ("k1", "k2", "k3")
BACK, AGAIN, SAVE, ALL = "undo", "redo", "save", ("values", "steps", "is_saved")


@cache
def step(target: str, *args) -> Step:
    return call(target, *args)


@cache
def make(target: str) -> Step:
    return call(target, Ref("start"), bind="plan")


def script(v: Variant, clauses: str, start: dict[str, int], *acts) -> Check:
    """Acts are names of methods or pairs of key and value; everything is looked at in the end."""
    steps = [make(v["cls"])]
    for act in (*acts, *ALL):
        if isinstance(act, tuple):
            steps.append(step(f"plan.{v['set']}", *act))
        else:
            steps.append(step(f"plan.{v[act]}"))
    numbers = v.clauses("set", "undo", clauses)
    return Check(tuple(steps), {"start": value(start)}, watch=("start",), clauses=numbers)


def visible(v: Variant, s: Stream):
    """A step taken back and done again; a save; a new key."""
    low, high = s.between(1, 4), s.between(5, 9)
    yield script(v, "", {"k1": low}, ("k1", high), ("k2", low), BACK, "values", AGAIN, AGAIN)
    yield script(
        v,
        "saved",
        {"k1": low, "k2": 1},
        ("k1", high),
        SAVE,
        "is_saved",
        ("k2", high),
        "is_saved",
        BACK,
    )
    yield script(v, "undo", {"k2": high}, BACK, ("k2", low), ("k1", high), BACK, BACK)


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """A few steps that show the bug, below the limit unless it is about that."""
    old, new, more = s.sample(range(1, 10), 3)
    start = {"k1": old, "k2": old}
    many = [("k3", new), *((KEYS[n % 2], new + 10 * n) for n in range(1, v["most"] + 2))]
    if bug in ("redo_left", "appended"):
        return script(v, "branch", start, ("k1", new), BACK, ("k2", more), "values", AGAIN)
    if bug in ("redo_as_new", "redo_oldest"):
        acts = (("k1", new), ("k2", more), BACK, BACK, AGAIN, "values", AGAIN)
        return script(v, "branch", start, *acts)
    if bug in ("newest_dropped", "base_left"):
        return quiet(script(v, "limit", start, *many, BACK))
    if bug == "none_left":
        return script(v, "", {"k1": old}, ("k3", new), BACK)
    if bug == "mark_stays":
        return quiet(script(v, "limit saved", start, *many, SAVE, ("k3", more), BACK, "is_saved"))
    return script(v, "saved", start, ("k1", new), SAVE, BACK, ("k2", more), "is_saved")


def quiet(check: Check) -> Check:
    """Without the number of steps, which the limit decides."""
    steps = (*check.steps[:-2], check.steps[-1])
    return Check(steps, check.fixtures, check.watch, check.clauses)


def runs(v: Variant, s: Stream) -> list[tuple[str, int]]:
    """A few steps of different keys, which never leave a value as it is."""
    keys = s.sample(KEYS, 2)
    return [(keys[n % 2], s.between(1, 3) + 3 * n) for n in range(s.between(2, 3))]


def after_undo(v: Variant, s: Stream) -> Check:
    """Steps taken back, a new one, and everything that can be done again and taken back."""
    before = runs(v, s)
    new = (s.choice(KEYS), 20)
    again = [AGAIN, "values"] * s.between(1, 2)
    acts = (*before, *[BACK] * s.between(1, 2), new, "steps", *again, BACK, "values", BACK, AGAIN)
    return script(v, "branch limit", {"k1": 0, "k2": 5}, *acts)


def around_the_limit(v: Variant, s: Stream) -> Check:
    """As many steps as can be taken back, one more or less, and all of them taken back."""
    steps = [(KEYS[n % 2], n) for n in range(1, v["most"] + s.between(-1, 1))]
    steps.insert(0, ("k3", s.between(1, 9)))
    saved = (SAVE, ("k3", 20), "steps", "is_saved", BACK, "is_saved")
    acts = (*steps, *saved, *[BACK] * v["most"], "values", "steps", AGAIN, AGAIN)
    return script(v, "limit run saved", {"k1": 0}, *acts)


def limit_by_redo(v: Variant, s: Stream) -> Check:
    """Steps taken back at the limit, new ones, and redo beyond the limit."""
    steps = [(KEYS[n % 2], n) for n in range(1, v["most"] + 1)]
    back = s.between(1, 2)
    acts = (*steps, *[BACK] * back, ("k3", 7), SAVE, *[AGAIN] * back, "steps", *[BACK] * v["most"])
    return script(v, "limit branch saved", {"k1": 0, "k2": 0}, *acts)


def unchanged(v: Variant, s: Stream) -> Check:
    """A value that is there already, at the start, behind a step and behind undo."""
    start = {"k1": s.between(0, 3), "k2": 4}
    acts = (
        ("k1", start["k1"]),
        "steps",
        ("k2", s.between(5, 6)),
        ("k1", 9),
        BACK,
        ("k1", start["k1"]),
        "steps",
        AGAIN,
        BACK,
    )
    return script(v, "unchanged branch", start, *acts)


def same_key(v: Variant, s: Stream) -> Check:
    """Steps of one key in a row, with a save and something else between them."""
    pause = s.choice(((BACK,), (BACK, AGAIN), (("k2", 8),), ("values",), (AGAIN,)))
    parts = s.shuffle([(SAVE,), pause])
    acts = [("k1", 1), ("k1", 2), "steps", *parts[0], ("k1", 3), "steps", *parts[1], ("k1", 4)]
    start = {"k1": s.choice((0, 5))}
    return script(v, "run saved", start, *acts, "steps", BACK, "values", BACK, "is_saved", AGAIN)


def saved_or_not(v: Variant, s: Stream) -> Check:
    """A mark lost by a new step, and ways back to the same values or the same steps."""
    first, second = s.sample(KEYS, 2)
    start = {"k1": 0, "k2": 0, "k3": 0}
    new = s.choice(((first, 1), (second, 2)))
    acts = (
        (first, 1), SAVE, BACK, "is_saved", new, "is_saved", BACK, "is_saved", AGAIN, "is_saved",
    )  # fmt: skip
    lost = script(v, "saved branch", start, *acts)
    change = s.between(5, 9)
    acts = (
        (second, 3), SAVE, (first, change), BACK, "is_saved", (second, 4), "is_saved",
        (second, 3), "is_saved", BACK, "is_saved", BACK,
    )  # fmt: skip
    steps = (*lost.steps, *script(v, "", start, *acts).steps)
    return Check(steps, lost.fixtures, lost.watch, lost.clauses)


def new_keys(v: Variant, s: Stream) -> Check:
    """Keys that were not there, values of 0, and a result that the caller changes."""
    check = script(v, "limit", {"k1": 0}, ("k2", 0), ("k1", s.between(1, 5)), BACK, "values")
    got = call(f"plan.{v['values']}", bind="got")
    more = script(v, "", {}, ("k3", s.between(1, 5)), BACK, "values", AGAIN, BACK, BACK).steps[1:]
    steps = (*check.steps, got, put("got.k1", 99), *more)
    return Check(steps, check.fixtures, check.watch, check.clauses)


def wide(v: Variant, s: Stream) -> Check:
    """A drawn script over three keys."""
    acts = []
    for _ in range(s.between(6, 10)):
        kind = s.below(8)
        if kind < 4:
            acts.append((s.choice(KEYS), s.between(0, 3)))
        else:
            acts.append((BACK, BACK, AGAIN, s.choice((SAVE, "is_saved")))[kind - 4])
    start = {"k1": s.between(0, 1), "k2": 2}
    return script(v, "unchanged run branch limit saved", start, *acts, "steps", BACK, AGAIN, BACK)


def oracle(v: Variant):
    """Numbers all steps ever made, and works the values out from the first one on."""

    class Plan:
        def __init__(self, values):
            self.start, self.made = dict(values), []
            self.done, self.undone, self.fixed, self.open = [], [], 0, False
            self.saved = self.state()

        def values(self):
            now = dict(self.start)
            for number in self.done:
                key, amount = self.made[number]
                now[key] = amount
            return now

        def state(self):
            return list(self.done) if v["saved"] == "steps" else self.values()

        def keep_limit(self):
            most = v["most"] if v["limit"] == "up_to" else v["most"] - 1
            self.fixed = max(self.fixed, len(self.done) - most)

        def set(self, key, amount):
            if v["unchanged"] == "ignored" and self.values().get(key) == amount:
                return
            if self.open and v["run"] == "joined" and self.made[self.done[-1]][0] == key:
                self.made[self.done[-1]] = (key, amount)
                return
            if v["branch"] == "dropped":
                self.undone = []
            self.made.append((key, amount))
            self.done.append(len(self.made) - 1)
            self.open = True
            self.keep_limit()

        def undo(self):
            if len(self.done) == self.fixed:
                return None
            self.open = False
            self.undone.append(self.done.pop())
            return self.made[self.undone[-1]][0]

        def redo(self):
            if not self.undone:
                return None
            self.open = False
            self.done.append(self.undone.pop())
            self.keep_limit()
            return self.made[self.done[-1]][0]

        def steps(self):
            return len(self.done) - self.fixed, len(self.undone)

        def save(self):
            self.saved, self.open = self.state(), False

        def is_saved(self):
            return self.saved == self.state()

    methods = {name: Plan.__dict__[name] for name in ("set", "undo", "redo", "save", *ALL)}
    plain = type("Model", (Plan,), {v[name]: method for name, method in methods.items()})
    return {v["cls"]: plain}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(STACKS, CURSOR),
    scenarios=SCENARIOS,
    choices={"most": (3, 4)},
    visible=visible,
    symptom=symptom,
    edges=(
        after_undo,
        around_the_limit,
        limit_by_redo,
        unchanged,
        same_key,
        saved_or_not,
        new_keys,
    ),
    wide=wide,
    oracle=oracle,
    stateful=True,
)
