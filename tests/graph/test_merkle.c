#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "graph/identity.h"
#include "graph/merkle.h"

/* Computed apart, from the recipe as it is written down. */
static const struct {
    const char *what;
    uint32_t groups[8]; /* package << 8 | type of leaf i, whose hash is i + 1
                           thirty-two times */
    size_t len;
    const char *root;
    const char *snapshot;
} cases[] = {
#include "tests/graph/merkle_vectors.h"
};

static void
check_hex(const char *what, const unsigned char *hash, const char *expected)
{
    struct buf hex = {0};

    buf_add_hex(&hex, (str){(const char *)hash, SHA256_LEN});
    if (strcmp(buf_cstr(&hex), expected) != 0)
        fail_msg("%s: %s, not %s", what, buf_cstr(&hex), expected);
    buf_fini(&hex);
}

static void
roots_are_those_of_the_recipe(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct merkle_leaf leaves[8] = {0};
        unsigned char root[SHA256_LEN];
        unsigned char snapshot[SHA256_LEN];
        for (size_t n = 0; n < cases[i].len; n++) {
            leaves[n].package = cases[i].groups[n] >> 8;
            leaves[n].type = cases[i].groups[n] & 0xff;
            memset(leaves[n].hash, (int)n + 1, SHA256_LEN);
        }
        assert_int_equal(merkle_root(leaves, cases[i].len, root), OK);
        check_hex(cases[i].what, root, cases[i].root);
        merkle_snapshot(root, snapshot);
        check_hex(cases[i].what, snapshot, cases[i].snapshot);
    }
}

static void
the_order_of_leaves_and_the_numbers_of_packages_do_not_matter(void **state)
{
    struct merkle_leaf leaves[40];
    unsigned char first[SHA256_LEN];
    unsigned char again[SHA256_LEN];

    (void)state;
    for (int round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 40; i++) {
            uint32_t n = (i * 7 + (uint32_t)round * 3) % 40;
            leaves[i].package =
                (n % 5) * 1000 + (uint32_t)(round % 4) * 77 +
                (uint32_t)(round & 1 ? 5000 - (n % 5) * 2000 : 0);
            leaves[i].type = 1 + n % 3;
            memset(leaves[i].hash, (int)n + 1, SHA256_LEN);
        }
        assert_int_equal(merkle_root(leaves, 40, round ? again : first), OK);
        if (round)
            assert_memory_equal(first, again, SHA256_LEN);
    }
}

static void
identities_in_a_row_are_those_one_by_one(void **state)
{
    struct hash_state *hashing = NULL;
    unsigned char node[SHA256_LEN];
    unsigned char other[SHA256_LEN];
    unsigned char edge[SHA256_LEN];
    char node_hex[IDENTITY_HEX_LEN];
    char other_hex[IDENTITY_HEX_LEN];

    (void)state;
    for (int i = 0; i < 3; i++) {
        identity_node_many(
            &hashing,
            &(struct identity_name){STR("user-service"), STR("api/handlers"),
                                    STR("GetUsersHandler"), STR("function")},
            node);
        check_hex("handler", node,
                  "6f20189c694de50b5436c63440145d421df359045d667575d62e4df48a"
                  "41a740");
        identity_node_many(&hashing,
                           &(struct identity_name){STR("api-gateway"), STR(""),
                                                   STR("api-gateway"),
                                                   STR("service")},
                           other);
        check_hex("service", other,
                  "78f2f276f1701e90c1b198ec6f74a5e8cbd39ac7085781a71f812cd8bb"
                  "9c8c10");
        identity_hex(node, node_hex);
        identity_hex(other, other_hex);
        identity_edge_many(&hashing,
                           &(struct identity_edge){other_hex, node_hex,
                                                   STR("runtime_calls"),
                                                   STR("otel_trace")},
                           edge);
        check_hex("edge", edge,
                  "b36ab6e9efdd67974c521617981e78c24aa223d5a70251da1716c9ded9"
                  "208523");
    }
    hash_state_free(hashing);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_those_of_the_recipe),
        cmocka_unit_test(
            the_order_of_leaves_and_the_numbers_of_packages_do_not_matter),
        cmocka_unit_test(identities_in_a_row_are_those_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
