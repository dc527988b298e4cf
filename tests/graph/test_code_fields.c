/*
 * What is written about a vertex, field by field: routes, their handlers, RPCs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "graph/code_fields.h"
#include "tests/support/code_fixture.h"
#include "tests/support/dir.h"

static const char *const names[FIELD_END] = {
    "name", "signature", "package", "path",    "said",  "doc",
    "body", "called",    "method",  "handler", "route", "behind",
};

static void
take(void *ctx, const struct code_field_text *of)
{
    if (of->text.len)
        buf_printf(ctx, "%s=%.*s\n", names[of->field], (int)of->text.len,
                   of->text.ptr);
}

static void
assert_fields(const struct code *code, const struct code_fields *fields,
              uint32_t node, const char *const *lines)
{
    struct buf out = {0};

    code_fields_each(code, fields, node, take, &out);
    for (; *lines; lines++)
        if (!strstr(buf_cstr(&out), *lines))
            fail_msg("no %s in\n%s", *lines, buf_cstr(&out));
    buf_fini(&out);
}

static uint32_t
route_node(const struct code *code)
{
    assert_int_equal(code->route_len, 1);
    return code->routes[0].node;
}

static void
each_vertex_tells_its_fields(void **state)
{
    struct code_fixture f;
    struct code_fields fields;
    char dir[64];

    (void)state;
    dir_make(dir);
    code_fixture_open(&f, dir);
    uint32_t file = fixture_file(&f, "shop/web.js");
    uint32_t show = fixture_function(&f, file, "show", 3, 0);
    uint32_t load = fixture_function(&f, file, "load", 9, 0);
    fixture_words(&f, show, "Shows it.", LITERAL_DOC);
    fixture_words(&f, show, "no such cart", LITERAL_SAID);
    fixture_words(&f, show, "basket", LITERAL_BODY);
    fixture_call(&f, show, load);
    fixture_route(&f, file, "DELETE", "/carts/{}", show, 0);
    const struct code *code = code_fixture_load(&f);
    show = fixture_vertex(code, "show");
    assert_int_equal(code_fields_make(code, &fields), OK);
    assert_fields(code, &fields, show,
                  (const char *const[]){
                      "name=show\n", "path=shop/web.js\n", "doc=Shows it.\n",
                      "said=no such cart\n", "body=basket\n", "called=load\n",
                      "method=delete remove\n", "route=/carts/{}\n", NULL});
    assert_fields(code, &fields, route_node(code),
                  (const char *const[]){"name=DELETE /carts/{}\n",
                                        "method=delete remove\n",
                                        "handler=show\n", "behind=Shows it.\n",
                                        "called=load\n", NULL});
    assert_true(code_is_entry(code, &fields, show));
    assert_true(code_is_entry(code, &fields, route_node(code)));
    assert_false(code_is_entry(code, &fields, fixture_vertex(code, "load")));
    code_fields_fini(&fields);
    code_drop(code);
    dir_remove(dir);
}

static void
a_number_behind_a_dot_or_a_filler_is_no_name(void **state)
{
    static const char *const nameless[] = {"outer.func1", "outer.anonymous12",
                                           "outer.func1.2", "7"};
    static const char *const named[] = {"outer", "outer.sha256", "func1x",
                                        "malfunc1", ""};

    (void)state;
    for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++)
        if (!code_is_nameless(str_of(nameless[i])))
            fail_msg("%s", nameless[i]);
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
        if (code_is_nameless(str_of(named[i])))
            fail_msg("%s", named[i]);
}

static void
methods_are_told_in_words(void **state)
{
    (void)state;
    assert_true(str_eq(code_method_words(STR("DELETE")), STR("delete remove")));
    assert_int_equal(code_method_words(STR("ANY")).len, 0);
    assert_int_equal(code_method_words(STR("")).len, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_vertex_tells_its_fields),
        cmocka_unit_test(a_number_behind_a_dot_or_a_filler_is_no_name),
        cmocka_unit_test(methods_are_told_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
