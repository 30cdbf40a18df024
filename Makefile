# make demo   set everything up, train an agent, rank it against others, write a report
# make test   set everything up and run the tests; make test ONLY=spades those that name spades
# make test-long   run these and all others: whole systems, more games and combinations of options, code that checks every index
# make docs   fill the tables of the games' pages, execute the tutorials and build the documentation site into build/site
# make test-frameworks   set up an environment with TorchRL, RLlib, JAX, Tianshou and RLCard, and run their adapters' tests
# make test-versions   run core's, agents' and a game's tests with the oldest and with the newest versions that pyproject.toml allows
# make test-web   play every game in a real browser (Debian's package chromium), pictures into runs/screenshots
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
WORKERS ?= 2
QUIETLY = -q -n $(WORKERS) --dist loadgroup

.PHONY: demo test test-long test-frameworks test-versions test-web lint types format docs bench clean help

help:
	@sed -n 's/^# //p' Makefile

# Of what is installed, Python compiles what is imported, and keeps it: pip would compile everything, for half a minute.
export PYTHONDONTWRITEBYTECODE =

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt --editable ".[train,data,llm,mcp,ui,web,openspiel,docs,dev]"
	touch $@

demo: $(INSTALLED)
	$(BIN)/wilddeck demo

# numba throws thousands of errors away while it finds types: without colours.
test test-long: export NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING = 1
# PyTorch's threads would wait for one another where each core has a worker.
test test-long test-frameworks test-versions test-web: export OMP_NUM_THREADS = 1
test: $(INSTALLED)
	$(BIN)/python -m pytest $(QUIETLY) $(if $(ONLY),-k $(ONLY))

test-long: $(INSTALLED)
	$(BIN)/python -m pytest $(QUIETLY) -m "not browser" $(if $(ONLY),-k $(ONLY))

# Versions of their own (constraints-frameworks.txt); the other tests skip what is not installed.
FRAMEWORKS ?= .venv-frameworks
test-frameworks: $(FRAMEWORKS)/.installed
	$(FRAMEWORKS)/bin/python -m pytest -q tests/frameworks

$(FRAMEWORKS)/.installed: pyproject.toml constraints-frameworks.txt
	$(PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-frameworks.txt \
		--editable ".[frameworks]" pytest pytest-timeout
	touch $@

VERSIONS ?= .venv-versions
test-versions:
	for versions in oldest newest; do \
		bin=$(VERSIONS)/$$versions/bin; \
		$(PYTHON) -m venv --clear $(VERSIONS)/$$versions && \
		$$bin/python -m pip install --quiet --disable-pip-version-check --editable . $$($(PYTHON) tests/versions.py $$versions) \
			pytest pytest-timeout pytest-xdist hypothesis && \
		$$bin/python -m pytest $(QUIETLY) tests/core tests/agents tests/games/test_tennis.py tests/test_copies.py && \
		$$bin/python -m pytest $(QUIETLY) tests/conformance -k tennis || exit 1; \
	done

test-web: $(INSTALLED)
	$(BIN)/python -m pytest $(QUIETLY) tests/web -m ""

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy finds packages by folder name, so the checkout is looked at through a link called wilddeck.
types: $(INSTALLED)
	mkdir -p $(VENV)/types && ln -sfn "$(CURDIR)" $(VENV)/types/wilddeck
	cd $(VENV)/types && ../bin/mypy --config-file wilddeck/pyproject.toml

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Tutorials that have changed are executed, which takes minutes for all; after `make clean` all of them have.
TUTORIALS = $(patsubst examples/%.py,build/%.ipynb,$(wildcard examples/tutorials/*.py))
build/tutorials/%.ipynb: examples/tutorials/%.py docs/site/tutorials.py | $(INSTALLED)
	$(BIN)/python docs/site/tutorials.py $< $@

# The tables of the games' pages are filled from their declarations; prompts are made anew.
docs: $(INSTALLED) $(TUTORIALS)
	$(BIN)/wilddeck bench pages
	$(BIN)/wilddeck bench prompts
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "open build/site/index.html; with its search: $(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site"

bench: $(INSTALLED)
	$(BIN)/wilddeck bench

clean:
	rm -rf $(VENV) $(FRAMEWORKS) $(VERSIONS) build dist runs *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
