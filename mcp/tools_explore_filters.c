/*
 * What explore, mode list, is asked to leave over.
 */
#include <string.h>

#include "knowledge/document.h"
#include "knowledge/entity.h"
#include "knowledge/resolve.h"
#include "knowledge/task.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_explore_list.h"
#include "mcp/tools_reply.h"

static const struct word {
    const char *word;
    uint32_t nodes;
    uint32_t codes;
} words[] = {
    {"service", NODE_BIT(NODE_SERVICE), 0},
    {"route", NODE_BIT(NODE_ROUTE), 0},
    {"endpoint", NODE_BIT(NODE_ROUTE) | NODE_BIT(NODE_RPC), 0},
    {"runtime_endpoint", NODE_BIT(NODE_ROUTE) | NODE_BIT(NODE_RPC), 0},
    {"rpc", NODE_BIT(NODE_RPC), 0},
    {"consumer", NODE_BIT(NODE_CONSUMER), 0},
    {"topic", NODE_BIT(NODE_TOPIC), 0},
    {"queue", NODE_BIT(NODE_TOPIC), 0},
    {"database", NODE_BIT(NODE_DATABASE), 0},
    {"external", NODE_BIT(NODE_EXTERNAL), 0},
    {"symbol", NODE_BIT(NODE_SYMBOL), 0},
    {"function", 0, 1U << CODE_FUNCTION},
    {"func", 0, 1U << CODE_FUNCTION | 1U << CODE_METHOD},
    {"method", 0, 1U << CODE_METHOD},
    {"class", 0, 1U << CODE_TYPE},
    {"type", 0, 1U << CODE_TYPE},
    {"interface", 0, 1U << CODE_INTERFACE},
    {"variable", 0, 1U << CODE_VAR},
    {"var", 0, 1U << CODE_VAR},
    {"const", 0, 1U << CODE_CONST},
    {"field", 0, 1U << CODE_FIELD},
    {"module", 0, 1U << CODE_PACKAGE},
    {"package", 0, 1U << CODE_PACKAGE},
    {"file", 0, 1U << CODE_FILE},
    {"route_handler", 0, 1U << CODE_ROUTE},
};
enum { WORD_COUNT = sizeof(words) / sizeof(words[0]) };

static bool
read_word(struct wanted *types, str word)
{
    const char *added = entity_type_of(word);
    bool is_known = added != NULL;

    if (added && types->added_len < TYPES_MAX)
        types->added[types->added_len++] = added;
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (!text_same(word, str_of(words[i].word)))
            continue;
        types->nodes |= words[i].nodes;
        types->codes |= words[i].codes;
        is_known = true;
    }
    if (text_same(word, STR("repo")) || text_same(word, STR("repository")))
        types->repos = is_known = true;
    if (text_same(word, STR("test")))
        types->tests = is_known = true;
    return is_known;
}

static void
fail_types(struct tool_run *run)
{
    tool_fail(run, ERR_INVALID, "none of types is known; there are:");
    for (size_t i = 0; i < WORD_COUNT; i++)
        buf_printf(run->why, " %s", words[i].word);
    buf_printf(run->why, " repo test");
    for (size_t i = 0; entity_types[i]; i++)
        buf_printf(run->why, " %s", entity_types[i]);
}

void
list_read_types(struct listing *l, const char *name)
{
    struct tool_run *run = l->e->run;
    struct wanted *types = &l->asked.types;
    const cJSON *array = know_array(run, name);
    const cJSON *item;
    cJSON *unknown = NULL;
    int known = 0;

    types->is_all = !array || !array->child;
    if (types->is_all)
        return;
    json_give(l->e->filters, name, cJSON_Duplicate(array, true));
    cJSON_ArrayForEach(item, array)
    {
        if (read_word(types, text_trim(str_of(item->valuestring)))) {
            known++;
            continue;
        }
        if (!unknown)
            unknown = cJSON_AddArrayToObject(l->e->filters, "unknown_types");
        json_push(unknown, cJSON_CreateString(item->valuestring));
    }
    if (!known)
        fail_types(run);
}

/* ---- filters ---- */

static str
read_text(struct listing *l, const char *name, bool is_added_only)
{
    str text = text_trim(tool_str(l->e->run, name));

    if (text.len) {
        put_str(l->e->filters, name, text);
        l->asked.is_added_only |= is_added_only;
    }
    return text;
}

static int64_t
read_object(struct listing *l, const char *name)
{
    str text = read_text(l, name, true);
    struct object object = {0};
    int64_t oid = 0;

    if (!text.len || l->e->run->err)
        return 0;
    l->err = object_resolve(&l->e->n.know.moment, text, IN_KNOWLEDGE, &object);
    oid = object.oid;
    object_fini(&object);
    return oid;
}

void
list_read(struct listing *l)
{
    struct asked *asked = &l->asked;
    struct tool_run *run = l->e->run;

    list_read_types(l, "types");
    asked->language = read_text(l, "language", false);
    asked->category = read_text(l, "category", true);
    asked->status = read_text(l, "status", false);
    asked->priority = read_text(l, "priority", true);
    asked->complexity = read_text(l, "complexity", true);
    asked->feature = read_text(l, "feature", true);
    asked->source = read_text(l, "source", false);
    if (!asked->source.len)
        asked->source = read_text(l, "source_name", false);
    asked->source_id = read_text(l, "source_id", false);
    asked->assignee = read_text(l, "assignee", true);
    asked->no_epic = know_bool(run, "no_epic", false);
    asked->archived = know_bool(run, "include_archived", false);
    asked->tags = know_array(run, "tags");
    asked->is_added_only |= asked->no_epic || asked->tags;
    if (asked->tags)
        json_give(l->e->filters, "tags", cJSON_Duplicate(asked->tags, true));
    if (asked->no_epic)
        cJSON_AddTrueToObject(l->e->filters, "no_epic");
    if (asked->archived)
        cJSON_AddTrueToObject(l->e->filters, "include_archived");
    if (!l->err)
        asked->project = read_object(l, "project");
    if (!l->err)
        asked->epic = read_object(l, "epic");
    if (!l->err)
        l->err = run->err;
}

/* |word| is one of a list with commas. */
bool
list_has(str list, str word)
{
    for (size_t at = 0; at <= list.len;) {
        const char *comma =
            at < list.len ? memchr(list.ptr + at, ',', list.len - at) : NULL;
        size_t end = comma ? (size_t)(comma - list.ptr) : list.len;

        if (text_same(text_trim(str_cut(list, at, end)), word))
            return true;
        at = end + 1;
    }
    return false;
}

static bool
holds(str text, str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (text_same(str_cut(text, i, i + part.len), part))
            return true;
    return false;
}

static bool
passes_task(struct listing *l, int64_t oid)
{
    const struct asked *asked = &l->asked;
    struct task task = {0};
    enum err err = task_get(&l->e->n.know.moment, oid, &task);
    bool passes = true;
    bool is_asked = asked->status.len || asked->priority.len ||
                    asked->complexity.len || asked->feature.len ||
                    asked->epic || asked->no_epic;

    if (err == ERR_NOT_FOUND)
        return !is_asked;
    if (err) {
        l->err = err;
        return false;
    }
    str status = task.is_epic ? buf_str(&task.status_word)
                              : str_of(task_status_str(task.status));
    if (asked->status.len)
        passes = list_has(asked->status, status);
    else if (!asked->archived)
        passes = !str_eq(status, STR("archived"));
    passes = passes && (!asked->priority.len ||
                        list_has(asked->priority,
                                 str_of(task_priority_str(task.priority))));
    passes = passes && (!asked->complexity.len ||
                        list_has(asked->complexity, buf_str(&task.complexity)));
    passes = passes && (!asked->feature.len ||
                        text_same(asked->feature, buf_str(&task.feature)));
    passes = passes && (!asked->epic || task.epic == asked->epic);
    passes = passes && !(asked->no_epic && task.epic);
    task_fini(&task);
    return passes;
}

static bool
has_facet(const cJSON *facets, const char *facet, str word)
{
    const cJSON *value;

    cJSON_ArrayForEach(value, json_member(facets, facet))
    {
        if (cJSON_IsString(value) &&
            text_same(str_of(value->valuestring), word))
            return true;
    }
    return false;
}

static bool
passes_facets(struct listing *l, int64_t oid)
{
    const struct asked *asked = &l->asked;
    const cJSON *tag;
    cJSON *facets = NULL;
    bool passes = true;

    if (!asked->language.len && !asked->tags && !asked->assignee.len)
        return true;
    l->err = entity_facets(&l->e->n.know.moment, oid, &facets);
    if (!l->err && asked->language.len)
        passes = has_facet(facets, "language", asked->language);
    if (asked->assignee.len)
        passes = passes && has_facet(facets, "assignee", asked->assignee);
    cJSON_ArrayForEach(tag, asked->tags)
    {
        passes = passes && has_facet(facets, "tag", str_of(tag->valuestring));
    }
    cJSON_Delete(facets);
    return passes && !l->err;
}

/* ---- where it comes from ---- */

struct origin {
    str name, gid, url;
};

static bool
is_from(const struct asked *asked, const struct origin *origin)
{
    return (!asked->source.len || holds(origin->name, asked->source) ||
            holds(origin->gid, asked->source) ||
            holds(origin->url, asked->source)) &&
           (!asked->source_id.len || str_eq(origin->gid, asked->source_id));
}

/* Documents have a source; what was added may have one. */
static bool
added_is_from(struct listing *l, int64_t oid)
{
    struct moment *moment = &l->e->n.know.moment;
    struct document document = {0};
    struct entity entity = {0};
    struct object source = {0};
    enum err err = document_get(moment, oid, &document);
    struct origin origin = {buf_str(&document.source_name),
                            buf_str(&document.source_gid),
                            buf_str(&document.source_url)};

    if (err == ERR_NOT_FOUND) {
        err = entity_get(moment, oid, &entity);
        if (!err && entity.source)
            err = object_of_oid(moment, entity.source, &source);
        origin = (struct origin){buf_str(&source.name), buf_str(&source.gid),
                                 STR("")};
    }
    bool is = !err && is_from(&l->asked, &origin);
    if (err && err != ERR_NOT_FOUND)
        l->err = err;
    document_fini(&document);
    entity_fini(&entity);
    object_fini(&source);
    return is;
}

bool
list_from(struct listing *l, const struct object *object)
{
    const struct moment *moment = &l->e->n.know.moment;
    const struct code *code = moment->joined ? moment->joined->code : NULL;
    struct origin origin = {0};

    if (!l->asked.source.len && !l->asked.source_id.len)
        return true;
    if (object->world <= WORLD_COMMUNITY)
        return added_is_from(l, object->oid);
    if (object->node)
        origin.name = query_node(moment->view, object->node)->service;
    else if (code && (object->repo || object->vertex))
        origin.url =
            code->repos[object->repo ? object->repo
                                     : code_node(code, object->vertex)->repo]
                .url;
    origin.gid = buf_str(&object->gid);
    return is_from(&l->asked, &origin);
}

bool
list_passes(struct listing *l, int64_t oid)
{
    const struct asked *asked = &l->asked;
    struct entity entity = {0};
    bool passes = false;

    if ((asked->source.len || asked->source_id.len) && !added_is_from(l, oid))
        return false;
    if (!asked->category.len && !asked->project)
        return passes_facets(l, oid) && passes_task(l, oid);
    enum err err = entity_get(&l->e->n.know.moment, oid, &entity);
    if (!err)
        passes = (!asked->category.len ||
                  holds(buf_str(&entity.category), asked->category)) &&
                 (!asked->project || entity.project == asked->project);
    else if (err != ERR_NOT_FOUND)
        l->err = err;
    entity_fini(&entity);
    return passes && passes_facets(l, oid) && passes_task(l, oid);
}
