/*
 * Spring's functional routes, Java's and Kotlin's: where they stand is what
 * RouterFunction.accept(Visitor) of Spring 6.1.14 says.  What controllers have
 * of @HttpExchange is what getHandlerMethods of 6.2.12 does.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(java);
LINK_LANG(kotlin);

#define FN "org.springframework.web.reactive.function.server."
#define JAVA                                       \
    "package a;\nimport " FN "*;\n"                \
    "import static " FN "RequestPredicates.*;\n"   \
    "import static " FN "RouterFunctions.*;\n"     \
    "class H { Object one(Object r) { return r; }" \
    " Object two(Object r) { return r; } }\n"      \
    "class F {\n"
#define KOTLIN                    \
    "package k\nimport " FN "*\n" \
    "class H { fun one(r: Any) = r\n fun two(r: Any) = r }\n"

static void
a_builder_nests_by_paths_and_predicates(void **state)
{
    (void)state;
    assert_routes(
        FILES({"F.java", JAVA
               "  RouterFunction<ServerResponse> r(H h) {\n"
               "    return route().path(\"/p\", a -> a\n"
               "        .GET(\"/x\", accept(JSON), h::one)\n"
               "        .POST(h::two)\n"
               "        .nest(accept(JSON), b -> b.PUT(\"/y\", h::one))\n"
               "        .nest(accept(JSON).and(path(\"/q/{id}\")), b -> {\n"
               "          b.DELETE(\"/z\", h::two);\n"
               "        }))\n"
               "      .nest(odd(), a -> a.GET(\"/odd\", h::one))\n"
               "      .route(PATCH(\"/own\").and(accept(JSON)), h::one)\n"
               "      .route(odd(), h::one)\n"
               "      .build();\n"
               "  }\n"
               "}\n"}),
        "GET /p/x -> /p/x spring one F.java:9\n"
        "POST /p -> /p spring two F.java:10\n"
        "PUT /p/y -> /p/y spring one F.java:11\n"
        "DELETE /p/q/{id}/z -> /p/q/{}/z spring two F.java:13\n"
        "GET /odd -> /odd spring one F.java:15 tail\n"
        "PATCH /own -> /own spring one F.java:16\n");
}

static void
functions_of_routes_stand_where_they_are_called(void **state)
{
    (void)state;
    assert_routes(
        FILES({"F.java", JAVA
               "  RouterFunction<ServerResponse> all(H h) {\n"
               "    return nest(path(\"/v1\"), some(h).andRoute(GET(\"/a\"), "
               "h::one))\n"
               "      .andNest(path(\"/v2\"), nest(path(\"/in\"), some(h)))\n"
               "      .and(own(h));\n"
               "  }\n"
               "  RouterFunction<ServerResponse> given() {\n"
               "    return route().path(\"/g\", this::late).build();\n"
               "  }\n"
               "  RouterFunction<ServerResponse> some(H h) {\n"
               "    return route(POST(\"/s\"), h::two);\n"
               "  }\n"
               "  @Bean RouterFunction<ServerResponse> own(H h) {\n"
               "    return route().GET(\"/own\", h::one).build();\n"
               "  }\n"
               "  RouterFunction<ServerResponse> late() {\n"
               "    return route(GET(\"/late\"), r -> null);\n"
               "  }\n"
               "}\n"}),
        "GET /v1/a -> /v1/a spring one F.java:8\n"
        "POST /v1/s -> /v1/s spring two F.java:16\n"
        "POST /v2/in/s -> /v2/in/s spring two F.java:16\n"
        "GET /own -> /own spring one F.java:19\n"
        "GET /g/late -> /g/late spring lambda F.java:22\n");
}

static void
a_block_of_kotlin_nests_what_is_in_front(void **state)
{
    (void)state;
    assert_routes(FILES({"K.kt", KOTLIN
                         "fun RouterFunctionDsl.users(h: H) {\n"
                         "    GET(\"/u\", h::two)\n"
                         "}\n"
                         "fun all(h: H) = router {\n"
                         "    GET(\"/r\", h::one)\n"
                         "    \"/a\".nest {\n"
                         "        POST(\"/b\", accept(JSON), h::two)\n"
                         "        path(\"/c\").nest { PUT(\"/d\") { ok() } }\n"
                         "    }\n"
                         "    (\"/e\" and accept(JSON)).nest {\n"
                         "        users(h)\n"
                         "    }\n"
                         "    accept(JSON).nest { HEAD(\"/f\", h::one) }\n"
                         "}\n"
                         "fun other(h: H) { GET(\"/no\", h::two) }\n"}),
                  "GET /e/u -> /e/u spring two K.kt:6\n"
                  "GET /r -> /r spring one K.kt:9\n"
                  "POST /a/b -> /a/b spring two K.kt:11\n"
                  "PUT /a/c/d -> /a/c/d spring lambda K.kt:12\n"
                  "HEAD /f -> /f spring one K.kt:17\n");
}

static void
a_wildcard_of_a_class_gives_way_to_what_is_behind(void **state)
{
    (void)state;
    assert_routes(
        FILES({"C.java", "package a;\n"
                         "import org.springframework.web.bind.annotation.*;\n"
                         "@RestController\n"
                         "@RequestMapping(\"/files/*\")\n"
                         "class C {\n"
                         "  @GetMapping(\"/x\") String x() { return \"\"; }\n"
                         "  @GetMapping String all() { return \"\"; }\n"
                         "}\n"}),
        "GET /files/x -> /files/x spring x C.java:6\n"
        "GET /files/* -> /files/{**} spring all C.java:7\n");
}

static void
a_predicate_may_ask_for_several(void **state)
{
    (void)state;
    assert_routes(
        FILES({"F.java", JAVA
               "  RouterFunction<ServerResponse> r(H h) {\n"
               "    return route()\n"
               "      .route(GET(\"/a\").or(POST(\"/b\")), h::one)\n"
               "      .route(methods(HttpMethod.PUT, HttpMethod.PATCH)"
               ".and(path(\"/c\")), h::two)\n"
               "      .route(GET(\"/d\").and(odd()).or(PUT(\"/e\")), h::one)\n"
               "      .build();\n"
               "  }\n"
               "}\n"}),
        "GET /a -> /a spring one F.java:9\n"
        "POST /b -> /b spring one F.java:9\n"
        "PUT /c -> /c spring two F.java:10\n"
        "PATCH /c -> /c spring two F.java:10\n"
        "PUT /e -> /e spring one F.java:11\n");
}

static void
elements_of_annotations_have_defaults(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"Api.java",
             "package a;\n"
             "import org.springframework.core.annotation.AliasFor;\n"
             "import org.springframework.web.bind.annotation.*;\n"
             "@RequestMapping\n"
             "@interface Api {\n"
             "  @AliasFor(annotation = RequestMapping.class, attribute = "
             "\"path\")\n"
             "  String[] value() default {\"/d\"};\n"
             "  @AliasFor(annotation = RequestMapping.class)\n"
             "  String[] path() default {\"/d\"};\n"
             "  @AliasFor(annotation = RequestMapping.class)\n"
             "  RequestMethod[] method() default RequestMethod.PUT;\n"
             "}\n"
             "@RequestMapping(path = \"/never\", method = RequestMethod.GET)\n"
             "@interface Empty {\n"
             "  @AliasFor(annotation = RequestMapping.class)\n"
             "  String[] path() default {};\n"
             "}\n"},
            {"C.java",
             "package a;\n"
             "import org.springframework.web.bind.annotation.*;\n"
             "@RestController @RequestMapping(\"/c\") class C {\n"
             "  @Api void plain() {}\n"
             "  @Api(\"/e\") void path() {}\n"
             "  @Api(path = \"/f\", method = RequestMethod.POST) void "
             "both() {}\n"
             "  @Empty void empty() {}\n"
             "  @DeleteMapping(path = {}) void none() {}\n"
             "}\n"}),
        "PUT /c/d -> /c/d spring plain C.java:4\n"
        "PUT /c/e -> /c/e spring path C.java:5\n"
        "POST /c/f -> /c/f spring both C.java:6\n"
        "GET /c -> /c spring empty C.java:7\n"
        "DELETE /c -> /c spring none C.java:8\n");
}

static void
spring_serves_what_its_interfaces_exchange(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Api.java",
               "package a;\n"
               "import org.springframework.web.service.annotation.*;\n"
               "@HttpExchange(url = \"/http\", accept = \"a/b\")\n"
               "interface Api {\n"
               "  @GetExchange(\"/{id}\") String get(String id);\n"
               "  @PostExchange(url = \"/post\") void post();\n"
               "  @HttpExchange(method = \"LOCK\", url = \"/l\") "
               "void lock();\n"
               "}\n"},
              {"C.java", "package a;\n"
                         "import org.springframework.web.bind.annotation.*;\n"
                         "@RestController class C implements Api {\n"
                         "  public String get(String id) { return id; }\n"
                         "  public void post() {}\n"
                         "  public void lock() {}\n"
                         "  @GetMapping(\"/own\") void own() {}\n"
                         "}\n"
                         "class Not implements Api {\n"
                         "  public String get(String id) { return id; }\n"
                         "}\n"}),
        "GET /http/{id} -> /http/{} spring get Api.java:5 asked\n"
        "POST /http/post -> /http/post spring post Api.java:6 asked\n"
        "LOCK /http/l -> /http/l spring lock Api.java:7 asked\n"
        "GET /http/{id} -> /http/{} spring get Api.java:5\n"
        "POST /http/post -> /http/post spring post Api.java:6\n"
        "LOCK /http/l -> /http/l spring lock Api.java:7\n"
        "GET /http/own -> /http/own spring own C.java:7\n");
}

static void
functions_of_kotlin_need_no_type(void **state)
{
    (void)state;
    assert_routes(
        FILES({"K.kt",
               "package k\n"
               "import org.springframework.web.reactive.function.server.*\n"
               "class R(val more: M) {\n"
               "  @Bean fun all() = coRouter {\n"
               "    \"/a\".nest { add(more.routes()) }\n"
               "    add(more.others())\n"
               "  }\n"
               "}\n"
               "class M {\n"
               "  fun routes() = coRouter { GET(\"/x\", ::one) }\n"
               "  fun others() = router { PUT(\"/y\") { one(it) } }"
               ".filter { r, n -> n(r) }\n"
               "  suspend fun one(r: ServerRequest) = ok()\n"
               "}\n"}),
        "GET /a/x -> /a/x spring one K.kt:10\n"
        "PUT /y -> /y spring lambda K.kt:11\n");
}

static void
a_predicate_of_kotlin_is_called_with_its_handler(void **state)
{
    (void)state;
    assert_routes(
        FILES({"K.kt", "package k\n"
                       "import org.springframework.web.servlet.function.*\n"
                       "class R(val h: H) {\n"
                       "  @Bean fun all() = router {\n"
                       "    \"/a\".nest {\n"
                       "      PUT(\"/{id}\")(h::one)\n"
                       "      (PATCH(\"/p\") and accept(JSON)).invoke(h::two)\n"
                       "      method(HttpMethod.DELETE).invoke(h::two)\n"
                       "    }\n"
                       "    (GET(\"/b\") or GET(\"/c\")).invoke(h::one)\n"
                       "    odd(1)(h::one)\n"
                       "  }\n"
                       "}\n"
                       "class H {\n"
                       "  fun one(r: ServerRequest) = ok()\n"
                       "  fun two(r: ServerRequest) = ok()\n"
                       "}\n"}),
        "PUT /a/{id} -> /a/{} spring one K.kt:6\n"
        "PATCH /a/p -> /a/p spring two K.kt:7\n"
        "DELETE /a -> /a spring two K.kt:8\n"
        "GET /b -> /b spring one K.kt:10\n"
        "GET /c -> /c spring one K.kt:10\n");
}

static void
annotation_classes_of_kotlin_may_be_bare(void **state)
{
    (void)state;
    assert_routes(
        FILES({"K.kt",
               "package k\n"
               "import org.springframework.web.bind.annotation.*\n"
               "@RestController\n"
               "@RequestMapping(\"/a\")\n"
               "annotation class A\n"
               "@RequestMapping(\"/b\") @RestController "
               "annotation class B()\n"
               "@A class One { @GetMapping(\"/x\") fun x() = \"\" }\n"
               "@B class Two { @GetMapping(\"/y\") fun y() = \"\" }\n"}),
        "GET /a/x -> /a/x spring x K.kt:7\n"
        "GET /b/y -> /b/y spring y K.kt:8\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_kotlin_need_no_type),
        cmocka_unit_test(a_predicate_of_kotlin_is_called_with_its_handler),
        cmocka_unit_test(annotation_classes_of_kotlin_may_be_bare),
        cmocka_unit_test(a_predicate_may_ask_for_several),
        cmocka_unit_test(elements_of_annotations_have_defaults),
        cmocka_unit_test(spring_serves_what_its_interfaces_exchange),
        cmocka_unit_test(a_builder_nests_by_paths_and_predicates),
        cmocka_unit_test(functions_of_routes_stand_where_they_are_called),
        cmocka_unit_test(a_block_of_kotlin_nests_what_is_in_front),
        cmocka_unit_test(a_wildcard_of_a_class_gives_way_to_what_is_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
