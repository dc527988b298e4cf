/*
 * Methods that are written elsewhere than what they are called on.  Of a call,
 * the library's type hides which one it means: its name says so if only one
 * method has it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/routes_router.h"

struct extended {
    str name;
    uint32_t lang;
    bool is_call;
    struct at at;     /* def; of a call, what it is called on */
    struct at target; /* of a call: the def, where that is known */
};

static int
compare_names(const void *left, const void *right)
{
    const struct extended *a = left;
    const struct extended *b = right;

    if (a->lang != b->lang)
        return a->lang < b->lang ? -1 : 1;
    return str_order(a->name, b->name);
}

static int
compare(const void *left, const void *right)
{
    const struct extended *a = left;
    const struct extended *b = right;
    int names = compare_names(left, right);

    if (names)
        return names;
    if (a->is_call != b->is_call)
        return a->is_call ? 1 : -1;
    if (a->at.file != b->at.file)
        return a->at.file < b->at.file ? -1 : 1;
    return a->at.id < b->at.id ? -1 : a->at.id > b->at.id;
}

static void
add(struct parts *p, struct extended row)
{
    if (!grow_room(p->extended, p->extended_len, p->extended_cap)) {
        p->failed = true;
        return;
    }
    p->extended[p->extended_len++] = row;
}

static void
add_methods(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        struct at def = {file, facts->binds[i].scope};
        if (facts->binds[i].kind == BIND_RECEIVER && def.id)
            add(p, (struct extended){
                       .name = part_str(p, file, part_def(p, def)->name),
                       .lang = facts->lang,
                       .at = def,
                   });
    }
}

static void
add_calls(struct parts *p, uint32_t file, uint32_t methods)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len; i++) {
        struct at call = {file, i};
        struct value value;
        if (facts->exprs[i].kind != EXPR_CALL || !part_receiver(p, call).id)
            continue;
        struct at callee = part_callee(p, call);
        struct extended row = {
            .name = part_word(p, callee),
            .lang = facts->lang,
            .is_call = true,
            .at = part_receiver(p, call),
        };
        if (!bsearch(&row, p->extended, methods, sizeof(row), compare_names))
            continue;
        if (resolve_value(p->r, callee, &value) && value.kind == VALUE_DEF)
            row.target = value.at;
        add(p, row);
    }
}

static void
sort(struct parts *p)
{
    if (p->extended_len > 0)
        qsort(p->extended, p->extended_len, sizeof(*p->extended), compare);
}

/* What tests call is mounted nowhere. */
static void
read_all(struct parts *p)
{
    p->has_extended = true;
    for (uint32_t f = 0; f < p->len; f++)
        if (!(part_facts(p, f)->flags & FACTS_TEST))
            add_methods(p, f);
    sort(p);
    uint32_t methods = p->extended_len;
    for (uint32_t f = 0; f < p->len && methods > 0 && !p->failed; f++)
        if (!(part_facts(p, f)->flags & FACTS_TEST))
            add_calls(p, f, methods);
    sort(p);
}

void
extended_on(struct parts *p, struct at def, extended_fn *fn, void *ctx)
{
    struct extended name = {
        .name = part_str(p, def.file, part_def(p, def)->name),
        .lang = part_facts(p, def.file)->lang,
    };
    uint32_t methods = 0;

    if (!p->has_extended)
        read_all(p);
    for (size_t i = sorted_first(&name, p->extended, p->extended_len,
                                 sizeof(name), compare_names);
         i < p->extended_len && compare_names(&p->extended[i], &name) == 0;
         i++) {
        const struct extended *row = &p->extended[i];
        methods += !row->is_call;
        if (!row->is_call)
            continue;
        bool is_meant = row->target.id ? row->target.file == def.file &&
                                             row->target.id == def.id
                                       : methods == 1;
        if (is_meant)
            fn(ctx, row->at);
    }
}
