/*
 * Fields of a task are a table: how each is called, and what is done with a
 * value of it.  A value of the wrong kind changes nothing at all, since the
 * moment is given up.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "knowledge/links.h"
#include "knowledge/resolve.h"
#include "knowledge/text.h"
#include "knowledge/work.h"
#include "store/knowledge_store.h"

struct edit {
    struct work *work;
    struct task *task;
    const char *name;
    const cJSON *value;
    struct entity entity;
    bool is_entity; /* something of the entity changed */
};

typedef enum err edit_fn(struct edit *edit);

static enum err
wrong(struct edit *edit, const char *wanted)
{
    return moment_fail(edit->work->moment, ERR_INVALID, "%s must be %s",
                       edit->name, wanted);
}

static enum err
set_text(struct edit *edit, struct buf *to, size_t max)
{
    str text = str_of(cJSON_GetStringValue(edit->value));

    if (!cJSON_IsString(edit->value) || !utf8_valid(text) ||
        text_chars(text) > max)
        return wrong(edit, "a text, and not that long");
    buf_reset(to);
    buf_add(to, text);
    return to->failed ? ERR_NOMEM : OK;
}

static enum err
edit_title(struct edit *edit)
{
    struct moment *moment = edit->work->moment;
    str text = text_trim(str_of(cJSON_GetStringValue(edit->value)));
    enum err err;

    if (text.len == 0)
        return moment_fail(moment, ERR_INVALID, "Title cannot be empty");
    if (text_chars(text) > ENTITY_TITLE_MAX)
        return moment_fail(moment, ERR_INVALID, "Title exceeds %d characters",
                           ENTITY_TITLE_MAX);
    err = set_text(edit, &edit->task->name, ENTITY_TITLE_MAX);
    return err ? err
               : ks_run(moment->store, KS_OBJECT_RENAME,
                        KS_ARGS(ks_int(edit->task->oid), ks_text(text),
                                ks_int(moment->now_s)));
}

static enum err
edit_description(struct edit *edit)
{
    edit->is_entity = true;
    return set_text(edit, &edit->entity.description, ENTITY_CONTENT_MAX);
}

static enum err
edit_content(struct edit *edit)
{
    edit->is_entity = true;
    if (cJSON_IsString(edit->value) && !*edit->value->valuestring)
        return moment_fail(edit->work->moment, ERR_INVALID,
                           "Content cannot be empty");
    return set_text(edit, &edit->entity.content, ENTITY_CONTENT_MAX);
}

static enum err
edit_category(struct edit *edit)
{
    edit->is_entity = true;
    return set_text(edit, &edit->entity.category, ENTITY_WORD_MAX);
}

static enum err
edit_priority(struct edit *edit)
{
    enum task_priority priority =
        task_priority_of(str_of(cJSON_GetStringValue(edit->value)));

    if (priority == PRIORITY_COUNT)
        return wrong(edit, "critical, high, medium, low or someday");
    edit->task->priority = priority;
    return OK;
}

static enum err
edit_complexity(struct edit *edit)
{
    return set_text(edit, &edit->task->complexity, ENTITY_WORD_MAX);
}

static enum err
edit_feature(struct edit *edit)
{
    return set_text(edit, &edit->task->feature, ENTITY_WORD_MAX);
}

static enum err
edit_sprint(struct edit *edit)
{
    return set_text(edit, &edit->task->sprint, ENTITY_WORD_MAX);
}

static enum err
edit_branch(struct edit *edit)
{
    return set_text(edit, &edit->task->branch, ENTITY_TITLE_MAX);
}

static enum err
edit_url(struct edit *edit)
{
    return set_text(edit, &edit->task->pr_url, ENTITY_TITLE_MAX);
}

static enum err
edit_learnings(struct edit *edit)
{
    return set_text(edit, &edit->task->learnings, ENTITY_CONTENT_MAX);
}

static enum err
edit_due(struct edit *edit)
{
    const char *text = cJSON_GetStringValue(edit->value);
    struct tm tm = {0};
    const char *end = text ? strptime(text, "%Y-%m-%d", &tm) : NULL;
    time_t at = end && (*end == '\0' || *end == 'T') ? timegm(&tm) : 0;

    if (at <= 0 || at >= UINT32_MAX)
        return wrong(edit, "an ISO date");
    edit->task->due_s = (uint32_t)at;
    return OK;
}

static enum err
set_hours(struct edit *edit, double *to)
{
    double hours = cJSON_IsNumber(edit->value) ? edit->value->valuedouble : -1;

    if (!(hours >= 0 && hours <= 1e6))
        return wrong(edit, "a number from 0 to 1000000");
    *to = hours;
    return OK;
}

static enum err
edit_estimated(struct edit *edit)
{
    return set_hours(edit, &edit->task->estimated_hours);
}

static enum err
edit_actual(struct edit *edit)
{
    return set_hours(edit, &edit->task->actual_hours);
}

static enum err
edit_order(struct edit *edit)
{
    double order = cJSON_IsNumber(edit->value) ? edit->value->valuedouble : 1e9;

    if (!(order >= -1e6 && order <= 1e6))
        return wrong(edit, "a number from -1000000 to 1000000");
    edit->task->order = (int64_t)order;
    return OK;
}

static enum err
set_facets(struct edit *edit, const char *facet)
{
    struct moment *moment = edit->work->moment;
    const cJSON *item;
    enum err err;

    if (!cJSON_IsArray(edit->value) ||
        cJSON_GetArraySize(edit->value) > ENTITY_LIST_MAX)
        return wrong(edit, "an array of at most 50 strings");
    err = ks_run(moment->store, KS_FACET_CLEAR,
                 KS_ARGS(ks_int(edit->task->oid), ks_cstr(facet)));
    cJSON_ArrayForEach(item, edit->value)
    {
        if (!err)
            err = entity_facet(moment, edit->task->oid, facet,
                               str_of(cJSON_GetStringValue(item)));
    }
    return err;
}

static enum err
edit_assignees(struct edit *edit)
{
    return set_facets(edit, "assignee");
}

static enum err
edit_technologies(struct edit *edit)
{
    return set_facets(edit, "technology");
}

static enum err
edit_tags(struct edit *edit)
{
    return set_facets(edit, "tag");
}

static enum err
edit_epic(struct edit *edit)
{
    struct moment *moment = edit->work->moment;
    struct object epic = {0};
    enum err err = object_resolve(
        moment, str_of(cJSON_GetStringValue(edit->value)), IN_KNOWLEDGE, &epic);

    if (!err && strcmp(epic.type, "epic") != 0)
        err = wrong(edit, "the id of an epic");
    if (!err)
        err = link_add(moment, (struct link_ends){edit->task->oid, epic.oid},
                       "PART_OF", 1, "declared", NULL);
    if (!err)
        edit->task->epic = epic.oid;
    object_fini(&epic);
    return err;
}

static enum err
edit_depends(struct edit *edit)
{
    struct moment *moment = edit->work->moment;
    const cJSON *item;
    enum err err = cJSON_IsArray(edit->value) &&
                           cJSON_GetArraySize(edit->value) <= ENTITY_LIST_MAX
                       ? OK
                       : wrong(edit, "an array of at most 50 ids");

    cJSON_ArrayForEach(item, edit->value)
    {
        struct object other = {0};

        if (err)
            break;
        err = object_resolve(moment, str_of(cJSON_GetStringValue(item)),
                             IN_KNOWLEDGE, &other);
        if (!err)
            err =
                link_add(moment, (struct link_ends){edit->task->oid, other.oid},
                         "DEPENDS_ON", 1, "declared", NULL);
        object_fini(&other);
    }
    return err;
}

static enum err
edit_status(struct edit *edit)
{
    const struct task_event event = {.action = "update_task",
                                     .actor = edit->work->actor};
    enum task_status to =
        task_status_of(str_of(cJSON_GetStringValue(edit->value)));

    if (edit->task->is_epic)
        return wrong(edit, "changed by start_epic, complete_epic or "
                           "archive_epic");
    if (to == TASK_STATUS_COUNT)
        return wrong(edit, "backlog, todo, doing, blocked, review, done or "
                           "archived");
    return task_move(edit->work->moment, edit->task, &event, to,
                     edit->work->data);
}

static const struct field {
    const char *name;
    edit_fn *fn;
} fields[] = {
    {"title", edit_title},
    {"description", edit_description},
    {"content", edit_content},
    {"category", edit_category},
    {"status", edit_status},
    {"priority", edit_priority},
    {"complexity", edit_complexity},
    {"feature", edit_feature},
    {"sprint", edit_sprint},
    {"assignees", edit_assignees},
    {"technologies", edit_technologies},
    {"tags", edit_tags},
    {"due_date", edit_due},
    {"estimated_hours", edit_estimated},
    {"actual_hours", edit_actual},
    {"task_order", edit_order},
    {"epic", edit_epic},
    {"depends_on", edit_depends},
    {"branch_name", edit_branch},
    {"pr_url", edit_url},
    {"learnings", edit_learnings},
};
enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

static enum err
edit_field(struct edit *edit)
{
    struct moment *moment = edit->work->moment;

    for (size_t i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].name, edit->name) == 0)
            return fields[i].fn(edit);
    buf_printf(moment->why,
               "update_task takes no field '%.60s'; it takes:", edit->name);
    for (size_t i = 0; i < FIELDS; i++)
        buf_printf(moment->why, "%s %s", i ? "," : "", fields[i].name);
    return ERR_INVALID;
}

static enum err
save_entity(struct edit *edit)
{
    static const unsigned char none[1];
    const struct entity *entity = &edit->entity;

    return ks_run(edit->work->moment->store, KS_ENTITY_EDIT,
                  KS_ARGS(ks_int(entity->object.oid),
                          ks_text(buf_str(&entity->description)),
                          ks_text(buf_str(&entity->content)),
                          ks_text(buf_str(&entity->category)),
                          ks_blob(none, sizeof(none)),
                          ks_int(entity->project)));
}

static bool
is_control(const char *name)
{
    return strcmp(name, "actor") == 0 || strcmp(name, "entity_id") == 0;
}

enum err
work_update(struct work *work, struct task *task, const cJSON *values)
{
    const struct task_event event = {.action = "update_task",
                                     .from = buf_cstr(&task->status_word),
                                     .to = buf_cstr(&task->status_word),
                                     .actor = work->actor};
    struct edit edit = {.work = work, .task = task};
    cJSON *names = cJSON_AddArrayToObject(work->data, "updated_fields");
    struct buf note = {0};
    struct task_event kept = event;
    enum err err = entity_get(work->moment, task->oid, &edit.entity);

    cJSON_ArrayForEach(edit.value, values)
    {
        edit.name = edit.value->string;
        if (err || is_control(edit.name))
            continue;
        err = edit_field(&edit);
        cJSON_AddItemToArray(names, cJSON_CreateString(edit.name));
        buf_printf(&note, "%s%s", note.len ? ", " : "", edit.name);
    }
    if (!err && note.len == 0)
        err = moment_fail(work->moment, ERR_INVALID,
                          "data must hold the fields to change, as "
                          "{\"priority\":\"high\"}");
    kept.note = buf_str(&note);
    if (!err && edit.is_entity)
        err = save_entity(&edit);
    if (!err)
        err = task_save(work->moment, task);
    if (!err)
        err = task_event_add(work->moment, task->oid, &kept);
    if (!err)
        err = entity_index(work->moment, task->oid);
    buf_fini(&note);
    entity_fini(&edit.entity);
    return err;
}

enum err
work_note(struct work *work, const struct object *about, str content, str by)
{
    struct moment *moment = work->moment;
    struct object target = {0};
    struct object note = {0};
    struct buf title = {0};
    bool is_new;
    size_t linked;
    enum err err = OK;

    if (by.len && !text_same(by, STR("agent")) && !text_same(by, STR("user")))
        return moment_fail(moment, ERR_INVALID,
                           "author_type must be agent or user");
    if (text_trim(content).len == 0)
        return moment_fail(moment, ERR_INVALID, "Note content cannot be empty");
    buf_add(&title, STR("Note: "));
    buf_add(&title, text_cut(buf_str(&about->name), ENTITY_TITLE_MAX - 6));
    const struct entity_new add = {
        .type = "note",
        .title = buf_str(&title),
        .content = content,
        .category = by.len ? by : STR("agent"),
    };
    err = entity_add(moment, &add, &note, &is_new);
    buf_add(&target.gid, buf_str(&about->gid));
    buf_add(&target.name, buf_str(&about->name));
    buf_add(&target.domain, buf_str(&about->domain));
    target.world = about->world;
    memcpy(target.type, about->type, sizeof(target.type));
    target.oid = about->oid;
    if (!err)
        err = object_register(moment, &target);
    if (!err)
        err = link_add(moment, (struct link_ends){note.oid, target.oid},
                       "BELONGS_TO", 1, "declared", NULL);
    if (!err)
        err = links_mention(moment, note.oid, content, "MENTIONS", &linked);
    if (!err)
        err = entity_index(moment, note.oid);
    if (!err)
        cJSON_AddStringToObject(work->data, "note_id", buf_cstr(&note.gid));
    object_fini(&note);
    object_fini(&target);
    buf_fini(&title);
    return err;
}
