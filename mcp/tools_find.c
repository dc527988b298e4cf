/*
 * graph_search: the hits of search as rows of disclosure level 1.
 */
#include <stdlib.h>
#include <string.h>

#include "knowledge/search.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_explore_list.h"
#include "mcp/tools_reply.h"
#include "mcp/tools_search.h"

enum { RESULTS = 10, RESULTS_MAX = 100 };

static bool
is_in_domain(const struct object *object, str domain)
{
    return !domain.len || text_same(buf_str(&object->domain), domain);
}

static enum err
put_result(struct explore *e, const struct object *object, double score,
           bool *is_full)
{
    cJSON *row = cJSON_CreateObject();
    enum err err = near_disclose(&e->n, object, 1, row);

    put_round(row, "score", score);
    cJSON_AddStringToObject(row, "source", object_world_str(object->world));
    *is_full = !explore_push(e, row);
    return err;
}

struct found {
    struct object object;
    double score;
};

/* The best that pass, at most e->limit. */
static enum err
choose(struct explore *e, struct listing *list, const struct search_hits *hits,
       struct found *found, size_t *len)
{
    str domain = tool_str(e->run, "domain");
    enum err err = OK;

    for (size_t i = 0; i < hits->len && *len < (size_t)e->limit && !err; i++) {
        struct object object = {0};

        err = near_object(&e->n.know.moment, hits->rows[i].spot, &object);
        if (!err && object.world != WORLD_NONE && list_takes(list, &object) &&
            is_in_domain(&object, domain))
            found[(*len)++] = (struct found){object, hits->rows[i].score};
        else
            object_fini(&object);
        err = err ? err : list->err;
    }
    return err;
}

static enum err
put_found(struct explore *e, const struct found *found, size_t len,
          size_t *shown)
{
    struct ids nodes = {0};
    bool is_full = false;
    enum err err = OK;

    for (size_t i = 0; i < len && !err; i++)
        err = near_observed(&e->n, &found[i].object, &nodes);
    if (!err)
        err = near_read_facts_of(&e->n, &nodes);
    for (; *shown < len && !err && !is_full; (*shown)++)
        err =
            put_result(e, &found[*shown].object, found[*shown].score, &is_full);
    ids_fini(&nodes);
    return err;
}

static enum err
find(struct explore *e, struct listing *list, str query)
{
    const struct search_ask ask = {.query = query,
                                   .deadline_ns = search_deadline(e->run)};
    struct found *found = calloc(RESULTS_MAX, sizeof(*found));
    struct search_hits hits = {0};
    size_t len = 0;
    size_t shown = 0;
    enum err err = found
                       ? search_find(e->n.near, &e->n.know.moment, &ask, &hits)
                       : ERR_NOMEM;

    if (!err)
        err = choose(e, list, &hits, found, &len);
    if (!err)
        err = put_found(e, found, len, &shown);
    if (!err && len == 0)
        list_explain_empty(list, query, hits.len, hits.degraded == 0);
    put_num(e->run->reply, "total", (double)shown);
    cJSON_AddStringToObject(e->run->reply, "method", "hybrid");
    reply_summary(e->run, "%zu result%s for '%.100s'", shown,
                  many((int64_t)shown), query.len ? query.ptr : "");
    for (size_t i = 0; i < len; i++)
        object_fini(&found[i].object);
    free(found);
    search_hits_fini(&hits);
    return err;
}

/* ---- without words: what is linked most ---- */

enum { RANKED_MAX = 2000 };

struct ranked {
    size_t at; /* in the list */
    size_t degree;
};

static int
by_degree(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;

    if (x->degree != y->degree)
        return x->degree > y->degree ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static enum err
rank(struct listing *list, struct ranked *ranks, size_t *len)
{
    struct near_run *n = &list->e->n;
    str domain = tool_str(list->e->run, "domain");
    struct near_types types;
    enum err err = near_types_of(&n->know.moment, NULL, &types);

    for (size_t i = 0; i < list->len && *len < RANKED_MAX && !err; i++) {
        struct object object = {0};
        struct near_arcs arcs = {0};

        err = list_object(list, &list->rows[i], &object);
        if (!err && is_in_domain(&object, domain)) {
            err = near_arcs_of(n->near, near_spot_of(&object), NEAR_BOTH,
                               &types, &arcs);
            ranks[(*len)++] = (struct ranked){i, arcs.len};
        }
        near_arcs_fini(&arcs);
        object_fini(&object);
    }
    if (*len > 1)
        qsort(ranks, *len, sizeof(*ranks), by_degree);
    return err;
}

/* Those of the highest ranks, at most e->limit, with their facts. */
static enum err
put_busiest(struct explore *e, struct listing *list, const struct ranked *ranks,
            size_t ranks_len, size_t *shown)
{
    struct found *found = calloc(RESULTS_MAX, sizeof(*found));
    size_t len = 0;
    enum err err = found ? OK : ERR_NOMEM;

    while (len < ranks_len && len < (size_t)e->limit && !err) {
        const struct ranked *one = &ranks[len];

        found[len].score =
            ranks[0].degree ? (double)one->degree / (double)ranks[0].degree : 0;
        err = list_object(list, &list->rows[one->at], &found[len++].object);
    }
    if (!err)
        err = put_found(e, found, len, shown);
    for (size_t i = 0; i < len; i++)
        object_fini(&found[i].object);
    free(found);
    return err;
}

static enum err
find_busiest(struct explore *e, struct listing *list)
{
    struct ranked *ranks = calloc(RANKED_MAX, sizeof(*ranks));
    size_t len = 0;
    size_t shown = 0;
    enum err err = ranks ? OK : ERR_NOMEM;

    if (!err) {
        list_gather(list);
        err = list->err ? list->err : rank(list, ranks, &len);
    }
    if (!err)
        err = put_busiest(e, list, ranks, len, &shown);
    if (!err && len == 0)
        list_explain_empty(list, STR(""), 0, true);
    put_num(e->run->reply, "total", (double)shown);
    cJSON_AddStringToObject(e->run->reply, "method", "degree");
    reply_summary(e->run, "%zu of those with most neighbours", shown);
    if (len == RANKED_MAX)
        tool_hint(e->run,
                  "only the first %d objects were ranked: name "
                  "nodeTypes",
                  RANKED_MAX);
    free(ranks);
    return err;
}

void
tool_graph_search(struct tool_run *run)
{
    struct explore e = {.run = run, .mode = "search"};
    struct listing list = {.e = &e};
    str query = text_trim(tool_str(run, "query"));
    enum err err = OK;

    e.limit = explore_clamp(run, "maxResults", RESULTS, 1, RESULTS_MAX);
    if (!run->err && !cJSON_IsString(json_member(run->args, "query")))
        tool_fail(run, ERR_INVALID,
                  "query required: words, a name or an identifier; try %s%s",
                  run->tool->name, run->tool->example);
    if (near_begin(&e.n, run)) {
        e.entities = cJSON_AddArrayToObject(run->reply, "results");
        e.filters = cJSON_AddObjectToObject(run->reply, "filters");
        list_read_types(&list, "nodeTypes");
        if (tool_str(run, "domain").len)
            put_str(e.filters, "domain", tool_str(run, "domain"));
        err = run->err;
        if (!err)
            err = query.len ? find(&e, &list, query) : find_busiest(&e, &list);
        search_fail(&e.n, err);
    }
    free(list.rows);
    near_end(&e.n, err);
}
