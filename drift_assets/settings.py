"""Every setting: one place, one name, one default, one sentence.

Values come from the environment, then from a `.env` file in the working folder, then from the defaults below.
Nothing is read at import; call `load_settings()` once and pass the frozen result down.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Annotated, Any, Literal

from dotenv import dotenv_values
from pydantic import AliasChoices, Field, PrivateAttr, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from drift_assets.errors import SettingsError
from drift_assets.refusals import refusal

ENV_FILE = ".env"
# With or without a byte order mark.
ENV_ENCODING = "utf-8-sig"
PREFIX = "DRIFT_"
DEFAULT_MAX_FILE_MB = 50
DEFAULT_TYPES = ("PERSON", "ORGANIZATION", "LOCATION", "EVENT", "ARTIFACT")


def setting(default: Any, variable: str, description: str, **bounds: Any) -> Any:
    """A field read from exactly one environment variable."""
    return Field(default, validation_alias=AliasChoices(variable), description=description, **bounds)


class Settings(BaseSettings):
    """All settings, frozen. Secrets are `SecretStr` and never shown."""

    model_config = SettingsConfigDict(
        frozen=True, env_file=ENV_FILE, env_file_encoding=ENV_ENCODING, extra="ignore", env_ignore_empty=True
    )

    _meanings: tuple[str, ...] = PrivateAttr(default=())

    neo4j_uri: str | None = setting(
        None, "NEO4J_URI", "Address of a Neo4j 5.26 or later; unset: a managed local server."
    )
    neo4j_username: str = setting("neo4j", "NEO4J_USERNAME", "User name for NEO4J_URI.")
    neo4j_password: SecretStr | None = setting(None, "NEO4J_PASSWORD", "Password for NEO4J_URI.")
    neo4j_database: str = setting("neo4j", "NEO4J_DATABASE", "Database that holds the index.")

    neo4j_wait_minutes: float = setting(
        10.0,
        "DRIFT_NEO4J_WAIT_MINUTES",
        "Minutes for which an index run waits for Neo4j when it is away; a managed server is started again.",
        ge=0,
    )

    openai_api_key: SecretStr | None = setting(None, "OPENAI_API_KEY", "Key of the OpenAI (or compatible) service.")
    openai_base_url: str | None = setting(None, "OPENAI_BASE_URL", "Address of an OpenAI-compatible service.")

    home: Path | None = setting(
        None, "DRIFT_HOME", "Folder of local state; unset: nearest .drift upward, else ./.drift."
    )
    corpus: Path | None = setting(None, "DRIFT_CORPUS", "Folder of documents that `index` reads.")
    max_file_mb: int = setting(
        DEFAULT_MAX_FILE_MB,
        "DRIFT_MAX_FILE_MB",
        "Largest file that is read in MB, and longest text in millions of characters; a PDF may have 10 times as many "
        "MB, a table 100 times.",
        ge=1,
        le=1000,
    )
    types: Annotated[tuple[str, ...], NoDecode] = setting(
        DEFAULT_TYPES, "DRIFT_TYPES", "Allowed entity types, separated by commas."
    )
    types_file: Path | None = setting(
        None, "DRIFT_TYPES_FILE", "YAML file of entity types with descriptions, in the place of DRIFT_TYPES."
    )
    gleanings: int = setting(
        0, "DRIFT_GLEANINGS", "Further calls per chunk that look for what its extraction overlooked.", ge=0, le=2
    )
    resolve: bool = setting(
        True, "DRIFT_RESOLVE", "Whether names of one thing are found and merged; false keeps your own merges alone."
    )
    prompts: Path | None = setting(
        None, "DRIFT_PROMPTS", "Folder of your own prompts, which take the place of those of the same name."
    )
    chunk_tokens: int = setting(512, "DRIFT_CHUNK_TOKENS", "Largest size of a chunk in tokens.", ge=32, le=8000)

    language: Literal["auto", "openai", "extractive"] = setting(
        "auto",
        "DRIFT_LANGUAGE",
        "Language model: auto is openai when there is a key, else extractive, which reads English only.",
    )
    api: Literal["responses", "chat"] = setting(
        "responses", "DRIFT_API", "OpenAI API: responses, or chat for compatible servers."
    )
    model: str = setting("gpt-5-mini", "DRIFT_MODEL", "Model for every language task without one of its own.")
    index_model: str | None = setting(
        None, "DRIFT_INDEX_MODEL", "Model for extract, resolve, summarise and report; unset: DRIFT_MODEL."
    )
    search_model: str | None = setting(
        None, "DRIFT_SEARCH_MODEL", "Model for rephrase, hyde, prime, answer, refine and reduce; unset: DRIFT_MODEL."
    )
    effort: Literal["none", "minimal", "low", "medium", "high"] = setting(
        "low", "DRIFT_EFFORT", "Reasoning effort; none sends no such parameter."
    )
    max_output_tokens: int = setting(
        16_000, "DRIFT_MAX_OUTPUT_TOKENS", "Largest output of one call in tokens, reasoning included.", ge=256
    )
    context_tokens: int = setting(
        8_000, "DRIFT_CONTEXT_TOKENS", "Largest evidence of one language call in tokens.", ge=500
    )
    embedding: Literal["auto", "openai", "minilm"] = setting(
        "auto", "DRIFT_EMBEDDING", "Embedding: auto is openai when there is a key, else minilm."
    )
    embedding_model: str = setting("text-embedding-3-small", "DRIFT_EMBEDDING_MODEL", "Model of the openai embedding.")
    embedding_dimensions: int | None = setting(
        None,
        "DRIFT_EMBEDDING_DIMENSIONS",
        "Dimensions asked of the openai embedding, for models that can shorten their vectors; empty: the model's own.",
        ge=1,
        le=4096,
    )
    minilm_folder: Path | None = setting(
        None,
        "DRIFT_MINILM_FOLDER",
        "Folder with model.onnx and tokenizer.json to use instead of the packaged MiniLM.",
    )
    concurrency: int = setting(
        8, "DRIFT_CONCURRENCY", "Calls in flight at once, language and embedding together.", ge=1, le=256
    )
    call_timeout: float = setting(
        120.0, "DRIFT_CALL_TIMEOUT", "Seconds after which a call is given up and tried again.", gt=0, le=86_400
    )
    call_attempts: int = setting(
        6, "DRIFT_CALL_ATTEMPTS", "Tries of a call that fails for the time being.", ge=1, le=20
    )

    first_answers: int = setting(
        8,
        "DRIFT_FIRST_ANSWERS",
        "First answers of a stage that may all bring nothing before a run stops; 0: all.",
        ge=0,
    )

    max_community_size: int = setting(
        10, "DRIFT_MAX_COMMUNITY_SIZE", "Communities of this many entities or more are divided further.", ge=2
    )
    clustering: Literal["stable", "exact"] = setting(
        "stable",
        "DRIFT_CLUSTERING",
        "Clustering after a change: stable regroups what was touched and keeps the rest, exact clusters afresh.",
    )
    cluster_seed: int = setting(42, "DRIFT_CLUSTER_SEED", "Seed of the Leiden clustering.", ge=0)
    min_rating: float = setting(3.0, "DRIFT_MIN_RATING", "Reports rated above this are embedded.", ge=0, le=10)

    tolerance: int = setting(
        0, "DRIFT_TOLERANCE", "Failed items with which a run of the index still ends well, with a warning.", ge=0
    )
    max_cost_usd: float | None = setting(None, "DRIFT_MAX_COST_USD", "Largest cost of one run in USD.", gt=0)
    max_calls: int | None = setting(None, "DRIFT_MAX_CALLS", "Largest number of calls of one run.", gt=0)
    max_tokens: int | None = setting(None, "DRIFT_MAX_TOKENS", "Largest number of tokens of one run.", gt=0)

    answer_language: str | None = setting(
        None,
        "DRIFT_ANSWER_LANGUAGE",
        "Language that answers are written in, such as German; unset: the question's. "
        "Not in the extractive mode, which quotes English.",
    )

    keep_searches: int | None = setting(
        1000, "DRIFT_KEEP_SEARCHES", "Stored searches that stay, the newest; older ones go when one is asked.", ge=1
    )
    keep_search_days: float | None = setting(
        None,
        "DRIFT_KEEP_SEARCH_DAYS",
        "Days after which a stored search goes when one is asked; unset: no limit.",
        gt=0,
    )

    neo4j_idle_minutes: float = setting(
        15.0,
        "DRIFT_NEO4J_IDLE_MINUTES",
        "Minutes without a connection after which the managed server stops.",
        gt=0,
    )
    neo4j_port: int = setting(
        0, "DRIFT_NEO4J_PORT", "Port of the managed server on loopback; 0: any free one.", ge=0, le=65535
    )
    neo4j_cache: Path | None = setting(
        None, "DRIFT_NEO4J_CACHE", "Folder for the downloaded server; unset: the user's cache folder."
    )
    schedule: str = setting("0 3 * * *", "DRIFT_SCHEDULE", "Cron line of the nightly index schedule.")
    sensor_seconds: int = setting(60, "DRIFT_SENSOR_SECONDS", "Seconds between two looks of the sensors.", ge=1)
    scheduled_max_cost_usd: float = setting(
        10.0, "DRIFT_SCHEDULED_MAX_COST_USD", "Largest cost in USD of a run that the schedule or sensor launched.", gt=0
    )
    scheduled_max_tokens: int = setting(
        20_000_000,
        "DRIFT_SCHEDULED_MAX_TOKENS",
        "Largest number of tokens of such a run, which limits it also where a model has no known price.",
        gt=0,
    )
    scheduled_retries: int = setting(
        2, "DRIFT_SCHEDULED_RETRIES", "How often such a run is tried again when it failed.", ge=0
    )
    on_failure: str | None = setting(
        None, "DRIFT_ON_FAILURE", "Command that reads from standard input why such a run failed for good."
    )

    @field_validator("types", mode="before")
    @classmethod
    def _split_types(cls, value: object) -> object:
        if isinstance(value, str):
            value = [part.strip().upper() for part in value.split(",") if part.strip()]
        return tuple(value) if isinstance(value, list) else value

    @field_validator("types")
    @classmethod
    def _check_types(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not name.replace("_", "").isalnum() or name.startswith("_") or len(name) > 40:
                raise ValueError(f"{name!r} is no type name (letters, digits and _; at most 40)")
        if not value:
            raise ValueError("at least one type is needed")
        return tuple(dict.fromkeys(value))

    def with_types_file(self) -> Settings:
        """These settings with the types of DRIFT_TYPES_FILE, if it is set; raises SettingsError."""
        if self.types_file is None:
            return self
        from drift_assets.entity_types import read_types

        if self.types != DEFAULT_TYPES:
            raise SettingsError("DRIFT_TYPES and DRIFT_TYPES_FILE are both set; keep one of them")
        described = read_types(self.types_file)
        try:
            types = self._check_types(tuple(described))
        except ValueError as error:
            raise SettingsError(f"DRIFT_TYPES_FILE {self.types_file}: {error}") from None
        found = self.model_copy(update={"types": types})
        found._meanings = tuple(described.values())
        return found

    @property
    def type_meanings(self) -> tuple[str, ...]:
        """What each type stands for, in their order; empty without DRIFT_TYPES_FILE or descriptions in it."""
        return self._meanings if any(self._meanings) else ()

    @property
    def language_name(self) -> Literal["openai", "extractive"]:
        """The language model that `auto` stands for."""
        if self.language != "auto":
            return self.language
        return "openai" if self.openai_api_key else "extractive"

    @property
    def embedding_name(self) -> Literal["openai", "minilm"]:
        """The embedding that `auto` stands for."""
        if self.embedding != "auto":
            return self.embedding
        return "openai" if self.openai_api_key else "minilm"

    @property
    def home_folder(self) -> Path:
        """The folder of local state: DRIFT_HOME, else the nearest `.drift` upward, else `./.drift`."""
        if self.home is not None:
            return self.home.expanduser().absolute()
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / ".drift").is_dir():
                return folder / ".drift"
        return here / ".drift"


def variables() -> dict[str, str]:
    """Environment variable of each field, in the order of the fields."""
    found = {}
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        assert isinstance(alias, AliasChoices)
        found[name] = str(alias.choices[0])
    return found


def origins() -> dict[str, Literal["environment", ".env", "default"]]:
    """Where the value of each field comes from, in the order of the fields; an empty value counts as none."""
    given = {name.upper() for name, value in os.environ.items() if value}
    written = {name.upper() for name, value in dotenv_values(ENV_FILE, encoding=ENV_ENCODING).items() if value}
    return {
        name: "environment" if variable in given else ".env" if variable in written else "default"
        for name, variable in variables().items()
    }


def load_settings(**overrides: object) -> Settings:
    """Read the settings once; `overrides` are field names and win over the environment.

    Raises SettingsError naming the variable, its value and what is allowed, or an unknown `DRIFT_` variable
    with its nearest known name, a `.env` that is no UTF-8 text, or a prompt or a file of types that cannot be used.
    """
    known = variables()
    try:
        _refuse_unknown(set(known.values()))
        found = Settings(**{known[name]: value for name, value in overrides.items()})  # type: ignore[arg-type]
    except ValidationError as error:
        raise SettingsError(_describe(error)) from None
    except UnicodeDecodeError:
        raise SettingsError(f"{ENV_FILE} is not UTF-8 text; save it as UTF-8") from None
    if found.prompts:
        from drift_assets.language.overrides import check_prompts

        check_prompts(found.prompts)
    return found.with_types_file()


def _refuse_unknown(known: set[str]) -> None:
    short = [name.removeprefix(PREFIX) for name in known if name.startswith(PREFIX)]
    for variable in sorted({*os.environ, *dotenv_values(ENV_FILE, encoding=ENV_ENCODING)}):
        if variable.startswith(PREFIX) and variable not in known:
            near = difflib.get_close_matches(variable.removeprefix(PREFIX), short, n=1)
            hint = f"; did you mean {PREFIX}{near[0]}?" if near else "; see docs/settings.md for those that exist"
            raise SettingsError(f"unknown setting {variable}{hint}")


def _describe(error: ValidationError) -> str:
    first = error.errors()[0]
    variable = str(first["loc"][0]) if first["loc"] else "settings"
    return refusal(variable, first, secret="KEY" in variable or "PASSWORD" in variable)
