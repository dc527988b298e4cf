/*
 * add: everything in one transaction, so an id that is told exists with all
 * its links, and a refusal leaves nothing behind.
 */
#include "mcp/tools_knowledge_add.h"

#include <string.h>

#include "knowledge/evidence.h"
#include "knowledge/resolve.h"
#include "knowledge/similar.h"
#include "knowledge/source.h"
#include "knowledge/task.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_reply.h"

static void
read_type(struct adding *adding)
{
    struct tool_run *run = adding->run;
    str word = tool_str(run, "entity_type");

    adding->type = word.len ? entity_type_of(word) : "episode";
    if (!adding->type && !run->err) {
        tool_fail(run, ERR_INVALID,
                  "Unknown entity type: %.40s. Valid types:", word.ptr);
        for (size_t i = 0; entity_types[i]; i++)
            buf_printf(run->why, "%s %s", i ? "," : "", entity_types[i]);
        return;
    }
    adding->is_task = adding->type && (strcmp(adding->type, "task") == 0 ||
                                       strcmp(adding->type, "epic") == 0);
}

/* An id of one type; 0 if the argument is not there. */
static enum err
read_id(struct adding *adding, const char *argument, const char *type,
        int64_t *out)
{
    str text = tool_str(adding->run, argument);
    struct object object = {0};
    enum err err;

    *out = 0;
    if (text.len == 0 || adding->run->err)
        return adding->run->err;
    err = object_resolve(adding->moment, text, IN_KNOWLEDGE, &object);
    if (!err && strcmp(object.type, type) != 0)
        err = moment_fail(adding->moment, ERR_INVALID,
                          "%s '%.60s' is a %s, not a %s", argument, text.ptr,
                          object.type, type);
    else if (!err)
        *out = object.oid;
    object_fini(&object);
    return err;
}

static enum err
require_project(struct adding *adding)
{
    if (strcmp(adding->type, "task") != 0 || adding->project)
        return OK;
    return moment_fail(adding->moment, ERR_INVALID,
                       "Tasks require a project. Use "
                       "explore(types=['project']) to find one, or "
                       "add(entity_type='project')");
}

static enum err
add_task(struct adding *adding, uint32_t due_s)
{
    struct tool_run *run = adding->run;
    str word = tool_str(run, "priority");
    enum task_priority priority =
        word.len ? task_priority_of(word) : PRIORITY_MEDIUM;
    const struct task_new task = {
        .oid = adding->object.oid,
        .is_epic = strcmp(adding->type, "epic") == 0,
        .priority = priority,
        .epic = adding->epic,
        .due_s = due_s,
        .complexity = tool_str(run, "complexity"),
        .feature = tool_str(run, "feature"),
    };

    if (priority == PRIORITY_COUNT)
        return moment_fail(adding->moment, ERR_INVALID,
                           "priority \"%.40s\" is none of critical, high, "
                           "medium, low, someday",
                           word.ptr);
    return run->err ? run->err : task_add(adding->moment, &task);
}

static enum err
add_facets(struct adding *adding, const char *argument, const char *facet)
{
    const cJSON *array = know_array(adding->run, argument);
    const cJSON *item;
    enum err err = adding->run->err;

    if (!err && cJSON_GetArraySize(array) > ENTITY_LIST_MAX)
        return moment_fail(adding->moment, ERR_INVALID,
                           "%s has more than %d items", argument,
                           ENTITY_LIST_MAX);
    cJSON_ArrayForEach(item, array)
    {
        if (!err)
            err = entity_facet(adding->moment, adding->object.oid, facet,
                               str_of(item->valuestring));
    }
    return err;
}

/* What an error says is a key to find it by. */
static enum err
add_key(struct adding *adding)
{
    const char *text =
        json_text(json_member(adding->run->args, "metadata"), "error_message");

    if (!text || !*text || strcmp(adding->type, "error_pattern") != 0)
        return OK;
    return entity_facet(adding->moment, adding->object.oid, "key",
                        str_cut(str_of(text), 0, ENTITY_WORD_MAX));
}

static enum err
add_all_facets(struct adding *adding, str title, str content)
{
    static const char *const facets[][2] = {{"tags", "tag"},
                                            {"languages", "language"},
                                            {"technologies", "technology"},
                                            {"assignees", "assignee"}};
    cJSON *guessed = cJSON_AddArrayToObject(adding->run->reply, "tags");
    struct buf text = {0};
    const cJSON *tag;
    enum err err = OK;

    for (size_t i = 0; i < sizeof(facets) / sizeof(facets[0]) && !err; i++)
        err = add_facets(adding, facets[i][0], facets[i][1]);
    buf_add(&text, title);
    buf_add_char(&text, ' ');
    buf_add(&text, content);
    similar_tags(buf_str(&text), guessed);
    cJSON_ArrayForEach(tag, guessed)
    {
        if (!err)
            err = entity_facet(adding->moment, adding->object.oid, "tag",
                               str_of(tag->valuestring));
    }
    buf_fini(&text);
    return err ? err : add_key(adding);
}

static enum err
add_source(struct adding *adding, str content)
{
    return strcmp(adding->type, "source") == 0
               ? source_register(adding->moment, adding->object.oid, content,
                                 json_member(adding->run->args, "metadata"))
               : OK;
}

static enum err
freeze(struct adding *adding)
{
    const struct task_event event = {
        .action = "created", .from = "", .to = "todo"};
    struct task_event kept = event;
    cJSON *evidence = NULL;
    enum err err;

    if (!adding->is_task)
        return OK;
    err = evidence_freeze(adding->moment, adding->object.oid, &evidence);
    kept.evidence = evidence;
    if (!err)
        err = task_event_add(adding->moment, adding->object.oid, &kept);
    if (evidence)
        json_give(adding->run->reply, "evidence", evidence);
    return err;
}

static enum err
add_entity(struct adding *adding, str title, str content)
{
    struct tool_run *run = adding->run;
    struct entity_new add = {
        .type = adding->type,
        .title = title,
        .content = content,
        .category = tool_str(run, "category"),
        .project = adding->project,
        .valid_from = know_time(run, "valid_from"),
        .valid_until = know_time(run, "valid_until"),
        .metadata = json_member(run->args, "metadata"),
    };
    bool is_new;
    enum err err = read_id(adding, "source", "source", &add.source);

    if (add.metadata && !cJSON_IsObject(add.metadata))
        tool_fail(run, ERR_INVALID, "metadata must be an object");
    if (err || run->err)
        return err ? err : run->err;
    return entity_add(adding->moment, &add, &adding->object, &is_new);
}

static enum err
add_all(struct adding *adding)
{
    struct tool_run *run = adding->run;
    str title = tool_str(run, "title");
    str content = tool_str(run, "content");
    uint32_t due_s = know_time(run, "due_date");
    bool has_links = know_bool(run, "auto_link", true);
    bool has_conflicts = know_bool(run, "check_conflicts", true);
    cJSON *conflicts = cJSON_AddArrayToObject(run->reply, "conflicts");
    enum err err = run->err;

    if (!err)
        err = read_id(adding, "project", "project", &adding->project);
    if (!err)
        err = read_id(adding, "epic", "epic", &adding->epic);
    if (!err)
        err = require_project(adding);
    if (!err)
        err = add_entity(adding, title, content);
    if (!err && adding->is_task)
        err = add_task(adding, due_s);
    if (!err)
        err = add_source(adding, content);
    if (!err)
        err = add_all_facets(adding, title, content);
    if (!err)
        err = adding_relate(adding);
    if (!err && has_links)
        err = adding_mention(adding, title, content);
    if (!err && has_conflicts)
        err = similar_conflicts(adding->moment, &adding->object, content,
                                conflicts);
    if (!err)
        err = freeze(adding);
    return err ? err : entity_index(adding->moment, adding->object.oid);
}

static void
answer(struct adding *adding)
{
    struct tool_run *run = adding->run;
    struct buf message = {0};

    buf_printf(&message, "Added: %s (linked: %zu)",
               buf_cstr(&adding->object.name), adding->linked);
    cJSON_AddBoolToObject(run->reply, "success", true);
    cJSON_AddStringToObject(run->reply, "id", buf_cstr(&adding->object.gid));
    cJSON_AddStringToObject(run->reply, "message", buf_cstr(&message));
    know_put_timestamp(run, run->reply);
    reply_summary(run, "%s", buf_cstr(&message));
    buf_fini(&message);
}

void
tool_add_tell(struct tool_run *run)
{
    cJSON *out = know_failure(run);

    cJSON_AddStringToObject(out, "id", "");
    cJSON_AddArrayToObject(out, "conflicts");
}

void
tool_add(struct tool_run *run)
{
    struct know_run know;
    struct adding adding = {.run = run, .moment = &know.moment};
    enum err err;

    read_type(&adding);
    if (!know_begin(&know, run, true)) {
        know_end(&know, run->err);
        return;
    }
    adding.links = cJSON_AddArrayToObject(run->reply, "links");
    adding.unresolved = cJSON_AddArrayToObject(run->reply, "unresolved_links");
    err = add_all(&adding);
    know_end(&know, err);
    if (!run->err)
        answer(&adding);
    object_fini(&adding.object);
}
