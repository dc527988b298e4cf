/*
 * Every last name is measured once, and the least distances kept in a short
 * list.  For errors, so it may take some milliseconds.
 */
#include "base/match.h"
#include "graph/code_find.h"
#include "graph/code_load.h"

enum { NEAREST_MAX = 32 };

struct near {
    uint32_t id;
    unsigned distance;
};

/* Keeps the list sorted; of equals the first stays in front. */
static size_t
insert(struct near *list, size_t len, size_t max, struct near it)
{
    size_t at = len;

    while (at > 0 && list[at - 1].distance > it.distance)
        at--;
    if (at >= max)
        return len;
    len += len < max;
    for (size_t i = len - 1; i > at; i--)
        list[i] = list[i - 1];
    list[at] = it;
    return len;
}

enum err
code_nearest(const struct code *code, uint32_t kinds, str word, size_t max,
             struct ids *out)
{
    struct near list[NEAREST_MAX];
    str last = code_name_last(code_name_plain(word));
    unsigned most = (unsigned)(last.len < 64 ? last.len : 64) / 3 + 1;
    size_t len = 0;
    enum err err = OK;

    max = max < NEAREST_MAX ? max : NEAREST_MAX;
    for (uint32_t id = 1; id < code->node_len; id++) {
        const struct code_vertex *node = &code->nodes[id];
        str name = code_name_last(code_name_plain(node->name));
        size_t gap =
            name.len > last.len ? name.len - last.len : last.len - name.len;
        if (gap > most || (kinds && !(kinds >> node->kind & 1)))
            continue;
        unsigned distance = match_distance(name, last);
        if (distance > most ||
            (len == max && max > 0 && distance >= list[len - 1].distance))
            continue;
        len = insert(list, len, max, (struct near){id, distance});
    }
    for (size_t i = 0; i < len && !err; i++)
        err = ids_add(out, list[i].id);
    return err;
}
