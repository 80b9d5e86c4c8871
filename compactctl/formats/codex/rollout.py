"""The Codex rollout format (see ``Format``)."""

from collections.abc import Iterator, Mapping, Sequence

from compactctl.formats.base import Format, JsonObject, WriteJob
from compactctl.formats.codex.items import Part, record_parts
from compactctl.formats.codex.read import RolloutReader
from compactctl.formats.codex.view import rollout_view
from compactctl.formats.codex.write import write_rollout
from compactctl.model.entry import View
from compactctl.model.transcript import Content, Transcript

_TYPES = frozenset(
    {
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
    }
)


class Codex:
    """Rollout files of the Codex CLI, one record a line, from version 0.50 on."""

    name = "codex"
    title = "Codex rollout"
    appends = True
    human_apart = True
    keeps_initial = True

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._last: tuple[JsonObject, tuple[Part, ...]] | None = None

    def sniff(self, head: Sequence[object]) -> bool:
        """Return whether the first value is an envelope of time, type and payload."""
        first = next((value for value in head if isinstance(value, dict)), None)
        return (
            first is not None
            and first.get("type") in _TYPES
            and isinstance(first.get("payload"), dict)
            and "timestamp" in first
        )

    def reader(self) -> RolloutReader:
        """Return a reader for one rollout."""
        return RolloutReader()

    def text(self, value: JsonObject, block: int) -> str:
        """Return the model-visible text of a record's block."""
        return self._parts(value)[block].text

    def arguments(self, value: JsonObject, block: int) -> Mapping[str, object]:
        """Return the arguments of the call in a record's block, ``{}`` for other blocks."""
        return self._parts(value)[block].arguments

    def view(self, transcript: Transcript, content: Content, records: int) -> View:
        """Return what the model sees after the first ``records`` records."""
        return rollout_view(transcript, content, records)

    def write(self, job: WriteJob) -> Iterator[bytes]:
        """Yield the bytes of the compacted rollout."""
        return write_rollout(job)

    def resume_hint(self, transcript: Transcript, output: str) -> str:
        """Return one sentence: how to continue from the output in Codex."""
        session = transcript.session_id or "<id>"
        return (
            f"move the original away, copy {output} to its place "
            f"(~/.codex/sessions/YYYY/MM/DD/rollout-<time>-{session}.jsonl) and run "
            f"codex resume {session}"
        )

    def _parts(self, value: JsonObject) -> tuple[Part, ...]:
        # A compacted record has hundreds of blocks, and they are asked for one by one.
        last = self._last
        if last is None or last[0] is not value:
            last = self._last = (value, record_parts(value))
        return last[1]


CODEX: Format = Codex()
