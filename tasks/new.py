"""A skeleton of a category from its row of the taxonomy."""

from tasks.kit.category import AuthoringError
from tasks.kit.load import TREE
from tasks.kit.taxonomy import Cell, cells

_SKELETON = '''\
"""{sentence}"""

from sandbox.checks import Check, Ref, call
from tasks.kit import Category, Clause, Shape, Stream, Variant, change, knob, scenario

# The edge: {edge}
# The bug: {bug}
# A repair that looks right: {wrong}
# Observable: {observable}. Imports: {stdlib}.

KNOBS = (
{knobs}
)

CONTRACT = (Clause("result", "$function(items) returns a new list ..."),)

PLAIN = Shape(
    name="plain",
    entry_point="$function",
    module=\'\'\'
"""$summary"""


def $function(items: list[str]) -> list[str]:
    """..."""
\'\'\',
    bugs=(change("first", ("find", "replace")), change("second", ("find", "replace"))),
    known_failing=(
        change("one", ("find", "replace")),
        change("two", ("find", "replace")),
        change("three", ("find", "replace")),
    ),
)

SCENARIOS = (
{scenarios}
)


def visible(v: Variant, s: Stream):
    """Ordinary behaviour: every known-failing patch passes."""
    yield Check((call(v.entry_point, []),), clauses=v.clauses("result"))


def symptom(v: Variant, bug: str, s: Stream) -> Check:
    """One check that the bug fails and every known-failing patch passes."""
    return Check((call(v.entry_point, ["a"]),), clauses=v.clauses("result"))


def at_the_edge(v: Variant, s: Stream) -> Check:
    """Just before, at and just after the edge."""
    return Check((call(v.entry_point, ["a"]),), clauses=v.clauses("result"))


def wide(v: Variant, s: Stream) -> Check:
    """Anything the contract allows."""
    return Check((call(v.entry_point, ["a"]),), clauses=v.clauses("result"))


def oracle(v: Variant):
    """Written from the contract alone, in another way than the shapes."""

    def model(items):
        return list(items)

    return {{v.entry_point: model}}


CATEGORY = Category(
    knobs=KNOBS,
    contract=CONTRACT,
    shapes=(PLAIN,),
    scenarios=SCENARIOS,
    visible=visible,
    symptom=symptom,
    edges=(at_the_edge,),
    wide=wide,
    oracle=oracle,
)
'''


def skeleton(cell: Cell) -> str:
    """The text of a new category file."""
    settings = (text.strip() for text in cell.scenarios.split(";"))
    return _SKELETON.format(
        sentence=cell.title + ".",
        edge=cell.the_edge,
        bug=cell.the_bug,
        wrong=cell.plausible_wrong_fix,
        observable=cell.observable,
        stdlib=cell.stdlib,
        knobs="\n".join(
            _knob(text.strip(), n) for n, text in enumerate(cell.contract_knobs.split(";"), 1)
        ),
        scenarios="\n".join(
            f'    scenario("{text}", function="...", summary="..."),' for text in settings
        ),
    )


def write_skeleton(slug: str) -> str:
    """Create the file of a category that is not built yet; gives its path below the repository."""
    cell = cells().get(slug)
    if cell is None:
        raise AuthoringError(f"{slug} is not in the taxonomy")
    path = TREE / cell.path
    if path.exists():
        raise AuthoringError(f"tasks/{cell.path} exists")
    path.write_text(skeleton(cell), encoding="utf-8")
    return f"tasks/{cell.path}"


def _knob(text: str, number: int) -> str:
    return (
        f"    # {text}\n"
        f'    knob("knob{number}", one={{"clause{number}": "", "code{number}": ""}},'
        f' other={{"clause{number}": "", "code{number}": ""}}),'
    )
