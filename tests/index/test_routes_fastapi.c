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

static void
what_has_versions_stands_below_them(void **state)
{
    static const char *const places[] = {"", ", api_version_location='path'"};
    char text[768];

    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        (void)snprintf(text, sizeof(text),
                       "from cadwyn import Cadwyn, VersionedAPIRouter\n"
                       "from fastapi import APIRouter\n"
                       "class Own(Cadwyn): pass\n"
                       "users = VersionedAPIRouter(prefix='/users')\n"
                       "@users.get('/{id}')\n"
                       "def show(id): pass\n"
                       "health = APIRouter()\n"
                       "@health.get('/health')\n"
                       "def check(): pass\n"
                       "app = Own(versions=BUNDLE%s)\n"
                       "@app.get('/plain')\n"
                       "def plain(): pass\n"
                       "app.generate_and_include_versioned_routers("
                       "health, users)\n",
                       places[i]);
        const char *tail = i == 0 ? "" : " tail";
        char expected[256];
        (void)snprintf(expected, sizeof(expected),
                       "GET /users/{id} -> /users/{} fastapi show main.py:5%s\n"
                       "GET /health -> /health fastapi check main.py:8%s\n"
                       "GET /plain -> /plain fastapi plain main.py:11\n",
                       tail, tail);
        assert_routes(FILES({"main.py", text}), expected);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_router_that_says_its_class_keeps_its_prefix),
        cmocka_unit_test(a_function_that_keeps_what_it_made_makes_it),
        cmocka_unit_test(what_has_versions_stands_below_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
