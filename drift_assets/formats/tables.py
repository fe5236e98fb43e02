"""Tables of documents: CSV, JSONL and Parquet files with a document in each row, read row by row.

The columns `id` and `text` are needed, `title` is taken when it is there, and all others become metadata of the
document. Names of columns may be written in any case.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drift_assets.encodings import decode
from drift_assets.formats.content import Content, Unreadable, described, needs

TABLES = (".csv", ".jsonl", ".parquet")
EXTRA = "parquet"
NEEDED = ("id", "text")
# Rows that are skipped by name; of more, the number is told.
_NAMED = 5
_SAMPLE = 65_536
_BATCH = 64
Row = tuple[str, dict[str, Any]]


def read_table(path: Path, longest: int) -> Iterator[Content | Unreadable]:
    """The document of each row, or why there is none; raises Unreadable when the file cannot be read or read on.

    `longest` is the length of the longest text in characters.
    """
    rows = {".csv": _csv_rows, ".jsonl": _json_rows, ".parquet": _parquet_rows}[path.suffix.lower()](path, longest)
    skipped = 0
    for number, (place, row) in enumerate(rows):
        values = {str(name).strip().lower(): value for name, value in row.items() if name is not None}
        missing = [name for name in NEEDED if name not in values]
        if number == 0 and missing:
            has = ", ".join(list(values)[:8]) or "none"
            raise Unreadable(f"no column {' and '.join(missing)} (it has: {has}); a table needs id and text")
        try:
            yield _content(place, values, longest)
        except Unreadable as error:
            skipped += 1
            if skipped <= _NAMED:
                yield error
    if skipped > _NAMED:
        yield Unreadable(f"{skipped - _NAMED} more rows have no id or no text")


def _content(place: str, values: dict[str, Any], longest: int) -> Content:
    key, text = values.pop("id", None), values.pop("text", None)
    shown = " ".join(str(key).split()) if key is not None and not isinstance(key, float | dict | list) else ""
    if not shown:
        raise Unreadable(f"{place} has no id")
    if not isinstance(text, str) or not text.strip():
        raise Unreadable(f"{place} has no text")
    if len(text) > longest:
        raise Unreadable(f"{place} is longer than {longest:,} characters: divide it, or raise DRIFT_MAX_FILE_MB")
    title = values.pop("title", None)
    return Content(text, title=" ".join(str(title or "").split()), key=shown, metadata=described(values))


def _csv_rows(path: Path, longest: int) -> Iterator[Row]:
    with path.open("rb") as file:
        sample = file.read(_SAMPLE)
    # Cut where no character is cut.
    decoded = decode(sample if len(sample) < _SAMPLE else sample[: sample.rfind(b"\n") + 1] or sample)
    if decoded is None or not decoded[1].strip():
        raise Unreadable("binary, not text" if sample else "empty")
    encoding, start = decoded
    csv.field_size_limit(longest)
    with path.open(encoding="utf-8-sig" if encoding == "utf-8" else encoding, errors="replace", newline="") as file:
        header = start.partition("\n")[0]
        separator = max(",;\t|", key=header.count)
        reader = csv.DictReader(_without_mark(file), delimiter=separator)
        try:
            for row in reader:
                yield f"line {reader.line_num}", row
        except csv.Error as error:
            raise Unreadable(f"cannot be read on from line {reader.line_num}: {error}") from error


def _without_mark(lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield line.removeprefix("\ufeff") if number == 0 else line


def _json_rows(path: Path, longest: int) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        number = 0
        while line := file.readline(2 * longest):
            number += 1
            if not line.strip():
                continue
            place = f"line {number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                if number == 1:
                    raise Unreadable("line 1 is no JSON object: each line must be one") from error
                row = {}
            yield place, row if isinstance(row, dict) else {}


def _parquet_rows(path: Path, _longest: int) -> Iterator[Row]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise needs(EXTRA) from error
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", row
    except (pyarrow.ArrowException, OSError) as error:
        raise Unreadable(f"not a Parquet file, or damaged after row {number}") from error
