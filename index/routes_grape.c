/*
 * Grape puts a path together from the kinds of what stands around a route, not
 * in their order: where the classes are mounted, outermost first; then one
 * prefix and one version, each the one nearest to the route; then all
 * namespaces.  So a walk leads up from the call, through the blocks around it
 * and each `mount` of its class, and gathers them; at the top it is told.
 */
#include "index/routes_grape.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/routes_block.h"
#include "index/routes_ruby.h"
#include "index/routes_sinatra.h"

enum {
    DEPTH_MAX = 8,
    BLOCKS_MAX = 16,
    SPACES_MAX = 32,
    SAID_MAX = 1024, /* routes of a call: ways, versions, paths, methods */
};

/* ---- the calls that say where, of all files ---- */

enum row_kind { ROW_MOUNT, ROW_PREFIX, ROW_VERSION };

/* `mount` or `run` of the class |key|; `prefix` or `version` without a block in
 * the body |key|, a class or a block.  |path|: of a mount, or id 0. */
struct grape_row {
    struct at key;
    enum row_kind kind;
    struct at call;
    struct at path;
};

struct grape_rows {
    struct grape_row *rows;
    uint32_t len;
    uint32_t cap;
};

static void
add_row(struct parts *p, const struct grape_row *row)
{
    struct grape_rows *rows = p->grape;

    if (!grow_room(rows->rows, rows->len, rows->cap)) {
        p->failed = true;
        return;
    }
    rows->rows[rows->len++] = *row;
}

/* `Users`, `Users => '/x'`, `Users, at: '/x'` */
static void
add_mount(struct parts *p, struct at call, struct at given)
{
    struct grape_row row = {.kind = ROW_MOUNT, .call = call, .path = given};
    struct at app = given;

    if (part_kind(p, given) == EXPR_PAIR) {
        if (part_expr(p, given)->list_len == 0)
            return;
        app = part_list(p, given, 0);
        row.path.id = part_expr(p, given)->a;
    } else {
        row.path = part_named(p, call, "at");
    }
    if (sinatra_class(p, app, &row.key) &&
        sinatra_framework(p, row.key) == FW_GRAPE)
        add_row(p, &row);
}

static void
add_mounts(struct parts *p, struct at call)
{
    struct at list = part_arg(p, call, 0);

    if (!list.id || part_kind(p, list) != EXPR_OBJECT)
        list = call;
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
        add_mount(p, call, part_list(p, list, i));
}

static void
add_call(struct parts *p, struct at call)
{
    struct grape_row row = {.key = {call.file, part_expr(p, call)->scope},
                            .call = call};

    if (block_is(p, call, "mount") || block_is(p, call, "run")) {
        add_mounts(p, call);
        return;
    }
    row.kind = block_is(p, call, "prefix") ? ROW_PREFIX : ROW_VERSION;
    if ((row.kind == ROW_PREFIX || block_is(p, call, "version")) &&
        part_args(p, call) > 0 &&
        part_kind(p, part_last(p, call)) != EXPR_LAMBDA)
        add_row(p, &row);
}

static int
by_at(struct at a, struct at b)
{
    int order = (a.file > b.file) - (a.file < b.file);

    return order ? order : (a.id > b.id) - (a.id < b.id);
}

static int
by_key(const void *a, const void *b)
{
    const struct grape_row *x = a;
    const struct grape_row *y = b;
    int order = by_at(x->key, y->key);

    if (!order)
        order = (int)x->kind - (int)y->kind;
    return order ? order : by_at(x->call, y->call);
}

/* Compares but key and kind. */
static int
find_key(const void *key, const void *row)
{
    const struct grape_row *x = key;
    const struct grape_row *y = row;
    int order = by_at(x->key, y->key);

    return order ? order : (int)x->kind - (int)y->kind;
}

static const struct grape_rows *
rows_of(struct parts *p)
{
    if (p->grape)
        return p->grape;
    p->grape = calloc(1, sizeof(*p->grape));
    p->failed |= !p->grape;
    for (uint32_t f = 0; f < p->len && !p->failed; f++) {
        const struct facts *facts = part_facts(p, f);
        if (facts->lang != LANG_RUBY || (facts->flags & FACTS_TEST))
            continue;
        for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
            struct at call = {f, i};
            if (facts->exprs[i].kind == EXPR_CALL && !part_receiver(p, call).id)
                add_call(p, call);
        }
    }
    if (p->grape && p->grape->len > 0)
        qsort(p->grape->rows, p->grape->len, sizeof(*p->grape->rows), by_key);
    return p->grape;
}

static const struct grape_row *
rows_at(struct parts *p, struct at key, enum row_kind kind, size_t *len)
{
    const struct grape_rows *rows = rows_of(p);
    struct grape_row asked = {.key = key, .kind = kind};

    *len = 0;
    if (!rows)
        return NULL;
    size_t first = sorted_first(&asked, rows->rows, rows->len,
                                sizeof(*rows->rows), find_key);
    while (first + *len < rows->len &&
           find_key(&asked, &rows->rows[first + *len]) == 0)
        ++*len;
    return rows->rows + first;
}

void
grape_fini(struct parts *p)
{
    if (p->grape)
        free(p->grape->rows);
    free(p->grape);
    p->grape = NULL;
}

/* ---- one way up ---- */

/* What was found on it, innermost first. */
struct way {
    struct {
        struct at text;
        bool is_param;
    } spaces[SPACES_MAX];
    struct at mounts[DEPTH_MAX + 1]; /* one more of config.ru */
    unsigned space_len;
    unsigned mount_len;
    struct at prefix; /* calls; id 0: none yet */
    struct at version;
    bool is_tail; /* there is more, not known */
};

/* A route that is being entered. */
struct served {
    struct parts *p;
    struct at call;
    struct at path;    /* argument, or id 0 */
    struct at methods; /* of `route`; or id 0 */
    unsigned ways_left;
    unsigned said;
};

/* The last of a body before |before| is what counts. */
static void
take_last(struct parts *p, struct at body, enum row_kind kind, struct at before,
          struct at *into)
{
    size_t len;
    const struct grape_row *rows = rows_at(p, body, kind, &len);

    if (into->id)
        return;
    for (size_t i = 0; i < len && rows[i].call.id < before.id; i++)
        *into = rows[i].call;
}

static void
take_said(struct parts *p, struct way *way, struct at body, struct at before)
{
    take_last(p, body, ROW_PREFIX, before, &way->prefix);
    take_last(p, body, ROW_VERSION, before, &way->version);
}

static void
take_block(struct parts *p, struct way *way, struct at call)
{
    bool is_param;

    if (block_is(p, call, "version") && !way->version.id)
        way->version = call;
    if (!ruby_is_space(p, call, &is_param))
        return;
    if (way->space_len == SPACES_MAX) {
        way->is_tail = true;
        return;
    }
    way->spaces[way->space_len].text = part_arg(p, call, 0);
    way->spaces[way->space_len++].is_param = is_param;
}

/* The class that |call| stands in, with what is said on the way; id 0. */
static struct at
take_around(struct parts *p, struct way *way, struct at call)
{
    const struct facts *facts = part_facts(p, call.file);
    struct at around = call;

    for (unsigned depth = 0; around.id; depth++) {
        struct at body = {around.file, part_expr(p, around)->scope};
        take_said(p, way, body, around);
        around = block_call(p, around);
        if (around.id && depth == BLOCKS_MAX) {
            way->is_tail = true;
            break;
        }
        if (around.id)
            take_block(p, way, around);
    }
    uint32_t type = part_expr(p, call)->scope;
    while (type && facts->defs[type].kind != CODE_TYPE)
        type = facts->defs[type].parent;
    return (struct at){call.file, type};
}

/* A class that nothing mounts has what its bases say. */
static void
take_bases(struct parts *p, struct way *way, struct at type)
{
    struct at all = {0, UINT32_MAX};
    struct at base = type;

    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        if (part_def(p, base)->bases_len == 0 ||
            !sinatra_class(p, sinatra_base(p, base, 0), &base))
            return;
        take_said(p, way, base, all);
    }
}

/* ---- what a way says ---- */

static bool
is_in_path(struct parts *p, struct at version)
{
    struct at using = part_named(p, version, "using");

    return !using.id || str_eq(part_word(p, using), STR("path"));
}

/* Item |i| of a text or a list of texts; id 0 behind the last. */
static struct at
item_at(struct parts *p, struct at texts, uint32_t i)
{
    struct at none = {texts.file, 0};
    struct at list;

    if (!texts.id || part_kind(p, texts) == EXPR_LAMBDA)
        return none;
    if (part_kind(p, texts) != EXPR_STRING && part_literal(p, texts, &list))
        return part_list(p, list, i);
    return i == 0 ? texts : none;
}

/* Version |i| of `version 'v1', 'v2'`, `version %w[v1 v2]`. */
static struct at
version_at(struct parts *p, struct at call, uint32_t i)
{
    struct at first = part_arg(p, call, 0);

    if (part_args(p, call) > 1 &&
        part_kind(p, part_arg(p, call, 1)) != EXPR_LAMBDA)
        return item_at(p, part_arg(p, call, i), 0);
    return item_at(p, first, i);
}

/* Empty: not known. */
static str
method_of(const struct served *of, struct at method, char *into, size_t cap)
{
    if (!of->methods.id)
        return block_method(of->p, of->call);
    if (!method.id || part_kind(of->p, method) != EXPR_STRING)
        return (str){NULL, 0};
    str said = str_upper(part_word(of->p, method), into, cap);
    return str_eq(said, STR("*")) ? STR("ANY") : said;
}

/* Counts as a further way of a route does, but for the first. */
static bool
may_enter(struct served *of)
{
    struct parts *p = of->p;
    bool is_further = of->said > 0;

    if (of->said == SAID_MAX ||
        (is_further && p->further_ways >= ROUTE_FURTHER_WAYS_MAX))
        return false;
    p->further_ways += is_further;
    of->said++;
    return true;
}

static void
enter_one(const struct served *of, const struct way *way, struct at version,
          struct at path, struct at method)
{
    struct parts *p = of->p;
    struct ruby_path text = {.is_tail = way->is_tail};
    char word[32];
    str said = method_of(of, method, word, sizeof(word));

    if (said.len == 0)
        return;
    for (unsigned i = way->mount_len; i-- > 0;)
        ruby_path_add(p, &text, way->mounts[i], false);
    if (way->prefix.id)
        ruby_path_add(p, &text, part_arg(p, way->prefix, 0), false);
    ruby_path_add(p, &text, version, false);
    for (unsigned i = way->space_len; i-- > 0;)
        ruby_path_add(p, &text, way->spaces[i].text, way->spaces[i].is_param);
    ruby_path_add(p, &text, path, false);
    ruby_path_enter(p, &text,
                    (struct route_entry){
                        .handler = part_handler(p, part_last(p, of->call)),
                        .method = texts_add(&p->texts, said),
                        .at = of->call,
                        .framework = FW_GRAPE,
                    });
}

/* Each path by each method. */
static void
enter_paths(struct served *of, const struct way *way, struct at version)
{
    struct parts *p = of->p;
    struct at path = item_at(p, of->path, 0);
    struct at method = item_at(p, of->methods, 0);
    uint32_t i = 0;

    do {
        for (uint32_t k = 0; k == 0 || method.id;) {
            if (!may_enter(of))
                return;
            enter_one(of, way, version, path, method);
            method = item_at(p, of->methods, ++k);
        }
        method = item_at(p, of->methods, 0);
        path = item_at(p, of->path, ++i);
    } while (path.id);
}

static void
enter_way(struct served *of, const struct way *way)
{
    struct parts *p = of->p;
    struct at version = {of->call.file, 0};

    of->ways_left--;
    if (!way->version.id || !is_in_path(p, way->version)) {
        enter_paths(of, way, version);
        return;
    }
    for (uint32_t i = 0; (version = version_at(p, way->version, i)).id; i++)
        enter_paths(of, way, version);
}

/* ---- all ways ---- */

static void
climb(struct served *of, struct way *way, struct at call, unsigned depth);

/* By what is no class of Grape: routes of Rails, or config.ru. */
static void
climb_out(struct served *of, struct way *way, const struct grape_row *mount)
{
    struct parts *p = of->p;
    struct at around = block_call(p, mount->call);

    take_bases(p, way, mount->key);
    if (around.id && block_is(p, around, "map")) {
        way->mounts[way->mount_len++] = part_arg(p, around, 0);
        around = block_call(p, around);
    }
    way->is_tail |= around.id && !block_is(p, around, "draw");
    enter_way(of, way);
}

static void
climb_mount(struct served *of, const struct way *below,
            const struct grape_row *mount, unsigned depth)
{
    struct way way = *below;

    if (depth == DEPTH_MAX) {
        way.is_tail = true;
        enter_way(of, &way);
        return;
    }
    way.mounts[way.mount_len++] = mount->path;
    if (sinatra_home(of->p, mount->call).framework == FW_GRAPE)
        climb(of, &way, mount->call, depth + 1);
    else
        climb_out(of, &way, mount);
}

static void
climb(struct served *of, struct way *way, struct at call, unsigned depth)
{
    struct parts *p = of->p;
    struct at type = take_around(p, way, call);
    size_t len;
    const struct grape_row *mounts = rows_at(p, type, ROW_MOUNT, &len);

    if (len == 0) {
        take_bases(p, way, type);
        enter_way(of, way);
    }
    for (size_t i = 0; i < len && of->ways_left > 0; i++)
        climb_mount(of, way, &mounts[i], depth);
}

void
grape_enter(struct parts *p, struct at call)
{
    bool is_route = block_is(p, call, "route");
    struct served of = {.p = p,
                        .call = call,
                        .path = part_arg(p, call, is_route),
                        .methods = {call.file, 0},
                        .ways_left = ROUTE_WAYS_MAX};
    struct way way = {.space_len = 0};

    if (is_route)
        of.methods = part_arg(p, call, 0);
    climb(&of, &way, call, 0);
}
