/*
 * Facts as bytes: numbers of seven bits a byte, one row after another, each
 * told by its distance from the row before where that is near.  Reading checks
 * every index against the table it points into, and that expressions are made
 * of earlier ones only.
 */
#include "index/facts.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0xF5 };

static void
put(struct buf *out, uint64_t value)
{
    char bytes[10];
    size_t len = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[len++] = (char)(value | 0x80);
    bytes[len++] = (char)value;
    buf_add(out, (str){bytes, len});
}

static void
put_near(struct buf *out, uint32_t value, uint32_t *before)
{
    int64_t step = (int64_t)value - *before;

    put(out, step < 0 ? ((uint64_t)-step << 1) - 1 : (uint64_t)step << 1);
    *before = value;
}

struct input {
    str rest;
    bool failed;
};

static uint32_t
get(struct input *in)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 35 && in->rest.len > 0; shift += 7) {
        unsigned char byte = (unsigned char)in->rest.ptr[0];
        in->rest = str_cut(in->rest, 1, in->rest.len);
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80 && value <= UINT32_MAX)
            return (uint32_t)value;
    }
    in->failed = true;
    return 0;
}

/* A number below |end|. */
static uint32_t
get_below(struct input *in, uint32_t end)
{
    uint32_t value = get(in);

    if (value < end)
        return value;
    in->failed = true;
    return 0;
}

static uint32_t
get_near(struct input *in, uint32_t *before)
{
    uint64_t step = get(in);
    int64_t value = (int64_t)*before + (step & 1 ? -(int64_t)((step + 1) >> 1)
                                                 : (int64_t)(step >> 1));

    if (value < 0 || value > UINT32_MAX) {
        in->failed = true;
        return 0;
    }
    *before = (uint32_t)value;
    return (uint32_t)value;
}

/* ---- definitions ---- */

static void
put_def(struct buf *out, const struct fact_def *def, uint32_t *line)
{
    put(out, def->kind);
    put(out, def->flags);
    put(out, def->parent);
    put(out, def->name);
    put(out, def->receiver);
    put(out, def->type);
    put(out, def->bases_len);
    put(out, def->bases_len ? def->bases_at : 0);
    put(out, def->interfaces);
    put(out, def->marks_len);
    put(out, def->marks_len ? def->marks_at : 0);
    put_near(out, def->line, line);
    put(out, def->col);
    put(out, def->line - def->start_line);
    put(out, def->end_line - def->start_line);
    put(out, def->signature);
}

struct counts {
    uint32_t defs, exprs, binds, imports, comments, lists, texts;
};

static uint32_t
get_list(struct input *in, const struct counts *counts, uint32_t len)
{
    uint32_t at = get(in);

    if ((uint64_t)at + len > counts->lists)
        in->failed = true;
    return in->failed ? 0 : at;
}

static void
get_def(struct input *in, const struct counts *counts, uint32_t index,
        uint32_t *line, struct fact_def *def)
{
    def->kind = (uint8_t)get_below(in, CODE_KIND_END);
    def->flags = get(in);
    def->parent = get_below(in, index);
    def->name = get_below(in, counts->texts);
    def->receiver = get_below(in, counts->texts);
    def->type = get_below(in, counts->exprs);
    def->bases_len = get(in);
    def->bases_at = get_list(in, counts, def->bases_len);
    def->interfaces = get(in);
    in->failed |= def->interfaces > def->bases_len;
    def->marks_len = get(in);
    def->marks_at = get_list(in, counts, def->marks_len);
    def->line = get_near(in, line);
    def->col = get(in);
    def->start_line = def->line - get(in);
    def->end_line = def->start_line + get(in);
    def->signature = get_below(in, counts->texts);
}

/* ---- expressions ---- */

struct near {
    uint32_t scope;
    uint32_t line;
};

static void
put_expr(struct buf *out, const struct fact_expr *expr, uint32_t index,
         struct near *before)
{
    /* Symbols are packed as kinds of their own. */
    put(out, !expr->is_symbol            ? expr->kind
             : expr->kind == EXPR_MEMBER ? EXPR_KIND_END + 1
             : expr->kind == EXPR_NAME   ? EXPR_KIND_END + 2
                                         : EXPR_KIND_END);
    put_near(out, expr->scope, &before->scope);
    put(out, expr->text);
    put(out,
        expr->kind == EXPR_LAMBDA || expr->a == 0 ? expr->a : index - expr->a);
    put(out, expr->list_len);
    if (expr->list_len)
        put(out, expr->list_at);
    put_near(out, expr->line, &before->line);
    put(out, expr->col);
}

static void
get_expr(struct input *in, const struct counts *counts, uint32_t index,
         struct near *before, struct fact_expr *expr)
{
    static const uint8_t symbols[] = {EXPR_STRING, EXPR_MEMBER, EXPR_NAME};

    expr->kind = (uint8_t)get_below(in, EXPR_KIND_END + 3);
    expr->is_symbol = expr->kind >= EXPR_KIND_END;
    if (expr->is_symbol)
        expr->kind = symbols[expr->kind - EXPR_KIND_END];
    expr->scope = get_near(in, &before->scope);
    if (expr->scope >= counts->defs)
        in->failed = true;
    expr->text = get_below(in, counts->texts);
    if (expr->kind == EXPR_LAMBDA) {
        expr->a = get_below(in, counts->defs);
    } else {
        uint32_t back = get_below(in, index + 1);
        expr->a = back ? index - back : 0;
    }
    expr->list_len = get(in);
    expr->list_at = expr->list_len ? get_list(in, counts, expr->list_len) : 0;
    expr->line = get_near(in, &before->line);
    expr->col = get(in);
}

/* Lists of expressions may hold earlier ones only. */
static bool
lists_fall(const struct facts *facts)
{
    for (uint32_t i = 1; i < facts->expr_len; i++) {
        const struct fact_expr *expr = &facts->exprs[i];
        for (uint32_t k = 0; k < expr->list_len; k++)
            if (facts->lists[expr->list_at + k] >= i)
                return false;
    }
    return true;
}

/* ---- binds, imports ---- */

static void
put_bind(struct buf *out, const struct fact_bind *bind, uint32_t *line)
{
    put(out, bind->kind);
    put(out, bind->flags);
    put(out, bind->scope);
    put(out, bind->name);
    put(out, bind->type);
    put(out, bind->value);
    put(out, bind->target);
    put(out, bind->index);
    put_near(out, bind->line, line);
}

static void
get_bind(struct input *in, const struct counts *counts, uint32_t *line,
         struct fact_bind *bind)
{
    bind->kind = (uint8_t)get_below(in, BIND_TYPE + 1);
    bind->flags = get(in);
    bind->scope = get_below(in, counts->defs);
    bind->name = get_below(in, counts->texts);
    bind->type = get_below(in, counts->exprs);
    bind->value = get_below(in, counts->exprs);
    bind->target = get_below(in, counts->exprs);
    bind->index = get(in);
    bind->line = get_near(in, line);
}

static void
put_import(struct buf *out, const struct fact_import *import, uint32_t *line)
{
    put(out, import->kind);
    put(out, import->is_type_only);
    put(out, import->scope);
    put(out, import->module);
    put(out, import->name);
    put(out, import->alias);
    put_near(out, import->line, line);
}

static void
get_import(struct input *in, const struct counts *counts, uint32_t *line,
           struct fact_import *import)
{
    import->kind = (uint8_t)get_below(in, IMPORT_INCLUDE + 1);
    import->is_type_only = get_below(in, 2) == 1;
    import->scope = get_below(in, counts->defs);
    import->module = get_below(in, counts->texts);
    import->name = get_below(in, counts->texts);
    import->alias = get_below(in, counts->texts);
    import->line = get_near(in, line);
}

/* ---- the whole ---- */

static void
put_texts(const struct facts *facts, struct buf *out)
{
    for (text_id id = 1; id < facts->texts.len; id++)
        put(out, texts_get(&facts->texts, id).len);
    buf_add(out, buf_str(&facts->texts.text));
}

enum err
facts_encode(const struct facts *facts, struct buf *out)
{
    struct near near = {0};
    uint32_t line = 0;

    buf_add_char(out, (char)MAGIC);
    put(out, FACTS_VERSION);
    put(out, facts->lang);
    put(out, facts->flags);
    put(out, facts->texts.len);
    put(out, facts->def_len);
    put(out, facts->expr_len);
    put(out, facts->bind_len);
    put(out, facts->import_len);
    put(out, facts->comment_len);
    put(out, facts->list_len);
    put(out, facts->package);
    put_texts(facts, out);
    for (uint32_t i = 1; i < facts->list_len; i++)
        put(out, facts->lists[i]);
    for (uint32_t i = 1; i < facts->def_len; i++)
        put_def(out, &facts->defs[i], &line);
    for (uint32_t i = 1; i < facts->expr_len; i++)
        put_expr(out, &facts->exprs[i], i, &near);
    line = 0;
    for (uint32_t i = 1; i < facts->bind_len; i++)
        put_bind(out, &facts->binds[i], &line);
    line = 0;
    for (uint32_t i = 1; i < facts->import_len; i++)
        put_import(out, &facts->imports[i], &line);
    line = 0;
    for (uint32_t i = 1; i < facts->comment_len; i++) {
        put_near(out, facts->comments[i].line, &line);
        put(out, facts->comments[i].text);
    }
    return out->failed ? ERR_NOMEM : OK;
}

/* The texts were different when they were kept, so they keep their numbers. */
static enum err
get_texts(struct input *in, uint32_t len, struct texts *texts)
{
    struct input lens = *in;

    for (uint32_t i = 1; i < len && !in->failed; i++)
        get(in);
    for (uint32_t i = 1; i < len && !in->failed; i++) {
        uint32_t bytes = get(&lens);
        if (bytes == 0 || bytes > in->rest.len)
            return ERR_CORRUPT;
        if (texts_add(texts, str_cut(in->rest, 0, bytes)) != i)
            return texts->failed ? ERR_NOMEM : ERR_CORRUPT;
        in->rest = str_cut(in->rest, bytes, in->rest.len);
    }
    return in->failed ? ERR_CORRUPT : OK;
}

static bool
get_counts(struct input *in, struct counts *counts)
{
    uint32_t *const all[] = {
        &counts->texts,   &counts->defs,     &counts->exprs, &counts->binds,
        &counts->imports, &counts->comments, &counts->lists};

    /* Each row is a byte at least: no count can ask for much more memory than
     * there are bytes. */
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        *all[i] = get_below(in, FACTS_ROWS_MAX + 1);
        if (*all[i] == 0 || *all[i] > in->rest.len + 1)
            in->failed = true;
    }
    return !in->failed;
}

static enum err
make_rows(struct facts *facts, const struct counts *counts)
{
    facts->defs = calloc(counts->defs, sizeof(*facts->defs));
    facts->exprs = calloc(counts->exprs, sizeof(*facts->exprs));
    facts->binds = calloc(counts->binds, sizeof(*facts->binds));
    facts->imports = calloc(counts->imports, sizeof(*facts->imports));
    facts->comments = calloc(counts->comments, sizeof(*facts->comments));
    facts->lists = calloc(counts->lists, sizeof(*facts->lists));
    facts->def_len = facts->def_cap = counts->defs;
    facts->expr_len = facts->expr_cap = counts->exprs;
    facts->bind_len = facts->bind_cap = counts->binds;
    facts->import_len = facts->import_cap = counts->imports;
    facts->comment_len = facts->comment_cap = counts->comments;
    facts->list_len = facts->list_cap = counts->lists;
    return facts->defs && facts->exprs && facts->binds && facts->imports &&
                   facts->comments && facts->lists
               ? OK
               : ERR_NOMEM;
}

static enum err
get_rows(struct input *in, const struct counts *counts, struct facts *facts)
{
    struct near near = {0};
    uint32_t line = 0;

    for (uint32_t i = 1; i < counts->lists && !in->failed; i++)
        facts->lists[i] = get_below(in, counts->exprs);
    facts->defs[0].kind = CODE_FILE;
    for (uint32_t i = 1; i < counts->defs && !in->failed; i++)
        get_def(in, counts, i, &line, &facts->defs[i]);
    for (uint32_t i = 1; i < counts->exprs && !in->failed; i++)
        get_expr(in, counts, i, &near, &facts->exprs[i]);
    line = 0;
    for (uint32_t i = 1; i < counts->binds && !in->failed; i++)
        get_bind(in, counts, &line, &facts->binds[i]);
    line = 0;
    for (uint32_t i = 1; i < counts->imports && !in->failed; i++)
        get_import(in, counts, &line, &facts->imports[i]);
    line = 0;
    for (uint32_t i = 1; i < counts->comments && !in->failed; i++) {
        facts->comments[i].line = get_near(in, &line);
        facts->comments[i].text = get_below(in, counts->texts);
    }
    return in->failed || in->rest.len > 0 || !lists_fall(facts) ? ERR_CORRUPT
                                                                : OK;
}

enum err
facts_decode(struct facts *facts, str packed)
{
    struct input in = {.rest = packed};
    struct counts counts;
    enum err err = ERR_CORRUPT;

    *facts = (struct facts){0};
    if (packed.len == 0 || (unsigned char)packed.ptr[0] != MAGIC)
        return err;
    in.rest = str_cut(packed, 1, packed.len);
    if (get(&in) != FACTS_VERSION)
        return err;
    facts->lang = (uint8_t)get_below(&in, LANG_END);
    facts->flags = get(&in);
    if (!get_counts(&in, &counts))
        return err;
    facts->package = get_below(&in, counts.texts);
    if (!(err = texts_init(&facts->texts, FACTS_TEXT_MAX)) &&
        !(err = get_texts(&in, counts.texts, &facts->texts)) &&
        !(err = make_rows(facts, &counts)))
        err = get_rows(&in, &counts, facts);
    if (err)
        facts_fini(facts);
    return err;
}
