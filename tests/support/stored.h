/*
 * stored - a store of its own for one test, and what is in its file.
 *
 * Threads    One.
 */
#ifndef TESTS_SUPPORT_STORED_H
#define TESTS_SUPPORT_STORED_H

#include <stdint.h>

#include <sqlite3.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "store/edge_rows.h"
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
#define STORED_TEST(name) \
    cmocka_unit_test_setup_teardown(name, stored_setup, stored_teardown)
/* stored_empty begins with an empty directory again. */
void stored_empty(void);

struct store *stored_open(void);
struct store *stored_open_as(enum store_sync sync);

/* stored_ask and stored_tell speak to the file itself, past the store; so does
 * who has stored_connect's connection, to be closed.  To who asks, `journal` is
 * all of it, as a start would find it. */
sqlite3 *stored_connect(void);
int64_t stored_ask(const char *sql);
int64_t stored_counter(const char *name); /* 0 if there is none */
void stored_tell(const char *sql);

/* stored_ask_of asks any database. */
int64_t stored_ask_of(const char *path, const char *sql);

/* Files of the directory, by name.  The caller frees a path and bytes.ptr. */
struct stored_bytes {
    char *ptr;
    size_t len;
};
char *stored_name(const char *name);
struct stored_bytes stored_read(const char *name);
void stored_write(const char *name, const char *ptr, size_t len);
void stored_remove(const char *name); /* if it is there */

/* stored_into_table moves the journal of a closed store into its table, where
 * an earlier version or a backup has it. */
void stored_into_table(void);

/* stored_edge is some edge from node |id| to the next. */
struct edge_delta
stored_edge(uint32_t id, int64_t count, uint32_t first_s, uint32_t last_s);
/* stored_put_node commits a service. */
void stored_put_node(struct store *st, uint32_t id);
/* stored_batch: the caller frees its stubs. */
struct stub_batch stored_batch(uint32_t stubs, uint64_t received_ns);
/* stored_append commits a batch to the journal and returns its seq. */
uint64_t stored_append(struct store *st, uint32_t stubs, uint64_t received_ns,
                       uint64_t digest);
/* stored_try_append is stored_append, now, that may fail. */
enum err stored_try_append(struct store *st, uint32_t stubs, uint64_t digest);
/* stored_append_of commits a batch whose last stub is of |service|. */
uint64_t stored_append_of(struct store *st, uint32_t service, uint32_t stubs);
/* stored_roll has what comes next come into a segment of its own. */
void stored_roll(struct store *st);
/* stored_fill writes 300 nodes, 300 edges and a batch of 40 stubs. */
void stored_fill(struct store *st);

struct stored_journal {
    int rows;
    int damaged;
    uint64_t last;    /* seq */
    uint64_t stubs;   /* read back */
    uint64_t told;    /* stubs that rows say they hold */
    uint64_t digests; /* sum of their high halves */
};
struct stored_journal stored_journal(struct store *st);
/* stored_look is that of the store, which is opened for it. */
struct stored_journal stored_look(void);

#endif
