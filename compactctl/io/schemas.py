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
    worst = best_match(validator.iter_errors(_plain(document)))
    if worst is not None:
        raise SchemaError(
            f"the {name} document does not fit its schema at {worst.json_path}: {worst.message}",
            hint="this is a fault of compactctl: please report it",
        )


def _plain(document: Mapping[str, object]) -> object:
    # jsonschema knows lists and dicts, not tuples and string enums.

    return orjson.loads(dump_json(document))


def _folder() -> Traversable:
    """The schemas lie in the wheel as package data, and beside the package in a checkout."""
    packaged = resources.files("compactctl").joinpath("data", "schemas")
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[2] / "schemas"
