"""Members of a JSON object put in and taken out, with every other byte left as it was."""

import json
import re
from dataclasses import dataclass

from compactctl.io.json_spans import JsonSpan, Path, replace, spans

_INDENT = re.compile(rb"\n([ \t]+)[\"\[{]")
_DEFAULT = "  "


@dataclass(frozen=True, slots=True)
class Layout:
    """How a JSON text is laid out: one level of indentation (``None``: on one line), line end."""

    indent: str | None
    newline: str

    @classmethod
    def of(cls, data: bytes) -> "Layout":
        """Return the layout of a text; two spaces where it shows none."""
        newline = "\r\n" if b"\r\n" in data else "\n"
        found = _INDENT.search(data)
        if found:
            return cls(found[1].decode(), newline)
        bare = data.strip()
        return cls(None if b"\n" not in bare and len(bare) > len(b"{}") else _DEFAULT, newline)

    def dump(self, value: object, level: int) -> bytes:
        """Return a value as it stands ``level`` levels deep; raises ``ValueError`` for NaN."""
        text = json.dumps(value, indent=self.indent, ensure_ascii=False, allow_nan=False)
        return text.replace("\n", self.newline + (self.indent or "") * level).encode(
            "utf-8", "surrogatepass"
        )

    def line(self, level: int) -> bytes:
        """Return what stands in front of a member ``level`` levels deep."""
        return b"" if self.indent is None else (self.newline + self.indent * level).encode()


def set_member(data: bytes, path: Path, value: object, layout: Layout) -> bytes:
    """
    Return a text in which the value stands at the path; the object above must be there.

    A member that is there keeps its place, a new one becomes the last.
    """
    above, key = path[:-1], path[-1]
    if any(span.path == path for span in spans(data, 1, above)):
        return replace(data, {path: layout.dump(value, len(path))})
    whole, members = _object(data, above)
    level = len(path)
    member = json.dumps(key).encode() + b": " + layout.dump(value, level)
    if not members:
        return _put(
            data, whole, b"{" + layout.line(level) + member + layout.line(level - 1) + b"}"
        )
    at = members[-1].end
    return data[:at] + b"," + (layout.line(level) or b" ") + member + data[at:]


def remove_member(data: bytes, path: Path) -> bytes:
    """Return a text without a member that is there, and without the comma that parted it."""
    whole, members = _object(data, path[:-1])
    at = next(i for i, span in enumerate(members) if span.path == path)
    if len(members) == 1:
        return _put(data, whole, b"{}")
    if at > 0:
        return data[: members[at - 1].end] + data[members[at].end :]
    comma = data.index(b",", members[0].end)
    return data[: whole.start + 1] + data[comma + 1 :]


def _object(data: bytes, path: Path) -> tuple[JsonSpan, list[JsonSpan]]:
    """Return the span of an object and those of its members' values, in order."""
    found = list(spans(data, 1, path))
    (whole,) = [span for span in found if span.path == path]
    return whole, [span for span in found if len(span.path) > len(path)]


def _put(data: bytes, span: JsonSpan, new: bytes) -> bytes:
    return data[: span.start] + new + data[span.end :]
