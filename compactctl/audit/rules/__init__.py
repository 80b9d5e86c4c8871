"""The rules, one file each; adding one is its file and its line here."""

from compactctl.audit.rule import Rule
from compactctl.audit.rules import (
    abandoned_approach_lost,
    compaction_mid_task,
    constraint_altered,
    constraint_lost,
    invented_user_text,
    opaque_summary,
    phantom_completion,
    retry_after_boundary,
    stale_pending,
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
)
