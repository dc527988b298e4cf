/*
 * Strings: quoted, and text blocks.
 */
#include "index/lang_java.h"

#include <stdint.h>
#include <string.h>

static bool
is_white(char c)
{
    return (unsigned char)c <= ' ';
}

/* Takes the next line off |text|, without its end; false: it has none, the
 * quotes stand behind it. */
static bool
take_line(str *text, str *line)
{
    const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
    size_t len = end ? (size_t)(end - text->ptr) : text->len;

    *line = str_cut(*text, 0, len);
    *text = str_cut(*text, end ? len + 1 : len, text->len);
    return end != NULL;
}

/* How far all lines are indented: blank ones do not count, but for the last. */
static size_t
common_indent(str text)
{
    size_t least = SIZE_MAX;
    bool has_more = true;

    while (has_more) {
        str line;
        size_t indent = 0;
        has_more = take_line(&text, &line);
        while (indent < line.len && is_white(line.ptr[indent]))
            indent++;
        if (indent < least && (indent < line.len || !has_more))
            least = indent;
    }
    return least;
}

/* A text block begins behind the line of its quotes.  Its indentation and what
 * white space its lines end with are no part of it. */
static str_id
text_block(struct walk *w, str text)
{
    struct buf quoted = {.cap_max = (size_t)8 * FACT_STR_MAX};
    str line;
    bool has_more = take_line(&text, &line);
    size_t indent = common_indent(text);

    buf_add_char(&quoted, '"');
    while (has_more) {
        has_more = take_line(&text, &line);
        while (line.len > 0 && is_white(line.ptr[line.len - 1]))
            line.len--;
        buf_add(&quoted, str_cut(line, indent, line.len));
        if (has_more)
            buf_add_char(&quoted, '\n');
    }
    buf_add_char(&quoted, '"');
    str_id value = extract_string(w->x, buf_str(&quoted), 0);
    buf_fini(&quoted);
    return value;
}

uint32_t
java_string(struct walk *w, TSNode node)
{
    bool is_character = walk_kind(w, node) == JAVA_CHARACTER_LITERAL;
    str text = extract_text(w->x, node);
    bool is_block = str_starts(text, STR("\"\"\"")) && text.len >= 6;
    str_id value = is_block ? text_block(w, str_cut(text, 3, text.len - 3))
                            : extract_string(w->x, text, 0);

    walk_children(w, node);
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_STRING,
                                       .is_symbol = is_character,
                                       .text = value});
}
