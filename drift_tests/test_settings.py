"""Settings: where a value comes from, and what is said about a wrong one."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from drift_assets.errors import SettingsError
from drift_assets.settings import DEFAULT_TYPES, Settings, load_settings, origins, variables


@pytest.fixture
def dotenv(tmp_path: Path) -> Path:
    """The `.env` of the working folder, which every test gets fresh."""
    return tmp_path / ".env"


def refusal() -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings()
    return str(caught.value)


def test_without_any_setting_the_defaults_hold() -> None:
    settings = load_settings()

    assert settings.neo4j_uri is None
    assert settings.types == DEFAULT_TYPES
    assert settings.concurrency == 8
    assert settings.max_cost_usd is None


def test_each_field_is_read_from_one_variable_of_its_own() -> None:
    names = list(variables().values())

    assert len(set(names)) == len(names) == len(Settings.model_fields)
    assert all(name.startswith(("DRIFT_", "NEO4J_", "OPENAI_")) for name in names)


def test_an_argument_wins_over_the_environment_and_the_environment_over_the_file(
    monkeypatch: pytest.MonkeyPatch, dotenv: Path
) -> None:
    dotenv.write_text("DRIFT_CONCURRENCY=2\nDRIFT_CHUNK_TOKENS=200\nDRIFT_MODEL=from-file\n", "utf-8")
    monkeypatch.setenv("DRIFT_CONCURRENCY", "3")
    monkeypatch.setenv("DRIFT_CHUNK_TOKENS", "300")

    settings = load_settings(concurrency=4)

    assert (settings.concurrency, settings.chunk_tokens, settings.model) == (4, 300, "from-file")


@pytest.mark.parametrize("field", ["NEO4J_URI", "OPENAI_API_KEY", "DRIFT_LANGUAGE", "DRIFT_MAX_CALLS", "DRIFT_TYPES"])
def test_an_empty_value_counts_as_unset(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(field, "")

    assert load_settings() == Settings()


def test_zero_is_a_value_where_it_means_something_and_refused_where_it_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DRIFT_NEO4J_PORT", "0")
    monkeypatch.setenv("DRIFT_CLUSTER_SEED", "0")
    assert (load_settings().neo4j_port, load_settings().cluster_seed) == (0, 0)

    monkeypatch.setenv("DRIFT_MAX_CALLS", "0")
    assert refusal() == "DRIFT_MAX_CALLS is '0': give more than 0"


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("DRIFT_CONCURRENCY", "many", "give a whole number"),
        ("DRIFT_CONCURRENCY", "0", "give at least 1"),
        ("DRIFT_LANGUAGE", "false", "give 'auto', 'openai' or 'extractive'"),
        ("DRIFT_MIN_RATING", "11", "give at most 10"),
        ("DRIFT_NEO4J_PORT", "65536", "give at most 65535"),
        ("DRIFT_TYPES", "PERSON,A-B", "letters, digits and _"),
        ("DRIFT_TYPES", " , ", "at least one type"),
    ],
)
def test_a_wrong_value_is_named_with_its_variable_and_what_is_allowed(
    variable: str, value: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)

    message = refusal()

    assert message.startswith(variable)
    assert expected in message
    assert "\n" not in message


@pytest.mark.parametrize("variable", variables().values())
@pytest.mark.parametrize("value", ["nan", "-1", "1.5", "1e400", "x y"])
def test_nothing_of_what_checks_the_values_shows(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)

    with contextlib.suppress(SettingsError):
        assert load_settings()
        return
    assert not re.search(r"Input should|pydantic|Value error|\[type=|\n", refusal())


def test_an_unknown_drift_variable_is_refused_with_the_nearest_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFT_CONCURENCY", "4")
    assert refusal() == "unknown setting DRIFT_CONCURENCY; did you mean DRIFT_CONCURRENCY?"

    monkeypatch.delenv("DRIFT_CONCURENCY")
    monkeypatch.setenv("DRIFT_ZZZ", "4")
    assert refusal() == "unknown setting DRIFT_ZZZ; see docs/settings.md for those that exist"


def test_an_unknown_drift_variable_of_the_file_is_refused_too(dotenv: Path) -> None:
    dotenv.write_text("POSTGRES_PASSWORD=for-compose\nDRIFT_CONCURENCY=4\n", "utf-8")

    assert refusal() == "unknown setting DRIFT_CONCURENCY; did you mean DRIFT_CONCURRENCY?"


def test_each_value_knows_where_it_came_from(monkeypatch: pytest.MonkeyPatch, dotenv: Path) -> None:
    dotenv.write_text("DRIFT_MODEL=m\nDRIFT_EFFORT=high\nDRIFT_API=\n", "utf-8-sig")
    monkeypatch.setenv("DRIFT_EFFORT", "low")

    found = origins()

    assert list(found) == list(Settings.model_fields)
    assert (found["model"], found["effort"], found["api"]) == (".env", "environment", "default")


def test_the_file_may_begin_with_a_byte_order_mark_but_must_be_utf8(dotenv: Path) -> None:
    dotenv.write_text("DRIFT_MODEL=é\n", "utf-8-sig")
    assert load_settings().model == "é"

    dotenv.write_text("DRIFT_MODEL=é\n", "latin-1")
    assert refusal() == ".env is not UTF-8 text; save it as UTF-8"


def test_secrets_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("NEO4J_PASSWORD", "also-secret")

    settings = load_settings()

    assert "secret" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-secret"


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load_settings().concurrency = 9


@pytest.mark.parametrize(
    ("environment", "language", "embedding"),
    [
        ({}, "extractive", "minilm"),
        ({"OPENAI_API_KEY": "k"}, "openai", "openai"),
        ({"OPENAI_API_KEY": "k", "DRIFT_LANGUAGE": "extractive"}, "extractive", "openai"),
        ({"DRIFT_EMBEDDING": "openai"}, "extractive", "openai"),
    ],
)
def test_auto_is_openai_when_there_is_a_key(
    environment: dict[str, str], language: str, embedding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)

    settings = load_settings()

    assert (settings.language_name, settings.embedding_name) == (language, embedding)


def test_types_are_upper_case_without_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFT_TYPES", " ship, Person,SHIP ,sea_route")

    assert load_settings().types == ("SHIP", "PERSON", "SEA_ROUTE")


def test_the_home_folder_is_the_nearest_drift_folder_upward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert load_settings().home_folder == below / ".drift"

    (tmp_path / ".drift").mkdir()
    assert load_settings().home_folder == tmp_path / ".drift"

    monkeypatch.setenv("DRIFT_HOME", "elsewhere")
    assert load_settings().home_folder == below / "elsewhere"
