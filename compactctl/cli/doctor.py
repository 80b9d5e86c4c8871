"""``doctor``: whether this installation works."""

import os
import platform
import sys
from collections.abc import Callable, Iterator

import typer

from compactctl import __version__
from compactctl.cli import options, output
from compactctl.cli.config import KEYS, PREFIX, load_config
from compactctl.cli.wording import safe_line
from compactctl.errors import CompactctlError, ExitCode

PACKAGES = ("jsonschema", "orjson", "rich", "tiktoken", "typer")
_OLDEST = (3, 11)
_SAMPLE = "The build failed: 3 errors, 12 warnings.\n\tretry(café) — 東京 🙂"
_COUNTS = {"o200k_base": 20, "cl100k_base": 22}
"""Tokens of the sample, as tiktoken counts them with its own rank files."""
_OWN_VARIABLES = frozenset({PREFIX + "TRACEBACK"})


class _Problem(Exception):  # noqa: N818 -- what a check reports, not an error of the program
    """A sentence about what is wrong."""


def doctor(*, store: options.StoreOption = None) -> None:
    """Check that this installation works; exit 1 if not."""
    healthy = True
    for name, check in _checks(store):
        try:
            output.write_text(safe_line(f"ok     {name}: {check()}"))
        except (_Problem, CompactctlError) as problem:
            healthy = False
            output.write_text(safe_line(f"WRONG  {name}: {problem}"))
    raise typer.Exit(ExitCode.OK if healthy else ExitCode.FINDINGS)


def _checks(store: str | None) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "compactctl", lambda: __version__
    yield "python", _python
    for package in PACKAGES:
        yield package, lambda package=package: _package(package)  # type: ignore[misc] # the default binds the loop's value
    for encoding in _COUNTS:
        yield encoding, lambda encoding=encoding: _encoding(encoding)  # type: ignore[misc] # as above
    yield "schemas", _schemas
    yield "config", _config
    yield "store", lambda: _store(store)
    yield "hook", lambda: _hook(store)


def _python() -> str:
    if sys.version_info < _OLDEST:
        raise _Problem(f"{platform.python_version()} is older than 3.11")
    return platform.python_version()


def _package(name: str) -> str:
    from importlib import metadata  # noqa: PLC0415 -- 15 ms that other commands can spare

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        raise _Problem("is not installed") from None


def _encoding(name: str) -> str:
    from compactctl.tokens.counter import TokenCounter  # noqa: PLC0415 -- --help need not load it

    counted = TokenCounter(name).count(_SAMPLE)
    if counted != _COUNTS[name]:
        raise _Problem(f"counts {counted} tokens where {_COUNTS[name]} are known")
    return f"loads offline and counts {counted} tokens of a known text"


def _schemas() -> str:
    from compactctl.io.schemas import load_schema, schema_names  # noqa: PLC0415 -- as above

    names = schema_names()
    for name in names:
        load_schema(name)
    if not names:
        raise _Problem("there are none")
    return ", ".join(names)


def _config() -> str:
    config = load_config()
    strange = [
        name
        for name in sorted(os.environ)
        if name.startswith(PREFIX)
        and name not in _OWN_VARIABLES
        and name.removeprefix(PREFIX).lower().replace("_", "-") not in KEYS
    ]
    if strange:
        raise _Problem("environment variables that mean nothing: " + ", ".join(strange))
    settings = sorted(config.settings.items())
    found = "; ".join(f"{key} = {one.value} ({one.origin})" for key, one in settings)
    return found or "defaults only"


def _store(flag: str | None) -> str:
    from compactctl.store.store import Store  # noqa: PLC0415 -- --help need not load it

    path = options.store_path(load_config(), flag)
    if not path.exists() and not path.is_symlink():
        writable = os.access(path.parent, os.W_OK)
        if not writable:
            raise _Problem(f"{path}: cannot be created: {path.parent} is not writable")
        return f"{path}: none yet; a run creates it"
    kept = Store.open(path, create=False)
    snapshots, ledgers = kept.snapshots(), kept.ledgers()
    if kept.unreadable:
        raise _Problem("cannot be read: " + ", ".join(str(file) for file in kept.unreadable))
    size = sum(one.bytes for one in snapshots)
    return f"{path}: {len(ledgers)} runs, {len(snapshots)} snapshots, {size:,} bytes"


def _hook(flag: str | None) -> str:
    from compactctl.store.store import Store  # noqa: PLC0415 -- --help need not load it

    path = options.store_path(load_config(), flag)
    if not path.exists():
        return "never called here"
    notices = Store.open(path, create=False).notices()
    before = [notice for notice in notices if notice.get("status") != "followed"]
    missed = [notice for notice in before if notice.get("status") == "missed"]
    if before and before[-1] in missed:
        last = before[-1]
        raise _Problem(
            f"the last call, {last.get('time')}, kept no snapshot: {last.get('reason')}"
        )
    earlier = f", {len(missed)} earlier ones without a snapshot" if missed else ""
    return f"{len(before) - len(missed)} snapshots before compactions{earlier}"
