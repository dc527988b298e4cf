/*
 * Graphs whose best groups, or whose modularity, are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graph/louvain.h"

enum { EDGES_MAX = 4096 };

static struct louvain_edge edges[EDGES_MAX];
static size_t len;
static struct louvain found;

static void
edge(uint32_t a, uint32_t b, double weight)
{
    assert_true(len < EDGES_MAX);
    edges[len++] = (struct louvain_edge){a, b, weight};
}

static int
begin(void **state)
{
    (void)state;
    len = 0;
    found = (struct louvain){0};
    return 0;
}

static int
end(void **state)
{
    (void)state;
    louvain_fini(&found);
    return 0;
}

/* As it is defined: the share of weight within groups, less what it would be
 * if the same degrees were wired by chance. */
static double
modularity_of(const uint32_t *group_of, uint32_t nodes)
{
    double within = 0, all = 0, chance = 0;

    for (size_t i = 0; i < len; i++) {
        if (edges[i].weight <= 0 || edges[i].a >= nodes || edges[i].b >= nodes)
            continue;
        all += edges[i].weight;
        within +=
            group_of[edges[i].a] == group_of[edges[i].b] ? edges[i].weight : 0;
    }
    for (uint32_t group = 0; group < nodes && all > 0; group++) {
        double degree = 0;
        for (size_t i = 0; i < len; i++)
            if (edges[i].weight > 0 && edges[i].a < nodes && edges[i].b < nodes)
                degree += edges[i].weight * ((group_of[edges[i].a] == group) +
                                             (group_of[edges[i].b] == group));
        chance += degree / (2 * all) * (degree / (2 * all));
    }
    return all > 0 ? within / all - chance : 0;
}

static void
run(uint32_t nodes)
{
    louvain_fini(&found);
    assert_int_equal(louvain_make(nodes, edges, len, NULL, &found), OK);
    double again = modularity_of(found.group_of, nodes);
    assert_true(fabs(again - found.modularity) < 1e-9);
}

static void
clique(uint32_t from, uint32_t size)
{
    for (uint32_t a = from; a < from + size; a++)
        for (uint32_t b = a + 1; b < from + size; b++)
            edge(a, b, 1);
}

static void
shuffle(uint32_t seed)
{
    for (size_t i = len; i > 1; i--) {
        seed = seed * 1664525 + 1013904223;
        size_t k = (seed >> 8) % i;
        struct louvain_edge swap = edges[k];
        edges[k] = edges[i - 1];
        edges[i - 1] = swap;
        if (seed >> 31) {
            uint32_t a = edges[k].a;
            edges[k].a = edges[k].b;
            edges[k].b = a;
        }
    }
}

static void
two_triangles_are_two_groups_of_known_modularity(void **state)
{
    (void)state;
    clique(0, 3);
    clique(3, 3);
    edge(2, 3, 1);
    run(6);
    assert_int_equal(found.group_len, 2);
    assert_int_equal(found.group_of[0], 0);
    assert_int_equal(found.group_of[2], 0);
    assert_int_equal(found.group_of[3], 1);
    assert_int_equal(found.group_of[5], 1);
    assert_true(fabs(found.modularity - (6.0 / 7 - 0.5)) < 1e-12);
}

/* Zachary's: 34 members, 78 ties; the optimum is 0.4198. */
static void
karate(void)
{
    static const char *const ties[34] = {
        [0] = "\1\2\3\4\5\6\7\10\12\13\14\15\21\23\25\37",
        [1] = "\2\3\7\15\21\23\25\36",
        [2] = "\3\7\10\11\15\33\34\40",
        [3] = "\7\14\15",
        [4] = "\6\12",
        [5] = "\6\12\20",
        [6] = "\20",
        [8] = "\36\40\41",
        [9] = "\41",
        [13] = "\41",
        [14] = "\40\41",
        [15] = "\40\41",
        [18] = "\40\41",
        [19] = "\41",
        [20] = "\40\41",
        [22] = "\40\41",
        [23] = "\31\33\35\40\41",
        [24] = "\31\33\37",
        [25] = "\37",
        [26] = "\35\41",
        [27] = "\41",
        [28] = "\37\41",
        [29] = "\40\41",
        [30] = "\40\41",
        [31] = "\40\41",
        [32] = "\41",
    };

    for (uint32_t a = 0; a < 34; a++)
        for (const char *b = ties[a]; b && *b; b++)
            edge(a, (uint32_t)*b, 1);
    assert_int_equal(len, 78);
}

static void
the_karate_club_comes_near_its_optimum(void **state)
{
    (void)state;
    karate();
    run(34);
    assert_true(found.modularity > 0.415 && found.modularity < 0.4199);
    assert_true(found.group_len >= 3 && found.group_len <= 5);
    assert_true(found.levels >= 2);
    /* The two who fell out. */
    assert_int_not_equal(found.group_of[0], found.group_of[33]);
}

static void
a_ring_of_cliques_is_cut_between_cliques(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        clique(5 * i, 5);
        edge(5 * i, (5 * i + 6) % 150, 1);
    }
    run(150);
    assert_true(found.modularity > 0.8757);
    for (uint32_t i = 0; i < 30; i++)
        for (uint32_t k = 1; k < 5; k++)
            assert_int_equal(found.group_of[5 * i], found.group_of[5 * i + k]);
}

static void
the_order_of_edges_changes_nothing(void **state)
{
    uint32_t first[34];

    (void)state;
    karate();
    for (size_t i = 0; i < len; i++)
        edges[i].weight = 0.1 + 0.37 * (double)(i % 7);
    run(34);
    double modularity = found.modularity;
    memcpy(first, found.group_of, sizeof(first));
    for (uint32_t seed = 1; seed <= 20; seed++) {
        shuffle(seed);
        run(34);
        assert_memory_equal(first, found.group_of, sizeof(first));
        assert_true(modularity == found.modularity);
    }
}

static void
clear_groups_are_found_whatever_nodes_are_called(void **state)
{
    (void)state;
    for (uint32_t stride = 1; stride < 40; stride += 2) {
        if (stride % 5 == 0)
            continue;
        len = 0;
        for (uint32_t i = 0; i < 4; i++) {
            clique(10 * i, 10);
            edge(10 * i, (10 * i + 11) % 40, 0.5);
        }
        for (size_t i = 0; i < len; i++) {
            edges[i].a = edges[i].a * stride % 40;
            edges[i].b = edges[i].b * stride % 40;
        }
        run(40);
        assert_int_equal(found.group_len, 4);
        for (uint32_t n = 0; n < 40; n++)
            assert_int_equal(found.group_of[n * stride % 40],
                             found.group_of[n / 10 * 10 * stride % 40]);
    }
}

static void
weights_decide_and_parallel_edges_add_up(void **state)
{
    (void)state;
    edge(0, 1, 10);
    edge(2, 3, 10);
    edge(1, 2, 1);
    edge(0, 3, 1);
    run(4);
    assert_int_equal(found.group_of[0], found.group_of[1]);
    assert_int_not_equal(found.group_of[1], found.group_of[2]);
    for (int i = 0; i < 60; i++)
        edge(2, 1, 0.5);
    run(4);
    assert_int_equal(found.group_of[1], found.group_of[2]);
}

static void
what_is_no_edge_does_not_count(void **state)
{
    (void)state;
    edge(0, 9, 1);
    edge(0, 1, 0);
    edge(0, 1, -1);
    edge(0, 1, (double)NAN);
    run(3);
    assert_int_equal(found.group_len, 3);
    assert_true(found.modularity == 0);
    edge(2, 2, 5);
    run(3);
    assert_int_equal(found.group_len, 3);
}

static void
no_nodes_are_no_groups(void **state)
{
    (void)state;
    run(0);
    assert_int_equal(found.group_len, 0);
}

static void
every_group_hangs_together(void **state)
{
    uint32_t seed = 42;

    (void)state;
    for (int round = 0; round < 20; round++) {
        len = 0;
        for (int i = 0; i < 400; i++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t a = seed >> 8 & 255;
            seed = seed * 1664525 + 1013904223;
            edge(a, seed >> 8 & 255, 1 + (seed >> 30));
        }
        run(256);
        uint32_t reached[256];
        for (uint32_t n = 0; n < 256; n++)
            reached[n] = n;
        for (int pass = 0; pass < 256; pass++)
            for (size_t i = 0; i < len; i++) {
                uint32_t a = edges[i].a;
                uint32_t b = edges[i].b;
                if (found.group_of[a] != found.group_of[b])
                    continue;
                uint32_t least =
                    reached[a] < reached[b] ? reached[a] : reached[b];
                reached[a] = reached[b] = least;
            }
        for (uint32_t a = 0; a < 256; a++)
            for (uint32_t b = 0; b < 256; b++)
                if (found.group_of[a] == found.group_of[b])
                    assert_int_equal(reached[a], reached[b]);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_triangles_are_two_groups_of_known_modularity),
        TEST(the_karate_club_comes_near_its_optimum),
        TEST(a_ring_of_cliques_is_cut_between_cliques),
        TEST(the_order_of_edges_changes_nothing),
        TEST(clear_groups_are_found_whatever_nodes_are_called),
        TEST(weights_decide_and_parallel_edges_add_up),
        TEST(what_is_no_edge_does_not_count),
        TEST(no_nodes_are_no_groups),
        TEST(every_group_hangs_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
