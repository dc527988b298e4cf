/*
 * traffic - an engine of its own for one test, and requests to feed it.
 *
 * Request |number| is |pairs| calls from the service `shop` to the route
 * `GET /<number>` of the service `cart<number % 4>`, each a client span of the
 * function `pay` and the server span of `serve` that answers it.  So each
 * request can be found again in what is stored: all of it, once, or nothing.
 *
 * Threads    traffic_batch: any.
 */
#ifndef TESTS_SUPPORT_TRAFFIC_H
#define TESTS_SUPPORT_TRAFFIC_H

#include <stdatomic.h>
#include <stdint.h>

#include "graph/nodes.h"
#include "runtime/engine.h"
#include "store/store.h"
#include "tests/support/stored.h"

struct traffic {
    struct engine_cfg cfg;
    struct store *store;
    struct nodes *nodes;
    struct routes *routes;
    struct engine *engine;
};

/* The one of TRAFFIC_TEST: nothing is set, nothing open. */
extern struct traffic traffic;

/* For cmocka: stored_setup() and a new `traffic`; the disk is healed, all is
 * let go of, and stored_teardown(). */
int traffic_setup(void **state);
int traffic_teardown(void **state);
#define TRAFFIC_TEST(name) \
    cmocka_unit_test_setup_teardown(name, traffic_setup, traffic_teardown)

/* Which halves of the calls a request holds. */
enum traffic_half { TRAFFIC_BOTH, TRAFFIC_CLIENTS, TRAFFIC_SERVERS };

/* traffic_open opens store and engine in stored.dir, as of |now_ns|. */
enum err traffic_try_open(struct traffic *self, uint64_t now_ns);
void traffic_open(struct traffic *self, uint64_t now_ns);

/* traffic_close lets go of all without a flush: as a crash does, but for what
 * only a lost process loses. */
void traffic_close(struct traffic *self);
void traffic_reopen(struct traffic *self, uint64_t now_ns);

struct stub_batch *
traffic_batch(struct traffic *self, uint32_t number, uint32_t pairs,
              enum traffic_half half, uint64_t received_ns);

struct digest128 traffic_digest(uint32_t number, enum traffic_half half);

/* traffic_send submits and returns the answer (engine not started);
 * traffic_note, given to engine_submit, puts it in the enum err of |ctx|. */
enum err traffic_send(struct traffic *self, uint32_t number, uint32_t pairs,
                      enum traffic_half half, uint64_t received_ns);
void traffic_note(void *ctx, enum err err);

/* traffic_flush_by sends an empty request of |at_ns|, which brings the flush
 * if that is far enough ahead. */
void traffic_flush_by(struct traffic *self, uint64_t at_ns);

/* What is stored of a request: its ingress, and its calls from shop (which must
 * be as many as those of its function). */
int64_t traffic_stored(uint32_t number);
int64_t traffic_calls(uint32_t number);
int64_t traffic_loss(const char *reason);

/* traffic_dump is all edges that stand, with names for ids, as text. */
void traffic_dump(struct buf *out);

#endif
