#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/buf.h"
#include "graph/identity.h"

static const char *
hex_of(const unsigned char *hash)
{
    static struct buf out;

    buf_reset(&out);
    buf_add_hex(&out, (str){(const char *)hash, SHA256_LEN});
    return buf_cstr(&out);
}

static void
hashes_are_those_of_the_recipe(void **state)
{
    const struct identity_name gateway = {STR("api-gateway"), STR(""),
                                          STR("api-gateway"), STR("service")};
    const struct identity_name unresolved = {
        STR("order-service"), STR("UNRESOLVED"), STR("POST /api/orders"),
        STR("runtime_endpoint")};
    const struct identity_name handler = {
        STR("user-service"), STR("api/handlers"), STR("GetUsersHandler"),
        STR("function")};
    unsigned char a[SHA256_LEN], b[SHA256_LEN], c[SHA256_LEN], e[SHA256_LEN];

    (void)state;
    identity_node(&gateway, a);
    assert_string_equal(
        hex_of(a),
        "78f2f276f1701e90c1b198ec6f74a5e8cbd39ac7085781a71f812cd8bb9c8c10");
    identity_node(&unresolved, b);
    assert_string_equal(
        hex_of(b),
        "911cb6e330b82c89d184034cc8e0c4b13898cd55952af48c2fdc027c70f3d2fe");
    identity_node(&handler, c);
    assert_string_equal(
        hex_of(c),
        "6f20189c694de50b5436c63440145d421df359045d667575d62e4df48a41a740");
    identity_edge(a, c, STR("runtime_calls"), STR(IDENTITY_PROVENANCE), e);
    assert_string_equal(
        hex_of(e),
        "b36ab6e9efdd67974c521617981e78c24aa223d5a70251da1716c9ded9208523");
    identity_edge(a, b, STR("runtime_calls"), STR(IDENTITY_PROVENANCE), e);
    assert_string_equal(
        hex_of(e),
        "5d16ee087b5c03200bd68628cb718440bc0e3d66fc0b89e0d2a3144083a0d20b");
}

static void
a_service_without_environment_has_the_plain_hash(void **state)
{
    struct nodes *nodes = NULL;
    unsigned char hash[SHA256_LEN];

    (void)state;
    assert_int_equal(nodes_new(&nodes, (struct nodes_cfg){100000, 100, 100}),
                     OK);
    uint32_t id =
        nodes_intern(nodes, NODE_SERVICE, 0, STR("api-gateway"), STR(""));
    identity_of_node(nodes, id, hash);
    assert_string_equal(
        hex_of(hash),
        "78f2f276f1701e90c1b198ec6f74a5e8cbd39ac7085781a71f812cd8bb9c8c10");
    nodes_free(nodes);
}

static void
everything_that_differs_has_another_hash(void **state)
{
    struct nodes *nodes = NULL;
    unsigned char hash[16][SHA256_LEN];
    unsigned len = 0;

    (void)state;
    assert_int_equal(nodes_new(&nodes, (struct nodes_cfg){100000, 100, 100}),
                     OK);
    uint32_t plain = nodes_intern(nodes, NODE_SERVICE, 0, STR("a"), STR(""));
    uint32_t prod = nodes_intern(nodes, NODE_SERVICE, 0, STR("a"), STR("p"));
    uint32_t stage = nodes_intern(nodes, NODE_SERVICE, 0, STR("a"), STR("s"));
    const uint32_t ids[] = {
        plain,
        prod,
        stage,
        nodes_intern(nodes, NODE_SERVICE, 0, STR("a@p"), STR("")),
        nodes_intern(nodes, NODE_RPC, plain, STR("x/y"), STR("")),
        nodes_intern(nodes, NODE_RPC, prod, STR("x/y"), STR("")),
        nodes_intern(nodes, NODE_CONSUMER, plain, STR("x/y"), STR("")),
        nodes_intern(nodes, NODE_TOPIC, 0, STR("x/y"), STR("")),
        nodes_intern(nodes, NODE_EXTERNAL, 0, STR("a"), STR("")),
    };
    for (; len < sizeof(ids) / sizeof(ids[0]); len++)
        identity_of_node(nodes, ids[len], hash[len]);
    identity_of_edge(nodes, (struct edge_key){plain, prod, EDGE_CALL},
                     hash[len++]);
    identity_of_edge(nodes, (struct edge_key){prod, plain, EDGE_CALL},
                     hash[len++]);
    identity_of_edge(nodes, (struct edge_key){plain, prod, EDGE_MSG},
                     hash[len++]);
    for (unsigned i = 0; i < len; i++) {
        for (unsigned k = 0; k < i; k++)
            assert_memory_not_equal(hash[i], hash[k], SHA256_LEN);
    }
    nodes_free(nodes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_recipe),
        cmocka_unit_test(a_service_without_environment_has_the_plain_hash),
        cmocka_unit_test(everything_that_differs_has_another_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
