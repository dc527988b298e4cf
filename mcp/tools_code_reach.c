/*
 * Who reaches a symbol, and what it reaches.  Each place is told once, at the
 * end of its shortest way, so cycles end by themselves.
 *
 * The confidence of a place is that of its best way: the one whose weakest call
 * is strongest.  The provenance chain is of that way, so where the shortest one
 * is weaker, another is looked for among the calls that are as strong.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_code_snapshot.h"
#include "mcp/tools_reply.h"

enum { DEPTH_MAX = 100, CHAIN_MAX = 32 };
#define NO_STEP UINT32_MAX

struct reached {
    struct tool_run *run;
    const struct joined *joined;
    struct joined_walk walk;
    size_t starts;
    bool is_backward;
    uint8_t evidence;
};

static const struct joined_step *
step_at(const struct reached *r, size_t row)
{
    return &r->walk.steps[r->starts + row];
}

static const struct joined_arc *
arc_at(const struct reached *r, uint32_t i)
{
    return r->is_backward ? &r->joined->in[i] : &r->joined->out[i];
}

static uint64_t
step_key(const void *ctx, size_t i)
{
    const struct reached *r = ctx;

    return hash_key(place_hash(r->run, r->joined, step_at(r, i)->place));
}

/* Where a place belongs: its repository, or the party that was observed. */
static void
add_group(const struct reached *r, uint32_t place, struct buf *out)
{
    uint32_t vertex = joined_vertex(r->joined, place);
    const struct query_node *node =
        query_node(r->run->view, joined_node(r->joined, place));
    const struct join *join = r->joined->join;

    if (vertex) {
        buf_add(out,
                r->joined->code->repos[code_node(r->joined->code, vertex)->repo]
                    .url);
        return;
    }
    for (uint32_t i = 0; i < join->folder_len; i++)
        if (node->owner && join->folders[i].service == node->owner) {
            buf_add(out, r->joined->code->repos[join->folders[i].repo].url);
            return;
        }
    if (node->owner)
        buf_printf(out, "service:%.*s", (int)node->service.len,
                   node->service.ptr);
    else
        place_name(r->run, r->joined, place, out);
}

static void
reach(struct reached *r, const struct tool_walk *ask)
{
    r->is_backward = ask->is_backward;
    r->evidence = ask->evidence;
    tool_walk(r->run, r->joined, ask, &r->walk, &r->starts);
}

static void
put_target(struct reached *r, const char *name, uint32_t place)
{
    if (!r->run->err)
        json_give(r->run->reply, name, place_row(r->run, r->joined, place));
}

static void
put_arc(const struct reached *r, cJSON *row, const struct joined_step *step)
{
    const struct joined_arc *arc = arc_at(r, step->arc);
    struct buf group = {0};

    cJSON_AddStringToObject(row, "EdgeType", joined_type_str(arc->type));
    cJSON_AddStringToObject(row, "evidence", evidence_str(arc->evidence));
    put_num(row, "Confidence", step->permille / 1000.0);
    add_group(r, step->place, &group);
    put_str(row, "repo", buf_str(&group));
    buf_fini(&group);
}

static void
hint_evidence(const struct reached *r)
{
    if (r->walk.len > r->starts)
        return;
    tool_hint(r->run,
              r->is_backward
                  ? "nothing that was indexed or observed calls it; entry "
                    "points, reflection and code that is not indexed are not "
                    "seen"
                  : "it calls nothing that was indexed or observed");
    hint_no_code(r->run, r->joined->code);
}

/* cross_repo_callers and trace_dataflow: the same, in two directions. */
static void
list_reached(struct tool_run *run, bool is_backward, const char *argument,
             const char *list)
{
    struct reached r = {.run = run, .joined = tool_joined(run)};
    int64_t depth = tool_int(run, "max_depth", 5, 1, DEPTH_MAX);
    uint8_t evidence = tool_evidence(run);
    uint32_t place = run->err ? 0 : tool_place(run, r.joined, argument);
    struct tool_page page = {
        .run = run, .name = list, .key = step_key, .ctx = &r};

    if (run->err)
        return;
    reach(&r, &(struct tool_walk){.place = place,
                                  .is_backward = is_backward,
                                  .evidence = evidence,
                                  .max_depth = (uint32_t)depth});
    put_target(&r, is_backward ? "target" : "source", place);
    page.total = r.walk.len - r.starts;
    page_open(&page, 50);
    while (page_more(&page)) {
        const struct joined_step *step = step_at(&r, page.at);
        cJSON *row = cJSON_CreateObject();

        json_give(row, "Node", place_row(run, r.joined, step->place));
        put_num(row, "Depth", step->depth);
        put_arc(&r, row, step);
        page_add(&page, row);
    }
    page_close(&page);
    struct buf name = {0};
    if (!run->err)
        place_name(run, r.joined, place, &name);
    reply_summary(run, "%zu %s%s of %s within %lld call%s", page.total,
                  is_backward ? "caller" : "callee", page.total == 1 ? "" : "s",
                  buf_cstr(&name), (long long)depth, many(depth));
    buf_fini(&name);
    hint_evidence(&r);
    if (r.walk.has_more)
        tool_hint(run, "there is more beyond max_depth %lld", (long long)depth);
    joined_walk_fini(&r.walk);
}

void
tool_cross_repo_callers(struct tool_run *run)
{
    list_reached(run, true, "target_hash", "callers");
}

void
tool_trace_dataflow(struct tool_run *run)
{
    list_reached(run, false, "source_hash", "callees");
}

/* ---- the blast radius ---- */

/* The way from a step back to a start: the arcs, the caller's first. */
struct chain {
    uint32_t arcs[CHAIN_MAX];
    size_t len;
    bool is_cut;
};

static void
add_to_chain(struct chain *chain, uint32_t arc)
{
    if (chain->len < CHAIN_MAX)
        chain->arcs[chain->len++] = arc;
    else
        chain->is_cut = true;
}

/* The shortest way; false: it has an arc weaker than |permille|. */
static bool
follow_parents(const struct reached *r, uint32_t index, uint16_t permille,
               struct chain *chain)
{
    bool is_best = true;

    *chain = (struct chain){0};
    while (r->walk.steps[index].depth) {
        const struct joined_step *step = &r->walk.steps[index];

        is_best &= arc_at(r, step->arc)->permille >= permille;
        add_to_chain(chain, step->arc);
        index = step->parent;
    }
    return is_best;
}

struct strong {
    const struct reached *r;
    uint32_t *arc_of;  /* by place: the arc it was reached by, + 1 */
    uint32_t *from_of; /* by place: from where */
    uint32_t *queue;
    size_t len;
};

static void
visit(struct strong *s, uint32_t place, uint32_t arc, uint32_t from)
{
    if (s->arc_of[place])
        return;
    s->arc_of[place] = arc;
    s->from_of[place] = from;
    s->queue[s->len++] = place;
}

/* Breadth first over arcs that are strong enough. */
static void
spread(struct strong *s, uint16_t permille)
{
    const struct joined *joined = s->r->joined;

    for (size_t i = 0; i < s->r->starts; i++)
        visit(s, s->r->walk.steps[i].place, NO_STEP, 0);
    for (size_t k = 0; k < s->len; k++) {
        uint32_t place = s->queue[k];

        for (uint32_t i = joined->in_at[place]; i < joined->in_at[place + 1];
             i++)
            if (joined->in[i].permille >= permille &&
                JOINED_BIT(joined->in[i].type) & JOINED_CALLS &&
                joined->in[i].evidence & s->r->evidence)
                visit(s, joined->in[i].place, i + 1, place);
    }
}

static void
follow_strong(const struct reached *r, const struct joined_step *step,
              struct chain *chain)
{
    size_t places = (size_t)r->joined->place_len + 1;
    struct strong s = {
        .r = r,
        .arc_of = calloc(places, sizeof(*s.arc_of)),
        .from_of = calloc(places, sizeof(*s.from_of)),
        .queue = calloc(places, sizeof(*s.queue)),
    };

    if (s.arc_of && s.from_of && s.queue) {
        spread(&s, step->permille);
        uint32_t place = step->place;
        if (s.arc_of[place])
            *chain = (struct chain){0};
        while (s.arc_of[place] && s.arc_of[place] != NO_STEP) {
            add_to_chain(chain, s.arc_of[place] - 1);
            place = s.from_of[place];
        }
    } else {
        r->run->err = ERR_NOMEM;
    }
    free(s.arc_of);
    free(s.from_of);
    free(s.queue);
}

static cJSON *
provenance_row(const struct reached *r, const struct joined_arc *arc)
{
    const struct code *code = r->joined->code;
    uint32_t vertex = joined_vertex(r->joined, arc->place);
    const struct code_repo *repo = &code->repos[code_node(code, vertex)->repo];
    bool is_static = arc->type < JOINED_RUNTIME_CALLS;
    const struct code_link *link = arc_link(r->joined, arc->place, arc);
    const char *version = r->run->tools->cfg.version;
    cJSON *row = cJSON_CreateObject();

    cJSON_AddStringToObject(row, "Source",
                            is_static ? code_provenance_str(arc->provenance)
                                      : "otel_trace");
    put_num(row, "Confidence", arc->permille / 1000.0);
    cJSON_AddStringToObject(row, "IndexerVersion", version ? version : "");
    put_str(row, "SourceCommit", is_static ? repo->commit : (str){"", 0});
    put_num(row, "Timestamp", is_static ? repo->indexed_s : arc->last_s);
    if (!is_static)
        put_num(row, "ObservationCount", (double)arc->count);
    if (link && link->site_len) {
        put_str(row, "file", code->files[code_node(code, vertex)->file].path);
        put_num(row, "line", code->sites[link->site_at].line);
    }
    return row;
}

static cJSON *
blast_row(const struct reached *r, size_t i)
{
    const struct joined_step *step = step_at(r, i);
    cJSON *row = cJSON_CreateObject();
    struct chain chain;

    if (!follow_parents(r, (uint32_t)(r->starts + i), step->permille, &chain))
        follow_strong(r, step, &chain);
    json_give(row, "Caller", place_row(r->run, r->joined, step->place));
    put_num(row, "Depth", step->depth);
    put_num(row, "Confidence", step->permille / 1000.0);
    cJSON *list = cJSON_AddArrayToObject(row, "Provenance");
    for (size_t k = 0; k < chain.len; k++)
        json_push(list, provenance_row(r, arc_at(r, chain.arcs[k])));
    if (chain.is_cut)
        cJSON_AddBoolToObject(row, "provenance_truncated", true);
    cJSON_AddStringToObject(row, "evidence",
                            evidence_str(arc_at(r, step->arc)->evidence));
    return row;
}

/* From one list to a list a repository. */
static void
group_rows(struct reached *r, struct tool_page *page)
{
    cJSON *list = cJSON_DetachItemFromObject(r->run->reply, page->name);
    cJSON *groups = cJSON_AddObjectToObject(r->run->reply, "ByRepo");

    for (size_t i = page->first; list && i < page->at; i++) {
        struct buf name = {0};

        add_group(r, step_at(r, i)->place, &name);
        cJSON *group =
            cJSON_GetObjectItemCaseSensitive(groups, buf_cstr(&name));
        if (!group)
            group = cJSON_AddArrayToObject(groups, buf_cstr(&name));
        json_push(group, cJSON_DetachItemFromArray(list, 0));
        buf_fini(&name);
    }
    cJSON_Delete(list);
}

static void
fill_blast(struct reached *r, uint32_t place)
{
    struct tool_run *run = r->run;
    struct tool_page page = {
        .run = run, .name = "rows", .key = step_key, .ctx = r, .bytes = 1000};
    struct buf name = {0};
    size_t repos = 0;

    put_target(r, "Target", place);
    page.total = r->walk.len - r->starts;
    page_open(&page, 50);
    while (page_more(&page))
        page_add(&page, blast_row(r, page.at));
    group_rows(r, &page);
    put_num(run->reply, "TotalCount", (double)page.total);
    cJSON_AddBoolToObject(run->reply, "Truncated",
                          page.at < page.total || page.first > 0);
    page_close(&page);
    repos = (size_t)cJSON_GetArraySize(
        cJSON_GetObjectItemCaseSensitive(run->reply, "ByRepo"));
    place_name(run, r->joined, place, &name);
    reply_summary(run, "%zu symbol%s reach%s %s, %zu shown from %zu %s",
                  page.total, page.total == 1 ? "" : "s",
                  page.total == 1 ? "es" : "", buf_cstr(&name),
                  page.at - page.first, repos,
                  repos == 1 ? "repository" : "repositories");
    buf_fini(&name);
    hint_evidence(r);
}

/* The graph as it was in the snapshot that is asked for, with the traces of
 * now; the run's own if none is. */
static struct joined *
joined_then(struct tool_run *run, const struct joined *now)
{
    struct joined *then = NULL;
    uint32_t index = tool_snapshot(run, now->code, "snapshot_hash");
    const struct code *code = tool_snapshot_load(run, now->code, index);

    if (!run->err)
        run->err = joined_make(&then, run->view, code);
    if (!run->err)
        tool_hint(run,
                  "code of %.*s as it was at %.12s, other repositories left "
                  "out; observed calls are those of today",
                  (int)code->repos[1].url.len, code->repos[1].url.ptr,
                  code->repos[1].commit.len ? code->repos[1].commit.ptr
                                            : "that snapshot");
    code_drop(code);
    return then;
}

void
tool_blast_radius(struct tool_run *run)
{
    struct reached r = {.run = run, .joined = tool_joined(run)};
    uint8_t evidence = tool_evidence(run);
    struct joined *then = NULL;

    if (!run->err &&
        tool_str(run, "repo_url").len) /* or it is said which are */
        (void)tool_repo(run, r.joined->code, "repo_url");
    if (!run->err && tool_str(run, "snapshot_hash").len)
        r.joined = then = joined_then(run, r.joined);
    uint32_t place = run->err ? 0 : tool_place(run, r.joined, "target_hash");
    if (!run->err)
        reach(&r, &(struct tool_walk){.place = place,
                                      .is_backward = true,
                                      .evidence = evidence,
                                      .max_depth = UINT32_MAX});
    if (!run->err)
        fill_blast(&r, place);
    joined_walk_fini(&r.walk);
    joined_free(then);
}
