"""Which results prove something that a later reader needs."""

import re

from compactctl.classify.results.kinds import Work
from compactctl.classify.results.names import names
from compactctl.classify.results.tools import Family
from compactctl.model.classification import CHECKS, Outcome, ResultKind

_LOOKING_GIT = names(
    "status log show diff branch rev-parse remote config ls-files blame describe grep reflog "
    "ls-remote ls-tree cat-file shortlog rev-list check-ignore merge-base for-each-ref"
)
_CHANGES = re.compile(
    r"(?:^|[_\W])(?:create|update|delete|post|publish|merge|deploy|submit|send|comment|close|"
    r"upload|edit|review|approve|release|apply|install|rm|mv|push|set|add|remove)(?:$|[_\W])",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?:^|\s)(?:--version|-V|version)(?:\s|$)")
_LASTING = names(
    "rm mv cp ln chmod chown kill pkill systemctl service docker kubectl terraform npm pip pip3 "
    "brew apt apt-get yarn pnpm uv psql mysql sqlite3 redis-cli alembic prisma ssh scp rsync"
)


def proves(
    family: Family, work: Work | None, tool: str, kind: ResultKind, outcome: Outcome
) -> bool:
    """
    Return whether a result proves something that a later reader needs.

    Checks, edits, commits and other lasting changes do, and so does whatever failed or still
    runs; what was only read, found or listed does not, for it can be read again.
    """
    if family in {Family.PLAN, Family.ASK}:
        return outcome is Outcome.FAILURE
    if outcome in {Outcome.FAILURE, Outcome.PENDING, Outcome.REJECTED}:
        return True
    if kind in CHECKS or kind is ResultKind.EDIT:
        return True
    if kind is ResultKind.GIT and work is not None:
        return work.act.removeprefix("git ") not in _LOOKING_GIT
    if work is not None and work.step is not None:
        return _lasting(work, kind)
    return family is Family.TASK or (family is Family.OTHER and bool(_CHANGES.search(tool)))


def _lasting(work: Work, kind: ResultKind) -> bool:
    step = work.step
    if step is None:
        return False
    if kind is ResultKind.WEB:
        return bool(_CHANGES.search(work.act)) or "POST" in step.words
    return step.program in _LASTING or bool(_VERSION.search(step.text[:200]))
