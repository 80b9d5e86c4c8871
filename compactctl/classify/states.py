"""The class of every entry: the table by author and kind, and the one rule above it."""

from collections.abc import Mapping, Sequence

from compactctl.model.classification import ClassifiedEntry, ToolResult
from compactctl.model.entry import Author, Entry, Kind, StateClass
from compactctl.model.table import CLASS_TABLE

_WHY = {
    (Author.HUMAN, Kind.TEXT): "a human said it",
    (Author.DELEGATOR, Kind.TEXT): "the delegating agent's prompt binds its own chain",
    (Author.SYSTEM, Kind.TEXT): "instructions of the system or developer",
    (Author.ASSISTANT, Kind.TEXT): "the assistant's words prove nothing by themselves",
    (Author.ASSISTANT, Kind.THINKING): "the assistant's reasoning",
    (Author.SUMMARY, Kind.TEXT): "an earlier summary retells and proves nothing",
    (Author.CARRIED, Kind.TEXT): "the state block of an earlier compaction",
    (Author.HARNESS, Kind.TEXT): "injected by the harness",
}
_PLAIN = {
    Kind.TOOL_CALL: "a call whose result can be had again",
    Kind.TOOL_RESULT: "output that can be had again and proves nothing lasting",
    Kind.IMAGE: "an image",
    Kind.FILE: "a file",
}


def classify_entries(
    entries: Sequence[Entry], results: Sequence[ToolResult]
) -> Mapping[str, ClassifiedEntry]:
    """
    Return the class of each entry, by entry id, in the order of the entries.

    A result that proves something is a fact and its call shares the class; a rejection that holds
    a human's reason is a decision.
    """
    proven: dict[str, str] = {}
    for result in results:
        if result.proves and result.result_entry is not None:
            why = f"{result.kind} result, outcome {result.outcome}"
            proven[result.call_entry] = f"the call of a {why}"
            proven[result.result_entry] = f"{why}: a later reader needs it"
    return {entry.id: _class_of(entry, proven) for entry in entries}


def _class_of(entry: Entry, proven: Mapping[str, str]) -> ClassifiedEntry:
    if entry.kind is Kind.TOOL_RESULT and entry.rejected and entry.authored:
        return ClassifiedEntry(StateClass.DECISION, "a human rejected the call and said why")
    if entry.id in proven:
        return ClassifiedEntry(StateClass.FACT, proven[entry.id])
    why = _WHY.get((entry.author, entry.kind)) or _PLAIN.get(entry.kind)
    return ClassifiedEntry(
        CLASS_TABLE[entry.author, entry.kind], why or f"{entry.kind} of {entry.author}"
    )
