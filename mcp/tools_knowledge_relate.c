/*
 * Links of what is added.  A target that names nothing is told and kept, not
 * refused: what it means may come with the next index or the next span.
 */
#include <ctype.h>
#include <string.h>

#include "knowledge/links.h"
#include "knowledge/resolve.h"
#include "knowledge/similar.h"
#include "knowledge/task.h"
#include "mcp/json.h"
#include "mcp/tools_knowledge_add.h"
#include "mcp/tools_reply.h"

/* The type that stands before an id, if one does: `supersedes:pattern_1`. */
static const char *
read_predicate(str *target)
{
    const char *colon =
        target->len ? memchr(target->ptr, ':', target->len) : NULL;
    const char *type;

    if (!colon)
        return NULL;
    size_t at = (size_t)(colon - target->ptr);
    type = link_type_of(str_cut(*target, 0, at));
    if (type)
        *target = str_cut(*target, at + 1, target->len);
    return type;
}

static bool
is_route(const struct object *object)
{
    return object->world == WORLD_RUNTIME &&
           (strcmp(object->type, "route") == 0 ||
            strcmp(object->type, "rpc") == 0);
}

static enum err
tell_unresolved(struct adding *adding, str target, const char *type)
{
    json_push(adding->unresolved, json_str(target));
    tool_hint(adding->run,
              "'%.*s' names nothing; the link is kept as unresolved",
              (int)(target.len < 100 ? target.len : 100), target.ptr);
    return link_broken(adding->moment, adding->object.oid, target, type);
}

static enum err
join(struct adding *adding, struct object *target, const char *type)
{
    struct moment *moment = adding->moment;
    cJSON *row = cJSON_CreateObject();
    enum err err = object_register(moment, target);

    if (!err)
        err = link_add(moment,
                       (struct link_ends){adding->object.oid, target->oid},
                       type, 1, "declared", NULL);
    cJSON_AddStringToObject(row, "id", buf_cstr(&target->gid));
    cJSON_AddStringToObject(row, "type", type);
    json_push(adding->links, row);
    adding->linked += !err;
    return err;
}

static enum err
supersede(struct adding *adding, const struct object *target)
{
    struct entity old;
    enum err err = entity_get(adding->moment, target->oid, &old);

    entity_fini(&old);
    if (err == ERR_NOT_FOUND)
        return OK; /* evidence is not superseded by opinion */
    return err ? err
               : entity_expire(adding->moment, target->oid,
                               adding->moment->now_s);
}

static enum err
relate(struct adding *adding, str text, const char *otherwise, unsigned worlds)
{
    str target = text;
    const char *type = otherwise ? otherwise : read_predicate(&target);
    struct object object = {0};
    struct object_list candidates = {0};
    enum err err =
        object_find(adding->moment, target, worlds, &object, &candidates);

    if (err == ERR_NOT_FOUND) {
        err = tell_unresolved(adding, target, type ? type : "RELATED_TO");
    } else if (err == ERR_AMBIGUOUS) {
        buf_printf(adding->moment->why, "related_to '%.*s' is ambiguous: ",
                   (int)(target.len < 100 ? target.len : 100), target.ptr);
        for (size_t i = 0; i < candidates.len && i < RESOLVE_CANDIDATES; i++)
            buf_printf(adding->moment->why, "%s%s", i ? ", " : "",
                       buf_cstr(&candidates.items[i].gid));
    } else if (!err) {
        if (!type)
            type =
                adding->is_task && is_route(&object) ? "TOUCHES" : "RELATED_TO";
        err = join(adding, &object, type);
        if (!err && strcmp(type, "SUPERSEDES") == 0)
            err = supersede(adding, &object);
    }
    object_list_fini(&candidates);
    object_fini(&object);
    return err;
}

static enum err
relate_all(struct adding *adding, const char *argument, const char *type,
           unsigned worlds)
{
    const cJSON *array = know_array(adding->run, argument);
    const cJSON *item;
    enum err err = OK;

    if (cJSON_GetArraySize(array) > ENTITY_LIST_MAX)
        return moment_fail(adding->moment, ERR_INVALID,
                           "%s has more than %d items", argument,
                           ENTITY_LIST_MAX);
    cJSON_ArrayForEach(item, array)
    {
        if (!err && *item->valuestring)
            err = relate(adding, str_of(item->valuestring), type, worlds);
    }
    return err;
}

static enum err
relate_route(struct adding *adding)
{
    const char *route =
        json_text(json_member(adding->run->args, "metadata"), "route");
    struct buf id = {0};
    enum err err = OK;

    if (!adding->is_task || !route || !*route)
        return OK;
    if (strncmp(route, "route:", 6) != 0 && strncmp(route, "rpc:", 4) != 0)
        buf_add(&id, STR("route:"));
    buf_add(&id, str_of(route));
    err = id.failed ? ERR_NOMEM
                    : relate(adding, buf_str(&id), "TOUCHES",
                             IN_WORLD(WORLD_RUNTIME));
    buf_fini(&id);
    return err;
}

enum err
adding_relate(struct adding *adding)
{
    struct moment *moment = adding->moment;
    int64_t self = adding->object.oid;
    enum err err = relate_all(adding, "related_to", NULL, IN_ANY_WORLD);

    if (!err)
        err = relate_route(adding);
    if (!err && adding->is_task)
        err = relate_all(adding, "depends_on", "DEPENDS_ON", IN_KNOWLEDGE);
    if (!err && adding->project)
        err = link_add(moment, (struct link_ends){self, adding->project},
                       "BELONGS_TO", 1, "declared", NULL);
    if (!err && adding->epic)
        err = link_add(moment, (struct link_ends){self, adding->epic},
                       "PART_OF", 1, "declared", NULL);
    return err;
}

/* What is opinion itself is referred to, required or belonged to. */
static const char *
mention_type(const struct adding *adding, const struct object *target)
{
    static const char *const types[][2] = {{"pattern", "REFERENCES"},
                                           {"template", "REFERENCES"},
                                           {"rule", "REQUIRES"},
                                           {"topic", "PART_OF"}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (target->world == WORLD_KNOWLEDGE &&
            strcmp(target->type, types[i][0]) == 0)
            return types[i][1];
    return adding->is_task ? "REFERENCES" : "MENTIONS";
}

static enum err
mention_all(struct adding *adding, str text)
{
    static const char metadata[] =
        "{\"auto_linked\":true,\"method\":\"mention\",\"score\":1}";
    struct object_list found = {0};
    enum err err = mention_find(adding->moment, text, &found);

    for (size_t i = 0; i < found.len && !err; i++) {
        struct object *object = &found.items[i];

        err = object_register(adding->moment, object);
        if (!err && object->oid != adding->object.oid)
            err =
                link_add(adding->moment,
                         (struct link_ends){adding->object.oid, object->oid},
                         mention_type(adding, object), 1, "mention", metadata);
    }
    object_list_fini(&found);
    return err;
}

/* The links that nobody asked for: what each is, and how it was found. */
static enum err
tell_mentions(struct adding *adding)
{
    struct link_list links = {0};
    enum err err =
        links_of(adding->moment, adding->object.oid, LINK_OUT, NULL, &links);

    for (size_t i = 0; i < links.len && !err; i++) {
        const struct link *link = &links.items[i];
        struct object other = {0};

        if (strcmp(link->provenance, "mention") != 0 &&
            strcmp(link->provenance, "lexical") != 0)
            continue;
        err = object_of_oid(adding->moment, link->other, &other);
        cJSON *row = cJSON_CreateObject();
        put_str(row, "id", buf_str(&other.gid));
        cJSON_AddStringToObject(row, "type", link->type);
        cJSON *how = cJSON_AddObjectToObject(row, "metadata");
        cJSON_AddTrueToObject(how, "auto_linked");
        cJSON_AddStringToObject(how, "method", link->provenance);
        put_round(how, "score", link->weight);
        json_push(adding->links, row);
        adding->linked++;
        object_fini(&other);
    }
    link_list_fini(&links);
    return err;
}

/* Never fails the add: what cannot be linked is not. */
enum err
adding_mention(struct adding *adding, str title, str content)
{
    struct buf text = {0};
    size_t like = 0;
    enum err err = OK;

    buf_add(&text, title);
    buf_add_char(&text, '\n');
    buf_add(&text, content);
    if (!text.failed)
        err = mention_all(adding, buf_str(&text));
    if (!err && !text.failed)
        err = similar_link(adding->moment, &adding->object, buf_str(&text),
                           &like);
    if (!err)
        err = tell_mentions(adding);
    buf_fini(&text);
    return err;
}
