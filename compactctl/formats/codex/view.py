"""What the model sees of a rollout after its first records (formats reference, 2.4)."""

from collections.abc import Iterator, Sequence
from itertools import chain

from compactctl.model.entry import Author, Entry, Kind, Seen, View
from compactctl.model.transcript import BoundaryKind, Content, RecordedBoundary, Transcript

TURN_STARTS = frozenset({"event_msg/task_started", "event_msg/turn_started"})
_LEGACY_USER_TOKENS = 20_000
_BYTES_PER_TOKEN = 4
"""How the client estimates tokens where it cannot count."""
_TYPED = frozenset({Author.HUMAN, Author.DELEGATOR, Author.CARRIED})


def rollout_view(transcript: Transcript, content: Content, records: int) -> View:
    """
    Return the entries that the model sees after the first ``records`` records.

    The newest compaction that no rollback took back is the base. A compaction without a
    replacement history leaves the last 20,000 tokens of what users typed, and its summary.
    """
    compactions = {b.record: b for b in transcript.boundaries if b.kind is BoundaryKind.FULL}
    alive = surviving(transcript, records)
    history: list[Seen] = []
    for index in alive[_base(compactions, alive) :]:
        own = _entries(transcript, index)
        compaction = compactions.get(index)
        if compaction is None:
            history += (Seen(entry) for entry in own)
        elif compaction.detail.get("history"):
            history = [Seen(entry) for entry in own]
        else:
            history = [*_kept_by_legacy(history, content), *(Seen(entry) for entry in own)]
    return tuple(history)


def surviving(transcript: Transcript, records: int) -> Sequence[int]:
    """Return the indexes of the first ``records`` records that no rollback took back."""
    rollbacks = {
        b.record: b
        for b in transcript.boundaries
        if b.kind is BoundaryKind.ROLLBACK and b.record < records
    }
    if not rollbacks:
        return range(records)
    marked = any(r.type in TURN_STARTS for r in transcript.records[:records])
    alive: list[list[int]] = []
    turn: list[int] = []
    pending, typed = 0, False
    for index in range(records - 1, -1, -1):
        if index in rollbacks:
            pending += _turns(rollbacks[index])
            continue
        turn.append(index)
        said = _is_typed(transcript, index)
        typed = typed or said
        if not (transcript.records[index].type in TURN_STARTS if marked else said):
            continue
        if typed and pending:
            pending -= 1
        else:
            alive.append(turn)
        turn, typed = [], False
    if not (typed and pending):
        alive.append(turn)
    return list(chain.from_iterable(alive))[::-1]


def _base(compactions: dict[int, RecordedBoundary], alive: Sequence[int]) -> int:
    """Position in ``alive`` of the newest record that replaces all before it, 0 without one."""
    for position in range(len(alive) - 1, -1, -1):
        found = compactions.get(alive[position])
        if found is not None and found.detail.get("history"):
            return position
    return 0


def _entries(transcript: Transcript, index: int) -> tuple[Entry, ...]:
    record = transcript.records[index]
    return transcript.entries[record.first_entry : record.first_entry + record.entry_count]


def _is_typed(transcript: Transcript, index: int) -> bool:
    record = transcript.records[index]
    return record.type.startswith("response_item") and any(
        e.author in _TYPED and e.kind is not Kind.TOOL_RESULT for e in _entries(transcript, index)
    )


def _turns(boundary: RecordedBoundary) -> int:
    turns = boundary.detail.get("num_turns")
    return turns if isinstance(turns, int) else 0


def _kept_by_legacy(history: Sequence[Seen], content: Content) -> Iterator[Seen]:
    left = _LEGACY_USER_TOKENS
    kept: list[Seen] = []
    for seen in reversed(history):
        if seen.entry.author not in _TYPED or seen.entry.kind is not Kind.TEXT:
            continue
        text = content.text(seen.entry) if seen.shown is None else seen.shown
        tokens = -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
        if tokens > left:
            kept += [Seen(seen.entry, _shortened(text, left))] if left else []
            break
        kept.append(seen)
        left -= tokens
    return reversed(kept)


def _shortened(text: str, tokens: int) -> str:
    data = text.encode("utf-8", "surrogatepass")
    half = tokens * _BYTES_PER_TOKEN // 2
    cut = -(-(len(data) - 2 * half) // _BYTES_PER_TOKEN)
    first = data[:half].decode("utf-8", "ignore")
    last = data[len(data) - half :].decode("utf-8", "ignore")
    return f"{first}…{cut} tokens truncated…{last}"
