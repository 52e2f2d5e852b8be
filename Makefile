# Everything runs from .venv, which is made from the lock files: only Python, git and make must be there.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 3
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links

.PHONY: help env dev demo run test test-clients check fix gen screenshots bench lock clean adversary

help:  ## Show the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 14

env: .venv/run.stamp  ## Make .venv with the command .venv/bin/deedlog.
dev: .venv/dev.stamp  ## Add what checking and testing needs.

# The pip that Python brings is old: it only installs the pip of the lock file. No package needs setuptools.
.venv/run.stamp: requirements/pip.txt requirements/run.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements/pip.txt
	$(PIP) uninstall --yes setuptools
	$(PIP) install --require-hashes -r requirements/run.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	@touch $@

.venv/dev.stamp: .venv/run.stamp requirements/dev.txt
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

demo: env  ## See the page on a believable project, whose agents go on working.
	$(BIN)/deedlog demo page

run: env  ## Serve this repository on http://127.0.0.1:4747/.
	$(BIN)/deedlog serve

check: dev  ## Format, lint, types, import contracts, generated files, sizes and the other guards.
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m scripts.generate --check
	$(BIN)/python -m pytest tests/guard

test: check  ## Everything: check, then the whole suite.
	$(BIN)/python -m scripts.chromium
	$(BIN)/python -m pytest --numprocesses=$(WORKERS)

test-clients: dev  ## The real coding agents, driven by a scripted model, track a whole task and run as workers.
	$(BIN)/python -m pytest tests/clients/track_a_task.py tests/clients/run_a_worker.py tests/clients/mount_a_server.py --verbose --durations=0

fix: dev  ## Format and repair what ruff can.
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

gen: dev  ## Rewrite the catalog and the reference pages from the operations.
	$(BIN)/python -m scripts.generate

adversary: dev  ## Run 250 hostile workers each under bubblewrap, under Landlock and without a sandbox.
	ADVERSARY_CASES=250 $(BIN)/pytest -vv -n 2 tests/adversary

screenshots: dev  ## Make the pictures of the page in docs/images/page/ anew (needs Chromium).
	$(BIN)/python -m scripts.screenshots

bench: dev  ## Print the measured ratios (several minutes).
	$(BIN)/python -m benchmarks

lock: dev  ## Recompile the lock files.
	for name in pip run dev mcp1 servers fastmcp mcp-proxy; do $(COMPILE) requirements/$$name.in -o requirements/$$name.txt || exit 1; done

clean:  ## Remove the environment and caches.
	rm -rf .venv .cache
