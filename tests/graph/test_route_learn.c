#include "tests/graph/routes_fixture.h"

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
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
