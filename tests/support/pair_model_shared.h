/*
 * pair_model_shared - what the model does about client and server that share
 * one id, as Zipkin has them: it gives the server another one.
 */
#ifndef TESTS_SUPPORT_PAIR_MODEL_SHARED_H
#define TESTS_SUPPORT_PAIR_MODEL_SHARED_H

#include <stdbool.h>

#include "tests/support/pair_model.h"

/* Whether |stub| is the first other half of the span that has its id. */
bool model_is_half(const struct pair_model *model, const struct stub *stub);

/* Gives each server of |model| that shares its id one of its own, below its
 * client, and the children that are its. */
void model_part_halves(struct pair_model *model);

#endif
