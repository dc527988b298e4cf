/*
 * Prefixes that do not stand where they are given: what the run or a caller
 * chooses is not known, and never none.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);
LINK_LANG(python);

static void
what_is_given_as_a_path_may_be_one(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "const { Router } = require('express')\n"
                         "const app = require('express')()\n"
                         "const a = Router(); a.get('/a', show)\n"
                         "const b = Router(); b.get('/b', show)\n"
                         "const c = Router(); c.get('/c', show)\n"
                         "const d = Router(); d.get('/d', show)\n"
                         "const e = Router(); e.get('/e', show)\n"
                         "function show(req, res) {}\n"
                         "function one(prefix) { app.use(prefix, a) }\n"
                         "function two(opts) { app.use(opts.prefix, b) }\n"
                         "function three({ prefix }) { app.use(prefix, c) }\n"
                         "class Server {\n"
                         "  start() { app.use(this.path, d) }\n"
                         "}\n"
                         "app.use(process.env.BASE, e)\n"}),
        "GET /a -> /a express show app.js:3 tail\n"
        "GET /b -> /b express show app.js:4 tail\n"
        "GET /c -> /c express show app.js:5 tail\n"
        "GET /d -> /d express show app.js:6 tail\n"
        "GET /e -> /e express show app.js:7 tail\n");
}

static void
what_is_a_function_is_no_path(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "const { Router } = require('express')\n"
                         "const passport = require('passport')\n"
                         "const auth = require('./auth')\n"
                         "const limit = passport.limit()\n"
                         "const app = require('express')()\n"
                         "const a = Router(); a.get('/a', show)\n"
                         "const b = Router(); b.get('/b', show)\n"
                         "const c = Router(); c.get('/c', show)\n"
                         "const d = Router(); d.get('/d', show)\n"
                         "function show(req, res) {}\n"
                         "function one(use) { app.use(use, a) }\n"
                         "one((req, res, next) => next())\n"
                         "app.use(auth.required, b)\n"
                         "app.use(passport.session, c)\n"
                         "app.use(limit, d)\n"},
              {"auth.js", "exports.required = (req, res, next) => next()\n"}),
        "GET /a -> /a express show app.js:6\n"
        "GET /b -> /b express show app.js:7\n"
        "GET /c -> /c express show app.js:8\n"
        "GET /d -> /d express show app.js:9\n");
}

static void
where_a_path_comes_first_it_is_never_none(void **state)
{
    (void)state;
    assert_routes(FILES({"app.py", "import json\n"
                                   "from fastapi import FastAPI\n"
                                   "app = FastAPI()\n"
                                   "a = FastAPI()\n"
                                   "@a.get('/a')\n"
                                   "def show(): pass\n"
                                   "app.mount(json.loads('{}')['a'], a)\n"},
                        {"web.py", "import os\n"
                                   "from aiohttp import web\n"
                                   "async def show(request): pass\n"
                                   "app = web.Application()\n"
                                   "a = web.Application()\n"
                                   "a.router.add_get('/a', show)\n"
                                   "app.add_subapp(os.environ['A'], a)\n"},
                        {"app.js", "const { Hono } = require('hono')\n"
                                   "const config = JSON.parse(read())\n"
                                   "const a = new Hono(); a.get('/a', show)\n"
                                   "function show(c) {}\n"
                                   "const app = new Hono()\n"
                                   "app.route(config.path, a)\n"}),
                  "GET /a -> /a fastapi show app.py:5 tail mounted\n"
                  "GET /a -> /a aiohttp show web.py:6 tail\n"
                  "GET /a -> /a hono show app.js:3 tail\n");
}

static void
options_may_be_passed_together(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.py",
               "from flask import Flask, Blueprint\n"
               "app = Flask(__name__)\n"
               "at = {'url_prefix': '/at'}\n"
               "a = Blueprint('a', __name__, **at)\n"
               "b = Blueprint('b', __name__, url_prefix='/old')\n"
               "c = Blueprint('c', __name__, url_prefix='/old')\n"
               "app.register_blueprint(a)\n"
               "app.register_blueprint(b, **dict(url_prefix='/new', **at))\n"
               "def install(app, **more):\n"
               "    app.register_blueprint(c, **more)\n"
               "@a.get('/a')\n"
               "def show_a(): pass\n"
               "@b.get('/b')\n"
               "def show_b(): pass\n"
               "@c.get('/c')\n"
               "def show_c(): pass\n"
               "@app.route('/d', **{'methods': ['POST']})\n"
               "def show_d(): pass\n"
               "install(app, url_prefix='/c')\n"},
              {"api.py", "from fastapi import FastAPI, APIRouter\n"
                         "app = FastAPI()\n"
                         "r = APIRouter()\n"
                         "docs = dict(tags=['r'])\n"
                         "@r.get('/r', **docs)\n"
                         "def show(): pass\n"
                         "app.include_router(r, **docs, **{'prefix': '/p'})\n"},
              {"self.py", "from fastapi import FastAPI, APIRouter\n"
                          "app = FastAPI()\n"
                          "more = dict(**more)\n"
                          "r = APIRouter(**more)\n"
                          "@r.get('/s')\n"
                          "def show(): pass\n"
                          "app.include_router(r)\n"}),
        "GET /at/a -> /at/a flask show_a app.py:11\n"
        "GET /new/b -> /new/b flask show_b app.py:13\n"
        "GET /c -> /c flask show_c app.py:15 tail\n"
        "POST /d -> /d flask show_d app.py:17\n"
        "GET /p/r -> /p/r fastapi show api.py:5\n"
        "GET /s -> /s fastapi show self.py:5 tail\n");
}

static void
what_begins_within_a_parameter_is_no_path(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.py",
               "from flask import Flask\n"
               "app = Flask(__name__)\n"
               "def install(view, url, key):\n"
               "    app.add_url_rule('%s<int:%s>' % (url, key), 'a', view)\n"
               "    app.add_url_rule(f'{url}<{key}>/edit', 'b', view)\n"
               "    app.add_url_rule(f'{url}/<id>', 'c', view)\n"}),
        "GET /<id> -> /{} flask - app.py:6 tail\n");
}

/* As Sanic 25.12's own router told them. */
static void
versions_of_sanic_are_before_all_else(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.py", "from sanic import Sanic, Blueprint\n"
                         "app = Sanic('x')\n"
                         "a = Blueprint('a', url_prefix='/a', version=1)\n"
                         "b = Blueprint('b', url_prefix='/b', version='1.1',\n"
                         "              version_prefix='/api/v')\n"
                         "@a.get('/x')\n"
                         "async def ax(r): pass\n"
                         "@a.get('/y', version=2)\n"
                         "async def ay(r): pass\n"
                         "@b.post('/x')\n"
                         "async def bx(r): pass\n"
                         "@app.get('/y', version='v4')\n"
                         "async def y(r): pass\n"
                         "@app.get('/z', version=choose())\n"
                         "async def z(r): pass\n"
                         "@app.get('/plain')\n"
                         "async def plain(r): pass\n"
                         "app.blueprint(a)\n"
                         "app.blueprint(b, url_prefix='/c')\n"}),
        "GET /v1/a/x -> /v1/a/x sanic ax app.py:6\n"
        "GET /v2/a/y -> /v2/a/y sanic ay app.py:8\n"
        "POST /api/v1.1/c/x -> /api/v1.1/c/x sanic bx app.py:10\n"
        "GET /v4/y -> /v4/y sanic y app.py:12\n"
        "GET /z -> /z sanic z app.py:14 tail\n"
        "GET /plain -> /plain sanic plain app.py:16\n");
}

static void
a_prefix_with_a_number_in_it_is_not_known(void **state)
{
    (void)state;
    assert_routes(FILES({"app.js", "const { Router } = require('express')\n"
                                   "const app = require('express')()\n"
                                   "const a = Router(); a.get('/a', show)\n"
                                   "const b = Router(); b.get('/b', show)\n"
                                   "const c = Router(); c.get('/c', show)\n"
                                   "const V = 2\n"
                                   "function show(req, res) {}\n"
                                   "app.use('/v' + V, a)\n"
                                   "app.use('/v' + process.env.V, b)\n"
                                   "for (let v = 1; v < 4; v++)\n"
                                   "  app.use(`/api/v${v}`, c)\n"}),
                  "GET /a -> /a express show app.js:3 tail\n"
                  "GET /b -> /b express show app.js:4 tail\n"
                  "GET /c -> /c express show app.js:5 tail\n");
    assert_routes(FILES({"app.py", "from fastapi import FastAPI, APIRouter\n"
                                   "app = FastAPI()\n"
                                   "n = 0\n"
                                   "while n < 3:\n"
                                   "    n += 1\n"
                                   "    a = APIRouter(prefix=f'/api/v{n}')\n"
                                   "    @a.get('/a')\n"
                                   "    def of_a(): ...\n"
                                   "    app.include_router(a)\n"}),
                  "GET /a -> /a fastapi of_a app.py:7 tail\n");
}

static void
what_a_call_gives_may_be_a_path(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "const { Router } = require('express')\n"
                         "const path = require('path')\n"
                         "const config = require('config')\n"
                         "const app = require('express')()\n"
                         "const a = Router(); a.get('/a', show)\n"
                         "const b = Router(); b.get('/b', show)\n"
                         "const c = Router(); c.get('/c', show)\n"
                         "const d = Router(); d.get('/d', show)\n"
                         "const e = Router(); e.get('/e', show)\n"
                         "const f = Router(); f.get('/f', show)\n"
                         "function show(req, res) {}\n"
                         "function prefix(v) { return '/api/' + v }\n"
                         "const auth = (role) => (req, res, next) => next()\n"
                         "app.use(prefix('v1'), a)\n"
                         "app.use(path.join('/x', 'y'), b)\n"
                         "app.use(config.get('base'), c)\n"
                         "app.use(['/m', '/n'].map((x) => x), d)\n"
                         "app.use(auth('admin'), e)\n"
                         "app.use(config.limit(), f)\n"}),
        "GET /a -> /a express show app.js:5 tail\n"
        "GET /b -> /b express show app.js:6 tail\n"
        "GET /c -> /c express show app.js:7 tail\n"
        "GET /d -> /d express show app.js:8 tail\n"
        "GET /e -> /e express show app.js:9\n"
        "GET /f -> /f express show app.js:10\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_given_as_a_path_may_be_one),
        cmocka_unit_test(what_is_a_function_is_no_path),
        cmocka_unit_test(where_a_path_comes_first_it_is_never_none),
        cmocka_unit_test(options_may_be_passed_together),
        cmocka_unit_test(versions_of_sanic_are_before_all_else),
        cmocka_unit_test(a_prefix_with_a_number_in_it_is_not_known),
        cmocka_unit_test(what_a_call_gives_may_be_a_path),
        cmocka_unit_test(what_begins_within_a_parameter_is_no_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
