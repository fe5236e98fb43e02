"""A report has a title that a person would give, and says what its members' sentences say."""

from __future__ import annotations

from drift_assets.language.extractive.report import rating, report
from drift_assets.language.tasks import ChildReport, Member, Report, Tie

MEMBERS = tuple(
    Member(name=name, type="", summary=summary)
    for name, summary in [
        ("Mira Solano", "Mira Solano keeps the lighthouse on Gull Island. She never sleeps."),
        ("Gull Island", "Gull Island lies north of the town."),
        ("Aurora Lamp", "The Aurora Lamp was built in 1902."),
        ("Oslo", "The glass came from Oslo."),
    ]
)
TIES = (
    Tie(source="Mira Solano", target="Aurora Lamp", summary="Mira Solano lights the Aurora Lamp.", weight=16),
    Tie(
        source="Mira Solano", target="Gull Island", summary="Mira Solano keeps the lighthouse on Gull Island.", weight=8
    ),
)
TASK = Report(members=MEMBERS, ties=TIES)


def test_the_title_lists_the_leading_members() -> None:
    assert report(TASK).title == "Mira Solano, Gull Island and the Aurora Lamp"


def test_summary_and_findings_are_sentences_of_members_and_ties() -> None:
    made = report(TASK)
    source = " ".join([member.summary for member in MEMBERS] + [tie.summary for tie in TIES])
    assert made.findings[0].summary == "Mira Solano lights the Aurora Lamp."
    assert all(finding.summary in source and finding.explanation in source for finding in made.findings)
    assert all(sentence.strip(". ") in source for sentence in made.summary.split(". "))


def test_children_speak_where_members_are_left_out() -> None:
    made = report(Report(members=(), ties=(), children=(ChildReport(title="Mira and Oslo", summary="Mira saw Oslo."),)))
    assert made.title == "Mira and Oslo"
    assert made.summary == "Mira saw Oslo."


def test_a_title_begins_with_a_capital_and_names_have_their_articles() -> None:
    members = tuple(Member(name=name, type="", summary="The Queen lit the lamp.") for name in ("Queen", "lamp"))
    assert report(Report(members=members, ties=())).title == "The Queen and the lamp"


def test_the_rating_grows_with_members_and_ties_and_tells_communities_apart() -> None:
    small = rating(Report(members=MEMBERS[:2], ties=()))
    large = rating(Report(members=MEMBERS * 10, ties=TIES * 20))
    assert 0 <= small < 4 < rating(TASK) < large <= 10


def test_members_without_summaries_still_make_a_report() -> None:
    made = report(Report(members=(Member(name="Mira", type="", summary=""),), ties=()))
    assert (made.title, made.summary, made.findings) == ("Mira", "Mira", [])
