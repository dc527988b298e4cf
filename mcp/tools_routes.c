/*
 * dead_routes: the audit (graph/audit.h) with its evidence.  Only candidates
 * are listed unless asked otherwise, but what could not be judged is always
 * told, so that an empty list is not taken for a clean one.
 */
#include <string.h>

#include "base/hash.h"
#include "graph/audit.h"
#include "graph/closure.h"
#include "graph/query_edges.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"

enum { NOT_JUDGED_MAX = 20, NAMES_MAX = 5, NAMES_BYTES = 6000 };

/* The routes to be shown, by index into the audit. */
struct listed {
    const struct audit *audit;
    struct closure *closure; /* NULL: no code */
    struct ids rows;
};

static uint64_t
route_key(const void *ctx, size_t i)
{
    const struct listed *listed = ctx;
    const struct audit_route *route =
        &listed->audit->routes[listed->rows.ids[i]];

    return hash_mix(
        hash_mix(hash_bytes(route->pattern, 1), hash_bytes(route->method, 2)),
        route->service);
}

static void
put_reasons(cJSON *row, uint32_t reasons)
{
    cJSON *array = cJSON_AddArrayToObject(row, "reasons");

    for (int i = 0; i < AUDIT_REASON_COUNT; i++) {
        if (reasons >> i & 1)
            json_push(array, cJSON_CreateString(
                                 audit_reason_str((enum audit_reason)i)));
    }
}

/* knowing's RouteSymbolRow, then ours. */
static cJSON *
route_row(struct tool_run *run, const struct listed *listed, size_t i)
{
    const struct audit_route *route = &listed->audit->routes[i];
    const struct query_node *service = query_node(run->view, route->service);
    cJSON *row = cJSON_CreateObject();
    uint32_t last_caller = 0;

    put_str(row, "ServiceName", service->name);
    put_str(row, "RoutePattern", route->pattern);
    cJSON_AddStringToObject(row, "MappingType",
                            route->kind == NODE_RPC ? "grpc_method"
                                                    : "http_route");
    if (run->is_detailed)
        put_hash(row, "NodeHash", query_node(run->view, route->node)->hash);
    put_num(row, "CreatedAt", route->created_s);
    put_str(row, "env", service->env);
    put_str(row, "method", route->method);
    cJSON_AddStringToObject(row, "verdict", verdict_str(route->verdict));
    cJSON_AddStringToObject(row, "confidence", trust_str(route->trust));
    put_reasons(row, route->reasons);
    put_time(row, "first_observed", route->first_s);
    put_time(row, "last_observed", route->last_s);
    put_num(row, "count", (double)route->count);
    put_num(row, "coverage", route->coverage);
    put_round(row, "keep_probability", route->keep);
    put_round(row, "hidden_calls_per_day", route->hidden_per_day);
    put_dead_code(run, row, listed->closure, i);
    if (!run->is_detailed)
        return row;
    cJSON_AddBoolToObject(row, "declared", route->is_declared);
    put_time(row, "observed_from", route->observed_from_s);
    put_time(row, "observed_to", route->observed_to_s);
    put_name(run, row, "last_version", route->last_version);
    if (!run->err)
        run->err = audit_last_caller(run->view, route, &last_caller);
    put_qualified(run, row, "last_caller", last_caller);
    if (route->shadowed_by)
        put_name(run, row, "shadowed_by", route->shadowed_by);
    return row;
}

static void
put_verdicts(struct tool_run *run, const struct audit *audit)
{
    cJSON *object = cJSON_AddObjectToObject(run->reply, "by_verdict");

    for (int i = 0; i < VERDICT_COUNT; i++) {
        if (audit->by_verdict[i])
            put_num(object, verdict_str((enum verdict)i),
                    (double)audit->by_verdict[i]);
    }
}

static cJSON *
open_line(struct tool_run *run, const struct audit_route *route)
{
    cJSON *line = cJSON_CreateObject();

    put_name(run, line, "service", route->service);
    put_str(line, "env", query_node(run->view, route->service)->env);
    cJSON_AddStringToObject(line, "verdict", verdict_str(route->verdict));
    put_reasons(line, route->reasons);
    put_num(line, "coverage", route->coverage);
    put_num(line, "routes", 0);
    cJSON_AddArrayToObject(line, "names");
    return line;
}

/* |room| is how much may still be spent on names. */
static void
add_name(cJSON *line, const struct audit_route *route, size_t *room)
{
    const cJSON *routes = cJSON_GetObjectItem(line, "routes");
    cJSON *names = cJSON_GetObjectItem(line, "names");
    struct buf name = {0};

    cJSON_ReplaceItemInObject(
        line, "routes", cJSON_CreateNumber(cJSON_GetNumberValue(routes) + 1));
    if (cJSON_GetArraySize(names) == NAMES_MAX)
        return;
    buf_printf(&name, "%.*s%s%.*s", (int)route->method.len, route->method.ptr,
               route->method.len ? " " : "", (int)route->pattern.len,
               route->pattern.ptr);
    if (name.len <= *room) {
        json_push(names, cJSON_CreateString(buf_cstr(&name)));
        *room -= name.len;
    }
    buf_fini(&name);
}

/* Routes come by verdict and service, so what could not be judged stands
 * together; one line a service and verdict, with the first few names. */
static cJSON *
list_not_judged(struct tool_run *run, const struct audit *audit)
{
    cJSON *array = cJSON_CreateArray();
    const struct audit_route *last = NULL;
    cJSON *line = NULL;
    size_t room = NAMES_BYTES;

    for (size_t i = 0; i < audit->len; i++) {
        const struct audit_route *route = &audit->routes[i];

        if (!verdict_is_open(route->verdict))
            continue;
        if (last && last->service == route->service &&
            last->verdict == route->verdict) {
            add_name(line, route, &room);
            continue;
        }
        if (cJSON_GetArraySize(array) == NOT_JUDGED_MAX) {
            tool_hint(run, "not_judged shows %d services; there are more",
                      NOT_JUDGED_MAX);
            break;
        }
        last = route;
        line = open_line(run, route);
        add_name(line, route, &room);
        json_push(array, line);
    }
    return array;
}

static size_t
json_len(const cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    size_t len = text ? strlen(text) : 0;

    cJSON_free(text);
    return len;
}

static bool
is_listed(str asked, enum verdict verdict)
{
    if (asked.len == 0 || str_eq(asked, STR("dead")))
        return verdict_is_dead(verdict);
    return str_eq(asked, STR("all")) ||
           str_eq(asked, str_of(verdict_str(verdict)));
}

static void
check_verdict(struct tool_run *run, str asked)
{
    if (asked.len == 0 || str_eq(asked, STR("dead")) ||
        str_eq(asked, STR("all")) || verdict_of(asked) != VERDICT_COUNT)
        return;
    tool_fail(run, ERR_INVALID, "verdict '%.40s' is none of: dead, all",
              asked.ptr);
    for (int i = 0; i < VERDICT_COUNT; i++)
        buf_printf(run->why, ", %s", verdict_str((enum verdict)i));
}

static size_t
count_open(const struct audit *audit)
{
    return audit->by_verdict[VERDICT_TOO_NEW] +
           audit->by_verdict[VERDICT_INSUFFICIENT] +
           audit->by_verdict[VERDICT_NOT_OBSERVABLE];
}

static void
summarize(struct tool_run *run, const struct audit *audit, unsigned days)
{
    size_t never = audit->by_verdict[VERDICT_NEVER_OBSERVED];
    size_t stopped = audit->by_verdict[VERDICT_STOPPED];

    reply_summary(run,
                  "%zu of %zu routes are candidates: %zu never observed, %zu "
                  "stopped in the last %u days; %zu could not be judged",
                  never + stopped, audit->len, never, stopped, days,
                  count_open(audit));
}

/* How to see what is neither dead nor well, unless it is listed. */
static void
hint_verdicts(struct tool_run *run, const struct audit *audit)
{
    static const struct {
        enum verdict verdict;
        const char *meaning;
    } others[] = {
        {VERDICT_INSUFFICIENT,
         "watched too short to tell; ask again later, or with fewer "
         "stale_days, of which half must have been watched"},
        {VERDICT_NOT_OBSERVABLE,
         "could not be judged: no telemetry, which is not \"no traffic\""},
        {VERDICT_TOO_NEW, "declared too recently"},
        {VERDICT_LOW, "hardly any calls, or none, of which sampling could hide "
                      "more than one a day"},
        {VERDICT_SEASONAL, "silent, but their rhythm is slow or not known"},
        {VERDICT_ZOMBIE, "served by replaced versions only"},
        {VERDICT_SYNTHETIC_ONLY, "called by probes and tests only"},
        {VERDICT_PROBE_ONLY, "all calls were refused"},
    };
    str asked = tool_str(run, "verdict");

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        size_t count = audit->by_verdict[others[i].verdict];

        if (count && !is_listed(asked, others[i].verdict))
            tool_hint(run, "verdict=%s lists %zu more: %s",
                      verdict_str(others[i].verdict), count, others[i].meaning);
    }
}

static void
hint(struct tool_run *run, const struct audit *audit)
{
    str owner = tool_str(run, "owner");

    if (audit->len == 0 && owner.len) {
        tool_hint(run,
                  "no route's code is owned by '%.80s', by CODEOWNERS or else "
                  "by git; without owner all are listed, each with its owners",
                  owner.ptr);
    } else if (audit->len == 0) {
        tool_hint(run, "no routes are known: declare them with `spangraph "
                       "import-routes --service NAME FILE`, or send spans "
                       "with http.route");
        reply_silence(run, NULL);
    }
    hint_verdicts(run, audit);
    if (audit->lost)
        tool_hint(run,
                  "%lld spans were lost in the window; confidence is "
                  "lowered",
                  (long long)audit->lost);
    if (audit->by_verdict[VERDICT_NEVER_OBSERVED] +
        audit->by_verdict[VERDICT_STOPPED])
        tool_hint(run, "a verdict is a candidate, never \"delete\": check "
                       "callers with who_calls and references in the code");
}

/* Only where code was indexed; else all is as the traces say. */
static void
close_over(struct tool_run *run, const struct audit_cfg *cfg,
           struct audit *audit, struct listed *listed)
{
    str owner = tool_str(run, "owner");

    if (!run->err && tool_has_code(run))
        (void)tool_joined(run);
    if (!run->err && run->joined && run->joined->code->node_len > 1)
        run->err =
            closure_make(&listed->closure, run->joined, run->view, audit, cfg);
    if (run->err || owner.len == 0)
        return;
    if (listed->closure)
        closure_keep_owner(listed->closure, audit, owner);
    else
        tool_fail(run, ERR_INVALID,
                  "owner needs the code: run `spangraph index FOLDER` first");
}

static void
hint_code(struct tool_run *run, const struct closure *closure)
{
    if (closure && closure->dead_functions)
        tool_hint(run,
                  "%zu functions (%zu lines) are needed by dead routes only; "
                  "exported ones may have callers that are not indexed",
                  closure->dead_functions, closure->dead_lines);
}

void
tool_dead_routes(struct tool_run *run)
{
    struct ids services = {0};
    struct audit audit = {0};
    struct listed listed = {.audit = &audit};
    struct audit_cfg cfg = audit_cfg_default;
    struct tool_page page = {
        .run = run, .name = "routes", .key = route_key, .ctx = &listed};
    str asked = tool_str(run, "verdict");
    cJSON *not_judged = NULL;

    cfg.stale_days = (uint32_t)tool_int(run, "stale_days", cfg.stale_days, 1,
                                        AUDIT_DAYS_MAX);
    cfg.env = tool_str(run, "env");
    cfg.ignore = run->tools->ignore;
    cfg.ignore_len = run->tools->ignore_len;
    check_verdict(run, asked);
    cfg.services = tool_scope(run, TOOL_SERVICE, &services);
    if (!run->err)
        run->err = audit_run(run->view, &cfg, &audit);
    close_over(run, &cfg, &audit, &listed);
    for (size_t i = 0; !run->err && i < audit.len; i++) {
        if (is_listed(asked, audit.routes[i].verdict))
            run->err = ids_add(&listed.rows, (uint32_t)i);
    }
    if (run->err)
        goto out;
    not_judged = list_not_judged(run, &audit);
    page.total = listed.rows.len;
    page.bytes = json_len(not_judged);
    page_open(&page, 20);
    while (page_more(&page))
        page_add(&page, route_row(run, &listed, listed.rows.ids[page.at]));
    page_close(&page);
    put_verdicts(run, &audit);
    json_give(run->reply, "not_judged", not_judged);
    reply_window(run, (struct query_window){audit.from_s, audit.to_s, "hour"});
    summarize(run, &audit, cfg.stale_days);
    hint(run, &audit);
    hint_code(run, listed.closure);
out:
    closure_free(listed.closure);
    ids_fini(&listed.rows);
    audit_fini(&audit);
    ids_fini(&services);
}
