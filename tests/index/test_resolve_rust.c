#include "index/lang_rust.h"
#include "tests/index/resolve_fixture.h"

LINK_LANG(rust);

static void
parameters_have_the_methods_of_their_bounds(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "mod a;\n"
              "pub trait Read { fn next(&self) -> u8; }\n"
              "pub struct R {}\n"
              "impl R { pub fn next(&self) {} }\n"
              "pub struct Parser<T> { read: T }\n"
              "impl<X> Parser<X> where X: Send + Read {\n"
              "  pub fn parse(&self) { self.read.next(); }\n"
              "}\n"
              "pub fn bound<R: Read>(r: R) { r.next(); }\n"
              "pub fn made<R>() -> R where R: Read { made() }\n"
              "pub fn path<R: Read>(r: &R) { R::next(r); }\n"
              "pub fn chain() { made().next(); }\n"
              "pub fn unbound<R>(r: R) { r.go(); }\n"
              "pub fn plain(r: R) { r.next(); }\n");
    world_add(&w, "src/a.rs", "pub fn go() {}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Parser.parse", "Read.next", "receiver_type");
    assert_edge(&w, "calls", "bound", "Read.next", "receiver_type");
    assert_edge(&w, "calls", "path", "Read.next", NULL);
    assert_edge(&w, "calls", "chain", "Read.next", "receiver_type");
    assert_edge(&w, "calls", "plain", "R.next", "receiver_type");
    assert_no_edge(&w, "calls", "bound", "R.next");
    assert_no_edge(&w, "calls", "unbound", "a.go");
    world_fini(&w);
}

static void
an_impl_for_all_types_is_of_no_type_named_like_its_parameter(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "pub trait Index { fn at(&self); fn own(&self) {} }\n"
              "pub trait Base { fn low(&self); }\n"
              "impl<'a, T> Index for &'a T where T: ?Sized + Index {\n"
              "  fn at(&self) { (**self).at(); }\n"
              "}\n"
              "impl<T: Base> Index for T {\n"
              "  fn at(&self) { self.low(); self.own(); }\n"
              "}\n"
              "impl Index for Box<dyn Index> {\n"
              "  fn at(&self) { (**self).own(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "<&'a T as Index>.at", "Index.at", NULL);
    assert_no_edge(&w, "calls", "<&'a T as Index>.at", "<&'a T as Index>.at");
    assert_edge(&w, "calls", "<T as Index>.at", "Base.low", NULL);
    assert_edge(&w, "calls", "<T as Index>.at", "Index.own", NULL);
    assert_edge(&w, "calls", "Box.at", "Index.own", NULL);
    world_fini(&w);
}

static void
paths_fields_and_what_is_derived_are_followed(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "mod map;\n"
              "mod output;\n"
              "use map::Map;\n"
              "pub struct Command { args: Map, name: Option<Name> }\n"
              "#[derive(Default, Clone)]\n"
              "pub struct Name {}\n"
              "impl Name { fn show(&self) {} }\n"
              "impl Command {\n"
              "  fn args(&self) -> u8 { self.args.push(); 0 }\n"
              "  fn run(&self) { crate::output::Usage::new().title(); }\n"
              "  fn made() { let n = Name::default(); n.show(); }\n"
              "  fn again(n: &Name) { n.clone().show(); }\n"
              "  fn all(&self) { for n in self.names() { n.show(); } }\n"
              "  fn names(&self) -> impl Iterator<Item = &Name> { x() }\n"
              "}\n");
    world_add(&w, "src/map.rs",
              "pub struct Map {}\nimpl Map { pub fn push(&self) {} }\n");
    world_add(&w, "src/output/mod.rs",
              "mod usage;\npub(crate) use self::usage::Usage;\n");
    world_add(&w, "src/output/usage.rs",
              "pub struct Usage {}\n"
              "impl Usage {\n"
              "  pub fn new() -> Self { Usage {} }\n"
              "  pub fn title(&self) {}\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Command.args", "Map.push", "receiver_type");
    assert_edge(&w, "calls", "Command.run", "Usage.new", NULL);
    assert_edge(&w, "calls", "Command.run", "Usage.title", "receiver_type");
    assert_edge(&w, "calls", "Command.made", "Name.show", "receiver_type");
    assert_edge(&w, "calls", "Command.again", "Name.show", "receiver_type");
    assert_edge(&w, "calls", "Command.all", "Name.show", "receiver_type");
    world_fini(&w);
}

static void
modules_may_be_named_like_the_words_that_begin_paths(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "mod superblock;\nmod crates;\nmod selfish;\n"
              "use superblock::load;\n"
              "use crates::list;\n"
              "use selfish::keep;\n"
              "fn run() { load(); list(); keep(); }\n");
    world_add(&w, "src/superblock.rs", "pub fn load() {}\n");
    world_add(&w, "src/crates.rs", "pub fn list() {}\n");
    world_add(&w, "src/selfish.rs", "pub fn keep() {}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "run", "load", "import");
    assert_edge(&w, "calls", "run", "list", "import");
    assert_edge(&w, "calls", "run", "keep", "import");
    world_fini(&w);
}

/* A path may begin at another crate, whose name is not that of a variable. */
static void
a_crate_needs_no_use(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "crates/shop/src/lib.rs", "pub fn open() {}\n");
    world_add(&w, "app/src/main.rs",
              "fn run() { shop::open(); }\n"
              "fn other(shop: Unknown) { shop.open(); }\n"
              "fn third() { let shop = unknown(); shop.open(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "run", "open", "import");
    assert_no_edge(&w, "calls", "other", "open");
    assert_no_edge(&w, "calls", "third", "open");
    world_fini(&w);
}

/* |types| with a parameter among |count| items, and an impl block that tells
 * the bound of the last one's. */
static void
add_types(struct world *w, uint32_t types, uint32_t count)
{
    struct buf text = {0};

    buf_add(&text,
            STR("pub trait Read { fn next(&self); }\n"
                "impl<X> P<X> where X: Read {\n"
                "  pub fn parse(&self) { self.a.next(); self.b.next(); }\n"
                "}\n"));
    for (uint32_t i = 2 + types; i < count; i++)
        buf_add(&text, STR("const A: u8 = 1;\n"));
    for (uint32_t i = 1; i < types; i++)
        buf_add(&text, STR("struct S<T> { a: T, b: T }\n"));
    buf_add(&text, STR("pub struct P<T> { a: T, b: T }\n"));
    buf_add_char(&text, '\0');
    assert_false(text.failed);
    world_add(w, "src/lib.rs", text.ptr);
    world_resolve(w);
    buf_fini(&text);
}

static void
impl_blocks_tell_bounds_as_long_as_steps_last(void **state)
{
    (void)state;
    enum { COUNT = 2048, TYPES = RUST_BLOCK_STEPS_MAX / COUNT };
    struct world within = {0};
    struct world past = {0};

    add_types(&within, TYPES, COUNT);
    assert_edge(&within, "calls", "P.parse", "Read.next", "receiver_type");
    world_fini(&within);
    add_types(&past, TYPES + 1, COUNT);
    assert_no_edge(&past, "calls", "P.parse", "Read.next");
    world_fini(&past);
}

static void
items_that_are_all_of_a_macro_are_items(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "#[macro_use] mod macros;\n"
              "cfg_rt! {\n"
              "  mod a;\n"
              "  pub use a::go;\n"
              "  #[derive(Debug)] pub struct T { u: U }\n"
              "  cfg_net! { pub fn deep(t: T) { t.run(); } }\n"
              "}\n"
              "struct U;\n"
              "impl U { cfg_rt! { fn inside(&self) { go(); } } }\n"
              "impl T { pub fn run(&self) { self.u.inside(); } }\n"
              "cfg_if::cfg_if! {\n"
              "  if #[cfg(unix)] { fn one() { go(); } } else { fn two() {} }\n"
              "}\n"
              "own! { fn plain() { go(); } and more }\n"
              "fn body() { own! { fn local() { go(); } } deep(t()); }\n");
    world_add(&w, "src/a.rs", "pub fn go() {}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "deep", "T.run", "receiver_type");
    assert_edge(&w, "calls", "U.inside", "go", "import");
    assert_edge(&w, "calls", "T.run", "U.inside", "receiver_type");
    assert_edge(&w, "calls", "one", "go", "import");
    assert_edge(&w, "calls", "body", "deep", "lexical");
    assert_no_edge(&w, "calls", "plain", "go");
    assert_no_edge(&w, "calls", "local", "go");
    world_fini(&w);
}

static void
wrappers_are_passed_through_where_they_lack_the_method(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "pub struct U;\n"
              "pub struct T { o: Option<U>, m: Arc<Mutex<U>> }\n"
              "impl U { pub fn run(&self) {} pub fn take(&self) {} }\n"
              "pub fn mk() -> Result<U, ()> { Ok(U) }\n"
              "fn tried() { let a = mk()?; a.run(); }\n"
              "fn seen(t: &T) { if let Some(ref a) = t.o { a.run(); } }\n"
              "fn locked(t: &T) { t.m.lock().unwrap().run(); }\n"
              "fn pinned(p: Pin<&mut U>) { p.run(); }\n"
              "fn chained(v: &mut Vec<U>) { v.first_mut().unwrap().run(); }\n"
              "fn given(o: Option<U>) { o.and_then(|x| x.run()); }\n"
              "fn taken(t: &mut T) { t.o.take(); }\n"
              "fn listed(v: Vec<U>) { v.run(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "tried", "U.run", "receiver_type");
    assert_edge(&w, "calls", "seen", "U.run", "receiver_type");
    assert_edge(&w, "calls", "locked", "U.run", "receiver_type");
    assert_edge(&w, "calls", "pinned", "U.run", "receiver_type");
    assert_edge(&w, "calls", "chained", "U.run", "receiver_type");
    assert_edge(&w, "calls", "given.anonymous1", "U.run", "receiver_type");
    assert_no_edge(&w, "calls", "taken", "U.take");
    assert_no_edge(&w, "calls", "listed", "U.run");
    world_fini(&w);
}

static void
what_points_has_the_methods_of_what_it_points_to(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "pub struct U;\n"
              "impl U { fn run(&self) {} fn own(&self) {} }\n"
              "pub struct D(U);\n"
              "impl D { fn own(&self) {} }\n"
              "impl Deref for D {\n"
              "  type Target = U;\n"
              "  fn deref(&self) -> &Self::Target { &self.0 }\n"
              "}\n"
              "fn reach(d: D) { d.run(); }\n"
              "fn keep(d: D) { d.own(); }\n"
              "impl<P> Read for Pin<P> {\n"
              "  fn poll(&self) { self.get_mut().poll(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "reach", "U.run", "receiver_type");
    assert_edge(&w, "calls", "keep", "D.own", "receiver_type");
    assert_no_edge(&w, "calls", "keep", "U.own");
    assert_no_edge(&w, "calls", "Pin.poll", "Pin.poll");
    world_fini(&w);
}

static void
patterns_tell_the_types_of_fields_of_variants(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "pub struct U;\n"
              "impl U { fn run(&self) {} }\n"
              "pub struct V;\n"
              "impl V { fn run(&self) {} }\n"
              "pub struct P(V, U);\n"
              "pub enum E { A(V, U), B { u: U } }\n"
              "fn one(e: &E) { match e { E::A(_, u) => u.run(), _ => {} } }\n"
              "fn two(e: &E) { if let E::B { u, .. } = e { u.run(); } }\n"
              "impl E { fn own(&self) { match self {\n"
              "  Self::A(.., u) => {}\n"
              "  Self::B { ref u } => u.run() } } }\n"
              "fn three(p: &Q) { let P(_, u) = p.get(); u.run(); }\n"
              "fn last(e: &E) { if let E::A(.., x) = e { x.run(); } }\n"
              "const C: U = U;\n"
              "fn four() { C.run(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "one", "U.run", "receiver_type");
    assert_edge(&w, "calls", "two", "U.run", "receiver_type");
    assert_edge(&w, "calls", "E.own", "U.run", "receiver_type");
    assert_edge(&w, "calls", "three", "U.run", "receiver_type");
    assert_edge(&w, "calls", "four", "U.run", NULL);
    assert_no_edge(&w, "calls", "last", "V.run");
    world_fini(&w);
}

static void
a_name_is_seen_behind_its_let(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "pub struct Raw;\n"
              "impl Raw { fn path(&self) {} }\n"
              "pub struct Entry;\n"
              "impl Entry {\n"
              "  fn new(raw: Raw) -> Entry { Entry }\n"
              "  fn path(&self) {}\n"
              "}\n"
              "fn raw() -> Result<Raw, ()> { Ok(Raw) }\n"
              "fn make() {\n"
              "  let entry = match raw() {\n"
              "    Ok(entry) => Entry::new(entry),\n"
              "    Err(e) => return,\n"
              "  };\n"
              "  entry.path();\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "make", "Entry.path", "receiver_type");
    assert_no_edge(&w, "calls", "make", "Raw.path");
    world_fini(&w);
}

static void
associated_types_are_those_of_their_block(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/lib.rs",
              "mod er;\n"
              "use er::Error;\n"
              "pub struct U;\n"
              "pub struct V;\n"
              "impl U { fn run(&self) {} }\n"
              "impl V { fn run(&self) {} }\n"
              "pub struct X;\n"
              "impl Add for X { type Out = U; type Error = V;\n"
              "  fn add(&self) -> Self::Out { U } }\n"
              "impl Sub for X { type Out = V;\n"
              "  fn sub(&self) -> Self::Out { V } }\n"
              "fn one(x: X) { x.add().run(); }\n"
              "fn two(x: X) { x.sub().run(); }\n"
              "fn three() { Error::new(); }\n");
    world_add(&w, "src/er.rs",
              "pub struct Error;\nimpl Error { pub fn new() {} }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "one", "U.run", "receiver_type");
    assert_no_edge(&w, "calls", "one", "V.run");
    assert_edge(&w, "calls", "two", "V.run", "receiver_type");
    assert_edge(&w, "calls", "three", "Error.new", "import");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_have_the_methods_of_their_bounds),
        cmocka_unit_test(
            an_impl_for_all_types_is_of_no_type_named_like_its_parameter),
        cmocka_unit_test(paths_fields_and_what_is_derived_are_followed),
        cmocka_unit_test(modules_may_be_named_like_the_words_that_begin_paths),
        cmocka_unit_test(a_crate_needs_no_use),
        cmocka_unit_test(items_that_are_all_of_a_macro_are_items),
        cmocka_unit_test(
            wrappers_are_passed_through_where_they_lack_the_method),
        cmocka_unit_test(what_points_has_the_methods_of_what_it_points_to),
        cmocka_unit_test(patterns_tell_the_types_of_fields_of_variants),
        cmocka_unit_test(a_name_is_seen_behind_its_let),
        cmocka_unit_test(associated_types_are_those_of_their_block),
        cmocka_unit_test(impl_blocks_tell_bounds_as_long_as_steps_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
