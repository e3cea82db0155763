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
    (cd "$place" && ocamlc -w -a -o "$name.byte" "$@" "use_$name.ml")
    (cd "$place" && ocamlrun "$name.byte" >"$name.expected")
    for mode in "run --generic" run "lockstep --stress"; do
        # shellcheck disable=SC2086 # a command and its option
        (cd "$place" && "$bactrian" $mode --cache cache.sqlite --unconfined --stubs-path made \
            "$name.byte" >"$name.got") || :
        if cmp -s "$place/$name.expected" "$place/$name.got"; then
            say "$name: $mode: as under ocamlrun"
        else
            say "$name: $mode: differs"
            diff "$place/$name.expected" "$place/$name.got" | head -n 5
            failed=1
        fi
    done
}

# Makes the stubs of a library, with all options after its name, where programs find them.
make_stubs() {
    name=$1
    shift
    if ! "$bactrian" stubs -o "$place/made/$name.stubs" "$@" 2>"$place/$name.said"; then
        say "$name: its C cannot be compiled"
        cat "$place/$name.said"
        failed=1
        return 1
    fi
}

num() {
    fetch ocaml-num || return 0
    source=$place/ocaml-num/src
    make_stubs dllnums "$source/bng.c" "$source/nat_stubs.c" || return 0
    compare num nums.cma
}

base() {
    fetch janest-base || return 0
    source=$place/janest-base
    make_stubs dllbase_stubs "$source"/src/*.c || return 0
    make_stubs dllbase_internalhash_types_stubs "$source"/hash_types/src/*.c || return 0
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
    make_stubs dllzarith -I "$programs/zarith" -I "$place/gmp/mini-gmp" -D HAS_GMP \
        -D "MINI_GMP_LIMB_TYPE=long long" $without \
        "$source/caml_z.c" "$place/gmp/mini-gmp/mini-gmp.c" || return 0
    compare zarith -I +zarith zarith.cma
}

bigstringaf() {
    fetch ocaml-bigstringaf || return 0
    make_stubs dllbigstringaf_stubs "$place/ocaml-bigstringaf/lib/bigstringaf_stubs.c" || return 0
    compare bigstringaf -I +bigstringaf bigstringaf.cma
}

cstruct() {
    fetch ocaml-cstruct || return 0
    make_stubs dllcstruct_stubs "$place/ocaml-cstruct/lib/cstruct_stubs.c" || return 0
    compare cstruct -I +cstruct cstruct.cma
}

sha() {
    fetch ocaml-sha || return 0
    make_stubs dllsha_stubs "$place"/ocaml-sha/sha*_stubs.c || return 0
    compare sha -I +sha unix.cma sha.cma
}

# The C of zlib that compresses memory.
zlib_sources() {
    for part in adler32 crc32 deflate inflate inftrees inffast trees zutil compress uncompr; do
        printf '%s\n' "$place/zlib/$part.c"
    done
}

camlzip() {
    fetch camlzip && fetch zlib || return 0
    # shellcheck disable=SC2046 # a list of files
    make_stubs dllcamlzip -I "$place/zlib" $(zlib_sources) "$place/camlzip/zlibstubs.c" || return 0
    compare camlzip -I +zip unix.cma zip.cma
}

# Its stubs write values through pointers to `long`, which has to have 64 bits.
pcre() {
    fetch pcre-ocaml && fetch pcre3 || return 0
    source=$place/pcre3
    cp "$source/config.h.generic" "$source/config.h"
    cp "$source/pcre.h.generic" "$source/pcre.h"
    cp "$source/pcre_chartables.c.dist" "$source/pcre_chartables.c"
    sources=
    for part in byte_order chartables compile config dfa_exec exec fullinfo get globals \
        maketables newline ord2utf8 refcount string_utils study tables ucd valid_utf8 version \
        xclass; do
        sources="$sources $source/pcre_$part.c"
    done
    # shellcheck disable=SC2086 # a list of files
    make_stubs dllpcre_stubs --cflag -include --cflag "$programs/pcre/long.h" -D HAVE_CONFIG_H \
        -D SUPPORT_UTF -D SUPPORT_UCP -I "$source" $sources \
        "$place/pcre-ocaml/src/pcre_stubs.c" || return 0
    compare pcre -I +pcre pcre.cma
}

failed=0
mkdir -p "$place/made"
all="num base zarith bigstringaf cstruct sha camlzip pcre"
for library in ${*:-$all}; do
    $library
done
exit $failed
