#include "base/metrics.h"
#include "tests/graph/nodes_fixture.h"

static void
beyond_max_nodes_an_overflow_node_stands_for_the_rest(void **state)
{
    struct nodes *nodes = new_nodes(3, 10);
    uint32_t a = service(nodes, "a");
    uint32_t topic = nodes_intern(nodes, NODE_TOPIC, 0, STR("t"), NONE);
    uint32_t rpc = nodes_intern(nodes, NODE_RPC, a, STR("x/Y"), NONE);
    int64_t told = metrics_get(METRIC_OVERFLOWED_NAMES);
    uint32_t lost = service(nodes, "b");

    (void)state;
    assert_int_equal(lost, 4);
    assert_name(nodes, lost, NODE_NAME_OVERFLOW);
    assert_int_equal(service(nodes, "c"), lost);
    assert_int_equal(metrics_get(METRIC_OVERFLOWED_NAMES), told + 2);
    assert_int_equal(service(nodes, "a"), a);
    assert_int_equal(nodes_intern(nodes, NODE_TOPIC, 0, STR("t"), NONE), topic);
    assert_int_equal(nodes_overflow_estimate(nodes, lost), 2);
    assert_int_equal(nodes_overflow_estimate(nodes, rpc), 0);

    uint32_t routes = route(nodes, a, "GET /x", ROUTE_SOURCE_ATTR);
    assert_name(nodes, routes, NODE_NAME_OTHER);
    assert_int_equal(nodes_get(nodes, routes).owner, a);
    assert_int_equal(nodes_get(nodes, routes).source, ROUTE_SOURCE_OVERFLOW);
    nodes_free(nodes);
}

static void
overflow_nodes_are_bounded_too(void **state)
{
    struct nodes *nodes = new_nodes(1000, 10);
    char name[32];

    (void)state;
    for (uint32_t i = 1; i <= 1000; i++) {
        (void)snprintf(name, sizeof(name), "svc-%u", i);
        assert_int_equal(service(nodes, name), i);
    }
    for (uint32_t i = 1; i <= 1000; i++) {
        assert_int_not_equal(route(nodes, i, "GET /", ROUTE_SOURCE_ATTR), 0);
        assert_int_not_equal(nodes_intern(nodes, NODE_RPC, i, STR("a"), NONE),
                             0);
        assert_int_not_equal(
            nodes_intern(nodes, NODE_VERSION, i, STR("1"), NONE), 0);
    }
    assert_in_range(nodes_len(nodes), 1000, 1000 + 1000 / 16 + 2 * 64);
    nodes_free(nodes);
}

static void
guessed_routes_are_bounded_per_service_and_the_rest_is_estimated(void **state)
{
    struct nodes *nodes = new_nodes(1000000, 3000);
    uint32_t a = service(nodes, "a");
    uint32_t b = service(nodes, "b");
    uint32_t other = 0;
    char name[32];

    (void)state;
    for (uint32_t i = 0; i < 103000; i++) {
        (void)snprintf(name, sizeof(name), "GET /word%u", i);
        uint32_t id = route(nodes, a, name, ROUTE_SOURCE_HEURISTIC);
        if (i < 3000)
            assert_int_equal(id, i + 3);
        else
            other = id;
    }
    assert_int_equal(other, 3003);
    assert_int_equal(nodes_len(nodes), 3003);
    assert_name(nodes, other, NODE_NAME_OTHER);
    assert_int_equal(nodes_get(nodes, other).source, ROUTE_SOURCE_OVERFLOW);
    assert_in_range(nodes_overflow_estimate(nodes, other), 97000, 103000);

    /* Known routes and other services are not meant. */
    assert_int_equal(route(nodes, a, "GET /known", ROUTE_SOURCE_ATTR), 3004);
    assert_int_equal(route(nodes, b, "GET /x", ROUTE_SOURCE_HEURISTIC), 3005);
    nodes_free(nodes);
}

static void
functions_are_bounded_per_service(void **state)
{
    struct nodes *nodes = new_nodes(1000, 3);
    uint32_t a = service(nodes, "a");
    uint32_t b = service(nodes, "b");
    uint32_t last = 0;
    char name[32];

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        (void)snprintf(name, sizeof(name), "f%u", i);
        last = nodes_intern(nodes, NODE_SYMBOL, a, str_of(name), NONE);
        assert_name(nodes, last, i < 3 ? name : NODE_NAME_OVERFLOW);
        assert_int_equal(nodes_get(nodes, last).owner, a);
    }
    assert_int_equal(nodes_overflow_estimate(nodes, last), 2);
    assert_int_equal(nodes_intern(nodes, NODE_SYMBOL, a, STR("f1"), NONE),
                     last - 2);
    (void)nodes_intern(nodes, NODE_RPC, a, STR("r"), NONE);
    assert_name(nodes, nodes_intern(nodes, NODE_SYMBOL, b, STR("f"), NONE),
                "f");
    nodes_free(nodes);
}

static void
functions_that_were_stored_count_for_the_bound(void **state)
{
    struct nodes *nodes = new_nodes(1000, 2);
    struct node node = {.id = 1, .kind = NODE_SERVICE, .name = STR("a")};

    (void)state;
    assert_int_equal(nodes_load(nodes, &node), OK);
    node = (struct node){
        .id = 2, .kind = NODE_SYMBOL, .owner = 1, .name = STR("f")};
    assert_int_equal(nodes_load(nodes, &node), OK);
    assert_name(nodes, nodes_intern(nodes, NODE_SYMBOL, 1, STR("g"), NONE),
                "g");
    assert_name(nodes, nodes_intern(nodes, NODE_SYMBOL, 1, STR("h"), NONE),
                NODE_NAME_OVERFLOW);
    nodes_free(nodes);
}

static void
estimates_are_within_three_percent_at_every_size(void **state)
{
    struct nodes *nodes = new_nodes(1, 10);
    uint32_t other = 0;
    uint32_t next = 100;
    char name[32];

    (void)state;
    (void)service(nodes, "a");
    for (uint32_t i = 1; i <= 300000; i++) {
        (void)snprintf(name, sizeof(name), "%u", i);
        other = nodes_intern(nodes, NODE_TOPIC, 0, str_of(name), NONE);
        if (i != next)
            continue;
        assert_in_range(nodes_overflow_estimate(nodes, other), i - i * 3 / 100,
                        i + i * 3 / 100);
        next = next * 3;
    }
    nodes_free(nodes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(beyond_max_nodes_an_overflow_node_stands_for_the_rest),
        TEST(overflow_nodes_are_bounded_too),
        TEST(guessed_routes_are_bounded_per_service_and_the_rest_is_estimated),
        TEST(functions_are_bounded_per_service),
        TEST(functions_that_were_stored_count_for_the_bound),
        TEST(estimates_are_within_three_percent_at_every_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
