/*
 * An epic stands where its tasks are, until a person says otherwise: what was
 * completed or archived by hand stays so.
 */
#include <string.h>

#include "knowledge/text.h"
#include "knowledge/work.h"

static const char *
derive(const struct task_list *tasks)
{
    size_t open = 0;
    size_t begun = 0;
    size_t blocked = 0;
    size_t done = 0;

    for (size_t i = 0; i < tasks->len; i++) {
        enum task_status status = tasks->items[i].status;

        open += status != TASK_DONE && status != TASK_ARCHIVED;
        done += status == TASK_DONE;
        begun += status == TASK_DOING || status == TASK_REVIEW;
        blocked += status == TASK_BLOCKED;
    }
    if (open == 0 && done > 0)
        return "completed";
    if (begun > 0)
        return "in_progress";
    if (blocked > 0)
        return "blocked";
    return done > 0 ? "in_progress" : "planning";
}

static enum err
move(struct work *work, struct task *epic, const char *to, const char *action,
     str note)
{
    struct buf from = {0};
    enum err err = OK;

    buf_add(&from, buf_str(&epic->status_word));
    const struct task_event event = {.action = action,
                                     .from = buf_cstr(&from),
                                     .to = to,
                                     .actor = work->actor,
                                     .note = note};
    bool is_same = str_eq(buf_str(&from), str_of(to));
    buf_reset(&epic->status_word);
    buf_add(&epic->status_word, str_of(to));
    if (strcmp(to, "in_progress") == 0 && !epic->started_s)
        epic->started_s = work->moment->now_s;
    if (strcmp(to, "completed") == 0 && !is_same)
        epic->completed_s = work->moment->now_s;
    if (!is_same) {
        err = task_save(work->moment, epic);
        if (!err)
            err = task_event_add(work->moment, epic->oid, &event);
    }
    buf_fini(&from);
    return err;
}

enum err
work_epic_derive(struct work *work, int64_t oid)
{
    struct task epic = {0};
    struct task_list tasks = {0};
    enum err err = task_get(work->moment, oid, &epic);

    if (err == ERR_NOT_FOUND)
        return OK;
    if (!err)
        err = tasks_of_epic(work->moment, oid, &tasks);
    if (!err && !str_eq(buf_str(&epic.status_word), STR("archived"))) {
        const char *to = derive(&tasks);

        err = move(work, &epic, to, "derived", STR(""));
        cJSON_AddStringToObject(work->data, "epic_status", to);
    }
    task_list_fini(&tasks);
    task_fini(&epic);
    return err;
}

enum err
work_epic_move(struct work *work, struct task *epic, const char *to, str note)
{
    struct task_list tasks = {0};
    size_t open = 0;
    enum err err = tasks_of_epic(work->moment, epic->oid, &tasks);

    if (!err && str_eq(buf_str(&epic->status_word), STR("archived")) &&
        strcmp(to, "archived") != 0) {
        buf_printf(work->moment->why,
                   "Invalid transition: archived -> %s. Allowed: []", to);
        err = ERR_INVALID;
    }
    for (size_t i = 0; i < tasks.len; i++)
        open += tasks.items[i].status < TASK_DONE;
    if (!err)
        err = move(work, epic, to, "epic", note);
    if (!err) {
        cJSON_AddStringToObject(work->data, "status", to);
        cJSON_AddNumberToObject(work->data, "total_tasks", (double)tasks.len);
        cJSON_AddNumberToObject(work->data, "open_tasks", (double)open);
    }
    if (!err && open && strcmp(to, "completed") == 0)
        cJSON_AddItemToArray(
            work->hints,
            cJSON_CreateString("the epic has tasks that are not done"));
    task_list_fini(&tasks);
    return err;
}
