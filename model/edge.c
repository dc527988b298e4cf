#include "model/edge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint8_t
edge_kind_of(const char *name)
{
    for (int kind = EDGE_CALL; kind < EDGE_KIND_SHOWN_END; kind++) {
        if (strcmp(edge_kind_str((uint8_t)kind), name) == 0)
            return (uint8_t)kind;
    }
    return EDGE_NONE;
}

const char *
exemplar_id(const struct exemplar *exemplar, char out[EXEMPLAR_ID_LEN + 1])
{
    snprintf(out, EXEMPLAR_ID_LEN + 1, "%016" PRIx64 "%016" PRIx64,
             exemplar->trace_hi, exemplar->trace_lo);
    return out;
}
