/*
 * Three rounds over all files to learn how routers nest - a function that is
 * given a router by one that is given a router by one - then one for what
 * stands on them; then each route is told by all ways that lead to it.
 */
#include "index/routes_find.h"

#include "index/routes_rules.h"
#include "index/routes_table.h"

enum { NEST_ROUNDS = 3 };

/* A language's rules; LANG_NONE: all have it. */
static const struct family {
    uint32_t langs; /* bits 1 << enum lang_id; 0: all */
    routes_rule *rule;
} families[] = {
    {0, routes_spans},
};

static bool
speaks(const struct family *family, uint8_t lang)
{
    return family->langs == 0 || (family->langs >> lang & 1);
}

static void
find_in(struct parts *p, uint32_t file)
{
    part_open(p, file);
    verb_calls(p, file, false);
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (speaks(&families[i], part_facts(p, file)->lang) && !p->failed)
            families[i].rule(p, file);
}

enum err
routes_find(struct resolver *r, const struct resolve_file *files, uint32_t len,
            struct code_build *build)
{
    struct parts p;
    enum err err = parts_init(&p, r, files, len, build);

    if (err)
        return err;
    if (verbs_index(&p))
        p.failed = true;
    for (p.round = 1; p.round <= NEST_ROUNDS && !p.failed; p.round++)
        for (uint32_t i = 0; i < len && !p.failed; i++) {
            part_open(&p, i);
            verb_calls(&p, i, true);
        }
    for (uint32_t i = 0; i < len && !p.failed; i++)
        find_in(&p, i);
    entries_tell(&p);
    err = p.failed || build->failed ? ERR_NOMEM : OK;
    parts_fini(&p);
    return err;
}
