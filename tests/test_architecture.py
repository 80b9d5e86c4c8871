"""Imports point downwards only, and the pure rooms stay pure."""

import ast
from collections.abc import Iterator
from pathlib import Path

import compactctl
from compactctl.model.entry import Author, Kind
from compactctl.model.table import CLASS_TABLE

PACKAGE = Path(compactctl.__file__).parent
ROOMS = (
    "cli",
    "engine",
    "report",
    "audit",
    "compact",
    "classify",
    "store",
    "formats",
    "tokens",
    "io",
    "model",
)
PURE = ("model", "classify", "compact", "audit", "report")
IMPURE_MODULES = frozenset(
    {
        "os",
        "sys",
        "time",
        "random",
        "uuid",
        "subprocess",
        "socket",
        "tempfile",
        "shutil",
        "pathlib",
    }
)
IMPURE_CALLS = frozenset({"open", "print", "input"})


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def sources(room: str) -> list[Path]:
    return sorted((PACKAGE / room).rglob("*.py"))


def test_rooms_import_only_from_below() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for level, room in enumerate(ROOMS)
        for path in sources(room)
        for name in imports(path)
        if name.startswith("compactctl.")
        and name.split(".")[1] in ROOMS
        and ROOMS.index(name.split(".")[1]) < level
    ]

    assert wrong == []


def test_every_folder_of_the_package_is_a_room() -> None:
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and (p / "__init__.py").exists()}

    assert folders == set(ROOMS)


def test_pure_rooms_touch_no_files_clock_or_randomness() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for room in PURE
        for path in sources(room)
        for name in imports(path)
        if name.split(".")[0] in IMPURE_MODULES
    ]

    assert wrong == []


def test_pure_rooms_do_not_open_or_print() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} calls {node.func.id}"
        for room in PURE
        for path in sources(room)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in IMPURE_CALLS
    ]

    assert wrong == []


def test_only_one_file_touches_the_streams() -> None:
    touching = [
        str(path.relative_to(PACKAGE))
        for path in sorted(PACKAGE.rglob("*.py"))
        if any(text in path.read_text("utf-8") for text in ("sys.stdout", "sys.stderr", "print("))
    ]

    assert touching == ["cli/output.py"]


def test_class_table_is_total() -> None:
    assert set(CLASS_TABLE) == {(author, kind) for author in Author for kind in Kind}
