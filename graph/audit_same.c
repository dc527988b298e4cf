/*
 * What is declared twice for a service, and two ways in which spans tell less
 * than the declarations do.  A pattern with an optional part is declared as two
 * routes, and a route of a framework whose spans tell its name under both: they
 * are one.  And where an application is mounted into another, those of the
 * outer one may tell no more than where: then silence below says nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/audit_candidate.h"
#include "graph/routes.h"

/* Paths of documents below a route that nobody declared, from which on it seems
 * a mount. */
enum { MOUNT_LEAST = 2 };

/* What the code says goes before a document, and a service's own declaration
 * before one that was spread to it. */
static int
rank_of(const struct candidate *c)
{
    return 2 * c->is_code + !c->is_spread;
}

static bool
is_same_route(const struct candidate *a, const struct candidate *b)
{
    return a->service == b->service &&
           str_eq(a->route.method, b->route.method) &&
           str_eq(a->route.pattern, b->route.pattern);
}

size_t
audit_drop_twice(struct audit_facts *facts, struct candidate *rows, size_t len)
{
    size_t kept = 0;

    for (size_t i = 0; i < len; i++) {
        struct candidate *last = kept ? &rows[kept - 1] : NULL;

        if (!last || !is_same_route(last, &rows[i])) {
            rows[kept++] = rows[i];
            continue;
        }
        uint32_t created_s = last->route.created_s < rows[i].route.created_s
                                 ? last->route.created_s
                                 : rows[i].route.created_s;
        if (rank_of(&rows[i]) > rank_of(last))
            *last = rows[i];
        last->route.created_s = created_s;
        facts->services[last->service].declared--;
    }
    return kept;
}

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
    if (prefix.len == 0)
        return path.len > 0;
    return path.len > prefix.len && path.ptr[prefix.len] == '/' &&
           str_starts(path, prefix);
}

/* One registration is alive by any of its forms: calls of `/users/{id?}` are
 * told as those of `/users/{}`, and of the form that nobody calls there is
 * nothing to remove. */
static void
share(struct candidate *silent, const struct candidate *called)
{
    if (called->is_shared || called->traffic.in_window == 0 ||
        silent->traffic.in_window > 0)
        return;
    traffic_add(&silent->traffic, &called->traffic);
    silent->route.reasons |= UINT32_C(1) << AUDIT_GUESSED;
    silent->is_shared = true;
}

enum err
audit_share_patterns(struct candidate *rows, size_t declared)
{
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
            share(by_raw[i], by_raw[k]);
            share(by_raw[k], by_raw[i]);
        }
    free(by_raw);
    return OK;
}

/* Where |seen| would be a mount: a router that hands on all below a path may
 * tell it with the catch-all, `/sub/{**}`. */
static str
mount_path(const struct candidate *seen)
{
    str path = route_path_trim(seen->route.pattern);

    size_t last = path.len > 4 ? path.len - 4 : 0;
    if (str_eq(str_cut(path, last, path.len), STR("{**}")))
        path = route_path_trim(str_cut(path, 0, last));
    return path;
}

/* Whether spans ever told a name below |mount|: of any method, declared or not,
 * as whoever tells one of them tells them all.  Below the root are others, too:
 * there it is one of |rows| that is mounted. */
static bool
is_told_below(const struct audit_facts *facts, const struct candidate *rows,
              size_t len, const struct candidate *mount)
{
    str prefix = mount_path(mount);

    for (size_t i = 0; i < len && prefix.len == 0; i++)
        if (rows[i].is_below && rows[i].is_named)
            return true;
    if (prefix.len == 0)
        return false;
    for (size_t i = 0; i < facts->endpoint_len; i++) {
        const struct endpoint *endpoint = &facts->endpoints[i];
        const struct query_node *node = query_node(facts->view, endpoint->node);

        if (endpoint->service == mount->service && node->kind == NODE_ROUTE &&
            route_is_named(node) && !route_is_catch_all(node) &&
            endpoint->node != mount->route.node &&
            is_below(route_name_of(node->name).path, prefix))
            return true;
    }
    return false;
}

/* How much of |a| is of |b| too, in whole segments. */
static size_t
common_len(str a, str b)
{
    size_t common = 0;
    size_t i = 0;

    while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
        if (a.ptr[i++] == '/')
            common = i;
    return common;
}

/* Whether spans told a name beside |seen| that none would have whose mount is
 * all that they tell: of a mounted route that begins like it and then has a
 * variable, which where to mount has not.  Then |seen|, of the same mount, is a
 * route like others, say a collection. */
static bool
is_told_beside(const struct candidate *rows, size_t declared,
               const struct candidate *seen)
{
    str path = mount_path(seen);

    for (size_t i = candidates_from(rows, declared, seen->service, STR(""));
         i < declared && rows[i].service == seen->service; i++) {
        str other = route_path_trim(rows[i].route.pattern);
        size_t common = common_len(other, path);

        if (rows[i].is_below && rows[i].is_named && common > 0 &&
            !is_below(other, path) &&
            memchr(other.ptr + common, '{', other.len - common))
            return true;
    }
    return false;
}

/* Whether |c|, declared below |mount|, takes its calls and may be one that
 * spans tell nothing of: code says so, documents leave it open. */
static bool
may_hide(const struct candidate *c, const struct candidate *mount)
{
    return c->is_code == c->is_below &&
           route_method_fits(c->route.method, mount->route.method);
}

/* Whether what is declared in |rows|, all below |mount|, says that it is one: a
 * mounted route of the code, or several paths of documents; one may be any
 * route's child, and a catch-all, the root and what is declared itself say
 * nothing of documents. */
static bool
is_mount(const struct candidate *rows, size_t len,
         const struct candidate *mount)
{
    str prefix = mount_path(mount);
    bool is_open = mount->route.is_declared || prefix.len == 0 ||
                   prefix.len < route_path_trim(mount->route.pattern).len;
    str last = {"", 0};
    size_t count = 0;

    for (size_t i = 0; i < len; i++) {
        str path = route_path_trim(rows[i].route.pattern);

        if (!may_hide(&rows[i], mount))
            continue;
        if (rows[i].is_below)
            return true;
        count += !is_open && !str_eq(path, last);
        last = path;
    }
    return count >= MOUNT_LEAST;
}

/* How many of |rows|, the first of which is not before `prefix/`, are below. */
static size_t
count_below(const struct candidate *rows, size_t len, uint32_t service,
            str prefix)
{
    size_t count = 0;

    while (count < len && rows[count].service == service &&
           is_below(route_path_trim(rows[count].route.pattern), prefix))
        count++;
    return count;
}

enum err
audit_find_mounts(const struct audit_facts *facts, struct candidate *rows,
                  size_t declared, struct candidate *seen)
{
    str path = mount_path(seen);
    struct buf prefix = {0};

    bool may_be = !seen->route.is_declared || seen->is_below;
    if (!may_be || !seen->is_named || seen->traffic.in_window == 0)
        return OK;
    buf_add(&prefix, path);
    if (path.len > 0)
        buf_add_char(&prefix, '/');
    if (prefix.failed) {
        buf_fini(&prefix);
        return ERR_NOMEM;
    }
    size_t first =
        candidates_from(rows, declared, seen->service, buf_str(&prefix));
    buf_fini(&prefix);
    while (first < declared && rows[first].service == seen->service &&
           route_path_trim(rows[first].route.pattern).len == 0)
        first++; /* the root itself */
    size_t len =
        count_below(rows + first, declared - first, seen->service, path);
    if (!is_mount(rows + first, len, seen) ||
        is_told_below(facts, rows + first, len, seen) ||
        (seen->route.is_declared && is_told_beside(rows, declared, seen)))
        return OK;
    rows += first;
    for (size_t i = 0; i < len; i++)
        rows[i].is_hidden |=
            rows[i].traffic.total == 0 && may_hide(&rows[i], seen);
    if (seen->route.is_declared)
        return OK;
    seen->is_mount = true;
    seen->route.reasons |= UINT32_C(1) << AUDIT_GUESSED;
    return OK;
}
