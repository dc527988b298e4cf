/*
 * task_rig - a few tasks that are stored, and a model of what is known of each:
 * one step of the workflow can be made of both.
 *
 * Order      What is drawn depends on the rig's |random| alone.
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_TASK_RIG_H
#define TESTS_SUPPORT_TASK_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "knowledge/knowledge.h"
#include "knowledge/task.h"

enum { TASK_RIG_LEN = 12, TASK_ACTIONS = 6, TASK_WORDS = 3 };

struct task_model {
    enum task_status status;
    unsigned blockers; /* bits of the reasons that were given */
    unsigned commits;
    unsigned met; /* bits of the reasons that became patterns of errors */
    bool is_started;
    bool has_episode;
};

struct task_rig {
    char dir[64];
    struct knowledge *knowledge;
    struct knowledge_cfg cfg;
    int64_t oids[TASK_RIG_LEN];
    struct task_model model[TASK_RIG_LEN];
    uint32_t now_s;
    uint64_t random;
};

/* What steps are given as reasons, and as commits. */
extern const char *const task_reasons[TASK_WORDS];
extern const char *const task_commits[TASK_WORDS];

/* The one of the test that runs, its set-ups (off the path is refused, or not)
 * and its tear-down. */
extern struct task_rig task_rig;
int task_rig_setup_strict(void **state);
int task_rig_setup_free(void **state);
int task_rig_teardown(void **state);

uint32_t task_rig_draw(uint32_t below);
void task_rig_reopen(void);

struct task_step {
    int action;
    uint32_t which; /* reason or commit */
};

/* task_step_apply makes a step of a task; errors as those of knowledge/work.h.
 * task_model_apply makes it of a model, if it is allowed. */
enum err task_step_apply(struct moment *moment, int64_t oid,
                         const struct task_step *step);
bool task_model_apply(struct task_model *model, const struct task_step *step);

#endif
