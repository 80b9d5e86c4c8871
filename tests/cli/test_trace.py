"""``trace`` and ``show --diff-at``: one statement, and two moments of a session."""

from typing import Any

import pytest
import summarized
from claude_sessions import record
from cli.commands import Folder


def edit(call_id: str, path: str, parent: str) -> dict[str, Any]:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    call = {"type": "tool_use", "id": call_id, "name": "Edit", "input": given}
    return record(f"e-{call_id}", parent, "assistant", [call])


@pytest.fixture
def folder(command: Folder) -> Folder:
    after = (edit("t9", "/srv/app/vendor/tables.c", "s1"), edit("t10", "/srv/app/main.c", "e-t9"))
    session = summarized.rows(f"The user asked for a parser. {summarized.STYLE}", after=after)
    summarized.write(command.path / "session.jsonl", session)
    return command


def test_a_lost_statement_and_who_acted_on_it(folder: Folder) -> None:
    ended = folder.process("trace", "session.jsonl", "vendor/", "--format", "json")

    assert ended.code == 0
    (statement,) = ended.json["statements"]
    assert statement["text"] == summarized.RULE
    assert statement["pin"]["strength"] == "strong"
    assert statement["places"] == [{"line": 1, "entry": "L1.0", "author": "human"}]
    assert [(f["boundary_line"], f["survival"]) for f in statement["fates"]] == [(5, "lost")]
    assert [(t["line"], t["tool"], t["in_view"]) for t in statement["touches"]] == [
        (7, "Edit", False)
    ]


def test_a_pin_is_named_by_its_id(folder: Folder) -> None:
    by_text = folder("trace", "session.jsonl", "British", "--format", "json").json
    pin = by_text["statements"][0]["pin"]["id"]

    ended = folder("trace", "session.jsonl", pin[:8])

    assert ended.code == 0
    assert ended.out.splitlines()[0] == summarized.STYLE
    assert "compaction  L5: verbatim" in ended.out


def test_what_nobody_said_is_an_error(folder: Folder) -> None:
    ended = folder("trace", "session.jsonl", "12 passed")

    assert ended.code == 2
    assert "no person, delegator or system prompt said '12 passed'" in ended.err


def test_two_moments_of_a_session(folder: Folder) -> None:
    ended = folder("show", "session.jsonl", "--diff-at", "L4", "L6")

    assert ended.code == 0
    assert ended.out.startswith("in view at L4 and at L6\n")
    assert "- L1.0" in ended.out
    assert "+ L6.0" in ended.out
