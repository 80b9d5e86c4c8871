"""When: fullness from what was recorded last, and the window it is measured against."""

from dataclasses import replace

import pytest
from building import material_of, user

from compactctl.compact.trigger import measure, recorded_occupancy
from compactctl.compact.windows import window_of
from compactctl.model.transcript import BoundaryKind, RecordedBoundary, Transcript, Usage


def transcript(**changes: object) -> Transcript:
    plain = material_of([user("one"), user("two"), user("three")]).transcript
    return replace(plain, **changes)  # type: ignore[arg-type] # tests name fields


def usage(record: int, context: int, output: int = 0) -> Usage:
    return Usage(line=record + 1, record=record, message=None, context=context, output=output)


def test_without_usage_the_count_is_used_and_named() -> None:
    found = measure(transcript(), 130_000)

    assert (found.tokens, found.source, found.window, found.window_source) == (
        130_000,
        "counted",
        200_000,
        "assumed",
    )


def test_the_last_recorded_usage_counts_with_its_answer() -> None:
    found = measure(transcript(usage=(usage(0, 1_000), usage(2, 98_432, 206))), 10)

    assert (found.tokens, found.source) == (98_638, "recorded")


def test_usage_from_before_a_compaction_is_not_current() -> None:
    boundary = RecordedBoundary(record=1, line=2, kind=BoundaryKind.FULL, detail={})

    assert recorded_occupancy(transcript(usage=(usage(0, 9),), boundaries=(boundary,))) is None


@pytest.mark.parametrize(
    ("tokens", "threshold", "reached"),
    [
        (129_999, 0.65, False),
        (130_000, 0.65, True),
        (49_999, 50_000, False),
        (50_000, 50_000, True),
    ],
)
def test_reaching_the_threshold_is_inclusive(
    tokens: int, threshold: float, *, reached: bool
) -> None:
    assert measure(transcript(), tokens, threshold=threshold).reached is reached


def test_the_recorded_window_beats_the_model_and_a_given_one_beats_both() -> None:
    known = transcript(window=258_400, model="claude-opus-4-5")

    assert measure(known, 1).window == 258_400
    assert measure(known, 1, window=50_000).window == 50_000
    assert measure(transcript(model="claude-opus-4-5[1m]"), 1).window == 1_000_000


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o-2024-08-06", 128_000),
        ("openai/gpt-4.1-mini", 1_047_576),
        ("gpt-5-codex", 400_000),
        ("somebody-else-7b", None),
        (None, None),
    ],
)
def test_windows_by_model(model: str | None, window: int | None) -> None:
    assert window_of(model) == window
