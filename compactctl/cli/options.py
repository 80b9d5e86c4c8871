"""The options that several commands share, each said once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from compactctl.cli import output
from compactctl.cli.config import Config, load_config
from compactctl.errors import InputError, UsageError

ENCODING = "o200k_base"
TRIGGER = 0.65
"""Share of the window; both are repeated here so that ``--help`` loads no engine."""


class ReportFormat(StrEnum):
    """What a report is written as."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


class PlainFormat(StrEnum):
    """What a list is written as."""

    TEXT = "text"
    JSON = "json"


FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A session, or - for stdin.")]
ReportFormatOption = Annotated[
    ReportFormat | None, typer.Option("--format", help="What the report is written as.")
]
PlainFormatOption = Annotated[
    PlainFormat | None, typer.Option("--format", help="What the report is written as.")
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Folder of snapshots and ledgers [default: .compactctl, found upwards].",
    ),
]
AtOption = Annotated[
    str | None, typer.Option(metavar="LINE", help="The session as it was after this line.")
]
MomentOption = Annotated[
    str | None,
    typer.Option(metavar="LINE|TIME|STEP", help="As it was then: L12, a time, or step300."),
]
ConversationOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="One conversation of a file that holds several."),
]
EncodingOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="o200k_base (default) or cl100k_base.")
]
InputFormatOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The format of the file, where it cannot be told."),
]
RootOption = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where the recording's paths live here.")
]
ReportFileOption = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="OUT", help="Write the report to a file instead."),
]


def report_format(config: Config, flag: StrEnum | None) -> ReportFormat:
    """Return the format of a report; raises ``UsageError`` for one that there is not."""
    found = config.pick("format", flag) or ReportFormat.TEXT
    try:
        chosen = ReportFormat(found)
    except ValueError:
        raise UsageError(
            f"{config.named('format', flag)}: {found!r} is no format",
            hint="formats: " + ", ".join(ReportFormat),
        ) from None
    output.set_json_errors(on=chosen is ReportFormat.JSON)
    return chosen


def plain_format(config: Config, flag: PlainFormat | None) -> PlainFormat:
    """Return the format of a list; a configured one that lists lack becomes text."""
    chosen = report_format(config, flag)
    return PlainFormat.JSON if chosen is ReportFormat.JSON else PlainFormat.TEXT


def session_file(file: str) -> str:
    """
    Return the argument.

    Raises ``UsageError`` for ``-`` where a person would have to type, and ``InputError`` for a
    folder, which has no name to write beside.
    """
    if file == "-" and output.stdin_is_terminal():
        raise UsageError("standard input is a terminal", hint="pipe a session in, or name a file")
    if Path(file).is_dir():
        raise InputError(f"{file}: is a directory", hint="name one session file")
    return file


def store_path(config: Config, flag: str | None) -> Path:
    """Return the folder of the store; it need not exist."""
    from compactctl.store.store import Store  # noqa: PLC0415 -- reads JSON, which --help need not

    return Store.locate(config.pick("store", flag), Path.cwd())


def configured() -> Config:
    """Return the configuration; colour takes effect at once."""
    config = load_config()
    color = config.pick("color", None)
    if color is not None and output.asked_color() is None:
        if color not in set(output.Color):
            raise UsageError(
                f"{config.named('color', None)}: {color!r} is not a choice",
                hint="choices: " + ", ".join(output.Color),
            )
        output.set_color(output.Color(color))
    return config
