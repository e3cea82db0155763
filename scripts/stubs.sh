#!/bin/sh
# Compiles the C of OCaml libraries of Debian with `bactrian stubs`, and compares programs that use
# them with `ocamlrun`: generic, specialized, and in lockstep. Their sources are fetched as Debian's
# source packages into target/stubs. Names of libraries as arguments choose among them.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
place=$repository/target/stubs
bactrian=${BACTRIAN:-$repository/target/debug/bactrian}
programs=$repository/tests/stubs

say() { printf 'stubs: %s\n' "$*"; }

# The directory of the unpacked source package $1, of which $2 is the beginning of the name.
fetch() {
    mkdir -p "$place/lists/partial"
    if [ ! -d "$place/$1" ]; then
        mkdir -p "$place/part"
        # Where the system finds its binary packages.
        # shellcheck disable=SC2016 # apt-get's variables
        apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
            'Identifier: Packages' 'Origin: Debian' >"$place/sources.list"
        (
            cd "$place/part"
            set -- "$1" -q -q -o "Dir::Etc::SourceList=$place/sources.list" \
                -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$place/lists" \
                -o APT::Sandbox::User=root
            package=$1
            shift
            [ -n "$(ls "$place"/lists/*Sources* 2>/dev/null)" ] || apt-get "$@" update
            apt-get "$@" source "$package" >/dev/null 2>&1
        ) || {
            say "$1: its source cannot be fetched"
            return 1
        }
        mv "$(find "$place/part" -mindepth 1 -maxdepth 1 -type d)" "$place/$1"
        rm -rf "$place/part"
    fi
}

# Compares a program with all options after its name, for ocamlc, with `ocamlrun`.
compare() {
    name=$1
    shift
    cp "$programs/$name.ml" "$place/use_$name.ml"
    (cd "$place" && ocamlc -o "$name.byte" "$@" "use_$name.ml")
    ocamlrun "$place/$name.byte" >"$place/$name.expected"
    for mode in "run --generic" run "lockstep --stress"; do
        # shellcheck disable=SC2086 # a command and its option
        "$bactrian" $mode --cache "$place/cache.sqlite" --stubs "$place/$name.stubs" \
            "$place/$name.byte" >"$place/$name.got" || :
        if cmp -s "$place/$name.expected" "$place/$name.got"; then
            say "$name: $mode: as under ocamlrun"
        else
            say "$name: $mode: differs"
            diff "$place/$name.expected" "$place/$name.got" | head -n 5
            failed=1
        fi
    done
}

make_stubs() {
    name=$1
    shift
    if ! "$bactrian" stubs -o "$place/$name.stubs" "$@" 2>"$place/$name.said"; then
        say "$name: its C cannot be compiled"
        cat "$place/$name.said"
        failed=1
        return 1
    fi
}

num() {
    fetch ocaml-num || return 0
    source=$place/ocaml-num/src
    make_stubs num "$source/bng.c" "$source/nat_stubs.c" || return 0
    compare num nums.cma
}

base() {
    fetch janest-base || return 0
    source=$place/janest-base
    make_stubs base "$source"/src/*.c "$source"/hash_types/src/*.c || return 0
    compare base -I +sexplib0 -I +base -I +base/base_internalhash_types -I +base/caml \
        -I +base/shadow_stdlib sexplib0.cma base_internalhash_types.cma caml.cma \
        shadow_stdlib.cma base.cma
}

# On mini-gmp, which GMP brings along. What that has not, zarith does without.
zarith() {
    fetch ocaml-zarith && fetch gmp || return 0
    source=$place/ocaml-zarith
    without=
    for function in bin_ui fib_ui jacobi kronecker legendre lucnum_ui nextprime \
        perfect_power_p primorial_ui remove; do
        without="$without --without mpz_$function"
    done
    # shellcheck disable=SC2086 # a list of options
    make_stubs zarith -I "$programs/zarith" -I "$place/gmp/mini-gmp" -D HAS_GMP \
        -D "MINI_GMP_LIMB_TYPE=long long" $without \
        "$source/caml_z.c" "$place/gmp/mini-gmp/mini-gmp.c" || return 0
    compare zarith -I +zarith zarith.cma
}

failed=0
mkdir -p "$place"
for library in ${*:-num base zarith}; do
    $library
done
exit $failed
