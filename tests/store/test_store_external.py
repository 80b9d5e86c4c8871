import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactctl.model.pointer import PointerStatus
from compactctl.store.external import MOST, Recorder, external_pointers, find_references, follow


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see build.log", ["build.log"]),
        ("Two tests fail, see `out/run 3.txt` for the trace.", ["out/run 3.txt"]),
        ("Full output saved to: /srv/results/ab12.txt", ["/srv/results/ab12.txt"]),
        ("File content from src/a.py. Re-read if needed.", ["src/a.py"]),
        ("details in logs/run-3.txt:42.", ["logs/run-3.txt"]),
        ("Refer to docs/plan.md#L10-L12, please", ["docs/plan.md"]),
        ("see the trace in ./out/trace.json", ["./out/trace.json"]),
        ("(see ../notes.md)", ["../notes.md"]),
        ("I wrote it to ~/notes/plan.md", ["~/notes/plan.md"]),
        ("The reports are in results/", ["results/"]),
        ("参见 docs/设计.md。", ["docs/设计.md"]),
        ("siehe Protokoll/lauf.txt", ["Protokoll/lauf.txt"]),
        ("https://example.org/a_(b), and (https://example.org/y).",
         ["https://example.org/a_(b)", "https://example.org/y"]),
        ("data at s3://bucket/key.parquet", ["s3://bucket/key.parquet"]),
        ("see b.log\nsee a.log, see b.log", ["b.log", "a.log"]),
        ("see https://example.org/see/x.log", ["https://example.org/see/x.log"]),
    ],
)  # fmt: skip
def test_places_to_look_again_are_found(text: str, found: list[str]) -> None:
    assert find_references(text) == tuple(found)


@pytest.mark.parametrize(
    "text",
    [
        "edited src/app.py and lib/x.py",
        "and/or see either/or",
        "see Node.js for that",
        "see /help",
        "see {file_path}.txt",
        "saved 3.5/4.0 of it",
        "I see. app.py fails",
        "see you",
        "",
        "see " + "x" * 500 + ".log",
    ],
)
def test_what_only_names_a_file_is_no_place_to_look(text: str) -> None:
    assert find_references(text) == ()


def test_there_is_an_end_to_it() -> None:
    text = "\n".join(f"see {n}.log" for n in range(1000))

    assert find_references(text) == tuple(f"{n}.log" for n in range(MOST))


@given(text=st.text())
def test_any_text_will_do(text: str) -> None:
    for reference in find_references(text):
        assert reference in text


@pytest.mark.parametrize(
    "part", ["see ", "`", "a/", "https://", "x" * 399 + "`", "(", "see in ", "a.b ", '"see ']
)
def test_the_time_is_linear_in_the_text(part: str) -> None:
    began = time.process_time()
    find_references(part * (300_000 // len(part)))

    assert time.process_time() - began < 3


def test_references_become_pointers() -> None:
    found = external_pointers("see build.log and https://example.org/x", "L3.0")

    assert [(p.pointer, p.entry, p.evidence, p.status) for p in found] == [
        ("file:build.log", "L3.0", "", "unverifiable"),
        ("https://example.org/x", "L3.0", "", "unverifiable"),
    ]


class TestFollow:
    @pytest.fixture
    def cwd(self, tmp_path: Path) -> Path:
        folder = tmp_path / "site"
        folder.mkdir()
        (folder / "build.log").write_text("12 passed\n3 failed\n")
        return folder

    @pytest.mark.parametrize(
        ("path", "evidence", "status"),
        [
            ("build.log", "3 failed", "resolves"),
            ("build.log", "", "resolves"),
            ("build.log", "4 failed", "changed"),
            ("gone.log", "", "missing"),
            ("out/gone.log", "3 failed", "missing"),
            ("build.log/x", "", "missing"),
            (".", "", "resolves"),
            (".", "3 failed", "changed"),
            ("../site/build.log", "3 failed", "resolves"),
            ("\0", "", "unverifiable"),
            ("x" * 5000, "", "unverifiable"),
        ],
    )
    def test_where_it_was_recorded(self, cwd: Path, path: str, evidence: str, status: str) -> None:
        assert follow(path, evidence, Recorder(str(cwd), None)) == status

    def test_an_absolute_path(self, cwd: Path) -> None:
        path = str(cwd / "build.log")

        assert follow(path, "3 failed", Recorder(str(cwd), None)) is PointerStatus.RESOLVES
        assert follow(path, "3 failed", Recorder(None, None)) is PointerStatus.RESOLVES
        assert follow("/no/such/x.log", "", Recorder(None, None)) is PointerStatus.UNVERIFIABLE
        assert follow("x.log", "", Recorder(None, None)) is PointerStatus.UNVERIFIABLE

    def test_a_recorded_folder_that_is_not_here(self, cwd: Path) -> None:
        away = Recorder("/home/nobody-here/site", None)

        assert follow("build.log", "", away) is PointerStatus.UNVERIFIABLE
        assert follow(str(cwd / "gone.log"), "", away) is PointerStatus.UNVERIFIABLE

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("build.log", "resolves"),
            ("/home/nobody-here/site/build.log", "resolves"),
            ("/home/nobody-here/site/gone.log", "missing"),
            ("/home/nobody-here/other/build.log", "unverifiable"),
            ("../site/build.log", "unverifiable"),
            ("/home/nobody-here/site/../../x", "unverifiable"),
            ("~/build.log", "unverifiable"),
        ],
    )
    def test_a_root_that_stands_for_it(self, cwd: Path, path: str, status: str) -> None:
        assert follow(path, "", Recorder("/home/nobody-here/site", cwd)) == status

    def test_a_root_that_is_not_there(self, cwd: Path) -> None:
        gone = Recorder("/home/nobody-here/site", cwd / "gone")

        assert follow("build.log", "", gone) is PointerStatus.UNVERIFIABLE

    def test_the_home_of_who_is_here(self, cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(cwd))

        assert follow("~/build.log", "", Recorder(str(cwd), None)) is PointerStatus.RESOLVES
        assert follow("~/build.log", "", Recorder(None, None)) is PointerStatus.UNVERIFIABLE

    def test_evidence_across_two_reads(self, cwd: Path) -> None:
        (cwd / "big.log").write_bytes(b"." * ((1 << 20) - 4) + b"3 failed" + b"." * 9)

        assert follow("big.log", "3 failed", Recorder(str(cwd), None)) is PointerStatus.RESOLVES

    def test_a_pipe_is_not_waited_for(self, cwd: Path) -> None:
        os.mkfifo(cwd / "pipe")

        assert follow("pipe", "x", Recorder(str(cwd), None)) is PointerStatus.UNVERIFIABLE
