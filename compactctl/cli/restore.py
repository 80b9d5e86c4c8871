"""``restore``: the exact bytes of a snapshot."""

from pathlib import Path
from typing import Annotated

import typer

from compactctl.cli import options, output
from compactctl.cli.wording import safe_line
from compactctl.errors import OutputError, UsageError

SUFFIX = ".restored.jsonl"


def restore(
    snapshot: Annotated[
        str,
        typer.Argument(metavar="SNAPSHOT", help="The start of its id or sha256, as log lists it."),
    ],
    *,
    target: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Where to write; - is stdout [default: STEM.restored.jsonl here].",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    store: options.StoreOption = None,
) -> None:
    """
    Give back a session as it was, byte for byte.

    \b
    compactctl restore 1a2b3c4d
    compactctl restore 1a2b3c4d -o session.jsonl --force   undo in place
    """  # noqa: D301 -- \b is for the help formatter
    from compactctl.io.atomic import write_atomic  # noqa: PLC0415 -- --help need not load it
    from compactctl.store.store import Store  # noqa: PLC0415 -- as above

    config = options.configured()
    kept = Store.open(options.store_path(config, store), create=False)
    found = kept.find_snapshot(snapshot)
    if target == "-":
        output.write_bytes(kept.restore(snapshot))
        return
    path = Path(target) if target is not None else _default(found.source_path)
    if path.is_dir():
        raise UsageError(f"{path}: is a directory", hint="name a file with -o")
    if path.exists() and not force:
        raise OutputError(
            f"{path}: exists", hint="name another file with -o, or replace it with --force"
        )
    sha256 = write_atomic(path, kept.restore(snapshot))
    said = f"restored, {found.bytes:,} bytes, sha256 {sha256}, taken {found.taken_at}"
    output.write_text(safe_line(f"{path}: {said}"))


def _default(source_path: str) -> Path:
    given = Path(source_path)
    stem = given.stem if given.suffix else "session"
    return Path(stem + SUFFIX)
