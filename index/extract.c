#include "index/extract.h"

#include <stdlib.h>
#include <string.h>

str
extract_text(const struct extract *x, TSNode node)
{
    if (ts_node_is_null(node))
        return (str){"", 0};
    return str_cut(x->source, ts_node_start_byte(node), ts_node_end_byte(node));
}

str_id
extract_str(struct extract *x, TSNode node)
{
    return facts_str(x->facts, extract_text(x, node));
}

uint32_t
extract_line(TSNode node)
{
    return ts_node_is_null(node) ? 0 : ts_node_start_point(node).row + 1;
}

uint32_t
extract_col(TSNode node)
{
    return ts_node_is_null(node) ? 0 : ts_node_start_point(node).column;
}

bool
extract_enter(struct extract *x)
{
    if (x->depth >= EXTRACT_DEPTH_MAX) {
        x->facts->flags |= FACTS_PARTIAL;
        return false;
    }
    x->depth++;
    return true;
}

void
extract_leave(struct extract *x)
{
    x->depth--;
}

void
extract_list_add(struct extract *x, struct extract_list *list, uint32_t expr)
{
    enum { INLINE = sizeof(list->inline_items) / sizeof(uint32_t) };

    if (!list->items) {
        list->items = list->inline_items;
        list->cap = INLINE;
    }
    if (list->len == list->cap) {
        uint32_t cap = 2 * list->cap;
        uint32_t *items =
            list->items == list->inline_items ? NULL : list->items;
        uint32_t *grown = realloc(items, cap * sizeof(*grown));
        if (!grown) {
            x->facts->failed = true;
            return;
        }
        if (!items)
            memcpy(grown, list->inline_items, sizeof(list->inline_items));
        list->items = grown;
        list->cap = cap;
    }
    list->items[list->len++] = expr;
}

uint32_t
extract_list_end(struct extract *x, struct extract_list *list, uint32_t *len)
{
    uint32_t at = facts_list(x->facts, list->items, list->len);

    *len = x->facts->failed ? 0 : list->len;
    if (list->items != list->inline_items)
        free(list->items);
    *list = (struct extract_list){0};
    return at;
}

str_id
extract_signature_bytes(struct extract *x, uint32_t from, uint32_t to)
{
    enum { SIGNATURE_MAX = 256 };
    char line[SIGNATURE_MAX];
    size_t len = 0;
    str text = str_cut(x->source, from, to);

    for (size_t i = 0; i < text.len && len < SIGNATURE_MAX; i++) {
        char c = text.ptr[i];

        if ((unsigned char)c <= ' ')
            c = ' ';
        if (c == ' ' && (len == 0 || line[len - 1] == ' '))
            continue;
        line[len++] = c;
    }
    while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '{' ||
                       line[len - 1] == ':'))
        len--;
    /* Not in the middle of a character. */
    while (len == SIGNATURE_MAX &&
           ((unsigned char)line[len - 1] & 0xC0) == 0x80)
        len--;
    return facts_str(x->facts, (str){line, len});
}

str_id
extract_signature(struct extract *x, TSNode node, TSNode body)
{
    return extract_signature_bytes(x, ts_node_start_byte(node),
                                   ts_node_is_null(body)
                                       ? ts_node_end_byte(node)
                                       : ts_node_start_byte(body));
}

static size_t
hex_value(str digits, uint32_t *out)
{
    size_t i = 0;

    *out = 0;
    for (; i < digits.len; i++) {
        int digit = str_hex_digit(digits.ptr[i]);
        if (digit < 0)
            break;
        *out = *out << 4 | (uint32_t)digit;
    }
    return i;
}

static void
add_utf8(struct buf *out, uint32_t code)
{
    if (code < 0x80) {
        buf_add_char(out, (char)code);
    } else if (code < 0x800) {
        buf_add_char(out, (char)(0xC0 | code >> 6));
        buf_add_char(out, (char)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        buf_add_char(out, (char)(0xE0 | code >> 12));
        buf_add_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
        buf_add_char(out, (char)(0x80 | (code & 0x3F)));
    }
}

/* `\057`, of two digits or three: of one, `\1`, it may mean a group. */
static size_t
octal_value(str digits, uint32_t *out)
{
    size_t most = digits.ptr[0] > '3' ? 2 : 3;
    size_t i = 0;

    *out = 0;
    for (; i < digits.len && i < most && (digits.ptr[i] & ~7) == '0'; i++)
        *out = *out << 3 | (uint32_t)(digits.ptr[i] - '0');
    return i;
}

/* Returns how many bytes behind the backslash were taken. */
static size_t
add_escape(struct buf *out, str rest)
{
    static const char from[] = "ntr0";
    static const char to[] = "\n\t\r";
    char c = rest.ptr[0];
    const char *plain = strchr(from, c);
    uint32_t code;
    size_t octal = octal_value(rest, &code);

    if (octal > 1) {
        if (code != 0)
            add_utf8(out, code);
        return octal;
    }
    if (c == 'x' || c == 'u') {
        size_t most = c == 'x' ? 2 : 4;
        size_t got = hex_value(str_cut(rest, 1, 1 + most), &code);
        if (got == most && code != 0) {
            add_utf8(out, code);
            return 1 + got;
        }
    } else if (plain && c != '\0') {
        if (c != '0')
            buf_add_char(out, to[plain - from]);
        return 1;
    }
    /* Keep what a regular expression in a string needs: `\d`. */
    if (c != '"' && c != '\'' && c != '\\' && c != '`' && c != '/' && c != '\n')
        buf_add_char(out, '\\');
    if (c != '\n')
        buf_add_char(out, c);
    return 1;
}

str_id
extract_string(struct extract *x, str literal, size_t prefix_len)
{
    struct buf value = {.cap_max = FACT_STR_MAX + 8};
    str text = str_cut(literal, prefix_len, literal.len);

    if (text.len >= 2 && strchr("\"'`", text.ptr[0]) &&
        text.ptr[text.len - 1] == text.ptr[0])
        text = str_cut(text, 1, text.len - 1);
    for (size_t i = 0;
         i < text.len && !value.failed && value.len < FACT_STR_MAX; i++) {
        if (text.ptr[i] == '\\' && i + 1 < text.len)
            i += add_escape(&value, str_cut(text, i + 1, text.len));
        else
            buf_add_char(&value, text.ptr[i]);
    }
    str_id id = facts_str(x->facts, buf_str(&value));
    buf_fini(&value);
    return id;
}
