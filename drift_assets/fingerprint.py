"""Identity from content: tagged hashes of canonical JSON."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def fingerprint(tag: str, *parts: Any) -> str:
    """A 128-bit hash, in hex, of `parts` (JSON values) under `tag`.

    The tag keeps equal parts of different meaning apart. JSON is canonical: sorted keys, no blanks, so that equal
    values give equal hashes in every process and version.
    """
    text = json.dumps([tag, *parts], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
