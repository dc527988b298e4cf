/*
 * work - what can be done to a task, an epic, and all tasks of a project.
 *
 * Each function is one action of `manage`: it changes, keeps an event, and
 * fills |data|, the reply.
 *
 * Errors     As knowledge/knowledge.h; ERR_INVALID with data as task_move.
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_WORK_H
#define KNOWLEDGE_WORK_H

#include <cjson/cJSON.h>

#include "knowledge/task.h"

/* What an action is given. */
struct work {
    struct moment *moment;
    cJSON *data;  /* of the reply */
    cJSON *hints; /* array of texts: what to look at */
    str actor;    /* who; may be empty */
};

/* Steps.  Repeated, each leaves everything as it is. */
enum err work_start(struct work *work, struct task *task, str assignee);
enum err work_block(struct work *work, struct task *task, str reason);
enum err work_unblock(struct work *work, struct task *task);
/* |commits|: an array of texts, or NULL. */
enum err work_review(struct work *work, struct task *task, const cJSON *commits,
                     str pr_url);
/* work_complete captures what was learnt (knowledge/learn.h); |hours| < 0:
 * not told. */
enum err work_complete(struct work *work, struct task *task, double hours,
                       str learnings);
enum err work_archive(struct work *work, struct task *task, str reason);

/* work_update changes the fields in |values|; data.updated_fields names them.
 * ERR_INVALID: an unknown field, a wrong value. */
enum err work_update(struct work *work, struct task *task, const cJSON *values);
/* work_note adds a note to an entity; |by|: "agent" or "user". */
enum err
work_note(struct work *work, const struct object *about, str content, str by);

/* Epics: |to| is one of planning, in_progress, blocked, completed, archived. */
enum err
work_epic_move(struct work *work, struct task *epic, const char *to, str note);
/* work_epic_derive sets the status that follows from its tasks. */
enum err work_epic_derive(struct work *work, int64_t oid);

/* ---- reading ---- */

/* work_estimate: estimated_hours, confidence, based_on_tasks, similar_tasks,
 * reason. */
enum err work_estimate(struct work *work, const struct task *task);
/* work_prioritize: tasks of |project| that are open, what comes first first,
 * and never before what it depends on. */
enum err work_prioritize(struct work *work, int64_t project);
/* work_cycles: cycles, has_cycles, cycle_count over the tasks of |project| (0:
 * all), or over the calls of the graph. */
enum work_graph { GRAPH_TASKS, GRAPH_RUNTIME, GRAPH_STATIC };
enum err work_cycles(struct work *work, int64_t project, enum work_graph graph);
/* work_suggest: patterns, rules, templates, procedures, past_learnings,
 * error_patterns. */
enum err work_suggest(struct work *work, const struct object *object);

#endif
