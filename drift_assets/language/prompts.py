"""Prompts: files with a part that never changes, and an input part that the task's fields fill.

A file is Markdown. All above the first line `---` are the instructions; below it stands the input, in which
`{name}` is the task's field of that name. Texts that come from documents or models are put between <data> and
</data>, which they can neither close nor open.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from drift_assets.errors import SettingsError
from drift_assets.language.judging import Statement
from drift_assets.language.overrides import override, where
from drift_assets.language.tasks import (
    Candidate,
    ChildReport,
    Evidence,
    Exchange,
    Extract,
    Glean,
    IntermediateAnswer,
    Member,
    NamePair,
    Task,
    Tie,
)

# Part of every model's version: raise it when the code below renders the same input differently.
RENDERING = 1

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_OWN_TAG = re.compile(r"<(?=\s*/?\s*data\b)", re.IGNORECASE)
_BRACKETED_NUMBERS = re.compile(r"[\[【](\s*\d+(?:\s*[,;–-]\s*\d+)*\s*)[\]】]")
# Fields that the user or the settings give; every other text is data.
_PLAIN = {"question", "response_type", "follow_ups", "keep"}
# Fields whose items are several lines long.
_LONG = {"evidence", "answers", "pairs", "conversation", "statements"}


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt file, split."""

    instructions: str
    input: str
    version: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent: the part that is the same for each call of a task, then the part of this one."""

    instructions: str
    input: str


def prompt_version(kind: type[Task[Any]], folder: Path | None = None) -> str:
    """Hash of the task's prompt file; changes with any change of it but line ends."""
    return load_template(kind, folder).version


# A prompt is read once, so that what is stored under its version was made with it.
@lru_cache(maxsize=256)
def load_template(kind: type[Task[Any]], folder: Path | None = None) -> Template:
    """The prompt of `kind`: the user's own where `folder` has one, else ours.

    Raises ValueError, for the user's own SettingsError, when its placeholders are not exactly those of the task.
    """
    own = override(kind.name(), folder)
    if own is None:
        return split(read_prompt(kind.name()), kind)
    try:
        return split(own, kind)
    except ValueError as error:
        told = str(error).replace(f"prompts/{kind.name()}.md", where(kind.name(), folder))
        raise SettingsError(f"the prompt {told}") from None


def split(text: str, kind: type[Task[Any]]) -> Template:
    """The text of a prompt file as the template of `kind`; raises what `load_template` raises."""
    instructions, marker, input_part = text.partition("\n---\n")
    used, fields = _PLACEHOLDER.findall(input_part), kind.placeholders()
    if not marker or set(used) != fields or len(used) != len(fields):
        raise ValueError(
            f"prompts/{kind.name()}.md must hold the line --- and below it each of these once: "
            + ", ".join(f"{{{field}}}" for field in sorted(fields))
        )
    return Template(instructions.strip(), input_part.strip(), hashlib.sha256(text.encode()).hexdigest()[:32])


def read_prompt(name: str, folder: Path | None = None) -> str:
    """Text of the user's own `<name>.md` where `folder` has one, else of ours, with line ends as \\n."""
    own = override(name, folder)
    if own is not None:
        return own
    file = resources.files("drift_assets.language") / "prompts" / f"{name}.md"
    return file.read_text(encoding="utf-8").replace("\r\n", "\n")


def render(task: Task[Any], folder: Path | None = None) -> Prompt:
    """The prompt of `task`, its fields put in once: what they hold is never read as a placeholder."""
    template = load_template(type(task), folder)

    def field(match: re.Match[str]) -> str:
        if match.group(1) == "types" and isinstance(task, Extract | Glean):
            return _types(task.types, task.meanings)
        return _field(match.group(1), getattr(task, match.group(1)))

    return Prompt(template.instructions, _PLACEHOLDER.sub(field, template.input))


def _types(types: tuple[str, ...], meanings: tuple[str, ...]) -> str:
    if not any(meanings):
        return ", ".join(types)
    pairs = zip(types, meanings, strict=True)
    return "".join(f"\n- {name}: {_harmless(meaning)}" if meaning else f"\n- {name}" for name, meaning in pairs)


def _field(name: str, value: Any) -> str:
    if name in _PLAIN:
        return _harmless(str(value)).strip()
    if isinstance(value, str):
        return _data(_no_citations(value) if name == "template" else value)
    gap = "\n\n" if name in _LONG else "\n"
    return _data(gap.join(_piece(item) for item in value))


def _piece(item: Any) -> str:
    match item:
        case Evidence():
            return f"[{item.number}] {item.kind}: {_no_citations(item.title)}\n{_no_citations(item.text)}"
        case Member():
            return f"- {item.name} ({item.type or 'no type'}): {item.summary}"
        case Tie():
            return f"- {item.source} – {item.target} (weight {item.weight:g}): {item.summary}"
        case ChildReport():
            return f"- {item.title}: {item.summary}"
        case Exchange():
            return f"User: {item.question}\nAnswer: {item.answer}"
        case Candidate():
            return f"{item.number}. {item.question} (asked by the answer to: {item.asked_by})"
        case NamePair():
            return _pair(item)
        case Statement():
            sources = "\n".join(f"- {_no_citations(_on_a_line(text))}" for text in item.sources)
            return f"{item.number}. {_no_citations(_on_a_line(item.sentence))}\nSources:\n{sources}"
        case IntermediateAnswer():
            return f"Question: {item.question}\nScore: {item.score:g}\nAnswer: {item.answer}"
        case _:
            return f"- {item}"


def _pair(pair: NamePair) -> str:
    lines = [f"[{pair.number}] one document names both: {'yes' if pair.together else 'no'}"]
    for thing in (pair.first, pair.second):
        lines += [f"{_on_a_line(thing.name)} ({thing.type or 'no type'})"]
        lines += [f"- {_no_citations(_on_a_line(text))}" for text in thing.descriptions]
    if pair.others:
        lines.append(f"Names that may also be meant: {'; '.join(map(_on_a_line, pair.others))}")
    return "\n".join(lines)


def _on_a_line(text: str) -> str:
    return " ".join(text.split())


def _data(text: str) -> str:
    return f"<data>\n{_harmless(text)}\n</data>" if text else "(none)"


def _harmless(text: str) -> str:
    return _OWN_TAG.sub("&lt;", text)


def _no_citations(text: str) -> str:
    """`text` with its own [3] or [3, 4] as (3): only our numbers may look like citations."""
    return _BRACKETED_NUMBERS.sub(r"(\1)", text)
