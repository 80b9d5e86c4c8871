"""Audits: as a JSON document, and for people in plain text and Markdown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from compactctl.audit.case import Case, Subject
from compactctl.audit.occupancy import occupancy
from compactctl.compact.trigger import window_size
from compactctl.model.audit import Evidence, Finding, PinFate, Survival
from compactctl.model.transcript import RecordedBoundary
from compactctl.report.documents import classes_document, cut_document, tokens_document
from compactctl.report.plots import area
from compactctl.report.words import Doc, plural, row, safe

Document = dict[str, object]
_PINS_SHOWN = 8
_SURVIVALS = ("verbatim", "altered", "partial", "lost", "unknown")
_MARK = {"error": "E", "warning": "W", "note": "N"}


def audit_document(subject: Subject, findings: Sequence[Finding]) -> Document:
    """Return an audit (``compactctl.audit/1``)."""
    return {
        "schema": "compactctl.audit/1",
        "path": subject.path,
        "format": subject.transcript.format,
        "conversation": subject.transcript.conversation,
        "window": window_size(subject.transcript, None)[0],
        "occupancy": [
            {"line": point.line, "tokens": point.tokens, "source": point.source}
            for point in occupancy(subject.transcript, subject.cases)
        ],
        "compactions": [_audited(case) for case in subject.cases],
        "findings": [finding_document(finding) for finding in findings],
    }


def finding_document(finding: Finding) -> Document:
    """Return a finding as it stands in audits and checks."""
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "message": finding.message,
        "path": finding.path,
        "conversation": finding.conversation,
        "line": finding.line,
        "boundary_line": finding.boundary_line,
        "evidence": [_evidence(one) for one in finding.evidence],
        "remedy": finding.remedy,
    }


def _evidence(evidence: Evidence) -> Document:
    return {"line": evidence.line, "text": evidence.text}


def _audited(case: Case) -> Document:
    compaction = case.compaction
    return {
        "boundary_line": case.line,
        "summary_line": case.summary_line,
        "source": case.source,
        "trigger": case.recorded.trigger if case.recorded else None,
        "level": compaction.level,
        "opaque": case.opaque,
        "boundary": cut_document(compaction.boundary) if compaction.boundary else None,
        "tokens": {**tokens_document(compaction.tokens), **_recorded(case.recorded)},
        "classes": classes_document(compaction),
        "pins": [_fate(fate) for fate in case.fates],
    }


def _recorded(boundary: RecordedBoundary | None) -> Document:
    if boundary is None:
        return {}
    return {"recorded": {"before": boundary.tokens_before, "after": boundary.tokens_after}}


def _fate(fate: PinFate) -> Document:
    pin = fate.pin
    return {
        "id": pin.id,
        "line": pin.line,
        "kind": pin.kind,
        "strength": pin.strength,
        "text": pin.text,
        "survival": fate.survival,
        "held": fate.held,
        "shown": fate.shown if fate.survival is not Survival.VERBATIM else None,
        "shown_line": fate.shown_line,
        "why": fate.why,
    }


def render_audit(document: Doc, *, width: int, full: bool = False) -> str:
    """Return each compaction in turn with what became of its pins, then the findings."""
    compactions = document["compactions"]
    lines = [
        f"{safe(document['path'], width - 30)}: "
        + (plural(len(compactions), "compaction") if compactions else "no compaction is recorded")
        + f", {plural(len(document['findings']), 'finding')}"
    ]
    lines += _occupancy(document, width)
    for number, one in enumerate(compactions, 1):
        lines += ["", *_compaction(one, number, width, full=full)]
    if document["findings"]:
        lines += ["", *findings_lines(document["findings"], width)]
    return "\n".join(lines) + "\n"


def _occupancy(document: Doc, width: int) -> Iterator[str]:
    points = [(point["line"], point["tokens"]) for point in document["occupancy"]]
    if not points:
        return
    source = document["occupancy"][0]["source"]
    yield ""
    yield f"tokens in the window by line ({source}), of {document['window']:,}; ^ a compaction"
    top = max(document["window"], *(tokens for _, tokens in points))
    cuts = [one["boundary_line"] for one in document["compactions"]]
    yield from area(points, top, cuts, width)


def findings_lines(findings: Sequence[Doc], width: int) -> Iterator[str]:
    """Yield findings with their evidence and what to do."""
    for finding in findings:
        head = f"{_MARK[finding['severity']]} {finding['code']} {finding['name']} "
        where = f"L{finding['line']}"
        yield f"{head}{where} ({finding['confidence']} confidence)"
        yield f"    {safe(finding['message'], max(width, 40) * 3)}"
        for evidence in finding["evidence"]:
            yield f"    L{evidence['line']:<6} {safe(evidence['text'], width - 12)}"
        yield f"    do: {safe(finding['remedy'], width - 8)}"


def _compaction(one: Doc, number: int, width: int, *, full: bool) -> Iterator[str]:
    trigger = f", {one['trigger']}" if one["trigger"] else ""
    yield f"compaction {number} at line {one['boundary_line']} ({one['source']}{trigger})"
    yield from row("  tokens", _tokens(one["tokens"]), width)
    cut = one["boundary"]
    if cut is not None:
        yield from row(
            "  cut", f"after L{cut['after_line']}: {safe(cut['why'], width * 2)}", width
        )
    pins = [pin for pin in one["pins"] if pin["held"]]
    counts = Counter(pin["survival"] for pin in pins)
    told = ", ".join(f"{counts[s]} {s}" for s in _SURVIVALS if counts[s]) or "none in view before"
    yield from row("  pins", f"{len(pins)} in view before: {told}" if pins else told, width)
    gone = [pin for pin in pins if full or pin["survival"] in ("lost", "altered", "partial")]
    gone.sort(key=lambda pin: (pin["strength"] != "strong", pin["line"]))
    shown = gone if full else gone[:_PINS_SHOWN]
    for pin in shown:
        head = f"    L{pin['line']:<5} {pin['survival']:<8} {pin['strength']:<6} "
        yield head + safe(pin["text"], max(20, width - len(head)))
    if len(gone) > len(shown):
        yield f"    and {len(gone) - len(shown):,} more (--full)"


def _tokens(tokens: Doc) -> str:
    counted = f"{tokens['before']:,} -> {tokens['after']:,} (counted with {tokens['encoding']})"
    recorded: Mapping[str, int | None] = tokens.get("recorded") or {}
    if recorded.get("before") is None:
        return counted
    after = recorded.get("after")
    ended = f" -> {after:,}" if after is not None else ""
    return f"{counted}; the client recorded {recorded['before']:,}{ended}"
