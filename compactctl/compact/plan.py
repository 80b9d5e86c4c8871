"""What: one plan for a compaction, by the ladder clear, then fold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from compactctl.compact.assembly import Assembled, TooSmall, assemble, pointer_of
from compactctl.compact.boundary import Cut, Deferred, choose_cut
from compactctl.compact.clear import Rewrite, clear
from compactctl.compact.head import Head, take_head
from compactctl.compact.material import Material, Settings
from compactctl.compact.policies import raw
from compactctl.compact.rules import Policy
from compactctl.formats.state_block import BlockText, Ref, StateBlock
from compactctl.model.compaction import Action, Decision, Level, NewArguments, NewText, Trigger
from compactctl.model.entry import AUTHORITIES, Author, Seen
from compactctl.model.pointer import PREFIX_LENGTH
from compactctl.model.transcript import BoundaryKind

BLOCK = "block"
"""Name of the inserted state block in decisions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """
    What a compaction will do.

    ``decisions`` stand in view order. ``estimate`` is the size of the view after, in tokens, by
    counting the parts; the written view is counted again.
    """

    level: Level
    cut: Cut | None
    head: Head | None
    assembled: Assembled | None
    rewrites: Mapping[str, NewText | NewArguments]
    decisions: tuple[Decision, ...]
    not_refetchable: tuple[str, ...]
    estimate: int

    @property
    def block(self) -> StateBlock | None:
        """The state block that replaces the head, ``None`` where nothing is folded."""
        return self.assembled.block if self.assembled else None


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing may be written, and what to do."""

    reason: str
    hint: str


def make_plan(
    material: Material,
    settings: Settings,
    policy: Policy,
    trigger: Trigger,
    *,
    human_apart: bool,
    keeps_initial: bool,
) -> Plan | Deferred | Refused:
    """
    Return the plan of the lowest rung that reaches the target, or that of the cap.

    ``Deferred`` where a fold has no place to cut; over ``pressed_share`` of the window the
    clearing outside the no-cut zones is then planned all the same.
    """
    planner = _Planner(material, settings, policy, human_apart, keeps_initial)
    if planner.nothing_new():
        return Refused(
            "nothing-new: this was compacted by the same policy and nothing came after",
            "go on with the session, or change the policy or its flags",
        )
    cleared = planner.clear_plan()
    if settings.level is Level.CLEAR or planner.reaches(cleared):
        return cleared
    cut = choose_cut(material, settings)
    if isinstance(cut, Deferred):
        pressed = trigger.share > settings.pressed_share
        return cleared if pressed and cleared.rewrites else cut
    return planner.fold_plan(cut)


def policy_digest(policy: Policy, settings: Settings, encoding: str) -> str:
    """Return the sha256 of everything that decides what a run writes, in hex."""
    named = {
        "level": list(Level).index(settings.level),
        "target": settings.target or 0,
        "budget": settings.budget or 0,
        "keep_recent": settings.keep_recent,
        "keep_tail": settings.keep_tail,
        "keep_human": settings.keep_human,
        "min_item": settings.min_item,
        "state_share": settings.state_share,
        "encoding": sum(encoding.encode()),
    }
    return replace(policy, settings=named).sha256()


class _Planner:
    def __init__(
        self,
        material: Material,
        settings: Settings,
        policy: Policy,
        human_apart: bool,  # noqa: FBT001 -- private, passed by name above
        keeps_initial: bool,  # noqa: FBT001 -- as above
    ) -> None:
        self.material = material
        self.settings = settings
        self.policy = policy
        self.human_apart = human_apart
        self.keeps_initial = keeps_initial
        self.digest = policy_digest(policy, settings, material.encoding)[:PREFIX_LENGTH]

    def nothing_new(self) -> bool:
        view = self.material.view
        if not view:
            return False
        whole = take_head(self.material, len(view), keeps_initial=False)
        last = self.material.digests[view[-1].entry.id]
        return any(b.policy == self.digest and b.last_entry == last for b in whole.carried)

    def reaches(self, plan: Plan) -> bool:
        target = self.settings.target
        return target is not None and bool(plan.rewrites) and plan.estimate <= target

    def clear_plan(self) -> Plan:
        zones = self.material.classification.no_cut
        rewrites = clear(self.material, self.settings, self.policy, zones=zones)
        by_entry = {rewrite.entry: rewrite for rewrite in rewrites}
        saved = sum(self.material.tokens[r.entry] - r.tokens for r in rewrites)
        return Plan(
            level=Level.CLEAR,
            cut=None,
            head=None,
            assembled=None,
            rewrites={r.entry: r.replacement for r in rewrites},
            decisions=tuple(self._stay(seen, by_entry) for seen in self.material.view),
            not_refetchable=(),
            estimate=self.material.total - saved,
        )

    def fold_plan(self, cut: Cut) -> Plan | Refused:
        head = take_head(self.material, cut.at, keeps_initial=self.keeps_initial)
        view = self.material.view
        assembled = assemble(
            head,
            self.settings,
            policy=self.digest,
            last_entry=self.material.digests[view[-1].entry.id],
            round_number=self._round(head),
            human_apart=self.human_apart,
        )
        if isinstance(assembled, TooSmall):
            return Refused(assembled.reason, assembled.hint)
        zones = self.material.classification.no_cut
        rewrites = clear(self.material, self.settings, self.policy, first=cut.at, zones=zones)
        by_entry = {rewrite.entry: rewrite for rewrite in rewrites}
        decisions = (
            *(self._stay(seen, {}) for seen in view[: head.kept]),
            *_Folding(head, assembled).decisions(),
            *(self._stay(seen, by_entry) for seen in view[cut.at :]),
        )
        plan = Plan(
            level=Level.FOLD,
            cut=cut,
            head=head,
            assembled=assembled,
            rewrites={r.entry: r.replacement for r in rewrites},
            decisions=decisions,
            not_refetchable=raw.not_refetchable(head),
            estimate=sum(d.tokens_after for d in decisions if d.action is not Action.MOVE),
        )
        return self._checked(plan, assembled)

    def _checked(self, plan: Plan, assembled: Assembled) -> Plan | Refused:
        target = self.settings.target
        if target is not None and plan.estimate > target:
            rest = plan.estimate - assembled.tokens
            return Refused(
                f"target-unreachable: {target:,} tokens; pinned and state parts take "
                f"{assembled.tokens:,} and the kept entries {rest:,}",
                f"ask for at least --target {plan.estimate:,}, or lower --keep-tail",
            )
        return plan

    def _round(self, head: Head) -> int:
        full = [
            b
            for b in self.material.transcript.boundaries
            if b.kind is BoundaryKind.FULL and not b.ours
        ]
        return max((block.round for block in head.carried), default=len(full)) + 1

    def _stay(self, seen: Seen, rewrites: Mapping[str, Rewrite]) -> Decision:
        entry = seen.entry
        tokens = self.material.tokens[entry.id]
        state = self.material.classification.entries[entry.id].state
        rewrite = rewrites.get(entry.id)
        if rewrite is None:
            return Decision(
                entry=entry.id,
                action=Action.KEEP,
                state=state,
                reason="stays",
                tokens_before=tokens,
                tokens_after=tokens,
            )
        return Decision(
            entry=entry.id,
            action=Action.REWRITE,
            state=state,
            reason=rewrite.reason,
            tokens_before=tokens,
            tokens_after=rewrite.tokens,
            pointer=self.material.pointer(entry),
            replacement=rewrite.replacement,
        )


class _Folding:
    """The decisions for the folded part of a view."""

    def __init__(self, head: Head, assembled: Assembled) -> None:
        self.head = head
        self.assembled = assembled
        own = head.material.snapshot
        self.moved = {
            said.ref.entry
            for said in assembled.block.human
            if said.text is not None and said.ref.snapshot == own
        }
        self.pointed = {said.ref.entry for said in assembled.pointed_text}
        self.unwritten = set(assembled.unwritten)

    def decisions(self) -> Iterator[Decision]:
        state = self.head.material.classification.entries
        for seen in self.head.folded:
            action, reason = self._fate(seen)
            yield Decision(
                entry=seen.entry.id,
                action=action,
                state=state[seen.entry.id].state,
                reason=reason,
                tokens_before=self.head.material.tokens[seen.entry.id],
                tokens_after=0,
                pointer=self.head.material.pointer(seen.entry),
            )
        first = self.head.folded[0].entry.id
        yield Decision(
            entry=BLOCK,
            action=Action.INSERT,
            state=state[first].state,
            reason="state block: pinned, human text, state",
            tokens_before=0,
            tokens_after=self.assembled.tokens,
        )

    def _fate(self, seen: Seen) -> tuple[Action, str]:
        entry = seen.entry
        if entry.id in self.moved:
            return Action.MOVE, "verbatim in the state block"
        if entry.id in self.pointed:
            return Action.DROP, "human text beyond the limit: pins kept, pointer kept"
        if entry.author is Author.CARRIED:
            return Action.DROP, "carried on in the new state block"
        if entry.author in AUTHORITIES:
            return Action.DROP, "its pins are in the state block"
        ref = Ref(self.head.material.snapshot, entry.id)
        if ref in self.unwritten:
            return Action.DROP, "its line gave way to the budget: pointer in the ledger"
        return Action.DROP, _DROPPED.get(entry.author, "raw: one line and pointer kept")


_DROPPED = {
    Author.ASSISTANT: "reasoning and calls: abandoned branches keep a line",
    Author.SUMMARY: "earlier summary: named with its pointer",
    Author.HARNESS: "injected by the harness",
}


def pointed_texts(assembled: Assembled) -> tuple[tuple[str, str], ...]:
    """Return pointer and text of the human messages that gave way."""
    return tuple((pointer_of(said.ref), said.text or "") for said in _whole(assembled))


def _whole(assembled: Assembled) -> tuple[BlockText, ...]:
    return tuple(said for said in assembled.pointed_text if said.text is not None)
