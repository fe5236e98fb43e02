"""All parts put together for Dagster; nothing is computed here."""

import dagster as dg

from drift_assets.assets.checks import CHECKS
from drift_assets.assets.chunks import chunks
from drift_assets.assets.communities import communities
from drift_assets.assets.embeddings import embeddings
from drift_assets.assets.entities import entities
from drift_assets.assets.reports import reports
from drift_assets.assets.summaries import summaries
from drift_assets.assets.versions import with_code_version
from drift_assets.automation import corpus_changed, index_failed, index_job, nightly
from drift_assets.evaluation.check import search_quality
from drift_assets.resources import DriftResource
from drift_assets.search.job import answers, search_job
from drift_assets.settings import load_settings

settings = load_settings()

defs = dg.Definitions(
    assets=[
        *(
            with_code_version(asset, settings)
            for asset in (chunks, entities, summaries, communities, reports, embeddings)
        ),
        answers,
    ],
    asset_checks=[*CHECKS, search_quality],
    jobs=[index_job, search_job],
    schedules=[nightly(settings)],
    sensors=[corpus_changed(settings), index_failed(settings)],
    resources={"drift": DriftResource()},
)
