#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/routes.h"

#define NONE ((str){NULL, 0})

struct fixture {
    struct nodes *nodes;
    struct routes *routes;
    uint32_t service;
};

static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct nodes_cfg cfg = {.max_nodes = 1000000, .max_routes = 3000};

    assert_int_equal(nodes_new(&f->nodes, cfg), OK);
    assert_int_equal(routes_new(&f->routes, f->nodes), OK);
    f->service = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("a"), NONE);
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    routes_free(f->routes);
    nodes_free(f->nodes);
    free(f);
    return 0;
}

static void
declare(struct fixture *f, const char *method, const char *pattern)
{
    assert_int_equal(
        routes_declare(f->routes, f->service, str_of(method), str_of(pattern)),
        OK);
}

static void
check_match(struct fixture *f, const char *method, const char *path,
            const char *want)
{
    struct buf out = {0};
    bool found =
        routes_match(f->routes, f->service, str_of(method), str_of(path), &out);

    if (found != (want != NULL) || (found && strcmp(buf_cstr(&out), want) != 0))
        fail_msg("%s %s is %s, not %s", method, path,
                 found ? buf_cstr(&out) : "nothing", want ? want : "nothing");
    buf_fini(&out);
}

static void
nothing_matches_where_nothing_is_declared(void **state)
{
    struct fixture *f = *state;

    check_match(f, "GET", "/", NULL);
    declare(f, "GET", "/a");
    check_match(f, "GET", "/b", NULL);
    f->service++;
    check_match(f, "GET", "/a", NULL);
}

static void
the_more_exact_route_wins(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/{**}");
    declare(f, "GET", "/users/{}");
    declare(f, "GET", "/users/{}/posts/{}");
    declare(f, "GET", "/users/{}/{}/{}");
    declare(f, "GET", "/users/me");
    declare(f, "GET", "/{}/me");
    declare(f, "GET", "/u{}/me");
    declare(f, "GET", "/files/{**}");
    declare(f, "GET", "/files/{}/{}");
    declare(f, "GET", "/files/{}.json");
    declare(f, "GET", "/");
    check_match(f, "GET", "/users/me", "/users/me");
    check_match(f, "GET", "/users/you", "/users/{}");
    check_match(f, "GET", "/u1/me", "/u{}/me");
    check_match(f, "GET", "/x/me", "/{}/me");
    check_match(f, "GET", "/users/1/posts/2", "/users/{}/posts/{}");
    check_match(f, "GET", "/users/1/likes/2", "/users/{}/{}/{}");
    check_match(f, "GET", "/files/a/b", "/files/{}/{}");
    check_match(f, "GET", "/files/a.json", "/files/{}.json");
    check_match(f, "GET", "/files/.json", "/files/{**}");
    check_match(f, "GET", "/files/a/b/c", "/files/{**}");
    check_match(f, "GET", "/files", "/files/{**}");
    check_match(f, "GET", "/", "/");
    check_match(f, "GET", "/else/where", "/{**}");
}

static void
equals_go_to_the_first_declared(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/a/{}/c");
    declare(f, "GET", "/{}/b/c");
    check_match(f, "GET", "/a/b/c", "/a/{}/c");
}

static void
slashes_queries_and_parameters_do_not_matter(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/a/{}");
    check_match(f, "GET", "/a/1/", "/a/{}");
    check_match(f, "GET", "//a//1", "/a/{}");
    check_match(f, "GET", "/a/1?x=/2", "/a/{}");
    check_match(f, "GET", "/a/1#y", "/a/{}");
    check_match(f, "GET", "/a;v=1/1;jsessionid=2", "/a/{}");
    check_match(f, "GET", "/A/1", NULL);
}

static void
catch_alls_may_stand_in_the_middle(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/a/{**}/z");
    check_match(f, "GET", "/a/b/c/z", "/a/{**}/z");
    check_match(f, "GET", "/a/z", "/a/{**}/z");
    check_match(f, "GET", "/a/b", NULL);
}

static void
head_and_options_fall_to_get_and_all_to_any(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/g");
    declare(f, "ANY", "/any");
    declare(f, "", "/none");
    declare(f, "POST", "/p");
    declare(f, "HEAD", "/both");
    declare(f, "ANY", "/both");
    check_match(f, "HEAD", "/g", "/g");
    check_match(f, "OPTIONS", "/g", "/g");
    check_match(f, "POST", "/g", NULL);
    check_match(f, "DELETE", "/any", "/any");
    check_match(f, "HEAD", "/any", "/any");
    check_match(f, "PUT", "/none", "/none");
    check_match(f, "HEAD", "/p", NULL);
    check_match(f, "HEAD", "/both", "/both");
}

static void
declared_is_what_was_declared(void **state)
{
    struct fixture *f = *state;
    uint32_t s = f->service;

    assert_false(routes_is_declared(f->routes, s, STR("GET"), STR("/a")));
    declare(f, "GET", "/a/{}");
    declare(f, "GET", "/a/{}");
    assert_true(routes_is_declared(f->routes, s, STR("GET"), STR("/a/{}")));
    assert_false(routes_is_declared(f->routes, s, STR("PUT"), STR("/a/{}")));
    assert_false(routes_is_declared(f->routes, s, STR("GET"), STR("/a/b")));
    assert_false(routes_is_declared(f->routes, s, STR("GET"), STR("/a")));
    assert_false(
        routes_is_declared(f->routes, s + 1, STR("GET"), STR("/a/{}")));
}

static void
mounts_are_given_or_learnt(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/users/{}");
    declare(f, "GET", "/v1/carts/{}");
    check_match(f, "GET", "/shop/users/1", NULL);
    assert_int_equal(routes_mount(f->routes, f->service, STR("shop/")), OK);
    check_match(f, "GET", "/shop/users/1", "/users/{}");
    check_match(f, "GET", "/shopping/users/1", NULL);
    check_match(f, "GET", "/carts/1", NULL);
    routes_learn_mount(f->routes, f->service, STR("GET"), STR("/carts/{}"));
    check_match(f, "GET", "/carts/1", "/v1/carts/{}");
    check_match(f, "GET", "/api/users/1", NULL);
    routes_learn_mount(f->routes, f->service, STR("GET"), STR("/{}"));
    routes_learn_mount(f->routes, f->service, STR("POST"),
                       STR("/api/users/{}"));
    check_match(f, "GET", "/api/users/1", NULL);
    routes_learn_mount(f->routes, f->service, STR("GET"), STR("/api/users/{}"));
    check_match(f, "GET", "/api/users/1", "/users/{}");
    check_match(f, "GET", "/users/1", "/users/{}");
}

static void
mounts_are_bounded(void **state)
{
    struct fixture *f = *state;
    char prefix[200];

    for (int i = 0; i < 16; i++) {
        (void)snprintf(prefix, sizeof(prefix), "/m%d", i);
        assert_int_equal(routes_mount(f->routes, f->service, str_of(prefix)),
                         OK);
    }
    assert_int_equal(routes_mount(f->routes, f->service, STR("/m0")), OK);
    assert_int_equal(routes_mount(f->routes, f->service, STR("/n")), ERR_FULL);
    memset(prefix, 'x', sizeof(prefix));
    assert_int_equal(routes_mount(f->routes, f->service, (str){prefix, 129}),
                     ERR_INVALID);
}

static void
a_service_may_declare_100000_routes(void **state)
{
    struct fixture *f = *state;
    char pattern[64];

    for (int i = 0; i < 100000; i++) {
        (void)snprintf(pattern, sizeof(pattern), "/r%d/{}/x", i);
        declare(f, "GET", pattern);
    }
    declare(f, "GET", "/r0/{}/x");
    assert_int_equal(
        routes_declare(f->routes, f->service, STR("GET"), STR("/one/more")),
        ERR_FULL);
    check_match(f, "GET", "/r99999/5/x", "/r99999/{}/x");
    for (uint32_t s = 100; s < 300; s++)
        assert_int_equal(routes_declare(f->routes, s, STR("GET"), STR("/a")),
                         OK);
    f->service = 299;
    check_match(f, "GET", "/a", "/a");
}

static void
a_hostile_table_costs_a_bounded_time(void **state)
{
    struct fixture *f = *state;
    char pattern[256];

    for (unsigned i = 0; i < 1024; i++) {
        size_t len = 0;
        for (unsigned bit = 0; bit < 10; bit++)
            len += (size_t)snprintf(pattern + len, sizeof(pattern) - len, "/%s",
                                    i >> bit & 1 ? "{**}" : "a");
        (void)snprintf(pattern + len, sizeof(pattern) - len, "/z");
        declare(f, "GET", pattern);
    }
    for (int i = 0; i < 20; i++)
        check_match(f, "GET", "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a", NULL);
}

static void
check_template(struct fixture *f, const char *pattern, const char *want)
{
    struct buf out = {0};

    routes_template(f->routes, f->service, STR("GET"), str_of(pattern), &out);
    if (strcmp(buf_cstr(&out), want) != 0)
        fail_msg("%s is %s, not %s", pattern, buf_cstr(&out), want);
    buf_fini(&out);
}

static uint32_t
learn(struct fixture *f, const char *pattern)
{
    struct buf out = {0};

    buf_add(&out, STR("GET "));
    routes_template(f->routes, f->service, STR("GET"), str_of(pattern), &out);
    uint32_t id = nodes_intern_route(f->nodes, f->service, buf_str(&out),
                                     ROUTE_SOURCE_HEURISTIC);
    buf_fini(&out);
    return id;
}

static void
the_sixth_value_of_a_position_makes_it_a_variable(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"ann", "bob", "cyd", "dan", "eve"};
    uint32_t ids[5];
    char path[64];

    for (size_t i = 0; i < 5; i++) {
        (void)snprintf(path, sizeof(path), "/users/%s", names[i]);
        check_template(f, path, path);
        ids[i] = learn(f, path);
    }
    uint32_t wide = learn(f, "/users/fay");
    check_template(f, "/users/fay", "/users/{}");
    check_template(f, "/users/ann", "/users/{}");
    check_template(f, "/users/gil", "/users/{}");
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(nodes_get(f->nodes, ids[i]).alias, wide);
    assert_int_equal(nodes_get(f->nodes, wide).source, ROUTE_SOURCE_HEURISTIC);
    /* Not another depth, method or prefix. */
    check_template(f, "/users", "/users");
    check_template(f, "/users/gil/posts", "/users/gil/posts");
    check_template(f, "/carts/gil", "/carts/gil");
}

static void
paths_must_agree_in_half_of_their_segments(void **state)
{
    struct fixture *f = *state;
    char path[64];

    for (int i = 0; i < 8; i++) {
        (void)snprintf(path, sizeof(path), "/shop/m%cx/k%cx/l%cx", 'a' + i,
                       'a' + i, 'a' + i);
        check_template(f, path, path);
    }
    for (int i = 0; i < 8; i++) {
        (void)snprintf(path, sizeof(path), "/shop/n%cx/items/l%cx", 'a' + i,
                       'a' + i);
        (void)learn(f, path);
    }
    check_template(f, "/shop/zed/items/new", "/shop/{}/items/{}");
    check_template(f, "/shop/zed/other/new", "/shop/zed/other/new");
}

static void
merged_paths_are_compared_again(void **state)
{
    struct fixture *f = *state;
    char path[64];
    uint32_t first = learn(f, "/users/ann/pets/pa");

    for (int i = 1; i < 6; i++) {
        (void)snprintf(path, sizeof(path), "/users/n%cx/pets/p%c", 'a' + i,
                       'a' + i);
        (void)learn(f, path);
    }
    uint32_t last = learn(f, "/users/bob/pets/pz");
    assert_true(
        str_eq(nodes_get(f->nodes, last).name, STR("GET /users/{}/pets/{}")));
    assert_int_equal(nodes_get(f->nodes, first).alias, last);
}

static void
names_of_resources_take_more_than_five(void **state)
{
    struct fixture *f = *state;
    char path[64];

    for (int i = 0; i < 50; i++) {
        (void)snprintf(path, sizeof(path), "/api/v1/r%c%c/list", 'a' + i / 26,
                       'a' + i % 26);
        check_template(f, path, path);
        (void)snprintf(path, sizeof(path), "/r%c%c/list", 'a' + i / 26,
                       'a' + i % 26);
        check_template(f, path, path);
    }
    check_template(f, "/api/v1/more/list", "/api/v1/{}/list");
    check_template(f, "/more/list", "/{}/list");
    check_template(f, "/more", "/more");
}

static void
known_routes_stay(void **state)
{
    struct fixture *f = *state;
    char path[64];

    uint32_t id = nodes_intern_route(f->nodes, f->service,
                                     STR("GET /posts/new"), ROUTE_SOURCE_ATTR);
    for (int i = 0; i < 10; i++) {
        (void)snprintf(path, sizeof(path), "/posts/p%c", 'a' + i);
        (void)learn(f, path);
    }
    check_template(f, "/posts/old", "/posts/{}");
    check_template(f, "/posts/new", "/posts/new");
    assert_int_equal(nodes_get(f->nodes, id).alias, 0);
}

static void
what_was_learnt_survives_in_the_node_table(void **state)
{
    struct fixture *f = *state;
    struct fixture again = {.service = f->service};
    struct nodes_cfg cfg = {.max_nodes = 1000, .max_routes = 100};
    char path[64];

    for (int i = 0; i < 7; i++) {
        (void)snprintf(path, sizeof(path), "/users/n%cx/pets", 'a' + i);
        (void)learn(f, path);
        (void)snprintf(path, sizeof(path), "/four/w%c", 'a' + i % 4);
        (void)learn(f, path);
    }
    assert_int_equal(nodes_new(&again.nodes, cfg), OK);
    for (uint32_t id = 1; id <= nodes_len(f->nodes); id++) {
        struct node node = nodes_get(f->nodes, id);
        assert_int_equal(nodes_load(again.nodes, &node), OK);
    }
    assert_int_equal(routes_new(&again.routes, again.nodes), OK);
    check_template(&again, "/users/zed/pets", "/users/{}/pets");
    check_template(&again, "/users/zed/cats", "/users/zed/cats");
    check_template(&again, "/four/we", "/four/we");
    check_template(&again, "/four/wf", "/four/{}");
    routes_free(again.routes);
    nodes_free(again.nodes);
}

static void
a_flood_of_distinct_paths_is_bounded_and_estimated(void **state)
{
    struct fixture *f = *state;
    char path[64];
    uint32_t last = 0;
    uint32_t in_other = 0;

    for (unsigned i = 0; i < 100000; i++) {
        size_t len = (size_t)snprintf(path, sizeof(path), "/");
        for (unsigned n = i + 400000; n; n /= 13)
            path[len++] = (char)('g' + n % 13);
        path[len] = '\0';
        last = learn(f, path);
        in_other += str_eq(nodes_get(f->nodes, last).name, STR("{other}"));
    }
    assert_true(nodes_len(f->nodes) <= 3002);
    assert_int_equal(in_other, 97000);
    assert_in_range(nodes_overflow_estimate(f->nodes, last), 97000 * 97 / 100,
                    97000 * 103 / 100);

    for (unsigned i = 0; i < 100000; i++) {
        (void)snprintf(path, sizeof(path), "/a%u/b%u/c", i, i * 7);
        for (char *c = path; *c; c++)
            *c = *c >= '0' && *c <= '9' ? (char)(*c - '0' + 'g') : *c;
        last = learn(f, path);
    }
    assert_true(nodes_len(f->nodes) <= 3100);
}

struct reader {
    struct fixture *f;
    unsigned nr;
};

static void *
read_and_learn(void *arg)
{
    struct reader *reader = arg;
    struct fixture *f = reader->f;
    struct buf out = {0};
    char path[64];

    for (unsigned i = 0; i < 2000; i++) {
        (void)snprintf(path, sizeof(path), "/r%u/17", i % 300);
        buf_reset(&out);
        if (routes_match(f->routes, f->service, STR("GET"), str_of(path), &out))
            assert_true(out.len > 4);
        (void)snprintf(path, sizeof(path), "/t/w%c%c", 'a' + (int)(i % 20),
                       'a' + (int)reader->nr);
        (void)learn(f, path);
    }
    buf_fini(&out);
    return NULL;
}

static void
threads_match_and_learn_while_one_declares(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[3];
    struct reader readers[3];
    char pattern[64];

    for (unsigned i = 0; i < 3; i++) {
        readers[i] = (struct reader){f, i};
        assert_int_equal(
            pthread_create(&threads[i], NULL, read_and_learn, &readers[i]), 0);
    }
    for (int i = 0; i < 300; i++) {
        (void)snprintf(pattern, sizeof(pattern), "/r%d/{}", i);
        declare(f, "GET", pattern);
    }
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    check_match(f, "GET", "/r299/1", "/r299/{}");
    check_template(f, "/t/new", "/t/{}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_matches_where_nothing_is_declared),
        TEST(the_more_exact_route_wins),
        TEST(equals_go_to_the_first_declared),
        TEST(slashes_queries_and_parameters_do_not_matter),
        TEST(catch_alls_may_stand_in_the_middle),
        TEST(head_and_options_fall_to_get_and_all_to_any),
        TEST(declared_is_what_was_declared),
        TEST(mounts_are_given_or_learnt),
        TEST(mounts_are_bounded),
        TEST(a_service_may_declare_100000_routes),
        TEST(a_hostile_table_costs_a_bounded_time),
        TEST(the_sixth_value_of_a_position_makes_it_a_variable),
        TEST(paths_must_agree_in_half_of_their_segments),
        TEST(merged_paths_are_compared_again),
        TEST(names_of_resources_take_more_than_five),
        TEST(known_routes_stay),
        TEST(what_was_learnt_survives_in_the_node_table),
        TEST(a_flood_of_distinct_paths_is_bounded_and_estimated),
        TEST(threads_match_and_learn_while_one_declares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
