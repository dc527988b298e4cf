/* Calls of PHP and Ruby, as runs of their packages show them. */
#include "tests/index/resolve_fixture.h"

LINK_LANG(ruby);
LINK_LANG(php);

/* `Node\Expr` is a class, and a namespace. */
static void
php_paths_go_through_namespaces_and_not_through_classes(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/Parser.php",
              "<?php\n"
              "namespace Php;\n"
              "use Php\\Node\\Expr;\n"
              "use Php\\Node\\Expr as E;\n"
              "class Parser {\n"
              "  function one() { new Expr\\Name(); }\n"
              "  function two(E\\Name $n) { $n->text(); }\n"
              "  function near() { Node\\Expr\\Name::make(); }\n"
              "  function far() { \\Php\\Node\\Expr\\Name::make(); }\n"
              "  function here() { namespace\\Node\\Expr\\Name::make(); }\n"
              "  function away() { Expr\\Other::make(); }\n"
              "  function expr() { Expr::make(); }\n"
              "}\n");
    world_add(&w, "src/Node/Expr.php",
              "<?php\nnamespace Php\\Node;\n"
              "class Expr {\n"
              "  function __construct() {}\n"
              "  static function make() {}\n"
              "}\n");
    world_add(&w, "src/Node/Expr/Name.php",
              "<?php\nnamespace Php\\Node\\Expr;\n"
              "class Name extends \\Php\\Node\\Expr {\n"
              "  function text() {}\n"
              "  static function make() {}\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Parser.one", "Expr.__construct", "import");
    assert_edge(&w, "calls", "Parser.two", "Name.text", "receiver_type");
    assert_edge(&w, "calls", "Parser.near", "Name.make", "import");
    assert_edge(&w, "calls", "Parser.far", "Name.make", "import");
    assert_edge(&w, "calls", "Parser.here", "Name.make", "import");
    assert_no_edge(&w, "calls", "Parser.away", "Expr.make");
    assert_edge(&w, "calls", "Parser.expr", "Expr.make", "import");
    world_fini(&w);
}

static void
php_functions_that_a_namespace_lacks_are_global_ones(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/Core.php",
              "<?php\n"
              "namespace Twig { class Core {} }\n"
              "namespace { function escape() { }\n"
              "  class Only { static function go() {} } }\n"
              "namespace Second { function other() { escape(); } }\n");
    world_add(&w, "src/User.php",
              "<?php\n"
              "namespace Twig\\Tests;\n"
              "function run() { escape(); Only::go(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "run", "escape", "lexical");
    assert_edge(&w, "calls", "other", "escape", "lexical");
    assert_no_edge(&w, "calls", "run", "Only.go");
    world_fini(&w);
}

static void
ruby_reads_and_sets_of_attributes_are_calls(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "lib/cart.rb",
              "class Store\n"
              "  def save; end\n"
              "end\n"
              "class Cart\n"
              "  attr_accessor :store\n"
              "  def initialize\n    @store = Store.new\n  end\n"
              "  def read\n    store.save\n  end\n"
              "  def set\n    self.store = nil\n  end\n"
              "  def total=(n)\n  end\n"
              "  def both\n    self.total, x = 1, 2\n  end\n"
              "end\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.read", "Cart.store", "self");
    assert_edge(&w, "calls", "Cart.read", "Store.save", "receiver_type");
    assert_edge(&w, "calls", "Cart.set", "Cart.store=", "self");
    assert_edge(&w, "calls", "Cart.both", "Cart.total=", "self");
    world_fini(&w);
}

static void
ruby_makes_its_own_class_by_a_bare_new(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "lib/field.rb",
              "module Mail\n"
              "  def self.new(x); end\n"
              "  class Field\n"
              "    def initialize(a = 1); end\n"
              "    def self.parse(a)\n      new(a)\n    end\n"
              "    def self.empty\n      new\n    end\n"
              "    def self.table; end\n"
              "    def copy\n      self.class.new(1)\n    end\n"
              "    def names\n      self.class.table\n    end\n"
              "    attr_accessor :name\n"
              "    def label\n      self.class.name\n    end\n"
              "    def again\n      new\n    end\n"
              "  end\n"
              "end\n");
    world_add(&w, "lib/own.rb", "def new(x); end\ndef draw\n  new(1)\nend\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "draw", "new", NULL);
    assert_edge(&w, "calls", "Mail.Field.parse", "Mail.Field.initialize", NULL);
    assert_edge(&w, "calls", "Mail.Field.empty", "Mail.Field.initialize", NULL);
    assert_edge(&w, "calls", "Mail.Field.copy", "Mail.Field.initialize", NULL);
    assert_edge(&w, "calls", "Mail.Field.names", "Mail.Field.table", "self");
    assert_no_edge(&w, "calls", "Mail.Field.parse", "Mail.new");
    assert_no_edge(&w, "calls", "Mail.Field.label", "Mail.Field.name");
    assert_no_edge(&w, "calls", "Mail.Field.again", "Mail.Field.initialize");
    world_fini(&w);
}

static void
ruby_asks_modules_around_for_constants_only(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "lib/a.rb",
              "class Array\n  def more; end\nend\n"
              "def top; end\n"
              "module Outer\n"
              "  def self.note; end\n"
              "  class Other\n    def self.go; end\n  end\n"
              "  class Inner\n"
              "    def run\n"
              "      note\n"
              "      [1].each { |x| mine(x) }\n"
              "      Other.go\n"
              "      top\n"
              "      Array(1)\n"
              "    end\n"
              "    def mine(x); end\n"
              "  end\n"
              "end\n");
    world_resolve(&w);
    assert_no_edge(&w, "calls", "Outer.Inner.run", "Outer.note");
    assert_edge(&w, "calls", "Outer.Inner.run", "Outer.Other.go", NULL);
    assert_edge(&w, "calls", "Outer.Inner.run", "top", NULL);
    assert_no_edge(&w, "calls", "Outer.Inner.run", "Array");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            php_paths_go_through_namespaces_and_not_through_classes),
        cmocka_unit_test(php_functions_that_a_namespace_lacks_are_global_ones),
        cmocka_unit_test(ruby_reads_and_sets_of_attributes_are_calls),
        cmocka_unit_test(ruby_makes_its_own_class_by_a_bare_new),
        cmocka_unit_test(ruby_asks_modules_around_for_constants_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
