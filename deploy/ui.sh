#!/bin/sh
# Bundle the web page and put it into build/gen/api/ui_assets.c.
#
#   deploy/ui.sh
#
# The libraries and esbuild come from npm, pinned by ui/package-lock.json; the
# bundles are in build/ui, to be looked at.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
to=$build/ui.$$
npm=$build/npm/ui/node_modules

BUILD=$build deploy/npm.sh ui ui
echo "ui: bundling the web page"
trap 'rm -rf "$to" "$build/gen/api/ui_assets.c.$$"' EXIT
mkdir -p "$to" "$build/gen/api"
bundle() {
    NODE_PATH=$PWD/$npm "$npm/esbuild/bin/esbuild" "$1" --bundle --minify --target=es2022 \
        --legal-comments=eof --log-level=warning --format="$2" --outfile="$to/$3"
}
bundle ui/src/main.js esm app.js
bundle ui/src/style.css iife app.css
bundle ui/src/force.js iife force.js
bundle "$npm/elkjs/lib/elk-worker.min.js" iife elk.js
cp ui/index.html ui/icon.svg "$to/"
node ui/embed.js "$to" >"$build/gen/api/ui_assets.c.$$"
rm -rf "$build/ui"
mv "$to" "$build/ui"
mv "$build/gen/api/ui_assets.c.$$" "$build/gen/api/ui_assets.c"
