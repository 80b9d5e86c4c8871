"""Facts: what results prove, with what verified it; a later fact of a key replaces an earlier."""

from collections.abc import Sequence
from dataclasses import replace

from compactctl.classify.results.events import Event
from compactctl.classify.results.one_line import visible
from compactctl.model.classification import (
    CHECKS,
    Fact,
    FactStatus,
    Outcome,
    ResultKind,
    ToolResult,
    Verification,
)

_STATUS = {
    Outcome.SUCCESS: FactStatus.VERIFIED,
    Outcome.FAILURE: FactStatus.FAILED,
    Outcome.PENDING: FactStatus.PENDING,
    Outcome.REJECTED: FactStatus.ATTEMPTED,
    Outcome.UNKNOWN: FactStatus.UNKNOWN,
}
_DELETERS = frozenset({"rm", "unlink", "trash", "del"})
_TEXT_LIMIT = 300


def find_facts(events: Sequence[Event]) -> tuple[Fact, ...]:
    """
    Return the facts of results that prove something, in the order of the results.

    ``latest`` is false once a later fact of the same key and chain replaced one. A call without
    result, a rejected and an interrupted one are ``attempted``; an applied edit is "edited" and
    nothing more. A file that is deleted later takes the place of what was known of its edits.
    """
    ordered = sorted((e for e in events if e.result.proves), key=lambda e: e.until)
    facts: list[Fact] = []
    newest: dict[tuple[str, str], int] = {}
    for event in ordered:
        result = event.result
        if result.result_line is None and result.outcome is Outcome.UNKNOWN:
            status = FactStatus.ATTEMPTED
        else:
            status = _STATUS[result.outcome]
        fact = _fact(result, event, status)
        for key in (fact.key, *_overruled(event)):
            known = newest.pop((result.chain, key), None)
            if known is not None:
                facts[known] = replace(facts[known], latest=False)
        newest[result.chain, fact.key] = len(facts)
        facts.append(fact)
    return tuple(facts)


def _fact(result: ToolResult, event: Event, status: FactStatus) -> Fact:
    entry = result.result_entry or result.call_entry
    verification = None
    if result.result_entry is not None:
        verification = Verification(
            visible(result.subject[:_TEXT_LIMIT]), result.exit_code, result.result_entry
        )
    return Fact(
        key=result.key,
        text=_text(result, event, status),
        status=status,
        verified_by=verification,
        line=event.end_line,
        entry=entry,
    )


def _text(result: ToolResult, event: Event, status: FactStatus) -> str:
    """Return the exact string of a fact, with the word that its status allows."""
    match status:
        case FactStatus.VERIFIED:
            if result.kind is ResultKind.EDIT:
                return f"edited {', '.join(event.paths[:6]) or result.subject[:120]}"
            # Runners open with a frame and close with the sum.
            exact = result.exact
            if result.kind in CHECKS:
                exact = (*exact[-1:], *exact[:-1])
            return _first(exact) or result.one_line
        case FactStatus.FAILED:
            return event.error or _first(result.exact) or result.one_line
        case FactStatus.PENDING | FactStatus.UNKNOWN:
            return result.one_line
        case FactStatus.ATTEMPTED:
            return f"attempted, {'rejected' if result.result_entry else 'no result'}: " + (
                result.one_line
            )


def _first(exact: Sequence[str]) -> str:
    """Return the strings that fit one line, the first whatever its length."""
    text = ""
    for part in exact:
        if text and len(text) + len(part) > _TEXT_LIMIT:
            break
        text = f"{text}; {part}" if text else part
    return text


def _overruled(event: Event) -> tuple[str, ...]:
    """Return keys of facts that an event makes untrue: edits of files that it deletes."""
    if event.result.outcome is not Outcome.SUCCESS:
        return ()
    gone = [
        word
        for words in event.steps
        if words[0].rsplit("/", 1)[-1] in _DELETERS
        for word in words[1:]
        if not word.startswith("-")
    ]
    return tuple(f"edit:{path}" for path in gone)
