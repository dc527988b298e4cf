#include "net/grpc_unary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/str.h"

enum { ROOM = 32 };

/* |call| in pieces of |step|; what core would have then is in |room|.  Whether
 * the message is whole. */
static bool
follow(str call, size_t step, uint8_t *room)
{
    struct unary unary = {.have = 0};

    memcpy(room, call.ptr, call.len);
    for (size_t at = 0; at < call.len; at += step)
        unary_take(&unary, room + at,
                   at + step < call.len ? step : call.len - at);
    return unary_is_whole(&unary);
}

static void
a_call_is_the_same_however_it_was_cut(void **state)
{
    static const struct {
        str call;
        str left; /* for core */
        bool is_whole;
    } rows[] = {
        {STR_INIT("\0\0\0\0"), STR_INIT("\0\0\0\0"), false},
        {STR_INIT("\0\0\0\0\0"), STR_INIT("\0\0\0\0\0"), true},
        {STR_INIT("\0\0\0\0\3ab"), STR_INIT("\0\0\0\0\3ab"), false},
        {STR_INIT("\1\0\0\0\3abc"), STR_INIT("\1\0\0\0\3abc"), true},
        {STR_INIT("\0\0\0\0\3abcd"), STR_INIT("\0\0\0\0\3abcd"), true},
        {STR_INIT("\0\0\0\0\0\7\0\0\0\0"), STR_INIT("\0\0\0\0\0\7\0\0\0\0"),
         true},
        {STR_INIT("\0\1\0\0\0abc"), STR_INIT("\0\1\0\0\0abc"), false},
        {STR_INIT("\2\0\0\0\3abc"),
         STR_INIT("\0\xff\xff\xff\xff"
                  "abc"),
         false},
        {STR_INIT("\xff\0\0\0\0"), STR_INIT("\0\xff\xff\xff\xff"), false},
        {STR_INIT("\7"), STR_INIT("\0"), false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        for (size_t step = 1; step <= rows[i].call.len; step++) {
            uint8_t room[ROOM];

            assert_int_equal(follow(rows[i].call, step, room),
                             rows[i].is_whole);
            assert_int_equal(rows[i].left.len, rows[i].call.len);
            assert_memory_equal(room, rows[i].left.ptr, rows[i].left.len);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_the_same_however_it_was_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
