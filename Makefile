# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(wildcard src/core/*.cpp src/core/*.hpp)

.PHONY: demo test lint format bench dist clean

demo: $(VENV)/ready
	$(BIN)/dtfinder fit mux6 --plot demo.png
	@echo "The picture of the tree is in demo.png"

test: lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CORE)

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CORE)

bench: $(VENV)/ready
	$(BIN)/python -m benchmarks.optima

dist: $(VENV)/ready
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv --clear build/dist-check
	build/dist-check/bin/pip install --quiet dist/*.whl
	build/dist-check/bin/dtfinder fit weather

# Rebuilt whenever the requirements or the C++ core change.
$(VENV)/ready: pyproject.toml CMakeLists.txt $(CORE)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist
