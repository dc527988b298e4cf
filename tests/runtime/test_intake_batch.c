/*
 * The batch that a lane hands out: its bound, its growing, and its memory.
 */
#include "base/clock.h"
#include "tests/runtime/intake_fixture.h"
#include "tests/support/fail_alloc.h"

static void
a_request_may_hold_max_stubs_and_four_times_as_many_links(void **state)
{
    struct fixture *f = *state;
    struct span_link links[5] = {{1, 1, 1}};
    struct span span = {.start_ns = NOW, .end_ns = NOW, .attrs = &f->attrs};
    struct stub_batch *batch;

    f->cfg.max_stubs = 1000;
    intake_begin(f->lane, NOW, &f->to);
    for (int i = 0; i < 1000; i++)
        f->to.span(f->to.ctx, &span);
    batch = take(f);
    assert_int_equal(batch->stub_len, 1000);
    stub_batch_free(batch);

    intake_begin(f->lane, NOW, &f->to);
    for (int i = 0; i < 1001; i++)
        f->to.span(f->to.ctx, &span);
    assert_int_equal(intake_take(f->lane, &batch), ERR_TOO_LARGE);
    assert_null(batch);

    span.links = links;
    for (uint16_t len = 4; len <= 5; len++) {
        span.link_len = len;
        intake_begin(f->lane, NOW, &f->to);
        for (int i = 0; i < 1000; i++)
            f->to.span(f->to.ctx, &span);
        assert_int_equal(intake_take(f->lane, &batch),
                         len == 4 ? OK : ERR_TOO_LARGE);
        stub_batch_free(batch);
    }
    /* And the lane serves on. */
    span.link_len = 0;
    intake_begin(f->lane, NOW, &f->to);
    batch = take(f);
    assert_int_equal(batch->stub_len, 0);
    stub_batch_free(batch);
}

static void
requests_of_any_size_follow_one_another(void **state)
{
    static const uint32_t lens[] = {1, 600, 0, 3, 64, 65, 599, 600, 2, 700, 1};
    static const struct attr_set none;
    struct fixture *f = *state;

    for (size_t i = 0; i < 4 * sizeof(lens) / sizeof(lens[0]); i++) {
        uint32_t len = lens[i % (sizeof(lens) / sizeof(lens[0]))];
        intake_begin(f->lane, NOW, &f->to);
        for (uint32_t id = 1; id <= len; id++) {
            struct span_link links[2] = {{id, i, 1}, {id, i, 2}};
            struct span span = {.span_id = id,
                                .trace_lo = i + 1,
                                .start_ns = NOW,
                                .end_ns = NOW,
                                .attrs = &none,
                                .links = links,
                                .link_len = (uint16_t)(i % 2 ? id % 3 : 0)};
            f->to.span(f->to.ctx, &span);
        }
        if (i % 5 == 4) /* it was malformed */
            continue;
        struct stub_batch *batch = take(f);
        assert_int_equal(batch->stub_len, len);
        for (uint32_t id = 1; id <= len; id++) {
            const struct stub *stub = &batch->stubs[id - 1];
            assert_int_equal(stub->span_id, id);
            assert_int_equal(stub->trace_lo, i + 1);
            for (uint32_t k = 0; k < stub->link_len; k++) {
                assert_int_equal(batch->links[stub->link_at + k].trace_hi, id);
                assert_int_equal(batch->links[stub->link_at + k].span_id,
                                 k + 1);
            }
        }
        stub_batch_free(batch);
    }
}

static struct stub_batch *
send_many(struct fixture *f, int spans)
{
    struct span span = {.start_ns = NOW, .end_ns = NOW, .attrs = &f->attrs};

    intake_begin(f->lane, NOW, &f->to);
    for (int i = 0; i < spans; i++)
        f->to.span(f->to.ctx, &span);
    return take(f);
}

static void
a_small_request_needs_no_room_for_a_usual_one(void **state)
{
    struct fixture *f = *state;

    stub_batch_free(send_many(f, 1000));
    fail_alloc_at(1, false);
    struct stub_batch *batch = send_many(f, 1);
    assert_true(fail_alloc_end());
    assert_int_equal(batch->stub_len, 1);
    stub_batch_free(batch);
}

/* ---- digest ---- */

enum { NAMED = 300 };

static struct stub_batch *
send_named(struct fixture *f, uint64_t now_ns)
{
    intake_begin(f->lane, now_ns, &f->to);
    for (uint64_t id = 1; id <= NAMED; id++) {
        struct span span = {.span_id = id,
                            .trace_lo = 7,
                            .kind = SPAN_CLIENT,
                            .start_ns = NOW - 100 * 3600 * NS_PER_S,
                            .end_ns = NOW,
                            .attrs = &f->attrs};
        f->to.span(f->to.ctx, &span);
    }
    return take(f);
}

static bool
is_same(const struct stub_batch *batch, struct digest128 digest)
{
    struct digest128 now = stub_batch_digest(batch, STR("bytes"));

    return now.hi == digest.hi && now.lo == digest.lo;
}

static void
a_retry_has_the_same_digest_whatever_the_clock_makes_of_it(void **state)
{
    struct fixture *f = *state;
    struct stub_batch *first = send_named(f, NOW);
    struct stub_batch *again = send_named(f, NOW + 3 * NS_PER_S);
    struct digest128 digest = stub_batch_digest(first, STR("bytes"));

    assert_int_equal(again->clamped, NAMED);
    assert_true(again->stubs[0].start_ns != first->stubs[0].start_ns);
    assert_true(is_same(again, digest));
    stub_batch_free(first);
    stub_batch_free(again);
}

static void
requests_that_differ_in_a_span_have_other_digests(void **state)
{
    static const uint32_t places[] = {0, 1, 127, 128, 255, 256, NAMED - 1};
    struct fixture *f = *state;
    struct stub_batch *batch = send_named(f, NOW);
    struct digest128 digest = stub_batch_digest(batch, STR("bytes"));

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct stub *stub = &batch->stubs[places[i]];
        struct stub was = *stub;
        stub->trace_hi++;
        assert_false(is_same(batch, digest));
        *stub = was;
        stub->trace_lo++;
        assert_false(is_same(batch, digest));
        *stub = was;
        stub->span_id += NAMED;
        assert_false(is_same(batch, digest));
        *stub = was;
        stub->parent_id++;
        assert_false(is_same(batch, digest));
        *stub = was;
        stub->kind = SPAN_SERVER; /* the other half of a shared id */
        assert_false(is_same(batch, digest));
        *stub = was;
        assert_true(is_same(batch, digest));
    }
    for (batch->stub_len = 1; batch->stub_len < NAMED; batch->stub_len++)
        assert_false(is_same(batch, digest));
    stub_batch_free(batch);
}

static void
a_request_without_spans_is_known_by_its_bytes(void **state)
{
    struct fixture *f = *state;

    intake_begin(f->lane, NOW, &f->to);
    struct stub_batch *batch = take(f);
    assert_true(is_same(batch, hash_digest(STR("bytes"))));
    assert_false(is_same(batch, hash_digest(STR("others"))));
    stub_batch_free(batch);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_may_hold_max_stubs_and_four_times_as_many_links),
        TEST(requests_of_any_size_follow_one_another),
        TEST(a_small_request_needs_no_room_for_a_usual_one),
        TEST(a_retry_has_the_same_digest_whatever_the_clock_makes_of_it),
        TEST(requests_that_differ_in_a_span_have_other_digests),
        TEST(a_request_without_spans_is_known_by_its_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
