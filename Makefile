# Each target works on a fresh clone: what it needs is built first, in .venv and target.

.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

# The first Python of 3.11 or later. Another one: make build PYTHON=/path/to/python
PYTHON ?= $(firstword $(foreach p,python3 python3.11 python3.12 python3.13 python3.14,$(shell \
    $(p) -c 'import sys; sys.version_info >= (3, 11) and print(sys.executable)' 2>/dev/null)))

VENV := .venv
BIN := $(VENV)/bin
RUST_SOURCES := Cargo.toml Cargo.lock rust-toolchain.toml \
    $(shell find crates -name '*.rs' -o -name Cargo.toml)

.PHONY: help needs needs-agent build demo reproduce test test-rust test-python test-readers test-site test-web test-kernel \
    container agent deb agent-musl ipk test-agent fair-access-point dumbbell wasm package example-quinn web fuzz explore deny bench wheel wheels \
    sdist golden witness book limits limits-ax record docs site lock clean

help: ## Show the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# What a bare machine may lack, said before anything is tried.
needs:
	@missing=0; lacks() { echo "missing: $$1" >&2; missing=1; }; \
	command -v cargo >/dev/null || lacks "cargo, Rust's build tool: install rustup, which brings the version of rust-toolchain.toml"; \
	command -v cc >/dev/null || lacks "cc, a C compiler, which links what Rust compiles: Debian's package build-essential, Fedora's gcc"; \
	if [ -z "$(PYTHON)" ]; then lacks "Python 3.11 or later: install it, or name one: make build PYTHON=/path/to/python"; \
	else "$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || lacks "Python's module venv: Debian's package python3-venv"; fi; \
	exit $$missing

build: $(VENV)/built ## Build the simulator and the command line: .venv/bin/airfair

$(VENV)/installed: requirements/dev.txt | needs
	"$(PYTHON)" -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

$(VENV)/built: $(VENV)/installed pyproject.toml $(RUST_SOURCES) | needs
	PIP_QUIET=1 VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked --quiet
	@touch $@

demo: build ## A first look at five papers and three studies of ours, in results/
	$(BIN)/airfair reproduce --quick --out results
	@echo "Open results/index.html in a browser. The full run: make reproduce"

reproduce: build ## The main job: every table, figure and claim of each paper, in results/
	$(BIN)/airfair reproduce --out results
	@echo "Open results/index.html in a browser: claims, verdicts and reasons."

test: build test-rust test-python ## Everything that has to pass: format, lints, types, tests

# `make test` draws the same histories every time; `make explore` draws new ones.
test-rust: export PROPTEST_RNG_SEED ?= 1
# All is compiled a third faster without what would make the next time faster; CARGO_INCREMENTAL=1 for that.
test-rust: export CARGO_INCREMENTAL ?= 0
# Clippy goes on beside the tests, in the profile of `make build`, whose macros of Python's binding it finds compiled.
test-rust: ## The Rust part of `make test`.
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets --locked --quiet -- -D warnings & lints=$$!; \
	tests=0; cargo test --workspace --locked --quiet || tests=$$?; \
	wait $$lints || { echo "clippy has found what it says above" >&2; exit 1; }; exit $$tests

# The agent with what it runs in the kernel, which nothing else needs: see `bpf` in crates/agent/Cargo.toml.
AGENT_CARGO := --package airfair-agent --features bpf --locked --quiet
agent: $(VENV)/installed needs-agent ## The agent on real machines, .venv/bin/airfair-agent: docs/how-to/agent.md
	cargo build $(AGENT_CARGO) --release
	install target/release/airfair-agent $(BIN)/airfair-agent

deb: agent ## The agent as a Debian package in dist/, with its unit and manual page, and tried
	mkdir -p dist
	"$(PYTHON)" tests/check_deb.py "$$(crates/agent/packaging/deb.sh target/release/airfair-agent dist)"

# For OpenWrt: one static file with musl's C library. Its tools are those of `make wheel`.
MUSL = $(if $(findstring musl,$(TARGET)),$(TARGET),x86_64-unknown-linux-musl)
ARCHITECTURE ?= $(if $(findstring x86_64,$(MUSL)),x86_64,$(if $(findstring aarch64,$(MUSL)),aarch64_cortex-a53,arm_cortex-a7_neon-vfpv4))
OPENWRT := crates/agent/packaging/openwrt
agent-musl: $(VENV)/wheel/installed ## The agent as one static file for a router; TARGET=aarch64-unknown-linux-musl
	PATH="$(CURDIR)/$(WHEEL_BIN):$$PATH" $(OPENWRT)/static.sh $(MUSL)

ipk: agent-musl ## The agent as a package for OpenWrt in dist/, tried; TARGET=, ARCHITECTURE=: docs/how-to/openwrt.md
	mkdir -p dist
	"$(PYTHON)" tests/check_ipk.py "$$($(OPENWRT)/ipk.sh target/$(MUSL)/small/airfair-agent "$(ARCHITECTURE)" dist)"

needs-agent: needs
	@missing=0; lacks() { echo "missing: $$1" >&2; missing=1; }; \
	command -v "$${CLANG:-clang}" >/dev/null || lacks "clang, which compiles what runs in the kernel: Debian's package clang"; \
	command -v pkg-config >/dev/null || lacks "pkg-config: Debian's package pkg-config"; \
	has() { echo "#include <$$1>" | cc -E -x c - >/dev/null 2>&1; }; \
	has libelf.h || lacks "libelf's header: Debian's package libelf-dev"; \
	has zlib.h || lacks "zlib's header: Debian's package zlib1g-dev"; \
	exit $$missing

test-agent: needs-agent ## Tests of the agent on this machine's kernel; as root, else they say what they leave out.
	cargo clippy $(AGENT_CARGO) --all-targets -- -D warnings
	cargo test $(AGENT_CARGO) -- --test-threads=1

fair-access-point: build needs-agent ## A fair access point in QEMU: its stations' shares of the air with the agent and without it, three minutes
	$(BIN)/python tests/kernel/machine.py --fetch
	$(BIN)/python tests/kernel/fair.py

dumbbell: build ## DCTCP and DualPI2 over a bottleneck in QEMU and in airfair, twenty minutes
	$(BIN)/python tests/kernel/machine.py --fetch
	$(BIN)/python tests/kernel/dumbbell.py

# All but the binding of Python, so that a browser can run the laboratory.
PURE := units laws transport wlan sim link trace web
WASM := wasm32-unknown-unknown
wasm: ## Check that the pure crates compile for a browser
	@if [ -d "$$(rustc --print target-libdir --target $(WASM))" ]; then \
	    cargo check --locked --quiet --target $(WASM) $(PURE:%=--package airfair-%); \
	    else echo "$(WASM) is not checked: rustup target add $(WASM)"; fi

# Crates for programs of others. A package is built from its own files alone.
PUBLISHED := units laws transport wlan sim link trace
package: ## The crates that others may use, as packages of cargo in target/package, each built from its package
	cargo package --allow-dirty --locked --quiet $(PUBLISHED:%=--package airfair-%)

# A workspace of its own, with a QUIC stack that nothing else needs.
QUINN := --manifest-path examples/quinn/Cargo.toml --target-dir target/quinn --release --locked --quiet
example-quinn: ## quinn-proto's downloads over a simulated cell, tried, in examples/quinn; its crates come from crates.io
	cargo fmt --manifest-path examples/quinn/Cargo.toml --check
	cargo clippy $(QUINN) --all-targets -- -D warnings
	cargo test $(QUINN)
	for control in cubic new-reno bbr; do cargo run $(QUINN) -- --control $$control; done

PLAYGROUND := dist/playground.html
WEB_SOURCES := $(shell find web -not -path '*/node_modules*' -type f) \
    python/airfair/palette.py python/airfair/pages.py python/airfair/reproduction/templates/style.css.jinja
CELL_PAGE := python/airfair/cell.html
web: $(CELL_PAGE) $(PLAYGROUND) ## The page of `airfair emulate --web`, and the playground, which opens from the disk: dist/playground.html

$(CELL_PAGE): web/node_modules/.package-lock.json $(WEB_SOURCES)
	node web/build.js cell $@

$(PLAYGROUND): web/node_modules/.package-lock.json $(RUST_SOURCES) $(WEB_SOURCES)
	web/engine.sh target/playground/airfair.wasm
	node web/build.js playground $@ target/playground/airfair.wasm
	cp $@ python/airfair
	@echo "Open $@ in a browser."

web/node_modules/.package-lock.json: web/package-lock.json
	@command -v npm >/dev/null || { echo "The playground is not built: npm, of Node.js 20 or later, is missing." \
	    "Everything else works without it." >&2; exit 1; }
	@echo "Fetching the page's packages from npm once"
	cd web && npm ci --silent
	@touch $@

# Programs that read results are in an environment of their own: `make test` needs none of them.
READERS := $(VENV)/readers
$(READERS)/installed: requirements/readers.txt $(VENV)/installed
	"$(PYTHON)" -m venv --clear $(READERS)
	$(READERS)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

test-readers: build $(READERS)/installed ## Results as pandas, pyarrow, polars, DuckDB and xarray read them
	$(BIN)/airfair run one-slow-station --replications 3 --out target/readers >/dev/null
	PYTHONPATH=python $(READERS)/bin/python tests/read_results.py target/readers

container: wheel ## An image with airfair and pytest for tests over Wi-Fi, built by podman and tried
	podman build --tag airfair --file examples/ci/Containerfile dist
	podman run --rm --device /dev/net/tun --volume "$(CURDIR)/examples/ci:/tests" airfair

test-web: build ## Tests of the playground in Node and Chromium, as far as they are here
	web/test.sh $(BIN)

# Two machines at a time. What is emulated in real time has the machine for itself, and the agent as it is now.
ALONE := tests/kernel/test_emulated.py
test-kernel: build ## Tests on Debian's kernel in QEMU, and those of the agent on this one; packages come by apt-get download
	$(BIN)/python tests/kernel/machine.py --fetch
	$(BIN)/python tests/kernel/debian.py || echo "The agent's unit is not tried." >&2
	$(BIN)/python -m pytest --quiet --numprocesses=2 --dist=worksteal --ignore=$(ALONE) tests/kernel
	if $(MAKE) --no-print-directory --silent needs-agent; then $(MAKE) --no-print-directory agent test-agent; \
	    else echo "The agent is not built, and left out." >&2; fi
	$(BIN)/python -m pytest --quiet $(ALONE)

# A file of tests is one process's, which makes what they share once. There are two processes more than cores: tests
# that wait, in two files, need hardly any. Types are checked meanwhile, on one core.
# The programs that tests start find modules compiled, whatever the environment says.
test-python: export PYTHONDONTWRITEBYTECODE =
test-python: build ## The Python part of `make test`.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	if [ -f tests/check_citations.py ]; then $(BIN)/python tests/check_citations.py; fi
	$(BIN)/mypy & types=$$!; tests=0; \
	$(BIN)/python -m pytest --quiet --hypothesis-seed=1 --numprocesses=$$(($$(nproc) + 2)) \
	    --dist=loadfile --no-loadscope-reorder || tests=$$?; \
	wait $$types || { echo "mypy has found what it says above" >&2; exit 1; }; exit $$tests

# Every test file `fuzz_*` goes on for TIME seconds; SEED makes it the same again.
TIME ?= 60
fuzz: ## Hostile input of every kind, TIME seconds for each; a failure leaves its input and its SEED.
	AIRFAIR_FUZZ_SECONDS=$(TIME) PROPTEST_RNG_SEED=$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')) \
	    cargo test --workspace --locked --quiet --test 'fuzz_*' -- --nocapture

ROUNDS ?= 20
explore: build ## The property tests on fresh histories, ROUNDS times; a failure leaves its seed.
	for round in $$(seq $(ROUNDS)); do \
	    echo "round $$round of $(ROUNDS)"; \
	    cargo test --workspace --locked --quiet --release >/dev/null; \
	    $(BIN)/python -m pytest --quiet -k "not reproduction and not validation" >/dev/null; \
	    $(MAKE) --no-print-directory fuzz TIME=$(TIME); \
	done

deny: ## Licences, sources and known holes of the crates, as far as cargo-deny and its database are here
	@command -v cargo-deny >/dev/null || { \
	    echo "cargo-deny is not installed: cargo install cargo-deny --locked" >&2; exit 1; }
	cargo deny --locked check licenses bans sources
	@if cargo deny fetch db; then cargo deny --locked check --disable-fetch advisories; \
	    else echo "the database of advisories cannot be had here: they are not checked"; fi

bench: build ## Speed: times, instructions per frame, steps of a world, laws, races with ns-2, ns-3
	cargo bench --package airfair-sim --locked --quiet
	$(BIN)/python bench/step.py
	$(BIN)/python bench/laws.py
	"$(PYTHON)" bench/race.py

# A wheel for Linux asks for no C library younger than 2012's (manylinux2014), or for musl's: zig links it, for this
# machine or for another one. Elsewhere maturin's own way is as good.
LINUX_TARGETS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl
HOST_TARGET := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
TARGET ?= $(HOST_TARGET)
OLDEST = $(if $(findstring musl,$(TARGET)),musllinux_1_2,manylinux2014)
LINKED = $(if $(findstring linux,$(TARGET)),--zig --compatibility $(OLDEST))
WHEEL_BIN := $(VENV)/wheel/bin
MATURIN = PATH="$(CURDIR)/$(WHEEL_BIN):$$PATH" $(WHEEL_BIN)/maturin

# A profile is of one build: it is made anew when a source changes.
PGO_DIR := $(CURDIR)/target/pgo
PGO_PROFILE := $(PGO_DIR)/merged.profdata
wheel: $(VENV)/wheel/installed $(if $(PGO),$(PGO_PROFILE)) ## A wheel in dist/, tried without Rust; TARGET=, PGO=1: docs/install.md
	@[ -d "$$(rustc --print target-libdir --target $(TARGET))" ] || { \
	    echo "missing: Rust's library for $(TARGET): rustup target add $(TARGET)" >&2; exit 1; }
	$(MAKE) --no-print-directory web || echo "The wheel is built without the playground." >&2
	rm -rf target/wheel; mkdir -p dist
	$(if $(PGO),RUSTFLAGS="-Cprofile-use=$(PGO_PROFILE)") $(MATURIN) build --release --locked --quiet \
	    --target $(TARGET) $(LINKED) --out target/wheel $(if $(PGO),--target-dir $(PGO_DIR)/use)
	$(if $(filter $(TARGET),$(HOST_TARGET)),"$(PYTHON)" tests/check_package.py target/wheel/*.whl,@echo "not tried: it is for $(TARGET)")
	mv target/wheel/*.whl dist

sdist: $(VENV)/wheel/installed ## The sources for pip in dist/, built and tried
	rm -rf target/sdist; mkdir -p dist
	$(MATURIN) sdist --out target/sdist
	"$(PYTHON)" tests/check_package.py target/sdist/*.tar.gz
	mv target/sdist/*.tar.gz dist

wheels: ## Wheels for every Linux, and the sources.
	for target in $(LINUX_TARGETS); do $(MAKE) --no-print-directory wheel TARGET=$$target; done
	$(MAKE) --no-print-directory sdist

$(VENV)/wheel/installed: requirements/wheel.txt | needs
	"$(PYTHON)" -m venv --clear $(VENV)/wheel
	$(WHEEL_BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

$(PGO_PROFILE): $(VENV)/installed pyproject.toml $(RUST_SOURCES) bench/train.py
	profdata="$$(rustc --print target-libdir)/../bin/llvm-profdata"; \
	[ -x "$$profdata" ] || { echo "missing: llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }; \
	rm -rf $(PGO_DIR)/site $(PGO_DIR)/*.whl; \
	RUSTFLAGS="-Cprofile-generate=$(PGO_DIR)/raw" $(BIN)/maturin build --release --locked --quiet \
	    --out $(PGO_DIR) --target-dir $(PGO_DIR)/instrumented; \
	rm -rf $(PGO_DIR)/raw; \
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --target $(PGO_DIR)/site $(PGO_DIR)/*.whl; \
	PYTHONPATH=$(PGO_DIR)/site $(BIN)/python bench/train.py; \
	"$$profdata" merge --output=$@ $(PGO_DIR)/raw

golden: ## Write the golden tables anew; read their diff as physics.
	AIRFAIR_GOLDEN=write cargo test --package airfair-sim --test lab --locked --quiet golden
	git --no-pager diff --stat

witness: ## Compare short runs of every kind with the records of the repository; AIRFAIR_WITNESS=write rewrites these
	cargo test --package airfair-sim --test witness --locked --quiet
	git --no-pager diff --stat -- crates/sim/tests/witness

record: build ## Verdicts and numbers of the last `make reproduce` in docs/*.json; read their diff as physics.
	$(BIN)/python tests/record_verdicts.py
	$(BIN)/python book/write.py --record results
	git --no-pager diff --stat

limits: build ## Where the schemes lose, searched anew in half an hour; its numbers and maps in docs
	$(BIN)/airfair limits --out results/limits
	$(BIN)/python book/limits.py results/limits
	$(BIN)/python book/write.py

limits-ax: build ## The same in 802.11ax alone, in an hour
	$(BIN)/airfair limits --standard 802.11ax --out results/limits
	$(BIN)/python book/limits.py results/limits 802.11ax
	$(BIN)/python book/write.py

book: build ## Numbers, listings, outputs and images in README.md and docs anew, as runs have them today.
	$(BIN)/python book/write.py
	git --no-pager diff --stat

# mkdocs is in an environment of its own: neither `make build` nor `make test` needs it.
SITE := $(VENV)/site
$(SITE)/installed: requirements/site.txt $(VENV)/installed
	"$(PYTHON)" -m venv --clear $(SITE)
	$(SITE)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

site: build $(SITE)/installed ## The book, with its pictures drawn anew: site/index.html, which opens from disk
	rm -rf target/book && $(BIN)/python book/draw.py
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict --quiet
	@echo "Open site/index.html in a browser."

test-site: site ## Every link and anchor of the book as built, and that no page asks the network for anything.
	$(BIN)/python book/check_site.py site

docs: build ## API documentation in target/doc, references docs/scenario.md and docs/results.md, airfair.build
	cargo doc --workspace --no-deps --locked --quiet
	$(BIN)/python book/scenario_pages.py
	{ printf '%s\n' '# Tables of results' '' \
	    'This reference lists the tables of a result, with the unit and the meaning of each column. In Python the' \
	    'tables are attributes of `airfair.Result`; `airfair run --out` writes them as Parquet files.' \
	    '[Take data to pandas and R](how-to/data.md) shows how to read them. `make docs` generates this page from the' \
	    'columns of `sim::tables`.'; \
	    $(BIN)/python -c 'from airfair import columns; print(columns.reference())'; } > docs/results.md
	$(BIN)/python -m airfair.builders > python/airfair/build.py.new && mv python/airfair/build.py.new python/airfair/build.py

lock: build ## Move the Python locks to the newest releases.
	"$(PYTHON)" -m venv --clear $(VENV)/lock
	$(VENV)/lock/bin/pip install --quiet --disable-pip-version-check pip-tools
	$(VENV)/lock/bin/pip-compile --quiet --upgrade $(LOCK) --output-file requirements/run.txt pyproject.toml
	$(VENV)/lock/bin/pip-compile --quiet --upgrade $(LOCK) --extra dev --constraint requirements/run.txt \
	    --output-file requirements/dev.txt pyproject.toml
	$(VENV)/lock/bin/pip-compile --quiet --upgrade $(LOCK) --output-file requirements/site.txt requirements/site.in
	$(VENV)/lock/bin/pip-compile --quiet --upgrade $(LOCK) --constraint requirements/dev.txt \
	    --output-file requirements/web.txt requirements/web.in
	$(VENV)/lock/bin/pip-compile --quiet --upgrade $(LOCK) --output-file requirements/wheel.txt requirements/wheel.in
	$(VENV)/lock/bin/pip-compile --quiet --upgrade $(LOCK) --constraint requirements/run.txt \
	    --output-file requirements/readers.txt requirements/readers.in

LOCK := --generate-hashes --no-emit-index-url --no-emit-find-links --strip-extras --no-header \
    --annotation-style line --allow-unsafe

clean: ## Remove everything that was built. Results stay.
	rm -rf $(VENV) target dist site web/node_modules python/airfair/_core*.so python/airfair/playground.html $(CELL_PAGE)
	find python tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
