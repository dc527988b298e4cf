/*
 * Routes put on what a field holds: what a base's constructor makes is each
 * class its own, what comes from elsewhere is one.
 */
#include "tests/index/routes_fixture.h"
#include "tests/support/cpu.h"

LINK_LANG(javascript);
LINK_LANG(python);

static void
a_prefix_of_the_base_is_told_once(void **state)
{
    (void)state;
    assert_routes(
        FILES({"base.py", "from flask import Blueprint\n"
                          "class Base:\n"
                          "    def __init__(self):\n"
                          "        self.bp = Blueprint('n', __name__, "
                          "url_prefix='/api')\n"
                          "        self.bp.add_url_rule('/health', "
                          "view_func=self.health)\n"
                          "    def health(self): pass\n"},
              {"app.py", "from flask import Flask\n"
                         "from base import Base\n"
                         "class Users(Base):\n"
                         "    def __init__(self):\n"
                         "        super().__init__()\n"
                         "        self.bp.add_url_rule('/users', "
                         "view_func=self.all)\n"
                         "    def all(self): pass\n"
                         "app = Flask(__name__)\n"
                         "app.register_blueprint(Users().bp)\n"}),
        "GET /api/health -> /api/health flask health base.py:5\n"
        "GET /api/users -> /api/users flask all app.py:6\n");
}

static void
a_router_from_elsewhere_is_one(void **state)
{
    (void)state;
    assert_routes(
        FILES({"router.ts", "import { Router } from 'express';\n"
                            "export const router = Router();\n"},
              {"base.ts", "import { router } from './router';\n"
                          "export class Base {\n"
                          "  constructor() { this.router = router; }\n"
                          "}\n"},
              {"app.ts", "import express from 'express';\n"
                         "import { Base } from './base';\n"
                         "import { router } from './router';\n"
                         "class Users extends Base {\n"
                         "  constructor() {\n"
                         "    super();\n"
                         "    this.router.get('/u', this.all);\n"
                         "  }\n"
                         "  all(req, res) {}\n"
                         "}\n"
                         "const app = express();\n"
                         "new Users();\n"
                         "app.use('/api', router);\n"
                         "app.listen(80);\n"}),
        "GET /api/u -> /api/u express all app.ts:7\n");
}

static void
a_router_that_a_base_declares_is_each_class_its_own(void **state)
{
    (void)state;
    assert_routes(
        FILES({"base.ts", "import { Router } from 'express';\n"
                          "export class Base {\n"
                          "  public router = Router();\n"
                          "  constructor() {\n"
                          "    this.router.get('/health', this.health);\n"
                          "  }\n"
                          "  health(req, res) {}\n"
                          "}\n"},
              {"app.ts", "import express from 'express';\n"
                         "import { Base } from './base';\n"
                         "class Users extends Base {\n"
                         "  constructor() {\n"
                         "    super();\n"
                         "    this.router.get('/u', this.all);\n"
                         "  }\n"
                         "  all(req, res) {}\n"
                         "}\n"
                         "class Orders extends Base {\n"
                         "  constructor() {\n"
                         "    super();\n"
                         "    this.router.get('/o', this.each);\n"
                         "  }\n"
                         "  each(req, res) {}\n"
                         "}\n"
                         "const app = express();\n"
                         "app.use('/users', new Users().router);\n"
                         "app.use('/orders', new Orders().router);\n"
                         "app.listen(80);\n"}),
        "GET /users/health -> /users/health express health base.ts:5\n"
        "GET /orders/health -> /orders/health express health base.ts:5\n"
        "GET /users/u -> /users/u express all app.ts:6\n"
        "GET /orders/o -> /orders/o express each app.ts:13\n");
}

static void
a_static_router_of_a_base_is_one(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.ts", "import express, { Router } from 'express';\n"
                         "class Base {\n"
                         "  static router = Router();\n"
                         "}\n"
                         "class Users extends Base {}\n"
                         "class Orders extends Base {}\n"
                         "Users.router.get('/u', (req, res) => {});\n"
                         "const app = express();\n"
                         "app.use('/orders', Orders.router);\n"
                         "app.listen(80);\n"}),
        "GET /orders/u -> /orders/u express lambda app.ts:7\n");
}

/* Orders and Carts share the base, and not what it is given. */
static void
what_a_constructor_is_given_is_each_class_its_own(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"a.ts",
             "import express, { Router } from 'express';\n"
             "class UserRoutes {\n"
             "  constructor(private readonly router: Router) {\n"
             "    this.router.get('/u', this.all);\n"
             "  }\n"
             "  all(req, res) {}\n"
             "}\n"
             "class DefRoutes {\n"
             "  constructor(public router: Router = Router()) {\n"
             "    this.router.get('/d', this.all);\n"
             "  }\n"
             "  all(req, res) {}\n"
             "}\n"
             "class Base { constructor(protected readonly router: Router, "
             "protected readonly prefix: string) {} }\n"
             "class Orders extends Base {\n"
             "  constructor(r: Router) { super(r, '/x'); this.router.get('/o', "
             "this.all); }\n"
             "  all(req, res) {}\n"
             "}\n"
             "class Carts extends Base {\n"
             "  register() { this.router.get('/c', this.all); }\n"
             "  all(req, res) {}\n"
             "}\n"
             "const app = express();\n"
             "const r1 = Router(); const r2 = Router(); const r3 = Router();\n"
             "new UserRoutes(r1); new Orders(r2); new Carts(r3, "
             "'/y').register();\n"
             "app.use('/users', r1); app.use('/orders', r2); app.use('/carts', "
             "r3);\n"
             "app.use('/defs', new DefRoutes().router);\n"
             "function reg(r = Router()) { r.get('/reg', (q, s) => {}); return "
             "r; }\n"
             "app.use('/regs', reg());\n"
             "app.listen(80);\n"}),
        "GET /users/u -> /users/u express all a.ts:4\n"
        "GET /defs/d -> /defs/d express all a.ts:10\n"
        "GET /orders/o -> /orders/o express all a.ts:16\n"
        "GET /carts/c -> /carts/c express all a.ts:20\n"
        "GET /regs/reg -> /regs/reg express lambda a.ts:28\n");
}

/* Levels of classes, each of which extends all of the level above, and a method
 * below them that asks for |fields| fields that nobody has. */
static double
cost_of_fields(unsigned fields)
{
    enum { LEVELS = 12, EACH = 50 };
    struct buf text = {0};
    struct fixture f;

    for (unsigned level = 0; level < LEVELS; level++)
        for (unsigned i = 0; i < EACH; i++) {
            buf_printf(&text, "class C%u_%u(", level, i);
            for (unsigned k = 0; level > 0 && k < EACH; k++)
                buf_printf(&text, "%sC%u_%u", k ? ", " : "", level - 1, k);
            buf_add(&text, STR("):\n    pass\n"));
        }
    buf_printf(&text, "class Last(C%u_0):\n    def f(self, h):\n", LEVELS - 1);
    for (unsigned i = 0; i < fields; i++)
        buf_printf(&text, "        self.f%u.get('/x', h)\n", i);

    fixture_open(&f, FILES({"a.py", buf_cstr(&text)}));
    double from = cpu_seconds();
    assert_int_equal(fixture_find(&f), OK);
    double spent = cpu_seconds() - from;
    fixture_close(&f);
    buf_fini(&text);
    return spent;
}

/* Some 27,500 bases a field and round: at 16 fields the bound is reached. */
static void
bases_of_bases_are_asked_within_a_bound(void **state)
{
    (void)state;
    double few = cost_of_fields(16);
    assert_true(cost_of_fields(16 * 12) < 4 * few);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prefix_of_the_base_is_told_once),
        cmocka_unit_test(a_router_from_elsewhere_is_one),
        cmocka_unit_test(a_router_that_a_base_declares_is_each_class_its_own),
        cmocka_unit_test(a_static_router_of_a_base_is_one),
        cmocka_unit_test(what_a_constructor_is_given_is_each_class_its_own),
        cmocka_unit_test(bases_of_bases_are_asked_within_a_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
