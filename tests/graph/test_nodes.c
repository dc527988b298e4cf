#include "tests/graph/nodes_fixture.h"

static void
ids_rise_by_one_and_are_found_again(void **state)
{
    struct nodes *nodes = new_nodes(100000, 10);
    char name[32];

    (void)state;
    for (uint32_t i = 1; i <= 20000; i++) {
        (void)snprintf(name, sizeof(name), "svc-%u", i);
        assert_int_equal(service(nodes, name), i);
    }
    for (uint32_t i = 1; i <= 20000; i++) {
        (void)snprintf(name, sizeof(name), "svc-%u", i);
        assert_int_equal(service(nodes, name), i);
        assert_int_equal(nodes_find(nodes, NODE_SERVICE, 0, str_of(name), NONE),
                         i);
        assert_name(nodes, i, name);
    }
    assert_int_equal(nodes_len(nodes), 20000);
    assert_int_equal(nodes_find(nodes, NODE_SERVICE, 0, STR("svc-20001"), NONE),
                     0);
    nodes_free(nodes);
}

static void
kind_owner_name_and_environment_tell_nodes_apart(void **state)
{
    struct nodes *nodes = new_nodes(100, 10);
    uint32_t a = nodes_intern(nodes, NODE_SERVICE, 0, STR("a"), NONE);
    uint32_t prod = nodes_intern(nodes, NODE_SERVICE, 0, STR("a"), STR("prod"));
    uint32_t topic = nodes_intern(nodes, NODE_TOPIC, 0, STR("a"), NONE);
    uint32_t rpc = nodes_intern(nodes, NODE_RPC, a, STR("a"), NONE);
    uint32_t other = nodes_intern(nodes, NODE_RPC, prod, STR("a"), NONE);

    (void)state;
    assert_int_equal(a, 1);
    assert_int_equal(prod, 2);
    assert_int_equal(topic, 3);
    assert_int_equal(rpc, 4);
    assert_int_equal(other, 5);
    /* Only services have an environment. */
    assert_int_equal(nodes_intern(nodes, NODE_TOPIC, 0, STR("a"), STR("prod")),
                     topic);
    struct node node = nodes_get(nodes, prod);
    assert_true(str_eq(node.env, STR("prod")));
    assert_int_equal(nodes_get(nodes, rpc).owner, a);
    assert_int_equal(nodes_get(nodes, rpc).kind, NODE_RPC);
    nodes_free(nodes);
}

static void
names_are_copied(void **state)
{
    struct nodes *nodes = new_nodes(100, 10);
    char name[] = "cart";
    uint32_t id = service(nodes, name);

    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    assert_name(nodes, id, "cart");
    nodes_free(nodes);
}

static void
hostile_names_are_cleaned_once_and_hit_again(void **state)
{
    struct nodes *nodes = new_nodes(100, 10);
    str raw = STR("a\x1b[31m\xe2\x80\xae\xff");
    uint32_t id = nodes_intern(nodes, NODE_SERVICE, 0, raw, STR("p\nq"));

    (void)state;
    assert_name(nodes, id, "a\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd");
    assert_true(str_eq(nodes_get(nodes, id).env, STR("p\xef\xbf\xbdq")));
    assert_int_equal(nodes_intern(nodes, NODE_SERVICE, 0, raw, STR("p\nq")),
                     id);
    assert_int_equal(nodes_len(nodes), 1);
    /* Text that is not ASCII is left alone. */
    id = service(nodes, "gr\xc3\xb6\xc3\x9f"
                        "e");
    assert_name(nodes, id,
                "gr\xc3\xb6\xc3\x9f"
                "e");
    nodes_free(nodes);
}

static void
a_name_may_have_256_bytes_and_a_longer_one_is_cut(void **state)
{
    struct nodes *nodes = new_nodes(100, 10);
    char name[NODE_NAME_MAX + 2];

    (void)state;
    memset(name, 'n', sizeof(name));
    uint32_t at =
        nodes_intern(nodes, NODE_TOPIC, 0, (str){name, NODE_NAME_MAX}, NONE);
    uint32_t past = nodes_intern(nodes, NODE_TOPIC, 0,
                                 (str){name, NODE_NAME_MAX + 1}, NONE);
    assert_int_equal(at, past);
    assert_int_equal(nodes_get(nodes, at).name.len, NODE_NAME_MAX);
    /* Never inside a character. */
    memcpy(name + NODE_NAME_MAX - 1, "\xc3\xb6", 2);
    past = nodes_intern(nodes, NODE_TOPIC, 0, (str){name, NODE_NAME_MAX + 1},
                        NONE);
    assert_int_equal(nodes_get(nodes, past).name.len, NODE_NAME_MAX - 1);
    nodes_free(nodes);
}

static void
a_better_source_replaces_a_worse_one_and_is_saved_again(void **state)
{
    struct nodes *nodes = new_nodes(100, 1);
    uint32_t a = service(nodes, "a");
    uint32_t id = route(nodes, a, "GET /x", ROUTE_SOURCE_HEURISTIC);

    (void)state;
    assert_int_equal(nodes_next_unsaved(nodes), a);
    assert_int_equal(nodes_next_unsaved(nodes), id);
    assert_int_equal(nodes_next_unsaved(nodes), 0);
    nodes_commit_saved(nodes);

    assert_int_equal(route(nodes, a, "GET /x", ROUTE_SOURCE_ATTR), id);
    assert_int_equal(nodes_get(nodes, id).source, ROUTE_SOURCE_ATTR);
    assert_int_equal(nodes_next_unsaved(nodes), id);
    assert_int_equal(nodes_next_unsaved(nodes), 0);
    nodes_commit_saved(nodes);

    assert_int_equal(route(nodes, a, "GET /x", ROUTE_SOURCE_NAME), id);
    assert_int_equal(nodes_get(nodes, id).source, ROUTE_SOURCE_ATTR);
    assert_int_equal(nodes_next_unsaved(nodes), 0);
    /* It is no guess any more: there is room for one again. */
    id = route(nodes, a, "GET /y", ROUTE_SOURCE_HEURISTIC);
    assert_name(nodes, id, "GET /y");
    id = route(nodes, a, "GET /z", ROUTE_SOURCE_HEURISTIC);
    assert_name(nodes, id, NODE_NAME_OTHER);
    nodes_free(nodes);
}

static void
what_a_failed_transaction_held_is_given_again(void **state)
{
    struct nodes *nodes = new_nodes(100, 10);
    uint32_t a = service(nodes, "a");
    uint32_t r = route(nodes, a, "GET /x", ROUTE_SOURCE_HEURISTIC);

    (void)state;
    assert_int_equal(nodes_next_unsaved(nodes), a);
    nodes_unsave_all(nodes);
    assert_int_equal(nodes_next_unsaved(nodes), a);
    assert_int_equal(nodes_next_unsaved(nodes), r);
    nodes_commit_saved(nodes);
    nodes_unsave_all(nodes);
    assert_int_equal(nodes_next_unsaved(nodes), 0);

    (void)route(nodes, a, "GET /x", ROUTE_SOURCE_ATTR);
    uint32_t b = service(nodes, "b");
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(nodes_next_unsaved(nodes), b);
        assert_int_equal(nodes_next_unsaved(nodes), r);
        assert_int_equal(nodes_next_unsaved(nodes), 0);
        nodes_unsave_all(nodes);
    }
    assert_int_equal(nodes_next_unsaved(nodes), b);
    nodes_commit_saved(nodes); /* r was not given: it stays */
    assert_int_equal(nodes_next_unsaved(nodes), r);
    nodes_commit_saved(nodes);
    assert_int_equal(nodes_next_unsaved(nodes), 0);
    nodes_free(nodes);
}

static void
an_alias_is_followed_on_interning_and_never_chained(void **state)
{
    struct nodes *nodes = new_nodes(100, 10);
    uint32_t a = service(nodes, "a");
    uint32_t r1 = route(nodes, a, "GET /x/a", ROUTE_SOURCE_HEURISTIC);
    uint32_t r2 = route(nodes, a, "GET /x/{}", ROUTE_SOURCE_HEURISTIC);
    uint32_t r3 = route(nodes, a, "GET /{}/{}", ROUTE_SOURCE_HEURISTIC);

    (void)state;
    while (nodes_next_unsaved(nodes))
        ;
    nodes_commit_saved(nodes);
    nodes_set_alias(nodes, r1, r2);
    assert_int_equal(route(nodes, a, "GET /x/a", ROUTE_SOURCE_HEURISTIC), r2);
    assert_int_equal(nodes_get(nodes, r1).alias, r2);
    assert_int_equal(nodes_next_unsaved(nodes), r1);
    assert_int_equal(nodes_next_unsaved(nodes), 0);
    nodes_commit_saved(nodes);

    nodes_set_alias(nodes, r2, r3);
    assert_int_equal(nodes_get(nodes, r1).alias, r3);
    assert_int_equal(nodes_get(nodes, r2).alias, r3);
    assert_int_equal(nodes_next_unsaved(nodes), r2);
    assert_int_equal(nodes_next_unsaved(nodes), r1);
    nodes_commit_saved(nodes);

    nodes_set_alias(nodes, r3, r1); /* a circle: no */
    assert_int_equal(nodes_get(nodes, r3).alias, 0);
    nodes_set_alias(nodes, r1, r3); /* nothing new: nothing to save */
    assert_int_equal(nodes_next_unsaved(nodes), 0);
    nodes_free(nodes);
}

static void
a_route_that_proves_real_stands_for_itself_again(void **state)
{
    struct nodes *nodes = new_nodes(100, 10);
    uint32_t a = service(nodes, "a");
    uint32_t r1 = route(nodes, a, "GET /posts/new", ROUTE_SOURCE_HEURISTIC);
    uint32_t r2 = route(nodes, a, "GET /posts/{}", ROUTE_SOURCE_HEURISTIC);

    (void)state;
    nodes_set_alias(nodes, r1, r2);
    assert_int_equal(route(nodes, a, "GET /posts/new", ROUTE_SOURCE_ATTR), r1);
    assert_int_equal(nodes_get(nodes, r1).alias, 0);
    nodes_free(nodes);
}

static void
stored_nodes_come_back_as_they_were(void **state)
{
    struct nodes *one = new_nodes(100, 2);
    struct nodes *two = new_nodes(100, 2);
    uint32_t a = nodes_intern(one, NODE_SERVICE, 0, STR("a"), STR("e"));
    uint32_t r1 = route(one, a, "GET /1", ROUTE_SOURCE_HEURISTIC);
    uint32_t r2 = route(one, a, "GET /2", ROUTE_SOURCE_HEURISTIC);
    uint32_t r3 = route(one, a, "GET /3", ROUTE_SOURCE_ATTR);

    (void)state;
    nodes_set_alias(one, r1, r2);
    for (uint32_t id = 1; id <= nodes_len(one); id++) {
        struct node node = nodes_get(one, id);
        assert_int_equal(nodes_load(two, &node), OK);
    }
    assert_int_equal(nodes_next_unsaved(two), 0);
    assert_int_equal(nodes_intern(two, NODE_SERVICE, 0, STR("a"), STR("e")), a);
    assert_int_equal(route(two, a, "GET /3", ROUTE_SOURCE_HEURISTIC), r3);
    assert_int_equal(nodes_get(two, r1).alias, r2);
    assert_int_equal(nodes_get(two, r3).source, ROUTE_SOURCE_ATTR);

    /* One live guess is loaded: there is room for one more, not for two. */
    assert_int_equal(route(two, a, "GET /4", ROUTE_SOURCE_HEURISTIC), 5);
    assert_name(two, route(two, a, "GET /5", ROUTE_SOURCE_HEURISTIC),
                NODE_NAME_OTHER);
    /* What was loaded as a target is known to be one. */
    nodes_set_alias(two, r2, r3);
    assert_int_equal(nodes_get(two, r1).alias, r3);
    nodes_free(one);
    nodes_free(two);
}

static void
what_cannot_have_been_stored_is_corrupt(void **state)
{
    struct nodes *nodes = new_nodes(100, 2);
    char name[NODE_NAME_MAX + 1];
    struct node good = {.id = 1, .kind = NODE_SERVICE, .name = STR("a")};

    (void)state;
    memset(name, 'a', sizeof(name));
    struct node bad = good;
    bad.id = 2;
    assert_int_equal(nodes_load(nodes, &bad), ERR_CORRUPT);
    bad = good;
    bad.owner = 1;
    assert_int_equal(nodes_load(nodes, &bad), ERR_CORRUPT);
    bad = good;
    bad.source = 17;
    assert_int_equal(nodes_load(nodes, &bad), ERR_CORRUPT);
    bad = good;
    bad.name = (str){name, sizeof(name)};
    assert_int_equal(nodes_load(nodes, &bad), ERR_CORRUPT);
    assert_int_equal(nodes_load(nodes, &good), OK);
    good.id = 2;
    assert_int_equal(nodes_load(nodes, &good), ERR_CORRUPT);
    assert_int_equal(nodes_len(nodes), 1);

    /* An alias to a node that never came is none. */
    struct node lost = {
        .id = 2, .kind = NODE_ROUTE, .owner = 1, .alias = 9, .name = STR("x")};
    assert_int_equal(nodes_load(nodes, &lost), OK);
    assert_int_equal(nodes_get(nodes, 2).alias, 0);
    nodes_free(nodes);
}

enum { THREADS = 4, NAMES = 6000 };

struct worker {
    struct nodes *nodes;
    uint32_t id[NAMES];
    unsigned nr;
};

static void *
intern_all(void *arg)
{
    struct worker *worker = arg;
    char name[32];

    for (unsigned i = 0; i < NAMES; i++) {
        unsigned at = (i + worker->nr * (NAMES / THREADS)) % NAMES;
        (void)snprintf(name, sizeof(name), "GET /%u", at);
        worker->id[at] = nodes_intern_route(
            worker->nodes, 1, str_of(name),
            worker->nr == 0 ? ROUTE_SOURCE_ATTR : ROUTE_SOURCE_HEURISTIC);
        if (worker->nr == 1 && at % 100 == 1)
            nodes_set_alias(worker->nodes, worker->id[at],
                            worker->id[at - 1] ? worker->id[at - 1] : 1);
    }
    return NULL;
}

static void
threads_agree_on_ids_while_the_graph_thread_saves(void **state)
{
    struct nodes *nodes = new_nodes(100000, 100000);
    struct worker *workers = calloc(THREADS, sizeof(*workers));
    unsigned char *seen = calloc(100000, 1);
    pthread_t threads[THREADS];

    (void)state;
    (void)service(nodes, "a");
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.nodes = nodes, .nr = i};
        assert_int_equal(
            pthread_create(&threads[i], NULL, intern_all, &workers[i]), 0);
    }
    for (int turn = 0; turn < 200; turn++) {
        for (uint32_t id; (id = nodes_next_unsaved(nodes));) {
            struct node node = nodes_get(nodes, id);
            assert_true(node.name.len > 0);
            seen[id] = seen[id] || turn % 3 != 0;
        }
        if (turn % 3 == 0)
            nodes_unsave_all(nodes);
        else
            nodes_commit_saved(nodes);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t id; (id = nodes_next_unsaved(nodes));)
        seen[id] = 1;

    assert_int_equal(nodes_len(nodes), NAMES + 1);
    for (uint32_t id = 1; id <= NAMES + 1; id++)
        assert_int_equal(seen[id], 1);
    for (unsigned at = 0; at < NAMES; at++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "GET /%u", at);
        uint32_t id = nodes_find(nodes, NODE_ROUTE, 1, str_of(name), NONE);
        assert_int_not_equal(id, 0);
        assert_int_equal(nodes_get(nodes, id).source, ROUTE_SOURCE_ATTR);
    }
    free(workers);
    free(seen);
    nodes_free(nodes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ids_rise_by_one_and_are_found_again),
        TEST(kind_owner_name_and_environment_tell_nodes_apart),
        TEST(names_are_copied),
        TEST(hostile_names_are_cleaned_once_and_hit_again),
        TEST(a_name_may_have_256_bytes_and_a_longer_one_is_cut),
        TEST(a_better_source_replaces_a_worse_one_and_is_saved_again),
        TEST(what_a_failed_transaction_held_is_given_again),
        TEST(an_alias_is_followed_on_interning_and_never_chained),
        TEST(a_route_that_proves_real_stands_for_itself_again),
        TEST(stored_nodes_come_back_as_they_were),
        TEST(what_cannot_have_been_stored_is_corrupt),
        TEST(threads_agree_on_ids_while_the_graph_thread_saves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
