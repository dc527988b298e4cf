#!/bin/sh
# The libraries that the program loads when it needs them, a path a line: those
# its processes that crawl sites ask for (crawl/http.c).  Nothing if they are
# not installed.
set -eu
for name in libcurl.so.4; do
    for folder in /usr/lib/"$(uname -m)"-linux-gnu /lib/"$(uname -m)"-linux-gnu /usr/lib64 /usr/lib; do
        if [ -e "$folder/$name" ]; then
            echo "$folder/$name"
            break
        fi
    done
done
