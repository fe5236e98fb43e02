"""Bytes to text, whatever their encoding."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drift_assets.encodings import decode

FRENCH = "À Noël, la forêt est couverte de neige. « C’est déjà fini ? » demande Zoé, étonnée de voir l’œuvre."
GERMAN = "Die Straße führt über die Brücke; Müller grüßt höflich und schickt schöne Grüße aus Köln."
SPANISH = "El niño pequeño soñó con una montaña. ¿Dónde está? ¡Aquí!"
POLISH = "Zażółć gęślą jaźń. Wczoraj poszliśmy do lasu, żeby zebrać grzyby i jagody na kolację."
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. Dnes je hezký den a děti si hrají venku na zahradě."
RUSSIAN = "Сегодня хорошая погода, и мы пошли гулять в парк вместе с друзьями."
GREEK = "Σήμερα ο καιρός είναι καλός και πήγαμε βόλτα στο πάρκο."
CHINESE = "今天天气很好。我们去公园吧！你来吗？好的，明天见。"
JAPANESE = "これは日本語の文章です。今日はいい天気ですね。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", ["plain", FRENCH, CHINESE, "🐋 a whale"])
def test_unicode_is_read_without_its_byte_order_mark(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))

    assert decoded is not None
    assert decoded[1] == text


@pytest.mark.parametrize(("mark", "encoding"), [(b"\xfe\xff", "utf-16-be"), (b"\x00\x00\xfe\xff", "utf-32-be")])
def test_big_endian_text_with_a_mark_is_read(mark: bytes, encoding: str) -> None:
    assert decode(mark + FRENCH.encode(encoding)) == (encoding, FRENCH)


@pytest.mark.parametrize("text", [FRENCH, GERMAN, SPANISH, "Le café de l'été à Noël : où êtes-vous ?", "Café"])
def test_western_text_is_read_as_cp1252(text: str) -> None:
    assert decode(text.encode("cp1252")) == ("cp1252", text)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (POLISH, "cp1250"),
        (CZECH, "cp1250"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (GREEK, "cp1253"),
        (CHINESE, "gb18030"),
        (JAPANESE, "shift-jis"),
    ],
)
def test_the_encodings_of_other_scripts_are_told_apart(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))

    assert decoded is not None
    assert decoded[1] == text


def test_an_accent_far_down_a_plain_file_is_found() -> None:
    text = "A line of plain text about nothing much.\n" * 5_000 + FRENCH

    assert decode(text.encode("cp1252")) == ("cp1252", text)


def test_a_broken_byte_does_not_make_utf8_another_encoding() -> None:
    data = (FRENCH * 3).encode()

    assert decode(data[:100] + b"\xff" + data[100:]) == ("utf-8", data[:100].decode() + "\ufffd" + data[100:].decode())


def test_a_broken_byte_among_few_accents_does_not_either() -> None:
    assert decode("Zoë paid 3 € to the café.".encode() + b"\xff") == ("utf-8", "Zoë paid 3 € to the café.\ufffd")


def test_a_file_cut_off_within_a_character_is_still_utf8() -> None:
    assert decode((FRENCH + "é").encode()[:-1]) == ("utf-8", FRENCH + "\ufffd")


def test_random_bytes_are_no_text() -> None:
    assert decode(random.Random(1).randbytes(5_000)) is None


def test_no_bytes_are_an_empty_text() -> None:
    assert decode(b"") == ("utf-8", "")


@given(st.text(max_size=200))
def test_any_text_survives_utf8(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode()) == ("utf-8", text)


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_any_bytes_are_text_or_not_but_no_error(data: bytes) -> None:
    decoded = decode(data)

    assert decoded is None or isinstance(decoded[1], str)
