"""Options that several commands have, and what is said of wrong usage: one line with the option and what is allowed."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def usage_line(error: Exception) -> str | None:
    """The line for an error of the command line itself, empty where the help was shown; None for any other error.

    What takes the arguments apart checks values by pydantic, whose error is the cause of its own.
    """
    if not hasattr(error, "format_message"):
        return None
    line = _value(error) or error.format_message().rstrip(".")
    if type(error).__name__ == "NoArgsIsHelpError":
        return ""
    command = getattr(getattr(error, "ctx", None), "command_path", "drift")
    return f"{line} (`{command} --help` tells more)"


def _value(error: Exception) -> str | None:
    if not isinstance(error, typer.BadParameter) or not error.message:
        return None
    if error.param is None:
        return error.message
    name = (
        error.param.opts[0] if error.param.param_type_name == "option" else str(error.param.metavar or error.param.name)
    )
    details = getattr(error.__cause__, "errors", None)
    if details is None:
        return f"{name}: {error.message}"
    from drift_assets.refusals import allowed, refusal

    first = details()[0]
    least, most = getattr(error.param, "min", None), getattr(error.param, "max", None)
    if None not in (least, most):
        return f"{name} is {first['input']!r}: give {least} to {most}"
    # What our checks and those of choices say names the value itself.
    return f"{name}: {allowed(first)}" if first["type"] == "value_error" else refusal(name, first)


def above_zero(value: float | None) -> float | None:
    """The same; raises BadParameter for zero, less and what is no number."""
    if value is not None and not value > 0:
        raise typer.BadParameter("give more than 0")
    return value


MaxCalls = Annotated[
    int | None, typer.Option(min=1, help="Most calls, language and embedding; empty: DRIFT_MAX_CALLS.")
]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Most tokens of all calls; empty: DRIFT_MAX_TOKENS.")]
MaxCost = Annotated[
    float | None, typer.Option(callback=above_zero, help="Highest cost in USD, above 0; empty: DRIFT_MAX_COST_USD.")
]


def of_length(longest: int) -> Any:
    """A check that a text has 1 to `longest` characters."""

    def check(value: str | None) -> str | None:
        if value is not None and not 0 < len(value) <= longest:
            raise typer.BadParameter(f"give 1 to {longest:,} characters")
        return value

    return check
