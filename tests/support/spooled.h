/*
 * spooled - a spool of its own for one test, and parts to put into it.
 *
 * Threads    One.
 */
#ifndef TESTS_SUPPORT_SPOOLED_H
#define TESTS_SUPPORT_SPOOLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "store/spool.h"

#define SPOOLED_NOW (UINT64_C(1700000000) * NS_PER_S)

enum { SPOOLED_MAX = 4000, SPOOLED_BATCH = 1000 }; /* bytes, of spooled_cfg */

extern const struct spool_cfg spooled_cfg;

extern struct spooled {
    char dir[64];
    char path[128]; /* of the database */
    struct buf why; /* of the last spool_open */
    struct spool *spool;
    uint64_t lost; /* of what was set aside */
} spooled;

/* For cmocka: a spool in a new directory, on a healthy disk; and away. */
int spooled_setup(void **state);
int spooled_teardown(void **state);
#define SPOOLED_TEST(name) \
    cmocka_unit_test_setup_teardown(name, spooled_setup, spooled_teardown)

enum err spooled_try_open(uint64_t now_ns);
/* spooled_reopen closes the spool, if it is open, and opens it. */
void spooled_reopen(uint64_t now_ns);

/* spooled_put puts a part of |len| bytes, each |name|, which stands for |raw|,
 * in a transaction of its own. */
enum err spooled_put(char name, size_t len, uint64_t raw, uint64_t now_ns);

/* spooled_is_new notes a request, and says whether it was not known. */
bool spooled_is_new(uint64_t digest, uint64_t now_ns);

/* spooled_next: the names of the parts of the next batch, good until the next
 * call, or "" if none is due. */
const char *
spooled_next(uint64_t now_ns, bool is_last, struct spool_batch *out);

#endif
