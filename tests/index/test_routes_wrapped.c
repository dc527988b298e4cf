/*
 * Functions of a repository that put routes with the paths they are given.
 * What is told is what the frameworks' own routers had of such applications.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(go);
LINK_LANG(javascript);
LINK_LANG(php);
LINK_LANG(python);

#define APP                                 \
    "const express = require('express');\n" \
    "const app = express();\n"              \
    "const show = (q, s) => {};\n"          \
    "const list = (q, s) => {};\n"          \
    "app.listen(1);\n"

static void
a_path_is_what_each_caller_gives(void **state)
{
    (void)state;
    assert_routes(
        FILES({"lib.js", "exports.add = (app, method, path, ...handlers) => {\n"
                         "  app[method.toLowerCase()](path, ...handlers);\n"
                         "};\n"
                         "exports.get = function (app, path, h) {\n"
                         "  app.get('/api' + path, wrap(h));\n"
                         "};\n"
                         "function wrap(h) { return (q, s) => h(q, s); }\n"},
              {"app.js", APP "const { add, get } = require('./lib');\n"
                             "const v1 = express.Router();\n"
                             "add(app, 'PUT', '/a/:id', check, show);\n"
                             "get(app, '/b', list);\n"
                             "get(v1, '/c', list);\n"
                             "app.use('/v1', v1);\n"
                             "function check(q, s, next) { next(); }\n"}),
        "PUT /a/:id -> /a/{} express show app.js:8\n"
        "GET /api/b -> /api/b express list app.js:9\n"
        "GET /v1/api/c -> /v1/api/c express list app.js:10\n");
}

/* Each is told where the end of its path stands. */
static void
what_a_function_adds_stands_in_it(void **state)
{
    (void)state;
    assert_routes(FILES({"app.js", APP "const crud = (name, c) => {\n"
                                       "  app.get(`/${name}`, c.list);\n"
                                       "  app.get(`/${name}/:id`, c.show);\n"
                                       "};\n"
                                       "crud('users', { list, show });\n"
                                       "crud('carts', { list, show });\n"}),
                  "GET /users -> /users express list app.js:10\n"
                  "GET /carts -> /carts express list app.js:11\n"
                  "GET /users/:id -> /users/{} express show app.js:8\n"
                  "GET /carts/:id -> /carts/{} express show app.js:8\n");
}

static void
functions_hand_on_to_each_other(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js",
               APP "function inner(path, h) { app.get(path, h); }\n"
                   "function outer(path, h) { inner('/out' + path, h); }\n"
                   "outer('/x', show);\n"
                   "inner('/y', list);\n"
                   "['/l', '/m'].forEach((p) => inner(p, show));\n"
                   "function both(path) { app.route(path).get(show)\n"
                   "  .post(list); }\n"
                   "both('/r');\n"}),
        "GET /out/x -> /out/x express show app.js:8\n"
        "GET /y -> /y express list app.js:9\n"
        "GET /l -> /l express show app.js:10\n"
        "GET /m -> /m express show app.js:10\n"
        "GET /r -> /r express show app.js:13\n"
        "POST /r -> /r express list app.js:13\n");
}

/* What one caller leaves out is its default. */
static void
a_caller_may_leave_out_a_prefix(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", APP "function put(h, base = '', path = '/x') {\n"
                             "  app.get(base + path, h);\n"
                             "  app.put(path, h);\n"
                             "}\n"
                             "put(show);\n"
                             "put(list, '/b');\n"}),
        "GET /x -> /x express show app.js:7\n"
        "GET /b/x -> /b/x express list app.js:7\n"
        "PUT /x -> /x express - app.js:8\n");
}

/* A path that is something else by then, that no caller says in the code, or
 * that only tests give, is none. */
static void
what_is_not_known_is_not_told(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", APP "function put(path, h) { app.put(path, h); }\n"
                             "put(process.env.WHERE, show);\n"
                             "function set(path, h) { path = '/s' + path;\n"
                             "  app.get(path, h); }\n"
                             "set('/x', show);\n"
                             "function hide(path, h) { const path2 = path;\n"
                             "  { const path = other(); app.get(path, h); } }\n"
                             "hide('/x', show);\n"
                             "function loop(path, h) { app.get(path, h);\n"
                             "  loop(path + '/x', h); }\n"
                             "exports.add = (path, h) => app.get(path, h);\n"},
              {"client.js", "const axios = require('axios');\n"
                            "const { add } = require('./app');\n"
                            "function get(c, path, h) { c.get(path, h); }\n"
                            "get(axios, '/asked', {});\n"},
              {"test/app.test.js", "const { add } = require('../app');\n"
                                   "add('/tested', () => {});\n"}),
        "");
}

static void
a_method_is_a_function_too(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.ts",
               "import express from 'express';\n"
               "class Server {\n"
               "  app = express();\n"
               "  add(path: string, h: any) { this.app.get(path, h); }\n"
               "}\n"
               "class Base {\n"
               "  app = express();\n"
               "  add(path: string, h: any) { this.app.get(path, h); }\n"
               "}\n"
               "class Heir extends Base {}\n"
               "const show = (q, s) => {};\n"
               "const server = new Server();\n"
               "server.add('/x', show);\n"
               "new Heir().add('/not', show);\n"}),
        "GET /x -> /x express show app.ts:13\n");
}

static void
functions_of_python_are_given_arguments_by_name(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.py",
               "from fastapi import APIRouter, FastAPI\n"
               "app = FastAPI()\n"
               "r = APIRouter()\n"
               "def show(): ...\n"
               "def add(router, path, fn, method='GET'):\n"
               "    router.add_api_route(path, fn, methods=[method])\n"
               "def crud(router, prefix):\n"
               "    router.add_api_route(prefix + '/list', show)\n"
               "add(app, '/a', show)\n"
               "add(r, fn=show, path='/b', method='PUT')\n"
               "crud(app, '/v1')\n"
               "crud(app, '/v2')\n"
               "app.include_router(r, prefix='/r')\n"}),
        "GET /a -> /a fastapi show app.py:9\n"
        "PUT /r/b -> /r/b fastapi show app.py:10\n"
        "GET /v1/list -> /v1/list fastapi show app.py:8\n"
        "GET /v2/list -> /v2/list fastapi show app.py:8\n");
}

static void
functions_of_go_are_given_a_prefix_or_a_struct(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.go",
               "package main\n"
               "import (\n"
               "\t\"net/http\"\n"
               "\t\"github.com/go-chi/chi/v5\"\n"
               ")\n"
               "type route struct {\n"
               "\tpath string\n"
               "\th    http.HandlerFunc\n"
               "}\n"
               "func show(w http.ResponseWriter, r *http.Request) {}\n"
               "func add(r chi.Router, rt route) { r.Get(rt.path, rt.h) }\n"
               "func register(r chi.Router, prefix string) {\n"
               "\tr.Post(prefix+\"/show\", show)\n"
               "}\n"
               "func main() {\n"
               "\tr := chi.NewRouter()\n"
               "\tadd(r, route{\"/a\", show})\n"
               "\tadd(r, route{path: \"/b\", h: show})\n"
               "\tregister(r, \"/v1\")\n"
               "\tregister(r, \"/v2\")\n"
               "\thttp.ListenAndServe(\":1\", r)\n"
               "}\n"}),
        "GET /a -> /a chi show main.go:17\n"
        "GET /b -> /b chi show main.go:18\n"
        "POST /v1/show -> /v1/show chi show main.go:13\n"
        "POST /v2/show -> /v2/show chi show main.go:13\n");
}

static void
functions_of_php_are_gone_into(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.php",
               "<?php\n"
               "$app = \\Slim\\Factory\\AppFactory::create();\n"
               "function add($app, string $path, $h) {\n"
               "  $app->get($path, $h);\n"
               "}\n"
               "add($app, '/a', function ($q, $r) { return $r; });\n"
               "add($app, '/b', h: function ($q, $r) { return $r; });\n"}),
        "GET /a -> /a slim lambda app.php:6\n"
        "GET /b -> /b slim lambda app.php:7\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_what_each_caller_gives),
        cmocka_unit_test(what_a_function_adds_stands_in_it),
        cmocka_unit_test(functions_hand_on_to_each_other),
        cmocka_unit_test(a_caller_may_leave_out_a_prefix),
        cmocka_unit_test(what_is_not_known_is_not_told),
        cmocka_unit_test(a_method_is_a_function_too),
        cmocka_unit_test(functions_of_python_are_given_arguments_by_name),
        cmocka_unit_test(functions_of_go_are_given_a_prefix_or_a_struct),
        cmocka_unit_test(functions_of_php_are_gone_into),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
