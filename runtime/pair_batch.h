/*
 * pair_batch - the spans of a request are taken in together.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_BATCH_H
#define RUNTIME_PAIR_BATCH_H

#include "model/stub.h"
#include "runtime/pair_state.h"

/* pair_take_batch holds the spans of |batch| and tells what they stand for. */
void pair_take_batch(struct pair *pair, const struct stub_batch *batch);

#endif
