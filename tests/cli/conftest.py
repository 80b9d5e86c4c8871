import shutil
from pathlib import Path

import pytest
from cli.commands import Folder
from cli.hook_calls import CLAUDE


@pytest.fixture
def command(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture(scope="module")
def compacted(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder in which one run was made; tests leave it as it is."""
    folder = Folder(tmp_path_factory.mktemp("compacted"))
    folder.session()
    ended = folder("run", "session.jsonl")
    assert ended.code == 0, ended.err
    return folder


@pytest.fixture
def session(command: Folder) -> Folder:
    """A folder with the invented session of Claude Code."""
    shutil.copy(CLAUDE, command.path / "session.jsonl")
    return command
