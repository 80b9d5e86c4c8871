"""``diff``, ``show``, ``verify``, ``log``, ``restore``, ``prune``: what became of a session."""

import json
import shutil
from pathlib import Path

import pytest
from cli.commands import FIXTURE, Folder


def test_diff_alone_shows_the_last_run(compacted: Folder) -> None:
    ended = compacted("diff")

    assert ended.code == 0
    assert "\nPlan: " in ended.out
    assert ended.out.rstrip().endswith("intact.")


def test_diff_of_two_files_and_of_a_snapshot_and_a_file_agree(compacted: Folder) -> None:
    snapshot = compacted("log", "--format", "json").json["snapshots"][0]["id"]

    files = compacted("diff", "session.jsonl", "session.compacted.jsonl", "--format", "json")
    mixed = compacted("diff", snapshot, "session.compacted.jsonl", "--format", "json")

    assert files.code == mixed.code == 0
    assert files.json["schema"] == "compactctl.diff/1"
    assert files.json["entries"] == mixed.json["entries"]
    assert files.json["pins"]["removed"] == files.json["pins"]["changed"] == []


def test_diff_tells_by_exit_code_only_where_asked(compacted: Folder) -> None:
    two = ("diff", "session.jsonl", "session.compacted.jsonl")

    assert compacted(*two).code == 0
    assert compacted(*two, "--exit-code").code == 1
    assert compacted("diff", "session.jsonl", "session.jsonl", "--exit-code").code == 0


def test_diff_of_two_runs(compacted: Folder) -> None:
    run = compacted("log", "--format", "json").json["ledgers"][0]["id"]

    ended = compacted("diff", run, run)

    assert ended.code == 0
    assert "0 pins that stood after the first were gone" in ended.out


def test_diff_names_what_it_does_not_know(compacted: Folder) -> None:
    ended = compacted("diff", "nothing", "session.jsonl")

    assert ended.code == 2
    assert "neither a file nor a run or snapshot" in ended.err


def test_show_lists_the_view_one_line_an_entry(compacted: Folder) -> None:
    ended = compacted("show", "session.jsonl")

    assert ended.code == 0
    assert any(line.startswith("L6.0 ") and " human " in line for line in ended.out.splitlines())
    assert all(len(line) <= 80 for line in ended.out.splitlines()[1:])


@pytest.mark.parametrize("moment", ["L30", "30", "step3", "2030-01-01"])
def test_show_at_a_moment(compacted: Folder, moment: str) -> None:
    ended = compacted("show", "session.jsonl", "--at", moment)

    assert ended.code == 0
    assert "entries in view" in ended.out


@pytest.mark.parametrize("moment", ["soon", "0", "step0", "step9999", "1990-01-01"])
def test_show_at_no_moment(compacted: Folder, moment: str) -> None:
    ended = compacted("show", "session.jsonl", "--at", moment)

    assert ended.code == 2
    assert "--at" in ended.err


def test_a_pointer_prints_the_original(compacted: Folder) -> None:
    entries = compacted("run", "session.jsonl", "--dry-run", "--format", "json").json["entries"]
    pointer = next(e["pointer"] for e in entries if e["action"] == "drop")
    line = int(pointer.partition("#L")[2].partition(".")[0])

    text = compacted("show", pointer)
    raw = compacted("show", pointer, "--raw")

    assert text.code == 0
    assert text.out.strip()
    assert raw.raw == FIXTURE.read_bytes().split(b"\n")[line - 1]


def test_a_pointer_to_nothing(compacted: Folder) -> None:
    assert compacted("show", "snap:000000000000#L1.0").code == 2
    assert compacted("show", "snap:zzz").code == 2


def test_verify_follows_every_pointer(compacted: Folder) -> None:
    ended = compacted("verify", "--format", "json")

    assert ended.code == 0
    assert ended.json["schema"] == "compactctl.verify/1"
    assert len(ended.json["pointers"]) > 10
    assert {p["status"] for p in ended.json["pointers"]} == {"resolves"}
    assert {o["status"] for o in ended.json["objects"]} == {"ok"}


def test_verify_of_an_output_checks_its_state_block(compacted: Folder) -> None:
    ended = compacted("verify", "session.compacted.jsonl")

    assert ended.code == 0
    assert "0 do not" in ended.out


def test_verify_finds_a_damaged_object(compacted: Folder, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "copy")
    shutil.copytree(compacted.path, folder.path)
    (item,) = (p for p in (folder.path / ".compactctl" / "objects").rglob("*") if p.is_file())
    item.chmod(0o600)
    item.write_bytes(item.read_bytes().replace(b"Lisbon", b"Madrid"))

    ended = folder("verify")

    assert ended.code == 1
    assert "corrupted" in ended.out
    assert folder("restore", item.name[:12], "-o", "back.jsonl").code == 2
    assert "back.jsonl" not in folder.files()


def test_verify_without_a_store(command: Folder) -> None:
    ended = command("verify")

    assert ended.code == 2
    assert "there is no store yet" in ended.err


def test_log_lists_snapshot_and_run(compacted: Folder) -> None:
    ended = compacted("log")

    assert ended.code == 0
    assert "  snapshot  " in ended.out
    assert "  compacted  " in ended.out


def test_log_without_a_store_is_empty(command: Folder) -> None:
    ended = command("log", "--format", "json")

    assert ended.code == 0
    assert ended.json["ledgers"] == ended.json["snapshots"] == []


def test_restore_gives_back_the_very_bytes(compacted: Folder, tmp_path: Path) -> None:
    snapshot = compacted("log", "--format", "json").json["snapshots"][0]["id"]
    target = tmp_path / "back.jsonl"

    to_pipe = compacted("restore", snapshot, "-o", "-")
    to_file = compacted("restore", snapshot, "-o", str(target))
    again = compacted("restore", snapshot, "-o", str(target))

    assert to_pipe.raw == FIXTURE.read_bytes()
    assert to_file.code == 0
    assert target.read_bytes() == FIXTURE.read_bytes()
    assert again.code == 2
    assert "exists" in again.err


def test_prune_never_removes_the_newest(compacted: Folder) -> None:
    ended = compacted("prune", "--older-than", "0s", "--max-size", "0MB")

    assert ended.code == 0
    assert "removed 0 snapshots" in ended.out
    assert compacted("verify").code == 0


def test_prune_asks_by_what(compacted: Folder) -> None:
    assert compacted("prune").code == 2
    assert compacted("prune", "--older-than", "soon").code == 2


def test_verify_looks_for_the_files_that_a_session_sends_its_reader_to(
    compacted: Folder, tmp_path: Path
) -> None:
    ended = compacted("verify", "session.compacted.jsonl", "--root", str(tmp_path))

    assert ended.code in (0, 1)
    assert "pointers  " in ended.out


def test_prune_lists_and_removes_what_is_old(command: Folder) -> None:
    command.session()
    assert command("run", "session.jsonl").code == 0
    talk = "".join(
        json.dumps({"role": role, "content": text}) + "\n"
        for role, text in (("user", "Draw a map."), ("assistant", "Drawn."))
    )
    (command.path / "later.jsonl").write_text(talk)
    assert command("run", "later.jsonl", "--snapshot").code == 3

    would = command("prune", "--max-size", "1MB", "--older-than", "0s", "--dry-run")
    did = command("prune", "--max-size", "1MB", "--older-than", "0s")

    assert "would remove 1 snapshots" in would.out
    assert "removed 1 snapshots" in did.out
    assert len(command("log", "--format", "json").json["snapshots"]) == 1
