/*
 * Ruby: what the extractor says of each construct.
 */
#include "tests/index/lang_fixture.h"

LINK_LANG(ruby);

static void
modules_and_classes_nest_and_name_their_bases(void **state)
{
    (void)state;
    assert_facts("app/cart.rb",
                 "module Shop\n"
                 "  class Cart < Base::Model\n"
                 "    include Comparable\n"
                 "    extend Finders, Other\n"
                 "    def total; end\n"
                 "  end\n"
                 "end\n"
                 "class Shop::Cart; end\n"
                 "module Mixed\n"
                 "  def go; end\n"
                 "end\n",
                 "def #1 package Shop in #0 line 1:7-7 exported",
                 "def #2 type Cart in #1 line 2:8-6 exported bases(0) "
                 "Base.Model, Comparable, extend: Other, extend: Finders",
                 "def #3 method total in #2 line 5:8-5 exported",
                 "def #4 type Shop::Cart in #0 line 8:6-8 exported",
                 "def #5 type Mixed in #0 line 9:7-11 exported trait", NULL);
}

static void
methods_tell_static_private_constructors_and_results(void **state)
{
    (void)state;
    assert_facts(
        "a.rb",
        "class A\n"
        "  def initialize(svc, n = 1, *rest, k:, o: 2, **opts, &blk)\n"
        "    @svc = svc\n"
        "  end\n"
        "  def self.find(id) = Repo.get(id)\n"
        "  class << self\n"
        "    def build; Foo::Bar.new(1); end\n"
        "  end\n"
        "  private\n"
        "  def hidden; @svc; end\n"
        "end\n",
        "def #2 method initialize in #1 line 2:6-4 exported ctor",
        "def #3 method find in #1 line 5:11-5 exported static",
        "def #4 method build in #1 line 7:8-7 exported static",
        "def #5 method hidden in #1 line 10:6-10", "bind #2 param svc@0",
        "bind #2 param n@1 = 1", "bind #2 param rest@2", "bind #2 param k@3",
        "bind #2 param o@4 = 2", "bind #2 param opts@5", "bind #2 param blk@6",
        "bind #2 assign self.@svc = svc", "bind #3 return  = Repo.get(id)",
        "bind #4 return  = new Foo.Bar(1)", "bind #5 return  = self.@svc",
        NULL);
}

static void
accessors_are_fields_and_properties(void **state)
{
    (void)state;
    assert_facts(
        "a.rb", "class A\n  attr_accessor :items\n  attr_reader 'name'\nend\n",
        "bind #1 field items", "bind #1 field name",
        "def #2 method items in #1 line 2:2-2 exported property",
        "def #3 method items= in #1 line 2:2-2 exported property",
        "def #4 method name in #1 line 3:2-3 exported property",
        "bind #2 return  = self.@items",
        "!def #5 method name= in #1 line 3:2-3 exported property", NULL);
}

/* Names are among the texts that grow as accessors are told. */
static void
accessors_may_be_many(void **state)
{
    enum { MANY = 300 };
    struct buf text = {0};
    struct facts facts;
    uint32_t writers = 0;

    (void)state;
    buf_add(&text, STR("class A\n"));
    for (unsigned i = 0; i < MANY; i++)
        buf_printf(&text, "  attr_accessor :item_%u\n", i);
    buf_add(&text, STR("end\n"));
    str content = buf_str(&text);
    const struct lang *lang = lang_of_path(STR("a.rb"), content);
    assert_int_equal(
        lang_facts(lang, STR("a.rb"), content, &lang_limits_default, &facts),
        OK);
    for (uint32_t i = 1; i < facts.def_len; i++) {
        str name = facts_text(&facts, facts.defs[i].name);
        writers +=
            str_starts(name, STR("item_")) && name.ptr[name.len - 1] == '=';
    }
    assert_int_equal(writers, MANY);
    facts_fini(&facts);
    buf_fini(&text);
}

static void
visibility_is_told_in_all_forms(void **state)
{
    (void)state;
    assert_facts("a.rb",
                 "class A\n"
                 "  def a; end\n"
                 "  def b; end\n"
                 "  private :a\n"
                 "  private def c; end\n"
                 "end\n"
                 "module M\n"
                 "  module_function\n"
                 "  def d; end\n"
                 "end\n",
                 "def #2 method a in #1 line 2:6-2",
                 "def #3 method b in #1 line 3:6-3 exported",
                 "def #4 method c in #1 line 5:14-5",
                 "def #6 method d in #5 line 9:6-9 exported static shared",
                 NULL);
}

static void
an_update_is_no_new_value(void **state)
{
    (void)state;
    assert_facts("a.rb", "p = '/a'\np += '/b' + g()\np ||= h()\n",
                 "bind #0 local p = \"/a\"", "bind #0 local p = h()",
                 "call #0 line 2:12 g()", "!bind #0 local p = \"/b\"", NULL);
}

static void
a_bare_name_is_a_call_unless_it_was_bound(void **state)
{
    (void)state;
    assert_facts("a.rb",
                 "def f(a)\n"
                 "  b = a\n"
                 "  c = d\n"
                 "  a.each { |x| x.go(b, e) }\n"
                 "  super\n"
                 "end\n"
                 "def g; b; end\n",
                 "bind #1 local b = a", "bind #1 local c = d()",
                 "bind #2 param x@0 = elem(a)",
                 "call #2 line 4:17 x.go(b, e())",
                 "call #1 line 4:4 a.each(lambda#2)",
                 "call #1 line 5:2 super.f()", "bind #3 return  = b()", NULL);
}

static void
commands_take_hashes_symbols_and_blocks(void **state)
{
    (void)state;
    assert_facts(
        "config/routes.rb",
        "Rails.application.routes.draw do\n"
        "  get '/x', to: 'c#a', 'as' => :y\n"
        "  resources :users, only: [:index] do\n"
        "    get :preview, on: :member\n"
        "  end\n"
        "  scope \"a#{b.c}d\", &blk\n"
        "end\n",
        "call #0 line 1:25 Rails.application().routes().draw(lambda#1)",
        "call #1 line 2:2 get(\"/x\", to: \"c#a\", as: \"y\")",
        "call #1 line 3:2 resources(\"users\", only: [\"index\"], lambda#2)",
        "call #2 line 4:4 get(\"preview\", on: \"member\")",
        "call #1 line 6:14 b().c()",
        "call #1 line 6:2 scope(concat(\"a\", b().c(), \"d\"), ...blk())",
        NULL);
}

static void
files_are_included_by_require(void **state)
{
    (void)state;
    assert_facts("a.rb",
                 "require 'json'\nrequire_relative 'lib/x'\n"
                 "require_relative '../y'\nload 'z.rb'\n"
                 "autoload :Foo, 'foo/bar'\n",
                 "import include json", "import include ./lib/x",
                 "import include ../y", "import include z.rb",
                 "import include foo/bar", NULL);
}

static void
names_are_bound_by_all_kinds_of_assignment(void **state)
{
    (void)state;
    assert_facts("a.rb",
                 "LIMIT = '/x'\n"
                 "class A\n"
                 "  PATH = \"a\" + LIMIT\n"
                 "  def m\n"
                 "    a, b = pair\n"
                 "    @n ||= Tax.new\n"
                 "    self.name = a || b\n"
                 "    for i in a do i.go end\n"
                 "  rescue Foo::Err => e\n"
                 "    e.log\n"
                 "  end\n"
                 "end\n"
                 "f = ->(x) { x.run }\n",
                 "bind #0 local LIMIT = \"/x\" const",
                 "def #1 const LIMIT in #0 line 1:0-1 exported",
                 "bind #2 field PATH = concat(\"a\", LIMIT) const",
                 "bind #3 local a@0 = pair()", "bind #3 local b@1 = pair()",
                 "bind #3 assign self.@n = new Tax()",
                 "bind #3 assign self.name = alt(a, b)",
                 "bind #3 local i = elem(a)", "bind #3 local e: Foo.Err",
                 "bind #0 local f = lambda#4",
                 "def #4 function f in #0 line 13:4-13 lambda",
                 "call #4 line 13:14 x.run()", NULL);
}

static void
test_cases_are_told(void **state)
{
    (void)state;
    assert_facts("spec/a_spec.rb",
                 "describe 'x' do\n  it 'works' do\n    go\n  end\nend\n"
                 "class ATest < Minitest::Test\n  def test_one; end\nend\n",
                 "def #2 function works in #1 line 2:13-4 lambda testcase",
                 "call #2 line 3:4 go()",
                 "def #4 method test_one in #3 line 7:6-7 exported testcase",
                 NULL);
    assert_facts("app/a.rb", "it 'works' do\nend\n",
                 "def #1 function  in #0 line 1:11-2 lambda", NULL);
}

static void
concerns_and_defined_methods_belong_to_their_class(void **state)
{
    (void)state;
    assert_facts("a.rb",
                 "module Tracked\n"
                 "  included do\n"
                 "    include Other\n"
                 "    before_action :check\n"
                 "  end\n"
                 "  class_methods do\n"
                 "    def all; end\n"
                 "  end\n"
                 "  define_method(:zed) { |a| a }\n"
                 "end\n",
                 "def #1 type Tracked in #0 line 1:7-10 exported trait "
                 "bases(0) Other",
                 "call #1 line 4:4 before_action(\"check\")",
                 "def #2 type ClassMethods in #1 line 6:2-8 exported trait",
                 "def #3 method all in #2 line 7:8-7 exported",
                 "def #4 method zed in #1 line 9:22-9 exported", NULL);
}

static void
values_of_branches_are_alternatives(void **state)
{
    (void)state;
    assert_facts("a.rb",
                 "def f(q)\n"
                 "  if q then a() else b() end\n"
                 "end\n"
                 "def g(q)\n"
                 "  x = q ? A.new : B.new\n"
                 "  return x\n"
                 "end\n"
                 "r = /a\\d/i\n",
                 "bind #1 return  = alt(a(), b())",
                 "bind #2 local x = alt(new A(), new B())",
                 "bind #2 return  = x", "bind #0 local r = /a\\d/", NULL);
}

static void
hostile_source_is_survived(void **state)
{
    (void)state;
    survive_hostile("a.rb");
    survive_repeated("a.rb", "x do |a| ", 20000);
    survive_damage("a.rb", "class A < B\n  include C\n  attr_accessor :d\n"
                           "  def e(f = 1, *g)\n    h i, j: \"k#{l}\" do |m|\n"
                           "      @n ||= O::P.new(m) || :q\n    end\n  end\n"
                           "end\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_and_classes_nest_and_name_their_bases),
        cmocka_unit_test(methods_tell_static_private_constructors_and_results),
        cmocka_unit_test(accessors_are_fields_and_properties),
        cmocka_unit_test(accessors_may_be_many),
        cmocka_unit_test(visibility_is_told_in_all_forms),
        cmocka_unit_test(an_update_is_no_new_value),
        cmocka_unit_test(a_bare_name_is_a_call_unless_it_was_bound),
        cmocka_unit_test(commands_take_hashes_symbols_and_blocks),
        cmocka_unit_test(files_are_included_by_require),
        cmocka_unit_test(names_are_bound_by_all_kinds_of_assignment),
        cmocka_unit_test(test_cases_are_told),
        cmocka_unit_test(concerns_and_defined_methods_belong_to_their_class),
        cmocka_unit_test(values_of_branches_are_alternatives),
        cmocka_unit_test(hostile_source_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
