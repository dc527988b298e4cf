#include "tests/index/resolve_fixture.h"

LINK_LANG(go);
LINK_LANG(python);
LINK_LANG(javascript);

static void
go_resolves_a_package_over_its_files_and_folders(void **state)
{
    (void)state;
    struct resolve_module module = {STR_INIT(""), STR_INIT("example.com/shop"),
                                    LANG_GO};
    struct world w = {.settings = {.modules = &module, .module_len = 1}};

    world_add(&w, "main.go",
              "package main\n"
              "import \"example.com/shop/internal/store\"\n"
              "func main() { s := store.New(); s.Put(); helper() }\n");
    world_add(&w, "help.go", "package main\nfunc helper() {}\n");
    world_add(&w, "internal/store/store.go",
              "package store\n"
              "type base struct{}\n"
              "func (b *base) Put() {}\n"
              "type Store struct{ base }\n"
              "func New() *Store { return &Store{} }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "#main", "internal/store#New", "import");
    assert_edge(&w, "calls", "#main", "base.Put", "receiver_type");
    assert_edge(&w, "calls", "#main", "helper", "lexical");
    assert_edge(&w, "imports", "#main.go", "internal/store#store", "import");
    assert_edge(&w, "extends", "Store", "base", NULL);
    world_fini(&w);
}

static void
go_types_implement_what_their_methods_fit(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "a.go",
              "package a\n"
              "type Saver interface { Save(x int) error }\n"
              "type File struct{}\n"
              "func (f *File) Save(x int) error { return nil }\n"
              "type Other struct{}\n"
              "func (o Other) Save() {}\n"
              "func Do(s Saver) { s.Save(1) }\n");
    world_resolve(&w);
    assert_edge(&w, "implements", "File", "Saver", "receiver_type");
    assert_no_edge(&w, "implements", "Other", "Saver");
    assert_edge(&w, "calls", "Do", "Saver.Save", "receiver_type");
    assert_edge(&w, "may_dispatch", "Saver.Save", "File.Save", NULL);
    assert_no_edge(&w, "calls", "Do", "File.Save");
    world_fini(&w);
}

static void
go_variables_by_the_name_of_their_type_or_maker_are_of_it(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "a.go",
              "package a\n"
              "type handler struct{ n int }\n"
              "func (h *handler) show() {}\n"
              "type row struct{}\n"
              "func (row) get() {}\n"
              "func list() *handler { return nil }\n"
              "func made() { handler := &handler{n: 1}; handler.show() }\n"
              "func given(row row) { row.get() }\n"
              "func called() {\n"
              "  list := list()\n"
              "  list.show()\n"
              "}\n"
              "func own() {\n"
              "  type handler struct{}\n"
              "  handler{}.show()\n"
              "}\n"
              "func any[row any](r row) { var x row; x.get() }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "made", "handler.show", "receiver_type");
    assert_edge(&w, "calls", "given", "row.get", "receiver_type");
    assert_edge(&w, "calls", "called", "list", "lexical");
    assert_edge(&w, "calls", "called", "handler.show", "receiver_type");
    assert_no_edge(&w, "calls", "own", "handler.show");
    assert_no_edge(&w, "calls", "any", "row.get");
    world_fini(&w);
}

static void
go_functions_without_a_name_are_numbered_as_its_compiler_does(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "a.go",
              "package a\n"
              "func F() {\n"
              "    go func() { func() { G() }() }()\n"
              "    defer func() {}()\n"
              "}\n"
              "func G() {}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "F.func1.1", "G", "lexical");
    assert_edge(&w, "contains", "F", "F.func2", NULL);
    world_fini(&w);
}

static void
python_follows_imports_packages_and_hierarchies(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/app/__init__.py", "from .base import Base as B\n");
    world_add(&w, "src/app/base.py",
              "class Base:\n"
              "    def __init__(self): self.tool = Tool()\n"
              "    def run(self): self.step()\n"
              "    def step(self): pass\n"
              "class Tool:\n"
              "    def use(self): pass\n");
    world_add(&w, "src/app/main.py",
              "from app import B\n"
              "from . import base\n"
              "class Child(B):\n"
              "    def step(self):\n"
              "        super().step()\n"
              "        self.tool.use()\n"
              "def go():\n"
              "    Child().run()\n"
              "    base.Tool()\n"
              "go()\n");
    world_resolve(&w);
    assert_edge(&w, "extends", "Child", "Base", NULL);
    assert_edge(&w, "calls", "Base.run", "Base.step", "self");
    assert_edge(&w, "calls", "Child.step", "Base.step", "self");
    assert_edge(&w, "calls", "Child.step", "Tool.use", "receiver_type");
    assert_edge(&w, "calls", "go", "Base.run", "receiver_type");
    assert_edge(&w, "calls", "go", "Base.__init__", "lexical");
    assert_edge(&w, "calls", "go", "Tool", "import");
    assert_edge(&w, "calls", "src/app/main#main.py", "go", "lexical");
    assert_edge(&w, "overrides", "Child.step", "Base.step", NULL);
    assert_edge(&w, "may_dispatch", "Base.step", "Child.step", NULL);
    world_fini(&w);
}

static void
typescript_follows_barrels_defaults_and_written_endings(void **state)
{
    (void)state;
    struct resolve_alias alias = {STR_INIT(""), STR_INIT("@app/"),
                                  STR_INIT("src/")};
    struct world w = {.settings = {.aliases = &alias, .alias_len = 1}};

    world_add(
        &w, "src/store/cart.ts",
        "export class Cart {\n"
        "  constructor(private items: Items) {}\n"
        "  add(): this { this.items.push1(); return this; }\n"
        "}\n"
        "export class Items { push1() {} }\n"
        "export default function make(): Cart { return new Cart(null); }\n");
    world_add(&w, "src/store/index.ts",
              "export * from './cart.js';\n"
              "export { default as makeCart } from './cart.js';\n");
    world_add(&w, "src/main.ts",
              "import { makeCart, Cart } from '@app/store';\n"
              "import make from './store/cart';\n"
              "export const start = async () => {\n"
              "  const cart = makeCart();\n"
              "  cart.add().add();\n"
              "  make();\n"
              "  const list: Cart[] = [];\n"
              "  list.forEach(c => c.add());\n"
              "};\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "start", "make", "import");
    assert_edge(&w, "calls", "start", "Cart.add", "receiver_type");
    assert_edge(&w, "calls", "Cart.add", "Items.push1", "receiver_type");
    assert_edge(&w, "calls", "start.anonymous1", "Cart.add", "receiver_type");
    assert_edge(&w, "references", "start", "start.anonymous1", NULL);
    assert_edge(&w, "imports", "src/main#main.ts", "src/store#index.ts", NULL);
    const struct build_edge *edge =
        find_edge(&w, "calls", "start", "Cart.add", "receiver_type");
    assert_int_equal(edge->site_len, 2);
    assert_int_equal(w.build.sites[edge->site_at].line, 5);
    world_fini(&w);
}

static void
a_name_alone_is_never_a_call(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "a.py",
              "class A:\n"
              "    def settle_bill(self): pass\n"
              "    def get(self): pass\n"
              "def f(x):\n"
              "    x.settle_bill()\n"
              "    x.get()\n");
    world_resolve(&w);
    assert_no_edge(&w, "calls", "f", "A.settle_bill");
    assert_edge(&w, "may_call", "f", "A.settle_bill", "heuristic_unique");
    assert_no_edge(&w, "may_call", "f", "A.get");
    world_fini(&w);
}

static void
external_receivers_are_not_guessed_at(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "a.py",
              "import other\n"
              "class A:\n"
              "    def settle_bill(self): pass\n"
              "def f():\n"
              "    other.make().settle_bill()\n"
              "    other.settle_bill()\n");
    world_resolve(&w);
    assert_no_edge(&w, "calls", "f", "A.settle_bill");
    assert_null(find_edge(&w, "calls", "f", "A.settle_bill", NULL));
    world_fini(&w);
}

static void
cycles_of_imports_and_bases_end(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "a.py", "from b import *\nclass A(B): pass\nf()\n");
    world_add(&w, "b.py", "from a import *\nclass B(A): pass\nf()\n");
    world_add(&w, "c.ts", "export * from './d';\nexport * from './c';\nx();\n");
    world_add(&w, "d.ts",
              "export * from './c';\nimport { x } from './c';\n"
              "const y = z, z = y; y.f();\nx();\n");
    world_resolve(&w);
    world_fini(&w);
}

static void
what_a_name_stands_for_is_told_to_rules(void **state)
{
    (void)state;
    struct world w = {0};
    struct value value;

    world_add(&w, "app.py",
              "from flask import Flask, Blueprint\n"
              "import web.http as web\n"
              "def make() -> Flask:\n"
              "    a = Flask('x')\n"
              "    return a\n"
              "app = make()\n"
              "app.route('/x')\n"
              "web.serve(app)\n"
              "def use(given: Flask):\n"
              "    given.route('/y')\n");
    world_resolve(&w);
    assert_true(resolve_value(w.r, object_on(&w, 0, 7), &value));
    assert_int_equal(value.kind, VALUE_MADE);
    assert_int_equal(value.at.id, call_on(&w, 0, 4).id);
    assert_true(resolve_type(w.r, object_on(&w, 0, 7), &value));
    assert_int_equal(value.kind, VALUE_EXTERNAL);
    assert_true(str_eq(value.module, STR("flask")));
    assert_true(str_eq(value.name, STR("Flask")));
    assert_true(resolve_value(w.r, object_on(&w, 0, 8), &value));
    assert_int_equal(value.kind, VALUE_EXTERNAL);
    assert_true(str_eq(value.module, STR("web.http")));
    assert_true(resolve_value(w.r, object_on(&w, 0, 10), &value));
    assert_int_equal(value.kind, VALUE_PARAM);
    assert_true(resolve_type(w.r, object_on(&w, 0, 10), &value));
    assert_true(str_eq(value.name, STR("Flask")));
    world_fini(&w);
}

static void
strings_are_put_together_and_gaps_are_told(void **state)
{
    (void)state;
    struct world w = {0};
    struct buf text = {0};
    unsigned gaps = 0;

    world_add(&w, "a.ts",
              "const base = '/api';\n"
              "const full = base + '/v1';\n"
              "use(`${full}/users`);\n"
              "use(unknown() + '/tail');\n"
              "use(`/head/${unknown()}/x`);\n"
              "use(unknown());\n");
    world_resolve(&w);
    assert_true(resolve_text(w.r, arg_on(&w, 0, 3, 0), &text, &gaps));
    assert_string_equal(buf_cstr(&text), "/api/v1/users");
    assert_int_equal(gaps, 0);
    buf_reset(&text);
    for (uint32_t i = 1; i < w.facts[0].expr_len; i++) {
        const struct fact_expr *at = &w.facts[0].exprs[i];
        if (at->kind != EXPR_CONCAT || (at->line != 4 && at->line != 5))
            continue;
        buf_reset(&text);
        assert_true(resolve_text(w.r, (struct at){0, i}, &text, &gaps));
        if (at->line == 4) {
            assert_string_equal(buf_cstr(&text), "/tail");
            assert_int_equal(gaps, TEXT_GAP_FRONT);
        } else {
            assert_string_equal(buf_cstr(&text), "/head//x");
            assert_int_equal(gaps, TEXT_GAP_BEHIND);
        }
    }
    buf_reset(&text);
    assert_false(resolve_text(w.r, call_on(&w, 0, 6), &text, &gaps));
    buf_fini(&text);
    world_fini(&w);
}

static bool
count_arg(void *ctx, struct at call, struct at expr)
{
    uint32_t *count = ctx;

    assert_true(call.id > 0);
    assert_true(expr.id > 0);
    ++*count;
    return true;
}

static void
callers_tell_what_they_pass(void **state)
{
    (void)state;
    struct world w = {0};
    uint32_t count = 0;

    world_add(&w, "a.py",
              "def f(a, b=None): pass\n"
              "f(1, 2)\n"
              "f(1, b=3)\n"
              "f(1)\n"
              "f(*x)\n");
    world_resolve(&w);
    resolve_args(w.r, (struct at){0, 1}, 1, count_arg, &count);
    assert_int_equal(count, 2);
    world_fini(&w);
}

static void
many_equal_names_cost_no_more_than_few(void **state)
{
    (void)state;
    struct world w = {0};
    struct buf source = {0};

    for (int i = 0; i < 10000; i++)
        buf_add(&source, STR("def same(x):\n    same = x.same()\n    same()\n"
                             "x = same(x)\n"));
    world_add(&w, "a.py", buf_cstr(&source));
    world_resolve(&w);
    buf_fini(&source);
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(go_resolves_a_package_over_its_files_and_folders),
        cmocka_unit_test(go_types_implement_what_their_methods_fit),
        cmocka_unit_test(
            go_variables_by_the_name_of_their_type_or_maker_are_of_it),
        cmocka_unit_test(
            go_functions_without_a_name_are_numbered_as_its_compiler_does),
        cmocka_unit_test(python_follows_imports_packages_and_hierarchies),
        cmocka_unit_test(
            typescript_follows_barrels_defaults_and_written_endings),
        cmocka_unit_test(a_name_alone_is_never_a_call),
        cmocka_unit_test(external_receivers_are_not_guessed_at),
        cmocka_unit_test(cycles_of_imports_and_bases_end),
        cmocka_unit_test(what_a_name_stands_for_is_told_to_rules),
        cmocka_unit_test(strings_are_put_together_and_gaps_are_told),
        cmocka_unit_test(callers_tell_what_they_pass),
        cmocka_unit_test(many_equal_names_cost_no_more_than_few),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
