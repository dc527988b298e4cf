#!/bin/sh
# The routes found in packages as the registries serve them, pinned by their
# hashes (docs/routes.md).  run.sh SPANGRAPH; everything else goes below build/.
set -eu

spangraph=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=${BENCH_ROUTES_DIR:-$here/../../../build/bench-routes}
mkdir -p "$work/src"
work=$(cd "$work" && pwd)

npm_package() {
    [ -d "$work/src/$1" ] && return
    (cd "$work" && npm pack --silent "$2@$3" >/dev/null)
    file=$work/$(echo "$2-$3" | sed 's/^@//; s,/,-,').tgz
    echo "$4  $file" | sha256sum --check --quiet
    mkdir "$work/src/$1.new"
    tar xzf "$file" -C "$work/src/$1.new"
    mv "$work/src/$1.new" "$work/src/$1"
}

go_module() {
    [ -d "$work/src/$1" ] && return
    mkdir -p "$work/go"
    printf 'module x\n\ngo 1.20\n' >"$work/go/go.mod"
    said=$(cd "$work/go" && go mod download -json "$2@$3")
    echo "$said" | grep -qF "\"Sum\": \"$4\""
    from=$(echo "$said" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
    cp -r "$from" "$work/src/$1.new"
    chmod -R u+w "$work/src/$1.new"
    mv "$work/src/$1.new" "$work/src/$1"
}

grep -v '^#' "$here/packages.txt" | while read -r kind name package version hash; do
    case $kind in
    npm) npm_package "$name" "$package" "$version" "$hash" ;;
    go) go_module "$name" "$package" "$version" "$hash" ;;
    esac
done
[ -d "$work/pypi" ] ||
    python3 -m pip download --quiet --no-deps --only-binary :all: \
        --require-hashes -d "$work/pypi" -r "$here/requirements.txt"
for wheel in "$work"/pypi/*.whl; do
    name=$(basename "$wheel" | cut -d- -f1)
    [ -d "$work/src/$name" ] || python3 -m zipfile -e "$wheel" "$work/src/$name"
done

printf '%-22s %6s %7s %6s %10s  %s\n' package files routes right precision \
    frameworks
for folder in "$work"/src/*; do
    name=$(basename "$folder")
    rm -rf "$work/data"
    timeout 120 "$spangraph" index "$folder" --data "$work/data" >"$work/$name.log"
    "$spangraph" routes --data "$work/data" --json >"$work/$name.json"
    python3 "$here/judge.py" "$name" "$folder" "$work/$name.json" \
        "$work/$name.log"
done
