/*
 * The path is a table of bits, as first published for this workflow; a task is
 * moved off it too, because people do, and that it was is told and kept.
 */
#include "knowledge/task.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

#define TO(status) (1U << TASK_##status)

static const unsigned path[TASK_STATUS_COUNT] = {
    [TASK_BACKLOG] = TO(TODO) | TO(ARCHIVED),
    [TASK_TODO] = TO(DOING) | TO(BACKLOG) | TO(ARCHIVED),
    [TASK_DOING] = TO(BLOCKED) | TO(REVIEW) | TO(DONE) | TO(ARCHIVED),
    [TASK_BLOCKED] = TO(DOING) | TO(ARCHIVED),
    [TASK_REVIEW] = TO(DOING) | TO(DONE) | TO(ARCHIVED),
    [TASK_DONE] = TO(ARCHIVED),
};

static const char *const statuses[TASK_STATUS_COUNT] = {
    "backlog", "todo", "doing", "blocked", "review", "done", "archived",
};
static const char *const priorities[PRIORITY_COUNT] = {
    "critical", "high", "medium", "low", "someday",
};

const char *
task_status_str(enum task_status status)
{
    return statuses[status];
}

enum task_status
task_status_of(str word)
{
    int i = 0;

    while (i < TASK_STATUS_COUNT && !text_same(str_of(statuses[i]), word))
        i++;
    return (enum task_status)i;
}

bool
task_allowed(enum task_status from, enum task_status to)
{
    return path[from] >> to & 1;
}

const char *
task_priority_str(enum task_priority priority)
{
    return priorities[priority];
}

enum task_priority
task_priority_of(str word)
{
    int i = 0;

    while (i < PRIORITY_COUNT && !text_same(str_of(priorities[i]), word))
        i++;
    return (enum task_priority)i;
}

void
task_fini(struct task *task)
{
    buf_fini(&task->gid);
    buf_fini(&task->name);
    buf_fini(&task->status_word);
    buf_fini(&task->complexity);
    buf_fini(&task->feature);
    buf_fini(&task->sprint);
    buf_fini(&task->branch);
    buf_fini(&task->pr_url);
    buf_fini(&task->learnings);
    cJSON_Delete(task->commits);
    cJSON_Delete(task->blockers);
    *task = (struct task){0};
}

void
task_list_fini(struct task_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        task_fini(&list->items[i]);
    free(list->items);
    *list = (struct task_list){0};
}

/* Columns as TASK in store/knowledge_sql.c. */
static enum err
read_task(const struct ks_value *row, struct task *out)
{
    *out = (struct task){
        .oid = row[0].num,
        .created_s = (uint32_t)row[3].num,
        .is_epic = row[4].num != 0,
        .status = task_status_of(row[5].text),
        .priority = task_priority_of(row[6].text),
        .order = row[8].num,
        .epic = row[9].num,
        .due_s = (uint32_t)row[12].num,
        .estimated_hours = row[13].type == KS_NULL ? -1 : row[13].real,
        .actual_hours = row[14].type == KS_NULL ? -1 : row[14].real,
        .started_s = (uint32_t)row[20].num,
        .reviewed_s = (uint32_t)row[21].num,
        .completed_s = (uint32_t)row[22].num,
        .project = row[23].num,
    };
    buf_add(&out->gid, row[1].text);
    buf_add(&out->name, row[2].text);
    buf_add(&out->status_word, row[5].text);
    buf_add(&out->complexity, row[7].text);
    buf_add(&out->feature, row[10].text);
    buf_add(&out->sprint, row[11].text);
    buf_add(&out->branch, row[15].text);
    buf_add(&out->pr_url, row[16].text);
    out->commits = cJSON_ParseWithLength(row[17].text.ptr, row[17].text.len);
    buf_add(&out->learnings, row[18].text);
    out->blockers = cJSON_ParseWithLength(row[19].text.ptr, row[19].text.len);
    return out->commits && out->blockers && !out->learnings.failed &&
                   !out->name.failed && !out->gid.failed
               ? OK
               : ERR_NOMEM;
}

enum err
task_get(struct moment *moment, int64_t oid, struct task *out)
{
    const struct ks_value *row;
    enum err err = ERR_NOT_FOUND;

    *out = (struct task){0};
    if (!moment->store)
        return err;
    ks_ask(moment->store, KS_TASK, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_TASK, &row))
        err = read_task(row, out);
    enum err end = ks_end(moment->store, KS_TASK);
    return end ? end : err;
}

static enum err
append(struct task_list *list, const struct ks_value *row)
{
    if (!grow_room(list->items, list->len, list->cap))
        return ERR_NOMEM;
    return read_task(row, &list->items[list->len++]);
}

static enum err
list_tasks(struct moment *moment, enum ks_sql sql, int64_t of,
           struct task_list *out)
{
    const struct ks_value *row;
    enum err err = OK;

    if (!moment->store)
        return OK;
    ks_ask(moment->store, sql, KS_ARGS(ks_int(of)));
    while (!err && ks_next(moment->store, sql, &row))
        err = append(out, row);
    enum err end = ks_end(moment->store, sql);
    return end ? end : err;
}

enum err
tasks_of(struct moment *moment, int64_t project, struct task_list *out)
{
    return list_tasks(moment, KS_TASKS_OF_PROJECT, project, out);
}

enum err
tasks_of_epic(struct moment *moment, int64_t epic, struct task_list *out)
{
    return list_tasks(moment, KS_TASKS_OF_EPIC, epic, out);
}

enum err
task_add(struct moment *moment, const struct task_new *task)
{
    str complexity = task->complexity.len ? task->complexity : STR("medium");

    if (complexity.len > ENTITY_WORD_MAX || task->feature.len > ENTITY_WORD_MAX)
        return moment_fail(moment, ERR_INVALID,
                           "complexity and feature have at most %d bytes",
                           ENTITY_WORD_MAX);
    return ks_run(moment->store, KS_TASK_ADD,
                  KS_ARGS(ks_int(task->oid), ks_int(task->is_epic),
                          ks_cstr(task->is_epic ? "planning" : "todo"),
                          ks_cstr(task_priority_str(task->priority)),
                          ks_int(task->epic), ks_int(task->due_s),
                          ks_text(complexity), ks_text(task->feature)));
}

static struct ks_value
hours(double value)
{
    return value < 0 ? (struct ks_value){.type = KS_NULL} : ks_real(value);
}

enum err
task_save(struct moment *moment, const struct task *task)
{
    char *commits = cJSON_PrintUnformatted(task->commits);
    char *blockers = cJSON_PrintUnformatted(task->blockers);
    str status = task->is_epic ? buf_str(&task->status_word)
                               : str_of(task_status_str(task->status));
    enum err err = ERR_NOMEM;

    if (commits && blockers)
        err = ks_run(
            moment->store, KS_TASK_SAVE,
            KS_ARGS(ks_int(task->oid), ks_text(status),
                    ks_cstr(task_priority_str(task->priority)),
                    ks_text(buf_str(&task->complexity)), ks_int(task->order),
                    ks_int(task->epic), ks_text(buf_str(&task->feature)),
                    ks_text(buf_str(&task->sprint)), ks_int(task->due_s),
                    hours(task->estimated_hours), hours(task->actual_hours),
                    ks_text(buf_str(&task->branch)),
                    ks_text(buf_str(&task->pr_url)), ks_cstr(commits),
                    ks_text(buf_str(&task->learnings)), ks_cstr(blockers),
                    ks_int(task->started_s), ks_int(task->reviewed_s),
                    ks_int(task->completed_s)));
    if (!err)
        err = ks_run(moment->store, KS_OBJECT_TOUCH,
                     KS_ARGS(ks_int(task->oid), ks_int(moment->now_s)));
    cJSON_free(commits);
    cJSON_free(blockers);
    return err;
}

enum err
task_event_add(struct moment *moment, int64_t oid,
               const struct task_event *event)
{
    char *evidence =
        event->evidence ? cJSON_PrintUnformatted(event->evidence) : NULL;
    enum err err;

    if (event->evidence && !evidence)
        return ERR_NOMEM;
    err = ks_run(moment->store, KS_TASK_EVENT_ADD,
                 KS_ARGS(ks_int(oid), ks_cstr(event->action),
                         ks_cstr(event->from), ks_cstr(event->to),
                         ks_text(event->actor), ks_int(moment->now_s),
                         ks_text(event->note),
                         evidence ? ks_cstr(evidence)
                                  : (struct ks_value){.type = KS_NULL}));
    cJSON_free(evidence);
    return err;
}

/* ---- steps ---- */

static cJSON *
add_allowed(cJSON *data, const char *name, enum task_status from)
{
    cJSON *array = cJSON_AddArrayToObject(data, name);

    for (int to = 0; to < TASK_STATUS_COUNT; to++)
        if (task_allowed(from, (enum task_status)to))
            cJSON_AddItemToArray(array, cJSON_CreateString(statuses[to]));
    return array;
}

static enum err
refuse(struct moment *moment, enum task_status from, enum task_status to,
       cJSON *data)
{
    bool is_first = true;

    cJSON_AddStringToObject(data, "from_status", statuses[from]);
    cJSON_AddStringToObject(data, "to_status", statuses[to]);
    add_allowed(data, "allowed_transitions", from);
    buf_printf(moment->why, "Invalid transition: %s -> %s. Allowed: [",
               statuses[from], statuses[to]);
    for (int i = 0; i < TASK_STATUS_COUNT; i++) {
        if (!task_allowed(from, (enum task_status)i))
            continue;
        buf_printf(moment->why, "%s%s", is_first ? "" : ", ", statuses[i]);
        is_first = false;
    }
    buf_add_char(moment->why, ']');
    return ERR_INVALID;
}

enum err
task_move(struct moment *moment, struct task *task,
          const struct task_event *event, enum task_status to, cJSON *data)
{
    enum task_status from = task->status;
    struct task_event kept = *event;
    enum err err;

    if (from != to && !task_allowed(from, to) &&
        (moment->is_strict || from == TASK_ARCHIVED))
        return refuse(moment, from, to, data);
    if (from != to && !task_allowed(from, to)) {
        cJSON_AddBoolToObject(data, "off_path", true);
        add_allowed(data, "allowed_path", from);
    }
    task->status = to;
    kept.from = task_status_str(from);
    kept.to = task_status_str(to);
    err = task_save(moment, task);
    if (!err && (from != to || event->evidence || event->note.len))
        err = task_event_add(moment, task->oid, &kept);
    if (!err)
        cJSON_AddStringToObject(data, "status", task_status_str(to));
    return err;
}

enum err
task_progress(struct moment *moment, int64_t project, cJSON *out)
{
    const struct ks_value *row;

    ks_ask(moment->store, KS_TASK_PROGRESS, KS_ARGS(ks_int(project)));
    if (ks_next(moment->store, KS_TASK_PROGRESS, &row)) {
        cJSON_AddNumberToObject(out, "total_tasks", row[0].real);
        cJSON_AddNumberToObject(out, "completed_tasks", row[1].real);
        cJSON_AddNumberToObject(out, "in_progress_tasks", row[2].real);
    }
    return ks_end(moment->store, KS_TASK_PROGRESS);
}
