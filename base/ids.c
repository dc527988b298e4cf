#include "base/ids.h"

#include <stdlib.h>

#include "base/grow.h"

void
ids_fini(struct ids *list)
{
    free(list->ids);
    *list = (struct ids){0};
}

enum err
ids_add(struct ids *list, uint32_t id)
{
    if (!grow_room(list->ids, list->len, list->cap))
        return ERR_NOMEM;
    list->ids[list->len++] = id;
    return OK;
}

bool
ids_has(const struct ids *list, uint32_t id)
{
    for (size_t i = 0; i < list->len; i++) {
        if (list->ids[i] == id)
            return true;
    }
    return false;
}
