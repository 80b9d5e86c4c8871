"""Keys of facts: what a result is about, so that a later one of the same key replaces it."""

import hashlib
import re

from compactctl.classify.results.kinds import Work
from compactctl.classify.results.tools import Family
from compactctl.model.classification import ResultKind

_SPACE = re.compile(r"\s+")
_LIMIT = 200


def key_of(*, kind: ResultKind, family: Family, tool: str, subject: str, work: Work | None) -> str:
    """
    Return the key: ``test:pytest -q``, ``git:commit``, ``edit:src/app.py``, ``web:<url>``.

    Of a shell command it is the decisive step, without folders changed into, wrappers and
    filters; of git its verb, as a second commit takes the place of the first.
    """
    if work is not None and work.step is not None:
        if kind is ResultKind.GIT:
            return f"git:{work.act.removeprefix('git ')}"
        if kind is ResultKind.EDIT and work.step.writes:
            return f"edit:{_short(work.step.writes[0])}"
        return f"{kind}:{_short(work.step.text)}"
    if family is Family.EDIT:
        return f"edit:{_short(subject)}"
    if family is Family.OTHER:
        return f"{kind}:{_short(f'{tool} {subject}')}"
    return f"{kind}:{_short(subject)}"


def _short(text: str) -> str:
    """Return the text on one line; of a long one the head and a digest, to keep keys apart."""
    line = _SPACE.sub(" ", text).strip()
    if len(line) <= _LIMIT:
        return line
    digest = hashlib.blake2b(line.encode("utf-8", "replace"), digest_size=4).hexdigest()
    return f"{line[: _LIMIT - 9]}…{digest}"
