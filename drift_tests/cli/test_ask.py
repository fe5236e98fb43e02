import inspect
from typing import get_args

import pytest
from annotated_types import Ge, Gt, Le
from typer.models import OptionInfo

from drift_assets.cli.ask import ask
from drift_assets.cli.usage import above_zero
from drift_assets.search.config import SearchConfig
from drift_assets.search.options import SearchOptions

OPTIONS = [name for name in SearchOptions.__dataclass_fields__ if name != "question"]


@pytest.mark.parametrize("name", OPTIONS)
def test_each_option_is_the_one_of_the_launchpad(name: str) -> None:
    parameter = inspect.signature(ask, eval_str=True).parameters[name]
    (option,) = [part for part in get_args(parameter.annotation) if isinstance(part, OptionInfo)]
    field = SearchConfig.model_fields[name]
    bounds: dict[str, object] = {}
    for bound in field.metadata:
        if isinstance(bound, Ge):
            bounds["min"] = bound.ge
        elif isinstance(bound, Gt):
            # Typer's own least value would allow 0 itself.
            assert (bound.gt, option.callback) == (0, above_zero)
        elif isinstance(bound, Le):
            bounds["max"] = bound.le
    # A command gives no list for none.
    assert parameter.default == (None if field.default == [] else field.default)
    assert option.help == field.description
    assert (option.min, option.max) == (bounds.get("min"), bounds.get("max"))


def test_no_option_of_the_launchpad_is_missing() -> None:
    assert set(SearchConfig.model_fields) - {"search_id"} == {*OPTIONS, "question"}
