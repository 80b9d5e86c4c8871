"""Traces of statements: as a JSON document and in plain text."""

from collections.abc import Iterator, Sequence

from compactctl.audit.case import Subject
from compactctl.audit.tracing import StatementTrace
from compactctl.model.audit import Survival
from compactctl.report.words import Doc, plural, safe

Document = dict[str, object]
_TOUCHES_SHOWN = 12


def trace_document(
    path: str, wanted: str, found: Sequence[tuple[Subject, StatementTrace]]
) -> Document:
    """Return the traces of what ``wanted`` names (``compactctl.trace/1``)."""
    return {
        "schema": "compactctl.trace/1",
        "path": path,
        "wanted": wanted,
        "statements": [_statement(subject, one) for subject, one in found],
    }


def _statement(subject: Subject, one: StatementTrace) -> Document:
    pin = one.pin
    return {
        "text": one.text,
        "pin": pin
        and {"id": pin.id, "kind": pin.kind, "strength": pin.strength, "status": pin.status},
        "conversation": subject.transcript.conversation,
        "places": [
            {"line": place.line, "entry": place.entry, "author": place.author}
            for place in one.places
        ],
        "fates": [
            {
                "boundary_line": case.line,
                "survival": fate.survival,
                "held": fate.held,
                "shown": fate.shown if fate.survival is not Survival.VERBATIM else None,
                "shown_line": fate.shown_line,
                "why": fate.why,
            }
            for case, fate in one.fates
        ],
        "touches": [
            {
                "line": touch.line,
                "tool": touch.result.tool,
                "named": touch.named,
                "one_line": touch.result.one_line,
                "in_view": touch.in_view,
            }
            for touch in one.touches
        ],
    }


def render_trace(document: Doc, *, width: int) -> str:
    """Return each statement with where it was said, what became of it, and who acted on it."""
    lines: list[str] = []
    for one in document["statements"]:
        lines += [*_lines(one, width), ""]
    return "\n".join(lines)


def _lines(one: Doc, width: int) -> Iterator[str]:
    pin = one["pin"]
    kind = f"{pin['strength']} {pin['kind']} {pin['id']} ({pin['status']})" if pin else "no pin"
    yield safe(one["text"], width * 3)
    yield f"    {kind}"
    for place in one["places"]:
        yield f"    said        L{place['line']} by {place['author']}"
    for fate in one["fates"]:
        was = "" if fate["held"] else ", not in view before"
        yield f"    compaction  L{fate['boundary_line']}: {fate['survival']}{was} ({fate['why']})"
        if fate["shown"]:
            at = f"L{fate['shown_line']}: " if fate["shown_line"] is not None else ""
            yield f"                {at}{safe(fate['shown'], width - 24)}"
    yield from _touches(one["touches"], width)


def _touches(touches: Sequence[Doc], width: int) -> Iterator[str]:
    for touch in touches[:_TOUCHES_SHOWN]:
        seen = {True: "in view", False: "NOT in view", None: "unknown"}[touch["in_view"]]
        head = f"    named by    L{touch['line']} (statement {seen}): "
        yield head + safe(touch["one_line"], max(20, width - len(head)))
    if len(touches) > _TOUCHES_SHOWN:
        yield f"    and {plural(len(touches) - _TOUCHES_SHOWN, 'more call')} (--format json)"
