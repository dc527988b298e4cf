/*
 * Starlette's lists: what is added to them, what gives them, and how far they
 * are followed.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(python);

#define HEAD                                                     \
    "from starlette.applications import Starlette\n"             \
    "from starlette.routing import Route, Mount, Router, Host\n" \
    "def h(r): pass\n"

static void
lists_grow(void **state)
{
    (void)state;
    assert_routes(
        FILES({"s.py",
               HEAD "one = [Route('/a', h)]\n"
                    "X = '/x'\n"
                    "one += [Route(f'{X}/{{b:path}}', h)]\n"
                    "one.append(Route('/c', h))\n"
                    "one.insert(0, Mount(path='/d', routes=[Route('/e', h)]))\n"
                    "def make():\n"
                    "    return [Route('/f', h, methods={'PUT'})]\n"
                    "def either(x):\n"
                    "    if x: return [Route('/g', h)]\n"
                    "    return [Route('/i', h)]\n"
                    "app = Starlette(routes=[*one, *make(), *either(1)])\n"
                    "app.routes.append(Route('/j', h))\n"
                    "app.router.routes.extend([Route('/k', h)])\n"
                    "app.add_route('/l', h, ['POST'])\n"
                    "app.host('x.org', Router([Route('/m', h)]))\n"
                    "late = [Route('/n', h)]\n"
                    "late.append(late)\n"}),
        "POST /l -> /l starlette h s.py:17\n"
        "GET /a -> /a starlette h s.py:4\n"
        "GET /x/{b:path} -> /x/{**} starlette h s.py:6\n"
        "GET /c -> /c starlette h s.py:7\n"
        "GET /d/e -> /d/e starlette h s.py:8 mounted\n"
        "PUT /f -> /f starlette h s.py:10\n"
        "GET /g -> /g starlette h s.py:12 tail\n"
        "GET /i -> /i starlette h s.py:13 tail\n"
        "GET /j -> /j starlette h s.py:15\n"
        "GET /k -> /k starlette h s.py:16\n"
        "GET /m -> /m starlette h s.py:18\n"
        "GET /n -> /n starlette h s.py:19 tail\n");
}

/* Sums of sums are followed as deep as TAKE_DEPTH_MAX. */
static void
lists_in_lists_end(void **state)
{
    (void)state;
    assert_routes(FILES({"s.py", HEAD "s0 = [Route('/in', h)] + []\n"
                                      "s1 = s0 + s0\n"
                                      "s2 = s1 + s1\n"
                                      "t0 = [Route('/out', h)] + []\n"
                                      "t1 = t0 + t0\n"
                                      "t2 = t1 + t1\n"
                                      "t3 = t2 + t2\n"
                                      "app = Starlette(routes=s2)\n"
                                      "other = Starlette(routes=t3)\n"}),
                  "GET /in -> /in starlette h s.py:4\n"
                  "GET /out -> /out starlette h s.py:7 tail\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_grow),
        cmocka_unit_test(lists_in_lists_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
