/*
 * What each level of disclosure shows: each is the one before and something
 * more, and nothing of a later one.
 *
 *     0  id, type, level
 *     1  name, description, domain, tags; state of what is observed
 *     2  links; calls_30d, last_observed
 *     3  sections; signature, file, line, handler, top_callers, routes
 *     4  content, metadata, hash, provenance; source, daily
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/query_edges.h"
#include "knowledge/entity.h"
#include "knowledge/shown.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_code.h"
#include "mcp/tools_near.h"
#include "mcp/tools_reply.h"

enum {
    LINKS_SHOWN = 10,
    CALLERS_SHOWN = 5,
    ROUTES_SHOWN = 20,
    CONTENT_PREVIEW = 200,
    DAYS = 30,
};

/* ---- 1 and 2 ---- */

/* The liveliest of what is observed. */
static void
put_state(const struct near_run *n, const struct ids *seen, cJSON *row)
{
    enum near_state best = STATE_COUNT;

    for (size_t i = 0; i < seen->len; i++) {
        enum near_state state = near_state_of(n, seen->ids[i]);

        best = state != STATE_NONE && state < best ? state : best;
    }
    if (best != STATE_COUNT)
        cJSON_AddStringToObject(row, "state", near_state_str(best));
}

static void
put_calls(const struct near_run *n, const struct ids *seen, cJSON *row)
{
    int64_t calls = 0;
    uint32_t last_s = 0;

    for (size_t i = 0; i < seen->len; i++) {
        uint32_t node = seen->ids[i];

        if (node >= n->facts.len)
            continue;
        calls += n->facts.calls[node];
        last_s =
            n->facts.last_s[node] > last_s ? n->facts.last_s[node] : last_s;
    }
    if (!seen->len)
        return;
    put_num(row, "calls_30d", (double)calls);
    put_time(row, "last_observed", last_s);
}

static enum err
put_level_1(struct near_run *n, const struct object *object,
            const struct ids *seen, cJSON *row)
{
    struct buf text = {0};
    cJSON *facets = NULL;
    enum err err = near_read_facts_of(n, seen);

    put_str(row, "name", buf_str(&object->name));
    if (!err)
        err = near_describe(n, object, &text);
    put_str(row, "description", buf_str(&text));
    put_str(row, "domain", buf_str(&object->domain));
    if (!err && object->oid)
        err = entity_facets(&n->know.moment, object->oid, &facets);
    cJSON *tags = cJSON_DetachItemFromObjectCaseSensitive(facets, "tag");
    json_give(row, "tags", tags ? tags : cJSON_CreateArray());
    if (!err)
        put_state(n, seen, row);
    cJSON_Delete(facets);
    buf_fini(&text);
    return err;
}

static enum err
put_arc(struct near_run *n, cJSON *list, const struct near_arc *arc)
{
    struct object other = {0};
    cJSON *row = cJSON_CreateObject();
    enum err err = near_object(&n->know.moment, arc->spot, &other);

    put_str(row, "id", buf_str(&other.gid));
    cJSON_AddStringToObject(row, "type", arc->type);
    json_push(list, row);
    object_fini(&other);
    return err;
}

static enum err
put_links(struct near_run *n, const struct near_arcs *arcs, cJSON *row)
{
    cJSON *links = cJSON_AddObjectToObject(row, "links");
    cJSON *in = cJSON_AddArrayToObject(links, "in");
    cJSON *out = cJSON_AddArrayToObject(links, "out");
    size_t counts[2] = {0};
    enum err err = OK;

    for (size_t i = 0; i < arcs->len && !err; i++) {
        bool is_out = arcs->items[i].is_out;

        if (counts[is_out]++ < LINKS_SHOWN)
            err = put_arc(n, is_out ? out : in, &arcs->items[i]);
    }
    put_num(links, "in_count", (double)counts[0]);
    put_num(links, "out_count", (double)counts[1]);
    return err;
}

/* ---- 3 ---- */

static void
put_section(cJSON *sections, const char *heading, str text)
{
    cJSON *row;

    if (!text.len)
        return;
    row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "heading", heading);
    put_str(row, "preview", text_cut(text, CONTENT_PREVIEW));
    json_push(sections, row);
}

/* Names of the rows of |list|, as a section. */
static void
put_names(cJSON *sections, const char *heading, const cJSON *list)
{
    struct buf text = {0};
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        const char *id =
            cJSON_IsString(item) ? item->valuestring : json_text(item, "id");

        buf_printf(&text, "%s%s", text.len ? ", " : "", id ? id : "");
    }
    put_section(sections, heading, buf_str(&text));
    buf_fini(&text);
}

static bool
is_call(const struct near_arc *arc)
{
    uint8_t type = joined_type_of(str_of(arc->type));

    return type && type != CODE_HANDLES_ROUTE &&
           JOINED_BIT(type) & JOINED_CALLS;
}

static int
by_count(const void *a, const void *b)
{
    const struct near_arc *x = a;
    const struct near_arc *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->spot > y->spot) - (x->spot < y->spot);
}

static enum err
put_callers(struct near_run *n, const struct near_arcs *arcs, cJSON *row)
{
    cJSON *list = cJSON_AddArrayToObject(row, "top_callers");
    struct near_arc *calls = calloc(arcs->len + 1, sizeof(*calls));
    size_t len = 0;
    enum err err = calls ? OK : ERR_NOMEM;

    for (size_t i = 0; i < arcs->len && !err; i++)
        if (!arcs->items[i].is_out && is_call(&arcs->items[i]))
            calls[len++] = arcs->items[i];
    if (len > 1)
        qsort(calls, len, sizeof(*calls), by_count);
    for (size_t i = 0; i < len && i < CALLERS_SHOWN && !err; i++) {
        struct object other = {0};
        cJSON *caller = cJSON_CreateObject();

        err = near_object(&n->know.moment, calls[i].spot, &other);
        put_str(caller, "id", buf_str(&other.gid));
        put_num(caller, "count", (double)calls[i].count);
        cJSON_AddStringToObject(caller, "evidence",
                                evidence_str(calls[i].evidence));
        json_push(list, caller);
        object_fini(&other);
    }
    free(calls);
    return err;
}

/* Ids of what lies the other way of the arcs of |type|. */
static enum err
put_ids(struct near_run *n, const struct near_arcs *arcs, const char *type,
        bool is_out, cJSON *list)
{
    enum err err = OK;

    for (size_t i = 0; i < arcs->len && !err; i++) {
        const struct near_arc *arc = &arcs->items[i];
        struct object other = {0};

        if (arc->is_out != is_out || strcmp(arc->type, type) != 0 ||
            cJSON_GetArraySize(list) == ROUTES_SHOWN)
            continue;
        err = near_object(&n->know.moment, arc->spot, &other);
        json_push(list, json_str(buf_str(&other.gid)));
        object_fini(&other);
    }
    return err;
}

static void
put_vertex(const struct code *code, uint32_t vertex, cJSON *row)
{
    put_str(row, "signature", code_node(code, vertex)->signature);
    put_at(code, row, vertex);
}

static enum err
put_handler(struct near_run *n, uint32_t node, cJSON *row)
{
    const struct moment *moment = &n->know.moment;
    uint32_t vertex =
        moment->joined ? join_of(moment->joined->join, node)->vertex : 0;
    struct object object = {0};
    enum err err = OK;

    if (!vertex)
        return OK;
    err = object_of_vertex(&n->know.moment, vertex, &object);
    put_str(row, "handler", buf_str(&object.gid));
    put_vertex(moment->joined->code, vertex, row);
    object_fini(&object);
    return err;
}

/* Of nodes, vertices and repositories. */
static enum err
put_evidence(struct near_run *n, const struct object *object,
             const struct near_arcs *arcs, cJSON *row)
{
    const struct code *code = near_code(n);
    bool is_service =
        object->node &&
        query_node(n->know.moment.view, object->node)->kind == NODE_SERVICE;
    cJSON *holds = cJSON_CreateArray();
    cJSON *sections;
    enum err err = OK;

    if (object->vertex)
        put_vertex(code, object->vertex, row);
    if (object->node && !is_service)
        err = put_handler(n, object->node, row);
    if (!err && !object->repo)
        err = put_callers(n, arcs, row);
    if (!err)
        err = object->vertex &&
                      code_node(code, object->vertex)->kind == CODE_FUNCTION
                  ? put_ids(n, arcs, code_edge_str(CODE_HANDLES_ROUTE), false,
                            holds)
                  : put_ids(n, arcs, code_edge_str(CODE_CONTAINS), true, holds);
    sections = cJSON_AddArrayToObject(row, "sections");
    put_section(sections, "signature", str_of(json_text(row, "signature")));
    put_names(sections, "callers", json_member(row, "top_callers"));
    put_names(sections, is_service ? "routes" : "contains", holds);
    if (is_service || cJSON_GetArraySize(holds))
        json_give(row,
                  is_service || (object->vertex &&
                                 code_node(code, object->vertex)->kind ==
                                     CODE_FUNCTION)
                      ? "routes"
                      : "contains",
                  holds);
    else
        cJSON_Delete(holds);
    return err;
}

/* ---- 4 ---- */

static enum err
add_day(void *ctx, uint32_t day, int64_t count, int64_t errors)
{
    int64_t(*days)[2] = ctx;
    uint32_t first = (uint32_t)days[DAYS][0];

    if (day >= first && day < first + DAYS) {
        days[day - first][0] += count;
        days[day - first][1] += errors;
    }
    return OK;
}

/* Calls of each of the last days on which there were some. */
static enum err
put_daily(struct near_run *n, uint32_t node, cJSON *row)
{
    struct query_view *view = n->know.moment.view;
    uint32_t today = n->know.moment.now_s / S_PER_DAY;
    uint32_t first = today >= DAYS ? today - DAYS + 1 : 0;
    int64_t days[DAYS + 1][2] = {{0}};
    uint32_t one[] = {node};
    const struct ids self = {one, 1, 1};
    const struct query_filter filter = {
        .level = query_node(view, node)->kind == NODE_SERVICE ? LEVEL_SERVICE
                                                              : LEVEL_ENDPOINT,
        .since_s = first * S_PER_DAY,
        .targets = &self,
    };
    struct query_edges edges;
    enum err err = query_edges(view, &filter, &edges);

    if (err)
        return err;
    days[DAYS][0] = first;
    for (size_t i = 0; i < edges.len && !err; i++)
        err = query_each_day(view, &edges, i, add_day, days);
    query_edges_fini(&edges);
    cJSON *list = cJSON_AddArrayToObject(row, "daily");
    for (uint32_t i = 0; i < DAYS; i++) {
        if (!days[i][0] && !days[i][1])
            continue;
        cJSON *day = cJSON_CreateObject();

        put_time(day, "day", (first + i) * S_PER_DAY);
        put_num(day, "calls", (double)days[i][0]);
        put_num(day, "errors", (double)days[i][1]);
        json_push(list, day);
    }
    return err;
}

static void
put_provenance(const struct near_run *n, const struct object *object,
               cJSON *row)
{
    const struct code *code = near_code(n);
    cJSON *from = cJSON_AddObjectToObject(row, "provenance");
    uint32_t repo =
        object->vertex ? code_node(code, object->vertex)->repo : object->repo;

    cJSON_AddStringToObject(from, "world", object_world_str(object->world));
    if (repo) {
        put_str(from, "repo", code->repos[repo].url);
        put_str(from, "commit", code->repos[repo].commit);
        put_time(from, "indexed_at", code->repos[repo].indexed_s);
    } else {
        cJSON_AddStringToObject(from, "by",
                                object->node                 ? "otel_trace"
                                : object->world == WORLD_DOC ? "crawl"
                                : object->world <= WORLD_COMMUNITY ? "add"
                                                                   : "link");
    }
    put_time(from, "created_at", object->created_s);
    put_time(from, "updated_at", object->updated_s);
}

static enum err
put_level_4(struct near_run *n, const struct object *object, cJSON *row)
{
    const unsigned char *hash = object_hash(&n->know.moment, object);
    enum err err = OK;

    if (hash)
        put_hash(row, "hash", hash);
    cJSON_AddStringToObject(row, "world", object_world_str(object->world));
    put_provenance(n, object, row);
    if (object->vertex)
        near_put_source(n, object->vertex, row);
    if (object->node)
        err = put_daily(n, object->node, row);
    return err ? err
               : near_put_facts(n, object,
                                cJSON_AddObjectToObject(row, "metadata"));
}

/* Sections of what was added or taken in, and on level 4 all of it. */
static enum err
put_text(struct near_run *n, const struct object *object, int64_t level,
         cJSON *row)
{
    struct entity entity = {0};
    struct shown shown = {0};
    enum err err = entity_get(&n->know.moment, object->oid, &entity);
    enum err other = shown_get(&n->know.moment, object, &shown);
    str content = buf_str(err ? &shown.content : &entity.content);

    if (!other && cJSON_GetArraySize(shown.sections)) {
        json_give(row, "sections", shown.sections);
        shown.sections = NULL;
    } else {
        put_section(cJSON_AddArrayToObject(row, "sections"), "content",
                    content);
    }
    if (level >= 4) {
        put_str(row, "content", content);
        if (!err) {
            put_time(row, "valid_from", entity.valid_from);
            put_time(row, "valid_until", entity.valid_until);
            put_num(row, "revision", (double)entity.revision);
        }
        put_time(row, "created_at", object->created_s);
        put_time(row, "updated_at", object->updated_s);
    }
    entity_fini(&entity);
    shown_fini(&shown);
    err = err == ERR_NOT_FOUND ? OK : err;
    return err ? err : other == ERR_NOT_FOUND ? OK : other;
}

enum err
near_disclose(struct near_run *n, const struct object *object, int64_t level,
              cJSON *row)
{
    struct near_arcs arcs = {0};
    struct near_types types;
    struct ids seen = {0};
    enum err err = level >= 1 ? near_observed(n, object, &seen) : OK;

    put_str(row, "id", buf_str(&object->gid));
    cJSON_AddStringToObject(row, "type", object->type);
    put_num(row, "level", (double)level);
    if (level >= 1 && !err)
        err = put_level_1(n, object, &seen, row);
    if (level >= 2 && !err)
        err = near_types_of(&n->know.moment, NULL, &types);
    if (level >= 2 && !err)
        err = near_arcs_of(n->near, near_spot_of(object), NEAR_BOTH, &types,
                           &arcs);
    if (level >= 2 && !err) {
        err = put_links(n, &arcs, row);
        put_calls(n, &seen, row);
    }
    if (level >= 3 && !err)
        err = object->oid && object->world <= WORLD_COMMUNITY
                  ? put_text(n, object, level, row)
                  : put_evidence(n, object, &arcs, row);
    if (level >= 4 && !err)
        err = put_level_4(n, object, row);
    ids_fini(&seen);
    near_arcs_fini(&arcs);
    return err;
}
