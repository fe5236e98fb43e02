# One image for the code location, the webserver and the daemon of docker-compose.yml. It holds no password and no key.
FROM python:3.13-slim-bookworm

# DAGSTER_HOME lies in DRIFT_HOME, where `drift` looks for it: `docker compose exec code drift ask …` stands in the same history.
ENV DRIFT_HOME=/opt/drift \
    DAGSTER_HOME=/opt/drift/dagster \
    PYTHONUNBUFFERED=1

RUN useradd --uid 1000 --create-home drift \
    && install --directory --owner drift --group drift "$DRIFT_HOME" "$DAGSTER_HOME" "$DAGSTER_HOME/storage"

WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY drift_assets ./drift_assets
RUN --mount=type=cache,target=/root/.cache/pip \
    pip install --constraint constraints.txt setuptools \
    && pip install --constraint constraints.txt --only-binary=:all: --no-build-isolation ".[postgres]"

COPY --chown=drift:drift docker/dagster.yaml docker/workspace.yaml /opt/drift/dagster/

USER drift
WORKDIR /opt/drift
