# Everything runs in .venv, which the first target that needs it sets up.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help demo test lint types check golden bench test-packaging score clean

help:
	@echo "make demo            compact a shipped session and show what became of it"
	@echo "make test            run the tests with the coverage gate"
	@echo "make check           lint, types and tests"
	@echo "make golden          write the golden files anew (then read the diff)"
	@echo "make bench           measure speed and memory beside a plain loop"
	@echo "make test-packaging  build wheel and sdist, install each into an empty environment, run it"
	@echo "make score           score against labelled sessions, where they are at hand"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; say which: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)
	@rm -rf build/demo && mkdir -p build/demo
	$(BIN)/compactctl run fixtures/claude-code/ledger-service.jsonl --store build/demo/.compactctl -o build/demo/compacted.jsonl

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --cov --cov-report=term

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

check: lint types test

golden: $(STAMP)
	$(BIN)/python -m pytest -q --snapshot-update tests/report tests/cli

bench: $(STAMP)
	$(BIN)/python benchmarks/bench.py

test-packaging: $(STAMP)
	$(BIN)/python tests/packaging/check_distributions.py

SCORE := ../shared/score/score.py
score: $(STAMP)
	@if [ -f $(SCORE) ]; then $(PYTHON) $(SCORE) all --cmd "$(BIN)/compactctl"; else echo "no labelled sessions at hand: nothing scored"; fi

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*
