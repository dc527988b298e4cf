#!/bin/sh
# A Debian package of the program: unit, configuration, manual, completion.
#
#   deploy/package/deb.sh PROGRAM [FOLDER]
#
# The unit has a user of its own while it runs (DynamicUser), so none is made at
# installation.  Dependencies are the packages of the libraries it asks for.
set -eu
cd "$(dirname "$0")/../.."
program=$1
to=${2:-build/dist}
version=$("$program" version | sed 's/.* //')
architecture=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
umask 022

put() { install -D -m "$1" "$2" "$root/$3"; }
put 0755 "$program" usr/bin/spangraph
strip "$root/usr/bin/spangraph"
put 0644 deploy/systemd/spangraph.service lib/systemd/system/spangraph.service
put 0644 deploy/systemd/spangraph.yaml etc/spangraph/spangraph.yaml
deploy/package/notices.sh "$program" "$root/usr/share/doc/spangraph"
put 0644 CHANGELOG.md usr/share/doc/spangraph/changelog
gzip -9n "$root/usr/share/doc/spangraph/changelog"
mkdir -p "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" \
    "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
"$program" man | gzip -9n >"$root/usr/share/man/man1/spangraph.1.gz"
"$program" completion bash >"$root/usr/share/bash-completion/completions/spangraph"
"$program" completion zsh >"$root/usr/share/zsh/vendor-completions/_spangraph"
"$program" completion fish >"$root/usr/share/fish/vendor_completions.d/spangraph.fish"

depends=$(deploy/package/libraries.sh "$program" | cut -f1 | sort -u | paste -sd, | sed 's/,/, /g')
mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: spangraph
Version: $version
Section: net
Priority: optional
Architecture: $architecture
Maintainer: spangraph <spangraph@localhost>
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: $depends
Description: living call graph from OpenTelemetry traces
 Receives traces over OTLP and keeps the call graph they show in SQLite: which
 service and which route calls which, how often, when last. Answers agents over
 MCP, and finds routes that nobody calls.
CONTROL
echo /etc/spangraph/spangraph.yaml >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
    [ -z "$2" ] || systemctl try-restart spangraph.service || true
fi
POSTINST
cat >"$root/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl stop spangraph.service || true
fi
PRERM
chmod 0755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
mkdir -p "$to"
file=$to/spangraph_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$file" >/dev/null
echo "$file"
