/*
 * Loops over lists that stand in the code: how much of them is gone through.
 */
#include "index/routes_turns.h"
#include "index/visit.h"
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);
LINK_LANG(python);
LINK_LANG(ruby);

enum { ITEMS = 32, CALLS = LOOPED_OF_FILE / ITEMS };

static uint32_t
count_routes(const struct route_file *files)
{
    struct fixture f;
    uint32_t len;

    fixture_open(&f, files);
    assert_int_equal(fixture_find(&f), OK);
    len = f.build.route_len;
    fixture_close(&f);
    return len;
}

static void
add_items(struct buf *text, unsigned items)
{
    for (unsigned i = 0; i < items; i++)
        buf_printf(text, "'/i%u',", i);
}

static void
begin_app(struct buf *text)
{
    buf_add(text, STR("const app = require('express')()\n"
                      "app.listen(1)\n"
                      "for (const x of ["));
    add_items(text, ITEMS);
    buf_add(text, STR("]) {\n"));
}

/* An application of |calls| in one loop. */
static void
write_app(struct buf *text, unsigned file, unsigned calls)
{
    begin_app(text);
    for (unsigned i = 0; i < calls; i++)
        buf_printf(text, "app.get(x + '/%u/%u', h)\n", file, i);
    buf_add(text, STR("}\n"));
}

static void
a_file_has_so_many_routes_of_loops(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        struct buf text = {0};
        write_app(&text, 0, CALLS + more);
        assert_int_equal(count_routes(FILES({"a.js", buf_cstr(&text)})),
                         LOOPED_OF_FILE + more);
        buf_fini(&text);
    }
}

static void
a_repository_has_so_many_routes_of_loops(void **state)
{
    enum { FULL = LOOPED_OF_ALL / LOOPED_OF_FILE };
    static const char *const names[FULL + 1] = {"a.js", "b.js", "c.js", "d.js",
                                                "e.js"};

    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        struct route_file files[FULL + 2] = {{NULL, NULL}};
        struct buf texts[FULL + 1] = {{0}};
        for (unsigned i = 0; i <= FULL; i++) {
            unsigned calls = i < FULL ? CALLS - !i : 1 + more;
            write_app(&texts[i], i, calls);
            files[i] = (struct route_file){names[i], buf_cstr(&texts[i])};
        }
        assert_int_equal(count_routes(files), LOOPED_OF_ALL + more);
        for (unsigned i = 0; i <= FULL; i++)
            buf_fini(&texts[i]);
    }
}

/* |others| calls of something else, then a route. */
static uint32_t
routes_behind(unsigned others)
{
    struct buf text = {0};

    begin_app(&text);
    for (unsigned i = 0; i < others; i++)
        buf_add(&text, STR("cache.get(x)\n"));
    buf_add(&text, STR("app.get(x + '/a', h)\n}\n"));
    uint32_t routes = count_routes(FILES({"a.js", buf_cstr(&text)}));
    buf_fini(&text);
    return routes;
}

static void
a_file_has_so_many_turns(void **state)
{
    (void)state;
    assert_int_equal(routes_behind(TURNS_OF_FILE / ITEMS - 1), ITEMS);
    assert_int_equal(routes_behind(TURNS_OF_FILE / ITEMS), 1);
}

/* Of two loops in each other. */
static uint32_t
routes_of_two(unsigned outer, unsigned inner)
{
    struct buf text = {0};

    buf_add(&text, STR("const app = require('express')()\n"
                       "app.listen(1)\nfor (const x of ["));
    add_items(&text, outer);
    buf_add(&text, STR("])\nfor (const y of ["));
    add_items(&text, inner);
    buf_add(&text, STR("])\napp.get(x + y + '/a', h)\n"));
    uint32_t routes = count_routes(FILES({"a.js", buf_cstr(&text)}));
    buf_fini(&text);
    return routes;
}

static void
a_call_has_so_many_turns(void **state)
{
    (void)state;
    assert_int_equal(routes_of_two(16, 15), 240); /* and 16 of the outer */
    assert_int_equal(routes_of_two(16, 16), 241);
}

static void
of_a_list_that_is_longer_than_its_facts_the_rest_is_open(void **state)
{
    struct buf text = {0};

    (void)state;
    assert_int_equal(routes_of_two(VISIT_LIST_MAX - 1, 1), VISIT_LIST_MAX - 1);
    assert_int_equal(routes_of_two(VISIT_LIST_MAX, 1), VISIT_LIST_MAX + 1);
    buf_add(&text, STR("require 'sinatra'\n["));
    add_items(&text, VISIT_LIST_MAX + 1);
    buf_add(&text, STR("].each do |x|\nget(\"#{x}/a\") { 1 }\nend\n"));
    assert_int_equal(count_routes(FILES({"a.rb", buf_cstr(&text)})),
                     VISIT_LIST_MAX + 1);
    buf_fini(&text);
}

static void
what_is_above_the_turns_is_told_with_its_end(void **state)
{
    (void)state;
    assert_routes(FILES({"a.rb", "require 'sinatra'\n"
                                 "list.each do |x|\n"
                                 "  get(\"#{x}/a\") { 1 }\n"
                                 "  get(x) { 1 }\n"
                                 "end\n"}),
                  "GET /a -> /a sinatra lambda a.rb:3 tail\n");
    assert_routes(FILES({"a.js", "const app = require('express')()\n"
                                 "app.listen(1)\n"
                                 "for (const x of list)\n"
                                 "  app.get(x + '/a', h)\n"}),
                  "GET /a -> /a express - a.js:4 tail\n");
}

static void
of_lists_that_go_together_or_are_cut_it_is_not_known_what_is_taken(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.py", "from flask import Flask\n"
                       "app = Flask(__name__)\n"
                       "for p, q in zip(['/k', '/l'], ['/m', '/n']):\n"
                       "  app.add_url_rule(p + q + '/z', 'n', v)\n"
                       "  app.add_url_rule(p, 'n', v)\n"
                       "for p in ['/s', '/t'][1:]:\n"
                       "  app.add_url_rule(p + '/u', 'n', v)\n"
                       "for p in ['/a', '/b']:\n"
                       "  for q in ['/c', '/d']:\n"
                       "    app.add_url_rule(p + q, 'n', v)\n"}),
        "GET /z -> /z flask - a.py:4 tail\n"
        "GET /u -> /u flask - a.py:7 tail\n"
        "GET /a/c -> /a/c flask - a.py:10\n"
        "GET /a/d -> /a/d flask - a.py:10\n"
        "GET /b/c -> /b/c flask - a.py:10\n"
        "GET /b/d -> /b/d flask - a.py:10\n");
    assert_routes(
        FILES({"a.js", "const app = require('express')()\n"
                       "app.listen(1)\n"
                       "const all = ['/a', '/b']\n"
                       "const some = all.filter(ok)\n"
                       "for (const x of all.slice(1)) app.get(x + '/s', h)\n"
                       "for (const x of some) app.get(x + '/f', h)\n"
                       "for (const x of some) app.get(x, h)\n"
                       "for (const x of all) app.get(x + '/w', h)\n"}),
        "GET /s -> /s express - a.js:5 tail\n"
        "GET /f -> /f express - a.js:6 tail\n"
        "GET /a/w -> /a/w express - a.js:8\n"
        "GET /b/w -> /b/w express - a.js:8\n");
}

static void
each_turn_has_the_router_that_it_makes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "const express = require('express');\n"
                         "const app = express();\n"
                         "const all = { '/a': a, '/b': b };\n"
                         "const one = express.Router();\n"
                         "for (const [p, h] of Object.entries(all)) {\n"
                         "  const r = express.Router();\n"
                         "  r.get('/x', h);\n"
                         "  r.get('/y', a);\n"
                         "  app.use(p, r);\n"
                         "}\n"
                         "for (const [p, h] of Object.entries(all)) {\n"
                         "  one.get(p, h);\n"
                         "  app.use(p, one);\n"
                         "}\n"
                         "function a() {}\n"
                         "function b() {}\n"},
              {"app.py", "from fastapi import FastAPI, APIRouter\n"
                         "app = FastAPI()\n"
                         "def a(): pass\n"
                         "def b(): pass\n"
                         "for p, h in (('/c', a), ('/d', b)):\n"
                         "    r = APIRouter(prefix='/v' + p)\n"
                         "    r.add_api_route('/x', h)\n"
                         "    app.include_router(r)\n"}),
        "GET /a/x -> /a/x express a app.js:7\n"
        "GET /b/x -> /b/x express b app.js:7\n"
        "GET /a/y -> /a/y express a app.js:8\n"
        "GET /b/y -> /b/y express a app.js:8\n"
        "GET /a/a -> /a/a express a app.js:12\n"
        "GET /b/a -> /b/a express a app.js:12\n"
        "GET /a/b -> /a/b express b app.js:12\n"
        "GET /b/b -> /b/b express b app.js:12\n"
        "GET /x -> /x fastapi a app.py:7 tail\n"
        "GET /x -> /x fastapi b app.py:7 tail\n");
}

static void
modules_are_gone_through(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "const app = require('express')();\n"
                         "const a = require('./a'), b = require('./b');\n"
                         "[a, b].forEach(m => app.use(m.path, m.router));\n"},
              {"a.js", "const router = require('express').Router();\n"
                       "router.get('/x', show); function show() {}\n"
                       "module.exports = { path: '/a', router };\n"},
              {"b.js", "exports.router = require('express').Router();\n"
                       "exports.path = '/b';\n"
                       "exports.router.get('/x', show); function show() {}\n"},
              {"app.py", "from fastapi import FastAPI\n"
                         "from api import c, d\n"
                         "app = FastAPI()\n"
                         "for m in (c, d):\n"
                         "    app.include_router(m.router, prefix=m.PATH)\n"},
              {"api/__init__.py", ""},
              {"api/c.py", "from fastapi import APIRouter\n"
                           "PATH = '/c'\n"
                           "router = APIRouter()\n"
                           "@router.get('/x')\n"
                           "def show(): pass\n"},
              {"api/d.py", "from fastapi import APIRouter\n"
                           "router = APIRouter()\n"
                           "PATH = choose()\n"
                           "@router.get('/x')\n"
                           "def show(): pass\n"}),
        "GET /a/x -> /a/x express show a.js:2\n"
        "GET /b/x -> /b/x express show b.js:3\n"
        "GET /c/x -> /c/x fastapi show api/c.py:4\n"
        "GET /x -> /x fastapi show api/d.py:4 tail\n");
}

static void
what_a_key_of_a_loop_finds_is_taken(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js",
               "const { Router } = require('express');\n"
               "const app = require('express')();\n"
               "const a = Router(); a.get('/x', show);\n"
               "const b = Router(); b.get('/x', edit);\n"
               "const all = { a, b };\n"
               "const views = { '/show': show, '/edit': edit };\n"
               "Object.keys(all).forEach(k => app.use(`/v/${k}`, all[k]));\n"
               "for (const k in all) app.use('/w/' + k, all[k]);\n"
               "['/show', '/edit', '/no'].forEach(p => app.get(p, views[p]));\n"
               "function show() {}\n"
               "function edit() {}\n"},
              {"app.py", "from flask import Flask\n"
                         "app = Flask(__name__)\n"
                         "def show(): pass\n"
                         "def edit(): pass\n"
                         "views = {'show': show, 'edit': edit}\n"
                         "for name in views:\n"
                         "    app.add_url_rule('/p/' + name, name,\n"
                         "                     views[name])\n"}),
        "GET /v/a/x -> /v/a/x express show app.js:3\n"
        "GET /w/a/x -> /w/a/x express show app.js:3\n"
        "GET /v/b/x -> /v/b/x express edit app.js:4\n"
        "GET /w/b/x -> /w/b/x express edit app.js:4\n"
        "GET /show -> /show express show app.js:9\n"
        "GET /edit -> /edit express edit app.js:9\n"
        "GET /no -> /no express - app.js:9\n"
        "GET /p/show -> /p/show flask show app.py:7\n"
        "GET /p/edit -> /p/edit flask edit app.py:7\n");
}

static void
the_case_of_a_method_may_be_changed(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.js", "const app = require('express')();\n"
                       "const all = [{ m: 'GET', p: '/a', h: one },\n"
                       "             { m: 'POST', p: '/b', h: one }];\n"
                       "function one(req, res) {}\n"
                       "all.forEach(r => app[r.m.toLowerCase()](r.p, r.h));\n"
                       "app.listen(80);\n"}),
        "GET /a -> /a express one a.js:5\n"
        "POST /b -> /b express one a.js:5\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_so_many_routes_of_loops),
        cmocka_unit_test(a_repository_has_so_many_routes_of_loops),
        cmocka_unit_test(a_file_has_so_many_turns),
        cmocka_unit_test(a_call_has_so_many_turns),
        cmocka_unit_test(
            of_a_list_that_is_longer_than_its_facts_the_rest_is_open),
        cmocka_unit_test(
            of_lists_that_go_together_or_are_cut_it_is_not_known_what_is_taken),
        cmocka_unit_test(what_is_above_the_turns_is_told_with_its_end),
        cmocka_unit_test(each_turn_has_the_router_that_it_makes),
        cmocka_unit_test(modules_are_gone_through),
        cmocka_unit_test(what_a_key_of_a_loop_finds_is_taken),
        cmocka_unit_test(the_case_of_a_method_may_be_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
