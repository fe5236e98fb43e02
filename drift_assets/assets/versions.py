"""What each stage's result depends on besides its input: the version that makes stored results stale, and Dagster's.

A version changes exactly when the same input may bring another result: the prompt file, the model, the settings
that matter, the algorithm.
"""

from typing import Any

import dagster as dg

from drift_assets import chunking
from drift_assets.clustering import VERSION as CLUSTERING
from drift_assets.embedding.choose import embedding_name
from drift_assets.fingerprint import fingerprint
from drift_assets.language.choose import task_version
from drift_assets.language.extractive.resolve import VERSION as RULES
from drift_assets.language.tasks import Extract, Glean, Report, Resolve, Summarise
from drift_assets.regrouping import VERSION as REGROUPING
from drift_assets.resolution.candidates import VERSION as CANDIDATES
from drift_assets.resolution.forms import VERSION as FORMS
from drift_assets.settings import Settings


def chunks_version(settings: Settings) -> str:
    """Changes when the same document would be cut otherwise."""
    return fingerprint("chunks", chunking.VERSION, settings.chunk_tokens)


def entities_version(settings: Settings) -> str:
    """Changes when the same chunk may bring another extraction: prompt, model, types, gleanings."""
    parts: list[Any] = [task_version(settings, Extract), settings.types]
    # What an extraction of rules does not read does not make it stale.
    if settings.language_name == "openai" and settings.type_meanings:
        parts.append(settings.type_meanings)
    if rounds := gleanings(settings):
        parts.append([rounds, task_version(settings, Glean)])
    return fingerprint("entities", *parts)


def gleanings(settings: Settings) -> int:
    """How often a chunk is looked at again; rules overlook the same things every time."""
    return settings.gleanings if settings.language_name == "openai" else 0


def resolution_version(settings: Settings) -> str:
    """Changes when the same names may be merged otherwise."""
    if not settings.resolve:
        return fingerprint("resolution", None)
    near = embedding_name(settings) if uses_vectors_of_names(settings) else None
    return fingerprint("resolution", CANDIDATES, decisions_version(settings), near)


def decisions_version(settings: Settings) -> str:
    """Changes when the same two names may be decided otherwise."""
    rules = [RULES, FORMS] if settings.language_name == "extractive" else []
    return fingerprint("decisions", task_version(settings, Resolve), *rules)


def uses_vectors_of_names(settings: Settings) -> bool:
    """Whether names are also compared by vectors: rules could not decide on what only these bring."""
    return settings.resolve and settings.language_name == "openai"


def named_entities_version(settings: Settings) -> str:
    """Changes when the same chunks may make other entities."""
    return fingerprint("entities", entities_version(settings), resolution_version(settings))


def summaries_version(settings: Settings) -> str:
    """Changes when the same descriptions may be merged otherwise."""
    return fingerprint("summaries", task_version(settings, Summarise), settings.context_tokens)


def communities_version(settings: Settings) -> str:
    """Changes when the same graph would be clustered otherwise."""
    return fingerprint(
        "communities", CLUSTERING, REGROUPING, settings.max_community_size, settings.cluster_seed, settings.clustering
    )


def reports_version(settings: Settings) -> str:
    """Changes when the same community may get another report."""
    return fingerprint("reports", task_version(settings, Report), settings.context_tokens)


def embeddings_version(settings: Settings) -> str:
    """Changes when the same text would get another vector, or other reports would be embedded."""
    return fingerprint("embeddings", embedding_name(settings), settings.min_rating)


STAGES = {
    "chunks": chunks_version,
    "entities": named_entities_version,
    "summaries": summaries_version,
    "communities": communities_version,
    "reports": reports_version,
    "embeddings": embeddings_version,
}


def data_version(stage: str, settings: Settings, corpus: str, failed: int) -> str:
    """Changes when what the stage holds may have changed: the documents, its version or one before it, failures."""
    names = list(STAGES)
    versions = [STAGES[name](settings) for name in names[: names.index(stage) + 1]]
    return fingerprint("data", stage, corpus, versions, failed)


def with_code_version(asset: dg.AssetsDefinition, settings: Settings) -> dg.AssetsDefinition:
    """The asset with the version of its stage, so that Dagster shows it stale when a prompt or model changes."""
    version = STAGES[asset.key.path[-1]](settings)
    return asset.map_asset_specs(lambda spec: spec.replace_attributes(code_version=version))
