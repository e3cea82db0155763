#!/bin/sh
# Installs what is missing of the parts named as arguments, or says what to install by hand:
#   target    the Rust target that the guest is built for
#   ocaml     the OCaml 4.13 compiler and ocamlrun, for tests and benchmarks
#   programs  two programs of Debian in bytecode, for tests
#   suite     what OCaml's own test suite needs beyond that
#   clang     a compiler of C for wasm32-wasi, for tests of the C headers
#   guile     a Scheme, for a benchmark
#   lua       what Lua as a guest is fetched with and compared to
#   stubs     OCaml libraries with C code, for `make stubs`
#   libraries OCaml libraries, for `make libraries`
#   servers   a Redis, an S3-compatible server and a client of HTTP, for tests
set -eu

say() { printf 'setup: %s\n' "$*" >&2; }

fail() {
    say "$@"
    exit 1
}

need_target() {
    target=wasm32-wasip1
    libdir=$(rustc --print target-libdir --target $target 2>/dev/null) ||
        fail "no Rust compiler found; install the stable toolchain from https://rustup.rs"
    [ -d "$libdir" ] && return
    command -v rustup >/dev/null 2>&1 ||
        fail "the Rust target $target is missing and there is no rustup:" \
            "install your distribution's package for it (Debian: libstd-rust-dev-wasm32)"
    say "adding the Rust target $target"
    rustup target add $target ||
        fail "could not add the Rust target:" \
            "run \`rustup target add $target\` where the network allows it"
}

need_ocaml() {
    if ! command -v ocamlc >/dev/null 2>&1 || ! command -v ocamlrun >/dev/null 2>&1; then
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
            fail "ocamlc and ocamlrun are missing:" \
                "run \`apt-get install ocaml-nox\` as root (or install OCaml 4.13 with opam)"
        fi
        say "installing ocaml-nox"
        apt-get update -qq && apt-get install -y -qq --no-install-recommends ocaml-nox >/dev/null ||
            fail "could not install OCaml: run \`apt-get install ocaml-nox\`"
    fi
    version=$(ocamlc -version)
    case $version in
        4.13.*) ;;
        *) fail "this is OCaml $version, and Bactrian runs bytecode of 4.13:" \
            "install that with opam, and have its ocamlc and ocamlrun first in PATH" ;;
    esac
}

need_programs() {
    packages=
    for program in camlp5 hlins ledit; do
        command -v $program >/dev/null 2>&1 || packages="$packages $program"
    done
    need_packages "$packages"
}

need_suite() {
    packages=
    [ -e "$(ocamlc -where)/compiler-libs/ocamltoplevel.cma" ] || packages=ocaml-compiler-libs
    command -v dpkg-source >/dev/null 2>&1 || packages="$packages dpkg-dev"
    need_packages "$packages"
}

need_clang() {
    packages=
    command -v clang >/dev/null 2>&1 || packages=clang
    command -v wasm-ld >/dev/null 2>&1 || packages="$packages lld"
    [ -d /usr/include/wasm32-wasi ] || packages="$packages wasi-libc"
    [ -n "$(find /usr/lib/llvm-* -name 'libclang_rt.builtins-wasm32.a' 2>/dev/null)" ] ||
        packages="$packages libclang-rt-14-dev-wasm32"
    need_packages "$packages"
}

need_guile() {
    packages=
    command -v guile >/dev/null 2>&1 || packages=guile-3.0
    need_packages "$packages"
}

need_lua() {
    packages=
    for program in lua5.4 luajit git; do
        command -v $program >/dev/null 2>&1 || packages="$packages $program"
    done
    command -v dpkg-source >/dev/null 2>&1 || packages="$packages dpkg-dev"
    need_packages "$packages"
}

need_stubs() {
    packages=
    for library in num:nums zarith base:base_stubs bigstringaf:bigstringaf_stubs \
        cstruct:cstruct_stubs sha:sha_stubs zip:camlzip bz2:camlbz2 pcre:pcre_stubs; do
        [ -e "$(ocamlc -where)/stublibs/dll${library#*:}.so" ] ||
            packages="$packages lib${library%:*}-ocaml-dev"
    done
    command -v dpkg-source >/dev/null 2>&1 || packages="$packages dpkg-dev"
    need_packages "$packages"
}

# One that is not to be had is no reason to do without the others.
need_libraries() {
    packages=
    command -v ocamlfind >/dev/null 2>&1 || packages=ocaml-findlib
    command -v dpkg-source >/dev/null 2>&1 || packages="$packages dpkg-dev"
    command -v tclsh >/dev/null 2>&1 || packages="$packages tcl"
    for program in curl ledit gcc make; do
        command -v $program >/dev/null 2>&1 || packages="$packages $program"
    done
    need_packages "$packages"
    packages=
    for package in $(sed -n 's/^[a-zA-Z][^ ]* \([^ ]*\) .*/\1/p' tests/libraries/list | sort -u); do
        dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed' ||
            packages="$packages $package"
    done
    [ -z "$packages" ] && return
    [ "$(id -u)" = 0 ] || fail "run \`apt-get install $packages\` as root"
    say "installing $packages"
    apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    apt-get install -y -qq --no-install-recommends $packages >/dev/null && return
    for package in $packages; do
        apt-get install -y -qq --no-install-recommends "$package" >/dev/null ||
            say "$package could not be installed"
    done
}

need_servers() {
    packages=
    command -v redis-server >/dev/null 2>&1 || packages=redis-server
    command -v curl >/dev/null 2>&1 || packages="$packages curl"
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages="$packages python3-venv"
    need_packages "$packages"
    servers=target/moto
    [ -x $servers/bin/moto_server ] && return
    say "installing moto into $servers"
    rm -rf $servers
    python3 -m venv $servers && $servers/bin/pip install --quiet 'moto[s3]==5.*' flask flask-cors ||
        fail "could not install moto, which imitates S3"
}

# Debian packages, a list of words that may be empty.
need_packages() {
    [ -z "$1" ] && return
    [ "$(id -u)" = 0 ] || fail "run \`apt-get install $1\` as root"
    say "installing $1"
    # shellcheck disable=SC2086 # a list of words
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $1 >/dev/null ||
        fail "could not install $1"
}

for part in "$@"; do
    case $part in
        target) need_target ;;
        ocaml) need_ocaml ;;
        programs) need_programs ;;
        suite) need_suite ;;
        clang) need_clang ;;
        stubs) need_stubs ;;
        guile) need_guile ;;
        lua) need_lua ;;
        libraries) need_libraries ;;
        servers) need_servers ;;
        *) fail "unknown part: $part" ;;
    esac
done
