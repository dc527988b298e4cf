#include "tests/index/resolve_fixture.h"

LINK_LANG(java);
LINK_LANG(kotlin);
LINK_LANG(csharp);
LINK_LANG(ruby);
LINK_LANG(php);
LINK_LANG(rust);
LINK_LANG(c);
LINK_LANG(go);
LINK_LANG(javascript);

static void
java_fields_reach_the_interface_and_its_only_implementation(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/main/java/com/shop/cart/CartController.java",
              "package com.shop.cart;\n"
              "import com.shop.store.Store;\n"
              "import static com.shop.util.Texts.trim;\n"
              "public class CartController extends Base {\n"
              "  private final Store store;\n"
              "  public CartController(Store store) { this.store = store; }\n"
              "  public void add(String s) {\n"
              "    store.save(trim(s));\n"
              "    helper();\n"
              "    log();\n"
              "    new Neighbour().go();\n"
              "  }\n"
              "  private void helper() {}\n"
              "}\n");
    world_add(&w, "src/main/java/com/shop/cart/Base.java",
              "package com.shop.cart;\n"
              "abstract class Base { void log() {} }\n"
              "class Neighbour { void go() {} }\n");
    world_add(&w, "src/main/java/com/shop/store/Store.java",
              "package com.shop.store;\n"
              "public interface Store { void save(String s); }\n");
    world_add(&w, "src/main/java/com/shop/store/SqlStore.java",
              "package com.shop.store;\n"
              "public class SqlStore implements Store {\n"
              "  @Override public void save(String s) {}\n"
              "}\n");
    world_add(&w, "src/main/java/com/shop/util/Texts.java",
              "package com.shop.util;\n"
              "public class Texts { public static String trim(String s) "
              "{ return s; } }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "CartController.add", "Store.save",
                "receiver_type");
    assert_edge(&w, "calls", "CartController.add", "SqlStore.save",
                "single_implementation");
    assert_edge(&w, "calls", "CartController.add", "Texts.trim", "import");
    assert_edge(&w, "calls", "CartController.add", "CartController.helper",
                "self");
    assert_edge(&w, "calls", "CartController.add", "Base.log", "self");
    assert_edge(&w, "calls", "CartController.add", "Neighbour.go",
                "receiver_type");
    assert_edge(&w, "implements", "com.shop.store#SqlStore", "Store", NULL);
    assert_edge(&w, "extends", "com.shop.cart#CartController", "Base", NULL);
    assert_edge(&w, "overrides", "SqlStore.save", "Store.save", NULL);
    assert_edge(&w, "may_dispatch", "Store.save", "SqlStore.save", NULL);
    world_fini(&w);
}

static void
a_class_of_java_with_a_constructor_knows_itself(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "public class A {\n"
              "  A(String x) { }\n"
              "  void run() { }\n"
              "  static void make() { new A(\"x\").run(); }\n"
              "  static void keep() { A a = new A(\"x\"); a.run(); }\n"
              "  static class In { void f(A a) { a.run(); } }\n"
              "}\n"
              "class B extends A {\n"
              "  B() { super(\"x\"); }\n"
              "  void g() { new A(\"x\"); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "A.make", "A.A", NULL);
    assert_edge(&w, "calls", "A.make", "A.run", "receiver_type");
    assert_edge(&w, "calls", "A.keep", "A.run", "receiver_type");
    assert_edge(&w, "calls", "A.In.f", "A.run", "receiver_type");
    assert_edge(&w, "calls", "B.g", "A.A", NULL);
    world_fini(&w);
}

static void
two_implementations_are_no_single_one(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.java",
              "package a;\n"
              "interface I { void m(); }\n"
              "class X implements I { public void m() {} }\n"
              "class Y implements I { public void m() {} }\n"
              "class Z { I i; void f() { i.m(); } }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Z.f", "I.m", "receiver_type");
    assert_no_edge(&w, "calls", "Z.f", "X.m");
    assert_no_edge(&w, "calls", "Z.f", "Y.m");
    assert_edge(&w, "may_dispatch", "I.m", "X.m", NULL);
    assert_edge(&w, "may_dispatch", "I.m", "Y.m", NULL);
    world_fini(&w);
}

static void
kotlin_resolves_packages_constructors_and_top_level_functions(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/Cart.kt",
              "package com.shop\n"
              "import com.shop.db.Store\n"
              "import com.shop.db.connect\n"
              "class Cart(private val store: Store) {\n"
              "  fun add() { store.save(); connect() }\n"
              "}\n"
              "fun main() { Cart(Store()).add() }\n");
    world_add(&w, "src/db/Store.kt",
              "package com.shop.db\n"
              "open class Store { fun save() {} }\n"
              "fun connect() {}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.add", "Store.save", "receiver_type");
    assert_edge(&w, "calls", "Cart.add", "connect", "import");
    assert_edge(&w, "calls", "main", "Cart.add", "receiver_type");
    world_fini(&w);
}

static void
csharp_resolves_namespaces_usings_and_partial_classes(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(
        &w, "Cart.cs",
        "using Shop.Data;\n"
        "namespace Shop.Web {\n"
        "  public partial class Cart {\n"
        "    private readonly IStore _store;\n"
        "    public Cart(IStore store) { _store = store; }\n"
        "    public void Add() { _store.Save(); Helper(); Util.Run1(); }\n"
        "  }\n"
        "}\n");
    world_add(&w, "Cart2.cs",
              "namespace Shop.Web {\n"
              "  public partial class Cart { void Helper() {} }\n"
              "}\n"
              "namespace Shop { static class Util { public static void Run1() "
              "{} } }\n");
    world_add(&w, "Store.cs",
              "namespace Shop.Data;\n"
              "public interface IStore { void Save(); }\n"
              "public class Store : IStore { public void Save() {} }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.Add", "IStore.Save", "receiver_type");
    assert_edge(&w, "calls", "Cart.Add", "Store.Save", "single_implementation");
    assert_edge(&w, "calls", "Cart.Add", "Cart.Helper", "self");
    assert_edge(&w, "calls", "Cart.Add", "Util.Run1", NULL);
    world_fini(&w);
}

static void
ruby_resolves_constants_mixins_and_own_methods(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "app/models/cart.rb",
              "module Shop\n"
              "  class Cart < Base\n"
              "    include Logging\n"
              "    def add(x)\n"
              "      note(x)\n"
              "      step\n"
              "      Store.new.save\n"
              "      Shop::Store.build\n"
              "    end\n"
              "  end\n"
              "end\n");
    world_add(&w, "app/models/base.rb",
              "module Shop\n"
              "  module Logging\n    def note(x); end\n  end\n"
              "  class Base\n    def step; end\n  end\n"
              "  class Store\n    def save; end\n"
              "    def self.build; new; end\n  end\n"
              "end\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Shop.Cart.add", "Shop.Logging.note", "self");
    assert_edge(&w, "calls", "Shop.Cart.add", "Shop.Store.save",
                "receiver_type");
    assert_edge(&w, "calls", "Shop.Cart.add", "Shop.Store.build", NULL);
    world_fini(&w);
}

static void
php_traits_stand_before_what_a_class_extends(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/A.php",
              "<?php\n"
              "class Base { function go() {} function own() {} }\n"
              "trait T { function go() {} function own() {} }\n"
              "class A extends Base {\n"
              "  use T;\n"
              "  function own() { parent::go(); }\n"
              "  function run() { $this->go(); $this->own(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "A.run", "T.go", "self");
    assert_edge(&w, "calls", "A.run", "A.own", "self");
    assert_edge(&w, "calls", "A.own", "Base.go", "self");
    world_fini(&w);
}

static void
php_resolves_namespaces_uses_and_fields(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/Web/Cart.php",
              "<?php\n"
              "namespace Shop\\Web;\n"
              "use Shop\\Data\\Store;\n"
              "class Cart extends Base {\n"
              "  public function __construct(private Store $store) {}\n"
              "  public function add() {\n"
              "    $this->store->save();\n"
              "    $this->step();\n"
              "    Store::make();\n"
              "    $s = new Store(); $s->save();\n"
              "  }\n"
              "}\n");
    world_add(&w, "src/Web/Base.php",
              "<?php\nnamespace Shop\\Web;\n"
              "class Base { public function step() {} }\n");
    world_add(&w, "src/Data/Store.php",
              "<?php\nnamespace Shop\\Data;\n"
              "class Store { public function save() {}\n"
              "  public static function make() {} }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.add", "Store.save", "receiver_type");
    assert_edge(&w, "calls", "Cart.add", "Base.step", "self");
    assert_edge(&w, "calls", "Cart.add", "Store.make", "import");
    world_fini(&w);
}

static void
php_names_that_begin_outside_all_namespaces_ask_no_use(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/Web/Cart.php",
              "<?php\n"
              "namespace Shop\\Web;\n"
              "use Slim\\Shop;\n"
              "class Store { public function save() {} }\n"
              "class Cart extends \\Shop\\Data\\Base {\n"
              "  public function add(\\Shop\\Data\\Store $store) {\n"
              "    $store->save();\n"
              "    $this->step();\n"
              "  }\n"
              "  public function make() {\n"
              "    \\Shop\\Data\\Store::make();\n"
              "    \\Store::open();\n"
              "  }\n"
              "}\n");
    world_add(&w, "src/Data/Store.php",
              "<?php\nnamespace Shop\\Data;\n"
              "class Base { public function step() {} }\n"
              "class Store { public function save() {}\n"
              "  public static function make() {} }\n");
    world_add(&w, "src/Store.php",
              "<?php\nclass Store { public static function open() {} }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.add", "Store.save", "receiver_type");
    assert_edge(&w, "calls", "Cart.add", "Base.step", "self");
    assert_edge(&w, "calls", "Cart.make", "Store.make", "import");
    assert_edge(&w, "calls", "Cart.make", "Store.open", "import");
    world_fini(&w);
}

static void
rust_resolves_modules_and_impl_blocks(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/main.rs",
              "mod store;\n"
              "use crate::store::Store;\n"
              "use store::connect;\n"
              "fn main() {\n"
              "    let s = Store::new();\n"
              "    s.save();\n"
              "    connect();\n"
              "    store::connect();\n"
              "    helper();\n"
              "}\n"
              "fn helper() {}\n");
    world_add(&w, "src/store.rs",
              "pub struct Store { n: i32 }\n"
              "impl Store {\n"
              "    pub fn new() -> Self { Store { n: 1 } }\n"
              "    pub fn save(&self) { self.inner(); }\n"
              "    fn inner(&self) {}\n"
              "}\n"
              "pub fn connect() {}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "main", "Store.new", NULL);
    assert_edge(&w, "calls", "main", "Store.save", "receiver_type");
    assert_edge(&w, "calls", "main", "connect", "import");
    assert_edge(&w, "calls", "main", "helper", "lexical");
    assert_edge(&w, "calls", "Store.save", "Store.inner", "self");
    world_fini(&w);
}

static void
c_reaches_the_one_definition_and_not_the_static_of_another_file(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "store.h", "void save(int x);\n");
    world_add(&w, "store.c",
              "#include \"store.h\"\n"
              "static void helper(void) {}\n"
              "void save(int x) { helper(); }\n");
    world_add(&w, "main.c",
              "#include \"store.h\"\n"
              "static void helper(void) {}\n"
              "int main(void) { save(1); helper(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "main", "store.c#save", NULL);
    assert_edge(&w, "calls", "main", "main.c#helper", "lexical");
    assert_edge(&w, "calls", "store.c#save", "store.c#helper", "lexical");
    assert_no_edge(&w, "calls", "main", "store.c#helper");
    world_fini(&w);
}

static void
cpp_methods_written_outside_belong_to_their_class(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(
        &w, "cart.hpp",
        "class Store { public: void save(); };\n"
        "class Cart { Store store_; public: void add(); void step(); };\n");
    world_add(&w, "cart.cpp",
              "#include \"cart.hpp\"\n"
              "void Store::save() {}\n"
              "void Cart::add() { store_.save(); step(); this->step(); }\n"
              "void Cart::step() {}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.add", "Store.save", NULL);
    assert_edge(&w, "calls", "Cart.add", "Cart.step", "self");
    world_fini(&w);
}

static void
commonjs_modules_export_what_they_assign(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "a.js",
              "const b = require('./b');\n"
              "const { two } = require('./b');\n"
              "const C = require('./c');\n"
              "function go() { b.one(); two(); new C().run1(); }\n");
    world_add(&w, "b.js",
              "function one() {}\n"
              "exports.one = one;\n"
              "exports.two = function () {};\n");
    world_add(&w, "c.js",
              "class C { run1() {} }\n"
              "module.exports = C;\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "go", "one", "import");
    assert_edge(&w, "calls", "go", "two", "import");
    assert_edge(&w, "calls", "go", "C.run1", "receiver_type");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            java_fields_reach_the_interface_and_its_only_implementation),
        cmocka_unit_test(a_class_of_java_with_a_constructor_knows_itself),
        cmocka_unit_test(two_implementations_are_no_single_one),
        cmocka_unit_test(
            kotlin_resolves_packages_constructors_and_top_level_functions),
        cmocka_unit_test(csharp_resolves_namespaces_usings_and_partial_classes),
        cmocka_unit_test(ruby_resolves_constants_mixins_and_own_methods),
        cmocka_unit_test(php_traits_stand_before_what_a_class_extends),
        cmocka_unit_test(php_resolves_namespaces_uses_and_fields),
        cmocka_unit_test(
            php_names_that_begin_outside_all_namespaces_ask_no_use),
        cmocka_unit_test(rust_resolves_modules_and_impl_blocks),
        cmocka_unit_test(
            c_reaches_the_one_definition_and_not_the_static_of_another_file),
        cmocka_unit_test(cpp_methods_written_outside_belong_to_their_class),
        cmocka_unit_test(commonjs_modules_export_what_they_assign),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
