import pytest

from drift_assets.evaluation.grounding import groundedness

SOURCES = {1: "Reeve lit the lamp of the tower at dusk.", 2: "Drummond rowed the boat out."}


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("Reeve lit the lamp [1].", 1.0),
        ("At dusk the lamps were lit by Reeve. [1]", 1.0),
        ("Reeve lit the lamp [2].", 0.0),
        ("Reeve lit the lamp [1]. Drummond was a merchant of great wealth and fame [2].", 0.5),
        ("Reeve lit the lamp and Drummond rowed the boat [1][2].", 1.0),
        ("Reeve lit the lamp [9].", 0.0),
        ("Nobody says so.", None),
    ],
)
def test_half_of_the_words_of_a_citing_sentence_stand_in_its_sources(answer: str, share: float | None) -> None:
    assert groundedness(answer, SOURCES) == share
