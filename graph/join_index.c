/*
 * Keys are paths without slashes at their ends, names of methods and topics.
 */
#include "graph/join_index.h"

#include <stdlib.h>
#include <string.h>

#include "graph/audit_candidate.h"
#include "graph/code_build.h"

/* Segments of a template that are walked; deeper ones are found by their end.
 */
enum { DEPTH_MAX = 32 };

static str
key_of(const struct code *code, uint32_t route)
{
    str path = code->routes[route].canonical;

    return code_node(code, code->routes[route].node)->kind == CODE_ROUTE
               ? route_path_trim(path)
               : path;
}

/* ---- orders ---- */

static int
compare_end(str a, str b)
{
    size_t len = a.len < b.len ? a.len : b.len;

    for (size_t i = 1; i <= len; i++) {
        unsigned char left = (unsigned char)a.ptr[a.len - i];
        unsigned char right = (unsigned char)b.ptr[b.len - i];
        if (left != right)
            return left < right ? -1 : 1;
    }
    return (a.len > b.len) - (a.len < b.len);
}

static int
by_start(const void *left, const void *right, void *ctx)
{
    const struct code *code = ((const struct join_index *)ctx)->code;

    return str_order(key_of(code, *(const uint32_t *)left),
                     key_of(code, *(const uint32_t *)right));
}

static int
by_end(const void *left, const void *right, void *ctx)
{
    const struct code *code = ((const struct join_index *)ctx)->code;

    return compare_end(key_of(code, *(const uint32_t *)left),
                       key_of(code, *(const uint32_t *)right));
}

static int
by_text(const void *left, const void *right, void *ctx)
{
    const struct code *code = ((const struct join_index *)ctx)->code;

    return str_order(code->literals[*(const uint32_t *)left].text,
                     code->literals[*(const uint32_t *)right].text);
}

static int
by_path(const void *left, const void *right, void *ctx)
{
    const struct code *code = ((const struct join_index *)ctx)->code;

    return compare_end(code->files[*(const uint32_t *)left].path,
                       code->files[*(const uint32_t *)right].path);
}

enum err
join_index_make(struct join_index *index, const struct code *code)
{
    *index = (struct join_index){.code = code};
    index->by_end = calloc((size_t)code->route_len + 1, sizeof(uint32_t));
    index->by_start = calloc((size_t)code->route_len + 1, sizeof(uint32_t));
    index->literals = calloc((size_t)code->literal_len + 1, sizeof(uint32_t));
    index->files = calloc((size_t)code->file_len + 1, sizeof(uint32_t));
    if (!index->by_end || !index->by_start || !index->literals ||
        !index->files) {
        join_index_fini(index);
        return ERR_NOMEM;
    }
    for (uint32_t i = 0; i < code->route_len; i++)
        if (!(code->routes[i].flags & ROUTE_IS_CLIENT))
            index->by_end[index->len++] = i;
    memcpy(index->by_start, index->by_end, index->len * sizeof(uint32_t));
    for (uint32_t i = 0; i < code->literal_len; i++)
        if (code->literals[i].kind == LITERAL_SPAN)
            index->literals[index->literal_len++] = i;
    qsort_r(index->by_end, index->len, sizeof(uint32_t), by_end, index);
    qsort_r(index->by_start, index->len, sizeof(uint32_t), by_start, index);
    qsort_r(index->literals, index->literal_len, sizeof(uint32_t), by_text,
            index);
    for (uint32_t i = 1; i < code->file_len; i++)
        index->files[index->file_len++] = i;
    qsort_r(index->files, index->file_len, sizeof(uint32_t), by_path, index);
    return OK;
}

void
join_index_fini(struct join_index *index)
{
    free(index->by_end);
    free(index->by_start);
    free(index->literals);
    free(index->files);
    *index = (struct join_index){0};
}

/* ---- looking up ---- */

struct finding {
    const struct join_index *index;
    struct ids *out;
    struct buf *text; /* the template walked so far */
    enum err err;
};

/* The first of |order| that is not before |key|. */
static uint32_t
lower(const struct join_index *index, const uint32_t *order, str key,
      int (*compare)(str a, str b))
{
    uint32_t low = 0;
    uint32_t high = index->len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare(key_of(index->code, order[middle]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
take(struct finding *f, uint32_t route)
{
    if (!f->err)
        f->err = ids_add(f->out, route);
}

static void
take_equal(struct finding *f, str key)
{
    const struct join_index *index = f->index;

    for (uint32_t i = lower(index, index->by_start, key, str_order);
         i < index->len && str_eq(key_of(index->code, index->by_start[i]), key);
         i++)
        take(f, index->by_start[i]);
}

/* With a prefix more in the code, and with one less. */
static void
take_mounted(struct finding *f, str key)
{
    const struct join_index *index = f->index;

    for (uint32_t i = lower(index, index->by_end, key, compare_end);
         i < index->len && str_ends(key_of(index->code, index->by_end[i]), key);
         i++)
        take(f, index->by_end[i]);
    for (size_t i = 0; i < key.len; i++)
        if (key.ptr[i] == '/')
            take_equal(f, str_cut(key, i + 1, key.len));
}

/* Some route begins with what was walked. */
static bool
is_begun(const struct finding *f)
{
    const struct join_index *index = f->index;
    str key = buf_str(f->text);
    uint32_t at = lower(index, index->by_start, key, str_order);

    return at < index->len &&
           str_starts(key_of(index->code, index->by_start[at]), key);
}

static void
take_open(struct finding *f)
{
    size_t len = f->text->len;

    buf_add(f->text, len ? STR("/{**}") : STR("{**}"));
    take_equal(f, buf_str(f->text));
    f->text->len = len;
}

/* Templates that |rest| fits, behind what was walked: each segment as it is, or
 * a parameter. */
static void
take_covering(struct finding *f, str rest, unsigned depth)
{
    const char *slash = rest.len ? memchr(rest.ptr, '/', rest.len) : NULL;
    size_t len = slash ? (size_t)(slash - rest.ptr) : rest.len;
    const str choices[] = {str_cut(rest, 0, len), STR("{}")};
    size_t walked = f->text->len;

    take_open(f);
    if (rest.len == 0)
        take_equal(f, buf_str(f->text));
    if (rest.len == 0 || depth == DEPTH_MAX || f->err)
        return;
    for (size_t i = 0; i < 2; i++) {
        if (i == 1 && str_eq(choices[0], choices[1]))
            break;
        if (walked)
            buf_add_char(f->text, '/');
        buf_add(f->text, choices[i]);
        if (is_begun(f))
            take_covering(f, str_cut(rest, slash ? len + 1 : len, rest.len),
                          depth + 1);
        f->text->len = walked;
    }
}

static int
compare_ids(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

enum err
join_index_find(const struct join_index *index,
                const struct query_node *endpoint, struct ids *out,
                struct buf *text)
{
    struct finding f = {index, out, text, OK};
    str key = endpoint->kind == NODE_ROUTE ? route_name_of(endpoint->name).path
                                           : endpoint->name;
    size_t kept = 0;

    out->len = 0;
    buf_reset(text);
    buf_grow(text, 1); /* so that no view is of NULL */
    take_mounted(&f, key);
    if (endpoint->kind == NODE_ROUTE)
        take_covering(&f, key, 0);
    if (f.err || text->failed)
        return ERR_NOMEM;
    if (out->len == 0)
        return OK;
    qsort(out->ids, out->len, sizeof(*out->ids), compare_ids);
    for (size_t i = 1; i < out->len; i++)
        if (out->ids[i] != out->ids[kept])
            out->ids[++kept] = out->ids[i];
    out->len = kept + 1;
    return OK;
}

void
join_index_literals(const struct join_index *index, str text, uint32_t *first,
                    uint32_t *end)
{
    const struct code *code = index->code;
    uint32_t low = 0;
    uint32_t high = index->literal_len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (str_order(code->literals[index->literals[middle]].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (low < index->literal_len &&
           str_eq(code->literals[index->literals[low]].text, text))
        low++;
    *end = low;
}

uint32_t
join_index_file(const struct join_index *index, str path)
{
    const struct code_file *files = index->code->files;
    uint32_t low = 0;
    uint32_t high = index->file_len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_end(files[index->files[middle]].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
