"""Equal scores share a place, and the place after them is the one that the method gives."""

from fractions import Fraction
from functools import cache

from sandbox.checks import Check, Ref, Step, call, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob(
        "method",
        competition={
            "method_clause": "one more than the number of ${row}s that are better, an integer",
            "method_import": "",
            "place_type": "int",
            "tier_place": "ahead + 1",
            "step": "len(tier)",
            "other_step": "1",
            "key_place": "better + 1",
            "other_key_place": "len(set(keys[:better])) + 1",
            "level_place": "sum(tally[n] for n in ahead) + 1",
            "other_level_place": "len(ahead) + 1",
            "crowded_place": "sum(tally[n] for n in ahead) + tally[$score]",
        },
        dense={
            "method_clause": "one more than the number of different values of $score that are better,"
            " an integer",
            "method_import": "",
            "place_type": "int",
            "tier_place": "ahead + 1",
            "step": "1",
            "other_step": "len(tier)",
            "key_place": "len(set(keys[:better])) + 1",
            "other_key_place": "better + 1",
            "level_place": "len(ahead) + 1",
            "other_level_place": "sum(tally[n] for n in ahead) + 1",
            "crowded_place": "len(ahead) + tally[$score]",
        },
        average={
            "method_clause": "the mean of the positions, counted from 1, that it and the ${row}s"
            " equal to it take up when the ${row}s it is ranked among are sorted from best to"
            " worst, a Fraction",
            "method_import": "from fractions import Fraction",
            "place_type": "Fraction",
            "tier_place": "ahead + Fraction(len(tier) + 1, 2)",
            "step": "len(tier)",
            "other_step": "1",
            "key_place": "Fraction(better + bisect.bisect_right(keys, _key(row)) + 1, 2)",
            "other_key_place": "Fraction(better + 1)",
            "level_place": "sum(tally[n] for n in ahead) + Fraction(tally[$score] + 1, 2)",
            "other_level_place": "Fraction(sum(tally[n] for n in ahead) + 1)",
            "crowded_place": "Fraction(sum(tally[n] for n in ahead) + tally[$score])",
        },
    ),
    knob(
        "best",
        highest={
            "best_clause": "higher",
            "reverse": ", reverse=True",
            "above": ">",
            "key_part": '-row["$score"]',
            "key_or_zero": '-(row["$score"] or 0)',
        },
        lowest={
            "best_clause": "lower",
            "reverse": "",
            "above": "<",
            "key_part": 'row["$score"]',
            "key_or_zero": 'row["$score"] or 0',
        },
    ),
    knob(
        "missing",
        unranked={
            "missing_clause": "has the rank None, and the others are ranked as if it were not there",
            "or_none": " | None",
            "tier_rule": "",
            "other_tier_rule": "if unscored:\n    tiers.append(unscored)",
            "other_first_ranks": "{}",
            "first_ranks": '{row["$id"]: None for row in unscored}',
            "and_scored": " and other is not None",
            "if_scored": " if other is not None",
            "row_scored": ' if row["$score"] is not None',
            "key_type": "int",
            "key": "$key_part",
            "skip_unscored": 'if row["$score"] is None:\n    continue',
            "unscored_row": 'if row["$score"] is None:\n    return None',
            "unscored_rank": "if $score is None:\n    return None",
            "is_better": "level $above $score",
            "better_function": "",
        },
        last={
            "missing_clause": "is worse than any other, and two such ${row}s are equal",
            "or_none": "",
            "tier_rule": "if unscored:\n    tiers.append(unscored)",
            "other_tier_rule": "",
            "other_first_ranks": '{row["$id"]: None for row in unscored}',
            "first_ranks": "{}",
            "and_scored": "",
            "if_scored": "",
            "row_scored": "",
            "key_type": "tuple[bool, int]",
            "key": 'row["$score"] is None, $key_or_zero',
            "skip_unscored": "",
            "unscored_row": "",
            "unscored_rank": "",
            "is_better": "_is_better(level, $score)",
            "better_function": """
                def _is_better(one: int | None, other: int | None) -> bool:
                    return one is not None and (other is None or one $above other)
            """,
        },
    ),
    knob(
        "form",
        number={
            "rank_clause": "its place",
            "fraction_import": "$method_import",
            "base_type": "$place_type",
            "total_rule": "",
            "rank_value": "place",
            "finish": "return $own_place",
            "worst_rank": "len(keys) + 1",
        },
        percent={
            "rank_clause": "the Fraction (place - 1) / (n - 1), where n is the number of all"
            " ${row}s that it is ranked among, equal ones and itself included; where n is 1 it is"
            " Fraction(0)",
            "fraction_import": "from fractions import Fraction",
            "base_type": "Fraction",
            "total_rule": "total = $total",
            "rank_value": "Fraction(place - 1, total - 1) if total > 1 else Fraction(0)",
            "finish": "place = $own_place\n$total_rule\nreturn $rank_value",
            "worst_rank": "Fraction(1)",
        },
    ),
    knob(
        "scope",
        overall={
            "scope_clause": "all ${row}s, whatever their $group",
            "ranker": "$function",
            "ranker_doc": "The rank of each $row, by $id.",
            "other_ranker": "_ranks_within",
            "group_function": "",
            "other_group_function": "$grouped",
            "keys_rule": "$keys_overall",
            "other_keys_rule": "$keys_grouped",
            "own": "_",
            "peer": "_",
            "filter": "${if_scored}",
            "other_own": "$group",
            "other_peer": "peer",
            "other_filter": " if peer == $group$and_scored",
        },
        per_group={
            "scope_clause": "the ${row}s of its own $group",
            "ranker": "_ranks_within",
            "ranker_doc": "The ranks within one $group.",
            "other_ranker": "$function",
            "group_function": "$grouped",
            "other_group_function": "",
            "keys_rule": "$keys_grouped",
            "other_keys_rule": "$keys_overall",
            "own": "$group",
            "peer": "peer",
            "filter": " if peer == $group$and_scored",
            "other_own": "_",
            "other_peer": "_",
            "other_filter": "${if_scored}",
        },
    ),
)

ROWS = (
    '$rows is a list of dicts, each with a "$id" (text that no other one has), a "$group" (text)'
    ' and a "$score" (an integer, or None where it is missing); it is not changed.'
)

CONTRACT = (
    Clause("call", "$opening"),
    Clause("scope", "Every $row is ranked among $scope_clause."),
    Clause(
        "best",
        """A $row is better than another one if its $score is $best_clause, and the two are equal if
        their $score is the same.""",
    ),
    Clause("method", "The place of a $row is $method_clause."),
    Clause("rank", "The rank of a $row is $rank_clause."),
    Clause("missing", "A $row whose $score is None $missing_clause."),
)

RANK_TYPE = "$base_type$or_none"

# Repairs that go astray in the same manner in more than one shape.
ALONE = change("alone", ("else Fraction(0)", "else Fraction(1)"), when={"form": "percent"})

ENUMERATED = "for place, row in enumerate(tier, ahead + 1):\n"

TIERS = Shape(
    name="tiers",
    entry_point="$function",
    words={
        "opening": f"$function($rows) returns a dict with the rank of each $row under its $id."
        f" {ROWS}",
        "total": "sum(map(len, tiers))",
        "rank_type": RANK_TYPE,
        "grouped": '''
            def $function($rows: list[dict[str, Any]]) -> dict[str, $rank_type]:
                """The rank of each $row in its $group, by $id."""
                pools: dict[str, list[dict[str, Any]]] = {}
                for row in $rows:
                    pools.setdefault(row["$group"], []).append(row)
                ranks: dict[str, $rank_type] = {}
                for pool in pools.values():
                    ranks |= _ranks_within(pool)
                return ranks
        ''',
    },
    module='''
"""$summary"""

$fraction_import
from itertools import groupby
from operator import itemgetter
from typing import Any


def $ranker($rows: list[dict[str, Any]]) -> dict[str, $rank_type]:
    """$ranker_doc"""
    unscored = [row for row in $rows if row["$score"] is None]
    scored = [row for row in $rows if row["$score"] is not None]
    scored.sort(key=itemgetter("$score")$reverse)
    tiers = [list(tier) for _, tier in groupby(scored, key=itemgetter("$score"))]
    $tier_rule
    $total_rule
    ranks: dict[str, $rank_type] = $first_ranks
    ahead = 0
    for tier in tiers:
        place = $tier_place
        for row in tier:
            ranks[row["$id"]] = $rank_value
        ahead += $step
    return ranks


$group_function
''',
    bugs=(
        change(
            "ordinal",
            ("place = $tier_place\n        for row in tier:\n", ENUMERATED),
            when={"method": "competition"},
        ),
        change(
            "ordinal",
            ("place = $tier_place\n        for row in tier:\n", ENUMERATED),
            ("ahead += $step", "ahead += $other_step"),
            when={"method": "dense"},
        ),
        change("first", ("= $tier_place", "= Fraction(ahead + 1)"), when={"method": "average"}),
        change("step", ("ahead += $step", "ahead += $other_step")),
        change("apart", ("tiers.append(unscored)", "tiers += [[row] for row in unscored]"),
               when={"missing": "last"}),
        change(
            "unscored_last",
            slots={"tier_rule": "$other_tier_rule", "first_ranks": "{}", "or_none": ""},
            when={"missing": "unranked"},
        ),
    ),
    known_failing=(
        ALONE,
        change("other_scope",
               slots={"ranker": "$other_ranker", "group_function": "$other_group_function"}),
        change("falsy", ('if row["$score"] is None]\n', 'if not row["$score"]]\n'),
               ('if row["$score"] is not None]\n', 'if row["$score"]]\n')),
        change("other_missing", against=("ordinal", "first", "step"),
               slots={"tier_rule": "$other_tier_rule", "first_ranks": "$other_first_ranks"}),
        change("other_step", ("ahead += $step", "ahead += $other_step"),
               against=("ordinal", "first", "apart", "unscored_last")),
        change("whole_mean", ("ahead + Fraction(len(tier) + 1, 2)",
                              "ahead + Fraction((len(tier) + 1) // 2)"),
               when={"method": "average"}, against=("step", "first", "apart", "unscored_last")),
    ),
)  # fmt: skip

KEYS = Shape(
    name="keys",
    entry_point="$list_function",
    words={
        "opening": f"$list_function($rows) returns a list with the rank of each $row, in the order"
        f" of $rows. {ROWS}",
        "total": "len(keys)",
        "own_place": "$key_place",
        "rank_type": RANK_TYPE,
        "better_rule": "bisect.bisect_left(keys, _key(row))",
        "keys_overall": """
            keys = sorted(_key(row) for row in $rows$row_scored)
            return [_rank(keys, row) for row in $rows]
        """,
        "keys_grouped": """
            pools: dict[str, list[$key_type]] = {row["$group"]: [] for row in $rows}
            for row in $rows:
                $skip_unscored
                bisect.insort(pools[row["$group"]], _key(row))
            return [_rank(pools[row["$group"]], row) for row in $rows]
        """,
    },
    module='''
"""$summary"""

import bisect
$fraction_import
from typing import Any


def $list_function($rows: list[dict[str, Any]]) -> list[$rank_type]:
    """The rank of each $row, as a column to put next to the ${row}s."""
    $keys_rule


def _rank(keys: list[$key_type], row: dict[str, Any]) -> $rank_type:
    """The rank of a $row among those with these keys, which are sorted."""
    $unscored_row
    better = $better_rule
    $finish


def _key(row: dict[str, Any]) -> $key_type:
    """Sorts better ${row}s before others."""
    return $key
''',
    bugs=(
        change("other_place", slots={"key_place": "$other_key_place"}),
        change("behind", slots={"better_rule": "bisect.bisect_right(keys, _key(row)) - 1"}),
        change("zero", slots={"key": "$key_or_zero", "key_type": "int", "unscored_row": "",
                              "row_scored": "", "skip_unscored": "", "or_none": ""}),
    ),
    known_failing=(
        ALONE,
        change("other_scope", slots={"keys_rule": "$other_keys_rule"}),
        change("falsy", ('is None:\n        return', 'in (None, 0):\n        return'),
               when={"missing": "unranked"}),
        change("falsy", ('["$score"] is None, ', '["$score"] in (None, 0), '),
               when={"missing": "last"}),
        change("other_place", ("$key_place", "$other_key_place"),
               when={"method": ("competition", "dense")}, against=("behind", "zero")),
        change("other_missing", ("return None", "return $worst_rank"),
               when={"missing": "unranked"}, against=("other_place", "behind")),
        change("other_missing", ("    better = ", '    if row["$score"] is None:\n        return None\n'
                                 "    better = "),
               when={"missing": "last"}, against=("other_place", "behind")),
        change("whole_mean",
               ("$key_place", "Fraction((better + bisect.bisect_right(keys, _key(row)) + 1) // 2)"),
               when={"method": "average"}),
    ),
)  # fmt: skip

BOARD = Shape(
    name="board",
    entry_point="$cls",
    words={
        "opening": "$cls() holds ${row}s. $record($id, $group, $score) adds a $row or replaces the"
        " one with that $id, and returns None. $id and $group are texts; $score is an"
        " integer, or None where it is missing. $rank($id) returns the rank of a $row"
        " among those held at that time, and raises LookupError for a $id that none has.",
        "total": "tally.total()",
        "own_place": "$level_place",
        "rank_type": RANK_TYPE,
        "keep_rule": "self._$rows[$id] = ($group, $score)",
    },
    module='''
"""$summary"""

from collections import Counter
$fraction_import


class $cls:
    """The ${row}s reported so far, and how they compare."""

    def __init__(self) -> None:
        self._$rows: dict[str, tuple[str, int | None]] = {}

    def $record(self, $id: str, $group: str, $score: int | None) -> None:
        """Add or replace one $row."""
        $keep_rule

    def $rank(self, $id: str) -> $rank_type:
        """The rank that a $row has at present."""
        if $id not in self._$rows:
            raise LookupError(f"no $row {$id}")
        $own, $score = self._$rows[$id]
        $unscored_rank
        entries = self._$rows.values()
        tally = Counter(other for $peer, other in entries$filter)
        ahead = [level for level in tally if $is_better]
        $finish


$better_function
''',
    bugs=(
        change("other_place", slots={"level_place": "$other_level_place"}),
        change("crowded", slots={"level_place": "$crowded_place"}),
        change("stale", slots={"keep_rule": "self._$rows.setdefault($id, ($group, $score))"}),
        change("raw", slots={"and_scored": "", "if_scored": ""}, when={"missing": "unranked"}),
        change("zero", when={"missing": "last"},
               slots={"is_better": "(level or 0) $above ($score or 0)", "better_function": ""}),
    ),
    known_failing=(
        ALONE,
        change("other_scope",
               slots={"own": "$other_own", "peer": "$other_peer", "filter": "${other_filter}"}),
        change("unknown", ('raise LookupError(f"no $row {$id}")', "return None")),
        change("falsy", ("if $score is None:", "if not $score:"), when={"missing": "unranked"}),
        change("falsy", ("other is None or", "not other or"), when={"missing": "last"}),
        change("other_place", ("$level_place", "$other_level_place"),
               when={"method": ("competition", "dense")},
               against=("crowded", "stale", "raw", "zero")),
        change("whole_mean", ("Fraction(tally[$score] + 1, 2)",
                              "Fraction((tally[$score] + 1) // 2)"), when={"method": "average"}),
    ),
)  # fmt: skip

SCENARIOS = (
    scenario(
        "sailing regatta", summary="Standings of a sailing regatta.", function="standings",
        list_function="place_column", cls="Regatta", record="report", rank="standing_of",
        row="boat", rows="boats", id="sail", group="fleet", score="points",
        ids=("GER7", "GBR12", "NED3", "FRA90", "ESP41", "ITA8", "NOR5", "POL66"),
        groups=("gold", "silver", "open"),
    ),
    scenario(
        "exam list", summary="Ranks for the notice board of an exam.", function="exam_ranks",
        list_function="rank_marks", cls="ExamList", record="enter", rank="rank_of",
        row="paper", rows="papers", id="candidate", group="subject", score="grade",
        ids=("K01", "K02", "K05", "K11", "K17", "K23", "K31", "K40"),
        groups=("physics", "latin", "history"),
    ),
    scenario(
        "golf", summary="Leader board of a golf tournament.", function="leader_board",
        list_function="rank_players", cls="LeaderBoard", record="post", rank="position",
        row="player", rows="players", id="name", group="flight", score="score",
        ids=("Ada", "Bo", "Cleo", "Dev", "Edda", "Finn", "Gus", "Hana"),
        groups=("early", "noon", "late"),
    ),
    scenario(
        "defect severity", summary="Where each defect stands in the triage.",
        function="triage_order", list_function="triage_ranks", cls="TriageBoard", record="assess",
        rank="urgency", row="defect", rows="defects", id="ticket", group="component",
        score="severity", ids=("D-4", "D-9", "D-12", "D-20", "D-33", "D-38", "D-51", "D-77"),
        groups=("parser", "editor", "sync"),
    ),
    scenario(
        "athletics", summary="Results of an athletics meeting: times or lengths, as integers.",
        function="meeting_ranks", list_function="rank_results", cls="ResultList", record="enter",
        rank="rank_now", row="competitor", rows="competitors", id="bib", group="heat", score="result",
        ids=("A11", "B20", "C07", "D02", "E19", "F33", "G05", "H41"),
        groups=("first", "second", "final"),
    ),
)  # fmt: skip


# Group and score: two groups, and scores close together.
ANY_ROW = [(group, score) for group in (0, 0, 1) for score in (None, 0, 1, 1, 2, 3, -1, -2)]


@cache
def one_row(names: tuple[str, str, str], row: tuple[str, str, int | None]) -> dict[str, object]:
    return dict(zip(names, row, strict=True))


@cache
def step_with(target: str, *args: object) -> Step:
    return call(target, *args)


def asked(v: Variant, *lists, clauses: str, watched: bool = False) -> Check:
    """Each list gives group and score of its rows; a board is filled, then asked about each.

    With `watched` lists are looked at afterwards, a row of the board replaces another one, and
    the board is asked about a row that it does not hold.
    """
    steps: list[Step] = []
    names, ids, groups = (v["id"], v["group"], v["score"]), v["ids"], v["groups"]
    lists = [[(ids[n], groups[g], score) for n, (g, score) in enumerate(rows)] for rows in lists]
    numbers = v.clauses("call", clauses)
    if v.shape != "board":
        tables = [[one_row(names, row) for row in rows] for rows in lists]
        if not watched:
            return Check(tuple(call(v.entry_point, table) for table in tables), clauses=numbers)
        fixtures = {f"list{n}": value(table) for n, table in enumerate(tables)}
        steps += [call(v.entry_point, Ref(name)) for name in fixtures]
        return Check(tuple(steps), fixtures, tuple(fixtures), numbers)
    for turn, rows in enumerate(lists):
        record, rank = f"board{turn}.{v['record']}", f"board{turn}.{v['rank']}"
        steps.append(call(v.entry_point, bind=f"board{turn}"))
        if watched and rows:
            steps.append(step_with(record, rows[0][0], *rows[-1][1:]))
        steps += [step_with(record, *row) for row in rows]
        steps += [step_with(rank, row[0]) for row in rows]
        if watched:
            steps.append(step_with(rank, ids[-1]))
    return Check(tuple(steps), clauses=numbers)


def visible(v: Variant, s: Stream):
    """Different scores in one group."""
    for count in (2, 3, 4):
        group, scores = s.below(3), s.sample(range(1, 40), count)
        pairs = [(group, score) for score in scores]
        yield asked(v, pairs, clauses="best method rank")


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """Three equal scores in front or behind, or some that are missing; all in one group."""
    group, front = s.below(3), 1 if v["best"] == "highest" else -1
    level = s.between(20, 30)
    if bug in ("apart", "unscored_last", "zero", "raw"):
        scores = [s.between(2, 9), -s.between(2, 9), None, None, None]
    elif bug in ("step", "other_place"):
        scores = [level, level, level, level - front * s.between(1, 9)]
    else:
        scores = [level, level, level, level + front * s.between(1, 9)]
    pairs = [(group, score) for score in s.shuffle(scores)]
    if bug == "stale":
        return twice(v, pairs)
    return asked(v, pairs, clauses="method missing")


def twice(v: Variant, pairs) -> Check:
    """A board on which a row is replaced, and changes its place."""
    group, score = pairs[0]
    record, rank, row = f"board.{v['record']}", f"board.{v['rank']}", v["ids"][0]
    steps = (
        call(v.entry_point, bind="board"),
        step_with(record, row, v["groups"][group], score + 9),
        step_with(record, v["ids"][1], v["groups"][group], score + 5),
        step_with(rank, row),
        step_with(record, row, v["groups"][group], score),
        step_with(rank, row),
    )
    return Check(steps, clauses=v.clauses("call", "best"))


def tied(v: Variant, s: Stream) -> Check:
    """One to three rows on each of three levels, in one group."""
    group, levels = s.below(3), s.sample(range(-3, 12), 3)
    scores = [level for level in levels for _ in range(s.between(1, 3))][:8]
    pairs = [(group, score) for score in s.shuffle(scores)]
    return asked(v, pairs, clauses="best method rank", watched=True)


def incomplete(v: Variant, s: Stream) -> Check:
    """Missing scores next to zeros, and scores on both sides of zero."""
    scores = [0, None, s.choice((0, None)), s.choice((None, 2)), s.between(1, 3), -s.between(1, 3)]
    groups = s.choice((0b001011, 0b110010, 0b010101, 0b000100))
    pairs = [(groups >> n & 1, score) for n, score in enumerate(s.shuffle(scores))]
    return asked(v, pairs, clauses="scope best missing rank")


def grouped(v: Variant, s: Stream) -> Check:
    """The same scores in several groups."""
    levels = s.sample(range(-2, 9), 2)
    pairs = [(group, s.choice(levels)) for group in (0, 0, 0, 1, 1, 2)]
    return asked(v, s.shuffle([*pairs, (s.below(3), s.between(-2, 9))]), clauses="scope method")


def small(v: Variant, s: Stream) -> Check:
    """Nothing, one row, two rows, and rows without any score."""
    score, group = s.between(-4, 4), s.below(3)
    two = [(group, score), (group, s.choice((score, score + 2, score - 1)))]
    alone = [(0, s.choice((None, 3))), (1, s.between(1, 5)), (2, None)]
    lists = [two, s.shuffle(alone), [(group, None)] * s.between(1, 3), two[:1]]
    return asked(v, *lists, [], clauses="rank missing scope method")


def wide(v: Variant, s: Stream) -> Check:
    """Any rows, with scores close together."""
    pairs = [s.choice(ANY_ROW) for _ in range(s.between(4, 7))]
    return asked(v, pairs, clauses="scope best method rank missing")


# Worth less than any score.
LEAST = -(10**9)


def oracle(v: Variant):
    """Gives each score a worth, counts who is worth more or as much, and numbers them."""
    unranked, overall = v["missing"] == "unranked", v["scope"] == "overall"
    method, is_number = v["method"], v["form"] == "number"
    sign = 1 if v["best"] == "highest" else -1
    name_of, group_of, score_of = v["id"], v["group"], v["score"]

    def worth(score):
        return LEAST if score is None else sign * score

    def rank_of(own, others):
        """The rank of what is worth `own` among all that are ranked together, itself included."""
        better = [other for other in others if other > own]
        if method == "average":
            positions = range(len(better) + 1, len(better) + others.count(own) + 1)
            place = Fraction(sum(positions), len(positions))
        else:
            place = 1 + len(better if method == "competition" else set(better))
        if is_number:
            return place
        return Fraction(place - 1) / max(len(others) - 1, 1)

    def rank_among(known, group, score):
        if score is None and unranked:
            return None
        others = [
            worth(peer)
            for _, where, peer in known
            if (overall or where == group) and not (unranked and peer is None)
        ]
        return rank_of(worth(score), others)

    def ranks(rows):
        known = [(row[name_of], row[group_of], row[score_of]) for row in rows]
        return {name: rank_among(known, group, score) for name, group, score in known}

    class Board:
        def __init__(self):
            self.rows = []

        def record(self, name, group, score):
            self.rows = [row for row in self.rows if row[0] != name] + [(name, group, score)]

        def rank(self, name):
            for known, group, score in self.rows:
                if known == name:
                    return rank_among(self.rows, group, score)
            raise LookupError

    setattr(Board, v["record"], Board.record)
    setattr(Board, v["rank"], Board.rank)
    return {
        v["function"]: ranks,
        v["list_function"]: lambda rows: list(ranks(rows).values()),
        v["cls"]: Board,
    }


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(TIERS, KEYS, BOARD),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(tied, incomplete, grouped, small),
    wide=wide,
    oracle=oracle,
)
