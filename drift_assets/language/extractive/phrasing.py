"""Names as they stand in an English sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable


def with_article(name: str, text: str) -> str:
    """The name as it stands in a sentence: with "the" where it is a common noun or the text mostly writes it so."""
    if name.islower():
        return f"the {name}"
    plain = re.escape(name)
    total = len(re.findall(rf"\b{plain}\b", text))
    led = len(re.findall(rf"\bthe\s+{plain}\b", text, re.I))
    return f"the {name}" if total and led * 2 > total else name


def enumerated(things: Iterable[str]) -> str:
    """Things joined by commas and a last "and"."""
    listed = list(things)
    return " and ".join(part for part in (", ".join(listed[:-1]), *listed[-1:]) if part)
