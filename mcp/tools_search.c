/*
 * search and graph_search: one engine, two shapes.  Filters are those of
 * explore (mcp/tools_explore_filters.c); age counts after the lanes are fused,
 * and only for what ages: an old rule is as good as a new one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "knowledge/search.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_explore_list.h"
#include "mcp/tools_reply.h"
#include "mcp/tools_search.h"

enum {
    LIMIT = 10,
    LIMIT_MAX = 50,
    RESULTS_MAX = 100,
    HALF_LIFE_DAYS = 365,
    LOOK_EVERY = 64, /* rows between two looks at the clock */
};
#define AGE_FLOOR 0.1

struct found {
    struct object object;
    double score;
    uint32_t at_s;                /* when it was added or last seen */
    const struct search_hit *hit; /* NULL: of a list */
};

struct searching {
    struct explore e;
    struct listing list;
    str query;
    bool graph;
    bool documents;
    bool is_recent;
    uint32_t since_s;
    int64_t half_life;
    uint64_t deadline_ns;
    struct search_hits hits;
    struct found *found;
    size_t len;
};

static bool
ages(const struct object *object)
{
    static const char *const types[] = {"episode",       "document", "chunk",
                                        "error_pattern", "note",     "task"};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(object->type, types[i]) == 0)
            return true;
    return object->node != 0;
}

static uint32_t
when(const struct searching *s, const struct object *object)
{
    const struct near_facts *facts = &s->e.n.facts;

    if (object->node && object->node < facts->len)
        return facts->last_s[object->node];
    return object->created_s;
}

static double
recency(const struct searching *s, const struct found *found)
{
    uint32_t now_s = s->e.n.know.moment.now_s;
    double days =
        found->at_s < now_s ? (double)(now_s - found->at_s) / S_PER_DAY : 0;

    if (!s->is_recent || !ages(&found->object) || !found->at_s)
        return 1;
    double base = s->e.run->tools->cfg.is_efold ? exp(-1) : 0.5;
    double factor = pow(base, days / (double)s->half_life);
    return factor > AGE_FLOOR ? factor : AGE_FLOOR;
}

static bool
takes(struct searching *s, const struct found *found)
{
    bool is_doc = search_is_document(&found->object);
    bool is_over = false;

    if (found->object.world == WORLD_NONE || found->object.is_gone ||
        !(is_doc ? s->documents : s->graph))
        return false;
    if (!found->hit) /* a search leaves out by itself what is over */
        s->list.err =
            search_is_over(&s->e.n.know.moment, &found->object, &is_over);
    return !is_over && list_takes(&s->list, &found->object) &&
           found->at_s >= s->since_s;
}

static int
by_score(const void *a, const void *b)
{
    const struct found *x = a;
    const struct found *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (!x->hit && x->at_s != y->at_s)
        return x->at_s > y->at_s ? -1 : 1;
    size_t len = x->object.gid.len < y->object.gid.len ? x->object.gid.len
                                                       : y->object.gid.len;
    int order = len ? memcmp(x->object.gid.ptr, y->object.gid.ptr, len) : 0;
    return order ? order
                 : (x->object.gid.len > y->object.gid.len) -
                       (x->object.gid.len < y->object.gid.len);
}

/* An object, if it passes; it is the list's or freed. */
static void
take(struct searching *s, struct object *object, const struct search_hit *hit)
{
    struct found *found = &s->found[s->len];

    *found = (struct found){.object = *object, .hit = hit};
    found->at_s = when(s, &found->object);
    found->score = (hit ? hit->score : 1) * recency(s, found);
    if (takes(s, found))
        s->len++;
    else
        object_fini(&found->object);
    *object = (struct object){0};
}

/* What the order depends on: when each was seen last, or with a filter by
 * state all that is known. */
static enum err
read_observed(struct searching *s, const struct object *objects, size_t len)
{
    struct ids nodes = {0};
    enum err err = OK;

    for (size_t i = 0; i < len && !err; i++)
        if (objects[i].node)
            err = ids_add(&nodes, objects[i].node);
    if (!err && nodes.len)
        err = s->list.asked.status.len ? near_read_facts(&s->e.n)
                                       : near_read_last(&s->e.n, &nodes);
    ids_fini(&nodes);
    return err;
}

/* What else is told of what is shown. */
static enum err
read_shown(struct searching *s, size_t from)
{
    struct ids nodes = {0};
    size_t end = from + (size_t)s->e.limit;
    enum err err = OK;

    for (size_t i = from; i < s->len && i < end && !err; i++)
        if (s->found[i].object.node)
            err = ids_add(&nodes, s->found[i].object.node);
    if (!err)
        err = near_read_facts_of(&s->e.n, &nodes);
    ids_fini(&nodes);
    return err;
}

static enum err
find(struct searching *s)
{
    struct moment *moment = &s->e.n.know.moment;
    struct object *objects = NULL;
    size_t room = 0;
    const struct search_ask ask = {
        .query = s->query,
        .is_plain = !know_bool(s->e.run, "use_enhanced", true),
        .deadline_ns = s->deadline_ns,
    };
    enum err err = OK;

    if (s->query.len) {
        err = search_find(s->e.n.near, moment, &ask, &s->hits);
        room = s->hits.len;
    } else {
        list_gather(&s->list);
        err = s->list.err;
        room = s->list.len;
    }
    if (err)
        return err;
    objects = calloc(room + 1, sizeof(*objects));
    s->found = calloc(room + 1, sizeof(*s->found));
    err = objects && s->found ? OK : ERR_NOMEM;
    for (size_t i = 0; i < room && !err; i++) {
        /* Hits are few, and what was found in time is told; a list is long. */
        if (!s->query.len && i % LOOK_EVERY == 0 &&
            clock_mono_ns() > s->deadline_ns)
            err = ERR_BUSY;
        else
            err = s->query.len
                      ? near_object(moment, s->hits.rows[i].spot, &objects[i])
                      : list_object(&s->list, &s->list.rows[i], &objects[i]);
    }
    if (!err)
        err = read_observed(s, objects, room);
    for (size_t i = 0; i < room && !err; i++) {
        take(s, &objects[i], s->query.len ? &s->hits.rows[i] : NULL);
        err = s->list.err;
    }
    for (size_t i = 0; objects && i < room; i++)
        object_fini(&objects[i]);
    free(objects);
    if (!err && s->len > 1)
        qsort(s->found, s->len, sizeof(*s->found), by_score);
    return err;
}

/* ---- telling ---- */

/* What only an exact hit can mean; rows tell which of them they have. */
static void
put_keys(struct searching *s)
{
    cJSON *keys = cJSON_AddArrayToObject(s->e.filters, "keys");

    for (size_t i = 0; i < s->hits.key_len; i++) {
        struct buf key = {0};

        buf_add(&key, s->hits.keys[i]);
        json_push(keys, cJSON_CreateString(buf_cstr(&key)));
        buf_fini(&key);
    }
}

static void
put_temporal(struct searching *s)
{
    bool is_efold = s->e.run->tools->cfg.is_efold;
    cJSON *temporal = cJSON_AddObjectToObject(s->e.filters, "temporal");

    cJSON_AddStringToObject(temporal, "curve",
                            is_efold ? "efold" : "half_life");
    put_num(temporal, is_efold ? "decay_days" : "half_life_days",
            (double)s->half_life);
}

static void
put_filters(struct searching *s)
{
    cJSON *lanes;
    cJSON *degraded;

    if (s->is_recent)
        put_temporal(s);
    if (s->since_s)
        put_time(s->e.filters, "since", s->since_s);
    if (!s->graph)
        cJSON_AddFalseToObject(s->e.filters, "include_graph");
    if (!s->documents)
        cJSON_AddFalseToObject(s->e.filters, "include_documents");
    if (!s->query.len)
        return;
    lanes = cJSON_AddArrayToObject(s->e.filters, "lanes");
    degraded = cJSON_AddArrayToObject(s->e.filters, "degraded");
    if (s->hits.key_len)
        put_keys(s);
    for (int i = 0; i < LANE_COUNT; i++) {
        const char *name = search_lane_str((enum search_lane)i);

        if (s->hits.used >> i & 1)
            json_push(lanes, cJSON_CreateString(name));
        if (s->hits.degraded >> i & 1)
            json_push(degraded, cJSON_CreateString(name));
    }
}

static enum err
show(struct searching *s)
{
    cJSON *reply = s->e.run->reply;
    size_t counts[2] = {0};
    size_t shown = 0;
    size_t from = (size_t)s->e.offset < s->len ? (size_t)s->e.offset : s->len;
    bool is_full = false;
    enum err err = read_shown(s, from);

    for (; from + shown < s->len && shown < (size_t)s->e.limit && !err &&
           !is_full;
         shown++) {
        const struct found *found = &s->found[from + shown];
        const struct search_row row = {&s->hits, found->hit, &found->object,
                                       found->score};
        err = search_put(&s->e, &row, &is_full);
        counts[search_is_document(&found->object)]++;
    }
    put_num(reply, "total", (double)shown);
    put_str(reply, "query", s->query);
    put_num(reply, "graph_count", (double)counts[0]);
    put_num(reply, "document_count", (double)counts[1]);
    put_num(reply, "limit", (double)s->e.limit);
    put_num(reply, "offset", (double)s->e.offset);
    cJSON_AddBoolToObject(reply, "has_more", from + shown < s->len);
    if (from + shown < s->len)
        tool_hint(s->e.run, "%zu more: go on with offset=%zu, or narrow types",
                  s->len - from - shown, from + shown);
    cJSON_AddStringToObject(reply, "usage_hint",
                            "Results are previews. To get full content, use: "
                            "graph_node(nodeId=<id>, disclosureLevel=4)");
    put_filters(s);
    if (s->len == 0)
        list_explain_empty(&s->list, s->query, s->query.len ? s->hits.len : 0,
                           s->hits.degraded == 0);
    reply_summary(s->e.run, "%zu result%s for '%.100s'", shown,
                  many((int64_t)shown), s->query.len ? s->query.ptr : "");
    return err;
}

static void
searching_fini(struct searching *s)
{
    for (size_t i = 0; i < s->len; i++)
        object_fini(&s->found[i].object);
    free(s->found);
    free(s->list.rows);
    search_hits_fini(&s->hits);
}

static enum err
search(struct searching *s)
{
    struct tool_run *run = s->e.run;
    enum err err = OK;

    s->since_s = tool_time(run, "since");
    s->half_life =
        tool_int(run, "temporal_decay_days", HALF_LIFE_DAYS, 1, 36500);
    s->is_recent = know_bool(run, "boost_recent", true);
    s->graph = know_bool(run, "include_graph", true);
    s->documents = know_bool(run, "include_documents", true);
    if (!s->graph && !s->documents)
        tool_fail(run, ERR_INVALID,
                  "include_graph and include_documents are both false: "
                  "nothing is left to search");
    list_read(&s->list);
    if (!err)
        err = s->list.err ? s->list.err : run->err;
    if (!err)
        err = find(s);
    return err;
}

uint64_t
search_deadline(const struct tool_run *run)
{
    uint64_t limit_ns = run->tools->cfg.search_limit_ns;

    return clock_mono_ns() + (limit_ns ? limit_ns : SEARCH_LIMIT_S * NS_PER_S);
}

void
search_fail(struct near_run *n, enum err err)
{
    struct tool_run *run = n->run;
    uint64_t limit_ns = run->tools->cfg.search_limit_ns;
    double limit_s =
        (double)(limit_ns ? limit_ns : SEARCH_LIMIT_S * NS_PER_S) / 1e9;

    if (err == ERR_BUSY)
        tool_fail(run, err,
                  "Search failed: timeout after %g s; ask for less: fewer "
                  "words, types, a source",
                  limit_s);
    else if (err && !n->know.why.len)
        tool_fail(run, err, "Search failed: %s; try again in a moment",
                  err_str(err));
}

void
tool_search(struct tool_run *run)
{
    struct searching s = {.e = {.run = run, .mode = "search"}};
    enum err err = OK;

    s.list.e = &s.e;
    s.deadline_ns = search_deadline(run);
    s.query = text_trim(tool_str(run, "query"));
    s.e.limit = explore_clamp(run, "limit", LIMIT, 1, LIMIT_MAX);
    s.e.offset = explore_clamp(run, "offset", 0, 0, INT32_MAX);
    if (near_begin(&s.e.n, run)) {
        s.e.entities = cJSON_AddArrayToObject(run->reply, "results");
        s.e.filters = cJSON_AddObjectToObject(run->reply, "filters");
        err = search(&s);
        if (!err)
            err = show(&s);
        search_fail(&s.e.n, err);
    }
    searching_fini(&s);
    near_end(&s.e.n, err);
}
