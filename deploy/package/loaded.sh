#!/bin/sh
# The libraries that a program loads when it needs them, a path a line: those its
# processes that crawl sites ask for (crawl/http.c), and those that read a git
# repository (index/git.c).  Nothing if they are not installed.
#
#   deploy/package/loaded.sh PROGRAM
set -eu
for name in $(grep -ao 'lib\(curl\|git2\)\.so\.[0-9.]*[0-9]' "$1" | LC_ALL=C sort -u); do
    for folder in /usr/lib/"$(uname -m)"-linux-gnu /lib/"$(uname -m)"-linux-gnu /usr/lib64 /usr/lib; do
        if [ -e "$folder/$name" ]; then
            echo "$folder/$name"
            break
        fi
    done
done
