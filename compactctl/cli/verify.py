"""``verify``: whether every original can still be found, exactly as it was."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from compactctl.cli import options, output
from compactctl.cli.options import PlainFormat
from compactctl.errors import ExitCode
from compactctl.model.pointer import KeptPointer, PointerStatus

if TYPE_CHECKING:
    from compactctl.store.checks import ObjectCheck
    from compactctl.store.store import Store

_LOST = (PointerStatus.MISSING, PointerStatus.CHANGED)
_HARMLESS = ("ok", "stray")
"""A stray file is left over from a crash: nothing needs it."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Pointers of one run or session; ``cwd`` is the folder in which it was recorded."""

    pointers: tuple[KeptPointer, ...]
    cwd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    pointers: tuple[KeptPointer, ...]
    objects: "tuple[ObjectCheck, ...]"

    @property
    def sound(self) -> bool:
        return all(p.status not in _LOST for p in self.pointers) and all(
            o.status in _HARMLESS for o in self.objects
        )


def verify(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE|RUN]...", help="Sessions or runs [default: every run, every object]."
        ),
    ] = None,
    *,
    objects: Annotated[
        bool, typer.Option("--objects", help="Check every object of the store too.")
    ] = False,
    root: options.RootOption = None,
    format_: options.PlainFormatOption = None,
    report_file: options.ReportFileOption = None,
    store: options.StoreOption = None,
) -> None:
    """
    Check that every original can still be found.

    Exit code 1 where a pointer or an object of the store is lost or changed.

    \b
    compactctl verify                             every run and every object
    compactctl verify session.compacted.jsonl     the pointers that a session holds
    compactctl verify 20260101T120000000Z-1a2b3c4d
    """  # noqa: D301 -- \b is for the help formatter
    from compactctl.store.checks import verify as check  # noqa: PLC0415 -- --help need not load it
    from compactctl.store.store import Store  # noqa: PLC0415 -- as above

    config = options.configured()
    chosen = options.plain_format(config, format_)
    kept = Store.open(options.store_path(config, store), create=False)
    folder = config.pick("root", root)
    with output.Progress() as progress:
        progress("following pointers")
        here = Path(folder) if folder else None
        pointers = _followed(kept, _asked(kept, what or (), here), here)
        checks: tuple[ObjectCheck, ...] = ()
        if objects or not what:
            progress("checking the store")
            checks = check(kept)
    found = _Found(pointers=pointers, objects=checks)
    output.write_report(_report(found, chosen), report_file)
    raise typer.Exit(ExitCode.OK if found.sound else ExitCode.FINDINGS)


def _asked(kept: "Store", names: Sequence[str], root: Path | None) -> Iterator[_Group]:
    """The pointers of each run or file, one after the other: a store may hold many runs."""
    ledgers = kept.ledgers()
    if not names:
        yield from (_Group(_of_ledger(ledger)) for ledger in ledgers)
    for name in names:
        if name == "-" or Path(name).exists():
            yield from _of_file(options.session_file(name), ledgers, files=root is not None)
        else:
            yield _Group(_of_ledger(kept.ledger(name)))


def _of_ledger(ledger: Mapping[str, Any]) -> tuple[KeptPointer, ...]:
    return tuple(
        KeptPointer(
            pointer=one["pointer"],
            entry=one["entry"],
            evidence=one["evidence"],
            status=PointerStatus.UNVERIFIABLE,
        )
        for one in ledger["pointers"]
    )


def _of_file(name: str, ledgers: Sequence[Mapping[str, Any]], *, files: bool) -> Iterator[_Group]:
    """What the session's state blocks point at, and what the runs that wrote it kept."""
    from compactctl.cli.block_pointers import block_pointers, file_pointers  # noqa: PLC0415 -- late
    from compactctl.engine.sessions import open_sessions  # noqa: PLC0415 -- not for --help

    with open_sessions(name) as sessions:
        for one in sessions:
            held = dict.fromkeys(block_pointers(one))
            if files:
                held |= dict.fromkeys(file_pointers(one))
            yield _Group(tuple(held), one.transcript.cwd)
        sha256 = sessions[0].source.sha256()
    for ledger in ledgers:
        written = ledger.get("output")
        if isinstance(written, Mapping) and written.get("sha256") == sha256:
            yield _Group(_of_ledger(ledger))


def _followed(
    kept: "Store", groups: Iterable[_Group], root: Path | None
) -> tuple[KeptPointer, ...]:
    from compactctl.store.pointers import verify_pointers  # noqa: PLC0415 -- not for --help

    return tuple(
        pointer
        for group in groups
        for pointer in verify_pointers(kept, group.pointers, root=root, cwd=group.cwd)
    )


def _report(found: _Found, chosen: PlainFormat) -> str:
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- --help need not load it
    from compactctl.report.documents import verify_document  # noqa: PLC0415 -- as above
    from compactctl.report.listings import render_verify  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above

    objects = [{"path": str(one.path), "status": one.status} for one in found.objects]
    document = masked(verify_document(found.pointers, objects))
    if chosen is PlainFormat.JSON:
        return dump_json(document).decode()
    return render_verify(document, width=output.width())
