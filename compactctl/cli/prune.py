"""``prune``: thin the store by age and size."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from compactctl.cli import options, output
from compactctl.cli.amounts import parse_age, parse_size
from compactctl.cli.wording import safe_line
from compactctl.errors import UsageError


def prune(
    *,
    older_than: Annotated[
        str | None, typer.Option(metavar="AGE", help="Remove what is older than this, as in 30d.")
    ] = None,
    max_size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Remove the oldest until this is enough, as in 500MB."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Remove nothing; list what would be.")
    ] = False,
    store: options.StoreOption = None,
) -> None:
    """
    Remove old snapshots and their runs, never the newest.

    \b
    compactctl prune --older-than 30d --dry-run
    compactctl prune --max-size 500MB
    """  # noqa: D301 -- \b is for the help formatter
    from compactctl.store.pruning import prune as thin  # noqa: PLC0415 -- --help need not load it
    from compactctl.store.store import Store  # noqa: PLC0415 -- as above

    config = options.configured()
    if older_than is None and max_size is None:
        raise UsageError("prune: by what?", hint="--older-than 30d, --max-size 500MB, or both")
    kept = Store.open(options.store_path(config, store), create=False)
    report = thin(
        kept,
        now=datetime.now(UTC),
        older_than=parse_age(older_than, "--older-than") if older_than is not None else None,
        max_bytes=parse_size(max_size, "--max-size") if max_size is not None else None,
        dry_run=dry_run,
    )
    verb = "would remove" if dry_run else "removed"
    for snapshot in report.removed:
        what = f"snapshot {snapshot.id}  {snapshot.bytes:,} bytes  {snapshot.source_path}"
        output.write_text(safe_line(f"{verb} {what}"))
    for snapshot in report.needed:
        output.write_text(safe_line(f"stays, a younger one needs it: {snapshot.id}"))
    output.write_text(
        f"{verb} {len(report.removed)} snapshots, {len(report.ledgers)} runs, "
        f"{len(report.notices)} notices, "
        f"{report.freed_bytes:,} bytes; {len(report.kept)} snapshots stay"
    )
