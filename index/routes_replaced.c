/*
 * Routes that another of the same router takes the place of: sorted by their
 * keys, all but those of the last that has the key are no more.
 */
#include <stdlib.h>

#include "index/routes_router.h"

struct keyed {
    uint32_t router;
    text_id key;
    uint32_t entry;
};

static int
by_key(const void *a, const void *b)
{
    const struct keyed *x = a;
    const struct keyed *y = b;

    if (x->router != y->router)
        return x->router < y->router ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* One route has an entry for each of its methods and paths. */
static bool
is_same_route(const struct route_entry *a, const struct route_entry *b)
{
    return a->at.file == b->at.file && a->at.id == b->at.id &&
           a->at_def == b->at_def;
}

static void
drop(struct parts *p, const struct keyed *rows, uint32_t len)
{
    uint32_t end;

    for (uint32_t i = 0; i < len; i = end) {
        for (end = i + 1; end < len && rows[end].router == rows[i].router &&
                          rows[end].key == rows[i].key;)
            end++;
        const struct route_entry *last = &p->entries[rows[end - 1].entry];
        for (uint32_t k = i; k < end; k++)
            if (!is_same_route(&p->entries[rows[k].entry], last))
                p->entries[rows[k].entry].flags |= ENTRY_GONE;
    }
}

void
entries_replace(struct parts *p)
{
    uint32_t len = 0;

    for (uint32_t i = 0; i < p->entry_len; i++)
        len += p->entries[i].key != 0;
    if (len < 2)
        return;
    struct keyed *rows = calloc(len, sizeof(*rows));
    if (!rows) {
        p->failed = true;
        return;
    }
    len = 0;
    for (uint32_t i = 0; i < p->entry_len; i++)
        if (p->entries[i].key)
            rows[len++] =
                (struct keyed){p->entries[i].router, p->entries[i].key, i};
    qsort(rows, len, sizeof(*rows), by_key);
    drop(p, rows, len);
    free(rows);
}
