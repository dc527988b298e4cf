#include "net/grpc_unary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/str.h"

enum { ROOM = 32 };

/* |call| in pieces of |step|; what core would have then is in |room|. */
static enum unary_state
follow(str call, size_t step, uint8_t *room)
{
    struct unary unary = {.have = 0};
    enum unary_state state = UNARY_PART;

    memcpy(room, call.ptr, call.len);
    for (size_t at = 0; at < call.len; at += step)
        state = unary_take(&unary, room + at,
                           at + step < call.len ? step : call.len - at);
    return state;
}

static void
a_call_is_the_same_however_it_was_cut(void **state)
{
    static const struct {
        str call;
        str left; /* for core */
        enum unary_state state;
    } rows[] = {
        {STR_INIT("\0\0\0\0"), STR_INIT("\0\0\0\0"), UNARY_PART},
        {STR_INIT("\0\0\0\0\0"), STR_INIT("\0\0\0\0\0"), UNARY_WHOLE},
        {STR_INIT("\0\0\0\0\3ab"), STR_INIT("\0\0\0\0\3ab"), UNARY_PART},
        {STR_INIT("\1\0\0\0\3abc"), STR_INIT("\1\0\0\0\3abc"), UNARY_WHOLE},
        {STR_INIT("\0\0\0\0\3abcd"), STR_INIT("\0\0\0\0\3abc\0"), UNARY_MORE},
        {STR_INIT("\0\0\0\0\0\0\0\0\0\0"), STR_INIT("\0\0\0\0\0\0\0\0\0\0"),
         UNARY_MORE},
        {STR_INIT("\0\1\0\0\0abc"), STR_INIT("\0\1\0\0\0abc"), UNARY_PART},
        {STR_INIT("\2\0\0\0\3abc"),
         STR_INIT("\0\xff\xff\xff\xff"
                  "abc"),
         UNARY_PART},
        {STR_INIT("\xff\0\0\0\0"), STR_INIT("\0\xff\xff\xff\xff"), UNARY_PART},
        {STR_INIT("\7"), STR_INIT("\0"), UNARY_PART},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        for (size_t step = 1; step <= rows[i].call.len; step++) {
            uint8_t room[ROOM];

            assert_int_equal(follow(rows[i].call, step, room), rows[i].state);
            assert_int_equal(rows[i].left.len, rows[i].call.len);
            assert_memory_equal(room, rows[i].left.ptr, rows[i].left.len);
        }
    }
}

static void
nothing_changes_nothing(void **state)
{
    struct unary unary = {.have = 0};
    uint8_t message[] = {0, 0, 0, 0, 1, 'x', 'y'};

    (void)state;
    assert_int_equal(unary_take(&unary, message, 0), UNARY_PART);
    assert_int_equal(unary_take(&unary, message, 6), UNARY_WHOLE);
    assert_int_equal(unary_take(&unary, message, 0), UNARY_WHOLE);
    assert_int_equal(message[6], 'y');
    assert_int_equal(unary_take(&unary, message + 6, 1), UNARY_MORE);
    assert_int_equal(message[6], 0);
    assert_int_equal(unary_take(&unary, message + 6, 1), UNARY_MORE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_the_same_however_it_was_cut),
        cmocka_unit_test(nothing_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
