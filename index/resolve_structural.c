/*
 * Go: a type implements an interface that its methods fit.  Candidates are the
 * types that have the interface's rarest method; the others' names, and how
 * many parameters and results they have, must fit too.
 */
#include <stdlib.h>

#include "index/resolve_graph.h"

enum { METHODS_MAX = 64, CANDIDATES_MAX = 2048, FITS_MAX = 4 << 20 };

struct method {
    sym name;
    uint32_t next; /* another of that name */
    uint32_t type;
    uint32_t at;
};

struct fitting {
    struct gathering *g;
    struct method *methods;
    uint32_t len;
    struct map by_name; /* name -> the last method of it */
    struct map counts;
    uint32_t *params; /* of each global def */
    uint32_t fits;
};

struct wanted {
    sym names[METHODS_MAX];
    uint32_t defs[METHODS_MAX];
    uint32_t len;
    bool is_open; /* embeds what is not known, or has too many */
};

static void
add_method(struct fitting *f, uint32_t file, uint32_t id)
{
    struct resolver *r = f->g->r;
    const struct fact_def *def = def_at(r, file, id);
    sym receiver = sym_of(r, file, def->receiver);
    uint32_t type = receiver ? type_find(r, file, def->parent, receiver) : 0;
    sym name = sym_of(r, file, def->name);

    if (!type || !name)
        return;
    struct method *method = &f->methods[++f->len];
    *method = (struct method){
        .name = name, .type = r->canon[type - 1], .at = gdef(r, file, id)};
    method->next = map_get(&f->by_name, name);
    if (!map_put(&f->by_name, name, f->len) || !map_put(&f->counts, name, 0)) {
        f->g->failed = true;
        return;
    }
    *map_slot(&f->by_name, name) = f->len;
    ++*map_slot(&f->counts, name);
}

static void
want(struct fitting *f, struct wanted *wanted, uint32_t type)
{
    struct resolver *r = f->g->r;
    uint32_t file = r->owner_file[type];
    const struct facts *facts = r->sources[file].facts;
    uint32_t id = type - r->sources[file].def_base;

    for (uint32_t m = id + 1; m < facts->def_len; m++) {
        if (facts->defs[m].start_line > facts->defs[id].end_line)
            break;
        if (facts->defs[m].parent != id || facts->defs[m].kind != CODE_METHOD)
            continue;
        if (wanted->len == METHODS_MAX) {
            wanted->is_open = true;
            return;
        }
        wanted->names[wanted->len] = sym_of(r, file, facts->defs[m].name);
        wanted->defs[wanted->len++] = gdef(r, file, m);
    }
}

static void
want_all(struct fitting *f, struct wanted *wanted, uint32_t interface)
{
    struct resolver *r = f->g->r;
    const struct lineage *lineage = lineage_of(r, interface);
    uint32_t at = lineage ? lineage->at : 0;
    uint32_t len = lineage ? lineage->len : 0;

    wanted->is_open = !lineage || lineage->is_open;
    for (uint32_t i = 0; i < len; i++)
        want(f, wanted, r->bases[at + i]);
}

static bool
has_result(const struct resolver *r, uint32_t at)
{
    uint32_t file = r->owner_file[at];

    return def_at(r, file, at - r->sources[file].def_base)->type != 0;
}

/* The method of |type| that fits the one wanted; UINT32_MAX: none. */
static uint32_t
fit(struct fitting *f, uint32_t type, sym name, uint32_t wanted)
{
    struct resolver *r = f->g->r;
    struct val val = member_of_type(r, type, name, false);

    f->fits++;
    if (val.kind != VAL_DEF)
        return UINT32_MAX;
    uint32_t at = gdef(r, val.file, val.id);
    bool fits = f->params[at] == f->params[wanted] &&
                has_result(r, at) == has_result(r, wanted);
    return fits ? at : UINT32_MAX;
}

static void
try_type(struct fitting *f, const struct wanted *wanted, uint32_t interface,
         uint32_t type)
{
    struct resolver *r = f->g->r;
    uint32_t found[METHODS_MAX];

    if (type == interface || type >= r->def_len)
        return;
    for (uint32_t i = 0; i < wanted->len; i++) {
        found[i] = fit(f, type, wanted->names[i], wanted->defs[i]);
        if (found[i] == UINT32_MAX)
            return;
    }
    edge_add(f->g, (struct raw_edge){.src = r->nodes[type],
                                     .dst = r->nodes[interface],
                                     .type = CODE_IMPLEMENTS,
                                     .provenance = CODE_BY_TYPE});
    for (uint32_t i = 0; i < wanted->len; i++)
        if (r->nodes[found[i]] != r->nodes[wanted->defs[i]])
            edge_add(f->g, (struct raw_edge){
                               .src = r->nodes[wanted->defs[i]],
                               .dst = r->nodes[found[i]],
                               .type = CODE_MAY_DISPATCH,
                               .provenance = CODE_BY_TYPE,
                           });
}

static void
fit_interface(struct fitting *f, uint32_t file, uint32_t id)
{
    struct resolver *r = f->g->r;
    uint32_t interface = gdef(r, file, id);
    struct wanted wanted = {.len = 0};
    uint32_t rarest = UINT32_MAX;
    sym name = 0;

    want_all(f, &wanted, interface);
    if (wanted.len == 0 || wanted.is_open)
        return;
    for (uint32_t i = 0; i < wanted.len; i++) {
        uint32_t count = map_get(&f->counts, wanted.names[i]);
        if (count >= rarest)
            continue;
        rarest = count;
        name = wanted.names[i];
    }
    uint32_t tries = 0;
    for (uint32_t m = map_get(&f->by_name, name);
         m && tries < CANDIDATES_MAX && f->fits < FITS_MAX;
         m = f->methods[m].next, tries++)
        try_type(f, &wanted, interface, f->methods[m].type);
}

static void
count_params(struct fitting *f, uint32_t file)
{
    const struct facts *facts = f->g->r->sources[file].facts;

    for (uint32_t id = 1; id < facts->bind_len; id++)
        if (facts->binds[id].kind == BIND_PARAM) {
            uint32_t at = gdef(f->g->r, file, facts->binds[id].scope);
            uint32_t count = facts->binds[id].index + 1;
            if (count > f->params[at])
                f->params[at] = count;
        }
}

void
graph_structural(struct gathering *g)
{
    struct resolver *r = g->r;
    struct fitting f = {
        .g = g,
        .methods = calloc((size_t)r->def_len + 1, sizeof(*f.methods)),
        .params = calloc((size_t)r->def_len + 1, sizeof(*f.params)),
    };

    g->failed = g->failed || !f.methods || !f.params;
    for (uint32_t file = 0; file < r->source_len && !g->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        if (facts->lang != LANG_GO)
            continue;
        count_params(&f, file);
        for (uint32_t id = 1; id < facts->def_len; id++)
            if (facts->defs[id].kind == CODE_METHOD)
                add_method(&f, file, id);
    }
    for (uint32_t file = 0; file < r->source_len && !g->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        for (uint32_t id = 1; id < facts->def_len && facts->lang == LANG_GO;
             id++)
            if (facts->defs[id].kind == CODE_INTERFACE)
                fit_interface(&f, file, id);
    }
    map_fini(&f.by_name);
    map_fini(&f.counts);
    free(f.methods);
    free(f.params);
}
