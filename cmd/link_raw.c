/*
 * Routes that are paths, sorted by their registration, each before those that
 * come later in the code.
 */
#include "cmd/link_raw.h"

#include <stdlib.h>

static bool
is_named_apart(const struct code_route *route)
{
    return str_eq(route->framework, STR("symfony"));
}

/* By registration alone. */
static int
compare_places(const struct code_route *a, const struct code_route *b)
{
    if (a->repo != b->repo)
        return a->repo < b->repo ? -1 : 1;
    if (a->handler != b->handler)
        return a->handler < b->handler ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static int
compare_paths(const void *left, const void *right, void *ctx)
{
    const struct code_route *routes = *(const struct code_route **)ctx;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    int order = compare_places(&routes[a], &routes[b]);

    return order ? order : (a > b) - (a < b);
}

enum err
link_raw_make(struct link_raw *out, const struct code *code)
{
    const struct code_route *routes = code->routes;

    *out = (struct link_raw){.code = code};
    out->paths = calloc((size_t)code->route_len + 1, sizeof(*out->paths));
    if (!out->paths)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < code->route_len; i++)
        if (is_named_apart(&code->routes[i]) &&
            str_starts(code->routes[i].raw, STR("/")))
            out->paths[out->len++] = i;
    if (out->len > 0)
        qsort_r(out->paths, out->len, sizeof(*out->paths), compare_paths,
                &routes);
    return OK;
}

void
link_raw_fini(struct link_raw *raws)
{
    free(raws->paths);
    *raws = (struct link_raw){0};
}

str
link_raw_of(const struct link_raw *raws, const struct code_route *route)
{
    uint32_t low = 0;
    uint32_t high = raws->len;

    if (!is_named_apart(route))
        return route->raw;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (compare_places(&raws->code->routes[raws->paths[mid]], route) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == raws->len ||
        compare_places(&raws->code->routes[raws->paths[low]], route) != 0)
        return route->raw;
    return raws->code->routes[raws->paths[low]].raw;
}
