/*
 * Routes of FastAPI as applications have them: routers of a class of one's own
 * that say what they are, functions that keep what they have made.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(python);

static void
a_router_that_says_its_class_keeps_its_prefix(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app/routers.py", "from fastapi import APIRouter\n"
                                 "class Own(APIRouter):\n"
                                 "    def __init__(self, **kwargs):\n"
                                 "        super().__init__(**kwargs)\n"},
              {"app/users.py", "from app.routers import Own\n"
                               "router: Own = Own(prefix='/users')\n"
                               "@router.get('/{id}')\n"
                               "def show(id): pass\n"},
              {"app/main.py", "from fastapi import APIRouter, FastAPI\n"
                              "from app import users\n"
                              "ROUTERS: list[APIRouter] = [users.router]\n"
                              "app = FastAPI()\n"
                              "for router in ROUTERS:\n"
                              "    app.include_router(router)\n"}),
        "GET /users/{id} -> /users/{} fastapi show app/users.py:3\n");
}

/* What it returns when it has it already is what it made before. */
static void
a_function_that_keeps_what_it_made_makes_it(void **state)
{
    static const char *const types[] = {" -> FastAPI", ""};
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        (void)snprintf(text, sizeof(text),
                       "from fastapi import FastAPI\n"
                       "KEPT: dict[str, FastAPI] = {}\n"
                       "def create_api(key)%s:\n"
                       "    if key in KEPT:\n"
                       "        return KEPT[key]\n"
                       "    api = FastAPI()\n"
                       "    @api.get('/x')\n"
                       "    def show(): pass\n"
                       "    KEPT[key] = api\n"
                       "    return api\n"
                       "def create():\n"
                       "    app = FastAPI()\n"
                       "    api = create_api('one')\n"
                       "    app.mount('/api', app=api, name='api')\n"
                       "    return app\n",
                       types[i]);
        assert_routes(FILES({"main.py", text}),
                      "GET /api/x -> /api/x fastapi show main.py:7 "
                      "mounted\n");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_router_that_says_its_class_keeps_its_prefix),
        cmocka_unit_test(a_function_that_keeps_what_it_made_makes_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
