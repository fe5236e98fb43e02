"""Word and HTML files."""

from __future__ import annotations

import sys

import pytest

from drift_assets.formats.content import Unreadable
from drift_assets.formats.office import read_html, read_word
from drift_tests.formats.files import word

PAGE = b"""<!doctype html><html lang="en"><head><title> The Fog
Organ </title><meta name="Author" content="Ada Moss"><meta property="article:published_time" content="2024-03-09">
<link rel="canonical" href="https://example.org/organ"><script>let hidden = 1</script></head>
<body><h1>An organ</h1><p>Martha Reeve keeps it &amp; plays it.</p>
<img src="data:image/png;base64,AAAA"></body></html>"""


def test_a_word_document_becomes_its_text() -> None:
    core = (
        "<dc:creator>Ada Moss</dc:creator><dc:title>The Organ</dc:title><dcterms:created>2024-03-09</dcterms:created>"
    )

    found = read_word(word(["Martha Reeve keeps it.", "Tobias <Lund> does not."], core))

    assert found.text == "Martha Reeve keeps it.\n\nTobias <Lund> does not."
    assert found.title == "The Organ"
    assert found.metadata == {"author": "Ada Moss", "date": "2024-03-09"}


def test_a_page_becomes_its_text_without_scripts_and_pictures() -> None:
    found = read_html(PAGE)

    assert found.text == "# An organ\n\nMartha Reeve keeps it & plays it."
    assert found.title == "The Fog Organ"
    assert found.metadata == {
        "author": "Ada Moss",
        "date": "2024-03-09",
        "url": "https://example.org/organ",
        "language": "en",
    }


@pytest.mark.parametrize("data", [b"", b"no archive", word(["A text."])[:200], b"PK\x03\x04" + b"x" * 100])
def test_an_archive_that_is_corrupt_is_told(data: bytes) -> None:
    with pytest.raises(Unreadable, match="not a Word document"):
        read_word(data)


def test_an_archive_without_a_document_is_told() -> None:
    damaged = word(["A text."]).replace(b"word/document.xml", b"word/nothing_.xml")

    with pytest.raises(Unreadable, match=r"a damaged \.docx file"):
        read_word(damaged)


def test_without_the_converter_the_command_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "markitdown", None)

    with pytest.raises(Unreadable, match=r"pip install 'drift-assets\[office\]'") as caught:
        read_html(PAGE)
    assert caught.value.missing == "office"
