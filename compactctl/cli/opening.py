"""Opening a session as every command that looks at one does."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from compactctl.cli import options, output
from compactctl.cli.config import Config

if TYPE_CHECKING:
    from compactctl.engine.sessions import Session


@contextmanager
def opened(
    config: Config,
    file: str,
    *,
    input_format: str | None,
    conversation: int | None,
    encoding: str | None,
    doing: str,
) -> "Iterator[tuple[Session, ...]]":
    """
    Open the conversations of a file; close it at the end.

    Flags beat the configuration. While it is open, progress says what is being done. Raises
    ``InputError`` and ``UsageError`` where the file or a flag is wrong.
    """
    from compactctl.engine.sessions import open_sessions  # noqa: PLC0415 -- --help need not load it

    with (
        output.Progress() as progress,
        open_sessions(
            options.session_file(file),
            input_format=config.pick("input-format", input_format),
            conversation=conversation,
            encoding=config.pick("encoding", encoding) or options.ENCODING,
        ) as sessions,
    ):
        progress(doing)
        yield sessions
