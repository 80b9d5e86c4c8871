"""Thinning keeps one row of every kind, so that a bad row among thousands is still seen."""

from compactctl.io.thinning import thinned


def rows(number: int) -> list[object]:
    return [{"id": f"L{n}.0", "action": "keep", "tokens": n} for n in range(number)]


def test_like_rows_become_one() -> None:
    assert thinned(rows(5000)) == [{"id": "L0.0", "action": "keep", "tokens": 0}]


def test_short_lists_stay_whole() -> None:
    assert thinned({"entries": rows(100)}) == {"entries": rows(100)}


def test_another_word_type_sign_or_key_is_another_kind() -> None:
    odd = [
        {"id": "L9.0", "action": "erase", "tokens": 1},
        {"id": "L9.0", "action": "keep", "tokens": "1"},
        {"id": "L9.0", "action": "keep", "tokens": -1},
        {"id": "L9.0", "action": "keep"},
        {"id": None, "action": "keep", "tokens": 1},
    ]
    kept = thinned([*rows(3000), *odd, *rows(3000)])

    assert isinstance(kept, list)
    assert [row for row in odd if row not in kept] == []
    assert len(kept) == len(odd) + 1
