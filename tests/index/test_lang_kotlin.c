#include "tests/index/lang_fixture.h"

LINK_LANG(kotlin);

static void
package_imports_and_types_are_told(void **state)
{
    (void)state;
    assert_facts(
        "A.kt",
        "package com.shop.cart\n"
        "import com.shop.Repo as R\n"
        "import com.shop.util.*\n"
        "@RestController\n"
        "@RequestMapping(\"/cart\", produces = [\"a\"])\n"
        "class A(private val svc: Service, x: Int = one()) : Base<Cart>(x), "
        "Api, Other by svc {\n"
        "    companion object {\n"
        "        const val PATH = \"/p\"\n"
        "        fun of() = A(Service())\n"
        "    }\n"
        "    val q: Int get() = svc.count()\n"
        "    val lz by lazy { Foo() }\n"
        "    @Autowired lateinit var r: Repo\n"
        "    constructor(a: Int) : this(Service(), a) { go() }\n"
        "    init { z() }\n"
        "}\n"
        "interface I : J, K<T> {\n"
        "    fun go(): Int\n"
        "    fun d() = 1\n"
        "}\n"
        "object O : I {\n"
        "    fun g() {}\n"
        "}\n"
        "enum class E(val s: String) { R(\"r\"), B }\n"
        "typealias X = Map<String, (Foo?) -> Unit>\n",
        "package com.shop.cart", "import name com.shop name Repo as R",
        "import star com.shop.util",
        "def #1 type A in #0 line 6:6-16 exported bases(2) Base<Cart>, Api, "
        "Other marks RestController, RequestMapping(\"/cart\", produces: "
        "[\"a\"])",
        "bind #1 param svc@0: Service", "bind #1 field svc: Service const",
        "bind #1 param x@1: Int = one()", "!bind #1 field x: Int",
        "call #1 line 6:52 super(x)", "bind #1 field PATH = \"/p\" const",
        "def #2 method of in #1 line 9:12-9 exported static",
        "bind #2 return  = A(Service())",
        "def #3 method q in #1 line 11:8-11 property type Int",
        "bind #3 return  = svc.count()", "bind #4 return  = Foo()",
        "bind #1 field r: Repo",
        "def #5 method A in #1 line 14:4-14 exported "
        "ctor",
        "call #5 line 14:26 self(Service(), a)", "call #1 line 15:11 z()",
        "def #6 interface I in #0 line 17:10-20 exported bases(2) J, K<T>",
        "def #7 method go in #6 line 18:8-18 exported abstract type Int",
        "def #9 type O in #0 line 21:7-23 exported static bases(1) I",
        "def #11 type E in #0 line 24:11-24 exported enum",
        "bind #11 field R: E = new E(\"r\") const",
        "bind #0 local X = Map<String, func<Unit, Foo>> const", NULL);
}

static void
functions_have_receivers_parameters_and_values(void **state)
{
    (void)state;
    assert_facts(
        "A.kt",
        "@GetMapping(\"/x\", m = [1])\n"
        "fun h(@Path(\"i\") id: String, vararg xs: Int, d: Foo = Foo()): Foo? "
        "= svc.run(id)!!\n"
        "private fun <T> List<T>.ext(f: (Int) -> Bar) = this.first()\n"
        "class T {\n"
        "    @Test fun works() { }\n"
        "}\n",
        "def #1 function h in #0 line 2:4-2 exported type Foo marks "
        "GetMapping(\"/x\", m: [1])",
        "bind #1 param id@0: String", "bind #1 param xs@1: []<Int>",
        "bind #1 param d@2: Foo = Foo()", "bind #1 return  = svc.run(id)",
        "call #0 line 2:7 Path(\"i\")",
        "def #2 method (List).ext in #0 line 3:24-3 extension",
        "bind #2 param f@0: func<Bar, Int>", "bind #2 return  = self.first()",
        "def #4 method works in #3 line 5:14-5 exported testcase marks Test",
        NULL);
}

static void
statements_bind_names_and_calls_keep_lambdas(void **state)
{
    (void)state;
    assert_facts(
        "A.kt",
        "fun body() {\n"
        "    val (a, b) = pair()\n"
        "    val f = { x: Int, y -> x.go() }\n"
        "    list.map { it.name }.forEach(::g)\n"
        "    call(this::h, Foo::bar, Foo::class)\n"
        "    when (val rr = call()) { is T -> rr.t()\n"
        "        else -> z() }\n"
        "    log(\"a$id/${b.c()}/$b\" + \"\"\"raw $x\"\"\")\n"
        "    val c = obj as Foo\n"
        "    val o = object : Runnable, B2(1) {\n"
        "        override fun run() { doIt() }\n"
        "    }\n"
        "    a.b?.c = d ?: E()\n"
        "    x.run<T>(named = 1, *sp)\n"
        "    for ((i, j) in xs.all()) i.go()\n"
        "    foo.bar<String>(\"x\") { y -> y.z() }\n"
        "    super.go(); this@A.h(1)\n"
        "    try { a() } catch (e: Ex) { e.b() }\n"
        "    val u = if (x is Foo && y()) x.go() else Z()\n"
        "    routing { get(\"/k\") { call.respond(1) } }\n"
        "    \"a\" to ::h\n"
        "    return@body x\n"
        "}\n",
        "bind #1 local a@0 = pair() const", "bind #1 local b@1 = pair() const",
        "def #2 function f in #1 line 3:12-3 lambda", "bind #2 param x@0: Int",
        "bind #2 return  = x.go()",
        "call #1 line 4:25 list.map(lambda#3).forEach(g)",
        "call #1 line 5:4 call(self.h, Foo.bar, Foo.class)",
        "bind #1 local rr = call() const",
        "call #1 line 8:4 log(concat(concat(\"a\", id, \"/\", b.c(), \"/\", "
        "b), "
        "concat(\"raw \", x)))",
        "bind #1 local c = (obj as Foo) const",
        "def #4 type  in #1 line 10:12-12 lambda bases(1) B2, Runnable",
        "bind #1 assign a.b.c = alt(d, E())",
        "call #1 line 14:6 x.run<T>(named: 1, ...sp)",
        "bind #1 local j@1 = elem(xs.all())",
        "call #1 line 16:8 foo.bar<String>(\"x\", lambda#6)",
        "call #1 line 17:10 super.go()", "call #1 line 17:23 A.this.h(1)",
        "bind #1 local e: Ex", "bind #1 local u = alt(x.go(), Z()) const",
        "call #7 line 20:14 get(\"/k\", lambda#8)",
        "call #1 line 21:8 \"a\".to(h)", "bind #1 return  = x", NULL);
}

static void
members_end_at_a_brace_on_their_line(void **state)
{
    (void)state;
    assert_facts(
        "a.kt",
        "object P { val A = \"/a\"; const val B = \"/b\" }\n"
        "interface I { companion object { const val C = 1 } }\n"
        "class D { init { f() } }\n"
        "class E { fun g() {} }\n",
        "def #1 type P in #0 line 1:7-1 exported static",
        "bind #1 field A = \"/a\" const", "bind #1 field B = \"/b\" const",
        "def #2 interface I in #0 line 2:10-2 exported",
        "bind #2 field C = 1 const", "def #3 type D in #0 line 3:6-3 exported",
        "call #3 line 3:17 f()", "def #4 type E in #0 line 4:6-4 exported",
        "def #5 method g in #4 line 4:14-4 exported", "!partial", NULL);
}

static void
hostile_bytes_give_facts_or_an_error(void **state)
{
    (void)state;
    survive_hostile("A.kt");
    survive_repeated("A.kt", "object : A { val b = ", 300);
    survive_damage("A.kt", "package a\nimport b.c as d\n"
                           "@E(\"f\") class G<H>(val i: J = k()) : L(i), M {\n"
                           "  companion object { const val n = \"$o${p}\" }\n"
                           "  var q: R? get() = s\n set(t) { u }\n}\n"
                           "fun V.w(vararg x: Y) = x?.z { (a, b) -> a to b }\n"
                           "fun f() { for ((a, b) in c) if (a is B) c else d "
                           "}\n");
}

static void
definitions_in_what_does_not_parse_are_told(void **state)
{
    (void)state;
    assert_facts("a.kt",
                 "package a\n"
                 "class M {\nclass L {\nclass N {\n"
                 "fun g() {\n"
                 "f()\n"
                 "}\n}\n",
                 "package a", "partial",
                 "def #2 type N in #0 line 4:6-8 exported",
                 "def #3 method g in #2 line 5:4-7 exported",
                 "call #3 line 6:0 f()", NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_in_what_does_not_parse_are_told),
        cmocka_unit_test(package_imports_and_types_are_told),
        cmocka_unit_test(functions_have_receivers_parameters_and_values),
        cmocka_unit_test(statements_bind_names_and_calls_keep_lambdas),
        cmocka_unit_test(members_end_at_a_brace_on_their_line),
        cmocka_unit_test(hostile_bytes_give_facts_or_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
