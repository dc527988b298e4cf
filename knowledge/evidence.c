/*
 * The audit is asked of the one service, so its verdicts here are those that
 * dead_routes gives.  A route is found again by its id, which both sides make
 * from names.
 */
#include "knowledge/evidence.h"

#include <string.h>

#include "graph/audit.h"
#include "knowledge/links.h"
#include "knowledge/resolve.h"
#include "store/knowledge_store.h"

static void
add_time(cJSON *object, const char *name, uint32_t at_s)
{
    if (at_s)
        cJSON_AddNumberToObject(object, name, at_s);
    else
        cJSON_AddNullToObject(object, name);
}

static bool
is_same(struct moment *moment, const struct audit_route *route,
        const struct object *object)
{
    const struct query_node *service = query_node(moment->view, route->service);
    struct buf gid = {0};

    if (object->node && object->node == route->node)
        return true;
    buf_printf(&gid, "%s:%.*s%s%.*s:%.*s%s%.*s",
               route->kind == NODE_RPC ? "rpc" : "route",
               (int)service->name.len, service->name.ptr,
               service->env.len ? "@" : "", (int)service->env.len,
               service->env.ptr, (int)route->method.len, route->method.ptr,
               route->method.len ? " " : "", (int)route->pattern.len,
               route->pattern.ptr);
    bool is = str_eq(buf_str(&gid), buf_str(&object->gid));
    buf_fini(&gid);
    return is;
}

/* Calls that the source shows, of the function that handles or of the route
 * itself. */
static int64_t
count_static(const struct moment *moment, const struct object *object)
{
    uint32_t place = object_place(moment, object);
    const struct joined *joined = moment->joined;
    int64_t callers = 0;

    if (!place)
        return 0;
    for (uint32_t i = joined->in_at[place]; i < joined->in_at[place + 1]; i++) {
        const struct joined_arc *arc = &joined->in[i];

        callers += arc->evidence & BY_STATIC &&
                   (arc->type == CODE_CALLS || arc->type == CODE_CONSUMES);
    }
    return callers;
}

static cJSON *
tell(struct moment *moment, const struct audit *audit,
     const struct audit_route *route, const struct object *object)
{
    cJSON *row = cJSON_CreateObject();
    cJSON *reasons;
    cJSON *window;
    struct buf gid = {0};

    buf_add(&gid, buf_str(&object->gid));
    cJSON_AddStringToObject(row, "id", buf_cstr(&gid));
    buf_fini(&gid);
    cJSON_AddStringToObject(row, "verdict", verdict_str(route->verdict));
    cJSON_AddStringToObject(row, "confidence", trust_str(route->trust));
    reasons = cJSON_AddArrayToObject(row, "reasons");
    for (int i = 0; i < AUDIT_REASON_COUNT; i++)
        if (route->reasons >> i & 1)
            cJSON_AddItemToArray(reasons, cJSON_CreateString(audit_reason_str(
                                              (enum audit_reason)i)));
    add_time(row, "first_observed", route->first_s);
    add_time(row, "last_observed", route->last_s);
    cJSON_AddNumberToObject(row, "count", (double)route->count);
    cJSON_AddNumberToObject(row, "total", (double)route->total);
    cJSON_AddNumberToObject(row, "coverage", route->coverage);
    window = cJSON_AddObjectToObject(row, "window");
    cJSON_AddNumberToObject(window, "from", audit->from_s);
    cJSON_AddNumberToObject(window, "to", audit->to_s);
    cJSON_AddNumberToObject(row, "static_callers",
                            (double)count_static(moment, object));
    cJSON_AddNumberToObject(row, "asked_at", moment->now_s);
    return row;
}

enum err
evidence_now(struct moment *moment, const struct object *object, cJSON **out)
{
    struct audit_cfg cfg = audit_cfg_default;
    const struct query_find find = {.kinds = 1U << NODE_SERVICE,
                                    .name = buf_str(&object->domain)};
    struct ids services = {0};
    struct audit audit = {0};
    bool is_route =
        strcmp(object->type, "route") == 0 || strcmp(object->type, "rpc") == 0;
    enum err err;

    *out = NULL;
    if (!moment->view || object->world != WORLD_RUNTIME || !is_route)
        return OK;
    err = query_find(moment->view, &find, &services);
    cfg.services = &services;
    if (!err && services.len)
        err = audit_run(moment->view, &cfg, &audit);
    for (size_t i = 0; i < audit.len && !err && !*out; i++)
        if (is_same(moment, &audit.routes[i], object) &&
            !(*out = tell(moment, &audit, &audit.routes[i], object)))
            err = ERR_NOMEM;
    audit_fini(&audit);
    ids_fini(&services);
    return err;
}

enum err
evidence_freeze(struct moment *moment, int64_t oid, cJSON **out)
{
    struct link_list links = {0};
    cJSON *routes = cJSON_CreateArray();
    enum err err =
        routes ? links_of(moment, oid, LINK_OUT, "TOUCHES", &links) : ERR_NOMEM;

    *out = NULL;
    for (size_t i = 0; i < links.len && !err; i++) {
        struct object object;
        cJSON *row = NULL;

        err = object_of_oid(moment, links.items[i].other, &object);
        if (!err)
            err = evidence_now(moment, &object, &row);
        if (row)
            cJSON_AddItemToArray(routes, row);
        object_fini(&object);
    }
    if (!err && cJSON_GetArraySize(routes) > 0) {
        *out = cJSON_CreateObject();
        cJSON_AddNumberToObject(*out, "frozen_at", moment->now_s);
        cJSON_AddItemToObject(*out, "routes", routes);
        routes = NULL;
    }
    cJSON_Delete(routes);
    link_list_fini(&links);
    return err;
}

enum err
evidence_frozen(struct moment *moment, int64_t oid, cJSON **out)
{
    const struct ks_value *row;
    enum err err = OK;

    *out = NULL;
    if (!moment->store)
        return OK;
    ks_ask(moment->store, KS_TASK_EVIDENCE, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_TASK_EVIDENCE, &row)) {
        *out = cJSON_ParseWithLength(row[0].text.ptr, row[0].text.len);
        err = *out ? OK : ERR_NOMEM;
    }
    enum err end = ks_end(moment->store, KS_TASK_EVIDENCE);
    return end ? end : err;
}

static double
number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* What became of one route since |then|. */
static const char *
compare(const cJSON *then, const cJSON *now)
{
    const cJSON *verdict = cJSON_GetObjectItemCaseSensitive(now, "verdict");

    if (!cJSON_IsString(verdict))
        return "unknown";
    if (number(now, "total") > number(then, "total") ||
        number(now, "last_observed") > number(then, "last_observed"))
        return "resurrected";
    return verdict_is_open(verdict_of(str_of(verdict->valuestring)))
               ? "unknown"
               : "unchanged";
}

static enum err
check_route(struct moment *moment, const cJSON *then, cJSON *row)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(then, "id");
    struct object object = {0};
    cJSON *now = NULL;
    enum err err = object_find(moment, str_of(cJSON_GetStringValue(id)),
                               IN_WORLD(WORLD_RUNTIME), &object, NULL);

    if (err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS)
        err = OK;
    else if (!err)
        err = evidence_now(moment, &object, &now);
    cJSON_AddItemToObject(row, "id", cJSON_Duplicate(id, true));
    cJSON_AddStringToObject(row, "status", compare(then, now));
    cJSON_AddItemToObject(row, "frozen", cJSON_Duplicate(then, true));
    if (now)
        cJSON_AddItemToObject(row, "now", now);
    else
        cJSON_AddNullToObject(row, "now");
    object_fini(&object);
    return err;
}

enum err
evidence_check(struct moment *moment, int64_t oid, cJSON **out)
{
    const char *status = "unchanged";
    cJSON *frozen = NULL;
    const cJSON *then;
    cJSON *routes;
    enum err err;

    *out = NULL;
    err = evidence_frozen(moment, oid, &frozen);
    if (err || !frozen)
        return err;
    *out = cJSON_CreateObject();
    routes = cJSON_CreateArray();
    cJSON_ArrayForEach(then, cJSON_GetObjectItemCaseSensitive(frozen, "routes"))
    {
        cJSON *row = cJSON_CreateObject();

        if (!err)
            err = check_route(moment, then, row);
        const cJSON *is = cJSON_GetObjectItemCaseSensitive(row, "status");
        if (cJSON_IsString(is) && strcmp(is->valuestring, "resurrected") == 0)
            status = "resurrected";
        else if (cJSON_IsString(is) && strcmp(status, "unchanged") == 0 &&
                 strcmp(is->valuestring, "unknown") == 0)
            status = "unknown";
        cJSON_AddItemToArray(routes, row);
    }
    cJSON_AddStringToObject(*out, "status", status);
    cJSON_AddItemToObject(
        *out, "frozen_at",
        cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(frozen, "frozen_at"),
                        true));
    cJSON_AddItemToObject(*out, "routes", routes);
    cJSON_Delete(frozen);
    return err;
}
