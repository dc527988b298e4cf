/*
 * What search finds over all worlds, and what becomes of it when a lane fails,
 * or time is over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/code_terms.h"
#include "knowledge/document.h"
#include "knowledge/search.h"
#include "tests/support/search_world.h"

static void
ask(const char *query, unsigned broken, uint64_t deadline_ns)
{
    const struct search_ask asked = {
        .query = str_of(query), .broken = broken, .deadline_ns = deadline_ns};

    search_hits_fini(&search_world.hits);
    assert_int_equal(search_find(search_world.near, &search_world.moment,
                                 &asked, &search_world.hits),
                     OK);
}

/* The rank of the object called |name|, from 1; 0: it was not found. */
static size_t
rank_of(const char *name)
{
    for (size_t i = 0; i < search_world.hits.len; i++) {
        struct object object = {0};

        assert_int_equal(near_object(&search_world.moment,
                                     search_world.hits.rows[i].spot, &object),
                         OK);
        bool is = strcmp(buf_cstr(&object.name), name) == 0;
        object_fini(&object);
        if (is)
            return i + 1;
    }
    return 0;
}

static void
a_message_finds_the_function_that_says_it(void **state)
{
    (void)state;
    ask("card 4711 was declined: code 51", 0, 0);
    assert_int_equal(rank_of("chargeCard"), 1);
    ask("ERROR cannot refund twice", 0, 0);
    assert_int_equal(rank_of("refundCard"), 1);
}

static void
a_key_finds_where_it_stands_and_is_told(void **state)
{
    (void)state;
    ask("PAY_GATEWAY_URL", 0, 0);
    assert_int_equal(rank_of("chargeCard"), 1);
    assert_int_equal(search_world.hits.key_len, 1);
    assert_int_equal(search_world.hits.rows[0].keys, 1);
    ask("what is ECONNREFUSED", 0, 0);
    assert_int_equal(rank_of("Outage"), 1);
    assert_true(search_world.hits.rows[0].keys & 1);
    ask("why \"restart with --no-cache\"", 0, 0);
    assert_int_equal(rank_of("Outage"), 1);
    assert_int_equal(search_world.hits.key_len, 2);
    assert_int_equal(search_world.hits.rows[0].keys, 3);
}

static void
a_document_is_one_hit_with_its_best_chunk(void **state)
{
    struct document_chunk chunk = {0};
    struct document document = {0};
    size_t documents = 0;

    (void)state;
    ask("declined cards gateway", 0, 0);
    for (size_t i = 0; i < search_world.hits.len; i++)
        documents += search_world.hits.rows[i].chunk != 0;
    assert_int_equal(documents, 1);
    size_t rank = rank_of("Outage");
    assert_true(rank > 0);
    const struct search_hit *hit = &search_world.hits.rows[rank - 1];
    assert_int_equal(
        document_chunk_get(&search_world.moment, hit->chunk, &chunk), OK);
    assert_non_null(strstr(buf_cstr(&chunk.body), "eclined"));
    struct object object = {0};
    assert_int_equal(near_object(&search_world.moment, hit->spot, &object), OK);
    assert_int_equal(document_get(&search_world.moment, object.oid, &document),
                     OK);
    assert_string_equal(buf_cstr(&document.source_url), search_world.docs);
    object_fini(&object);
    document_fini(&document);
    document_chunk_fini(&chunk);
    assert_int_equal(document_chunk_get(&search_world.moment, 999999, &chunk),
                     ERR_NOT_FOUND);
    assert_int_equal(document_get(&search_world.moment, 999999, &document),
                     ERR_NOT_FOUND);
}

static void
what_was_superseded_is_not_found_but_keeps_its_id(void **state)
{
    struct object object = {0};

    (void)state;
    ask("retry a charge", 0, 0);
    assert_true(rank_of("Retry once") > 0);
    assert_int_equal(rank_of("Retry three times"), 0);
    assert_int_equal(
        object_of_oid(&search_world.moment, search_world.old, &object), OK);
    assert_string_equal(buf_cstr(&object.name), "Retry three times");
    object_fini(&object);
}

static void
a_test_comes_behind_what_it_tests(void **state)
{
    (void)state;
    ask("charge card", 0, 0);
    assert_int_equal(rank_of("chargeCard"), 1);
    assert_true(rank_of("testChargeCard") > 1);
}

static void
other_words_and_forms_of_a_word_fit_too(void **state)
{
    (void)state;
    ask("charging cards", 0, 0);
    assert_true(rank_of("chargeCard") > 0);
    ask("refunds", 0, 0);
    assert_true(rank_of("refundCard") > 0);
}

static void
what_the_best_call_is_near(void **state)
{
    (void)state;
    ask("refundCard", 0, 0);
    assert_int_equal(rank_of("refundCard"), 1);
    size_t rank = rank_of("chargeCard");
    assert_true(rank > 1);
    assert_true(search_world.hits.rows[rank - 1].ranks[LANE_GRAPH] > 0);
    assert_true(search_world.hits.rows[0].ranks[LANE_GRAPH] > 0);
}

static void
a_lane_that_fails_is_left_out_and_told(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < LANE_COUNT; lane++) {
        if (lane == LANE_VECTOR) /* is off; tests/knowledge/test_vectors.c */
            continue;
        ask("chargeCard declined", 1U << lane, 0);
        assert_int_equal(search_world.hits.degraded, 1U << lane);
        assert_false(search_world.hits.used >> lane & 1);
        assert_true(rank_of("chargeCard") > 0);
        for (size_t i = 0; i < search_world.hits.len; i++) {
            assert_int_equal(search_world.hits.rows[i].ranks[lane], 0);
            assert_in_range((int)(search_world.hits.rows[i].score * 1000), 0,
                            1000);
        }
    }
    ask("chargeCard declined", (1U << LANE_COUNT) - 1, 0);
    assert_int_equal(search_world.hits.len, 0);
}

static void
what_is_late_is_left_out_and_told(void **state)
{
    (void)state;
    struct search_ask asked = {.query = STR("chargeCard declined"),
                               .deadline_ns = clock_mono_ns() - 1};

    assert_int_equal(search_find(search_world.near, &search_world.moment,
                                 &asked, &search_world.hits),
                     ERR_BUSY);
    assert_int_equal(search_world.hits.degraded,
                     ((1U << LANE_COUNT) - 1) & ~(1U << LANE_VECTOR));
    assert_int_equal(search_world.hits.len, 0);
    ask("chargeCard declined", 0, clock_mono_ns() + 30 * NS_PER_S);
    assert_int_equal(search_world.hits.degraded, 0);
}

/* The clock stands still but for a step at each look. */
static bool is_stepping;
static uint64_t stepped_ns;
uint64_t __real_clock_mono_ns(void);
uint64_t __wrap_clock_mono_ns(void);

uint64_t
__wrap_clock_mono_ns(void)
{
    return is_stepping ? ++stepped_ns : __real_clock_mono_ns();
}

/* Of lanes as bits: without that of vectors, which is off here. */
static unsigned
without_vectors(unsigned lanes)
{
    const unsigned below = (1U << LANE_VECTOR) - 1;

    return (lanes & below) | (lanes >> 1 & ~below);
}

/* At whichever look the time is over: the lanes behind it are left out, those
 * before it count, and only with none of them the search has failed. */
static void
lanes_give_way_from_the_last_to_the_first(void **state)
{
    const unsigned all = (1U << (LANE_COUNT - 1)) - 1;
    struct search_ask asked = {.query = STR("chargeCard declined")};
    unsigned failed = 0;
    unsigned in_part = 0;
    bool is_whole = false;

    (void)state;
    for (uint64_t at = 1; !is_whole && at < 100000; at++) {
        search_hits_fini(&search_world.hits);
        asked.deadline_ns = at;
        stepped_ns = 1;
        is_stepping = true;
        enum err err = search_find(search_world.near, &search_world.moment,
                                   &asked, &search_world.hits);
        is_stepping = false;
        unsigned used = without_vectors(search_world.hits.used);
        assert_int_equal(used ^ without_vectors(search_world.hits.degraded),
                         all);
        assert_int_equal(used & (used + 1), 0);
        assert_int_equal(err, used ? OK : ERR_BUSY);
        if (search_world.hits.used & 1U << LANE_NAMES)
            assert_true(rank_of("chargeCard") > 0);
        is_whole = used == all;
        failed += used == 0;
        in_part += used && !is_whole;
    }
    assert_true(is_whole);
    assert_true(failed > 0);
    assert_true(in_part > 0);
}

static void
a_function_is_found_by_its_comment_and_by_what_it_uses(void **state)
{
    (void)state;
    ask("weigh parcels", 0, 0);
    assert_int_equal(rank_of("xq7"), 1);
    ask("which function has a ledger", 0, 0);
    assert_int_equal(rank_of("xq7"), 1);
    /* A comment is no message: it makes nothing exact. */
    ask("Weighs a parcel on the scale.", 0, 0);
    assert_int_equal(rank_of("xq7"), 1);
    assert_int_equal(search_world.hits.rows[0].ranks[LANE_IDENT], 0);
    assert_true(search_world.hits.exact < 1);
}

static void
a_route_and_its_handler_tell_of_each_other(void **state)
{
    (void)state;
    ask("which endpoint takes a voucher", 0, 0);
    assert_in_range(rank_of("POST /basket"), 1, 2);
    assert_in_range(rank_of("putBasket"), 1, 2);
    ask("add to the basket", 0, 0);
    assert_in_range(rank_of("POST /basket"), 1, 2);
    assert_in_range(rank_of("putBasket"), 1, 3);
}

/* How the hit called |name| is scored, of a thousand. */
static int
score_of(const char *name)
{
    size_t rank = rank_of(name);

    assert_true(rank > 0);
    return (int)(search_world.hits.rows[rank - 1].score * 1000);
}

static void
what_stands_for_the_same_comes_behind(void **state)
{
    (void)state;
    ask("track parcels", 0, 0);
    size_t declared = rank_of("Parcels.Track");
    size_t rpc = rank_of("shop.Parcels/Track");
    assert_true(declared > 0 && rpc > 0);
    assert_int_equal(declared < rpc ? declared : rpc, 1);
    ask("basket was full", 0, 0);
    assert_int_equal(rank_of("putBasket.anonymous1"), 1);
    assert_true(5 * score_of("putBasket") <=
                4 * score_of("putBasket.anonymous1"));
}

static void
two_words_are_looked_for_as_one(void **state)
{
    (void)state;
    ask("log in", 0, 0);
    assert_int_equal(rank_of("userLogin"), 1);
    ask("log on in", 0, 0); /* not next to each other */
    assert_int_equal(rank_of("userLogin"), 0);
}

static void
a_message_with_long_values_is_that_message(void **state)
{
    (void)state;
    ask("card 4711-0815-4711-0815-of-a-bank was declined: code "
        "8f14e45fceea167a5a36dedd4bea2543",
        0, 0);
    assert_int_equal(rank_of("chargeCard"), 1);
    assert_true(search_world.hits.exact >= 1);
}

static void
odd_questions_are_answered(void **state)
{
    static const char *const odd[] = {
        "\"", "''",       "AND OR NOT", "a",         "%s %d {", "((((",
        "--", "\xff\xfe", "name_t:x",   "NEAR(a b)", "*",       "the of and"};

    (void)state;
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        ask(odd[i], 0, 0);
        assert_int_equal(search_world.hits.degraded, 0);
    }
}

static void
terms_are_in_order_and_each_lists_its_nodes_in_order(void **state)
{
    const struct code_terms *terms;
    const struct code_terms *again;
    uint32_t first;
    uint32_t end;

    (void)state;
    assert_int_equal(code_terms_of(search_world.moment.joined->code, &terms),
                     OK);
    assert_int_equal(code_terms_of(search_world.moment.joined->code, &again),
                     OK);
    assert_ptr_equal(terms, again);
    for (uint32_t t = 0; t < terms->len; t++) {
        assert_true(terms->at[t] < terms->at[t + 1]);
        for (uint32_t i = terms->at[t] + 1; i < terms->at[t + 1]; i++)
            assert_true(terms->places[i - 1].node < terms->places[i].node);
    }
    code_terms_find(terms, STR("declin"), &first, &end);
    assert_int_equal(end - first, 1);
    code_terms_find(terms, STR("zzz"), &first, &end);
    assert_int_equal(first, end);
}

int
main(void)
{
#define T(name)                                               \
    cmocka_unit_test_setup_teardown(name, search_world_setup, \
                                    search_world_teardown)
    const struct CMUnitTest tests[] = {
        T(a_message_finds_the_function_that_says_it),
        T(a_key_finds_where_it_stands_and_is_told),
        T(a_document_is_one_hit_with_its_best_chunk),
        T(what_was_superseded_is_not_found_but_keeps_its_id),
        T(a_test_comes_behind_what_it_tests),
        T(other_words_and_forms_of_a_word_fit_too),
        T(what_the_best_call_is_near),
        T(a_lane_that_fails_is_left_out_and_told),
        T(what_is_late_is_left_out_and_told),
        T(lanes_give_way_from_the_last_to_the_first),
        T(a_function_is_found_by_its_comment_and_by_what_it_uses),
        T(a_route_and_its_handler_tell_of_each_other),
        T(what_stands_for_the_same_comes_behind),
        T(two_words_are_looked_for_as_one),
        T(a_message_with_long_values_is_that_message),
        T(odd_questions_are_answered),
        T(terms_are_in_order_and_each_lists_its_nodes_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
