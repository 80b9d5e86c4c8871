"""Checks of many files: as a JSON document, and for people in plain text and Markdown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compactctl.model.audit import Finding, Severity
from compactctl.report.audits import finding_document, findings_lines
from compactctl.report.words import Doc, plural, safe

Document = dict[str, object]
_MARKDOWN_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A finding with its fingerprint; ``why_not`` says why it does not count, if it does not."""

    finding: Finding
    fingerprint: str
    why_not: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """A file that was checked."""

    path: str
    format: str | None
    conversations: int
    compactions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A file that could not be checked."""

    path: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The outcome of one check: files, findings in order, files that could not be checked."""

    files: Sequence[FileRow]
    findings: Sequence[Judged]
    errors: Sequence[Failure]
    skipped: int = 0
    unfinished: int = 0
    """Files that were not reached because the check was interrupted."""

    @property
    def counted(self) -> tuple[Judged, ...]:
        """The findings that are neither known nor suppressed."""
        return tuple(judged for judged in self.findings if judged.why_not is None)


def check_document(check: Check) -> Document:
    """Return a check (``compactctl.check/1``)."""
    return {
        "schema": "compactctl.check/1",
        "files": [_file(row) for row in check.files],
        "findings": [
            {
                **finding_document(one.finding),
                "fingerprint": one.fingerprint,
                "ignored": one.why_not,
            }
            for one in check.findings
        ],
        "errors": [
            {"path": one.path, "message": one.message, "hint": one.hint} for one in check.errors
        ],
        "skipped": check.skipped,
        "unfinished": check.unfinished,
    }


def _file(row: FileRow) -> Document:
    return {
        "path": row.path,
        "format": row.format,
        "conversations": row.conversations,
        "compactions": row.compactions,
    }


def render_check(document: Doc, *, width: int) -> str:
    """Return the findings of each file, then what could not be checked, then the sum."""
    lines: list[str] = []
    for path, findings in by_path(document["findings"]).items():
        lines += [safe(path, width), *findings_lines(findings, width), ""]
    for error in document["errors"]:
        lines += [f"not checked: {safe(error['message'], width * 3)}"]
        lines += [f"    do: {safe(error['hint'], width * 3)}"] if error["hint"] else []
    lines.append(summary(document))
    return "\n".join(lines) + "\n"


def markdown_check(document: Doc) -> str:
    """Return a check as Markdown, fit for a step summary; text of transcripts is escaped."""
    lines = [f"### compactctl: {escape(summary(document))}", ""]
    counted = [f for f in document["findings"] if f["ignored"] is None]
    if counted:
        lines += ["| severity | rule | where | what |", "|---|---|---|---|"]
    for finding in counted[:_MARKDOWN_SHOWN]:
        where = escape(f"{finding['path']}:{finding['line']}")
        rule = f"{finding['code']} {finding['name']}"
        lines.append(f"| {finding['severity']} | {rule} | {where} | {_what(finding)} |")
    if len(counted) > _MARKDOWN_SHOWN:
        lines.append(f"\nand {len(counted) - _MARKDOWN_SHOWN:,} more")
    lines += [f"- not checked: {escape(error['message'])}" for error in document["errors"]]
    return "\n".join(lines) + "\n"


def _what(finding: Doc) -> str:
    quoted = (f"<br>L{e['line']}: {escape(safe(e['text'], 300))}" for e in finding["evidence"])
    return escape(safe(finding["message"], 400)) + "".join(quoted)


def escape(text: str) -> str:
    """Return text that Markdown and HTML show as it is, on one line."""
    special = "\\`*_{}[]()#+-.!|<>&@~$:"
    return "".join(f"&#{ord(c)};" if c in special else c for c in safe(text, 2_000))


def by_path(findings: Sequence[Doc]) -> Mapping[str, list[Doc]]:
    """Return the findings that count, by file, in order."""
    found: dict[str, list[Any]] = {}
    for finding in findings:
        if finding["ignored"] is None:
            found.setdefault(finding["path"], []).append(finding)
    return found


def summary(document: Doc) -> str:
    """Return one sentence: how much was checked, what was found, what was left out."""
    return ", ".join(_summary(document))


def _summary(document: Doc) -> Iterator[str]:
    files = document["files"]
    cuts = sum(row["compactions"] for row in files)
    yield f"{plural(len(files), 'file')} checked, {plural(cuts, 'recorded compaction')}"
    findings = document["findings"]
    counted = Counter(f["severity"] for f in findings if f["ignored"] is None)
    told = [plural(counted[s], s) for s in Severity if counted[s]]
    yield " and ".join(told) if told else "no findings"
    ignored = sum(1 for f in findings if f["ignored"] is not None)
    if ignored:
        yield f"{ignored:,} known or suppressed"
    if document["errors"]:
        yield f"{plural(len(document['errors']), 'file')} could not be checked"
    if document["skipped"]:
        yield f"{document['skipped']:,} no session"
    if document["unfinished"]:
        yield f"interrupted: {document['unfinished']:,} not reached"
