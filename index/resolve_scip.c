/*
 * Two walks over the index: the first learns which definition each symbol is,
 * by the place of its name, the second looks at the places of calls.  Columns
 * are turned into bytes by walking the line, on from the occurrence before it
 * where they are in order, within a budget, so that an index made to be slow is
 * only cut short.
 */
#include "index/resolve_scip.h"

#include <stdlib.h>

#include "base/grow.h"
#include "index/resolve_impl.h"
#include "index/scip.h"

enum { STEPS_PER_BYTE = 64 };

struct joining {
    struct resolver *r;
    resolve_source_fn *source;
    void *ctx;
    struct resolve_scip_taken *taken;
    bool is_defining;
    struct map defs;   /* symbol -> global def + 1 */
    struct map places; /* of the document: line, column -> def or call */
    struct buf content;
    uint32_t *lines; /* where each begins */
    uint32_t line_len;
    uint32_t line_cap;
    uint32_t file;
    uint32_t encoding;
    uint64_t steps;
    struct { /* where the last column was found */
        uint32_t line;
        uint32_t col;
        uint32_t byte;
    } last;
};

static bool
split_lines(struct joining *j)
{
    j->line_len = 0;
    for (size_t at = 0; at <= j->content.len;) {
        if (!grow_room(j->lines, j->line_len, j->line_cap))
            return false;
        j->lines[j->line_len++] = (uint32_t)at;
        const char *end =
            at < j->content.len
                ? memchr(j->content.ptr + at, '\n', j->content.len - at)
                : NULL;
        if (!end)
            break;
        at = (size_t)(end - j->content.ptr) + 1;
    }
    return true;
}

/* How many units a character counts that begins with |byte|. */
static uint32_t
units_of(uint32_t encoding, unsigned char byte)
{
    if ((byte & 0xC0) == 0x80)
        return encoding == SCIP_UTF8 ? 1 : 0;
    return byte >= 0xF0 && encoding != SCIP_UTF32 && encoding != SCIP_UTF8 ? 2
                                                                           : 1;
}

/* The column in bytes; UINT32_MAX: no such place, or out of budget. */
static uint32_t
byte_column(struct joining *j, uint32_t line, uint32_t col)
{
    if (line == 0 || line > j->line_len)
        return UINT32_MAX;
    uint32_t from = j->lines[line - 1];
    uint32_t end =
        line < j->line_len ? j->lines[line] : (uint32_t)j->content.len;
    if (j->last.line != line || j->last.col > col) {
        j->last.line = line;
        j->last.col = 0;
        j->last.byte = from;
    }
    while (j->last.col < col && j->last.byte < end && j->steps > 0) {
        unsigned char byte = (unsigned char)j->content.ptr[j->last.byte++];
        j->last.col += units_of(j->encoding, byte);
        j->steps--;
    }
    /* On to the beginning of the character. */
    while (j->last.byte < end &&
           ((unsigned char)j->content.ptr[j->last.byte] & 0xC0) == 0x80)
        j->last.byte++;
    return j->last.col == col ? j->last.byte - from : UINT32_MAX;
}

static uint64_t
place_of(uint32_t line, uint32_t col)
{
    return (uint64_t)line << 32 | col;
}

/* A symbol of its document only has a name that others use, too. */
static sym
symbol_of(struct joining *j, str symbol)
{
    struct buf full = {0};
    sym name;

    if (!str_starts(symbol, STR("local ")))
        return sym_add(j->r, symbol);
    buf_printf(&full, "%u ", j->file);
    buf_add(&full, symbol);
    name = full.failed ? 0 : sym_add(j->r, buf_str(&full));
    buf_fini(&full);
    return name;
}

static enum err
take_occurrence(void *ctx, const struct scip_occurrence *at)
{
    struct joining *j = ctx;

    if (at->is_definition != j->is_defining || at->symbol.len == 0)
        return OK;
    uint32_t col = byte_column(j, at->line, at->col);
    if (col == UINT32_MAX)
        return OK;
    uint32_t here = map_get(&j->places, place_of(at->line, col));
    if (!here)
        return OK;
    sym symbol = symbol_of(j, at->symbol);
    if (!symbol)
        return ERR_NOMEM;
    if (j->is_defining)
        return map_put(&j->defs, symbol, here) ? OK : ERR_NOMEM;
    uint32_t target = map_get(&j->defs, symbol);
    if (!target)
        return OK;
    j->taken->calls++;
    uint32_t call = j->r->sources[j->file].expr_base + here;
    return map_put(&j->r->told, call, target) ? OK : ERR_NOMEM;
}

static bool
note_places(struct joining *j)
{
    const struct facts *facts = j->r->sources[j->file].facts;
    bool is_kept = true;

    for (uint32_t id = 1; j->is_defining && id < facts->def_len; id++) {
        const struct fact_def *def = &facts->defs[id];
        if (is_function_kind(def->kind) || is_type_kind(def->kind))
            is_kept =
                is_kept && map_put(&j->places, place_of(def->line, def->col),
                                   gdef(j->r, j->file, id) + 1);
    }
    for (uint32_t id = 1; !j->is_defining && id < facts->expr_len; id++) {
        const struct fact_expr *call = &facts->exprs[id];
        if (call->kind == EXPR_CALL || call->kind == EXPR_NEW)
            is_kept = is_kept &&
                      map_put(&j->places, place_of(call->line, call->col), id);
    }
    return is_kept;
}

static enum err
take_document(void *ctx, const struct scip_document *doc)
{
    struct joining *j = ctx;
    struct resolver *r = j->r;
    uint32_t file = map_get(&r->path_file, sym_find(r, doc->path));

    buf_reset(&j->content);
    if (!file || !j->source(j->ctx, doc->path, &j->content) ||
        j->content.failed || j->content.len >= UINT32_MAX) {
        j->taken->unmatched += j->is_defining;
        return OK;
    }
    j->taken->documents += j->is_defining;
    j->file = file - 1;
    j->encoding = doc->encoding;
    j->steps = STEPS_PER_BYTE * ((uint64_t)j->content.len + 1);
    j->last.line = 0;
    map_fini(&j->places);
    if (!split_lines(j) || !note_places(j))
        return ERR_NOMEM;
    return scip_occurrences(doc, take_occurrence, j);
}

enum err
resolver_scip(struct resolver *r, str index, resolve_source_fn *source,
              void *ctx, struct resolve_scip_taken *out)
{
    struct joining j = {
        .r = r,
        .source = source,
        .ctx = ctx,
        .taken = out,
        .is_defining = true,
    };

    *out = (struct resolve_scip_taken){0};
    enum err err = scip_documents(index, take_document, &j);
    j.is_defining = false;
    if (!err)
        err = scip_documents(index, take_document, &j);
    map_fini(&j.defs);
    map_fini(&j.places);
    buf_fini(&j.content);
    free(j.lines);
    return r->failed ? ERR_NOMEM : err;
}
