"""The first rung: large arguments and answered results become references, in place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from compactctl.compact.material import Material, Settings
from compactctl.compact.rules import Policy, fill
from compactctl.model.classification import NoCut, Outcome, ToolResult
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Author, Entry, Kind, Seen

_NO_ARGUMENTS: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A reference in place of what stood there; ``tokens`` are those of the new entry."""

    entry: str
    replacement: NewText | NewArguments
    tokens: int
    reason: str
    refetchable: bool = True


def clear(
    material: Material,
    settings: Settings,
    policy: Policy,
    *,
    first: int = 0,
    zones: tuple[NoCut, ...] = (),
) -> tuple[Rewrite, ...]:
    """
    Return the rewrites that the policy allows from position ``first`` of the view on.

    One walk that records each call's arguments under its call id. Left alone: the last
    ``keep_recent`` results and their calls, items under ``min_item`` tokens, results that are no
    success, results in a no-cut zone (a retry loop holds the errors that explain it), results
    that the agent has not answered to, and calls in messages with signed thinking.
    """
    return tuple(_Walk(material, settings, policy, zones).rewrites(first))


class _Walk:
    def __init__(
        self, material: Material, settings: Settings, policy: Policy, zones: tuple[NoCut, ...]
    ) -> None:
        self.material = material
        self.settings = settings
        self.policy = policy
        self.zones = zones
        entries = [seen.entry for seen in material.view]
        self.recent = self._recent_calls(entries)
        self.sealed = {(e.chain, e.message) for e in entries if e.sealed and e.message}
        self.last_answer = max(
            (at for at, e in enumerate(entries) if e.author is Author.ASSISTANT), default=-1
        )

    def rewrites(self, first: int) -> Iterator[Rewrite]:
        arguments: dict[tuple[str, str], Mapping[str, object]] = {}
        for at, seen in enumerate(self.material.view):
            entry = seen.entry
            if entry.call_id is None:
                continue
            key = (entry.chain, entry.call_id)
            if entry.kind is Kind.TOOL_CALL:
                arguments[key] = self.material.content.arguments(entry)
            if at < first or key in self.recent or not self._large(seen):
                continue
            result = self.material.result_of_entry.get(entry.id)
            if result is None or result.outcome is not Outcome.SUCCESS or self._in_zone(entry):
                continue
            if entry.kind is Kind.TOOL_CALL:
                yield from self._call(entry, arguments[key])
            elif entry.kind is Kind.TOOL_RESULT and at < self.last_answer:
                yield from self._result(entry, result, arguments.get(key, _NO_ARGUMENTS))

    def _call(self, entry: Entry, arguments: Mapping[str, object]) -> Iterator[Rewrite]:
        rule = self.policy.call_rule(entry.tool or "")
        if rule is None or (entry.chain, entry.message) in self.sealed:
            return
        text = f"{rule.text} ({self.material.pointer(entry)})"
        count = self.material.count
        floor = count(text)
        replaced = {
            name: text
            for name in rule.arguments
            if isinstance(value := arguments.get(name), str)
            # A token is at least one byte, so short values need no counting.
            and len(value.encode("utf-8", "replace")) > floor
            and count(value) > floor
        }
        if not replaced:
            return
        saved = sum(count(str(arguments[name])) - floor for name in replaced)
        tokens = self.material.tokens[entry.id] - saved
        yield Rewrite(entry.id, NewArguments(replaced), tokens, "written content is in its place")

    def _result(
        self, entry: Entry, result: ToolResult, arguments: Mapping[str, object]
    ) -> Iterator[Rewrite]:
        rule = self.policy.result_rule(entry.tool or result.tool, result.kind)
        if rule is None:
            return
        # Shells name their argument differently; the classifier knows what was run.
        filled = fill(rule.text, {"command": result.subject, **arguments})
        text = f"{filled} ({self.material.pointer(entry)})"
        tokens = self.material.count(text)
        if tokens < self.material.tokens[entry.id]:
            yield Rewrite(entry.id, NewText(text), tokens, "processed, can be fetched again")

    def _large(self, seen: Seen) -> bool:
        return (
            seen.shown is None
            and self.material.tokens[seen.entry.id] >= self.settings.min_item
            and not seen.entry.sealed
        )

    def _in_zone(self, entry: Entry) -> bool:
        return any(zone.from_line <= entry.line <= zone.to_line for zone in self.zones)

    def _recent_calls(self, entries: list[Entry]) -> frozenset[tuple[str, str]]:
        results = [
            (e.chain, e.call_id)
            for e in entries
            if e.kind is Kind.TOOL_RESULT and e.call_id is not None
        ]
        recent = results[max(0, len(results) - self.settings.keep_recent) :]
        return frozenset(recent if self.settings.keep_recent else ())
