#include "tests/index/lang_fixture.h"

LINK_LANG(java);

static void
package_and_imports_are_told(void **state)
{
    (void)state;
    assert_facts("A.java",
                 "package com.shop.cart;\n"
                 "import java.util.List;\n"
                 "import java.util.*;\n"
                 "import static com.shop.Util.help;\n"
                 "import static com.shop.Consts.*;\n",
                 "package com.shop.cart", "import name java.util name List",
                 "import star java.util", "import name com.shop.Util name help",
                 "import star com.shop.Consts", NULL);
}

static void
types_have_bases_annotations_and_fields(void **state)
{
    (void)state;
    assert_facts(
        "A.java",
        "@RestController\n"
        "@RequestMapping(value = \"/cart\", produces = {\"a\", \"b\"})\n"
        "public class A extends Base<Cart> implements Api, pkg.Other<X> {\n"
        "  public static final String PATH = \"/items\" + SUFFIX, B = \"b\";\n"
        "  @Autowired private CartService service;\n"
        "  private final Map<String, List<Item>> map = new HashMap<>();\n"
        "  Runnable r = () -> service.run(1);\n"
        "  enum Color implements Named { RED(\"r\") { int x() { return y(); } "
        "}, BLUE; }\n"
        "  record P(int a, Foo[] b) { P { check(a); } }\n"
        "  interface In extends C, D { int go(String s); default void d() {} "
        "String K = \"k\"; }\n"
        "  @interface Ann { String value() default \"x\"; }\n"
        "}\n",
        "def #1 type A in #0 line 3:13-12 exported bases(2) Base<Cart>, Api, "
        "pkg.Other<X> marks RestController, RequestMapping(value: \"/cart\", "
        "produces: [\"a\", \"b\"])",
        "bind #1 field PATH: String = concat(\"/items\", SUFFIX) const",
        "bind #1 field B: String = \"b\" const",
        "bind #1 field service: CartService",
        "bind #1 field map: Map<String, List<Item>> = new HashMap<>() const",
        "def #2 function r in #1 line 7:15-7 lambda",
        "bind #1 field r: Runnable = lambda#2",
        "bind #2 return  = service.run(1)",
        "def #3 type Color in #1 line 8:7-8 enum bases(1) Named",
        "bind #3 field RED: Color = new Color(\"r\") const",
        "def #4 type  in #3 line 8:32-8 lambda bases(0) Color",
        "bind #3 field BLUE: Color = new Color() const",
        "def #6 type P in #1 line 9:9-9", "bind #6 param b@1: []<Foo>",
        "bind #6 field a: int const", "def #7 method P in #6 line 9:29-9 ctor",
        "def #8 interface In in #1 line 10:12-10 bases(2) C, D",
        "def #9 method go in #8 line 10:34-10 exported abstract type int",
        "bind #8 field K: String = \"k\" const",
        "def #12 method value in #11 line 11:26-11 exported abstract type "
        "String",
        NULL);
}

static void
methods_have_parameters_and_statements_bind(void **state)
{
    (void)state;
    assert_facts(
        "A.java",
        "class A {\n"
        "  A(CartService service, int... xs) { super(service); this.service = "
        "service; }\n"
        "  @GetMapping(\"/{id}\")\n"
        "  public Entity<Cart> get(@Path(\"id\") String id, final Foo foo) {\n"
        "    var items = service.find(id).getItems().get(0);\n"
        "    for (var it : items) { it.touch(); }\n"
        "    try (Conn c = pool.open(); var d = x()) {} catch (E | F e) {}\n"
        "    if (o instanceof Foo f && o instanceof Rec(Foo h, var i)) {}\n"
        "    switch (o) { case Foo ff when ff.x() -> ff.y(); default -> {} }\n"
        "    return ok(new pkg.Cart<>(items));\n"
        "  }\n"
        "  static { init(); }\n"
        "  @Test void works() {}\n"
        "}\n",
        "def #2 method A in #1 line 2:2-2 ctor",
        "bind #2 param service@0: CartService", "bind #2 param xs@1: []<int>",
        "call #2 line 2:38 super(service)",
        "bind #2 assign self.service = service",
        "def #3 method get in #1 line 4:22-11 exported type Entity<Cart> marks "
        "GetMapping(\"/{id}\")",
        "bind #3 param id@0: String", "bind #3 param foo@1: Foo",
        "bind #3 local items = service.find(id).getItems().get(0)",
        "call #3 line 5:24 service.find(id)", "bind #3 local it = elem(items)",
        "bind #3 local c: Conn = pool.open() const",
        "bind #3 local d = x() const", "bind #3 local e: alt(E, F)",
        "bind #3 local f: Foo = o", "bind #3 local h: Foo", "bind #3 local i",
        "bind #3 local ff: Foo", "call #3 line 9:37 ff.x()",
        "bind #3 return  = ok(new pkg.Cart<>(items))",
        "call #3 line 10:22 new pkg.Cart<>(items)", "call #1 line 12:11 init()",
        "def #4 method works in #1 line 13:13-13 testcase marks Test", NULL);
}

static void
expressions_keep_what_is_called_and_passed(void **state)
{
    (void)state;
    assert_facts(
        "A.java",
        "class A { void m() {\n"
        "  list.stream().map(this::conv).map(Item::new).forEach((a, b) -> { "
        "a.b(b); });\n"
        "  new Thread(new Runnable() { public void run() { this.x(); } });\n"
        "  Object o = cond ? new A() : b; Foo g = (Foo) o; items[0].go();\n"
        "  this.<T>gen(); A.this.run(); super.run();\n"
        "  String s = \"http://svc/\" + id + \"/x\", t = \"\"\"\n"
        "    a \"q\" \"\"\";\n"
        "  rest.get(s, Cart.class);\n"
        "} }\n",
        "call #2 line 2:32 list.stream().map(self.conv).map(Item.new)",
        "def #3 function  in #2 line 2:55-2 lambda", "bind #3 param b@1",
        "call #3 line 2:69 a.b(b)",
        "def #4 type  in #2 line 3:13-3 lambda bases(0) Runnable",
        "def #5 method run in #4 line 3:42-3 exported",
        "call #5 line 3:55 self.x()",
        "call #2 line 3:6 new Thread(new Runnable())",
        "bind #2 local o: Object = alt(new A(), b)",
        "bind #2 local g: Foo = (o as Foo)", "call #2 line 4:59 items[0].go()",
        "call #2 line 5:10 self.gen<T>()", "call #2 line 5:24 A.this.run()",
        "call #2 line 5:37 super.run()",
        "bind #2 local s: String = concat(\"http://svc/\", id, \"/x\")",
        "bind #2 local t: String = \"a \"q\"\"",
        "call #2 line 8:7 rest.get(s, Cart.class)", NULL);
}

static void
text_blocks_lose_their_indentation(void **state)
{
    (void)state;
    assert_facts("A.java",
                 "class A { void m() {\n"
                 "  String a = \"\"\"\n    /a/\\\n    {id}\"\"\";\n"
                 "  String b = \"\"\"  \n    /b\n\n      /c \n    \"\"\";\n"
                 "  String c = \"\"\"\n    /d\n  \"\"\";\n"
                 "  String d = \"\"\"\n    /\\u0065\\t\\\"\"\"\"\"\";\n"
                 "  String e = \"\"\"\n\"\"\";\n"
                 "} }\n",
                 "bind #2 local a: String = \"/a/{id}\"",
                 "bind #2 local b: String = \"/b\\n\\n  /c\\n\"",
                 "bind #2 local c: String = \"  /d\\n\"",
                 "bind #2 local d: String = \"/e\t\"\"",
                 "bind #2 local e: String = \"\"", NULL);
}

/* Of one digit they are left to regular expressions. */
static void
escapes_may_be_octal(void **state)
{
    (void)state;
    assert_facts("A.java",
                 "class A { void m() {\n"
                 "  String a = \"\\57a\\0571\\1018\\477\\1\";\n"
                 "} }\n",
                 "bind #2 local a: String = \"/a/1A8'7\\1\"", NULL);
}

static void
hostile_bytes_give_facts_or_an_error(void **state)
{
    (void)state;
    survive_hostile("A.java");
    survive_repeated("A.java", "class A { void f() { new B() {", 300);
    survive_damage("A.java",
                   "package a; import b.*;\n"
                   "@C(d = {\"e\"}) class F<G> extends H implements I {\n"
                   "  enum J { K(1) { } } record L(int... m) { L { } }\n"
                   "  int n[] = { 1 }; F() { this(2); }\n"
                   "  O p(Q<?> r) { for (var s : t::u) (v) -> \"w\" + x; }\n"
                   "  { if (a instanceof B c) switch (d) { case E f -> g(); } "
                   "}\n}\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(package_and_imports_are_told),
        cmocka_unit_test(types_have_bases_annotations_and_fields),
        cmocka_unit_test(methods_have_parameters_and_statements_bind),
        cmocka_unit_test(expressions_keep_what_is_called_and_passed),
        cmocka_unit_test(text_blocks_lose_their_indentation),
        cmocka_unit_test(escapes_may_be_octal),
        cmocka_unit_test(hostile_bytes_give_facts_or_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
