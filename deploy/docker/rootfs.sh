#!/bin/sh
# Make the root filesystem of the image: the program, the libraries it asks for
# or loads, the certificates to trust, and nothing else; no shell, no package
# manager.
# libcurl, with which sites are crawled, and what it asks for would be a fifth
# more: the image crawls folders.
#
#   deploy/docker/rootfs.sh PROGRAM FOLDER
set -eu
program=$1
root=$2

mkdir -p "$root/usr/bin" "$root/etc/spangraph" "$root/data" "$root/tmp"
install -m 0755 "$program" "$root/usr/bin/spangraph"
strip "$root/usr/bin/spangraph"
"$(dirname "$0")/../package/notices.sh" "$program" "$root/usr/share/doc/spangraph"
loaded=$("$(dirname "$0")/../package/loaded.sh" "$program" | grep -v /libcurl)
# Each line is "name => path (address)" or, for the loader, "path (address)".
for one in "$program" $loaded; do
    ldd "$one" | sed -n 's/.*[[:space:]]\(\/[^ ]*\) (.*/\1/p'
    [ "$one" = "$program" ] || echo "$one"
done | sort -u | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done
certificates=/etc/ssl/certs/ca-certificates.crt
[ ! -f $certificates ] || install -D -m 0644 $certificates "$root$certificates"
echo 'spangraph:x:65532:65532::/data:/usr/sbin/nologin' >"$root/etc/passwd"
echo 'spangraph:x:65532:' >"$root/etc/group"
printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
chmod 1777 "$root/tmp"
chmod 0700 "$root/data"
[ "$(id -u)" -ne 0 ] || chown 65532:65532 "$root/data"
