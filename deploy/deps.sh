#!/bin/sh
# Install what is missing, and say what was done.
#
#   deploy/deps.sh build     what `make` and `make demo` need
#   deploy/deps.sh test      that, and what `make test` needs
#
# Debian packages by apt, as root; npm packages by npm, pinned by lock files,
# into build/npm.  Where a package is missing and this is not root, it says
# which and what command installs them.
set -eu
cd "$(dirname "$0")/.."
what=${1:-test}

build="gcc g++ make pkg-config libprotobuf-c-dev protobuf-c-compiler
libgrpc-dev libnghttp2-dev libhttp-parser-dev libuv1-dev libssl-dev
libdeflate-dev zlib1g-dev libzstd-dev libsqlite3-dev libcjson-dev
libxxhash-dev libyaml-dev libgit2-dev libgumbo-dev libcurl4-openssl-dev zstd
curl perl-base ca-certificates"
test="$build libcmocka-dev clang clang-format clang-tidy libclang-rt-14-dev
sqlite3 jq openssl procps util-linux bsdutils bsdextrautils git python3 python3-pip
chromium zsh fish groff mandoc man-db"

case $what in
build) packages=$build ;;
test) packages=$test ;;
*)
    echo "usage: deploy/deps.sh build|test" >&2
    exit 2
    ;;
esac

missing=""
for package in $packages; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
# npm brings the sources of the parsers, and the clients of the tests.
command -v node >/dev/null 2>&1 || missing="$missing nodejs"
command -v npm >/dev/null 2>&1 || missing="$missing npm"

if [ -n "$missing" ]; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "deps: these Debian packages are missing:$missing" >&2
        echo "deps: install them with: sudo apt-get install$missing" >&2
        exit 4
    fi
    echo "deps: installing$missing"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends $missing >"$log" 2>&1 || {
        cat "$log" >&2
        echo "deps: apt-get failed" >&2
        exit 4
    }
    echo "deps: Debian packages installed"
else
    echo "deps: all Debian packages are there"
fi
