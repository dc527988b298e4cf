/*
 * Which types of Java and Kotlin others extend: asked of Spring's classes that
 * no mark makes a controller.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "index/routes_marks.h"

static int
compare(const void *left, const void *right)
{
    const struct at *a = left;
    const struct at *b = right;

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void
add(struct parts *p, struct at type)
{
    if (!grow_room(p->extended_types, p->extended_type_len,
                   p->extended_type_cap)) {
        p->failed = true;
        return;
    }
    p->extended_types[p->extended_type_len++] = type;
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
        for (uint32_t d = 1; d < facts->def_len && !p->failed; d++) {
            struct at base;
            for (uint32_t i = 0;
                 marks_base_of(p, (struct at){f, d}, &i, &base);)
                add(p, base);
        }
    }
    if (p->extended_type_len > 0)
        qsort(p->extended_types, p->extended_type_len,
              sizeof(*p->extended_types), compare);
}

bool
marks_have_heirs(struct parts *p, struct at type)
{
    if (!p->has_extended_types)
        read_all(p);
    return p->extended_type_len > 0 &&
           bsearch(&type, p->extended_types, p->extended_type_len,
                   sizeof(*p->extended_types), compare) != NULL;
}
