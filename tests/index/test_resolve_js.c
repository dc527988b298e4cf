/* Objects of JavaScript that are put together as they go. */
#include "tests/index/resolve_fixture.h"

LINK_LANG(javascript);

static void
this_in_a_literal_is_the_literal(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "response.js",
              "module.exports = {\n"
              "  has(f) { return this.get(f); },\n"
              "  get(f) { return f; },\n"
              "  get host() { return this.get('Host'); },\n"
              "  all: function () { [1].map(x => this.has(x)); },\n"
              "  bare: () => this.get(1),\n"
              "};\n");
    world_add(&w, "shadow.js",
              "class Page {\n"
              "  view() { return { show() { this.draw(); }, draw() {} }; }\n"
              "  late() { return { show: () => this.draw() }; }\n"
              "  draw() {}\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "has", "get", "self");
    assert_edge(&w, "calls", "host", "get", "self");
    assert_edge(&w, "calls", "all.anonymous1", "has", "self");
    assert_no_edge(&w, "calls", "bare", "get");
    assert_edge(&w, "calls", "Page.view.show", "Page.view.draw", "self");
    assert_no_edge(&w, "calls", "Page.view.show", "Page.draw");
    assert_edge(&w, "calls", "Page.late.show", "Page.draw", "self");
    world_fini(&w);
}

static void
what_is_set_on_an_object_is_its_member(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "application.js",
              "var app = exports = module.exports = {};\n"
              "app.init = function init() {\n"
              "  this.lazy();\n"
              "  var self = this;\n"
              "  later(function () { self.set(1); });\n"
              "};\n"
              "app.set = function set(x) { return this; };\n"
              "app.lazy = function lazy() {};\n");
    world_add(&w, "fixer.js",
              "function Fixer() {}\n"
              "function build() {}\n"
              "Fixer.apply = function () {};\n"
              "Fixer.make = build;\n"
              "module.exports = Fixer;\n");
    world_add(
        &w, "res.js",
        "var res = Object.create(require('http').Response.prototype);\n"
        "res.send = function send() { this.head(); this.app.head(); };\n"
        "res.head = function head() {};\n"
        "function other(res) { res.tail(); res.tail = function tail() {}; "
        "}\n");
    world_add(&w, "main.js",
              "const app = require('./application');\n"
              "const Fixer = require('./fixer');\n"
              "function run() { app.set(1).lazy(); Fixer.apply(); }\n"
              "function make() { Fixer.make(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "init", "lazy", "self");
    assert_edge(&w, "calls", "init.anonymous1", "set", NULL);
    assert_edge(&w, "calls", "run", "set", NULL);
    assert_edge(&w, "calls", "run", "lazy", NULL);
    assert_edge(&w, "calls", "run", "apply", NULL);
    assert_edge(&w, "calls", "make", "build", NULL);
    assert_edge(&w, "calls", "send", "head", "self");
    assert_no_edge(&w, "calls", "other", "tail");
    world_fini(&w);
}

/* What an object that a library made holds is another object. */
static void
members_of_what_a_library_made_are_not_its_own(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "res.js",
              "var res = Object.create(require('http').Response.prototype);\n"
              "res.send = function send() { this.app.head(); };\n"
              "res.head = function head() {};\n");
    world_resolve(&w);
    assert_no_edge(&w, "calls", "send", "head");
    world_fini(&w);
}

static void
functions_with_methods_make_objects(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "view.js",
              "function View(name) { this.path = this.find(name); }\n"
              "View.prototype.find = function find(name) {};\n"
              "function plain() { var find = 1; this.find(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "View", "View.find", "self");
    assert_no_edge(&w, "calls", "plain", "View.find");
    world_fini(&w);
}

static void
prototypes_have_what_they_are_given(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "helper.js",
              "function push(q) {}\nmodule.exports = { push };\n");
    world_add(&w, "base.js",
              "const { push } = require('./helper');\n"
              "class Base { go() { this.push(1); } }\n"
              "Base.prototype.push = push;\n"
              "module.exports = Base;\n");
    world_add(&w, "sub.js",
              "const Base = require('./base');\n"
              "class Sub extends Base { run() { this.push(2); } }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Base.go", "push", "self");
    assert_edge(&w, "calls", "Sub.run", "push", "self");
    world_fini(&w);
}

static void
prototypes_are_literals_or_objects_of_others(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "base.js",
              "function Base() {}\n"
              "Base.prototype.close = function () {};\n"
              "module.exports = Base;\n");
    world_add(&w, "sub.js",
              "const Base = require('./base');\n"
              "function Sub() { Base.call(this); this.open(); }\n"
              "Sub.prototype = Object.create(Base.prototype);\n"
              "Sub.prototype.open = function () { this.close(); };\n"
              "function Old() {}\n"
              "Old.prototype = new Base();\n"
              "Old.prototype.stop = function () { this.close(); };\n"
              "function Loop() { this.none(); }\n"
              "Loop.prototype = new Loop();\n");
    world_add(&w, "template.js",
              "function Template() { this.regex = this.create(); }\n"
              "Template.prototype = {\n"
              "  create: function () { return this.escape(); },\n"
              "  escape() {},\n"
              "};\n"
              "function run() { const t = new Template(); t.escape(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Sub", "Sub.open", "self");
    assert_edge(&w, "calls", "Sub.open", "Base.close", "self");
    assert_edge(&w, "calls", "Old.stop", "Base.close", "self");
    assert_edge(&w, "calls", "Template", "create", "self");
    assert_edge(&w, "calls", "create", "escape", "self");
    assert_edge(&w, "calls", "run", "escape", "receiver_type");
    world_fini(&w);
}

/* A module of helpers has more of them than a list of data is kept of. */
static void
modules_export_all_of_a_long_literal(void **state)
{
    (void)state;
    struct world w = {0};
    struct buf source = {0};

    buf_add(&source, STR("module.exports = {\n"));
    for (int i = 0; i < 300; i++)
        buf_printf(&source, "  help%d() {},\n", i);
    buf_add(&source, STR("};\n"));
    world_add(&w, "helpers.js", buf_cstr(&source));
    world_add(&w, "main.js",
              "const helpers = require('./helpers');\n"
              "function run() { helpers.help0(); helpers.help299(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "run", "help0", NULL);
    assert_edge(&w, "calls", "run", "help299", NULL);
    world_fini(&w);
    buf_fini(&source);
}

static void
a_name_for_what_a_module_exports_is_as_good(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "posts.js",
              "const Posts = module.exports;\n"
              "Posts.find = async function () {};\n"
              "Posts.show = async () => Posts.find();\n"
              "Posts.users = require('./users');\n"
              "function fill(Posts) { Posts.hidden = function none() {}; }\n");
    world_add(&w, "users.js",
              "var users = exports;\n"
              "users.load = function () {};\n");
    world_add(&w, "main.js",
              "const posts = require('./posts');\n"
              "const { show } = require('./posts');\n"
              "function one() { posts.show(); }\n"
              "function two() { show(); }\n"
              "function three() { posts.users.load(); }\n"
              "function four() { posts.hidden(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "show", "find", "lexical");
    assert_edge(&w, "calls", "one", "show", "import");
    assert_edge(&w, "calls", "two", "show", "import");
    assert_edge(&w, "calls", "three", "load", "import");
    assert_no_edge(&w, "calls", "four", "none");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_in_a_literal_is_the_literal),
        cmocka_unit_test(what_is_set_on_an_object_is_its_member),
        cmocka_unit_test(members_of_what_a_library_made_are_not_its_own),
        cmocka_unit_test(functions_with_methods_make_objects),
        cmocka_unit_test(prototypes_have_what_they_are_given),
        cmocka_unit_test(prototypes_are_literals_or_objects_of_others),
        cmocka_unit_test(modules_export_all_of_a_long_literal),
        cmocka_unit_test(a_name_for_what_a_module_exports_is_as_good),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
