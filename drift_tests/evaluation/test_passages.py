from drift_assets.evaluation.passages import Passage, read_texts
from drift_assets.graph.evidence import PlacedChunk

CHUNKS = {
    "a0": PlacedChunk("a0", "a.txt", 0, "The lamp\nwas lit"),
    "a1": PlacedChunk("a1", "a.txt", 1, "by Reeve.\n\nIt burned all night."),
    "a2": PlacedChunk("a2", "a.txt", 2, "At dawn it went out."),
    "b0": PlacedChunk("b0", "b.txt", 0, "A boat came in."),
}


def read(*passages: tuple[str, str]) -> list[str]:
    return read_texts([Passage("chunk", id, text) for id, text in passages], CHUNKS)


def whole(*ids: str) -> list[tuple[str, str]]:
    return [(id, CHUNKS[id].text) for id in ids]


def test_a_quote_cut_by_a_border_is_restored() -> None:
    assert read(*whole("a1", "a0")) == ["The lamp was lit by Reeve. It burned all night."]


def test_chunks_with_one_between_them_stay_apart() -> None:
    assert read(*whole("a0", "a2")) == ["The lamp was lit", "At dawn it went out."]


def test_chunks_of_two_documents_stay_apart() -> None:
    assert read(*whole("a2", "b0")) == ["At dawn it went out.", "A boat came in."]


def test_parts_of_chunks_are_joined_where_nothing_lies_between() -> None:
    assert read(("a0", "was lit"), ("a1", "by Reeve.")) == ["was lit by Reeve."]


def test_parts_of_chunks_stay_apart_where_something_was_not_read() -> None:
    assert read(("a0", "The lamp"), ("a1", "by Reeve.")) == ["The lamp", "by Reeve."]
    assert read(("a0", "was lit"), ("a1", "It burned")) == ["was lit", "It burned"]


def test_overlapping_parts_of_a_chunk_are_one() -> None:
    assert read(("a2", "At dawn it"), ("a2", "it went out."), ("a2", "dawn")) == ["At dawn it went out."]


def test_what_is_no_chunk_or_not_as_the_chunk_says_stands_for_itself() -> None:
    passages = [Passage("report", "m", "A  report\nof a0."), Passage("chunk", "a0", "Other words")]

    assert read_texts(passages, CHUNKS) == ["A report of a0.", "Other words"]


def test_the_same_text_stands_once() -> None:
    passages = [Passage("report", "m", "The lamp."), Passage("entity", "LAMP", "The lamp.")]

    assert read_texts(passages, {}) == ["The lamp."]


def test_nothing_was_read() -> None:
    assert read_texts([], CHUNKS) == []
