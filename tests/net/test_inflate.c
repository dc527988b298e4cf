#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "net/inflate.h"
#include "net/request.h"

enum { MIB = 1 << 20, MAX = 64 << 20, GZIP = 15 + 16, ZLIB = 15, RAW = -15 };

struct bytes {
    char *ptr;
    size_t len;
};

static struct bytes
pattern(size_t len)
{
    struct bytes plain = {malloc(len ? len : 1), len};

    assert_non_null(plain.ptr);
    for (size_t i = 0; i < len; i++)
        plain.ptr[i] = (char)((i * 2654435761u) >> 24);
    return plain;
}

static struct bytes
zeros(size_t len)
{
    struct bytes plain = {calloc(1, len), len};

    assert_non_null(plain.ptr);
    return plain;
}

static struct bytes
deflated(struct bytes plain, int window)
{
    struct bytes out = {malloc(plain.len + 4096), plain.len + 4096};
    z_stream z = {.next_in = (Bytef *)plain.ptr,
                  .avail_in = (uInt)plain.len,
                  .next_out = (Bytef *)out.ptr,
                  .avail_out = (uInt)out.len};

    assert_non_null(out.ptr);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, window, 8, 0), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.len = z.total_out;
    deflateEnd(&z);
    return out;
}

static struct bytes
zstded(struct bytes plain, bool with_size, int window_log)
{
    struct bytes out = {NULL, ZSTD_compressBound(plain.len)};
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    ZSTD_inBuffer in = {plain.ptr, plain.len, 0};

    out.ptr = malloc(out.len);
    assert_non_null(out.ptr);
    ZSTD_outBuffer to = {out.ptr, out.len, 0};
    if (window_log)
        ZSTD_CCtx_setParameter(ctx, ZSTD_c_windowLog, window_log);
    if (with_size)
        ZSTD_CCtx_setPledgedSrcSize(ctx, plain.len);
    else /* a first flush makes the size unknown to the frame */
        assert_false(ZSTD_isError(ZSTD_compressStream2(
            ctx, &to, &(ZSTD_inBuffer){plain.ptr, 0, 0}, ZSTD_e_flush)));
    while (ZSTD_compressStream2(ctx, &to, &in, ZSTD_e_end) != 0)
        ;
    out.len = to.pos;
    ZSTD_freeCCtx(ctx);
    return out;
}

static struct bytes
joined(struct bytes a, struct bytes b)
{
    struct bytes out = {malloc(a.len + b.len + 1), a.len + b.len};

    assert_non_null(out.ptr);
    memcpy(out.ptr, a.ptr, a.len);
    if (b.len)
        memcpy(out.ptr + a.len, b.ptr, b.len);
    return out;
}

/* Decompresses and compares with |plain| when it should succeed. */
static void
check(enum encoding encoding, struct bytes in, size_t max, enum err want,
      struct bytes plain)
{
    struct inflater *inflater = inflater_new();
    char unset = 0;
    char *out = &unset;
    size_t len = 1;

    assert_non_null(inflater);
    assert_int_equal(inflate_whole(inflater, encoding, (str){in.ptr, in.len},
                                   max, &out, &len),
                     want);
    if (want == OK) {
        assert_int_equal(len, plain.len);
        assert_memory_equal(out, plain.ptr, plain.len);
        for (size_t i = 0; i < REQUEST_PAD; i++)
            assert_int_equal(out[len + i], 0);
        free(out);
    } else {
        assert_null(out);
        assert_int_equal(len, 0);
    }
    inflater_free(inflater);
}

static struct bytes
compressed(enum encoding encoding, int kind, struct bytes plain)
{
    if (encoding == ENCODING_GZIP)
        return deflated(plain, GZIP);
    if (encoding == ENCODING_DEFLATE)
        return deflated(plain, kind ? RAW : ZLIB);
    return zstded(plain, kind, 0);
}

static const struct {
    enum encoding encoding;
    int kind;
} all[] = {
    {ENCODING_GZIP, 0}, {ENCODING_DEFLATE, 0}, {ENCODING_DEFLATE, 1},
    {ENCODING_ZSTD, 0}, {ENCODING_ZSTD, 1},
};
enum { ALL = sizeof(all) / sizeof(all[0]) };

static void
names_are_known_in_any_case(void **state)
{
    (void)state;
    assert_int_equal(encoding_of(STR("")), ENCODING_IDENTITY);
    assert_int_equal(encoding_of(STR("identity")), ENCODING_IDENTITY);
    assert_int_equal(encoding_of(STR("GZip")), ENCODING_GZIP);
    assert_int_equal(encoding_of(STR("x-gzip")), ENCODING_GZIP);
    assert_int_equal(encoding_of(STR("deflate")), ENCODING_DEFLATE);
    assert_int_equal(encoding_of(STR("zstd")), ENCODING_ZSTD);
    assert_int_equal(encoding_of(STR("br")), ENCODING_UNKNOWN);
    assert_int_equal(encoding_of(STR("gzip, gzip")), ENCODING_UNKNOWN);
}

static void
what_was_compressed_comes_back(void **state)
{
    static const size_t lens[] = {0, 1, 511, 16384, 300000, (size_t)3 * MIB};

    (void)state;
    for (size_t i = 0; i < ALL; i++)
        for (size_t j = 0; j < sizeof(lens) / sizeof(lens[0]); j++) {
            struct bytes plain = pattern(lens[j]);
            struct bytes in = compressed(all[i].encoding, all[i].kind, plain);
            check(all[i].encoding, in, MAX, OK, plain);
            free(in.ptr);
            free(plain.ptr);
        }
}

static void
the_limit_fits_and_one_byte_more_does_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < ALL; i++)
        for (size_t len = 20000; len <= 200000; len += 180000) {
            struct bytes plain = pattern(len);
            struct bytes in = compressed(all[i].encoding, all[i].kind, plain);
            check(all[i].encoding, in, len, OK, plain);
            check(all[i].encoding, in, len - 1, ERR_TOO_LARGE, plain);
            free(in.ptr);
            free(plain.ptr);
        }
}

static void
a_ratio_of_200_holds_after_the_first_mebibyte(void **state)
{
    struct bytes small = zeros(MIB);
    struct bytes bomb = zeros((size_t)40 * MIB);

    (void)state;
    for (size_t i = 0; i < ALL; i++) {
        struct bytes in = compressed(all[i].encoding, all[i].kind, small);
        check(all[i].encoding, in, MAX, OK, small);
        free(in.ptr);
        in = compressed(all[i].encoding, all[i].kind, bomb);
        check(all[i].encoding, in, MAX, ERR_TOO_LARGE, bomb);
        free(in.ptr);
    }
    free(small.ptr);
    free(bomb.ptr);
}

static void
all_members_and_frames_are_read(void **state)
{
    static const struct {
        enum encoding encoding;
        int kind;
    } many[] = {{ENCODING_GZIP, 0}, {ENCODING_ZSTD, 0}, {ENCODING_ZSTD, 1}};
    struct bytes a = pattern(70000);
    struct bytes b = pattern(123);
    struct bytes empty = {a.ptr, 0};
    struct bytes ab = joined(a, b);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bytes za = compressed(many[i].encoding, many[i].kind, a);
        struct bytes zb = compressed(many[i].encoding, many[i].kind, b);
        struct bytes ze = compressed(many[i].encoding, many[i].kind, empty);
        struct bytes two = joined(za, zb);
        struct bytes three = joined(two, ze);

        check(many[i].encoding, two, ab.len, OK, ab);
        check(many[i].encoding, three, ab.len, OK, ab);
        check(many[i].encoding, two, ab.len - 1, ERR_TOO_LARGE, ab);
        free(za.ptr);
        free(zb.ptr);
        free(ze.ptr);
        free(two.ptr);
        free(three.ptr);
    }
    free(a.ptr);
    free(b.ptr);
    free(ab.ptr);
}

static void
every_truncation_is_refused(void **state)
{
    struct bytes plain = pattern(700);

    (void)state;
    for (size_t i = 0; i < ALL; i++) {
        struct bytes in = compressed(all[i].encoding, all[i].kind, plain);
        for (size_t len = 0; len < in.len; len++)
            check(all[i].encoding, (struct bytes){in.ptr, len}, MIB,
                  ERR_INVALID, plain);
        free(in.ptr);
    }
    free(plain.ptr);
}

static void
bytes_left_over_are_refused(void **state)
{
    struct bytes plain = pattern(700);
    char rubbish[] = "rubbish";
    char nuls[8] = {0};
    struct bytes rest = {rubbish, 7};
    struct bytes nul = {nuls, 8};

    (void)state;
    for (size_t i = 0; i < ALL; i++) {
        struct bytes in = compressed(all[i].encoding, all[i].kind, plain);
        struct bytes more = joined(in, rest);
        struct bytes padded = joined(in, nul);
        check(all[i].encoding, more, MIB, ERR_INVALID, plain);
        check(all[i].encoding, padded, MIB, ERR_INVALID, plain);
        free(in.ptr);
        free(more.ptr);
        free(padded.ptr);
    }
    free(plain.ptr);
}

static void
every_flipped_byte_is_refused_or_harmless(void **state)
{
    struct bytes plain = pattern(500);
    struct inflater *inflater = inflater_new();

    (void)state;
    for (size_t i = 0; i < ALL; i++) {
        struct bytes in = compressed(all[i].encoding, all[i].kind, plain);
        for (size_t at = 0; at < in.len; at++) {
            char *out;
            size_t len;

            in.ptr[at] = (char)(in.ptr[at] ^ 0x55);
            if (inflate_whole(inflater, all[i].encoding, (str){in.ptr, in.len},
                              MIB, &out, &len) == OK)
                assert_true(len <= MIB);
            free(out);
            in.ptr[at] = (char)(in.ptr[at] ^ 0x55);
        }
        /* and what failed before does not harm what comes next */
        check(all[i].encoding, in, MIB, OK, plain);
        free(in.ptr);
    }
    inflater_free(inflater);
    free(plain.ptr);
}

static void
a_size_that_gzip_claims_is_only_a_hint(void **state)
{
    static const uint32_t claims[] = {0, 1, 0xffffffff, 0x7fffffff};
    struct bytes plain = pattern(50000);
    struct bytes in = deflated(plain, GZIP);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct bytes lie = joined(in, (struct bytes){NULL, 0});
        memcpy(lie.ptr + lie.len - 4, &claims[i], 4);
        check(ENCODING_GZIP, lie, MAX, ERR_INVALID, plain);
        free(lie.ptr);
    }
    free(in.ptr);
    free(plain.ptr);
}

static void
a_zstd_window_over_8_mib_is_refused(void **state)
{
    struct bytes plain = pattern((size_t)9 * MIB);
    struct bytes fits = zstded(plain, false, 23);
    struct bytes wide = zstded(plain, false, 24);

    (void)state;
    check(ENCODING_ZSTD, fits, MAX, OK, plain);
    check(ENCODING_ZSTD, wide, MAX, ERR_INVALID, plain);
    free(fits.ptr);
    free(wide.ptr);
    free(plain.ptr);
}

static void
no_bytes_and_no_known_encoding_are_refused(void **state)
{
    struct bytes plain = pattern(10);

    (void)state;
    for (size_t i = 0; i < ALL; i++)
        check(all[i].encoding, (struct bytes){plain.ptr, 0}, MIB, ERR_INVALID,
              plain);
    check(ENCODING_UNKNOWN, plain, MIB, ERR_INVALID, plain);
    check(ENCODING_IDENTITY, plain, 10, OK, plain);
    check(ENCODING_IDENTITY, plain, 9, ERR_TOO_LARGE, plain);
    free(plain.ptr);
}

struct lent {
    size_t left;
    size_t taken;
};

static bool
lend(void *ctx, size_t bytes)
{
    struct lent *lent = ctx;

    if (bytes > lent->left)
        return false;
    lent->left -= bytes;
    lent->taken += bytes;
    return true;
}

/* Of deflate, whose length nobody tells: as the output grows. */
static void
memory_is_asked_for_before_it_is_taken(void **state)
{
    enum { LEN = 300000, PACKED = 40000 };
    static char plain[LEN];
    static char packed[PACKED];
    struct inflater *inflater = inflater_new();
    uLongf packed_len = PACKED;

    (void)state;
    memset(plain, 'a', LEN);
    assert_int_equal(
        compress2((Bytef *)packed, &packed_len, (Bytef *)plain, LEN, 9), Z_OK);
    for (size_t missing = 0; missing < 2; missing++) {
        struct lent lent = {.left = LEN + REQUEST_PAD - missing};
        const struct inflate_room room = {LEN, lend, &lent};
        char *out = NULL;
        size_t len = 0;

        assert_int_equal(inflate_within(inflater, ENCODING_DEFLATE,
                                        (str){packed, packed_len}, &room, &out,
                                        &len),
                         missing ? ERR_NOMEM : OK);
        assert_int_equal(len, missing ? 0 : LEN);
        assert_int_equal(lent.left == 0, !missing);
        assert_in_range(lent.taken, 1, LEN + REQUEST_PAD);
        free(out);
    }
    inflater_free(inflater);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_known_in_any_case),
        cmocka_unit_test(what_was_compressed_comes_back),
        cmocka_unit_test(the_limit_fits_and_one_byte_more_does_not),
        cmocka_unit_test(a_ratio_of_200_holds_after_the_first_mebibyte),
        cmocka_unit_test(all_members_and_frames_are_read),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(bytes_left_over_are_refused),
        cmocka_unit_test(every_flipped_byte_is_refused_or_harmless),
        cmocka_unit_test(a_size_that_gzip_claims_is_only_a_hint),
        cmocka_unit_test(a_zstd_window_over_8_mib_is_refused),
        cmocka_unit_test(no_bytes_and_no_known_encoding_are_refused),
        cmocka_unit_test(memory_is_asked_for_before_it_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
