/*
 * relay_rig - a relay, requests to take in, and a gateway that does as it is
 * told.
 *
 * Threads    The tests' one; answers come from the relay's.
 */
#ifndef TESTS_SUPPORT_RELAY_RIG_H
#define TESTS_SUPPORT_RELAY_RIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/metrics.h"
#include "otlp/decode.h"
#include "relay/relay.h"
#include "tests/support/fake_gateway.h"
#include "tests/support/payload.h"

enum { RELAY_RIG_BATCHES = 40, RELAY_RIG_SPANS = 20 };

struct relay_rig {
    char dir[64]; /* of the spool */
    struct payload *payload;
    struct decode_scratch *scratch;
    struct relay_cfg cfg; /* of the next relay that is opened */
    struct relay *relay;
    struct trace_sink sink;
    struct fake_gateway gateway;
    atomic_int taken; /* answers, by what they say */
    atomic_int full;
    atomic_int failed;
};

/* The one of the test that runs; made once for a group, set up for each test.
 */
extern struct relay_rig relay_rig;
int relay_rig_make(void **state);
int relay_rig_drop(void **state);
int relay_rig_setup(void **state);
int relay_rig_teardown(void **state);

/* relay_rig_start starts a gateway of |len| steps and opens a relay to it. */
void relay_rig_start(const struct fake_step *steps, size_t len);
void relay_rig_open(void);
void relay_rig_close(uint32_t drain_ms);
void relay_rig_gateway(const char *url);

/* relay_rig_take takes in request |i| of the payload, as the receiver would;
 * relay_rig_take_one waits until it is in the spool.  relay_rig_done is told.
 */
void relay_rig_take(size_t i);
void relay_rig_take_one(size_t i);
void relay_rig_done(void *ctx, enum err err);

/* These wait until a number is |want|; false after five seconds. */
bool relay_rig_wait(const atomic_int *number, int want);
bool relay_rig_wait_metric(enum metric id, int64_t want);

/* relay_rig_spans is how many spans are in request |i| that the gateway got;
 * relay_rig_is_same, whether two of them are the same bytes. */
uint32_t relay_rig_spans(size_t i);
bool relay_rig_is_same(size_t a, size_t b);

#endif
