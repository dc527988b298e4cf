/*
 * graph_search: the hits of search as rows of disclosure level 1.
 */
#include <string.h>

#include "knowledge/search.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_explore_list.h"

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

static enum err
find(struct explore *e, struct listing *list, str query)
{
    const struct search_ask ask = {.query = query};
    struct search_hits hits = {0};
    str domain = tool_str(e->run, "domain");
    size_t shown = 0;
    bool is_full = false;
    enum err err = search_find(e->n.near, &e->n.know.moment, &ask, &hits);

    for (size_t i = 0;
         i < hits.len && shown < (size_t)e->limit && !err && !is_full; i++) {
        struct object object = {0};

        err = near_object(&e->n.know.moment, hits.rows[i].spot, &object);
        if (!err && object.world != WORLD_NONE && list_takes(list, &object) &&
            is_in_domain(&object, domain)) {
            err = put_result(e, &object, hits.rows[i].score, &is_full);
            shown++;
        }
        err = err ? err : list->err;
        object_fini(&object);
    }
    put_num(e->run->reply, "total", (double)shown);
    cJSON_AddStringToObject(e->run->reply, "method", "hybrid");
    reply_summary(e->run, "%zu result%s for '%.100s'", shown,
                  many((int64_t)shown), query.len ? query.ptr : "");
    search_hits_fini(&hits);
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
    if (!run->err && !query.len)
        tool_fail(run, ERR_INVALID,
                  "query required: words, a name or an identifier; try %s%s",
                  run->tool->name, run->tool->example);
    if (near_begin(&e.n, run)) {
        e.entities = cJSON_AddArrayToObject(run->reply, "results");
        e.filters = cJSON_AddObjectToObject(run->reply, "filters");
        list_read_types(&list, "nodeTypes");
        err = run->err ? run->err : near_read_facts(&e.n);
        if (!err)
            err = find(&e, &list, query);
    }
    near_end(&e.n, err);
}
