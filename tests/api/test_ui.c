/*
 * The files of the page, and the door before its data: who is let in, what is
 * promised to the browser, what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"
#include "api/ui_assets.h"
#include "net/inflate.h"
#include "tests/support/db_fixture.h"
#include "tests/support/fake_request.h"

static struct {
    struct db_fixture db;
    struct query *query;
    struct api *api;
} it;

static bool
is_writable(void *ctx)
{
    (void)ctx;
    return true;
}

static void
open_api(const char *token)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    struct buf why = {0};

    db_fixture_open(&it.db);
    db_edge(&it.db, db_service(&it.db, "a"), db_service(&it.db, "b"), EDGE_CALL,
            5);
    assert_int_equal(query_open(&it.query, it.db.dir, &cfg, &why), OK);
    const struct api_cfg api = {
        .tokens = &token, .token_len = token != NULL, .query = it.query};
    assert_int_equal(api_new(&it.api, &api, is_writable, NULL), OK);
}

static void
close_api(void)
{
    api_free(it.api);
    query_close(it.query);
    db_fixture_close(&it.db);
}

struct header_line {
    const char *name;
    const char *value;
};

/* The answer; release it with fake_request_fini. */
static struct fake_request
ask(const char *method, const char *path, const char *query,
    struct header_line header)
{
    struct fake_request fake;

    fake_request_init(&fake, REQUEST_HTTP, path, (str){0});
    fake.req.method = str_of(method);
    fake.req.query = str_of(query);
    if (header.name)
        fake_request_header(&fake, header.name, header.value);
    api_handle(it.api, &fake.req);
    assert_int_equal(fake.replies, 1);
    return fake;
}

static int
status_of(const char *method, const char *path, const char *query,
          struct header_line header)
{
    struct fake_request fake = ask(method, path, query, header);
    int status = fake.status;

    fake_request_fini(&fake);
    return status;
}

static const struct header_line none = {NULL, NULL};

static void
every_file_is_served_with_its_type_and_policy(void **state)
{
    (void)state;
    open_api("secret");
    assert_true(ui_asset_len >= 6);
    for (size_t i = 0; i < ui_asset_len; i++) {
        struct fake_request fake = ask("GET", ui_assets[i].path, "", none);
        const char *headers = buf_cstr(&fake.answer_headers);

        assert_int_equal(fake.status, 200);
        assert_string_equal(buf_cstr(&fake.type), ui_assets[i].type);
        assert_int_equal(fake.body.len, ui_assets[i].plain_len);
        assert_non_null(strstr(headers, "default-src 'none'"));
        assert_non_null(strstr(headers, "script-src 'self';"));
        assert_non_null(strstr(headers, "frame-ancestors 'none'"));
        assert_non_null(strstr(headers, "require-trusted-types-for 'script'"));
        assert_null(strstr(headers, "unsafe"));
        assert_true(fake_request_has(&fake, "x-content-type-options: nosniff"));
        assert_true(fake_request_has(&fake, "referrer-policy: no-referrer"));
        assert_true(fake_request_has(&fake, "cache-control: no-cache"));
        fake_request_fini(&fake);
    }
    close_api();
}

static void
the_page_has_nothing_inline(void **state)
{
    struct fake_request fake;

    (void)state;
    open_api(NULL);
    fake = ask("GET", "/", "", none);
    const char *page = buf_cstr(&fake.body);
    assert_string_equal(buf_cstr(&fake.type), "text/html; charset=utf-8");
    assert_non_null(strstr(page, "src=\"/ui/app.js\""));
    assert_null(strstr(page, "style="));
    assert_null(strstr(page, "<style"));
    assert_null(strstr(page, " on"));
    assert_null(strstr(page, "http://"));
    assert_null(strstr(page, "https://"));
    fake_request_fini(&fake);
    close_api();
}

static void
who_takes_gzip_is_sent_the_same_in_it(void **state)
{
    static const struct {
        const char *accepts;
        bool is_gzip;
    } rows[] = {
        {"gzip", true},      {"deflate, GZIP;q=0.5", true}, {"gzip;q=0", false},
        {"identity", false}, {"xgzip, gzipx", false},       {"br,gzip", true},
    };
    struct inflater *inflater = inflater_new();

    (void)state;
    open_api(NULL);
    struct fake_request plain = ask("GET", "/ui/app.js", "", none);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fake_request fake =
            ask("GET", "/ui/app.js", "",
                (struct header_line){"accept-encoding", rows[i].accepts});
        char *out = NULL;
        size_t len = 0;

        assert_int_equal(fake_request_has(&fake, "content-encoding: gzip"),
                         rows[i].is_gzip);
        assert_true(fake_request_has(&fake, "vary: accept-encoding"));
        if (rows[i].is_gzip) {
            assert_int_equal(inflate_whole(inflater, ENCODING_GZIP,
                                           buf_str(&fake.body), 1 << 24, &out,
                                           &len),
                             OK);
            assert_true(str_eq((str){out, len}, buf_str(&plain.body)));
            assert_true(fake.body.len < plain.body.len);
        } else {
            assert_true(str_eq(buf_str(&fake.body), buf_str(&plain.body)));
        }
        free(out);
        fake_request_fini(&fake);
    }
    fake_request_fini(&plain);
    inflater_free(inflater);
    close_api();
}

static void
who_has_it_is_not_sent_it_again(void **state)
{
    char many[128];

    (void)state;
    open_api(NULL);
    (void)snprintf(many, sizeof(many), "\"other\", W/%s", ui_assets[1].etag);
    assert_int_equal(
        status_of("GET", ui_assets[1].path, "",
                  (struct header_line){"if-none-match", ui_assets[1].etag}),
        304);
    assert_int_equal(
        status_of("GET", ui_assets[1].path, "",
                  (struct header_line){"if-none-match", "\"other\""}),
        200);
    (void)snprintf(many, sizeof(many), "\"other\", %s", ui_assets[1].etag);
    struct fake_request fake = ask("GET", ui_assets[1].path, "",
                                   (struct header_line){"if-none-match", many});
    assert_int_equal(fake.status, 304);
    assert_int_equal(fake.body.len, 0);
    fake_request_fini(&fake);
    close_api();
}

static void
no_other_path_is_a_file(void **state)
{
    static const char *const paths[] = {
        "/ui",          "/ui/",           "/ui/app.js/",
        "//",           "/ui/../app.js",  "/ui//app.js",
        "/UI/app.js",   "/ui/app.js%00",  "/../etc/passwd",
        "/ui/app.jsx",  "/index.htm",     "/api/v1",
        "/api/v1/",     "/api/v1/graph/", "/api/v1/edges",
        "/api/v2/graph"};

    (void)state;
    open_api(NULL);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        assert_int_equal(status_of("GET", paths[i], "", none), 404);
    close_api();
}

static void
only_get_and_head_from_known_hosts_are_answered(void **state)
{
    static const char *const paths[] = {"/",
                                        "/ui/app.js",
                                        "/api/v1/graph",
                                        "/api/v1/search",
                                        "/api/v1/dead",
                                        "/api/v1/health"};

    (void)state;
    open_api(NULL);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_int_equal(status_of("GET", paths[i], "", none), 200);
        assert_int_equal(status_of("HEAD", paths[i], "", none), 200);
        assert_int_equal(status_of("POST", paths[i], "", none), 405);
        assert_int_equal(status_of("DELETE", paths[i], "", none), 405);
        assert_int_equal(
            status_of("GET", paths[i], "",
                      (struct header_line){"host", "evil.example.com"}),
            403);
        assert_int_equal(
            status_of("GET", paths[i], "",
                      (struct header_line){"host", "localhost:8080"}),
            200);
    }
    close_api();
}

static void
data_needs_the_token_and_files_do_not(void **state)
{
    static const char *const paths[] = {"/api/v1/graph", "/api/v1/search",
                                        "/api/v1/dead", "/api/v1/health"};

    (void)state;
    open_api("secret");
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct fake_request fake = ask("GET", paths[i], "", none);

        assert_int_equal(fake.status, 401);
        assert_non_null(
            strstr(buf_cstr(&fake.answer_headers), "www-authenticate: Bearer"));
        assert_string_equal(buf_cstr(&fake.body),
                            "{\"error\":\"a bearer token is needed\"}");
        fake_request_fini(&fake);
        assert_int_equal(
            status_of("GET", paths[i], "",
                      (struct header_line){"authorization", "Bearer wrong"}),
            401);
        assert_int_equal(
            status_of("GET", paths[i], "",
                      (struct header_line){"authorization", "Bearer secret"}),
            200);
    }
    assert_int_equal(status_of("GET", "/", "", none), 200);
    assert_int_equal(status_of("GET", "/ui/app.js", "", none), 200);
    close_api();
}

static void
data_is_json_whatever_becomes_of_it(void **state)
{
    static const struct {
        const char *path;
        const char *query;
        int status;
    } rows[] = {
        {"/api/v1/graph", "", 200},
        {"/api/v1/graph", "depth=9", 400},
        {"/api/v1/graph", "focus=nobody", 404},
        {"/api/v1/graph", "level=symbol", 503},
    };

    (void)state;
    open_api(NULL);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fake_request fake =
            ask("GET", rows[i].path, rows[i].query, none);

        assert_int_equal(fake.status, rows[i].status);
        assert_string_equal(buf_cstr(&fake.type), "application/json");
        assert_true(fake_request_has(&fake, "cache-control: no-store"));
        assert_true(fake_request_has(&fake, "x-content-type-options: nosniff"));
        assert_true(fake_request_has(
            &fake, "cross-origin-resource-policy: same-origin"));
        assert_null(strstr(buf_cstr(&fake.answer_headers),
                           "access-control-allow-origin"));
        assert_int_equal(strstr(buf_cstr(&fake.body), "\"error\":") != NULL,
                         rows[i].status != 200);
        fake_request_fini(&fake);
    }
    db_fixture_sql(&it.db, "DROP TABLE edge");
    assert_int_equal(status_of("GET", "/api/v1/graph", "", none), 503);
    close_api();
}

static void
without_a_graph_there_is_no_page(void **state)
{
    const struct api_cfg cfg = {0};

    (void)state;
    assert_int_equal(api_new(&it.api, &cfg, is_writable, NULL), OK);
    assert_int_equal(status_of("GET", "/", "", none), 404);
    assert_int_equal(status_of("GET", "/api/v1/graph", "", none), 404);
    api_free(it.api);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_served_with_its_type_and_policy),
        cmocka_unit_test(the_page_has_nothing_inline),
        cmocka_unit_test(who_takes_gzip_is_sent_the_same_in_it),
        cmocka_unit_test(who_has_it_is_not_sent_it_again),
        cmocka_unit_test(no_other_path_is_a_file),
        cmocka_unit_test(only_get_and_head_from_known_hosts_are_answered),
        cmocka_unit_test(data_needs_the_token_and_files_do_not),
        cmocka_unit_test(data_is_json_whatever_becomes_of_it),
        cmocka_unit_test(without_a_graph_there_is_no_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
