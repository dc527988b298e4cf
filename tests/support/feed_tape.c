#include "tests/support/feed_tape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "net/request.h"
#include "net/unpack.h"

struct feed_tape tape;

static ssize_t
read_stream(void *ctx, char *to, size_t len)
{
    size_t left = tape.stream.len - tape.read;

    (void)ctx;
    if (tape.read >= tape.fail_at)
        return -1;
    len = len < tape.step ? len : tape.step;
    len = len < left ? len : left;
    memcpy(to, tape.stream.ptr + tape.read, len);
    tape.read += len;
    return (ssize_t)len;
}

static void
skip_frame(void *ctx, uint64_t at_bytes, const char *what)
{
    (void)ctx;
    tape.skipped++;
    tape.skipped_why = what;
    tape.at_last = at_bytes;
}

static enum err
take(void *ctx, const struct feed_request *taken)
{
    str request = taken->bytes;

    (void)ctx;
    tape.at_last = taken->at_bytes;
    tape.is_at_end = taken->is_at_end;
    if (!taken->is_unpacked && tape.is_plain)
        assert_memory_equal(request.ptr, tape.stream.ptr + taken->at_bytes,
                            request.len);
    if (++tape.requests == tape.stop_at)
        return ERR_STORE;
    if (tape.requests == 1)
        tape.read_at_first = tape.read;
    for (size_t i = 0; i < REQUEST_PAD; i++)
        tape.behind += (unsigned char)request.ptr[request.len + i];
    if (request.len > tape.longest)
        tape.longest = request.len;
    if (request.len <= TAPE_MOST) {
        buf_add_char(&tape.taken, taken->is_json ? 'J' : 'P');
        buf_add(&tape.taken, request);
        buf_add_char(&tape.taken, '|');
    }
    return OK;
}

enum err
tape_feed_bound(str stream, size_t step, size_t most)
{
    const struct feed_io io = {read_stream, take, skip_frame, NULL};

    tape.stream = stream;
    tape.step = step;
    tape.read = tape.requests = tape.longest = tape.read_at_first =
        tape.skipped = 0;
    tape.is_plain = unpack_encoding(stream) == ENCODING_IDENTITY;
    buf_reset(&tape.taken);
    return feed_run(&io, most, &tape.fault);
}

enum err
tape_feed(str stream, size_t step)
{
    return tape_feed_bound(stream, step, TAPE_MOST);
}

void
tape_expect(str stream, str wanted, enum err err)
{
    static const size_t steps[] = {1, 2, 3, 5, 64, TAPE_NO_STEP};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        enum err got = tape_feed(stream, steps[i]);
        if (got != err || !str_eq(buf_str(&tape.taken), wanted))
            fail_msg("in steps of %zu: %d, %s", steps[i], got,
                     buf_cstr(&tape.taken));
    }
}

int
tape_set_up(void **state)
{
    (void)state;
    tape.fail_at = tape.stop_at = TAPE_NEVER;
    return 0;
}

int
tape_tear_down(void **state)
{
    (void)state;
    buf_fini(&tape.taken);
    return 0;
}

str
tape_frame(struct buf *to, size_t len)
{
    buf_reset(to);
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_add_char(to, (char)(len >> shift & 0xff));
    for (size_t i = 0; i < len; i++)
        buf_add_char(to, i ? 'x' : '\n');
    return buf_str(to);
}

void
tape_pack(struct buf *to, str plain, bool is_gzip)
{
    size_t room = compressBound(plain.len) + ZSTD_compressBound(plain.len) + 64;
    char *out = buf_grow(to, room);

    assert_non_null(out);
    if (is_gzip) {
        z_stream z = {.next_in = (Bytef *)(uintptr_t)plain.ptr,
                      .avail_in = (uInt)plain.len,
                      .next_out = (Bytef *)out,
                      .avail_out = (uInt)room};
        assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, 0), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        to->len += z.total_out;
        deflateEnd(&z);
    } else {
        size_t len = ZSTD_compress(out, room, plain.ptr, plain.len, 3);
        assert_false(ZSTD_isError(len));
        to->len += len;
    }
}
