"""Which task of its kind a call performed, for people."""

from __future__ import annotations

from typing import Any

from drift_assets.language.tasks import Extract, Glean, Report, Resolve, Summarise, Task

LONGEST = 80


def named(task: Task[Any]) -> str:
    """The task's kind and the beginning of what it is about, in one line; searches have their question elsewhere."""
    about = " ".join(_about(task).split())
    return f"{task.name()} of {about[:LONGEST]}{'…' if len(about) > LONGEST else ''}" if about else task.name()


def _about(task: Task[Any]) -> str:
    match task:
        case Extract() | Glean():
            return task.text
        case Resolve():
            return "; ".join(f"{pair.first.name} – {pair.second.name}" for pair in task.pairs)
        case Summarise():
            return task.subject
        case Report():
            return ", ".join([member.name for member in task.members] or [child.title for child in task.children])
    return ""
