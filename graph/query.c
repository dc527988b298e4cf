/*
 * The pool: each slot is a view with its own connection, idle or lent out.
 * The catalog of names is shared; a slot whose connection sees commits it has
 * not seen takes a newer one, if the nodes have changed.  Those of small graphs
 * are then read at once.  For large ones that would cost more than the query:
 * there a catalog that was loaded within the last second is taken, and edges of
 * nodes newer than it are told a second later.  Totals, which are a walk over
 * all edges, likewise.
 *
 * What is read must stay in the writer's log.  While long questions overlap
 * without a gap it grows, and each reader with it; the writer, that others wait
 * for, can do no more than look for a gap.  So once the log is long we make
 * one: no view begins until it is short, or until it must be somebody else who
 * holds it.
 */
#include "graph/query.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "graph/query_view.h"
#include "store/reader_stop.h"

enum { SMALL_GRAPH = 20000, LOG_LOOK_MS = 10 };

#define LOG_WAIT_NS  (3 * NS_PER_S) /* for the log, at most */
#define LOG_EVERY_NS (30 * NS_PER_S)

const struct query_cfg query_cfg_default = {
    .readers = 4,
    .ages = {.active_days = 7, .stale_days = 30, .eligible_days = 90},
};

struct query {
    pthread_mutex_t lock; /* all below */
    pthread_cond_t returned;
    struct query_view views[QUERY_READERS_MAX];
    bool is_lent[QUERY_READERS_MAX];
    size_t len;
    struct catalog *catalog; /* the newest, held */
    uint64_t nodes_version;  /* of the catalog; 0: not known */
    uint64_t loaded_ns;
    struct query_totals totals; /* of a large graph */
    uint64_t counted_ns;
    uint64_t log_long_ns; /* since when views wait; 0: they never did */
};

enum err
query_open(struct query **out, const char *dir, const struct query_cfg *cfg,
           struct buf *why)
{
    struct query *query = calloc(1, sizeof(*query));
    enum err err = OK;

    *out = NULL;
    if (!query)
        return ERR_NOMEM;
    pthread_mutex_init(&query->lock, NULL);
    pthread_cond_init(&query->returned, NULL);
    for (size_t i = 0; !err && i < cfg->readers && i < QUERY_READERS_MAX; i++) {
        struct query_view *view = &query->views[i];

        *view = (struct query_view){.query = query, .ages = cfg->ages};
        err = reader_open(&view->reader, dir, why);
        if (!err)
            query->len = i + 1;
    }
    if (!err) {
        *out = query;
        query = NULL;
    }
    query_close(query);
    return err;
}

void
query_close(struct query *query)
{
    if (!query)
        return;
    for (size_t i = 0; i < query->len; i++) {
        catalog_drop(query->views[i].catalog);
        reader_close(query->views[i].reader);
    }
    catalog_drop(query->catalog);
    pthread_cond_destroy(&query->returned);
    pthread_mutex_destroy(&query->lock);
    free(query);
}

static struct query_view *
lend(struct query *query)
{
    size_t i = 0;

    pthread_mutex_lock(&query->lock);
    for (;;) {
        for (i = 0; i < query->len && query->is_lent[i]; i++)
            ;
        if (i < query->len)
            break;
        pthread_cond_wait(&query->returned, &query->lock);
    }
    query->is_lent[i] = true;
    pthread_mutex_unlock(&query->lock);
    return &query->views[i];
}

/* Until when views wait for a log that is long at |now_ns|. */
static uint64_t
log_deadline_ns(struct query *query, uint64_t now_ns)
{
    pthread_mutex_lock(&query->lock);
    if (query->log_long_ns == 0 || now_ns - query->log_long_ns >= LOG_EVERY_NS)
        query->log_long_ns = now_ns;
    uint64_t deadline_ns = query->log_long_ns + LOG_WAIT_NS;
    pthread_mutex_unlock(&query->lock);
    return deadline_ns;
}

static void
wait_for_log(struct query_view *view)
{
    const struct timespec step = {.tv_nsec = LOG_LOOK_MS * (long)NS_PER_MS};

    if (!reader_log_is_long(view->reader))
        return;
    uint64_t deadline_ns = log_deadline_ns(view->query, clock_mono_ns());
    while (clock_mono_ns() < deadline_ns && reader_log_is_long(view->reader))
        (void)nanosleep(&step, NULL);
}

/* The newest catalog, if it is one of the nodes of |nodes_version|, which is
 * |current|, or is not worth loading again yet. */
static struct catalog *
share_catalog(struct query *query, uint64_t nodes_version, bool *current)
{
    struct catalog *catalog = NULL;

    pthread_mutex_lock(&query->lock);
    *current = nodes_version && nodes_version == query->nodes_version;
    if (*current ||
        (query->catalog && catalog_len(query->catalog) > SMALL_GRAPH &&
         clock_mono_ns() - query->loaded_ns < NS_PER_S))
        catalog = catalog_hold(query->catalog);
    pthread_mutex_unlock(&query->lock);
    return catalog;
}

bool
query_totals_find(const struct query_view *view, struct query_totals *out)
{
    struct query *query = view->query;

    pthread_mutex_lock(&query->lock);
    bool is_found = query->totals.rows > SMALL_GRAPH &&
                    query->totals.now_s <= view->now_s &&
                    view->now_s - query->totals.now_s <= 1 &&
                    clock_mono_ns() - query->counted_ns < NS_PER_S;
    if (is_found)
        *out = query->totals;
    pthread_mutex_unlock(&query->lock);
    return is_found;
}

void
query_totals_keep(const struct query_view *view,
                  const struct query_totals *totals)
{
    struct query *query = view->query;

    pthread_mutex_lock(&query->lock);
    query->totals = *totals;
    query->counted_ns = clock_mono_ns();
    pthread_mutex_unlock(&query->lock);
}

static void
publish_catalog(struct query *query, struct catalog *catalog,
                uint64_t nodes_version)
{
    struct catalog *old;

    pthread_mutex_lock(&query->lock);
    old = query->catalog;
    query->catalog = catalog_hold(catalog);
    query->nodes_version = nodes_version;
    query->loaded_ns = clock_mono_ns();
    pthread_mutex_unlock(&query->lock);
    catalog_drop(old);
}

static enum err
refresh_catalog(struct query_view *view)
{
    struct catalog *catalog;
    uint64_t nodes_version;
    int64_t version;
    bool current;
    enum err err = reader_version(view->reader, &version);

    if (err || (view->catalog && version == view->version) ||
        (err = reader_nodes_version(view->reader, &nodes_version)))
        return err;
    catalog = share_catalog(view->query, nodes_version, &current);
    if (!catalog) {
        err = catalog_load(&catalog, view->reader);
        if (err)
            return err;
        publish_catalog(view->query, catalog, nodes_version);
        current = true;
    }
    view->version = current ? version : version - 1; /* look again next time */
    catalog_drop(view->catalog);
    view->catalog = catalog;
    return OK;
}

enum err
query_begin(struct query *query, uint32_t now_s, struct query_view **out)
{
    struct query_view *view = lend(query);
    uint64_t added_ns = 0;

    *out = NULL;
    wait_for_log(view);
    enum err err = reader_begin(view->reader);
    if (!err)
        err = refresh_catalog(view);
    if (!err)
        err = reader_added_ns(view->reader, &added_ns);
    if (!err)
        err = reader_graph_version(view->reader, &view->graph_version);
    if (!err)
        err = reader_kept(view->reader, &view->kept);
    view->totals.rows = 0;
    view->stop = (struct query_stop){0};
    view->begun_ns = clock_mono_ns();
    view->now_s = now_s;
    view->as_of_s = (uint32_t)(added_ns / NS_PER_S);
    if (err)
        query_end(view);
    else
        *out = view;
    return err;
}

void
query_end(struct query_view *view)
{
    if (!view)
        return;
    struct query *query = view->query;

    reader_end(view->reader);
    pthread_mutex_lock(&query->lock);
    query->is_lent[view - query->views] = false;
    pthread_cond_signal(&query->returned);
    pthread_mutex_unlock(&query->lock);
}

struct query_stop
query_stop_when(struct query_view *view, struct query_stop stop)
{
    struct query_stop before = view->stop;

    view->stop = stop;
    reader_stop_when(view->reader, stop.is_over, stop.ctx);
    return before;
}

enum err
query_check(const struct query_view *view)
{
    struct query_stop stop = view ? view->stop : (struct query_stop){0};

    return stop.is_over && stop.is_over(stop.ctx) ? ERR_CANCELLED : OK;
}

uint32_t
query_now_s(const struct query_view *view)
{
    return view->now_s;
}

uint32_t
query_as_of_s(const struct query_view *view)
{
    return view->as_of_s;
}

const struct confidence_cfg *
query_ages(const struct query_view *view)
{
    return &view->ages;
}
