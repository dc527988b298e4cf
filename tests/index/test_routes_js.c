/*
 * Express, Fastify, NestJS, Koa, Hapi, Restify, Hono, Next.js.
 */
#include <unistd.h>

#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);

static void
express_routers_nest_across_files(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "const express = require('express');\n"
                         "const users = require('./users');\n"
                         "const base = '/api';\n"
                         "const app = express();\n"
                         "app.use(express.json());\n"
                         "app.use(base + '/users', users);\n"
                         "app.use('/v2', users);\n"
                         "app.get('/', (req, res) => res.send('x'));\n"
                         "require('./extra')(app);\n"
                         "app.listen(80);\n"},
              {"users.js", "const { Router } = require('express');\n"
                           "const svc = require('./svc');\n"
                           "const router = Router();\n"
                           "const wrap = f => (a, b, c) => f(a, b, c);\n"
                           "router.get('/:id', wrap(svc.view));\n"
                           "router.route('/').post(svc.make)\n"
                           "  .delete(svc.drop);\n"
                           "module.exports = router;\n"},
              {"svc.js", "exports.view = function view(req, res) {};\n"
                         "exports.make = function make(req, res) {};\n"
                         "function drop(req, res) {}\n"
                         "exports.drop = drop;\n"},
              {"extra.js", "module.exports = function (app) {\n"
                           "  app.all('/any', handler);\n"
                           "  app.get(['/a', '/b'], handler);\n"
                           "};\n"
                           "function handler(req, res) {}\n"}),
        "GET / -> / express lambda app.js:8\n"
        "GET /api/users/:id -> /api/users/{} express view users.js:5\n"
        "GET /v2/:id -> /v2/{} express view users.js:5\n"
        "POST /api/users -> /api/users express make users.js:6\n"
        "POST /v2 -> /v2 express make users.js:6\n"
        "DELETE /api/users -> /api/users express drop users.js:7\n"
        "DELETE /v2 -> /v2 express drop users.js:7\n"
        "ANY /any -> /any express handler extra.js:2\n"
        "GET /a,/b -> /a,/b express handler extra.js:3\n");
}

static void
express_routes_of_classes_have_their_methods(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.ts", "import express from 'express';\n"
                         "import { CartRoutes } from './cart';\n"
                         "import * as m from './mod';\n"
                         "const app = express();\n"
                         "app.use('/cart', new CartRoutes().router);\n"
                         "app.use('/mod', m.default);\n"},
              {"cart.ts",
               "import { Router, Request, Response } from 'express';\n"
               "export class CartRoutes {\n"
               "  public router: Router;\n"
               "  constructor() {\n"
               "    this.router = Router();\n"
               "    this.router.get('/view', this.view.bind(this));\n"
               "    this.router.post(`/${NAME}/x`, this.add);\n"
               "  }\n"
               "  view(req: Request, res: Response) {}\n"
               "  add = async (req: Request, res: Response) => {};\n"
               "}\n"
               "const NAME = 'add';\n"},
              {"mod.ts", "import { Router } from 'express';\n"
                         "const r = Router();\n"
                         "r.put('/p', async (req, res) => {});\n"
                         "export default r;\n"}),
        "GET /cart/view -> /cart/view express view cart.ts:6\n"
        "POST /cart/add/x -> /cart/add/x express add cart.ts:7\n"
        "PUT /mod/p -> /mod/p express lambda mod.ts:3\n");
}

static void
fastify_plugins_carry_prefixes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "import Fastify from 'fastify';\n"
                         "import routes from './routes.js';\n"
                         "const fastify = Fastify({ logger: true });\n"
                         "fastify.register(routes, { prefix: '/v1' });\n"
                         "fastify.register(async function (f, o) {\n"
                         "  f.get('/inner', async () => 1);\n"
                         "}, { prefix: '/in' });\n"
                         "fastify.route({ method: ['GET', 'HEAD'],\n"
                         "  url: '/obj/:id', handler: show });\n"
                         "fastify.post('/opts', { schema: {} }, show);\n"
                         "async function show(req, reply) {}\n"},
              {"routes.js", "async function routes(fastify, options) {\n"
                            "  fastify.get('/list', list);\n"
                            "}\n"
                            "async function list(req, reply) {}\n"
                            "export default routes;\n"}),
        "GET /in/inner -> /in/inner fastify lambda app.js:6\n"
        "GET /obj/:id -> /obj/{} fastify show app.js:8\n"
        "HEAD /obj/:id -> /obj/{} fastify show app.js:8\n"
        "POST /opts -> /opts fastify show app.js:10\n"
        "GET /v1/list -> /v1/list fastify list routes.js:2\n");
}

static void
nest_controllers_have_the_global_prefix(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/main.ts",
               "import { NestFactory } from '@nestjs/core';\n"
               "import { AppModule } from './app.module';\n"
               "async function boot() {\n"
               "  const app = await NestFactory.create(AppModule);\n"
               "  app.setGlobalPrefix('api');\n"
               "  await app.listen(3000);\n"
               "}\n"
               "boot();\n"},
              {"src/cats.controller.ts",
               "import { Controller, Get, Post, All } from '@nestjs/common';\n"
               "@Controller('cats')\n"
               "export class CatsController {\n"
               "  @Get()\n"
               "  findAll(): string { return 'x'; }\n"
               "  @Get(':id')\n"
               "  findOne() {}\n"
               "  @Post(['a', 'b'])\n"
               "  make() {}\n"
               "}\n"
               "@Controller({ path: 'dogs' })\n"
               "export class Dogs { @All('*') any() {} helper() {} }\n"}),
        "GET /api/cats -> /api/cats nestjs findAll "
        "src/cats.controller.ts:4\n"
        "GET /api/cats/:id -> /api/cats/{} nestjs findOne "
        "src/cats.controller.ts:6\n"
        "POST /api/cats/a -> /api/cats/a nestjs make "
        "src/cats.controller.ts:8\n"
        "POST /api/cats/b -> /api/cats/b nestjs make "
        "src/cats.controller.ts:8\n"
        "ANY /api/dogs/* -> /api/dogs/{**} nestjs any "
        "src/cats.controller.ts:12\n");
}

static void
koa_hapi_restify_and_hono_have_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"koa.js", "const Koa = require('koa');\n"
                         "const Router = require('@koa/router');\n"
                         "const app = new Koa();\n"
                         "const router = new Router({ prefix: '/k' });\n"
                         "const sub = new Router();\n"
                         "sub.get('/s', async ctx => {});\n"
                         "router.get('/:id', async ctx => {});\n"
                         "router.use('/n', sub.routes());\n"
                         "app.use(router.routes());\n"},
              {"hapi.js", "const Hapi = require('@hapi/hapi');\n"
                          "const init = async () => {\n"
                          "  const server = Hapi.server({ port: 3000 });\n"
                          "  server.route({ method: 'GET', path: '/h/{id}',\n"
                          "    handler: (request, h) => 'x' });\n"
                          "  server.route([{ method: '*', path: '/w',\n"
                          "    options: { handler: late } }]);\n"
                          "  server.route({ method: 'PUT', path: '/o',\n"
                          "    options: named });\n"
                          "};\n"
                          "const named = { handler: late };\n"
                          "function late(request, h) {}\n"},
              {"rest.js", "const restify = require('restify');\n"
                          "const server = restify.createServer();\n"
                          "server.get('/hello/:name', respond);\n"
                          "function respond(req, res, next) {}\n"},
              {"hono.ts", "import { Hono } from 'hono'\n"
                          "const app = new Hono()\n"
                          "const books = new Hono()\n"
                          "books.get('/:id', (c) => c.text('x'))\n"
                          "app.route('/books', books)\n"
                          "export default app\n"}),
        "GET /k/n/s -> /k/n/s koa lambda koa.js:6\n"
        "GET /k/:id -> /k/{} koa lambda koa.js:7\n"
        "GET /h/{id} -> /h/{} hapi handler hapi.js:4\n"
        "ANY /w -> /w hapi late hapi.js:6\n"
        "PUT /o -> /o hapi late hapi.js:8\n"
        "GET /hello/:name -> /hello/{} restify respond rest.js:3\n"
        "GET /books/:id -> /books/{} hono lambda hono.ts:4\n");
}

/* The first text is a name, where a second one is the path. */
static void
koa_routes_may_have_names(void **state)
{
    (void)state;
    assert_routes(
        FILES({"koa.js",
               "const Router = require('@koa/router');\n"
               "const router = new Router({ prefix: '/k' });\n"
               "new (require('koa'))().use(router.routes());\n"
               "router.get('year', '/counts/:year', function counts() {});\n"
               "router.get('old', /^\\/old/, old);\n"
               "router.register('/both', ['GET', 'POST'], both);\n"
               "router.register('/list', ['PUT'], [old, both]);\n"
               "router.post('/plain', old, both);\n"
               "router.post('/alone');\n"
               "function both(ctx) {}\n"
               "function old(ctx, next) {}\n"}),
        "GET /k/counts/:year -> /k/counts/{} koa counts koa.js:4\n"
        "GET /k/^\\/old/ -> /k/old koa old koa.js:5\n"
        "GET /k/both -> /k/both koa both koa.js:6\n"
        "POST /k/both -> /k/both koa both koa.js:6\n"
        "PUT /k/list -> /k/list koa both koa.js:7\n"
        "POST /k/plain -> /k/plain koa both koa.js:8\n");
}

static void
what_only_looks_like_a_route_is_none(void **state)
{
    (void)state;
    assert_routes(
        FILES({"near.js", "import axios from 'axios';\n"
                          "import request from 'supertest';\n"
                          "import express from 'express';\n"
                          "const map = new Map();\n"
                          "map.get('/x', () => 1);\n"
                          "cache.put('/k', v);\n"
                          "client.get('/u', (e, r) => 1);\n"
                          "const app = express();\n"
                          "app.get('view engine');\n"
                          "request(app).get('/t').expect(200, () => 1);\n"
                          "function f(app) { app.get('/q', () => 1); }\n"}),
        "");
}

/* All that use all others: more ways up than can be gone, none to a root. */
static void
routers_tangled_in_circles_end(void **state)
{
    enum { ROUTERS = 14 };
    struct buf text = {0};

    (void)state;
    buf_add(&text, STR("const express = require('express');\n"));
    for (unsigned i = 0; i < ROUTERS; i++)
        buf_printf(&text, "const r%u = express.Router();\n", i);
    for (unsigned i = 0; i < ROUTERS; i++)
        for (unsigned k = 0; k < ROUTERS; k++)
            if (i != k)
                buf_printf(&text, "r%u.use(r%u);\n", i, k);
    buf_add(&text, STR("r0.get('/x', (req, res) => 1);\n"));
    (void)alarm(60);
    /* Not all ways are looked at: it is not known where it is. */
    assert_routes(FILES({"tangle.js", buf_cstr(&text)}),
                  "GET /x -> /x express lambda tangle.js:198 tail\n");
    (void)alarm(0);
    buf_fini(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(express_routers_nest_across_files),
        cmocka_unit_test(express_routes_of_classes_have_their_methods),
        cmocka_unit_test(fastify_plugins_carry_prefixes),
        cmocka_unit_test(nest_controllers_have_the_global_prefix),
        cmocka_unit_test(koa_hapi_restify_and_hono_have_routes),
        cmocka_unit_test(koa_routes_may_have_names),
        cmocka_unit_test(what_only_looks_like_a_route_is_none),
        cmocka_unit_test(routers_tangled_in_circles_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
