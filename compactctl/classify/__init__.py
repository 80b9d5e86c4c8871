"""Classifying: entries to state classes, pins, results, facts, branches, claims, cuts. Pure."""

from compactctl.classify.boundaries import find_boundaries
from compactctl.classify.branches import find_branches
from compactctl.classify.carried import carried_pins, merge_pins
from compactctl.classify.claims import find_claims
from compactctl.classify.facts import find_facts
from compactctl.classify.pins import find_pins
from compactctl.classify.pins.supersede import superseded
from compactctl.classify.session import read_session
from compactctl.classify.states import classify_entries
from compactctl.model.classification import Classification, Pin
from compactctl.model.entry import View
from compactctl.model.transcript import Content, Transcript

__all__ = ["classify"]


def classify(
    transcript: Transcript,
    content: Content,
    view: View,
    *,
    pins: tuple[Pin, ...] | None = None,
) -> Classification:
    """
    Return everything that classifying finds in a session.

    Computed over the whole file: a session that was compacted before still binds its agent.
    ``view`` is what the model sees now; classes do not depend on it. ``pins`` takes the place of
    the pins that would be found. Reads each entry's text once for the pins and once for all else,
    in file order.
    """
    del view
    session = read_session(transcript, content)
    branches = find_branches(session)
    boundaries, no_cut = find_boundaries(session, branches, session.plan.steps)
    results = tuple(event.result for event in session.events)
    return Classification(
        entries=classify_entries(transcript.entries, results),
        pins=_pins(transcript, content) if pins is None else pins,
        results=results,
        facts=find_facts(session.events),
        branches=branches,
        claims=find_claims(session),
        open_items=session.plan.open_items(),
        boundaries=boundaries,
        no_cut=no_cut,
    )


def _pins(transcript: Transcript, content: Content) -> tuple[Pin, ...]:
    found = find_pins(transcript, content)
    carried = carried_pins(transcript, content)
    # A decision made since a compaction may replace one that the compaction carried.
    return superseded(merge_pins(carried, found)) if carried else found
