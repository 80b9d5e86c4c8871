"""Plots: heights and marks stand in the right columns."""

from compactctl.report.plots import area


def test_heights_follow_the_values() -> None:
    rows = list(area([(0, 0), (10, 50), (19, 100)], 100, [10], 32))

    assert rows == [
        "       100 |                   █",
        "           |                   █",
        "           |          ██████████",
        "         0 |          ██████████",
        "                      ^",
    ]


def test_a_single_point_is_no_fault() -> None:
    assert len(list(area([(5, 7)], 10, [], 80))) == 5
