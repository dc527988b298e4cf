/*
 * Python: strings, what stands between their pieces, and what `%` fills in.
 */
#include "index/lang_python.h"

#include <string.h>

struct quotes {
    size_t prefix; /* length of `rb` */
    size_t len;    /* of a quote: 1 or 3 */
    bool is_raw;
    bool is_format;
};

static struct quotes
quotes_of(str text)
{
    struct quotes quotes = {.len = 1};

    while (quotes.prefix < text.len && text.ptr[quotes.prefix] != '"' &&
           text.ptr[quotes.prefix] != '\'') {
        int c = text.ptr[quotes.prefix++] | 0x20;
        quotes.is_raw = quotes.is_raw || c == 'r';
        quotes.is_format = quotes.is_format || c == 'f' || c == 't';
    }
    str rest = str_cut(text, quotes.prefix, text.len);
    if (rest.len >= 6 && rest.ptr[1] == rest.ptr[0] &&
        rest.ptr[2] == rest.ptr[0])
        quotes.len = 3;
    return quotes;
}

str
python_string_text(const struct walk *w, TSNode node)
{
    str text = extract_text(w->x, node);
    struct quotes quotes = quotes_of(text);
    size_t from = quotes.prefix + quotes.len;

    if (text.len < from + quotes.len)
        return STR("");
    return str_cut(text, from, text.len - quotes.len);
}

static uint32_t
put_string(struct walk *w, TSNode node, str_id text)
{
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_STRING, .text = text});
}

/* `{{` of a format is one brace. */
static str_id
unbraced(struct walk *w, str_id id)
{
    str text = facts_text(w->x->facts, id);
    struct buf out = {0};

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        buf_add_char(&out, c);
        if ((c == '{' || c == '}') && i + 1 < text.len && text.ptr[i + 1] == c)
            i++;
    }
    if (!out.failed && out.len < text.len)
        id = facts_str(w->x->facts, buf_str(&out));
    buf_fini(&out);
    return id;
}

static uint32_t
plain_string(struct walk *w, TSNode node, str text, const struct quotes *quotes)
{
    str inner = python_string_text(w, node);
    str_id value;

    /* One quote on each side is what extract_string takes off. */
    if (quotes->is_raw || !inner.len || !memchr(inner.ptr, '\\', inner.len))
        value = facts_str(w->x->facts, inner);
    else
        value = extract_string(w->x,
                               str_cut(text, quotes->prefix + quotes->len - 1,
                                       text.len - quotes->len + 1),
                               0);
    return put_string(w, node, quotes->is_format ? unbraced(w, value) : value);
}

static void
add_part(struct walk *w, TSNode node, void *list)
{
    str text = extract_text(w->x, node);
    bool has_escape = text.len && memchr(text.ptr, '\\', text.len);
    bool has_quote = text.len && (text.ptr[0] == '"' || text.ptr[0] == '\'');

    if (walk_kind(w, node) == PY_STRING_CONTENT) {
        str_id id = has_escape && !has_quote ? extract_string(w->x, text, 0)
                                             : facts_str(w->x->facts, text);
        extract_list_add(w->x, list, put_string(w, node, unbraced(w, id)));
    } else if (walk_kind(w, node) == PY_INTERPOLATION) {
        TSNode value = walk_field(w, node, PY_F_EXPRESSION);
        walk_add(w, list, value);
        python_pass_but(w, node, value, value);
    }
}

uint32_t
python_string(struct walk *w, TSNode node)
{
    str text = extract_text(w->x, node);
    struct quotes quotes = quotes_of(text);
    struct extract_list list = {0};

    if (!quotes.is_format ||
        ts_node_is_null(walk_child(w, node, PY_INTERPOLATION)))
        return plain_string(w, node, text, &quotes);
    walk_each(w, node, add_part, &list);
    return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                         &list);
}

/* `"a" "b"` is one string, unless a part is put together. */
uint32_t
python_concatenated(struct walk *w, TSNode node)
{
    struct extract_list list = {0};
    struct buf text = {.cap_max = (size_t)4 * FACT_STR_MAX};
    bool is_plain = true;

    walk_each(w, node, walk_add_each, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        is_plain = is_plain && walk_expr_kind(w, list.items[i]) == EXPR_STRING;
        if (is_plain && text.len < FACT_STR_MAX)
            buf_add(&text, walk_expr_text(w, list.items[i]));
    }
    uint32_t expr;
    if (is_plain) {
        walk_drop(&list);
        expr = put_string(w, node, facts_str(w->x->facts, buf_str(&text)));
    } else {
        expr = walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                             &list);
    }
    buf_fini(&text);
    return expr;
}

/* ---- operators ---- */

/* What `%s` number |nth| of a text is of |values|: of a tuple, its item. */
static uint32_t
filled_in(struct walk *w, uint32_t values, uint32_t nth)
{
    const struct fact_expr *expr = walk_expr(w, values);

    if (expr->kind != EXPR_ARRAY)
        return nth == 0 ? values : 0;
    return nth < expr->list_len ? w->x->facts->lists[expr->list_at + nth] : 0;
}

uint32_t
python_formatted(struct walk *w, TSNode node, uint32_t format, uint32_t values)
{
    struct extract_list list = {0};
    str text = walk_expr_text(w, format);
    char copy[FACT_STR_MAX];
    size_t from = 0;
    uint32_t nth = 0;

    /* The table of texts moves when pieces are added to it. */
    memcpy(copy, text.ptr, text.len);
    text.ptr = copy;
    for (size_t i = 0; i + 1 < text.len && list.len + 2 < WALK_LIST_MAX; i++) {
        if (text.ptr[i] != '%' || text.ptr[i + 1] == '%')
            continue;
        size_t end = i + 1;
        while (end < text.len && strchr("sdrifxgeu", text.ptr[end]) == NULL)
            end++;
        str piece = str_cut(text, from, i);
        if (piece.len)
            extract_list_add(
                w->x, &list,
                put_string(w, node, facts_str(w->x->facts, piece)));
        bool is_text = end == i + 1 && text.ptr[end] == 's';
        extract_list_add(w->x, &list,
                         is_text && values ? filled_in(w, values, nth) : 0);
        nth++;
        from = end + 1;
        i = end;
    }
    if (from < text.len)
        extract_list_add(
            w->x, &list,
            put_string(w, node,
                       facts_str(w->x->facts, str_cut(text, from, text.len))));
    return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                         &list);
}
