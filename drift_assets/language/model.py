"""What a language model is: anything that performs the tasks."""

from __future__ import annotations

from typing import Any, Protocol

from drift_assets.language.tasks import O_co, Task


class LanguageModel(Protocol):
    """Performs typed tasks; every call is counted on the meter that it was opened with."""

    def origin(self, task: type[Task[Any]]) -> str:
        """Who performs this task: `openai:<model>` or `extractive`; stored beside each text."""
        ...

    def version(self, task: type[Task[Any]]) -> str:
        """Changes exactly when the same input may bring another output: prompt file, model, its settings."""
        ...

    async def perform(self, task: Task[O_co]) -> O_co:
        """Returns the validated output.

        Raises CallUnavailable after the last try, CallTooLong, ItemFailed, RunStopped or LimitReached; never
        returns an empty result for a failed call.
        """
        ...
