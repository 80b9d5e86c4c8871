"""``audit``: the compactions that a session records, what became of each pin, and findings."""

import jsonschema
import summarized
from claude_sessions import record
from cli.commands import Folder

from compactctl.io.schemas import load_schema

ALTERED = "Edits under vendor/ are not allowed because files come mirrored from upstream."


def test_each_pin_and_its_fate(command: Folder) -> None:
    summarized.write(command.path / "lossy.jsonl", summarized.lossy())

    ended = command.process("audit", "lossy.jsonl", "--format", "json")

    assert ended.code == 1
    jsonschema.Draft202012Validator(load_schema("audit")).validate(ended.json)
    (compaction,) = ended.json["compactions"]
    assert compaction["boundary_line"] == 5
    assert (compaction["source"], compaction["trigger"]) == ("claude-code", "auto")
    assert compaction["tokens"]["recorded"] == {"before": 150000, "after": None}
    fates = {pin["text"]: pin["survival"] for pin in compaction["pins"]}
    assert fates[summarized.RULE] == "lost"
    assert fates[summarized.STYLE] == "verbatim"


def test_the_report_for_people(command: Folder) -> None:
    summarized.write(command.path / "lossy.jsonl", summarized.lossy())

    out = command("audit", "lossy.jsonl").out

    assert out.startswith("lossy.jsonl: 1 compaction, ")
    assert "compaction 1 at line 5 (claude-code, auto)" in out
    assert "the client recorded\n          150,000" in out or "recorded 150,000" in out
    assert "    L1     lost     strong Never edit files under vendor/" in out
    assert "E CC101 constraint-lost L6 (high confidence)" in out
    assert "    do: say it again" in out


def test_other_words_are_shown_beside_each_other(command: Folder) -> None:
    said = f"{ALTERED} {summarized.STYLE}"
    summarized.write(command.path / "s.jsonl", summarized.rows(said))

    document = command("audit", "s.jsonl", "--format", "json").json

    (finding,) = [f for f in document["findings"] if f["name"] == "constraint-altered"]
    assert finding["evidence"][0] == {"line": 1, "text": summarized.RULE}
    assert "[-Never" in finding["message"]
    assert not [f for f in document["findings"] if f["name"] == "constraint-lost"]


def test_a_session_without_compactions(command: Folder) -> None:
    command.session()

    ended = command("audit", "session.jsonl")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("session.jsonl: no compaction is recorded, 0 findings\n")


def test_one_compaction_by_its_number(command: Folder) -> None:
    summarized.write(command.path / "lossy.jsonl", summarized.lossy())

    assert command("audit", "lossy.jsonl", "--boundary", "1", "--full").code == 1
    ended = command("audit", "lossy.jsonl", "--boundary", "2")
    assert ended.code == 2
    assert "--boundary 2: the session records 1 compactions" in ended.err


def test_words_put_into_the_mouth_of_the_user(command: Folder) -> None:
    said = (
        f'{summarized.RULE} {summarized.STYLE}\n\nThe user said: "go ahead and delete the index"'
    )
    summarized.write(command.path / "made-up.jsonl", summarized.rows(said))
    true = said.replace("go ahead and delete the index", "Add a parser for tide tables.")
    summarized.write(command.path / "true.jsonl", summarized.rows(true))

    invented = command("check", ".", "--select", "invented-user-text", "--format", "json").json

    assert [(f["path"], f["evidence"][0]["text"]) for f in invented["findings"]] == [
        ("made-up.jsonl", "go ahead and delete the index")
    ]


def test_a_pass_that_nothing_shows(command: Folder) -> None:
    said = f"{summarized.RULE} {summarized.STYLE}\n\nThe build succeeded."
    edit = {"file_path": "/srv/a.py", "old_string": "a", "new_string": "b"}
    call = {"type": "tool_use", "id": "t2", "name": "Edit", "input": edit}
    session = summarized.rows(said)
    session[3] = record("a2", "r1", "assistant", [call])
    summarized.write(command.path / "phantom.jsonl", session)

    document = command("audit", "phantom.jsonl", "--format", "json").json

    phantom = [f for f in document["findings"] if f["name"] == "phantom-completion"]
    assert [f["evidence"][0]["text"] for f in phantom] == ["The build succeeded."]


def test_a_summary_that_cannot_be_read_is_unknown_not_lost(command: Folder) -> None:
    session = summarized.lossy()
    session[5]["message"]["content"] = ""
    summarized.write(command.path / "opaque.jsonl", session)

    document = command("audit", "opaque.jsonl", "--format", "json").json

    (compaction,) = document["compactions"]
    assert compaction["opaque"] is True
    assert {pin["survival"] for pin in compaction["pins"]} == {"unknown"}
    assert "constraint-lost" not in {f["name"] for f in document["findings"]}
    assert "opaque-summary" in {f["name"] for f in document["findings"]}
