#!/bin/sh
# Install a folder's pinned npm packages into build/npm/NAME, once.
#
#   deploy/npm.sh FOLDER NAME
#
# The folder's package.json and lock file are copied there, so nothing is
# generated in the tree; a changed lock file installs anew.
set -eu
cd "$(dirname "$0")/.."
from=$1
to=${BUILD:-build}/npm/$2

mkdir -p "$to"
exec 9>"$to.lock"
flock 9 # another test may be installing them
if [ -d "$to/node_modules" ] && cmp -s "$from/package-lock.json" "$to/installed.json"; then
    exit 0
fi
echo "deps: npm packages of $from"
cp "$from/package.json" "$from/package-lock.json" "$to/"
[ ! -f "$from/.npmrc" ] || cp "$from/.npmrc" "$to/"
rm -rf "$to/node_modules" "$to/installed.json"
for try in 1 2 3; do
    if (cd "$to" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1); then
        cp "$from/package-lock.json" "$to/installed.json"
        exit 0
    fi
    echo "deps: npm ci failed, try $try" >&2
    sleep 2
done
cat "$to/npm.log" >&2
exit 4
