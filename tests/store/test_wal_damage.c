/*
 * A log that is damaged anywhere, whatever of it was moved into the database
 * before: what the next start shows is all that was committed, or it is told
 * that it is not, and then it is what once was, or nothing.  It is never some
 * pages of one moment beside some of another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/log.h"
#include "base/metrics.h"
#include "store/dbfile.h"
#include "store/remains.h"
#include "store/store.h"
#include "tests/support/size.h"
#include "tests/support/stored.h"
#include "tests/support/wal_scene.h"

enum field {
    FIELD_PAGE,
    FIELD_SIZE,
    FIELD_SALT,
    FIELD_SUM,
    FIELD_DATA,
    FIELD_HEAD, /* of the log */
    FIELD_BURST,
    FIELD_SECTOR,
    FIELD_BLOCK,
    FIELD_COUNT,
};

static struct wal_scene scenes[WAL_MOVED_COUNT];
static uint64_t random_now;
static struct {
    uint64_t whole;
    uint64_t earlier;
    uint64_t set_aside;
} totals;

static uint64_t
below(uint64_t n)
{
    return size_roll(&random_now) % n;
}

/* ---- damage ---- */

static void
hit(char *log, size_t at)
{
    log[at] = (char)(log[at] ^ (char)(1 + below(255)));
}

/* Early, late, the last ones, anywhere. */
static uint32_t
draw_frame(const struct wal_scene *scene)
{
    uint32_t few = scene->all < 8 ? scene->all : 8;

    switch (below(4)) {
    case 0:
        return (uint32_t)below(few);
    case 1:
        return scene->all - 1 - (uint32_t)below(few);
    default:
        return (uint32_t)below(scene->all);
    }
}

static uint32_t
damage(const struct wal_scene *scene, enum field field, char *log)
{
    static const size_t offsets[] = {
        0, 4, 8, 16, WAL_SCENE_FRAME_HEAD, WAL_SCENE_FRAME};
    uint32_t frame = draw_frame(scene);
    size_t begin = WAL_SCENE_HEAD + (size_t)frame * WAL_SCENE_FRAME;
    size_t end = WAL_SCENE_HEAD + (size_t)scene->all * WAL_SCENE_FRAME;
    size_t len = 1 + below(64);

    if (field <= FIELD_DATA) {
        size_t from = offsets[field];
        hit(log, begin + from + below(offsets[field + 1] - from));
        return frame;
    }
    if (field == FIELD_HEAD) {
        hit(log, below(WAL_SCENE_HEAD));
        return 0;
    }
    begin += below(WAL_SCENE_FRAME);
    if (field == FIELD_SECTOR || field == FIELD_BLOCK) {
        len = field == FIELD_SECTOR ? 512 : WAL_SCENE_PAGE;
        begin = begin / len * len;
    }
    len = end - begin < len ? end - begin : len;
    if (field == FIELD_BURST)
        for (size_t i = 0; i < len; i++)
            hit(log, begin + i);
    else
        memset(log + begin, 0, len);
    size_t last = (begin + len - 1 - WAL_SCENE_HEAD) / WAL_SCENE_FRAME;
    return begin + len <= WAL_SCENE_HEAD ? 0 : (uint32_t)last;
}

/* ---- what is to be ---- */

static int
which_step(const struct wal_scene *scene, uint64_t shown)
{
    for (int n = WAL_SCENE_STEPS; n >= 0; n--)
        if (scene->seen[n] == shown)
            return n;
    return -1;
}

/* What the disk made of the last transaction, if nothing stands on it, cannot
 * be told from one that was being written as the power went; nor can, where the
 * end of one is gone, that one and the last. */
static bool
may_be_cut(const struct wal_scene *scene, int found, uint32_t frame,
           bool is_wide)
{
    return (found == WAL_SCENE_STEPS - 1 && frame >= scene->last[0]) ||
           (found == WAL_SCENE_STEPS - 2 && frame >= scene->last[1] &&
            (is_wide || frame + 2 >= scene->last[0]));
}

/* The database has all that stood in the log up to there. */
static bool
is_moved(const struct wal_scene *scene, uint32_t frame)
{
    if (scene->moved == WAL_MOVED_ONE)
        return false;
    return scene->moved == WAL_MOVED_ALL || scene->moved == WAL_MOVED_SPILLED ||
           (scene->moved != WAL_MOVED_RESTART && frame < scene->half);
}

static void
judge(const struct wal_scene *scene, uint64_t seed, uint32_t frame,
      bool is_wide, bool was_told)
{
    int found = which_step(scene, wal_scene_show());

    if (found < 0)
        fail_msg("SEED=%lu: frame %u of %u: a mixture", seed, frame,
                 scene->frames);
    if (found < WAL_SCENE_STEPS && is_moved(scene, frame))
        fail_msg("SEED=%lu: frame %u of %u: step %d", seed, frame,
                 scene->frames, found);
    if (found < WAL_SCENE_STEPS && !was_told &&
        !may_be_cut(scene, found, frame, is_wide))
        fail_msg("SEED=%lu: frame %u of %u: step %d, and nothing said", seed,
                 frame, scene->frames, found);
    totals.whole += found == WAL_SCENE_STEPS;
    totals.earlier += found < WAL_SCENE_STEPS;
}

static void
round_of(uint64_t seed)
{
    enum wal_moved moved = seed % WAL_MOVED_COUNT;
    enum field field = seed / WAL_MOVED_COUNT % FIELD_COUNT;
    bool with_index = seed / WAL_MOVED_COUNT / FIELD_COUNT % 2;
    bool with_time = seed / WAL_MOVED_COUNT / FIELD_COUNT / 2 % 2;
    const struct wal_scene *scene = &scenes[moved];
    struct store *st = NULL;

    random_now = seed;
    char *log = malloc(scene->log.len);
    memcpy(log, scene->log.ptr, scene->log.len);
    uint32_t frame = damage(scene, field, log);
    wal_scene_lay_out(scene, log, below(scene->before.len / WAL_SCENE_PAGE + 1),
                      with_index, with_time);
    free(log);
    int64_t told = metrics_get(METRIC_DATABASES_DAMAGED);
    buf_reset(&stored.why);
    enum err err =
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why);
    bool was_told = metrics_get(METRIC_DATABASES_DAMAGED) > told;
    if (moved == WAL_MOVED_ONE && field <= FIELD_HEAD) /* nor of the old one */
        assert_false(was_told);
    if (err == ERR_CORRUPT &&
        ((moved != WAL_MOVED_TORN && moved != WAL_MOVED_PART) ||
         is_moved(scene, frame)))
        fail_msg("SEED=%lu: frame %u of %u: set aside: %s", seed, frame,
                 scene->frames, buf_cstr(&stored.why));
    if (err == OK)
        judge(scene, seed, frame, field > FIELD_HEAD, was_told);
    else {
        assert_int_equal(err, ERR_CORRUPT);
        assert_true(was_told);
    }
    totals.set_aside += err == ERR_CORRUPT;
    store_close(st);
}

static void
a_damaged_log_mixes_no_moments(void **state)
{
    struct seeds seeds = size_seeds(135, 10000, 100000);

    (void)state;
    for (enum wal_moved moved = 0; moved < WAL_MOVED_COUNT; moved++)
        wal_scene_make(&scenes[moved], moved);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        round_of(seed);
    for (enum wal_moved moved = 0; moved < WAL_MOVED_COUNT; moved++)
        wal_scene_free(&scenes[moved]);
    printf("%lu whole, %lu as they were before, %lu set aside\n", totals.whole,
           totals.earlier, totals.set_aside);
    assert_true(size_is_one() ||
                (totals.whole && totals.earlier && totals.set_aside));
}

/* ---- by hand ---- */

/* A log all of which was moved, with a byte of a page in its middle wrong. */
static void
lay_out_one(void)
{
    struct wal_scene *scene = &scenes[WAL_MOVED_ALL];

    if (!scene->log.ptr)
        wal_scene_make(scene, WAL_MOVED_ALL);
    char *hit_at = scene->log.ptr + WAL_SCENE_HEAD +
                   (size_t)scene->frames / 2 * WAL_SCENE_FRAME + 2000;
    *hit_at ^= 1;
    wal_scene_lay_out(scene, scene->log.ptr, 0, false, false);
    *hit_at ^= 1;
}

static void
expect_all(void)
{
    struct store *st = stored_open();

    assert_true(wal_scene_show() ==
                scenes[WAL_MOVED_ALL].seen[WAL_SCENE_STEPS]);
    store_close(st);
    wal_scene_free(&scenes[WAL_MOVED_ALL]);
}

/* As a process that is killed right after it has cut the log. */
static void
open_and_die(void)
{
    struct dbfile_spec spec = {
        .file = STORE_FILE, .lock = STORE_LOCK, .is_alone = true};
    struct dbfile file = {
        .spec = &spec, .dir = stored.dir, .path = stored.path, .lock_fd = -1};

    assert_int_equal(remains_lock(&file, &stored.why), OK);
    close(file.lock_fd);
}

/* Killed when the new log is there, and before, in the middle of writing it. */
static void
who_is_killed_meanwhile_begins_again(void **state)
{
    struct stored_bytes log;

    (void)state;
    lay_out_one();
    stored_write(WAL_SCENE_LOG ".cut", "half", 4);
    open_and_die();
    log = stored_read(WAL_SCENE_LOG);
    assert_int_equal(log.len, 0);
    free(log.ptr);
    open_and_die();
    expect_all();
}

static void
what_cannot_be_written_is_left_as_it_is(void **state)
{
    char *mended = stored_name(WAL_SCENE_LOG ".cut");
    struct store *st = NULL;

    (void)state;
    lay_out_one();
    struct stored_bytes log = stored_read(WAL_SCENE_LOG);
    assert_int_equal(mkdir(mended, 0700), 0);
    buf_reset(&stored.why);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_STORE);
    assert_non_null(strstr(buf_cstr(&stored.why), "cannot be written anew"));
    assert_int_equal(rmdir(mended), 0);
    struct stored_bytes left = stored_read(WAL_SCENE_LOG);
    assert_int_equal(log.len, left.len);
    assert_memory_equal(log.ptr, left.ptr, log.len);
    free(log.ptr);
    free(left.ptr);
    free(mended);
    expect_all();
}

/* Files of before, beside a note of what became of them. */
static void
a_copy_of_before_is_left_as_it_is(void **state)
{
    struct wal_scene *scene = &scenes[WAL_MOVED_ALL];

    (void)state;
    wal_scene_make(scene, WAL_MOVED_ALL);
    wal_scene_lay_out(scene, scene->log.ptr, 0, false, false);
    stored_write(STORE_FILE, scene->before.ptr, scene->before.len);
    stored_write(WAL_SCENE_LOG, scene->log.ptr,
                 WAL_SCENE_HEAD + (size_t)scene->last[0] * WAL_SCENE_FRAME);
    struct store *st = stored_open();
    assert_true(wal_scene_show() == scene->seen[WAL_SCENE_STEPS - 1]);
    store_close(st);
    wal_scene_free(scene);
}

/* A note that is torn, of another program, or no file. */
static void
what_is_no_note_says_nothing(void **state)
{
    struct wal_scene *scene = &scenes[WAL_MOVED_ALL];
    static const char junk[256] = "sgmoved1";
    char *note = stored_name(STORE_FILE ".moved");

    (void)state;
    wal_scene_make(scene, WAL_MOVED_ALL);
    for (int i = 0; i < 5; i++) {
        wal_scene_lay_out(scene, scene->log.ptr, 0, false, false);
        if (i == 0)
            scene->note.ptr[40] ^= 1;
        else if (i == 1)
            stored_write(STORE_FILE ".moved", junk, sizeof(junk));
        else if (i == 2)
            stored_write(STORE_FILE ".moved", scene->note.ptr,
                         scene->note.len - 1);
        else
            stored_remove(STORE_FILE ".moved");
        if (i == 4)
            assert_int_equal(mkdir(note, 0700), 0);
        struct store *st = stored_open();
        assert_true(wal_scene_show() == scene->seen[WAL_SCENE_STEPS]);
        store_close(st);
    }
    assert_int_equal(rmdir(note), 0);
    free(note);
    wal_scene_free(scene);
}

/* Its index is that of the log as it was. */
static void
who_reads_must_end_first(void **state)
{
    struct store *st = NULL;

    (void)state;
    lay_out_one();
    sqlite3 *reader = wal_scene_read();
    buf_reset(&stored.why);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_BUSY);
    assert_non_null(strstr(buf_cstr(&stored.why), "somebody reads"));
    sqlite3_close(reader);
    expect_all();
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(a_damaged_log_mixes_no_moments),
        STORED_TEST(who_is_killed_meanwhile_begins_again),
        STORED_TEST(what_cannot_be_written_is_left_as_it_is),
        STORED_TEST(who_reads_must_end_first),
        STORED_TEST(a_copy_of_before_is_left_as_it_is),
        STORED_TEST(what_is_no_note_says_nothing),
    };

    size_args(argc, argv);
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    return cmocka_run_group_tests(tests, NULL, NULL);
}
