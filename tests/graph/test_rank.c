/*
 * Small graphs made by hand: the walk needs nothing but arcs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/rank.h"

enum { PLACES = 16, ARCS = 64, NOW_S = 1700000000 };

static struct {
    struct code code;
    struct joined joined;
    struct joined_arc out[ARCS], in[ARCS];
    uint32_t out_at[PLACES + 1], in_at[PLACES + 1];
    struct {
        uint32_t from;
        struct joined_arc arc;
    } arcs[ARCS];
    uint32_t len;
    double *shares;
} it;

static int
begin(void **state)
{
    (void)state;
    memset(&it, 0, sizeof(it));
    it.code.node_len = PLACES;
    it.joined = (struct joined){
        .code = &it.code,
        .place_len = PLACES,
        .out = it.out,
        .in = it.in,
        .out_at = it.out_at,
        .in_at = it.in_at,
    };
    return 0;
}

static int
end(void **state)
{
    (void)state;
    free(it.shares);
    return 0;
}

static struct joined_arc *
arc(uint32_t from, uint32_t to, uint8_t type)
{
    struct joined_arc *arc = &it.arcs[it.len].arc;

    it.arcs[it.len++].from = from;
    *arc = (struct joined_arc){
        .place = to, .type = type, .permille = 1000, .evidence = BY_STATIC};
    return arc;
}

static struct joined_arc *
traffic(uint32_t from, uint32_t to, int64_t count, uint32_t age_s)
{
    struct joined_arc *it_is = arc(from, to, JOINED_RUNTIME_CALLS);

    it_is->evidence = BY_OBSERVED;
    it_is->count = count;
    it_is->last_s = NOW_S - age_s;
    return it_is;
}

static void
lay_out(void)
{
    uint32_t outs = 0;
    uint32_t ins = 0;

    for (uint32_t p = 0; p < PLACES; p++) {
        it.out_at[p] = outs;
        it.in_at[p] = ins;
        for (uint32_t i = 0; i < it.len; i++) {
            if (it.arcs[i].from == p)
                it.out[outs++] = it.arcs[i].arc;
            if (it.arcs[i].arc.place == p) {
                it.in[ins] = it.arcs[i].arc;
                it.in[ins++].place = it.arcs[i].from;
            }
        }
    }
    it.out_at[PLACES] = outs;
    it.in_at[PLACES] = ins;
    it.joined.arc_len = it.len;
}

static uint32_t
walk_by(struct rank_cfg cfg, const struct rank_seed *seeds, size_t len)
{
    uint32_t rounds;
    double sum = 0;

    lay_out();
    free(it.shares);
    cfg.now_s = NOW_S;
    assert_int_equal(
        rank_walk(&it.joined, seeds, len, &cfg, &it.shares, &rounds), OK);
    for (uint32_t p = 0; p < PLACES; p++) {
        assert_true(it.shares[p] >= 0);
        sum += it.shares[p];
    }
    assert_true(fabs(sum - 1) < 1e-9);
    return rounds;
}

static uint32_t
walk_from(uint32_t place)
{
    const struct rank_seed seed = {place, 1};

    return walk_by(rank_cfg_default, &seed, 1);
}

static void
near_places_have_more_than_far_ones(void **state)
{
    (void)state;
    for (uint32_t p = 1; p < 8; p++)
        arc(p, p + 1, CODE_CALLS);
    walk_from(1);
    for (uint32_t p = 2; p < 8; p++)
        assert_true(it.shares[p] > it.shares[p + 1]);
    assert_true(it.shares[9] == 0);
}

static void
arcs_are_walked_in_both_directions(void **state)
{
    (void)state;
    arc(2, 1, CODE_CALLS);
    arc(1, 3, CODE_CALLS);
    walk_from(1);
    assert_true(it.shares[2] > 0);
    assert_true(fabs(it.shares[2] - it.shares[3]) < 1e-12);
}

static void
busy_places_have_more_than_idle_ones(void **state)
{
    (void)state;
    traffic(1, 2, 1000000, 60);
    traffic(1, 3, 10, 60);
    walk_from(1);
    assert_true(it.shares[2] > 2 * it.shares[3]);
}

static void
what_was_seen_lately_has_more_than_what_was_long_ago(void **state)
{
    (void)state;
    traffic(1, 2, 1000, 60);
    traffic(1, 3, 1000, 2 * RANK_HALF_LIFE_S);
    walk_from(1);
    assert_true(it.shares[2] > 2 * it.shares[3]);
}

static void
guesses_draw_less_than_calls(void **state)
{
    (void)state;
    arc(1, 2, CODE_CALLS);
    arc(1, 3, CODE_MAY_CALL);
    arc(1, 4, CODE_CALLS)->permille = 400;
    walk_from(1);
    assert_true(it.shares[2] > it.shares[4]);
    assert_true(it.shares[4] > it.shares[3]);
}

static void
what_is_evidence_can_be_chosen(void **state)
{
    struct rank_cfg cfg = rank_cfg_default;
    const struct rank_seed seed = {1, 1};

    (void)state;
    arc(1, 2, CODE_CALLS);
    traffic(1, 3, 10, 60);
    cfg.evidence = BY_STATIC;
    walk_by(cfg, &seed, 1);
    assert_true(it.shares[2] > 0 && it.shares[3] == 0);
    cfg.evidence = BY_OBSERVED;
    walk_by(cfg, &seed, 1);
    assert_true(it.shares[3] > 0 && it.shares[2] == 0);
}

static void
seeds_count_by_their_weight(void **state)
{
    const struct rank_seed seeds[] = {{1, 3}, {2, 1},  {2, 0.5},
                                      {0, 9}, {99, 9}, {3, -1}};

    (void)state;
    walk_by(rank_cfg_default, seeds, 6);
    assert_true(fabs(it.shares[1] - 3 / 4.5) < 1e-9);
    assert_true(it.shares[3] == 0);
    assert_true(it.shares[0] == 0);
}

static void
no_seed_is_an_error(void **state)
{
    const struct rank_seed seeds[] = {{0, 1}, {PLACES, 1}, {1, 0}};
    double *shares;

    (void)state;
    lay_out();
    assert_int_equal(
        rank_walk(&it.joined, seeds, 3, &rank_cfg_default, &shares, NULL),
        ERR_INVALID);
    assert_null(shares);
    assert_int_equal(
        rank_walk(&it.joined, NULL, 0, &rank_cfg_default, &shares, NULL),
        ERR_INVALID);
}

static void
it_ends_when_shares_settle_and_at_the_bound(void **state)
{
    struct rank_cfg cfg = rank_cfg_default;
    const struct rank_seed seed = {1, 1};

    (void)state;
    for (uint32_t p = 1; p < 12; p++)
        arc(p, p % 11 + 1, CODE_CALLS);
    cfg.rounds = 1000;
    uint32_t rounds = walk_by(cfg, &seed, 1);
    /* epsilon / 2 = (1 - restart)^rounds */
    assert_true(rounds <= (uint32_t)ceil(log(1e-6 / 2) / log(0.8)) + 1);
    cfg.rounds = 3;
    assert_int_equal(walk_by(cfg, &seed, 1), 3);
    cfg.restart = 1;
    walk_by(cfg, &seed, 1);
    assert_true(it.shares[1] == 1);
}

static void
the_same_question_gives_the_same_bits(void **state)
{
    double first[PLACES];

    (void)state;
    for (uint32_t p = 1; p < 12; p++) {
        arc(p, p % 5 + 6, CODE_CALLS);
        traffic(p, p % 7 + 1, p * 100, p * 1000);
    }
    walk_from(3);
    memcpy(first, it.shares, sizeof(first));
    walk_from(3);
    assert_memory_equal(first, it.shares, sizeof(first));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(near_places_have_more_than_far_ones),
        TEST(arcs_are_walked_in_both_directions),
        TEST(busy_places_have_more_than_idle_ones),
        TEST(what_was_seen_lately_has_more_than_what_was_long_ago),
        TEST(guesses_draw_less_than_calls),
        TEST(what_is_evidence_can_be_chosen),
        TEST(seeds_count_by_their_weight),
        TEST(no_seed_is_an_error),
        TEST(it_ends_when_shares_settle_and_at_the_bound),
        TEST(the_same_question_gives_the_same_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
