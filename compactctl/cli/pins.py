"""``pins``: the statements that must survive."""

from compactctl.cli import options, output
from compactctl.cli.classify import document
from compactctl.cli.moments import at_moment
from compactctl.cli.opening import opened
from compactctl.cli.options import PlainFormat


def pins(
    file: options.FileArgument,
    *,
    at: options.MomentOption = None,
    conversation: options.ConversationOption = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    format_: options.PlainFormatOption = None,
) -> None:
    """List the statements that must survive."""
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- as above
    from compactctl.report.listings import render_pins  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above

    config = options.configured()
    chosen = options.plain_format(config, format_)
    with opened(
        config,
        file,
        input_format=input_format,
        conversation=conversation,
        encoding=encoding,
        doing="classifying",
    ) as sessions:
        documents = [masked(document(at_moment(session, at))) for session in sessions]
    if chosen is PlainFormat.JSON:
        found = [
            {"schema": "compactctl.pins/1", "transcript": d["transcript"], "pins": d["pins"]}
            for d in documents
        ]
        several = {"schema": "compactctl.pin-lists/1", "lists": found}
        output.write_bytes([dump_json(found[0] if len(found) == 1 else several)])
        return
    output.write_text("\n".join(render_pins(d, width=output.width()) for d in documents))
