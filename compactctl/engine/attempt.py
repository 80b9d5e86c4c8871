"""One attempt at compacting a conversation: everything but the store and the output file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from compactctl.compact.boundary import Deferred
from compactctl.compact.invariants import violations
from compactctl.compact.material import Material, Settings
from compactctl.compact.pin_diff import diff_pins
from compactctl.compact.pins_there import pins_of_chains, pins_still_there
from compactctl.compact.plan import Plan, Refused, make_plan, policy_digest
from compactctl.compact.rules import Policy
from compactctl.compact.trigger import measure, recorded_occupancy
from compactctl.compact.views import cache_impact, estimated_part, view_entries
from compactctl.engine.advice import advise
from compactctl.engine.candidate import Stamp, read_back, write_candidate
from compactctl.engine.options import RunOptions
from compactctl.engine.sessions import Session
from compactctl.errors import UsageError
from compactctl.io.repair import repair_surrogates
from compactctl.io.source import Source
from compactctl.model.compaction import (
    Action,
    Compaction,
    Decision,
    Level,
    Origin,
    Status,
)
from compactctl.model.pointer import KeptPointer, PointerStatus
from compactctl.model.tokens import TokenReport

_EVIDENCE = 80
"""Characters of an original that its pointer must find again where nothing better is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """
    How an attempt ended.

    ``candidate`` holds the bytes of the output where there is one; ``attempted`` says whether a
    plan was carried out, so that a snapshot is owed.
    """

    compaction: Compaction
    candidate: Source | None
    attempted: bool
    after: Session | None


def attempt(
    session: Session, options: RunOptions, policy: Policy, settings: Settings, stamp: Stamp
) -> Attempt:
    """
    Return what compacting the session comes to.

    Raises ``UsageError`` where the options do not fit the format.
    """
    if options.append and not session.format.appends:
        raise UsageError(
            f"--append: {session.format.title} has no record for a compaction",
            hint="leave --append out; the output is then what the model would see next",
        )
    return _Attempt(session, options, policy, settings, stamp).outcome()


class _Attempt:
    def __init__(
        self,
        session: Session,
        options: RunOptions,
        policy: Policy,
        settings: Settings,
        stamp: Stamp,
    ) -> None:
        self.session = session.at(options.at)
        self.options = options
        self.policy = policy
        self.settings = settings
        self.stamp = stamp
        self.material = self.session.material
        self.trigger = measure(
            self.session.transcript,
            self.material.total,
            threshold=options.trigger,
            window=options.window,
        )

    def outcome(self) -> Attempt:
        planned = make_plan(
            self.material,
            self.settings,
            self.policy,
            self.trigger,
            human_apart=self.session.format.human_apart,
            keeps_initial=self.session.format.keeps_initial,
        )
        skip = self.options.if_needed and not self.trigger.reached
        if isinstance(planned, Deferred):
            status = Status.SKIPPED if skip else Status.DEFERRED
            return self._ended(status, planned.reason, planned.hint)
        if isinstance(planned, Refused):
            if skip:
                return self._ended(Status.SKIPPED, self._below(), "")
            return self._ended(Status.REFUSED, planned.reason, planned.hint, attempted=True)
        if skip:
            return self._skipped(planned)
        return self._carry_out(planned)

    def _skipped(self, plan: Plan) -> Attempt:
        """The diff that would have been is shown all the same; nothing of it is kept."""
        tried = self._carry_out(plan)
        after = self.material if tried.after is None else tried.after.material
        compaction = self._compaction(Status.SKIPPED, self._below(), "", plan, after)
        if tried.candidate is not None:
            tried.candidate.close()
        return Attempt(compaction=compaction, candidate=None, attempted=False, after=None)

    def _carry_out(self, plan: Plan) -> Attempt:
        if plan.level is Level.CLEAR and not plan.rewrites:
            reason = "not-smaller: there is nothing that clearing could replace"
            return self._ended(Status.REFUSED, reason, "let it fold: --level fold", attempted=True)
        candidate = write_candidate(
            self.session,
            plan,
            append=self.options.append,
            tokens_before=self.material.total,
            stamp=self.stamp,
            mend=repair_surrogates if self.options.repair else None,
        )
        after = read_back(candidate, self.session)
        refusal = self._refusal(plan, after)
        if refusal is not None:
            candidate.close()
            return self._ended(Status.REFUSED, *refusal, attempted=True)
        compaction = self._compaction(
            Status.COMPACTED, self._reason(plan), "", plan, after.material
        )
        return Attempt(compaction=compaction, candidate=candidate, attempted=True, after=after)

    def _refusal(self, plan: Plan, after: Session) -> tuple[str, str] | None:
        before, now = self.material.total, after.material.total
        if now >= before:
            return (
                f"not-smaller: {before:,} tokens would become {now:,}",
                "the session is small enough as it is",
            )
        target = self.settings.target
        if target is not None and now > target:
            return (
                f"target-unreachable: {target:,} tokens asked for, {now:,} reached",
                f"ask for at least --target {now:,}, or lower --keep-tail",
            )
        broken = violations(self.material, plan, after.material)
        if broken:
            return (
                "invariant-broken: " + "; ".join(broken[:3]),
                "this is a fault of compactctl: please report it with the session's shape",
            )
        return None

    def _ended(
        self, status: Status, reason: str, hint: str, *, attempted: bool = False
    ) -> Attempt:
        compaction = self._compaction(status, reason, hint, None, self.material)
        return Attempt(compaction=compaction, candidate=None, attempted=attempted, after=None)

    def _below(self) -> str:
        return (
            f"below the trigger: {self.trigger.tokens:,} of {self.trigger.threshold:,} tokens "
            f"({self.trigger.source})"
        )

    def _reason(self, plan: Plan) -> str:
        if plan.cut is not None:
            return f"folded at line {plan.cut.point.after_line}: {plan.cut.point.why}"
        return "cleared in place"

    def _compaction(
        self, status: Status, reason: str, hint: str, plan: Plan | None, after: Material
    ) -> Compaction:
        transcript = self.session.transcript
        before_view, after_view = view_entries(self.material), view_entries(after)
        pins = pins_of_chains(self.material.classification.pins, self.material.chains)
        pins_after = pins_still_there(pins, after)
        rounds = plan.block.round if plan and plan.block else 0
        return Compaction(
            origin=Origin.RUN,
            path=transcript.path,
            format=transcript.format,
            sha256=transcript.sha256,
            conversation=transcript.conversation,
            status=status,
            reason=reason,
            hint=hint,
            level=plan.level if plan else None,
            boundary=plan.cut.point if plan and plan.cut else None,
            no_cut=self.material.classification.no_cut,
            trigger=self.trigger,
            before=before_view,
            after=after_view,
            decisions=plan.decisions if plan else (),
            pins_before=pins,
            pins_after=pins_after,
            pins=diff_pins(pins, pins_after),
            pointers=tuple(self._pointers(plan)) if plan else (),
            tokens=self._tokens(plan, after),
            cache=cache_impact(before_view, after_view),
            not_refetchable=plan.not_refetchable if plan else (),
            advice=advise(self.material, self.trigger, rounds),
            policy_sha256=policy_digest(self.policy, self.settings, self.material.encoding),
            damage_count=len(transcript.damage),
            extra=_pointed(plan),
        )

    def _tokens(self, plan: Plan | None, after: Material) -> TokenReport:
        folded = plan.head.tokens if plan and plan.head else 0
        block = _block_size(plan, after)
        return TokenReport(
            before=self.material.total,
            after=after.total,
            head_before=folded,
            head_after=block,
            block=block,
            encoding=self.material.encoding,
            estimated_part_before=estimated_part(self.material.view),
            estimated_part_after=estimated_part(after.view),
            recorded=recorded_occupancy(self.session.transcript),
        )

    def _pointers(self, plan: Plan) -> Iterator[KeptPointer]:
        entries = {seen.entry.id: seen for seen in self.material.view}
        for decision in plan.decisions:
            if decision.pointer is None:
                continue
            seen = entries[decision.entry]
            yield KeptPointer(
                pointer=decision.pointer,
                entry=decision.entry,
                evidence=self._evidence(decision, self.material.content.text(seen.entry)),
                status=PointerStatus.UNVERIFIABLE,
            )

    def _evidence(self, decision: Decision, text: str) -> str:
        result = self.material.result_of_entry.get(decision.entry)
        exact: Iterable[str] = result.exact if result else ()
        found = next((part for part in exact if part and part in text), None)
        if found is not None:
            return found
        line = next((part for part in text.split("\n") if part.strip()), "")
        return line[:_EVIDENCE]


def _block_size(plan: Plan | None, after: Material) -> int:
    """Tokens of what was read back in place of the head."""
    if plan is None or plan.head is None or plan.cut is None:
        return 0
    tail = len(plan.head.material.view) - plan.cut.at
    written = after.view[plan.head.kept : len(after.view) - tail]
    return sum(after.tokens[seen.entry.id] for seen in written)


def _pointed(plan: Plan | None) -> dict[str, object]:
    if plan is None or plan.assembled is None:
        return {}
    return {
        "human_text_to_pointers": len(plan.assembled.pointed_text),
        "weak_pins_to_pointers": [pin.text for pin in plan.assembled.pointed_pins],
        "moved": sum(d.action is Action.MOVE for d in plan.decisions),
    }
