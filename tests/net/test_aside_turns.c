/* The order in which large bodies have their turn. */
#include "net/aside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/buf.h"
#include "net/hub.h"

static atomic_int ran;

static void
run(struct aside_job *job, struct inflater *inflater)
{
    assert_non_null(inflater);
    assert_int_equal(atomic_fetch_add(&ran, 1), *(int *)(void *)(job + 1));
    free(job);
}

static void
jobs_of_one_run_once_and_in_order(void **state)
{
    enum { JOBS = 1000 };
    struct aside *aside;

    (void)state;
    atomic_store(&ran, 0);
    assert_int_equal(aside_new(&aside), OK);
    for (int i = 0; i < JOBS; i++) {
        struct aside_job *job = malloc(sizeof(*job) + sizeof(int));

        *job = (struct aside_job){.run = run};
        *(int *)(void *)(job + 1) = i;
        aside_post(aside, job);
        if (i == JOBS / 2)
            assert_int_equal(aside_start(aside), OK);
    }
    aside_stop(aside);
    assert_int_equal(ran, JOBS);
    aside_free(aside);
    aside_free(NULL);
}

/* Jobs by the letters of their senders, capitals of long ones; each time one of
 * |caller| runs, one of |called| comes. */
static struct {
    struct aside *aside;
    struct buf order;
    char caller;
    char called;
    bool is_priced; /* long ones are expected to be so */
} turns;

struct turn {
    struct aside_job job;
    char what;
};

static void add_turn(char what);

static void
take_turn(struct aside_job *job, struct inflater *inflater)
{
    char what = ((struct turn *)(void *)job)->what;

    (void)inflater;
    buf_add_char(&turns.order, what);
    if (what == turns.caller)
        add_turn(turns.called);
    usleep(what < 'a' ? 50000 : 2000);
    free(job);
}

enum { PRICE = 125000 }; /* bytes, which are expected to take a millisecond */

static void
add_turn(char what)
{
    struct turn *turn = malloc(sizeof(*turn));

    *turn = (struct turn){.job = {.run = take_turn}, .what = what};
    turn->job.body.share =
        what == '0' ? HUB_SHARES - 1 : (uint32_t)(what | 0x20);
    if (turns.is_priced)
        turn->job.body.len = what < 'a' ? 9 * PRICE : PRICE;
    aside_post(turns.aside, &turn->job);
}

/* Has all of |posted| run, and the order begin as |wanted|. */
static void
run_turns(const char *posted, const char *wanted)
{
    for (; *posted; posted++)
        add_turn(*posted);
    assert_int_equal(aside_start(turns.aside), OK);
    aside_stop(turns.aside);
    assert_true(str_starts(buf_str(&turns.order), str_of(wanted)));
    buf_reset(&turns.order);
}

static void
begin_turns(char caller, char called)
{
    memset(&turns, 0, sizeof(turns));
    turns.caller = caller;
    turns.called = called;
    assert_int_equal(aside_new(&turns.aside), OK);
}

static void
end_turns(void)
{
    aside_free(turns.aside);
    buf_fini(&turns.order);
}

static void
who_had_the_least_of_the_time_is_next(void **state)
{
    static const char *const cases[][2] = {
        {"aaab", "abaa"},
        {"AAqqqq", "AqqqqA"},
        {"AAABBBcd", "ABcd"},
        {"0a0", "0a0"}, /* of the last share */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        begin_turns(0, 0);
        run_turns(cases[i][0], cases[i][1]);
        end_turns();
    }
}

/* Whoever has come first; and what is long is not passed for ever. */
static void
who_sends_little_goes_before_who_sends_much(void **state)
{
    static const char *const cases[][2] = {
        {"ABCDEx", "xABCDE"},
        {"ABCDExy", "xyABCDE"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        begin_turns(0, 0);
        turns.is_priced = true;
        run_turns(cases[i][0], cases[i][1]);
        end_turns();
    }
    begin_turns(0, 0);
    turns.is_priced = true;
    for (const char *what = "Axxxxxxxxxxyyyyyyyyyy"; *what; what++)
        add_turn(*what);
    assert_int_equal(aside_start(turns.aside), OK);
    aside_stop(turns.aside);
    assert_int_equal(turns.order.len, 21);
    assert_int_equal(turns.order.ptr[0], 'x');
    assert_non_null(memchr(turns.order.ptr, 'A', 11));
    end_turns();
}

/* When all of them have had some, too. */
static void
a_newcomer_is_next(void **state)
{
    (void)state;
    begin_turns('c', 'n');
    run_turns("AAABBBc", "ABcn");
    end_turns();
}

/* Who has had nothing, and then sends much, does not go before all others until
 * it has had as much as they. */
static void
nobody_saves_up(void **state)
{
    str order = {NULL, 0};

    (void)state;
    begin_turns(0, 0);
    run_turns("AAAAAa", "AAAAAa");
    for (const char *what = "nnnnnnnnnnnnnnnnnnnnaaaaa"; *what; what++)
        add_turn(*what);
    assert_int_equal(aside_start(turns.aside), OK);
    aside_stop(turns.aside);
    order = buf_str(&turns.order);
    assert_int_equal(order.len, 25);
    assert_int_equal(order.ptr[0], 'n');
    assert_non_null(memchr(order.ptr, 'a', 20));
    end_turns();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_of_one_run_once_and_in_order),
        cmocka_unit_test(who_had_the_least_of_the_time_is_next),
        cmocka_unit_test(who_sends_little_goes_before_who_sends_much),
        cmocka_unit_test(a_newcomer_is_next),
        cmocka_unit_test(nobody_saves_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
