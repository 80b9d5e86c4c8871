"""``brief``: the hand-over for a clean session, and whether an edited one still holds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from compactctl.cli import options, output
from compactctl.cli.amounts import parse_tokens
from compactctl.cli.opening import opened
from compactctl.cli.options import PlainFormat
from compactctl.cli.wording import safe_line
from compactctl.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from compactctl.engine.sessions import Session
    from compactctl.report.briefs import Missing


def brief(
    file: options.FileArgument,
    *,
    budget: Annotated[
        str | None, typer.Option(metavar="TOKENS", help="The most that the brief may take.")
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(metavar="BRIEF", help="Say what this brief no longer holds of the session."),
    ] = None,
    at: options.MomentOption = None,
    conversation: options.ConversationOption = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    format_: options.PlainFormatOption = None,
    report_file: options.ReportFileOption = None,
) -> None:
    """
    Write the hand-over that a clean session can start from.

    \b
    compactctl brief session.jsonl -o brief.md
    compactctl brief session.jsonl --budget 2000
    compactctl brief session.jsonl --check brief.md
    """  # noqa: D301 -- \b is for the help formatter
    from compactctl.cli.moments import at_moment  # noqa: PLC0415 -- --help need not load it

    config = options.configured()
    chosen = options.plain_format(config, format_)
    tokens = parse_tokens(budget, "--budget") if budget is not None else None
    with opened(
        config,
        file,
        input_format=input_format,
        conversation=conversation,
        encoding=encoding,
        doing="classifying",
    ) as found:
        sessions = [at_moment(session, at) for session in found]
        if len(sessions) > 1:
            raise UsageError(
                f"{file}: holds {len(sessions)} conversations", hint="name one: --conversation N"
            )
        if check is not None:
            _check(sessions[0], check)
            return
        report = _report(sessions[0], tokens, chosen)
    output.write_report(report, report_file)


def _report(session: "Session", budget: int | None, chosen: PlainFormat) -> str:
    from compactctl.engine.briefs import make_brief  # noqa: PLC0415 -- --help need not load it
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- as above
    from compactctl.io.schemas import validate  # noqa: PLC0415 -- as above
    from compactctl.report.briefs import brief_document, render_brief  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above

    made = make_brief(session, budget)
    match chosen:
        case PlainFormat.JSON:
            document = masked(brief_document(made))
            validate(document, "brief")
            return dump_json(document).decode()
        case PlainFormat.TEXT:
            return render_brief(made)
        case _:
            assert_never(chosen)


def _check(session: "Session", path: str) -> None:
    from compactctl.engine.briefs import make_brief  # noqa: PLC0415 -- --help need not load it
    from compactctl.io.texts import read_text  # noqa: PLC0415 -- as above
    from compactctl.report.briefs import missing_from  # noqa: PLC0415 -- as above

    entries = frozenset(entry.id for entry in session.transcript.entries)
    found = list(missing_from(read_text(path), make_brief(session, None), entries))
    output.write_text("\n".join(_lines(path, found)))
    if any(missing.essential for missing in found):
        raise typer.Exit(ExitCode.FINDINGS)


def _lines(path: str, found: "Sequence[Missing]") -> list[str]:
    if not found:
        return [f"{safe_line(path)}: holds every pin and fact, and every pointer leads somewhere"]
    wrong = sum(1 for missing in found if missing.essential)
    lines = [f"{safe_line(path)}: {wrong} that must be there, {len(found) - wrong} that may"]
    for missing in found:
        mark = "!" if missing.essential else " "
        where = f" L{missing.line}" if missing.line else ""
        lines.append(f"  {mark} {missing.kind}{where}: {safe_line(missing.text)}")
    return lines
