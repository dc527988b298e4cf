/*
 * How applications of JavaScript are written beyond a file: typed constants,
 * plugins, versions.  Each was told by running such an application.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);

static void
typed_plugins_of_fastify_have_their_prefix(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"app.ts",
             "import Fastify from 'fastify';\n"
             "import { orders } from './orders.js';\n"
             "import carts from './carts.js';\n"
             "const app = Fastify();\n"
             "app.register(orders, { prefix: '/orders' });\n"
             "await app.register(carts, { prefix: '/carts' });\n"
             "app.register(import('./late.js'), { prefix: '/l' });\n"},
            {"orders.ts",
             "import type { FastifyPluginAsync, FastifyInstance }\n"
             "  from 'fastify';\n"
             "import type { RouteHandler } from 'fastify';\n"
             "export const orders: FastifyPluginAsync =\n"
             "  async (app: FastifyInstance) => { app.get('/:id', show); };\n"
             "const show: RouteHandler = async () => ({});\n"},
            {"carts.ts", "import type { FastifyPluginAsync } from 'fastify';\n"
                         "const carts: FastifyPluginAsync = async (f) => {\n"
                         "  f.post('/', async () => ({}));\n"
                         "};\n"
                         "export default carts;\n"},
            {"late.ts", "import type { FastifyInstance } from 'fastify';\n"
                        "export default async function (f: FastifyInstance) {\n"
                        "  f.get('/x', async () => 1);\n"
                        "}\n"}),
        "GET /orders/:id -> /orders/{} fastify show orders.ts:5\n"
        "POST /carts -> /carts fastify lambda carts.ts:3\n"
        "GET /l/x -> /l/x fastify lambda late.ts:3\n");
}

static void
typed_handlers_of_another_file_are_found(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.ts", "import express from 'express';\n"
                         "import { show } from './show';\n"
                         "const app = express();\n"
                         "app.get('/x', show);\n"},
              {"show.ts",
               "import type { RequestHandler } from 'express';\n"
               "export const show: RequestHandler = (req, res) => {};\n"}),
        "GET /x -> /x express show app.ts:4\n");
}

static void
plugins_of_hapi_are_given_the_server(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"server.ts",
             "import Hapi, { type ServerRoute } from '@hapi/hapi';\n"
             "import { users } from './users';\n"
             "import * as items from './items';\n"
             "import { carts } from './carts';\n"
             "const server = Hapi.server({});\n"
             "const own: ServerRoute[] = [\n"
             "  { method: 'GET', path: '/own', handler: () => 1 }];\n"
             "server.route([...users, ...own]);\n"
             "await server.register([\n"
             "  { plugin: items, routes: { prefix: '/items' } }, carts],\n"
             "  { routes: { prefix: '/p' } });\n"
             "await server.register(require('./bare'));\n"},
            {"users.ts",
             "import type { ServerRoute } from '@hapi/hapi';\n"
             "export const users: ServerRoute[] = [\n"
             "  { method: 'GET', path: '/users', handler: list }];\n"
             "function list() {}\n"},
            {"items.ts", "import type { Server } from '@hapi/hapi';\n"
                         "export const plugin = { name: 'items',\n"
                         "  register: async (server: Server) => {\n"
                         "    server.route({ method: 'get', path: '/{id}',\n"
                         "      handler: () => 1 });\n"
                         "  } };\n"},
            {"carts.ts",
             "import type { Plugin } from '@hapi/hapi';\n"
             "export const carts: Plugin<void> = { name: 'carts',\n"
             "  async register(server) {\n"
             "    server.route({ method: 'POST', path: '/', handler: add });\n"
             "  } };\n"
             "function add() {}\n"},
            {"bare.js", "module.exports = { name: 'bare', register };\n"
                        "function register(server) {\n"
                        "  server.route({ method: 'GET', path: '/bare',\n"
                        "    handler: () => 1 });\n"
                        "}\n"}),
        "GET /users -> /users hapi list server.ts:8\n"
        "GET /own -> /own hapi handler server.ts:8\n"
        "GET /items/{id} -> /items/{} hapi handler items.ts:4\n"
        "POST /p -> /p hapi add carts.ts:4\n"
        "GET /bare -> /bare hapi handler bare.js:3\n");
}

#define NEST_MAIN(calls)                                                    \
    {                                                                       \
        "src/main.ts", "import { NestFactory } from '@nestjs/core';\n"      \
                       "import { VersioningType } from '@nestjs/common';\n" \
                       "const app = await NestFactory.create(App);\n" calls \
    }
#define NEST_CONTROLLERS                                                   \
    {                                                                      \
        "src/c.ts",                                                        \
            "import { Controller, Get, Post, Version, VERSION_NEUTRAL }\n" \
            "  from '@nestjs/common';\n"                                   \
            "@Controller('cats')\n"                                        \
            "export class Cats {\n"                                        \
            "  @Get(':id') show() {}\n"                                    \
            "  @Version(['2', '3']) @Get() list() {}\n"                    \
            "}\n"                                                          \
            "@Controller({ path: 'health', version: VERSION_NEUTRAL })\n"  \
            "export class Health { @Get() check() {} @Post() set() {} }\n" \
            "@Controller({ path: ['a', 'b'], version: '4' })\n"            \
            "export class Both { @Get('x') both() {} }\n"                  \
    }

static void
versions_of_nestjs_are_in_the_path(void **state)
{
    (void)state;
    assert_routes(
        FILES(NEST_MAIN(
                  "app.setGlobalPrefix('api', { exclude: [\n"
                  "  { path: 'health', method: RequestMethod.GET }, 'b/{*x}'\n"
                  "] });\n"
                  "app.enableVersioning({ type: VersioningType.URI,\n"
                  "  defaultVersion: '1' });\n"),
              NEST_CONTROLLERS),
        "GET /api/v1/cats/:id -> /api/v1/cats/{} nestjs show src/c.ts:5\n"
        "GET /api/v2/cats -> /api/v2/cats nestjs list src/c.ts:6\n"
        "GET /api/v3/cats -> /api/v3/cats nestjs list src/c.ts:6\n"
        "GET /health -> /health nestjs check src/c.ts:9\n"
        "POST /api/health -> /api/health nestjs set src/c.ts:9\n"
        "GET /api/v4/a/x -> /api/v4/a/x nestjs both src/c.ts:11\n"
        "GET /v4/b/x -> /v4/b/x nestjs both src/c.ts:11\n");
}

static void
versions_of_nestjs_have_the_prefix_that_is_said(void **state)
{
    (void)state;
    assert_routes(
        FILES(NEST_MAIN("app.enableVersioning({ prefix: 'ver-' });\n"),
              NEST_CONTROLLERS),
        "GET /cats/:id -> /cats/{} nestjs show src/c.ts:5\n"
        "GET /ver-2/cats -> /ver-2/cats nestjs list src/c.ts:6\n"
        "GET /ver-3/cats -> /ver-3/cats nestjs list src/c.ts:6\n"
        "GET /health -> /health nestjs check src/c.ts:9\n"
        "POST /health -> /health nestjs set src/c.ts:9\n"
        "GET /ver-4/a/x -> /ver-4/a/x nestjs both src/c.ts:11\n"
        "GET /ver-4/b/x -> /ver-4/b/x nestjs both src/c.ts:11\n");
}

static void
versions_of_nestjs_in_a_header_are_in_no_path(void **state)
{
    (void)state;
    assert_routes(
        FILES(NEST_MAIN("app.enableVersioning({ defaultVersion: '1',\n"
                        "  type: VersioningType.HEADER, header: 'v' });\n"),
              NEST_CONTROLLERS),
        "GET /cats/:id -> /cats/{} nestjs show src/c.ts:5\n"
        "GET /cats -> /cats nestjs list src/c.ts:6\n"
        "GET /health -> /health nestjs check src/c.ts:9\n"
        "POST /health -> /health nestjs set src/c.ts:9\n"
        "GET /a/x -> /a/x nestjs both src/c.ts:11\n"
        "GET /b/x -> /b/x nestjs both src/c.ts:11\n");
}

static void
what_a_base_controller_has_is_below_each_that_extends_it(void **state)
{
    (void)state;
    assert_routes(
        FILES(NEST_MAIN("app.enableVersioning({ defaultVersion: '1' });\n"),
              {"src/c.ts",
               "import { Controller, Get } from '@nestjs/common';\n"
               "export class Base { @Get('count') count() {} }\n"
               "@Controller('cats') export class Cats extends Base {}\n"
               "@Controller('dogs') export class Dogs extends Base {}\n"}),
        "GET /v1/cats/count -> /v1/cats/count nestjs count src/c.ts:2\n"
        "GET /v1/dogs/count -> /v1/dogs/count nestjs count src/c.ts:2\n");
}

static void
regexes_of_express_are_told_as_its_spans_do(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "const express = require('express');\n"
                         "const app = express();\n"
                         "const sub = express.Router();\n"
                         "app.get(/^\\/files\\/(\\d+)\\.txt$/, show);\n"
                         "sub.get(/^\\/x\\/(.*)$/, show);\n"
                         "app.use('/api', sub);\n"
                         "function show(req, res) {}\n"}),
        "GET /^\\/files\\/(\\d+)\\.txt$/ -> /files/{}.txt express show "
        "app.js:4\n"
        "GET /api/^\\/x\\/(.*)$/ -> /api/x/{**} express show app.js:5\n");
}

static void
fastify_autoload_names_routes_by_folders(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"app.js", "const path = require('node:path')\n"
                       "const AutoLoad = require('@fastify/autoload')\n"
                       "module.exports = async function (fastify, opts) {\n"
                       "  fastify.register(AutoLoad, {\n"
                       "    dir: path.join(__dirname, 'routes'),\n"
                       "    options: Object.assign({ prefix: '/api' }, opts),\n"
                       "    routeParams: true\n"
                       "  })\n"
                       "}\n"},
            {"routes/root.js",
             "module.exports = async (f) => { f.get('/', async () => 1) }\n"},
            {"routes/users/_id/index.js",
             "module.exports = async (f) => { f.get('/a', async () => 1) }\n"},
            {"routes/users/_id/beside.js",
             "module.exports = async (f) => { f.get('/no', async () => 1) }\n"},
            {"routes/__a-__b/index.mjs", "export default async function (f) { "
                                         "f.get('/b', async () => 1) }\n"},
            {"routes/own/a.js",
             "module.exports = async (f) => {\n"
             "  f.get('/c', async () => 1)\n"
             "  f.register(inner, { prefix: '/in' })\n"
             "}\n"
             "async function inner (f) { f.get('/d', async () => 1) }\n"
             "module.exports.autoPrefix = '/mine'\n"},
            {"routes/over/b.js",
             "module.exports = async (f) => { f.get('/e', async () => 1) }\n"
             "module.exports.prefixOverride = '/all'\n"},
            {"routes/plain/c.js", "const fp = require('fastify-plugin')\n"
                                  "module.exports = fp(async (f) => { "
                                  "f.get('/f', async () => 1) })\n"},
            {"routes/late/d.js",
             "module.exports = async (f) => { f.get('/g', async () => 1) }\n"
             "module.exports.autoPrefix = process.env.PREFIX\n"}),
        "GET /api -> /api fastify lambda routes/root.js:1\n"
        "GET /api/users/:id/a -> /api/users/{}/a fastify lambda "
        "routes/users/_id/index.js:1\n"
        "GET /api/:a-:b/b -> /api/{}-{}/b fastify lambda "
        "routes/__a-__b/index.mjs:1\n"
        "GET /api/mine/c -> /api/mine/c fastify lambda routes/own/a.js:2\n"
        "GET /api/mine/in/d -> /api/mine/in/d fastify lambda "
        "routes/own/a.js:5\n"
        "GET /all/e -> /all/e fastify lambda routes/over/b.js:1\n"
        "GET /f -> /f fastify lambda routes/plain/c.js:2\n"
        "GET /g -> /g fastify lambda routes/late/d.js:1 tail\n");
}

static void
fastify_autoload_may_be_told_otherwise(void **state)
{
    (void)state;
    assert_routes(
        FILES({"esm/server.ts",
               "import Fastify from 'fastify'\n"
               "import autoLoad from '@fastify/autoload'\n"
               "import { join, dirname } from 'path'\n"
               "import { fileURLToPath } from 'url'\n"
               "const __dirname = dirname(fileURLToPath(import.meta.url))\n"
               "const app = Fastify()\n"
               "app.register(autoLoad, { dir: join(__dirname, 'r'),\n"
               "  dirNameRoutePrefix: false, options: { prefix: '/e' } })\n"
               "app.register(autoLoad, { dir: join(import.meta.dirname, 'm'),\n"
               "  matchFilter: (p) => p.endsWith('.route.ts') })\n"
               "app.register(autoLoad, { dir: join(__dirname, 'n'),\n"
               "  dirNameRoutePrefix: (dir, name) => name })\n"
               "app.register(autoLoad, { dir: join(__dirname, 'o'), "
               "encapsulate: false })\n"
               "app.register(autoLoad, { dir: process.cwd() + '/p' })\n"},
              {"esm/r/x/y.ts", "import { FastifyPluginAsync } from 'fastify'\n"
                               "const plugin: FastifyPluginAsync = async (f) "
                               "=> { f.get('/y', g) }\n"
                               "export default plugin\n"},
              {"esm/m/x/z.route.ts", "import sub from './sub'\n"
                                     "export default async function (f) {\n"
                                     "  f.get('/z', g)\n"
                                     "  f.register(sub, { prefix: '/sub' })\n"
                                     "}\n"},
              {"esm/m/x/sub.ts",
               "export default async function (f) { f.get('/s', g) }\n"},
              {"esm/n/w/v.ts",
               "export default async function (f) { f.get('/v', g) }\n"},
              {"esm/o/u/t.ts",
               "export default async function (f) { f.get('/t', g) }\n"},
              {"esm/p/q.ts",
               "export default async function (f) { f.get('/q', g) }\n"}),
        "GET /e/y -> /e/y fastify - esm/r/x/y.ts:2\n"
        "GET /x/z -> /x/z fastify - esm/m/x/z.route.ts:3\n"
        "GET /x/sub/s -> /x/sub/s fastify - esm/m/x/sub.ts:1\n"
        "GET /v -> /v fastify - esm/n/w/v.ts:1 tail\n"
        "GET /t -> /t fastify - esm/o/u/t.ts:1\n");
}

/* What the environment may say goes before what is written for want of it. */
static void
a_prefix_that_the_run_chooses_is_not_known(void **state)
{
    (void)state;
    assert_routes(FILES({"app.js", "const express = require('express')\n"
                                   "const app = express()\n"
                                   "const one = express.Router()\n"
                                   "const two = express.Router()\n"
                                   "const BASE = process.env.BASE || '/x'\n"
                                   "one.get('/a', show)\n"
                                   "two.get('/b', show)\n"
                                   "app.use(BASE, one)\n"
                                   "app.use(process.env.BASE ?? '/x', two)\n"
                                   "app.get(BASE + '/c', show)\n"
                                   "app.get(`${BASE}/d`, show)\n"
                                   "app.get(BASE, show)\n"
                                   "function show() {}\n"}),
                  "GET /a -> /a express show app.js:6 tail\n"
                  "GET /b -> /b express show app.js:7 tail\n"
                  "GET /c -> /c express show app.js:10 tail\n"
                  "GET /d -> /d express show app.js:11 tail\n"
                  "GET /x -> /x express show app.js:12\n");
    assert_routes(
        FILES({"app.js",
               "const Router = require('@koa/router')\n"
               "const r = new Router({prefix: process.env.BASE || '/x'})\n"
               "r.get('/a', show)\n"
               "function show() {}\n"}),
        "GET /a -> /a koa show app.js:3 tail\n");
}

static void
what_answers_graphql_is_a_route_where_it_is_mounted(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js",
               "const express = require('express')\n"
               "const { expressMiddleware } = "
               "require('@as-integrations/express5')\n"
               "const { createYoga } = require('graphql-yoga')\n"
               "const { createHandler } = "
               "require('graphql-http/lib/use/express')\n"
               "const { other } = require('other')\n"
               "const app = express()\n"
               "const yoga = createYoga({ schema })\n"
               "app.use('/a', express.json(), expressMiddleware(apollo))\n"
               "app.use('/b', yoga)\n"
               "app.use('/c', createHandler({ schema }))\n"
               "app.use('/d', other(apollo))\n"
               "app.use(expressMiddleware(apollo))\n"}),
        "ANY /a -> /a express - app.js:8\n"
        "ANY /b -> /b express - app.js:9\n"
        "ANY /c -> /c express - app.js:10\n");
}

static void
an_application_may_be_a_field_of_what_is_passed(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.js", "const express = require('express')\n"
                         "const load = require('./loaders')\n"
                         "const app = express()\n"
                         "load({ expressApp: app, config: {} })\n"
                         "require('./more').install({ app, prefix: '/p' })\n"},
              {"loaders.js", "const load = require('./express')\n"
                             "module.exports = ({ expressApp }) => {\n"
                             "  load({ app: expressApp })\n"
                             "}\n"},
              {"express.js", "const { Router } = require('express')\n"
                             "const users = Router()\n"
                             "users.get('/me', me)\n"
                             "module.exports = ({ app }) => {\n"
                             "  app.get('/status', status)\n"
                             "  app.use('/users', users)\n"
                             "}\n"
                             "function status() {}\n"
                             "function me() {}\n"},
              {"more.js", "exports.install = async ({ app: a, prefix }) => {\n"
                          "  a.get('/more', more)\n"
                          "  prefix.get('/not', more)\n"
                          "}\n"
                          "function more() {}\n"}),
        "GET /users/me -> /users/me express me express.js:3\n"
        "GET /status -> /status express status express.js:5\n"
        "GET /more -> /more express more more.js:2\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_answers_graphql_is_a_route_where_it_is_mounted),
        cmocka_unit_test(a_prefix_that_the_run_chooses_is_not_known),
        cmocka_unit_test(typed_plugins_of_fastify_have_their_prefix),
        cmocka_unit_test(typed_handlers_of_another_file_are_found),
        cmocka_unit_test(plugins_of_hapi_are_given_the_server),
        cmocka_unit_test(versions_of_nestjs_are_in_the_path),
        cmocka_unit_test(versions_of_nestjs_have_the_prefix_that_is_said),
        cmocka_unit_test(versions_of_nestjs_in_a_header_are_in_no_path),
        cmocka_unit_test(
            what_a_base_controller_has_is_below_each_that_extends_it),
        cmocka_unit_test(regexes_of_express_are_told_as_its_spans_do),
        cmocka_unit_test(fastify_autoload_names_routes_by_folders),
        cmocka_unit_test(fastify_autoload_may_be_told_otherwise),
        cmocka_unit_test(an_application_may_be_a_field_of_what_is_passed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
