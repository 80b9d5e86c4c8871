"""The schemas: sound, self-contained, with examples that fit and mutations that do not."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactctl.errors import UsageError
from compactctl.io import schemas
from compactctl.io.fit import compile_fit
from compactctl.io.schemas import (
    SchemaError,
    check_schemas,
    load_schema,
    schema_names,
    validate,
)
from compactctl.model.classification import BranchKind, FactStatus, Outcome, PinKind, ResultKind
from compactctl.model.compaction import Action, Level, Status
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind, StateClass
from compactctl.model.pointer import PointerStatus
from compactctl.model.tokens import TokenSource

NAMES = schema_names()


def example(name: str) -> dict[str, Any]:
    return copy.deepcopy(load_schema(name)["examples"][0])


def nodes(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner)


def test_there_is_one_for_each_contract() -> None:
    assert list(NAMES) == [
        *("audit", "audits", "baseline", "brief", "check", "classification", "classifications"),
        *("diff", "diffs", "ledger"),
        *(
            "ledgers",
            "log",
            "notice",
            "pin-lists",
            "pins",
            "policy",
            "rules",
            "snapshot",
            "store",
            "trace",
            "verify",
        ),
    ]


def test_all_are_schemas() -> None:
    assert check_schemas() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_schema_names_its_contract(name: str) -> None:
    schema = load_schema(name)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:compactctl:schema:{name}.v1"
    assert schema["properties"]["schema"]["const"] == f"compactctl.{name}/1"
    assert "schema" in schema["required"]


@pytest.mark.parametrize("name", NAMES)
def test_example_fits_by_its_schema_alone(name: str) -> None:
    # With an empty registry nothing can be fetched: the file by itself must do.
    validator = jsonschema.Draft202012Validator(load_schema(name))

    assert list(validator.iter_errors(example(name))) == []
    validate(example(name), name)


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_described(name: str) -> None:
    for node in nodes({k: v for k, v in load_schema(name).items() if k != "examples"}):
        for field, rule in node.get("properties", {}).items():
            if isinstance(rule, dict) and "$ref" not in rule:
                assert rule.get("description"), f"{name}: {field}"


def test_equal_names_mean_the_same_everywhere() -> None:
    seen: dict[str, object] = {}
    for name in NAMES:
        for key, rule in load_schema(name).get("$defs", {}).items():
            assert seen.setdefault(key, rule) == rule, f"{name}: {key}"


def test_embedded_schemas_are_the_files() -> None:
    embedded = [
        rule
        for name in NAMES
        for rule in load_schema(name).get("$defs", {}).values()
        if "$id" in rule
    ]

    assert len(embedded) == 5
    for rule in embedded:
        assert rule == load_schema(rule["$id"].split(":")[-1].removesuffix(".v1"))


def test_fields_may_be_added_only_where_the_contract_says_so() -> None:
    open_ended = {
        (name, rule.get("description", ""))
        for name in NAMES
        for rule in nodes(load_schema(name))
        if rule.get("type") == "object" and rule.get("additionalProperties") is not False
    }

    assert {name for name, _ in open_ended} == {"ledger", "ledgers"}


@pytest.mark.parametrize(
    ("definition", "values"),
    [
        ("state", StateClass),
        ("author", Author),
        ("token_source", TokenSource),
        ("pin_kind", PinKind),
        ("result_kind", ResultKind),
    ],
)
def test_words_are_those_of_the_model(definition: str, values: type[Any]) -> None:
    found = [load_schema(n)["$defs"].get(definition) for n in ("classification", "ledger")]

    assert {word for rule in found if rule for word in rule["enum"]} == set(values)


@pytest.mark.parametrize(
    ("name", "definition", "field", "values"),
    [
        ("classification", "entry", "kind", Kind),
        ("classification", "result", "outcome", Outcome),
        ("classification", "fact", "status", FactStatus),
        ("classification", "branch", "kind", BranchKind),
        ("classification", "damage", "kind", DamageKind),
        ("ledger", "decision", "action", Action),
        ("ledger", "pointer", "status", PointerStatus),
    ],
)
def test_words_of_fields_are_those_of_the_model(
    name: str, definition: str, field: str, values: type[Any]
) -> None:
    assert set(load_schema(name)["$defs"][definition]["properties"][field]["enum"]) == set(values)


def test_words_of_a_ledger_are_those_of_the_model() -> None:
    fields = load_schema("ledger")["properties"]

    assert set(fields["status"]["enum"]) == set(Status)
    assert set(fields["level"]["enum"]) == {*Level, None}


@pytest.mark.parametrize(
    ("name", "path", "value", "place"),
    [
        ("ledger", ["status"], "done", "$.status"),
        ("ledger", ["pins", 0, "id"], "xyz", "$.pins[0].id"),
        ("ledger", ["tokens", "before"], -1, "$.tokens.before"),
        ("ledger", ["boundary", "more"], 1, "$.boundary"),
        ("ledger", ["entries", 0, "action"], "delete", "$.entries[0].action"),
        ("classification", ["entries", 0, "id"], "12", "$.entries[0].id"),
        ("classification", ["more"], 1, "$"),
        ("snapshot", ["taken_at"], "yesterday", "$.taken_at"),
        ("verify", ["pointers", 0, "status"], "fine", "$.pointers[0].status"),
        ("ledgers", ["ledgers", 0, "time"], "", "$.ledgers[0].time"),
    ],
)
def test_a_fault_is_named_by_place(
    name: str, path: list[str | int], value: object, place: str
) -> None:
    document = example(name)
    at: Any = document
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value

    with pytest.raises(SchemaError) as raised:
        validate(document, name)

    assert f"the {name} document does not fit its schema at {place}" in raised.value.message


def test_a_ledger_may_hold_more() -> None:
    validate({**example("ledger"), "cost": 1}, "ledger")


def test_a_missing_field_is_a_fault() -> None:
    document = example("ledger")
    del document["input_sha256"]

    with pytest.raises(SchemaError, match=r"at \$: 'input_sha256' is a required property"):
        validate(document, "ledger")


def test_a_lone_surrogate_does_not_stop_a_document() -> None:
    validate({**example("ledger"), "reason": "x\ud83d"}, "ledger")


def test_unknown_schema_lists_what_there_is() -> None:
    with pytest.raises(UsageError) as raised:
        load_schema("nothing")

    assert "ledger" in raised.value.hint


def test_name_is_no_path() -> None:
    with pytest.raises(UsageError):
        load_schema("../schemas/ledger")


def test_a_broken_schema_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd.v1.json").write_text('{"type": 7}')
    monkeypatch.setattr(schemas, "_folder", lambda: tmp_path)

    with pytest.raises(SchemaError, match="the schema odd is none"):
        check_schemas()


def test_no_schema_names_a_host() -> None:
    for name in NAMES:
        text = json.dumps(load_schema(name))
        assert set(re.findall(r"https?://[^\"]*", text)) == {
            "https://json-schema.org/draft/2020-12/schema"
        }


# --- the fast check agrees with jsonschema

scalars = st.sampled_from(
    [None, True, False, 0, -1, 1, 1.0, 0.5, "", "x", "L1.0", "active", "keep", "fold", [], {}]
)


def paths(value: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*at, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from paths(inner, (*at, number))


@given(st.sampled_from(NAMES), st.data())
def test_fast_check_agrees_with_jsonschema(name: str, data: st.DataObject) -> None:
    document: Any = {"top": example(name)}
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from([p for p in paths(document) if p]))
        at = document
        for step in path[:-1]:
            at = at[step]
        if isinstance(at, dict) and data.draw(st.booleans()) and path != ("top",):
            del at[path[-1]]
        else:
            at[path[-1]] = data.draw(scalars)
    schema = load_schema(name)

    expected = jsonschema.Draft202012Validator(schema).is_valid(document["top"])
    assert compile_fit(schema)(document["top"]) == expected


def test_fast_check_knows_no_other_keyword() -> None:
    with pytest.raises(ValueError, match="unknown keyword maxItems"):
        compile_fit({"maxItems": 3})
