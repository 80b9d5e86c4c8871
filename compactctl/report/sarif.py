"""SARIF 2.1.0, as code scanning services read it (OASIS sarif-v2.1.0-os)."""

from collections.abc import Sequence
from urllib.parse import quote

from compactctl.audit.rule import Rule
from compactctl.model.audit import Confidence, Severity
from compactctl.report.words import Doc, safe

Document = dict[str, object]
SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_PRECISION = {Confidence.HIGH: "high", Confidence.MEDIUM: "medium", Confidence.LOW: "low"}
_TEXT = 1_000
_ROOT = "%SRCROOT%"


def sarif_document(check: Doc, rules: Sequence[Rule], version: str) -> Document:
    """
    Return a check document as one SARIF run.

    Rules carry their help; findings a relative path, the lines of their evidence and a partial
    fingerprint that added lines leave as it is. What is known or suppressed is a result with a
    suppression; what could not be checked a notification.
    """
    index = {rule.code: at for at, rule in enumerate(rules)}
    return {
        "$schema": SCHEMA_URI,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "compactctl",
                        "semanticVersion": version,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    _ROOT: {"description": {"text": "The folder that the check ran in."}}
                },
                "invocations": [
                    {
                        "executionSuccessful": not check["errors"] and not check["unfinished"],
                        "toolExecutionNotifications": [
                            {
                                "level": "error",
                                "message": {"text": safe(error["message"], _TEXT)},
                                "locations": [_location(error["path"], None)],
                            }
                            for error in check["errors"]
                        ],
                    }
                ],
                "results": [_result(finding, index) for finding in check["findings"]],
            }
        ],
    }


def _rule(rule: Rule) -> Document:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.documentation, "markdown": rule.documentation},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"precision": _PRECISION[rule.confidence], "tags": ["compaction"]},
    }


def _result(finding: Doc, index: dict[str, int]) -> Document:
    result: Document = {
        "ruleId": finding["code"],
        "ruleIndex": index[finding["code"]],
        "level": _LEVELS[Severity(finding["severity"])],
        "message": {"text": safe(finding["message"], _TEXT)},
        "locations": [_location(finding["path"], finding["line"])],
        "relatedLocations": [
            {
                **_location(finding["path"], evidence["line"]),
                "id": number,
                "message": {"text": safe(evidence["text"], _TEXT)},
            }
            for number, evidence in enumerate(finding["evidence"], 1)
        ],
        "partialFingerprints": {"compactctl/v1": finding["fingerprint"]},
        "properties": {
            "confidence": finding["confidence"],
            "boundaryLine": finding["boundary_line"],
            "remedy": finding["remedy"],
        },
    }
    if finding["ignored"] is not None:
        reason = safe(finding["ignored"], _TEXT)
        result["suppressions"] = [{"kind": "external", "justification": reason}]
    return result


def _location(path: str, line: int | None) -> Document:
    artifact: Document = {"uri": quote(path.removeprefix("./")), "uriBaseId": _ROOT}
    if path.startswith("/"):
        artifact = {"uri": "file://" + quote(path)}
    physical: Document = {"artifactLocation": artifact}
    if line is not None:
        physical["region"] = {"startLine": max(1, line)}
    return {"physicalLocation": physical}
