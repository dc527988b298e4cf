/*
 * An edge of the past is a row that had ended when the snapshot was made.  Of
 * those, the ones whose identity is there in another row are no news: their
 * places changed.  Names are looked up among vertices as they were when the
 * edge was last there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "graph/code_db.h"
#include "graph/code_history.h"
#include "graph/code_load.h"

/* A row still to be named. */
struct past_edge {
    struct code_stale *row;
    int64_t src;
    int64_t dst;
    int64_t file; /* of src */
    bool is_alive;
};

struct search {
    struct past_edge *edges; /* by hash; then one of each */
    size_t len;
    size_t cap;
    uint32_t generation;
    struct code_graph *memory;
};

static bool
is_guess(int64_t type)
{
    return type == CODE_MAY_CALL || type == CODE_MAY_DISPATCH;
}

static enum err
see_ended(void *ctx, const struct code_row *row)
{
    struct search *search = ctx;

    if (row->died == 0 || row->died > search->generation ||
        is_guess(row->ints[LINK_TYPE]))
        return OK;
    if (row->texts[LINK_HASH].len != SHA256_LEN)
        return ERR_CORRUPT;
    if (!grow_room(search->edges, search->len, search->cap))
        return ERR_NOMEM;
    struct code_stale *stale =
        code_graph_alloc(search->memory, 1, sizeof(*stale));
    if (!stale)
        return ERR_NOMEM;
    memcpy(stale->hash, row->texts[LINK_HASH].ptr, SHA256_LEN);
    stale->type = (uint8_t)row->ints[LINK_TYPE];
    stale->provenance = (uint8_t)row->ints[LINK_PROVENANCE];
    stale->last_generation = row->died - 1;
    search->edges[search->len++] = (struct past_edge){
        .row = stale,
        .src = row->ints[LINK_SRC],
        .dst = row->ints[LINK_DST],
    };
    return OK;
}

/* By identity, the latest in front. */
static int
compare_edges(const void *a, const void *b)
{
    const struct code_stale *x = ((const struct past_edge *)a)->row;
    const struct code_stale *y = ((const struct past_edge *)b)->row;
    int order = memcmp(x->hash, y->hash, SHA256_LEN);

    if (order)
        return order;
    return x->last_generation > y->last_generation
               ? -1
               : x->last_generation < y->last_generation;
}

static void
keep_latest(struct search *search)
{
    size_t kept = 0;

    if (search->len)
        qsort(search->edges, search->len, sizeof(*search->edges),
              compare_edges);
    for (size_t i = 0; i < search->len; i++)
        if (kept == 0 || memcmp(search->edges[kept - 1].row->hash,
                                search->edges[i].row->hash, SHA256_LEN) != 0)
            search->edges[kept++] = search->edges[i];
    search->len = kept;
}

static int
compare_hash(const void *hash, const void *edge)
{
    return memcmp(hash, ((const struct past_edge *)edge)->row->hash,
                  SHA256_LEN);
}

static enum err
see_alive(void *ctx, const struct code_row *row)
{
    struct search *search = ctx;

    if (row->texts[LINK_HASH].len != SHA256_LEN)
        return ERR_CORRUPT;
    struct past_edge *edge =
        search->len ? bsearch(row->texts[LINK_HASH].ptr, search->edges,
                              search->len, sizeof(*edge), compare_hash)
                    : NULL;
    if (edge)
        edge->is_alive = true;
    return OK;
}

static void
drop_alive(struct search *search)
{
    size_t kept = 0;

    for (size_t i = 0; i < search->len; i++)
        if (!search->edges[i].is_alive)
            search->edges[kept++] = search->edges[i];
    search->len = kept;
}

/* ---- names ---- */

static int
compare_src(const void *a, const void *b)
{
    const struct past_edge *x = a;
    const struct past_edge *y = b;

    return x->src < y->src ? -1 : x->src > y->src;
}

static int
compare_dst(const void *a, const void *b)
{
    const struct past_edge *x = a;
    const struct past_edge *y = b;

    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

static int
compare_file(const void *a, const void *b)
{
    const struct past_edge *x = a;
    const struct past_edge *y = b;

    return x->file < y->file ? -1 : x->file > y->file;
}

typedef int compare_fn(const void *a, const void *b);

/* Where the edges like |key| begin, in the order of |compare|. */
static size_t
find_first(const struct search *search, const struct past_edge *key,
           compare_fn *compare)
{
    return sorted_first(key, search->edges, search->len, sizeof(*key), compare);
}

static bool
was_there(const struct code_row *row, const struct past_edge *edge)
{
    uint32_t then = edge->row->last_generation;

    return row->born <= then && (row->died == 0 || row->died > then);
}

static str
name_of(struct search *search, const struct code_row *row)
{
    str package = row->texts[SYMBOL_PACKAGE];
    const str parts[] = {package, package.len ? STR(".") : (str){0},
                         row->texts[SYMBOL_NAME]};
    const char *text = code_graph_text(search->memory, parts, 3);

    return (str){text, text ? parts[0].len + parts[1].len + parts[2].len : 0};
}

static enum err
see_src(void *ctx, const struct code_row *row)
{
    struct search *search = ctx;
    struct past_edge key = {.src = row->ints[SYMBOL_NUM]};

    for (size_t i = find_first(search, &key, compare_src);
         i < search->len && search->edges[i].src == key.src; i++) {
        struct past_edge *edge = &search->edges[i];
        if (!was_there(row, edge))
            continue;
        edge->row->src = name_of(search, row);
        edge->row->src_line = (uint32_t)row->ints[SYMBOL_LINE];
        edge->file = row->ints[SYMBOL_FILE];
        if (!edge->row->src.ptr)
            return ERR_NOMEM;
    }
    return OK;
}

static enum err
see_dst(void *ctx, const struct code_row *row)
{
    struct search *search = ctx;
    struct past_edge key = {.dst = row->ints[SYMBOL_NUM]};

    for (size_t i = find_first(search, &key, compare_dst);
         i < search->len && search->edges[i].dst == key.dst; i++) {
        if (!was_there(row, &search->edges[i]))
            continue;
        search->edges[i].row->dst = name_of(search, row);
        if (!search->edges[i].row->dst.ptr)
            return ERR_NOMEM;
    }
    return OK;
}

static enum err
see_file(void *ctx, const struct code_row *row)
{
    struct search *search = ctx;
    struct past_edge key = {.file = row->ints[FILE_NUM]};

    for (size_t i = find_first(search, &key, compare_file);
         i < search->len && search->edges[i].file == key.file; i++) {
        if (!was_there(row, &search->edges[i]))
            continue;
        str path = row->texts[FILE_PATH];
        const char *kept = code_graph_text(search->memory, &path, 1);
        if (!kept)
            return ERR_NOMEM;
        search->edges[i].row->src_path = (str){kept, path.len};
    }
    return OK;
}

static enum err
name_all(struct search *search, struct code_store *cs, struct code_when when)
{
    static const struct {
        compare_fn *order;
        code_row_fn *see;
        enum code_table table;
    } passes[] = {
        {compare_src, see_src, CODE_NODES},
        {compare_dst, see_dst, CODE_NODES},
        {compare_file, see_file, CODE_FILES},
    };
    enum err err = OK;

    for (int i = 0; i < 3 && !err && search->len > 0; i++) {
        qsort(search->edges, search->len, sizeof(*search->edges),
              passes[i].order);
        err = code_store_each(cs, passes[i].table, when, passes[i].see, search);
    }
    return err;
}

/* ---- the whole ---- */

static int
compare_stales(const void *a, const void *b)
{
    const struct code_stale *x = a;
    const struct code_stale *y = b;

    if (x->last_generation != y->last_generation)
        return x->last_generation > y->last_generation ? -1 : 1;
    return memcmp(x->hash, y->hash, SHA256_LEN);
}

static enum err
run(struct search *search, struct code_past *past, struct code_stales *out)
{
    struct code_when ever = {past->when.repo, CODE_ALL};
    enum err err;

    search->generation = past->when.generation;
    if ((err =
             code_store_each(past->store, CODE_EDGES, ever, see_ended, search)))
        return err;
    keep_latest(search);
    if ((err = code_store_each(past->store, CODE_EDGES, past->when, see_alive,
                               search)))
        return err;
    drop_alive(search);
    if ((err = name_all(search, past->store, ever)))
        return err;
    out->rows = calloc(search->len + 1, sizeof(*out->rows));
    if (!out->rows)
        return ERR_NOMEM;
    for (size_t i = 0; i < search->len; i++)
        out->rows[i] = *search->edges[i].row;
    out->len = search->len;
    qsort(out->rows, out->len, sizeof(*out->rows), compare_stales);
    return OK;
}

enum err
code_stale_edges(struct code_db *db, const struct code *code, uint32_t index,
                 struct code_stales *out, struct buf *why)
{
    struct search search = {
        .memory = calloc(1, sizeof(*search.memory)),
    };
    struct code_past past = {0};
    enum err err = ERR_NOMEM;

    *out = (struct code_stales){.memory = search.memory};
    if (search.memory &&
        !(err = code_history_begin(db, code, index, &past, why)) &&
        (err = run(&search, &past, out)))
        code_db_explain(db, past.store, err, why);
    code_store_close(past.store);
    free(search.edges);
    if (err)
        code_stales_fini(out);
    return err;
}

void
code_stales_fini(struct code_stales *stales)
{
    free(stales->rows);
    code_graph_free(stales->memory);
    *stales = (struct code_stales){0};
}
