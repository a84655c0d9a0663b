# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(wildcard src/core/*.cpp src/core/*.hpp src/core/*/*.cpp src/core/*/*.hpp src/core/*/*.inc)
ENGINE := $(wildcard src/core/exact/*.cpp src/core/spine/*.cpp)
FRONT := $(filter-out %_bindings.cpp,$(wildcard src/core/front/*.cpp))
CORE_TESTS := $(wildcard tests/core/*.cpp tests/core/*.hpp)
PACKAGES := $(wildcard src/dtfinder/*/__init__.py src/dtfinder/*/*/__init__.py)
PAPER := mindt dtfinder-DT1 dtfinder-DT1-T dtfinder-DT1-T-O dtfinder dtfinder-T dtfinder-T-O d-dtfinder d-dtfinder-T-O

.PHONY: demo docs test coverage lint format bench bench-quick campaign check-acl2 bench-engine bench-depth bench-choose bench-front results sanitize dist clean

demo: $(VENV)/ready
	$(BIN)/dtfinder fit mux6 --plot demo.png
	@echo "The picture of the tree is in demo.png"

test: lint
	$(BIN)/python -m pytest -n 2

# Which lines of src/dtfinder the tests run, in all processes; the page is in build/coverage.
coverage: $(VENV)/ready
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term --cov-report=html:build/coverage

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CORE) $(CORE_TESTS)

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CORE) $(CORE_TESTS)

# Where ACL2 is installed: its verified checker judges the proofs of all SAT methods.
check-acl2: $(VENV)/ready
	$(BIN)/python -m benchmarks.acl2 weather mux6

docs: $(VENV)/ready
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs -d build/doctrees
	@echo "The documentation is in build/docs/index.html"

# The paper's nine methods on all instances of the list of optima; stops at a wrong one.
bench: $(VENV)/ready
	mkdir -p build
	$(BIN)/python -m benchmarks run --suite optima --time-limit 30 --methods $(PAPER) --out build/bench.jsonl
	$(BIN)/python -m benchmarks report build/bench.jsonl --out build/bench

# Every method and every peer on the same instances, and the page that shows it. Goes on where it
# stopped; on a quiet core it takes about 15 minutes for each second of the limit.
CAMPAIGN_SECONDS ?= 5
CAMPAIGN := --suite optima --percent 20 50 --seeds 0 --time-limit $(CAMPAIGN_SECONDS) \
	--memory-limit 3GB --out docs/results/results.jsonl
campaign: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,peers]'
	$(BIN)/python -m benchmarks run $(CAMPAIGN)
	$(BIN)/python -m benchmarks report docs/results/results.jsonl --out docs/results

# Has the engine become wrong or slower? Counts its work, which is the same on every machine.
bench-quick: $(VENV)/ready
	$(BIN)/python -m benchmarks guard

# Which way to choose a tree generalises best? Goes on where it stopped.
CHOOSE_DATA ?= ../shared/pmlb
CHOOSE_REPEATS ?= 5
bench-choose: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pystreed>=1.4'
	$(BIN)/python -m benchmarks.flipped --out docs/results/flipped.json
	$(BIN)/python -m benchmarks.choose run --data $(CHOOSE_DATA) --repeats $(CHOOSE_REPEATS) \
		--out docs/results/choose.jsonl
	$(BIN)/python -m benchmarks.choose report docs/results/choose.jsonl --out docs/results

# The engine against the best SAT method, the paper's best and pystreed, and the page that shows it.
# Goes on where ENGINE_ROWS stops; SECONDS is the CPU limit of a run.
SECONDS ?= 60
ENGINE_ROWS ?= build/engine.jsonl
bench-engine: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pystreed>=1.4'
	$(BIN)/python -m benchmarks engine --time-limit $(SECONDS) --results $(ENGINE_ROWS)

# The least depth against pystreed, and the page that shows it; continues where it stopped.
bench-depth: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pystreed>=1.4'
	$(BIN)/python -m benchmarks depth

# Trees that may err against pystreed and GOSDT, and the page that shows it; continues where it stopped.
bench-front: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pystreed>=1.4' gosdt
	$(BIN)/python -m benchmarks front --time-limit $(SECONDS)

# After a change of the engine: measure it anew for all pages of docs/results, keep the rows of all
# other methods, and store its counters. Rows of other files of the same limits join with
# MORE_CAMPAIGN (5 s), MORE_ENGINE (60 s) and MORE_GROWTH (10 s).
RESULTS := docs/results
merge = $(BIN)/python -m benchmarks merge $(wildcard $(RESULTS)/$(1)) $(2) --without cores cores-depth \
	--out $(RESULTS)/$(1)
results: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pystreed>=1.4'
	$(call merge,results.jsonl,$(MORE_CAMPAIGN))
	$(call merge,engine.jsonl,$(MORE_ENGINE))
	$(call merge,growth.jsonl,$(MORE_GROWTH))
	$(BIN)/python -m benchmarks run $(CAMPAIGN) --methods cores cores-depth
	$(BIN)/python -m benchmarks report $(RESULTS)/results.jsonl --out $(RESULTS)
	$(BIN)/python -m benchmarks engine --methods cores --results $(RESULTS)/engine.jsonl --out $(RESULTS)
	$(BIN)/python -m benchmarks growth --results $(RESULTS)/growth.jsonl --out $(RESULTS)
	$(BIN)/python -m benchmarks guard --update

# The engines against brute force and the trimmer of proofs against the checker, with assertions and
# the address and undefined-behaviour sanitizers, and engines on threads against one alone, with the
# thread sanitizer. TEXTS is the number of proofs that are trimmed.
TEXTS ?= 20000
sanitize: build/agree-sanitized build/together-sanitized build/trim-sanitized \
		build/front-agree-sanitized build/front-together-sanitized build/cubes-agree-sanitized
	build/agree-sanitized 150 1
	build/together-sanitized 20 1
	build/trim-sanitized $(TEXTS) 1
	build/front-agree-sanitized 300 1
	build/front-together-sanitized 10 1
	build/cubes-agree-sanitized 300 1

SANITIZED := $(CXX) -std=c++20 -O1 -g -D_GLIBCXX_ASSERTIONS -Wall -Wextra -Isrc/core
build/agree-sanitized: tests/core/agree.cpp $(CORE)
	mkdir -p build
	$(SANITIZED) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ $< $(ENGINE)

build/trim-sanitized: tests/core/trim.cpp $(CORE)
	mkdir -p build
	$(SANITIZED) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ $<

build/together-sanitized: tests/core/together.cpp $(CORE)
	mkdir -p build
	$(SANITIZED) -fsanitize=thread -o $@ $< $(ENGINE)

build/front-agree-sanitized: tests/core/front_agree.cpp $(CORE)
	mkdir -p build
	$(SANITIZED) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ $< $(FRONT)

build/cubes-agree-sanitized: tests/core/cubes_agree.cpp $(CORE)
	mkdir -p build
	$(SANITIZED) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ $<

build/front-together-sanitized: tests/core/front_together.cpp $(CORE)
	mkdir -p build
	$(SANITIZED) -fsanitize=thread -o $@ $< $(FRONT)

# The wheel has to work where nothing but what it depends on is installed.
dist: $(VENV)/ready
	rm -rf dist build/dist-check
	$(BIN)/python -m build --outdir dist .
	test "$$(uname)" != Linux || $(BIN)/auditwheel show dist/*.whl
	$(PYTHON) -m venv build/dist-check
	build/dist-check/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build/dist-check && bin/dtfinder fit weather --certificate weather.cert && \
		bin/dtfinder check weather.cert --data weather

# Made again whenever the requirements, the C++ core or the list of packages change.
$(VENV)/ready: pyproject.toml CMakeLists.txt $(CORE) $(PACKAGES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "$(PYTHON) cannot make environments; on Debian install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist demo.png
