"""Communities: entities grouped by their relationships, in levels from coarse to fine."""

from typing import Any

import dagster as dg

from drift_assets.assets.materialising import materialise
from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage
from drift_assets.assets.summaries import summaries
from drift_assets.assets.versions import communities_version
from drift_assets.clustering import Community
from drift_assets.clustering import communities as cluster
from drift_assets.graph import communities as graph_communities
from drift_assets.graph import former
from drift_assets.graph.communities import Placed, WeightedGraph
from drift_assets.graph.picture import weightiest
from drift_assets.picture.drawing import SMALL_NODES, SMALL_TIES, image_markdown
from drift_assets.regrouping import coarsest, modularity, nearer, regroup
from drift_assets.resources import DriftResource
from drift_assets.settings import Settings

# A kept partition whose modularity falls below this share of a fresh one's takes over as much of that as it lacks.
LEAST_SHARE = 0.99


async def cluster_entities(stage: Stage) -> StageReport:
    """Every entity is in exactly one leaf community, and every community below the coarsest has its parent.

    With the setting `stable`, communities are kept as far as the graph around them is; where a fresh clustering is
    better by over a hundredth, as few of its communities are taken over as make up for that.
    """
    version, setting = communities_version(stage.settings), stage.settings.clustering
    clustered = await graph_communities.is_clustered(stage.graph, version=version)
    stage.progress.stage("communities", 0 if clustered else 1)
    report = StageReport(facts={"clustering": setting})
    if not clustered:
        weighted = await graph_communities.weighted_graph(stage.graph)
        found = fresh = communities_of(weighted, stage.settings)
        if setting == "stable":
            placed = await graph_communities.placed_entities(stage.graph)
            found = keep_or_renew(weighted, fresh, placed, version, stage.settings)
        await former.hold(stage.graph)
        swapped = await graph_communities.swap_communities(stage.graph, found, version=version, setting=setting)
        report.new, report.deleted = swapped.new, swapped.deleted
        report.facts["clustered"] = "afresh" if found is fresh else "around what was touched"
        stage.progress.advance()
    levels = await graph_communities.community_levels(stage.graph)
    report.reused = await graph_communities.count_communities(stage.graph) - report.new
    report.sample = list(levels)
    report.facts |= {"communities": sum(level["communities"] for level in levels), "levels": len(levels)}
    if levels:
        drawn = await weightiest(stage.graph, nodes=SMALL_NODES, ties=SMALL_TIES)
        report.picture = image_markdown(drawn)
    return report


def communities_of(weighted: WeightedGraph, settings: Settings) -> list[Community]:
    """The fresh clustering of the graph."""
    return cluster(weighted.names, weighted.edges, max_size=settings.max_community_size, seed=settings.cluster_seed)


def keep_or_renew(
    weighted: WeightedGraph, fresh: list[Community], placed: Placed, version: str, settings: Settings
) -> list[Community]:
    """The communities near those that `placed` tells of, with so many of `fresh` that they are nearly as good.

    `fresh` where there are none.
    """
    if placed.version != version or not placed.chains:
        return fresh
    kept = keeping(weighted, placed, settings)
    reached, possible = (modularity(weighted.edges, coarsest(found)) for found in (kept, fresh))
    if reached >= LEAST_SHARE * possible:
        return kept
    return nearer(
        weighted.names,
        weighted.edges,
        kept,
        fresh,
        LEAST_SHARE * possible,
        max_size=settings.max_community_size,
        seed=settings.cluster_seed,
    )


def keeping(weighted: WeightedGraph, placed: Placed, settings: Settings) -> list[Community]:
    """The communities near those that `placed` tells of, however much better fresh ones would be."""
    return regroup(
        weighted.names,
        weighted.edges,
        placed.chains,
        placed.relinked,
        max_size=settings.max_community_size,
        seed=settings.cluster_seed,
    )


@dg.asset(
    key=["drift", "communities"],
    deps=[summaries],
    group_name="drift_index",
    kinds={"neo4j", "python"},
    description="Every `__Entity__` is IN_COMMUNITY of one leaf, every `__Community__` of its parent.",
)
def communities(context: dg.AssetExecutionContext, drift: DriftResource) -> dg.MaterializeResult[Any]:
    """Cluster the graph by seeded hierarchical Leiden, or keep what it found where nothing changed."""
    return materialise(context, drift.settings(), cluster_entities)
