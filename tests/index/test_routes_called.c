/*
 * Which calls of a file rules may be about, by the names that are called.
 */
#include "index/routes_called.h"
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);

static void
assert_called(const char *text, const char *expected, bool has_loops)
{
    struct fixture f;
    struct parts p;
    struct buf seen = {0};

    fixture_open(&f, FILES({"a.js", text}));
    assert_int_equal(parts_init(&p, f.resolver, f.files, f.len, &f.build), OK);
    const struct called_file *called = called_in(&p, 0);
    assert_false(p.failed);
    for (uint32_t i = 0; i < called->len; i++) {
        struct at call = {0, called->calls[i].expr};
        uint8_t rules = called->calls[i].rules;
        str word = part_word(&p, part_callee(&p, call));
        buf_printf(&seen, "%.*s%s%s%s ", (int)word.len, word.ptr,
                   rules & CALLED_VERB ? " verb" : "",
                   rules & CALLED_CLIENT ? " client" : "",
                   rules & CALLED_TOPIC ? " topic" : "");
    }
    assert_string_equal(buf_cstr(&seen), expected);
    assert_int_equal(called->has_loops, has_loops);
    assert_ptr_equal(called, called_in(&p, 0));
    parts_fini(&p);
    fixture_close(&f);
    buf_fini(&seen);
}

static void
calls_are_told_by_what_they_may_be(void **state)
{
    (void)state;
    assert_called("x.get('/a', h)\nx.unheard('/a')\nx.publish('t')\nf('/a')\n",
                  "get verb client publish topic f client ", false);
    assert_called("x.get()\nf()\nx['get']('/a')\n", "get verb get verb client ",
                  false);
    assert_called("", "", false);
}

static void
lists_that_are_gone_through_are_noted(void **state)
{
    (void)state;
    assert_called("for (const a of list) g()\n", "", true);
    assert_called("list.forEach(g)\n", "", true);
    assert_called("list.push(1)\n", "", false);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_told_by_what_they_may_be),
        cmocka_unit_test(lists_that_are_gone_through_are_noted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
