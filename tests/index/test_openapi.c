#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/openapi.h"

struct seen {
    struct buf text;
    size_t refuse_at; /* route number that is refused; 0: none */
    size_t len;
};

static enum err
collect(void *ctx, str method, str pattern)
{
    struct seen *seen = ctx;

    if (++seen->len == seen->refuse_at)
        return ERR_STORE;
    buf_printf(&seen->text, "%.*s %.*s\n", (int)method.len, method.ptr,
               (int)pattern.len, pattern.ptr);
    return OK;
}

static enum err
read_text(const char *text, struct seen *seen, enum openapi_format *format,
          struct buf *why)
{
    return openapi_read(str_of(text), collect, seen, format, why);
}

static void
expect_routes(const char *text, enum openapi_format format, const char *routes)
{
    struct seen seen = {0};
    struct buf why = {0};
    enum openapi_format got;

    assert_int_equal(read_text(text, &seen, &got, &why), OK);
    assert_int_equal(got, format);
    assert_string_equal(buf_cstr(&seen.text), routes);
    buf_fini(&seen.text);
    buf_fini(&why);
}

static void
expect_error(const char *text, enum err err, const char *part)
{
    struct seen seen = {0};
    struct buf why = {0};
    enum openapi_format format;

    assert_int_equal(read_text(text, &seen, &format, &why), err);
    assert_non_null(strstr(buf_cstr(&why), part));
    buf_fini(&seen.text);
    buf_fini(&why);
}

static void
a_list_may_leave_out_the_method(void **state)
{
    (void)state;
    expect_routes("# ours\r\nGET /users/:id\r\n\r\n  POST   /users\n/any",
                  OPENAPI_LIST, "GET /users/:id\nPOST /users\nANY /any\n");
}

static void
a_list_may_name_rpc_methods(void **state)
{
    (void)state;
    expect_routes("shop.Cart/Add\nGET /a\n a.b_2.C/D_1 \nRPC Cart/Add\n",
                  OPENAPI_LIST,
                  " shop.Cart/Add\nGET /a\n a.b_2.C/D_1\n Cart/Add\n");
    expect_routes("# ours\nRPC\tCart/Add", OPENAPI_LIST, " Cart/Add\n");
}

static void
what_only_looks_like_an_rpc_method_is_refused(void **state)
{
    static const char *const bad[] = {
        "users/list", "a.B/c/d", "a.B/",     "a.B",         "a..B/c",  ".B/c",
        "a./c",       "a.B/c.d", "2a.B/c",   "a.B/c extra", "a.B/2c",  "RPC x",
        "RPC",        "a.B//c",  "a.B/{id}", "a.B/ c",      "a.B-C/d",
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(text, sizeof(text), "GET /a\n%s\n", bad[i]);
        expect_error(text, ERR_INVALID, "package.Service/Method");
    }
}

static void
a_bad_line_of_a_list_is_named(void **state)
{
    (void)state;
    expect_error("GET /a\nget /b\n", ERR_INVALID, "line 2");
    expect_error("GET /a\nGET b\n", ERR_INVALID, "line 2");
    expect_error("GET /a\nGET /b c\n", ERR_INVALID, "line 2");
}

static void
json_and_yaml_give_the_same_routes(void **state)
{
    const char *routes = "GET /v1/pets\nPOST /v1/pets\nDELETE /v1/pets/{id}\n";

    (void)state;
    expect_routes("{\"openapi\":\"3.0.3\",\"servers\":[{\"url\":"
                  "\"https://api.example.com/v1/\"}],\"paths\":{\"/pets\":"
                  "{\"get\":{},\"post\":{},\"parameters\":[]},"
                  "\"/pets/{id}\":{\"delete\":{}},\"x-note\":{\"get\":{}}}}",
                  OPENAPI_DOCUMENT, routes);
    expect_routes("openapi: 3.1.0\nservers:\n  - url: /v1\npaths:\n"
                  "  /pets:\n    get: {}\n    post:\n      tags: [a, b]\n"
                  "  '/pets/{id}':\n    delete: {summary: x}\n",
                  OPENAPI_DOCUMENT, routes);
}

static void
swagger_2_has_a_base_path(void **state)
{
    (void)state;
    expect_routes("swagger: '2.0'\nbasePath: /api\npaths: {/a: {get: {}}}\n",
                  OPENAPI_DOCUMENT, "GET /api/a\n");
}

static void
documents_that_are_none_are_refused(void **state)
{
    (void)state;
    expect_error("{\"openapi\":\"3.0.0\"}", ERR_INVALID, "paths");
    expect_error("{\"openapi\":", ERR_INVALID, "JSON");
    expect_error("openapi: [3.0\n", ERR_INVALID, "line");
    expect_error("a: &x 1\nb: *x\n", ERR_INVALID, "alias");
    expect_error("name: value\n", ERR_INVALID, "paths");
    expect_error("[a, b]\n", ERR_INVALID, "paths");
}

static void
add_nested(struct buf *text, int depth)
{
    buf_reset(text);
    buf_add(text, STR("paths: {/a: {get: {}}}\nx: "));
    for (int i = 0; i < depth; i++)
        buf_add_char(text, '[');
    for (int i = 0; i < depth; i++)
        buf_add_char(text, ']');
}

static void
nesting_has_a_limit(void **state)
{
    struct buf text = {0};

    (void)state;
    add_nested(&text, 63);
    expect_routes(buf_cstr(&text), OPENAPI_DOCUMENT, "GET /a\n");
    add_nested(&text, 64);
    expect_error(buf_cstr(&text), ERR_INVALID, "deep");
    buf_fini(&text);
}

static void
a_refused_route_ends_the_walk(void **state)
{
    struct seen seen = {.refuse_at = 2};
    struct buf why = {0};
    enum openapi_format format;

    (void)state;
    assert_int_equal(read_text("/a\n/b\n/c\n", &seen, &format, &why),
                     ERR_STORE);
    assert_int_equal(seen.len, 2);
    buf_fini(&seen.text);
    buf_fini(&why);
}

static void
too_many_routes_are_refused(void **state)
{
    struct seen seen = {0};
    struct buf why = {0};
    struct buf text = {0};
    enum openapi_format format;

    (void)state;
    for (int i = 0; i < OPENAPI_ROUTES_MAX; i++)
        buf_printf(&text, "/r%d\n", i);
    assert_int_equal(
        openapi_read(buf_str(&text), collect, &seen, &format, &why), OK);
    buf_add(&text, STR("/one/more\n"));
    assert_int_equal(
        openapi_read(buf_str(&text), collect, &seen, &format, &why),
        ERR_TOO_LARGE);
    buf_fini(&seen.text);
    buf_fini(&text);
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_may_leave_out_the_method),
        cmocka_unit_test(a_bad_line_of_a_list_is_named),
        cmocka_unit_test(a_list_may_name_rpc_methods),
        cmocka_unit_test(what_only_looks_like_an_rpc_method_is_refused),
        cmocka_unit_test(json_and_yaml_give_the_same_routes),
        cmocka_unit_test(swagger_2_has_a_base_path),
        cmocka_unit_test(documents_that_are_none_are_refused),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(a_refused_route_ends_the_walk),
        cmocka_unit_test(too_many_routes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
