"""What a person is told of a task that went wrong."""

from __future__ import annotations

from drift_assets.language.named import LONGEST, named
from drift_assets.language.tasks import (
    ChildReport,
    Extract,
    Hyde,
    Member,
    NamedThing,
    NamePair,
    Report,
    Resolve,
    Summarise,
)


def test_a_task_is_named_by_the_beginning_of_what_it_is_about() -> None:
    ada, bea = (NamedThing(name=name, type="", descriptions=()) for name in ("Ada", "Bea"))
    member = Member(name="Ada", type="", summary="")
    assert named(Extract(text="Ada  keeps\nthe lamp.", types=())) == "extract of Ada keeps the lamp."
    assert named(Extract(text="a" * 99, types=())) == f"extract of {'a' * LONGEST}…"
    assert named(Summarise(subject="ADA – BEA", descriptions=())) == "summarise of ADA – BEA"
    assert named(Resolve(pairs=(NamePair(number=0, first=ada, second=bea, together=True),))) == "resolve of Ada – Bea"
    assert named(Report(members=(member,), ties=())) == "report of Ada"
    assert (
        named(Report(members=(), ties=(), children=(ChildReport(title="The lamp", summary=""),)))
        == "report of The lamp"
    )
    assert named(Hyde(question="Who?", template="")) == "hyde"
