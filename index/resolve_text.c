/*
 * Strings that are known before the program runs: literals, constants, sums
 * and templates of them.
 */
#include "index/resolve_impl.h"

enum { TEXT_DEPTH_MAX = 16, TEXT_BYTES_MAX = 4096 };

struct texting {
    struct resolver *r;
    struct buf *out;
    unsigned gaps;
    uint32_t depth;
    bool is_text;
};

static void add_text(struct texting *t, uint32_t file, uint32_t expr);

static void
add_gap(struct texting *t)
{
    t->gaps |= t->out->len == 0 ? TEXT_GAP_FRONT : TEXT_GAP_BEHIND;
}

/* What a string is assigned to: the value's own place is in its val. */
static void
add_value(struct texting *t, uint32_t file, uint32_t expr)
{
    struct val val = eval_expr(t->r, file, expr);

    if (val.kind == VAL_TEXT && (val.file != file || val.id != expr)) {
        t->gaps |= val.is_choice ? TEXT_CHOICE : 0;
        add_text(t, val.file, val.id);
        return;
    }
    add_gap(t);
}

static void
add_parts(struct texting *t, uint32_t file, const struct fact_expr *sum)
{
    t->is_text = true;
    for (uint32_t i = 0; i < sum->list_len; i++)
        add_text(t, file, list_at(t->r, file, sum->list_at + i));
}

static void
add_text(struct texting *t, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(t->r, file, expr);

    if (t->depth >= TEXT_DEPTH_MAX || t->out->len >= TEXT_BYTES_MAX) {
        add_gap(t);
        return;
    }
    t->depth++;
    switch ((enum expr_kind)at->kind) {
    case EXPR_STRING:
        t->is_text = true;
        buf_add(t->out, facts_text(t->r->sources[file].facts, at->text));
        break;
    case EXPR_NUMBER:
        buf_add(t->out, facts_text(t->r->sources[file].facts, at->text));
        break;
    case EXPR_CONCAT:
        add_parts(t, file, at);
        break;
    case EXPR_CAST:
    case EXPR_AWAIT:
        add_text(t, file, at->a);
        break;
    default:
        add_value(t, file, expr);
        break;
    }
    t->depth--;
}

bool
resolve_text(struct resolver *r, struct at expr, struct buf *out,
             unsigned *gaps)
{
    struct buf text = {0};
    struct texting t = {.r = r, .out = &text};

    add_text(&t, expr.file, expr.id);
    if (t.is_text)
        buf_add(out, buf_str(&text));
    *gaps = t.gaps;
    buf_fini(&text);
    return t.is_text;
}
