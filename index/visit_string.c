/*
 * Strings: their pieces, and the expressions between them.
 */
#include "index/visit.h"

/* The pieces of a string: plain ones are put together until an expression
 * stands between them. */
struct pieces {
    uint16_t content;
    uint16_t escape;
    bool is_raw; /* in single quotes: only these and backslashes escape */
    bool is_template;
    struct buf plain; /* opened by a quote, so that none of its own is taken */
    struct extract_list list;
};

static str_id
raw_text(struct visitor *w, str text)
{
    struct buf value = {.cap_max = FACT_STR_MAX + 8};

    for (size_t i = 0; i < text.len && value.len < FACT_STR_MAX; i++) {
        if (text.ptr[i] == '\\' && i + 1 < text.len &&
            (text.ptr[i + 1] == '\\' || text.ptr[i + 1] == '\''))
            i++;
        buf_add_char(&value, text.ptr[i]);
    }
    str_id id = facts_str(w->x.facts, buf_str(&value));
    buf_fini(&value);
    return id;
}

static uint32_t
end_plain(struct visitor *w, struct pieces *pieces, TSNode at)
{
    struct fact_expr expr = {.kind = EXPR_STRING,
                             .scope = w->x.scope,
                             .line = extract_line(at),
                             .col = extract_col(at)};
    str text = buf_str(&pieces->plain);

    if (pieces->is_raw) {
        expr.text = raw_text(w, str_cut(text, 1, text.len));
    } else if (text.len > 1) {
        buf_add_char(&pieces->plain, '"');
        expr.text = extract_string(&w->x, buf_str(&pieces->plain), 0);
    }
    buf_reset(&pieces->plain);
    return facts_expr(w->x.facts, &expr);
}

static void
add_piece(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct pieces *pieces = ctx;
    uint16_t kind = visit_kind(w, child);

    (void)field;
    if (kind != 0 && (kind == pieces->content || kind == pieces->escape)) {
        if (pieces->plain.len == 0)
            buf_add_char(&pieces->plain, '"');
        buf_add(&pieces->plain, visit_text(w, child));
        return;
    }
    if (pieces->plain.len > 0)
        visit_list_add(w, &pieces->list, end_plain(w, pieces, child));
    visit_list_add(w, &pieces->list, visit(w, child));
    pieces->is_template = true;
}

uint32_t
visit_string(struct visitor *w, TSNode node, uint16_t content, uint16_t escape)
{
    struct pieces pieces = {.content = content, .escape = escape};
    str text = visit_text(w, node);
    uint32_t id;

    pieces.is_raw = text.len > 0 && text.ptr[0] == '\'';
    pieces.plain.cap_max = (size_t)8 * FACT_STR_MAX;
    visit_each(w, node, add_piece, &pieces);
    if (pieces.is_template) {
        if (pieces.plain.len > 0)
            visit_list_add(w, &pieces.list, end_plain(w, &pieces, node));
        id = visit_listed(w, EXPR_CONCAT, 0, &pieces.list, node);
    } else {
        id = end_plain(w, &pieces, node);
    }
    buf_fini(&pieces.plain);
    return id;
}
