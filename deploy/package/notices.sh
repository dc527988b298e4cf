#!/bin/sh
# Put our licence, and those of the archives linked into a program, into a
# folder: copyright, and copyright.PACKAGE of each.
#
#   deploy/package/notices.sh PROGRAM FOLDER
set -eu
here=$(dirname "$0")
install -D -m 0644 "$here/../../LICENSE" "$2/copyright"
archives=$("$here/archives.sh" "$1")
for name in $archives; do
    install -m 0644 "/usr/share/doc/$name/copyright" "$2/copyright.$name"
done
