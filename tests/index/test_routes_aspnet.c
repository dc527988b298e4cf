/*
 * ASP.NET Core: attributes, minimal routes, bases and extension methods.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(csharp);

static void
aspnet_attributes_and_minimal_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Users.cs", "using Microsoft.AspNetCore.Mvc;\n"
                           "namespace Shop;\n"
                           "[ApiController]\n"
                           "[Route(\"api/[controller]\")]\n"
                           "public class UsersController : ControllerBase\n"
                           "{\n"
                           "    [HttpGet(\"{id:int}\")]\n"
                           "    public int Get(int id) => 1;\n"
                           "    [HttpPost]\n"
                           "    public int Make() => 1;\n"
                           "    [HttpGet(\"/root\")]\n"
                           "    public int Root() => 1;\n"
                           "}\n"},
              {"Program.cs",
               "var builder = WebApplication.CreateBuilder(args);\n"
               "var app = builder.Build();\n"
               "app.MapGet(\"/x/{id}\", (int id) => id);\n"
               "var g = app.MapGroup(\"/todos\");\n"
               "g.MapPost(\"/\", Create);\n"
               "app.MapControllerRoute(name: \"default\", pattern: "
               "\"{controller=Home}/{action=Index}/{id?}\");\n"
               "app.Run();\n"
               "static int Create() => 1;\n"}),
        "GET api/Users/{id:int} -> /api/Users/{} aspnetcore Get Users.cs:7\n"
        "POST api/Users -> /api/Users aspnetcore Make Users.cs:9\n"
        "GET /root -> /root aspnetcore Root Users.cs:11\n"
        "GET /x/{id} -> /x/{} aspnetcore lambda Program.cs:3\n"
        "POST /todos -> /todos aspnetcore Create Program.cs:5\n"
        "ANY {controller=Home}/{action=Index}/{id?} -> /{}/{}/{} aspnetcore - "
        "Program.cs:6\n"
        "ANY {controller=Home}/{action=Index}/{id?} -> /{}/{} aspnetcore - "
        "Program.cs:6\n");
}

static void
aspnet_verbs_that_are_listed_are_a_route_each(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "[ApiController]\n"
                       "[Route(\"a\")]\n"
                       "public class A : ControllerBase {\n"
                       "  [AcceptVerbs(\"Get\", \"POST\")]\n"
                       "  public int X() => 1;\n"
                       "  [AcceptVerbs(\"PUT\", Route = \"y/{id}\")]\n"
                       "  public int Y() => 1;\n"
                       "  [AcceptVerbs(\"GET\", \"HEAD\")]\n"
                       "  [Route(\"z\")]\n"
                       "  public int Z() => 1;\n"
                       "}\n"}),
        "GET a -> /a aspnetcore X A.cs:5\n"
        "POST a -> /a aspnetcore X A.cs:5\n"
        "PUT a/y/{id} -> /a/y/{} aspnetcore Y A.cs:7\n"
        "GET a/z -> /a/z aspnetcore Z A.cs:9\n"
        "HEAD a/z -> /a/z aspnetcore Z A.cs:9\n");
}

static void
aspnet_extensions_are_where_they_are_called(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Program.cs", "using Microsoft.AspNetCore.Builder;\n"
                             "var app = WebApplication.Create();\n"
                             "var api = app.MapGroup(\"/api\");\n"
                             "api.MapUsers();\n"
                             "app.MapGroup(\"/o\").MapOrders()"
                             ".RequireAuthorization();\n"
                             "app.MapMethods(\"/m\", new[] { \"GET\", "
                             "\"PUT\" }, () => 1);\n"
                             "app.Run();\n"},
              {"Users.cs", "using Microsoft.AspNetCore.Builder;\n"
                           "using Microsoft.AspNetCore.Routing;\n"
                           "public static class Users {\n"
                           "  public static RouteGroupBuilder MapUsers(this "
                           "RouteGroupBuilder group) {\n"
                           "    group.MapDelete(\"/users/{id}\", Drop);\n"
                           "    return group;\n"
                           "  }\n"
                           "  public static void MapOrders(this "
                           "IEndpointRouteBuilder app) {\n"
                           "    var g = app.MapGroup(\"orders\");\n"
                           "    g.MapPost(\"\", () => 1);\n"
                           "  }\n"
                           "  public static void MapLost(this "
                           "RouteGroupBuilder group) {\n"
                           "    group.MapGet(\"/lost\", Drop);\n"
                           "  }\n"
                           "  static void Drop(int id) {}\n"
                           "}\n"}),
        "GET /m -> /m aspnetcore lambda Program.cs:6\n"
        "PUT /m -> /m aspnetcore lambda Program.cs:6\n"
        "DELETE /api/users/{id} -> /api/users/{} aspnetcore Drop Users.cs:5\n"
        "POST /o/orders -> /o/orders aspnetcore lambda Users.cs:10\n"
        "GET /lost -> /lost aspnetcore Drop Users.cs:13 tail\n");
}

#define EXTENDED(space, params, path)                                         \
    "using Microsoft.AspNetCore.Builder;\n"                                   \
    "using Microsoft.AspNetCore.Routing;\n"                                   \
    "namespace " space " {\n"                                                 \
    "public static class " space "Api {\n"                                    \
    "  public static void MapApi(this RouteGroupBuilder group" params ") {\n" \
    "    group.MapGet(\"" path "\", () => 1);\n"                              \
    "  }\n"                                                                   \
    "}\n"                                                                     \
    "}\n"

static void
aspnet_extensions_of_one_name_are_where_nobody_knows(void **state)
{
    (void)state;
    assert_routes(FILES({"a/Program.cs", "using Microsoft.AspNetCore.Builder;\n"
                                         "using A;\n"
                                         "var app = WebApplication.Create();\n"
                                         "app.MapGroup(\"/v1\").MapApi();\n"},
                        {"a/Api.cs", EXTENDED("A", "", "/users")},
                        {"b/Program.cs", "using Microsoft.AspNetCore.Builder;\n"
                                         "using B;\n"
                                         "var app = WebApplication.Create();\n"
                                         "app.MapGroup(\"/v2\").MapApi();\n"},
                        {"b/Api.cs", EXTENDED("B", "", "/orders")}),
                  "GET /users -> /users aspnetcore lambda a/Api.cs:6 tail\n"
                  "GET /orders -> /orders aspnetcore lambda b/Api.cs:6 tail\n");
    assert_routes(
        FILES({"Program.cs", "using Microsoft.AspNetCore.Builder;\n"
                             "var app = WebApplication.Create();\n"
                             "app.MapGroup(\"/v1\").MapApi(new A.Tag());\n"
                             "app.MapGroup(\"/v2\").MapApi(new B.Tag());\n"},
              {"Users.cs", EXTENDED("A", ", Tag tag", "/users")},
              {"Orders.cs", EXTENDED("B", ", Tag tag", "/orders")}),
        "GET /users -> /users aspnetcore lambda Users.cs:6 tail\n"
        "GET /orders -> /orders aspnetcore lambda Orders.cs:6 tail\n");
}

/* A test calls what it likes, and has methods of its own. */
static void
aspnet_extensions_of_tests_do_not_count(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/Program.cs", "using Microsoft.AspNetCore.Builder;\n"
                                 "var app = WebApplication.Create();\n"
                                 "app.MapGroup(\"/v1\").MapApi();\n"},
              {"src/Users.cs", EXTENDED("A", "", "/users")},
              {"tests/UsersTests.cs", EXTENDED("T", "", "/none")}),
        "GET /v1/users -> /v1/users aspnetcore lambda src/Users.cs:6\n");
}

static void
aspnet_templates_have_tokens_and_overrides(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs",
               "using Microsoft.AspNetCore.Mvc;\n"
               "[Area(\"Admin\")]\n"
               "[Route(\"[area]/[Controller]/[action]\")]\n"
               "public class ThingsController : Controller {\n"
               "  [HttpGet(\"~/abs/{id}\")] public int Abs() => 1;\n"
               "  [HttpPost(\"{id}\")] public Task SaveAsync(int id) => 1;\n"
               "  [HttpGet, ActionName(\"named\")] public int Other() => 1;\n"
               "}\n"}),
        "GET /abs/{id} -> /abs/{} aspnetcore Abs A.cs:5\n"
        "POST Admin/Things/Save/{id} -> /Admin/Things/Save/{} aspnetcore "
        "SaveAsync A.cs:6\n"
        "GET Admin/Things/named -> /Admin/Things/named aspnetcore Other "
        "A.cs:7\n");
}

/* Each [Route] of a class is a place of all that is in it. */
static void
aspnet_controllers_have_several_places(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "[Route(\"a\")]\n"
                       "[Route(\"b\")]\n"
                       "public class TwoController : ControllerBase {\n"
                       "  [HttpGet(\"one\")] public int M() => 1;\n"
                       "  [HttpGet(\"/two\")] public int N() => 1;\n"
                       "}\n"}),
        "GET a/one -> /a/one aspnetcore M A.cs:5\n"
        "GET b/one -> /b/one aspnetcore M A.cs:5\n"
        "GET /two -> /two aspnetcore N A.cs:6\n");
}

/* A place of the class is one of its public methods, too. */
static void
aspnet_actions_need_no_mark_of_their_own(void **state)
{
    (void)state;
    assert_routes(FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                                 "[Route(\"u/[controller]/[action]\")]\n"
                                 "public class PlainController : Controller {\n"
                                 "  public int List() => 1;\n"
                                 "  [Authorize] public int Seen() => 1;\n"
                                 "  [NonAction] public int Not() => 1;\n"
                                 "  private int Hidden() => 1;\n"
                                 "  public static int Shared() => 1;\n"
                                 "  public int Count { get { return 1; } }\n"
                                 "  public PlainController() {}\n"
                                 "  [HttpPost] public int P() => 1;\n"
                                 "}\n"
                                 "[Route(\"page\")]\n"
                                 "public class Page : ComponentBase {\n"
                                 "  public int Show() => 1;\n"
                                 "}\n"}),
                  "ANY u/Plain/List -> /u/Plain/List aspnetcore List A.cs:2\n"
                  "ANY u/Plain/Seen -> /u/Plain/Seen aspnetcore Seen A.cs:2\n"
                  "POST u/Plain/P -> /u/Plain/P aspnetcore P A.cs:11\n");
}

static void
aspnet_verbs_without_a_template_are_of_a_convention(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "public class HomeController : Controller {\n"
                       "  [HttpPost] public int Edit(int id) => 1;\n"
                       "  [HttpGet(\"lonely\")] public int One() => 1;\n"
                       "  [HttpPut, Route(\"both\")] public int Two() => 1;\n"
                       "}\n"
                       "[Route(\"\")]\n"
                       "public class RootController : Controller {\n"
                       "  [HttpGet] public int Root() => 1;\n"
                       "}\n"},
              {"Program.cs", "using Microsoft.AspNetCore.Builder;\n"
                             "var app = WebApplication.Create(args);\n"
                             "app.MapAreaControllerRoute(\"areas\", \"Blog\", "
                             "\"blog/{controller}/{action}\");\n"}),
        "GET lonely -> /lonely aspnetcore One A.cs:4\n"
        "PUT both -> /both aspnetcore Two A.cs:5\n"
        "GET / -> / aspnetcore Root A.cs:9\n"
        "ANY blog/{controller}/{action} -> /blog/{}/{} aspnetcore - "
        "Program.cs:3\n");
}

static void
aspnet_of_before_has_route_prefixes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Old.cs", "using System.Web.Http;\n"
                         "[RoutePrefix(\"api/old\")]\n"
                         "public class OldController : ApiController {\n"
                         "  [HttpGet, Route(\"list\")] public int List() => "
                         "1;\n"
                         "  [Route(\"~/over\"), HttpPost] public int Over() => "
                         "1;\n"
                         "}\n"}),
        "GET api/old/list -> /api/old/list aspnetcore List Old.cs:4\n"
        "POST /over -> /over aspnetcore Over Old.cs:5\n");
}

static void
aspnet_groups_are_told_more_in_between(void **state)
{
    (void)state;
    assert_routes(FILES({"Program.cs",
                         "using Microsoft.AspNetCore.Builder;\n"
                         "var app = WebApplication.Create(args);\n"
                         "var v1 = app.MapGroup(\"/api\").MapGroup(\"v1\");\n"
                         "v1.MapGroup(\"deep\").MapPost(\"/p\", () => 1);\n"
                         "app.MapGroup(\"/auth\").RequireAuthorization()"
                         ".AddEndpointFilter<Filter>().RequireCors(\"c\")"
                         ".MapPut(\"/u\", () => 1);\n"}),
                  "POST /api/v1/deep/p -> /api/v1/deep/p aspnetcore lambda "
                  "Program.cs:4\n"
                  "PUT /auth/u -> /auth/u aspnetcore lambda Program.cs:5\n");
}

static void
aspnet_startups_have_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"Startup.cs",
             "using Microsoft.AspNetCore.Builder;\n"
             "public class Startup {\n"
             "  public void Configure(IApplicationBuilder app, IHost env) {\n"
             "    app.UseDeveloperExceptionPage();\n"
             "    app.UseRouting();\n"
             "    app.UseEndpoints(endpoints => {\n"
             "      endpoints.MapGet(\"/s\", async context => {});\n"
             "      endpoints.MapGroup(\"/g\").MapPost(\"p\", () => 1);\n"
             "      endpoints.MapThings();\n"
             "    });\n"
             "  }\n"
             "}\n"},
            {"Things.cs",
             "using Microsoft.AspNetCore.Builder;\n"
             "using Microsoft.AspNetCore.Routing;\n"
             "public static class Things {\n"
             "  public static void MapThings(this IEndpointRouteBuilder e) {\n"
             "    e.MapGet(\"/things\", List);\n"
             "  }\n"
             "  static int List() => 1;\n"
             "}\n"},
            {"Stuff.cs",
             "using Microsoft.AspNetCore.Builder;\n"
             "public static class Stuff {\n"
             "  public static IApplicationBuilder UseStuff(this "
             "IApplicationBuilder app) {\n"
             "    return app.UseRouting().UseAuthorization().UseEndpoints(\n"
             "        e => e.MapDelete(\"/stuff\", Drop));\n"
             "  }\n"
             "  static void Drop() {}\n"
             "}\n"}),
        "GET /s -> /s aspnetcore lambda Startup.cs:7\n"
        "POST /g/p -> /g/p aspnetcore lambda Startup.cs:8\n"
        "GET /things -> /things aspnetcore List Things.cs:5\n"
        "DELETE /stuff -> /stuff aspnetcore Drop Stuff.cs:5\n");
}

static void
aspnet_groups_may_name_their_prefix(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Program.cs",
               "using Microsoft.AspNetCore.Builder;\n"
               "var app = WebApplication.Create(args);\n"
               "var todos = app.MapGroup(prefix: \"/todos\");\n"
               "todos.MapGet(\"/\", () => 1);\n"
               "var v1 = app.NewVersionedApi(\"x\").MapGroup(\"/v1\");\n"
               "v1.MapGet(\"/a\", () => 1);\n"}),
        "GET /todos -> /todos aspnetcore lambda Program.cs:4\n"
        "GET /v1/a -> /v1/a aspnetcore lambda Program.cs:6\n");
}

static void
aspnet_arguments_may_be_named(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Program.cs",
               "var app = WebApplication.Create(args);\n"
               "app.MapGet(\"/a\", handler: Show);\n"
               "app.MapGet(pattern: \"/b\", handler: () => 1);\n"
               "app.MapGroup(\"/g\").MapPut(handler: Show, pattern: \"/c\");\n"
               "app.MapGet(handler: Show);\n"
               "static int Show() => 1;\n"}),
        "GET /a -> /a aspnetcore Show Program.cs:2\n"
        "GET /b -> /b aspnetcore lambda Program.cs:3\n"
        "PUT /g/c -> /g/c aspnetcore Show Program.cs:4\n");
}

static void
carter_finds_modules(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Home.cs",
               "using Carter;\n"
               "namespace Shop;\n"
               "public class Home : ICarterModule\n"
               "{\n"
               "    public void AddRoutes(IEndpointRouteBuilder app)\n"
               "    {\n"
               "        app.MapGet(\"/\", () => 1);\n"
               "        app.MapGroup(\"/list\").MapPost(\"/{id}\", Add);\n"
               "    }\n"
               "    static int Add(int id) => id;\n"
               "}\n"
               "public class Based : CarterModule\n"
               "{\n"
               "    public Based() : base(\"/based\") { }\n"
               "    public override void AddRoutes(IEndpointRouteBuilder app)\n"
               "    {\n"
               "        app.MapGet(\"/in\", () => 1);\n"
               "    }\n"
               "}\n"},
              {"Program.cs", "var b = WebApplication.CreateBuilder(args);\n"
                             "b.Services.AddCarter();\n"
                             "var app = b.Build();\n"
                             "app.MapGroup(\"/api\").MapCarter();\n"
                             "app.Run();\n"}),
        "GET /api -> /api aspnetcore lambda Home.cs:7\n"
        "POST /api/list/{id} -> /api/list/{} aspnetcore Add Home.cs:8\n"
        "GET /in -> /in aspnetcore lambda Home.cs:17 tail\n");
}

static void
carter_modules_are_somewhere(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Home.cs",
               "using Carter;\n"
               "public class Home : ICarterModule\n"
               "{\n"
               "    public void AddRoutes(IEndpointRouteBuilder app)\n"
               "    {\n"
               "        app.MapGet(\"/x\", () => 1);\n"
               "    }\n"
               "}\n"}),
        "GET /x -> /x aspnetcore lambda Home.cs:6 tail\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aspnet_attributes_and_minimal_routes),
        cmocka_unit_test(aspnet_verbs_that_are_listed_are_a_route_each),
        cmocka_unit_test(aspnet_extensions_are_where_they_are_called),
        cmocka_unit_test(aspnet_extensions_of_one_name_are_where_nobody_knows),
        cmocka_unit_test(aspnet_extensions_of_tests_do_not_count),
        cmocka_unit_test(aspnet_templates_have_tokens_and_overrides),
        cmocka_unit_test(aspnet_controllers_have_several_places),
        cmocka_unit_test(aspnet_actions_need_no_mark_of_their_own),
        cmocka_unit_test(aspnet_verbs_without_a_template_are_of_a_convention),
        cmocka_unit_test(aspnet_of_before_has_route_prefixes),
        cmocka_unit_test(aspnet_groups_are_told_more_in_between),
        cmocka_unit_test(aspnet_startups_have_routes),
        cmocka_unit_test(aspnet_groups_may_name_their_prefix),
        cmocka_unit_test(aspnet_arguments_may_be_named),
        cmocka_unit_test(carter_finds_modules),
        cmocka_unit_test(carter_modules_are_somewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
