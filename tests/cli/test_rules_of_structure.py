"""Rules about the session itself and the size of its compactions: a hit and a clean twin each."""

import json
from pathlib import Path
from typing import Any

import summarized
from claude_sessions import record
from cli.commands import Folder


def found(command: Folder, rule: str, *names: str) -> list[tuple[str, int]]:
    ended = command("check", *names, "--select", rule, "--format", "json")
    assert not ended.json["errors"], ended.err
    return [(f["path"], f["line"]) for f in ended.json["findings"]]


def call(call_id: str) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": "ls"}}]


def result(call_id: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": "a.py"}]


def write(folder: Path, name: str, *rows: dict[str, Any]) -> None:
    summarized.write(folder / name, list(rows))


def test_a_call_without_result(command: Folder) -> None:
    start = record("u1", None, "user", "List the files.")
    asked = record("a1", "u1", "assistant", call("t1"), message={"id": "m1"})
    said = record("a2", "a1", "assistant", "There are files.", message={"id": "m2"})
    answered = record("r1", "a1", "user", result("t1"))
    write(command.path, "hit.jsonl", start, asked, said)
    write(command.path, "clean.jsonl", start, asked, answered, said)
    write(command.path, "running.jsonl", start, asked)

    names = ("hit.jsonl", "clean.jsonl", "running.jsonl")
    assert found(command, "orphan-call", *names) == [("hit.jsonl", 2)]


def test_a_result_without_call(command: Folder) -> None:
    start = record("u1", None, "user", "List the files.")
    asked = record("a1", "u1", "assistant", call("t1"))
    write(command.path, "hit.jsonl", start, record("r1", "u1", "user", result("t9")))
    write(command.path, "clean.jsonl", start, asked, record("r1", "a1", "user", result("t1")))

    assert found(command, "orphan-result", "hit.jsonl", "clean.jsonl") == [("hit.jsonl", 2)]


def test_broken_bytes(command: Folder) -> None:
    row = json.dumps(record("u1", None, "user", "Hello."))
    after = json.dumps(record("u2", "u1", "user", "Go on."))
    (command.path / "hit.jsonl").write_text(f"{row}\n\0\0\0\0\n{after}\n", "utf-8")
    (command.path / "clean.jsonl").write_text(f"{row}\n{after}\n", "utf-8")

    assert found(command, "damage", "hit.jsonl", "clean.jsonl") == [("hit.jsonl", 2)]


def test_a_compaction_near_the_limit(command: Folder) -> None:
    late = summarized.clean()
    late[4]["compactMetadata"]["preTokens"] = 190_000
    write(command.path, "hit.jsonl", *late)
    write(command.path, "clean.jsonl", *summarized.clean())

    assert found(command, "compaction-too-late", "hit.jsonl", "clean.jsonl") == [("hit.jsonl", 5)]


def test_a_compaction_that_shrank_little(command: Folder) -> None:
    long = summarized.clean()
    long[2] = record("r1", "a1", "user", [{**result("t1")[0], "content": "12 passed\n" * 500}])
    write(command.path, "clean.jsonl", *long)
    write(command.path, "hit.jsonl", *summarized.clean())

    assert found(command, "weak-compaction", "hit.jsonl", "clean.jsonl") == [("hit.jsonl", 5)]
