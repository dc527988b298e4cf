/*
 * explain: why an edge is there, or what became of the spans that would have
 * made it, by instrumentation scope.
 */
#include <string.h>

#include "base/idset.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"

enum { EDGES_MAX = 20, REASONS_MAX = 30, SERVICES_MAX = 10 };

static const char *
meaning(uint8_t kind)
{
    switch (kind) {
    case EDGE_SEEN_BY:
        return "spans received";
    case EDGE_ORPHAN:
        return "incoming calls whose parent span never came: the caller is "
               "not instrumented, not exported here, or sampled away";
    case EDGE_UNRESOLVED:
        return "outgoing calls without a peer name and without a callee's "
               "span";
    case EDGE_UNRESOLVED_LINK:
        return "messages whose producer span never came or is too old";
    case EDGE_INPROC_DB:
        return "database spans inside the process: no edge by design";
    case EDGE_EVICTED:
        return "spans forgotten before their other half came: raise the "
               "limit of live spans";
    case EDGE_DUPLICATE:
        return "spans received more than once and counted once";
    default:
        return "";
    }
}

static void
put_service(struct tool_run *run, cJSON *array, uint32_t id)
{
    struct query_seen seen;
    cJSON *row;

    if (run->err)
        return;
    run->err = query_seen(run->view, id, &seen);
    row = cJSON_CreateObject();
    put_name(run, row, "service", id);
    put_str(row, "env", query_node(run->view, id)->env);
    put_num(row, "spans", (double)seen.spans);
    put_num(row, "synthetic", (double)seen.synthetic);
    put_time(row, "first_observed", seen.first_s);
    put_time(row, "last_observed", seen.last_s);
    json_push(array, row);
}

/* These had no other half, or none in time. */
static bool
is_lost(uint8_t kind)
{
    return kind == EDGE_ORPHAN || kind == EDGE_UNRESOLVED ||
           kind == EDGE_UNRESOLVED_LINK || kind == EDGE_EVICTED;
}

static void
put_reason(struct tool_run *run, cJSON *array, uint32_t id,
           const struct query_reason *reason)
{
    cJSON *row = cJSON_CreateObject();

    put_name(run, row, "service", id);
    put_env(run, row, id, id);
    cJSON_AddStringToObject(row, "reason", query_reason_str(reason->kind));
    put_name(run, row, "scope", reason->scope);
    put_num(row, "count", (double)reason->count);
    put_time(row, "last_observed", reason->last_s);
    cJSON_AddStringToObject(row, "meaning", meaning(reason->kind));
    json_push(array, row);
}

/* What is lost is counted of all reasons, listed or not; |array| may be NULL.
 * Returns how many were left out. */
static size_t
put_reasons_of(struct tool_run *run, cJSON *array, uint32_t id, int64_t *lost)
{
    struct query_reasons reasons;
    size_t left_out = 0;

    if (run->err)
        return 0;
    run->err = query_explain(run->view, id, &reasons);
    for (size_t i = 0; !run->err && i < reasons.len; i++) {
        const struct query_reason *reason = &reasons.rows[i];

        *lost += is_lost(reason->kind) ? reason->count : 0;
        if (array && cJSON_GetArraySize(array) < REASONS_MAX)
            put_reason(run, array, id, reason);
        else
            left_out++;
    }
    query_reasons_fini(&reasons);
    return left_out;
}

/* An edge from |from| to |to|, by their services. */
struct between {
    struct idset from;
    struct idset to;
};

static bool
is_between(struct tool_run *run, const struct between *between,
           const struct query_edge *edge)
{
    const struct query_node *source = query_node(run->view, edge->source);
    const struct query_node *target = query_node(run->view, edge->target);

    return idset_has(&between->from,
                     source->owner ? source->owner : source->id) &&
           idset_has(&between->to, target->owner ? target->owner : target->id);
}

/* But for those of |told|, which may be NULL. */
static void
put_edges(struct tool_run *run, cJSON *array, const struct query_filter *filter,
          const struct between *told, size_t *total)
{
    struct query_edges edges;

    if (run->err)
        return;
    run->err = query_edges(run->view, filter, &edges);
    for (size_t i = 0; !run->err && i < edges.len; i++) {
        const struct query_edge *edge = &edges.rows[i];
        cJSON *row;

        if (told && is_between(run, told, edge))
            continue;
        (*total)++;
        if (cJSON_GetArraySize(array) == EDGES_MAX)
            continue;
        row = cJSON_CreateObject();
        put_qualified(run, row, "source", edge->source);
        put_qualified(run, row, "target", edge->target);
        put_env(run, row, edge->source, edge->target);
        cJSON_AddStringToObject(row, "kind", edge_kind_str(edge->kind));
        put_num(row, "count", (double)edge->count);
        put_time(row, "last_observed", edge->last_s);
        put_code(run, row, "source_code", edge->source);
        put_code(run, row, "target_code", edge->target);
        put_exemplars(run, row, &edges, i);
        json_push(array, row);
    }
    query_edges_fini(&edges);
}

static void
list_edges(struct tool_run *run, const struct ids *from, const struct ids *to,
           size_t *total)
{
    struct query_filter filter = {.level = LEVEL_ENDPOINT};
    cJSON *array = cJSON_AddArrayToObject(run->reply, "edges");

    if (to->len == 0) {
        filter.services = from;
        put_edges(run, array, &filter, NULL, total);
        return;
    }
    struct between told = {0};
    run->err = idset_add_all(&told.from, from);
    if (!run->err)
        run->err = idset_add_all(&told.to, to);
    filter.sources = from;
    filter.targets = to;
    put_edges(run, array, &filter, NULL, total);
    filter.sources = to;
    filter.targets = from;
    put_edges(run, array, &filter, &told, total);
    idset_fini(&told.from);
    idset_fini(&told.to);
}

/* Each service once, though both sides may be the same. */
static void
list_evidence(struct tool_run *run, const struct ids *from,
              const struct ids *to, int64_t *lost)
{
    cJSON *services = cJSON_AddArrayToObject(run->reply, "services");
    cJSON *reasons = cJSON_AddArrayToObject(run->reply, "reasons");
    const struct ids *lists[] = {from, to};
    struct idset told = {0};
    size_t left_out = 0;
    size_t len = 0;

    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < lists[l]->len && !run->err; i++) {
            uint32_t id = lists[l]->ids[i];

            if (idset_has(&told, id))
                continue;
            if (len < SERVICES_MAX)
                put_service(run, services, id);
            left_out += put_reasons_of(run, len < SERVICES_MAX ? reasons : NULL,
                                       id, lost);
            len++;
            if (!run->err)
                run->err = idset_add(&told, id);
        }
    }
    if (len > SERVICES_MAX)
        tool_hint(run, "only the first %d of %zu services are shown",
                  SERVICES_MAX, len);
    if (left_out)
        tool_hint(run, "%zu more reason%s left out; ask of one service",
                  left_out, left_out == 1 ? " is" : "s are");
    idset_fini(&told);
}

void
tool_explain(struct tool_run *run)
{
    struct ids from = {0};
    struct ids to = {0};
    bool is_pair = tool_str(run, "peer").len != 0;
    size_t total = 0;
    int64_t lost = 0;

    tool_services(run, "service", TOOL_PARTY, &from);
    if (is_pair)
        tool_services(run, "peer", TOOL_PARTY, &to);
    if (run->err)
        goto out;
    list_edges(run, &from, &to, &total);
    list_evidence(run, &from, &to, &lost);
    put_num(run->reply, "total", (double)total);
    cJSON_AddBoolToObject(run->reply, "truncated", total > EDGES_MAX);
    reply_window(run, query_window(run->view, 0));
    if (lost)
        reply_summary(run,
                      "%zu edge%s %s; %lld span%s found no other half, see "
                      "reasons",
                      total, many((int64_t)total),
                      is_pair ? "between the two" : "at the service",
                      (long long)lost, many((int64_t)lost));
    else
        reply_summary(run, "%zu edge%s %s; no span was lost", total,
                      many((int64_t)total),
                      is_pair ? "between the two" : "at the service");
    if (total == 0) {
        reply_silence(run, &from);
        if (is_pair) {
            reply_silence(run, &to);
            tool_hint(run,
                      "edges are of one call; a way over others: "
                      "flow_between{\"source_symbol\":\"%.80s\","
                      "\"target_symbol\":\"%.80s\"}",
                      tool_str(run, "service").ptr, tool_str(run, "peer").ptr);
        }
    }
    if (total > EDGES_MAX)
        tool_hint(run, "service_map{\"level\":\"endpoint\"} lists all edges, "
                       "page by page");
out:
    ids_fini(&from);
    ids_fini(&to);
}
