# Two commands for a fresh machine: `make demo` and `make test`.

PYTHON := .venv/bin/python
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Start-up time is a feature: it needs compiled bytecode.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-agents bench lint types docs setup setup-test clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-12s %s\n", $$1, $$2}' Makefile

demo: setup ## run an office of embedded agents on a throw-away repository
	@sh scripts/demo.sh

test: setup-test lint types ## run everything: lint, types and all tests
	$(PYTHON) -m pytest -n 2

test-fast: setup-test ## run the tests that start no program, in seconds
	$(PYTHON) -m pytest -m "not real"

test-agents: setup-test ## run real agent CLIs against a scripted model (opt-in)
	$(PYTHON) tests/real/run.py

bench: setup-test ## print speed as ratios against the floors
	$(PYTHON) bench/run.py

lint: setup-test ## ruff check and format
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types: setup-test ## mypy --strict
	$(PYTHON) -m mypy --strict

docs: setup-test ## write completions, reference, schema and the README's tables anew
	$(PYTHON) scripts/generate.py

setup:
	@sh scripts/setup.sh run

setup-test:
	@sh scripts/setup.sh test

clean: ## remove what the targets above made
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
