"""Whatever the order of turns, no more claimants win than the contract allows."""

from sandbox.checks import Check, Ref, call, callback, interleave, look, raises, value
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

KNOBS = (
    knob("limit", one={"most": "1"}, several={"most": "$seats"}),
    knob(
        "scope",
        per_key={
            "counted": "on one $key",
            "pairs_rivals": "[holder for claimed, holder in self._claims if claimed == $key]",
            "dict_rivals": "claims.get($key, [])",
            "ticket_rivals": "{ticket.holder for ticket in self._open.values() if ticket.subject == $key}",
        },
        overall={
            "counted": "on all ${key}s together",
            "pairs_rivals": "[holder for _, holder in self._claims]",
            "dict_rivals": "[holder for holders in claims.values() for holder in holders]",
            "ticket_rivals": "{ticket.holder for ticket in self._open.values()}",
        },
    ),
    knob(
        "loser",
        told={"loser_clause": 'gets "$lost"', "turn_away": 'return "$lost"'},
        holders={
            "loser_clause": "gets the sorted list of the ${who}s that hold a claim $counted",
            "turn_away": "return sorted(rivals)",
        },
        raises={"loser_clause": "is refused with $error", "turn_away": "raise $error($key)"},
    ),
    knob(
        "again",
        refused={
            "again_clause": "is turned away in the same manner, even when there is room",
            "again_rule": "",
            "no_room": "$who in rivals or len(rivals) >= $most_name",
        },
        welcome={
            "again_clause": 'gets "$already" at once, even when there is no room; nothing is '
            "noted and nothing is run",
            "again_rule": 'if $who in rivals:\n    return "$already"',
            "no_room": "len(rivals) >= $most_name",
        },
    ),
    knob(
        "failed",
        frees={
            "failed_clause": "is given up",
            "pad": "    ",
            "try_line": "try:",
            "pairs_undo": "except BaseException:\n    self._claims.remove(($key, $who))\n    raise",
            "dict_undo": "except BaseException:\n    _give_up(claims, $key, $who)\n    raise",
            "ticket_undo": "finally:\n    if not ticket.done:\n        del self._open[ticket.number]",
            "dict_helper": '''
                def _give_up(claims: dict[str, list[str]], $key: str, $who: str) -> None:
                    """Take one claim off the record."""
                    claims[$key].remove($who)
                    if not claims[$key]:
                        del claims[$key]
            ''',
        },
        keeps={
            "failed_clause": "stays held",
            "pad": "",
            "try_line": "",
            "pairs_undo": "",
            "dict_undo": "",
            "ticket_undo": "",
            "dict_helper": '''
                def holders(claims: dict[str, list[str]], $key: str) -> list[str]:
                    """The ${who}s that hold a claim on $key, sorted."""
                    return sorted(claims.get($key, []))
            ''',
        },
    ),
)  # fmt: skip

CONTRACT = (
    Clause(
        "turns",
        """$opening is a generator function. Many of its generators run by turns: up to its next yield
        a generator runs alone, and at a yield any of the others may go on. Its outcome is what it
        returns. ${key}, $who and $lead are text; $note never raises.""",
    ),
    Clause(
        "stages",
        """Whether the $who gets the claim is decided, and the claim taken, in the first turn, before
        any yield. A $who that gets it yields, calls $note($key, $who), yields again, calls
        $work($key) and returns what that returned. These two yields are the only ones: a $who
        that does not get a claim ends in its first turn and is never noted.""",
    ),
    Clause("limit", "The number of claims held at the same time $counted is at most $most."),
    Clause("loser", "A $who that comes while this number is reached $loser_clause."),
    Clause("again", "A $who that already holds a claim $counted $again_clause."),
    Clause(
        "failed",
        """When $work raises, or the generator is closed at one of its yields, the claim
        $failed_clause; what $work raised goes on to the caller. Once $work has returned, the claim
        is held for good.""",
    ),
    Clause("record", "$record_clause"),
)

PAIRS = Shape(
    name="pairs",
    entry_point="$cls",
    words={
        "opening": "$cls($note) lets ${who}s claim ${key}s; its method $claim($key, $who, $work)",
        "record_clause": "$held() gives the sorted list of the ($key, $who) tuples of all claims held now.",
        "lead": "all outcomes below that are quoted",
    },
    module='''
"""$summary"""

from collections.abc import Callable, Generator

$most_name = $most


class $cls:
    """Keeps the claims of ${who}s that take turns.

    There are no locks here: whoever runs between two yields has the record to itself.
    """

    def __init__(self, $note: Callable[[str, str], None]) -> None:
        self._$note = $note
        self._claims: list[tuple[str, str]] = []

    def $claim(
        self, $key: str, $who: str, $work: Callable[[str], object]
    ) -> Generator[None, None, object]:
        """Claim $key for $who and do the work under that claim."""
        rivals = $pairs_rivals
        $again_rule
        if $no_room:
            $turn_away
        self._claims.append(($key, $who))
        $try_line
        ${pad}yield
        ${pad}self._$note($key, $who)
        ${pad}yield
        ${pad}return $work($key)
        $pairs_undo

    def $held(self) -> list[tuple[str, str]]:
        """All claims that are held now, sorted."""
        return sorted(self._claims)
''',
    bugs=(
        change(
            "late",
            ("        self._claims.append(", "        yield\n        self._claims.append("),
            ("${pad}yield\n        ${pad}self._$note(", "${pad}self._$note("),
        ),
        change(
            "after_note",
            ("        self._claims.append(", "        yield\n        self._$note($key, $who)\n        self._claims.append("),
            ("${pad}yield\n        ${pad}self._$note($key, $who)\n        ${pad}yield", "${pad}yield"),
        ),
        change(
            "frees_all",
            ("self._claims.remove(($key, $who))", "self._claims = [pair for pair in self._claims if pair[0] != $key]"),
            when={"failed": "frees", "limit": "several"},
        ),
    ),
    known_failing=(
        change(
            "asks_again",
            ("        self._claims.append(", """\
        yield
        rivals = $pairs_rivals
        if $no_room:
            $turn_away
        self._claims.append("""),
            ("${pad}yield\n        ${pad}self._$note(", "${pad}self._$note("),
        ),
        change(
            "notes_first",
            ("${pad}yield\n        ${pad}self._$note($key, $who)\n", "${pad}self._$note($key, $who)\n        ${pad}yield\n"),
        ),
        change("not_closed", ("except BaseException:", "except Exception:"), when={"failed": "frees"}),
        change(
            "frees_anyway",
            ("        yield\n        self._$note($key, $who)\n        yield\n        return $work($key)\n", """\
        try:
            yield
            self._$note($key, $who)
            yield
            return $work($key)
        except BaseException:
            self._claims.remove(($key, $who))
            raise
"""),
            when={"failed": "keeps"},
        ),
        change(
            "one_step",
            ("${pad}yield\n        ${pad}self._$note($key, $who)\n        ${pad}yield\n", "${pad}self._$note($key, $who)\n        ${pad}yield\n"),
        ),
    ),
)  # fmt: skip
