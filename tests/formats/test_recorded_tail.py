"""The end of a session says the same as all of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from building import source_of

from compactctl.compact.trigger import recorded_occupancy
from compactctl.formats import recorded_tail
from compactctl.formats.loading import load
from compactctl.formats.recorded_tail import RecordedTokens, boundary_line, recorded_tokens
from compactctl.model.transcript import BoundaryKind

FIXTURES = Path(__file__).parents[2] / "fixtures"
SIDE_CHAIN = FIXTURES / "claude-code" / "sub-agent.jsonl"
SESSIONS = sorted(
    path
    for folder in ("claude-code", "codex")
    for path in (FIXTURES / folder).glob("*.jsonl")
    if path != SIDE_CHAIN
)
BOUNDARY = {
    "type": "system",
    "subtype": "compact_boundary",
    "uuid": "b",
    "parentUuid": None,
    "sessionId": "s",
}


def asked(tokens: int, **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "cache_read_input_tokens": 1000, "output_tokens": 10}
    return {
        "type": "assistant",
        "sessionId": "s",
        "uuid": f"u{tokens}",
        "message": {"role": "assistant", "id": f"m{tokens}", "content": [], "usage": usage},
        **more,
    }


def lines(*records: dict[str, Any], end: bytes = b"\n") -> bytes:
    return b"\n".join(json.dumps(record).encode() for record in records) + end


@pytest.mark.parametrize("block", [1, 7, 100, 1 << 20])
@pytest.mark.parametrize("path", SESSIONS, ids=[path.name for path in SESSIONS])
def test_it_is_what_the_whole_session_says(
    path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if block == 1 and path.stat().st_size > 20_000:
        block = 997  # a byte at a time is too slow for the long ones
    monkeypatch.setattr(recorded_tail, "_BLOCK", block)
    source = source_of(path.read_bytes(), path.name)
    transcript = load(source)[0].transcript
    expected = recorded_occupancy(transcript)
    full = [b.line for b in transcript.boundaries if b.kind is BoundaryKind.FULL]
    found = recorded_tokens(source)

    assert (found and (found.value, found.line)) == (
        expected and (expected.context, expected.line)
    )
    assert boundary_line(source, 0) == min(full, default=None)


def test_there_are_sessions_that_say_something() -> None:
    said = [recorded_tokens(source_of(path.read_bytes(), path.name)) for path in SESSIONS]

    assert sum(one is not None for one in said) >= 2


def test_a_side_chain_is_not_the_window_of_the_session() -> None:
    assert recorded_tokens(source_of(SIDE_CHAIN.read_bytes())) is None


def test_the_last_request_of_the_main_chain() -> None:
    data = lines(asked(5), asked(7), asked(99, isSidechain=True), {"type": "mode"})

    # 7 new, 1,000 read from the cache, 10 answered.
    assert recorded_tokens(source_of(data)) == RecordedTokens(1017, 2)


@pytest.mark.parametrize("data", [b"{}\n", b"\n\n\n", b"words\n", lines(asked(0, type="user"))])
def test_nothing_recorded(data: bytes) -> None:
    assert recorded_tokens(source_of(data)) is None
    assert boundary_line(source_of(data), 0) is None


def test_what_was_recorded_before_a_compaction_says_nothing_now() -> None:
    assert recorded_tokens(source_of(lines(asked(5), BOUNDARY))) is None
    assert recorded_tokens(source_of(lines(asked(5), BOUNDARY, asked(6)))) == RecordedTokens(
        1016, 3
    )


def test_damage_is_passed_over() -> None:
    data = lines(asked(5)) + b"\0" * 300 + b"\n" + b'{"message": {"usage": {"inp'

    assert recorded_tokens(source_of(data)) == RecordedTokens(1015, 1)


def test_glued_records_are_read_from_behind() -> None:
    data = lines(asked(5), end=b"") + lines(asked(6), end=b"")

    assert recorded_tokens(source_of(data)) == RecordedTokens(1016, 1)


def test_the_first_compaction_behind_a_byte() -> None:
    first = lines(asked(5), BOUNDARY, asked(6))
    source = source_of(first + lines({**BOUNDARY, "uuid": "c"}, asked(7)))

    assert boundary_line(source, 0) == 2
    assert boundary_line(source, len(first)) == 4
    assert boundary_line(source, source.size) is None
