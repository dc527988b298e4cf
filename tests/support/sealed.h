/*
 * sealed - the seal of a closed store, made up once more, and damage behind it.
 *
 * Threads    One.
 */
#ifndef TESTS_SUPPORT_SEALED_H
#define TESTS_SUPPORT_SEALED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/support/stored.h"

enum {
    SEALED_CHUNK = 1 << 18,
    SEALED_PAGE = 4096,
    SEALED_CAP = 128, /* of the text of a seal */
    SEALED_BYTES_MAX = 4 << 20,
};

extern struct sealed {
    char path[320]; /* of the seal */
    char log[320];
} sealed;

/* For cmocka: stored_setup, and the paths. */
int sealed_setup(void **state);
#define SEALED_TEST(name) \
    cmocka_unit_test_setup_teardown(name, sealed_setup, stored_teardown)

/* Files by path; one that is not there has no bytes.  The caller frees ptr. */
struct stored_bytes sealed_read(const char *path);
void sealed_write(const char *path, struct stored_bytes bytes);
void sealed_write_text(const char *path, const char *text);

/* sealed_text is what the seal of |bytes| should say; sealed_assert holds the
 * seal of the database against it. */
void sealed_text(struct stored_bytes bytes, char out[SEALED_CAP]);
void sealed_assert(bool expected);

/* sealed_try_open opens the store, and closes it if it could. */
enum err sealed_try_open(void);

/* sealed_make_filled leaves a closed store with rows in it. */
void sealed_make_filled(void);

/* sealed_odd_page is a page of an index that nobody reads when a store is
 * opened. */
int64_t sealed_odd_page(void);
void sealed_zero_page(int64_t page);

/* sealed_make_damaged makes a closed store with damage and returns its bytes,
 * and |seal| of them. */
struct stored_bytes sealed_make_damaged(char seal[SEALED_CAP]);

#endif
