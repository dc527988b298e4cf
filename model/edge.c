#include "model/edge.h"

#include <string.h>

uint8_t
edge_kind_of(const char *name)
{
    for (uint8_t kind = EDGE_CALL; kind < EDGE_KIND_SHOWN_END; kind++) {
        if (strcmp(edge_kind_str(kind), name) == 0)
            return kind;
    }
    return EDGE_NONE;
}
