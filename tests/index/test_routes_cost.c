/*
 * What many routes, and what looks like them, cost: eight times as many, eight
 * times as much.
 */

#include "tests/index/routes_fixture.h"
#include "tests/support/cpu.h"

LINK_LANG(go);
LINK_LANG(java);
LINK_LANG(javascript);
LINK_LANG(python);
LINK_LANG(ruby);

enum { MANY = 10000, FEWER = MANY / 8, TURNS = 3 };

/* What finding routes costs; there must be |routes| of them. */
static double
cost_of(const struct route_file *files, uint32_t routes)
{
    double least = 1e9;

    for (int turn = 0; turn < TURNS; turn++) {
        struct fixture f;
        fixture_open(&f, files);
        double from = cpu_seconds();
        assert_int_equal(fixture_find(&f), OK);
        double spent = cpu_seconds() - from;
        least = spent < least ? spent : least;
        assert_int_equal(f.build.route_len, routes);
        fixture_close(&f);
    }
    return least;
}

typedef void write_fn(struct buf *one, struct buf *two, unsigned count);

/* Eight times as many cost about eight times as much; if each looked at all
 * others it were 64 times. */
static void
assert_linear(const char *one, const char *two, write_fn *write)
{
    double cost[2];

    for (int i = 0; i < 2; i++) {
        struct buf first = {0};
        struct buf second = {0};
        unsigned count = i ? MANY : FEWER;
        write(&first, &second, count);
        cost[i] = cost_of(FILES({one, buf_cstr(&first)},
                                {second.len ? two : NULL, buf_cstr(&second)}),
                          count);
        buf_fini(&first);
        buf_fini(&second);
    }
    assert_true(cost[1] < 24 * cost[0]);
}

static void
write_pyramid(struct buf *one, struct buf *two, unsigned count)
{
    buf_add(one, STR("from pyramid.config import Configurator\n"
                     "config = Configurator()\n"));
    buf_add(two, STR("from pyramid.view import view_config\n"));
    for (unsigned i = 0; i < count; i++) {
        buf_printf(one, "config.add_route('r%u', '/r%u')\n", i, i);
        buf_printf(two, "@view_config(route_name='r%u')\ndef v%u(r): pass\n", i,
                   i);
    }
}

static void
write_drawn(struct buf *one, struct buf *two, unsigned count)
{
    buf_add(one, STR("Rails.application.routes.draw do\n  draw(:a)\nend\n"));
    for (unsigned i = 0; i < count; i++)
        buf_printf(two, "get 'p%u', to: 'a#b'\n", i);
}

static void
write_concern(struct buf *one, struct buf *two, unsigned count)
{
    (void)two;
    buf_add(one, STR("Rails.application.routes.draw do\n  concern :c do\n"));
    for (unsigned i = 0; i < count; i++)
        buf_printf(one, "    get 'p%u', to: 'a#b'\n", i);
    buf_add(one, STR("  end\n  concerns :c\nend\n"));
}

/* Each sum has all that was ever appended. */
static void
write_summed(struct buf *one, struct buf *two, unsigned count)
{
    (void)two;
    buf_add(one, STR("from django.urls import path\nl = [path('z', v)]\n"));
    for (unsigned i = 1; i < count; i++)
        buf_printf(one, "l += [path('p%u', v)]\n", i);
    buf_add(one, STR("urlpatterns = []\n"));
    for (unsigned i = 0; i < count; i++)
        buf_add(one, STR("urlpatterns += l\n"));
}

/* Each route asks for a prefix that no caller passes. */
static void
write_defaulted(struct buf *one, struct buf *two, unsigned count)
{
    (void)two;
    buf_add(one, STR("from flask import Flask\n"
                     "app = Flask(__name__)\n"
                     "def put(base='/b'):\n"));
    for (unsigned i = 0; i < count; i++)
        buf_printf(one, "  app.add_url_rule(base + '/p%u', 'n', v)\n", i);
    buf_add(one, STR("def v(): pass\n"));
    for (unsigned i = 0; i < count; i++)
        buf_add(one, STR("put()\n"));
}

static void
callers_are_asked_once_for_a_default(void **state)
{
    (void)state;
    assert_linear("a.py", NULL, write_defaulted);
}

static void
sums_of_appended_patterns_of_django_cost_each_the_same(void **state)
{
    (void)state;
    assert_linear("urls.py", NULL, write_summed);
}

static void
many_routes_of_pyramid_cost_each_the_same(void **state)
{
    (void)state;
    assert_linear("a.py", "b.py", write_pyramid);
}

static void
many_routes_of_rails_cost_each_the_same(void **state)
{
    (void)state;
    assert_linear("config/routes.rb", "config/routes/a.rb", write_drawn);
    assert_linear("config/routes.rb", NULL, write_concern);
}

/* Functions in circles, each of which returns what wraps others. */
static void
write_circles(struct buf *one, struct buf *two, unsigned count)
{
    unsigned few = count / 4;

    (void)two;
    buf_add(one, STR("package main\nimport \"net/http\"\n"));
    for (unsigned i = 0; i < few; i++)
        buf_printf(one,
                   "func f%u() http.Handler { if a { return wrap(f%u(), f%u(), "
                   "f%u()) }\nreturn f%u() }\n",
                   i, (i + 1) % few, (i + 2) % few, (i + 3) % few,
                   (i + 4) % few);
    buf_add(one, STR("func main() {\n"));
    for (unsigned i = 0; i < count; i++)
        buf_printf(one, "http.Handle(\"/p%u\", f%u())\n", i, i % few);
    buf_add(one, STR("}\n"));
}

/* A file has no more than this leaves of what has a type to itself. */
enum { ROUTES_EACH = 5 };

/* Types that hand on to each other, and hold a router each. */
static void
write_types(struct buf *one, struct buf *two, unsigned count)
{
    (void)two;
    buf_add(one, STR("package main\nimport (\"net/http\"; "
                     "\"github.com/gin-gonic/gin\")\n"));
    for (unsigned i = 0; i < count / ROUTES_EACH; i++) {
        buf_printf(one,
                   "type T%u struct { next *T%u; r *gin.Engine }\n"
                   "func (t *T%u) ServeHTTP(w http.ResponseWriter, r "
                   "*http.Request) { t.next.ServeHTTP(w, r) }\n"
                   "func make%u() *T%u { return &T%u{r: gin.New()} }\n"
                   "func (t *T%u) Up() {",
                   i, i + 1, i, i, i, i, i);
        for (unsigned k = 0; k < ROUTES_EACH; k++)
            buf_printf(one, " t.r.GET(\"/x%u/%u\", h);", i, k);
        buf_add(one, STR(" }\n"));
    }
}

/* Classes whose constructors call a method that hands the path on. */
static void
write_classes(struct buf *one, struct buf *two, unsigned count)
{
    (void)two;
    buf_add(one, STR("import express from 'express'\n"));
    for (unsigned i = 0; i < count / ROUTES_EACH; i++) {
        buf_printf(one,
                   "class C%u {\n  constructor() { this.q = "
                   "express.Router();",
                   i);
        for (unsigned k = 0; k < ROUTES_EACH; k++)
            buf_printf(one, " this.put('/x%u/%u', h);", i, k);
        buf_add(one, STR(" }\n  put(path, f) { this.q.get(path, f) }\n}\n"));
    }
}

static void
functions_of_go_that_call_each_other_cost_each_the_same(void **state)
{
    (void)state;
    assert_linear("a.go", NULL, write_circles);
}

static void
types_that_hold_routers_cost_each_the_same(void **state)
{
    (void)state;
    assert_linear("a.go", NULL, write_types);
    assert_linear("a.ts", NULL, write_classes);
}

/* Levels of interfaces, each of which extends all of the level above, and one
 * class below them: a locator gives that one. */
static void
heirs_by_many_ways_are_asked_once(void **state)
{
    enum { LEVELS = 8, EACH = 7 };
    struct buf text = {0};

    (void)state;
    buf_add(&text, STR("package a;\nimport jakarta.ws.rs.*;\n"
                       "interface I0_0 {}\n"));
    for (unsigned level = 1; level < LEVELS; level++)
        for (unsigned i = 0; i < EACH; i++) {
            buf_printf(&text, "interface I%u_%u extends I%u_0", level, i,
                       level - 1);
            for (unsigned k = 1; level > 1 && k < EACH; k++)
                buf_printf(&text, ", I%u_%u", level - 1, k);
            buf_add(&text, STR(" {}\n"));
        }
    buf_add(&text,
            STR("class Only implements I7_0, I7_1 { @GET public String show() "
                "{ return null; } }\n"
                "@Path(\"/root\") class Root {\n"
                "  @Path(\"/sub\") public I0_0 sub() { return null; }\n"
                "}\n"));
    assert_routes(FILES({"A.java", buf_cstr(&text)}),
                  "GET /root/sub -> /root/sub jax-rs show A.java:53\n");
    buf_fini(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_are_asked_once_for_a_default),
        cmocka_unit_test(
            sums_of_appended_patterns_of_django_cost_each_the_same),
        cmocka_unit_test(many_routes_of_pyramid_cost_each_the_same),
        cmocka_unit_test(many_routes_of_rails_cost_each_the_same),
        cmocka_unit_test(
            functions_of_go_that_call_each_other_cost_each_the_same),
        cmocka_unit_test(types_that_hold_routers_cost_each_the_same),
        cmocka_unit_test(heirs_by_many_ways_are_asked_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
