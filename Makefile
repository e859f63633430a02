# `make demo` and `make test` need Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

# Modules that were compiled once are kept, whatever the machine says: collecting the tests takes
# half the time, and so does every process that they start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test slow check lint types walls tables docs package bench reproduce clean

demo: $(VENV)/ready
	$(BIN)/sfumato demo
	@echo "(sfumato is in $(BIN): call it as $(BIN)/sfumato, or activate the environment first)"

# What every change may break: what is read, what it costs, what is drawn, charged and written.
CORE = contract privacy ledger schema table synopsis measure render release publishing test_house.py

quick: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow and not long" $(CORE:%=tests/%)

test: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

slow: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

check: lint types walls docs

lint: $(VENV)/ready-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/ready-dev
	$(BIN)/mypy

walls: $(VENV)/ready-dev
	$(BIN)/lint-imports

tables: $(VENV)/ready-dev
	$(BIN)/python docs/hooks/method_tables.py

docs: $(VENV)/ready-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The wheel as others get it: built, installed where nothing else is, and shown.
package: $(VENV)/ready-dev
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	rm -rf dist/venv dist/shown && mkdir dist/shown
	$(BIN)/python -m venv dist/venv
	dist/venv/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd dist/shown && ../venv/bin/sfumato demo
	rm -rf dist/venv dist/shown

bench: $(VENV)/ready-dev
	$(BIN)/python benchmarks/noise.py
	$(BIN)/python benchmarks/moments.py
	$(BIN)/python benchmarks/mosaic.py --quick
	$(BIN)/python benchmarks/component_release.py
	$(BIN)/python -m benchmarks.components
	$(BIN)/python benchmarks/perturb.py
	$(BIN)/python benchmarks/graph.py
	$(BIN)/python benchmarks/stream.py
	$(BIN)/python benchmarks/retrieval.py
	$(BIN)/python benchmarks/ledger.py

# make reproduce lists the papers; make reproduce PAPER=jiang2013 OPTIONS="--figures 1,2" runs one.
reproduce: $(VENV)/ready-dev
	@$(BIN)/python -m papers $(PAPER) $(OPTIONS)

clean:
	rm -rf $(VENV) site dist sfumato-demo*

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@
