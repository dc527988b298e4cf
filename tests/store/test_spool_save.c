/*
 * A spool that was left by a crash and was damaged meanwhile: it is said, and
 * what can still be read of it is handed out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/metrics.h"
#include "tests/support/size.h"
#include "tests/support/spooled.h"

enum { BATCHES = 20, LOST_MAX = 2, PART = 3000, FILE_MAX = 1 << 20 };

/* A part has a page for itself. */
static const struct spool_cfg cfg = {.max_bytes = 1 << 20,
                                     .batch_bytes = SPOOLED_BATCH,
                                     .batch_age_ns = NS_PER_S,
                                     .is_durable = true};

/* The files of a spool as a crash leaves them. */
static struct left {
    char bytes[2][FILE_MAX];
    size_t len[2];
} left;

static const char *const suffixes[2] = {"", "-wal"};

static void
path_of(char out[160], int which)
{
    (void)snprintf(out, 160, "%s%s", spooled.path, suffixes[which]);
}

static void
take_files(void)
{
    for (int i = 0; i < 2; i++) {
        char path[160];
        path_of(path, i);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        left.len[i] = fread(left.bytes[i], 1, FILE_MAX, file);
        assert_true(left.len[i] > 0 && left.len[i] < FILE_MAX);
        assert_int_equal(fclose(file), 0);
    }
}

static void
put_file(int which)
{
    char path[160];

    path_of(path, which);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(left.bytes[which], 1, left.len[which], file),
                     left.len[which]);
    assert_int_equal(fclose(file), 0);
}

static enum err
try_open(uint64_t now_ns)
{
    spool_close(spooled.spool);
    buf_reset(&spooled.why);
    return spool_open(&spooled.spool, spooled.dir, &cfg, now_ns, &spooled.why);
}

/* Fills a spool and leaves it as a crash would; nothing is in its place. */
static void
leave(void)
{
    char path[160];

    assert_int_equal(try_open(SPOOLED_NOW), OK);
    for (int i = 0; i < BATCHES; i++)
        assert_int_equal(
            spooled_put((char)('a' + i), PART, SPOOLED_BATCH, SPOOLED_NOW), OK);
    take_files();
    spool_close(spooled.spool);
    spooled.spool = NULL;
    path_of(path, 0);
    assert_int_equal(unlink(path), 0);
    path_of(path, 1);
    (void)unlink(path);
}

/* What is handed out; |damaged| counts what is said to be. */
static const char *
hand_out(int *damaged)
{
    static char names[64];
    struct spool_batch batch = {0};
    size_t len = 0;
    enum err err;

    while ((err = spool_next(spooled.spool, SPOOLED_NOW, true, &batch)) !=
           ERR_NOT_FOUND) {
        assert_true(err == OK || (err == ERR_CORRUPT && batch.id != 0));
        *damaged += err != OK;
        if (!err) {
            assert_int_equal(batch.bytes.len, PART);
            names[len++] = batch.bytes.ptr[0];
        }
        assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    }
    names[len] = '\0';
    buf_fini(&batch.bytes);
    return names;
}

/* Opens what is there, which is said to be damaged. */
static void
open_damaged(void)
{
    int64_t before = metrics_get(METRIC_DATABASES_DAMAGED);

    assert_int_equal(try_open(SPOOLED_NOW), ERR_CORRUPT);
    assert_true(spooled.why.len > 0);
    assert_int_equal(metrics_get(METRIC_DATABASES_DAMAGED), before + 1);
    assert_int_equal(try_open(SPOOLED_NOW), OK);
}

#define ALL "abcdefghijklmnopqrst"

static void
what_a_crash_leaves_is_whole(void **state)
{
    int damaged = 0;

    (void)state;
    leave();
    put_file(0);
    put_file(1);
    assert_int_equal(try_open(SPOOLED_NOW), OK);
    assert_string_equal(hand_out(&damaged), ALL);
    assert_int_equal(damaged, 0);
}

/* A byte of the log is another one, wherever it is: what is behind is handed
 * out, and that something is not as it was is said.  Only in the last
 * transaction can it not be told from one that was being written. */
static void
what_is_behind_a_damaged_page_of_the_log_is_handed_out(void **state)
{
    struct seeds seeds = size_seeds(150, 3000, 20000);

    (void)state;
    leave();
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        uint64_t random = seed;
        int damaged = 0;
        size_t at = (size_t)(size_roll(&random) % left.len[1]);
        char was = left.bytes[1][at];
        left.bytes[1][at] ^= (char)(1 << seed % 8);
        put_file(0);
        put_file(1);
        left.bytes[1][at] = was;
        enum err err = try_open(SPOOLED_NOW + seed * NS_PER_S);
        if (err) {
            assert_int_equal(err, ERR_CORRUPT);
            assert_int_equal(try_open(SPOOLED_NOW), OK);
        }
        const char *names = hand_out(&damaged);
        size_t len = strlen(names);
        if (len + (size_t)damaged + LOST_MAX < BATCHES ||
            (!err && strncmp(names, ALL, len) != 0))
            fail_msg("SEED=%d at %zu: %s of %zu", (int)seed, at, names,
                     (size_t)BATCHES);
        spool_close(spooled.spool);
        spooled.spool = NULL;
        assert_int_equal(unlink(spooled.path), 0);
    }
}

static void
a_log_whose_database_is_gone_is_handed_out(void **state)
{
    int damaged = 0;

    (void)state;
    leave();
    put_file(1);
    open_damaged();
    assert_string_equal(hand_out(&damaged), ALL);
    assert_int_equal(damaged, 0);
}

static void
a_spool_that_is_gone_is_told(void **state)
{
    int damaged = 0;

    (void)state;
    leave();
    open_damaged();
    assert_string_equal(hand_out(&damaged), "");
    spool_close(spooled.spool);
    spooled.spool = NULL;
    left.len[0] = 0; /* or empty */
    put_file(0);
    open_damaged();
    assert_string_equal(hand_out(&damaged), "");
}

/* A page of the database itself. */
static void
what_is_on_other_pages_is_handed_out(void **state)
{
    int damaged = 0;
    char path[160];

    (void)state;
    leave();
    put_file(0);
    put_file(1);
    assert_int_equal(try_open(SPOOLED_NOW), OK);
    spool_close(spooled.spool); /* moves the log into it */
    spooled.spool = NULL;
    path_of(path, 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    left.len[0] = fread(left.bytes[0], 1, FILE_MAX, file);
    assert_int_equal(fclose(file), 0);
    /* The page that the first part is on. */
    char part[PART];
    memset(part, 'a', PART);
    char *found = memmem(left.bytes[0], left.len[0], part, PART);
    assert_non_null(found);
    memset(left.bytes[0] + (found - left.bytes[0]) / 4096 * 4096, 0xff, 8);
    put_file(0);
    open_damaged();
    const char *names = hand_out(&damaged);
    assert_int_equal(strlen(names), BATCHES - 1);
    assert_string_equal(names, ALL + 1);
}

/* The first start ended before the last step. */
static void
what_was_saved_is_taken_by_the_next_start(void **state)
{
    char saved[160];
    int damaged = 0;

    (void)state;
    leave();
    put_file(1);
    assert_int_equal(try_open(SPOOLED_NOW), ERR_CORRUPT);
    (void)snprintf(saved, sizeof(saved), "%s.saved", spooled.path);
    assert_int_equal(access(saved, F_OK), 0);
    /* It had not put the damaged files aside: all is done again. */
    put_file(0);
    put_file(1);
    left.bytes[1][left.len[1] / 2] ^= 1;
    put_file(1);
    left.bytes[1][left.len[1] / 2] ^= 1;
    open_damaged();
    assert_true(strlen(hand_out(&damaged)) + (size_t)damaged == BATCHES);
    assert_int_not_equal(access(saved, F_OK), 0);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SPOOLED_TEST(what_a_crash_leaves_is_whole),
        SPOOLED_TEST(what_is_behind_a_damaged_page_of_the_log_is_handed_out),
        SPOOLED_TEST(a_log_whose_database_is_gone_is_handed_out),
        SPOOLED_TEST(a_spool_that_is_gone_is_told),
        SPOOLED_TEST(what_is_on_other_pages_is_handed_out),
        SPOOLED_TEST(what_was_saved_is_taken_by_the_next_start),
    };

    size_args(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
