/*
 * From old to new: the traffic of both, day by day, who still calls the old,
 * and who calls it in the code, which may not have run yet.
 */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "graph/query_edges.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_context.h"
#include "mcp/tools_reply.h"

enum { DAYS_DEFAULT = 30, DAYS_MAX = 400, CODE_CALLERS_MAX = 20 };
/* Without a call for so long the old one counts as left. */
enum { QUIET_DAYS = 7 };

struct day {
    int64_t calls[2]; /* old, new */
    int64_t errors[2];
};

struct migration {
    struct tool_run *run;
    struct ids nodes[2];
    struct query_edges edges[2];
    uint32_t first_day;
    uint32_t len;
    struct day days[DAYS_MAX + 2];
    int side; /* being added */
    int64_t totals[2];
    uint32_t last_s[2];
    uint32_t place; /* of the code that old was named by; 0: a node */
};

/* ---- what is old, what is new ---- */

/* Only what is seen where it is asked about. */
static void
add_seen(struct tool_run *run, uint32_t node, struct ids *out)
{
    str env = tool_str(run, "env");

    if (env.len == 0 || str_eq(query_node(run->view, node)->env, env))
        run->err = ids_add(out, node);
}

/* Endpoints that a function of the code serves. */
static void
add_served(struct migration *m, const char *name, struct ids *out)
{
    struct tool_run *run = m->run;
    const struct joined *joined = tool_joined(run);
    uint32_t place = joined ? tool_place(run, joined, name) : 0;
    uint32_t len = 0;

    if (!joined || run->err)
        return;
    if (out == &m->nodes[0])
        m->place = place;
    const uint32_t *served =
        join_served(joined->join, joined_vertex(joined, place), &len);
    for (uint32_t i = 0; i < len && !run->err; i++)
        add_seen(run, served[i], out);
    if (!run->err && joined_node(joined, place))
        add_seen(run, joined_node(joined, place), out);
}

static void
find_nodes(struct migration *m, const char *name, struct ids *out)
{
    struct tool_run *run = m->run;
    const struct query_find find = {.qualified = tool_str(run, name),
                                    .env = tool_str(run, "env")};

    if (!run->err && find.qualified.len == 0)
        tool_fail(run, ERR_INVALID, "%s is required; try %s%s", name,
                  run->tool->name, run->tool->example);
    if (run->err)
        return;
    run->err = query_find(run->view, &find, out);
    if (run->err || out->len)
        return;
    if (run->tools->cfg.world)
        add_served(m, name, out);
    else
        tool_services(run, name, TOOL_PARTY, out);
}

/* ---- day by day ---- */

static enum err
take_day(void *ctx, uint32_t day, int64_t count, int64_t errors)
{
    struct migration *m = ctx;

    if (day < m->first_day || day - m->first_day >= m->len)
        return OK;
    m->days[day - m->first_day].calls[m->side] += count;
    m->days[day - m->first_day].errors[m->side] += errors;
    return OK;
}

static void
read_side(struct migration *m, int side, uint32_t since_s)
{
    struct query_edges *edges = &m->edges[side];
    const struct query_filter filter = {
        .level = LEVEL_ENDPOINT,
        .since_s = since_s,
        .targets = &m->nodes[side],
        /* From end to end a message would count a second time. */
        .kinds = ((UINT32_C(1) << EDGE_KIND_SHOWN_END) - 1) &
                 ~(UINT32_C(1) << EDGE_MSG | 1),
    };

    if (m->run->err)
        return;
    m->run->err = query_edges(m->run->view, &filter, edges);
    m->side = side;
    for (size_t i = 0; i < edges->len && !m->run->err; i++) {
        m->totals[side] += edges->rows[i].count;
        if (edges->rows[i].last_s > m->last_s[side])
            m->last_s[side] = edges->rows[i].last_s;
        m->run->err = query_each_day(m->run->view, edges, i, take_day, m);
    }
}

static void
put_share(cJSON *object, int64_t of_old, int64_t of_new)
{
    put_round(object, "share",
              of_old + of_new > 0 ? (double)of_new / (double)(of_old + of_new)
                                  : -1);
}

static void
put_days(struct migration *m)
{
    cJSON *array = cJSON_AddArrayToObject(m->run->reply, "days");
    bool has_begun = false;

    for (uint32_t i = 0; i < m->len; i++) {
        const struct day *day = &m->days[i];
        time_t at = (time_t)(m->first_day + i) * S_PER_DAY;
        struct tm tm;
        char text[16];
        /* Days before the first call say nothing. */
        has_begun |= day->calls[0] || day->calls[1];
        if (!has_begun)
            continue;
        cJSON *row = cJSON_CreateObject();
        gmtime_r(&at, &tm);
        strftime(text, sizeof(text), "%Y-%m-%d", &tm);
        cJSON_AddStringToObject(row, "date", text);
        put_num(row, "old_calls", (double)day->calls[0]);
        put_num(row, "new_calls", (double)day->calls[1]);
        put_num(row, "old_errors", (double)day->errors[0]);
        put_num(row, "new_errors", (double)day->errors[1]);
        put_share(row, day->calls[0], day->calls[1]);
        cJSON_AddItemToArray(array, row);
    }
}

/* ---- who still calls the old ---- */

static int
compare_callers(const void *left, const void *right)
{
    const struct query_edge *a = left;
    const struct query_edge *b = right;

    if (a->last_s != b->last_s)
        return a->last_s > b->last_s ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

static cJSON *
caller_row(struct tool_run *run, const struct query_edge *edge)
{
    cJSON *row = cJSON_CreateObject();

    put_qualified(run, row, "caller", edge->source);
    put_str(row, "service", query_node(run->view, edge->source)->service);
    put_qualified(run, row, "target", edge->target);
    put_num(row, "calls", (double)edge->count);
    put_num(row, "errors", (double)edge->errors);
    put_time(row, "last_observed", edge->last_s);
    put_env(run, row, edge->source, edge->target);
    return row;
}

static void
put_callers(struct migration *m)
{
    struct tool_run *run = m->run;
    struct query_edges *edges = &m->edges[0];
    struct tool_page page = {.run = run,
                             .name = "old_callers",
                             .total = edges->len,
                             .key = edge_row_key,
                             .ctx = edges,
                             .bytes = (size_t)m->len * 90};

    if (edges->len) {
        qsort(edges->rows, edges->len, sizeof(*edges->rows), compare_callers);
        cJSON_AddItemToObject(run->reply, "last_caller",
                              caller_row(run, &edges->rows[0]));
    } else {
        cJSON_AddNullToObject(run->reply, "last_caller");
    }
    page_open(&page, 20);
    while (page_more(&page))
        page_add(&page, caller_row(run, &edges->rows[page.at]));
    page_close(&page);
}

static void
add_code_callers(struct tool_run *run, const struct joined *j, uint32_t place,
                 cJSON *array)
{
    for (uint32_t i = j->in_at[place]; i < j->in_at[place + 1]; i++) {
        const struct joined_arc *arc = &j->in[i];
        bool is_call = arc->type == CODE_CALLS || arc->type == CODE_CONSUMES ||
                       arc->type == CODE_PUBLISHES;

        if (!is_call || !joined_vertex(j, arc->place) ||
            cJSON_GetArraySize(array) == CODE_CALLERS_MAX)
            continue;
        cJSON *row = cJSON_CreateObject();
        put_place_name(run, j, row, "symbol", arc->place);
        put_at(j->code, row, arc->place);
        cJSON_AddBoolToObject(row, "observed", arc->evidence == BY_BOTH);
        cJSON_AddItemToArray(array, row);
    }
}

/* Who calls the old in the code, seen or not. */
static void
put_code_callers(struct migration *m)
{
    struct tool_run *run = m->run;
    cJSON *array = cJSON_AddArrayToObject(run->reply, "code_callers");
    const struct joined *j =
        !run->err && tool_has_code(run) ? tool_joined(run) : NULL;
    uint32_t last = m->place;

    if (!j)
        return;
    if (last)
        add_code_callers(run, j, last, array);
    for (size_t n = 0; n < m->nodes[0].len; n++) {
        uint32_t place = joined_place(j, m->nodes[0].ids[n]);

        if (place && place != last)
            add_code_callers(run, j, place, array);
        last = place;
    }
}

static const char *
judge(const struct migration *m)
{
    uint32_t now_s = query_now_s(m->run->view);
    bool is_quiet =
        m->last_s[0] == 0 || m->last_s[0] + QUIET_DAYS * S_PER_DAY < now_s;

    if (m->totals[0] == 0 && m->totals[1] == 0)
        return "no_traffic";
    if (m->totals[1] == 0)
        return "not_begun";
    return is_quiet ? "done" : "in_progress";
}

static void
reply(struct migration *m)
{
    struct tool_run *run = m->run;
    const char *state = judge(m);

    cJSON_AddStringToObject(run->reply, "state", state);
    put_num(run->reply, "old_calls", (double)m->totals[0]);
    put_num(run->reply, "new_calls", (double)m->totals[1]);
    put_share(run->reply, m->totals[0], m->totals[1]);
    put_time(run->reply, "old_last_observed", m->last_s[0]);
    put_days(m);
    put_callers(m);
    put_code_callers(m);
    reply_window(run, m->edges[0].window);
    reply_summary(run,
                  "%s: %lld call%s of old, %lld of new, %zu way%s into "
                  "old",
                  state, (long long)m->totals[0], many(m->totals[0]),
                  (long long)m->totals[1], m->edges[0].len,
                  many((int64_t)m->edges[0].len));
    if (m->totals[0] == 0)
        reply_silence(run, NULL);
    tool_hint(run,
              "share is new / (old + new); done: new is called and old "
              "was not for %d days; code_callers call old in the code, "
              "whether they run or not",
              QUIET_DAYS);
}

void
tool_migration_progress(struct tool_run *run)
{
    struct migration *m = calloc(1, sizeof(*m));
    struct ids seen = {0};
    uint32_t today = query_now_s(run->view) / S_PER_DAY;
    uint32_t since_s = tool_time(run, "since");

    if (!m) {
        run->err = ERR_NOMEM;
        return;
    }
    m->run = run;
    if (since_s == 0)
        since_s = (today > DAYS_DEFAULT ? today - DAYS_DEFAULT : 1) * S_PER_DAY;
    m->first_day = since_s / S_PER_DAY;
    if (!run->err && (m->first_day > today || today - m->first_day > DAYS_MAX))
        tool_fail(run, ERR_INVALID, "since must be within the last %d days",
                  DAYS_MAX);
    m->len = today - m->first_day + 1;
    (void)tool_scope(run, TOOL_SERVICE, &seen); /* an env that is none fails */
    ids_fini(&seen);
    find_nodes(m, "old", &m->nodes[0]);
    find_nodes(m, "new", &m->nodes[1]);
    read_side(m, 0, since_s);
    read_side(m, 1, since_s);
    if (!run->err)
        reply(m);
    for (int side = 0; side < 2; side++) {
        query_edges_fini(&m->edges[side]);
        ids_fini(&m->nodes[side]);
    }
    free(m);
}
