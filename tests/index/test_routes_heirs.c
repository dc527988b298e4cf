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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_one_full_name_are_of_the_nearest_module),
        cmocka_unit_test(
            a_base_that_is_no_controller_serves_below_its_heirs_only),
        cmocka_unit_test(a_base_with_other_marks_may_be_anywhere),
        cmocka_unit_test(a_base_of_spring_makes_its_heirs_controllers),
        cmocka_unit_test(sixty_four_bases_are_looked_at),
        cmocka_unit_test(a_locator_may_give_an_abstract_class),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
