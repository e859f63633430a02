# `make demo` and `make test` need Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# A file of requirements/ to install from: these versions, by their hashes (CPython 3.11 on Linux
# x86-64 only; .ci/run does it). Without one, the newest version of everything.
LOCK ?=

# Modules that were compiled once are kept, whatever the machine says: collecting the tests takes
# half the time, and so does every process that they start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test slow lowest lowest-quick check lint types walls tables docs package lock bench reproduce clean

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

# The same tests where each dependency has the lowest version that pyproject.toml allows.
LOWEST = VENV=$(VENV)-lowest LOCK=requirements/lowest.txt

lowest:
	$(MAKE) test $(LOWEST)

lowest-quick:
	$(MAKE) quick $(LOWEST)

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

# The wheel as others get it: built, installed where nothing else is, and shown; and the bill of
# materials of what was installed with it.
package: $(VENV)/ready-dev $(VENV)-tools/ready
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	mkdir dist/shown
	$(BIN)/python -m venv --without-pip dist/venv
ifneq ($(LOCK),)
	$(PIP) --python dist/venv/bin/python install --quiet --require-hashes -r requirements/core.txt
endif
	$(PIP) --python dist/venv/bin/python install --quiet dist/*.whl
	cd dist/shown && ../venv/bin/sfumato demo
	$(BIN)/python requirements/bill.py --tools $(VENV)-tools --installed dist/venv dist
	rm -rf dist/venv dist/shown

# Versions stay as they are where they still fit; make lock OPTIONS=--upgrade takes the newest.
COMPILE = $(VENV)-tools/bin/uv --quiet --no-config pip compile --python-version 3.11 --python-platform x86_64-manylinux_2_28 --only-binary :all: --no-binary pyspark --generate-hashes --no-annotate --custom-compile-command "make lock"

lock: $(VENV)-tools/ready
	$(COMPILE) $(OPTIONS) requirements/tools.in -o requirements/tools.txt
	$(COMPILE) $(OPTIONS) requirements/build.in -o requirements/build.txt
	$(COMPILE) $(OPTIONS) --extra dev pyproject.toml -o requirements/ci.txt
	$(COMPILE) -c requirements/ci.txt pyproject.toml -o requirements/core.txt
	$(COMPILE) $(OPTIONS) --resolution lowest-direct --extra dev pyproject.toml -o requirements/lowest.txt

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
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-tools site dist sfumato-demo*

PIP = $(BIN)/python -m pip --disable-pip-version-check

$(VENV)/ready: pyproject.toml $(LOCK)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
ifeq ($(LOCK),)
	$(PIP) install --quiet -e .
else
	$(PIP) install --quiet --require-hashes -r requirements/build.txt
	$(PIP) install --quiet --require-hashes --no-build-isolation -r $(LOCK)
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
endif
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
ifeq ($(LOCK),)
	$(PIP) install --quiet -e '.[dev]'
endif
	touch $@

$(VENV)-tools/ready: requirements/tools.txt
	$(PYTHON) -m venv $(VENV)-tools
ifeq ($(LOCK),)
	$(VENV)-tools/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/tools.in
else
	$(VENV)-tools/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/tools.txt
endif
	touch $@
