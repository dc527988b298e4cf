/*
 * Two arrays, sorted by the paths and by the paths read backwards: what begins
 * or ends alike stands together, and its first is found by halves.
 */
#include "index/routes_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

static int
by_begin(const void *a, const void *b)
{
    const struct file_row *x = a;
    const struct file_row *y = b;
    int order = str_order(x->path, y->path);

    return order ? order : (x->file > y->file) - (x->file < y->file);
}

/* Letter |i| from the end, with a slash before the first; -1 before that. */
static int
letter_back(str s, size_t i)
{
    if (i < s.len)
        return (unsigned char)s.ptr[s.len - 1 - i];
    return i == s.len ? '/' : -1;
}

static int
order_backwards(str x, str y)
{
    size_t i = 0;

    while (i <= x.len && letter_back(x, i) == letter_back(y, i))
        i++;
    return letter_back(x, i) - letter_back(y, i);
}

static int
by_end(const void *a, const void *b)
{
    const struct file_row *x = a;
    const struct file_row *y = b;
    int order = order_backwards(x->path, y->path);

    return order ? order : (x->file > y->file) - (x->file < y->file);
}

static bool
make(struct parts *p)
{
    if (p->files_by_begin)
        return true;
    p->files_by_begin = calloc((size_t)p->len + 1, sizeof(struct file_row));
    p->files_by_end = calloc((size_t)p->len + 1, sizeof(struct file_row));
    if (!p->files_by_begin || !p->files_by_end) {
        files_fini(p);
        p->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < p->len; i++)
        p->files_by_begin[i] = (struct file_row){p->files[i].path, i};
    memcpy(p->files_by_end, p->files_by_begin,
           p->len * sizeof(struct file_row));
    qsort(p->files_by_begin, p->len, sizeof(struct file_row), by_begin);
    qsort(p->files_by_end, p->len, sizeof(struct file_row), by_end);
    return true;
}

void
files_fini(struct parts *p)
{
    free(p->files_by_begin);
    free(p->files_by_end);
    p->files_by_begin = NULL;
    p->files_by_end = NULL;
}

/* The first row that is not before the first file of path |key|. */
static uint32_t
first_of(const struct file_row *rows, uint32_t len,
         int (*order)(const void *a, const void *b), str key)
{
    const struct file_row sought = {key, 0};

    return (uint32_t)sorted_first(&sought, rows, len, sizeof(*rows), order);
}

struct file_range
files_below(struct parts *p, str prefix)
{
    if (!make(p))
        return (struct file_range){NULL, 0};
    uint32_t from = first_of(p->files_by_begin, p->len, by_begin, prefix);
    struct file_range range = {p->files_by_begin + from, 0};

    while (from + range.len < p->len &&
           str_starts(range.rows[range.len].path, prefix))
        range.len++;
    return range;
}

static bool
is_end(str path, str end)
{
    return path.len >= end.len &&
           memcmp(path.ptr + path.len - end.len, end.ptr, end.len) == 0 &&
           letter_back(path, end.len) == '/';
}

struct file_range
files_ending(struct parts *p, str end)
{
    if (end.len == 0 || !make(p))
        return (struct file_range){NULL, 0};
    uint32_t from = first_of(p->files_by_end, p->len, by_end, end);
    struct file_range range = {p->files_by_end + from, 0};

    while (from + range.len < p->len && is_end(range.rows[range.len].path, end))
        range.len++;
    return range;
}

bool
file_at(struct parts *p, str path, uint32_t *out)
{
    if (!make(p))
        return false;
    uint32_t at = first_of(p->files_by_begin, p->len, by_begin, path);
    if (at == p->len || !str_eq(p->files_by_begin[at].path, path))
        return false;
    *out = p->files_by_begin[at].file;
    return true;
}

size_t
files_common(const struct parts *p, uint32_t a, uint32_t b)
{
    str x = p->files[a].path;
    str y = p->files[b].path;
    size_t common = 0;

    for (size_t i = 0; i < x.len && i < y.len && x.ptr[i] == y.ptr[i]; i++)
        if (x.ptr[i] == '/')
            common = i + 1;
    return common;
}
