/*
 * A disk without room for the index of the write-ahead log is found out before
 * the index is mapped: whoever touches a page without room there is ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/index_room.h"
#include "tests/support/stored.h"

/* Room for files of so many bytes, each, or the code of why there is none. */
static struct {
    off_t most;
    int code;
    int after; /* calls that succeed whatever they ask for */
    int calls;
    off_t asked; /* by the first */
} room;

int __real_fallocate(int fd, int mode, off_t at, off_t len);
int __wrap_fallocate(int fd, int mode, off_t at, off_t len);

int
__wrap_fallocate(int fd, int mode, off_t at, off_t len)
{
    if (room.calls++ == 0)
        room.asked = len;
    if (room.calls > room.after && at + len > room.most) {
        errno = room.code;
        return -1;
    }
    return __real_fallocate(fd, mode, at, len);
}

static void
have_room(off_t most, int code, int after)
{
    room.most = most;
    room.code = code;
    room.after = after;
    room.calls = 0;
    room.asked = 0;
}

static int
setup(void **state)
{
    have_room(INT64_MAX, 0, 0);
    return stored_setup(state);
}

static off_t
index_bytes(void)
{
    char path[320];
    struct stat st;

    snprintf(path, sizeof(path), "%s-shm", stored.path);
    return stat(path, &st) == 0 ? (off_t)st.st_blocks * 512 : 0;
}

/* A store with one row, closed; |index|: its index is left as it was. */
static void
make(bool index)
{
    struct store *st = stored_open();

    stored_put_node(st, 1);
    stored_append(st, 3, STORED_NOW, 7);
    store_close(st);
    if (!index)
        stored_remove(STORE_FILE "-shm");
}

static void
expect_refused(const char *code)
{
    struct store *st = NULL;

    buf_reset(&stored.why);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_STORE);
    assert_null(st);
    assert_non_null(strstr(buf_cstr(&stored.why), code));
    assert_non_null(strstr(buf_cstr(&stored.why), "make room"));
}

static void
expect_all(void)
{
    struct stored_journal journal;

    have_room(INT64_MAX, 0, 0);
    journal = stored_look();
    assert_int_equal(journal.rows, 1);
    assert_int_equal(journal.stubs, 3);
    assert_int_equal(journal.damaged, 0);
}

static void
an_open_store_has_room_for_all_of_the_index(void **state)
{
    struct store *st = stored_open();

    (void)state;
    assert_true(index_bytes() >= INDEX_ROOM_BYTES);
    store_close(st);
}

static void
nothing_is_opened_without_room_and_all_is_there_later(void **state)
{
    static const int codes[] = {ENOSPC, EDQUOT};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        stored_empty();
        have_room(INT64_MAX, 0, 0);
        make(false);
        have_room(INDEX_ROOM_MIN - 1, codes[i], 0);
        expect_refused(strerror(codes[i]));
        assert_int_equal(room.calls, 1);
        assert_int_equal(room.asked, INDEX_ROOM_MIN);
        expect_all();
    }
}

static void
a_new_store_without_room_is_refused_and_made_later(void **state)
{
    (void)state;
    have_room(INDEX_ROOM_MIN - 1, ENOSPC, 0);
    expect_refused(strerror(ENOSPC));
    have_room(INT64_MAX, 0, 0);
    store_close(stored_open());
}

static void
room_that_goes_meanwhile_is_missed_too(void **state)
{
    (void)state;
    make(false);
    have_room(INDEX_ROOM_MIN - 1, ENOSPC, 1);
    expect_refused(strerror(ENOSPC));
    assert_true(room.calls > 1);
    expect_all();
}

static void
an_index_that_is_there_is_room_enough(void **state)
{
    struct store *st;

    (void)state;
    make(true);
    have_room(INDEX_ROOM_BYTES, ENOSPC, 0);
    st = stored_open();
    assert_true(room.asked > INDEX_ROOM_MIN); /* it was not looked for */
    store_close(st);
    expect_all();
}

static void
little_room_is_enough_to_begin_with(void **state)
{
    struct store *st;

    (void)state;
    make(false);
    have_room(INDEX_ROOM_MIN, ENOSPC, 0);
    st = stored_open();
    assert_true(index_bytes() >= INDEX_ROOM_MIN);
    store_close(st);
    expect_all();
}

static void
more_is_taken_only_where_there_is_room_for_others(void **state)
{
    static const off_t sizes[] = {INDEX_ROOM_BYTES, INDEX_ROOM_BYTES / 2,
                                  INDEX_ROOM_BYTES / 4};
    struct store *st;

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (int lack = 0; lack < 2; lack++) {
            stored_empty();
            have_room(INT64_MAX, 0, 0);
            make(false);
            have_room(sizes[i] + INDEX_ROOM_RESERVE - lack, ENOSPC, 0);
            st = stored_open();
            assert_int_equal(index_bytes() >= sizes[i], !lack);
            assert_true(index_bytes() >= INDEX_ROOM_MIN);
            store_close(st);
        }
}

static void
a_file_system_that_cannot_is_left_alone(void **state)
{
    (void)state;
    make(false);
    have_room(-1, EOPNOTSUPP, 0);
    store_close(stored_open());
    expect_all();
}

#define ROOM_TEST(name) \
    cmocka_unit_test_setup_teardown(name, setup, stored_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(an_open_store_has_room_for_all_of_the_index),
        ROOM_TEST(nothing_is_opened_without_room_and_all_is_there_later),
        ROOM_TEST(a_new_store_without_room_is_refused_and_made_later),
        ROOM_TEST(room_that_goes_meanwhile_is_missed_too),
        ROOM_TEST(an_index_that_is_there_is_room_enough),
        ROOM_TEST(little_room_is_enough_to_begin_with),
        ROOM_TEST(more_is_taken_only_where_there_is_room_for_others),
        ROOM_TEST(a_file_system_that_cannot_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
