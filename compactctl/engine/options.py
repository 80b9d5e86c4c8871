"""What a run can be asked for, and how flags, policy file and defaults combine."""

from dataclasses import dataclass, fields, replace
from pathlib import Path

from compactctl.compact.material import Settings
from compactctl.compact.rules import Policy
from compactctl.compact.trigger import DEFAULT_SHARE
from compactctl.model.compaction import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """
    The flags of a run; ``None`` leaves a size to the policy file or the default.

    ``trigger`` is a share of the window up to 1, above that a number of tokens.
    """

    level: Level = Level.FOLD
    target: int | None = None
    trigger: float = DEFAULT_SHARE
    budget: int | None = None
    at: int | None = None
    keep_recent: int | None = None
    keep_tail: int | None = None
    keep_human: int | None = None
    if_needed: bool = False
    dry_run: bool = False
    snapshot: bool = False
    append: bool = False
    policy_path: Path | None = None
    conversation: int | None = None
    window: int | None = None
    encoding: str = "o200k_base"
    input_format: str | None = None
    force: bool = False
    repair: bool = False
    strict: bool = False


def settings_of(options: RunOptions, policy: Policy) -> Settings:
    """Return the settings: flags beat the policy file, which beats the defaults."""
    names = {f.name for f in fields(Settings)}
    from_policy = {
        name: value if name == "state_share" else int(value)
        for name, value in policy.settings.items()
        if name in names
    }
    settings = replace(Settings(level=options.level), **from_policy)  # type: ignore[arg-type] # names and numbers were checked when the policy was parsed
    given = {
        name: getattr(options, name)
        for name in ("target", "budget", "keep_recent", "keep_tail", "keep_human")
        if getattr(options, name) is not None
    }
    return replace(settings, **given)
