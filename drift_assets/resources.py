"""The one Dagster resource: the settings of the process that runs the step."""

import dagster as dg

from drift_assets.settings import Settings, load_settings


class DriftResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """Settings come from the environment when a step asks for them, so that no secret enters a run's config.

    The limits of a run can be given with its config, and then win over those of the settings.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None

    def settings(self) -> Settings:
        """All settings, or SettingsError naming the variable that is wrong."""
        given = {"max_calls": self.max_calls, "max_tokens": self.max_tokens, "max_cost_usd": self.max_cost_usd}
        return load_settings(**{name: value for name, value in given.items() if value is not None})
