/*
 * Rust: what the extractor says of each construct.
 */
#include "tests/index/lang_fixture.h"

LINK_LANG(rust);

static void
use_trees_are_taken_apart(void **state)
{
    (void)state;
    assert_facts(
        "src/a.rs",
        "use std::collections::{HashMap, self as c, map::*};\n"
        "use crate::a::b as d;\n"
        "pub use super::x::Y;\n"
        "pub use z::*;\n"
        "extern crate foo as bar;\n"
        "use a::{self, b::{C, D}};\n"
        "mod file_mod;\n",
        "import name std::collections name HashMap",
        "import name std name collections as c",
        "import star std::collections::map", "import name crate::a name b as d",
        "import name super::x name Y", "import export super::x name Y",
        "import star z", "import export-star z", "import module foo as bar",
        "import module a", "import name a::b name C", "import name a::b name D",
        "import module self::file_mod", NULL);
}

static void
types_tell_fields_and_variants(void **state)
{
    (void)state;
    assert_facts("src/a.rs",
                 "#[derive(Debug, Clone)]\n"
                 "pub struct P<T: Foo> { pub a: Arc<Mutex<T>>, b: &'a [u8] }\n"
                 "struct Tup(String, pub Box<dyn Tr + Send>);\n"
                 "pub enum E { A, B(String) }\n"
                 "type Al = HashMap<String, u8>;\n"
                 "const PATH: &str = \"/x\";\n"
                 "static S: u8 = 1;\n",
                 "def #1 type P in #0 line 2:11-2 exported marks "
                 "derive(Debug, Clone)",
                 "bind #1 field a: Arc<Mutex<Foo>>", "bind #1 field b: []<u8>",
                 "bind #2 field 0: String", "bind #2 field 1: Box<Tr>",
                 "def #3 type E in #0 line 4:9-4 exported enum",
                 "bind #3 field A const", "bind #3 field B const",
                 "def #4 type Al in #0 line 5:5-5 type HashMap<String, u8>",
                 "def #5 const PATH in #0 line 6:6-6 type str",
                 "bind #0 local PATH: str = \"/x\" const",
                 "def #6 var S in #0 line 7:7-7 type u8",
                 "bind #3 field B::0: String", "bind #0 local S: u8 = 1", NULL);
}

static void
methods_belong_to_their_type_and_traits_are_its_bases(void **state)
{
    (void)state;
    assert_facts(
        "src/a.rs",
        "pub trait Tr: Base {\n"
        "  fn req(&self, x: i32) -> Result<A, E>;\n"
        "  async fn def(&mut self) { self.req(1)?; }\n"
        "}\n"
        "impl<T> m::Tr for P<T> where T: Foo {\n"
        "  fn req(&self, x: i32) -> Result<A, E> { Ok(A::new(x)) }\n"
        "}\n"
        "impl P<u8> {\n"
        "  const K: u8 = 2;\n"
        "  pub fn new((b, c): (B, C)) -> Self { Self { a: b, c, ..d() } }\n"
        "}\n",
        "def #1 interface Tr in #0 line 1:10-4 exported trait bases(1) Base",
        "def #2 method req in #1 line 2:5-2 exported abstract type "
        "Result<A, E>",
        "def #3 method def in #1 line 3:11-3 exported",
        "call #3 line 3:33 self.req(1)",
        "def #4 type P in #0 line 5:18-7 extension bases(1) m.Tr",
        "def #5 method (P).req in #0 line 6:5-6 exported type Result<A, E>",
        "bind #5 param x@0: i32", "bind #5 return  = A.new(x)",
        "def #6 type P in #0 line 8:5-11 extension",
        "bind #6 field K: u8 = 2 const",
        "def #7 method (P).new in #0 line 10:9-10 exported static type self",
        "bind #7 local b: B", "bind #7 local c: C",
        "bind #7 return  = new self(a: b, c: c, ...d())", NULL);
}

static void
attributes_are_marks_of_what_follows(void **state)
{
    (void)state;
    assert_facts(
        "src/a.rs",
        "#[get(\"/p/{id}\", guard = \"x\")]\n"
        "pub async fn h(path: web::Path<u32>, Json(b): Json<Req>) -> R {}\n"
        "#[tokio::test]\n"
        "async fn works() {}\n"
        "#[test]\n"
        "fn too() {}\n"
        "fn plain() {}\n",
        "def #1 function h in #0 line 2:13-2 exported type R marks "
        "get(\"/p/{id}\", guard: \"x\")",
        "bind #1 param path@0: web.Path<u32>", "bind #1 param b@1: Req",
        "def #2 function works in #0 line 4:9-4 testcase marks tokio.test",
        "def #3 function too in #0 line 6:3-6 testcase marks test",
        "def #4 function plain in #0 line 7:3-7", NULL);
}

static void
patterns_bind_what_they_take_apart(void **state)
{
    (void)state;
    assert_facts(
        "src/a.rs",
        "fn f() {\n"
        "  let x: Foo = a.b().await?;\n"
        "  let Some(z) = opt else { return; };\n"
        "  let (p, mut q) = pair();\n"
        "  let P { a, b: bb } = v;\n"
        "  if let Some(y) = m.get(\"k\") { y.go(); }\n"
        "  for (i, it) in items.iter().enumerate() { it.run(); }\n"
        "  while let Ok(n) = st.next() { n.g(); }\n"
        "  self.x = y;\n"
        "  match x { E::A => g(), E::B(ref s) if s.ok() => s.len(), _ => 0 }\n"
        "}\n",
        "bind #1 local x: Foo = a.b()", "bind #1 local z = opt",
        "bind #1 local p@0 = pair()", "bind #1 local q@1 = pair()",
        "bind #1 local a = v.a", "bind #1 local bb = v.b",
        "bind #1 local y = m.get(\"k\")", "bind #1 local it = elem(items)",
        "bind #1 local n = st.next()", "bind #1 assign self.x = y",
        "bind #1 return  = alt(g(), s.len(), 0)", "call #1 line 10:42 s.ok()",
        NULL);
}

static void
routers_show_paths_handlers_and_closures(void **state)
{
    (void)state;
    assert_facts(
        "src/a.rs",
        "fn f() {\n"
        "  app.route(\"/u/:id\", get(handler).post(Self::other)).layer(l);\n"
        "  let c = move |e: Ev, f| { e.h(f) };\n"
        "  let v = it.collect::<Vec<u8>>();\n"
        "  Vec::<u8>::with_capacity(3);\n"
        "  tokio::spawn(async move { inner::f().await });\n"
        "  return q.r();\n"
        "}\n",
        "call #1 line 2:6 app.route(\"/u/:id\", "
        "get(handler).post(self.other))",
        "bind #2 param e@0: Ev", "bind #2 param f@1",
        "bind #2 return  = e.h(f)", "bind #1 local c = lambda#2",
        "def #2 function c in #1 line 3:10-3 lambda",
        "call #1 line 4:13 it.collect<Vec<u8>>()",
        "call #1 line 5:13 Vec<u8>.with_capacity(3)",
        "call #1 line 6:9 tokio.spawn(inner.f())", "bind #1 return  = q.r()",
        NULL);
}

static void
macros_are_read_as_far_as_simple_calls(void **state)
{
    (void)state;
    assert_facts("src/a.rs",
                 "fn f() {\n"
                 "  println!(\"{}\", foo(x.y(1)?));\n"
                 "  let w = vec![a(), B::new(\"x\")];\n"
                 "  let u = format!(\"http://svc/{}/{id}\", host());\n"
                 "  own!(1, k = \"v\", |x| x.go());\n"
                 "}\n"
                 "macro_rules! own { ($a:expr) => { $a.foo() } }\n",
                 "call #1 line 2:17 foo(x.y(1))", "call #1 line 2:23 x.y(1)",
                 "bind #1 local w = [a(), B.new(\"x\")]",
                 "bind #1 local u = concat(\"http://svc/\", host(), \"/\", id)",
                 "call #1 line 5:2 own!(1, k: \"v\", _)",
                 "call #1 line 5:25 x.go()",
                 "def #2 function own! in #0 line 7:13-7", NULL);
}

/* Each level of macros in macros is parsed again, up to a bound. */
static void
macros_in_macros_are_items_up_to_a_bound(void **state)
{
    (void)state;
    assert_facts("src/a.rs", "m! { m! { m! { fn f() { g(); } } } }\n",
                 "def #1 function f in #0 line 1:18-1", "call #1 line 1:24 g()",
                 NULL);
    assert_facts("src/a.rs", "m!{m!{m!{m!{m!{m!{m!{fn f() {}}}}}}}}\n",
                 "call #0 line 1:0 m!()", NULL);
}

static void
modules_nest(void **state)
{
    (void)state;
    assert_facts("src/a.rs",
                 "mod inner { use super::*; pub fn f() { super::g(); } }\n",
                 "def #1 package inner in #0 line 1:4-1", "import star super",
                 "def #2 function f in #1 line 1:33-1 exported",
                 "call #2 line 1:46 super.g()", NULL);
}

static void
hostile_source_is_survived(void **state)
{
    (void)state;
    survive_hostile("a.rs");
    survive_repeated("a.rs", "m!(a(b[", 10000);
    survive_repeated("a.rs", "use a::{", 10000);
    survive_repeated("a.rs", "m!{mod a{m!{", 2000);
    survive_repeated("a.rs", "fn f() { |x| ", 5000);
    survive_damage("a.rs",
                   "use a::{b, c::*};\n#[d(\"e\", f = 1)]\nimpl G for H<I> {\n"
                   " fn j(&self, (k, l): (M, N)) -> O { let P { q, r: s } = "
                   "t!(u(), \"{}{v}\", w)?; format!(\"a{}b{c}\", x); } }\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(use_trees_are_taken_apart),
        cmocka_unit_test(types_tell_fields_and_variants),
        cmocka_unit_test(methods_belong_to_their_type_and_traits_are_its_bases),
        cmocka_unit_test(attributes_are_marks_of_what_follows),
        cmocka_unit_test(patterns_bind_what_they_take_apart),
        cmocka_unit_test(routers_show_paths_handlers_and_closures),
        cmocka_unit_test(macros_are_read_as_far_as_simple_calls),
        cmocka_unit_test(macros_in_macros_are_items_up_to_a_bound),
        cmocka_unit_test(modules_nest),
        cmocka_unit_test(hostile_source_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
