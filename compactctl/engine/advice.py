"""When compaction is the wrong answer, or not the whole one."""

from collections.abc import Iterator

from compactctl.compact.material import Material
from compactctl.model.compaction import Trigger
from compactctl.model.transcript import BoundaryKind

_SPLIT_FROM_ROUND = 3
_FIXED_SHARE = 0.3


def advise(material: Material, trigger: Trigger, round_number: int) -> tuple[str, ...]:
    """Return a sentence for each better way that the session itself speaks for."""
    return tuple(_advice(material, trigger, round_number))


def _advice(material: Material, trigger: Trigger, round_number: int) -> Iterator[str]:
    recorded = [b for b in material.transcript.boundaries if b.kind is BoundaryKind.FULL]
    rounds = max(round_number, len(recorded) + 1)
    if rounds >= _SPLIT_FROM_ROUND:
        yield (
            f"this is compaction {rounds} of the session: a run this long is usually two or "
            "three tasks; split it where it changes topic"
        )
    fixed = trigger.tokens - material.total
    if trigger.source == "recorded" and fixed > _FIXED_SHARE * trigger.window:
        yield (
            f"about {fixed:,} tokens (recorded minus counted) are fixed overhead such as system "
            "prompt and tool definitions, which no compaction can reduce"
        )
