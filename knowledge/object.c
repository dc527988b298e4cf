/*
 * An id is made from names alone, never from numbers of a graph: those change
 * with each index and each start, and what people wrote must outlive them.
 */
#include "knowledge/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "knowledge/resolve.h"
#include "store/knowledge_store.h"

const char *
object_world_str(enum object_world world)
{
    static const char *const names[] = {
        [WORLD_NONE] = "none",       [WORLD_KNOWLEDGE] = "knowledge",
        [WORLD_DOC] = "doc",         [WORLD_COMMUNITY] = "community",
        [WORLD_RUNTIME] = "runtime", [WORLD_CODE] = "code",
    };

    return names[world];
}

void
object_fini(struct object *object)
{
    buf_fini(&object->gid);
    buf_fini(&object->name);
    buf_fini(&object->domain);
    *object = (struct object){0};
}

void
object_list_fini(struct object_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        object_fini(&list->items[i]);
    free(list->items);
    *list = (struct object_list){0};
}

enum err
object_list_add(struct object_list *list, struct object *object)
{
    if (!grow_room(list->items, list->len, list->cap))
        return ERR_NOMEM;
    list->items[list->len++] = *object;
    *object = (struct object){0};
    return OK;
}

static enum err
check(const struct object *object)
{
    return object->gid.failed || object->name.failed || object->domain.failed
               ? ERR_NOMEM
               : OK;
}

static void
add_env(struct buf *out, str env)
{
    if (env.len) {
        buf_add_char(out, '@');
        buf_add(out, env);
    }
}

enum err
object_of_node(struct moment *moment, uint32_t id, struct object *out)
{
    const struct query_node *node = query_node(moment->view, id);
    bool is_owned = node->owner && node->kind != NODE_SERVICE;

    *out = (struct object){.world = WORLD_NONE};
    if (node->kind == NODE_NONE || node->kind > NODE_SYMBOL)
        return OK;
    out->world = WORLD_RUNTIME;
    out->node = id;
    out->created_s = out->updated_s = node->created_s;
    snprintf(out->type, sizeof(out->type), "%s", node_kind_str(node->kind));
    buf_printf(&out->gid, "%s:", out->type);
    if (is_owned) {
        buf_add(&out->gid, node->service);
        add_env(&out->gid, node->env);
        buf_add_char(&out->gid, ':');
    }
    buf_add(&out->gid, node->name);
    if (!is_owned)
        add_env(&out->gid, node->env);
    buf_add(&out->name, node->name);
    buf_add(&out->domain, node->service);
    return check(out);
}

static const char *
code_prefix(uint8_t kind)
{
    switch (kind) {
    case CODE_FUNCTION:
    case CODE_METHOD:
        return "func";
    case CODE_TYPE:
        return "class";
    case CODE_ROUTE:
    case CODE_RPC:
    case CODE_TOPIC:
        return "code"; /* route: and the others are of services */
    default:
        return code_kind_str(kind);
    }
}

enum err
object_of_vertex(struct moment *moment, uint32_t id, struct object *out)
{
    const struct code *code = moment->joined ? moment->joined->code : NULL;

    *out = (struct object){.world = WORLD_NONE};
    if (!code || id == 0 || id >= code->node_len)
        return OK;
    const struct code_vertex *vertex = &code->nodes[id];
    out->world = WORLD_CODE;
    out->vertex = id;
    out->created_s = out->updated_s = code->repos[vertex->repo].indexed_s;
    snprintf(out->type, sizeof(out->type), "%s", code_kind_str(vertex->kind));
    buf_printf(&out->gid, "%s:", code_prefix(vertex->kind));
    buf_add(&out->gid, vertex->qualified);
    buf_add(&out->name, vertex->name);
    buf_add(&out->domain, vertex->package);
    return check(out);
}

enum err
object_of_repo(struct moment *moment, uint32_t id, struct object *out)
{
    const struct code *code = moment->joined ? moment->joined->code : NULL;

    *out = (struct object){.world = WORLD_NONE};
    if (!code || id == 0 || id >= code->repo_len)
        return OK;
    out->world = WORLD_CODE;
    out->repo = id;
    out->created_s = out->updated_s = code->repos[id].indexed_s;
    snprintf(out->type, sizeof(out->type), "repo");
    buf_add(&out->gid, STR("repo:"));
    buf_add(&out->gid, code->repos[id].url);
    buf_add(&out->name, code->repos[id].url);
    return check(out);
}

enum err
object_of_place(struct moment *moment, uint32_t place, struct object *out)
{
    uint32_t vertex = joined_vertex(moment->joined, place);

    return vertex ? object_of_vertex(moment, vertex, out)
                  : object_of_node(moment, joined_node(moment->joined, place),
                                   out);
}

uint32_t
object_place(const struct moment *moment, const struct object *object)
{
    if (!moment->joined)
        return 0;
    if (object->node)
        return joined_place(moment->joined, object->node);
    return object->vertex;
}

const unsigned char *
object_hash(const struct moment *moment, const struct object *object)
{
    if (object->node && moment->view)
        return query_node(moment->view, object->node)->hash;
    if (moment->joined && object->vertex)
        return moment->joined->code->nodes[object->vertex].hash;
    if (moment->joined && object->repo)
        return moment->joined->code->repos[object->repo].hash;
    return NULL;
}

static void
read_row(const struct ks_value *row, struct object *out)
{
    out->oid = row[0].num;
    out->world = (enum object_world)row[2].num;
    snprintf(out->type, sizeof(out->type), "%.*s", (int)row[3].text.len,
             row[3].text.ptr);
    buf_add(&out->gid, row[1].text);
    buf_add(&out->name, row[4].text);
    buf_add(&out->domain, row[5].text);
    out->created_s = (uint32_t)row[6].num;
    out->updated_s = (uint32_t)row[7].num;
}

/* A row that only points at a graph is what the graph has under that id now. */
static enum err
look_up(struct moment *moment, struct object *object)
{
    struct object now = {0};
    unsigned worlds = IN_WORLD(object->world);
    enum err err =
        object_find(moment, buf_str(&object->gid), worlds, &now, NULL);

    if (err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS) {
        object->is_gone = true;
        return OK;
    }
    if (!err) {
        object->node = now.node;
        object->vertex = now.vertex;
        object->repo = now.repo;
    }
    object_fini(&now);
    return err;
}

enum err
object_of_oid(struct moment *moment, int64_t oid, struct object *out)
{
    const struct ks_value *row;
    bool is_deleted = false;

    *out = (struct object){.world = WORLD_NONE};
    if (!moment->store)
        return OK;
    ks_ask(moment->store, KS_OBJECT_BY_OID, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_OBJECT_BY_OID, &row)) {
        read_row(row, out);
        is_deleted = row[8].num != 0;
    }
    enum err err = ks_end(moment->store, KS_OBJECT_BY_OID);
    if (!err)
        err = check(out);
    if (!err && out->world >= WORLD_RUNTIME)
        err = look_up(moment, out);
    if (is_deleted)
        out->is_gone = true;
    return err;
}

enum err
object_look(struct moment *moment, struct object *object)
{
    const struct ks_value *row;

    if (object->oid || !moment->store || object->world == WORLD_NONE)
        return OK;
    ks_ask(moment->store, KS_OBJECT_BY_GID,
           KS_ARGS(ks_text(buf_str(&object->gid))));
    if (ks_next(moment->store, KS_OBJECT_BY_GID, &row))
        object->oid = row[0].num;
    return ks_end(moment->store, KS_OBJECT_BY_GID);
}

enum err
object_register(struct moment *moment, struct object *object)
{
    enum err err = object_look(moment, object);

    if (err || object->oid)
        return err;
    err = ks_run(moment->store, KS_OBJECT_ADD,
                 KS_ARGS(ks_text(buf_str(&object->gid)), ks_int(object->world),
                         ks_cstr(object->type), ks_text(buf_str(&object->name)),
                         ks_text(buf_str(&object->domain)),
                         ks_int(moment->now_s)));
    if (!err)
        object->oid = ks_last_id(moment->store);
    return err;
}
