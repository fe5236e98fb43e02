"""What a Markdown document says about itself in its front matter: YAML between `---`, or TOML between `+++`."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from drift_assets.formats.content import described
from drift_assets.yaml_files import YAMLError, load_yaml

_LARGEST = 20_000
_BLOCK = re.compile(r"(?P<mark>---|\+\+\+)[ \t]*\n(?P<body>.*?)\n(?:(?P=mark)|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def front_matter(text: str) -> dict[str, Any]:
    """The values by lower-case name; empty when there is none, or none that can be read."""
    block = _BLOCK.match(text, 0, _LARGEST)
    if block is None:
        return {}
    try:
        found = tomllib.loads(block["body"]) if block["mark"] == "+++" else load_yaml(block["body"])
    except (YAMLError, tomllib.TOMLDecodeError):
        return {}
    return described(found) if isinstance(found, dict) else {}
