"""Where a text may be cut: headings, paragraphs, sentences, and words where a sentence is too long."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drift_assets.borders import Kind, atoms, is_heading
from drift_assets.tokens import count_tokens

LINES = st.text(alphabet="aAzé今。.!?,'»「」# \t1-*\u3000", max_size=40)
TEXTS = st.lists(LINES, max_size=12).map("\n".join) | st.text(max_size=120)


def parts(text: str, max_tokens: int = 512) -> list[str]:
    return [text[atom.start : atom.stop] for atom in atoms(text, max_tokens)]


def kinds(text: str, max_tokens: int = 512) -> list[str]:
    return [atom.kind.name.lower() for atom in atoms(text, max_tokens)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Alice was beginning to get very tired.", "So she slept!", "Did she?"],
        ["He said: “Go!”", "Then he left."],
        ["`I shall be late!'", "It did."],
        ["Il a dit : « Viens ! »", "Puis il est parti.", "Qu’est-ce que c’est ?"],
        ["今天天气很好。", "我们去公园吧！", "你来吗？", "“好的。”", "他走了。"],
        ["これは本です。", "「行こう。」", "彼は言った。"],
        ["„Geh!“", "Dann ging er.", "(Er kam nie.)", "Schade."],
        ["Il partit.", "« Viens ! » dit-elle.", "(Il vint.)"],
        ["Сегодня хорошая погода.", "Мы пошли гулять."],
        ["यह एक पुस्तक है।", "वह गया।"],
    ],
)
def test_sentences_end_where_their_language_ends_them(sentences: list[str]) -> None:
    blank = "" if "。" in sentences[0] else " "

    assert parts(blank.join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "Mr. Smith and Dr. J. R. Brown met Mrs. White.",
        "M. Dupont habite à St. Malo.",
        "It weighs 3.5 kg, i.e. more than Fig. 3 says.",
        "“Oh! how late it is!” said the Rabbit.",
        "`Who are you?' said the Caterpillar.",
        "See No. 7, cf. the note.",
    ],
)
def test_what_looks_like_an_end_within_a_sentence_is_none(sentence: str) -> None:
    assert parts(sentence) == [sentence]


def test_a_sentence_runs_over_the_ends_of_wrapped_lines() -> None:
    assert parts("Alice was beginning\nto get very tired.  She\nslept.") == [
        "Alice was beginning\nto get very tired.",
        "She\nslept.",
    ]


def test_a_paragraph_ends_at_a_blank_line() -> None:
    text = "One\n \t\nTwo and more. Three\n\n\nFour"

    assert parts(text) == ["One", "Two and more.", "Three", "Four"]
    assert kinds("one,\n\ntwo. Three,\n\nfour,") == ["paragraph", "paragraph", "sentence", "paragraph"]


def test_a_line_too_long_to_be_wrapped_is_a_paragraph() -> None:
    long_line = "word " * 40 + "end"

    assert parts(f"{long_line}\n{long_line}\nshort line\n") == [long_line, long_line, "short line"]


def test_a_heading_is_told_from_the_text_under_it() -> None:
    text = "Before it.\n\nThe Fog Organ\n\nIt was built. It fell.\n\nMore."

    assert kinds(text) == ["paragraph", "heading", "after_heading", "sentence", "paragraph"]


def test_headings_one_after_the_other_stay_together() -> None:
    assert kinds("CHAPTER I\n\nDown the Rabbit-Hole\n\nAlice was tired.") == [
        "heading",
        "after_heading",
        "after_heading",
    ]


def test_a_marked_heading_needs_no_blank_line() -> None:
    text = "Before it.\n## The organ\nIt was built.\nCHAPTER 2. Loomings.\nCall me."

    assert parts(text) == ["Before it.", "## The organ", "It was built.", "CHAPTER 2. Loomings.", "Call me."]
    assert kinds(text) == ["paragraph", "heading", "after_heading", "heading", "after_heading"]


@pytest.mark.parametrize(
    "line",
    [
        "# Title",
        "###### deep",
        "CHAPTER IV",
        "Chapter 12. Of Fog.",
        "Chapitre 3",
        "第十二章 大雾",
        "The Fog Organ",
        "1880",
    ],
)
def test_headings(line: str) -> None:
    assert is_heading(f"  {line}\n")


@pytest.mark.parametrize(
    "block",
    [
        "",
        "It ends.",
        "two\nlines",
        "lower case line",
        "It ends. Or not",
        "*   *   *",
        "A line, that,",
        "#hashtag!",
        "So long " * 12,
        "Said:",
    ],
)
def test_no_headings(block: str) -> None:
    assert not is_heading(block)


def test_a_sentence_too_long_is_taken_apart_at_its_words() -> None:
    text = "Short one. " + "Word " * 50 + "end. Short again."

    found = list(atoms(text, 20))

    assert [text[atom.start : atom.stop] for atom in found][:3] == ["Short one.", "Word", "Word"]
    assert [atom.kind for atom in found][:3] == [Kind.PARAGRAPH, Kind.SENTENCE, Kind.WORD]
    assert found[-1].kind is Kind.SENTENCE


@pytest.mark.parametrize(
    "text", ["QUJD" * 2_000, "今天天气很好我们去公园" * 300, "🐋" * 500, "e\u0301" * 1_000, "." * 3_000]
)
def test_what_has_no_words_is_taken_apart_all_the_same(text: str) -> None:
    assert "".join(parts(text, 32)) == text
    assert max(map(count_tokens, parts(text, 32))) <= 300


def test_characters_that_belong_together_are_not_parted() -> None:
    assert not any(part.startswith("\u0301") for part in parts("e\u0301" * 1_000, 32))


def test_sentences_do_not_depend_on_where_reading_began() -> None:
    """Texts are read in blocks of some thousand characters, whose ends must not show."""
    sentences = [f"Sentence number {number} of those that the clerk wrote down, and no more." for number in range(600)]

    for lead in ("", "Hm. ", "A somewhat longer beginning, to move the blocks. "):
        assert parts(lead + " ".join(sentences))[-600:] == sentences


def test_a_very_long_sentence_has_no_border_at_the_end_of_a_block() -> None:
    words = " ".join(f"word{number}" for number in range(3_000))

    assert parts(f"{words}. Then an end.", 10**6) == [f"{words}.", "Then an end."]


@given(TEXTS, st.integers(4, 40))
@settings(deadline=None)
def test_atoms_are_in_order_and_hold_all_that_is_not_blank(text: str, max_tokens: int) -> None:
    end = 0
    for atom in atoms(text, max_tokens):
        assert not text[end : atom.start].strip()
        assert atom.start < atom.stop
        assert text[atom.start : atom.stop] == text[atom.start : atom.stop].strip()
        end = atom.stop
    assert not text[end:].strip()
