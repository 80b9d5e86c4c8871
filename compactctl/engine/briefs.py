"""Briefs of open sessions, within a budget."""

from collections.abc import Sequence
from dataclasses import replace

from compactctl.compact.brief import brief_items, within
from compactctl.compact.trigger import main_chain
from compactctl.engine.sessions import Session
from compactctl.errors import RefusedError
from compactctl.model.brief import Brief, BriefItem
from compactctl.report.briefs import render_brief


def make_brief(session: Session, budget: int | None) -> Brief:
    """
    Return the brief of a session, at most ``budget`` tokens as Markdown.

    Raises ``RefusedError`` where what must not be left out exceeds the budget.
    """
    transcript = session.transcript
    items = brief_items(session.classification, main_chain(transcript))
    whole = Brief(
        path=transcript.path,
        format=transcript.format,
        sha256=transcript.sha256,
        lines=transcript.records[-1].line if transcript.records else 0,
        items=items,
        left_out=0,
        tokens=0,
        encoding=session.counter.encoding,
        budget=budget,
    )
    if budget is None:
        return replace(whole, tokens=session.counter.count(render_brief(whole)))

    def size(kept: Sequence[BriefItem]) -> int:
        shorter = replace(whole, items=tuple(kept), left_out=len(items) - len(kept))
        return session.counter.count(render_brief(shorter))

    kept = within(items, budget, size)
    if kept is None:
        least = size([item for item in items if item.essential])
        raise RefusedError(
            f"{transcript.path}: what binds takes {least:,} tokens, the budget is {budget:,}",
            hint=f"give --budget {least} or more",
        )
    brief = replace(whole, items=kept, left_out=len(items) - len(kept))
    return replace(brief, tokens=session.counter.count(render_brief(brief)))
