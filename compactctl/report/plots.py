"""Plots for a terminal, one character a column."""

from collections.abc import Iterator, Sequence

_BARS = " ▁▂▃▄▅▆▇█"
_ROWS = 4
_WIDEST = 100
_LABEL = 10


def area(
    points: Sequence[tuple[int, int]], top: int, marks: Sequence[int], width: int
) -> Iterator[str]:
    """
    Yield the rows of an area plot of (place, value) pairs, up to ``top``, and a row of marks.

    Each column shows the highest value that falls into it; columns without one go on from the
    column before. Marked places get a ``^`` below.
    """
    columns = max(10, min(_WIDEST, width - _LABEL - 2))
    first, last = points[0][0], max(points[-1][0], *marks, points[0][0] + 1)
    heights = _heights(points, first, last, columns)
    for row in range(_ROWS - 1, -1, -1):
        label = f"{top:,}" if row == _ROWS - 1 else ("0" if row == 0 else "")
        cells = (_cell(value / top * _ROWS - row) for value in heights)
        yield f"{label:>{_LABEL}} |" + "".join(cells)
    below = [" "] * columns
    for mark in marks:
        below[_column(mark, first, last, columns)] = "^"
    yield " " * _LABEL + "  " + "".join(below).rstrip()


def _heights(points: Sequence[tuple[int, int]], first: int, last: int, columns: int) -> list[int]:
    highest: dict[int, int] = {}
    ending: dict[int, int] = {}
    for place, value in points:
        column = _column(place, first, last, columns)
        highest[column] = max(highest.get(column, 0), value)
        ending[column] = value
    heights: list[int] = []
    going_on = 0
    for column in range(columns):
        heights.append(highest.get(column, going_on))
        going_on = ending.get(column, going_on)
    return heights


def _column(place: int, first: int, last: int, columns: int) -> int:
    return min(columns - 1, (place - first) * columns // (last - first + 1))


def _cell(share: float) -> str:
    return _BARS[max(0, min(len(_BARS) - 1, round(share * (len(_BARS) - 1))))]
