/*
 * Shapes that had routes told where they are not served.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(csharp);
LINK_LANG(java);
LINK_LANG(javascript);

static void
express_mounts_at_each_of_a_list_of_paths(void **state)
{
    (void)state;
    assert_routes(FILES({"app.js", "const express = require('express')\n"
                                   "const app = express()\n"
                                   "const r = express.Router()\n"
                                   "r.get('/two', h)\n"
                                   "app.use(['/x', '/y'], auth, r)\n"
                                   "app.use(['/z', other], auth, r)\n"}),
                  "GET /x/two -> /x/two express - app.js:4\n"
                  "GET /y/two -> /y/two express - app.js:4\n"
                  "GET /z/two -> /z/two express - app.js:4\n"
                  "GET /two -> /two express - app.js:4 tail\n");
}

static void
aspnet_classes_may_name_the_action(void **state)
{
    (void)state;
    assert_routes(
        FILES({"C.cs",
               "using Microsoft.AspNetCore.Mvc;\n"
               "[Area(\"Admin\")]\n"
               "[Route(\"[area]/[controller]/[action]\")]\n"
               "public class OrdersController : ControllerBase {\n"
               "  [HttpGet(\"{id}\")] public string GetAsync(int id) => \"\";\n"
               "  [HttpPost, ActionName(\"make\")] public string Create() => "
               "\"\";\n"
               "}\n"}),
        "GET Admin/Orders/Get/{id} -> /Admin/Orders/Get/{} aspnetcore GetAsync "
        "C.cs:5\n"
        "POST Admin/Orders/make -> /Admin/Orders/make aspnetcore Create "
        "C.cs:6\n");
}

static void
what_spring_nests_is_below_and_settings_are_not_known(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"F.java",
             "package a;\n"
             "import org.springframework.web.reactive.function.server.*;\n"
             "class F {\n"
             "  RouterFunction<ServerResponse> r(H h) {\n"
             "    return RouterFunctions.route().GET(\"/own\", h::one)\n"
             "      .path(\"/fn\", b -> b.GET(\"/{id}\", h::one)).build();\n"
             "  }\n"
             "  RouterFunction<ServerResponse> s(H h) {\n"
             "    return RouterFunctions.nest(RequestPredicates.path(\"/n\"),\n"
             "      RouterFunctions.route(RequestPredicates.GET(\"/k\"), "
             "h::one)\n"
             "        .andRoute(RequestPredicates.POST(\"/l\"), h::one));\n"
             "  }\n"
             "}\n"
             "class H { Object one(Object r) { return r; } }\n"},
            {"C.java",
             "package a;\n"
             "import org.springframework.web.bind.annotation.*;\n"
             "@RestController\n"
             "@RequestMapping(\"/c\")\n"
             "class C {\n"
             "  @GetMapping(\"${app.path}/z\") String z() { return \"\"; }\n"
             "  @GetMapping(\"#{b.path}/w\") String w() { return \"\"; }\n"
             "  @GetMapping(\"${app.path}\") String all() { return \"\"; }\n"
             "  @GetMapping(\"${a:${b:/x}}/y\") String y() { return \"\"; }\n"
             "  @GetMapping(\"${a:${b:/x}}\") String x() { return \"\"; }\n"
             "}\n"
             "@RestController\n"
             "@RequestMapping(\"${app.base}/d\")\n"
             "class D { @GetMapping(\"/e\") String e() { return \"\"; } }\n"},
            {"M.java", "package a;\n"
                       "import io.micronaut.http.annotation.*;\n"
                       "@Controller(\"/m\")\n"
                       "class M { @Get(uris = {\"/u\", \"/v\"}) String u() { "
                       "return \"\"; } }\n"}),
        "GET /own -> /own spring one F.java:5\n"
        "GET /fn/{id} -> /fn/{} spring one F.java:6\n"
        "GET /n/k -> /n/k spring one F.java:10\n"
        "POST /n/l -> /n/l spring one F.java:11\n"
        "GET /z -> /z spring z C.java:6 tail\n"
        "GET /w -> /w spring w C.java:7 tail\n"
        "GET /y -> /y spring y C.java:9 tail\n"
        "GET /d/e -> /d/e spring e C.java:14 tail\n"
        "GET /m/u -> /m/u micronaut u M.java:4\n"
        "GET /m/v -> /m/v micronaut u M.java:4\n");
}

static void
what_router_module_puts_before_nestjs_is_not_known(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/app.module.ts",
               "import { Module } from '@nestjs/common'\n"
               "import { RouterModule } from '@nestjs/core'\n"
               "@Module({ imports: [RouterModule.register([\n"
               "  { path: 'admin', module: AdminModule }])] })\n"
               "export class AppModule {}\n"},
              {"src/c.ts", "import { Controller, Get } from '@nestjs/common'\n"
                           "@Controller('list')\n"
                           "export class C { @Get(':id') one() {} }\n"}),
        "GET /list/:id -> /list/{} nestjs one src/c.ts:3 tail\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(express_mounts_at_each_of_a_list_of_paths),
        cmocka_unit_test(aspnet_classes_may_name_the_action),
        cmocka_unit_test(what_spring_nests_is_below_and_settings_are_not_known),
        cmocka_unit_test(what_router_module_puts_before_nestjs_is_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
