/*
 * The batch that a lane hands out: its bound, its growing, and its memory.
 */
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_may_hold_max_stubs_and_four_times_as_many_links),
        TEST(requests_of_any_size_follow_one_another),
        TEST(a_small_request_needs_no_room_for_a_usual_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
