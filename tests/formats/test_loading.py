"""Which format a file is, by content; what is said of the others."""

import json
import sqlite3
from pathlib import Path

import pytest

from compactctl.errors import InputError, UnknownFormatError, UsageError
from compactctl.formats.loading import load
from compactctl.formats.registry import FORMATS, format_named
from compactctl.io.source import Source

USE = {"type": "tool_use", "id": "t", "name": "ls", "input": {}}


def format_of(tmp_path: Path, data: str | bytes, input_format: str | None = None) -> str:
    path = tmp_path / "named.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with Source.open(path) as source:
        return load(source, input_format=input_format)[0].format.name


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def test_the_registry_names_its_formats() -> None:
    names = [fmt.name for fmt in FORMATS]
    assert names == ["claude-code", "codex", "anthropic-messages", "openai-chat"]
    assert [format_named(name).name for name in names] == names


def test_a_misspelt_format_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        format_named("claudecode")
    assert "did you mean claude-code?" in caught.value.hint


def test_plain_text_messages_are_openai(tmp_path: Path) -> None:
    data = lines({"role": "user", "content": "a"}, {"role": "assistant", "content": "b"})
    assert format_of(tmp_path, data) == "openai-chat"
    assert format_of(tmp_path, data, "anthropic-messages") == "anthropic-messages"


def test_a_late_call_tells_the_vendor(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": str(n)} for n in range(60)]
    data = lines(*talk, {"role": "assistant", "content": [USE]})
    assert format_of(tmp_path, data) == "anthropic-messages"


def test_leading_damage_does_not_hide_the_format(tmp_path: Path) -> None:
    data = "\n\x00\x00\n{broken\n" + lines({"role": "user", "content": "a"})
    assert format_of(tmp_path, data) == "openai-chat"


@pytest.mark.parametrize(
    ("value", "title"),
    [
        ({"type": "session", "version": 3, "id": "a", "cwd": "/w"}, "a pi session"),
        (
            {"type": "session.start", "data": {}, "id": "e", "parentId": None},
            "a Copilot CLI session",
        ),
        (
            {"sessionId": "s", "projectHash": "h", "startTime": "t", "messages": []},
            "a Gemini CLI session",
        ),
        ({"role": "user", "parts": [{"text": "x"}]}, "a Gemini checkpoint"),
        (
            {"role": "user", "message": {"content": [{"type": "text", "text": "x"}]}},
            "a Cursor agent transcript",
        ),
        ({"type": "metadata", "protocol_version": "1.4"}, "a Kimi Code session"),
        (
            {"uuid": "u", "parentUuid": None, "sessionId": "s", "message": {"parts": []}},
            "a Qwen Code session",
        ),
        ({"type": "session_start", "id": "d"}, "a Factory Droid session"),
        (
            {"step_index": 0, "source": "USER", "type": "USER_INPUT", "status": "DONE"},
            "an Antigravity transcript",
        ),
        ({"kind": "ActionEvent", "source": "agent", "id": "1"}, "OpenHands events"),
        ({"id": "m", "sessionID": "s", "role": "user"}, "an OpenCode session"),
        ({"trajectory": [{"action": "ls"}], "info": {}}, "a SWE-agent trajectory"),
        ({"version": 2, "status": "success", "eval": {}}, "an inspect_ai log"),
        ({"schema_version": "ATIF-v1.6", "agent": {}, "steps": []}, "a Harbor ATIF trajectory"),
        ({"type": "human", "data": {"content": "x"}}, "a LangChain message dump"),
        ({"lc": 1, "type": "constructor", "id": ["x"]}, "a LangChain message dump"),
        ({"resourceSpans": []}, "OpenTelemetry spans"),
        ({"conversations": [{"from": "human", "value": "x"}]}, "ShareGPT conversations"),
        (
            {"input": {"messages": []}, "preferred_output": [], "non_preferred_output": []},
            "preference pairs",
        ),
        ({"type": "system", "content": "You are"}, "a Grok CLI chat history"),
        (
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]},
            "items of the OpenAI Responses API",
        ),
        ({"role": "user", "content": [{"text": "x"}]}, "Amazon Bedrock messages"),
        ({"kind": "request", "parts": []}, "pydantic-ai messages"),
        ({"interactions": [{"request": {}}]}, "recorded HTTP exchanges"),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_known_formats_that_are_not_read(
    tmp_path: Path, value: dict[str, object], title: str, indent: int | None
) -> None:
    with pytest.raises(UnknownFormatError) as caught:
        format_of(tmp_path, json.dumps(value, indent=indent))
    assert f"looks like {title}" in caught.value.message
    assert "not supported yet" in caught.value.message
    assert "--input-format" in caught.value.hint


def test_unknown_json_names_keys_and_the_nearest_format(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError) as caught:
        format_of(tmp_path, lines({"payload": 1, "ordinal": 2}))
    assert "payload, ordinal" in caught.value.message
    assert "nearest format is codex" in caught.value.message


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("interactions:\n- request:\n    body: x\n", "YAML cassette"),
        ("name: demo\nsteps:\n  - run\n", "a YAML document"),
        ("# Title\n\nSome words.\n", "a text file"),
        ("<html></html>", "an XML or HTML document"),
        (b"\x7fELF\x02\x01\x01\x00\x00", "a binary file"),
        ("{'role': 'user'}\n", "JSON that is broken at its start"),
        ('"just a string"\n', "a JSON string"),
        ("42\n", "the JSON value 42"),
        ("[]\n", "an empty JSON list"),
        ("\n \n", "nothing but blank lines"),
    ],
)
def test_what_is_no_session_is_said_to_be(tmp_path: Path, data: str | bytes, what: str) -> None:
    with pytest.raises(InputError) as caught:
        format_of(tmp_path, data)
    assert what in caught.value.message
    assert "line 1" in caught.value.message


def test_a_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    base = sqlite3.connect(path)
    base.execute("create table t (x)")
    base.close()
    with Source.open(path) as source, pytest.raises(InputError, match="an SQLite database"):
        load(source)


def test_a_forced_format_that_finds_nothing_says_what_the_file_is(tmp_path: Path) -> None:
    data = lines({"type": "session", "id": "a", "cwd": "/w"})
    with pytest.raises(UnknownFormatError) as caught:
        format_of(tmp_path, data, "openai-chat")
    assert "no record of openai-chat in it; looks like a pi session" in caught.value.message
