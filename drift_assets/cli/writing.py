"""The last lines of an answer below the bars while it is written; gone when it is whole and printed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import RenderableType
from rich.progress import Progress
from rich.text import Text

from drift_assets.cli.output import printable
from drift_assets.search.citations import keep_citations

# What a citation may begin with when the text ends inside of it.
_CUT_CITATION = re.compile(r"\s*[\[【][\d\s,;–-]*$")
# More would be drawn anew ten times a second.
_MOST_LINES, _LEAST_LINES = 12, 3


class BarsAndText(Progress):
    """Bars, and below them the last lines of a text, as many as there is room for."""

    written = ""

    def write(self, text: str) -> None:
        """Show this text, "" for none; citations are left out, since they are checked only when it is whole."""
        self.written = _CUT_CITATION.sub("", keep_citations(printable(text), ())[0])

    def get_renderables(self) -> Iterable[RenderableType]:
        """The bars, then the text."""
        yield from super().get_renderables()
        if self.written:
            room = min(_MOST_LINES, max(_LEAST_LINES, self.console.height - len(self.tasks) - 2))
            lines = Text(self.written).wrap(self.console, self.console.width)
            yield Text("\n").join(lines[-room:])
