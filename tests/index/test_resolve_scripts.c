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

static void
ruby_tells_methods_of_a_class_from_those_of_its_objects(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "lib/a.rb",
              "class Base\n"
              "  def self.convert; new; end\n"
              "  def self.[](n)\n    new\n  end\n"
              "  def again; end\n"
              "end\n"
              "class Sub < Base\n"
              "  def convert; self.class.convert; end\n"
              "  def own; end\n"
              "  def self.run\n    convert\n    missing\n  end\n"
              "  def missing; end\n"
              "end\n"
              "def outside\n  Sub.convert.own\n  Sub.missing\nend\n"
              "def indexed\n  Sub[1].again\nend\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "outside", "Base.convert", NULL);
    assert_edge(&w, "calls", "outside", "Sub.own", "receiver_type");
    assert_edge(&w, "calls", "Sub.run", "Base.convert", "self");
    assert_edge(&w, "calls", "Sub.convert", "Base.convert", "self");
    assert_edge(&w, "calls", "indexed", "Base.again", "receiver_type");
    assert_no_edge(&w, "calls", "outside", "Sub.convert");
    assert_no_edge(&w, "calls", "outside", "Sub.missing");
    assert_no_edge(&w, "calls", "Sub.run", "Sub.convert");
    assert_no_edge(&w, "calls", "Sub.run", "Sub.missing");
    world_fini(&w);
}

static void
ruby_puts_modules_where_they_are_mixed_in(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "lib/a.rb",
              "module Before\n  def go; super; end\nend\n"
              "module One\n  def step; end\n  def two; end\nend\n"
              "module Two\n  def step; end\n  def two; end\nend\n"
              "module First\n  def both; end\nend\n"
              "module Second\n  def both; end\nend\n"
              "class Base\n  def step; end\n  def go; end\nend\n"
              "class A < Base\n"
              "  prepend Before\n"
              "  include One\n"
              "  include Two\n"
              "  include First, Second\n"
              "  def go; super; end\n"
              "  def run\n    go\n    step\n    both\n  end\n"
              "end\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "A.run", "Before.go", "self");
    assert_edge(&w, "calls", "A.run", "Two.step", "self");
    assert_edge(&w, "calls", "A.run", "First.both", "self");
    assert_edge(&w, "calls", "A.go", "Base.go", "self");
    assert_no_edge(&w, "calls", "A.run", "A.go");
    assert_no_edge(&w, "calls", "A.run", "Base.step");
    assert_edge(&w, "extends", "A", "Before", NULL);
    world_fini(&w);
}

static void
ruby_extends_a_class_with_the_methods_of_a_module(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "lib/a.rb",
              "module Finders\n  def find; end\nend\n"
              "module Tools\n"
              "  extend self\n"
              "  def cut; end\n  def all; cut; end\n"
              "end\n"
              "module Hooked\n"
              "  def self.included(base)\n    base.extend(Own)\n"
              "    base.send :extend, More\n  end\n"
              "  module Own\n    def build; end\n  end\n"
              "  module More\n    def raise_it; end\n  end\n"
              "end\n"
              "module Kept\n"
              "  extend ActiveSupport::Concern\n"
              "  included do\n    extend Finders\n  end\n"
              "  class_methods do\n    def keep; end\n  end\n"
              "end\n"
              "class A\n"
              "  extend Finders\n"
              "  include Hooked\n"
              "end\n"
              "class B < A\nend\n"
              "class C\n  include Kept\nend\n"
              "class D\n  class << self\n    include Finders\n  end\nend\n"
              "def of_a\n  A.find\n  B.build\n  A.raise_it\n"
              "  A.new.find\nend\n"
              "def of_c\n  C.keep\n  C.find\nend\n"
              "def of_d\n  D.find\nend\n"
              "def of_object\n  A.new.find\n  C.new.keep\nend\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Tools.all", "Tools.cut", "self");
    assert_edge(&w, "calls", "of_a", "Finders.find", NULL);
    assert_edge(&w, "calls", "of_a", "Hooked.Own.build", NULL);
    assert_edge(&w, "calls", "of_a", "Hooked.More.raise_it", NULL);
    assert_edge(&w, "calls", "of_c", "Kept.ClassMethods.keep", NULL);
    assert_edge(&w, "calls", "of_c", "Finders.find", NULL);
    assert_edge(&w, "calls", "of_d", "Finders.find", NULL);
    assert_no_edge(&w, "calls", "of_object", "Finders.find");
    assert_no_edge(&w, "calls", "of_object", "Kept.ClassMethods.keep");
    assert_edge(&w, "extends", "A", "Finders", NULL);
    world_fini(&w);
}

static void
ruby_has_what_files_and_object_give_to_all(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "lib/a.rb",
              "def Money(n); end\n"
              "class Object\n  def try(x); end\nend\n"
              "class Module\n  def delegate(x); end\nend\n"
              "class Cart\n"
              "  delegate :x\n"
              "  def self.open; delegate :y; end\n"
              "  def add\n    Money(4)\n    try(1)\n  end\n"
              "end\n"
              "class Other < Outside\n"
              "  def add\n    delegate(1)\n  end\n"
              "end\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.add", "Money", "lexical");
    assert_edge(&w, "calls", "Cart.add", "Object.try", "self");
    assert_edge(&w, "calls", "Cart.open", "Module.delegate", "self");
    assert_no_edge(&w, "calls", "Other.add", "Module.delegate");
    world_fini(&w);
}

static void
ruby_finds_what_is_added_to_the_classes_of_literals(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "lib/a.rb",
              "class String\n  def squish; end\nend\n"
              "class Symbol\n  def squish; end\n  def only; end\nend\n"
              "class Integer\n  def hours; end\nend\n"
              "class Hash\n  def deep; end\nend\n"
              "def text(x = \"\")\n"
              "  \"a#{x}\".squish\n"
              "  24.hours\n"
              "  options = { a: 1 }\n  options.deep\n"
              "end\n"
              "def other(x = \"\")\n"
              "  x.squish\n  \"a\".only\n  2.5.hours\n"
              "end\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "text", "String.squish", "receiver_type");
    assert_edge(&w, "calls", "text", "Integer.hours", "receiver_type");
    assert_edge(&w, "calls", "text", "Hash.deep", "receiver_type");
    assert_no_edge(&w, "calls", "other", "String.squish");
    assert_no_edge(&w, "calls", "other", "Symbol.only");
    assert_no_edge(&w, "calls", "other", "Integer.hours");
    world_fini(&w);
}

static void
php_returns_the_class_that_it_makes_for_one_of_a_library(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/Request.php",
              "<?php\n"
              "namespace Http;\n"
              "use Psr\\Message; use Psr\\Uri;\n"
              "trait Headers {\n"
              "  function with(): Message { $new = clone $this;\n"
              "    return $new; }\n"
              "}\n"
              "class Request implements Message {\n"
              "  use Headers;\n"
              "  function path() {}\n"
              "  function moved(): Message {\n"
              "    if (f()) { return $this; }\n"
              "    $new = clone $this; return $new; }\n"
              "  function made($x): Message {\n"
              "    return $x ? new Request() : $x; }\n"
              "  function either($x): Message {\n"
              "    if ($x) { return $x; } return new Request(); }\n"
              "}\n"
              "function go() { $a = new Request(); $a->moved()->path(); }\n"
              "function mixed() { $a = new Request(); $a->with()->path(); }\n"
              "function none() { $a = new Request(); $a->either(1)->path();\n"
              "  $a->made(1)->path(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "go", "Request.path", "receiver_type");
    assert_edge(&w, "calls", "mixed", "Request.path", "receiver_type");
    assert_no_edge(&w, "calls", "none", "Request.path");
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
        cmocka_unit_test(
            ruby_tells_methods_of_a_class_from_those_of_its_objects),
        cmocka_unit_test(ruby_puts_modules_where_they_are_mixed_in),
        cmocka_unit_test(ruby_extends_a_class_with_the_methods_of_a_module),
        cmocka_unit_test(ruby_has_what_files_and_object_give_to_all),
        cmocka_unit_test(ruby_finds_what_is_added_to_the_classes_of_literals),
        cmocka_unit_test(
            php_returns_the_class_that_it_makes_for_one_of_a_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
