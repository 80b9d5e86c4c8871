"""Prompts that were typed while the assistant worked, and how they reached it."""

from collections import deque
from collections.abc import Mapping

from compactctl.formats.base import JsonObject
from compactctl.formats.message_parts import mapping, string


class PromptQueue:
    """
    Follows the queue of a session.

    A prompt leaves it in one of four ways: ``dequeue`` starts a turn, which is a record of its
    own; ``remove`` hands it over between two calls, which builds since 2.1.91 record as an
    attachment and older ones nowhere else; ``popAll`` gives all back to the human; or the
    recording ends. Only the unrecorded hand-over makes the queued row itself what the model saw.
    """

    def __init__(self) -> None:
        """Start with an empty queue."""
        self._waiting: deque[tuple[int, str]] = deque()
        self._handed_over: dict[int, tuple[int, str]] = {}
        self._recorded: set[str] = set()

    def note(self, value: JsonObject, line: int) -> None:
        """Take in one record."""
        if value.get("type") == "attachment":
            attachment = mapping(value.get("attachment"))
            if attachment.get("type") == "queued_command":
                self._recorded.update(_texts(attachment.get("prompt")))
            return
        if value.get("type") != "queue-operation":
            return
        match value.get("operation"):
            case "enqueue":
                self._waiting.append((line, string(value, "content") or ""))
            case "remove" if self._waiting:
                queued, text = self._waiting.popleft()
                self._handed_over[queued] = (line, text)
            case "dequeue" if self._waiting:
                self._waiting.popleft()
            case "popAll":
                self._waiting.clear()
            case _:
                pass

    def delivered(self) -> Mapping[int, int]:
        """Return the lines of prompts that no other record holds, with those of the hand-over."""
        return {
            queued: line
            for queued, (line, text) in self._handed_over.items()
            if text not in self._recorded
        }


def _texts(prompt: object) -> list[str]:
    parts = prompt if isinstance(prompt, list) else [prompt]
    return [p if isinstance(p, str) else string(mapping(p), "text") or "" for p in parts]
