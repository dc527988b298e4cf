#!/bin/sh
# Compile the tree-sitter runtime and grammars into build/grammars, once.
#
#   deploy/grammars.sh
#
# The C sources come from npm, pinned by the lock file; what is left of them is
# build/grammars/libgrammars.a and the runtime's header.  Neither the mode of
# the build nor its sanitizers matter to them: they are compiled once.
#
# Kotlin's scanner ends no member of a class at a brace on its line, and what
# stands behind `object Paths { const val A = "/a" }` was lost: one line is added.
# It takes every `get` below a property for its getter, also `get("/a") { }` of
# Ktor, by which the function around was lost: a getter is given nothing.
#
# A grammar's tables are taken out of its object, where only their place is left,
# and put in again packed (index/grammar.h): a tenth of 20 MB.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
to=$build/grammars
cc=${CC:-cc}
made_of="index/grammars/package-lock.json index/grammar.h deploy/grammars.sh"

if [ -f "$to/libgrammars.a" ] && cat $made_of | cmp -s - "$to/built"; then
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

# compile NAME FOLDER FILE: FOLDER is that of the source's own includes.
cat >"$to/compile" <<SCRIPT
set -eu
exec $cc -O2 -std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -fPIE -w \
    -fdata-sections -I. -I"\$2" -I"$runtime/include" -c -o "$to/obj/\$1.o" "\$3"
SCRIPT

# parser NAME FOLDER FILE: with the tables packed.
cat >"$to/parser" <<SCRIPT
set -eu
object=$to/obj/\$1.o
work=$to/obj/\$1
language=\$(sed -n 's/.*const TSLanguage \*\(tree_sitter_[a-z_]*\)(void).*/\1/p' "\$3" | head -1)
tables=\$(grep -o '^static const .* ts_\(parse_table\|small_parse_table\|small_parse_table_map\|parse_actions\|lex_modes\|primary_state_ids\|alias_sequences\)\[' "\$3" |
    sed 's/.* \(ts_[a-z_]*\)\[/\1/' | awk '!seen[\$0]++')
{
    printf '#include "%s"\n#include "index/grammar.h"\n' "\$(realpath "\$3")"
    echo "static atomic_bool is_unpacked;"
    echo "extern const unsigned char \${language}_packed[], \${language}_packed_end[];"
    echo "static const struct grammar_part parts[] = {"
    for table in \$tables; do echo "{(void *)\$table, sizeof(\$table)},"; done
    echo "};"
    echo "const struct grammar \${language}_grammar = {\$language, parts,"
    echo "sizeof(parts) / sizeof(parts[0]), \${language}_packed, \${language}_packed_end, &is_unpacked};"
} >"\$work.c"
sh "$to/compile" "\$1" "\$2" "\$work.c"
set --
: >"\$work.zst"
for table in \$tables; do
    objcopy -O binary --only-section=".rodata.\$table" "\$object" "\$work.raw"
    [ -s "\$work.raw" ] || { echo "grammars: \$object has no table \$table" >&2; exit 1; }
    zstd -q -12 -c "\$work.raw" >>"\$work.zst"
    set -- "\$@" --rename-section ".rodata.\$table=.bss.\$table,alloc"
done
objcopy "\$@" "\$object"
cat >"\$work-packed.c" <<PACKED
__asm__(".pushsection .rodata\n.globl \${language}_packed, \${language}_packed_end\n"
        "\${language}_packed:\n.incbin \"\$work.zst\"\n\${language}_packed_end:\n.popsection\n");
PACKED
$cc -fPIE -c -o "\$work-packed.o" "\$work-packed.c"
SCRIPT

kotlin=$from/@tree-sitter-grammars/tree-sitter-kotlin/src/scanner.c
import='return scan_word(lexer, "import");'
brace="case '}': return valid_symbols[CLASS_MEMBER_SEMI];"
grep -qF "$brace" "$kotlin" || sed -i "/$import/a $brace" "$kotlin"
grep -qF "$brace" "$kotlin" || { echo "grammars: $kotlin has no $import" >&2; exit 1; }
cat >"$to/getter.h" <<'GETTER'
static bool is_getter(TSLexer *lexer) {
    while (lexer->lookahead == ' ' || lexer->lookahead == '\t') skip(lexer);
    if (lexer->lookahead != '(')
        return !iswalnum(lexer->lookahead) && !strchr("[{<._", lexer->lookahead);
    do skip(lexer); while (iswspace(lexer->lookahead));
    return lexer->lookahead == ')';
}
GETTER
getter='(!valid_symbols[GET] || !is_getter(lexer))'
grep -qF "$getter" "$kotlin" ||
    sed -i -e "/^static inline void skip(/r $to/getter.h" \
        -e "s/(!valid_symbols\[GET\] || lexer->lookahead == '\[')/$getter/" "$kotlin"
grep -qF "$getter" "$kotlin" || { echo "grammars: $kotlin asks for no getter" >&2; exit 1; }

# One line a source: what to do, object, folder of its includes, file.
{
    echo "compile runtime $runtime/src $runtime/src/lib.c"
    for folder in tree-sitter-c tree-sitter-c-sharp tree-sitter-cpp \
        tree-sitter-go tree-sitter-java tree-sitter-javascript \
        tree-sitter-php/php tree-sitter-python tree-sitter-ruby \
        tree-sitter-rust tree-sitter-typescript/typescript \
        tree-sitter-typescript/tsx \
        @tree-sitter-grammars/tree-sitter-kotlin; do
        name=$(echo "$folder" | tr '/@' '__')
        echo "parser $name-parser $from/$folder/src $from/$folder/src/parser.c"
        file=$from/$folder/src/scanner.c
        [ ! -f "$file" ] || echo "compile $name-scanner $from/$folder/src $file"
    done
} >"$to/list"
while read -r how name include file; do
    printf '%s\0%s\0%s\0%s\0' "$to/$how" "$name" "$include" "$file"
done <"$to/list" | xargs -0 -n 4 -P "$(nproc)" sh
ar rcs "$to/libgrammars.tmp" "$to"/obj/*.o
rm -rf "$to/obj" "$to/list" "$to/compile" "$to/parser" "$to/getter.h" "$from" "$build/npm/grammars/installed.json"
cat $made_of >"$to/built"
mv "$to/libgrammars.tmp" "$to/libgrammars.a"
