/*
 * Partial classes of C#: one class, whose parts stand in several places, each
 * with marks, bases and methods.  They are known by what they have one vertex
 * for, their full name, and by their project: another's are another class.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/context.h"
#include "index/routes_marks.h"

struct partial_type {
    uint32_t node;
    text_id project;
    struct at type;
};

static int
compare(const void *left, const void *right)
{
    const struct partial_type *a = left;
    const struct partial_type *b = right;

    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->project < b->project ? -1 : a->project > b->project;
}

/* By file and place within those of one class. */
static int
compare_all(const void *left, const void *right)
{
    const struct partial_type *a = left;
    const struct partial_type *b = right;

    int order = compare(a, b);

    if (order)
        return order;
    if (a->type.file != b->type.file)
        return a->type.file < b->type.file ? -1 : 1;
    return a->type.id < b->type.id ? -1 : a->type.id > b->type.id;
}

bool
marks_is_partial(const struct parts *p, struct at type)
{
    const struct fact_def *row = part_def(p, type);

    return row->kind == CODE_TYPE && row->flags & DEF_PARTIAL;
}

static struct partial_type
row_of(const struct parts *p, struct at type)
{
    return (struct partial_type){
        .node = resolve_node(p->r, type.file, type.id),
        .project = contexts_project(p->contexts, p->files[type.file].path),
        .type = type,
    };
}

static void
add(struct parts *p, struct at type)
{
    if (!grow_room(p->partial_types, p->partial_type_len,
                   p->partial_type_cap)) {
        p->failed = true;
        return;
    }
    p->partial_types[p->partial_type_len++] = row_of(p, type);
}

static void
read_all(struct parts *p)
{
    p->has_partial_types = true;
    for (uint32_t f = 0; f < p->len; f++)
        for (uint32_t d = 1; d < part_facts(p, f)->def_len && !p->failed; d++)
            if (marks_is_partial(p, (struct at){f, d}))
                add(p, (struct at){f, d});
    if (p->partial_type_len > 0)
        qsort(p->partial_types, p->partial_type_len, sizeof(*p->partial_types),
              compare_all);
}

struct at
marks_part(struct parts *p, struct at type, uint32_t i)
{
    const struct at none = {type.file, 0};

    if (!marks_is_partial(p, type))
        return i == 0 ? type : none;
    if (!p->has_partial_types)
        read_all(p);
    const struct partial_type key = row_of(p, type);
    size_t at = sorted_first(&key, p->partial_types, p->partial_type_len,
                             sizeof(key), compare) +
                i;
    return at < p->partial_type_len && compare(&p->partial_types[at], &key) == 0
               ? p->partial_types[at].type
               : none;
}
