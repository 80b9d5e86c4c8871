"""``audit``: what the compactions that a session records kept and lost."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, assert_never

import typer

from compactctl.cli import options, output
from compactctl.cli.opening import opened
from compactctl.cli.options import ReportFormat
from compactctl.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from compactctl.engine.sessions import Session

Doc = Mapping[str, Any]


def audit(
    file: options.FileArgument,
    *,
    boundary: Annotated[
        int | None,
        typer.Option(metavar="N", help="Only the compaction of that number, from 1."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="List every pin.")] = False,
    conversation: options.ConversationOption = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    format_: options.ReportFormatOption = None,
    report_file: options.ReportFileOption = None,
) -> None:
    """
    Show what recorded compactions kept, changed and lost.

    Exits 1 where a rule finds something. The compactions may be those of Claude Code, Codex,
    compactctl or any harness that leaves a summary in the session.

    \b
    compactctl audit session.jsonl
    compactctl audit session.jsonl --boundary 2 --full
    compactctl audit session.jsonl --format json
    """  # noqa: D301 -- \b is for the help formatter
    config = options.configured()
    chosen = options.report_format(config, format_)
    with opened(
        config,
        file,
        input_format=input_format,
        conversation=conversation,
        encoding=encoding,
        doing="auditing",
    ) as sessions:
        documents = [_document(session, boundary) for session in sessions]
    output.write_report(_report(documents, chosen, full=full), report_file)
    if any(document["findings"] for document in documents):
        raise typer.Exit(ExitCode.FINDINGS)


def _document(session: "Session", boundary: int | None) -> Doc:
    from compactctl.engine.audits import audit as audit_session  # noqa: PLC0415 -- as above
    from compactctl.report.audits import audit_document  # noqa: PLC0415 -- as above

    found = audit_session(session)
    document = audit_document(found.subject, found.findings)
    return document if boundary is None else _only(document, boundary)


def _only(document: Doc, number: int) -> Doc:
    compactions = document["compactions"]
    if not 1 <= number <= len(compactions):
        raise UsageError(
            f"--boundary {number}: the session records {len(compactions)} compactions",
            hint="compactctl audit FILE lists them",
        )
    one = compactions[number - 1]
    findings = [f for f in document["findings"] if f["boundary_line"] == one["boundary_line"]]
    return {**document, "compactions": [one], "findings": findings}


def _report(documents: Iterable[Doc], chosen: ReportFormat, *, full: bool) -> str:
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- --help need not load it
    from compactctl.io.schemas import validate  # noqa: PLC0415 -- as above
    from compactctl.report.audits import render_audit  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above

    safe = [masked(one) for one in documents]
    for one in safe:
        validate(one, "audit")
    match chosen:
        case ReportFormat.JSON:
            several = {"schema": "compactctl.audits/1", "audits": safe}
            return dump_json(safe[0] if len(safe) == 1 else several).decode()
        case ReportFormat.MARKDOWN:
            fence = "```"
            return "\n".join(
                f"{fence}text\n{render_audit(one, width=output.width(), full=full)}{fence}"
                for one in safe
            )
        case ReportFormat.TEXT:
            return "\n".join(render_audit(one, width=output.width(), full=full) for one in safe)
        case _:
            assert_never(chosen)
