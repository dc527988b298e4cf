/*
 * A route behind a prefix ends with the other's path: that is looked up, from
 * the front for what is observed behind one, from the end for what is declared
 * so.  Only catch-alls and guesses are compared row by row, these where the
 * number of segments is right.
 */
#include "graph/audit_index.h"

#include <stdlib.h>
#include <string.h>

static str
path_of(const struct candidate *row)
{
    return route_path_trim(row->route.pattern);
}

static uint16_t
depth_of(str path)
{
    unsigned depth = path.len > 0;

    if (path.len > 0 && memmem(path.ptr, path.len, "{**}", 4))
        return UINT16_MAX;
    for (size_t i = 0; i < path.len; i++)
        depth += path.ptr[i] == '/';
    return (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
}

static bool
is_open(str path)
{
    return path.len >= 4 && !memcmp(path.ptr + path.len - 4, "{**}", 4) &&
           (path.len == 4 || path.ptr[path.len - 5] == '/');
}

/* From the end to the front; what ends with another comes behind it. */
static int
compare_ends(str a, str b)
{
    while (a.len && b.len) {
        unsigned char left = (unsigned char)a.ptr[--a.len];
        unsigned char right = (unsigned char)b.ptr[--b.len];

        if (left != right)
            return left < right ? -1 : 1;
    }
    return (a.len > 0) - (b.len > 0);
}

static int
compare_rows(const void *a, const void *b, void *ctx)
{
    const struct candidate *rows = ctx;
    const struct candidate *left = &rows[*(const uint32_t *)a];
    const struct candidate *right = &rows[*(const uint32_t *)b];

    if (left->service != right->service)
        return left->service < right->service ? -1 : 1;
    int order = compare_ends(path_of(left), path_of(right));
    return order ? order : (left > right) - (left < right);
}

enum err
audit_index_make(struct audit_index *out, struct candidate *const *rows,
                 size_t len)
{
    *out = (struct audit_index){.rows = rows, .len = len};
    out->by_end = calloc(len + 1, sizeof(*out->by_end));
    out->open = calloc(len + 1, sizeof(*out->open));
    out->depth = calloc(len + 1, sizeof(*out->depth));
    if (!out->by_end || !out->open || !out->depth) {
        audit_index_fini(out);
        return ERR_NOMEM;
    }
    for (size_t i = 0; i < len; i++) {
        out->by_end[i] = (uint32_t)i;
        out->depth[i] = depth_of(path_of(&(*rows)[i]));
        if (is_open(path_of(&(*rows)[i])))
            out->open[out->open_len++] = (uint32_t)i;
    }
    if (len)
        qsort_r(out->by_end, len, sizeof(*out->by_end), compare_rows, *rows);
    return OK;
}

void
audit_index_fini(struct audit_index *index)
{
    free(index->by_end);
    free(index->open);
    free(index->depth);
    *index = (struct audit_index){0};
}

struct asked {
    const struct audit_index *index;
    uint32_t service;
    struct route_name name;
    bool is_guess;
    audit_index_fn *fn;
    void *ctx;
};

/* Only fits of |from| to |to|: each row is offered for one of them. */
static void
offer(const struct asked *asked, size_t i, enum fit from, enum fit to)
{
    struct candidate *row = &(*asked->index->rows)[i];
    const struct route_name declared = {row->route.method, path_of(row)};
    enum fit fit = route_clears(declared, asked->name, asked->is_guess);

    if (fit >= from && fit <= to)
        asked->fn(asked->ctx, row, fit);
}

/* Rows that the observed path ends with. */
static void
each_behind(const struct asked *asked)
{
    const struct audit_index *index = asked->index;
    str path = asked->name.path;

    for (size_t at = 1; at < path.len; at++) {
        str end = str_cut(path, at, path.len);
        if (path.ptr[at - 1] != '/')
            continue;
        for (size_t i =
                 candidates_from(*index->rows, index->len, asked->service, end);
             i < index->len && (*index->rows)[i].service == asked->service &&
             str_eq(path_of(&(*index->rows)[i]), end);
             i++)
            offer(asked, i, FIT_MOUNTED, FIT_MOUNTED);
    }
}

/* Rows that end with the observed path. */
static void
each_before(const struct asked *asked)
{
    const struct audit_index *index = asked->index;
    str path = asked->name.path;
    size_t low = 0;
    size_t high = index->len;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct candidate *row = &(*index->rows)[index->by_end[mid]];

        if (row->service < asked->service ||
            (row->service == asked->service &&
             compare_ends(path_of(row), path) < 0))
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < index->len; low++) {
        const struct candidate *row = &(*index->rows)[index->by_end[low]];
        str whole = path_of(row);

        if (row->service != asked->service || whole.len < path.len ||
            !str_eq(str_cut(whole, whole.len - path.len, whole.len), path))
            break;
        offer(asked, index->by_end[low], FIT_MOUNTED, FIT_MOUNTED);
    }
}

static void
each_open(const struct asked *asked)
{
    const struct audit_index *index = asked->index;

    for (size_t i = 0; i < index->open_len; i++)
        if ((*index->rows)[index->open[i]].service == asked->service)
            offer(asked, index->open[i], FIT_GUESSED, FIT_GUESSED);
}

static void
each_guess(const struct asked *asked)
{
    const struct audit_index *index = asked->index;
    uint16_t depth = depth_of(asked->name.path);

    for (size_t i = candidates_from(*index->rows, index->len, asked->service,
                                    (str){"", 0});
         i < index->len && (*index->rows)[i].service == asked->service; i++)
        if (depth == UINT16_MAX || index->depth[i] == depth ||
            index->depth[i] == UINT16_MAX)
            offer(asked, i, FIT_GUESSED, FIT_GUESSED);
}

void
audit_index_each(const struct audit_index *index, uint32_t service,
                 struct route_name name, bool is_guess, audit_index_fn *fn,
                 void *ctx)
{
    const struct asked asked = {index, service, name, is_guess, fn, ctx};

    each_behind(&asked);
    each_before(&asked);
    if (is_guess)
        each_guess(&asked);
    else
        each_open(&asked);
}
