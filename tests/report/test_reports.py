from typing import Any

import pytest
from report.compactions import HOSTILE, RULE, compaction, ledger, pin
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from compactctl.io.dumps import dump_json
from compactctl.io.schemas import validate
from compactctl.model.compaction import Status
from compactctl.report.documents import diff_document
from compactctl.report.ledger_diffs import diff_of_ledger, diff_of_ledgers
from compactctl.report.markdown import markdown_diff, markdown_run
from compactctl.report.text import render_diff, render_run

RESUME = "copy it to ~/.claude/projects/x/ and run claude --resume 00000000"


class _Text(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    _file_extension = "txt"


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(_Text)


def run_text(document: dict[str, Any], **options: Any) -> str:
    return render_run(document, **({"width": 100, "resume_hint": RESUME} | options))


def test_a_run_fits_one_screen(golden: SnapshotAssertion) -> None:
    shown = run_text(ledger())

    assert shown == golden
    assert len(shown.splitlines()) <= 50


def test_a_run_at_length_on_a_narrow_terminal(golden: SnapshotAssertion) -> None:
    assert run_text(ledger(), width=60, verbose=True, store_option="--store s") == golden


def test_a_deferred_run(golden: SnapshotAssertion) -> None:
    deferred = ledger(
        status=Status.DEFERRED,
        reason="no place to cut: a call is open",
        hint="run it again once the call has its result",
        level=None,
        boundary=None,
        decisions=(),
        snapshot=None,
        output=None,
    )

    assert run_text(deferred) == golden


def test_a_run_as_markdown(golden: SnapshotAssertion) -> None:
    assert markdown_run(ledger(), resume_hint=RESUME) == golden


def test_a_run_as_json(golden: SnapshotAssertion) -> None:
    assert dump_json(ledger()).decode() == golden


def test_a_diff(golden: SnapshotAssertion) -> None:
    assert render_diff(diff_document(compaction()), width=100) == golden


def test_a_diff_in_full(golden: SnapshotAssertion) -> None:
    assert render_diff(diff_of_ledger(ledger()), width=100, full=True) == golden


def test_a_diff_as_markdown(golden: SnapshotAssertion) -> None:
    assert markdown_diff(diff_document(compaction())) == golden


def test_documents_fit_their_schemas() -> None:
    validate(ledger(), "ledger")
    validate(diff_document(compaction()), "diff")
    validate(diff_of_ledger(ledger()), "diff")
    validate(diff_of_ledgers(ledger(), ledger()), "diff")


def test_the_diff_of_a_ledger_is_that_of_its_compaction() -> None:
    found, fresh = diff_of_ledger(ledger()), diff_document(compaction())

    assert dump_json(found) == dump_json(fresh)


def test_no_text_of_a_session_reaches_a_terminal_or_markup() -> None:
    shown = run_text(ledger(), verbose=True)
    written = markdown_run(ledger())

    for text in (shown, written):
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "\u202e" not in text
        assert not any(line.startswith("# ") for line in text.splitlines())
    assert HOSTILE not in shown
    assert r"\[red\]see\[/red\] \| \\u202e\<b\> \# not a heading" in written


def test_a_weak_compaction_says_so() -> None:
    tokens = compaction().tokens
    weak = type(tokens)(
        before=10_000,
        after=6_000,
        head_before=5_000,
        head_after=1_000,
        block=1_000,
        encoding="o200k_base",
    )

    assert "shrank by less than half" in run_text(ledger(tokens=weak))
    assert "shrank by less than half" not in run_text(ledger())


def test_a_changed_pin_is_shown_word_by_word() -> None:
    shown = render_diff(diff_document(compaction()), width=100)

    assert "Keep the tide tables under [-data/tides.-] {+data/tide.+}" in shown


def test_a_pin_that_got_lost_between_two_runs_is_gone_from_the_first_to_the_second() -> None:
    kept = {"pins_before": (RULE,), "pins_after": (RULE,), "pins": pins(kept=(RULE,))}
    other = pin("Only in the second.", 40)
    later = {"pins_before": (other,), "pins_after": (other,), "pins": pins(kept=(other,))}

    found = diff_of_ledgers(ledger(**kept), ledger(**later))

    assert [p["text"] for p in found["pins"]["removed"]] == [RULE.text]  # type: ignore[index] # a document is JSON
    assert [p["text"] for p in found["pins"]["added"]] == [other.text]  # type: ignore[index] # as above
    assert "1 pins that stood after the first were gone" in str(found["reason"])


def pins(**parts: Any) -> Any:
    return type(compaction().pins)(**parts)
