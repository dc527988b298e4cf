/*
 * pair_model_messages - which spans of the model have one message.
 */
#ifndef TESTS_SUPPORT_PAIR_MODEL_MESSAGES_H
#define TESTS_SUPPORT_PAIR_MODEL_MESSAGES_H

#include <stdbool.h>

#include "model/span.h"
#include "tests/support/pair_model.h"

/* Whether |i| sends again what its parent, an egress around it, sends. */
bool model_is_repeated(const struct pair_model *model, int i);

/* Whether |i| is a receive of the message of |key|, and a process of its
 * service has that, too: by the same producer, or by one that is around that or
 * within it and sends the same. */
bool
model_is_shadowed(const struct pair_model *model, int i, struct span_link key);

/* Whether a process of the same service and topic is below receive |i|. */
bool model_has_process_below(const struct pair_model *model, int i);

#endif
