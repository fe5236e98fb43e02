"""PDF files, made byte by byte."""

from __future__ import annotations

from contextlib import suppress

import pytest

from drift_assets.formats.content import Unreadable
from drift_assets.formats.pdf import read_pdf
from drift_tests.formats.files import encrypted, pdf

FIRST = ["Martha Reeve keeps the Fog Organ", "of Port Merrin."]
SECOND = ["Tobias Lund leads the museum."]


def test_the_text_is_that_of_all_pages_and_each_page_begins_at_its_offset() -> None:
    found = read_pdf(pdf([FIRST, [], SECOND]))

    first, empty, second = found.pages
    assert found.text[first:].startswith("Martha Reeve keeps the Fog Organ\nof Port Merrin.\n\n")
    assert found.text[second:] == "Tobias Lund leads the museum."
    assert first < empty < second
    assert found.metadata == {"pages": 3}


def test_what_the_file_says_of_itself_is_kept() -> None:
    found = read_pdf(pdf([FIRST], "/Title (The  Fog Organ) /Author (Ada Moss) /CreationDate (D:20240309101500Z)"))

    assert found.title == "The Fog Organ"
    assert found.metadata == {"author": "Ada Moss", "date": "2024-03-09T10:15:00+00:00", "pages": 1}


def test_a_date_that_is_none_costs_nothing() -> None:
    assert read_pdf(pdf([FIRST], "/CreationDate (last spring)")).metadata == {"pages": 1}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a PDF, or damaged"),
        (b"%PDF-1.4\nnothing", "not a PDF, or damaged|a damaged PDF"),
        (pdf([FIRST])[:300], "not a PDF, or damaged|a damaged PDF|without a text layer"),
        (pdf([]), "without a text layer"),
        (pdf([["1"], ["2"]]), "without a text layer, such as a scan"),
        (encrypted(pdf([FIRST]), "secret"), "an encrypted PDF: save a copy without a password"),
    ],
)
def test_a_file_that_brings_no_text_is_told_by_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_pdf(data)


def test_a_file_that_is_encrypted_without_a_password_is_read() -> None:
    assert read_pdf(encrypted(pdf([FIRST]), "")).text.startswith("Martha Reeve")


@pytest.mark.parametrize("cut", range(50, 1000, 130))
def test_whatever_is_missing_of_a_file_it_is_read_or_refused(cut: int) -> None:
    data = pdf([FIRST, SECOND])
    for broken in (data[:cut] + data[cut + 40 :], data[:cut], data[:cut] + b"\xff" * 30 + data[cut + 30 :]):
        with suppress(Unreadable):
            assert read_pdf(broken).text.strip()
