/*
 * Tornado: where its lists of rules stand, and what is added to them.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(python);

#define HANDLER                              \
    "import tornado.web\n"                   \
    "class H(tornado.web.RequestHandler):\n" \
    "    def get(self): pass\n"

static void
lists_may_be_of_other_files(void **state)
{
    (void)state;
    assert_routes(FILES({"views.py", HANDLER},
                        {"urls.py", "from views import H\n"
                                    "handlers = [(r'/a', H)]\n"
                                    "more = [(r'/b', H)]\n"},
                        {"main.py", "import tornado.web\n"
                                    "import urls\n"
                                    "from urls import more as rest\n"
                                    "app = tornado.web.Application("
                                    "urls.handlers + rest)\n"}),
                  "GET /a -> /a tornado get urls.py:2\n"
                  "GET /b -> /b tornado get urls.py:3\n");
}

static void
lists_may_be_made_by_functions(void **state)
{
    (void)state;
    assert_routes(FILES({"a.py", HANDLER
                         "def rules():\n"
                         "    return [(r'/a', H)]\n"
                         "app = tornado.web.Application(list(rules()))\n"}),
                  "GET /a -> /a tornado get a.py:5\n");
}

static void
what_is_added_to_a_list_is_served(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.py", HANDLER "rules = [(r'/a', H)]\n"
                               "rules += [(r'/b', H)]\n"
                               "rules.append((r'/c', H))\n"
                               "rules.insert(0, (r'/d', H))\n"
                               "rules.extend([(r'/e', H)])\n"
                               "unserved = []\n"
                               "unserved.append((r'/f', H))\n"
                               "app = tornado.web.Application(rules)\n"
                               "app.add_handlers('.*', [(r'/g', H)])\n"}),
        "GET /a -> /a tornado get a.py:4\n"
        "GET /b -> /b tornado get a.py:5\n"
        "GET /c -> /c tornado get a.py:6\n"
        "GET /d -> /d tornado get a.py:7\n"
        "GET /e -> /e tornado get a.py:8\n"
        "GET /f -> /f tornado get a.py:10 tail\n"
        "GET /g -> /g tornado get a.py:12\n");
}

static void
rules_may_be_made_in_a_loop(void **state)
{
    (void)state;
    assert_routes(FILES({"a.py", HANDLER
                         "P = '/v1'\n"
                         "app = tornado.web.Application(\n"
                         "    [(P + path, H) for path in ('/a', '/b')] +\n"
                         "    [(r'%s/c' % P, H)])\n"}),
                  "GET /v1/a -> /v1/a tornado get a.py:6\n"
                  "GET /v1/b -> /v1/b tornado get a.py:6\n"
                  "GET /v1/c -> /v1/c tornado get a.py:7\n");
}

static void
a_handler_may_be_named_by_a_text(void **state)
{
    (void)state;
    assert_routes(
        FILES({"views.py", HANDLER "x = 1\n"}, {"empty.py", ""},
              {"main.py", "import tornado.web\n"
                          "app = tornado.web.Application([\n"
                          "    (r'/a', 'views.H'), (r'/b', 'views.Other'),\n"
                          "    (r'/c', 'empty.H'), (r'/d', 'nowhere.H'),\n"
                          "    (r'/e', 'views.x'), (r'/f', 'H'),\n"
                          "    (r'/g', 'views.')])\n"}),
        "GET /a -> /a tornado get main.py:3\n");
}

static void
matchers_of_paths_are_paths(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.py", HANDLER
               "from tornado.routing import HostMatches, PathMatches, Rule\n"
               "app = tornado.web.Application([\n"
               "    Rule(PathMatches(r'/a'), H),\n"
               "    (HostMatches(r'x'), [(r'/b', H)])])\n"}),
        "GET /b -> /b tornado get a.py:7\nGET /a -> /a tornado get a.py:6\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_may_be_of_other_files),
        cmocka_unit_test(lists_may_be_made_by_functions),
        cmocka_unit_test(what_is_added_to_a_list_is_served),
        cmocka_unit_test(rules_may_be_made_in_a_loop),
        cmocka_unit_test(a_handler_may_be_named_by_a_text),
        cmocka_unit_test(matchers_of_paths_are_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
