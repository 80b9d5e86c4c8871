"""Open work: what the last todo list or plan of each chain leaves to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compactctl.classify.results.one_line import visible
from compactctl.classify.results.tools import Family, family_of
from compactctl.model.classification import OpenItem
from compactctl.model.entry import Entry

_LISTS = ("todos", "plan", "todoList", "task_list", "items", "tasks")
_TEXTS = ("content", "step", "title", "subject", "description", "text", "task")
_DONE = frozenset({"completed", "complete", "done", "cancelled", "canceled", "deleted"})
_RUNNING = frozenset({"in_progress", "in-progress", "doing", "active", "inprogress"})
_LIMIT = 300


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A plan's step that was reported done: where, and what it says."""

    at: int
    line: int
    text: str
    all_done: bool
    chain: str


@dataclass(slots=True)
class PlanReader:
    """
    Follows the todo lists and plans of a session; feed it every call in order.

    A whole list replaces the last one of its chain. Tasks that are created and updated one by one
    keep their state until they are updated; what was completed stays so.
    """

    steps: list[PlanStep] = field(default_factory=list)
    _lists: dict[str, dict[str, OpenItem]] = field(default_factory=dict)
    _done: dict[str, set[str]] = field(default_factory=dict)
    _created: dict[str, int] = field(default_factory=dict)

    def call(self, at: int, entry: Entry, arguments: Mapping[str, object]) -> None:
        """Take a call; calls of other tools change nothing."""
        if family_of(entry.tool, arguments) is not Family.PLAN:
            return
        items = next((arguments[k] for k in _LISTS if isinstance(arguments.get(k), list)), None)
        if isinstance(items, list):
            self._replace(at, entry, items)
        elif (entry.tool or "").lower() == "taskcreate":
            self._create(entry, arguments)
        elif (entry.tool or "").lower() == "taskupdate":
            self._update(at, entry, arguments)

    def open_items(self) -> tuple[OpenItem, ...]:
        """Return what is not known to be finished, in the order of the lists."""
        found = [item for items in self._lists.values() for item in items.values() if item.status]
        return tuple(item for item in found if item.status not in _DONE)

    def _replace(self, at: int, entry: Entry, items: Sequence[object]) -> None:
        done_before = self._done.setdefault(entry.chain, set())
        fresh: dict[str, OpenItem] = {}
        newly: list[str] = []
        done: set[str] = set()
        for item in items:
            if not isinstance(item, dict) or (text := _text(item)) is None:
                continue
            status = _status(item.get("status"))
            if status == "completed":
                done.add(text)
                if text not in done_before:
                    newly.append(text)
            else:
                fresh[text] = OpenItem(text, entry.line, entry.id, status)
        for text in newly:
            self.steps.append(PlanStep(at, entry.line, text, not fresh, entry.chain))
        self._done[entry.chain] = done
        self._lists[entry.chain] = fresh

    def _create(self, entry: Entry, arguments: Mapping[str, object]) -> None:
        text = _text(arguments)
        if text is None:
            return
        number = self._created.get(entry.chain, 0) + 1
        self._created[entry.chain] = number
        items = self._lists.setdefault(entry.chain, {})
        items[str(number)] = OpenItem(text, entry.line, entry.id, "pending")

    def _update(self, at: int, entry: Entry, arguments: Mapping[str, object]) -> None:
        items = self._lists.setdefault(entry.chain, {})
        number = str(arguments.get("taskId", arguments.get("id", "")))
        known = items.get(number)
        if "status" not in arguments:
            return
        status = _status(arguments.get("status"))
        if known is None:
            # Made before the recording began, or by another chain.
            if status == "completed" and number:
                self.steps.append(
                    PlanStep(at, entry.line, f"task {number}", all_done=False, chain=entry.chain)
                )
            return
        if status == "completed":
            del items[number]
            self.steps.append(PlanStep(at, entry.line, known.text, not items, entry.chain))
        else:
            items[number] = OpenItem(known.text, entry.line, entry.id, status)


def _status(value: object) -> str:
    word = str(value or "pending").lower()
    if word in _DONE:
        return "completed"
    return "in_progress" if word in _RUNNING else "pending"


def _text(item: Mapping[str, object]) -> str | None:
    text = next((item[k] for k in _TEXTS if isinstance(item.get(k), str)), None)
    return visible(text.strip())[:_LIMIT] if isinstance(text, str) and text.strip() else None
