/*
 * Spring MVC, JAX-RS, Micronaut, Javalin, Vert.x-web, Spark; Feign asks.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(java);

static void
spring_mappings_combine_class_and_method(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Owners.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "import org.springframework.stereotype.Controller;\n"
               "@Controller\n"
               "@RequestMapping(Paths.BASE + \"/owners\")\n"
               "class Owners {\n"
               "  @GetMapping(\"/{ownerId}\")\n"
               "  public String show(int ownerId) { return \"x\"; }\n"
               "  @RequestMapping(value = {\"/a\", \"/b\"}, method = "
               "{RequestMethod.PUT, RequestMethod.POST})\n"
               "  public String both() { return \"x\"; }\n"
               "  @PostMapping\n"
               "  public String add() { return \"x\"; }\n"
               "  public String helper() { return \"x\"; }\n"
               "}\n"},
              {"src/a/Paths.java",
               "package a;\n"
               "public class Paths {\n"
               "  public static final String BASE = \"/api\";\n"
               "}\n"},
              {"src/a/Api.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.GetMapping;\n"
               "import org.springframework.web.bind.annotation."
               "RestController;\n"
               "interface Api {\n"
               "  @GetMapping(path = \"/declared/{id}\")\n"
               "  String declared(String id);\n"
               "}\n"
               "@RestController(\"someBean\")\n"
               "class ApiImpl implements Api {\n"
               "  public String declared(String id) { return id; }\n"
               "}\n"}),
        "GET /api/owners/{ownerId} -> /api/owners/{} spring show "
        "src/a/Owners.java:7\n"
        "PUT /api/owners/a -> /api/owners/a spring both "
        "src/a/Owners.java:9\n"
        "PUT /api/owners/b -> /api/owners/b spring both "
        "src/a/Owners.java:9\n"
        "POST /api/owners/a -> /api/owners/a spring both "
        "src/a/Owners.java:9\n"
        "POST /api/owners/b -> /api/owners/b spring both "
        "src/a/Owners.java:9\n"
        "POST /api/owners -> /api/owners spring add src/a/Owners.java:11\n"
        "GET /declared/{id} -> /declared/{} spring declared "
        "src/a/Api.java:5\n");
}

static void
a_constant_is_text_whatever_is_imported_with_a_star(void **state)
{
    (void)state;
    assert_routes(FILES({"src/a/Own.java",
                         "package a;\n"
                         "import org.springframework.web.bind.annotation.*;\n"
                         "@RestController\n"
                         "public class Own {\n"
                         "  private static final String P = \"/own\";\n"
                         "  @GetMapping(P)\n"
                         "  public String one() { return P; }\n"
                         "  @GetMapping(P + \"/{id}\")\n"
                         "  public String two() { return P; }\n"
                         "}\n"}),
                  "GET /own -> /own spring one src/a/Own.java:6\n"
                  "GET /own/{id} -> /own/{} spring two src/a/Own.java:8\n");
}

static void
feign_interfaces_ask(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Carts.java",
               "package a;\n"
               "import org.springframework.cloud.openfeign.FeignClient;\n"
               "import org.springframework.web.bind.annotation.GetMapping;\n"
               "@FeignClient(name = \"cart\", path = \"/api\")\n"
               "public interface Carts {\n"
               "  @GetMapping(\"/carts/{id}\")\n"
               "  String cart(String id);\n"
               "}\n"}),
        "GET http://cart/api/carts/{id} -> /api/carts/{} spring cart "
        "src/a/Carts.java:6 asked\n");
}

static void
jaxrs_paths_have_the_application_path(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/App.java", "package a;\n"
                                 "import jakarta.ws.rs.ApplicationPath;\n"
                                 "import jakarta.ws.rs.core.Application;\n"
                                 "@ApplicationPath(\"/api\")\n"
                                 "public class App extends Application {}\n"},
              {"src/a/Books.java",
               "package a;\n"
               "import jakarta.ws.rs.*;\n"
               "@Path(\"books\")\n"
               "public class Books {\n"
               "  @GET\n"
               "  public String all() { return \"x\"; }\n"
               "  @GET @Path(\"{id: \\\\d+}\")\n"
               "  public String one() { return \"x\"; }\n"
               "  @Path(\"{id}/pages\")\n"
               "  public Pages pages() { return new Pages(); }\n"
               "}\n"},
              {"src/a/Pages.java", "package a;\n"
                                   "import jakarta.ws.rs.POST;\n"
                                   "public class Pages {\n"
                                   "  @POST\n"
                                   "  public void add() {}\n"
                                   "}\n"}),
        "GET /api/books -> /api/books jax-rs all src/a/Books.java:5\n"
        "GET /api/books/{id: \\d+} -> /api/books/{} jax-rs one "
        "src/a/Books.java:7\n"
        "POST /api/books/{id}/pages -> /api/books/{}/pages jax-rs add "
        "src/a/Pages.java:4\n");
}

static void
what_an_interface_declares_is_served_by_what_implements_it(void **state)
{
    (void)state;
    /* Both files number their definitions alike. */
    assert_routes(
        FILES({"src/a/Api.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RequestMapping(\"/api\")\n"
               "public interface Api {\n"
               "  @GetMapping(\"/users\") String users();\n"
               "  @GetMapping(\"/old\") String moved();\n"
               "}\n"},
              {"src/a/Ctl.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController\n"
               "public class Ctl implements Api {\n"
               "  public String users() { return \"x\"; }\n"
               "  @GetMapping(\"/new\") public String moved() { return "
               "\"x\"; }\n"
               "}\n"},
              {"src/a/Fallback.java",
               "package a;\n"
               "public class Fallback implements Api {\n"
               "  public String users() { return \"x\"; }\n"
               "}\n"}),
        "GET /api/users -> /api/users spring users src/a/Api.java:5\n"
        "GET /api/new -> /api/new spring moved src/a/Ctl.java:6\n");
}

static void
what_a_base_of_spring_has_is_below_each_that_extends_it(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Base.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "public abstract class Base<T> {\n"
               "  @GetMapping(\"/{id}\") public T one() { return null; }\n"
               "  @DeleteMapping(\"/{id}\") public void drop() {}\n"
               "}\n"},
              {"src/a/Middle.java", "package a;\n"
                                    "public abstract class Middle<T> extends "
                                    "Base<T> {}\n"},
              {"src/a/Orders.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController @RequestMapping(\"/orders\")\n"
               "public class Orders extends Middle<String> {\n"
               "  @Override @DeleteMapping(\"/all\") public void drop() {}\n"
               "}\n"},
              {"src/a/Users.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController @RequestMapping(\"/users\")\n"
               "public class Users extends Base<String> {}\n"},
              {"src/a/Round.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController class Round extends Turn {}\n"
               "class Turn extends Round {}\n"}),
        "GET /orders/{id} -> /orders/{} spring one src/a/Base.java:4\n"
        "DELETE /orders/all -> /orders/all spring drop src/a/Orders.java:5\n"
        "GET /users/{id} -> /users/{} spring one src/a/Base.java:4\n"
        "DELETE /users/{id} -> /users/{} spring drop src/a/Base.java:5\n");
}

static void
overloads_of_a_base_serve_each(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Base.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "public abstract class Base {\n"
               "  @GetMapping(\"/list\") public String list() { return "
               "\"x\"; }\n"
               "  @GetMapping(\"/list/{page}\") public String list(int page) "
               "{ return \"x\"; }\n"
               "  @GetMapping(\"/old\") public String old(int a, int b) { "
               "return \"x\"; }\n"
               "}\n"},
              {"src/a/Users.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController @RequestMapping(\"/users\")\n"
               "public class Users extends Base {}\n"},
              {"src/a/Orders.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController @RequestMapping(\"/orders\")\n"
               "public class Orders extends Base {\n"
               "  @GetMapping(\"/all\") public String list() { return "
               "\"x\"; }\n"
               "  public void old() {}\n"
               "  @GetMapping(\"/new\") public String old(int a, int b) { "
               "return \"x\"; }\n"
               "}\n"}),
        "GET /users/list -> /users/list spring list src/a/Base.java:4\n"
        "GET /users/list/{page} -> /users/list/{} spring list "
        "src/a/Base.java:5\n"
        "GET /users/old -> /users/old spring old src/a/Base.java:6\n"
        "GET /orders/list/{page} -> /orders/list/{} spring list "
        "src/a/Base.java:5\n"
        "GET /orders/all -> /orders/all spring list src/a/Orders.java:5\n"
        "GET /orders/new -> /orders/new spring old src/a/Orders.java:7\n");
}

static void
default_methods_of_an_interface_serve(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/PetApi.java",
               "package a;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "public interface PetApi {\n"
               "  default String delegate() { return \"x\"; }\n"
               "  @RequestMapping(method = RequestMethod.GET, value = "
               "\"/pet/{petId}\")\n"
               "  default String getPet(long petId) { return delegate(); }\n"
               "}\n"},
              {"src/a/PetApiController.java",
               "package a;\n"
               "import org.springframework.stereotype.Controller;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@Controller\n"
               "@RequestMapping(\"/v3\")\n"
               "public class PetApiController implements PetApi {}\n"},
              {"src/b/Api.java",
               "package b;\n"
               "import jakarta.ws.rs.*;\n"
               "@Path(\"b\")\n"
               "public interface Api {\n"
               "  @GET @Path(\"x\") default String x() { return \"x\"; }\n"
               "}\n"},
              {"src/b/Impl.java", "package b;\n"
                                  "public class Impl implements Api {}\n"}),
        "GET /v3/pet/{petId} -> /v3/pet/{} spring getPet src/a/PetApi.java:5\n"
        "GET /b/x -> /b/x jax-rs x src/b/Api.java:5\n");
}

/* Each layer extends all of the one below: the ways are 16 to the power of 9,
 * the bases but a few. */
static void
bases_that_many_ways_lead_to_are_looked_at_once(void **state)
{
    enum { LAYERS = 9, WIDTH = 16 };
    struct buf code = {0};

    (void)state;
    buf_printf(&code, "package a;\n"
                      "import org.springframework.web.bind.annotation.*;\n"
                      "@RestController class Top implements I0x0 {}\n");
    for (int layer = 0; layer < LAYERS; layer++)
        for (int i = 0; i < WIDTH; i++) {
            buf_printf(&code, "interface I%dx%d", layer, i);
            for (int k = 0; layer + 1 < LAYERS && k < WIDTH; k++)
                buf_printf(&code, "%s I%dx%d", k ? "," : " extends", layer + 1,
                           k);
            if (layer == 0)
                buf_printf(&code, " { @GetMapping(\"/x\") default int x() { "
                                  "return 1; } }\n");
            else
                buf_printf(&code, " {}\n");
        }
    assert_routes(FILES({"src/a/A.java", buf_cstr(&code)}),
                  "GET /x -> /x spring x src/a/A.java:4\n");
    buf_fini(&code);
}

static void
jaxrs_classes_without_a_path_are_where_they_are_located(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Items.java", "package a;\n"
                                   "import jakarta.ws.rs.*;\n"
                                   "public class Items {\n"
                                   "  @GET public String all() { return "
                                   "\"x\"; }\n"
                                   "}\n"},
              {"src/a/Lost.java", "package a;\n"
                                  "import jakarta.ws.rs.*;\n"
                                  "public class Lost {\n"
                                  "  @GET @Path(\"where\") public String x() "
                                  "{ return \"x\"; }\n"
                                  "}\n"},
              {"src/a/Shop.java",
               "package a;\n"
               "import jakarta.ws.rs.*;\n"
               "@Path(\"shops\")\n"
               "public class Shop {\n"
               "  @Path(\"{id}/items\") public Items i() { return new "
               "Items(); }\n"
               "  @Path(\"staff\") public Class<Staff> s() { return "
               "Staff.class; }\n"
               "}\n"},
              {"src/a/Staff.java", "package a;\n"
                                   "import jakarta.ws.rs.*;\n"
                                   "public class Staff {\n"
                                   "  @GET public String boss() { return "
                                   "\"x\"; }\n"
                                   "}\n"},
              {"src/a/Api.java", "package a;\n"
                                 "import jakarta.ws.rs.*;\n"
                                 "@Path(\"api\")\n"
                                 "public interface Api { @GET @Path(\"x\") "
                                 "String x(); }\n"},
              {"src/a/Impl.java", "package a;\n"
                                  "public class Impl implements Api {\n"
                                  "  public String x() { return \"x\"; }\n"
                                  "}\n"}),
        "GET /shops/{id}/items -> /shops/{}/items jax-rs all "
        "src/a/Items.java:4\n"
        "GET /where -> /where jax-rs x src/a/Lost.java:4 tail\n"
        "GET /shops/staff -> /shops/staff jax-rs boss src/a/Staff.java:4\n"
        "GET /api/x -> /api/x jax-rs x src/a/Api.java:4\n");
}

static void
micronaut_and_functional_routers_have_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/m/Hello.java",
               "package m;\n"
               "import io.micronaut.http.annotation.Controller;\n"
               "import io.micronaut.http.annotation.Get;\n"
               "@Controller(\"/hello\")\n"
               "public class Hello {\n"
               "  @Get(\"/{name}\")\n"
               "  public String hi(String name) { return name; }\n"
               "  @Get(uris = {\"/a\", \"/b\"})\n"
               "  public String both() { return \"\"; }\n"
               "  @Get(\"\") public String showAll() { return \"\"; }\n"
               "}\n"},
              {"src/j/Main.java",
               "package j;\n"
               "import io.javalin.Javalin;\n"
               "import io.javalin.http.Context;\n"
               "public class Main {\n"
               "  static void show(Context ctx) {}\n"
               "  public static void main(String[] args) {\n"
               "    Javalin app = Javalin.create().start(7000);\n"
               "    app.get(\"/users/{id}\", Main::show);\n"
               "    app.post(\"/inline\", ctx -> ctx.result(\"x\"));\n"
               "  }\n"
               "}\n"},
              {"src/v/Main.java",
               "package v;\n"
               "import io.vertx.ext.web.Router;\n"
               "import io.vertx.ext.web.RoutingContext;\n"
               "public class Main {\n"
               "  void show(RoutingContext ctx) {}\n"
               "  void start() {\n"
               "    Router router = Router.router(vertx);\n"
               "    Router sub = Router.router(vertx);\n"
               "    router.get(\"/x/:id\").handler(this::show);\n"
               "    sub.route(\"/y\").handler(ctx -> ctx.end());\n"
               "    router.mountSubRouter(\"/sub\", sub);\n"
               "  }\n"
               "}\n"}),
        "GET /hello/{name} -> /hello/{} micronaut hi src/m/Hello.java:6\n"
        "GET /hello/a -> /hello/a micronaut both src/m/Hello.java:8\n"
        "GET /hello/b -> /hello/b micronaut both src/m/Hello.java:8\n"
        "GET /hello/show-all -> /hello/show-all micronaut showAll "
        "src/m/Hello.java:10\n"
        "GET /users/{id} -> /users/{} javalin show src/j/Main.java:8\n"
        "POST /inline -> /inline javalin lambda src/j/Main.java:9\n"
        "GET /x/:id -> /x/{} vertx-web show src/v/Main.java:9\n"
        "ANY /sub/y -> /sub/y vertx-web lambda src/v/Main.java:10\n");
}

static void
static_functions_are_routes_in_their_blocks(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/s/Main.java",
               "package s;\n"
               "import static spark.Spark.*;\n"
               "public class Main {\n"
               "  public static void main(String[] a) {\n"
               "    get(\"/hello\", (req, res) -> \"x\");\n"
               "    path(\"/api\", () -> {\n"
               "      post(\"/make\", (req, res) -> \"x\");\n"
               "    });\n"
               "  }\n"
               "}\n"},
              {"src/f/Routes.java",
               "package f;\n"
               "import org.springframework.web.reactive.function.server.*;\n"
               "import static org.springframework.web.reactive.function."
               "server.RequestPredicates.GET;\n"
               "import static org.springframework.web.reactive.function."
               "server.RouterFunctions.route;\n"
               "class Handler { void show(int r) {} }\n"
               "class Routes {\n"
               "  Object r(Handler handler) {\n"
               "    return route(GET(\"/f/{id}\"), handler::show);\n"
               "  }\n"
               "}\n"}),
        "GET /hello -> /hello spark lambda src/s/Main.java:5\n"
        "POST /api/make -> /api/make spark lambda src/s/Main.java:7\n"
        "GET /f/{id} -> /f/{} spring show src/f/Routes.java:8\n");
}

static void
what_only_looks_like_a_route_is_none(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/n/Near.java", "package n;\n"
                                  "import my.own.GetMapping;\n"
                                  "import java.util.Map;\n"
                                  "public class Near {\n"
                                  "  @GetMapping(\"/no\")\n"
                                  "  public void no() {}\n"
                                  "  void f(Map<String, String> m) {\n"
                                  "    m.put(\"/k\", \"v\");\n"
                                  "    m.get(\"/k\");\n"
                                  "    client.get(\"/u\", x -> x);\n"
                                  "  }\n"
                                  "}\n"}),
        "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_mappings_combine_class_and_method),
        cmocka_unit_test(a_constant_is_text_whatever_is_imported_with_a_star),
        cmocka_unit_test(feign_interfaces_ask),
        cmocka_unit_test(jaxrs_paths_have_the_application_path),
        cmocka_unit_test(
            what_an_interface_declares_is_served_by_what_implements_it),
        cmocka_unit_test(
            what_a_base_of_spring_has_is_below_each_that_extends_it),
        cmocka_unit_test(overloads_of_a_base_serve_each),
        cmocka_unit_test(default_methods_of_an_interface_serve),
        cmocka_unit_test(bases_that_many_ways_lead_to_are_looked_at_once),
        cmocka_unit_test(
            jaxrs_classes_without_a_path_are_where_they_are_located),
        cmocka_unit_test(micronaut_and_functional_routers_have_routes),
        cmocka_unit_test(static_functions_are_routes_in_their_blocks),
        cmocka_unit_test(what_only_looks_like_a_route_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
