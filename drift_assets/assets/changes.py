"""How far the corpus folder has moved on since it was indexed, told by names and times alone: no file is read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from drift_assets.documents import document_id, list_files
from drift_assets.formats.tables import TABLES

# A document in a row of a table is named by the table's file and its own key.
_ROW = re.compile(rf"(.*?(?:{'|'.join(map(re.escape, TABLES))}))#", re.IGNORECASE | re.DOTALL)


def changed_files(folder: Path, indexed: Iterable[str], since: float) -> int:
    """How many files are new, gone, or written since that time (seconds since the epoch), against the documents' ids.

    A file that is no document of the index counts only when it came since, since most such files cannot be read.
    Raises CorpusError when the folder cannot be read.
    """
    paths = {document_id(folder, path): path for path in list_files(folder)}
    files = {_file(id, paths) for id in indexed}
    return len(files - set(paths)) + sum(_moved(path, since, known=id in files) for id, path in paths.items())


def _file(id: str, paths: dict[str, Path]) -> str:
    row = None if id in paths else _ROW.match(id)
    return row.group(1) if row else id


def _moved(path: Path, since: float, *, known: bool) -> bool:
    try:
        state = os.stat(path)
    except OSError:
        return False
    # A file that is moved or copied into the folder may keep the time at which it was written.
    return (state.st_mtime if known else max(state.st_mtime, state.st_ctime)) > since
