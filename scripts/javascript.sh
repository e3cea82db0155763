#!/bin/sh
# Compiles JavaScript programs by componentize-js, with weval and with ours, and measures what that
# and they take. Wants Node.js, npm and GNU time. Takes weval from $WEVAL, or builds it, which takes
# long.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
sources=$root/tests/javascript
ours=$root/target/debug/bactrian
place=$root/target/javascript

command -v npm >/dev/null 2>&1 || {
    echo "javascript: npm is missing; install Node.js" >&2
    exit 1
}
mkdir -p "$place/build/wit" "$place/run"
weval=${WEVAL:-$place/weval/bin/weval}
[ -x "$weval" ] || cargo install weval --version 0.5.1 --root "$place/weval"

# What runs components wants newer packages than what builds them.
cd "$place/build"
[ -d node_modules ] || {
    npm init --yes >/dev/null
    npm install --ignore-scripts --no-fund --no-audit @bytecodealliance/componentize-js@0.23.0
}
cd "$place/run"
[ -d node_modules ] || {
    npm init --yes >/dev/null
    npm install --ignore-scripts --no-fund --no-audit \
        @bytecodealliance/jco@1.35.0 @bytecodealliance/preview2-shim@0.25.0
}

# What a command takes is measured where componentize-js calls it.
timed() {
    cat >"$place/$1.sh" <<END
#!/bin/sh
exec /usr/bin/time -a -o "$place/times" -f "$1: %U+%S s of CPU, %e s, %M KB" $2 "\$@" $3
END
    chmod +x "$place/$1.sh"
}

cp "$sources/programs.js" "$sources/build.mjs" "$place/build"
cp "$sources/programs.wit" "$place/build/wit"
cp "$sources/measure.mjs" "$place/run"
rm -f "$place"/cache* "$place/times"
timed weval "$weval" ""
timed first "$ours" "--cache=$place/cache"
timed later "$ours" "--cache=$place/cache"
cd "$place/build"
node build.mjs interpreted.wasm
for command in weval first later; do
    node build.mjs "$command.wasm" "$place/$command.sh"
done
cat "$place/times"
cd "$place/run"
node measure.mjs ../build/interpreted.wasm ../build/weval.wasm ../build/later.wasm
