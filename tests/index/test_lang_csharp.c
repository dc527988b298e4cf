#include "tests/index/lang_fixture.h"

LINK_LANG(csharp);

static void
namespaces_and_usings_are_told(void **state)
{
    (void)state;
    assert_facts("A.cs",
                 "global using System.Linq;\n"
                 "using static A.B;\n"
                 "using X = A.B.C;\n"
                 "using Shop.Core;\n"
                 "namespace Shop.Api;\n"
                 "class D { }\n",
                 "package Shop.Api", "import star System.Linq",
                 "import export-star System.Linq", "import star A.B",
                 "import name A.B name C as X", "import star Shop.Core",
                 "!import export-star Shop.Core",
                 "def #1 type D in #0 line 6:6-6", NULL);
    assert_facts("A.cs", "namespace A.B { class C { } }\n", "package A.B",
                 "def #1 type C in #0 line 1:22-1", NULL);
    assert_facts(
        "A.cs", "namespace A { class C { } }\nnamespace B { class C { } }\n",
        "def #1 package A in #0 line 1:10-1", "def #2 type C in #1 line 1:20-1",
        "def #3 package B in #0 line 2:10-2", "def #4 type C in #3 line 2:20-2",
        NULL);
}

static void
types_have_bases_attributes_and_members(void **state)
{
    (void)state;
    assert_facts(
        "A.cs",
        "[Route(\"api/[controller]\", Name = \"x\")]\n"
        "public class A(ISvc svc, int n = 1) : Base<T>(n), ICart where T : "
        "class {\n"
        "  private readonly ISvc _svc = svc, _b = new(1);\n"
        "  public const string P = \"/p\" + Q;\n"
        "  public string Name { get; set; } = \"x\";\n"
        "  public int Count => _svc.Count();\n"
        "  public int Full { get { return f(); } set { g(value); } }\n"
        "  [HttpGet(\"{id:int}\"), Authorize]\n"
        "  public async Task<R<Cart>> Get([From(\"i\")] string id, Foo? f = "
        "null, params int[] xs) => await _svc.Get(id)?.Do(1);\n"
        "  public A(int a) : this(a, 2) { base.Go(this); }\n"
        "  [Fact] public void Works() { }\n"
        "}\n"
        "record P(int A, string B) : I;\n"
        "enum Color { Red = 1, Blue }\n"
        "interface ISvc : IA { Task Go(int x); }\n"
        "static class Ext { public static string Up(this List<Foo> s, int a) { "
        "return s.To(); } }\n",
        "def #1 type A in #0 line 2:13-12 exported bases(1) Base<T>, ICart "
        "marks Route(\"api/[controller]\", Name: \"x\")",
        "bind #1 param svc@0: ISvc", "bind #1 field svc: ISvc",
        "call #1 line 2:45 super(n)", "bind #1 field _svc: ISvc = svc const",
        "bind #1 field _b: ISvc = new ISvc(1) const",
        "bind #1 field P: string = concat(\"/p\", Q) const",
        "bind #1 field Name: string = \"x\"",
        "def #2 method Count in #1 line 6:13-6 property type int",
        "bind #2 return  = _svc.Count()",
        "def #3 method Full in #1 line 7:13-7 property type int",
        "call #4 line 7:46 g(value)",
        "def #5 method Get in #1 line 9:29-9 exported type Task<R<Cart>> marks "
        "HttpGet(\"{id:int}\"), Authorize",
        "bind #5 param f@1: Foo = null", "bind #5 param xs@2: []<int>",
        "bind #5 return  = await _svc.Get(id).Do(1)",
        "def #6 method A in #1 line 10:9-10 exported ctor",
        "call #6 line 10:20 self(a, 2)", "call #6 line 10:38 super.Go(self)",
        "def #7 method Works in #1 line 11:21-11 exported testcase marks Fact",
        "bind #8 field A: int", "bind #8 param B@1: string",
        "bind #9 field Red: Color = 1 const",
        "def #10 interface ISvc in #0 line 15:10-15 bases(1) IA",
        "def #11 method Go in #10 line 15:27-15 exported abstract type Task",
        "def #13 method (List).Up in #12 line 16:40-16 exported static "
        "extension type string",
        "bind #13 receiver s: List<Foo>", "bind #13 param a@0: int", NULL);
}

static void
statements_outside_of_classes_are_those_of_the_file(void **state)
{
    (void)state;
    assert_facts(
        "Program.cs",
        "var app = builder.Build();\n"
        "app.MapGet(\"/x\", async (int id, ISvc s) => { await s.Run(id); });\n"
        "app.MapGet(\"/y\", Handler);\n"
        "static string Handler(string s) { return s; }\n",
        "bind #0 local app = builder.Build()",
        "call #0 line 2:4 app.MapGet(\"/x\", lambda#1)",
        "bind #1 param s@1: ISvc", "call #1 line 2:53 s.Run(id)",
        "call #0 line 3:4 app.MapGet(\"/y\", Handler)",
        "def #2 function Handler in #0 line 4:14-4 static type string", NULL);
}

static void
statements_bind_names_and_expressions_keep_calls(void **state)
{
    (void)state;
    assert_facts(
        "A.cs",
        "class A { void M() {\n"
        "if (o is Foo f && o is not Bar { X: 1 } b) { f.Go(); }\n"
        "foreach (var (k, v) in d) {} foreach (Foo q in qs()) { q.Go(); }\n"
        "using var c = Open(); using (var e = Open2()) { e.Go(); }\n"
        "var u = $\"http://svc/{id}/x{Fn()}\" + nameof(A.Foo);\n"
        "var n = new Foo<int>(1) { A = 2, B = Bq() }; var an = new { A = 1, b, "
        "c.D };\n"
        "this.X = y ?? z; a?.b?.C(1)?[2].D();\n"
        "var (p, q2) = T(); (o as Foo).Bar(); ((Foo)o).Baz();\n"
        "var r = from i in xs where i.Ok() select i.N();\n"
        "switch (o) { case Foo f2 when f2.T(): f2.Z(); break; }\n"
        "M(out var w, named: 1); a.M<T>(typeof(Foo));\n"
        "var vb = @\"verb\"\"atim\\d\"; var rw = \"\"\"raw \"x\" \"\"\";\n"
        "try {} catch (Ex ex) when (ex.Q()) { ex.R(); }\n"
        "a!.b(); List<int> l = [1, ..z]; yield return new Foo();\n"
        "} }\n",
        "bind #2 local f: Foo", "bind #2 local b: Bar",
        "bind #2 local v@1 = elem(d)", "bind #2 local q: Foo = elem(qs())",
        "bind #2 local c = Open()", "bind #2 local e = Open2()",
        "bind #2 local u = concat(concat(\"http://svc/\", id, \"/x\", Fn()), "
        "\"Foo\")",
        "call #2 line 5:28 Fn()",
        "bind #2 local n = new Foo<int>(1, A: 2, B: Bq())",
        "bind #2 local an = {A: 1, b: b, D: c.D}",
        "bind #2 assign self.X = alt(y, z)", "call #2 line 7:23 a.b.C(1)",
        "call #2 line 7:32 a.b.C(1)[2].D()", "bind #2 local q2@1 = T()",
        "call #2 line 8:30 (o as Foo).Bar()", "bind #2 local i = elem(xs)",
        "call #2 line 9:29 i.Ok()", "bind #2 local f2: Foo", "bind #2 local w",
        "call #2 line 11:0 M(w, named: 1)", "call #2 line 11:26 a.M<T>(Foo)",
        "bind #2 local vb = \"verb\"atim\\d\"",
        "bind #2 local rw = \"raw \"x\" \"", "bind #2 local ex: Ex",
        "call #2 line 14:3 a.b()", "bind #2 local l: List<int> = [1, ...z]",
        "bind #2 return  = [new Foo()]", NULL);
}

/* Half a block, half a list of bases: the first branch is meant. */
static void
conditionals_do_not_break_what_is_around(void **state)
{
    (void)state;
    assert_facts("A.cs",
                 "namespace N {\n"
                 "class A : B\n"
                 "#if !X // it's\n"
                 "  , IOne\n"
                 "#elif Y\n"
                 "  , ITwo\n"
                 "#endif\n"
                 "{\n"
                 "  string p = @\"c:\\\" + \"a\";\n"
                 "  string q = \"\"\"\n"
                 "    #if {\n"
                 "  \"\"\";\n"
                 "  void M() {\n"
                 "#if X // c:\\\n"
                 "    if (a) {\n"
                 "#else\n"
                 "    if (b) {\n"
                 "#endif\n"
                 "      Go();\n"
                 "    }\n"
                 "#if false\n"
                 "    }\n"
                 "#endif\n"
                 "  }\n"
                 "}\n"
                 "}\n",
                 "package N", "!partial",
                 "def #1 type A in #0 line 2:6-25 bases(1) B, IOne",
                 "def #2 method M in #1 line 13:7-24", "call #2 line 19:6 Go()",
                 NULL);
}

/* But where it takes more dollars to begin a value. */
static void
braces_that_are_written_twice_are_one(void **state)
{
    (void)state;
    assert_facts("A.cs",
                 "class A { void M() {\n"
                 "var a = $\"{p}/{{id}}\";\n"
                 "var b = $@\"{p}/{{id:regex(\\d)}}\";\n"
                 "var c = $$\"\"\"{{p}}/{id}{}\"\"\";\n"
                 "} }\n",
                 "bind #2 local a = concat(p, \"/\", \"{id}\")",
                 "bind #2 local b = concat(p, \"/\", \"{id:regex(\\d)}\")",
                 "bind #2 local c = concat(p, \"/\", \"{id}\", \"{}\")", NULL);
}

static void
hostile_bytes_give_facts_or_an_error(void **state)
{
    (void)state;
    survive_hostile("A.cs");
    survive_repeated("A.cs", "namespace A { class B { void C() { ", 200);
    survive_damage(
        "A.cs", "global using A.B; using C = D.E;\nnamespace F {\n"
                "[G(\"h\", I = 1)] class J<K>(L m) : N<K>(m), IO {\n"
                "  P Q { get => r; set { s(value); } } = new(1) { T = 2 };\n"
                "  U V(this W x, params Y[] z) => $\"a{b}c\" + @\"d\"\"e\";\n"
                "  void F() { foreach (var (a, b) in c?.d[1]) x => y; } }\n"
                "record R(int A); enum S { T = 1 } }\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(namespaces_and_usings_are_told),
        cmocka_unit_test(types_have_bases_attributes_and_members),
        cmocka_unit_test(statements_outside_of_classes_are_those_of_the_file),
        cmocka_unit_test(statements_bind_names_and_expressions_keep_calls),
        cmocka_unit_test(conditionals_do_not_break_what_is_around),
        cmocka_unit_test(braces_that_are_written_twice_are_one),
        cmocka_unit_test(hostile_bytes_give_facts_or_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
