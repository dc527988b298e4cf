/*
 * Controllers and what they extend: whose routes are served, and where.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(java);
LINK_LANG(kotlin);

#define SPRING "import org.springframework.web.bind.annotation.*;\n"
#define JAXRS  "import jakarta.ws.rs.*;\n"

static void
a_base_that_is_no_controller_serves_below_its_heirs_only(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Legacy.java",
               SPRING "public class Legacy {\n"
                      "  @GetMapping(\"/old\") public int old() { return 1; }\n"
                      "}\n"},
              {"src/a/New.java",
               SPRING "@RestController @RequestMapping(\"/new\")\n"
                      "public class New extends Legacy {}\n"}),
        "GET /new/old -> /new/old spring old src/a/Legacy.java:3\n");
}

/* What @ShopController means is not known. */
static void
a_base_with_other_marks_may_be_anywhere(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Shop.java",
               SPRING "@ShopController\n"
                      "public class Shop {\n"
                      "  @GetMapping(\"/old\") public int old() { return 1; }\n"
                      "}\n"},
              {"src/a/New.java",
               SPRING "@RestController @RequestMapping(\"/new\")\n"
                      "public class New extends Shop {}\n"}),
        "GET /old -> /old spring old src/a/Shop.java:4 tail\n"
        "GET /new/old -> /new/old spring old src/a/Shop.java:4\n");
    /* Nothing extends it, but a test: it is where its methods say. */
    assert_routes(
        FILES({"src/a/Shop.java",
               SPRING "@ShopController\n"
                      "public class Shop {\n"
                      "  @GetMapping(\"/old\") public int old() { return 1; }\n"
                      "}\n"},
              {"src/test/java/a/ShopTest.java",
               "public class ShopTest extends Shop {}\n"}),
        "GET /old -> /old spring old src/a/Shop.java:4\n");
}

static void
a_base_of_spring_makes_its_heirs_controllers(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Base.java",
               SPRING "@RestController\n"
                      "public abstract class Base {\n"
                      "  @GetMapping(\"/x\") public int x() { return 1; }\n"
                      "}\n"},
              {"src/a/Impl.java",
               "import org.springframework.stereotype.Component;\n"
               "@Component\n"
               "public class Impl extends Base {}\n"},
              {"src/a/Whole.java",
               SPRING "@RestController @RequestMapping(\"/whole\")\n"
                      "public class Whole {\n"
                      "  @GetMapping(\"/y\") public int y() { return 1; }\n"
                      "}\n"},
              {"src/a/Part.java",
               "import org.springframework.stereotype.Component;\n"
               "@Component\n"
               "public class Part extends Whole {\n"
               "  @Override public int y() { return 2; }\n"
               "}\n"},
              {"src/a/Unmade.java", "public class Unmade extends Whole {\n"
                                    "  @Override public int y() { return 3; }\n"
                                    "}\n"}),
        "GET /x -> /x spring x src/a/Base.java:4\n"
        "GET /whole/y -> /whole/y spring y src/a/Whole.java:4\n"
        "GET /whole/y -> /whole/y spring y src/a/Whole.java:4\n");
}

/* A controller of |bases| interfaces, with a route in each. */
static void
count_inherited(int bases, int expected)
{
    struct buf code = {0};
    struct buf routes = {0};

    buf_printf(&code, SPRING "@RestController class Top implements I0");
    for (int i = 1; i < bases; i++)
        buf_printf(&code, ", I%d", i);
    buf_printf(&code, " {}\n");
    for (int i = 0; i < bases; i++)
        buf_printf(&code,
                   "interface I%d { @GetMapping(\"/%d\") default int "
                   "x%d() { return 1; } }\n",
                   i, i, i);
    for (int i = 0; i < expected; i++)
        buf_printf(&routes, "GET /%d -> /%d spring x%d src/a/A.java:%d\n", i, i,
                   i, i + 3);
    assert_routes(FILES({"src/a/A.java", buf_cstr(&code)}), buf_cstr(&routes));
    buf_fini(&code);
    buf_fini(&routes);
}

static void
sixty_four_bases_are_looked_at(void **state)
{
    (void)state;
    count_inherited(64, 64);
    count_inherited(65, 64);
}

static void
a_locator_may_give_an_abstract_class(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Orders.java", JAXRS
               "public abstract class Orders {\n"
               "  @GET @Path(\"{id}\") public int one() { return 1; }\n"
               "  @Path(\"{id}/lines\") public Lines l() { return null; }\n"
               "}\n"},
              {"src/a/Shop.java", JAXRS
               "@Path(\"shop\")\n"
               "public class Shop {\n"
               "  @Path(\"orders\") public Orders orders() { return null; }\n"
               "}\n"},
              {"src/a/Lines.java",
               JAXRS "public abstract class Lines {\n"
                     "  @GET public int all() { return 1; }\n"
                     "}\n"},
              {"src/a/Unused.java",
               JAXRS "@Path(\"unused\")\n"
                     "public abstract class Unused {\n"
                     "  @GET public int none() { return 1; }\n"
                     "}\n"}),
        "GET /shop/orders/{id} -> /shop/orders/{} jax-rs one "
        "src/a/Orders.java:3\n"
        "GET /shop/orders/{id}/lines -> /shop/orders/{}/lines jax-rs all "
        "src/a/Lines.java:3\n");
}

static void
types_of_one_full_name_are_of_the_nearest_module(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a/src/main/java/com/x/Base.java",
               "package com.x;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RequestMapping(\"/a\")\n"
               "public abstract class Base {\n"
               "  @GetMapping(P.X) public String ping() { return P.X; }\n"
               "}\n"},
              {"a/src/main/java/com/x/P.java",
               "package com.x;\n"
               "public class P { static final String X = \"/pa\"; }\n"},
              {"a/src/main/java/com/x/A.java",
               "package com.x;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController public class A extends Base {\n"
               "  @PostMapping(P.X) public String post() { return P.X; }\n"
               "}\n"},
              {"b/src/main/java/com/x/Base.java",
               "package com.x;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RequestMapping(\"/b\")\n"
               "public abstract class Base {\n"
               "  @GetMapping(P.X) public String ping() { return P.X; }\n"
               "}\n"},
              {"b/src/main/java/com/x/P.java",
               "package com.x;\n"
               "public class P { static final String X = \"/pb\"; }\n"},
              {"b/src/main/java/com/x/B.java",
               "package com.x;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController public class B extends Base {\n"
               "  @PostMapping(P.X) public String post() { return P.X; }\n"
               "}\n"},
              {"b/src/main/java/com/y/D.java",
               "package com.y;\n"
               "import com.x.Base;\n"
               "import com.x.P;\n"
               "import org.springframework.web.bind.annotation.*;\n"
               "@RestController public class D extends Base {\n"
               "  @PutMapping(P.X) public String put() { return P.X; }\n"
               "}\n"},
              {"b/src/main/kotlin/com/z/E.kt",
               "package com.z\n"
               "import com.x.Base\n"
               "import com.x.P\n"
               "import org.springframework.web.bind.annotation.*\n"
               "@RestController class E : Base() {\n"
               "  @DeleteMapping(P.X) fun drop() = 1\n"
               "}\n"}),
        "GET /a/pa -> /a/pa spring ping a/src/main/java/com/x/Base.java:5\n"
        "POST /a/pa -> /a/pa spring post a/src/main/java/com/x/A.java:4\n"
        "GET /b/pb -> /b/pb spring ping a/src/main/java/com/x/Base.java:5\n"
        "POST /b/pb -> /b/pb spring post b/src/main/java/com/x/B.java:4\n"
        "PUT /b/pb -> /b/pb spring put b/src/main/java/com/y/D.java:6\n"
        "DELETE /b/pb -> /b/pb spring drop b/src/main/kotlin/com/z/E.kt:6\n");
}

/* What @Api and @Fetch mean is what they are marked with. */
static void
annotations_of_spring_may_be_made_of_others(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Api.java",
               SPRING "import org.springframework.core.annotation.AliasFor;\n"
                      "@RestController @RequestMapping(\"/api\")\n"
                      "@interface Api {\n"
                      "  @AliasFor(annotation = RestController.class)\n"
                      "  String value() default \"\";\n"
                      "}\n"},
              {"src/a/Fetch.java",
               SPRING "import org.springframework.core.annotation.AliasFor;\n"
                      "@RequestMapping(path = \"/all\",\n"
                      "                method = RequestMethod.GET)\n"
                      "@interface Fetch {\n"
                      "  @AliasFor(annotation = RequestMapping.class)\n"
                      "  String[] path() default {};\n"
                      "  @AliasFor(annotation = RequestMapping.class,\n"
                      "            attribute = \"path\")\n"
                      "  String[] value() default {};\n"
                      "  @AliasFor(annotation = RequestMapping.class,\n"
                      "            attribute = \"method\")\n"
                      "  RequestMethod[] by() default {};\n"
                      "  String[] roles() default {};\n"
                      "}\n"},
              {"src/a/Again.java", "@Fetch(path = \"/again\")\n"
                                   "@interface Again {}\n"},
              {"src/a/Users.java",
               "@Api(\"bean\") class Users {\n"
               "  @Fetch int a() { return 1; }\n"
               "  @Fetch({\"/b\", \"/{c}\"}) int b() { return 1; }\n"
               "  @Fetch(path = \"/d\", by = RequestMethod.PUT)\n"
               "  int d() { return 1; }\n"
               "  @Fetch(roles = \"/e\") int e() { return 1; }\n"
               "  @Again int f() { return 1; }\n"
               "}\n"}),
        /* What an element is without, here nothing, is in the place of what
         * the annotation is made of: so of Spring 6.1.14 and 6.2.12. */
        "ANY /api -> /api spring a src/a/Users.java:2\n"
        "ANY /api/b -> /api/b spring b src/a/Users.java:3\n"
        "ANY /api/{c} -> /api/{} spring b src/a/Users.java:3\n"
        "PUT /api/d -> /api/d spring d src/a/Users.java:4\n"
        "ANY /api -> /api spring e src/a/Users.java:6\n"
        "ANY /api/again -> /api/again spring f src/a/Users.java:7\n");
}

static void
methods_of_a_class_of_spring_are_beside_those_of_its_methods(void **state)
{
    (void)state;
    assert_routes(FILES({"src/a/Users.java", SPRING
                         "@RestController\n"
                         "@RequestMapping(path = \"/u\",\n"
                         "                method = RequestMethod.POST)\n"
                         "class Users {\n"
                         "  @GetMapping(\"/a\") int a() { return 1; }\n"
                         "  @RequestMapping(path = \"/b\", method = {})\n"
                         "  int b() { return 1; }\n"
                         "}\n"},
                        {"src/a/Open.java", SPRING
                         "@RestController class Open {\n"
                         "  @RequestMapping(path = \"/c\", method = {})\n"
                         "  int c() { return 1; }\n"
                         "}\n"}),
                  "GET /u/a -> /u/a spring a src/a/Users.java:6\n"
                  "POST /u/a -> /u/a spring a src/a/Users.java:6\n"
                  "POST /u/b -> /u/b spring b src/a/Users.java:7\n"
                  "ANY /c -> /c spring c src/a/Open.java:3\n");
}

static void
a_constant_may_be_told_by_its_full_name(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/com/acme/Paths.java",
               "package com.acme;\n"
               "class Paths {\n"
               "  static final String A = \"/a\";\n"
               "  static class In { static final String B = A + \"/b\"; }\n"
               "}\n"},
              {"src/com/web/Users.java",
               "package com.web;\n" SPRING
               "@RestController @RequestMapping(com.acme.Paths.A)\n"
               "class Users {\n"
               "  @GetMapping(com.acme.Paths.In.B) int b() { return 1; }\n"
               "  @GetMapping(com.other.Paths.A) int c() { return 1; }\n"
               "  @GetMapping(\"/d\") int d(com.acme.Paths a) { return 1; }\n"
               "}\n"}),
        "GET /a/a/b -> /a/a/b spring b src/com/web/Users.java:5\n"
        "GET /a/d -> /a/d spring d src/com/web/Users.java:7\n");
}

static void
overloads_are_told_apart_by_their_types(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Base.java", SPRING
               "abstract class Base<T> {\n"
               "  @GetMapping(\"/id\") int find(Long id) { return 1; }\n"
               "  @PutMapping(\"/put\") int put(T it) { return 1; }\n"
               "  @GetMapping(\"/in\") int in(List<T> all) { return 1; }\n"
               "}\n"},
              {"src/a/Users.java", SPRING
               "@RestController class Users extends Base<User> {\n"
               "  @GetMapping(\"/name\") int find(String name) { return 1; }\n"
               "  int put(User it) { return 1; }\n"
               "  int in(Map<String, T> all) { return 1; }\n"
               "  @GetMapping(\"/of\") int in(List<User> all) { return 1; }\n"
               "}\n"}),
        "GET /id -> /id spring find src/a/Base.java:3\n"
        "PUT /put -> /put spring put src/a/Base.java:4\n"
        "GET /name -> /name spring find src/a/Users.java:3\n"
        "GET /of -> /of spring in src/a/Users.java:6\n");
}

/* A mapping without a path is one; interfaces come before classes. */
static void
the_nearest_mapping_of_spring_says_where_a_class_is(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Base.java",
               SPRING "@RequestMapping(\"/base\") abstract class Base {\n"
                      "  @GetMapping(\"/x\") int x() { return 1; }\n"
                      "}\n"},
              {"src/a/Api.java",
               SPRING "@RequestMapping(\"/api\") interface Api {}\n"},
              {"src/a/Bare.java",
               SPRING "@RestController @RequestMapping(produces = \"a/b\")\n"
                      "class Bare extends Base {}\n"},
              {"src/a/Both.java", SPRING
               "@RestController class Both extends Base implements Api {}\n"}),
        "GET /x -> /x spring x src/a/Base.java:3\n"
        "GET /api/x -> /api/x spring x src/a/Base.java:3\n");
}

/* c is built with one of a and b; which, its folder does not say. */
static void
of_two_modules_as_near_none_is_taken(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a/src/com/x/P.java",
               "package com.x;\n"
               "public class P { public static final String X = \"/pa\"; }\n"},
              {"b/src/com/x/P.java",
               "package com.x;\n"
               "public class P { public static final String X = \"/pb\"; }\n"},
              {"c/src/com/y/C.java",
               "package com.y;\n"
               "import com.x.P;\n" SPRING
               "@RestController @RequestMapping(P.X) public class C {\n"
               "  @GetMapping(\"/c\") public String c() { return P.X; }\n"
               "}\n"}),
        "GET /c -> /c spring c c/src/com/y/C.java:5 tail\n");
}

static void
a_locator_of_a_base_or_an_interface_gives_what_is_below(void **state)
{
    (void)state;
    assert_routes(
        FILES({"src/a/Base.java",
               JAXRS "public abstract class Base {\n"
                     "  @Path(\"lines\") public Lines lines() { return null; "
                     "}\n"
                     "}\n"},
              {"src/a/Lines.java",
               JAXRS "public interface Lines { @PURGE void purge(); }\n"},
              {"src/a/LinesImpl.java",
               "public class LinesImpl implements Lines "
               "{ public void purge() { } }\n"},
              {"src/a/Own.java",
               JAXRS "@Path(\"own\")\n"
                     "public class Own {\n"
                     "  @GET public void all() { }\n"
                     "  @GET @Path(\"secret\") private void secret() { }\n"
                     "}\n"},
              {"src/a/PURGE.java",
               JAXRS "@HttpMethod(\"PURGE\") public @interface PURGE { }\n"},
              {"src/a/Shop.java",
               JAXRS "@Path(\"shop\")\n"
                     "public class Shop extends Base {\n"
                     "  @Path(\"own\") public Own own() { return new Own(); }\n"
                     "}\n"}),
        "PURGE /shop/lines -> /shop/lines jax-rs purge src/a/Lines.java:2\n"
        "GET /own -> /own jax-rs all src/a/Own.java:4\n"
        "GET /shop/own -> /shop/own jax-rs all src/a/Own.java:4\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_one_full_name_are_of_the_nearest_module),
        cmocka_unit_test(of_two_modules_as_near_none_is_taken),
        cmocka_unit_test(
            a_base_that_is_no_controller_serves_below_its_heirs_only),
        cmocka_unit_test(a_base_with_other_marks_may_be_anywhere),
        cmocka_unit_test(a_base_of_spring_makes_its_heirs_controllers),
        cmocka_unit_test(annotations_of_spring_may_be_made_of_others),
        cmocka_unit_test(
            methods_of_a_class_of_spring_are_beside_those_of_its_methods),
        cmocka_unit_test(a_constant_may_be_told_by_its_full_name),
        cmocka_unit_test(overloads_are_told_apart_by_their_types),
        cmocka_unit_test(the_nearest_mapping_of_spring_says_where_a_class_is),
        cmocka_unit_test(sixty_four_bases_are_looked_at),
        cmocka_unit_test(a_locator_may_give_an_abstract_class),
        cmocka_unit_test(
            a_locator_of_a_base_or_an_interface_gives_what_is_below),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
