import json
from dataclasses import replace
from pathlib import Path

import pytest
from building import assistant, call, jsonl, result, user
from storing import keep

from compactctl.errors import StoreError
from compactctl.io.source import Source
from compactctl.model.pointer import KeptPointer, PointerStatus, SnapshotPointer
from compactctl.store import pointers
from compactctl.store.faults import AmbiguousError, CorruptedError
from compactctl.store.pointers import Resolver, resolve, verify_pointers
from compactctl.store.store import Store

MESSAGES = [
    user("Keep the audit table."),
    call("c1", "bash", command="pytest -q"),
    result("c1", "12 passed\n3 failed"),
    assistant("Three fail."),
]
DATA = jsonl(MESSAGES)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


def pointed(sha256: str, entry: str, evidence: str = "") -> KeptPointer:
    return KeptPointer(
        pointer=f"snap:{sha256[:12]}#{entry}",
        entry=entry,
        evidence=evidence,
        status=PointerStatus.UNVERIFIABLE,
    )


def test_a_pointer_leads_to_the_exact_original(store: Store) -> None:
    ref = keep(store, DATA, name="work/session.jsonl")
    found = resolve(store, SnapshotPointer(ref.sha256[:12], "L3.0"))

    assert found.entry.id == "L3.0"
    assert found.text == "12 passed\n3 failed"
    assert found.raw == DATA.split(b"\n")[2]
    assert (found.path, found.line) == ("work/session.jsonl", 3)


def test_a_pointer_to_a_line_leads_to_its_first_entry(store: Store) -> None:
    ref = keep(store, DATA)

    assert resolve(store, SnapshotPointer(ref.sha256, "L1")).text == "Keep the audit table."


def test_a_pointer_into_one_of_several_conversations(store: Store) -> None:
    data = b"".join(
        json.dumps([user(text), assistant("Yes.")]).encode() + b"\n" for text in ("One?", "Two?")
    )
    ref = keep(store, data)

    assert resolve(store, SnapshotPointer(ref.sha256[:12], "C2.L1.0")).text == "Two?"


@pytest.mark.parametrize(
    ("entry", "evidence", "status"),
    [
        ("L3.0", "3 failed", "resolves"),
        ("L3.0", "", "resolves"),
        ("L3.0", "4 failed", "changed"),
        ("L9.0", "", "missing"),
        ("L3.1", "", "missing"),
    ],
)
def test_how_a_pointer_stands(store: Store, entry: str, evidence: str, status: str) -> None:
    ref = keep(store, DATA)
    (found,) = verify_pointers(store, [pointed(ref.sha256, entry, evidence)])

    assert found == replace(pointed(ref.sha256, entry, evidence), status=PointerStatus(status))


def test_a_snapshot_that_is_gone(store: Store) -> None:
    ref = keep(store, DATA)
    (none,) = verify_pointers(store, [pointed("0" * 64, "L1.0")])
    assert none.status is PointerStatus.MISSING

    Path(ref.path).unlink()
    (gone,) = verify_pointers(store, [pointed(ref.sha256, "L1.0")])
    assert gone.status is PointerStatus.MISSING


@pytest.mark.parametrize(
    "damaged",
    [
        DATA.replace(b"3 failed", b"0 failed"),  # far from where the pointer leads
        DATA[:-1],
        b"\x1f\x8b" + DATA[2:],
        b"\xff" * len(DATA),
        b"",
    ],
)
def test_nothing_is_served_from_a_corrupted_object(store: Store, damaged: bytes) -> None:
    ref = keep(store, DATA)
    Path(ref.path).write_bytes(damaged)

    with pytest.raises(CorruptedError, match=f"{ref.sha256}: corrupted"):
        resolve(store, SnapshotPointer(ref.sha256[:12], "L1.0"))
    (found,) = verify_pointers(store, [pointed(ref.sha256, "L1.0", "Keep the audit table.")])
    assert found.status is PointerStatus.CHANGED


def test_a_snapshot_is_read_as_the_format_it_was_taken_as(store: Store) -> None:
    data = jsonl([user("Yes."), assistant("No.")])  # more than one format reads this
    ref = keep(store, data)
    manifest = store.manifest_path(ref.id)
    manifest.write_text(manifest.read_text().replace("openai-chat", "no-such-format"))

    with pytest.raises(StoreError, match="no-such-format"):
        resolve(store, SnapshotPointer(ref.sha256, "L1.0"))


def test_a_prefix_of_several_snapshots_proves_nothing(store: Store) -> None:
    def start(n: int) -> str:
        return keep(store, jsonl([user(f"Number {n}."), assistant("Yes.")])).sha256[:8]

    ids = [start(n) for n in range(2)]
    monkey = store.snapshots()
    same = tuple(replace(s, sha256="ab" * 6 + s.sha256[12:]) for s in monkey)
    store.snapshots = lambda: same  # type: ignore[method-assign] # 48 bits do not collide by chance
    assert len(set(ids)) == 2

    with pytest.raises(AmbiguousError):
        resolve(store, SnapshotPointer("ab" * 6, "L1.0"))
    (found,) = verify_pointers(store, [pointed("ab" * 32, "L1.0")])
    assert found.status is PointerStatus.UNVERIFIABLE


def test_each_snapshot_is_read_once_however_pointers_are_mixed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = [keep(store, jsonl([user(f"Say {n}."), assistant(f"{n}.")])) for n in range(9)]
    asked = [pointed(ref.sha256, f"L{line}.0") for line in (1, 2) for ref in refs]
    asked += [pointed("0" * 64, "L1.0")] * 3
    opened: list[Source] = []
    inner = pointers.load

    def counted(source: Source, **options: str | None) -> object:
        opened.append(source)
        return inner(source, input_format=options["input_format"])

    monkeypatch.setattr(pointers, "load", counted)
    found = verify_pointers(store, asked)

    assert [p.pointer for p in found] == [p.pointer for p in asked]
    assert [p.status for p in found] == ["resolves"] * 18 + ["missing"] * 3
    assert len(opened) == 9
    assert all(source._file.closed for source in opened)


def test_only_a_few_snapshots_stay_open(store: Store) -> None:
    refs = [keep(store, jsonl([user(f"Say {n}."), assistant(f"{n}.")])) for n in range(9)]
    with Resolver(store) as resolver:
        for ref in refs:
            resolver.resolve(SnapshotPointer(ref.sha256, "L1.0"))
            assert len(resolver._open) <= 4
        assert resolver.resolve(SnapshotPointer(refs[0].sha256, "L1.0")).text == "Say 0."


def test_pointers_out_of_the_store(store: Store, tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text("3 failed")
    asked = [
        replace(pointed("0" * 64, "L1.0", evidence), pointer=pointer)
        for pointer, evidence in (
            ("file:build.log", "3 failed"),
            ("file:build.log", "4 failed"),
            ("file:gone.log", ""),
            ("https://example.org/x", ""),
            ("query: rust release notes", ""),
        )
    ]

    here = [p.status for p in verify_pointers(store, asked, cwd=str(tmp_path))]
    assert here == ["resolves", "changed", "missing", "unverifiable", "unverifiable"]
    mapped = verify_pointers(store, asked, root=tmp_path, cwd="/home/nobody-here")
    assert [p.status for p in mapped] == here
    away = verify_pointers(store, asked, cwd="/home/nobody-here")
    assert {p.status for p in away} == {"unverifiable"}
