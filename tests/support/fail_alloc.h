/*
 * fail_alloc - memory that runs out when told to.
 *
 * For programs linked with --wrap of malloc and its kin (the Makefile names
 * them): there every allocation of our own code comes by here, those of cJSON
 * once mcp/json.h counts them, and those of SQLite after fail_alloc_install.
 *
 *     for (n = 1;; n++) {
 *         fail_alloc_at(n, false);
 *         ... what is tested ...
 *         if (!fail_alloc_end())
 *             break;             it needs fewer than n allocations
 *     }
 *
 * Threads    Allocations are counted in all of them.
 */
#ifndef TESTS_SUPPORT_FAIL_ALLOC_H
#define TESTS_SUPPORT_FAIL_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

/* fail_alloc_install is called before anything else uses SQLite. */
void fail_alloc_install(void);

/* fail_alloc_at makes the |number|-th allocation from now on fail, and if
 * |stays| all behind it. */
void fail_alloc_at(uint64_t number, bool stays);

/* fail_alloc_end lets everything succeed again, and says whether anything
 * failed. */
bool fail_alloc_end(void);

#endif
