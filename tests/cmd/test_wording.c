#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/wording.h"

static const struct wording words[] = {
    {"source_hash", "NAME"},
    {"max_depth", "--depth"},
    {"graph_query{\"prefix\":\"\"}", "`spangraph query`"},
    {"graph_query", "`spangraph query PREFIX`"},
    {NULL, NULL},
};

static void
expect(const char *text, const char *expected)
{
    struct buf out = {0};

    wording_put(words, "asked", text, &out);
    assert_string_equal(buf_cstr(&out), expected);
    buf_fini(&out);
}

static void
whole_words_are_replaced(void **state)
{
    (void)state;
    expect("", "");
    expect("nothing of it", "nothing of it");
    expect("max_depth", "--depth");
    expect("source_hash is over max_depth 1; graph_query lists",
           "NAME is over --depth 1; `spangraph query PREFIX` lists");
    expect("graph_query{\"prefix\":\"\"} lists all",
           "`spangraph query` lists all");
    expect("my_max_depth max_depths 1max_depth", "my_max_depth max_depths "
                                                 "1max_depth");
}

static void
what_was_typed_stays(void **state)
{
    (void)state;
    expect("source_hash 'max_depth' unknown; closest: \"a source_hash\"",
           "NAME 'max_depth' unknown; closest: \"a source_hash\"");
    expect("it's not max_depth", "it's not --depth");
    expect("'open max_depth", "'open --depth");
    expect("'; try asked{' is unknown", "'; try asked{' is unknown");
}

static void
the_call_at_the_end_is_left_out(void **state)
{
    (void)state;
    expect("missing: source_hash; try asked{\"source_hash\":\"GET /\"}",
           "missing: NAME");
    expect("'x' unknown; closest: y. Try asked{\"service\":\"y\"}",
           "'x' unknown; closest: y");
    expect("too long; try asked", "too long; try asked");
    expect("wrong; try other{}", "wrong; try other{}");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_words_are_replaced),
        cmocka_unit_test(what_was_typed_stays),
        cmocka_unit_test(the_call_at_the_end_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
