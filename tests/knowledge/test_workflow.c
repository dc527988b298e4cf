/*
 * The workflow against a model: ten thousand random walks over a few tasks,
 * legal steps and others, repeated, given up half way, by processes that die
 * or are killed at any moment, and with the file opened again in between.  What
 * is stored in the end is what the model says: a walk that was answered is
 * there whole, one that was not is there whole or not at all, and made again
 * where it is not.  SIZE=nightly and release walk more (tests/support/size.h).
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "knowledge/links.h"
#include "tests/support/size.h"
#include "tests/support/task_rig.h"

enum { STEPS_MAX = 3, DEATHS = 20 };

/* A walk is one transaction; the first step that is refused gives it up. */
static void
walk(bool is_given_up)
{
    uint32_t at = task_rig_draw(TASK_RIG_LEN);
    struct task_model model = task_rig.model[at];
    struct buf why = {0};
    struct moment moment = {.now_s = ++task_rig.now_s, .why = &why};
    uint32_t steps = 1 + task_rig_draw(STEPS_MAX);
    enum err err = OK;
    bool is_legal = true;

    assert_int_equal(knowledge_write(task_rig.knowledge, &moment), OK);
    for (uint32_t i = 0; i < steps && is_legal; i++) {
        /* To archive is the end, so it is rarely drawn. */
        struct task_step step = {(int)task_rig_draw(task_rig_draw(400) ? 5 : 6),
                                 task_rig_draw(3)};
        uint32_t times = 1 + (task_rig_draw(4) == 0);

        for (; times && is_legal; times--) {
            err = task_step_apply(&moment, task_rig.oids[at], &step);
            is_legal = task_model_apply(&model, &step);
            assert_int_equal(err, is_legal ? OK : ERR_INVALID);
        }
    }
    if (!is_legal)
        assert_non_null(strstr(buf_cstr(&why), "Invalid transition: "));
    if (!err && is_given_up)
        err = ERR_CANCELLED;
    assert_int_equal(knowledge_end(task_rig.knowledge, &moment, err), err);
    if (!err)
        task_rig.model[at] = model;
    buf_fini(&why);
}

/* A process that dies within a transaction leaves nothing of it. */
static void
die(void)
{
    knowledge_close(task_rig.knowledge);
    task_rig.knowledge = NULL;
    pid_t child = fork();

    if (child == 0) {
        struct buf why = {0};
        struct moment moment = {.now_s = task_rig.now_s, .why = &why};
        const struct task_step step = {0, 0};

        if (knowledge_open(&task_rig.knowledge, task_rig.dir, &task_rig.cfg) ||
            knowledge_write(task_rig.knowledge, &moment))
            _exit(1);
        for (int i = 0; i < TASK_RIG_LEN; i++)
            (void)task_step_apply(&moment, task_rig.oids[i], &step);
        _exit(0);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(
        knowledge_open(&task_rig.knowledge, task_rig.dir, &task_rig.cfg), OK);
}

/* ---- what is stored ---- */

static unsigned
bits_of(const cJSON *array, const char *const *words)
{
    unsigned bits = 0;
    const cJSON *item;

    cJSON_ArrayForEach(item, array)
    {
        for (int i = 0; i < 3; i++)
            if (strcmp(item->valuestring, words[i]) == 0) {
                assert_false(bits >> i & 1); /* each once */
                bits |= 1U << i;
            }
    }
    return bits;
}

static size_t
count_links(struct moment *moment, int64_t oid, enum link_way way,
            const char *type)
{
    struct link_list links = {0};

    assert_int_equal(links_of(moment, oid, way, type, &links), OK);
    size_t len = links.len;
    link_list_fini(&links);
    return len;
}

/* What is stored of a task, as the model tells it. */
struct stored {
    struct task_model model; /* |met|: how many, not which */
    size_t episodes;
};

static struct stored
read_task(struct moment *moment, uint32_t at)
{
    int64_t oid = task_rig.oids[at];
    struct stored stored = {0};
    struct task task;

    assert_int_equal(task_get(moment, oid, &task), OK);
    stored.model.status = task.status;
    stored.model.blockers = bits_of(task.blockers, task_reasons);
    stored.model.commits = bits_of(task.commits, task_commits);
    stored.model.is_started = task.started_s != 0;
    stored.episodes = count_links(moment, oid, LINK_IN, "DERIVED_FROM");
    stored.model.met =
        (unsigned)count_links(moment, oid, LINK_OUT, "ENCOUNTERED");
    task_fini(&task);
    return stored;
}

static bool
is_as(const struct stored *stored, const struct task_model *model)
{
    return stored->model.status == model->status &&
           stored->model.blockers == model->blockers &&
           stored->model.commits == model->commits &&
           stored->model.is_started == model->is_started &&
           stored->episodes == (size_t)model->has_episode &&
           stored->model.met == (unsigned)__builtin_popcount(model->met);
}

static void
compare(void)
{
    struct buf why = {0};
    struct moment moment = {.now_s = task_rig.now_s, .why = &why};

    assert_int_equal(knowledge_read(task_rig.knowledge, &moment), OK);
    for (uint32_t i = 0; i < TASK_RIG_LEN; i++) {
        struct stored stored = read_task(&moment, i);

        assert_int_equal(stored.model.status, task_rig.model[i].status);
        assert_true(is_as(&stored, &task_rig.model[i]));
    }
    assert_int_equal(knowledge_end(task_rig.knowledge, &moment, OK), OK);
    buf_fini(&why);
}

/* ---- killed at any moment ---- */

struct plan {
    uint32_t at;
    uint32_t len;
    struct task_step steps[2 * STEPS_MAX];
};

static void
draw_plan(struct plan *out)
{
    *out = (struct plan){.at = task_rig_draw(TASK_RIG_LEN)};
    for (uint32_t i = 1 + task_rig_draw(STEPS_MAX); i > 0; i--) {
        struct task_step step = {(int)task_rig_draw(5), task_rig_draw(3)};

        for (uint32_t times = 1 + (task_rig_draw(4) == 0); times; times--)
            out->steps[out->len++] = step;
    }
}

/* As one transaction; false: a step was refused. */
static bool
make_plan(const struct plan *plan)
{
    struct buf why = {0};
    struct moment moment = {.now_s = task_rig.now_s, .why = &why};
    enum err err = knowledge_write(task_rig.knowledge, &moment);

    if (err)
        return false;
    for (uint32_t i = 0; i < plan->len && !err; i++)
        err =
            task_step_apply(&moment, task_rig.oids[plan->at], &plan->steps[i]);
    err = knowledge_end(task_rig.knowledge, &moment, err);
    buf_fini(&why);
    return !err;
}

static void
make_and_answer(const struct plan *plan, int answer)
{
    if (knowledge_open(&task_rig.knowledge, task_rig.dir, &task_rig.cfg))
        _exit(1);
    char told = make_plan(plan) ? 'y' : 'n';
    _exit(write(answer, &told, 1) == 1 ? 0 : 1);
}

/* What a process that is killed some time after it began has answered; 0: it
 * did not come to it. */
static char
kill_it(const struct plan *plan)
{
    char told = 0;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    knowledge_close(task_rig.knowledge);
    task_rig.knowledge = NULL;
    pid_t child = fork();
    if (child == 0)
        make_and_answer(plan, ends[1]);
    assert_true(child > 0);
    bool is_patient = task_rig_draw(4) == 0;
    (void)close(ends[1]);
    if (!is_patient)
        (void)usleep(task_rig_draw(5000));
    else if (read(ends[0], &told, 1) != 1)
        told = 0;
    assert_int_equal(kill(child, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!is_patient && read(ends[0], &told, 1) != 1)
        told = 0;
    (void)close(ends[0]);
    assert_int_equal(
        knowledge_open(&task_rig.knowledge, task_rig.dir, &task_rig.cfg), OK);
    return told;
}

static struct stored
read_again(uint32_t at)
{
    struct buf why = {0};
    struct moment moment = {.now_s = task_rig.now_s, .why = &why};

    assert_int_equal(knowledge_read(task_rig.knowledge, &moment), OK);
    struct stored stored = read_task(&moment, at);
    assert_int_equal(knowledge_end(task_rig.knowledge, &moment, OK), OK);
    buf_fini(&why);
    return stored;
}

static void
walk_and_be_killed(unsigned seen[2])
{
    struct plan plan;

    draw_plan(&plan);
    task_rig.now_s++;
    struct task_model model = task_rig.model[plan.at];
    bool is_legal = true;
    for (uint32_t i = 0; i < plan.len && is_legal; i++)
        is_legal = task_model_apply(&model, &plan.steps[i]);
    char told = kill_it(&plan);
    assert_true(!told || (told == 'y') == is_legal);
    struct stored stored = read_again(plan.at);
    if (!is_legal || !is_as(&stored, &model)) {
        /* Not answered with yes, and nothing of it is there. */
        assert_int_not_equal(told, 'y');
        assert_true(is_as(&stored, &task_rig.model[plan.at]));
    }
    seen[told != 0]++;
    /* Who got no answer calls again, whether or not it was done. */
    if (told)
        task_rig.model[plan.at] = is_legal ? model : task_rig.model[plan.at];
    else if (is_legal && !is_as(&stored, &model)) {
        assert_true(make_plan(&plan));
        task_rig.model[plan.at] = model;
    } else if (is_legal) {
        task_rig.model[plan.at] = model;
    }
    stored = read_again(plan.at);
    assert_true(is_as(&stored, &task_rig.model[plan.at]));
}

static void
a_walk_that_is_killed_is_there_whole_or_not_at_all(void **state)
{
    uint64_t walks = size_of(150, 2000, 10000);
    unsigned seen[2] = {0};

    (void)state;
    for (uint64_t i = 0; i < walks; i++) {
        walk_and_be_killed(seen);
        if (i % 97 == 0)
            compare();
    }
    compare();
    /* Some were killed before their answer, and some behind it. */
    print_message("%u killed before their answer, %u behind it\n", seen[0],
                  seen[1]);
    assert_true(seen[0] > 0 && seen[1] > 0);
}

static void
run(void)
{
    uint64_t walks = size_of(10000, 100000, 1000000);

    for (uint64_t i = 0; i < walks; i++) {
        walk(task_rig_draw(10) == 0);
        if (i % 997 == 0) {
            task_rig_reopen();
            compare();
        }
        if (i % (walks / DEATHS) == 13)
            die();
    }
    task_rig_reopen();
    compare();
}

static void
random_walks_end_where_the_model_says_on_the_path_alone(void **state)
{
    (void)state;
    run();
}

static void
random_walks_end_where_the_model_says_off_the_path_too(void **state)
{
    (void)state;
    run();
}

static void
each_pair_of_states_is_on_the_path_or_refused(void **state)
{
    static const char *const lines[TASK_STATUS_COUNT] = {
        "todo archived",
        "backlog doing archived",
        "blocked review done archived",
        "doing archived",
        "doing done archived",
        "archived",
        "",
    };

    (void)state;
    for (int from = 0; from < TASK_STATUS_COUNT; from++) {
        struct buf said = {0};

        for (int to = 0; to < TASK_STATUS_COUNT; to++)
            if (task_allowed((enum task_status)from, (enum task_status)to))
                buf_printf(&said, "%s%s", said.len ? " " : "",
                           task_status_str((enum task_status)to));
        assert_string_equal(buf_cstr(&said), lines[from]);
        buf_fini(&said);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_of_states_is_on_the_path_or_refused),
        cmocka_unit_test_setup_teardown(
            random_walks_end_where_the_model_says_on_the_path_alone,
            task_rig_setup_strict, task_rig_teardown),
        cmocka_unit_test_setup_teardown(
            random_walks_end_where_the_model_says_off_the_path_too,
            task_rig_setup_free, task_rig_teardown),
        cmocka_unit_test_setup_teardown(
            a_walk_that_is_killed_is_there_whole_or_not_at_all,
            task_rig_setup_strict, task_rig_teardown),
    };

    size_args(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
