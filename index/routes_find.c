/*
 * Rounds over all files to learn how routers nest - a function that is given a
 * router by one that is given a router by one - as long as there is more to
 * learn; then one for what stands on them; then each route is told by all ways
 * that lead to it.
 */
#include "index/routes_find.h"

#include "index/routes_grpc.h"
#include "index/routes_rules.h"
#include "index/routes_table.h"

/* Some rules learn in two steps what shows in the third. */
enum { NEST_ROUNDS = 3, NEST_ROUNDS_MAX = 8 };

/* |langs|: bits 1 << enum lang_id; 0: all. */
struct family {
    uint32_t langs;
    routes_rule *rule;
};

#define SPEAKS(lang) (UINT32_C(1) << (lang))

/* How routers nest, asked in each round. */
static const struct family nests[] = {
    {0, marks_apps},
    {SPEAKS(LANG_PYTHON), django_nests},
    {SPEAKS(LANG_PYTHON), python_nests},
    {SPEAKS(LANG_PYTHON), starlette_nests},
    {SPEAKS(LANG_PYTHON), tornado_nests},
    {SPEAKS(LANG_PYTHON), litestar_nests},
    {SPEAKS(LANG_PYTHON), pyramid_nests},
    {SPEAKS(LANG_JAVASCRIPT) | SPEAKS(LANG_TYPESCRIPT), nest_required},
    {SPEAKS(LANG_JAVASCRIPT) | SPEAKS(LANG_TYPESCRIPT), nest_autoload},
    {SPEAKS(LANG_JAVASCRIPT) | SPEAKS(LANG_TYPESCRIPT), nest_given_away},
    {SPEAKS(LANG_PHP), php_nests},
    {SPEAKS(LANG_PHP), laravel_nests},
    {SPEAKS(LANG_PHP), symfony_nests},
    {SPEAKS(LANG_JAVA) | SPEAKS(LANG_KOTLIN), java_nests},
    {SPEAKS(LANG_KOTLIN), kotlin_nests},
    {SPEAKS(LANG_CSHARP), carter_nests},
};

static const struct family families[] = {
    {SPEAKS(LANG_PYTHON), routes_django},
    {SPEAKS(LANG_PYTHON), routes_python},
    {SPEAKS(LANG_PYTHON), routes_starlette},
    {SPEAKS(LANG_PYTHON), routes_tornado},
    {SPEAKS(LANG_PYTHON), routes_litestar},
    {SPEAKS(LANG_PYTHON), routes_pyramid},
    {SPEAKS(LANG_JAVA) | SPEAKS(LANG_KOTLIN), routes_java},
    {SPEAKS(LANG_JAVA) | SPEAKS(LANG_KOTLIN), routes_spring},
    {SPEAKS(LANG_JAVA) | SPEAKS(LANG_KOTLIN), routes_servlet},
    {SPEAKS(LANG_JAVASCRIPT) | SPEAKS(LANG_TYPESCRIPT) | SPEAKS(LANG_TSX),
     routes_next},
    {SPEAKS(LANG_JAVASCRIPT) | SPEAKS(LANG_TYPESCRIPT), routes_folders},
    {SPEAKS(LANG_PHP), routes_laravel},
    {SPEAKS(LANG_PHP), routes_symfony},
    {SPEAKS(LANG_RUBY), routes_rails},
    {SPEAKS(LANG_RUBY), routes_ruby},
    {SPEAKS(LANG_KOTLIN), routes_kotlin},
    {SPEAKS(LANG_CSHARP), routes_fastendpoints},
    {0, routes_marks},
    {0, routes_grpc},
    {0, routes_clients},
    {0, routes_topics},
    {0, routes_spans},
};

/* What tests put together is served nowhere. */
static bool
is_test(const struct parts *p, uint32_t file)
{
    return part_facts(p, file)->flags & FACTS_TEST;
}

static void
ask(struct parts *p, uint32_t file, const struct family *all, size_t len)
{
    uint8_t lang = part_facts(p, file)->lang;

    for (size_t i = 0; i < len && !p->failed; i++)
        if (all[i].langs == 0 || (all[i].langs >> lang & 1))
            all[i].rule(p, file);
}

static void
find_nests(struct parts *p)
{
    bool is_new = true;

    symfony_open(p);
    for (p->round = 1; (p->round <= NEST_ROUNDS || is_new) &&
                       p->round <= NEST_ROUNDS_MAX && !p->failed;
         p->round++) {
        uint32_t mounts = p->mount_len;
        p->looped = 0;
        for (uint32_t i = 0; i < p->len && !p->failed; i++) {
            if (is_test(p, i))
                continue;
            part_open(p, i);
            verb_calls(p, i, true);
            ask(p, i, nests, sizeof(nests) / sizeof(nests[0]));
        }
        is_new = p->mount_len > mounts;
    }
    if (!p->failed)
        django_done(p);
}

static void
find_routes(struct parts *p)
{
    grpc_open(p);
    p->looped = 0;
    for (uint32_t i = 0; i < p->len && !p->failed; i++) {
        if (is_test(p, i))
            continue;
        part_open(p, i);
        verb_calls(p, i, false);
        ask(p, i, families, sizeof(families) / sizeof(families[0]));
    }
    routes_lambda(p);
    entries_tell(p);
    grpc_done(p);
    routes_gateway(p);
}

enum err
routes_find(struct resolver *r, const struct resolve_file *files, uint32_t len,
            const struct contexts *contexts, struct code_build *build)
{
    struct parts p;
    enum err err = parts_init(&p, r, files, len, build);

    if (err)
        return err;
    p.contexts = contexts;
    if (verbs_index(&p))
        p.failed = true;
    find_nests(&p);
    find_routes(&p);
    err = p.failed || build->failed ? ERR_NOMEM : OK;
    parts_fini(&p);
    return err;
}
