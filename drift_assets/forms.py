"""The forms of the jobs in Dagster's Launchpad, and what they say of a value that is not allowed."""

from typing import Any

import dagster as dg
from pydantic import ValidationError

from drift_assets.refusals import refusal


def plainly(form: dg.ConfigMapping) -> dg.ConfigMapping:
    """The same form, whose error begins with the value that is refused and what is allowed.

    Of an exception of another kind than its own Dagster would first say that the form has failed.
    """

    def checked(config: Any) -> Any:
        try:
            return form.config_fn(config)
        except ValidationError as error:
            first = error.errors()[0]
            line = refusal(".".join(map(str, first["loc"])), first)
            raise dg.DagsterInvalidConfigError(line, [], config) from error  # type: ignore[no-untyped-call]

    return dg.ConfigMapping(config_fn=checked, config_schema=form.config_schema)
