/*
 * graph_score: which graph is meant, and its score as a reply.
 */
#include <stdlib.h>
#include <string.h>

#include "knowledge/resolve.h"
#include "knowledge/score.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_explore.h"
#include "mcp/tools_reply.h"

enum {
    ISSUES = 50,
    ISSUES_SHOWN_MAX = 200,
    GRAPHS_NAMED = 12,
    MARGIN = 6000,     /* of a reply, for what is no issue */
    ISSUE_BYTES = 150, /* of a row, without its id and message */
};

struct scored {
    struct near_run n;
    struct tool_run *run;
    struct score score;
    struct buf id; /* as it is named in the reply */
    const char *profile;
};

/* ---- which graph ---- */

static void
name_nodes(struct near_run *n, size_t *left, struct buf *out)
{
    const struct query_find find = {.kinds = TOOL_SERVICE};
    struct ids ids = {0};

    if (query_find(n->know.moment.view, &find, &ids))
        ids.len = 0;
    for (size_t i = 0; i < ids.len && *left; i++, (*left)--) {
        struct object object = {0};

        if (!object_of_node(&n->know.moment, ids.ids[i], &object))
            buf_printf(out, ", %s", buf_cstr(&object.gid));
        object_fini(&object);
    }
    ids_fini(&ids);
}

struct naming {
    struct moment *moment;
    int64_t oids[GRAPHS_NAMED];
    size_t len;
};

static void
take_graph(void *ctx, int64_t oid, str type)
{
    struct naming *naming = ctx;

    if (naming->len < GRAPHS_NAMED &&
        (str_eq(type, STR("project")) || str_eq(type, STR("source"))))
        naming->oids[naming->len++] = oid;
}

static void
name_added(struct near_run *n, size_t *left, struct buf *out)
{
    struct naming naming = {.moment = &n->know.moment};

    if (near_each_added(&n->know.moment, take_graph, &naming))
        naming.len = 0;
    for (size_t i = 0; i < naming.len && *left; i++, (*left)--) {
        struct object object = {0};

        if (!object_of_oid(&n->know.moment, naming.oids[i], &object))
            buf_printf(out, ", %s", buf_cstr(&object.gid));
        object_fini(&object);
    }
}

static enum err
fail_graph(struct near_run *n, str asked)
{
    const struct joined *joined = n->know.moment.joined;
    struct buf names = {0};
    size_t left = GRAPHS_NAMED;

    buf_add(&names, STR("runtime, knowledge"));
    for (uint32_t i = 1; joined && i < joined->code->repo_len && left;
         i++, left--)
        buf_printf(&names, ", repo:%.*s", (int)joined->code->repos[i].url.len,
                   joined->code->repos[i].url.ptr);
    name_added(n, &left, &names);
    name_nodes(n, &left, &names);
    tool_fail(n->run, ERR_NOT_FOUND, "unknown graph '%.*s'; there are: %s%s",
              (int)(asked.len < 100 ? asked.len : 100), asked.ptr,
              buf_cstr(&names), left ? "" : ", and more");
    buf_fini(&names);
    return n->run->err;
}

static enum err
score_object(struct scored *s, str asked, const struct object *object)
{
    struct moment *moment = &s->n.know.moment;
    struct ids services = {0};
    enum err err = OK;

    buf_add(&s->id, buf_str(&object->gid));
    if (object->world <= WORLD_DOC && (strcmp(object->type, "project") == 0 ||
                                       strcmp(object->type, "source") == 0)) {
        s->profile = "knowledge";
        return score_knowledge(moment, object->oid, &s->score);
    }
    if (object->node &&
        query_node(moment->view, object->node)->kind == NODE_SERVICE)
        err = ids_add(&services, object->node);
    else if (object->repo)
        err = score_services(moment, object->repo, &services);
    else
        err = fail_graph(&s->n, asked);
    if (!err)
        err = score_runtime(moment, &services, &s->score);
    if (!err && object->repo && !services.len)
        tool_hint(s->run, "no service of the traces is known to stand in this "
                          "repository");
    ids_fini(&services);
    return err;
}

static enum err
score_asked(struct scored *s, str asked)
{
    struct moment *moment = &s->n.know.moment;
    struct object object = {0};
    enum err err;

    s->profile = "runtime";
    if (text_same(asked, STR("runtime"))) {
        buf_add(&s->id, STR("runtime"));
        return score_runtime(moment, NULL, &s->score);
    }
    if (text_same(asked, STR("knowledge"))) {
        s->profile = "knowledge";
        buf_add(&s->id, STR("knowledge"));
        return score_knowledge(moment, 0, &s->score);
    }
    err = object_find(moment, asked, IN_ANY_WORLD, &object, NULL);
    if (err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS) {
        uint32_t repo =
            moment->joined ? code_repo_by(moment->joined->code, asked) : 0;

        object_fini(&object);
        err = repo ? object_of_repo(moment, repo, &object)
                   : fail_graph(&s->n, asked);
    }
    if (!err)
        err = score_object(s, asked, &object);
    object_fini(&object);
    return err;
}

/* ---- the reply ---- */

static double
tenths(double value)
{
    return (double)(int64_t)(value * 10 + 0.5) / 10;
}

static void
put_penalties(const struct scored *s)
{
    const struct score *score = &s->score;
    cJSON *array = cJSON_AddArrayToObject(s->run->reply, "penalties");

    for (size_t i = 0; i < score->class_len; i++) {
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "type", score->classes[i].type);
        cJSON_AddStringToObject(row, "severity",
                                score_severity(score->classes[i].weight));
        put_num(row, "weight", score->classes[i].weight);
        put_num(row, "count", (double)score->counts[i]);
        put_num(row, "raw", score->raw[i]);
        put_num(row, "penalty", tenths(score->penalties[i]));
        json_push(array, row);
    }
}

static size_t
put_issues(const struct scored *s, size_t limit)
{
    const struct score *score = &s->score;
    cJSON *array = cJSON_AddArrayToObject(s->run->reply, "issues");
    size_t bytes = 0;
    size_t total = 0;

    for (size_t i = 0; i < score->issue_len && i < limit; i++) {
        const struct score_issue *issue = &score->issues[i];
        const struct score_class *of = &score->classes[issue->class_at];

        bytes += issue->node.len + issue->message.len + ISSUE_BYTES;
        if (bytes > TOOLS_REPLY_BYTES - MARGIN)
            break;
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "severity", score_severity(of->weight));
        cJSON_AddStringToObject(row, "type", of->type);
        put_str(row, "message", buf_str(&issue->message));
        put_str(row, "node", buf_str(&issue->node));
        put_num(row, "penalty", of->weight);
        json_push(array, row);
    }
    for (size_t i = 0; i < score->class_len; i++)
        total += score->counts[i];
    put_num(s->run->reply, "total", (double)total);
    cJSON_AddBoolToObject(s->run->reply, "truncated",
                          total > (size_t)cJSON_GetArraySize(array));
    return total;
}

/* Points won for one thing mended; what cannot win is not worth it. */
static double
worth(const struct score *score, size_t i)
{
    return score->counts[i] ? score->penalties[i] / (double)score->counts[i]
                            : 0;
}

static void
put_recommendations(const struct scored *s)
{
    const struct score *score = &s->score;
    cJSON *array = cJSON_AddArrayToObject(s->run->reply, "recommendations");
    bool is_told[SCORE_CLASSES] = {false};

    for (size_t round = 0; round < score->class_len; round++) {
        size_t best = SIZE_MAX;

        for (size_t i = 0; i < score->class_len; i++)
            if (!is_told[i] && score->counts[i] &&
                (best == SIZE_MAX || worth(score, i) > worth(score, best)))
                best = i;
        if (best == SIZE_MAX)
            return;
        is_told[best] = true;
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "type", score->classes[best].type);
        cJSON_AddStringToObject(row, "action", score->classes[best].advice);
        put_num(row, "issues", (double)score->counts[best]);
        put_num(row, "gain", tenths(score->penalties[best]));
        put_round(row, "gain_per_issue", worth(score, best));
        json_push(array, row);
    }
}

static void
put_score(struct scored *s, size_t limit)
{
    const struct score *score = &s->score;
    cJSON *reply = s->run->reply;
    double value = tenths(score->value);
    cJSON *object;

    put_str(reply, "graphId", buf_str(&s->id));
    cJSON_AddStringToObject(reply, "profile", s->profile);
    put_num(reply, "score", value);
    cJSON_AddStringToObject(reply, "grade", score_grade(value));
    put_num(reply, "nodes", (double)score->nodes);
    put_num(reply, "edges", (double)score->edges);
    put_penalties(s);
    object = cJSON_AddObjectToObject(reply, "bonuses");
    for (size_t i = 0; i < SCORE_BONUSES; i++)
        put_num(object, score->bonus_names[i], tenths(score->bonuses[i]));
    object = cJSON_AddObjectToObject(reply, "raw");
    put_num(object, "penalty", score->raw_penalty);
    put_num(object, "score", tenths(score->raw_value));
    size_t total = put_issues(s, limit);
    put_recommendations(s);
    reply_summary(s->run, "%.*s scores %g of 100, %s: %zu issue%s",
                  (int)s->id.len, s->id.ptr, value, score_grade(value), total,
                  many((int64_t)total));
    if (!score->nodes)
        tool_hint(s->run, "there is nothing in this graph yet");
    else if (s->n.know.moment.joined &&
             s->n.know.moment.joined->code->repo_len <= 1 &&
             strcmp(s->profile, "runtime") == 0)
        tool_hint(s->run, "no code was indexed, so no endpoint has any; "
                          "index_repo does it");
}

void
tool_graph_score(struct tool_run *run)
{
    str asked = text_trim(tool_str(run, "graphId"));
    int64_t limit = explore_clamp(run, "limit", ISSUES, 1, ISSUES_SHOWN_MAX);
    struct scored s = {.run = run};
    enum err err = OK;

    if (!run->err && !asked.len)
        tool_fail(run, ERR_INVALID,
                  "graphId required: runtime, knowledge, service:<name>, a "
                  "repository, a project or a source; try %s%s",
                  run->tool->name, run->tool->example);
    if (near_begin(&s.n, run)) {
        err = score_asked(&s, asked);
        if (!err)
            put_score(&s, (size_t)limit);
    }
    score_fini(&s.score);
    buf_fini(&s.id);
    near_end(&s.n, err);
}
