/*
 * An action reads the task, changes the struct, and moves it: all that is
 * stored is one row and one event, in the moment's transaction.
 */
#include "knowledge/work.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "knowledge/evidence.h"
#include "knowledge/learn.h"
#include "knowledge/links.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum { BRANCH_ID = 8, BRANCH_SLUG = 50, LIST_MAX = 100, TEXT_MAX = 10000 };

static enum err
check_text(struct work *work, const char *what, str text)
{
    if (text.len > TEXT_MAX)
        return moment_fail(work->moment, ERR_INVALID, "%s exceeds %d bytes",
                           what, TEXT_MAX);
    return utf8_valid(text) ? OK
                            : moment_fail(work->moment, ERR_INVALID,
                                          "%s is not UTF-8", what);
}

static cJSON *
json_text(str text)
{
    struct buf copy = {0};
    cJSON *json;

    buf_add(&copy, text);
    json = cJSON_CreateString(buf_cstr(&copy));
    buf_fini(&copy);
    return json;
}

static bool
has_text(const cJSON *array, str text)
{
    const cJSON *item;

    cJSON_ArrayForEach(item,
                       array) if (str_eq(str_of(cJSON_GetStringValue(item)),
                                         text)) return true;
    return false;
}

/* Tasks of epics are on branches of epics, of features on those. */
static void
name_branch(struct task *task)
{
    str id = entity_id_tail(buf_str(&task->gid));

    if (task->branch.len)
        return;
    buf_printf(&task->branch, "%s/%.*s-",
               task->epic          ? "epic"
               : task->feature.len ? "feature"
                                   : "task",
               BRANCH_ID, id.ptr);
    text_slug(buf_str(&task->name), BRANCH_SLUG, &task->branch);
    if (task->branch.len && task->branch.ptr[task->branch.len - 1] == '-')
        task->branch.len--;
}

static enum err
touch_project(struct work *work, const struct task *task)
{
    return task->project ? ks_run(work->moment->store, KS_OBJECT_TOUCH,
                                  KS_ARGS(ks_int(task->project),
                                          ks_int(work->moment->now_s)))
                         : OK;
}

enum err
work_start(struct work *work, struct task *task, str assignee)
{
    const struct task_event event = {.action = "start_task", .actor = assignee};
    enum err err;

    name_branch(task);
    if (!task->started_s)
        task->started_s = work->moment->now_s;
    task->completed_s = 0;
    err = task->branch.failed
              ? ERR_NOMEM
              : task_move(work->moment, task, &event, TASK_DOING, work->data);
    if (!err && assignee.len)
        err = entity_facet(work->moment, task->oid, "assignee", assignee);
    if (!err)
        err = touch_project(work, task);
    if (!err && task->epic)
        err = work_epic_derive(work, task->epic);
    cJSON_AddStringToObject(work->data, "branch_name", buf_cstr(&task->branch));
    return err;
}

enum err
work_block(struct work *work, struct task *task, str reason)
{
    struct task_event event = {.action = "block_task", .actor = work->actor};
    size_t linked = 0;
    enum err err;

    reason = text_trim(reason);
    if (reason.len == 0)
        reason = STR("No reason provided");
    event.note = reason;
    if ((err = check_text(work, "blocker", reason)))
        return err;
    bool is_known = has_text(task->blockers, reason);
    if (is_known && task->status == TASK_BLOCKED)
        event.note = STR("");
    if (!is_known && cJSON_GetArraySize(task->blockers) >= LIST_MAX)
        return moment_fail(work->moment, ERR_INVALID,
                           "a task has at most %d blockers", LIST_MAX);
    if (!is_known)
        cJSON_AddItemToArray(task->blockers, json_text(reason));
    err = task_move(work->moment, task, &event, TASK_BLOCKED, work->data);
    if (!err)
        err = links_mention(work->moment, task->oid, reason, "REFERENCES",
                            &linked);
    cJSON_AddItemToObject(work->data, "reason", json_text(reason));
    cJSON_AddNumberToObject(work->data, "linked", (double)linked);
    cJSON_AddItemToObject(work->data, "blockers",
                          cJSON_Duplicate(task->blockers, true));
    return err;
}

enum err
work_unblock(struct work *work, struct task *task)
{
    const struct task_event event = {.action = "unblock_task",
                                     .actor = work->actor};

    return task_move(work->moment, task, &event, TASK_DOING, work->data);
}

static enum err
add_commits(struct work *work, struct task *task, const cJSON *commits)
{
    const cJSON *commit;

    cJSON_ArrayForEach(commit, commits)
    {
        str text = str_of(cJSON_GetStringValue(commit));

        if (text.len == 0 || text.len > ENTITY_WORD_MAX)
            return moment_fail(work->moment, ERR_INVALID,
                               "commits must be names of 1 to %d bytes",
                               ENTITY_WORD_MAX);
        if (has_text(task->commits, text))
            continue;
        if (cJSON_GetArraySize(task->commits) >= LIST_MAX)
            return moment_fail(work->moment, ERR_INVALID,
                               "a task has at most %d commits", LIST_MAX);
        cJSON_AddItemToArray(task->commits, json_text(text));
    }
    return OK;
}

static bool
is_commit(str asked, str known)
{
    return asked.len >= 7 && str_starts(known, asked);
}

/* Which of the commits were indexed. */
static void
put_snapshots(struct work *work, const struct task *task)
{
    const struct joined *joined = work->moment->joined;
    cJSON *array = cJSON_AddArrayToObject(work->data, "snapshots");
    const cJSON *commit;

    cJSON_ArrayForEach(commit, task->commits)
    {
        str asked = str_of(cJSON_GetStringValue(commit));

        for (uint32_t i = 0; joined && i < joined->code->snapshot_len; i++) {
            const struct code_snapshot *snapshot = &joined->code->snapshots[i];

            if (!is_commit(asked, snapshot->commit))
                continue;
            cJSON *row = cJSON_CreateObject();
            struct buf hex = {0};
            buf_add_hex(&hex, (str){(const char *)snapshot->hash,
                                    sizeof(snapshot->hash)});
            cJSON_AddStringToObject(row, "snapshot_hash", buf_cstr(&hex));
            cJSON_AddItemToObject(row, "commit", json_text(asked));
            cJSON_AddItemToArray(array, row);
            buf_fini(&hex);
        }
    }
}

enum err
work_review(struct work *work, struct task *task, const cJSON *commits,
            str pr_url)
{
    const struct task_event event = {
        .action = "submit_review", .actor = work->actor, .note = pr_url};
    enum err err = check_text(work, "pr_url", pr_url);

    if (!err)
        err = add_commits(work, task, commits);
    if (err)
        return err;
    if (pr_url.len) {
        buf_reset(&task->pr_url);
        buf_add(&task->pr_url, pr_url);
    }
    if (task->status != TASK_REVIEW)
        task->reviewed_s = work->moment->now_s;
    err = task_move(work->moment, task, &event, TASK_REVIEW, work->data);
    cJSON_AddItemToObject(work->data, "commits",
                          cJSON_Duplicate(task->commits, true));
    cJSON_AddStringToObject(work->data, "pr_url", buf_cstr(&task->pr_url));
    put_snapshots(work, task);
    return err;
}

/* A removal is checked against the graph of today before it is called done. */
static enum err
check_evidence(struct work *work, const struct task *task, cJSON **evidence)
{
    const cJSON *status;
    enum err err = evidence_check(work->moment, task->oid, evidence);

    if (err || !*evidence)
        return err;
    status = cJSON_GetObjectItemCaseSensitive(*evidence, "status");
    if (cJSON_IsString(status) &&
        strcmp(status->valuestring, "resurrected") == 0)
        cJSON_AddItemToArray(
            work->hints,
            cJSON_CreateString("calls were seen again since this was decided: "
                               "see data.evidence before removing anything"));
    return OK;
}

enum err
work_complete(struct work *work, struct task *task, double hours, str learnings)
{
    struct task_event event = {.action = "complete_task", .actor = work->actor};
    cJSON *evidence = NULL;
    bool is_repeat = task->status == TASK_DONE;
    enum err err = check_text(work, "learnings", learnings);

    if (err || (err = check_evidence(work, task, &evidence)))
        goto out;
    if (hours >= 0)
        task->actual_hours = hours;
    if (learnings.len) {
        buf_reset(&task->learnings);
        buf_add(&task->learnings, learnings);
    }
    if (!is_repeat)
        task->completed_s = work->moment->now_s;
    event.evidence = is_repeat ? NULL : evidence;
    err = task_move(work->moment, task, &event, TASK_DONE, work->data);
    if (!err)
        err = entity_index(work->moment, task->oid);
    if (!err)
        err = learn_capture(work, task);
    if (!err && task->epic)
        err = work_epic_derive(work, task->epic);
    if (task->actual_hours >= 0)
        cJSON_AddNumberToObject(work->data, "actual_hours", task->actual_hours);
    if (evidence) {
        cJSON_AddItemToObject(work->data, "evidence", evidence);
        evidence = NULL;
    }
out:
    cJSON_Delete(evidence);
    return err;
}

enum err
work_archive(struct work *work, struct task *task, str reason)
{
    const struct task_event event = {
        .action = "archive", .actor = work->actor, .note = reason};
    enum err err = check_text(work, "reason", reason);

    if (!err && task->status == TASK_ARCHIVED) {
        cJSON_AddStringToObject(work->data, "status", "archived");
        return OK;
    }
    return err ? err
               : task_move(work->moment, task, &event, TASK_ARCHIVED,
                           work->data);
}
