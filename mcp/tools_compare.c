/*
 * Two windows of the same traffic, read by one walk, an edge beside itself, and
 * told apart: windows may differ in length, so calls are compared by the hour.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/first.h"
#include "base/hash.h"
#include "graph/query_edges.h"
#include "mcp/tools_args.h"
#include "mcp/tools_context.h"
#include "mcp/tools_missing.h"
#include "mcp/tools_reply.h"

/* What counts as a change: calls an hour by this factor, */
#define RATE_FACTOR 2.0
/* the share of errors by so much, */
#define ERROR_SHARE 0.05
/* and the 95th percentile by this factor; */
#define LATENCY_FACTOR 1.5
/* of fewer calls in a window nothing can be said.  Latencies are looked up of
 * so many pairs. */
enum { CALLS_MIN = 10, LATENCIES_MAX = 2000, LIMIT = 50 };

enum change { VANISHED, APPEARED, CHANGED, SAME };
static const char *const words[] = {"vanished", "new", "changed", "same"};

struct side {
    int64_t calls;
    int64_t errors;
    double per_hour;
    double p95_ms; /* < 0: not known */
};

struct pair {
    uint32_t row;
    uint8_t change;
    uint8_t what; /* bits */
};
enum { IN_CALLS = 1, IN_ERRORS = 2, IN_LATENCY = 4 };

struct comparing {
    struct tool_run *run;
    struct query_edges edges[2]; /* before, after */
    double hours[2];
    struct pair *pairs; /* of the rows */
    size_t len;
    size_t chosen; /* the first of them, once they are */
    size_t counts[SAME + 1];
    bool has_more_latencies;
};

/* ---- the windows ---- */

/* Where hours are kept for most of the span, the window before begins with
 * them: by whole days it would end up to a day before the baseline. */
static uint32_t
begin_before(struct tool_run *run, uint32_t baseline_s, uint32_t span_s)
{
    uint32_t since_s = baseline_s > span_s ? baseline_s - span_s : 1;
    uint32_t hours_s = query_hours_from_s(run->view);

    if (since_s >= hours_s || hours_s >= baseline_s)
        return since_s;
    return baseline_s - hours_s >= span_s / 2 ? hours_s : since_s;
}

static void
read_windows(struct tool_run *run, struct query_times out[2])
{
    uint32_t now_s = query_now_s(run->view);
    uint32_t span_s = tool_duration(run, "span", S_PER_DAY);
    uint32_t at_s = tool_time(run, "at");
    uint32_t baseline_s = tool_time(run, "baseline");

    if (at_s == 0)
        at_s = now_s > span_s ? now_s - span_s : 1;
    if (baseline_s == 0)
        baseline_s = at_s;
    if (at_s >= now_s || baseline_s > at_s)
        tool_fail(run, ERR_INVALID,
                  baseline_s > at_s ? "baseline must not be after at"
                                    : "at must be in the past");
    out[0] =
        (struct query_times){begin_before(run, baseline_s, span_s), baseline_s};
    out[1] =
        (struct query_times){at_s, now_s - at_s > span_s ? at_s + span_s : 0};
}

static void
put_window(cJSON *object, const char *name, struct query_window window)
{
    cJSON *it = cJSON_AddObjectToObject(object, name);

    put_time(it, "from", window.from_s);
    put_num(it, "to", window.to_s);
    cJSON_AddStringToObject(it, "resolution", window.unit);
}

static double
hours_of(struct query_window window)
{
    double hours = ((double)window.to_s - window.from_s) / S_PER_H;

    return hours > 0 ? hours : 1;
}

/* ---- side by side ---- */

static struct side
side_of(const struct comparing *c, const struct pair *pair, int side)
{
    const struct query_edge *row = &c->edges[side].rows[pair->row];

    return (struct side){
        .calls = row->count,
        .errors = row->errors,
        .per_hour = (double)row->weighted / (double)WEIGHT_ONE / c->hours[side],
        .p95_ms = -1,
    };
}

static void
look_latency_up(struct comparing *c, const struct pair *pair, int side,
                struct side *out)
{
    struct query_detail detail;

    if (c->run->err || out->calls == 0)
        return;
    c->run->err =
        query_detail(c->run->view, &c->edges[side], pair->row, &detail);
    if (!c->run->err && detail.p95_ns)
        out->p95_ms = (double)detail.p95_ns / 1e6;
}

static int64_t
calls_of(const struct comparing *c, const struct pair *pair)
{
    return c->edges[0].rows[pair->row].count +
           c->edges[1].rows[pair->row].count;
}

static int
compare_keys(const struct query_edge *a, const struct query_edge *b)
{
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* By change; within, what has most calls in both windows. */
static int
compare_pairs(const void *left, const void *right, void *ctx)
{
    const struct comparing *c = ctx;
    const struct pair *a = left;
    const struct pair *b = right;
    int64_t of_a = calls_of(c, a);
    int64_t of_b = calls_of(c, b);

    if (a->change != b->change)
        return a->change < b->change ? -1 : 1;
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    return compare_keys(&c->edges[0].rows[a->row], &c->edges[0].rows[b->row]);
}

/* Whether its windows say enough for errors and latencies to be compared. */
static bool
is_busy(const struct comparing *c, const struct pair *pair)
{
    return c->edges[0].rows[pair->row].count >= CALLS_MIN &&
           c->edges[1].rows[pair->row].count >= CALLS_MIN;
}

static double
error_share(const struct side *side)
{
    return side->calls ? (double)side->errors / (double)side->calls : 0;
}

static bool
differs(double a, double b, double factor)
{
    return a > 0 && b > 0 && (a >= b * factor || b >= a * factor);
}

/* By all but latencies. */
static void
judge(const struct comparing *c, struct pair *pair)
{
    const struct side before = side_of(c, pair, 0);
    const struct side after = side_of(c, pair, 1);

    if (after.calls == 0 || before.calls == 0) {
        pair->change = after.calls ? APPEARED : VANISHED;
        return;
    }
    if (differs(before.per_hour, after.per_hour, RATE_FACTOR) &&
        before.calls + after.calls >= CALLS_MIN)
        pair->what |= IN_CALLS;
    if (is_busy(c, pair) &&
        fabs(error_share(&before) - error_share(&after)) >= ERROR_SHARE)
        pair->what |= IN_ERRORS;
    pair->change = pair->what ? CHANGED : SAME;
}

static void
judge_latency(struct comparing *c, struct pair *pair)
{
    struct side sides[2];

    for (int side = 0; side < 2; side++) {
        sides[side] = side_of(c, pair, side);
        look_latency_up(c, pair, side, &sides[side]);
    }
    if (differs(sides[0].p95_ms, sides[1].p95_ms, LATENCY_FACTOR)) {
        pair->what |= IN_LATENCY;
        pair->change = CHANGED;
    }
}

/* By how many calls: the busiest come first. */
static int
compare_calls(const void *left, const void *right, void *ctx)
{
    const struct comparing *c = ctx;
    const struct pair *a = *(struct pair *const *)left;
    const struct pair *b = *(struct pair *const *)right;
    int64_t of_a = calls_of(c, a);
    int64_t of_b = calls_of(c, b);

    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    return compare_keys(&c->edges[0].rows[a->row], &c->edges[0].rows[b->row]);
}

/* A latency is a look-up: of very many pairs only the busiest are compared. */
static void
judge_latencies(struct comparing *c)
{
    struct pair **busy = malloc((c->len + 1) * sizeof(struct pair *));
    size_t len = 0;

    if (!busy) {
        c->run->err = ERR_NOMEM;
        return;
    }
    for (size_t i = 0; i < c->len; i++)
        if (is_busy(c, &c->pairs[i]))
            busy[len++] = &c->pairs[i];
    c->has_more_latencies = len > LATENCIES_MAX;
    if (c->has_more_latencies) {
        first_in_order(busy, len, sizeof(struct pair *), LATENCIES_MAX,
                       compare_calls, c);
        len = LATENCIES_MAX;
    }
    for (size_t i = 0; i < len && !c->run->err; i++)
        judge_latency(c, busy[i]);
    free(busy);
}

static void
lay_side_by_side(struct comparing *c)
{
    c->len = c->edges[0].len;
    c->pairs = calloc(c->len + 1, sizeof(*c->pairs));
    if (!c->pairs) {
        c->run->err = ERR_NOMEM;
        return;
    }
    for (int side = 0; side < 2; side++)
        c->hours[side] = hours_of(c->edges[side].window);
    for (size_t i = 0; i < c->len; i++) {
        c->pairs[i].row = (uint32_t)i;
        judge(c, &c->pairs[i]);
    }
    judge_latencies(c);
    for (size_t i = 0; i < c->len; i++)
        c->counts[c->pairs[i].change]++;
}

/* ---- rows ---- */

static void
put_side(cJSON *row, const char *name, const struct side *side)
{
    cJSON *object = cJSON_AddObjectToObject(row, name);

    put_num(object, "calls", (double)side->calls);
    put_round(object, "per_hour", side->per_hour);
    put_num(object, "errors", (double)side->errors);
    put_round(object, "error_rate", side->calls ? error_share(side) : -1);
    put_round(object, "p95_ms", side->p95_ms);
}

static cJSON *
pair_row(struct comparing *c, const struct pair *pair)
{
    static const char *const what[] = {"calls", "errors", "latency"};
    struct tool_run *run = c->run;
    const struct query_edge *edge = &c->edges[0].rows[pair->row];
    const struct query_node *target = query_node(run->view, edge->target);
    cJSON *row = cJSON_CreateObject();
    cJSON *list;

    cJSON_AddStringToObject(row, "change", words[pair->change]);
    list = cJSON_AddArrayToObject(row, "in");
    for (int i = 0; i < 3; i++)
        if (pair->what >> i & 1)
            cJSON_AddItemToArray(list, cJSON_CreateString(what[i]));
    if (edge->source)
        put_qualified(run, row, "source", edge->source);
    else
        cJSON_AddNullToObject(row, "source");
    put_qualified(run, row, "target", edge->target);
    put_str(row, "target_service", target->service);
    put_env(run, row, edge->source, edge->target);
    cJSON_AddStringToObject(row, "kind", edge_kind_str(edge->kind));
    for (int i = 0; i < 2; i++) {
        struct side side = side_of(c, pair, i);

        look_latency_up(c, pair, i, &side);
        put_side(row, i ? "after" : "before", &side);
    }
    return row;
}

static uint64_t
pair_key(const void *ctx, size_t i)
{
    const struct comparing *c = ctx;
    const struct query_edge *edge = &c->edges[0].rows[c->pairs[i].row];

    return hash_mix((uint64_t)edge->source << 32 | edge->target, edge->kind);
}

/* The changes that are asked for. */
static bool
read_changes(struct tool_run *run, bool asked[SAME + 1])
{
    str word = tool_str(run, "change");
    bool is_known = word.len == 0 || str_eq(word, STR("all"));

    for (int i = 0; i <= SAME; i++) {
        asked[i] = word.len == 0 ? i != SAME
                                 : str_eq(word, STR("all")) ||
                                       str_eq(word, str_of(words[i]));
        is_known |= asked[i];
    }
    if (!is_known)
        tool_fail(run, ERR_INVALID,
                  "change \"%.20s\" is none of new, vanished, changed, same, "
                  "all",
                  word.ptr);
    return is_known;
}

/* Keeps the pairs that are asked for, and puts those in order that the page
 * may show. */
static void
choose(struct comparing *c, const bool asked[SAME + 1])
{
    size_t reach = page_reach(c->run, LIMIT);
    size_t kept = 0;

    for (size_t i = 0; i < c->len; i++)
        if (asked[c->pairs[i].change])
            c->pairs[kept++] = c->pairs[i];
    c->chosen = kept;
    first_in_order(c->pairs, kept, sizeof(*c->pairs), reach ? reach : kept,
                   compare_pairs, c);
}

static void
reply_pairs(struct comparing *c)
{
    struct tool_run *run = c->run;
    struct tool_page page = {.run = run, .name = "rows", .key = pair_key};
    bool asked[SAME + 1];
    cJSON *counts;

    if (!read_changes(run, asked))
        return;
    choose(c, asked);
    page.total = c->chosen;
    page.ctx = c;
    page_open(&page, LIMIT);
    while (page_more(&page))
        page_add(&page, pair_row(c, &c->pairs[page.at]));
    page_close(&page);
    counts = cJSON_AddObjectToObject(run->reply, "by_change");
    for (int i = 0; i <= SAME; i++)
        put_num(counts, words[i], (double)c->counts[i]);
    put_window(run->reply, "before", c->edges[0].window);
    put_window(run->reply, "after", c->edges[1].window);
    reply_summary(run, "%zu new, %zu vanished, %zu changed, %zu as before",
                  c->counts[APPEARED], c->counts[VANISHED], c->counts[CHANGED],
                  c->counts[SAME]);
    tool_hint(run, "changed: calls an hour by a factor of 2, errors by 5 "
                   "points, or p95 (of whole days) by a factor of 1.5, where "
                   "there are at least 10 calls");
    if (c->has_more_latencies)
        tool_hint(run,
                  "latencies were compared for the %d busiest edges only; "
                  "narrow the question by service",
                  LATENCIES_MAX);
}

/* What the windows are not that were asked for, by an hour or more. */
static void
hint_windows(struct comparing *c, const struct query_times *times)
{
    struct query_window before = c->edges[0].window;
    struct query_window after = c->edges[1].window;
    uint32_t short_h = (times[0].until_s - before.to_s) / S_PER_H;
    uint32_t early_h = (times[1].since_s - after.from_s) / S_PER_H;

    if (before.to_s < times[0].until_s && short_h)
        tool_hint(c->run,
                  "before ends at midnight (UTC), %u hours early: traffic more "
                  "than 47 hours ago is kept by whole days",
                  short_h);
    if (after.from_s < times[1].since_s && early_h)
        tool_hint(c->run,
                  "after begins at midnight (UTC), %u hours before it should, "
                  "so what changed at that time may look less than it is: "
                  "traffic more than 47 hours ago is kept by whole days",
                  early_h);
}

/* A window that is cut to its |unit| and has none left. */
static void
fail_short(struct tool_run *run, const char *unit)
{
    if (strcmp(unit, "hour") == 0)
        tool_fail(run, ERR_INVALID,
                  "traffic is kept by whole hours (UTC), and a window holds "
                  "none: use a span of at least \"1h\"");
    else
        tool_fail(run, ERR_INVALID,
                  "traffic more than 47 hours ago is kept by whole days "
                  "(UTC): use a span of at least \"1d\", and at or "
                  "baseline at midnight");
}

static bool
read_by(struct tool_run *run)
{
    str word = tool_str(run, "by");

    if (word.len && !str_eq(word, STR("edge")) && !str_eq(word, STR("route")))
        tool_fail(run, ERR_INVALID, "by is \"edge\" or \"route\"");
    return str_eq(word, STR("route"));
}

void
tool_compare(struct tool_run *run)
{
    struct comparing c = {.run = run};
    struct ids services = {0};
    struct query_filter filter = {
        .level = tool_level(run, LEVEL_ENDPOINT),
        .kinds = tool_kinds(run),
        .services = tool_scope(run, TOOL_PARTY, &services),
    };
    struct query_times times[2] = {{0, 0}, {0, 0}};

    read_windows(run, times);
    filter.by_target = read_by(run);
    if (!run->err)
        run->err = query_edges_twice(run->view, &filter, times, c.edges);
    for (int side = 0; side < 2 && !run->err; side++)
        if (c.edges[side].window.to_s <= c.edges[side].window.from_s)
            fail_short(run, c.edges[side].window.unit);
    if (!run->err)
        lay_side_by_side(&c);
    if (!run->err)
        reply_pairs(&c);
    if (!run->err) {
        hint_windows(&c, times);
        missing_sampled(run, c.edges, 2,
                        "calls are what was received, per_hour counts what "
                        "they stand for");
        /* A route may be called as before though its row has gone. */
        missing_orphans(run, filter.services, c.edges[0].window.from_s);
    }
    if (!run->err && c.len == 0)
        reply_silence(run, filter.services);
    free(c.pairs);
    query_edges_fini(&c.edges[0]);
    query_edges_fini(&c.edges[1]);
    ids_fini(&services);
}
