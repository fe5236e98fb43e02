"""Tables with a document in each row."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from drift_assets.formats.content import Content, Unreadable
from drift_assets.formats.tables import read_table

LONGEST = 50_000_000
ROWS = [
    {"ID": "1", "Title": "The Organ", "text": "Martha keeps it,\nand plays it.", "author": "Ada Moss"},
    {"ID": "007", "Title": "", "text": "Tobias “Lund” leads.", "author": ""},
]


def csv_file(folder: Path, text: str | bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def texts(path: Path, longest: int = LONGEST) -> list[str]:
    return [row.text if isinstance(row, Content) else f"! {row}" for row in read_table(path, longest)]


def written(folder: Path, form: str) -> Path:
    path = folder / f"a.{form}"
    if form == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n\n", "utf-8")
    elif form == "parquet":
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    else:
        lines = ["ID;Title;text;author", '1;The Organ;"Martha keeps it,\nand plays it.";Ada Moss']
        path.write_text("\n".join([*lines, '007;;"Tobias “Lund” leads.";']), "utf-8-sig")
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_each_row_is_a_document_with_its_other_columns_as_metadata(form: str, tmp_path: Path) -> None:
    assert list(read_table(written(tmp_path, form), LONGEST)) == [
        Content("Martha keeps it,\nand plays it.", "The Organ", "1", {"author": "Ada Moss"}),
        Content("Tobias “Lund” leads.", "", "007", {}),
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_usual_separators_are_known(separator: str, tmp_path: Path) -> None:
    lines = [separator.join(row) for row in (["id", "text"], ["1", "A text."])]

    assert texts(csv_file(tmp_path, "\r\n".join(lines))) == ["A text."]


def test_an_old_encoding_is_recognised(tmp_path: Path) -> None:
    text = "id,text\n1,L’été à Noël dans le café près de la forêt.\n"

    assert texts(csv_file(tmp_path, text.encode("cp1252"))) == ["L’été à Noël dans le café près de la forêt."]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.csv", "number,body\n1,A text.\n", r"no column id and text \(it has: number, body\); a table needs id and"),
        ("a.csv", "id,body\n1,A text.\n", r"no column text"),
        ("a.jsonl", '{"id": 1, "body": "A text."}\n', r"no column text \(it has: id, body\)"),
        ("a.jsonl", "no json\n", "line 1 is no JSON object"),
        ("a.csv", "", "empty"),
        ("a.csv", bytes(range(256)) * 4, "binary"),
        ("a.parquet", "no parquet", "not a Parquet file"),
    ],
)
def test_a_file_that_is_no_table_of_documents_is_told(
    name: str, text: str | bytes, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(Unreadable, match=reason):
        list(read_table(csv_file(tmp_path, text, name), LONGEST))


def test_a_bad_row_costs_nothing_but_itself_and_many_are_counted(tmp_path: Path) -> None:
    rows = ['{"id": 1, "text": "A text."}', "[]", '{"id": "", "text": "A"}', "{", *['{"id": 2, "text": ""}'] * 5]
    rows.append('{"id": 3, "text": "Another."}')

    found = texts(csv_file(tmp_path, "\n".join(rows), "a.jsonl"))

    assert found == [
        "A text.",
        "! line 2 has no id",
        "! line 3 has no id",
        "! line 4 has no id",
        "! line 5 has no text",
        "! line 6 has no text",
        "Another.",
        "! 3 more rows have no id or no text",
    ]


def test_a_text_that_is_too_long_is_told(tmp_path: Path) -> None:
    long = "word " * 300
    path = csv_file(tmp_path, f'{{"id": 1, "text": "{long}"}}\n{{"id": 2, "text": "Short."}}\n', "a.jsonl")

    assert texts(path, 1_000) == [
        "! line 1 is longer than 1,000 characters: divide it, or raise DRIFT_MAX_FILE_MB",
        "Short.",
    ]
    with pytest.raises(Unreadable, match="cannot be read on from line 1: field larger than field limit"):
        texts(csv_file(tmp_path, f"id,text\n1,{long}\n"), 1_000)


def test_a_table_is_read_a_few_rows_at_a_time(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "id,text\n" + "".join(f"{number},A text.\n" for number in range(20_000)))
    rows = read_table(path, LONGEST)

    assert next(rows) == Content("A text.", "", "0", {})
    path.write_text("")
    assert len(list(rows)) < 20_000


def test_without_the_reader_of_parquet_the_command_that_installs_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(Unreadable, match=r"pip install 'drift-assets\[parquet\]'"):
        list(read_table(path, LONGEST))
