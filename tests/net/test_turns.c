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
#define BEGAN_NS (1000 * NS_PER_S)

/* Items by the letters of who asks; capitals take ten seconds, others one
 * millisecond.  Those that run end in the order they began. */
static struct {
    struct turns *turns;
    uint64_t now_ns; /* stands still but for wait_s */
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
    it.now_ns = BEGAN_NS;
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
begin_all(void)
{
    for (struct turns_item *turn; (turn = turns_next(it.turns, it.now_ns));) {
        struct item *item = (struct item *)(void *)turn;

        it.running[it.begun++] = item;
        buf_add_char(&it.order, item->what);
        assert_true(it.begun - it.ended <= AT_ONCE);
    }
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
        turns_enter(it.turns, &item->turn);
        begin_all();
    }
}

/* Has |count| of those that run end; false: fewer run. */
static bool
end(size_t count)
{
    while (count-- && it.ended < it.begun) {
        struct item *item = it.running[it.ended++];

        turns_leave(it.turns, &item->turn,
                    item->what < 'a' ? 10 * NS_PER_S : NS_PER_MS, it.now_ns);
        begin_all();
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
    check_order("aabc00d");
    assert_true(end(4));
    check_order("aabc00d0");
    assert_int_equal(it.begun, it.len);
}

/* 300 of one client, then one of another: it waits for none. */
static void
a_newcomer_does_not_wait_for_one_client(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++)
        enter("A");
    assert_int_equal(it.begun, AT_ONCE - 1);
    end(20);
    enter("b");
    assert_int_equal(it.order.ptr[it.order.len - 1], 'b');
    /* And again. */
    end(5);
    enter("b");
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
    check_order("AABCBCABCAAA");
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

/* Two that ask what is long, each more than once, and then a third: what is
 * short is answered while theirs run, again and again. */
static void
two_long_ones_leave_a_place_to_short_ones(void **state)
{
    (void)state;
    enter("ABC");
    end(3);
    buf_reset(&it.order);
    enter("ABABCC");
    check_order("AB");
    enter("d");
    check_order("ABd");
    enter("ddd"); /* one after another */
    check_order("ABd");
    end(3);
    /* That it was a short one is known now. */
    check_order("ABdCdA");
    end(SIZE_MAX - 1);
    assert_int_equal(it.begun, it.len);
}

static void
wait_s(uint64_t seconds)
{
    it.now_ns += seconds * NS_PER_S;
}

/* Whether |who|, while two run of whom that is known to be long, is let in
 * beside them. */
static bool
is_let_in(const char *who)
{
    enter("AB");
    end(2);
    enter("AB");
    size_t begun = it.begun;
    enter(who);
    bool done = it.begun == begun + 1;
    end(SIZE_MAX - 1);
    assert_int_equal(it.begun, it.len);
    return done;
}

/* Four times half of ten seconds is less than one. */
static void
who_asks_no_long_ones_for_a_while_is_let_in_again(void **state)
{
    (void)state;
    enter("X");
    end(1);
    assert_false(is_let_in("x"));
    for (int i = 0; i < 39; i++) {
        wait_s(1);
        assert_false(is_let_in("x"));
    }
    wait_s(1);
    assert_true(is_let_in("x"));
    /* And from the last long one on. */
    enter("X");
    end(1);
    wait_s(39);
    enter("X");
    end(1);
    wait_s(39);
    assert_false(is_let_in("x"));
    wait_s(1);
    assert_true(is_let_in("x"));
}

/* Nothing is asked meanwhile, so nothing else could make it short. */
static void
who_was_idle_for_hours_is_a_stranger(void **state)
{
    (void)state;
    enter("X");
    end(1);
    wait_s(24 * S_PER_H);
    assert_true(is_let_in("x"));
    wait_s(1);
    assert_true(is_let_in("X"));
    assert_false(is_let_in("X"));
}

/* However many they are. */
static void
cheap_questions_make_nobody_short(void **state)
{
    (void)state;
    enter("X");
    end(1);
    for (int i = 0; i < 1000; i++) {
        enter("x");
        end(1);
    }
    assert_false(is_let_in("x"));
}

/* Of two strangers one ends, was short, and so may have the kept place; and the
 * other is for who asks what is long. */
static void
several_may_begin_when_one_ends(void **state)
{
    (void)state;
    enter("C");
    end(1);
    buf_reset(&it.order);
    enter("abCa");
    check_order("ab");
    end(1);
    check_order("abaC");
}

/* With one place there is none to keep. */
static void
a_single_place_is_for_all(void **state)
{
    (void)state;
    turns_free(it.turns);
    it.turns = turns_new(1);
    assert_non_null(it.turns);
    enter("AAb");
    end(1);
    check_order("Ab");
    end(1);
    check_order("AbA");
}

#define TURNS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TURNS(as_many_run_as_may),
        TURNS(a_newcomer_does_not_wait_for_one_client),
        TURNS(clients_take_turns_and_each_keeps_its_order),
        TURNS(short_ones_go_before_long_ones),
        TURNS(nobody_saves_up),
        TURNS(a_long_one_does_not_hold_back_the_next),
        TURNS(two_long_ones_leave_a_place_to_short_ones),
        TURNS(who_asks_no_long_ones_for_a_while_is_let_in_again),
        TURNS(who_was_idle_for_hours_is_a_stranger),
        TURNS(cheap_questions_make_nobody_short),
        TURNS(several_may_begin_when_one_ends),
        TURNS(a_single_place_is_for_all),
    };

    turns_free(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
