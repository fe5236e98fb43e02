"""Communities: entities grouped by their relationships, in levels from coarse to fine."""

from typing import Any

import dagster as dg

from drift_assets.assets.report import StageReport
from drift_assets.assets.stage import Stage, materialise
from drift_assets.assets.summaries import summaries
from drift_assets.assets.versions import communities_version
from drift_assets.clustering import communities as cluster
from drift_assets.graph import communities as graph_communities
from drift_assets.resources import DriftResource


async def cluster_entities(stage: Stage) -> StageReport:
    """Every entity is in exactly one leaf community, and every community below the coarsest has its parent."""
    version = communities_version(stage.settings)
    stage.progress.stage("communities", 1)
    report = StageReport()
    if not await graph_communities.is_clustered(stage.graph, version=version):
        weighted = await graph_communities.weighted_graph(stage.graph)
        found = cluster(
            weighted.names,
            weighted.edges,
            max_size=stage.settings.max_community_size,
            seed=stage.settings.cluster_seed,
        )
        swapped = await graph_communities.swap_communities(stage.graph, found, version=version)
        report.new, report.deleted = swapped.new, swapped.deleted
    stage.progress.advance()
    levels = await graph_communities.community_levels(stage.graph)
    report.reused = await graph_communities.count_communities(stage.graph) - report.new
    report.sample = list(levels)
    report.facts = {
        "communities": sum(level["communities"] for level in levels),
        "levels": len(levels),
        "clustering": "exact",
    }
    return report


@dg.asset(
    key=["drift", "communities"],
    deps=[summaries],
    group_name="drift_index",
    kinds={"neo4j", "python"},
    description="Every `__Entity__` is IN_COMMUNITY of one leaf, every `__Community__` of its parent.",
)
def communities(context: dg.AssetExecutionContext, drift: DriftResource) -> dg.MaterializeResult[Any]:
    """Cluster the graph by seeded hierarchical Leiden."""
    return materialise(context, drift.settings(), cluster_entities)
