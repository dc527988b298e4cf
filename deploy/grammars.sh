#!/bin/sh
# Compile the tree-sitter runtime and grammars into build/grammars, once.
#
#   deploy/grammars.sh
#
# The C sources come from npm, pinned by the lock file; what is left of them is
# build/grammars/libgrammars.a and the runtime's header.  Neither the mode of
# the build nor its sanitizers matter to them: they are compiled once.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
to=$build/grammars
cc=${CC:-cc}

if [ -f "$to/libgrammars.a" ] &&
    cmp -s index/grammars/package-lock.json "$to/built.json"; then
    touch "$to/libgrammars.a"
    exit 0
fi
BUILD=$build deploy/npm.sh index/grammars grammars
from=$build/npm/grammars/node_modules
echo "grammars: compiling the parsers"
rm -rf "$to"
mkdir -p "$to/include/tree_sitter" "$to/obj"
runtime=$from/tree-sitter/vendor/tree-sitter/lib
cp "$runtime/include/tree_sitter/api.h" "$to/include/tree_sitter/"

# One line a source: object, folder of its includes, file.
{
    echo "runtime $runtime/src $runtime/src/lib.c"
    for folder in tree-sitter-c tree-sitter-c-sharp tree-sitter-cpp \
        tree-sitter-go tree-sitter-java tree-sitter-javascript \
        tree-sitter-php/php tree-sitter-python tree-sitter-ruby \
        tree-sitter-rust tree-sitter-typescript/typescript \
        tree-sitter-typescript/tsx \
        @tree-sitter-grammars/tree-sitter-kotlin; do
        for part in parser scanner; do
            file=$from/$folder/src/$part.c
            name=$(echo "$folder" | tr '/@' '__')
            [ -f "$file" ] || continue
            echo "$name-$part $from/$folder/src $file"
        done
    done
} >"$to/list"
while read -r name include file; do
    printf '%s\0%s\0%s\0' "$name" "$include" "$file"
done <"$to/list" |
    xargs -0 -n 3 -P "$(nproc)" sh -c '
        exec "$1" -O2 -std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L \
            -fPIE -w -I"$5" -I"$2/include" -c -o "$3/obj/$4.o" "$6"' \
        sh "$cc" "$runtime" "$to"
ar rcs "$to/libgrammars.tmp" "$to"/obj/*.o
rm -rf "$to/obj" "$to/list" "$from" "$build/npm/grammars/installed.json"
cp index/grammars/package-lock.json "$to/built.json"
mv "$to/libgrammars.tmp" "$to/libgrammars.a"
