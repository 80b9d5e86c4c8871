"""``classify``: what each entry of a session is, and what in it must survive."""

from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from compactctl.cli import options, output
from compactctl.cli.moments import at_moment
from compactctl.cli.opening import opened
from compactctl.cli.options import ReportFormat
from compactctl.cli.wording import safe_line
from compactctl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compactctl.engine.sessions import Session


def classify(
    file: options.FileArgument,
    *,
    at: options.MomentOption = None,
    conversation: options.ConversationOption = None,
    explain: Annotated[
        str | None,
        typer.Option(metavar="ENTRY", help="Say why one entry, as in L12.0, is what it is."),
    ] = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    format_: options.ReportFormatOption = None,
    report_file: options.ReportFileOption = None,
) -> None:
    """
    Sort a session into decisions, facts, reasoning and raw output.

    \b
    compactctl classify session.jsonl
    compactctl classify session.jsonl --format json
    compactctl classify session.jsonl --explain L12.0
    """  # noqa: D301 -- \b is for the help formatter
    config = options.configured()
    chosen = options.report_format(config, format_)
    with opened(
        config,
        file,
        input_format=input_format,
        conversation=conversation,
        encoding=encoding,
        doing="classifying and counting",
    ) as sessions:
        seen = [at_moment(session, at) for session in sessions]
        if explain is not None:
            report = _explanation(seen, explain, file)
        else:
            report = _report([document(session) for session in seen], chosen)
    output.write_report(report, report_file)


def document(session: "Session") -> "Mapping[str, object]":
    """Return the classification document of a session."""
    from compactctl.model.tokens import TokenCount, TokenSource  # noqa: PLC0415 -- as above
    from compactctl.report.documents import classification_document  # noqa: PLC0415 -- as above

    tokens = session.entry_tokens()
    return classification_document(
        session.transcript,
        session.classification,
        tokens,
        frozenset(seen.entry.id for seen in session.view),
        TokenCount(session.material.total, TokenSource.COUNTED, session.counter.encoding),
    )


def _report(documents: "list[Mapping[str, object]]", chosen: ReportFormat) -> str:
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- --help need not load it
    from compactctl.report.listings import render_classification  # noqa: PLC0415 -- as above
    from compactctl.report.markdown import markdown_classification  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above

    safe = [masked(one) for one in documents]
    match chosen:
        case ReportFormat.JSON:
            several = {"schema": "compactctl.classifications/1", "classifications": safe}
            return dump_json(safe[0] if len(safe) == 1 else several).decode()
        case ReportFormat.MARKDOWN:
            return "\n".join(markdown_classification(one) for one in safe)
        case ReportFormat.TEXT:
            return "\n".join(render_classification(one, width=output.width()) for one in safe)
        case _:
            assert_never(chosen)


def _explanation(sessions: "Iterable[Session]", entry_id: str, file: str) -> str:
    for session in sessions:
        for entry in session.transcript.entries:
            if entry.id == entry_id:
                found = session.classification.entries[entry.id]
                what = f"{entry.id}: author {entry.author}, kind {entry.kind}"
                tool = f" of {entry.tool}" if entry.tool else ""
                seen = entry.id in {shown.entry.id for shown in session.view}
                pins = [p for p in session.classification.pins if p.entry == entry.id]
                lines = [
                    what + tool + f", class {found.state}",
                    f"why: {found.why}",
                    "in view: " + ("yes" if seen else "no, the model does not see it any more"),
                    *(f"pin {p.id} ({p.strength} {p.kind}, {p.status}): {p.why}" for p in pins),
                ]
                return "\n".join(safe_line(line) for line in lines)
    raise UsageError(
        f"{file}: there is no entry {entry_id!r}", hint="compactctl show FILE lists the entries"
    )
