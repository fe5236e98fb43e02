"""Telling English from other languages."""

import pytest

from drift_assets.demo import corpus_folder
from drift_assets.english import is_english, is_english_question

SAMPLES = {
    "zh": "林海守护着港口的雾笛。雾笛立在梅林港的石墩上，每当大雾弥漫，他便彻夜不眠。一八八〇年，吴敏在河上造了一座桥，"
    "船长何德出了钱。那座桥在一九〇三年塌入河中，没有人知道原因。",
    "fr": "La brume couvrait le port de Merrin depuis trois jours. Marthe gardait l’orgue et ne dormait plus; elle "
    "notait dans son cahier chaque navire qui passait au large, et personne ne lui répondait.",
    "de": "Der Nebel lag seit drei Tagen über dem Hafen. Martha hütete die Orgel und schlief nicht mehr; in ihr Heft "
    "schrieb sie jedes Schiff, das draußen vorbeifuhr, und niemand gab ihr eine Antwort.",
    "nl": "De mist lag al drie dagen over de haven van Merrin. Martha paste op het orgel en sliep niet meer; in haar "
    "schrift noteerde ze elk schip dat voorbij voer, en niemand gaf haar antwoord.",
    "es": "La niebla cubría el puerto desde hacía tres días. Marta cuidaba el órgano y ya no dormía; en su cuaderno "
    "anotaba cada barco que pasaba a lo lejos, y nadie le respondía.",
    "ru": "Туман лежал над гаванью уже три дня. Марта берегла орган и больше не спала; в тетрадь она записывала каждый "
    "корабль, проходивший вдали, и никто ей не отвечал.",
}


@pytest.mark.parametrize("file", sorted(corpus_folder().iterdir()), ids=lambda file: file.name)
def test_english_texts_are_english(file) -> None:  # type: ignore[no-untyped-def]
    assert is_english(file.read_text("utf-8"))


@pytest.mark.parametrize("language", SAMPLES)
def test_other_languages_are_not(language: str) -> None:
    assert is_english(SAMPLES[language]) is False


def test_an_english_preface_does_not_make_a_book_english() -> None:
    assert is_english("This is the licence of the book, which you have to read. " * 60 + SAMPLES["fr"] * 200) is False


@pytest.mark.parametrize("text", ["", "1234 5678 " * 50, "Merrin, 1903."])
def test_a_text_may_be_too_short_to_tell(text: str) -> None:
    assert is_english(text) is None


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("Who repaired the Tide Clock?", True),
        ("Clara Whitcombe", True),
        ("What was Das Rheingold to Maria de los Angeles?", True),
        ("Wer hat die Uhr repariert?", False),
        ("Qui a réparé l'horloge?", False),
        ("¿Quién reparó el reloj?", False),
        ("Кто починил часы?", False),
        ("谁修好了钟？", False),
    ],
)
def test_a_question_tells_its_language_by_its_little_words(question: str, english: bool) -> None:
    assert is_english_question(question) is english
