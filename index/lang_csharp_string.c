/*
 * Strings: quoted, verbatim, raw, interpolated.
 */
#include "index/lang_csharp.h"

#include <string.h>

static uint32_t
put_string(struct walk *w, TSNode node, str_id text)
{
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_STRING, .text = text});
}

uint32_t
csharp_string(struct walk *w, TSNode node)
{
    return put_string(w, node,
                      extract_string(w->x, extract_text(w->x, node), 0));
}

/* `@"a""b"`: a quote is written twice, nothing else is special. */
uint32_t
csharp_verbatim(struct walk *w, TSNode node)
{
    str text = extract_text(w->x, node);
    const char *quote = text.len ? memchr(text.ptr, '"', text.len) : NULL;
    size_t from = quote ? (size_t)(quote + 1 - text.ptr) : text.len;
    struct buf value = {.cap_max = FACT_STR_MAX + 8};

    for (size_t i = from; i + 1 < text.len && value.len < FACT_STR_MAX; i++) {
        buf_add_char(&value, text.ptr[i]);
        if (text.ptr[i] == '"')
            i++;
    }
    uint32_t expr =
        put_string(w, node, facts_str(w->x->facts, buf_str(&value)));
    buf_fini(&value);
    return expr;
}

uint32_t
csharp_raw_string(struct walk *w, TSNode node)
{
    return put_string(
        w, node, extract_str(w->x, walk_child(w, node, CS_RAW_STRING_CONTENT)));
}

static void
add_value(struct walk *w, TSNode node, void *list)
{
    if (walk_kind(w, node) != CS_INTERPOLATION_BRACE)
        walk_add(w, list, node);
}

static void
add_first_value(struct walk *w, TSNode node, struct extract_list *list)
{
    struct extract_list values = {0};

    walk_each(w, node, add_value, &values);
    if (list->len < WALK_LIST_MAX)
        extract_list_add(w->x, list, values.len ? values.items[0] : 0);
    walk_drop(&values);
}

/* `$"{a}/{{b}}"`: braces are written twice, but in `$"""`. */
struct parts {
    struct extract_list list;
    bool is_raw;
};

static str_id
plain_text(struct walk *w, str text, bool is_raw)
{
    struct buf value = {.cap_max = FACT_STR_MAX + 8};

    for (size_t i = 0; i < text.len && value.len < FACT_STR_MAX; i++) {
        char c = text.ptr[i];
        buf_add_char(&value, c);
        bool is_brace = c == '{' || c == '}';
        if (!is_raw && is_brace && i + 1 < text.len && text.ptr[i + 1] == c)
            i++;
    }
    str whole = buf_str(&value);
    str_id id = whole.len && memchr(whole.ptr, '\\', whole.len)
                    ? extract_string(w->x, whole, 0)
                    : facts_str(w->x->facts, whole);
    buf_fini(&value);
    return id;
}

static void
add_part(struct walk *w, TSNode node, void *ctx)
{
    struct parts *parts = ctx;
    str text = extract_text(w->x, node);

    switch (walk_kind(w, node)) {
    case CS_STRING_CONTENT:
    case CS_ESCAPE_SEQUENCE:
        if (parts->list.len < WALK_LIST_MAX)
            extract_list_add(
                w->x, &parts->list,
                put_string(w, node, plain_text(w, text, parts->is_raw)));
        return;
    case CS_INTERPOLATION:
        add_first_value(w, node, &parts->list);
        return;
    default:
        return;
    }
}

uint32_t
csharp_interpolated(struct walk *w, TSNode node)
{
    str text = extract_text(w->x, node);
    struct parts parts = {.is_raw = false};
    size_t quote = 0;

    while (quote < text.len && text.ptr[quote] == '$')
        quote++;
    text = str_cut(text, quote, text.len);
    parts.is_raw = str_starts(text, STR("\"\"\""));
    walk_each(w, node, add_part, &parts);
    return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                         &parts.list);
}
