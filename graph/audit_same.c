/*
 * Two ways in which spans tell less than the declarations do.  A pattern with
 * an optional part is declared as two routes, and a route of a framework whose
 * spans tell its name under both; spans tell which pattern it was, not which of
 * its routes.  And where an application is mounted into another, those of the
 * outer one may tell no more than where: then silence below says nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/audit_candidate.h"
#include "graph/routes.h"

static int
compare_raw(const void *a, const void *b)
{
    const struct candidate *left = *(struct candidate *const *)a;
    const struct candidate *right = *(struct candidate *const *)b;

    if (left->service != right->service)
        return left->service < right->service ? -1 : 1;
    int order = str_order(left->raw, right->raw);
    if (!order)
        order = str_order(left->route.method, right->route.method);
    return order ? order : (left->id > right->id) - (left->id < right->id);
}

static bool
is_one_pattern(const struct candidate *a, const struct candidate *b)
{
    return a->service == b->service && a->raw.len > 0 &&
           str_eq(a->raw, b->raw) && str_eq(a->route.method, b->route.method);
}

/* |path| is |prefix| and more segments. */
static bool
is_below(str path, str prefix)
{
    return path.len > prefix.len && path.ptr[prefix.len] == '/' &&
           str_starts(path, prefix);
}

/* Whether |c| is its pattern without the part that is optional. */
static bool
is_without_part(const struct candidate *c, struct buf *text)
{
    buf_reset(text);
    return route_canonical(c->raw, 1, text) &&
           str_eq(buf_str(text), c->route.pattern);
}

/* Calls of `/users/{id?}` are told as those of `/users/{}`, with or without. */
static void
share(struct candidate *silent, const struct candidate *called,
      struct buf *text)
{
    if (called->is_shared || called->traffic.in_window == 0 ||
        silent->traffic.in_window > 0 || !called->is_named ||
        is_without_part(called, text))
        return;
    traffic_add(&silent->traffic, &called->traffic);
    silent->route.reasons |= UINT32_C(1) << AUDIT_GUESSED;
    silent->is_shared = true;
}

enum err
audit_share_patterns(struct candidate *rows, size_t declared)
{
    struct buf text = {0};
    struct candidate **by_raw =
        calloc(declared + 1, sizeof(struct candidate *));

    if (!by_raw)
        return ERR_NOMEM;
    for (size_t i = 0; i < declared; i++)
        by_raw[i] = &rows[i];
    qsort(by_raw, declared, sizeof(struct candidate *), compare_raw);
    for (size_t i = 0; i < declared; i++)
        for (size_t k = i + 1;
             k < declared && is_one_pattern(by_raw[i], by_raw[k]); k++) {
            share(by_raw[i], by_raw[k], &text);
            share(by_raw[k], by_raw[i], &text);
        }
    enum err err = text.failed ? ERR_NOMEM : OK;
    buf_fini(&text);
    free(by_raw);
    return err;
}

/* Whether |c| is declared below |mount|, for calls that it takes. */
static bool
is_mounted_at(const struct candidate *c, const struct candidate *mount)
{
    return c->service == mount->service &&
           route_method_fits(c->route.method, mount->route.method) &&
           is_below(route_path_trim(c->route.pattern),
                    route_path_trim(mount->route.pattern));
}

void
audit_find_mounts(struct candidate *rows, size_t declared,
                  struct candidate *seen)
{
    size_t below = 0;

    if (!seen->is_named || seen->traffic.in_window == 0 ||
        route_path_trim(seen->route.pattern).len == 0)
        return;
    for (size_t i = 0; i < declared; i++) {
        if (!is_mounted_at(&rows[i], seen))
            continue;
        if (rows[i].traffic.in_window > 0)
            return; /* what is below is told by its own name */
        below++;
    }
    for (size_t i = 0; i < declared && below > 0; i++)
        rows[i].is_hidden |= is_mounted_at(&rows[i], seen);
    if (below > 0) {
        seen->is_guess = true;
        seen->route.reasons |= UINT32_C(1) << AUDIT_GUESSED;
    }
}
