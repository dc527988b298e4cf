#!/bin/sh
# Install a folder's pinned Python packages into build/python/NAME, once.
#
#   deploy/pip.sh FOLDER NAME
#
# The folder's requirements.txt holds every package with its hash; nothing else
# is taken.  Exit code 3: this machine's Python has none of these packages.
set -eu
cd "$(dirname "$0")/.."
from=$1
to=${BUILD:-build}/python/$2

if cmp -s "$from/requirements.txt" "$to/installed.txt"; then
    exit 0
fi
command -v python3 >/dev/null 2>&1 && python3 -m pip --version >/dev/null 2>&1 || {
    echo "deps: python3 with pip is missing" >&2
    exit 3
}
# Packages with machine code have a hash for each Python and machine.
here=$(python3 -c 'import platform, sys
print("%s-%s-%d.%d" % (platform.machine(), sys.platform, *sys.version_info[:2]))')
if [ "$here" != x86_64-linux-3.11 ]; then
    echo "deps: the packages are pinned for x86_64-linux-3.11, this is $here" >&2
    exit 3
fi
echo "deps: Python packages of $from"
rm -rf "$to"
mkdir -p "$to"
for try in 1 2 3; do
    if timeout 300 python3 -m pip install --quiet --disable-pip-version-check \
        --no-input --root-user-action ignore --only-binary :all: --no-deps \
        --require-hashes --target "$to/packages" \
        -r "$from/requirements.txt" >"$to/pip.log" 2>&1; then
        cp "$from/requirements.txt" "$to/installed.txt"
        exit 0
    fi
    echo "deps: pip install failed, try $try" >&2
    rm -rf "$to/packages"
    sleep 2
done
cat "$to/pip.log" >&2
exit 4
