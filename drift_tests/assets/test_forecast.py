"""What later stages are said to take, held against what they then take."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drift_assets.assets.estimate import Plan, StageEstimate, estimate
from drift_assets.assets.forecast import more_entities
from drift_assets.assets.metadata import stage_metadata
from drift_assets.assets.report import StageReport
from drift_assets.graph.plans import Halves, Said, Sample
from drift_assets.settings import Settings, load_settings
from drift_tests.assets.bench import Bench
from drift_tests.assets.test_estimate import planned
from drift_tests.assets.town import texts

# A tenth of a corpus: 100 entities, of which 30 are told of more than once, in communities of 5 that tell of 8 things.
PART = Sample(
    texts=10,
    kept=10,
    entities=(Said(1, 70, 7_000, 7_000), Said(2, 20, 4_000, 3_000), Said(4, 10, 4_000, 2_000)),
    pairs=(Said(1, 80, 8_000, 8_000), Said(2, 10, 2_000, 1_500)),
    communities=((8, 5),) * 20,
    decided=40,
)
HISTORY = {
    "entities": {
        "language_calls": 12,
        "output_tokens": 5_000,
        "resolution_calls": 2,
        "resolution_input_tokens": 4_000,
        "resolution_output_tokens": 800,
        "decided_pairs": 40,
    },
    "summaries": {"language_calls": 40, "input_tokens": 20_000, "output_tokens": 4_000},
    "reports": {"language_calls": 20, "input_tokens": 20_000, "output_tokens": 8_000},
}


@pytest.fixture
def settings() -> Settings:
    return load_settings(openai_api_key="test-key-0123456789")


def foreseen(settings: Settings, texts: int, sample: Sample = PART, stale: int = 0) -> dict[str, StageEstimate]:
    found = Plan(new=1, changed=0, gone=0, skipped=0, texts=texts, tokens=100 * texts, sample=sample)
    return estimate(replace(found, stale_summaries=stale), settings, HISTORY)


def test_a_text_more_concerns_few_and_nine_times_as_many_nearly_all(settings: Settings) -> None:
    one, rest = foreseen(settings, 1), foreseen(settings, 90)

    assert [stage.calls for stage in foreseen(settings, 0).values()] == [0, 0, 0, 0]
    assert 5 <= (one["summaries"].calls or 0) <= 20
    assert 5 <= (one["reports"].calls or 0) <= 20
    assert (rest["summaries"].calls or 0) > 100
    assert (rest["reports"].calls or 0) > 40
    assert 2 < (rest["resolution"].calls or 0) <= 40
    for name in ("resolution", "summaries", "reports"):
        assert rest[name].cost_usd


def test_texts_to_be_extracted_anew_bring_everything_anew(settings: Settings) -> None:
    again = foreseen(settings, 10, replace(PART, kept=0))

    assert (again["summaries"].calls, again["reports"].calls, again["resolution"].calls) == (40, 20, 0)
    assert again["summaries"].input_tokens == pytest.approx(20_000, rel=0.01)
    assert again["summaries"].output_tokens == pytest.approx(4_000, rel=0.01)
    assert again["reports"].input_tokens == pytest.approx(20_000, rel=0.03)


def test_what_is_stale_already_comes_on_top(settings: Settings) -> None:
    assert foreseen(settings, 0, stale=7)["summaries"] == StageEstimate(7, 3_500, 700, pytest.approx(0.002275), False)


@pytest.mark.soak
def test_later_stages_are_foreseen_within_a_quarter_from_a_tenth_of_the_corpus(bench: Bench) -> None:
    bench.chosen |= {"chunk_tokens": 200, "concurrency": 8}
    every = {f"{number:03}.txt": text for number, text in enumerate(texts(240))}
    bench.write(dict(list(every.items())[:24]))
    history = figures(bench.index())
    bench.write(every)
    told = estimate(planned(bench), bench.settings(), history)

    real = figures(bench.index())

    # The decisions on names are part of the second stage, of which the extraction is counted.
    pairs, extraction = told.pop("resolution"), told["entities"]
    told["entities"] = StageEstimate(
        *(_sum(getattr(pairs, name), getattr(extraction, name)) for name in ("calls", "input_tokens", "output_tokens")),
        cost_usd=None,
    )
    for name, stage in told.items():
        took = tuple(real[name][figure] for figure in ("language_calls", "input_tokens", "output_tokens"))
        assert (stage.calls, stage.input_tokens, stage.output_tokens) == pytest.approx(took, rel=0.25), name


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def figures(reports: dict[str, StageReport]) -> dict[str, dict[str, float]]:
    """What the history of Dagster would hold of the run."""
    return {
        name: {key: value for key, value in stage_metadata(report).items() if isinstance(value, int | float)}
        for name, report in reports.items()
    }


def test_between_the_law_and_the_halves_stands_what_is_foreseen() -> None:
    steady = Halves(texts=100, things=200, half_texts=50, half_things=100)
    known = Halves(texts=100, things=200, half_texts=50, half_things=200)

    assert more_entities(4.0, steady, 9.0) == pytest.approx(6.0)
    assert more_entities(4.0, known, 9.0) == pytest.approx(2.0)
    assert more_entities(4.0, None, 9.0) == 4.0
    assert more_entities(1.0, steady, 1.0) == 1.0
