/*
 * vector_rig - knowledge, code and traces whose texts get vectors from an
 * endpoint that answers, fails or is slow as it is told.
 *
 * Time is told, too.  A vector has a number for each of three topics: money,
 * outages and carts.
 *
 * Threads    The endpoint is asked from any; it is looked at under its lock.
 */
#ifndef TESTS_SUPPORT_VECTOR_RIG_H
#define TESTS_SUPPORT_VECTOR_RIG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/query.h"
#include "graph/world.h"
#include "knowledge/knowledge.h"
#include "knowledge/vectors.h"
#include "tests/support/db_fixture.h"

enum vector_answer { ANSWER, NO_ANSWER, SLOW, STATUS, GARBAGE };

struct vector_endpoint {
    pthread_mutex_t lock;
    enum vector_answer mode;
    int status;
    uint32_t retry_s;
    uint32_t dim;
    uint32_t sleep_ms;
    const char *unwanted; /* texts with it are refused */
    int requests;
    int texts;
    size_t largest; /* batch */
    char last[512]; /* text */
};

struct vector_rig {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    struct world *world;
    struct knowledge *knowledge;
    struct vectors *vectors;
    struct vectors_cfg cfg;
    struct vectors_host host;
    struct buf why;
    uint64_t now_ms;
    bool is_locked_out; /* another process writes */
};

/* Those of the test that runs. */
extern struct vector_endpoint vector_endpoint;
extern struct vector_rig vector_rig;

/* Set-up and tear-down of a test. */
int vector_rig_open(void **state);
int vector_rig_close(void **state);

/* vector_rig_shut and vector_rig_reopen are a restart, by vector_rig.cfg. */
void vector_rig_shut(void);
void vector_rig_reopen(void);

/* vector_rig_answers sets how the endpoint answers from now on, and forgets
 * what it was asked. */
void vector_rig_answers(enum vector_answer mode, int status);

/* What a vectors_host and an embedder need. */
enum err vector_rig_begin(void *ctx, struct moment *moment, bool writes,
                          const struct code **code);
enum err vector_rig_end(void *ctx, struct moment *moment, enum err err);
enum err vector_rig_post(void *ctx, str body, uint32_t timeout_ms,
                         struct embed_answer *answer, struct buf *why);

/* vector_rig_add adds a rule and returns its oid. */
int64_t vector_rig_add(const char *title, const char *content);
void vector_rig_drop(int64_t oid);

/* vector_rig_run steps until |ms| have gone by. */
void vector_rig_run(uint64_t ms);

/* vector_rig_tell is what is told of the vectors; the caller ends it. */
struct vectors_status vector_rig_tell(void);
void vector_rig_counts(size_t vectors, size_t pending, size_t refused,
                       size_t left_out);
/* vector_rig_stored is how many vectors are stored. */
int64_t vector_rig_stored(void);

/* vector_rig_rank is the rank in the vector lane of the first result by |name|;
 * 0: not there. */
int vector_rig_rank(const char *question, const char *name, unsigned *degraded);

#endif
