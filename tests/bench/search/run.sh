#!/bin/sh
# How well `search` finds what was asked for, in packages as the registries
# serve them, pinned by their hashes (docs/search.md).
#
#   run.sh SPANGRAPH [test|dev]     everything else goes below build/
#   DRAW=1: say the drawn questions anew;  MISSES=n: show the first n misses;
#   KEEP=1: ask what was indexed before;  ONLY=name: one package
set -eu

spangraph=$(realpath "$1")
set_wanted=${2:-test}
here=$(cd "$(dirname "$0")" && pwd)
work=${BENCH_SEARCH_DIR:-$here/../../../build/bench-search}
mkdir -p "$work/src" "$work/bare" "$work/pypi" "$work/npm" "$work/data" "$work/go"
work=$(cd "$work" && pwd)

go_module() {
    printf 'module x\n\ngo 1.20\n' >"$work/go/go.mod"
    said=$(cd "$work/go" && go mod download -json "$2@$3")
    echo "$said" | grep -qF "\"Sum\": \"$4\""
    from=$(echo "$said" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
    cp -r "$from" "$work/src/$1.new"
    chmod -R u+w "$work/src/$1.new"
    mv "$work/src/$1.new" "$work/src/$1"
}

pypi_source() {
    echo "$2==$3 --hash=sha256:$4" >"$work/pypi/$1.txt"
    python3 -m pip download --quiet --no-deps --no-binary :all: \
        --require-hashes -d "$work/pypi" -r "$work/pypi/$1.txt"
    mkdir -p "$work/src/$1.new"
    tar xzf "$work/pypi/$2-$3.tar.gz" -C "$work/src/$1.new" --strip-components 1
    mv "$work/src/$1.new" "$work/src/$1"
}

npm_package() {
    (cd "$work/npm" && npm pack --silent "$2@$3" >/dev/null)
    echo "$4  $work/npm/$2-$3.tgz" | sha256sum --check --quiet
    mkdir "$work/src/$1.new"
    tar xzf "$work/npm/$2-$3.tgz" -C "$work/src/$1.new" --strip-components 1
    mv "$work/src/$1.new" "$work/src/$1"
}

# One folder into one store: its code, and its documents.
take_in() {
    rm -rf "$work/data/$2"
    timeout 300 "$spangraph" index "$1" --data "$work/data/$2" >"$work/$2.log"
    timeout 300 "$spangraph" call manage action=crawl "url=$1" \
        'data={"depth":5,"max_pages":500,"include_patterns":["*.md","*.rst"]}' \
        --data "$work/data/$2" --json >>"$work/$2.log"
}

# As it is, and without its comments, in a folder of the same name.
prepare() {
    if [ ! -d "$work/bare/$1" ]; then
        rm -rf "$work/bare/$1.new"
        cp -r "$work/src/$1" "$work/bare/$1.new"
        python3 "$here/bare.py" "$work/bare/$1.new" 2>"$work/$1.bare.log"
        mv "$work/bare/$1.new" "$work/bare/$1"
    fi
    take_in "$work/src/$1" "$1"
    take_in "$work/bare/$1" "$1.bare"
    sleep 2 # else ties hang on whether a document is of this very second
}

rm -f "$work"/*.judged
while read -r set name language kind package version hash; do
    [ "$set" = "$set_wanted" ] && [ "${ONLY:-$name}" = "$name" ] || continue
    if [ ! -d "$work/src/$name" ]; then
        case $kind in
        go) go_module "$name" "$package" "$version" "$hash" ;;
        pypi) pypi_source "$name" "$package" "$version" "$hash" ;;
        npm) npm_package "$name" "$package" "$version" "$hash" ;;
        esac
    fi
    [ -z "${DRAW:-}" ] ||
        python3 "$here/draw.py" "$work/src/$name" "$language" 30
    [ -n "${KEEP:-}" ] || prepare "$name"
    questions=$here/$name.jsonl
    [ -e "$questions" ] || questions=$here/dev/$name.jsonl
    echo "$name $version"
    node "$here/ask.js" "$spangraph" "$work/data/$name" "$questions" \
        --bare "$work/data/$name.bare" --misses "${MISSES:-0}" --out "$work/$name.judged"
    echo
done <"$here/packages.txt"
echo "together"
node "$here/ask.js" --judged "$work"/*.judged
