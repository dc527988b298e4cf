/*
 * graph_query in plain words: the question is read by a closed grammar
 * (knowledge/intent.h), else searched; the reply tells which.  The summary is
 * put together from `facts`, so each number in it can be checked.
 */
#include <stdlib.h>
#include <string.h>

#include "knowledge/intent.h"
#include "knowledge/resolve.h"
#include "knowledge/search.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_ask.h"
#include "mcp/tools_code.h"
#include "mcp/tools_explore.h"
#include "mcp/tools_reply.h"

/* ---- rows ---- */

static bool
has_prefix(const struct ask *a, const struct object *object)
{
    const char *colon = memchr(object->gid.ptr, ':', object->gid.len);
    str rest = str_cut(buf_str(&object->gid),
                       colon ? (size_t)(colon - object->gid.ptr) + 1 : 0,
                       object->gid.len);

    return !a->prefix.len || str_starts(buf_str(&object->name), a->prefix) ||
           str_starts(rest, a->prefix);
}

/* A community that was told first is not told again. */
static bool
is_told(const struct ask *a, const struct object *object)
{
    for (size_t i = 0; i < a->above; i++)
        if (str_eq(
                str_of(json_text(cJSON_GetArrayItem(a->nodes, (int)i), "id")),
                buf_str(&object->gid)))
            return true;
    return false;
}

enum err
ask_put(struct ask *a, const struct object *object, double score)
{
    cJSON *row;
    char *text;

    if (object->world == WORLD_NONE || !object->gid.len ||
        !has_prefix(a, object) || is_told(a, object))
        return OK;
    a->total++;
    if (a->shown == a->max || a->is_full)
        return OK;
    row = cJSON_CreateObject();
    enum err err = near_disclose(&a->n, object, a->level, row);
    if (score > 0 && a->level > 0)
        put_round(row, "score", score);
    text = cJSON_PrintUnformatted(row);
    a->bytes += text ? strlen(text) : 0;
    a->is_full = a->bytes > TOOLS_REPLY_BYTES - MARGIN;
    cJSON_free(text);
    json_push(a->nodes, row);
    a->shown++;
    return err;
}

static enum err
put_spot(struct ask *a, near_spot spot, double score)
{
    struct object object = {0};
    enum err err = near_object(&a->n.know.moment, spot, &object);

    if (!err)
        err = ask_put(a, &object, score);
    object_fini(&object);
    return err;
}

static enum err
put_edge(struct ask *a, near_spot before, const struct near_arc *arc)
{
    struct object ends[2] = {{0}, {0}};
    cJSON *row = cJSON_CreateObject();
    enum err err = near_object(&a->n.know.moment, before, &ends[0]);

    if (!err)
        err = near_object(&a->n.know.moment, arc->spot, &ends[1]);
    put_str(row, "source", buf_str(&ends[!arc->is_out].gid));
    put_str(row, "target", buf_str(&ends[arc->is_out].gid));
    cJSON_AddStringToObject(row, "type", arc->type);
    if (arc->evidence)
        cJSON_AddStringToObject(row, "evidence", evidence_str(arc->evidence));
    if (arc->count)
        put_num(row, "count", (double)arc->count);
    json_push(a->edges, row);
    a->bytes += 200;
    object_fini(&ends[0]);
    object_fini(&ends[1]);
    return err;
}

/* ---- intents ---- */

enum err
ask_types(struct ask *a, bool is_calls, struct near_types *out)
{
    static const char *const words[] = {
        "CALLS",           "runtime_produces",  "runtime_consumes",
        "runtime_queries", "consumes_endpoint", "handles_route",
        "publishes",       "subscribes",        "DEPENDS_ON"};
    cJSON *array = is_calls
                       ? cJSON_CreateStringArray(
                             words, (int)(sizeof(words) / sizeof(words[0])))
                       : NULL;
    enum err err = near_types_of(&a->n.know.moment, array, out);

    cJSON_Delete(array);
    return err;
}

struct reach {
    enum near_way way;
    uint32_t depth;
    bool is_calls;
    const char *words; /* of the summary */
};

static enum err
ask_reach(struct ask *a, const struct object *seed, const struct reach *reach)
{
    struct near_types types;
    struct near_walk walk = {0};
    enum err err = ask_types(a, reach->is_calls, &types);
    const struct near_ask ask = {.from = near_spot_of(seed),
                                 .way = reach->way,
                                 .types = &types,
                                 .max_depth = reach->depth,
                                 .max_spots = SPOTS_MAX};

    if (!err)
        err = near_walk(a->n.near, &ask, &walk);
    for (size_t i = 0; i < walk.len && !err; i++) {
        size_t before = a->shown;

        err = put_spot(a, walk.steps[i].arc.spot, 0);
        if (!err && i && a->shown > before)
            err = put_edge(a, walk.steps[walk.steps[i].parent].arc.spot,
                           &walk.steps[i].arc);
    }
    size_t reached = walk.len ? walk.len - 1 : 0;
    put_num(a->facts, "reached", (double)reached);
    if (!err)
        reply_summary(a->run, "%s %.*s: %zu object%s%s", reach->words,
                      (int)seed->gid.len, seed->gid.ptr, reached,
                      many((int64_t)reached),
                      walk.is_truncated ? ", and more beyond the bound" : "");
    near_walk_fini(&walk);
    return err;
}

/* The steps from the start to |at|, in order. */
static enum err
put_way(struct ask *a, const struct near_walk *walk, size_t at)
{
    size_t way[FAR + 1];
    size_t len = 0;
    enum err err = OK;

    for (; len <= FAR; at = walk->steps[at].parent) {
        way[len++] = at;
        if (at == 0)
            break;
    }
    for (size_t i = len; i-- > 0 && !err;) {
        const struct near_step *step = &walk->steps[way[i]];

        err = put_spot(a, step->arc.spot, 0);
        if (!err && way[i])
            err = put_edge(a, walk->steps[step->parent].arc.spot, &step->arc);
    }
    return err;
}

static const struct near_types holding = {.arcs = JOINED_BIT(CODE_CONTAINS)};

/* The first step that stands at |to|, or at what that holds: the routes of a
 * service are called, and seldom it; SIZE_MAX: none. */
static enum err
find_end(struct ask *a, const struct near_walk *walk, const struct object *to,
         size_t *found)
{
    struct near_arcs held = {0};
    enum err err =
        near_arcs_of(a->n.near, near_spot_of(to), NEAR_OUT, &holding, &held);

    *found = SIZE_MAX;
    for (size_t i = 0; i < walk->len && *found == SIZE_MAX; i++) {
        near_spot at = walk->steps[i].arc.spot;
        bool is_end = at == near_spot_of(to);

        for (size_t k = 0; i && k < held.len && !is_end; k++)
            is_end = at == held.items[k].spot;
        if (is_end)
            *found = i;
    }
    near_arcs_fini(&held);
    return err;
}

static enum err
ask_path(struct ask *a, const struct object *from, const struct object *to)
{
    struct near_types types;
    struct near_types first;
    struct near_walk walk = {0};
    enum err err = ask_types(a, true, &types);
    const struct near_ask ask = {.from = near_spot_of(from),
                                 .way = NEAR_OUT,
                                 .types = &types,
                                 .first = &first,
                                 .max_depth = FAR,
                                 .max_spots = SPOTS_MAX};
    size_t found = SIZE_MAX;

    first = types;
    first.arcs |= holding.arcs;
    if (!err)
        err = near_walk(a->n.near, &ask, &walk);
    if (!err)
        err = find_end(a, &walk, to, &found);
    if (!err && found != SIZE_MAX) {
        err = put_way(a, &walk, found);
        put_num(a->facts, "steps", walk.steps[found].depth);
        reply_summary(a->run, "%.*s reaches %.*s in %u step%s",
                      (int)from->gid.len, from->gid.ptr, (int)to->gid.len,
                      to->gid.ptr, walk.steps[found].depth,
                      many(walk.steps[found].depth));
    } else if (!err) {
        put_num(a->facts, "max_steps", FAR);
        reply_summary(
            a->run, "no way from %.*s to %.*s within %d steps%s",
            (int)from->gid.len, from->gid.ptr, (int)to->gid.len, to->gid.ptr,
            FAR, walk.is_truncated ? " was found; not all was walked" : "");
    }
    near_walk_fini(&walk);
    return err;
}

static enum err
ask_search(struct ask *a, str query)
{
    const struct search_ask ask = {.query = query};
    struct search_hits hits = {0};
    enum err err = search_find(a->n.near, &a->n.know.moment, &ask, &hits);

    for (size_t i = 0; i < hits.len && !err; i++)
        err = put_spot(a, hits.rows[i].spot, hits.rows[i].score);
    put_num(a->facts, "shown", (double)a->shown);
    put_num(a->facts, "fitting", (double)a->total);
    if (!err)
        reply_summary(a->run, "%zu of %zu object%s that fit '%.*s'", a->shown,
                      a->total, many((int64_t)a->total),
                      (int)(query.len < 100 ? query.len : 100), query.ptr);
    search_hits_fini(&hits);
    return err;
}

/* ---- the question ---- */

static enum err
run_intent(struct ask *a, const struct object *first,
           const struct object *second)
{
    static const struct reach reaches[INTENT_COUNT] = {
        [INTENT_CALLERS] = {NEAR_IN, 1, true, "callers of"},
        [INTENT_CALLEES] = {NEAR_OUT, 1, true, "called by"},
        [INTENT_BLAST] = {NEAR_IN, FAR, true, "what a change can reach, of"},
        [INTENT_DEPENDS] = {NEAR_OUT, FAR, true, "what is needed by"},
        [INTENT_OVERVIEW] = {NEAR_BOTH, 1, false, "around"},
        [INTENT_WHAT_IS] = {NEAR_BOTH, 0, false, "this is"},
    };

    if (a->intent.kind == INTENT_PATH)
        return ask_path(a, first, second);
    if (a->intent.kind == INTENT_DEAD)
        return ask_dead(a, first);
    if (a->intent.kind == INTENT_OVERVIEW && first->world == WORLD_NONE)
        return ask_communities(a);
    if (a->intent.kind == INTENT_OVERVIEW) {
        enum err err = ask_overview(a, first);

        if (err)
            return err;
    }
    return ask_reach(a, first, &reaches[a->intent.kind]);
}

/* Says why |name| is searched, and what it could have meant. */
static void
hint_searched(struct ask *a, str name, const struct object_list *several,
              const char *nothing)
{
    struct buf ids = {0};

    for (size_t i = 0; i < several->len && i < SEVERAL; i++)
        buf_printf(&ids, "%s%s", i ? ", " : ": ",
                   buf_cstr(&several->items[i].gid));
    tool_hint(a->run,
              "'%.*s' %s%s%s, so its words are searched; ids are unique",
              (int)(name.len < 100 ? name.len : 100), name.ptr,
              several->len ? "names several" : nothing, buf_cstr(&ids),
              several->len > SEVERAL ? ", and others" : "");
    buf_fini(&ids);
}

/* Whether routes are asked for of what has none of its own. */
static bool
is_no_service(const struct ask *a, const struct object *object)
{
    return a->intent.kind == INTENT_DEAD && object->world != WORLD_NONE &&
           (!object->node ||
            query_node(a->n.know.moment.view, object->node)->kind !=
                NODE_SERVICE);
}

/* Looks for |name|, then for it without the word for its kind. */
static enum err
find_name(struct moment *moment, str name, struct object *out,
          struct object_list *several)
{
    str other = intent_without_kind(name);
    enum err err = object_find(moment, name, IN_ANY_WORLD, out, several);

    if (err == ERR_NOT_FOUND && other.len && other.len < name.len) {
        object_list_fini(several);
        *several = (struct object_list){0};
        err = object_find(moment, other, IN_ANY_WORLD, out, several);
    }
    return err;
}

/* A name that names nothing makes of any question a search. */
static enum err
find_names(struct ask *a, struct object *first, struct object *second)
{
    struct moment *moment = &a->n.know.moment;
    struct intent *intent = &a->intent;
    struct object_list several = {0};
    bool no_service = false;
    enum err err = OK;

    if (intent->kind != INTENT_SEARCH && intent->first.len)
        err = find_name(moment, intent->first, first, &several);
    if (!err && intent->second.len)
        err = find_name(moment, intent->second, second, &several);
    if (!err)
        no_service = is_no_service(a, first);
    if (no_service || err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS) {
        str name = first->world == WORLD_NONE || no_service ? intent->first
                                                            : intent->second;

        hint_searched(a, name, &several,
                      no_service ? "names no service" : "names nothing");
        *intent = (struct intent){.kind = INTENT_SEARCH, .first = name};
        object_fini(first);
        err = OK;
    }
    object_list_fini(&several);
    return err;
}

/* Of a list that was cut there is no next page: it has its own order for each
 * question. */
static void
hint_rest(struct ask *a, bool is_no_question)
{
    if (is_no_question)
        tool_hint(a->run,
                  "read as words to search; questions are: who calls X, what "
                  "does X call, path from A to B, what breaks if I change X, "
                  "what does X depend on, dead routes of X, overview of X");
    if (a->shown < a->total && a->max < NODES_MAX)
        tool_hint(a->run, "%zu more: raise maxNodes (at most %d)%s",
                  a->total - a->shown, NODES_MAX,
                  a->is_full ? " and lower disclosureLevel" : "");
    else if (a->shown < a->total)
        tool_hint(a->run, "%zu more: ask of less%s", a->total - a->shown,
                  a->is_full ? ", or lower disclosureLevel" : "");
}

static void
put_interpretation(struct ask *a, const struct object *first,
                   const struct object *second)
{
    cJSON *row = cJSON_AddObjectToObject(a->run->reply, "interpretation");

    cJSON_AddStringToObject(row, "intent", intent_str(a->intent.kind));
    if (first->gid.len)
        put_str(row, "about", buf_str(&first->gid));
    else if (a->intent.first.len)
        put_str(row, "words", a->intent.first);
    if (second->gid.len)
        put_str(row, "to", buf_str(&second->gid));
    cJSON_AddStringToObject(a->run->reply, "modeUsed",
                            a->intent.kind == INTENT_SEARCH ? "search"
                                                            : "graph");
}

static void
check_mode(struct tool_run *run)
{
    static const char *const modes[] = {"auto", "document", "code", "skill"};
    str word = tool_str(run, "mode");

    for (size_t i = 0; i < 4 && word.len; i++)
        if (text_same(word, str_of(modes[i])))
            return;
    if (word.len)
        tool_fail(run, ERR_INVALID,
                  "mode \"%.40s\" is none of auto, document, code, skill",
                  word.ptr);
}

void
tool_graph_ask(struct tool_run *run, str query)
{
    struct ask a = {.run = run, .intent = intent_of(query)};
    struct object first = {0};
    struct object second = {0};
    enum err err = OK;

    check_mode(run);
    a.prefix = tool_str(run, "prefix");
    a.max = (size_t)explore_clamp(run, "maxNodes", NODES, 1, NODES_MAX);
    a.level = tool_int(run, "disclosureLevel", 2, 0, 4);
    if (near_begin(&a.n, run)) {
        a.nodes = cJSON_AddArrayToObject(run->reply, "nodes");
        a.edges = cJSON_AddArrayToObject(run->reply, "edges");
        a.facts = cJSON_AddObjectToObject(run->reply, "facts");
        bool is_no_question = a.intent.kind == INTENT_SEARCH;

        err = find_names(&a, &first, &second);
        if (!err)
            err = a.intent.kind == INTENT_SEARCH
                      ? ask_search(&a, a.intent.first)
                      : run_intent(&a, &first, &second);
        put_interpretation(&a, &first, &second);
        put_num(run->reply, "total", (double)a.total);
        put_num(run->reply, "returned", (double)a.shown);
        cJSON_AddBoolToObject(run->reply, "truncated", a.shown < a.total);
        cJSON_AddNullToObject(run->reply, "next_cursor");
        hint_rest(&a, is_no_question);
    }
    object_fini(&first);
    object_fini(&second);
    near_end(&a.n, err);
}
