/*
 * topic - what a messaging span does, and with which destination.
 *
 * Threads    A lane belongs to one thread at a time.
 */
#ifndef RUNTIME_TOPIC_H
#define RUNTIME_TOPIC_H

#include "model/span.h"
#include "runtime/lane.h"

enum topic_operation {
    TOPIC_NONE, /* no messaging, or none of these */
    TOPIC_CREATE,
    TOPIC_SEND,
    TOPIC_RECEIVE,
    TOPIC_PROCESS,
    TOPIC_SETTLE,
};

/* topic_operation reads old and new attributes, and whose span it is. */
enum topic_operation
topic_operation(const struct intake_lane *lane, const struct span *span);

/* topic_is_frame: a receive tells of no message itself, for none was there or
 * each has a receive of its own; and it did not fail, which is to be told. */
bool topic_is_frame(const struct intake_lane *lane, const struct span *span);

/* topic_is_arrival: a CONSUMER without an operation took what another one below
 * it processes. */
bool topic_is_arrival(const struct intake_lane *lane);

/* topic_find is the node `system:destination` that a messaging span names, or
 * 0 if it names none. */
uint32_t topic_find(struct intake_lane *lane, const struct span *span);

#endif
