from typing import Any

from compactctl.report.listings import render_classification, render_pins, render_verify
from compactctl.report.markdown import markdown_classification

PIN = {
    "id": "a" * 12,
    "kind": "constraint",
    "strength": "strong",
    "text": "Never dredge on Sundays.",
    "line": 3,
    "entry": "L3.0",
    "status": "active",
    "superseded_by": None,
    "referent": None,
}
OLD = PIN | {
    "id": "b" * 12,
    "text": "Dredge daily.",
    "status": "superseded",
    "superseded_by": "a" * 12,
}
YES = PIN | {
    "id": "c" * 12,
    "text": "yes, the second",
    "line": 8,
    "referent": {"entry": "L7.0", "text": "2. Pump at night."},
}


def document(**changes: Any) -> dict[str, Any]:
    entry = {"id": "L3.0", "state": "decision", "tokens": 40, "in_view": True}
    return {
        "transcript": {
            "path": "dredge.jsonl",
            "format": "codex",
            "conversation": 2,
            "records": 12,
            "entries": 2,
            "tokens": {"value": 40, "source": "counted", "encoding": "o200k_base"},
        },
        "entries": [entry, entry | {"id": "L1.0", "tokens": 2_000, "in_view": False}],
        "pins": [OLD, PIN, YES],
        "branches": [
            {
                "kind": "retry_loop",
                "start_line": 4,
                "end_line": 9,
                "attempts": 3,
                "what": "make pump",
                "failure": "no pressure",
                "resolved": True,
            }
        ],
        "claims": [
            {"line": 10, "text": "All pumps run.", "supported": False},
            {"line": 11, "text": "Done.", "supported": None},
        ],
        "boundaries": [{"after_line": 9, "score": 0.9, "why": "tests passed"}],
        "damage": [{"line": 7, "byte_offset": 1_234, "length": 20, "kind": "nul", "detail": ""}],
        **changes,
    }


def test_a_classification_for_people() -> None:
    assert render_classification(document(), width=100).splitlines() == [
        "dredge.jsonl: codex, conversation 2, 12 records, 2 entries",
        "in view   40 tokens, counted with o200k_base",
        "",
        "  class        entries       tokens      in view",
        "  decision           2        2,040           40",
        "  fact               0            0            0",
        "  reasoning          0            0            0",
        "  raw                0            0            0",
        "",
        "pins      3 pins",
        "    L3     strong constraint Dredge daily. [superseded]",
        "           superseded by L3: Never dredge on Sundays.",
        "    L3     strong constraint Never dredge on Sundays.",
        "    L8     strong constraint yes, the second",
        "           answers L7.0: 2. Pump at night.",
        "branches  1 branch",
        "    L4-9         retry loop x3, resolved: make pump",
        "                 no pressure",
        "claims    1 claim without support in the record:",
        "    L10     All pumps run.",
        "cuts      the best of 1 boundary:",
        "    after L9      0.90  tests passed",
        "damage    1 fault:",
        "    line 7, byte 1,234, 20 bytes: nul",
    ]


def test_no_pins_is_said() -> None:
    assert render_pins(document(pins=[]), width=80).startswith("no pins: ")


def test_much_damage_is_cut_short() -> None:
    faults = document()["damage"] * 30

    assert "and 10 more (--format json)" in render_classification(
        document(damage=faults), width=80
    )


def test_a_classification_as_markdown() -> None:
    shown = markdown_classification(document())

    assert "| 3 | strong | constraint | superseded | Dredge daily. |" in shown
    assert "- lines 4 to 9, retry loop: make pump: no pressure" in shown
    assert "- line 10: All pumps run." in shown


def test_what_does_not_resolve_is_named() -> None:
    pointer = {"pointer": "snap:0a#L1.0", "entry": "L1.0", "evidence": "high tide"}
    shown = render_verify(
        {
            "pointers": [
                pointer | {"status": "resolves"},
                pointer | {"status": "changed"},
                pointer | {"status": "unverifiable"},
            ],
            "objects": [
                {"path": "objects/aa/aa", "status": "ok"},
                {"path": "objects/bb/bb", "status": "corrupted"},
            ],
        },
        width=100,
    )

    assert shown.splitlines() == [
        "pointers  3: 1 resolve, 1 do not, 1 cannot be checked here",
        "  changed: snap:0a#L1.0  high tide",
        "store     2 files, 1 not as they should be",
        "  corrupted: objects/bb/bb",
    ]
