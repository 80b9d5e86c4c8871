"""Configuration: flags beat the environment, which beats files; every value knows its origin."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from compactctl.audit.baseline import Suppression
from compactctl.errors import UsageError

FILE = "compactctl.toml"
PROJECT = "pyproject.toml"
PREFIX = "COMPACTCTL_"
KEYS = (
    "budget",
    "color",
    "encoding",
    "format",
    "input-format",
    "keep-human",
    "keep-recent",
    "keep-tail",
    "level",
    "policy",
    "root",
    "store",
    "target",
    "trigger",
    "window",
)
SUPPRESS = "suppress"
_SUPPRESS_KEYS = frozenset({"rule", "path", "contains", "reason"})
_PATHS = frozenset({"policy", "root", "store"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A value as text, and where it was set."""

    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class Config:
    """What environment and files set; ``pick`` lets a flag win."""

    settings: Mapping[str, Setting]
    suppressions: tuple[Suppression, ...] = ()
    """Findings of ``check`` that do not count, from ``[[suppress]]`` tables."""

    def pick(self, key: str, flag: str | None) -> str | None:
        """Return the flag where it was given, else what is set, else ``None``."""
        if flag is not None:
            return flag
        found = self.settings.get(key)
        return found.value if found else None

    def named(self, key: str, flag: str | None) -> str:
        """Return how to call the value's place in a message: the flag, or where it was set."""
        found = self.settings.get(key)
        return f"--{key}" if flag is not None or found is None else f"{found.origin}: {key}"


def load_config(start: Path | None = None, environ: Mapping[str, str] | None = None) -> Config:
    """
    Return what environment and files set, seen from ``start`` (default: the current folder).

    ``compactctl.toml`` is looked for upwards and beats ``[tool.compactctl]`` of the nearest
    ``pyproject.toml`` that has it. Raises ``UsageError`` naming file and key where one is wrong.
    """
    folder = (start or Path.cwd()).resolve()
    found: dict[str, Setting] = {}
    suppressions: list[Suppression] = []
    for name in (PROJECT, FILE):
        table, where, file = _nearest(folder, name)
        suppressions += _suppressions(table.pop(SUPPRESS, []), where)
        found |= _settings(table, where, file)
    environment = _environment(os.environ if environ is None else environ)
    return Config(found | environment, tuple(suppressions))


def _nearest(start: Path, name: str) -> tuple[dict[str, object], str, Path]:
    """The table of the nearest such file, how to call it, and the file."""
    for folder in (start, *start.parents):
        file = folder / name
        if not file.is_file():
            continue
        data = _parsed(file)
        table = data if name == FILE else _project_table(data)
        if table is None:
            continue
        where = str(file) if name == FILE else f"{file} [tool.compactctl]"
        if not isinstance(table, dict):
            raise UsageError(f"{where}: is not a table")
        return dict(table), where, file
    return {}, name, start / name


def _suppressions(value: object, where: str) -> Iterator[Suppression]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise UsageError(f"{where}: {SUPPRESS} is no list of tables", hint=f"write [[{SUPPRESS}]]")
    for number, table in enumerate(value, 1):
        place = f"{where}: {SUPPRESS} {number}"
        unknown = sorted(set(table) - _SUPPRESS_KEYS)
        if unknown:
            known = ", ".join(sorted(_SUPPRESS_KEYS))
            raise UsageError(f"{place}: unknown key {unknown[0]!r}", hint=f"known keys: {known}")
        wrong = [key for key, one in table.items() if not isinstance(one, str) or not one.strip()]
        if wrong:
            raise UsageError(f"{place}: {wrong[0]} is no text")
        for key in ("rule", "reason"):
            if key not in table:
                raise UsageError(f"{place}: has no {key}", hint="say what is suppressed, and why")
        yield Suppression(**table)


def _project_table(data: Mapping[str, object]) -> object:
    tool = data.get("tool")
    return tool.get("compactctl") if isinstance(tool, dict) else None


def _parsed(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file}: is no TOML: {error}", hint="mend the file") from None


def _settings(table: Mapping[str, object], where: str, file: Path) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for written, value in table.items():
        key = written.replace("_", "-")
        if key not in KEYS:
            raise UsageError(f"{where}: unknown key {written!r}", hint=_nearest_key(key))
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise UsageError(f"{where}: {written} is neither a text nor a number")
        text = str(file.parent / str(value)) if key in _PATHS else str(value)
        found[key] = Setting(text, where)
    return found


def _nearest_key(key: str) -> str:
    near = get_close_matches(key, KEYS, n=1, cutoff=0.5)
    known = "known keys: " + ", ".join(KEYS)
    return f"did you mean {near[0]!r}? {known}" if near else known


def _environment(environ: Mapping[str, str]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for key in KEYS:
        name = PREFIX + key.upper().replace("-", "_")
        if environ.get(name):
            found[key] = Setting(environ[name], name)
    return found
