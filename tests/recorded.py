"""An invented session in memory: entries and texts, without files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from compactctl.model.entry import Author, Entry, Kind, LineUnit, Record, Span
from compactctl.model.transcript import Transcript


@dataclass
class Recorded:
    """Add entries line by line; it is its own ``Content``."""

    format: str = "claude-code"
    entries: list[Entry] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    given: dict[str, Mapping[str, object]] = field(default_factory=dict)

    @property
    def line(self) -> int:
        return len(self.entries)

    def _add(self, text: str, **values: object) -> int:
        line = len(self.entries) + 1
        entry = Entry(
            id=f"L{line}.0", line=line, block=0, record=line - 1, size=len(text), **values
        )
        self.entries.append(entry)
        self.texts[entry.id] = text
        return line

    def human(self, text: str) -> int:
        return self._add(text, author=Author.HUMAN, kind=Kind.TEXT)

    def say(self, text: str) -> int:
        return self._add(text, author=Author.ASSISTANT, kind=Kind.TEXT, message=f"m{self.line}")

    def call(self, call_id: str, tool: str, **arguments: object) -> int:
        line = self._add(
            f"{tool}\n{json.dumps(arguments)}",
            author=Author.ASSISTANT,
            kind=Kind.TOOL_CALL,
            tool=tool,
            call_id=call_id,
            message=f"m{self.line}",
        )
        self.given[f"L{line}.0"] = arguments
        return line

    def result(
        self, call_id: str, text: str, *, failed: bool | None = None, rejected: bool = False
    ) -> int:
        return self._add(
            text,
            author=Author.TOOL,
            kind=Kind.TOOL_RESULT,
            call_id=call_id,
            failed=failed,
            rejected=rejected,
            authored=(Span(0, len(text)),) if rejected else (),
        )

    def run(self, command: str, text: str, *, failed: bool | None = None) -> int:
        """Add a Bash call and its result; returns the line of the call."""
        call_id = f"c{self.line}"
        line = self.call(call_id, "Bash", command=command)
        self.result(call_id, text, failed=failed)
        return line

    def edit(self, path: str) -> int:
        call_id = f"c{self.line}"
        line = self.call(call_id, "Edit", file_path=path, old_string="a", new_string="b")
        self.result(call_id, f"The file {path} has been updated successfully.")
        return line

    def answer(self, text: str) -> int:
        """Add what a tool says in plain text, without a call."""
        return self._add(text, author=Author.TOOL, kind=Kind.TEXT)

    def text(self, entry: Entry) -> str:
        return self.texts[entry.id]

    def arguments(self, entry: Entry) -> Mapping[str, object]:
        return self.given.get(entry.id, {})

    def raw(self, record: Record) -> bytes:
        raise NotImplementedError

    @property
    def transcript(self) -> Transcript:
        records = tuple(
            Record(line=e.line, offset=0, length=0, type="x", first_entry=at, entry_count=1)
            for at, e in enumerate(self.entries)
        )
        return Transcript(
            path="invented.jsonl",
            format=self.format,
            layout="lines",
            sha256="0" * 64,
            bytes=0,
            line_unit=LineUnit.LINE,
            conversation=None,
            records=records,
            entries=tuple(self.entries),
            boundaries=(),
            usage=(),
            damage=(),
            detail={},
        )
