"""Policy files: the built-in one, and a person's own in front of it."""

import tomllib
from importlib import resources
from pathlib import Path

from compactctl.compact.rules import Policy, merge, parse_policy
from compactctl.errors import UsageError


def load_policy(path: Path | None) -> Policy:
    """
    Return the built-in policy, with the rules of ``path`` before it where one is given.

    Raises ``UsageError`` naming file and line where it is no TOML, or file and key where it is
    no policy.
    """
    text = resources.files("compactctl.compact").joinpath("builtin_policy.toml").read_text("utf-8")
    builtin = parse_policy(tomllib.loads(text), path="the built-in policy")
    if path is None:
        return builtin
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}", hint="see docs/policies.md") from None
    return merge(parse_policy(data, path=str(path)), builtin)
