"""Pages about the rules, for a terminal, as Markdown and as a JSON document."""

from collections.abc import Iterator, Sequence

from compactctl.audit.rule import Rule
from compactctl.report.words import safe

Document = dict[str, object]


def rules_document(rules: Sequence[Rule]) -> Document:
    """Return the rules as a document (``compactctl.rules/1``)."""
    return {
        "schema": "compactctl.rules/1",
        "rules": [
            {
                "code": rule.code,
                "name": rule.name,
                "severity": rule.severity,
                "confidence": rule.confidence,
                "summary": rule.summary,
                "remedy": rule.remedy,
                "documentation": rule.documentation,
            }
            for rule in rules
        ],
    }


def list_rules(rules: Sequence[Rule], width: int) -> str:
    """Return one line a rule."""
    lines = []
    for rule in rules:
        head = f"{rule.code}  {rule.name:<26} {rule.severity:<8} "
        lines.append(head + safe(rule.summary, max(30, width - len(head))))
    return "\n".join(lines) + "\n"


def render_rules(rules: Sequence[Rule]) -> str:
    """Return the rules in full, in plain text."""
    return "\n\n".join("\n".join(_page(rule)) for rule in rules) + "\n"


def markdown_rules(rules: Sequence[Rule]) -> str:
    """Return the rules in full, as one Markdown page."""
    lines = ["# Rules", "", "Printed by `compactctl rule --all --format markdown`.", ""]
    lines += ["| code | name | severity | what it finds |", "|---|---|---|---|"]
    for rule in rules:
        link = f"[{rule.code}](#{rule.code.lower()}-{rule.name})"
        lines.append(f"| {link} | {rule.name} | {rule.severity} | {rule.summary} |")
    for rule in rules:
        lines += ["", f"## {rule.code} {rule.name}", "", *_body(rule)]
    return "\n".join(lines) + "\n"


def _page(rule: Rule) -> Iterator[str]:
    yield f"{rule.code} {rule.name} ({rule.severity}, {rule.confidence} confidence)"
    yield ""
    yield from _body(rule)


def _body(rule: Rule) -> Iterator[str]:
    yield rule.documentation
    yield ""
    yield f"Severity: {rule.severity}. Confidence: {rule.confidence}. Remedy: {rule.remedy}."
