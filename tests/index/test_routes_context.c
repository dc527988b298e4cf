/*
 * What settings put before all routes of an application: Spring, Quarkus,
 * Micronaut.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(java);

#define SPRING                                            \
    "package a;\n"                                        \
    "import org.springframework.web.bind.annotation.*;\n" \
    "@RestController\n"                                   \
    "class Own {\n"                                       \
    "  @GetMapping(\"/own\")\n"                           \
    "  public String one() { return P; }\n"               \
    "}\n"
#define OTHER                                             \
    "package b;\n"                                        \
    "import org.springframework.web.bind.annotation.*;\n" \
    "@RestController\n"                                   \
    "class Other {\n"                                     \
    "  @GetMapping(\"/other\")\n"                         \
    "  public String two() { return P; }\n"               \
    "}\n"
#define RESOURCE                            \
    "package a;\n"                          \
    "import jakarta.ws.rs.*;\n"             \
    "@Path(\"items\")\n"                    \
    "class Items {\n"                       \
    "  @GET\n"                              \
    "  public String one() { return P; }\n" \
    "}\n"
#define OWN      "cart/src/main/java/a/Own.java"
#define SETTINGS "cart/src/main/resources/application"

#define BEFORE "GET /shop/own -> /shop/own spring one " OWN ":5\n"
#define OPEN   "GET /own -> /own spring one " OWN ":5 tail\n"
#define BARE   "GET /own -> /own spring one " OWN ":5\n"

static void
a_context_path_is_before_the_routes_of_its_module(void **state)
{
    (void)state;
    assert_routes(FILES({OWN, SPRING}, {"src/main/java/a/Other.java", OTHER},
                        {SETTINGS ".properties",
                         "# x\nserver.servlet.context-path = /shop/\n"}),
                  BEFORE "GET /other -> /other spring two "
                         "src/main/java/a/Other.java:5\n");
    assert_routes(
        FILES({OWN, SPRING}, {SETTINGS ".yml", "server:\n"
                                               "  servlet:\n"
                                               "    contextPath: /shop\n"}),
        BEFORE);
    assert_routes(
        FILES({OWN, SPRING}, {"cart/src/main/resources/config/application.yaml",
                              "spring.webflux.base-path: /shop\n"}),
        BEFORE);
    assert_routes(
        FILES({OWN, SPRING}, {SETTINGS ".properties", "server.port=80\n"}),
        BARE);
    assert_routes(FILES({OWN, SPRING}, {SETTINGS ".properties",
                                        "server.servlet.context-path=/"}),
                  BARE);
}

static void
what_profiles_differ_in_is_not_known(void **state)
{
    (void)state;
    static const char shop[] = "server.servlet.context-path=/shop\n";

    assert_routes(FILES({OWN, SPRING}, {SETTINGS ".properties", shop},
                        {SETTINGS "-prod.properties", shop}),
                  BEFORE);
    assert_routes(FILES({OWN, SPRING}, {SETTINGS "-prod.properties", shop}),
                  OPEN);
    assert_routes(
        FILES({OWN, SPRING}, {SETTINGS ".properties", shop},
              {SETTINGS "-prod.yml", "server.servlet.context-path: /\n"}),
        OPEN);
    assert_routes(
        FILES({OWN, SPRING},
              {SETTINGS ".yml", "a: 1\n"
                                "---\n"
                                "server.servlet.context-path: /shop\n"
                                "spring:\n"
                                "  config.activate.on-profile: prod\n"}),
        OPEN);
    assert_routes(
        FILES({OWN, SPRING}, {SETTINGS ".properties",
                              "a=1\n"
                              "#---\n"
                              "server.servlet.context-path=/shop\n"
                              "spring.config.activate.on-profile=prod\n"
                              "#---\n"
                              "b=1\n"}),
        OPEN);
    assert_routes(FILES({OWN, SPRING},
                        {SETTINGS ".properties",
                         "server.servlet.context-path=${PATH_OF:/shop}\n"}),
                  OPEN);
}

static void
what_code_or_a_servlet_puts_before_routes_is_not_known(void **state)
{
    (void)state;
    assert_routes(FILES({OWN, SPRING}, {SETTINGS ".properties",
                                        "spring.mvc.servlet.path=/in\n"}),
                  OPEN);
    assert_routes(
        FILES({OWN, SPRING},
              {"cart/src/main/java/a/Web.java",
               "package a;\n"
               "import org.springframework.web.servlet.config.annotation.*;\n"
               "class Web implements WebMvcConfigurer {\n"
               "  public void configurePathMatch(PathMatchConfigurer c) {\n"
               "    c.addPathPrefix(\"/in\", x -> true);\n"
               "  }\n"
               "}\n"}),
        OPEN);
}

#define ITEMS "cart/src/main/java/a/Items.java"

static void
quarkus_has_a_root_and_a_path_of_rest(void **state)
{
    (void)state;
    assert_routes(FILES({ITEMS, RESOURCE}, {SETTINGS ".properties",
                                            "quarkus.http.root-path=/shop\n"
                                            "quarkus.rest.path=api\n"}),
                  "GET /shop/api/items -> /shop/api/items jax-rs one " ITEMS
                  ":5\n");
    assert_routes(
        FILES({ITEMS, RESOURCE},
              {SETTINGS ".properties", "%prod.quarkus.http.root-path=/shop\n"}),
        "GET /items -> /items jax-rs one " ITEMS ":5 tail\n");
    assert_routes(
        FILES(
            {ITEMS, RESOURCE},
            {"cart/src/main/resources/META-INF/microprofile-config.properties",
             "quarkus.http.root-path=/shop\n"}),
        "GET /shop/items -> /shop/items jax-rs one " ITEMS ":5\n");
    assert_routes(FILES({ITEMS, RESOURCE},
                        {"cart/src/main/java/a/App.java",
                         "package a;\n"
                         "import jakarta.ws.rs.*;\n"
                         "import jakarta.ws.rs.core.Application;\n"
                         "@ApplicationPath(\"v1\")\n"
                         "class App extends Application {}\n"},
                        {SETTINGS ".properties", "quarkus.rest.path=api\n"}),
                  "GET /v1/items -> /v1/items jax-rs one " ITEMS ":5 tail\n");
}

static void
routes_of_quarkus_are_below_its_root(void **state)
{
    (void)state;
    assert_routes(
        FILES({OWN, "package a;\n"
                    "import io.quarkus.vertx.web.*;\n"
                    "import io.quarkus.vertx.web.Route.HttpMethod;\n"
                    "@RouteBase(path = \"base\")\n"
                    "class Own {\n"
                    "  @Route(path = \"/one/:id\", methods = HttpMethod.GET)\n"
                    "  @Route(path = \"/two\",\n"
                    "         methods = {HttpMethod.PUT, HttpMethod.POST})\n"
                    "  String one() { return P; }\n"
                    "  @Route String showAll() { return P; }\n"
                    "  @Route(regex = \".*x\") String x() { return P; }\n"
                    "  @Route(type = Route.HandlerType.FAILURE)\n"
                    "  void failed(RoutingContext c) {}\n"
                    "}\n"
                    "class Bare {\n"
                    "  @Route(path = \"y\") String y() { return P; }\n"
                    "}\n"},
              {SETTINGS ".properties", "quarkus.http.root-path=/shop\n"
                                       "quarkus.rest.path=api\n"}),
        "GET /shop/base/one/:id -> /shop/base/one/{} vertx-web one " OWN ":6\n"
        "PUT /shop/base/two -> /shop/base/two vertx-web one " OWN ":7\n"
        "POST /shop/base/two -> /shop/base/two vertx-web one " OWN ":7\n"
        "ANY /shop/base/show-all -> /shop/base/show-all vertx-web showAll " OWN
        ":10\n"
        "ANY /shop/y -> /shop/y vertx-web y " OWN ":16\n");
}

static void
micronaut_has_a_context_path(void **state)
{
    (void)state;
    assert_routes(FILES({OWN, "package a;\n"
                              "import io.micronaut.http.annotation.*;\n"
                              "@Controller(\"/own\")\n"
                              "class Own {\n"
                              "  @Get\n"
                              "  String one() { return P; }\n"
                              "}\n"},
                        {SETTINGS ".yml",
                         "micronaut:\n  server:\n    context-path: /shop\n"}),
                  "GET /shop/own -> /shop/own micronaut one " OWN ":5\n");
}

#define DATA                                                           \
    "package a;\n"                                                     \
    "import org.springframework.data.rest.webmvc.*;\n"                 \
    "import org.springframework.web.bind.annotation.*;\n"              \
    "@RepositoryRestController\n"                                      \
    "class People {\n"                                                 \
    "  @GetMapping(\"/people/x\") public String one() { return P; }\n" \
    "}\n"                                                              \
    "@BasePathAwareController(\"/aware\")\n"                           \
    "class Aware {\n"                                                  \
    "  @GetMapping(\"/y\") public String two() { return P; }\n"        \
    "}\n"

static void
controllers_of_spring_data_are_below_its_path(void **state)
{
    (void)state;
    assert_routes(
        FILES({OWN, DATA},
              {SETTINGS ".properties", "spring.data.rest.base-path=/data\n"
                                       "server.servlet.context-path=/shop\n"}),
        "GET /shop/data/people/x -> /shop/data/people/x spring one " OWN ":6\n"
        "GET /shop/data/aware/y -> /shop/data/aware/y spring two " OWN ":10\n");
    assert_routes(FILES({OWN, DATA}),
                  "GET /people/x -> /people/x spring one " OWN ":6\n"
                  "GET /aware/y -> /aware/y spring two " OWN ":10\n");
    assert_routes(FILES({OWN, SPRING}, {SETTINGS ".properties",
                                        "spring.data.rest.base-path=/data\n"}),
                  BARE);
    assert_routes(
        FILES({OWN, DATA},
              {"cart/src/main/java/a/Config.java",
               "package a;\n"
               "import org.springframework.data.rest.core.config.*;\n"
               "class Config implements RepositoryRestConfigurer {\n"
               "  public void configure(RepositoryRestConfiguration c) {\n"
               "    c.setBasePath(\"/data\");\n"
               "  }\n"
               "}\n"}),
        "GET /people/x -> /people/x spring one " OWN ":6 tail\n"
        "GET /aware/y -> /aware/y spring two " OWN ":10 tail\n");
}

static void
only_settings_of_the_application_are_wanted(void **state)
{
    (void)state;
    static const char *const others[] = {
        "application.yml",
        "cart/src/test/resources/application.yml",
        "src/main/resources/applications.yml",
        "src/main/resources/application.json",
        "src/main/resources/x/application.yml",
        "src/main/resources/application",
        "xsrc/main/resources/application.yml",
        "src/main/",
        ""};
    struct contexts all;

    assert_int_equal(contexts_init(&all), OK);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(contexts_wants(str_of(others[i])));
        assert_int_equal(contexts_take(&all, str_of(others[i]), STR("a: b")),
                         ERR_INVALID);
    }
    assert_int_equal(contexts_take(&all,
                                   STR("src/main/resources/application.yml"),
                                   STR("a: [")),
                     ERR_INVALID);
    assert_int_equal(all.len, 0);
    contexts_fini(&all);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_path_is_before_the_routes_of_its_module),
        cmocka_unit_test(what_profiles_differ_in_is_not_known),
        cmocka_unit_test(
            what_code_or_a_servlet_puts_before_routes_is_not_known),
        cmocka_unit_test(quarkus_has_a_root_and_a_path_of_rest),
        cmocka_unit_test(routes_of_quarkus_are_below_its_root),
        cmocka_unit_test(micronaut_has_a_context_path),
        cmocka_unit_test(controllers_of_spring_data_are_below_its_path),
        cmocka_unit_test(only_settings_of_the_application_are_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
