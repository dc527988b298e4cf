/*
 * Two windows of the same traffic.  Both are read by the same filter, laid side
 * by side by (source, target, kind), and told apart: windows may differ in
 * length, so calls are compared by the hour.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "graph/query_edges.h"
#include "mcp/tools_args.h"
#include "mcp/tools_context.h"
#include "mcp/tools_reply.h"

/* What counts as a change: calls an hour by this factor, */
#define RATE_FACTOR 2.0
/* the share of errors by so much, */
#define ERROR_SHARE 0.05
/* and the 95th percentile by this factor; */
#define LATENCY_FACTOR 1.5
/* of fewer calls in a window nothing can be said. */
enum { CALLS_MIN = 10, DETAILS_MAX = 2000 };

enum change { VANISHED, APPEARED, CHANGED, SAME };

struct side {
    int64_t calls;
    int64_t errors;
    double per_hour;
    double p95_ms; /* < 0: not known */
};

struct pair {
    uint32_t source; /* 0: any */
    uint32_t target;
    uint8_t kind;
    uint8_t change;
    uint8_t what; /* bits */
    struct side sides[2];
};
enum { IN_CALLS = 1, IN_ERRORS = 2, IN_LATENCY = 4 };

struct comparing {
    struct tool_run *run;
    struct query_edges edges[2]; /* before, after */
    struct pair *pairs;
    size_t len;
    size_t chosen; /* the first of them, once they are */
    size_t counts[SAME + 1];
    size_t details;
};

/* ---- the windows ---- */

struct windows {
    uint32_t since_s[2];
    uint32_t until_s[2]; /* 0: now */
};

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

static struct windows
read_windows(struct tool_run *run)
{
    uint32_t now_s = query_now_s(run->view);
    uint32_t span_s = tool_duration(run, "span", S_PER_DAY);
    uint32_t at_s = tool_time(run, "at");
    uint32_t baseline_s = tool_time(run, "baseline");
    struct windows w = {{0}, {0}};

    if (at_s == 0)
        at_s = now_s > span_s ? now_s - span_s : 1;
    if (baseline_s == 0)
        baseline_s = at_s;
    if (at_s >= now_s || baseline_s > at_s)
        tool_fail(run, ERR_INVALID,
                  baseline_s > at_s ? "baseline must not be after at"
                                    : "at must be in the past");
    w.since_s[0] = begin_before(run, baseline_s, span_s);
    w.until_s[0] = baseline_s;
    w.since_s[1] = at_s;
    w.until_s[1] = now_s - at_s > span_s ? at_s + span_s : 0;
    return w;
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

static void
fill_side(struct comparing *c, int side, size_t index, struct side *out)
{
    const struct query_edge *row = &c->edges[side].rows[index];
    struct query_detail detail;

    *out = (struct side){
        .calls = row->count,
        .errors = row->errors,
        .per_hour = (double)row->weighted / (double)WEIGHT_ONE /
                    hours_of(c->edges[side].window),
        .p95_ms = -1,
    };
    if (c->details++ >= DETAILS_MAX || c->run->err)
        return;
    c->run->err = query_detail(c->run->view, &c->edges[side], index, &detail);
    if (!c->run->err && detail.p95_ns)
        out->p95_ms = (double)detail.p95_ns / 1e6;
}

static int
compare_keys(const void *left, const void *right)
{
    const struct pair *a = left;
    const struct pair *b = right;

    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static void
add_pairs(struct comparing *c, int side)
{
    size_t before = c->len;

    for (size_t i = 0; i < c->edges[side].len; i++) {
        const struct query_edge *row = &c->edges[side].rows[i];
        struct pair *pair = &c->pairs[c->len];
        struct pair key = {row->source, row->target,
                           row->kind,   0,
                           0,           {{0, 0, 0, -1}, {0, 0, 0, -1}}};
        struct pair *found =
            before ? bsearch(&key, c->pairs, before, sizeof(key), compare_keys)
                   : NULL;

        if (!found) {
            *pair = key;
            found = pair;
            c->len++;
        }
        fill_side(c, side, i, &found->sides[side]);
    }
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

static void
judge(struct pair *pair)
{
    const struct side *before = &pair->sides[0];
    const struct side *after = &pair->sides[1];

    if (after->calls == 0 || before->calls == 0) {
        pair->change = after->calls ? APPEARED : VANISHED;
        return;
    }
    if (differs(before->per_hour, after->per_hour, RATE_FACTOR) &&
        before->calls + after->calls >= CALLS_MIN)
        pair->what |= IN_CALLS;
    if (before->calls >= CALLS_MIN && after->calls >= CALLS_MIN) {
        if (fabs(error_share(before) - error_share(after)) >= ERROR_SHARE)
            pair->what |= IN_ERRORS;
        if (differs(before->p95_ms, after->p95_ms, LATENCY_FACTOR))
            pair->what |= IN_LATENCY;
    }
    pair->change = pair->what ? CHANGED : SAME;
}

/* By change; within, what has most calls in either window. */
static int
compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left;
    const struct pair *b = right;
    int64_t of_a = a->sides[0].calls + a->sides[1].calls;
    int64_t of_b = b->sides[0].calls + b->sides[1].calls;

    if (a->change != b->change)
        return a->change < b->change ? -1 : 1;
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    return compare_keys(left, right);
}

static void
lay_side_by_side(struct comparing *c)
{
    c->pairs = calloc(c->edges[0].len + c->edges[1].len + 1, sizeof(*c->pairs));
    if (!c->pairs) {
        c->run->err = ERR_NOMEM;
        return;
    }
    add_pairs(c, 0);
    if (c->len)
        qsort(c->pairs, c->len, sizeof(*c->pairs), compare_keys);
    add_pairs(c, 1);
    for (size_t i = 0; i < c->len; i++) {
        judge(&c->pairs[i]);
        c->counts[c->pairs[i].change]++;
    }
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
pair_row(struct tool_run *run, const struct pair *pair)
{
    static const char *const words[] = {"vanished", "new", "changed", "same"};
    static const char *const what[] = {"calls", "errors", "latency"};
    const struct query_node *target = query_node(run->view, pair->target);
    cJSON *row = cJSON_CreateObject();
    cJSON *list;

    cJSON_AddStringToObject(row, "change", words[pair->change]);
    list = cJSON_AddArrayToObject(row, "in");
    for (int i = 0; i < 3; i++)
        if (pair->what >> i & 1)
            cJSON_AddItemToArray(list, cJSON_CreateString(what[i]));
    if (pair->source)
        put_qualified(run, row, "source", pair->source);
    else
        cJSON_AddNullToObject(row, "source");
    put_qualified(run, row, "target", pair->target);
    put_str(row, "target_service", target->service);
    put_env(run, row, pair->source, pair->target);
    cJSON_AddStringToObject(row, "kind", edge_kind_str(pair->kind));
    put_side(row, "before", &pair->sides[0]);
    put_side(row, "after", &pair->sides[1]);
    return row;
}

static uint64_t
pair_key(const void *pairs, size_t i)
{
    const struct pair *pair = &((const struct pair *)pairs)[i];

    return hash_mix((uint64_t)pair->source << 32 | pair->target, pair->kind);
}

/* The changes that are asked for. */
static bool
read_changes(struct tool_run *run, bool asked[SAME + 1])
{
    str word = tool_str(run, "change");
    static const char *const words[] = {"vanished", "new", "changed", "same"};
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

/* Keeps the pairs that are asked for, and puts them in order: most often that
 * are few, since what is as before is not asked for. */
static void
choose(struct comparing *c, const bool asked[SAME + 1])
{
    size_t kept = 0;

    for (size_t i = 0; i < c->len; i++)
        if (asked[c->pairs[i].change])
            c->pairs[kept++] = c->pairs[i];
    c->chosen = kept;
    if (kept)
        qsort(c->pairs, kept, sizeof(*c->pairs), compare_pairs);
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
    page.ctx = c->pairs;
    page_open(&page, 50);
    while (page_more(&page))
        page_add(&page, pair_row(run, &c->pairs[page.at]));
    page_close(&page);
    counts = cJSON_AddObjectToObject(run->reply, "by_change");
    put_num(counts, "new", (double)c->counts[APPEARED]);
    put_num(counts, "vanished", (double)c->counts[VANISHED]);
    put_num(counts, "changed", (double)c->counts[CHANGED]);
    put_num(counts, "same", (double)c->counts[SAME]);
    put_window(run->reply, "before", c->edges[0].window);
    put_window(run->reply, "after", c->edges[1].window);
    reply_summary(run, "%zu new, %zu vanished, %zu changed, %zu as before",
                  c->counts[APPEARED], c->counts[VANISHED], c->counts[CHANGED],
                  c->counts[SAME]);
    tool_hint(run, "changed: calls an hour by a factor of 2, errors by 5 "
                   "points, or p95 (of whole days) by a factor of 1.5, where "
                   "there are at least 10 calls");
    if (c->details > DETAILS_MAX)
        tool_hint(run,
                  "latencies were compared for %d edges only; narrow the "
                  "question by service",
                  DETAILS_MAX);
}

/* What the windows are not that were asked for, by an hour or more. */
static void
hint_windows(struct comparing *c, const struct windows *w)
{
    struct query_window before = c->edges[0].window;
    struct query_window after = c->edges[1].window;
    uint32_t short_h = (w->until_s[0] - before.to_s) / S_PER_H;
    uint32_t early_h = (w->since_s[1] - after.from_s) / S_PER_H;

    if (before.to_s < w->until_s[0] && short_h)
        tool_hint(c->run,
                  "before ends at midnight (UTC), %u hours early: traffic more "
                  "than 47 hours ago is kept by whole days",
                  short_h);
    if (after.from_s < w->since_s[1] && early_h)
        tool_hint(c->run,
                  "after begins at midnight (UTC), %u hours before it should, "
                  "so what changed at that time may look less than it is: "
                  "traffic more than 47 hours ago is kept by whole days",
                  early_h);
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
    struct windows w = read_windows(run);
    bool by_route = read_by(run);

    /* Latencies are of the busiest; other than that rows are a set. */
    filter.first = by_route ? 0 : DETAILS_MAX;

    for (int side = 0; side < 2 && !run->err; side++) {
        filter.since_s = w.since_s[side];
        filter.until_s = w.until_s[side];
        run->err = query_edges(run->view, &filter, &c.edges[side]);
        if (by_route && !run->err)
            query_edges_by_target(&c.edges[side]);
    }
    for (int side = 0; side < 2 && !run->err; side++)
        if (c.edges[side].window.to_s <= c.edges[side].window.from_s)
            tool_fail(run, ERR_INVALID,
                      "traffic more than 47 hours ago is kept by whole days "
                      "(UTC): use a span of at least \"1d\", and at or "
                      "baseline at midnight");
    if (!run->err)
        lay_side_by_side(&c);
    if (!run->err)
        reply_pairs(&c);
    if (!run->err)
        hint_windows(&c, &w);
    if (!run->err && c.len == 0)
        reply_silence(run, filter.services);
    free(c.pairs);
    query_edges_fini(&c.edges[0]);
    query_edges_fini(&c.edges[1]);
    ids_fini(&services);
}
