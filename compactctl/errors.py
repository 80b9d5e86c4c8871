"""
Errors that a person can act on, and the exit codes they end in.

CompactctlError
├── UsageError            the command line or configuration asks for something impossible   -> 2
├── InputError            a transcript cannot be read: missing, binary, compressed, ...      -> 2
│   ├── UnknownFormatError    its shape is none that compactctl reads
│   └── InputChangedError     it changed while it was read                                   -> 3
├── StoreError            the store cannot be read or written                                -> 2
├── OutputError           the output cannot be written                                       -> 2
└── RefusedError          compacting would break a promise; nothing is written               -> 3
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ends; documented in docs/exit-codes.md."""

    OK = 0
    FINDINGS = 1
    CANNOT_RUN = 2
    NOTHING_WRITTEN = 3
    INTERNAL = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class CompactctlError(Exception):
    """
    Base of every expected failure: what is wrong, and what to do.

    ``message`` names the file (and line, where there is one); ``hint`` says what to do.
    """

    exit_code: ExitCode = ExitCode.CANNOT_RUN
    kind: str = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep the message and the hint apart, so that each output can place them."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(CompactctlError):
    """The command line or a configuration file asks for something impossible."""

    kind = "usage"


class InputError(CompactctlError):
    """A transcript cannot be read."""

    kind = "input"


class UnknownFormatError(InputError):
    """The shape of a transcript is none that compactctl reads."""

    kind = "unknown-format"


class InputChangedError(InputError):
    """A transcript changed while it was read; nothing was written."""

    exit_code = ExitCode.NOTHING_WRITTEN
    kind = "input-changed"


class StoreError(CompactctlError):
    """The store cannot be read or written."""

    kind = "store"


class OutputError(CompactctlError):
    """An output file cannot be written."""

    kind = "output"


class RefusedError(CompactctlError):
    """Compacting would break a promise; nothing was written."""

    exit_code = ExitCode.NOTHING_WRITTEN
    kind = "refused"
