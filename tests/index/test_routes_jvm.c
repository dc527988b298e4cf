/*
 * Routers of Java and Kotlin that are built by calls: what Vert.x 4.5 has in
 * Router.getRoutes(), Javalin 6.7 in its PathMatcher,
 * Ktor 2.3.12 in the tree of its routes.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(java);
LINK_LANG(kotlin);

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

static void
vertx_of_kotlin_has_handlers_that_suspend(void **state)
{
    (void)state;
    assert_routes(
        FILES({"V.kt", "package v\n"
                       "import io.vertx.ext.web.*\n"
                       "class V : CoroutineVerticle() {\n"
                       "  private lateinit var router: Router\n"
                       "  override suspend fun start() {\n"
                       "    router = Router.router(vertx)\n"
                       "    router.get(\"/a\").coroutineHandler { show(it) }\n"
                       "    more()\n"
                       "  }\n"
                       "  fun more() { router.get(\"/b\").handler(::show) }\n"
                       "  fun show(c: RoutingContext) {}\n"
                       "}\n"}),
        "GET /a -> /a vertx-web lambda V.kt:7\n"
        "GET /b -> /b vertx-web show V.kt:10\n");
}

static void
blocks_of_javalin_may_be_functions(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Main.java",
               "package j;\n"
               "import io.javalin.Javalin;\n"
               "import io.javalin.apibuilder.EndpointGroup;\n"
               "import io.javalin.http.Context;\n"
               "import static io.javalin.apibuilder.ApiBuilder.*;\n"
               "class Main {\n"
               "  Javalin app() {\n"
               "    return Javalin.create(c -> c.router.apiBuilder(() -> {\n"
               "      path(\"/a\", More::routes);\n"
               "      path(\"/b\", admin());\n"
               "      path(\"/c\", () -> More.called());\n"
               "      path(\"/d\", new Group());\n"
               "    }));\n"
               "  }\n"
               "  EndpointGroup admin() {\n"
               "    return () -> get(\"stats\", More::show);\n"
               "  }\n"
               "}\n"
               "class Group implements EndpointGroup {\n"
               "  public void addEndpoints() { post(More::show, Role.ANY); }\n"
               "}\n"
               "class More {\n"
               "  static void routes() { get(\"list\", More::show); }\n"
               "  static void called() { path(\"e\", () -> put(More::show)); "
               "}\n"
               "  static void alone() { delete(\"/f\", More::show); }\n"
               "  static void show(Context c) {}\n"
               "}\n"}),
        "GET /b/stats -> /b/stats javalin show Main.java:16\n"
        "POST /d -> /d javalin show Main.java:20\n"
        "GET /a/list -> /a/list javalin show Main.java:23\n"
        "PUT /c/e -> /c/e javalin show Main.java:24\n"
        "DELETE /f -> /f javalin show Main.java:25\n");
}

static void
javalin_gives_its_router_to_functions(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Main.java",
               "import io.javalin.Javalin;\n"
               "import io.javalin.http.Context;\n"
               "import io.javalin.router.*;\n"
               "class Main {\n"
               "  static void more(JavalinDefaultRouting r) {\n"
               "    r.get(\"/more\", Main::show);\n"
               "  }\n"
               "  static void main(String[] args) {\n"
               "    Javalin app = Javalin.create(config -> {\n"
               "      config.router.mount(r -> {\n"
               "        r.get(\"/a\", Main::show).post(\"/b\", Main::show);\n"
               "      });\n"
               "      config.router.mount(JavalinDefaultRouting.Default,\n"
               "                          r -> r.put(\"/c\", Main::show));\n"
               "      config.router.mount(Main::more);\n"
               "    });\n"
               "    app.before(c -> c.get(\"/none\", c));\n"
               "    app.get(\"/d\", Main::show);\n"
               "  }\n"
               "  static void show(Context c) {}\n"
               "}\n"}),
        "GET /more -> /more javalin show Main.java:6\n"
        "GET /a -> /a javalin show Main.java:11\n"
        "POST /b -> /b javalin show Main.java:11\n"
        "PUT /c -> /c javalin show Main.java:14\n"
        "GET /d -> /d javalin show Main.java:18\n");
}

static void
crud_of_javalin_is_five_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Main.java",
               "package j;\n"
               "import io.javalin.Javalin;\n"
               "import io.javalin.apibuilder.CrudHandler;\n"
               "import io.javalin.http.*;\n"
               "import static io.javalin.apibuilder.ApiBuilder.*;\n"
               "class Main {\n"
               "  Javalin app() {\n"
               "    return Javalin.create(c -> c.router.apiBuilder(() -> {\n"
               "      path(\"/v1\", () -> crud(\"cats/{id}\", new Cats()));\n"
               "      sse(\"/s\", c -> {});\n"
               "    })).before(c -> {}).get(\"/g\", c -> {})\n"
               "      .addHttpHandler(HandlerType.PUT, \"/h\", c -> {});\n"
               "  }\n"
               "}\n"
               "class Cats implements CrudHandler {\n"
               "  public void getAll(Context c) {}\n"
               "  public void create(Context c) {}\n"
               "  public void getOne(Context c, String id) {}\n"
               "  public void update(Context c, String id) {}\n"
               "  public void delete(Context c, String id) {}\n"
               "}\n"}),
        "GET /g -> /g javalin lambda Main.java:11\n"
        "PUT /h -> /h javalin lambda Main.java:12\n"
        "GET /v1/cats/ -> /v1/cats javalin getAll Main.java:9\n"
        "POST /v1/cats/ -> /v1/cats javalin create Main.java:9\n"
        "GET /v1/cats/{id} -> /v1/cats/{} javalin getOne Main.java:9\n"
        "PATCH /v1/cats/{id} -> /v1/cats/{} javalin update Main.java:9\n"
        "DELETE /v1/cats/{id} -> /v1/cats/{} javalin delete Main.java:9\n"
        "GET /s -> /s javalin lambda Main.java:10\n");
}

static void
what_a_setting_of_micronaut_begins_is_not_known(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.java", "package m;\n"
                         "import io.micronaut.http.annotation.*;\n"
                         "@Controller(\"${api.base:/x}/pets\")\n"
                         "class A {\n"
                         "  @Get(\"/own\") String own() { return \"\"; }\n"
                         "  @Trace(\"/t\") String trace() { return \"\"; }\n"
                         "}\n"
                         "@Controller(\"${all}\")\n"
                         "class B {\n"
                         "  @Get(\"${p}/q\") String q() { return \"\"; }\n"
                         "  @Get(\"${p}\") String none() { return \"\"; }\n"
                         "}\n"}),
        "GET /pets/own -> /pets/own micronaut own A.java:5 tail\n"
        "TRACE /pets/t -> /pets/t micronaut trace A.java:6 tail\n"
        "GET /q -> /q micronaut q A.java:10 tail\n");
}

static void
routes_of_ktor_may_be_given_by_name(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.kt",
               "package k\n"
               "import io.ktor.server.application.*\n"
               "import io.ktor.server.routing.*\n"
               "fun Application.module() = routing {\n"
               "  route(\"/v1\") {\n"
               "    named(this)\n"
               "    with(this) { get(\"/a\") {} }\n"
               "    apply { get(\"/b\") {} }\n"
               "    listOf(1).forEach { get(\"/c\") {} }\n"
               "    authed { get(\"/d\") {} }\n"
               "  }\n"
               "}\n"
               "fun named(r: Route) {\n"
               "  r.get(\"/e\") { with(client) { get(\"/not\") {} } }\n"
               "  r.route(\"/f\") { post { client.get(\"/not\") {} } }\n"
               "  r.apply { put(\"/g\") {} }\n"
               "  with(r) { delete(\"/h\") {} }\n"
               "}\n"
               "fun unused(r: Route) { r.get(\"/i\") {} }\n"
               "fun Route.authed(block: Route.() -> Unit) =\n"
               "  route(\"/z\") { block() }\n"}),
        "GET /v1/a -> /v1/a ktor lambda A.kt:7\n"
        "GET /v1/b -> /v1/b ktor lambda A.kt:8\n"
        "GET /v1/c -> /v1/c ktor lambda A.kt:9\n"
        "GET /d -> /d ktor lambda A.kt:10 tail\n"
        "GET /v1/e -> /v1/e ktor lambda A.kt:14\n"
        "POST /v1/f -> /v1/f ktor lambda A.kt:15\n"
        "PUT /v1/g -> /v1/g ktor lambda A.kt:16\n"
        "DELETE /v1/h -> /v1/h ktor lambda A.kt:17\n"
        "GET /i -> /i ktor lambda A.kt:19 tail\n");
}

static void
a_dollar_of_kotlin_may_be_escaped(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.kt",
               "package k\n"
               "import org.springframework.cloud.openfeign.FeignClient\n"
               "import org.springframework.web.bind.annotation.*\n"
               "@FeignClient(name = \"a\", url = \"\\${a.url}\")\n"
               "interface A {\n"
               "  @GetMapping(\"/x\") fun x(): String\n"
               "}\n"
               "@FeignClient(name = \"b\", url = \"\\${b.url}/v2\")\n"
               "interface B {\n"
               "  @GetMapping(\"/x\") fun x(): String\n"
               "}\n"
               "@RestController\n"
               "class C {\n"
               "  @GetMapping(\"/\\$count\") fun count() = 1\n"
               "}\n"}),
        "GET /x -> /x spring x A.kt:6 asked\n"
        "GET /v2/x -> /v2/x spring x A.kt:10 asked\n"
        "GET /$count -> /$count spring count A.kt:14\n");
}

static void
a_servlet_answers_what_it_overrides(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.java",
               "package s;\n"
               "import jakarta.servlet.annotation.WebServlet;\n"
               "import jakarta.servlet.http.*;\n"
               "@WebServlet(name = \"a\", urlPatterns = {\"/a\", A.P + "
               "\"/*\"})\n"
               "class A extends HttpServlet {\n"
               "  static final String P = \"/b\";\n"
               "  protected void doGet(HttpServletRequest q, "
               "HttpServletResponse r) {}\n"
               "}\n"
               "abstract class Base extends HttpServlet {\n"
               "  protected void doPost(HttpServletRequest q, "
               "HttpServletResponse r) {}\n"
               "}\n"
               "@WebServlet(\"/c\")\n"
               "class C extends Base {}\n"
               "@WebFilter(\"/d\")\n"
               "class D { void doGet() {} }\n"}),
        "GET /a -> /a servlet doGet A.java:4\n"
        "GET /b/* -> /b/{**} servlet doGet A.java:4\n"
        "POST /c -> /c servlet doPost A.java:12\n");
}

static void
a_locator_need_not_declare_what_it_gives(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.kt", "package k\n"
                       "import jakarta.ws.rs.*\n"
                       "@Path(\"/a\") class A {\n"
                       "  @Path(\"b\") fun sub() = B()\n"
                       "}\n"
                       "class B { @GET @Path(\"{x}\") fun x() = \"\" }\n"},
              {"C.java",
               "package k;\n"
               "import jakarta.ws.rs.*;\n"
               "@Path(\"/c\") public class C {\n"
               "  @Path(\"d\") public Object one() { return new D(); }\n"
               "  @Path(\"e\") public Object two(boolean b) {\n"
               "    if (b) return new D();\n"
               "    return new F();\n"
               "  }\n"
               "}\n"
               "class D { @GET public String d() { return \"\"; } }\n"
               "class F { @PUT public void f() {} }\n"}),
        "GET /a/b/{x} -> /a/b/{} jax-rs x A.kt:6\n"
        "GET /c/d -> /c/d jax-rs d C.java:10\n"
        "PUT / -> / jax-rs f C.java:11 tail\n");
}

static void
spark_has_groups_content_types_and_loops(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Main.java",
               "package s;\n"
               "import static spark.Spark.*;\n"
               "import spark.*;\n"
               "class Main {\n"
               "  static final String JSON = \"application/json\";\n"
               "  static void main(String[] a) {\n"
               "    path(\"/users\", new Users());\n"
               "    post(\"/a\", JSON, Users::one);\n"
               "    put(\"/b\", \"text/plain\", Users::one, new Render());\n"
               "    for (String s : new String[] {\"/c\", \"/d\"})\n"
               "      get(s, Users::one);\n"
               "  }\n"
               "}\n"
               "class Users implements RouteGroup {\n"
               "  public void addRoutes() { get(\"/:id\", Users::one); }\n"
               "  static Object one(Request q, Response r) { return 1; }\n"
               "}\n"}),
        "POST /a -> /a spark one Main.java:8\n"
        "PUT /b -> /b spark one Main.java:9\n"
        "GET /c -> /c spark one Main.java:11\n"
        "GET /d -> /d spark one Main.java:11\n"
        "GET /users/:id -> /users/{} spark one Main.java:15\n");
}

/* What another server's block holds is not below it. */
static void
spark_servers_have_groups_of_their_own(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Main.java",
               "package s;\n"
               "import spark.Service;\n"
               "class Main {\n"
               "  static void main(String[] a) {\n"
               "    Service one = Service.ignite().port(1);\n"
               "    Service two = Service.ignite();\n"
               "    one.path(\"/a\", () -> {\n"
               "      one.get(\"/x\", Main::h);\n"
               "      two.path(\"/b\", () -> two.put(\"/y\", Main::h));\n"
               "      one.path(\"/c\", () -> {\n"
               "        one.post(\"/z\", Main::h);\n"
               "        two.get(\"/w\", Main::h);\n"
               "      });\n"
               "    });\n"
               "  }\n"
               "  static Object h(Object q, Object r) { return 1; }\n"
               "}\n"}),
        "GET /a/x -> /a/x spark h Main.java:8\n"
        "PUT /b/y -> /b/y spark h Main.java:9\n"
        "POST /a/c/z -> /a/c/z spark h Main.java:11\n"
        "GET /w -> /w spark h Main.java:12\n");
}

/* The grammar took the second line of each pair for a property's getter. */
static void
ktor_gets_below_a_value(void **state)
{
    (void)state;
    assert_routes(FILES({"K.kt", "package k\n"
                                 "import io.ktor.server.routing.*\n"
                                 "class All {\n"
                                 "  val size: Int\n"
                                 "    get() = 1\n"
                                 "}\n"
                                 "fun Application.module() {\n"
                                 "  routing {\n"
                                 "    val service = Service()\n"
                                 "    get(\"/a\") { service.x() }\n"
                                 "    val n by lazy { 1 }\n\n"
                                 "    get { service.x() }\n"
                                 "    post(\"/b\") { service.x() }\n"
                                 "  }\n"
                                 "}\n"}),
                  "GET /a -> /a ktor lambda K.kt:10\n"
                  "GET / -> / ktor lambda K.kt:13\n"
                  "POST /b -> /b ktor lambda K.kt:14\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_route_of_vertx_is_told_step_by_step),
        cmocka_unit_test(what_vertx_hands_on_to_is_in_the_place_of_a_star),
        cmocka_unit_test(vertx_of_kotlin_has_handlers_that_suspend),
        cmocka_unit_test(ktor_gets_below_a_value),
        cmocka_unit_test(spark_servers_have_groups_of_their_own),
        cmocka_unit_test(spark_has_groups_content_types_and_loops),
        cmocka_unit_test(blocks_of_javalin_may_be_functions),
        cmocka_unit_test(javalin_gives_its_router_to_functions),
        cmocka_unit_test(crud_of_javalin_is_five_routes),
        cmocka_unit_test(what_a_setting_of_micronaut_begins_is_not_known),
        cmocka_unit_test(routes_of_ktor_may_be_given_by_name),
        cmocka_unit_test(a_dollar_of_kotlin_may_be_escaped),
        cmocka_unit_test(a_servlet_answers_what_it_overrides),
        cmocka_unit_test(a_locator_need_not_declare_what_it_gives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
