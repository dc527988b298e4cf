#include "model/edge.h"

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
