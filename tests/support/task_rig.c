#include "tests/support/task_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge/work.h"
#include "tests/support/dir.h"

struct task_rig task_rig;

const char *const task_reasons[TASK_WORDS] = {
    "no key yet", "the bank is closed", "waiting for ann"};
const char *const task_commits[TASK_WORDS] = {"aaaaaaa1", "bbbbbbb2",
                                              "ccccccc3"};

uint32_t
task_rig_draw(uint32_t below)
{
    task_rig.random =
        task_rig.random * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(task_rig.random >> 33) % below;
}

void
task_rig_reopen(void)
{
    knowledge_close(task_rig.knowledge);
    assert_int_equal(
        knowledge_open(&task_rig.knowledge, task_rig.dir, &task_rig.cfg), OK);
}

static void
add_tasks(void)
{
    struct buf why = {0};
    struct moment moment = {.now_s = task_rig.now_s, .why = &why};
    struct object project = {0};
    bool is_new;

    assert_int_equal(knowledge_write(task_rig.knowledge, &moment), OK);
    const struct entity_new add = {
        .type = "project", .title = STR("P"), .content = STR("p")};
    assert_int_equal(entity_add(&moment, &add, &project, &is_new), OK);
    for (int i = 0; i < TASK_RIG_LEN; i++) {
        char title[32];
        struct object object = {0};

        snprintf(title, sizeof(title), "Task %d", i);
        const struct entity_new task = {.type = "task",
                                        .title = str_of(title),
                                        .content = str_of(title),
                                        .project = project.oid};
        assert_int_equal(entity_add(&moment, &task, &object, &is_new), OK);
        assert_true(is_new);
        task_rig.oids[i] = object.oid;
        const struct task_new row = {.oid = object.oid,
                                     .priority = PRIORITY_MEDIUM};
        assert_int_equal(task_add(&moment, &row), OK);
        task_rig.model[i] = (struct task_model){.status = TASK_TODO};
        object_fini(&object);
    }
    object_fini(&project);
    assert_int_equal(knowledge_end(task_rig.knowledge, &moment, OK), OK);
    buf_fini(&why);
}

static void
open_rig(bool is_strict)
{
    memset(&task_rig, 0, sizeof(task_rig));
    dir_make(task_rig.dir);
    task_rig.cfg = (struct knowledge_cfg){.is_strict = is_strict};
    task_rig.now_s = 1700000000;
    task_rig.random = 88172645463325252U + is_strict;
    assert_int_equal(
        knowledge_open(&task_rig.knowledge, task_rig.dir, &task_rig.cfg), OK);
    add_tasks();
}

int
task_rig_setup_strict(void **state)
{
    (void)state;
    open_rig(true);
    return 0;
}

int
task_rig_setup_free(void **state)
{
    (void)state;
    open_rig(false);
    return 0;
}

int
task_rig_teardown(void **state)
{
    (void)state;
    knowledge_close(task_rig.knowledge);
    dir_remove(task_rig.dir);
    return 0;
}

enum err
task_step_apply(struct moment *moment, int64_t oid,
                const struct task_step *step)
{
    struct work work = {.moment = moment,
                        .data = cJSON_CreateObject(),
                        .hints = cJSON_CreateArray()};
    struct task task = {0};
    cJSON *array = cJSON_CreateArray();
    enum err err = task_get(moment, oid, &task);

    cJSON_AddItemToArray(array, cJSON_CreateString(task_commits[step->which]));
    assert_int_equal(err, OK);
    if (step->action == 0)
        err = work_start(&work, &task, STR("ann"));
    else if (step->action == 1)
        err = work_block(&work, &task, str_of(task_reasons[step->which]));
    else if (step->action == 2)
        err = work_unblock(&work, &task);
    else if (step->action == 3)
        err = work_review(&work, &task, array, STR("https://x/1"));
    else if (step->action == 4)
        err = work_complete(&work, &task, 2, STR("it works"));
    else
        err = work_archive(&work, &task, STR("old"));
    cJSON_Delete(array);
    cJSON_Delete(work.data);
    cJSON_Delete(work.hints);
    task_fini(&task);
    return err;
}

bool
task_model_apply(struct task_model *model, const struct task_step *step)
{
    static const enum task_status to[TASK_ACTIONS] = {
        TASK_DOING,  TASK_BLOCKED, TASK_DOING,
        TASK_REVIEW, TASK_DONE,    TASK_ARCHIVED};
    enum task_status next = to[step->action];
    bool is_on_path =
        next == model->status || task_allowed(model->status, next);

    if (!is_on_path &&
        (task_rig.cfg.is_strict || model->status == TASK_ARCHIVED))
        return false;
    model->status = next;
    model->is_started |= step->action == 0;
    if (step->action == 1)
        model->blockers |= 1U << step->which;
    if (step->action == 3)
        model->commits |= 1U << step->which;
    if (step->action == 4) {
        model->has_episode = true;
        model->met = model->blockers;
    }
    return true;
}
