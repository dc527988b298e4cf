/*
 * Which types of Java and Kotlin others extend: asked of Spring's classes that
 * no mark makes a controller.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/routes_marks_heirs.h"

struct extended_type {
    struct at base;
    struct at heir;
};

static int
compare(const void *left, const void *right)
{
    const struct extended_type *a = left;
    const struct extended_type *b = right;

    if (a->base.file != b->base.file)
        return a->base.file < b->base.file ? -1 : 1;
    return a->base.id < b->base.id ? -1 : a->base.id > b->base.id;
}

static void
add(struct parts *p, struct at base, struct at heir)
{
    if (!grow_room(p->extended_types, p->extended_type_len,
                   p->extended_type_cap)) {
        p->failed = true;
        return;
    }
    p->extended_types[p->extended_type_len++] =
        (struct extended_type){base, heir};
}

static void
read_type(struct parts *p, struct at type)
{
    struct at base;

    for (uint32_t i = 0; marks_base_of(p, type, &i, &base);)
        add(p, base, type);
}

/* What a test extends is served by itself all the same. */
static void
read_all(struct parts *p)
{
    p->has_extended_types = true;
    for (uint32_t f = 0; f < p->len; f++) {
        const struct facts *facts = part_facts(p, f);
        bool is_jvm = facts->lang == LANG_JAVA || facts->lang == LANG_KOTLIN;
        if (!is_jvm || facts->flags & FACTS_TEST)
            continue;
        for (uint32_t d = 1; d < facts->def_len && !p->failed; d++)
            read_type(p, (struct at){f, d});
    }
    if (p->extended_type_len > 0)
        qsort(p->extended_types, p->extended_type_len,
              sizeof(*p->extended_types), compare);
}

/* The first row of |type|, or NULL. */
static const struct extended_type *
first_of(struct parts *p, struct at type)
{
    const struct extended_type key = {.base = type};

    if (!p->has_extended_types)
        read_all(p);
    size_t at = sorted_first(&key, p->extended_types, p->extended_type_len,
                             sizeof(key), compare);
    return at < p->extended_type_len &&
                   compare(&p->extended_types[at], &key) == 0
               ? &p->extended_types[at]
               : NULL;
}

bool
marks_have_heirs(struct parts *p, struct at type)
{
    return first_of(p, type) != NULL;
}

bool
marks_is_open(const struct parts *p, struct at type)
{
    const struct fact_def *row = part_def(p, type);

    return row->kind == CODE_INTERFACE ||
           (row->kind == CODE_TYPE && row->flags & DEF_ABSTRACT);
}

/* How many classes that can be made stand below |type|, however many ways lead
 * to them, the last in |heir|; 2 for more, and for more types than are held. */
static unsigned
count_heirs(struct parts *p, struct at type, struct at *heir,
            struct marks_seen *seen)
{
    const struct extended_type *row = first_of(p, type);
    const struct extended_type *end = p->extended_types + p->extended_type_len;
    unsigned count = 0;

    for (; row && row < end && row->base.file == type.file &&
           row->base.id == type.id && count < 2;
         row++) {
        if (!marks_see(seen, row->heir)) {
            if (seen->len == MARKS_SEEN_MAX)
                return 2;
            continue;
        }
        if (!marks_is_open(p, row->heir)) {
            *heir = row->heir;
            count++;
        }
        count += count_heirs(p, row->heir, heir, seen);
    }
    return count;
}

bool
marks_only_heir(struct parts *p, struct at type, struct at *heir)
{
    struct marks_seen seen = {.len = 0};
    struct at found;

    if (count_heirs(p, type, &found, &seen) != 1)
        return false;
    *heir = found;
    return true;
}
