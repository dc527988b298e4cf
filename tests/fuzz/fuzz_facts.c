/*
 * Any bytes as packed facts, as a parser gone wrong may send them: what is
 * accepted packs again, and reads back as the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct facts facts;
    struct facts again;
    struct buf packed = {0};
    struct buf seen = {0};
    struct buf seen_again = {0};

    if (facts_decode(&facts, (str){(const char *)data, size}) != OK)
        return 0;
    require(facts_encode(&facts, &packed) == OK, "it does not pack");
    require(facts_decode(&again, buf_str(&packed)) == OK,
            "what was packed is refused");
    facts_dump(&facts, &seen);
    facts_dump(&again, &seen_again);
    require(str_eq(buf_str(&seen), buf_str(&seen_again)),
            "what was packed says something else");
    facts_fini(&facts);
    facts_fini(&again);
    buf_fini(&packed);
    buf_fini(&seen);
    buf_fini(&seen_again);
    return 0;
}
