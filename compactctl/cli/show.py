"""``show``: what the model sees, and the original behind a pointer."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from compactctl.cli import options, output
from compactctl.cli.moments import at_moment
from compactctl.cli.opening import opened
from compactctl.cli.wording import first_words, safe_line, safe_text
from compactctl.errors import UsageError
from compactctl.model.pointer import parse_pointer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from compactctl.engine.sessions import Session
    from compactctl.model.entry import Entry

_POINTER = "snap:"
_START = 600
"""Characters of an entry from which its first words are taken."""


def show(
    what: Annotated[
        str, typer.Argument(metavar="FILE|POINTER", help="A session, -, or snap:…#L12.0.")
    ],
    *,
    at: options.MomentOption = None,
    entry: Annotated[
        str | None, typer.Option(metavar="ENTRY", help="Print the text of one entry, as in L12.0.")
    ] = None,
    diff_at: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="What changed in view between two such moments."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="The exact bytes of the record: nothing masked.")
    ] = False,
    conversation: options.ConversationOption = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    store: options.StoreOption = None,
) -> None:
    """
    Show what the model sees, or an original.

    \b
    compactctl show session.jsonl                     the view, one line an entry
    compactctl show session.jsonl --at L120           the view as it was then
    compactctl show session.jsonl --diff-at L80 L120  what changed in view in between
    compactctl show session.jsonl --entry L12.0       one entry's text
    compactctl show 'snap:1a2b3c4d5e6f#L12.0' --raw   the original record, byte for byte
    """  # noqa: D301 -- \b is for the help formatter
    config = options.configured()
    if what.startswith(_POINTER):
        _show_pointer(what, options.store_path(config, store), raw=raw)
        return
    if raw and entry is None:
        raise UsageError("--raw shows one record", hint="name it: --entry L12.0")
    with opened(
        config,
        what,
        input_format=input_format,
        conversation=conversation,
        encoding=encoding,
        doing="classifying and counting",
    ) as found:
        if diff_at is not None:
            for session in found:
                output.write_text(_difference(session, *diff_at))
            return
        sessions = [at_moment(session, at) for session in found]
        if entry is not None:
            _show_entry(sessions, entry, what, raw=raw)
        else:
            for session in sessions:
                output.write_text("\n".join(_lines(session, output.width())))


def _difference(session: "Session", before: str, after: str) -> str:
    from compactctl.engine.compare import compare  # noqa: PLC0415 -- --help need not load it
    from compactctl.report.documents import diff_document  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above
    from compactctl.report.text import render_diff  # noqa: PLC0415 -- as above

    compaction = compare(at_moment(session, before), at_moment(session, after))
    document = {**diff_document(compaction), "reason": f"in view at {before} and at {after}"}
    return render_diff(masked(document), width=output.width(), full=True)


def _show_pointer(text: str, store: "Path", *, raw: bool) -> None:
    from compactctl.store.pointers import resolve  # noqa: PLC0415 -- --help need not load it
    from compactctl.store.store import Store  # noqa: PLC0415 -- as above

    pointer = parse_pointer(text)
    if pointer is None:
        raise UsageError(f"{text!r} is no pointer", hint="as in snap:1a2b3c4d5e6f#L12.0")
    found = resolve(Store.open(store, create=False), pointer)
    if raw:
        output.write_bytes([found.raw])
    else:
        output.write_text(safe_text(found.text or _no_text(found.entry)))


def _show_entry(sessions: "Sequence[Session]", name: str, where: str, *, raw: bool) -> None:
    for session in sessions:
        found = [
            entry
            for entry in session.transcript.entries
            if entry.id == name or ("." not in name.removeprefix("C") and _line_of(entry) == name)
        ]
        if found:
            _print_entries(session, found, raw=raw)
            return
    raise UsageError(f"{where}: there is no entry {name!r}", hint="show FILE lists the entries")


def _line_of(entry: "Entry") -> str:
    return entry.id.rpartition(".")[0]


def _print_entries(session: "Session", entries: "Sequence[Entry]", *, raw: bool) -> None:
    if raw:
        records = dict.fromkeys(entry.record for entry in entries)
        output.write_bytes(
            session.content.raw(session.transcript.records[record]) for record in records
        )
        return
    for entry in entries:
        output.write_text(safe_text(session.content.text(entry) or _no_text(entry)))


def _no_text(entry: "Entry") -> str:
    return f"({entry.kind} of {entry.author}: no text that can be read; --raw has the bytes)"


def _lines(session: "Session", width: int) -> Iterator[str]:
    material = session.material
    transcript = session.transcript
    number = f", conversation {transcript.conversation}" if transcript.conversation else ""
    yield safe_line(
        f"{transcript.path}{number}: {len(material.view)} entries in view, "
        f"{material.total:,} tokens (counted, {material.encoding})"
    )
    longest = max((len(seen.entry.id) for seen in material.view), default=0)
    for seen in material.view:
        entry = seen.entry
        state = material.classification.entries[entry.id].state
        start = (
            f"{entry.id:<{longest}}  {entry.author:<9} {entry.kind:<11} {state:<9} "
            f"{material.tokens[entry.id]:>7,}  "
        )
        yield start + first_words(material.text(seen)[:_START], max(20, width - len(start)))
