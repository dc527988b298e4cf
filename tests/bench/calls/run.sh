#!/bin/sh
# What the resolver says against what compilers say, on pinned packages
# (docs/calls.md); all that is fetched and made goes below build/.
#
#     run.sh CALL_SITES [PART...]      go typescript python java kotlin csharp
#                                      native observed, or all of them
#
# A part that fails does not keep the others from being measured.
set -eu

if [ $# -ne 2 ]; then
    call_sites=$1
    shift
    [ $# -gt 0 ] ||
        set -- go typescript python java kotlin csharp native observed
    failed=
    for part in "$@"; do
        "$0" "$call_sites" "$part" || failed="$failed $part"
    done
    [ -z "$failed" ] || echo "not measured to the end:$failed" >&2
    [ -z "$failed" ]
    exit
fi

call_sites=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=${BENCH_CALLS_DIR:-$here/../../../build/bench-calls}
mkdir -p "$work"
work=$(cd "$work" && pwd)
misses=${MISSES:-0}

header() {
    printf '\n%-24s %6s %6s %5s %9s %9s  %s\n' "$1" truth right wrong \
        precision recall 'right/found by layer'
}

compare() {
    python3 "$here/compare.py" "$1" "$work/$1.truth" "$work/$1.found" \
        --misses "$misses"
}

have() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null || {
            echo "no $tool here" >&2
            return 1
        }
    done
}

# The Go compiler's own type checker, on modules that go.sum pins.
go_module() {
    name=$1
    module=$2
    from=$(cd "$here/gocalls" && go mod download -json "$3" |
        sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
    if [ ! -d "$work/$name" ]; then
        cp -r "$from" "$work/$name.new"
        chmod -R u+w "$work/$name.new"
        mv "$work/$name.new" "$work/$name"
    fi
    [ -s "$work/$name.truth" ] ||
        (cd "$work/$name" && timeout 600 "$work/gocalls.bin" .) \
            >"$work/$name.truth"
    timeout 60 "$call_sites" "$work/$name" go "$module" >"$work/$name.found"
    compare "$name"
}

# A SCIP index, made once, joined with the places of our calls.
scip() {
    name=$1
    if [ ! -s "$work/$name.scip" ]; then
        (cd "$work/$name" && shift && timeout 600 "$@" \
            --output "$work/$name.scip") >"$work/$name.log" 2>&1 || {
            echo "$name: no index, see $work/$name.log" >&2
            return
        }
    fi
    timeout 60 "$call_sites" "$work/$name" >"$work/$name.found"
    python3 "$here/scip_truth.py" "$work/$name.scip" "$work/$name" \
        "$work/$name.found" >"$work/$name.truth"
    compare "$name"
}

typescript() {
    name=$(basename "$1")
    if [ ! -d "$work/$name" ]; then
        cp -r "$work/npm/node_modules/$1" "$work/$name"
        ln -sfn "$work/npm/node_modules" "$work/$name/node_modules"
        cat >"$work/$name/tsconfig.json" <<CONFIG
{"compilerOptions": {"target": "es2022", "module": "$3",
 "moduleResolution": "$4", "strict": true, "jsx": "react",
 "experimentalDecorators": true, "skipLibCheck": true,
 "esModuleInterop": true, "resolveJsonModule": true}, "include": ["$2"]}
CONFIG
    fi
    scip "$name" "$work/npm/node_modules/.bin/scip-typescript" index
}

python() {
    name=$1
    if [ ! -d "$work/$name" ]; then
        tar xzf "$work/pypi/$1.tar.gz" -C "$work"
        # Else tests are held against whatever copy is installed.
        echo '{"extraPaths": [".", "src"]}' >"$work/$name/pyrightconfig.json"
    fi
    scip "$name" "$work/npm/node_modules/.bin/scip-python" index . \
        --project-name "$name" --project-version 1
}

go_modules() {
    header go
    (cd "$here/gocalls" && go build -o "$work/gocalls.bin" .)
    go_module chi github.com/go-chi/chi/v5 github.com/go-chi/chi/v5
    go_module cobra github.com/spf13/cobra github.com/spf13/cobra
    go_module gin github.com/gin-gonic/gin github.com/gin-gonic/gin
    go_module common github.com/prometheus/common github.com/prometheus/common
}

npm_packages() {
    [ ! -d "$work/npm/node_modules" ] || return 0
    mkdir -p "$work/npm"
    cp "$here/package.json" "$here/package-lock.json" "$work/npm/"
    (cd "$work/npm" && npm ci --ignore-scripts --no-audit --no-fund --silent)
}

typescript_packages() {
    npm_packages
    header typescript
    typescript ajv lib esnext bundler
    typescript mobx src esnext bundler
    typescript @tanstack/query-core src esnext bundler
    typescript @reduxjs/toolkit src esnext bundler
    typescript @apollo/server src nodenext nodenext
    typescript langium src nodenext nodenext
}

python_packages() {
    npm_packages
    [ -d "$work/pypi" ] ||
        python3 -m pip download --quiet --no-deps --no-binary :all: \
            --require-hashes -d "$work/pypi" -r "$here/requirements.txt"
    header python
    for package in flask-3.0.3 requests-2.32.3 click-8.1.7 rich-13.9.4 \
        celery-5.4.0; do
        python "$package"
    done
}

case $2 in
go) go_modules ;;
typescript) typescript_packages ;;
python) python_packages ;;
java | kotlin)
    . "$here/jvm.sh"
    jvm_part "$2"
    ;;
csharp | native | observed) . "$here/$2.sh" ;;
*)
    echo "no part of this is called $2" >&2
    exit 1
    ;;
esac
