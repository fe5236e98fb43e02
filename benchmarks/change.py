"""What it costs to bring an index up to date after a change, without a key.

    python -m benchmarks.change FOLDER

A sentence is inserted at random places, which the chunking alone tells; then a copy of the folder is indexed without
its shortest documents: once more unchanged, with a file renamed, and with those documents added one after the other.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.home import Home, fresh_home
from benchmarks.insertions import COLUMNS, insert_sentences, without_line_breaks
from benchmarks.machine import machine
from benchmarks.output import say
from drift_assets.demo import corpus_folder
from drift_assets.documents import Document, scan
from drift_assets.markdown import figures_table
from drift_assets.settings import Settings

CHUNK_TOKENS: int = Settings.model_fields["chunk_tokens"].default
INDEXED = ("what", "language calls", "vectors made", "of", "reports written", "of", "%", "communities new", "gone")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many places a sentence is inserted at, what draws them, and how many documents come later."""

    places: int = 30
    seed: int = 1
    newcomers: int = 3


SIZES = Sizes()


def read(folder: Path) -> dict[str, str]:
    """The text of each readable document by its path below the folder."""
    return {found.id: found.text for found in scan(folder) if isinstance(found, Document)}


def felt_table(texts: Mapping[str, str], sizes: Sizes, max_tokens: int = CHUNK_TOKENS) -> str:
    """Chunks that an inserted sentence makes new, in the texts as they are and with their line breaks removed."""
    versions = {"as it is": texts, "without line breaks": without_line_breaks(texts)}
    rows = [
        insert_sentences(version, places=sizes.places, seed=sizes.seed, max_tokens=max_tokens).row(what)
        for what, version in versions.items()
    ]
    return figures_table(COLUMNS, rows)


def row(what: str, output: Mapping[str, Any]) -> list[object]:
    """What one index run did, as a line of the table."""
    stages = output["stages"]
    vectors, written = stages["embeddings"], stages["reports"]["written"]
    reports = stages["communities"]["communities"]
    return [
        what,
        output["calls"]["language"],
        vectors["new"],
        vectors["new"] + vectors["reused"],
        written,
        reports,
        100 * written / reports if reports else None,
        stages["communities"]["new"],
        stages["communities"]["deleted"],
    ]


def changes(corpus: Path, aside: Path, newcomers: int) -> Iterator[str]:
    """Changes the folder step by step, and says before each next step what the last one was."""
    texts = read(corpus)
    # At least one document is there from the beginning.
    late = sorted(texts, key=lambda name: (len(texts[name]), name))[: min(newcomers, len(texts) - 1)]
    for name in late:
        _move(corpus / name, aside / name)
    yield f"{len(texts) - len(late)} documents"
    yield "unchanged"
    renamed = next(name for name in sorted(texts) if name not in late)
    _move(corpus / renamed, (corpus / renamed).with_stem(f"renamed-{Path(renamed).stem}"))
    yield "a file renamed"
    for name in late:
        _move(aside / name, corpus / name)
        yield f"{len(texts[name].split()):,} words added ({name})"


def indexed_table(home: Home, corpus: Path, steps: Iterable[str]) -> str:
    """One index run after each step, which has changed the folder."""
    return figures_table(INDEXED, [row(step, _index(home, corpus)) for step in steps])


def copied(home: Home, folder: Path) -> Path:
    """A copy of the folder beside the home, in place of an earlier one."""
    corpus = home.folder.parent / "corpus-of-the-benchmark"
    shutil.rmtree(corpus, ignore_errors=True)
    shutil.copytree(folder, corpus)
    return corpus


def _index(home: Home, corpus: Path) -> Mapping[str, Any]:
    return home.drift("index", str(corpus), "--replace", "--json").output


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)


@contextmanager
def kept_home(folder: Path | None) -> Iterator[Home]:
    """A fresh home, or one that stands in `folder` before or after: an index made there is brought up to date."""
    if folder is None:
        with fresh_home() as home:
            yield home
        return
    folder.mkdir(parents=True, exist_ok=True)
    home = Home(folder / ".drift")
    try:
        yield home
    finally:
        home.drift("neo4j", "stop")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.change", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=corpus_folder(), help="documents (default: the demo's)")
    parser.add_argument("--places", type=int, default=SIZES.places, help="at how many places a sentence is inserted")
    parser.add_argument("--newcomers", type=int, default=SIZES.newcomers, help="how many documents are added later")
    parser.add_argument("--seed", type=int, default=SIZES.seed, help="draws the places")
    parser.add_argument("--kept", type=Path, help="a folder for copy and index, used again and left there")
    parser.add_argument("--chunks-only", action="store_true", help="make no index")
    options = parser.parse_args(arguments)
    sizes = Sizes(options.places, options.seed, options.newcomers)
    say(f"On {machine()}\n")
    say(felt_table(read(options.folder), sizes))
    if not options.chunks_only:
        with kept_home(options.kept) as home:
            corpus = copied(home, options.folder)
            steps = changes(corpus, home.folder.parent / "aside", sizes.newcomers)
            say("\n" + indexed_table(home, corpus, steps))


if __name__ == "__main__":
    main()
