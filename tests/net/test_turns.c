/* Whose work is next, with the time as the test has it. */
#include "net/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "net/hub.h"

enum { AT_ONCE = 3, ITEMS_MAX = 2000 };

/* Items by the letters of who asks; capitals take ten seconds, others one
 * millisecond.  Those that run end in the order they began. */
static struct {
    struct turns *turns;
    struct item {
        struct turns_item turn; /* first */
        char what;
    } items[ITEMS_MAX];
    size_t len;
    struct item *running[ITEMS_MAX];
    size_t begun;
    size_t ended;
    struct buf order; /* in which they began */
} it;

static int
setup(void **state)
{
    (void)state;
    memset(&it, 0, sizeof(it));
    it.turns = turns_new(AT_ONCE);
    return it.turns ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    turns_free(it.turns);
    buf_fini(&it.order);
    return 0;
}

static void
begin(struct item *item)
{
    it.running[it.begun++] = item;
    buf_add_char(&it.order, item->what);
    assert_true(it.begun - it.ended <= AT_ONCE);
}

static void
enter(const char *who)
{
    for (; *who; who++) {
        struct item *item = &it.items[it.len++];

        assert_true(it.len <= ITEMS_MAX);
        item->what = *who;
        item->turn.share =
            *who == '0' ? HUB_SHARES - 1 : (uint32_t)(*who | 0x20);
        if (turns_enter(it.turns, &item->turn))
            begin(item);
    }
}

/* Has |count| of those that run end; false: fewer run. */
static bool
end(size_t count)
{
    while (count-- && it.ended < it.begun) {
        struct item *item = it.running[it.ended++];
        struct turns_item *next =
            turns_leave(it.turns, &item->turn,
                        item->what < 'a' ? 10 * NS_PER_S : NS_PER_MS);
        if (next)
            begin((struct item *)(void *)next);
    }
    return count == SIZE_MAX;
}

static void
check_order(const char *wanted)
{
    assert_string_equal(buf_cstr(&it.order), wanted);
}

static void
as_many_run_as_may(void **state)
{
    (void)state;
    enter("aab");
    check_order("aab");
    enter("c");
    check_order("aab");
    assert_true(end(1));
    check_order("aabc");
    assert_true(end(3));
    assert_false(end(1));
    enter("000d");
    check_order("aabc000");
    assert_true(end(4));
    assert_int_equal(it.begun, it.len);
}

/* 300 of one client, then one of another: it is next. */
static void
a_newcomer_waits_for_one_that_runs(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++)
        enter("A");
    end(20);
    enter("b");
    end(1);
    assert_int_equal(it.order.ptr[it.order.len - 1], 'b');
    /* And again. */
    end(5);
    enter("b");
    end(1);
    assert_int_equal(it.order.ptr[it.order.len - 1], 'b');
    end(SIZE_MAX - 1);
    assert_int_equal(it.begun, 302);
}

static void
clients_take_turns_and_each_keeps_its_order(void **state)
{
    (void)state;
    enter("AAAAAABBBCCC");
    end(12);
    check_order("AAABCABCABCA");
    for (size_t i = 0; i < it.begun; i++)
        for (size_t k = i + 1; k < it.begun; k++)
            assert_true(it.running[i]->what != it.running[k]->what ||
                        it.running[i] < it.running[k]);
}

/* Of two that have none at work, who had less time. */
static void
short_ones_go_before_long_ones(void **state)
{
    (void)state;
    enter("ABC"); /* each has ten seconds */
    enter("DEFDEFdef");
    end(3);
    check_order("ABCDEF");
    enter("ABCx");
    end(1);
    check_order("ABCDEFx");
}

/* Whoever was idle does not go before others for all of that time. */
static void
nobody_saves_up(void **state)
{
    (void)state;
    enter("zzz");
    end(3);
    for (int i = 0; i < 30; i++) {
        enter("A"); /* five minutes, when nobody else asks */
        end(1);
    }
    buf_reset(&it.order);
    enter("AAAAABBBBBBBBBB");
    end(4);
    /* Not all of B first. */
    assert_non_null(memchr(it.order.ptr + 3, 'A', it.order.len - 3));
    end(11);
    assert_int_equal(it.order.len, 15);
}

/* One long question does not count for as long as it was: after five seconds
 * that the others have had, its client's next has its turn. */
static void
a_long_one_does_not_hold_back_the_next(void **state)
{
    (void)state;
    enter("XXX");
    for (int i = 0; i < 1000; i++)
        enter("c");
    end(3); /* thirty seconds */
    enter("x");
    for (int i = 0; i < 3; i++)
        enter("FGH");
    end(1000);
    end(SIZE_MAX - 1);
    assert_int_equal(it.begun, it.len);
    const char *at = memchr(it.order.ptr, 'x', it.order.len);
    const char *last = it.order.ptr + it.order.len - 1;
    assert_non_null(at);
    assert_true(at < last - 3);
}

#define TURNS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TURNS(as_many_run_as_may),
        TURNS(a_newcomer_waits_for_one_that_runs),
        TURNS(clients_take_turns_and_each_keeps_its_order),
        TURNS(short_ones_go_before_long_ones),
        TURNS(nobody_saves_up),
        TURNS(a_long_one_does_not_hold_back_the_next),
    };

    turns_free(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
