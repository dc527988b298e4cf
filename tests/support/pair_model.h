/*
 * pair_model - what runtime/pair ought to say, worked out the slow way.
 *
 * Keeps every span and works out everything from scratch, from the table of
 * docs/design.md.  It knows no horizon: use it where none ends.
 */
#ifndef TESTS_SUPPORT_PAIR_MODEL_H
#define TESTS_SUPPORT_PAIR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stub.h"
#include "tests/support/pair_sums.h"

enum {
    PAIR_MODEL_SPANS = 64,
    PAIR_MODEL_REPEATS = 512,
    PAIR_MODEL_LINKS = 8, /* of one span */
};

struct pair_model_span {
    struct stub stub;
    struct span_link links[PAIR_MODEL_LINKS];
    uint64_t arrived_ns;
};

struct pair_model {
    struct pair_model_span span[PAIR_MODEL_SPANS];
    struct stub repeat[PAIR_MODEL_REPEATS];
    uint32_t len;
    uint32_t repeat_len;
    uint64_t wait_ns;
    uint64_t now_ns;
    uint32_t user;
};

void pair_model_add(struct pair_model *model, const struct stub *stub,
                    const struct span_link *links);
void pair_model_sums(const struct pair_model *model, struct pair_sums *out);

#endif
