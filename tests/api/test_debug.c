#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/debug.h"
#include "tests/support/fake_request.h"

static int reported;

static enum err
tell(void *ctx, str query, struct buf *out)
{
    (void)ctx;
    reported++;
    if (str_eq(query, STR("bad"))) {
        buf_add(out, STR("no such thing"));
        return ERR_INVALID;
    }
    buf_add(out, STR("{\"told\":1}"));
    return OK;
}

static enum err
tell_nothing(void *ctx, str query, struct buf *out)
{
    (void)ctx;
    (void)query;
    out->failed = true;
    return OK;
}

static const struct debug_report reports[] = {{"memory", tell},
                                              {"full", tell_nothing}};
static const char *const hosts[] = {"graph.example.com"};

static struct debug *
new_debug(void)
{
    const struct debug_cfg cfg = {.reports = reports,
                                  .len = 2,
                                  .allowed_hosts = hosts,
                                  .allowed_host_len = 1};
    struct debug *debug = NULL;

    reported = 0;
    assert_int_equal(debug_new(&debug, &cfg), OK);
    return debug;
}

struct ask {
    const char *method;
    const char *path;
    const char *query;
    const char *host;
    const char *name; /* of one more header */
    const char *value;
};

static void
ask(struct debug *debug, struct fake_request *fake, const struct ask *what)
{
    fake_request_init(fake, REQUEST_HTTP, what->path, STR(""));
    fake->req.method = str_of(what->method ? what->method : "GET");
    if (what->query)
        fake->req.query = str_of(what->query);
    if (what->host)
        fake_request_header(fake, "host", what->host);
    if (what->name)
        fake_request_header(fake, what->name, what->value);
    debug_handle(debug, &fake->req);
    assert_int_equal(fake->replies, 1);
}

static void
expect(struct debug *debug, const struct ask *what, int status,
       const char *body)
{
    struct fake_request fake;

    ask(debug, &fake, what);
    assert_int_equal(fake.status, status);
    if (body)
        assert_string_equal(buf_cstr(&fake.body), body);
    assert_true(fake_request_has(&fake, "cache-control: no-store"));
    assert_true(fake_request_has(&fake, "x-content-type-options: nosniff"));
    fake_request_fini(&fake);
}

static void
reports_are_found_by_name(void **state)
{
    struct debug *debug = new_debug();
    const char *const names = "{\"paths\":[\"/debug/memory\",\"/debug/full\"]}";

    (void)state;
    expect(debug, &(struct ask){.path = "/debug/memory"}, 200, "{\"told\":1}");
    expect(debug, &(struct ask){.path = "/debug/memory", .method = "HEAD"}, 200,
           NULL);
    expect(debug, &(struct ask){.path = "/debug/"}, 200, names);
    expect(debug, &(struct ask){.path = "/debug"}, 200, names);
    expect(debug, &(struct ask){.path = "/debug/memory", .query = "bad"}, 400,
           "{\"error\":\"no such thing\"}");
    expect(debug, &(struct ask){.path = "/debug/full"}, 503, NULL);
    assert_int_equal(reported, 3);
    expect(debug, &(struct ask){.path = "/debug/memory/"}, 404, NULL);
    expect(debug, &(struct ask){.path = "/debug/mem"}, 404, NULL);
    expect(debug, &(struct ask){.path = "/xdebug/memory"}, 404, NULL);
    expect(debug, &(struct ask){.path = "/"}, 404, NULL);
    expect(debug, &(struct ask){.path = "/debug/memory", .method = "POST"}, 405,
           NULL);
    assert_int_equal(reported, 3);
    debug_free(debug);
}

static void
only_who_may_is_told(void **state)
{
    struct debug *debug = new_debug();
    const char *const tokens[] = {"secret"};
    const struct ask no_token = {.path = "/debug/memory"};
    struct fake_request fake;

    (void)state;
    assert_int_equal(debug_set_tokens(debug, tokens, 1), OK);
    ask(debug, &fake, &no_token);
    assert_int_equal(fake.status, 401);
    assert_true(fake_request_has(
        &fake, "www-authenticate: Bearer realm=\"spangraph\""));
    fake_request_fini(&fake);
    /* Nor what there is. */
    expect(debug, &(struct ask){.path = "/debug/"}, 401, NULL);
    expect(debug, &(struct ask){.path = "/nothing"}, 401, NULL);
    expect(debug,
           &(struct ask){.path = "/debug/memory",
                         .name = "authorization",
                         .value = "Bearer wrong"},
           401, NULL);
    assert_int_equal(reported, 0);
    expect(debug,
           &(struct ask){.path = "/debug/memory",
                         .name = "authorization",
                         .value = "Bearer secret"},
           200, "{\"told\":1}");
    debug_free(debug);
}

static void
pages_of_others_are_told_nothing(void **state)
{
    struct debug *debug = new_debug();

    (void)state;
    expect(debug,
           &(struct ask){.path = "/debug/memory", .host = "evil.example:8081"},
           403, NULL);
    expect(debug,
           &(struct ask){.path = "/debug/memory",
                         .host = "localhost:8081",
                         .name = "origin",
                         .value = "https://evil.example"},
           403, NULL);
    assert_int_equal(reported, 0);
    expect(debug, &(struct ask){.path = "/debug/memory", .host = "127.0.0.1"},
           200, NULL);
    expect(debug,
           &(struct ask){.path = "/debug/memory", .host = "graph.example.com"},
           200, NULL);
    debug_free(debug);
}

static void
there_is_no_grpc(void **state)
{
    struct debug *debug = new_debug();
    struct fake_request fake;

    (void)state;
    fake_request_init(&fake, REQUEST_GRPC, "/debug/memory", STR(""));
    debug_handle(debug, &fake.req);
    assert_int_equal(fake.status, GRPC_CODE_UNIMPLEMENTED);
    fake_request_fini(&fake);
    debug_free(debug);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_found_by_name),
        cmocka_unit_test(only_who_may_is_told),
        cmocka_unit_test(pages_of_others_are_told_nothing),
        cmocka_unit_test(there_is_no_grpc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
