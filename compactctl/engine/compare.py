"""Comparing two sessions: what a compaction between them kept, changed and lost."""

from compactctl.compact.comparison import decisions_between, token_report
from compactctl.compact.pin_diff import diff_pins
from compactctl.compact.pins_there import pins_of_chains, pins_still_there
from compactctl.compact.views import cache_impact, view_entries
from compactctl.engine.sessions import Session
from compactctl.model.classification import PinStatus
from compactctl.model.compaction import Compaction, Origin, Status


def compare(before: Session, after: Session) -> Compaction:
    """
    Return the compaction that leads from one session to the other.

    Entries are matched by what the model sees: same text is ``keep`` (``move`` out of order),
    same call with other text ``rewrite``, the rest ``drop`` and ``insert``.
    """
    old, new = before.material, after.material
    before_view, after_view = view_entries(old), view_entries(new)
    decisions = decisions_between(old, new, before_view, after_view)
    pins = pins_of_chains(old.classification.pins, old.chains)
    pins_after = pins_still_there(pins, new)
    same = before.transcript.sha256 == after.transcript.sha256
    return Compaction(
        origin=Origin.DIFF,
        path=after.transcript.path,
        format=after.transcript.format,
        sha256=before.transcript.sha256,
        conversation=before.transcript.conversation,
        status=Status.SKIPPED if same else Status.COMPACTED,
        reason="the two are the same" if same else f"compared with {before.transcript.path}",
        level=None,
        boundary=None,
        before=before_view,
        after=after_view,
        decisions=decisions,
        pins_before=pins,
        pins_after=pins_after,
        pins=diff_pins([p for p in pins if p.status is PinStatus.ACTIVE], pins_after),
        tokens=token_report(old, new, decisions),
        cache=cache_impact(before_view, after_view),
        damage_count=len(after.transcript.damage),
    )
