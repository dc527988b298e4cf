/*
 * explore, mode list: which objects there are.  What was added comes first,
 * newest first; then what is observed, then the code, each by name.  Numbers
 * are gathered, and objects made only of those that are shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "knowledge/entity.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_explore_list.h"
#include "mcp/tools_reply.h"

/* ---- gathering ---- */

static void
add_row(struct listing *l, struct listed row)
{
    if (l->err)
        return;
    if (!grow_room(l->rows, l->len, l->cap)) {
        l->err = ERR_NOMEM;
        return;
    }
    l->rows[l->len++] = row;
}

static bool
wants_added(const struct wanted *types, str type)
{
    for (size_t i = 0; i < types->added_len; i++)
        if (str_eq(type, str_of(types->added[i])))
            return true;
    return types->is_all;
}

static void
see_added(void *ctx, int64_t oid, str type)
{
    struct listing *l = ctx;

    if (wants_added(&l->asked.types, type))
        add_row(l, (struct listed){.oid = oid});
}

static void
list_added(struct listing *l)
{
    size_t kept = 0;
    enum err err;

    if (l->err)
        return;
    err = near_each_added(&l->e->n.know.moment, see_added, l);
    if (!l->err)
        l->err = err;
    for (size_t i = 0; i < l->len && !l->err; i++)
        if (list_passes(l, l->rows[i].oid))
            l->rows[kept++] = l->rows[i];
    l->len = kept;
}

static bool
passes_state(const struct listing *l, enum near_state state)
{
    return !l->asked.status.len ||
           (state && list_has(l->asked.status, str_of(near_state_str(state))));
}

static void
list_nodes(struct listing *l)
{
    const struct wanted *types = &l->asked.types;
    struct near_run *n = &l->e->n;
    struct query_find find = {.kinds = types->is_all
                                           ? (NODE_BIT(NODE_SYMBOL) - 1) & ~1U
                                           : types->nodes};
    struct ids ids = {0};

    if (l->err || !find.kinds || l->asked.is_added_only ||
        l->asked.language.len)
        return;
    l->err = near_read_facts(n);
    if (!l->err)
        l->err = query_find(n->know.moment.view, &find, &ids);
    for (size_t i = 0; i < ids.len; i++) {
        const struct object object = {.world = WORLD_RUNTIME,
                                      .node = ids.ids[i]};

        if (passes_state(l, near_state_of(n, ids.ids[i])) &&
            list_from(l, &object))
            add_row(l, (struct listed){.node = ids.ids[i]});
    }
    ids_fini(&ids);
    for (size_t i = 0; i < n->facts.audit.len && !l->err; i++) {
        const struct audit_route *route = &n->facts.audit.routes[i];
        bool is_never = route->verdict == VERDICT_NEVER_OBSERVED;

        const struct object object = {.world = WORLD_RUNTIME,
                                      .node = route->service};

        if (!route->node && list_from(l, &object) &&
            find.kinds & NODE_BIT(route->kind) &&
            passes_state(l, is_never ? STATE_NEVER_SEEN : STATE_UNKNOWN))
            add_row(l, (struct listed){.declared = i + 1});
    }
}

static bool
is_in_language(const struct code *code, uint32_t vertex, str language)
{
    static const struct {
        const char *end;
        const char *language;
    } ends[] = {{".go", "go"},
                {".py", "python"},
                {".js", "javascript"},
                {".mjs", "javascript"},
                {".cjs", "javascript"},
                {".jsx", "javascript"},
                {".ts", "typescript"},
                {".tsx", "typescript"},
                {".java", "java"},
                {".kt", "kotlin"},
                {".cs", "csharp"},
                {".rb", "ruby"},
                {".php", "php"},
                {".rs", "rust"},
                {".c", "c"},
                {".h", "c"},
                {".cc", "cpp"},
                {".cpp", "cpp"},
                {".hpp", "cpp"},
                {".proto", "protobuf"}};
    str path = code->files[code_node(code, vertex)->file].path;

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        str end = str_of(ends[i].end);

        if (text_same(language, str_of(ends[i].language)) &&
            path.len > end.len &&
            str_eq(str_cut(path, path.len - end.len, path.len), end))
            return true;
    }
    return false;
}

static void
list_code(struct listing *l)
{
    const struct joined *joined = l->e->n.know.moment.joined;
    const struct wanted *types = &l->asked.types;
    str language = l->asked.language;

    if (l->err || !joined || l->asked.is_added_only || l->asked.status.len)
        return;
    for (uint32_t i = 1; i < joined->code->repo_len && !language.len; i++)
        if ((types->is_all || types->repos) &&
            list_from(l, &(struct object){.world = WORLD_CODE, .repo = i}))
            add_row(l, (struct listed){.repo = i});
    for (uint32_t i = 1; i < joined->code->node_len && !l->err; i++) {
        const struct code_vertex *node = &joined->code->nodes[i];
        bool is_wanted = types->is_all || types->codes >> node->kind & 1 ||
                         (types->tests && node->flags & CODE_IS_TEST_CASE);

        if (is_wanted &&
            (!language.len || is_in_language(joined->code, i, language)) &&
            list_from(l, &(struct object){.world = WORLD_CODE, .vertex = i}))
            add_row(l, (struct listed){.vertex = i});
    }
}

/* ---- showing ---- */

static void
declared_object(struct near_run *n, const struct audit_route *route,
                struct object *out)
{
    const struct query_node *service =
        query_node(n->know.moment.view, route->service);

    *out = (struct object){.world = WORLD_RUNTIME};
    snprintf(out->type, sizeof(out->type), "%s",
             route->kind == NODE_RPC ? "rpc" : "route");
    buf_add(&out->name, route->method);
    buf_add(&out->name, route->method.len ? STR(" ") : STR(""));
    buf_add(&out->name, route->pattern);
    buf_add(&out->domain, service->name);
    buf_printf(&out->gid, "%s:%.*s%s%.*s:%.*s", out->type,
               (int)service->name.len, service->name.ptr,
               service->env.len ? "@" : "", (int)service->env.len,
               service->env.ptr, (int)out->name.len, out->name.ptr);
}

enum err
list_object(struct listing *l, const struct listed *listed, struct object *out)
{
    struct near_run *n = &l->e->n;
    struct moment *moment = &n->know.moment;

    *out = (struct object){.world = WORLD_NONE};
    if (listed->oid)
        return object_of_oid(moment, listed->oid, out);
    if (listed->node)
        return object_of_node(moment, listed->node, out);
    if (listed->vertex)
        return object_of_vertex(moment, listed->vertex, out);
    if (listed->repo)
        return object_of_repo(moment, listed->repo, out);
    declared_object(n, &n->facts.audit.routes[listed->declared - 1], out);
    return OK;
}

static enum err
show(struct listing *l, const struct listed *listed, bool *is_full)
{
    struct near_run *n = &l->e->n;
    struct object object = {0};
    cJSON *row = NULL;
    enum err err = list_object(l, listed, &object);

    if (!err)
        err = near_row(n, &object, &row);
    if (!err && listed->declared) {
        const struct audit_route *route =
            &n->facts.audit.routes[listed->declared - 1];
        cJSON *facts = cJSON_GetObjectItem(row, "metadata");

        put_str(facts, "service", buf_str(&object.domain));
        put_str(facts, "method", route->method);
        cJSON_AddStringToObject(
            facts, "state",
            near_state_str(route->verdict == VERDICT_NEVER_OBSERVED
                               ? STATE_NEVER_SEEN
                               : STATE_UNKNOWN));
        put_num(facts, "calls_30d", 0);
        put_time(facts, "last_observed", 0);
    }
    if (!err)
        *is_full = !explore_push(l->e, row);
    object_fini(&object);
    return err;
}

void
list_gather(struct listing *l)
{
    list_added(l);
    list_nodes(l);
    list_code(l);
}

bool
list_takes(struct listing *l, const struct object *object)
{
    const struct wanted *types = &l->asked.types;
    const struct joined *joined = l->e->n.know.moment.joined;

    if (object->world <= WORLD_COMMUNITY)
        return wants_added(types, str_of(object->type)) &&
               list_passes(l, object->oid);
    if (l->asked.is_added_only || !list_from(l, object))
        return false;
    if (object->node)
        return (types->is_all ||
                types->nodes >>
                        query_node(l->e->n.know.moment.view, object->node)
                            ->kind &
                    1) &&
               !l->asked.language.len &&
               passes_state(l, near_state_of(&l->e->n, object->node));
    if (l->asked.status.len || !joined)
        return false;
    if (object->repo)
        return (types->is_all || types->repos) && !l->asked.language.len;
    const struct code_vertex *node = code_node(joined->code, object->vertex);
    return (types->is_all || types->codes >> node->kind & 1 ||
            (types->tests && node->flags & CODE_IS_TEST_CASE)) &&
           (!l->asked.language.len ||
            is_in_language(joined->code, object->vertex, l->asked.language));
}

enum err
explore_list(struct explore *e)
{
    struct listing l = {.e = e};
    size_t shown = 0;
    bool is_full = false;

    list_read(&l);
    list_gather(&l);
    for (size_t i = (size_t)e->offset;
         i < l.len && shown < (size_t)e->limit && !l.err && !is_full;
         i++, shown++)
        l.err = show(&l, &l.rows[i], &is_full);
    if (!l.err) {
        explore_total(e, shown, l.len);
        reply_summary(e->run, "%zu of %zu object%s", shown, l.len,
                      many((int64_t)l.len));
    }
    if (!l.err && l.len == 0)
        list_explain_empty(&l, STR(""), 0, true);
    free(l.rows);
    return l.err;
}
