#include "tests/index/lang_fixture.h"

LINK_LANG(go);

static void
package_and_imports_are_told(void **state)
{
    (void)state;
    assert_facts("a.go",
                 "package shop\n"
                 "import \"fmt\"\n"
                 "import (\n"
                 "\t. \"strings\"\n"
                 "\t_ \"embed\"\n"
                 "\tpb `example.com/gen/pb`\n"
                 ")\n",
                 "package shop", "import module fmt", "import star strings",
                 "import effect embed",
                 "import module example.com/gen/pb as pb", NULL);
}

static void
functions_and_methods_have_receivers_results_and_parameters(void **state)
{
    (void)state;
    assert_facts(
        "a.go",
        "package a\n"
        "func (s *List[K, V]) Get(ctx context.Context, k, j string,\n"
        "\tmore ...int) (v *Base, err error) {\n"
        "\treturn nil, nil\n"
        "}\n"
        "func (Base) plain(int, string) func(int) error { return f }\n"
        "func extern(a []byte, m map[string]chan T) (x, y pkg.T)\n"
        "func one() (r *T) { return r }\n",
        "def #1 method (List).Get in #0 line 2:21-5 exported type "
        "[*<Base>, error]",
        "bind #1 receiver s: *<List<K, V>>",
        "bind #1 param ctx@0: context.Context", "bind #1 param k@1: string",
        "bind #1 param j@2: string", "bind #1 param more@3: []<int>",
        "bind #1 local v: *<Base>", "bind #1 local err: error",
        "def #2 method (Base).plain in #0 line 6:12-6 type func<error, int>",
        "bind #2 receiver : Base", "bind #2 param @0: int",
        "bind #2 param @1: string", "bind #2 return  = f",
        "def #3 function extern in #0 line 7:5-7 abstract type [pkg.T, pkg.T]",
        "bind #3 param m@1: map<string, chan<T>>", "bind #3 local y: pkg.T",
        "def #4 function one in #0 line 8:5-8 type *<T>",
        "bind #4 local r: *<T>", "!bind #1 return  = _", NULL);
}

static void
types_have_fields_methods_and_what_they_embed(void **state)
{
    (void)state;
    assert_facts(
        "a.go",
        "package a\n"
        "type Store[K comparable, V any] struct {\n"
        "\t*Base\n"
        "\tpb.Client\n"
        "\tList[K]\n"
        "\titems map[K][]*V\n"
        "\tmu, rw sync.Mutex `json:\"x\"`\n"
        "\tfn func(a int, b string) (*Store, error)\n"
        "\tin struct{ a, b *Base }\n"
        "}\n"
        "type Reader interface {\n"
        "\tio.Closer\n"
        "\tRead(p []byte) (n int, err error)\n"
        "}\n"
        "type Alias = pb.Client\n"
        "type Num interface{ ~int | string }\n"
        "type Kinds map[Kind]string\n"
        "type F func(http.ResponseWriter, *http.Request)\n"
        "func f() { type local struct{ x int } }\n",
        "def #1 type Store in #0 line 2:5-10 exported bases(0) Base, "
        "pb.Client, List<K>",
        "bind #1 local K: comparable const", "bind #1 field Base: Base",
        "bind #1 field Client: pb.Client", "bind #1 field List: List<K>",
        "bind #1 field items: map<K, []<*<V>>>", "bind #1 field mu: sync.Mutex",
        "bind #1 field rw: sync.Mutex",
        "bind #1 field fn: func<[*<Store>, error], int, string>",
        "bind #1 field in: {a: *<Base>, b: *<Base>}",
        "def #2 interface Reader in #0 line 11:5-14 exported bases(0) "
        "io.Closer",
        "def #3 method Read in #2 line 13:1-13 exported abstract type "
        "[int, error]",
        "bind #3 param p@0: []<byte>",
        "def #4 type Alias in #0 line 15:5-15 exported type pb.Client",
        "def #5 interface Num in #0 line 16:5-16 exported bases(0) "
        "alt(int, string)",
        "def #6 type Kinds in #0 line 17:5-17 exported type map<Kind, string>",
        "def #7 type F in #0 line 18:5-18 exported type func<_, "
        "http.ResponseWriter, *<http.Request>>",
        "def #9 type local in #8 line 19:16-19", "bind #9 field x: int", NULL);
}

static void
constants_and_variables_of_the_package_are_definitions(void **state)
{
    (void)state;
    assert_facts(
        "a.go",
        "package a\n"
        "const (\n"
        "\tA Kind = iota\n"
        "\tB\n"
        "\t_\n"
        "\tPath = \"/cart/\" + base + `\\x`\n"
        "\tC, D = 1, \"d\"\n"
        ")\n"
        "var global, other = New(), 3\n"
        "var x, err = two()\n"
        "var (\n"
        "\th http.Handler = func() { do() }\n"
        ")\n"
        "func f() { var v T; const c = \"in\" }\n",
        "def #1 const A in #0 line 3:1-3 exported",
        "bind #0 local A: Kind const", "bind #0 local B: Kind const",
        "bind #0 local Path = concat(\"/cart/\", base, \"\\x\") const",
        "bind #0 local D = \"d\" const", "def #6 var global in #0 line 9:4-9",
        "bind #0 local global = New()", "bind #0 local other = 3",
        "bind #0 local x@0 = two()", "bind #0 local err@1 = two()",
        "def #10 var h in #0 line 12:1-12",
        "def #11 function h in #0 line 12:18-12 lambda",
        "bind #0 local h: http.Handler = lambda#11", "call #11 line 12:27 do()",
        "bind #12 local v: T", "bind #12 local c = \"in\" const", NULL);
}

static void
statements_bind_names(void **state)
{
    (void)state;
    assert_facts(
        "a.go",
        "package a\n"
        "func f(x any) (any, error) {\n"
        "\ta, err := s.load(k)\n"
        "\tv, ok := s.items[k]\n"
        "\tw := x.(pb.Client)\n"
        "\tfor i, e := range s.items { e.Do(i) }\n"
        "\tfor k = range m {}\n"
        "\tfor job := range jobs { job.Run() }\n"
        "\ts.h.x, ok = two()\n"
        "\tc, d := <-ch, g\n"
        "\tn += count()\n"
        "\tfn := func(q int) { f2(q) }\n"
        "\ts.fn = fn\n"
        "\ts.cb = func() {}\n"
        "\tfor i := first(); i != nil; i = i.Next() {}\n"
        "\tselect {\n"
        "\tcase m := <-s.ch:\n"
        "\t\tm.Go()\n"
        "\tcase s.out <- mk():\n"
        "\t}\n"
        "\treturn s.name, wrap(err)\n"
        "}\n",
        "bind #1 local a@0 = s.load(k)", "bind #1 local err@1 = s.load(k)",
        "bind #1 local v = s.items[k]", "bind #1 local ok",
        "bind #1 local w = (x as pb.Client)",
        "bind #1 local i = elem(s.items key)",
        "bind #1 local e = elem(s.items)", "bind #1 assign k = elem(m key)",
        "bind #1 local job = elem(jobs key)", "bind #1 assign s.h.x@0 = two()",
        "bind #1 assign ok@1 = two()", "bind #1 local c = elem(ch)",
        "bind #1 local d = g", "call #1 line 11:6 count()",
        "def #2 function fn in #1 line 12:7-12 lambda",
        "bind #2 param q@0: int", "bind #1 local fn = lambda#2",
        "bind #1 assign s.fn = fn", "bind #1 assign s.cb = lambda#3",
        "def #3 function cb in #1 line 14:8-14 lambda",
        "bind #1 local i = first()", "bind #1 assign i = i.Next()",
        "bind #1 local m = elem(s.ch)", "call #1 line 18:4 m.Go()",
        "call #1 line 19:15 mk()", "bind #1 return  = s.name",
        "bind #1 return  = wrap(err)", NULL);
}

static void
a_type_switch_binds_once_a_clause(void **state)
{
    (void)state;
    assert_facts("a.go",
                 "package a\n"
                 "func f(w any) {\n"
                 "\tswitch t := w.(type) {\n"
                 "\tcase *Base:\n"
                 "\t\tt.Hello()\n"
                 "\tcase int, string:\n"
                 "\tdefault:\n"
                 "\t\tlog(t)\n"
                 "\t}\n"
                 "\tswitch y := g(); z := y.(type) { case T: z.M() }\n"
                 "\tswitch w.(type) { case Q: q() }\n"
                 "}\n",
                 "bind #1 local t: *<Base>", "bind #1 local t = w",
                 "call #1 line 5:4 t.Hello()", "call #1 line 8:2 log(t)",
                 "bind #1 local y = g()", "bind #1 local z: T",
                 "call #1 line 10:44 z.M()", "call #1 line 11:27 q()", NULL);
}

static void
calls_stand_at_the_last_name_of_the_callee(void **state)
{
    (void)state;
    assert_facts(
        "a.go",
        "package a\n"
        "func f() {\n"
        "\tif x := s.a().b(1).c(\"z\"); x > y() {}\n"
        "\tgo s.run(func() { s.stop() })\n"
        "\tdefer func() { recover() }()\n"
        "\tr.Route(\"/x\", func(r chi.Router) { r.Get(\"/y/\"+id, s.handle) "
        "})\n"
        "\tMap[int, string](a, b...)\n"
        "\tpkg.Gen[Base](1)\n"
        "\t(*T)(p).Foo()\n"
        "\thandlers[i](w)\n"
        "\t_ = []byte(name())\n"
        "\tvar arr [size()]int\n"
        "\tmk(1)(2)\n"
        "\tx := len(a.b()) + m[key()].Val() - z(-w())\n"
        "}\n",
        "call #1 line 3:11 s.a()", "call #1 line 3:15 s.a().b(1)",
        "call #1 line 3:20 s.a().b(1).c(\"z\")", "call #1 line 3:32 y()",
        "call #1 line 4:6 s.run(lambda#2)", "call #2 line 4:21 s.stop()",
        "call #1 line 5:7 lambda#3()", "call #3 line 5:16 recover()",
        "call #1 line 6:3 r.Route(\"/x\", lambda#4)",
        "bind #4 param r@0: chi.Router",
        "call #4 line 6:38 r.Get(concat(\"/y/\", id), s.handle)",
        "call #1 line 7:1 Map<int, string>(a, ...b)",
        "call #1 line 8:5 pkg.Gen<Base>(1)", "call #1 line 9:9 T(p).Foo()",
        "call #1 line 10:1 handlers<i>(w)", "call #1 line 11:12 name()",
        "call #1 line 12:10 size()", "call #1 line 13:1 mk(1)",
        "call #1 line 13:6 mk(1)(2)", "call #1 line 14:12 a.b()",
        "call #1 line 14:21 key()", "call #1 line 14:28 m[key()].Val()",
        "call #1 line 14:39 w()", NULL);
}

static void
composite_literals_are_new_with_pairs(void **state)
{
    (void)state;
    assert_facts(
        "a.go",
        "package a\n"
        "func f() {\n"
        "\tp := &Store{Base: &Base{}, fn: func() {}, items: "
        "make(map[string]T, n())}\n"
        "\tq := new(pkg.Base)\n"
        "\tt := []Base{{Name: \"a\"}, {mk()}}\n"
        "\tm := map[string]H{\"/a\": s.a, key: s.b}\n"
        "\tn := map[K]*V{k: {x: 1}}\n"
        "\tu := [...]struct{ name string }{{\"a\"}}\n"
        "\tv := pkg.List[int]{1, 2}\n"
        "}\n",
        "bind #1 local p = new Store(Base: new Base(), fn: lambda#2, items: "
        "new map<string, T>(n()))",
        "def #2 function fn in #1 line 3:32-3 lambda",
        "bind #1 local q = new pkg.Base()",
        "bind #1 local t = new []<Base>(new Base(Name: \"a\"), new Base(mk()))",
        "bind #1 local m = new map<string, H>(/a: s.a, key: s.b)",
        "bind #1 local n = new map<K, *<V>>(k: new *<V>(x: 1))",
        "bind #1 local u = new []<{name: string}>(new {name: string}(\"a\"))",
        "bind #1 local v = new pkg.List<int>(1, 2)", "call #1 line 5:27 mk()",
        NULL);
}

static void
type_parameters_hide_types(void **state)
{
    (void)state;
    assert_facts("a.go",
                 "package a\n"
                 "func G[T Reader, U ~int|string](x T) U { return x.Read() }\n",
                 "bind #1 local T: Reader const",
                 "bind #1 local U: alt(int, string) const",
                 "bind #1 param x@0: T",
                 "def #1 function G in #0 line 2:5-2 exported type U", NULL);
}

static void
what_the_test_runner_runs_is_a_test_case(void **state)
{
    static const char source[] = "package a\n"
                                 "func TestX(t *testing.T) {}\n"
                                 "func Testify() {}\n"
                                 "func Benchmark_x(b *testing.B) {}\n"
                                 "func ExampleX() {}\n"
                                 "func FuzzX(f *testing.F) {}\n"
                                 "func (s *Suite) TestIt() {}\n";

    (void)state;
    assert_facts(
        "a_test.go", source,
        "def #1 function TestX in #0 line 2:5-2 exported testcase",
        "def #2 function Testify in #0 line 3:5-3 exported",
        "def #3 function Benchmark_x in #0 line 4:5-4 exported testcase",
        "def #4 function ExampleX in #0 line 5:5-5 exported testcase",
        "def #5 function FuzzX in #0 line 6:5-6 exported testcase",
        "def #6 method (Suite).TestIt in #0 line 7:16-7 exported testcase",
        NULL);
    assert_facts("a.go", source,
                 "def #1 function TestX in #0 line 2:5-2 exported", NULL);
}

static void
nothing_is_taken_from_within_an_error(void **state)
{
    (void)state;
    assert_facts("a.go",
                 "package a\n"
                 "func f() { ok(); a b c ) hidden( }\n"
                 "func g() { h() }\n",
                 "partial", "call #2 line 3:11 h()", NULL);
}

static void
long_sums_and_lists_are_bounded(void **state)
{
    struct buf text = {0};
    enum err err;

    (void)state;
    buf_add(&text, STR("package a\nvar s = \"0\""));
    for (int i = 0; i < 5000; i++)
        buf_printf(&text, " + f%d()", i);
    buf_add(&text, STR("\nvar l = []int{"));
    for (int i = 0; i < 5000; i++)
        buf_printf(&text, "g%d(),", i);
    buf_add(&text, STR("}\n"));
    char *dump = dump_source("a.go", buf_str(&text), &err);

    assert_int_equal(err, OK);
    assert_non_null(strstr(dump, " f0()\n"));
    assert_non_null(strstr(dump, " f4999()\n"));
    assert_non_null(strstr(dump, " g63()\n"));
    assert_non_null(strstr(dump, " g4999()\n"));
    assert_null(strstr(dump, "g63(), g64()"));
    free(dump);
    buf_fini(&text);
}

static void
hostile_input_gives_facts_or_an_error(void **state)
{
    (void)state;
    survive_hostile("a.go");
    survive_damage("a.go",
                   "package a\nimport x \"y\"\n"
                   "type T struct{ A; b, c int }\n"
                   "func (t *T) F(a ...int) (x, y int) {\n"
                   " switch v := t.(type) { case A, B: v.C(\"s\"+d) }\n"
                   " for k, v := range <-c { f[int](&T{a: {1}}) }\n}\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(package_and_imports_are_told),
        cmocka_unit_test(
            functions_and_methods_have_receivers_results_and_parameters),
        cmocka_unit_test(types_have_fields_methods_and_what_they_embed),
        cmocka_unit_test(
            constants_and_variables_of_the_package_are_definitions),
        cmocka_unit_test(statements_bind_names),
        cmocka_unit_test(a_type_switch_binds_once_a_clause),
        cmocka_unit_test(calls_stand_at_the_last_name_of_the_callee),
        cmocka_unit_test(composite_literals_are_new_with_pairs),
        cmocka_unit_test(type_parameters_hide_types),
        cmocka_unit_test(what_the_test_runner_runs_is_a_test_case),
        cmocka_unit_test(nothing_is_taken_from_within_an_error),
        cmocka_unit_test(long_sums_and_lists_are_bounded),
        cmocka_unit_test(hostile_input_gives_facts_or_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
