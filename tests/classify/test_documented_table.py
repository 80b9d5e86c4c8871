"""The documented table of classes is the one that the code has."""

from pathlib import Path

from compactctl.model.entry import Author, Kind
from compactctl.model.table import CLASS_TABLE

PAGE = Path(__file__).parents[2] / "docs" / "classification.md"


def test_every_cell_is_documented() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("| author |"))
    kinds = [Kind(cell.strip().replace(" ", "_")) for cell in lines[head].split("|")[2:-1]]
    rows = [line.split("|")[1:-1] for line in lines[head + 2 : head + 2 + len(Author)]]
    documented = {
        (Author(row[0].strip(" `")), kind): cell.strip()
        for row in rows
        for kind, cell in zip(kinds, row[1:], strict=True)
    }

    assert documented == CLASS_TABLE
