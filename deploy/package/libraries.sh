#!/bin/sh
# The Debian packages of the libraries a program asks for, and of those it loads
# (loaded.sh): name, version, a line each, parted by a tab.  Only those it names
# itself, unless told --all.
#
#   deploy/package/libraries.sh [--all] PROGRAM
set -eu
all=
[ "$1" != --all ] || { all=1 && shift; }
program=$1
loaded=$("$(dirname "$0")/loaded.sh" "$program")
if [ -n "$all" ]; then
    files=$(for one in "$program" $loaded; do
        ldd "$one" | sed -n 's/.*[[:space:]]\(\/[^ ]*\) (.*/\1/p'
    done)
else
    files=$(objdump -p "$program" | sed -n 's/^ *NEEDED *//p' | while read -r name; do
        ldd "$program" | sed -n "s|.*[[:space:]]\(/[^ ]*/$name\) (.*|\1|p"
    done)
fi
for file in $files $loaded; do
    real=$(readlink -f "$file")
    # A merged /usr: the package knows the file by one of its two names.
    dpkg -S "$real" 2>/dev/null || dpkg -S "${real#/usr}" 2>/dev/null || dpkg -S "/usr$real"
done | cut -d: -f1 | LC_ALL=C sort -u | while read -r package; do
    dpkg-query -W -f '${Package}\t${Version}\n' "$package" | head -1
done
