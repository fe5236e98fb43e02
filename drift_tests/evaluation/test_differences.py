from drift_assets.evaluation.differences import differences, interval
from drift_assets.evaluation.table import Row


def rows(**recall: float | None) -> dict[str, Row]:
    """Answers by id; the first letter of an id is its kind."""
    kinds = {"s": "single", "m": "multi", "u": "unanswerable"}
    return {id: {"kind": kinds[id[0]], "recall": value} for id, value in recall.items()}


def test_a_difference_is_that_of_the_same_questions() -> None:
    found = differences(
        "a",
        "b",
        {"a": rows(s1=1.0, s2=0.5, m1=1.0, u1=None, s9=1.0), "b": rows(s1=0.0, s2=0.5, m1=0.5, u1=None)},
        ["recall"],
    )

    assert [(one.kind, one.questions, one.difference) for one in found] == [
        ("single", 2, 0.5),
        ("multi", 1, 0.5),
        ("all", 3, 0.5),
    ]
    assert all((one.method, one.than, one.figure) == ("a", "b", "recall") for one in found)
    assert all(one.low <= one.difference <= one.high for one in found)


def test_an_interval_is_the_same_each_time_and_none_for_equal_values() -> None:
    values = [0.0, 1.0, 0.5, -0.5, 1.0, 0.0, 0.0, 1.0]

    low, high = interval(values)

    assert interval(values) == (low, high)
    assert low < sum(values) / len(values) < high
    assert interval([0.25] * 5) == (0.25, 0.25)


def test_more_questions_make_an_interval_narrower() -> None:
    few, many = interval([0.0, 1.0] * 4), interval([0.0, 1.0] * 40)

    assert many[1] - many[0] < few[1] - few[0]
