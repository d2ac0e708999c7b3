# Needs make and Python 3.11 or newer; everything else goes into .venv.

PORT ?= 8000
ENGINE ?= tasks
export PORT ENGINE
export PIP_DISABLE_PIP_VERSION_CHECK = 1

VENV := .venv
BIN := $(VENV)/bin
EXTRAS := api,celery,demo,opentelemetry,procrastinate,prometheus,tasks

.DEFAULT_GOAL := help
.PHONY: help demo demo-fresh test lint types format docs translations openapi package plots proof screenshots bench bench-admin bench-celery bench-noisy bench-rest clean

help: ## Show what make can do here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## Run the example portal on 127.0.0.1, PORT (8000), ENGINE (tasks, celery)
	@exec $(BIN)/python -m example_project.demo

demo-fresh: $(VENV)/.demo ## The same with new data; what was there is deleted
	@exec $(BIN)/python -m example_project.demo --fresh

# Celery and its Redis client are installed only where somebody asks for them.
ifeq ($(ENGINE),celery)
demo demo-fresh: $(VENV)/.celery
endif

test: $(VENV)/.dev ## Run the checks and tests this machine can run
	@exec $(BIN)/python -m tests.run

proof: $(VENV)/.dev ## Let crowds, faults and large databases try what is promised; takes hours
	@exec $(BIN)/python -m tests.run --full proof

lint: $(VENV)/.dev ## Check style, layers and the format of the code
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache

types: $(VENV)/.dev ## Check the types
	$(BIN)/mypy

format: $(VENV)/.dev ## Put code into the house's format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.dev ## Make a site of the documentation, in build/docs
	@$(BIN)/python -m sphinx --fail-on-warning --fresh-env --quiet -c docs -d build/doctrees . build/docs
	@echo "Open build/docs/index.html"

translations: $(VENV)/.dev ## Bring the catalogues up to date and compile them
	@exec $(BIN)/python -m tests.translations

openapi: $(VENV)/.dev ## Write the description of the REST API as the code has it now
	@exec $(BIN)/python -m tests.openapi

plots: $(VENV)/.dev ## Draw the plots of the rule for the documentation
	@exec $(BIN)/python docs/plots.py

package: $(VENV)/.dev ## Build the packages into dist, try the wheel and type the tutorial with it
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/check-wheel-contents dist/*.whl
	@exec $(BIN)/python .ci/wheel.py dist

screenshots: $(VENV)/.dev ## Take the pictures of the admin for the documentation (needs Chromium)
	@PYTHONPATH=. exec $(BIN)/python docs/screenshots.py

bench: $(VENV)/.bench ## Measure the check beside its peers
	@exec $(BIN)/python -m benchmarks.check

bench-admin: $(VENV)/.bench ## Measure lists and the admin's pages with few and with many customers
	@exec $(BIN)/python -m benchmarks.admin

bench-celery: $(VENV)/.bench ## Measure what the Celery adapter costs (needs Redis and PostgreSQL)
	@exec $(BIN)/python -m benchmarks.celery_overhead

bench-noisy: $(VENV)/.bench ## Measure what a flood does to the others (needs Redis and PostgreSQL)
	@exec $(BIN)/python -m benchmarks.noisy_neighbour

bench-rest: $(VENV)/.bench ## Measure the REST check beside bare views (needs wrk)
	@exec $(BIN)/python -m benchmarks.rest

clean: ## Remove the environment and all caches
	rm -rf $(VENV) .tox build dist htmlcov .coverage .coverage.* \
		.mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find doc_priority tests example_project -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
		found=$$($$python -c 'import platform; print(platform.python_version())' 2>/dev/null) || continue; \
		if ! $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
			seen="$$seen $$python is $$found;"; continue; fi; \
		if ! $$python -c 'import ensurepip, venv' 2>/dev/null; then \
			seen="$$seen $$python is $$found without venv (Debian: apt install python3-venv);"; continue; fi; \
		echo "Making $(VENV) with $$python ($$found)"; \
		$$python -m venv --clear $(VENV); exit; \
	done; \
	echo "Python 3.11 or newer is needed. Found:$${seen:- none;} name another one: make PYTHON=/path/to/python" >&2; \
	exit 1

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@touch $@

$(VENV)/.celery: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --editable '.[celery,demo]' 'celery[redis]'
	@touch $@

# pip knows --group since 25.1. mysqlclient has to be built: where that is not possible, the tests name
# MariaDB as skipped.
$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[$(EXTRAS)]' --group dev
	@if mariadb_config --version >/dev/null 2>&1 || pkg-config --exists mariadb 2>/dev/null; then \
		$(BIN)/python -m pip install --quiet --group mariadb || echo "mysqlclient could not be built"; \
	fi
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --group bench
	@touch $@
