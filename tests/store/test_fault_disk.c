/*
 * The disk that loses its power in tests must itself keep what was synced:
 * otherwise the store is blamed for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/fault_disk.h"
#include "tests/support/stored.h"

/* As the file is, and as the disk is told. */
static void
write_to(struct fault_disk *disk, const char *path, str bytes, int64_t at)
{
    FILE *file = fopen(path, at ? "r+b" : "wb");

    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
    fault_disk_write(disk, bytes.ptr, (int)bytes.len, at);
}

static void
expect(str want)
{
    struct stored_bytes is = stored_read("file");

    assert_int_equal(is.len, want.len);
    assert_memory_equal(is.ptr, want.ptr, want.len);
    free(is.ptr);
}

/* Each seed tears otherwise. */
static void
what_is_synced_outlives_the_power_by_any_name(void **state)
{
    char *plain = stored_name("file");
    char *doubled = stored_name("/file");
    const char *name[] = {plain, doubled};
    uint64_t random = 1;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct fault_disk *disk = fault_disk_open(name[seed % 2]);
        write_to(disk, plain, STR("first "), 0);
        fault_disk_sync(disk, &random);
        struct fault_disk *other = fault_disk_open(name[(seed + 1) % 2]);
        write_to(seed % 4 < 2 ? disk : other, plain, STR("second"), 6);
        fault_disk_sync(seed % 4 < 2 ? disk : other, &random);
        fault_disk_lose_power(seed);
        expect(STR("first second"));
        stored_remove("file");
    }
    free(plain);
    free(doubled);
}

/* Who is gone by one name does not come again by another. */
static void
what_is_forgotten_is_left_as_it_is(void **state)
{
    char *plain = stored_name("file");
    char *doubled = stored_name("/file");
    const char *name[] = {plain, doubled};
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct fault_disk *disk = fault_disk_open(name[i % 2]);
        write_to(disk, plain, STR("old"), 0);
        fault_disk_sync(disk, &random);
        fault_disk_forget(name[i / 2]);
        stored_write("file", "new", 3);
        fault_disk_lose_power(1);
        expect(STR("new"));
    }
    free(plain);
    free(doubled);
}

static void
what_is_not_synced_may_go(void **state)
{
    char *path = stored_name("file");
    uint32_t went = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        stored_write("file", "old", 3);
        write_to(fault_disk_open(path), path, STR("new"), 0);
        fault_disk_lose_power(seed);
        struct stored_bytes is = stored_read("file");
        went += is.len == 3 && is.ptr[0] == 'o';
        free(is.ptr);
    }
    assert_in_range(went, 1, 39);
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(what_is_synced_outlives_the_power_by_any_name),
        STORED_TEST(what_is_forgotten_is_left_as_it_is),
        STORED_TEST(what_is_not_synced_may_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
