"""What the rules judge: a session and each compaction in it, with all that they ask about it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from compactctl.audit.wording import Reading
from compactctl.model.audit import PinFate
from compactctl.model.classification import Classification
from compactctl.model.compaction import Compaction
from compactctl.model.entry import TELLERS, Author, Entry, Kind, View
from compactctl.model.transcript import Content, RecordedBoundary, Transcript


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    One compaction, as it is judged.

    ``before`` is what the model saw right before it, ``after`` what it saw right after, before
    anybody went on. ``line`` is the line of the boundary; entries of a line below it were said
    before. ``opaque`` says that what stands in place of the head cannot be read.
    """

    line: int
    source: str
    recorded: RecordedBoundary | None
    compaction: Compaction
    before: View
    after: View
    fates: tuple[PinFate, ...]
    opaque: bool
    text: Callable[[Entry, str | None], str]

    @cached_property
    def written(self) -> tuple[tuple[Entry, str], ...]:
        """Entries that the compaction wrote in place of the head, with their text."""
        known = {seen.entry.id for seen in self.before}
        return tuple(
            (seen.entry, self.text(seen.entry, seen.shown))
            for seen in self.after
            if seen.entry.author in TELLERS and seen.entry.id not in known
        )

    @cached_property
    def summary(self) -> str:
        """The text written in place of the head; empty where there is none to read."""
        return "\n\n".join(text for _, text in self.written)

    @cached_property
    def summary_line(self) -> int:
        """The line that the summary stands on, else that of the boundary."""
        return self.written[0][0].line if self.written else self.line

    @cached_property
    def summary_reading(self) -> Reading:
        """The summary, ready to look statements up in."""
        return Reading(self.summary)

    @cached_property
    def after_reading(self) -> Reading:
        """All text in view afterwards, ready to look statements up in."""
        return Reading("\n\n".join(self.text(seen.entry, seen.shown) for seen in self.after))

    @cached_property
    def before_ids(self) -> frozenset[str]:
        """The entries in view before."""
        return frozenset(seen.entry.id for seen in self.before)

    @cached_property
    def after_ids(self) -> frozenset[str]:
        """The entries in view afterwards."""
        return frozenset(seen.entry.id for seen in self.after)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """
    A session under audit: what classifying found in all of it, and its compactions in order.

    ``content`` reads the text of any entry. Rules about the session itself use the transcript;
    rules about compactions go over ``cases``.
    """

    transcript: Transcript
    content: Content
    classification: Classification
    cases: tuple[Case, ...]

    @property
    def path(self) -> str:
        """The file."""
        return self.transcript.path

    @cached_property
    def human_texts(self) -> Sequence[tuple[Entry, str]]:
        """What people and delegators typed, in order."""
        return tuple(
            (entry, self.content.text(entry))
            for entry in self.transcript.entries
            if entry.author in (Author.HUMAN, Author.DELEGATOR)
            and entry.kind is not Kind.TOOL_CALL
        )

    def next_line(self, case: Case) -> int:
        """Return the line of the compaction after a case, else one past the end."""
        later = [other.line for other in self.cases if other.line > case.line]
        last = self.transcript.records[-1].line if self.transcript.records else 0
        return min(later, default=last + 1)
