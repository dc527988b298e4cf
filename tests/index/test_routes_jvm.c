/*
 * Routers of Java and Kotlin that are built by calls: what Vert.x 4.5 has in
 * Router.getRoutes(), Javalin 6.7 in its PathMatcher.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(java);

#define VERTX                                 \
    "package v;\n"                            \
    "import io.vertx.core.http.HttpMethod;\n" \
    "import io.vertx.ext.web.*;\n"            \
    "import io.vertx.ext.web.handler.*;\n"    \
    "class Main {\n"                          \
    "  void one(RoutingContext c) {}\n"       \
    "  void two(RoutingContext c) {}\n"       \
    "  void start() {\n"                      \
    "    Router r = Router.router(vertx);\n"

static void
a_route_of_vertx_is_told_step_by_step(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"Main.java", VERTX
             "    r.route(HttpMethod.DELETE, \"/a\").handler(this::one);\n"
             "    r.route(\"/b\").method(HttpMethod.POST)\n"
             "        .method(HttpMethod.PUT).handler(this::one);\n"
             "    r.get().path(\"/c\").produces(\"a/b\").handler(this::one);\n"
             "    r.post(\"/d\").handler(BodyHandler.create())\n"
             "        .handler(this::one).blockingHandler(this::two, false)\n"
             "        .failureHandler(this::one);\n"
             "    r.get(\"/e\").respond(c -> null);\n"
             "    r.route().handler(this::one);\n"
             "    r.route(\"/f/*\").handler(CorsHandler.create());\n"
             "    r.get(run()).handler(this::one);\n"
             "    for (String s : new String[] {\"/g\", \"/h\"})\n"
             "      r.get(\"/i\" + s).handler(this::one);\n"
             "  }\n"
             "}\n"}),
        "DELETE /a -> /a vertx-web one Main.java:10\n"
        "POST /b -> /b vertx-web one Main.java:12\n"
        "PUT /b -> /b vertx-web one Main.java:12\n"
        "GET /c -> /c vertx-web one Main.java:13\n"
        "POST /d -> /d vertx-web two Main.java:15\n"
        "GET /e -> /e vertx-web lambda Main.java:17\n");
}

static void
what_vertx_hands_on_to_is_in_the_place_of_a_star(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Main.java", VERTX
               "    r.route(\"/u/*\").subRouter(users());\n"
               "    r.route().path(\"/o*\").subRouter(new Orders(r).all());\n"
               "    r.mountSubRouter(\"/m\", users());\n"
               "  }\n"
               "  Router users() {\n"
               "    Router sub = Router.router(vertx);\n"
               "    sub.get(\"/\").handler(this::one);\n"
               "    sub.get(\"/:id\").handler(this::two);\n"
               "    return sub;\n"
               "  }\n"
               "}\n"
               "class Orders {\n"
               "  private final Router above;\n"
               "  private Router own;\n"
               "  Orders(Router r) { this.above = r; }\n"
               "  Router all() {\n"
               "    own = Router.router(vertx);\n"
               "    own.delete(\"/x\").handler(this::one);\n"
               "    above.get(\"/y\").handler(this::one);\n"
               "    return own;\n"
               "  }\n"
               "  void one(RoutingContext c) {}\n"
               "}\n"}),
        "GET /u -> /u vertx-web one Main.java:16\n"
        "GET /m -> /m vertx-web one Main.java:16\n"
        "GET /u/:id -> /u/{} vertx-web two Main.java:17\n"
        "GET /m/:id -> /m/{} vertx-web two Main.java:17\n"
        "DELETE /o/x -> /o/x vertx-web one Main.java:27\n"
        "GET /y -> /y vertx-web one Main.java:28\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_route_of_vertx_is_told_step_by_step),
        cmocka_unit_test(what_vertx_hands_on_to_is_in_the_place_of_a_star),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
