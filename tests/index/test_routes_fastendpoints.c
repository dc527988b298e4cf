/*
 * FastEndpoints: classes that say their routes.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(csharp);

static void
fastendpoints_are_classes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Endpoints.cs",
               "using FastEndpoints;\n"
               "namespace Shop;\n"
               "public class Make : Endpoint<Order, string>\n"
               "{\n"
               "    public override void Configure()\n"
               "    {\n"
               "        Post(\"/orders\");\n"
               "        AllowAnonymous();\n"
               "    }\n"
               "    public override async Task HandleAsync(Order o, "
               "CancellationToken c) { }\n"
               "}\n"
               "public class Set : EndpointWithoutRequest\n"
               "{\n"
               "    public override void Configure()\n"
               "    {\n"
               "        Verbs(Http.PUT, Http.PATCH);\n"
               "        Routes(\"/orders/{id}\");\n"
               "    }\n"
               "    public override Task<int> ExecuteAsync(CancellationToken "
               "c) => null;\n"
               "}\n"
               "public class Login : EndpointWithoutRequest\n"
               "{\n"
               "    public override void Configure()\n"
               "    {\n"
               "        Get(\"/login\");\n"
               "        Group<Admin>();\n"
               "    }\n"
               "}\n"
               "public class Old : EndpointWithoutRequest\n"
               "{\n"
               "    public override void Configure() { Get(\"/old\"); "
               "Version(1); }\n"
               "}\n"
               "public abstract class Base : EndpointWithoutRequest\n"
               "{\n"
               "    public override void Configure() { Get(\"/base\"); }\n"
               "}\n"
               "public class Other : Thing\n"
               "{\n"
               "    public override void Configure() { Get(\"/other\"); }\n"
               "}\n"},
              {"Program.cs", "var app = WebApplication.Create(args);\n"
                             "app.UseFastEndpoints();\n"}),
        "POST /orders -> /orders aspnetcore HandleAsync Endpoints.cs:7\n"
        "PUT /orders/{id} -> /orders/{} aspnetcore ExecuteAsync "
        "Endpoints.cs:17\n"
        "PATCH /orders/{id} -> /orders/{} aspnetcore ExecuteAsync "
        "Endpoints.cs:17\n"
        "GET /login -> /login aspnetcore - Endpoints.cs:25 tail\n");
}

static void
fastendpoints_may_be_below_a_setting(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using FastEndpoints;\n"
                       "public class A : EndpointWithoutRequest\n"
                       "{\n"
                       "    public override void Configure() { Get(\"/a\"); }\n"
                       "}\n"},
              {"Program.cs", "var app = WebApplication.Create(args);\n"
                             "app.UseFastEndpoints(c => {\n"
                             "    c.Endpoints.RoutePrefix = \"api\";\n"
                             "});\n"}),
        "GET /a -> /a aspnetcore - A.cs:4 tail\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fastendpoints_are_classes),
        cmocka_unit_test(fastendpoints_may_be_below_a_setting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
