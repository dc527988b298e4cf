/*
 * One pass makes the whole list of what should be declared; the transaction
 * compares it with the rows there are.  Nothing is done where nothing changed,
 * so that looking often costs little.
 */
#include "cmd/link.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/thread.h"
#include "cmd/changes.h"
#include "cmd/link_gone.h"
#include "cmd/link_raw.h"
#include "graph/code_build.h"
#include "graph/join.h"
#include "graph/query_stats.h"
#include "store/node_rows.h"

enum { LOOK_S = 3 };

/* One route that a service should have. */
struct wanted {
    uint32_t service;
    uint32_t node;
    uint32_t route; /* of the code */
    uint32_t method_len;
    bool is_there;
};

struct linking {
    const struct link_cfg *cfg;
    struct query_view *view;
    const struct code *code; /* held */
    struct join *join;
    struct link_raw raws;
    bool *is_claimed; /* by index in join->folders */
    struct wanted *wanted;
    size_t len;
    size_t cap;
    uint32_t now_s;
    struct link_gone gone;
    struct buf text;
};

/* ---- which folders count ---- */

static bool
is_same_folder(const struct join_folder *a, const struct join_folder *b)
{
    return a->repo == b->repo && str_eq(a->directory, b->directory);
}

/* A name that was only declared gives way to one that sends spans. */
static enum err
claim_folders(struct linking *l)
{
    const struct join *join = l->join;
    bool *is_seen = calloc((size_t)join->folder_len + 1, sizeof(*is_seen));
    enum err err = is_seen ? OK : ERR_NOMEM;

    l->is_claimed = calloc((size_t)join->folder_len + 1, sizeof(bool));
    if (!l->is_claimed)
        err = ERR_NOMEM;
    for (uint32_t i = 0; i < join->folder_len && !err; i++) {
        struct query_seen seen;
        err = query_seen(l->view, join->folders[i].service, &seen);
        is_seen[i] = !err && seen.spans > 0;
    }
    for (uint32_t i = 0; i < join->folder_len && !err; i++) {
        bool gives_way = false;
        for (uint32_t k = 0; k < join->folder_len; k++)
            gives_way |= !is_seen[i] && (is_seen[k] || k < i) &&
                         is_same_folder(&join->folders[i], &join->folders[k]);
        l->is_claimed[i] = !gives_way;
    }
    free(is_seen);
    return err;
}

/* ---- what should be declared ---- */

static enum err
want(struct linking *l, uint32_t service, uint32_t route)
{
    const struct code_route *what = &l->code->routes[route];
    struct nodes *nodes = l->cfg->session->nodes;
    struct wanted row = {.service = service, .route = route};

    buf_reset(&l->text);
    if (what->method.len) {
        buf_add(&l->text, what->method);
        buf_add_char(&l->text, ' ');
        buf_add(&l->text, what->canonical);
        if (l->text.failed)
            return ERR_NOMEM;
        row.method_len = (uint32_t)what->method.len;
        row.node = nodes_intern_route(nodes, service, buf_str(&l->text),
                                      ROUTE_SOURCE_STATIC);
    } else {
        row.node = nodes_intern(nodes, NODE_RPC, service, what->canonical,
                                (str){NULL, 0});
    }
    if (nodes_get(nodes, row.node).source == ROUTE_SOURCE_OVERFLOW)
        return OK; /* the service has too many; it is told by the overflow */
    if (!grow_room(l->wanted, l->len, l->cap))
        return ERR_NOMEM;
    l->wanted[l->len++] = row;
    return OK;
}

/* The deepest folder that has a name, and of its names the best. */
static const struct code_service *
best_name(const struct code *code, uint32_t file)
{
    const struct code_file *what = &code->files[file];
    const struct code_service *best = NULL;

    for (uint32_t i = 0; i < code->service_len; i++) {
        const struct code_service *row = &code->services[i];
        if (row->repo != what->repo ||
            !join_is_below(what->path, row->directory))
            continue;
        if (!best || row->directory.len > best->directory.len ||
            (row->directory.len == best->directory.len &&
             row->rank < best->rank))
            best = row;
    }
    return best;
}

static enum err
want_route(struct linking *l, uint32_t route)
{
    const struct join *join = l->join;
    const struct code *code = l->code;
    uint32_t file = code->routes[route].file;
    bool is_known = false;
    enum err err = OK;

    for (uint32_t i = 0; i < join->folder_len && !err; i++) {
        uint32_t service = join->folders[i].service;
        if (!l->is_claimed[i] ||
            join->folders[i].repo != code->files[file].repo ||
            !join_is_below(code->files[file].path,
                           join->folders[i].directory) ||
            !join_holds(join, service, file))
            continue;
        is_known = true;
        err = want(l, service, route);
    }
    const struct code_service *name = is_known ? NULL : best_name(code, file);
    if (err || !name)
        return err;
    return want(l,
                nodes_intern(l->cfg->session->nodes, NODE_SERVICE, 0,
                             name->name, (str){"", 0}),
                route);
}

static enum err
list_wanted(struct linking *l)
{
    const struct code *code = l->code;
    enum err err = claim_folders(l);

    for (uint32_t i = 0; i < code->route_len && !err; i++) {
        const struct code_route *route = &code->routes[i];
        uint8_t kind = code_node(code, route->node)->kind;
        if (route->flags & (ROUTE_IS_CLIENT | ROUTE_PREFIX_UNKNOWN) ||
            (kind != CODE_ROUTE && kind != CODE_RPC))
            continue;
        err = want_route(l, i);
    }
    return err;
}

/* ---- the rows ---- */

static int
compare_wanted(const void *left, const void *right)
{
    const struct wanted *a = left;
    const struct wanted *b = right;

    if (a->service != b->service)
        return a->service < b->service ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static void
sort_wanted(struct linking *l)
{
    size_t kept = 0;

    if (l->len == 0)
        return;
    qsort(l->wanted, l->len, sizeof(*l->wanted), compare_wanted);
    for (size_t i = 1; i < l->len; i++)
        if (compare_wanted(&l->wanted[kept], &l->wanted[i]) != 0)
            l->wanted[++kept] = l->wanted[i];
    l->len = kept + 1;
}

static str
origin_of(const struct code_route *route)
{
    return route->flags & ROUTE_IS_MOUNTED ? ROUTES_OF_MOUNT : ROUTES_OF_CODE;
}

/* A row with what the code said before is put again, and one of a document that
 * does not know that the route is below a mount. */
static enum err
take_row(void *ctx, const struct route_row *row)
{
    struct linking *l = ctx;
    const struct wanted key = {.service = row->service, .node = row->node};
    struct wanted *wanted =
        l->len ? bsearch(&key, l->wanted, l->len, sizeof(key), compare_wanted)
               : NULL;

    if (row->removed_s)
        return OK;
    if (wanted) {
        const struct code_route *route = &l->code->routes[wanted->route];
        bool is_left = !routes_is_of_code(row->origin) &&
                       !(route->flags & ROUTE_IS_MOUNTED);
        wanted->is_there =
            is_left || (str_eq(row->raw, link_raw_of(&l->raws, route)) &&
                        str_starts(row->origin, origin_of(route)));
        return OK;
    }
    return routes_is_of_code(row->origin) ? link_gone_add(&l->gone, row) : OK;
}

static enum err
put_row(struct linking *l, struct store *store, const struct wanted *wanted)
{
    const struct code *code = l->code;
    const struct code_route *route = &code->routes[wanted->route];

    buf_reset(&l->text);
    buf_add(&l->text, origin_of(route));
    buf_add(&l->text, code->repos[route->repo].url);
    if (l->text.failed)
        return ERR_NOMEM;
    const struct route_row row = {
        .service = wanted->service,
        .node = wanted->node,
        .created_s = l->now_s,
        .method = route->method,
        .pattern = route->canonical,
        .raw = link_raw_of(&l->raws, route),
        .origin = buf_str(&l->text),
    };
    return store_put_route(store, &row);
}

static enum err
write_rows(void *ctx, struct store *store)
{
    struct linking *l = ctx;
    enum err err = OK;

    for (size_t i = 0; i < l->len && !err; i++)
        if (!l->wanted[i].is_there)
            err = put_row(l, store, &l->wanted[i]);
    return err ? err : link_gone_remove(&l->gone, store, l->now_s);
}

/* Raw paths of spans are matched from now on. */
static enum err
declare(struct linking *l)
{
    const struct code *code = l->code;
    enum err err = OK;

    for (size_t i = 0; i < l->len && !err; i++) {
        const struct code_route *route = &code->routes[l->wanted[i].route];
        if (l->wanted[i].is_there || l->wanted[i].method_len == 0)
            continue;
        err = routes_declare(l->cfg->session->routes, l->wanted[i].service,
                             route->method, route->canonical);
        if (err == ERR_FULL)
            err = OK;
    }
    return err;
}

static enum err
run(struct linking *l)
{
    size_t added = 0;
    enum err err;

    if ((err = list_wanted(l)))
        return err;
    sort_wanted(l);
    if ((err = query_each_route(l->view, take_row, l)))
        return err;
    for (size_t i = 0; i < l->len; i++)
        added += !l->wanted[i].is_there;
    if (added == 0 && l->gone.len == 0)
        return OK;
    if ((err = engine_write(l->cfg->session->engine, write_rows, l)))
        return err;
    link_gone_withdraw(&l->gone, l->cfg->session->routes);
    if ((err = declare(l)))
        return err;
    changes_note(l->cfg->changes);
    log_info("routes of the code declared", "added", "%zu, removed %zu", added,
             l->gone.len);
    return OK;
}

enum err
link_once(const struct link_cfg *cfg, struct buf *why)
{
    uint64_t now_ns = clock_wall_ns();
    struct linking l = {.cfg = cfg, .now_s = (uint32_t)(now_ns / NS_PER_S)};
    enum err err = query_begin(cfg->query, l.now_s, &l.view);

    if (err)
        return err;
    err = code_db_hold(cfg->code, &l.code, why);
    if (!err)
        err = join_make(&l.join, l.view, l.code);
    if (!err)
        err = link_raw_make(&l.raws, l.code);
    if (!err)
        err = run(&l);
    link_raw_fini(&l.raws);
    join_free(l.join);
    code_drop(l.code);
    query_end(l.view);
    free(l.is_claimed);
    free(l.wanted);
    link_gone_fini(&l.gone);
    buf_fini(&l.text);
    return err;
}

static enum err
link_alone(const struct config *cfg, struct buf *why)
{
    struct session session = {0};
    struct link_cfg link = {.session = &session};
    enum err err = session_open(&session, cfg, clock_wall_ns(), why);

    if (err)
        return err;
    if (!(err = query_open(&link.query, cfg->dir, &query_cfg_default, why)) &&
        !(err = code_db_open(&link.code, cfg->dir)))
        err = link_once(&link, why);
    code_db_close(link.code);
    query_close(link.query);
    session_close(&session);
    return err;
}

void
link_now(const struct config *cfg, const char *command)
{
    struct buf why = {0};
    enum err err = session_has_code(cfg->dir) ? link_alone(cfg, &why) : OK;

    if (err && err != ERR_BUSY)
        fprintf(stderr,
                "spangraph %s: the routes were not declared to the traces: "
                "%s\n",
                command, why.len ? buf_cstr(&why) : err_str(err));
    buf_fini(&why);
}

/* ---- the thread ---- */

struct link {
    struct link_cfg cfg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool is_stopping;
    bool has_failed; /* said once, until it works again */
};

/* New when the code was indexed again, or a name was seen. */
static bool
has_changed(struct link *link, const struct code **code, uint32_t *nodes)
{
    const struct code *now = NULL;
    struct buf why = {0};
    uint32_t len = nodes_len(link->cfg.session->nodes);

    if (code_db_hold(link->cfg.code, &now, &why) != OK)
        now = NULL;
    bool changed =
        now && (now != *code || (len != *nodes && now->route_len > 0));
    *nodes = len;
    code_drop(*code);
    *code = now;
    buf_fini(&why);
    return changed;
}

static void
look(struct link *link)
{
    struct buf why = {0};
    enum err err = link_once(&link->cfg, &why);

    if (err && err != ERR_CANCELLED && !link->has_failed)
        log_error("the code's routes could not be declared; trying again",
                  "why", "%s", why.len ? buf_cstr(&why) : err_str(err));
    link->has_failed = err != OK;
    buf_fini(&why);
}

static bool
wait_a_while(struct link *link)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOOK_S;
    pthread_mutex_lock(&link->lock);
    if (!link->is_stopping)
        (void)pthread_cond_timedwait(&link->stopped, &link->lock, &until);
    bool go_on = !link->is_stopping;
    pthread_mutex_unlock(&link->lock);
    return go_on;
}

static void *
link_main(void *ctx)
{
    struct link *link = ctx;
    const struct code *code = NULL;
    uint32_t nodes = 0;

    thread_set_name("link");
    bool goes_on = true;

    /* Once more at the end: who asks the store next finds what was indexed. */
    for (;;) {
        if (has_changed(link, &code, &nodes) || link->has_failed)
            look(link);
        if (!goes_on)
            break;
        goes_on = wait_a_while(link);
    }
    code_drop(code);
    return NULL;
}

enum err
link_start(struct link **out, const struct link_cfg *cfg)
{
    struct link *link = calloc(1, sizeof(*link));

    *out = NULL;
    if (!link)
        return ERR_NOMEM;
    link->cfg = *cfg;
    pthread_mutex_init(&link->lock, NULL);
    pthread_cond_init(&link->stopped, NULL);
    if (pthread_create(&link->thread, NULL, link_main, link) != 0) {
        pthread_cond_destroy(&link->stopped);
        pthread_mutex_destroy(&link->lock);
        free(link);
        return ERR_NOMEM;
    }
    *out = link;
    return OK;
}

void
link_stop(struct link *link)
{
    if (!link)
        return;
    pthread_mutex_lock(&link->lock);
    link->is_stopping = true;
    pthread_cond_signal(&link->stopped);
    pthread_mutex_unlock(&link->lock);
    pthread_join(link->thread, NULL);
    pthread_cond_destroy(&link->stopped);
    pthread_mutex_destroy(&link->lock);
    free(link);
}
