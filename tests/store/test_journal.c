#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "store/journal.h"

/* Deterministic numbers, so that a failure can be seen again. */
static uint64_t
next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return hash_mix(*state, UINT64_C(0x1234567));
}

static uint32_t
some_id(uint64_t *state)
{
    uint64_t r = next_random(state);

    return r % 3 ? (uint32_t)(r >> 32 >> (r % 32)) : 0;
}

static void
fill_stub(struct stub *stub, uint32_t before, uint64_t *state)
{
    const struct stub *last = before ? stub - 1 : NULL;
    uint64_t r = next_random(state);

    *stub = (struct stub){.kind = (uint8_t)(r % 6)};
    stub->trace_hi = r & 1 ? next_random(state) : 0;
    stub->trace_lo = next_random(state);
    stub->span_id = next_random(state);
    stub->parent_id = r & 2 ? next_random(state) : 0;
    stub->start_ns = next_random(state);
    stub->duration_ns = next_random(state) >> (r % 64);
    stub->weight = r & 4 ? WEIGHT_ONE : 1 + next_random(state) % WEIGHT_MAX;
    stub->service = some_id(state);
    stub->endpoint = some_id(state);
    stub->peer = some_id(state);
    stub->version = some_id(state);
    stub->scope = some_id(state);
    stub->symbol = some_id(state);
    stub->flags = (uint32_t)next_random(state) >> (r % 32);
    if (last && r & 8) {
        stub->trace_hi = last->trace_hi;
        stub->trace_lo = last->trace_lo;
    }
    if (before > 0 && r & 32) {
        const struct stub *other = stub - 1 - r / 64 % before;
        stub->trace_hi = other->trace_hi;
        stub->trace_lo = other->trace_lo;
    }
    if (last && r & 16) {
        stub->service = last->service;
        stub->version = last->version;
        stub->scope = last->scope;
    }
}

static struct stub_batch
random_batch(uint32_t stubs, uint32_t links, uint64_t seed)
{
    struct stub_batch batch = {
        .stubs = calloc(stubs + 1, sizeof(struct stub)),
        .links = calloc(links + 1, sizeof(struct span_link)),
        .stub_len = stubs,
        .link_len = links,
        .clamped = (uint32_t)seed,
        .rejected = (uint32_t)seed / 2,
    };

    batch.received_ns = next_random(&seed);
    for (uint32_t i = 0; i < links; i++) {
        batch.links[i].trace_hi = next_random(&seed);
        batch.links[i].trace_lo = next_random(&seed);
        batch.links[i].span_id = next_random(&seed);
    }
    for (uint32_t i = 0; i < stubs; i++)
        fill_stub(&batch.stubs[i], i, &seed);
    uint32_t used = 0;
    for (uint32_t i = 0; i < stubs && used < links; i++) {
        uint32_t take = i + 1 == stubs ? links - used : (links - used) / 2;
        batch.stubs[i].link_at = used;
        batch.stubs[i].link_len = (uint16_t)take;
        used += take;
    }
    return batch;
}

static void
assert_same_stub(const struct stub *a, const struct stub *b)
{
    assert_int_equal(a->trace_hi, b->trace_hi);
    assert_int_equal(a->trace_lo, b->trace_lo);
    assert_int_equal(a->span_id, b->span_id);
    assert_int_equal(a->parent_id, b->parent_id);
    assert_int_equal(a->start_ns, b->start_ns);
    assert_int_equal(a->duration_ns, b->duration_ns);
    assert_int_equal(a->weight, b->weight);
    assert_int_equal(a->service, b->service);
    assert_int_equal(a->endpoint, b->endpoint);
    assert_int_equal(a->peer, b->peer);
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->scope, b->scope);
    assert_int_equal(a->symbol, b->symbol);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->link_len, b->link_len);
}

static void
assert_same_batch(const struct stub_batch *a, const struct stub_batch *b)
{
    assert_int_equal(a->stub_len, b->stub_len);
    assert_int_equal(a->link_len, b->link_len);
    assert_int_equal(a->clamped, b->clamped);
    assert_int_equal(a->rejected, b->rejected);
    assert_int_equal(a->received_ns, b->received_ns);
    uint32_t backwards = 0;
    for (uint32_t i = 0; i < a->stub_len; i++) {
        const struct stub *x = &a->stubs[i], *y = &b->stubs[i];
        assert_same_stub(x, y);
        backwards += (x->flags & STUB_BACKWARDS) != 0;
        for (uint32_t k = 0; k < x->link_len; k++)
            assert_memory_equal(&a->links[x->link_at + k],
                                &b->links[y->link_at + k],
                                sizeof(struct span_link));
    }
    assert_int_equal(b->backwards, backwards); /* |b| was read */
}

static void
what_is_packed_comes_back_as_it_was(void **state)
{
    static const uint32_t stubs[] = {0, 1, 2, 7, 500};
    static const uint32_t links[] = {0, 1, 3, 900};

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint32_t len = stubs[seed % 5];
        uint32_t nlinks = len ? links[seed % 4] : 0;
        struct stub_batch batch = random_batch(len, nlinks, seed), back;
        struct buf packed = {0};

        journal_pack(&batch, &packed);
        assert_false(packed.failed);
        assert_int_equal(journal_unpack(&back, buf_str(&packed)), OK);
        assert_same_batch(&batch, &back);
        journal_batch_fini(&back);
        journal_batch_fini(&batch);
        buf_fini(&packed);
    }
}

static void
packing_appends_and_respects_the_bound_of_the_buffer(void **state)
{
    struct stub_batch batch = random_batch(3, 1, 9), back;
    struct buf packed = {0}, small = {.cap_max = 64};

    (void)state;
    buf_add(&packed, STR("head"));
    journal_pack(&batch, &packed);
    str rest = {packed.ptr + 4, packed.len - 4};
    assert_int_equal(journal_unpack(&back, rest), OK);
    assert_same_batch(&batch, &back);
    journal_pack(&batch, &small);
    assert_true(small.failed);
    assert_int_equal(small.len, 0);
    journal_batch_fini(&back);
    journal_batch_fini(&batch);
    buf_fini(&packed);
    buf_fini(&small);
}

/* Three traces of a service, and again those of the next. */
static struct stub_batch
batch_of_three_traces(uint32_t stubs)
{
    struct stub_batch batch = random_batch(stubs, 0, 11);

    for (uint32_t i = 0; i < stubs; i++) {
        batch.stubs[i].trace_hi = i % 3 ? 7 : 0;
        batch.stubs[i].trace_lo = 1000 + i % 3;
    }
    return batch;
}

static void
a_trace_that_comes_again_is_written_once(void **state)
{
    struct stub_batch batch = batch_of_three_traces(300), back;
    struct buf few = {0}, packed = {0};

    (void)state;
    journal_pack(&batch, &packed);
    assert_int_equal(journal_unpack(&back, buf_str(&packed)), OK);
    assert_same_batch(&batch, &back);
    for (uint32_t i = 3; i < 300; i++)
        batch.stubs[i].trace_hi = batch.stubs[i].trace_lo = 0;
    journal_pack(&batch, &few);
    /* one byte a stub more than if they had no trace of their own */
    assert_in_range(packed.len, few.len, few.len + 300);
    journal_batch_fini(&back);
    journal_batch_fini(&batch);
    buf_fini(&few);
    buf_fini(&packed);
}

static void
every_truncation_is_corrupt(void **state)
{
    struct stub_batch batch = random_batch(5, 4, 3), back;
    struct buf packed = {0};

    (void)state;
    journal_pack(&batch, &packed);
    for (size_t len = 0; len < packed.len; len++) {
        char *cut = malloc(len + 1); /* its own block: reads past it show */
        memcpy(cut, packed.ptr, len);
        assert_int_equal(journal_unpack(&back, (str){cut, len}), ERR_CORRUPT);
        assert_null(back.stubs);
        free(cut);
    }
    journal_batch_fini(&batch);
    buf_fini(&packed);
}

static void
every_flipped_bit_is_corrupt(void **state)
{
    struct stub_batch batch = random_batch(4, 2, 4), back;
    struct buf packed = {0};

    (void)state;
    journal_pack(&batch, &packed);
    for (size_t bit = 0; bit < packed.len * 8; bit++) {
        packed.ptr[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_equal(journal_unpack(&back, buf_str(&packed)), ERR_CORRUPT);
        packed.ptr[bit / 8] ^= (char)(1 << bit % 8);
    }
    journal_batch_fini(&batch);
    buf_fini(&packed);
}

static void
sign(struct buf *bytes)
{
    size_t len = bytes->len - 8;
    uint64_t sum = hash_bytes((str){bytes->ptr, len}, 0);

    memcpy(bytes->ptr + len, &sum, 8);
}

/* With a checksum that fits, the bounds alone must hold: what is accepted has
 * to be something that packs to bytes that unpack to the same. */
static void
forged_rows_are_refused_or_are_batches(void **state)
{
    struct stub_batch batch = random_batch(20, 6, 5), back, again;
    struct buf good = {0}, bad = {0}, repacked = {0};
    uint64_t seed = 77;
    unsigned accepted = 0;

    (void)state;
    journal_pack(&batch, &good);
    for (unsigned round = 0; round < 20000; round++) {
        buf_reset(&bad);
        buf_add(&bad, buf_str(&good));
        for (uint64_t n = next_random(&seed) % 4 + 1; n; n--) {
            size_t at = next_random(&seed) % (bad.len - 8);
            bad.ptr[at] = (char)next_random(&seed);
        }
        sign(&bad);
        enum err err = journal_unpack(&back, buf_str(&bad));
        if (err) {
            assert_int_equal(err, ERR_CORRUPT);
            continue;
        }
        accepted++;
        buf_reset(&repacked);
        journal_pack(&back, &repacked);
        assert_int_equal(journal_unpack(&again, buf_str(&repacked)), OK);
        assert_same_batch(&back, &again);
        journal_batch_fini(&back);
        journal_batch_fini(&again);
    }
    assert_true(accepted > 0);
    journal_batch_fini(&batch);
    buf_fini(&good);
    buf_fini(&bad);
    buf_fini(&repacked);
}

/* A row of the version before differs in nothing but that it has no such. */
static void
rows_of_the_first_version_are_read(void **state)
{
    struct stub_batch batch = batch_of_three_traces(3), back;
    struct buf row = {0};

    (void)state;
    journal_pack(&batch, &row);
    row.ptr[0] = JOURNAL_OLDEST;
    sign(&row);
    assert_int_equal(journal_unpack(&back, buf_str(&row)), OK);
    assert_same_batch(&batch, &back);
    journal_batch_fini(&back);
    journal_batch_fini(&batch);
    buf_fini(&row);
}

/* Two stubs of one trace with another between: the last says "two ago". */
static void
a_trace_from_before_the_row_is_corrupt(void **state)
{
    enum { HEAD = 1 + 4 + 8, STUB = 2 + 8 + 8 + 3, AGO_AT = HEAD + 2 * STUB };
    struct stub stubs[3] = {0};
    struct stub_batch batch = {.stubs = stubs, .stub_len = 3}, back;
    struct buf row = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        stubs[i].trace_lo = 5 + i % 2;
        stubs[i].span_id = 1;
        stubs[i].weight = WEIGHT_ONE;
    }
    journal_pack(&batch, &row);
    for (char ago = 0; ago <= 3; ago++) {
        assert_int_equal(row.ptr[AGO_AT + 2], ago ? ago - 1 : 2);
        row.ptr[AGO_AT + 2] = ago;
        sign(&row);
        bool is_there = ago == 1 || ago == 2;
        assert_int_equal(journal_unpack(&back, buf_str(&row)),
                         is_there ? OK : ERR_CORRUPT);
        if (is_there)
            assert_int_equal(back.stubs[2].trace_lo, stubs[2 - ago].trace_lo);
        journal_batch_fini(&back);
    }
    row.ptr[AGO_AT + 2] = 2;
    row.ptr[AGO_AT] |= 1; /* and its trace whole, too */
    sign(&row);
    assert_int_equal(journal_unpack(&back, buf_str(&row)), ERR_CORRUPT);
    buf_fini(&row);
}

static void
a_span_without_id_or_weight_is_corrupt(void **state)
{
    struct stub stub = {.trace_lo = 5, .span_id = 1, .weight = WEIGHT_ONE};
    struct stub_batch batch = {.stubs = &stub, .stub_len = 1}, back;
    struct buf row = {0};

    (void)state;
    for (int id = 1; id >= 0; id--) {
        for (int weight = 1; weight >= 0; weight--) {
            stub.span_id = (uint64_t)id;
            stub.weight = (uint64_t)weight;
            buf_reset(&row);
            journal_pack(&batch, &row);
            assert_int_equal(journal_unpack(&back, buf_str(&row)),
                             id && weight ? OK : ERR_CORRUPT);
            journal_batch_fini(&back);
        }
    }
    buf_fini(&row);
}

static void
a_forged_length_takes_no_memory(void **state)
{
    /* version 1, 2^32-1 stubs, no links, received 0 */
    char head[] = "\x01\xff\xff\xff\xff\x0f\0\0\0\0\0\0\0\0\0\0\0________";
    struct buf row = {0};
    struct stub_batch back;

    (void)state;
    buf_add(&row, (str){head, sizeof(head) - 1});
    sign(&row);
    assert_int_equal(journal_unpack(&back, buf_str(&row)), ERR_CORRUPT);
    buf_fini(&row);
}

static void
an_unknown_version_is_corrupt(void **state)
{
    struct stub_batch batch = random_batch(1, 0, 6), back;
    struct buf row = {0};

    (void)state;
    journal_pack(&batch, &row);
    for (int version = 0; version <= JOURNAL_VERSION + 1; version++) {
        bool is_known = version >= JOURNAL_OLDEST && version <= JOURNAL_VERSION;
        row.ptr[0] = (char)version;
        sign(&row);
        assert_int_equal(journal_unpack(&back, buf_str(&row)),
                         is_known ? OK : ERR_CORRUPT);
        journal_batch_fini(&back);
    }
    journal_batch_fini(&batch);
    buf_fini(&row);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back_as_it_was),
        cmocka_unit_test(packing_appends_and_respects_the_bound_of_the_buffer),
        cmocka_unit_test(a_trace_that_comes_again_is_written_once),
        cmocka_unit_test(rows_of_the_first_version_are_read),
        cmocka_unit_test(a_trace_from_before_the_row_is_corrupt),
        cmocka_unit_test(every_truncation_is_corrupt),
        cmocka_unit_test(every_flipped_bit_is_corrupt),
        cmocka_unit_test(forged_rows_are_refused_or_are_batches),
        cmocka_unit_test(a_span_without_id_or_weight_is_corrupt),
        cmocka_unit_test(a_forged_length_takes_no_memory),
        cmocka_unit_test(an_unknown_version_is_corrupt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
