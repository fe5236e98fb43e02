"""A document's title: its first heading, else its file's name made readable."""

from __future__ import annotations

import re

from drift_assets.borders import is_heading

LONGEST_TITLE = 200

_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*\Z")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*\Z")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"(\*{1,3}|`+|(?<!\w)_{1,2}|_{1,2}(?!\w))")
# A title that stands further down says little of the whole.
_LINES = 200


def title(text: str, name: str) -> str:
    """The title of the document `name`, in one line of at most `LONGEST_TITLE` characters.

    A Markdown heading (outside of code and front matter) in a .md file; in others a first line that reads as a
    heading and stands apart.
    """
    found = _first_heading(text) if name.lower().endswith(".md") else _first_line(text)
    return (found or _readable(name))[:LONGEST_TITLE].rstrip()


def _first_heading(text: str) -> str:
    lines = text.lstrip("\n").split("\n", _LINES)[:_LINES]
    closing = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if lines[0].rstrip() == "---" and closing is not None:
        lines = lines[closing + 1 :]
    fenced, before = False, ""
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            heading = _HEADING.match(line)
            found = heading["title"] if heading else before if _UNDERLINE.match(line) else ""
            plain = " ".join(_MARKS.sub("", _LINK.sub(r"\1", found)).split())
            if plain:
                return plain
        before = line
    return ""


def _first_line(text: str) -> str:
    first, _, rest = text.lstrip().partition("\n")
    apart = not rest.partition("\n")[0].strip()
    return " ".join(first.lstrip("#").split()) if apart and is_heading(first) else ""


def _readable(name: str) -> str:
    stem = name.rpartition("/")[2].rpartition(".")[0]
    words = re.sub(r"[_\s]+", " ", stem).strip()
    if words.islower() and " " not in words:
        words = re.sub(r"(?<=[^\W\d])-(?=[^\W\d])", " ", words)
    return words or name
