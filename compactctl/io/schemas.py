"""The JSON Schemas of everything that is written."""

from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import orjson

from compactctl.errors import CompactctlError, UsageError
from compactctl.io.dumps import dump_json

SUFFIX = ".v1.json"
_LONG = 100
_WORD = 16
"""Letters up to which a string may be one of a closed list of words."""


class SchemaError(CompactctlError):
    """A document is not what its schema says; it was not written."""

    kind = "schema"


def schema_names() -> tuple[str, ...]:
    """Return the names of the schemas, sorted."""
    return tuple(
        sorted(
            file.name.removesuffix(SUFFIX)
            for file in _folder().iterdir()
            if file.name.endswith(SUFFIX)
        )
    )


def load_schema(name: str) -> dict[str, Any]:
    """Return the schema of that name; raises ``UsageError`` naming those that there are."""
    if name not in schema_names():
        raise UsageError(f"unknown schema {name!r}", hint="schemas: " + ", ".join(schema_names()))
    loaded = orjson.loads(_folder().joinpath(name + SUFFIX).read_bytes())
    assert isinstance(loaded, dict)  # noqa: S101 -- shipped with the package, checked by a test
    return loaded


def validate(document: Mapping[str, object], name: str) -> None:
    """Raise ``SchemaError`` naming place and rule where a document does not fit its schema."""
    import jsonschema  # noqa: PLC0415 -- takes 120 ms, which only writers need to pay
    from jsonschema.exceptions import best_match  # noqa: PLC0415 -- as above

    validator = jsonschema.Draft202012Validator(load_schema(name))
    worst = best_match(validator.iter_errors(_thinned(_plain(document))))
    if worst is not None:
        raise SchemaError(
            f"the {name} document does not fit its schema at {worst.json_path}: {worst.message}",
            hint="this is a fault of compactctl: please report it",
        )


def _plain(document: Mapping[str, object]) -> object:
    # jsonschema knows lists and dicts, not tuples and string enums.

    return orjson.loads(dump_json(document))


def _thinned(value: object) -> object:
    """
    A document with each long list of objects cut to one row of each kind.

    Rows of a kind have the same keys, types, signs and words, so that one answers for all: a
    ledger has a row for every entry, and validating thousands of them takes seconds.
    """
    match value:
        case dict():
            return {key: _thinned(item) for key, item in value.items()}
        case list() if len(value) > _LONG and all(isinstance(item, dict) for item in value):
            return list({_kind(item): item for item in reversed(value)}.values())
        case list():
            return [_thinned(item) for item in value]
        case _:
            return value


def _kind(value: object) -> object:
    match value:
        case dict():
            return tuple((key, _kind(item)) for key, item in value.items())
        case list():
            return ("list", *sorted({repr(_kind(item)) for item in value}))
        case str():
            return value if len(value) <= _WORD and value.isalpha() else "text"
        case bool() | None:
            return value
        case int() | float():
            return (type(value).__name__, value < 0)
        case _:
            return type(value).__name__


def _folder() -> Traversable:
    """The schemas lie in the wheel as package data, and beside the package in a checkout."""
    packaged = resources.files("compactctl").joinpath("data", "schemas")
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[2] / "schemas"
