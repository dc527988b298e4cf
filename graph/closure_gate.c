/*
 * A service may have routes of several frameworks, and not all of them an
 * instrumentation.  Of what was seen there is a sorted array of hashes: each
 * service whose code says a route of calls, alone, with the framework and with
 * the file of that route.  Where there is none the audit itself has said what
 * can be seen.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "graph/closure_impl.h"

struct gate {
    const struct joined *joined;
    struct query_view *view;
    uint64_t *seen;
    size_t len;
};

/* The code of |route|, or NULL. */
static const struct code_route *
code_of(const struct gate *gate, const struct audit_route *route)
{
    uint32_t target = query_node(gate->view, route->node)->target;
    uint32_t at = join_of(gate->joined->join, target)->route;

    return at ? &gate->joined->code->routes[at - 1] : NULL;
}

static uint64_t
service_key(const struct audit_route *route)
{
    return hash_mix(3, route->service);
}

static uint64_t
framework_key(const struct audit_route *route, const struct code_route *code)
{
    return hash_mix(hash_bytes(code->framework, 1), route->service);
}

static uint64_t
file_key(const struct audit_route *route, const struct code_route *code)
{
    return hash_mix(hash_mix(2, code->file), route->service);
}

static int
compare_keys(const void *left, const void *right)
{
    const uint64_t *a = left;
    const uint64_t *b = right;

    return (*a > *b) - (*a < *b);
}

static enum err
find_seen(struct gate *gate, const struct audit *whole)
{
    gate->seen = calloc(3 * whole->len + 1, sizeof(*gate->seen));
    if (!gate->seen)
        return ERR_NOMEM;
    for (size_t i = 0; i < whole->len; i++) {
        const struct audit_route *route = &whole->routes[i];
        const struct code_route *code = code_of(gate, route);

        if (!code ||
            (route->total == 0 && route->verdict != VERDICT_SYNTHETIC_ONLY))
            continue;
        gate->seen[gate->len++] = service_key(route);
        gate->seen[gate->len++] = framework_key(route, code);
        gate->seen[gate->len++] = file_key(route, code);
    }
    qsort(gate->seen, gate->len, sizeof(*gate->seen), compare_keys);
    return OK;
}

static bool
was_seen(const struct gate *gate, uint64_t key)
{
    return bsearch(&key, gate->seen, gate->len, sizeof(key), compare_keys);
}

static bool
is_unheard(const struct gate *gate, const struct audit_route *route,
           const struct code_route *code)
{
    return route->total == 0 &&
           (route->verdict == VERDICT_NEVER_OBSERVED ||
            route->verdict == VERDICT_LOW) &&
           was_seen(gate, service_key(route)) &&
           !was_seen(gate, framework_key(route, code)) &&
           !was_seen(gate, file_key(route, code));
}

static void
take_back(struct audit *audit, struct audit_route *route)
{
    audit->by_verdict[route->verdict]--;
    audit->by_verdict[VERDICT_NOT_OBSERVABLE]++;
    route->verdict = VERDICT_NOT_OBSERVABLE;
    route->trust = TRUST_NONE;
    route->reasons |= UINT32_C(1) << AUDIT_FRAMEWORK;
}

enum err
closure_gate(const struct joined *joined, struct query_view *view,
             const struct audit *whole, struct audit *audit)
{
    struct gate gate = {joined, view, NULL, 0};

    if (find_seen(&gate, whole))
        return ERR_NOMEM;
    for (size_t i = 0; i < audit->len; i++) {
        struct audit_route *route = &audit->routes[i];
        const struct code_route *code = code_of(&gate, route);

        if (code && is_unheard(&gate, route, code))
            take_back(audit, route);
    }
    free(gate.seen);
    audit_sort(audit, view);
    return OK;
}
