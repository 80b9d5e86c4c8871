"""``hook install`` and ``hook uninstall``: the settings of a harness, and nothing else in them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli.commands import Ended, Folder, clean_environment

SETTINGS = ".claude/settings.json"
BACKUP = SETTINGS + ".compactctl-backup"
OURS = """[
      {
        "hooks": [
          {
            "type": "command",
            "command": "compactctl hook",
            "timeout": 60
          }
        ]
      }
    ]"""
FRESH = f"""{{
  "hooks": {{
    "PreCompact": {OURS},
    "PostCompact": {OURS}
  }}
}}
"""
KEPT = """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": { "allow": ["Bash(make test:*)", "Read"], "deny": [] },
  "zeta": 1.50, "alpha": "caf\\u00e9 — 東京",
  "statusLine": null
"""


WITH_OTHERS = """{
  "hooks": {
    "Stop": [],
    "PreCompact": [
      {"matcher": "auto", "hooks": [{"type": "command", "command": "date"}]}
    ]
  },
  "model": "opus"
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A project in which compactctl is found on the path."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "compactctl").write_text("#!/bin/sh\n", "utf-8")
    (tools / "compactctl").chmod(0o755)
    (tmp_path / "project").mkdir()
    return Folder(tmp_path / "project")


def hook(folder: Folder, *words: str, **environ: str) -> Ended:
    path = f"{folder.path.parent / 'tools'}:{os.environ['PATH']}"
    return folder("hook", *words, **({"PATH": path, "HOME": str(folder.path.parent)} | environ))


def write(folder: Folder, text: str, name: str = SETTINGS) -> Path:
    file = folder.path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def shell(folder: Folder, line: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder.path,
        env=clean_environment(),
        input=stdin,
        capture_output=True,
        check=False,
    )


def commands_of(file: Path, event: str = "PreCompact") -> list[str]:
    groups = json.loads(file.read_bytes())["hooks"].get(event, [])
    return [handler["command"] for group in groups for handler in group["hooks"]]


def test_into_settings_that_are_not_there(folder: Folder) -> None:
    ended = hook(folder, "install", "--claude-code")

    assert (ended.code, ended.err) == (0, "")
    assert (folder.path / SETTINGS).read_text("utf-8") == FRESH
    assert not (folder.path / BACKUP).exists()


def test_codex_reads_the_same_from_a_file_of_its_own(folder: Folder) -> None:
    ended = hook(folder, "install", "--codex")

    assert ended.code == 0
    assert (folder.path / ".codex" / "hooks.json").read_text("utf-8") == FRESH
    assert "/hooks" in ended.err


def test_every_other_byte_stays(folder: Folder) -> None:
    file = write(folder, KEPT + "}\n")

    ended = hook(folder, "install", "--claude-code")

    assert ended.code == 0
    body = FRESH.removeprefix("{\n").removesuffix("\n}\n")
    assert file.read_text("utf-8") == KEPT.removesuffix("\n") + ",\n" + body + "\n}\n"
    assert (folder.path / BACKUP).read_bytes() == (KEPT + "}\n").encode()


def test_uninstalling_gives_back_the_very_bytes(folder: Folder) -> None:
    file = write(folder, KEPT + "}\n")
    hook(folder, "install", "--claude-code")

    ended = hook(folder, "uninstall", "--claude-code")

    assert ended.code == 0
    assert file.read_bytes() == (KEPT + "}\n").encode()


@pytest.mark.parametrize(
    "text",
    [
        '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": []}\n\t\t]\n\t}\n}\n',
        '{\r\n    "model": "opus"\r\n}\r\n',
        '{"model": "opus"}',
        '{"model":"opus","hooks":{"Stop":[]}}',
        '\ufeff{\n  "model": "opus"\n}',
        WITH_OTHERS,
    ],
)
def test_each_layout_comes_back(folder: Folder, text: str) -> None:
    file = write(folder, text)
    before = json.loads(text.removeprefix("\ufeff"))

    hook(folder, "install", "--claude-code")
    between = json.loads(file.read_text("utf-8-sig"))
    installed = file.read_bytes()
    hook(folder, "uninstall", "--claude-code")

    assert {**between, "hooks": 0} == {**before, "hooks": 0}
    assert list(between)[: len(before)] == list(before)
    assert commands_of_value(between) == [*commands_of_value(before), "compactctl hook"]
    assert installed.startswith(b"\xef\xbb\xbf") == text.startswith("\ufeff")
    assert (b"\r\n" in installed) == ("\r\n" in text)
    assert b"\r\n" not in text.encode() or installed.count(b"\n") == installed.count(b"\r\n")
    assert (b"\t" in installed) == ("\t" in text)
    assert json.loads(file.read_text("utf-8-sig")) == before


def commands_of_value(settings: dict[str, Any]) -> list[str]:
    groups = settings.get("hooks", {}).get("PreCompact", [])
    return [handler["command"] for group in groups for handler in group["hooks"]]


def test_an_event_of_somebody_else_keeps_its_bytes(folder: Folder) -> None:
    stop = '"Stop": [ {"hooks": [ {"type":"command","command":"say done"} ]} ]'
    file = write(folder, '{\n  "hooks": {\n    ' + stop + "\n  }\n}\n")

    hook(folder, "install", "--claude-code")

    assert stop in file.read_text("utf-8")
    assert commands_of(file) == commands_of(file, "PostCompact") == ["compactctl hook"]


def test_installing_again_writes_nothing(folder: Folder) -> None:
    file = write(folder, KEPT + "}\n")
    hook(folder, "install", "--claude-code")
    (folder.path / BACKUP).unlink()
    before, state = file.read_bytes(), file.stat()

    ended = hook(folder, "install", "--claude-code")

    assert ended.code == 0
    assert "nothing to change" in ended.out
    assert file.read_bytes() == before
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (state.st_ino, state.st_mtime_ns)
    assert not (folder.path / BACKUP).exists()


def test_other_options_change_our_command_and_leave_its_fields(folder: Folder) -> None:
    file = write(
        folder,
        '{"hooks": {"PreCompact": [{"matcher": "manual", "hooks": [{"type": "command", '
        '"command": "compactctl hook", "timeout": 5}, {"type": "command", "command": "date"}]},'
        ' {"hooks": [{"type": "command", "command": "/opt/bin/compactctl hook --store x"}]}]}}',
    )

    hook(folder, "install", "--claude-code", "--require-snapshot", "--store", "/var/my snaps")

    strict = "compactctl hook --store '/var/my snaps' --require-snapshot --harness claude-code"
    groups = json.loads(file.read_bytes())["hooks"]["PreCompact"]
    assert groups == [
        {
            "matcher": "manual",
            "hooks": [
                {"type": "command", "command": strict, "timeout": 5},
                {"type": "command", "command": "date"},
            ],
        }
    ]
    # What follows a compaction can stop nothing.
    assert commands_of(file, "PostCompact") == ["compactctl hook --store '/var/my snaps'"]


def test_codex_is_told_apart_where_it_may_be_stopped(folder: Folder) -> None:
    hook(folder, "install", "--codex", "--require-snapshot")

    assert commands_of(folder.path / ".codex" / "hooks.json") == [
        "compactctl hook --require-snapshot --harness codex"
    ]


def test_uninstalling_takes_out_only_ours(folder: Folder) -> None:
    others = [
        "date",
        "my-script && compactctl hook",
        "compactctl hook; date",
        "compactctl run x",
        "echo compactctl hook",
        "compactctl hook install --codex",
        "it's no shell",
    ]
    ours = ["compactctl hook", "/venv/bin/compactctl hook --store x", "python3 -m compactctl hook"]
    ours.append("/usr/bin/python3 -P -m compactctl hook --require-snapshot")
    handlers = [{"type": "command", "command": line} for line in (*others, *ours)]
    handlers += [{"type": "prompt", "prompt": "?"}, {"type": "command", "command": 7}]
    file = write(folder, json.dumps({"hooks": {"PreCompact": [{"hooks": handlers}]}}))

    ended = hook(folder, "uninstall", "--claude-code")

    assert ended.code == 0
    left = json.loads(file.read_bytes())["hooks"]["PreCompact"][0]["hooks"]
    assert left == [h for h in handlers if h.get("command") not in ours]


@pytest.mark.parametrize("text", ["{}", '{"hooks": {}}', '{"hooks": {"PreCompact": []}}'])
def test_uninstalling_where_there_is_nothing_of_ours(folder: Folder, text: str) -> None:
    file = write(folder, text)

    ended = hook(folder, "uninstall", "--claude-code")

    assert (ended.code, file.read_text("utf-8")) == (0, text)
    assert "nothing to change" in ended.out


def test_uninstalling_without_settings_writes_none(folder: Folder) -> None:
    ended = hook(folder, "uninstall", "--claude-code", "--codex")

    assert ended.code == 0
    assert list(folder.path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it is no JSON"),
        ("// mine\n{}", "it is no JSON"),
        ('{"a": 1,}', "it is no JSON"),
        ("[]", "it is no JSON object"),
        ('{"a": 1, "a": 2}', "the key 'a' stands there twice"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"hooks": []}', "'hooks' is no object"),
        ('{"hooks": {"PreCompact": {}}}', "'hooks.PreCompact' is no list"),
        ('{"hooks": {"PostCompact": ["x"]}}', "no group of hooks"),
        ('{"hooks": {"PreCompact": [{"hooks": "x"}]}}', "no group of hooks"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "it is no JSON"),
    ],
)
@pytest.mark.parametrize("what", ["install", "uninstall"])
def test_what_is_not_understood_is_never_touched(
    folder: Folder, text: str, said: str, what: str
) -> None:
    file = write(folder, text)

    ended = hook(folder, what, "--claude-code")

    assert ended.code == 2
    assert said in ended.err
    assert "not touched" in ended.err
    assert file.read_text("utf-8") == text
    assert [f.name for f in file.parent.iterdir()] == ["settings.json"]


def test_bytes_that_are_no_utf_8_are_never_touched(folder: Folder) -> None:
    file = write(folder, "")
    file.write_bytes(b'{"a": "\xff"}')

    assert hook(folder, "install", "--claude-code").code == 2
    assert file.read_bytes() == b'{"a": "\xff"}'


@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }\n"])
def test_into_settings_that_say_nothing(folder: Folder, text: str) -> None:
    file = write(folder, text)

    assert hook(folder, "install", "--claude-code").code == 0
    assert json.loads(file.read_bytes()) == json.loads(FRESH)


def test_dry_run_shows_the_difference_and_writes_nothing(folder: Folder) -> None:
    file = write(folder, KEPT + "}\n")

    ended = hook(folder, "install", "--claude-code", "--dry-run")

    assert ended.code == 0
    assert '+            "command": "compactctl hook",' in ended.out
    assert f"--- {SETTINGS}" in ended.out
    assert file.read_bytes() == (KEPT + "}\n").encode()
    assert [f.name for f in file.parent.iterdir()] == ["settings.json"]
    assert hook(folder, "install", "--codex", "--dry-run").code == 0
    assert not (folder.path / ".codex").exists()


def test_a_link_stays_a_link(folder: Folder) -> None:
    real = write(folder, "{}", "dotfiles/claude.json")
    link = folder.path / SETTINGS
    link.parent.mkdir()
    link.symlink_to(real)

    hook(folder, "install", "--claude-code")

    assert link.is_symlink()
    assert commands_of(real) == ["compactctl hook"]
    assert (folder.path / BACKUP).read_text("utf-8") == "{}"


def test_permissions_stay(folder: Folder) -> None:
    file = write(folder, "{}")
    file.chmod(0o640)

    hook(folder, "install", "--claude-code")

    assert file.stat().st_mode & 0o777 == 0o640
    assert (folder.path / BACKUP).stat().st_mode & 0o777 == 0o640


def test_of_the_person_instead_of_the_project(folder: Folder) -> None:
    home = folder.path.parent

    hook(folder, "install", "--claude-code", "--codex", "--user")
    hook(
        folder,
        *("install", "--claude-code", "--codex", "--user"),
        CLAUDE_CONFIG_DIR=str(home / "c"),
        CODEX_HOME=str(home / "x"),
    )

    for name in (".claude/settings.json", ".codex/hooks.json", "c/settings.json", "x/hooks.json"):
        assert commands_of(home / name) == ["compactctl hook"], name
    assert list(folder.path.iterdir()) == []


def test_another_file(folder: Folder) -> None:
    hook(folder, "install", "--claude-code", "--settings", ".claude/settings.local.json")

    assert commands_of(folder.path / ".claude" / "settings.local.json") == ["compactctl hook"]
    assert not (folder.path / SETTINGS).exists()


def test_where_it_is_not_on_the_path_the_interpreter_is_named(folder: Folder) -> None:
    hook(folder, "install", "--claude-code", PATH="/nowhere")
    (line,) = commands_of(folder.path / SETTINGS)

    assert line.endswith(" -P -m compactctl hook")
    assert Path(line.split()[0].strip("'")).is_absolute()

    hook(folder, "uninstall", "--claude-code")
    assert json.loads((folder.path / SETTINGS).read_bytes()) == {}


@pytest.mark.parametrize(
    "words",
    [
        ("install",),
        ("uninstall",),
        ("install", "--claude-code", "--codex", "--settings", "x.json"),
        ("install", "--codex", "--user", "--settings", "x.json"),
        ("install", "--no-such-flag"),
        ("install", "--codex", "--settings", "."),
    ],
)
def test_a_wrong_command_line_of_a_person_is_an_error(
    folder: Folder, words: tuple[str, ...]
) -> None:
    ended = hook(folder, *words)

    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert list(folder.path.iterdir()) == []


def test_what_is_installed_runs(folder: Folder) -> None:
    """The command as it stands in the settings, by a shell, as the harness does it."""
    session = folder.session()
    for name in ("json", "select", "compactctl"):
        # The folder of a session may hold anything; none of it is to be run.
        (folder.path / f"{name}.py").write_text("raise SystemExit('foreign code')\n", "utf-8")
    hook(folder, "install", "--codex", PATH="/nowhere")
    (line,) = commands_of(folder.path / ".codex" / "hooks.json")
    call = {
        "session_id": "s",
        "turn_id": "t",
        "model": "m",
        "transcript_path": str(session),
        "cwd": str(folder.path),
        "hook_event_name": "PreCompact",
        "trigger": "auto",
    }

    ended = shell(folder, line, json.dumps(call).encode())

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    (kept,) = folder("log", "--format", "json").json["snapshots"]
    assert kept["bytes"] == session.stat().st_size
