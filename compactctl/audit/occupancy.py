"""How full the window was over a session, as far as the recording tells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compactctl.audit.case import Case
from compactctl.compact.trigger import main_chain
from compactctl.model.tokens import TokenSource
from compactctl.model.transcript import Transcript

_MOST = 2_000
"""Points that are kept: of a longer session evenly chosen ones, and each highest before a cut."""


@dataclass(frozen=True, slots=True)
class OccupancyPoint:
    """Tokens in the window at a line, and where the number comes from."""

    line: int
    tokens: int
    source: TokenSource


def occupancy(transcript: Transcript, cases: Sequence[Case]) -> tuple[OccupancyPoint, ...]:
    """
    Return how full the window was, in line order.

    What the provider recorded at each request where there is any; else the counted views on
    both sides of each compaction, which is all that is known.
    """
    if transcript.usage:
        chain = main_chain(transcript)
        recorded = [
            OccupancyPoint(use.line, use.context, TokenSource.RECORDED)
            for use in transcript.usage
            if use.context and transcript.records[use.record].chain == chain
        ]
        return tuple(_thinned(sorted(recorded, key=lambda p: p.line), cases))
    return tuple(_counted(cases))


def _counted(cases: Sequence[Case]) -> Iterator[OccupancyPoint]:
    for case in cases:
        tokens = case.compaction.tokens
        yield OccupancyPoint(case.line, tokens.before, TokenSource.COUNTED)
        yield OccupancyPoint(case.summary_line, tokens.after, TokenSource.COUNTED)


def _thinned(points: list[OccupancyPoint], cases: Sequence[Case]) -> Iterator[OccupancyPoint]:
    if len(points) <= _MOST:
        yield from points
        return
    cuts = {case.line for case in cases}
    step = -(-len(points) // _MOST)
    for at, point in enumerate(points):
        last_before_cut = at + 1 < len(points) and any(
            point.line < cut <= points[at + 1].line for cut in cuts
        )
        if at % step == 0 or last_before_cut or at == len(points) - 1:
            yield point
