/*
 * task - the workflow of tasks, and of epics.
 *
 * backlog todo doing blocked review done archived.  The steps that the table
 * allows are the path; others are taken too and told (off_path), unless the
 * moment is strict.  Nothing leaves archived, and a step to where a task stands
 * is none.  Every step is kept with who and when.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_TASK_H
#define KNOWLEDGE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "knowledge/entity.h"

enum task_status {
    TASK_BACKLOG,
    TASK_TODO,
    TASK_DOING,
    TASK_BLOCKED,
    TASK_REVIEW,
    TASK_DONE,
    TASK_ARCHIVED,
    TASK_STATUS_COUNT,
};
const char *task_status_str(enum task_status status);
/* task_status_of: TASK_STATUS_COUNT for any other word. */
enum task_status task_status_of(str word);
/* task_allowed: the path has a step from one to the other. */
bool task_allowed(enum task_status from, enum task_status to);

enum task_priority {
    PRIORITY_CRITICAL,
    PRIORITY_HIGH,
    PRIORITY_MEDIUM,
    PRIORITY_LOW,
    PRIORITY_SOMEDAY,
    PRIORITY_COUNT,
};
const char *task_priority_str(enum task_priority priority);
enum task_priority task_priority_of(str word);

struct task {
    int64_t oid;
    int64_t project;
    int64_t epic;
    bool is_epic;
    struct buf gid;
    struct buf name;
    struct buf status_word; /* of an epic: planning, in_progress, ... */
    enum task_status status;
    enum task_priority priority;
    struct buf complexity;
    int64_t order;
    struct buf feature;
    struct buf sprint;
    uint32_t created_s;
    uint32_t due_s;
    double estimated_hours; /* < 0: none */
    double actual_hours;    /* < 0: none */
    struct buf branch;
    struct buf pr_url;
    cJSON *commits;
    struct buf learnings;
    cJSON *blockers; /* texts */
    uint32_t started_s;
    uint32_t reviewed_s;
    uint32_t completed_s;
};
void task_fini(struct task *task);

struct task_list {
    struct task *items;
    size_t len;
    size_t cap;
};
void task_list_fini(struct task_list *list);

/* task_get: ERR_NOT_FOUND without a word. */
enum err task_get(struct moment *moment, int64_t oid, struct task *out);
/* tasks_of appends the tasks of |project|, 0: all. */
enum err
tasks_of(struct moment *moment, int64_t project, struct task_list *out);
enum err
tasks_of_epic(struct moment *moment, int64_t epic, struct task_list *out);
/* task_add makes a task of entity |oid|: todo; an epic: planning. */
struct task_new {
    int64_t oid;
    int64_t epic;
    bool is_epic;
    enum task_priority priority;
    uint32_t due_s;
    str complexity; /* empty: medium */
    str feature;
};
enum err task_add(struct moment *moment, const struct task_new *task);
/* task_save stores what was changed. */
enum err task_save(struct moment *moment, const struct task *task);

struct task_event {
    const char *action;
    const char *from;
    const char *to;
    str actor;
    str note;
    const cJSON *evidence; /* or NULL */
};
enum err task_event_add(struct moment *moment, int64_t oid,
                        const struct task_event *event);

/*
 * task_move takes the step |action| to |to| and stores it.  |data| gets status,
 * and off the path off_path and allowed_path; after a refusal from_status,
 * to_status, allowed_transitions.
 *
 * ERR_INVALID  `Invalid transition: a -> b. Allowed: [...]`
 */
enum err
task_move(struct moment *moment, struct task *task,
          const struct task_event *event, enum task_status to, cJSON *data);

/* task_progress: how many tasks |project| has, are done and under way, into
 * |out|. */
enum err task_progress(struct moment *moment, int64_t project, cJSON *out);

#endif
