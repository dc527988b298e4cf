/*
 * Rows that tell of one object: a line about it, and what is known by name.
 */
#include "mcp/tools_near.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "knowledge/entity.h"
#include "knowledge/shown.h"
#include "knowledge/task.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_code.h"
#include "mcp/tools_reply.h"

enum { DESCRIBED_MAX = 200 };

const struct code *
near_code(const struct near_run *n)
{
    return n->know.moment.joined ? n->know.moment.joined->code : NULL;
}

/* The code that a vertex or a repository is of: then there is one. */
static const struct code *
code_of(const struct near_run *n)
{
    const struct code *code = near_code(n);

    assert(code);
    return code;
}

static void
describe_vertex(struct near_run *n, uint32_t id, struct buf *out)
{
    const struct code *code = code_of(n);
    const struct code_vertex *node = code_node(code, id);
    str path = code->files[node->file].path;

    if (node->signature.len)
        buf_add(out, node->signature);
    else
        buf_printf(out, "%s %.*s", code_kind_str(node->kind),
                   (int)node->name.len, node->name.ptr);
    if (node->file && node->kind != CODE_FILE)
        buf_printf(out, " (%.*s:%u)", (int)path.len, path.ptr, node->line);
}

static void
describe_node(struct near_run *n, uint32_t id, struct buf *out)
{
    const struct query_node *node = query_node(n->know.moment.view, id);

    if (node->kind == NODE_SERVICE)
        buf_printf(out, "service%s%.*s", node->env.len ? " in " : "",
                   (int)node->env.len, node->env.ptr);
    else if (node->owner)
        buf_printf(out, "%s of %.*s", node_kind_str(node->kind),
                   (int)node->service.len, node->service.ptr);
    else
        buf_add(out, str_of(node_kind_str(node->kind)));
    if (near_knows(n, id))
        buf_printf(out, ", %s, %lld calls in 30 days",
                   near_state_str(near_state_of(n, id)),
                   (long long)n->facts.calls[id]);
}

/* The beginning of what was taken in. */
static enum err
describe_shown(struct near_run *n, const struct object *object, struct buf *out)
{
    struct shown shown;
    enum err err = shown_get(&n->know.moment, object, &shown);
    const cJSON *first = !err ? cJSON_GetArrayItem(shown.sections, 0) : NULL;

    if (first)
        buf_add(out, str_of(json_text(first, "preview")));
    shown_fini(&shown);
    return err == ERR_NOT_FOUND ? OK : err;
}

static enum err
describe_entity(struct near_run *n, const struct object *object, size_t max,
                struct buf *out)
{
    struct entity entity = {0};
    enum err err = entity_get(&n->know.moment, object->oid, &entity);

    if (err == ERR_NOT_FOUND)
        return describe_shown(n, object, out);
    if (!err)
        buf_add(out, text_cut(max <= DESCRIBED_MAX && entity.description.len
                                  ? buf_str(&entity.description)
                                  : buf_str(&entity.content),
                              max));
    entity_fini(&entity);
    return err;
}

enum err
near_preview(struct near_run *n, const struct object *object, size_t max,
             struct buf *out)
{
    struct buf text = {0};
    enum err err = OK;

    if (object->vertex)
        describe_vertex(n, object->vertex, &text);
    else if (object->node)
        describe_node(n, object->node, &text);
    else if (object->repo)
        buf_printf(&text, "repository at commit %.*s",
                   (int)code_of(n)->repos[object->repo].commit.len,
                   code_of(n)->repos[object->repo].commit.ptr);
    else if (object->oid && object->world <= WORLD_COMMUNITY)
        err = describe_entity(n, object, max, &text);
    else if (object->is_gone)
        buf_add(&text, STR("no longer in the graph"));
    buf_add(out, text_cut(buf_str(&text), max));
    buf_fini(&text);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}

/* What was taken in has lines and paragraphs. */
enum err
near_describe(struct near_run *n, const struct object *object, struct buf *out)
{
    struct buf text = {0};
    enum err err = near_preview(n, object, DESCRIBED_MAX, &text);
    str line = text_trim(buf_str(&text));
    bool was_space = false;

    for (size_t i = 0; i < line.len; i++) {
        bool is_space = isspace((unsigned char)line.ptr[i]) != 0;

        if (!is_space)
            buf_add_char(out, line.ptr[i]);
        else if (!was_space)
            buf_add_char(out, ' ');
        was_space = is_space;
    }
    buf_fini(&text);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}

/* ---- metadata ---- */

static void
put_observed(struct near_run *n, cJSON *row, uint32_t node)
{
    if (!near_knows(n, node))
        return;
    cJSON_AddStringToObject(row, "state",
                            near_state_str(near_state_of(n, node)));
    put_num(row, "calls_30d", (double)n->facts.calls[node]);
    put_time(row, "last_observed", n->facts.last_s[node]);
}

static enum err
put_vertex_id(struct near_run *n, cJSON *row, const char *name, uint32_t id)
{
    struct object object = {0};
    enum err err = object_of_vertex(&n->know.moment, id, &object);

    put_str(row, name, buf_str(&object.gid));
    object_fini(&object);
    return err;
}

static enum err
put_node_facts(struct near_run *n, cJSON *row, uint32_t id)
{
    const struct moment *moment = &n->know.moment;
    const struct query_node *node = query_node(moment->view, id);
    const char *space =
        node->name.len ? memchr(node->name.ptr, ' ', node->name.len) : NULL;

    put_str(row, "service", node->service);
    if (node->env.len)
        put_str(row, "env", node->env);
    if (node->kind == NODE_ROUTE && space)
        put_str(row, "method",
                str_cut(node->name, 0, (size_t)(space - node->name.ptr)));
    put_observed(n, row, id);
    uint32_t vertex =
        moment->joined ? join_of(moment->joined->join, id)->vertex : 0;
    return vertex ? put_vertex_id(n, row, "handler_id", vertex) : OK;
}

static enum err
put_task_facts(struct near_run *n, cJSON *row, int64_t oid)
{
    struct task task = {0};
    enum err err = task_get(&n->know.moment, oid, &task);

    if (err == ERR_NOT_FOUND)
        return OK;
    if (!err) {
        if (task.is_epic)
            put_str(row, "status", buf_str(&task.status_word));
        else
            cJSON_AddStringToObject(row, "status",
                                    task_status_str(task.status));
        cJSON_AddStringToObject(row, "priority",
                                task_priority_str(task.priority));
        put_str(row, "complexity", buf_str(&task.complexity));
        if (task.feature.len)
            put_str(row, "feature", buf_str(&task.feature));
    }
    task_fini(&task);
    return err;
}

static enum err
put_entity_facts(struct near_run *n, cJSON *row, int64_t oid)
{
    cJSON *facets = NULL;
    struct entity entity = {0};
    enum err err = entity_get(&n->know.moment, oid, &entity);

    if (err == ERR_NOT_FOUND)
        return OK;
    if (!err && entity.category.len)
        put_str(row, "category", buf_str(&entity.category));
    if (!err)
        err = entity_facets(&n->know.moment, oid, &facets);
    for (cJSON *facet = facets ? facets->child : NULL; facet;
         facet = facets->child)
        json_give(row, facet->string,
                  cJSON_DetachItemViaPointer(facets, facet));
    cJSON_Delete(facets);
    if (!err && entity.metadata)
        for (const cJSON *item = entity.metadata->child; item;
             item = item->next)
            if (!cJSON_GetObjectItemCaseSensitive(row, item->string))
                json_give(row, item->string, cJSON_Duplicate(item, true));
    if (!err && strcmp(entity.object.type, "project") == 0)
        err = task_progress(&n->know.moment, oid, row);
    entity_fini(&entity);
    return err ? err : put_task_facts(n, row, oid);
}

/* Of what was taken in, for which no entity may stand. */
static enum err
put_shown_facts(struct near_run *n, const struct object *object, cJSON *row)
{
    struct shown shown;
    enum err err = shown_get(&n->know.moment, object, &shown);

    while (!err && shown.metadata->child) {
        cJSON *item =
            cJSON_DetachItemViaPointer(shown.metadata, shown.metadata->child);

        cJSON_DeleteItemFromObjectCaseSensitive(row, item->string);
        json_give(row, item->string, item);
    }
    shown_fini(&shown);
    return err == ERR_NOT_FOUND ? OK : err;
}

static void
put_vertex_facts(struct near_run *n, cJSON *row, uint32_t id)
{
    const struct code *code = code_of(n);
    const struct code_vertex *node = code_node(code, id);

    put_str(row, "repo", code->repos[node->repo].url);
    put_str(row, "package", node->package);
    put_at(code, row, id);
    if (node->flags & CODE_TEST)
        cJSON_AddTrueToObject(row, "is_test");
}

enum err
near_put_facts(struct near_run *n, const struct object *object, cJSON *row)
{
    if (object->is_gone)
        cJSON_AddTrueToObject(row, "is_gone");
    if (object->vertex) {
        put_vertex_facts(n, row, object->vertex);
        return OK;
    }
    if (object->node)
        return put_node_facts(n, row, object->node);
    if (object->repo) {
        const struct code_repo *repo = &code_of(n)->repos[object->repo];
        put_str(row, "commit", repo->commit);
        put_time(row, "indexed_at", repo->indexed_s);
        return OK;
    }
    if (!object->oid || object->world > WORLD_COMMUNITY)
        return OK;
    enum err err = put_entity_facts(n, row, object->oid);
    return err ? err : put_shown_facts(n, object, row);
}

static enum err
put_description(struct near_run *n, const struct object *object, cJSON *row)
{
    struct buf text = {0};
    enum err err = near_describe(n, object, &text);

    put_str(row, "description", buf_str(&text));
    buf_fini(&text);
    return err;
}

enum err
near_row(struct near_run *n, const struct object *object, cJSON **out)
{
    cJSON *row = cJSON_CreateObject();
    enum err err;

    put_str(row, "id", buf_str(&object->gid));
    cJSON_AddStringToObject(row, "type", object->type);
    put_str(row, "name", buf_str(&object->name));
    err = put_description(n, object, row);
    if (!err)
        err =
            near_put_facts(n, object, cJSON_AddObjectToObject(row, "metadata"));
    if (err) {
        cJSON_Delete(row);
        row = NULL;
    }
    *out = row;
    return err;
}
