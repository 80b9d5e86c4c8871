"""The rules, one file each; adding one is its file and its line here."""

from compactctl.audit.rule import Rule
from compactctl.audit.rules import (
    abandoned_approach_lost,
    compaction_mid_task,
    compaction_too_late,
    constraint_altered,
    constraint_lost,
    damage,
    invented_user_text,
    opaque_summary,
    orphan_call,
    orphan_result,
    phantom_completion,
    retry_after_boundary,
    stale_pending,
    weak_compaction,
)

RULES: tuple[Rule, ...] = (
    constraint_lost.RULE,
    constraint_altered.RULE,
    invented_user_text.RULE,
    phantom_completion.RULE,
    stale_pending.RULE,
    abandoned_approach_lost.RULE,
    retry_after_boundary.RULE,
    compaction_mid_task.RULE,
    opaque_summary.RULE,
    compaction_too_late.RULE,
    weak_compaction.RULE,
    orphan_call.RULE,
    orphan_result.RULE,
    damage.RULE,
)
