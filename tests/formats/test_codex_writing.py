"""Compacted Codex rollouts: what the model sees in them, rebuilt here by other means."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compactctl.compact.boundary import leading_system
from compactctl.compact.groups import allowed_cuts, group_view
from compactctl.errors import RefusedError
from compactctl.formats.base import WriteJob
from compactctl.formats.codex import CODEX
from compactctl.formats.reading import FileContent, read_lines
from compactctl.formats.state_block import BlockText, Ref, StateBlock, parse, render
from compactctl.io.source import Source
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Author, Entry, Kind, View
from compactctl.model.transcript import Transcript

FIXTURES = Path(__file__).parents[2] / "fixtures" / "codex"
DAY = FIXTURES / "berth-fees.jsonl"
NOW = "2026-06-01T12:00:00.000Z"
OPEN_FILES = ExitStack()


@pytest.fixture(autouse=True)
def _closing() -> Iterator[None]:
    with OPEN_FILES:
        yield


class Session:
    """A rollout, read."""

    def __init__(self, path: Path) -> None:
        self.source = OPEN_FILES.enter_context(Source.open(path))
        self.transcript: Transcript = read_lines(self.source, CODEX)
        self.content = FileContent(self.source, self.transcript, CODEX)
        self.view: View = CODEX.view(self.transcript, self.content, len(self.transcript.records))

    @property
    def texts(self) -> list[str]:
        return [self.content.text(s.entry) if s.shown is None else s.shown for s in self.view]

    def human(self, cut: int) -> tuple[BlockText, ...]:
        own = self.transcript.sha256[:12]
        return tuple(
            BlockText(
                ref=Ref(own, s.entry.id),
                author=s.entry.author,
                text=self.content.text(s.entry)[span.start : span.end],
                tokens=7,
            )
            for s in self.view[:cut]
            if s.entry.author in (Author.HUMAN, Author.DELEGATOR)
            for span in s.entry.authored
        )

    def block(self, cut: int, human: Sequence[BlockText] | None = None) -> StateBlock:
        return StateBlock(
            policy="0" * 12,
            last_entry=self.view[cut - 1].entry.id,
            snapshot=self.transcript.sha256[:12],
            round=1,
            session=self.transcript.session_id or "-",
            pins=(),
            human=tuple(self.human(cut) if human is None else human),
            facts=(),
            lines=(),
        )

    def write(
        self,
        cut: int,
        block: StateBlock | None,
        *,
        append: bool = False,
        rewrites: Mapping[str, NewText | NewArguments] | None = None,
    ) -> bytes:
        lead = leading_system([s.entry for s in self.view[:cut]])
        job = WriteJob(
            transcript=self.transcript,
            source=self.source,
            content=self.content,
            view=self.view,
            cut=cut,
            after_line=None,
            block=block,
            rewrites=rewrites or {},
            kept=[s.entry.id for s in self.view[:lead]],
            append=append,
            tokens_before=0,
            trigger="manual",
            now=NOW,
            new_id=lambda: "new",
        )
        return b"".join(CODEX.write(job))


def again(tmp_path: Path, data: bytes) -> Session:
    path = tmp_path / f"out-{len(list(tmp_path.iterdir()))}.jsonl"
    path.write_bytes(data)
    return Session(path)


def objects(data: bytes) -> Iterator[dict[str, object]]:
    """The records of a file that are alone on their line, as the client reads them."""
    for text in data.split(b"\n"):
        try:
            yield json.loads(text)
        except ValueError:
            continue


def rebuilt(data: bytes) -> list[object]:
    """The items that the model is sent, for files without rollbacks."""
    history: list[object] = []
    for record in objects(data):
        payload = record["payload"]
        assert isinstance(payload, dict)
        if record["type"] == "compacted":
            history = list(payload["replacement_history"])
        elif record["type"] == "response_item":
            history.append(payload)
    return history


def shown(items: Sequence[object]) -> list[str]:
    """Texts of messages and outputs, and ids of calls, in order."""
    found = []
    for entry in items:
        assert isinstance(entry, dict)
        if entry["type"] == "message":
            found += [part["text"] for part in entry["content"]]
        elif "output" in entry:
            found.append(entry["output"])
        elif "call_id" in entry:
            found.append(entry["call_id"])
    return found


def unpaired(items: Sequence[object]) -> set[object]:
    calls, outputs = set(), set()
    for entry in items:
        assert isinstance(entry, dict)
        if "call_id" in entry:
            (outputs if entry["type"].endswith("_output") else calls).add(entry["call_id"])
    return calls ^ outputs


def cuts(session: Session) -> list[int]:
    allowed = allowed_cuts(session.view, group_view(session.view))
    return [at for at, ok in enumerate(allowed) if ok and 3 < at < len(session.view)]


def item_of(session: Session, at: int) -> int:
    """Number of the item, of all that the file holds, that an entry of the view is in."""
    record = session.view[at].entry.record
    return sum(r.type.startswith("response_item") for r in session.transcript.records[:record])


@pytest.mark.parametrize("mode", ["flat", "append"])
@pytest.mark.parametrize("cut", [40, 66, 90])
def test_the_model_sees_context_words_block_and_tail(tmp_path: Path, cut: int, mode: str) -> None:
    session, append = Session(DAY), mode == "append"
    cut = max(at for at in cuts(session) if at <= cut)
    data = session.write(cut, session.block(cut), append=append)
    before, after = rebuilt(DAY.read_bytes()), rebuilt(data)
    said = [text.text for text in session.human(cut)]
    assert after[:2] == before[:2]
    assert shown(after[2:])[: len(said)] == said
    block = shown(after[2:])[len(said)]
    assert block == render(session.block(cut, ()), with_human=False)
    assert after[3 + len(said) :] == before[item_of(session, cut) :]
    assert not unpaired(after)
    back = again(tmp_path, data)
    assert back.texts[-len(session.view[cut:]) :] == session.texts[cut:]
    assert back.view[len(back.view) - len(session.view[cut:]) - 1].entry.author is Author.CARRIED
    assert not back.transcript.damage


def test_every_allowed_cut_keeps_calls_and_their_results_together() -> None:
    session = Session(DAY)
    for cut in cuts(session):
        assert not unpaired(rebuilt(session.write(cut, session.block(cut))))


def test_flattened_file_is_meta_context_compaction_and_the_tail_byte_for_byte() -> None:
    session = Session(DAY)
    cut = cuts(session)[-5]
    lines = session.write(cut, session.block(cut)).split(b"\n")
    original = DAY.read_bytes().split(b"\n")
    kinds = [json.loads(text)["type"] for text in lines[:3]]
    assert kinds == ["session_meta", "turn_context", "compacted"]
    assert lines[0] == original[0]
    assert lines[1] in original
    assert lines[3:-2] == original[original.index(lines[3]) : -1]
    assert session.view[cut].entry.line == original.index(lines[3]) + 1


def test_a_tail_begins_with_what_begins_its_turn() -> None:
    session = Session(DAY)
    cut = next(at for at, s in enumerate(session.view) if s.entry.line == 130)
    lines = session.write(cut, session.block(cut)).split(b"\n")
    types = [json.loads(text)["payload"].get("type") for text in lines[3:6]]
    assert types == ["task_started", None, "message"]


def test_rewritten_tail_and_the_count_of_the_new_context(tmp_path: Path) -> None:
    session = Session(DAY)
    cut = cuts(session)[-5]
    tail = next(s.entry for s in session.view[cut:] if s.entry.kind is Kind.TOOL_RESULT)
    gone = {tail.id: NewText("gone")}
    for append in (False, True):
        data = session.write(cut, session.block(cut), append=append, rewrites=gone)
        back = again(tmp_path, data)
        assert back.texts.count("gone") == 1
        assert back.transcript.usage[-1].context < session.transcript.usage[-1].context / 2
        assert back.transcript.window == session.transcript.window


def test_an_original_without_last_line_end_is_completed(tmp_path: Path) -> None:
    session = again(tmp_path, DAY.read_bytes().removesuffix(b"\n"))
    cut = cuts(session)[20]
    for append in (True, False):
        data = session.write(cut, session.block(cut), append=append)
        assert len(list(objects(data))) == len(data.split(b"\n")) - 1


def test_what_gave_way_stays_in_the_block(tmp_path: Path) -> None:
    session = Session(DAY)
    cut = cuts(session)[-5]
    first, *others = session.human(cut)
    gone = BlockText(ref=first.ref, author=first.author, text=None, tokens=120)
    back = again(tmp_path, session.write(cut, session.block(cut, (gone, *others))))
    human = [s.entry for s in back.view if s.entry.author is Author.HUMAN and not s.entry.call_id]
    assert [back.content.text(entry) for entry in human][: len(others)] == [
        text.text for text in others
    ]
    block = next(
        parse(back.content.text(s.entry)) for s in back.view if s.entry.author is Author.CARRIED
    )
    assert isinstance(block, StateBlock)
    assert block.human == (gone,)


def test_rewrites_change_one_value_and_nothing_else(tmp_path: Path) -> None:
    session = Session(DAY)
    result = entry_of(session, lambda e: e.kind is Kind.TOOL_RESULT)
    call = entry_of(session, lambda e: e.tool == "exec_command" and e.kind is Kind.TOOL_CALL)
    patch = entry_of(session, lambda e: e.tool == "apply_patch" and e.kind is Kind.TOOL_CALL)
    rewrites = {
        result.id: NewText('gone: "x"\n'),
        call.id: NewArguments({"cmd": "…", "absent": "y"}),
        patch.id: NewArguments({"input": "see the file"}),
    }
    data = session.write(0, None, rewrites=rewrites)
    back = again(tmp_path, data)
    texts = dict(zip((s.entry.id for s in back.view), back.texts, strict=True))
    assert texts[result.id] == 'gone: "x"\n'
    stored = session.content.arguments(call)
    assert json.loads(texts[call.id].partition("\n")[2]) == {**stored, "cmd": "…"}
    assert texts[patch.id] == "apply_patch\nsee the file"
    changed = [
        number
        for number, (old, new) in enumerate(
            zip(DAY.read_bytes().split(b"\n"), data.split(b"\n"), strict=True), 1
        )
        if old != new
    ]
    assert changed == sorted({result.line, call.line, patch.line})


def test_clearing_can_be_appended(tmp_path: Path) -> None:
    session = Session(DAY)
    result = entry_of(session, lambda e: e.kind is Kind.TOOL_RESULT)
    data = session.write(0, None, append=True, rewrites={result.id: NewText("gone")})
    assert data.startswith(DAY.read_bytes())
    added = [record["type"] for record in objects(data[DAY.stat().st_size :])]
    assert added == ["compacted", "turn_context", "event_msg"]
    back = again(tmp_path, data)
    expected = session.texts
    expected[[s.entry.id for s in session.view].index(result.id)] = "gone"
    assert back.texts == expected


def grown(data: bytes, number: int) -> bytes:
    """A session that went on for another turn."""
    call = f"later-{number}"
    items = (
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": call}]},
        {"type": "function_call", "name": "f", "arguments": "{}", "call_id": call},
        {"type": "function_call_output", "call_id": call, "output": "x"},
    )
    records = [{"timestamp": NOW, "type": "response_item", "payload": i} for i in items]
    return data + b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize("mode", ["flat", "append"])
def test_several_rounds_keep_what_humans_said(tmp_path: Path, mode: str) -> None:
    session = Session(DAY)
    said = [s.text for s in session.human(len(session.view))]
    for number in range(3):
        lines = [s.entry.line for s in session.view]
        possible = [c for c in cuts(session) if lines[c - 1] < lines[c]]
        cut = possible[len(possible) // 2]
        data = session.write(cut, session.block(cut), append=mode == "append")
        session = again(tmp_path, grown(data, number))
        said.append(f"later-{number}")
        assert [s.text for s in session.human(len(session.view))] == said
        assert sum(s.entry.author is Author.CARRIED for s in session.view) == 1


def test_ordinals_of_a_paginated_file_have_no_gap() -> None:
    session = Session(FIXTURES / "paginated.jsonl")
    cut = next(at for at, s in enumerate(session.view) if at and s.entry.author is Author.HUMAN)
    flat = session.write(cut, session.block(cut))
    appended = session.write(cut, session.block(cut), append=True)
    for data in (flat, appended):
        ordinals = [record["ordinal"] for record in objects(data)]
        assert ordinals == list(range(len(ordinals)))


def test_glued_records_are_written_apart() -> None:
    session = Session(FIXTURES / "glued.jsonl")
    written = rebuilt(session.write(1, session.block(1)))
    assert not unpaired(written)
    assert len(written) == len(session.view) + 1


@pytest.mark.parametrize("name", ["compaction-encrypted", "compaction-local", "compaction-legacy"])
def test_an_earlier_compaction_is_folded_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    session = Session(FIXTURES / f"{name}.jsonl")
    (boundary,) = session.transcript.boundaries
    last = max(at for at, s in enumerate(session.view) if s.entry.record == boundary.record)
    for cut in range(1, last + 1):
        with pytest.raises(RefusedError, match="compaction record"):
            session.write(cut, session.block(cut))
    data = session.write(last + 1, session.block(last + 1))
    back = again(tmp_path, data)
    assert [b.ours for b in back.transcript.boundaries] == [True]
    assert back.texts[-len(session.view[last + 1 :]) :] == session.texts[last + 1 :]


def test_a_sub_agents_order_stays_its_parents(tmp_path: Path) -> None:
    session = Session(FIXTURES / "sub-agent.jsonl")
    cut = len(session.view) - 1
    back = again(tmp_path, session.write(cut, session.block(cut)))
    orders = [back.content.text(s.entry) for s in back.view if s.entry.author is Author.DELEGATOR]
    assert orders == [
        "Review kite/wind.py. Do not edit files. Report findings first, with line numbers.",
        "Also check the units.",
    ]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=2, max_size=6), st.data())
def test_any_session_keeps_its_tail(
    turns: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    def record(**payload: object) -> str:
        value = {"timestamp": NOW, "type": "response_item", "payload": payload}
        return json.dumps(value, ensure_ascii=data.draw(st.booleans()))

    lines = [json.dumps({"timestamp": NOW, "type": "session_meta", "payload": {"id": "s"}})]
    for number, (asked, done, answer) in enumerate(turns):
        lines += [
            record(type="message", role="user", content=[{"type": "input_text", "text": asked}]),
            record(
                type="function_call",
                name="f",
                arguments=json.dumps({"a": done}),
                call_id=f"c{number}",
            ),
            record(type="function_call_output", call_id=f"c{number}", output=answer),
        ]
    with tempfile.TemporaryDirectory() as folder, OPEN_FILES:
        path = Path(folder) / "in.jsonl"
        path.write_text("\n".join(lines), "utf-8")
        session = Session(path)
        cut = data.draw(st.sampled_from(range(3, len(session.view), 3)))
        written = session.write(cut, session.block(cut), append=data.draw(st.booleans()))
        back = again(Path(folder), written)
        assert back.texts[-len(session.view[cut:]) :] == session.texts[cut:]
        assert not unpaired(rebuilt(written))
        assert [s.text for s in back.human(len(back.view))] == [
            s.text for s in session.human(len(session.view))
        ]


def entry_of(session: Session, wanted: Callable[[Entry], bool]) -> Entry:
    return next(s.entry for s in session.view if wanted(s.entry))
