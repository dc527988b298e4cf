/*
 * An open table, at most half full, of all ends that are not declared as they
 * are: the route, and where its front ends.  Of several with the same end and
 * method, the first route is kept.
 */
#include "graph/route_ends.h"

#include <stdlib.h>

#include "base/hash.h"

enum { SLOTS_MIN = 64 };

struct route_end {
    uint32_t route; /* 1 + its index; 0: empty */
    uint32_t front; /* bytes */
};

void
route_ends_fini(struct route_ends *ends)
{
    free(ends->slots);
    *ends = (struct route_ends){0};
}

static struct route_end *
find_slot(const struct route_ends *ends, const struct route_table *table,
          str method, str end)
{
    uint32_t at = (uint32_t)hash_bytes(end, hash_bytes(method, 0));

    for (;; at++) {
        struct route_end *slot = &ends->slots[at & (ends->cap - 1)];
        str own;
        str pattern;

        if (!slot->route)
            return slot;
        route_table_at(table, slot->route - 1, &own, &pattern);
        if (str_eq(own, method) &&
            str_eq(str_cut(pattern, slot->front, pattern.len), end))
            return slot;
    }
}

static bool
grow(struct route_ends *ends, const struct route_table *table)
{
    struct route_ends wider = {.cap = ends->cap ? 2 * ends->cap : SLOTS_MIN};

    wider.slots = calloc(wider.cap, sizeof(*wider.slots));
    if (!wider.slots)
        return false;
    for (uint32_t i = 0; i < ends->cap; i++) {
        struct route_end end = ends->slots[i];
        str method;
        str pattern;

        if (!end.route)
            continue;
        route_table_at(table, end.route - 1, &method, &pattern);
        *find_slot(&wider, table, method,
                   str_cut(pattern, end.front, pattern.len)) = end;
    }
    free(ends->slots);
    ends->slots = wider.slots;
    ends->cap = wider.cap;
    return true;
}

/* Each end of the route |at| that has literal segments before it. */
static bool
take_in(struct route_ends *ends, const struct route_table *table, uint32_t at)
{
    str method;
    str pattern;

    route_table_at(table, at, &method, &pattern);
    for (size_t i = 1; i < pattern.len && i <= ROUTE_ENDS_FRONT_MAX + 1 &&
                       pattern.ptr[i] != '{';
         i++) {
        if (pattern.ptr[i] != '/')
            continue;
        if (2 * ends->len >= ends->cap && !grow(ends, table))
            return false;
        struct route_end *slot =
            find_slot(ends, table, method, str_cut(pattern, i, pattern.len));
        ends->len += slot->route == 0;
        if (slot->route == 0)
            *slot = (struct route_end){at + 1, (uint32_t)i};
    }
    return true;
}

str
route_ends_find(struct route_ends *ends, const struct route_table *table,
                str method, str pattern)
{
    str methods[] = {method, STR("ANY")};
    struct route_end best = {0, 0};
    str own;

    for (; ends->seen < route_table_len(table); ends->seen++)
        if (!take_in(ends, table, ends->seen))
            return (str){NULL, 0};
    for (size_t i = 0; i < 2 && ends->cap > 0; i++) {
        struct route_end found = *find_slot(ends, table, methods[i], pattern);
        if (found.route && (!best.route || found.route < best.route))
            best = found;
    }
    if (!best.route)
        return (str){NULL, 0};
    route_table_at(table, best.route - 1, &own, &pattern);
    return str_cut(pattern, 0, best.front);
}
