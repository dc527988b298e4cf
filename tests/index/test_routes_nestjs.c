/*
 * What NestJS puts where: modules, versions and bases that functions give.  The
 * applications of tests/index/recorded/ are held against NestJS itself.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);

#define MAIN(calls)                                                        \
    {                                                                      \
        "src/main.ts", "import { NestFactory } from '@nestjs/core'\n"      \
                       "import { App } from './app'\n"                     \
                       "const app = await NestFactory.create(App)\n" calls \
    }
#define APP(imports)                                                    \
    {                                                                   \
        "src/app.ts", "import { Module, forwardRef } from "             \
                      "'@nestjs/common'\n"                              \
                      "import { RouterModule } from '@nestjs/core'\n"   \
                      "import { ConfigModule } from '@nestjs/config'\n" \
                      "import { CatsModule } from './cats'\n"           \
                      "@Module({ imports: [" imports "] })\n"           \
                      "export class App {}\n"                           \
    }
#define CATS                                                             \
    {                                                                    \
        "src/cats.ts",                                                   \
            "import { Controller, Get, Module } from '@nestjs/common'\n" \
            "@Controller('cats')\n"                                      \
            "class Cats { @Get() list() {} @Get('x') show() {} }\n"      \
            "@Module({})\n"                                              \
            "export class CatsModule {\n"                                \
            "  static register() {\n"                                    \
            "    return { module: CatsModule, controllers: [Cats] }\n"   \
            "  }\n"                                                      \
            "}\n"                                                        \
    }
#define LONE                                                      \
    {                                                             \
        "src/lone.ts", "import { Controller, Get } from "         \
                       "'@nestjs/common'\n"                       \
                       "@Controller('lone')\n"                    \
                       "export class Lone { @Get() lone() {} }\n" \
    }
#define PLACED "RouterModule.register([{ path: 'm', module: CatsModule }]), "

static void
a_module_that_is_called_later_has_its_controllers(void **state)
{
    (void)state;
    assert_routes(FILES(MAIN(""),
                        APP(PLACED "forwardRef(() => CatsModule.register())"),
                        CATS),
                  "GET /m/cats -> /m/cats nestjs list src/cats.ts:3\n"
                  "GET /m/cats/x -> /m/cats/x nestjs show src/cats.ts:3\n");
}

static void
a_controller_of_no_module_is_served_by_nothing(void **state)
{
    (void)state;
    assert_routes(FILES(MAIN(""),
                        APP("ConfigModule.forRoot(), CatsModule.register()"),
                        CATS, LONE),
                  "GET /cats -> /cats nestjs list src/cats.ts:3\n"
                  "GET /cats/x -> /cats/x nestjs show src/cats.ts:3\n");
}

/* A list that is not read may have it; so may who says its name. */
static void
a_controller_that_may_be_of_a_module_is_told(void **state)
{
    (void)state;
    assert_routes(
        FILES(MAIN(""), APP("CatsModule.register(), ...all()"), CATS, LONE),
        "GET /cats -> /cats nestjs list src/cats.ts:3\n"
        "GET /cats/x -> /cats/x nestjs show src/cats.ts:3\n"
        "GET /lone -> /lone nestjs lone src/lone.ts:3\n");
    assert_routes(FILES(MAIN(""), APP(""), LONE,
                        {"src/load.ts", "import { Lone } from './lone'\n"
                                        "add(Lone)\n"}),
                  "GET /lone -> /lone nestjs lone src/lone.ts:3\n");
    assert_routes(FILES(LONE),
                  "GET /lone -> /lone nestjs lone src/lone.ts:3\n");
}

/* A wildcard without a name may be empty, which one with a name may not. */
static void
an_excluded_wildcard_is_the_controller_itself_too(void **state)
{
    (void)state;
    assert_routes(FILES(MAIN("app.setGlobalPrefix('api', "
                             "{ exclude: ['cats/(.*)'] })\n"),
                        APP("CatsModule.register()"), CATS),
                  "GET /cats -> /cats nestjs list src/cats.ts:3\n"
                  "GET /cats/x -> /cats/x nestjs show src/cats.ts:3\n");
    assert_routes(FILES(MAIN("app.setGlobalPrefix('api', "
                             "{ exclude: ['cats/*rest'] })\n"),
                        APP("CatsModule.register()"), CATS),
                  "GET /api/cats -> /api/cats nestjs list src/cats.ts:3\n"
                  "GET /cats/x -> /cats/x nestjs show src/cats.ts:3\n");
}

static void
a_version_may_be_given_by_a_function(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/main.ts",
               "import { NestFactory } from '@nestjs/core'\n"
               "const app = await NestFactory.create(App)\n"
               "app.enableVersioning({ defaultVersion: '1' })\n"},
              {"src/marks.ts",
               "import { applyDecorators, Get, Version } from "
               "'@nestjs/common'\n"
               "export const Second = (path: string) =>\n"
               "  applyDecorators(Get(path), Version('2'))\n"
               "export function Of(path: string, version: any) {\n"
               "  return applyDecorators(Version(version), Get(path))\n"
               "}\n"},
              {"src/c.ts", "import { Controller, Get } from '@nestjs/common'\n"
                           "import { Of, Second } from './marks'\n"
                           "@Controller('c')\n"
                           "export class C {\n"
                           "  @Get('one') one() {}\n"
                           "  @Second('two') two() {}\n"
                           "  @Of('both', ['3', '4']) both() {}\n"
                           "}\n"}),
        "GET /v1/c/one -> /v1/c/one nestjs one src/c.ts:5\n"
        "GET /v2/c/two -> /v2/c/two nestjs two src/c.ts:6\n"
        "GET /v3/c/both -> /v3/c/both nestjs both src/c.ts:7\n"
        "GET /v4/c/both -> /v4/c/both nestjs both src/c.ts:7\n");
}

static void
a_base_may_be_made_by_a_function(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/crud.ts", "import { Delete, Get } from '@nestjs/common'\n"
                              "export function Crud(type: any): any {\n"
                              "  class Made {\n"
                              "    @Get('all') all() {}\n"
                              "    @Delete(':id') remove() {}\n"
                              "  }\n"
                              "  return Made\n"
                              "}\n"},
              {"src/c.ts", "import { Controller, Get } from '@nestjs/common'\n"
                           "import { Crud } from './crud'\n"
                           "@Controller('a')\n"
                           "export class A extends Crud(String) {\n"
                           "  @Get() own() {}\n"
                           "}\n"
                           "@Controller('b')\n"
                           "export class B extends Crud(Number) {\n"
                           "  remove() {}\n"
                           "}\n"}),
        "GET /a/all -> /a/all nestjs all src/crud.ts:4\n"
        "DELETE /a/:id -> /a/{} nestjs remove src/crud.ts:5\n"
        "GET /a -> /a nestjs own src/c.ts:5\n"
        "GET /b/all -> /b/all nestjs all src/crud.ts:4\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_that_is_called_later_has_its_controllers),
        cmocka_unit_test(a_controller_of_no_module_is_served_by_nothing),
        cmocka_unit_test(a_controller_that_may_be_of_a_module_is_told),
        cmocka_unit_test(an_excluded_wildcard_is_the_controller_itself_too),
        cmocka_unit_test(a_version_may_be_given_by_a_function),
        cmocka_unit_test(a_base_may_be_made_by_a_function),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
