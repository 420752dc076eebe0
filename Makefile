# The commands are explained by `make help`.
PYTHON ?= python3
# Another Spark than that of requirements.lock, in an environment of its own; see docs/versions.md.
OWN_SPARK := 4.2
GRADER_SPARK ?= $(OWN_SPARK)
OTHER_SPARK := $(wildcard requirements-$(GRADER_SPARK).lock)
ifeq ($(filter $(OWN_SPARK),$(GRADER_SPARK))$(OTHER_SPARK),)
$(error GRADER_SPARK is $(GRADER_SPARK). There are locks for $(OWN_SPARK) $(patsubst requirements-%.lock,%,$(wildcard requirements-4*.lock)))
endif
VENV := $(if $(OTHER_SPARK),build/spark-$(GRADER_SPARK),.venv)
BIN := $(VENV)/bin
UV_VERSION := 0.13.8
SIDE_BY_SIDE := --numprocesses 2 --dist loadscope --no-loadscope-reorder
# what a bundle brings along for machines without a network (grader bundle --offline)
OFFLINE := $(wildcard offline/wheels)
LOCKED := $(if $(OFFLINE),offline/requirements.lock,requirements.lock)
ifneq ($(OFFLINE),)
export PIP_NO_INDEX := 1
export PIP_FIND_LINKS := $(OFFLINE)
endif
LOCK := pyproject.toml --quiet --universal --generate-hashes --python-version 3.10 \
	--custom-compile-command "make lock"

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev lab site test test-quick check-style verify bench lock docker-lab docker-test release try-release

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

lab: setup ## Set everything up, check it with one graded stream, open JupyterLab on course/ (LESSON=03)
	@exec $(BIN)/grader lab $(LESSON)

setup: $(VENV)/installed ## Python packages and jars from their locks, start-up caches
	@$(BIN)/python -m grader setup

setup-dev: $(VENV)/installed-dev
	@$(BIN)/python -m grader setup

site: $(VENV)/installed-dev ## The landing page and the course to read, as pages in build/site (a minute)
	@$(BIN)/grader site --check $(if $(SITE_VERSION),--version $(SITE_VERSION))

test: setup-dev check-style ## Style, types, contracts and all tests, a sample of the proofs included (an hour)
	@$(BIN)/pytest $(SIDE_BY_SIDE) $(PYTEST)

test-quick: setup-dev check-style ## Style and the tests without Spark: for every change (5 minutes)
	@$(BIN)/pytest $(SIDE_BY_SIDE) -m "not slow and not docker"

check-style: $(VENV)/installed-dev ## Lint, format, types, imports that go one way, prose, links (a minute)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m grader.authoring.prose_lint
	@$(BIN)/python -m grader.authoring.dead_links

verify: setup ## Prove every exercise: solution passes, stub not attempted, mistakes named (hours)
	@$(BIN)/grader verify

bench: setup-dev ## The benchmarks, each against its baseline in the same run
	@$(BIN)/grader bench

define MADE_FOR_THIS
import platform, sys
python = ".".join(platform.python_version_tuple()[:2])
here = f"Python {python} on {platform.system()} {platform.machine()}"
made = open("offline/made-for").read().strip()
if made != here:
    sys.exit(f"The packages in offline/ are for {made}, this is {here}. Name such a Python: "
             "make PYTHON=python3.X lab. Or, with a network: rm -r offline; make lab")
endef
export MADE_FOR_THIS

# A .venv that was moved or copied, or whose Python has become another, does not work: it is made again.
VERSION := import sys; print("%d.%d" % sys.version_info[:2])
ifneq ($(wildcard $(VENV)/made-in),)
ifneq ($(shell cat $(VENV)/made-in),$(CURDIR), Python $(shell $(BIN)/python -c '$(VERSION)' 2>/dev/null))
STALE := FORCE
endif
endif
FORCE:

# The lock, with the packages of another Spark in place of its own.
define ITS_SPARK
FNR == NR { if (/^[a-z]/) { split($$1, one, "=="); other[one[1]] }; next }
/^[a-z]/ { split($$1, one, "=="); replaced = one[1] in other }
!replaced
endef
export ITS_SPARK

$(VENV)/installed: $(LOCKED) $(OTHER_SPARK) pyproject.toml $(STALE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Python 3.10 or newer is needed, $(PYTHON) is $$($(PYTHON) -V 2>&1). Install one and run: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -z "$(OFFLINE)" || $(PYTHON) -c "$$MADE_FOR_THIS"
	@test -z "$(STALE)" || { echo "$(VENV) was made elsewhere, or for another Python: making it anew"; rm -rf $(VENV); }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "Python cannot make a virtual environment. On Debian and Ubuntu: sudo apt-get install python3-venv"; exit 1; }
	@echo "Installing the locked Python packages (once, a few minutes)"
	@$(if $(OTHER_SPARK),{ awk "$$ITS_SPARK" $(OTHER_SPARK) $(LOCKED); cat $(OTHER_SPARK); },cat $(LOCKED)) >$(VENV)/packages.lock
	@awk '/^setuptools==/,/[^\\]$$/' $(LOCKED) >$(VENV)/builds.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $(VENV)/builds.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --use-pep517 --no-build-isolation --require-hashes -r $(VENV)/packages.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
	@echo "$(CURDIR), Python $$($(BIN)/python -c '$(VERSION)')" >$(VENV)/made-in
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	@echo "Installing the locked development packages"
	@$(BIN)/pip install --quiet --disable-pip-version-check --use-pep517 --require-hashes -r requirements-dev.lock
	@touch $@

lock: $(VENV)/installed ## Make the locks again after a change in pyproject.toml or a jgo.toml
	@test -x build/lock/bin/uv || { $(PYTHON) -m venv build/lock && \
	  build/lock/bin/pip install --quiet "uv==$(UV_VERSION)" "jgo[cli]>=3.2,<4"; }
	@build/lock/bin/uv pip compile $(LOCK) --extra build --output-file requirements.lock
	@build/lock/bin/uv pip compile $(LOCK) --extra build --extra dev \
	  --constraint requirements.lock --output-file requirements-dev.lock
	@for other in requirements-*.in; do build/lock/bin/uv pip compile $$other --no-deps $(filter-out pyproject.toml,$(LOCK)) \
	  --output-file $${other%.in}.lock || exit 1; done
	@for jars in grader/runtime/jars/* grader/connectors/change_data/jars; do \
	  (cd $$jars && $(CURDIR)/build/lock/bin/jgo lock) || exit 1; done
	@git --no-pager diff --stat -- '*.lock' '*.lock.toml'

release: setup-dev ## The files of a release in build/release, tried in an empty home (PREVIOUS=TAG|COMMIT)
	@$(BIN)/python -m grader.authoring.release.release_files
	@$(MAKE) --no-print-directory try-release
	@echo "Ready: build/release"

try-release: setup-dev ## Try the release in build/release again
	@PREVIOUS=$(PREVIOUS) $(BIN)/pytest -v -m release -rP --durations=0 tests/release

docker-lab: $(VENV)/installed ## The same lab on Kafka and a Spark cluster in containers
	@exec $(BIN)/grader lab --docker

docker-test: setup-dev ## The tests that need a Docker engine; brings one up where none runs (root, Debian)
	@docker/engine.sh up && { $(BIN)/pytest -m docker tests/docker; code=$$?; docker/engine.sh down; exit $$code; }
