# ruff: noqa: TC004 -- the names are found when they are first asked for, see _Package
"""
Compacts and audits transcripts of LLM agents, offline.

The Python interface is ``compactctl.api``; all of it can be taken from here, and is loaded when it
first is, so that the command line starts fast.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from compactctl.api import (
        Audit,
        CheckedFile,
        Classification,
        CompactctlError,
        Compacted,
        Compaction,
        Finding,
        Level,
        Pin,
        RunOptions,
        Session,
        Status,
        audit,
        check,
        classify,
        compact,
        diff,
        load,
        pinned,
        plan,
        run,
    )

__all__ = [
    "Audit",
    "CheckedFile",
    "Classification",
    "CompactctlError",
    "Compacted",
    "Compaction",
    "Finding",
    "Level",
    "Pin",
    "RunOptions",
    "Session",
    "Status",
    "__version__",
    "audit",
    "check",
    "classify",
    "compact",
    "diff",
    "load",
    "pinned",
    "plan",
    "run",
]


class _Package(ModuleType):
    """
    The package with its interface on top.

    Three functions are named like rooms (``audit``, ``classify``, ``compact``). Importing a room
    would put its module in the function's place; here the function stays, and the room is found
    by its full name as ever.
    """

    def __setattr__(self, name: str, value: object) -> None:
        """Bind a name, but no room over a function."""
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        """Load the interface when something of it is first asked for."""
        if name not in __all__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        from compactctl import api  # noqa: PLC0415 -- the command line starts without it

        return getattr(api, name)


sys.modules[__name__].__class__ = _Package
