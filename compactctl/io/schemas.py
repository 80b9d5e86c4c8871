"""The JSON Schemas of everything that is written."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import orjson

from compactctl.errors import CompactctlError, ExitCode, UsageError
from compactctl.io.dumps import dump_json
from compactctl.io.fit import Fits, compile_fit
from compactctl.io.thinning import thinned

SUFFIX = ".v1.json"
_LONGEST = 300
"""Characters of a rule's message that are shown: it may quote a whole document."""


class SchemaError(CompactctlError):
    """A document is not what its schema says; it was not written."""

    exit_code = ExitCode.INTERNAL
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
    plain = _plain(document)
    if _fit(name)(plain):
        return
    from jsonschema import Draft202012Validator  # noqa: PLC0415 -- 120 ms, for faults only
    from jsonschema.exceptions import best_match  # noqa: PLC0415 -- as above

    worst = best_match(Draft202012Validator(load_schema(name)).iter_errors(plain))
    if worst is not None:
        raise SchemaError(
            f"the {name} document does not fit its schema at {worst.json_path}: "
            + worst.message[:_LONGEST],
            hint="this is a fault of compactctl: please report it",
        )


def check_schemas() -> tuple[str, ...]:
    """Return the names of the schemas; raises ``SchemaError`` for one that is none."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 -- 120 ms, for doctor only
    from jsonschema.exceptions import SchemaError as Unfit  # noqa: PLC0415 -- as above

    for name in schema_names():
        try:
            Draft202012Validator.check_schema(load_schema(name))
        except Unfit as error:
            raise SchemaError(
                f"the schema {name} is none: {error.json_path}: {error.message[:_LONGEST]}",
                hint="install compactctl again",
            ) from None
    return schema_names()


@cache
def _fit(name: str) -> Fits:
    return compile_fit(load_schema(name))


def _plain(document: Mapping[str, object]) -> object:
    # jsonschema knows lists and dicts, not tuples and string enums.
    return thinned(orjson.loads(dump_json(document)))


def _folder() -> Traversable:
    """The schemas lie in the wheel as package data, and beside the package in a checkout."""
    packaged = resources.files("compactctl").joinpath("data", "schemas")
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[2] / "schemas"
