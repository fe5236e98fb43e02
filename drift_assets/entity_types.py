"""The file of entity types: names, each with what it stands for, as YAML."""

from __future__ import annotations

from pathlib import Path

from drift_assets.errors import SettingsError
from drift_assets.yaml_files import YAMLError, load_yaml

_LONGEST = 500


def read_types(file: Path) -> dict[str, str]:
    """Descriptions by type, in upper case and in the order of the file; "" where there is none.

    The file holds one line a type, `NAME: description` or `- NAME`. Raises SettingsError, with one line.
    """
    file = file.expanduser()
    try:
        found = load_yaml(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _refused(file, f"cannot be read ({error.strerror})") from error
    except UnicodeDecodeError:
        raise _refused(file, "is not UTF-8 text") from None
    except YAMLError as error:
        raise _refused(file, f"is no YAML ({' '.join(str(error).split())[:100]})") from error
    pairs = [(name, None) for name in found] if isinstance(found, list) else []
    types: dict[str, str] = {}
    for name, description in found.items() if isinstance(found, dict) else pairs:
        if not isinstance(name, str) or not (description is None or isinstance(description, str)):
            raise _refused(file, f"has the entry {name!r}, whose name or description is no text")
        text = " ".join((description or "").split())
        if len(text) > _LONGEST:
            raise _refused(file, f"describes {name} in over {_LONGEST} characters")
        types[name.strip().upper()] = text
    if not types:
        raise _refused(file, "holds no type: write a line `NAME: description` for each")
    return types


def _refused(file: Path, why: str) -> SettingsError:
    return SettingsError(f"DRIFT_TYPES_FILE {file} {why}")
