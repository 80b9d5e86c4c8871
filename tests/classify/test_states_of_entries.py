import pytest
from recorded import Recorded

from compactctl.classify.states import classify_entries
from compactctl.model.entry import Author, Kind
from compactctl.model.table import CLASS_TABLE


@pytest.mark.parametrize(("author", "kind"), list(CLASS_TABLE))
def test_without_results_the_table_alone_decides_and_says_why(author: Author, kind: Kind) -> None:
    session = Recorded()
    session._add("x", author=author, kind=kind)
    found = classify_entries(session.entries, ())["L1.0"]
    assert found.state is CLASS_TABLE[author, kind]
    assert found.why
