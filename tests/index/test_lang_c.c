/*
 * C and C++: what the extractor says of each construct.
 */
#include "tests/index/lang_fixture.h"

LINK_LANG(c);

static void
functions_of_c_are_told_with_types_and_linkage(void **state)
{
    (void)state;
    assert_facts(
        "a.c",
        "#include <stdio.h>\n"
        "#include \"a/b.h\"\n"
        "#define LIMIT 10\n"
        "#define PATH \"/x\"\n"
        "#define MAX(a, b) ((a) > (b))\n"
        "static int helper(struct foo *f, char *argv[], void (*cb)(int), ...)\n"
        "{\n"
        "    struct foo tmp = {.a = 1, .b = g()};\n"
        "    foo_t *t = &tmp, n;\n"
        "    f->cb(1);\n"
        "    t = next(f);\n"
        "    return run(&tmp)->x;\n"
        "}\n"
        "int cc(void);\n",
        "import include stdio.h", "import include a/b.h",
        "bind #0 local LIMIT = 10 const", "bind #0 local PATH = \"/x\" const",
        "def #2 const PATH in #0 line 4:8-4 exported",
        "def #3 function MAX in #0 line 5:8-6 exported static",
        "def #4 function helper in #0 line 6:11-13 static type int",
        "bind #4 param f@0: *<foo>", "bind #4 param argv@1: []<*<char>>",
        "bind #4 param cb@2", "bind #4 local tmp: foo = {a: 1, b: g()}",
        "bind #4 local t: *<foo_t> = tmp", "bind #4 local n: foo_t",
        "bind #4 assign t = next(f)", "call #4 line 10:7 f.cb(1)",
        "bind #4 return  = run(tmp).x",
        "def #5 function cc in #0 line 14:4-14 exported abstract type int",
        NULL);
}

static void
types_of_c_are_told(void **state)
{
    (void)state;
    assert_facts("a.h",
                 "typedef struct { int a; struct bar *b; } foo_t;\n"
                 "typedef struct named { int a; } other;\n"
                 "enum color { RED, GREEN = 2 };\n"
                 "typedef int (*fn)(int);\n"
                 "extern const char *const names[];\n"
                 "static struct ops ops = {.open = my_open, [3] = mine};\n",
                 "def #1 type foo_t in #0 line 1:8-1 exported",
                 "bind #1 field a: int", "bind #1 field b: *<bar>",
                 "def #2 type named in #0 line 2:15-2 exported",
                 "def #3 type other in #0 line 2:32-2 exported type named",
                 "def #4 type color in #0 line 3:5-3 exported enum",
                 "bind #4 field RED const", "bind #4 field GREEN = 2 const",
                 "def #5 type fn in #0 line 4:14-4 exported",
                 "def #6 var names in #0 line 5:25-5 exported abstract type "
                 "[]<*<char>>",
                 "bind #0 local ops: ops = {open: my_open, 3: mine}", NULL);
}

static void
classes_tell_bases_fields_and_methods(void **state)
{
    (void)state;
    assert_facts(
        "a.cc",
        "namespace a::b {\n"
        "template <typename T> class Q : public Base<T>, private ns::Other {\n"
        " public:\n"
        "  Q(int a) : x_(a), y_{f()} {}\n"
        "  ~Q();\n"
        "  virtual int go(const T& t) const = 0;\n"
        "  static Foo* make() { return new Foo(2); }\n"
        " private:\n"
        "  std::unique_ptr<Svc> svc_;\n"
        "  int m() { return svc_->call(1)->x; }\n"
        "};\n"
        "}\n"
        "int a::b::Q::go(const T& t) const { return this->m(); }\n",
        "def #1 package a::b in #0 line 1:10-12 exported",
        "def #2 type Q in #1 line 2:28-11 exported bases(0) Base<T>, ns.Other",
        "def #3 method Q in #2 line 4:2-4 exported ctor",
        "bind #3 assign self.x_ = a", "bind #3 assign self.y_ = f()",
        "def #4 method ~Q in #2 line 5:2-5 exported abstract",
        "def #5 method go in #2 line 6:14-6 exported abstract type int",
        "bind #5 param t@0: T",
        "def #6 method make in #2 line 7:14-7 exported static type *<Foo>",
        "bind #6 return  = new Foo(2)",
        "bind #2 field svc_: std.unique_ptr<Svc>",
        "def #7 method m in #2 line 10:6-10 type int",
        "call #7 line 10:25 svc_.call(1)",
        "def #8 method (a.b.Q).go in #0 line 13:13-13 exported type int",
        "bind #8 return  = self.m()", NULL);
}

static void
names_are_bound_in_all_ways(void **state)
{
    (void)state;
    assert_facts(
        "a.cc",
        "using namespace std;\n"
        "using x::string;\n"
        "namespace fs = std::filesystem;\n"
        "using Al = std::map<int, Foo*>;\n"
        "void f() {\n"
        "  auto x = make_foo(1);\n"
        "  Foo a(1), *p = new Foo(2);\n"
        "  Foo g{3};\n"
        "  for (auto& e : v) e.go();\n"
        "  auto l = [&, z](int q) -> int { return q.m(); };\n"
        "  std::make_unique<Foo>(1)->go();\n"
        "  static_cast<Foo*>(p)->x();\n"
        "  if (auto *s = get()) s->run();\n"
        "  try { t(); } catch (const E& e) { e.w(); }\n"
        "  const auto [k, w] = pair();\n"
        "}\n"
        "auto trailing(int n = 2) -> Foo<int>;\n",
        "import star std", "import name x name string",
        "import module std::filesystem as fs",
        "def #1 type Al in #0 line 4:6-4 exported type std.map<int, *<Foo>>",
        "bind #2 local x = make_foo(1)", "bind #2 local a: Foo = new Foo(1)",
        "bind #2 local p: *<Foo> = new Foo(2)",
        "bind #2 local g: Foo = new Foo(3)", "bind #2 local e = elem(v)",
        "bind #2 local l = lambda#3",
        "def #3 function l in #2 line 10:11-10 lambda type int",
        "bind #3 return  = q.m()", "call #2 line 11:28 new Foo(1).go()",
        "call #2 line 12:24 (p as *<Foo>).x()", "bind #2 local s = get()",
        "bind #2 local e: E", "bind #2 local k@0 = pair()",
        "bind #2 local w@1 = pair()", "bind #4 param n@0: int = 2",
        "def #4 function trailing in #0 line 17:5-17 exported abstract type "
        "Foo<int>",
        NULL);
}

static void
test_macros_are_test_cases(void **state)
{
    (void)state;
    assert_facts("a_test.cc",
                 "TEST(Suite, Case) { EXPECT_EQ(a(), 1); }\n"
                 "TEST_F(Fix, Other) { helper(); }\n",
                 "def #1 function Suite.Case in #0 line 1:0-1 exported "
                 "testcase",
                 "call #1 line 1:30 a()",
                 "def #2 method (Fix).Fix.Other in #0 line 2:0-2 exported "
                 "testcase",
                 "call #2 line 2:21 helper()", NULL);
}

static void
what_a_macro_makes_has_its_name(void **state)
{
    (void)state;
    assert_facts("a.c",
                 "TEST_IMPL(uname) {\n"
                 "    uname(&buf);\n"
                 "}\n"
                 "int (plain)(int a) { return a; }\n",
                 "def #1 function TEST_IMPL.uname in #0 line 1:10-3 exported",
                 "call #1 line 2:4 uname(buf)",
                 "def #2 function plain in #0 line 4:5-4 exported type int",
                 "bind #2 param a@0: int", NULL);
    assert_facts(
        "a.cc",
        "PHP_FUNCTION(strlen) {\n"
        "    foo();\n"
        "}\n"
        "A::A() {}\n",
        "def #1 function PHP_FUNCTION.strlen in #0 line 1:0-3 exported",
        "call #1 line 2:4 foo()",
        "def #2 method (A).A in #0 line 4:3-4 exported ctor", NULL);
}

static void
friends_that_are_defined_stand_around_their_class(void **state)
{
    (void)state;
    assert_facts("a.cc",
                 "namespace n {\n"
                 "class A {\n"
                 "    friend int foo(A a) { return bar(a); }\n"
                 "    friend class B;\n"
                 "    friend void only(int);\n"
                 "};\n"
                 "}\n",
                 "def #1 package n in #0 line 1:10-7 exported",
                 "def #2 type A in #1 line 2:6-6 exported",
                 "def #3 function foo in #1 line 3:15-3 exported type int",
                 "bind #3 param a@0: A", "bind #3 return  = bar(a)",
                 "call #3 line 3:33 bar(a)", NULL);
}

static void
operators_and_conversions_have_names(void **state)
{
    (void)state;
    assert_facts(
        "a.cc",
        "Foo &Bar::operator+(int x) { return *this; }\n"
        "struct B { operator bool() const; B& operator=(const B&); };\n"
        "const char *s = R\"(a\\b)\" \"c\";\n",
        "def #1 method (Bar).operator+ in #0 line 1:10-1 exported "
        "type Foo",
        "def #3 method operator bool in #2 line 2:11-2 exported "
        "abstract",
        "def #4 method operator= in #2 line 2:37-2 exported abstract "
        "type B",
        NULL);
}

static void
both_branches_of_a_condition_are_read(void **state)
{
    (void)state;
    assert_facts("a.c",
                 "#ifdef FOO\nint only(void) { return a(); }\n#else\n"
                 "int only2(void) { return b(); }\n#endif\n",
                 "def #1 function only in #0 line 2:4-2 exported type int",
                 "def #2 function only2 in #0 line 4:4-4 exported type int",
                 "call #1 line 2:24 a()", "call #2 line 4:25 b()", NULL);
}

static void
conditionals_in_the_middle_of_things_are_settled(void **state)
{
    (void)state;
    assert_facts("a.c",
                 "#ifdef __cplusplus\n"
                 "extern \"C\" {\n"
                 "#endif\n"
                 "int f(int a\n"
                 "#ifdef WIDE\n"
                 "  , long b\n"
                 "#endif\n"
                 ") {\n"
                 "  int x =\n"
                 "#ifdef A // isn't\n"
                 "    one(a) ?\n"
                 "#else\n"
                 "    two(a) ?\n"
                 "#endif\n"
                 "    1 : 2;\n"
                 "#ifdef B\n"
                 "  if (b()) {\n"
                 "#else\n"
                 "  if (c()) {\n"
                 "#endif\n"
                 "    inner();\n"
                 "  }\n"
                 "  return x;\n"
                 "}\n"
                 "int g(void) { return last(); }\n",
                 "def #1 function f in #0 line 4:4-24 exported type int",
                 "bind #1 param b@1: long", "call #1 line 11:4 one(a)",
                 "call #1 line 17:6 b()", "call #1 line 21:4 inner()",
                 "def #2 function g in #0 line 25:4-25 exported type int",
                 "call #2 line 25:21 last()", NULL);
}

static void
headers_of_cpp_are_told_from_those_of_c(void **state)
{
    (void)state;
    assert_int_equal(
        lang_of_path(STR("a.h"), STR("struct a { int public; };\n"))->id,
        LANG_C);
    assert_int_equal(
        lang_of_path(STR("a.h"), STR("#ifdef __cplusplus\nnamespace a {\n"
                                     "#endif\nint f(void);\n"))
            ->id,
        LANG_C);
    assert_int_equal(lang_of_path(STR("a.h"), STR("#include <string>\n"))->id,
                     LANG_CPP);
    assert_int_equal(
        lang_of_path(STR("a.h"), STR("  class A {\n public:\n};\n"))->id,
        LANG_CPP);
    assert_int_equal(lang_of_path(STR("a.c"), STR("class A {\n};\n"))->id,
                     LANG_C);
}

static void
what_does_not_parse_is_partial(void **state)
{
    (void)state;
    assert_facts("a.c", "int f(void) { return g(); }\nint ) { h(\n", "partial",
                 "call #1 line 1:21 g()", "!call #0 line 2:8 h()", NULL);
}

static void
hostile_source_is_survived(void **state)
{
    (void)state;
    survive_hostile("a.c");
    survive_hostile("a.cc");
    survive_repeated("a.cc", "namespace a { ", 5000);
    survive_repeated("a.cc", "a::", 20000);
    survive_repeated("a.c", "int (*f(", 5000);
    survive_repeated("a.c", "a, b = 1, c(int), ", 20000);
    survive_repeated("a.c", "int a, *b = f(), c(void); ", 20000);
    survive_damage("a.cc",
                   "#include \"a\"\nnamespace b { class C : D<E> { F g{1};\n"
                   "C(int h) : i(h) {} auto j() -> K { return [](L m) {\n"
                   "for (auto &[n, o] : p) q::r<S>(n)->t(); }; } }; }\n"
                   "TEST(U, V) { static_cast<W *>(x)->y[0] = \"z\"; }\n");
    survive_damage("a.c", "typedef struct { int (*a)(int), *b[3]; } c;\n"
                          "static c d = {.a = e, [1] = 2};\n"
                          "#define F(x) x\n#define G \"h\"\n"
                          "int i(char *j[], ...) { return k(&j)->l; }\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_c_are_told_with_types_and_linkage),
        cmocka_unit_test(types_of_c_are_told),
        cmocka_unit_test(classes_tell_bases_fields_and_methods),
        cmocka_unit_test(names_are_bound_in_all_ways),
        cmocka_unit_test(test_macros_are_test_cases),
        cmocka_unit_test(what_a_macro_makes_has_its_name),
        cmocka_unit_test(friends_that_are_defined_stand_around_their_class),
        cmocka_unit_test(operators_and_conversions_have_names),
        cmocka_unit_test(both_branches_of_a_condition_are_read),
        cmocka_unit_test(conditionals_in_the_middle_of_things_are_settled),
        cmocka_unit_test(headers_of_cpp_are_told_from_those_of_c),
        cmocka_unit_test(what_does_not_parse_is_partial),
        cmocka_unit_test(hostile_source_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
