/*
 * One line a row, expressions written out where they are used, so that a test
 * reads like the source it is about.
 */
#include "index/facts.h"

/* Deeper expressions are shown as `...`. */
enum { DEPTH_MAX = 12 };

static void
add_text(const struct facts *facts, str_id id, struct buf *out)
{
    str text = facts_text(facts, id);

    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\n')
            buf_add(out, STR("\\n"));
        else
            buf_add_char(out, text.ptr[i]);
}

static void
add_expr(const struct facts *facts, uint32_t id, int depth, struct buf *out);

static void
add_list(const struct facts *facts, uint32_t at, uint32_t len, int depth,
         struct buf *out)
{
    for (uint32_t i = 0; i < len; i++) {
        if (i > 0)
            buf_add(out, STR(", "));
        add_expr(facts, facts->lists[at + i], depth, out);
    }
}

/* How a kind is written: before a, between a and the list, behind. */
static const struct shape {
    const char *before;
    const char *between;
    const char *after;
} shapes[EXPR_KIND_END] = {
    [EXPR_CALL] = {"", "(", ")"},         [EXPR_NEW] = {"new ", "(", ")"},
    [EXPR_CONCAT] = {"", "concat(", ")"}, [EXPR_ARRAY] = {"", "[", "]"},
    [EXPR_OBJECT] = {"", "{", "}"},       [EXPR_INDEX] = {"", "[", "]"},
    [EXPR_GENERIC] = {"", "<", ">"},      [EXPR_ALT] = {"", "alt(", ")"},
    [EXPR_CAST] = {"(", " as ", ")"},     [EXPR_ELEM] = {"elem(", "", ")"},
    [EXPR_AWAIT] = {"await ", "", ""},    [EXPR_SPREAD] = {"...", "", ""},
};

/* Those that are not written by their shape; false: it is none of them. */
static bool
add_plain(const struct facts *facts, const struct fact_expr *expr,
          struct buf *out)
{
    str quote = expr->kind == EXPR_STRING ? STR("\"") : STR("/");

    switch ((enum expr_kind)expr->kind) {
    case EXPR_NAME:
    case EXPR_NUMBER:
        add_text(facts, expr->text, out);
        return true;
    case EXPR_STRING:
    case EXPR_REGEX:
        buf_add(out, quote);
        add_text(facts, expr->text, out);
        buf_add(out, quote);
        return true;
    case EXPR_LAMBDA:
        buf_printf(out, "lambda#%u", expr->a);
        return true;
    case EXPR_SELF:
        buf_add(out, STR("self"));
        return true;
    case EXPR_SUPER:
        buf_add(out, STR("super"));
        return true;
    case EXPR_OTHER:
        buf_add_char(out, '_');
        return true;
    default:
        return false;
    }
}

static void
add_expr(const struct facts *facts, uint32_t id, int depth, struct buf *out)
{
    const struct fact_expr *expr = &facts->exprs[id];
    const struct shape *shape = &shapes[expr->kind];

    if (depth >= DEPTH_MAX) {
        buf_add(out, STR("..."));
        return;
    }
    if (add_plain(facts, expr, out))
        return;
    if (expr->kind == EXPR_MEMBER) {
        add_expr(facts, expr->a, depth + 1, out);
        buf_add_char(out, '.');
        add_text(facts, expr->text, out);
        return;
    }
    if (expr->kind == EXPR_PAIR) {
        add_text(facts, expr->text, out);
        add_list(facts, expr->list_at, expr->list_len, depth + 1, out);
        buf_add(out, STR(": "));
        add_expr(facts, expr->a, depth + 1, out);
        return;
    }
    buf_add(out, str_of(shape->before));
    if (expr->a)
        add_expr(facts, expr->a, depth + 1, out);
    if (expr->text) {
        buf_add_char(out, ' ');
        add_text(facts, expr->text, out);
    }
    buf_add(out, str_of(shape->between));
    add_list(facts, expr->list_at, expr->list_len, depth + 1, out);
    buf_add(out, str_of(shape->after));
}

static void
add_flags(uint32_t flags, struct buf *out)
{
    static const char *const names[] = {
        "exported", "default",   "static",   "abstract", "lambda",
        "ctor",     "property",  "testcase", "enum",     "extension",
        "trait",    "generator", "private",  "shared",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (flags >> i & 1)
            buf_printf(out, " %s", names[i]);
}

static void
dump_def(const struct facts *facts, uint32_t i, struct buf *out)
{
    const struct fact_def *def = &facts->defs[i];

    buf_printf(out, "def #%u %s ", i, code_kind_str(def->kind));
    if (def->receiver) {
        buf_add_char(out, '(');
        add_text(facts, def->receiver, out);
        buf_add(out, STR(")."));
    }
    add_text(facts, def->name, out);
    buf_printf(out, " in #%u line %u:%u-%u", def->parent, def->line, def->col,
               def->end_line);
    add_flags(def->flags, out);
    if (def->type) {
        buf_add(out, STR(" type "));
        add_expr(facts, def->type, 0, out);
    }
    if (def->bases_len) {
        buf_printf(out, " bases(%u) ", def->interfaces);
        add_list(facts, def->bases_at, def->bases_len, 0, out);
    }
    if (def->marks_len) {
        buf_add(out, STR(" marks "));
        add_list(facts, def->marks_at, def->marks_len, 0, out);
    }
    buf_add_char(out, '\n');
}

static void
dump_bind(const struct facts *facts, const struct fact_bind *bind,
          struct buf *out)
{
    static const char *const kinds[] = {"none",   "local",  "param",    "field",
                                        "assign", "return", "receiver", "type"};

    buf_printf(out, "bind #%u %s ", bind->scope,
               bind->kind <= BIND_TYPE ? kinds[bind->kind] : "?");
    if (bind->target)
        add_expr(facts, bind->target, 0, out);
    add_text(facts, bind->name, out);
    if (bind->kind == BIND_PARAM || bind->flags & BIND_MULTI)
        buf_printf(out, "@%u", bind->index);
    if (bind->type) {
        buf_add(out, STR(": "));
        add_expr(facts, bind->type, 0, out);
    }
    if (bind->value) {
        buf_add(out, STR(" = "));
        add_expr(facts, bind->value, 0, out);
    }
    if (bind->flags & BIND_CONST)
        buf_add(out, STR(" const"));
    buf_add_char(out, '\n');
}

static void
dump_import(const struct facts *facts, const struct fact_import *import,
            struct buf *out)
{
    static const char *const kinds[] = {
        "none",   "module", "name",        "star",    "default",
        "effect", "export", "export-star", "include",
    };

    buf_printf(out, "import %s ",
               import->kind <= IMPORT_INCLUDE ? kinds[import->kind] : "?");
    add_text(facts, import->module, out);
    if (import->name) {
        buf_add(out, STR(" name "));
        add_text(facts, import->name, out);
    }
    if (import->alias) {
        buf_add(out, STR(" as "));
        add_text(facts, import->alias, out);
    }
    if (import->is_type_only)
        buf_add(out, STR(" type-only"));
    buf_add_char(out, '\n');
}

void
facts_dump(const struct facts *facts, struct buf *out)
{
    if (facts->package) {
        buf_add(out, STR("package "));
        add_text(facts, facts->package, out);
        buf_add_char(out, '\n');
    }
    if (facts->flags & FACTS_PARTIAL)
        buf_add(out, STR("partial\n"));
    for (uint32_t i = 1; i < facts->import_len; i++)
        dump_import(facts, &facts->imports[i], out);
    for (uint32_t i = 1; i < facts->def_len; i++)
        dump_def(facts, i, out);
    for (uint32_t i = 1; i < facts->bind_len; i++)
        dump_bind(facts, &facts->binds[i], out);
    for (uint32_t i = 1; i < facts->expr_len; i++) {
        const struct fact_expr *expr = &facts->exprs[i];
        if (expr->kind != EXPR_CALL && expr->kind != EXPR_NEW)
            continue;
        buf_printf(out, "call #%u line %u:%u ", expr->scope, expr->line,
                   expr->col);
        add_expr(facts, i, 0, out);
        buf_add_char(out, '\n');
    }
}
