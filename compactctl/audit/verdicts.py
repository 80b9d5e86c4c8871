"""One audit: every rule over one subject."""

from collections.abc import Iterable

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule
from compactctl.audit.rules import RULES
from compactctl.model.audit import Finding


def judge(subject: Subject, rules: Iterable[Rule] = RULES) -> tuple[Finding, ...]:
    """Return what the rules find in a session, by line, then code, then content."""
    found = [finding for rule in rules for finding in rule.findings(subject)]
    return tuple(sorted(found, key=lambda f: (f.line, f.code, f.subject)))
