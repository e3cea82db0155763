#!/bin/sh
# Compiles the C of OCaml libraries of Debian with `bactrian stubs`, and compares programs that use
# them with `ocamlrun`: generic, specialized, and in lockstep. Their sources are fetched as Debian's
# source packages into target/stubs; a directory that is there already is taken as it is. Names of
# libraries as arguments choose among them. With `--for NAME` it only makes the stubs that an
# executable calls NAME, and prints the library's name, or why it cannot.
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

# Compares a program with `ocamlrun`: its name, its file, its argument or nothing, and options for
# ocamlc. `lockstep` says how it runs in lockstep.
lockstep="lockstep --stress"
compare() {
    name=$1
    cp "$2" "$place/use_$name.ml"
    argument=$3
    shift 3
    (cd "$place" && ocamlc -w -a -o "$name.byte" "$@" "use_$name.ml")
    # shellcheck disable=SC2086 # an argument or nothing
    (cd "$place" && ocamlrun "$name.byte" $argument >"$name.expected")
    for mode in "run --generic" run "$lockstep"; do
        # shellcheck disable=SC2086 # a command and its option, an argument or nothing
        (cd "$place" && "$bactrian" $mode --cache cache.sqlite --unconfined --stubs-path made \
            "$name.byte" $argument >"$name.got") || :
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
        grep -E "error:|^bactrian:" "$place/$name.said"
        failed=1
        return 1
    fi
}

num() {
    fetch ocaml-num || return 1
    source=$place/ocaml-num/src
    make_stubs dllnums "$source/bng.c" "$source/nat_stubs.c"
}

base() {
    fetch janest-base || return 1
    source=$place/janest-base
    make_stubs dllbase_stubs "$source"/src/*.c || return 1
    make_stubs dllbase_internalhash_types_stubs "$source"/hash_types/src/*.c
}

# On mini-gmp, which GMP brings along. What that has not is in a file of ours.
zarith() {
    fetch ocaml-zarith && fetch gmp || return 1
    make_stubs dllzarith -I "$programs/zarith" -I "$place/gmp/mini-gmp" -D HAS_GMP \
        -D "MINI_GMP_LIMB_TYPE=long long" "$place/ocaml-zarith/caml_z.c" \
        "$programs/zarith/more.c" "$place/gmp/mini-gmp/mini-gmp.c"
}

bigstringaf() {
    fetch ocaml-bigstringaf || return 1
    make_stubs dllbigstringaf_stubs "$place/ocaml-bigstringaf/lib/bigstringaf_stubs.c"
}

cstruct() {
    fetch ocaml-cstruct || return 1
    make_stubs dllcstruct_stubs "$place/ocaml-cstruct/lib/cstruct_stubs.c"
}

sha() {
    fetch ocaml-sha || return 1
    make_stubs dllsha_stubs "$place"/ocaml-sha/sha*_stubs.c
}

# The C of zlib that compresses memory.
zlib_sources() {
    for part in adler32 crc32 deflate inflate inftrees inffast trees zutil compress uncompr; do
        printf '%s\n' "$place/zlib/$part.c"
    done
}

camlzip() {
    fetch camlzip && fetch zlib || return 1
    # shellcheck disable=SC2046 # a list of files
    make_stubs dllcamlzip -I "$place/zlib" $(zlib_sources) "$place/camlzip/zlibstubs.c"
}

# Its stubs write values through pointers to `long`, which has to have 64 bits.
pcre() {
    fetch pcre-ocaml && fetch pcre3 || return 1
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
        "$place/pcre-ocaml/src/pcre_stubs.c"
}

# The C of a library is one file of its source package: the library, the package, the file.
single() {
    fetch "$2" || return 1
    make_stubs "dll$1_stubs" -I "$place/$2/src" "$place/$2/$3"
}

ptime() { single ptime_clock ocaml-ptime src-clock/ptime_clock_stubs.c; }

mtime() { single mtime_clock ocaml-mtime src-clock/mtime_clock_stubs.c; }

integers() { single integers ocaml-integers src/unsigned_stubs.c; }

alcotest() { single alcotest ocaml-alcotest src/alcotest/alcotest_stubs.c; }

bin_prot() { single bin_prot bin-prot src/blit_stubs.c; }

bitstring() { single bitstring ocaml-bitstring src/bitstring_fastpath.c; }

# Without the instructions of processors. It declares a length of OCaml's as `unsigned`.
cryptokit() {
    fetch cryptokit && fetch zlib || return 1
    source=$place/cryptokit/src
    sed -i 's/unsigned len/uintnat len/' "$source/stubs-md5.c"
    # shellcheck disable=SC2046 # a list of files
    make_stubs dllcryptokit_stubs -I "$place/zlib" -D HAVE_GETENTROPY -D HAVE_ZLIB \
        -D BLAKE3_NO_SSE2 -D BLAKE3_NO_SSE41 -D BLAKE3_NO_AVX2 -D BLAKE3_NO_AVX512 \
        -D BLAKE3_USE_NEON=0 "$source"/*.c $(zlib_sources)
}

# What is compressed or decompressed in memory. It opens streams on OCaml's channels, to which there
# is no interface in C: that raises Failure.
bz2() {
    fetch camlbz2 && fetch bzip2 || return 1
    source=$place/bzip2
    make_stubs dllcamlbz2 -D BZ_PREFIX -I "$programs/bz2" -I "$source" "$place/camlbz2/c_bz.c" \
        "$source/bzlib.c" "$source/blocksort.c" "$source/compress.c" "$source/crctable.c" \
        "$source/decompress.c" "$source/huffman.c" "$source/randtable.c"
}

# SQLite as one file, which its makefile makes with Tcl. It locks by a directory beside the
# database: there are no locks of a file's parts.
sqlite3() {
    fetch ocaml-sqlite3 && fetch sqlite3 || return 1
    source=$place/sqlite3
    if [ ! -f "$source/sqlite3.c" ]; then
        (cd "$source" && ./configure --disable-tcl && make sqlite3.c) \
            >"$place/sqlite3.said" 2>&1 || {
            say "sqlite3: its sources cannot be made one file"
            tail -n 5 "$place/sqlite3.said"
            return 1
        }
    fi
    make_stubs dllsqlite3_stubs -I "$source" --cflag -include --cflag "$programs/sqlite3/posix.h" \
        -D SQLITE_THREADSAFE=0 -D SQLITE_OMIT_LOAD_EXTENSION -D SQLITE_OMIT_WAL \
        -D SQLITE_TEMP_STORE=2 -D SQLITE_MAX_MMAP_SIZE=0 \
        -D 'SQLITE_DEFAULT_UNIX_VFS="unix-dotfile"' --without sqlite3_enable_load_extension \
        "$place/ocaml-sqlite3/src/sqlite3_stubs.c" "$source/sqlite3.c"
}

# On libev's loop over `select`, with no threads for jobs: each runs at once.
lwt() {
    fetch lwt && fetch libev || return 1
    source=$place/lwt/src/unix
    sed -i 's/^static int pool_size = 1000;/static int pool_size = 0;/' "$source/lwt_unix_stubs.c"
    sed -i 's/^static long \(.*(value\)/static intnat \1/' "$source/lwt_libev_stubs.c"
    sources=
    without=
    for function in chmod fchmod chown fchown chroot mkfifo lockf tcdrain tcsendbreak bind \
        getsockname setsockopt recvfrom sendto recvmsg sendmsg madvise mincore gethostname \
        getlogin_r sigaddset sigprocmask; do
        without="$without --without $function"
    done
    for file in "$source"/*.c "$source"/unix_c/*.c; do
        case $file in
            *_network_information_utils.c | *_getaddrinfo_job.c | *_gethostby*_job.c | \
                *_getnameinfo_job.c | *_getprotoby_getservby_job.c | *_get_pw_gr_nam_id_job.c | \
                *_tcflow_job.c | *_tcflush_job.c | *_tcgetattr_job.c | *_tcsetattr_job.c | \
                *_termios_conversion.c | *_accept4.c) ;;
            *) sources="$sources $file" ;;
        esac
    done
    # shellcheck disable=SC2086 # a list of files
    make_stubs dlllwt_unix_stubs -I "$programs/lwt" -I "$place/libev" -I "$source" \
        -I "$source/unix_c" --cflag -include --cflag "$programs/lwt/posix.h" \
        -D EV_STANDALONE=1 -D EV_USE_SELECT=1 -D EV_USE_POLL=0 \
        $without $sources "$programs/lwt/absent.c" "$place/libev/ev.c"
}

# What `compare` takes for each library.
options() {
    case $1 in
        num) echo nums.cma ;;
        base)
            echo -I +sexplib0 -I +base -I +base/base_internalhash_types -I +base/caml \
                -I +base/shadow_stdlib sexplib0.cma base_internalhash_types.cma caml.cma \
                shadow_stdlib.cma base.cma
            ;;
        sha) echo -I +sha unix.cma sha.cma ;;
        camlzip) echo -I +zip unix.cma zip.cma ;;
        *) echo -I "+$1" "$1.cma" ;;
    esac
}

# The library's own tests, if it has some that need nothing else.
suite() {
    case $1 in
        zarith)
            # One compares with num. Another one, tofloat, is about rounding modes, of which
            # WebAssembly has one.
            num || return 1
            lockstep=lockstep
            for test in zq pi:500 bi ofstring; do
                argument=${test#"${test%:*}"}
                compare "zarith_${test%:*}" "$place/ocaml-zarith/tests/${test%:*}.ml" \
                    "${argument#:}" -I +zarith nums.cma zarith.cma
            done
            lockstep="lockstep --stress"
            ;;
    esac
}

# The library whose stubs an executable calls $1.
library_of() {
    case $1 in
        dllnums) echo num ;;
        dllbase_stubs | dllbase_internalhash_types_stubs) echo base ;;
        dllzarith | dllcamlzip) echo "${1#dll}" ;;
        dllptime_clock_stubs) echo ptime ;;
        dllmtime_clock_stubs) echo mtime ;;
        dllcamlbz2) echo bz2 ;;
        dlllwt_unix_stubs) echo lwt ;;
        dllbigstringaf_stubs | dllcstruct_stubs | dllsha_stubs | dllpcre_stubs | \
            dllintegers_stubs | dllalcotest_stubs | dllbin_prot_stubs | dllbitstring_stubs | \
            dllcryptokit_stubs | dllsqlite3_stubs)
            name=${1#dll}
            echo "${name%_stubs}"
            ;;
        *) return 1 ;;
    esac
}

failed=0
mkdir -p "$place/made"
if [ "${1:-}" = --for ]; then
    library=$(library_of "$2") || {
        say "no recipe makes $2.stubs"
        exit 1
    }
    $library || exit 1
    echo "$library"
    exit
fi
all="num base zarith bigstringaf cstruct sha camlzip bz2 pcre"
for library in ${*:-$all}; do
    # shellcheck disable=SC2046 # a list of options
    $library && compare "$library" "$programs/$library.ml" "" $(options "$library") &&
        suite "$library"
done
exit $failed
