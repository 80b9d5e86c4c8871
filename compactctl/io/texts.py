"""Reading small text files that people write."""

from pathlib import Path

from compactctl.errors import InputError

_MOST = 50_000_000


def read_text(path: str) -> str:
    """Return the text of a UTF-8 file; raises ``InputError`` where it is none."""
    file = Path(path)
    try:
        if file.stat().st_size > _MOST:
            raise InputError(f"{path}: is too large for a text that a person wrote")
        return file.read_text("utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file", hint="check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8: {error.reason} at byte {error.start}") from None
