"""Pages of HTML that stand alone: no script, no address outside, all text escaped by those who write them."""

from __future__ import annotations

from html import escape
from pathlib import Path

from drift_assets.errors import SettingsError

# Nothing is loaded and nothing runs, whatever a document or a model says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """\
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child { text-align: left; }
th:not(:first-child), td:not(:first-child) { overflow-wrap: normal; white-space: nowrap; }
ul.tree, ul.tree ul { list-style: none; padding-left: 1.2rem; border-left: 1px solid var(--line); }
summary { cursor: pointer; } .text { white-space: pre-wrap; } .small { font-size: .85rem; opacity: .75; }
.dropped > details > summary, .gone { opacity: .6; } .failed > details > summary { color: #c33; }
:target { outline: 2px solid; } svg { max-width: 100%; height: auto; }
"""


def page(title: str, body: str, style: str = "") -> str:
    """A whole page; `body` is HTML and `style` is CSS, both of our own making."""
    return (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title>\n<style>\n{_STYLE}{style}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def text(value: object) -> str:
    """Any text as HTML shows it, also inside the quotes of an attribute; control characters are left out."""
    return escape("".join(sign for sign in str(value) if sign in "\n\t" or sign.isprintable()))


def write_page(file: Path, content: str) -> None:
    """The file holds the page; raises SettingsError when it cannot be written."""
    try:
        file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be written ({error.strerror}): name a file in a folder that exists"
        ) from None
