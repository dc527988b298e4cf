/*
 * Lists of routes that are longer than what the facts hold of a list, and what
 * is looked at of lists and loops that name each other many times.
 */

#include "index/visit.h"
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);
LINK_LANG(python);

/* |count| patterns p0, p1, ...; the last two of them below another list. */
static void
add_patterns(struct buf *text, unsigned count)
{
    buf_add(text, STR("from django.urls import include, path\n"
                      "urlpatterns = [path('api/', include([\n"));
    for (unsigned i = 0; i + 2 < count; i++)
        buf_printf(text, "path('p%u', v),\n", i);
    buf_printf(text, "path('in/', include([path('p%u', v)])),\n", count - 2);
    buf_printf(text, "path('p%u', v),\n", count - 1);
    buf_add(text, STR("])), path('end', v)]\n"));
}

/* |path| of pattern |i| is told from the root if the list has it. */
static void
expect(struct buf *out, const char *path, unsigned i)
{
    bool is_held = i < VISIT_LIST_MAX;
    const char *front = is_held ? "api/" : "";

    buf_printf(out, "ANY %s%s%u -> /%s%s%u django - u.py:%u%s\n", front, path,
               i, front, path, i, i + 3, is_held ? "" : " tail");
}

static void
assert_patterns(unsigned count)
{
    struct buf text = {0};
    struct buf expected = {0};

    add_patterns(&text, count);
    for (unsigned i = 0; i + 2 < count; i++)
        expect(&expected, "p", i);
    expect(&expected, "in/p", count - 2);
    expect(&expected, "p", count - 1);
    buf_printf(&expected, "ANY end -> /end django - u.py:%u\n", count + 3);
    assert_routes(FILES({"u.py", buf_cstr(&text)}), buf_cstr(&expected));
    buf_fini(&text);
    buf_fini(&expected);
}

static void
what_a_long_list_of_django_holds_is_not_at_the_root(void **state)
{
    (void)state;
    assert_patterns(VISIT_LIST_MAX);
    assert_patterns(VISIT_LIST_MAX + 1);
    assert_patterns(VISIT_LIST_MAX + 2);
}

/* |uses| of what no scope of a hundred knows, and a loop behind them. */
static void
assert_loop(unsigned uses, const char *expected)
{
    enum { DEPTH = 100 };
    struct buf text = {0};

    buf_add(&text, STR("const express = require('express')\n"
                       "const app = express()\n"
                       "const a = express.Router(), b = express.Router()\n"
                       "a.get('/a', (q, s) => {}); b.get('/b', (q, s) => {})\n"
                       "app.listen(1)\n"));
    for (unsigned i = 0; i < DEPTH; i++)
        buf_printf(&text, "function f%u() {\n", i);
    for (unsigned i = 0; i < uses; i++)
        buf_add(&text, STR("app.use('/x', q)\n"));
    for (unsigned i = 0; i < DEPTH; i++)
        buf_add(&text, STR("}\n"));
    buf_add(&text, STR("for (const r of [a, b]) app.use('/loop', r)\n"));
    assert_routes(FILES({"a.js", buf_cstr(&text)}), expected);
    buf_fini(&text);
}

static void
loops_are_found_behind_many_names_of_deep_scopes(void **state)
{
    (void)state;
    assert_loop(5, "GET /loop/a -> /loop/a express lambda a.js:4\n"
                   "GET /loop/b -> /loop/b express lambda a.js:4\n");
    assert_loop(500, "GET /loop/a -> /loop/a express lambda a.js:4\n"
                     "GET /loop/b -> /loop/b express lambda a.js:4\n");
}

/* |uses| in a file that binds 2^15 names, and a loop behind them. */
static void
assert_rows(unsigned uses, const char *expected)
{
    enum { BINDS = 1 << 15, OTHERS = 7 };
    struct buf text = {0};

    buf_add(&text, STR("const express = require('express')\n"
                       "const app = express()\n"
                       "const h = (q, s) => {}\n"
                       "for (const p of ['/l', '/m']) app.get(p, h)\n"
                       "{\n"));
    for (unsigned i = 0; i < BINDS - OTHERS; i++)
        buf_printf(&text, "let v%u = 1\n", i);
    buf_add(&text, STR("}\n"));
    for (unsigned i = 0; i < uses; i++)
        buf_add(&text, STR("app.use('/x', h)\n"));
    buf_add(&text, STR("for (const p of ['/n', '/o']) app.get(p, h)\n"));
    assert_routes(FILES({"a.js", buf_cstr(&text)}), expected);
    buf_fini(&text);
}

/* 2^25 rows of binds are looked at in a file: of 2^15, those of 1024 names.
 * A use has two names that are looked for twice.  Behind the limit a loop gives
 * its first item. */
static void
loops_behind_too_many_rows_are_not_gone_through(void **state)
{
    enum { AT_LIMIT = 243 };

    (void)state;
    assert_rows(AT_LIMIT, "GET /l -> /l express h a.js:4\n"
                          "GET /m -> /m express h a.js:4\n"
                          "GET /n -> /n express h a.js:33011\n"
                          "GET /o -> /o express h a.js:33011\n");
    assert_rows(AT_LIMIT + 1, "GET /l -> /l express h a.js:4\n"
                              "GET /m -> /m express h a.js:4\n"
                              "GET /n -> /n express h a.js:33012\n");
}

/* ---- lists and classes that name each other many times ---- */

enum { LEVELS = 8, EACH = 60 };

/* Levels of lists, each |EACH| times what is below it, between |before|
 * and |behind|; the last has a rule. */
static void
assert_levels(const char *open, const char *before, const char *behind,
              const char *close)
{
    struct buf text = {0};

    buf_add(&text, STR("import tornado.web\n"
                       "class H(tornado.web.RequestHandler):\n"
                       "  def get(self): pass\n"
                       "L8 = [('/x', H)]\n"));
    for (unsigned i = LEVELS; --i > 0;) {
        buf_printf(&text, "L%u = %s", i, open);
        for (unsigned k = 0; k < EACH; k++)
            buf_printf(&text, "%sL%u%s", before, i + 1, behind);
        buf_printf(&text, "%s\n", close);
    }
    buf_add(&text, STR("app = tornado.web.Application(L1)\n"));
    assert_routes(FILES({"a.py", buf_cstr(&text)}),
                  "GET /x -> /x tornado get a.py:4\n");
    buf_fini(&text);
}

static void
lists_of_tornado_in_each_other_are_gone_through_once(void **state)
{
    (void)state;
    assert_levels("[", "*", ", ", "]");
    assert_levels("[] ", "+ ", " ", "");
}

/* |sums| applications of a sum, the last of which has a rule. */
static void
assert_sums(unsigned sums, const char *expected)
{
    struct buf text = {0};

    buf_add(&text, STR("import tornado.web\n"
                       "class H(tornado.web.RequestHandler):\n"
                       "  def get(self): pass\n"
                       "e = []\n"
                       "last = [('/last', H)]\n"));
    for (unsigned i = 1; i < sums; i++)
        buf_add(&text, STR("tornado.web.Application(e + e)\n"));
    buf_add(&text, STR("tornado.web.Application(e + last)\n"));
    assert_routes(FILES({"a.py", buf_cstr(&text)}), expected);
    buf_fini(&text);
}

static void
of_more_sums_of_lists_it_is_not_known_who_serves_them(void **state)
{
    (void)state;
    assert_sums(4096, "GET /last -> /last tornado get a.py:5\n");
    assert_sums(4097, "GET /last -> /last tornado get a.py:5 tail\n");
}

static void
classes_with_many_ways_to_a_base_are_asked_once(void **state)
{
    struct buf text = {0};

    (void)state;
    buf_add(&text, STR("import tornado.web\nclass C9: pass\n"));
    for (unsigned i = LEVELS; i > 0; i--) {
        buf_printf(&text, "class C%u(", i);
        for (unsigned k = 0; k < EACH; k++)
            buf_printf(&text, "C%u, ", i + 1);
        buf_add(&text, STR("): pass\n"));
    }
    buf_add(&text, STR("class H(C1, tornado.web.RequestHandler):\n"
                       "  def get(self): pass\n"
                       "rules = [('/none', C1), ('/h', H)]\n"));
    assert_routes(FILES({"a.py", buf_cstr(&text)}),
                  "GET /h -> /h tornado get a.py:13 tail\n");
    buf_fini(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_long_list_of_django_holds_is_not_at_the_root),
        cmocka_unit_test(loops_are_found_behind_many_names_of_deep_scopes),
        cmocka_unit_test(loops_behind_too_many_rows_are_not_gone_through),
        cmocka_unit_test(lists_of_tornado_in_each_other_are_gone_through_once),
        cmocka_unit_test(of_more_sums_of_lists_it_is_not_known_who_serves_them),
        cmocka_unit_test(classes_with_many_ways_to_a_base_are_asked_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
