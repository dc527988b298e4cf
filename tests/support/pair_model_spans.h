/*
 * pair_model_spans - what the model knows of one span: who it is, where it
 * belongs, and what it counts for.
 *
 * Spans are named by their place in the model; MODEL_NOBODY is none.
 */
#ifndef TESTS_SUPPORT_PAIR_MODEL_SPANS_H
#define TESTS_SUPPORT_PAIR_MODEL_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/edge.h"
#include "model/stub.h"
#include "tests/support/pair_model.h"
#include "tests/support/pair_sums.h"

enum { MODEL_NOBODY = -1 };

/* Whether two trace ids are one; an upper half of 0 is any. */
bool
model_same_trace(uint64_t a_hi, uint64_t a_lo, uint64_t b_hi, uint64_t b_lo);

const struct stub *model_at(const struct pair_model *model, int i);

/* Whether |stub| has one of |flags|. */
bool model_has(const struct stub *stub, uint32_t flags);
bool model_is_consumer(const struct stub *stub);
bool model_is_producer(const struct stub *stub);
bool model_is_publish(const struct stub *stub);

/* Whether span |i| was waited for as long as one waits. */
bool model_is_waited(const struct pair_model *model, int i);

int model_find(const struct pair_model *model, uint64_t hi, uint64_t lo,
               uint64_t id);
int model_parent(const struct pair_model *model, int i);

/* The endpoint span |i| belongs to, or its service. */
uint32_t model_site(const struct pair_model *model, int i);

/* The function the calls of |i| are made in; 0 for none. */
uint32_t model_code(const struct pair_model *model, int i);

/* The peer of |stub|, or 0 for one that nobody knows the place of. */
uint32_t model_placed_peer(const struct stub *stub);

/* Whether egress |i| is within the one above it, and within |outer|, however
 * far above. */
bool model_is_nested(const struct pair_model *model, int i);
bool model_is_in_nest(const struct pair_model *model, int i, int outer);

/* What |stub| counts for, and what two ends of one call count for. */
struct edge_obs model_obs(const struct stub *stub);
struct edge_obs
model_obs_both(const struct stub *first, const struct stub *second);
uint16_t model_latency(const struct stub *stub);

void model_say(struct pair_sums *out, uint32_t src, uint32_t dst, uint8_t kind,
               struct edge_obs obs);

/* Says what goes out from |i|, and what goes out from its function. */
void model_say_from(const struct pair_model *model, int i, uint32_t dst,
                    uint8_t kind, struct edge_obs obs, struct pair_sums *out);

#endif
