"""``log``: what the store holds, newest last."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from compactctl.cli import options, output
from compactctl.cli.options import PlainFormat
from compactctl.cli.wording import safe_line

if TYPE_CHECKING:
    from compactctl.store.store import Snapshot


def log(
    *,
    store: options.StoreOption = None,
    format_: options.PlainFormatOption = None,
) -> None:
    """List runs, snapshots and notices of the store, newest last."""
    from compactctl.store.store import Store  # noqa: PLC0415 -- --help need not load it

    config = options.configured()
    chosen = options.plain_format(config, format_)
    path = options.store_path(config, store)
    ledgers: tuple[dict[str, object], ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    notices: tuple[dict[str, object], ...] = ()
    unreadable: list[str] = []
    if path.exists() or path.is_symlink():
        kept = Store.open(path, create=False)
        ledgers, snapshots, notices = kept.ledgers(), kept.snapshots(), kept.notices()
        unreadable = [str(file) for file in kept.unreadable]
    else:
        output.write_note(f"{path}: there is no store yet; compactctl run creates one")
    match chosen:
        case PlainFormat.JSON:
            _write_json(ledgers, snapshots, notices, unreadable)
        case PlainFormat.TEXT:
            _write_lines(ledgers, snapshots, notices, unreadable)


def _write_json(
    ledgers: "tuple[dict[str, object], ...]",
    snapshots: "tuple[Snapshot, ...]",
    notices: "tuple[dict[str, object], ...]",
    unreadable: list[str],
) -> None:
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- --help need not load it
    from compactctl.report.notices import notice_row  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above

    found = {
        "schema": "compactctl.log/1",
        "ledgers": [masked(_ledger_row(one)) for one in ledgers],
        "snapshots": [masked(_snapshot_row(one)) for one in snapshots],
        "notices": [masked(notice_row(one)) for one in notices],
        "unreadable": unreadable,
    }
    output.write_bytes([dump_json(found)])


def _write_lines(
    ledgers: "tuple[dict[str, object], ...]",
    snapshots: "tuple[Snapshot, ...]",
    notices: "tuple[dict[str, object], ...]",
    unreadable: list[str],
) -> None:
    from compactctl.report.notices import notice_line  # noqa: PLC0415 -- --help need not load it

    rows = [(one.taken_at, _snapshot_line(one)) for one in snapshots]
    rows += [(str(one.get("time")), _ledger_line(one)) for one in ledgers]
    rows += [(str(one.get("time")), notice_line(one)) for one in notices]
    # A snapshot and what names it bear the same time; sorting is stable, so it comes first.
    for _, line in sorted(rows, key=lambda row: row[0]):
        output.write_text(safe_line(line))
    for file in unreadable:
        output.write_note(safe_line(f"warning: {file}: cannot be read"))


def _ledger_row(ledger: Mapping[str, object]) -> dict[str, object]:
    names = ("id", "time", "path", "status", "level", "reason", "tokens", "snapshot", "output")
    return {name: ledger.get(name) for name in names}


def _snapshot_row(snapshot: "Snapshot") -> dict[str, object]:
    return {
        "id": snapshot.id,
        "time": snapshot.taken_at,
        "sha256": snapshot.sha256,
        "bytes": snapshot.bytes,
        "path": snapshot.source_path,
        "format": snapshot.format,
    }


def _ledger_line(ledger: Mapping[str, object]) -> str:
    tokens = ledger.get("tokens")
    sizes = ""
    if isinstance(tokens, Mapping) and ledger.get("status") == "compacted":
        sizes = f"  {_number(tokens.get('before'))} -> {_number(tokens.get('after'))} tokens"
    return (
        f"{ledger.get('time')}  run       {ledger.get('id')}  {ledger.get('status')}{sizes}  "
        f"{ledger.get('path') or ''}"
    )


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _snapshot_line(snapshot: "Snapshot") -> str:
    return (
        f"{snapshot.taken_at}  snapshot  {snapshot.id}  snap:{snapshot.sha256[:12]}  "
        f"{snapshot.bytes:,} bytes  {snapshot.source_path}"
    )
