# The door to building and testing. `make` alone lists the targets.
#
# Builds go to build/<preset> (CMakePresets.json), fetched dependencies to build/deps (tools/setup.sh).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

CTEST := ctest --output-on-failure --no-tests=error -j $(shell nproc)
PYTEST := build/deps/venv/bin/python -m pytest
# Arguments for pytest, such as E2E="-k append".
E2E ?=
FLINK ?=

# $(call section,TITLE,COMMAND): runs it under a heading and says how long it took.
define section
@printf '\n=== %s\n' '$(1)'; begin=$$SECONDS; \
if $(2); then printf '=== %s: passed in %d s\n' '$(1)' $$((SECONDS - begin)); \
else status=$$?; printf '=== %s: FAILED after %d s\n' '$(1)' $$((SECONDS - begin)); exit $$status; fi
endef

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' -v absent=' $(absent) ' '/^[a-z0-9-]+:.*## / && !index(absent, " " $$1 " ") \
	  { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: ## install what building and testing need (Debian 12)
	@tools/setup.sh test

# --- building

.PHONY: build
build: configure-release ## build the server: build/release/lakestream
	@cmake --build build/release --target lakestream

# The configuration is made once; ninja repeats it itself when a CMake file changes.
.PHONY: configure-%
configure-%:
	@tools/setup.sh build
	@[ -f build/$*/build.ninja ] || cmake --preset $*

.PHONY: format
format: ## format the C++ sources in place
	@python3 tests/tidy/format.py --fix

.PHONY: clean
clean: ## remove what was built, keep the fetched dependencies
	@rm -rf $(filter-out build/deps,$(wildcard build/*))

# --- testing

.PHONY: test
test: ## set up, build and run every test
	$(call section,set-up,tools/setup.sh test)
	$(call section,tidy,$(MAKE) tidy)
	$(call section,build,$(MAKE) build-tests)
	$(call section,unit tests and golden vectors,$(CTEST) --test-dir build/release)
	$(call section,end-to-end tests,$(PYTEST) tests/e2e $(E2E))
	@printf '\n=== everything passed\n'

.PHONY: tidy
tidy: ## the conventions, the formatting, stale generated files
	@python3 tests/tidy/tidy_test.py
	@python3 tests/tidy/tidy.py
	@python3 tests/tidy/format.py

.PHONY: build-tests
build-tests: configure-release
	@cmake --build build/release

.PHONY: test-unit
test-unit: build-tests ## unit tests and golden vectors
	@$(CTEST) --test-dir build/release

.PHONY: test-e2e
test-e2e: setup build ## official clients against a real server; E2E="-k NAME" selects
	@$(PYTEST) tests/e2e $(E2E)

.PHONY: test-flink
test-flink: build ## the official Flink connector in a local Flink; FLINK="-k NAME" selects
	@tools/setup.sh flink
	@$(PYTEST) tests/flink $(FLINK)

.PHONY: test-readme
test-readme: setup ## what README.md tells to do, in a clean clone, building included
	@build/deps/venv/bin/python tests/readme/readme.py

.PHONY: test-asan
test-asan: test-sanitized-asan ## unit tests under the address and undefined behaviour sanitizers

.PHONY: test-tsan
test-tsan: test-sanitized-tsan ## unit tests under the thread sanitizer

.PHONY: test-sanitized-%
test-sanitized-%: configure-%
	@cmake --build build/$*
	@TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp $(CTEST) --test-dir build/$*

# --- what has a script of its own in tools/

scripted := bench compatibility quickstart dist fuzz sim soak
absent := $(filter-out $(patsubst tools/%.sh,%,$(wildcard tools/*.sh)),$(scripted))

.PHONY: $(scripted)
bench: build-tests ## benchmarks, each against a named peer
compatibility: setup build ## record what clients ask for in tests; make docs/compatibility.md of it
quickstart: build ## start a server and take it for a walk; LAKE=iceberg with that lake
dist: setup build ## a tarball that runs from any folder
fuzz: configure-fuzz ## fuzz the parsers under ASan for FUZZ_MINUTES=30, tell what was reached
sim: build-tests ## simulated clusters with seeded faults; SEED=N replays
soak: setup build ## an hour of random clients that die and lie; then kill -9 under load, 200 times
$(scripted):
	@tools/$@.sh
