"""When: how full the window is, by which figure, and whether that is full enough."""

from compactctl.compact.windows import DEFAULT_WINDOW, window_of
from compactctl.model.compaction import Trigger
from compactctl.model.tokens import RecordedOccupancy
from compactctl.model.transcript import BoundaryKind, Transcript

DEFAULT_SHARE = 0.65


def recorded_occupancy(transcript: Transcript) -> RecordedOccupancy | None:
    """
    Return what the provider recorded last, ``None`` where it recorded nothing that still holds.

    Usage from before the last full compaction or rollback does not describe the window now.
    """
    latest = max(
        (b.record for b in transcript.boundaries if b.kind is not BoundaryKind.SNIP), default=-1
    )
    main = main_chain(transcript)
    current = [
        usage
        for usage in transcript.usage
        if usage.record > latest
        and usage.context > 0
        and transcript.records[usage.record].chain == main
    ]
    if not current:
        return None
    last = max(current, key=lambda usage: (usage.record, usage.line))
    return RecordedOccupancy(
        context=last.context + last.output, line=last.line, window=transcript.window
    )


def measure(
    transcript: Transcript,
    counted: int,
    *,
    threshold: float = DEFAULT_SHARE,
    window: int | None = None,
) -> Trigger:
    """
    Return how full the window is.

    ``threshold`` of at most 1 is a share of the window, above 1 a number of tokens; reaching it
    is inclusive. ``window`` overrides what the recording and the model say.
    """
    size, origin = window_size(transcript, window)
    recorded = recorded_occupancy(transcript)
    tokens = recorded.context if recorded else counted
    limit = round(threshold * size) if threshold <= 1 else round(threshold)
    return Trigger(
        tokens=tokens,
        source="recorded" if recorded else "counted",
        window=size,
        window_source=origin,
        threshold=limit,
        reached=tokens >= limit,
    )


def window_size(transcript: Transcript, given: int | None) -> tuple[int, str]:
    """Return the size of the window and where it is known from; 200,000 where it is not."""
    if given is not None:
        return given, "given"
    if transcript.window:
        return transcript.window, "recorded"
    known = window_of(transcript.model)
    return (known, "model") if known else (DEFAULT_WINDOW, "assumed")


def main_chain(transcript: Transcript) -> str:
    """Return the chain of the session itself: a side chain has a window of its own."""
    chains = {record.chain for record in transcript.records if record.entry_count}
    return "" if "" in chains or not chains else min(chains)
