"""A fixture for pytest: asserts that recorded sessions pass the rules of ``compactctl check``."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

SessionCheck = Callable[..., None]
_ORDER = ("note", "warning", "error")


@pytest.fixture
def compactctl_check() -> SessionCheck:
    """
    Return a function that fails the test where a rule finds something in a session.

    ``compactctl_check(path, select=(), ignore=(), fail_on="warning")``: the path of a session or
    of a folder of sessions, rules by code or name, and the least severity that fails.
    """
    return _check


def _check(
    path: str | Path,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    fail_on: str = "warning",
) -> None:
    from compactctl.api import check  # noqa: PLC0415 -- pytest loads this file in every project

    __tracebackhide__ = True
    least = _ORDER.index(fail_on)
    told: list[str] = []
    for file in check(path, select=select, ignore=ignore):
        if file.error is not None:
            told.append(file.error)
        for finding in file.findings:
            if _ORDER.index(finding.severity) >= least:
                told.append(
                    f"{finding.path}:{finding.line}: {finding.code} {finding.name}: "
                    f"{finding.message}"
                )
                told += [f"    L{one.line}: {one.text}" for one in finding.evidence]
    if told:
        pytest.fail("\n".join(told), pytrace=False)
