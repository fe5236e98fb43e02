from drift_assets.evaluation.table import Row, by_kind

ROWS: list[Row] = [
    {"kind": "multi", "recall": 0.5, "abstained": 0.0},
    {"kind": "single", "recall": 1.0, "abstained": 0.0, "other": "x"},
    {"kind": "unanswerable", "recall": None, "abstained": 1.0},
    {"kind": "multi", "recall": 0.0, "abstained": 1.0},
]


def test_figures_are_means_by_kind_and_over_all_that_can_be_answered() -> None:
    table = by_kind(ROWS, ("recall", "abstained"))

    assert list(table.index) == ["multi", "single", "unanswerable", "all"]
    assert list(table["questions"]) == [2, 1, 1, 3]
    assert list(table["recall"].fillna(-1)) == [0.25, 1.0, -1.0, 0.5]
    assert list(table["abstained"]) == [0.5, 0.0, 1.0, 1 / 3]


def test_a_figure_that_no_row_has_is_left_open() -> None:
    table = by_kind([{"kind": "unanswerable", "abstained": 1.0}], ("recall", "abstained"))

    assert list(table.index) == ["unanswerable"]
    assert table["recall"].isna().all()
