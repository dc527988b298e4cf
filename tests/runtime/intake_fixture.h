/*
 * intake_fixture - attributes in, names out.
 *
 * What the tests of the intake share.  A case lists attributes as "key=value"
 * (a value of digits is an integer, one of digits and a point a double, `true`
 * a boolean), and what nodes the stub names as "kind name".
 */
#ifndef TESTS_RUNTIME_INTAKE_FIXTURE_H
#define TESTS_RUNTIME_INTAKE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/intake.h"

#define NOW  (UINT64_C(1800000000) * 1000000000)
#define HOUR (UINT64_C(3600) * 1000000000)
#define NONE ((str){NULL, 0})

enum { ATTRS_MAX = 10 };

struct fixture {
    struct nodes *nodes;
    struct routes *routes;
    struct intake_cfg cfg;
    struct intake_lane *lane;
    struct span_visitor to;
    struct attr_set resource;
    struct attr_set attrs;
    str scope; /* of what send() sends */
};

static inline int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct nodes_cfg cfg = {
        .max_nodes = 1000000, .max_routes = 3000, .max_symbols = 3000};

    assert_int_equal(nodes_new(&f->nodes, cfg), OK);
    assert_int_equal(routes_new(&f->routes, f->nodes), OK);
    f->cfg = (struct intake_cfg){
        .past_ns = 48 * HOUR,
        .future_ns = HOUR / 6,
        .exclude_agents = intake_default_agents,
        .exclude_agents_len = intake_default_agents_len,
    };
    assert_int_equal(intake_lane_new(&f->lane, &f->cfg, f->nodes, f->routes),
                     OK);
    f->scope = STR("scope");
    *state = f;
    return 0;
}

static inline int
tear_down(void **state)
{
    struct fixture *f = *state;

    intake_lane_free(f->lane);
    routes_free(f->routes);
    nodes_free(f->nodes);
    free(f);
    return 0;
}

static inline enum attr
attr_of(const char *key, size_t len)
{
#define KEY(id, name) name,
    static const char *const keys[] = {ATTRS(KEY)};
#undef KEY
    for (unsigned i = 0; i < ATTR_COUNT; i++)
        if (strlen(keys[i]) == len && memcmp(keys[i], key, len) == 0)
            return (enum attr)i;
    fail_msg("no attribute %s", key);
    return ATTR_COUNT;
}

static inline void
set(struct attr_set *attrs, const char *pair)
{
    const char *value = strchr(pair, '=') + 1;
    enum attr id = attr_of(pair, (size_t)(value - pair) - 1);
    size_t len = strlen(value);

    attrs->mask[id / 64] |= UINT64_C(1) << (id % 64);
    attrs->value[id] = (struct attr_value){
        .type = ATTR_STR, .len = (uint32_t)len, .str = value};
    if (strcmp(value, "true") == 0)
        attrs->value[id] = (struct attr_value){.type = ATTR_BOOL, .i = 1};
    else if (len > 0 && strspn(value, "0123456789") == len)
        attrs->value[id] =
            (struct attr_value){.type = ATTR_INT, .i = atoll(value)};
    else if (len > 1 && strspn(value, "0123456789") + 2 == len &&
             value[len - 2] == '.')
        attrs->value[id] =
            (struct attr_value){.type = ATTR_DOUBLE, .d = strtod(value, NULL)};
}

static inline void
set_all(struct attr_set *attrs, const char *const *pairs)
{
    *attrs = (struct attr_set){.mask = {0}};
    for (; *pairs; pairs++)
        set(attrs, *pairs);
}

static inline struct stub_batch *
take(struct fixture *f)
{
    struct stub_batch *batch;

    assert_int_equal(intake_take(f->lane, &batch), OK);
    return batch;
}

/* Sends |span| with f->attrs from f->resource. */
static inline struct stub
send(struct fixture *f, struct span span)
{
    span.attrs = &f->attrs;
    if (!span.start_ns) {
        span.start_ns = NOW;
        span.end_ns = NOW + 1000;
    }
    intake_begin(f->lane, NOW, &f->to);
    f->to.resource(f->to.ctx, &f->resource);
    f->to.scope(f->to.ctx, f->scope, NONE);
    f->to.span(f->to.ctx, &span);
    struct stub_batch *batch = take(f);
    assert_int_equal(batch->stub_len, 1);
    struct stub stub = batch->stubs[0];
    stub_batch_free(batch);
    return stub;
}

/* "kind name" of a node; of a service its environment too. */
static inline void
describe(struct fixture *f, uint32_t id, char *to, size_t cap)
{
    struct node node = {.name = STR("")};

    (void)snprintf(to, cap, "-");
    if (!id)
        return;
    node = nodes_get(f->nodes, id);
    const char *kind = node.kind == NODE_SCOPE     ? "scope"
                       : node.kind == NODE_VERSION ? "version"
                                                   : node_kind_str(node.kind);
    (void)snprintf(to, cap, "%s %.*s%s%.*s", kind, (int)node.name.len,
                   node.name.ptr, node.env.len ? " @" : "", (int)node.env.len,
                   node.env.len ? node.env.ptr : "");
}

static inline void
check_node(struct fixture *f, const char *what, uint32_t id, const char *want)
{
    char got[600];

    describe(f, id, got, sizeof(got));
    if (strcmp(got, want ? want : "-") != 0)
        fail_msg("%s: is %s, not %s", what, got, want ? want : "-");
}

struct row {
    uint8_t kind;
    const char *name;
    const char *attrs[ATTRS_MAX];
    const char *endpoint;
    const char *peer;
    uint32_t flags; /* all but the weight's */
};

static inline void
check_rows(struct fixture *f, const struct row *rows, size_t len)
{
    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    /* Twice: the second time everything is remembered. */
    for (size_t i = 0; i < 2 * len; i++) {
        const struct row *row = &rows[i % len];
        char what[200];
        (void)snprintf(what, sizeof(what), "row %zu of %zu (%s, %s), turn %zu",
                       i % len, len, row->name, row->attrs[0], i / len);
        set_all(&f->attrs, row->attrs);
        struct stub stub = send(
            f, (struct span){.kind = row->kind, .name = str_of(row->name)});
        check_node(f, what, stub.endpoint, row->endpoint);
        check_node(f, what, stub.peer, row->peer);
        if ((stub.flags & ~STUB_WEIGHT_KNOWN) != row->flags)
            fail_msg("%s: flags are %x, not %x", what, stub.flags, row->flags);
    }
}

#define CHECK(rows) check_rows(f, rows, sizeof(rows) / sizeof(*(rows)))

#define IN  STUB_INGRESS
#define OUT STUB_EGRESS

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
