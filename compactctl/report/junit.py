"""JUnit XML, as build servers read it: a suite a file, a case a rule."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from compactctl.audit.rule import Rule
from compactctl.report.words import Doc, safe

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXT = 1_000


def junit_xml(check: Doc, rules: Sequence[Rule]) -> str:
    """
    Return a check document as JUnit XML.

    A rule without findings in a file is a passed case, one with findings a failed one; a file
    that could not be checked is a suite with one case in error.
    """
    suites = [_suite(row["path"], check["findings"], rules) for row in check["files"]]
    suites += [_broken(error) for error in check["errors"]]
    root = ET.Element("testsuites", {"name": "compactctl", **_totals(suites)})
    root.extend(suites)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def _suite(path: str, findings: Sequence[Doc], rules: Sequence[Rule]) -> ET.Element:
    mine = [f for f in findings if f["path"] == path and f["ignored"] is None]
    failed = {finding["code"] for finding in mine}
    counts = {"tests": str(len(rules)), "failures": str(len(failed)), "errors": "0"}
    suite = ET.Element("testsuite", {"name": _clean(path), **counts})
    for rule in rules:
        named = {"classname": _clean(path), "name": f"{rule.code} {rule.name}"}
        case = ET.SubElement(suite, "testcase", named)
        found = [finding for finding in mine if finding["code"] == rule.code]
        if found:
            first = _clean(found[0]["message"])
            failure = ET.SubElement(case, "failure", type=found[0]["severity"], message=first)
            failure.text = "\n\n".join(map(_text, found))
    return suite


def _broken(error: Doc) -> ET.Element:
    suite = ET.Element(
        "testsuite", name=_clean(error["path"]), tests="1", failures="0", errors="1"
    )
    case = ET.SubElement(suite, "testcase", classname=_clean(error["path"]), name="can be read")
    ET.SubElement(case, "error", type="input", message=_clean(error["message"]))
    return suite


def _text(finding: Doc) -> str:
    lines = [f"{finding['path']}:{finding['line']}: {finding['message']}"]
    lines += [f"L{one['line']}: {one['text']}" for one in finding["evidence"]]
    return "\n".join(_clean(line) for line in [*lines, f"do: {finding['remedy']}"])


def _totals(suites: Sequence[ET.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors")
    return {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in names}


def _clean(text: str) -> str:
    """Text on one line without characters that XML 1.0 cannot hold."""
    return _ILLEGAL.sub("\ufffd", safe(text, _TEXT))
