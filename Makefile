# Needs git, make and Python 3.11 to 3.14, nothing else. PYTHON=/path/to/python chooses the interpreter.
# PYTEST="drift_tests/test_settings.py -k words" narrows what `make pytest` runs.

# No key, server or option that happens to be set takes part. What a user says of the network, the download folder and
# the folder of local state stays.
KEPT := DRIFT_HOME DRIFT_NEO4J_CACHE \
    $(addprefix PIP_,CACHE_DIR CERT CLIENT_CERT CONFIG_FILE DEFAULT_TIMEOUT EXTRA_INDEX_URL FIND_LINKS INDEX_URL \
    KEYRING_PROVIDER NO_CACHE_DIR NO_INDEX PROXY RETRIES TIMEOUT TRUSTED_HOST)
unexport $(filter-out $(KEPT),$(filter AZURE_% DAGSTER_% DRIFT_% NEO4J_% OPENAI_% PIP_% PYTEST_%,$(.VARIABLES))) \
    PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH PYTHONWARNINGS VIRTUAL_ENV

# `make soak` can be run in parts: make soak-changes SEQUENCES=100 SEED=7, make soak-faults, soak-kills KILLS=5, soak-rest.
SEQUENCES ?= 500
KILLS ?= 20
SEED ?= $(shell date +%s)
SOAK = .venv/bin/python -m pytest --hypothesis-profile=soak
# Of hundreds of sequences the optimising compiler of Java, which the tests' Neo4j does without, saves nearly half the time.
OPTIMISED = _JAVA_OPTIONS=-XX:TieredStopAtLevel=4

.DEFAULT_GOAL := help
.PHONY: help demo test setup setup-dev lint types pytest soak soak-changes soak-faults soak-kills soak-rest format docs clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | expand -t 12

demo: setup ## set up, index the demo corpus, ask two questions
	@.venv/bin/drift demo

test: lint types pytest ## set up with the test packages; lint, types and all tests

setup:
	@sh scripts/setup

setup-dev:
	@sh scripts/setup dev

lint: setup-dev ## ruff's checks and format
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: setup-dev ## mypy, strict
	.venv/bin/mypy

pytest: setup-dev ## the tests alone; PYTEST="…" passes arguments on
	.venv/bin/python -m pytest $(if $(PYTEST),$(PYTEST),--numprocesses 2 --dist loadfile)

soak: soak-changes soak-faults soak-kills soak-rest ## the tests that take hours when they are thorough and what they saw

soak-changes: setup-dev
	$(OPTIMISED) $(SOAK) drift_tests/assets/test_incremental.py --sequences=$(SEQUENCES) --hypothesis-seed=$(SEED)

soak-faults: setup-dev
	$(SOAK) drift_tests/assets/test_faults.py

soak-kills: setup-dev
	$(SOAK) -m soak drift_tests/benchmarks/test_kills.py --kills=$(KILLS)

soak-rest: setup-dev
	$(SOAK) drift_tests/search/test_readers.py
	$(SOAK) -m soak --ignore=drift_tests/benchmarks/test_kills.py

format: setup-dev ## let ruff write the format and the plain corrections
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

docs: setup-dev ## write what the docs take from the code
	.venv/bin/python scripts/generate.py

clean: ## remove .venv and caches; .drift, with the index and its history, stays
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist *.egg-info
