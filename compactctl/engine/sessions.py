"""Open sessions: a transcript with its text, its classes and its tokens, computed once."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property

from compactctl.classify import classify
from compactctl.compact.material import Material
from compactctl.compact.views import text_digest
from compactctl.formats.base import Format
from compactctl.formats.loading import load
from compactctl.io.source import Source
from compactctl.model.classification import Classification
from compactctl.model.entry import Seen, View
from compactctl.model.transcript import Content, Transcript
from compactctl.tokens.counter import TokenCounter


class Session:
    """
    One conversation of an open file.

    ``at`` gives the session as it was after a line. Everything that costs time is computed on
    first use and kept.
    """

    def __init__(
        self,
        source: Source,
        transcript: Transcript,
        content: Content,
        fmt: Format,
        counter: TokenCounter,
    ) -> None:
        """Bind a loaded transcript to the source that holds its bytes."""
        self.source = source
        self.transcript = transcript
        self.content = content
        self.format = fmt
        self.counter = counter

    def at(self, line: int | None) -> "Session":
        """Return the session as it was after ``line``; the whole for ``None``."""
        if line is None:
            return self
        return Session(
            self.source, prefix(self.transcript, line), self.content, self.format, self.counter
        )

    def named(self, sha256: str) -> "Session":
        """Return the session with its pointers into another, byte-wise earlier, original."""
        renamed = replace(self.transcript, sha256=sha256)
        return Session(self.source, renamed, self.content, self.format, self.counter)

    @cached_property
    def view(self) -> View:
        """What the model sees at the end."""
        return self.format.view(self.transcript, self.content, len(self.transcript.records))

    @cached_property
    def classification(self) -> Classification:
        """Classes, pins, results, facts, branches, claims and boundaries of the whole file."""
        return classify(self.transcript, self.content, self.view)

    @cached_property
    def material(self) -> Material:
        """The view with tokens and digests, ready for planning."""
        tokens, digests = self._counted((seen.entry.id, self._text(seen)) for seen in self.view)
        return Material(
            transcript=self.transcript,
            view=self.view,
            classification=self.classification,
            content=self.content,
            tokens=tokens,
            digests=digests,
            count=self.counter.count,
            encoding=self.counter.encoding,
        )

    def entry_tokens(self) -> Mapping[str, int]:
        """Return the tokens of every entry of the file by id, as stored."""
        return self.counted_entries()[0]

    def counted_entries(self) -> tuple[Mapping[str, int], Mapping[str, str]]:
        """Return the tokens and the digests of every entry of the file by id, as stored."""
        return self._counted((e.id, self.content.text(e)) for e in self.transcript.entries)

    def _counted(self, texts: Iterable[tuple[str, str]]) -> tuple[dict[str, int], dict[str, str]]:
        """Tokens and digests of texts by their keys; each text is read once."""
        keys: list[str] = []
        digests: dict[str, str] = {}

        def digested() -> Iterator[str]:
            for key, text in texts:
                keys.append(key)
                digests[key] = text_digest(text)
                yield text

        counts = list(self.counter.count_all(digested()))
        return dict(zip(keys, counts, strict=True)), digests

    def _text(self, seen: Seen) -> str:
        return self.content.text(seen.entry) if seen.shown is None else seen.shown


@contextmanager
def open_sessions(
    path: str,
    *,
    input_format: str | None = None,
    conversation: int | None = None,
    encoding: str = "o200k_base",
) -> Iterator[tuple[Session, ...]]:
    """
    Open a file and yield its conversations; close it at the end.

    Raises ``InputError`` where it cannot be read and ``UsageError`` for an unknown format,
    encoding or conversation.
    """
    counter = TokenCounter(encoding)
    with Source.open(path) as source:
        yield sessions_of(source, counter, input_format=input_format, conversation=conversation)


def sessions_of(
    source: Source,
    counter: TokenCounter,
    *,
    input_format: str | None = None,
    conversation: int | None = None,
) -> tuple[Session, ...]:
    """Return the conversations of an open source."""
    loaded = load(source, input_format=input_format, conversation=conversation)
    return tuple(
        Session(source, one.transcript, one.content, one.format, counter) for one in loaded
    )


def prefix(transcript: Transcript, line: int) -> Transcript:
    """Return the transcript as it was after ``line``: the records up to the last one there."""
    end = max((i for i, r in enumerate(transcript.records, 1) if r.line <= line), default=0)
    return transcript.first(end)
