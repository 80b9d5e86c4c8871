"""GitHub workflow commands: annotations beside the lines of a pull request."""

from collections.abc import Iterator

from compactctl.report.checks import summary
from compactctl.report.words import Doc, safe

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_TEXT = 1_000


def github_commands(check: Doc) -> str:
    """
    Return a check document as workflow commands, one a line, and a closing sentence.

    Text of transcripts is escaped so that it cannot issue commands of its own.
    """
    return "\n".join([*_lines(check), _data(summary(check))]) + "\n"


def _lines(check: Doc) -> Iterator[str]:
    for finding in check["findings"]:
        if finding["ignored"] is not None:
            continue
        title = f"{finding['code']} {finding['name']}"
        place = f"file={_property(finding['path'])},line={max(1, finding['line'])}"
        told = [finding["message"]]
        told += [f"L{one['line']}: {one['text']}" for one in finding["evidence"]]
        text = "%0A".join(_data(safe(line, _TEXT)) for line in told)
        yield f"::{_COMMANDS[finding['severity']]} {place},title={_property(title)}::{text}"
    for error in check["errors"]:
        file = _property(error["path"])
        yield f"::error file={file},title=not checked::{_data(safe(error['message'], _TEXT))}"


def _data(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    # A line that begins with "::" would be a command of its own.
    return f"%3A%3A{escaped[2:]}" if escaped.startswith("::") else escaped


def _property(text: str) -> str:
    return _data(safe(text, _TEXT)).replace(":", "%3A").replace(",", "%2C")
