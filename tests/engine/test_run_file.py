"""A run over a file: what is on disk afterwards, for each way that it can end."""

import itertools
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from building import Message, assistant, call, jsonl, result, user

from compactctl.engine.options import RunOptions
from compactctl.engine.run import FileOutcome, run_file
from compactctl.errors import InputChangedError, InputError, OutputError, UsageError
from compactctl.io.source import Source
from compactctl.model.compaction import Status
from compactctl.store.store import Store

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SMALL = {"keep_tail": 100}


def messages(steps: int = 12) -> list[Message]:
    found = [user("Never drop the audit table.")]
    for n in range(steps):
        found += [
            call(f"c{n}", "read_file", path=f"f{n}.py"),
            result(f"c{n}", f"row {n} " * 120),
            assistant("Read."),
        ]
    return [*found, user("Go on."), assistant("Going on.")]


class Place:
    """A folder with a session in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "session.jsonl"
        self.store = folder / ".compactctl"
        self.file.write_bytes(jsonl(messages()))
        self.printed: list[bytes] = []

    def run(self, output: str | None = None, **options: Any) -> FileOutcome:
        ids = (f"id-{n}" for n in itertools.count())
        return run_file(
            str(self.file),
            RunOptions(**{**SMALL, **options}),
            store=self.store,
            output=output,
            now=NOW,
            new_id=lambda: next(ids),
            write_stdout=self.keep,
        )

    def keep(self, chunks: Iterable[bytes]) -> None:
        self.printed.extend(chunks)

    def names(self) -> set[str]:
        return {p.name for p in self.folder.iterdir()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_compacted_leaves_snapshot_output_and_ledger(place: Place) -> None:
    given = place.file.read_bytes()
    (one,) = place.run().conversations
    store = Store.open(place.store, create=False)

    assert one.compaction.status is Status.COMPACTED
    assert place.names() == {"session.jsonl", "session.compacted.jsonl", ".compactctl"}
    assert place.file.read_bytes() == given
    assert b"".join(store.restore(store.snapshots()[0].sha256)) == given
    assert [v["id"] for v in store.ledgers()] == [one.ledger["id"]]
    assert one.ledger["pins"]
    assert one.compaction.pins.removed == ()


def test_an_earlier_output_of_ours_may_be_replaced(place: Place) -> None:
    place.run()
    with place.file.open("ab") as file:
        file.write(jsonl([user("And now?"), assistant("Now this.")]))
    place.run()

    assert "And now?" in (place.folder / "session.compacted.jsonl").read_text("utf-8")


def test_a_foreign_file_is_never_replaced_without_force(place: Place) -> None:
    target = place.folder / "session.compacted.jsonl"
    target.write_text("mine", "utf-8")

    with pytest.raises(OutputError, match="is not an earlier output"):
        place.run()
    assert target.read_text("utf-8") == "mine"

    place.run(force=True)
    assert target.read_text("utf-8") != "mine"


def test_the_input_is_never_the_output(place: Place) -> None:
    link = place.folder / "link.jsonl"
    link.symlink_to(place.file)

    for output in (place.file, link):
        with pytest.raises(UsageError, match="the output is the input"):
            place.run(str(output), force=True)


def test_a_missing_folder_is_named(place: Place) -> None:
    with pytest.raises(OutputError, match="the folder does not exist"):
        place.run(str(place.folder / "no" / "out.jsonl"))


def test_a_dry_run_writes_nothing(place: Place) -> None:
    (one,) = place.run(dry_run=True).conversations

    assert one.compaction.status is Status.COMPACTED
    assert one.compaction.tokens.after < one.compaction.tokens.before
    assert place.names() == {"session.jsonl"}


def test_a_dry_run_keeps_a_snapshot_where_one_is_asked_for(place: Place) -> None:
    place.run(dry_run=True, snapshot=True)

    assert len(Store.open(place.store, create=False).snapshots()) == 1


def test_a_skip_hands_the_input_on(place: Place) -> None:
    (one,) = place.run(str(place.folder / "next.jsonl"), if_needed=True).conversations

    assert one.compaction.status is Status.SKIPPED
    assert "below the trigger" in one.compaction.reason
    assert one.compaction.decisions
    assert (place.folder / "next.jsonl").read_bytes() == place.file.read_bytes()
    assert not place.store.exists()


def test_what_is_needed_is_done(place: Place) -> None:
    (one,) = place.run(if_needed=True, trigger=1000.0).conversations

    assert one.compaction.status is Status.COMPACTED


def test_deferred_writes_nothing(place: Place) -> None:
    place.file.write_bytes(jsonl([user("Hello."), assistant("Hello.")]))
    (one,) = place.run().conversations

    assert one.compaction.status is Status.DEFERRED
    assert place.names() == {"session.jsonl"}


def test_refused_keeps_the_snapshot_and_a_ledger(place: Place) -> None:
    (one,) = place.run(budget=3).conversations
    store = Store.open(place.store, create=False)

    assert one.compaction.status is Status.REFUSED
    assert "a budget of 3 tokens cannot hold" in one.compaction.reason
    assert len(store.snapshots()) == 1
    assert [v["status"] for v in store.ledgers()] == ["refused"]
    assert "session.compacted.jsonl" not in place.names()


def test_an_unreachable_target_says_what_is_in_the_way(place: Place) -> None:
    (one,) = place.run(target=20).conversations

    assert one.compaction.status is Status.REFUSED
    assert one.compaction.reason.startswith("target-unreachable: 20 tokens")


def test_a_target_that_clearing_reaches_stops_there(place: Place) -> None:
    (one,) = place.run(target=3000).conversations

    assert one.compaction.level == "clear"
    assert one.compaction.boundary is None
    assert one.compaction.tokens.head_before == 0


def test_the_output_goes_to_stdout(place: Place) -> None:
    (one,) = place.run("-").conversations
    printed = b"".join(place.printed)

    assert one.compaction.output is not None
    assert one.compaction.output.path == "-"
    assert json.loads(printed.split(b"\n")[0])["role"] == "user"
    assert place.names() == {"session.jsonl", ".compactctl"}


def test_strict_names_the_damage(place: Place) -> None:
    with place.file.open("ab") as file:
        file.write(b'{"role": "us')

    with pytest.raises(InputError, match=r"session\.jsonl:40: truncated at byte"):
        place.run(strict=True)


def test_a_change_while_reading_is_noticed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Source.lines

    def appended(source: Source) -> Any:
        yield from read(source)
        with place.file.open("ab") as file:
            file.write(jsonl([user("late")]))

    monkeypatch.setattr(Source, "lines", appended)

    with pytest.raises(InputChangedError):
        place.run()
    assert place.names() == {"session.jsonl"}


def test_several_conversations_are_run_in_turn(place: Place) -> None:
    lines = [json.dumps({"id": n, "messages": messages()}) for n in range(2)]
    place.file.write_text("\n".join(lines) + "\n", "utf-8")
    outcome = place.run()
    written = (place.folder / "session.compacted.jsonl").read_text("utf-8").splitlines()

    assert [o.compaction.conversation for o in outcome.conversations] == [1, 2]
    assert [json.loads(line)["id"] for line in written] == [0, 1]
    assert all(len(json.loads(line)["messages"]) < len(messages()) for line in written)
    ledger = outcome.conversations[1].ledger
    assert isinstance(ledger["snapshot"], dict)
    sha256 = ledger["snapshot"]["sha256"]
    assert all(str(p["pointer"]).startswith(f"snap:{sha256[:12]}#C2.") for p in ledger["pointers"])  # type: ignore[attr-defined, index] # a document


def test_one_conversation_leaves_the_others_byte_for_byte(place: Place) -> None:
    lines = [json.dumps({"id": n, "messages": messages()}) for n in range(2)]
    place.file.write_text("\n".join(lines) + "\n", "utf-8")
    place.run(conversation=2)
    written = (place.folder / "session.compacted.jsonl").read_text("utf-8").splitlines()

    assert written[0] == lines[0]
    assert written[1] != lines[1]


def test_the_ledger_of_a_run_on_our_own_output_names_its_parent(place: Place) -> None:
    first = place.run().conversations[0].ledger
    place.file = place.folder / "session.compacted.jsonl"
    (again,) = place.run(str(place.folder / "again.jsonl")).conversations

    assert first["parent"] is None
    assert again.compaction.status is Status.REFUSED
    assert again.compaction.reason.startswith("nothing-new")
    assert again.ledger["parent"] == first["id"]


def test_append_is_refused_where_the_format_has_no_record_for_it(place: Place) -> None:
    with pytest.raises(UsageError, match="has no record for a compaction"):
        place.run(append=True)


def test_a_lone_surrogate_is_repaired_in_the_output_only(place: Place) -> None:
    data = place.file.read_bytes().replace(b"Going on.", b"Going \\ud83d on.")
    place.file.write_bytes(data)
    place.run(repair=True)
    written = (place.folder / "session.compacted.jsonl").read_bytes()

    assert rb"Going \ufffd on." in written
    assert place.file.read_bytes() == data
