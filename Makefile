# The user's commands. `demo` and `test` do all the set-up they need.

CARGO ?= cargo
# Where commands of two packages at once are: cargo runs those of one.
BUILT = $(or $(CARGO_TARGET_DIR),target)/debug
BENCH ?=
TESTS ?=
VALUES ?= 1000000
SECONDS ?= 600
FIRST ?= 0
TARGET ?=
ONLY ?=
SUITE ?=

.PHONY: setup demo test bench ladder shapes rebuild store stubs stubs-bench numbers fuzz \
	conformance mutants libraries javascript scheme scheme-bench lua guests-bench

# The Wasm target of the guest, OCaml for tests and benchmarks, and programs for tests.
setup:
	./scripts/setup.sh target ocaml programs clang servers

# A few OCaml programs through the whole pipeline, with a table of times and sizes.
demo:
	./scripts/setup.sh target
	$(CARGO) run --package bactrian -- demo

test:
	./scripts/setup.sh target ocaml programs clang servers
	$(CARGO) test --workspace

# Measures OCaml's programs, and rewrites the tables in README.md and docs/bench.md and the chart;
# then what `make guests-bench` does. Three quarters of an hour.
# BENCH="fib queens hello" only measures these.
bench:
	./scripts/setup.sh target ocaml
	$(CARGO) run --package bactrian -- bench $(if $(BENCH),$(BENCH),--readme README.md --docs docs)
	$(if $(BENCH),,$(MAKE) guests-bench)

# What each optimisation is worth; rewrites its table in docs/bench.md. Half an hour.
# BENCH="fib queens" only measures these.
ladder:
	./scripts/setup.sh target ocaml
	$(CARGO) run --package bactrian -- bench --ladder --runs 5 $(if $(BENCH),$(BENCH),--docs docs)

# Cold builds of programs that are large in one way; rewrites their table in README.md.
shapes:
	./scripts/setup.sh target ocaml
	$(CARGO) run --package bactrian -- bench --shapes --readme README.md

# Builds after edits, with the cache of the build before; rewrites their table in docs/caching.md.
rebuild:
	./scripts/setup.sh target ocaml
	$(CARGO) run --package bactrian -- bench --rebuild --runs 3 --docs docs

# OCaml's own test suite, fetched as Debian's source package. Up to half an hour.
# TESTS="lib-list basic" runs only these.
conformance:
	./scripts/setup.sh target ocaml suite
	$(CARGO) build --package bactrian-tests --bins
	$(CARGO) run --package bactrian-tests --bin conformance -- \
		$(if $(TESTS),$(TESTS),--document docs/conformance.md)

# JavaScript, compiled by componentize-js with weval and with ours. Wants Node.js; builds weval.
javascript:
	$(CARGO) build --package bactrian
	./scripts/javascript.sh

# The Scheme in guests/scheme, as a module for guests/scheme/scheme.toml.
scheme:
	./scripts/setup.sh target
	$(CARGO) build --package bactrian-scheme --target wasm32-wasip1 --profile guest \
		--target-dir target/guests

# Its speed, generic, compiled and beside Guile; rewrites the table in docs/scheme.md. Two minutes.
# BENCH="fib tak" only measures these.
scheme-bench: scheme
	./scripts/setup.sh guile
	$(CARGO) build --package bactrian --package bactrian-tests --bins
	$(CARGO) run --package bactrian-tests --bin scheme-bench -- \
		$(if $(BENCH),$(BENCH),--document docs/scheme.md)

# PUC-Rio's Lua as a guest: fetched, annotated, built; its test suite; measurements. Writes the
# tables of docs/lua.md. SUITE=DIR takes the `testes` of Lua's repository from there.
lua:
	./scripts/setup.sh clang lua
	$(CARGO) build --package bactrian-tests --bins
	$(CARGO) run --package bactrian-tests --bin lua -- --document docs/lua.md \
		$(if $(SUITE),--suite $(SUITE))

# Guests beside native implementations, and ours beside weval on the same modules; rewrites the
# tables in docs/guests-bench.md and README.md. Builds weval first, which takes long; then eight
# minutes.
guests-bench: scheme
	./scripts/setup.sh clang lua guile
	$(CARGO) build --package bactrian --package bactrian-tests --bins
	$(CARGO) run --package bactrian-tests --bin lua -- --build
	$(BUILT)/guests-bench --document docs/guests-bench.md --readme README.md

# C of OCaml libraries of Debian, compiled and compared with ocamlrun. Fetches their sources.
stubs:
	./scripts/setup.sh target ocaml clang stubs
	$(CARGO) build --package bactrian
	./scripts/stubs.sh

# What calls of C cost, beside ocamlopt with the same C by gcc; rewrites the table in docs/stubs.md.
# Two minutes. BENCH="add floats" only measures these.
stubs-bench:
	./scripts/setup.sh target ocaml clang stubs
	$(CARGO) build --package bactrian --package bactrian-tests --bins
	$(BUILT)/stubs-bench $(if $(BENCH),$(BENCH),--document docs/stubs.md)

# Libraries of Debian: a program for each, under ocamlrun, generic and specialized. Installs them,
# fetches the sources of C that they bring along, writes the table of docs/libraries.md. Ten minutes.
# ONLY="zarith lwt.unix" only tries these.
libraries:
	./scripts/setup.sh target ocaml clang libraries
	$(CARGO) build --package bactrian-tests --bins
	$(CARGO) run --package bactrian-tests --bin libraries -- \
		$(if $(ONLY),$(ONLY),--document docs/libraries.md)

# What a cache with a million entries costs. Two minutes.
store:
	$(CARGO) run --package bactrian-tests --bin store

# Numbers formatted, read and computed, VALUES of them a check, compared with those of ocamlrun.
numbers:
	./scripts/setup.sh target ocaml
	$(CARGO) run --package bactrian -- bench --numbers --values $(VALUES)

# Wrong residual code behind every stage, and who notices it; writes docs/mutants.md. Half an hour.
# ONLY=MergedParameter or ONLY=linking only tries these kinds.
mutants:
	./scripts/setup.sh target ocaml
	$(CARGO) run --package bactrian-tests --bin mutants -- \
		$(if $(ONLY),--only $(ONLY),--document docs/mutants.md)

# Random cases for SECONDS, half of the time OCaml programs; from number FIRST on.
# TARGET=lower runs only that one.
fuzz:
	./scripts/setup.sh target ocaml
	$(CARGO) build --package bactrian-tests --bins
	$(CARGO) run --package bactrian-tests --bin fuzz -- --seconds $(SECONDS) --first $(FIRST) \
		$(if $(TARGET),--only $(TARGET))
