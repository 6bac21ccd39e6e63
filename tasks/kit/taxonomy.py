"""The 256 cells of the map, from tasks/taxonomy.tsv."""

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

TAXONOMY = Path(__file__).parent.parent / "taxonomy.tsv"


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of the taxonomy; lists are parted by semicolons in the file."""

    domain_slug: str
    category_slug: str
    title: str
    the_edge: str
    the_bug: str
    plausible_wrong_fix: str
    contract_knobs: str
    scenarios: str
    observable: str
    stdlib: str

    @property
    def path(self) -> str:
        """Where the category's file belongs, below tasks/."""
        return f"{snake(self.domain_slug)}/{snake(self.category_slug)}.py"


def snake(slug: str) -> str:
    """A slug as a Python module name."""
    return slug.replace("-", "_")


@cache
def cells() -> dict[str, Cell]:
    """Every cell by category slug, in map order."""
    head, *rows = TAXONOMY.read_text(encoding="utf-8").splitlines()
    if head.split("\t") != [field.name for field in fields(Cell)]:
        raise ValueError(f"{TAXONOMY.name} does not have the expected columns")
    read = [Cell(*row.split("\t")) for row in rows]
    return {cell.category_slug: cell for cell in read}
