"""``brief``: what a hand-over holds, what gives way, and what an edited one has lost."""

import json

import pytest
from cli.commands import ROOT, Folder

FIXTURE = ROOT / "fixtures" / "claude-code" / "ledger-service.jsonl"
FROZEN = "Never touch anything under migrations/legacy, those files are frozen for the auditors."


@pytest.fixture
def folder(command: Folder) -> Folder:
    (command.path / "session.jsonl").write_bytes(FIXTURE.read_bytes())
    return command


def test_what_binds_stands_verbatim_with_its_source(folder: Folder) -> None:
    ended = folder.process("brief", "session.jsonl", "--format", "json")

    assert ended.code == 0
    items = ended.json["items"]
    frozen = next(item for item in items if item["text"] == FROZEN)
    assert (frozen["part"], frozen["line"]) == ("decisions", 2)
    assert frozen["pointer"] == f"snap:{ended.json['session']['sha256'][:12]}#L2.0"
    tests = next(item for item in items if item["label"] == "test:pytest -q")
    assert tests["part"] == "facts"
    assert tests["verify"] == "python -m pytest -q"
    assert [item["text"] for item in items if item["part"] == "open"] == [
        "Endpoint to reopen a period"
    ]
    assert any(
        item["part"] == "do_not_retry" and "Connection refused" in item["label"] for item in items
    )


def test_facts_give_way_before_what_binds(folder: Folder) -> None:
    ended = folder("brief", "session.jsonl", "--budget", "1500", "--format", "json")

    assert ended.code == 0
    document = ended.json
    assert document["tokens"]["value"] <= 1500
    assert document["left_out"] > 0
    full = folder("brief", "session.jsonl", "--format", "json").json
    kept = {item["text"] for item in document["items"]}
    gone = [item["part"] for item in full["items"] if item["text"] not in kept]
    assert set(gone) == {"facts"}


def test_a_budget_that_cannot_hold_what_binds_is_refused(folder: Folder) -> None:
    ended = folder("brief", "session.jsonl", "--budget", "100", "-o", "brief.md")

    assert ended.code == 3
    assert "the budget is 100" in ended.err
    assert not (folder.path / "brief.md").exists()


def test_an_untouched_brief_holds_everything(folder: Folder) -> None:
    for form in ("text", "json"):
        folder("brief", "session.jsonl", "--format", form, "-o", f"brief.{form}")
    text = folder("brief", "session.jsonl", "--check", "brief.text")

    assert (text.code, text.out.count("\n")) == (0, 1)


def test_an_edited_brief_is_told_what_it_lost(folder: Folder) -> None:
    folder("brief", "session.jsonl", "-o", "brief.md")
    file = folder.path / "brief.md"
    edited = file.read_text("utf-8").replace("frozen for the auditors", "mostly frozen")
    file.write_text(edited.replace("L137.0", "L9137.0"), "utf-8")

    ended = folder("brief", "session.jsonl", "--check", "brief.md")

    assert ended.code == 1
    assert f"! pin L2: {FROZEN}" in ended.out
    assert "! pointer: L9137.0" in ended.out


def test_secrets_and_controls_are_not_handed_over(command: Folder) -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    said = f"Always deploy with the key {key} and never \x1b[31mwithout\x1b[0m it."
    row = {"role": "user", "content": said}
    (command.path / "s.jsonl").write_text(json.dumps(row) + "\n", "utf-8")

    out = command("brief", "s.jsonl").out

    assert key not in out
    assert "\x1b" not in out


def test_no_pointer_is_taken_for_granted(command: Folder) -> None:
    row = {"role": "user", "content": "Never rename the ferry module."}
    (command.path / "s.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    command("brief", "s.jsonl", "-o", "brief.md")
    file = command.path / "brief.md"
    file.write_text(file.read_text("utf-8") + "\nsee L12.0\n", "utf-8")

    ended = command("brief", "s.jsonl", "--check", "brief.md")

    assert ended.code == 1
    assert "! pointer: L12.0" in ended.out
