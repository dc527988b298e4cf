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
        cmocka_unit_test(bases_of_bases_are_asked_within_a_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
