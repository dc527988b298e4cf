/*
 * stored - a store of its own for one test, and what is in its file.
 *
 * Threads    One.
 */
#ifndef TESTS_SUPPORT_STORED_H
#define TESTS_SUPPORT_STORED_H

#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "store/store.h"

#define STORED_NOW (UINT64_C(1700000000) * NS_PER_S)

extern struct stored {
    char dir[64];
    char path[300]; /* of the database */
    struct buf why; /* of the last store_open */
} stored;

extern const unsigned char stored_hash[SHA256_LEN];

/* For cmocka: a new empty directory and a healthy disk; and away with it. */
int stored_setup(void **state);
int stored_teardown(void **state);
/* stored_empty begins with an empty directory again. */
void stored_empty(void);

struct store *stored_open(void);

/* stored_ask and stored_tell speak to the file itself, past the store. */
int64_t stored_ask(const char *sql);
void stored_tell(const char *sql);

/* stored_edge is some edge from node |id| to the next. */
struct edge_delta
stored_edge(uint32_t id, int64_t count, uint32_t first_s, uint32_t last_s);
/* stored_batch: the caller frees its stubs. */
struct stub_batch stored_batch(uint32_t stubs, uint64_t received_ns);
/* stored_append commits a batch to the journal and returns its seq. */
uint64_t stored_append(struct store *st, uint32_t stubs, uint64_t received_ns,
                       uint64_t digest);
/* stored_fill writes 300 nodes, 300 edges and a batch of 40 stubs. */
void stored_fill(struct store *st);

struct stored_journal {
    int rows;
    int damaged;
    uint64_t last;    /* seq */
    uint64_t stubs;   /* read back */
    uint64_t digests; /* sum of their high halves */
};
struct stored_journal stored_journal(struct store *st);

#endif
