/*
 * pair_forest - a few traces by chance, to be told in any order.
 *
 * Two trees or three, grown together: some parents are missing, and some are
 * anybody, so that there are rings; links to anyone, and to nobody.  The same
 * seed gives the same spans.
 *
 * The ids in them stand for names (model/node.h) that are nobody's: services
 * from PAIR_FOREST_SERVICE, their routes, and so on, by PAIR_FOREST_KIND.
 */
#ifndef TESTS_SUPPORT_PAIR_FOREST_H
#define TESTS_SUPPORT_PAIR_FOREST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "model/stub.h"
#include "tests/support/pair_model.h"

#define PAIR_FOREST_START_NS (UINT64_C(1700000000) * NS_PER_S)

enum { PAIR_FOREST_SPANS = 16 };

/* Where the ids of each kind begin. */
enum {
    PAIR_FOREST_USER = 1,
    PAIR_FOREST_SERVICE = 10,
    PAIR_FOREST_VERSION = 50,
    PAIR_FOREST_SCOPE = 60,
    PAIR_FOREST_ROUTE = 100, /* plus twice the service, and 0 or 1 */
    PAIR_FOREST_PEER = 200,
    PAIR_FOREST_SYMBOL = 300, /* plus twice the service, and 0 or 1 */
    PAIR_FOREST_END = 400,
};

struct pair_forest {
    struct stub span[PAIR_FOREST_SPANS];
    struct span_link link[PAIR_FOREST_SPANS][PAIR_MODEL_LINKS];
    uint32_t len;
};

/* |random| is any number but 0; it is moved on. */
void pair_forest_make(uint64_t *random, struct pair_forest *forest);

/* pair_forest_share has some spans share the id of an earlier one, as Zipkin's
 * servers do that of their client, within the bounds of runtime/pair_shared.h;
 * some servers do not know their parent.  |repeats|: others have one id, too,
 * so that it depends on which comes first which of them is a repeat. */
void
pair_forest_share(uint64_t *random, struct pair_forest *forest, bool repeats);

/* pair_random is the next number, which |random| determines. */
uint64_t pair_random(uint64_t *random);
bool pair_one_in(uint64_t *random, uint32_t n);

#endif
