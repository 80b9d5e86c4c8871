"""``trace``: one statement through a session."""

from typing import Annotated, assert_never

import typer

from compactctl.cli import options, output
from compactctl.cli.opening import opened
from compactctl.cli.options import PlainFormat
from compactctl.errors import UsageError


def trace(
    file: options.FileArgument,
    wanted: Annotated[
        str, typer.Argument(metavar="TEXT|PIN", help="Words of a statement, or a pin's id.")
    ],
    *,
    conversation: options.ConversationOption = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    format_: options.PlainFormatOption = None,
    report_file: options.ReportFileOption = None,
) -> None:
    """
    Follow a statement: who said it, where it was lost, who acted.

    \b
    compactctl trace session.jsonl "vendor/"
    compactctl trace session.jsonl 4f2d1c0b9a87
    """  # noqa: D301 -- \b is for the help formatter
    from compactctl.audit.tracing import trace as traces_of  # noqa: PLC0415 -- --help need not
    from compactctl.engine.audits import subject_of  # noqa: PLC0415 -- as above
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- as above
    from compactctl.io.schemas import validate  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above
    from compactctl.report.traces import render_trace, trace_document  # noqa: PLC0415 -- as above

    config = options.configured()
    chosen = options.plain_format(config, format_)
    with opened(
        config,
        file,
        input_format=input_format,
        conversation=conversation,
        encoding=encoding,
        doing="tracing",
    ) as sessions:
        subjects = [subject_of(session) for session in sessions]
        found = [(subject, one) for subject in subjects for one in traces_of(subject, wanted)]
        document = masked(trace_document(file, wanted, found))
    if not found:
        raise UsageError(
            f"{file}: no person, delegator or system prompt said {wanted!r}",
            hint="compactctl pins FILE lists what binds, with ids",
        )
    validate(document, "trace")
    match chosen:
        case PlainFormat.JSON:
            output.write_report(dump_json(document).decode(), report_file)
        case PlainFormat.TEXT:
            output.write_report(render_trace(document, width=output.width()), report_file)
        case _:
            assert_never(chosen)
