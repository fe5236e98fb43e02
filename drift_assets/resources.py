"""The one Dagster resource: the settings of the process that runs the step."""

import dagster as dg

from drift_assets.settings import Settings, load_settings


class DriftResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """Settings come from the environment when a step asks for them, so that no secret enters a run's config."""

    def settings(self) -> Settings:
        """All settings, or SettingsError naming the variable that is wrong."""
        return load_settings()
