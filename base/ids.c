#include "base/ids.h"

#include <stdlib.h>

void
ids_fini(struct ids *list)
{
    free(list->ids);
    *list = (struct ids){0};
}

enum err
ids_add(struct ids *list, uint32_t id)
{
    if (list->len == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 16;
        uint32_t *ids = realloc(list->ids, cap * sizeof(*ids));

        if (!ids)
            return ERR_NOMEM;
        list->ids = ids;
        list->cap = cap;
    }
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
