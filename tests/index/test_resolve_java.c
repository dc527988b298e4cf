#include "index/resolve_overload.h"
#include "tests/index/resolve_fixture.h"

LINK_LANG(java);

static void
methods_and_variables_of_java_have_names_of_their_own(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "class Data { int size; int size() { return size; } }\n"
              "class Box {\n"
              "  private final Data data;\n"
              "  Data data() { return data; }\n"
              "  int field() { return data.size(); }\n"
              "  int local() { Data data = data(); return data.size(); }\n"
              "  int param(String data) { return data().size(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Box.field", "Data.size", "receiver_type");
    assert_edge(&w, "calls", "Box.local", "Box.data", "self");
    assert_edge(&w, "calls", "Box.local", "Data.size", "receiver_type");
    assert_edge(&w, "calls", "Box.param", "Box.data", "self");
    assert_edge(&w, "calls", "Box.param", "Data.size", "receiver_type");
    world_fini(&w);
}

static void
a_method_of_a_base_is_meant_where_the_arguments_fit_it_alone(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "class Base {\n"
              "  void count(int n) {}\n"
              "  void kind(String s) {}\n"
              "  void rest(String s, int... n) {}\n"
              "  void unsaid(int n) {}\n"
              "  private void hidden() {}\n"
              "}\n"
              "class Derived extends Base {\n"
              "  void count(int n, int m) {}\n"
              "  void kind(Base b) {}\n"
              "  void rest(Base b) {}\n"
              "  void unsaid(String s) {}\n"
              "  void f(java.util.Random from) {\n"
              "    count(1); kind(\"x\"); rest(\"x\", 1, 2);\n"
              "  }\n"
              "  void g() { count(1, 2); kind(this); rest(this); }\n"
              "  void h(java.util.Random from) { unsaid(from.next()); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Derived.f", "Base.count", "self");
    assert_edge(&w, "calls", "Derived.f", "Base.kind", "self");
    assert_edge(&w, "calls", "Derived.f", "Base.rest", "self");
    assert_no_edge(&w, "calls", "Derived.f", "Derived.count");
    assert_no_edge(&w, "calls", "Derived.f", "Derived.kind");
    assert_edge(&w, "calls", "Derived.g", "Derived.count", "self");
    assert_edge(&w, "calls", "Derived.g", "Derived.kind", "self");
    assert_edge(&w, "calls", "Derived.g", "Derived.rest", "self");
    /* What a library returns could be either's. */
    assert_no_edge(&w, "calls", "Derived.h", "Derived.unsaid");
    assert_no_edge(&w, "calls", "Derived.h", "Base.unsaid");
    world_fini(&w);
}

static void
what_an_overload_of_java_returns_is_its_own(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "class X { void x() {} }\n"
              "class Y { void y() {} }\n"
              "class Maker {\n"
              "  X make(int n) { return null; }\n"
              "  Y make(String s) { return null; }\n"
              "  Y make(long n, char c) { return null; }\n"
              "  void f() { make(1).x(); }\n"
              "  void g(String s) { make(s + \"x\").y(); }\n"
              "  void h() { var made = make(1L, 'c'); made.y(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Maker.f", "X.x", "receiver_type");
    assert_edge(&w, "calls", "Maker.g", "Y.y", "receiver_type");
    assert_edge(&w, "calls", "Maker.h", "Y.y", "receiver_type");
    world_fini(&w);
}

static void
what_overloads_return_is_not_known_where_the_arguments_say_nothing(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(
        &w, "A.java",
        "package a;\n"
        "class X { void x() {} void both() {} }\n"
        "class Y { void y() {} void both() {} }\n"
        "class Box<T> { T get() { return null; } }\n"
        "class Maker {\n"
        "  X make(int n) { return null; }\n"
        "  Y make(String s) { return null; }\n"
        "  X same(int n) { return null; }\n"
        "  X same(String s) { return null; }\n"
        "  Box<X> box(int n) { return null; }\n"
        "  Box<Y> box(String s) { return null; }\n"
        "  Box<X> any(int n) { return null; }\n"
        "  Box<?> any(String s) { return null; }\n"
        "  void f(java.util.Random from) { make(from.next()).both(); }\n"
        "  void g(java.util.Random from) { same(from.next()).x(); }\n"
        "  void h(java.util.Random from) { box(from.next()).get().both(); "
        "}\n"
        "  void i(java.util.Random from) { any(from.next()).get().x(); }\n"
        "  void j() { make(1).both(); }\n"
        "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Maker.f", "Maker.make", "self");
    assert_no_edge(&w, "calls", "Maker.f", "X.both");
    assert_no_edge(&w, "calls", "Maker.f", "Y.both");
    assert_edge(&w, "calls", "Maker.g", "X.x", "receiver_type");
    assert_edge(&w, "calls", "Maker.h", "Maker.box", "self");
    assert_no_edge(&w, "calls", "Maker.h", "X.both");
    assert_edge(&w, "calls", "Maker.i", "X.x", "receiver_type");
    assert_edge(&w, "calls", "Maker.j", "X.both", "receiver_type");
    world_fini(&w);
}

/* Classes that extend one another, each with an `f` that differs from the
 * others' in its last parameter only, and |calls| calls of it. */
static void
add_overloads(struct world *w, int classes, int params, int calls)
{
    struct buf text = {0};

    buf_add(&text, STR("package a;\n"));
    for (int i = 0; i < classes; i++) {
        buf_printf(&text, "class X%d {}\nclass C%d", i, i);
        if (i + 1 < classes)
            buf_printf(&text, " extends C%d", i + 1);
        buf_add(&text, STR(" { void f("));
        for (int k = 0; k + 1 < params; k++)
            buf_printf(&text, "U a%d, ", k);
        buf_printf(&text, "X%d z) {} }\n", i);
    }
    buf_printf(&text, "class M { void m(C0 c, X%d x) {\n", classes - 1);
    for (int i = 0; i < calls; i++) {
        buf_add(&text, STR("c.f("));
        for (int k = 0; k + 1 < params; k++)
            buf_add(&text, STR("q, "));
        buf_add(&text, STR("x);\n"));
    }
    buf_add(&text, STR("}\nvoid n(X0 x) { new One().g(x); } }\n"
                       "class One { void g(X0 x) {} }\n"));
    assert_false(text.failed);
    world_add(w, "A.java", buf_cstr(&text));
    buf_fini(&text);
}

static void
overloads_are_compared_so_often_and_no_call_is_known_beyond(void **state)
{
    (void)state;
    /* Each method is a step, and so is each argument for it. */
    const int classes = 64;
    const int most = OVERLOAD_STEPS_MAX / classes - 1;
    struct world at = {0};
    struct world past = {0};

    add_overloads(&at, classes, most, 2);
    world_resolve(&at);
    assert_edge(&at, "calls", "M.m", "C63.f", "receiver_type");
    assert_edge(&at, "calls", "M.n", "One.g", "receiver_type");
    world_fini(&at);
    add_overloads(&past, classes, most + 1, 2);
    world_resolve(&past);
    assert_no_edge(&past, "calls", "M.m", "C63.f");
    assert_no_edge(&past, "calls", "M.m", "C0.f");
    assert_edge(&past, "calls", "M.n", "One.g", "receiver_type");
    world_fini(&past);
}

static void
overloads_of_all_calls_are_compared_so_often_beyond_what_is_free(void **state)
{
    (void)state;
    const int classes = 64;
    const int params = OVERLOAD_STEPS_MAX / classes - 1;
    const int calls =
        OVERLOAD_ALL_STEPS_MAX / (OVERLOAD_STEPS_MAX - OVERLOAD_STEPS_FREE);
    struct world w = {0};

    add_overloads(&w, classes, params, calls + 2);
    world_resolve(&w);
    assert_int_equal(w.r->overload_steps, OVERLOAD_ALL_STEPS_MAX);
    assert_int_equal(w.r->unknown_calls, 2);
    assert_edge(&w, "calls", "M.n", "One.g", "receiver_type");
    world_fini(&w);
}

static void
type_parameters_of_java_are_what_is_put_in_their_place(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "class Item { void item() {} }\n"
              "class Book extends Item { void read() {} }\n"
              "class Box<T extends Item> {\n"
              "  T held;\n"
              "  T get() { held.item(); return held; }\n"
              "}\n"
              "class Shelf<B extends Book> extends Box<B> {\n"
              "  void f() { get().read(); held.read(); }\n"
              "}\n"
              "class Use {\n"
              "  static <V> V same(V v) { return v; }\n"
              "  static <V> V made(Class<V> type) { return null; }\n"
              "  void f(Box<Book> box) { box.get().read(); }\n"
              "  void g(Book b) { same(b).read(); }\n"
              "  void h() { made(Book.class).read(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Box.get", "Item.item", "receiver_type");
    assert_edge(&w, "calls", "Shelf.f", "Box.get", "self");
    assert_edge(&w, "calls", "Shelf.f", "Book.read", "receiver_type");
    assert_edge(&w, "calls", "Use.f", "Book.read", "receiver_type");
    assert_edge(&w, "calls", "Use.g", "Book.read", "receiver_type");
    assert_edge(&w, "calls", "Use.h", "Book.read", "receiver_type");
    world_fini(&w);
}

static void
this_and_super_of_java_mean_the_class_that_is_named(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "interface Face { default void hi() {} }\n"
              "class Outer implements Face {\n"
              "  void run() {}\n"
              "  public void hi() { Face.super.hi(); }\n"
              "  class In { void run() { Outer.this.run(); } }\n"
              "}\n"
              "class Far extends java.util.Random implements Face {\n"
              "  Far() { super(1); }\n"
              "  void f() { super.hi(); }\n"
              "  interface Named { default boolean is(Object o) {"
              " return equals(o); } }\n"
              "  public boolean equals(Object o) { return true; }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Outer.hi", "Face.hi", "self");
    assert_edge(&w, "calls", "Outer.In.run", "Outer.run", "self");
    assert_no_edge(&w, "calls", "Far.Far", "Face");
    assert_no_edge(&w, "calls", "Far.f", "Face.hi");
    assert_no_edge(&w, "calls", "Far.Named.is", "Far.equals");
    world_fini(&w);
}

static void
collections_of_java_give_what_they_hold(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "import java.util.*;\n"
              "class Key { void key() {} }\n"
              "class Item { void item() {} boolean ok() { return true; } }\n"
              "class Use {\n"
              "  void f(Map<Key, Item> all) {\n"
              "    for (Map.Entry<Key, Item> e : all.entrySet()) {\n"
              "      e.getKey().key(); e.getValue().item();\n"
              "    }\n"
              "  }\n"
              "  void g(Map<Key, Item> all) {\n"
              "    all.forEach((k, v) -> k.key());\n"
              "  }\n"
              "  void h(Optional<Item> one) { one.get().item(); }\n"
              "  void i(List<Item> all) { all.removeIf(x -> x.ok()); }\n"
              "  void j(Optional<Use> one) { one.equals(this); }\n"
              "  public boolean equals(Object o) { return true; }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Use.f", "Key.key", "receiver_type");
    assert_edge(&w, "calls", "Use.f", "Item.item", "receiver_type");
    assert_edge(&w, "calls", "Use.h", "Item.item", "receiver_type");
    assert_edge(&w, "calls", "Use.g.anonymous1", "Key.key", "receiver_type");
    assert_edge(&w, "calls", "Use.i.anonymous1", "Item.ok", "receiver_type");
    assert_no_edge(&w, "calls", "Use.j", "Use.equals");
    world_fini(&w);
}

static void
annotations_are_named_and_not_called(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "@interface Retry { int value(); }\n"
              "class Made {}\n"
              "class Use extends Made {\n"
              "  Use() { super(); }\n"
              "  @Retry(3) void f() { new Made(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "references", "Use", "Retry", NULL);
    assert_no_edge(&w, "calls", "Use", "Retry");
    assert_edge(&w, "calls", "Use.f", "Made", NULL);
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_and_variables_of_java_have_names_of_their_own),
        cmocka_unit_test(
            a_method_of_a_base_is_meant_where_the_arguments_fit_it_alone),
        cmocka_unit_test(what_an_overload_of_java_returns_is_its_own),
        cmocka_unit_test(
            what_overloads_return_is_not_known_where_the_arguments_say_nothing),
        cmocka_unit_test(
            overloads_are_compared_so_often_and_no_call_is_known_beyond),
        cmocka_unit_test(
            overloads_of_all_calls_are_compared_so_often_beyond_what_is_free),
        cmocka_unit_test(
            type_parameters_of_java_are_what_is_put_in_their_place),
        cmocka_unit_test(this_and_super_of_java_mean_the_class_that_is_named),
        cmocka_unit_test(collections_of_java_give_what_they_hold),
        cmocka_unit_test(annotations_are_named_and_not_called),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
