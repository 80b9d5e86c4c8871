"""A file with several conversations: each in turn, one document, the worst exit code."""

import json

from cli.commands import Folder

TALKS = [
    {
        "messages": [
            {"role": "user", "content": f"Count to {n}."},
            {"role": "assistant", "content": "1"},
        ]
    }
    for n in (3, 4)
]


def put(folder: Folder) -> None:
    text = "".join(json.dumps(talk) + "\n" for talk in TALKS)
    (folder.path / "talks.jsonl").write_text(text)


def test_a_run_gives_one_document_of_all(command: Folder) -> None:
    put(command)

    ended = command("run", "talks.jsonl", "--format", "json")

    assert ended.code == 3
    assert ended.json["schema"] == "compactctl.ledgers/1"
    assert [ledger["conversation"] for ledger in ended.json["ledgers"]] == [1, 2]


def test_one_can_be_named(command: Folder) -> None:
    put(command)

    one = command("classify", "talks.jsonl", "--conversation", "2", "--format", "json").json
    several = command("classify", "talks.jsonl", "--format", "json").json

    assert one["transcript"]["conversation"] == 2
    assert [c["transcript"]["conversation"] for c in several["classifications"]] == [1, 2]
    assert command("classify", "talks.jsonl", "--conversation", "9").code == 2


def test_text_and_lists_hold_each(command: Folder) -> None:
    put(command)

    assert command("classify", "talks.jsonl").out.count("in view ") >= 2
    assert len(command("pins", "talks.jsonl", "--format", "json").json["lists"]) == 2
    assert "conversation 2" in command("show", "talks.jsonl").out


def test_a_diff_pairs_them(command: Folder) -> None:
    put(command)

    ended = command("diff", "talks.jsonl", "talks.jsonl", "--format", "json")

    assert ended.code == 0
    assert len(ended.json["diffs"]) == 2


def test_an_entry_is_explained(command: Folder) -> None:
    put(command)

    ended = command("classify", "talks.jsonl", "--explain", "C2.L1.0")

    assert ended.code == 0
    assert "author human" in ended.out
