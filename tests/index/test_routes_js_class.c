/*
 * Express routes that classes put on routers of their own: of the class, of its
 * base, of what it extends.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);

#define BASE                                                        \
    {                                                               \
        "base.ts", "import { Router } from 'express';\n"            \
                   "export abstract class BaseController {\n"       \
                   "  public readonly router: Router;\n"            \
                   "  constructor() {\n"                            \
                   "    this.router = Router();\n"                  \
                   "    this.router.get('/health', this.health);\n" \
                   "    this.initializeRoutes();\n"                 \
                   "  }\n"                                          \
                   "  abstract initializeRoutes(): void;\n"         \
                   "  health(req, res) { res.json({}); }\n"         \
                   "}\n"                                            \
    }

static void
a_router_of_the_base_is_each_class_its_own(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            BASE,
            {"users.ts",
             "import { BaseController } from './base';\n"
             "import { auth } from './auth';\n"
             "export class UsersController extends BaseController {\n"
             "  initializeRoutes() {\n"
             "    this.router.get('/', this.list.bind(this));\n"
             "    this.router.post('/:id', auth, this.save);\n"
             "  }\n"
             "  async list(req, res) {}\n"
             "  save = async (req, res) => {};\n"
             "}\n"},
            {"orders.ts",
             "import { BaseController } from './base';\n"
             "export default class OrdersController extends BaseController {\n"
             "  initializeRoutes() {\n"
             "    this.router.route('/:id').delete(this.drop.bind(this));\n"
             "  }\n"
             "  drop(req, res) {}\n"
             "}\n"},
            {"auth.ts", "export function auth(req, res, next) {}\n"},
            {"app.ts", "import express from 'express';\n"
                       "import { UsersController } from './users';\n"
                       "import OrdersController from './orders';\n"
                       "const app = express();\n"
                       "const users = new UsersController();\n"
                       "app.use('/users', users.router);\n"
                       "app.use('/orders', new OrdersController().router);\n"
                       "app.listen(80);\n"}),
        "GET /users/health -> /users/health express health base.ts:6\n"
        "GET /orders/health -> /orders/health express health base.ts:6\n"
        "GET /users -> /users express list users.ts:5\n"
        "POST /users/:id -> /users/{} express save users.ts:6\n"
        "DELETE /orders/:id -> /orders/{} express drop orders.ts:4\n");
}

static void
a_class_that_is_a_router_has_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"routes.ts",
               "import express, { Router } from 'express';\n"
               "export class ItemRouter extends Router {\n"
               "  constructor() {\n"
               "    super();\n"
               "    this.get('/items', this.list);\n"
               "    this.put('/items/:id', this.put_.bind(this));\n"
               "  }\n"
               "  list(req, res) {}\n"
               "  put_(req, res) {}\n"
               "}\n"
               "const app = express();\n"
               "app.use('/api', new ItemRouter());\n"}),
        "GET /api/items -> /api/items express list routes.ts:5\n"
        "PUT /api/items/:id -> /api/items/{} express put_ routes.ts:6\n");
}

static void
a_method_that_hands_on_to_a_router_makes_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"base.js",
               "const express = require('express');\n"
               "class Controller {\n"
               "  constructor() { this.router = express.Router(); }\n"
               "  get(path, ...handlers) {\n"
               "    this.router.get(path, ...handlers.map(wrap));\n"
               "  }\n"
               "  post(path, handler) { this.router.post(path, handler); }\n"
               "}\n"
               "const wrap = f => (a, b, c) => f(a, b, c);\n"
               "module.exports = Controller;\n"},
              {"cart.js", "const Controller = require('./base');\n"
                          "class Cart extends Controller {\n"
                          "  constructor() {\n"
                          "    super();\n"
                          "    this.get('/cart', this.show.bind(this));\n"
                          "    this.post('/cart/items', this.put);\n"
                          "  }\n"
                          "  show(req, res) {}\n"
                          "  put(req, res) {}\n"
                          "}\n"
                          "module.exports = Cart;\n"},
              {"app.js", "const app = require('express')();\n"
                         "const Cart = require('./cart');\n"
                         "app.use('/api', new Cart().router);\n"}),
        "GET /api/cart -> /api/cart express show cart.js:5\n"
        "POST /api/cart/items -> /api/cart/items express put cart.js:6\n");
}

static void
what_is_no_router_has_no_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"cache.ts",
               "import { EventEmitter } from 'events';\n"
               "import { Router } from 'express';\n"
               "import { Store } from 'other-library';\n"
               "class Cache extends Map {\n"
               "  constructor() { super(); this.get('/x', this.miss); }\n"
               "  miss() {}\n"
               "}\n"
               "class Bus extends EventEmitter {\n"
               "  go() { this.get('/x', this.on.bind(this)); }\n"
               "}\n"
               "class Kept extends Store {\n"
               "  go() { this.get('/x', this.f); this.router.get('/y', "
               "this.f); }\n"
               "  f() {}\n"
               "}\n"
               "class Client {\n"
               "  constructor(private readonly http: Http) {}\n"
               "  get(path, cb) { this.http.get(path, cb); }\n"
               "  load() { this.get('/x', this.done); }\n"
               "  done() {}\n"
               "}\n"
               "class Mixed {\n"
               "  router = Router();\n"
               "  cache = new Map();\n"
               "  get(key, other) { return this.cache.get(key, other); }\n"
               "  load() { this.get('/x', this.done); }\n"
               "  log(path, f) { this.router.get('/fixed', f); }\n"
               "  go() { this.log('/never', this.done); }\n"
               "  done() {}\n"
               "}\n"}),
        "GET /fixed -> /fixed express - cache.ts:26 tail\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_router_of_the_base_is_each_class_its_own),
        cmocka_unit_test(a_class_that_is_a_router_has_routes),
        cmocka_unit_test(a_method_that_hands_on_to_a_router_makes_routes),
        cmocka_unit_test(what_is_no_router_has_no_routes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
