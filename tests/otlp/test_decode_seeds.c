/*
 * The seeds of the fuzz targets are requests of the generator, as protobuf and
 * as JSON.  OTLP_SEEDS=tests/fuzz/corpus writes them; without it the test holds
 * that those in the tree are still good.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/otlp_oracle.h"
#include "tests/support/otlp_random.h"

enum { SEEDS = 12, SEED_MAX = 1500 };

static void
make_seed(uint64_t number, struct buf *pb, struct buf *json)
{
    struct otlp_random random = {.state = number * 1000,
                                 .wild = number % 2 != 0};
    struct otlp_seen seen = {.err = ERR_INVALID};

    while (seen.err || seen.result.accepted == 0 || pb->len > SEED_MAX) {
        otlp_seen_fini(&seen);
        buf_reset(pb);
        otlp_random_request(&random, pb);
        otlp_oracle(&seen, buf_str(pb), true);
    }
    buf_add(json, buf_str(&seen.json));
    otlp_seen_fini(&seen);
}

static void
write_file(const char *root, const char *folder, uint64_t number,
           const struct buf *content)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s/seed-%02d", root, folder, (int)number);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content->ptr, 1, content->len, file), content->len);
    assert_int_equal(fclose(file), 0);
}

static void
read_file(const char *folder, uint64_t number, struct buf *out)
{
    char path[512];

    snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/seed-%02d", folder,
             (int)number);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing; run from the root of the tree", path);
    char *room = buf_grow(out, 4 * SEED_MAX);
    assert_non_null(room);
    out->len += fread(room, 1, 4 * SEED_MAX, file);
    assert_int_equal(fclose(file), 0);
}

static void
seeds_are_requests_with_spans(void **state)
{
    const char *root = getenv("OTLP_SEEDS");
    struct decode_scratch *scratch = decode_scratch_new();

    (void)state;
    assert_non_null(scratch);
    for (uint64_t number = 1; number <= SEEDS; number++) {
        struct buf pb = {0};
        struct buf json = {0};
        struct otlp_seen from_pb;
        struct otlp_seen from_json;

        if (root) {
            make_seed(number, &pb, &json);
            write_file(root, "decode_pb", number, &pb);
            write_file(root, "decode_json", number, &json);
        } else {
            read_file("decode_pb", number, &pb);
            read_file("decode_json", number, &json);
        }
        otlp_decode_protobuf(&from_pb, scratch, buf_str(&pb));
        otlp_decode_json(&from_json, scratch, buf_str(&json), false);
        assert_int_equal(from_pb.err, OK);
        assert_int_equal(from_json.err, OK);
        assert_true(from_pb.result.accepted > 0);
        assert_string_equal(buf_cstr(&from_pb.log), buf_cstr(&from_json.log));
        otlp_seen_fini(&from_pb);
        otlp_seen_fini(&from_json);
        buf_fini(&pb);
        buf_fini(&json);
    }
    decode_scratch_free(scratch);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_are_requests_with_spans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
