/*
 * Each path with each state it can be in, through a request that writes its
 * reply down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"
#include "base/buf.h"

static struct buf body;
static struct buf type;
static int status;
static size_t replies;
static bool writable;

static void
take_reply(struct request *req, const struct reply *reply)
{
    (void)req;
    replies++;
    status = reply->status;
    buf_reset(&body);
    buf_reset(&type);
    buf_add(&body, reply->body);
    buf_add(&type, reply->content_type);
}

/* The transport's half, without one. */
void
request_reply(struct request *req, const struct reply *reply)
{
    req->ops->reply(req, reply);
}

static bool
is_writable(void *ctx)
{
    (void)ctx;
    return writable;
}

static int
ask(struct api *api, const char *method, const char *path, const char *query)
{
    static const struct request_ops ops = {.reply = take_reply};
    struct request req = {
        .ops = &ops,
        .method = str_of(method),
        .path = str_of(path),
        .query = str_of(query),
    };
    size_t before = replies;

    api_handle(api, &req);
    assert_int_equal(replies, before + 1);
    return status;
}

static bool
body_has(const char *words)
{
    return strstr(buf_cstr(&body), words) != NULL;
}

static void
health_asks_nothing_but_the_loop(void **state)
{
    struct api api = {.is_writable = is_writable};

    (void)state;
    writable = false;
    assert_int_equal(ask(&api, "GET", "/healthz", ""), 200);
    assert_int_equal(ask(&api, "HEAD", "/healthz", ""), 200);
}

static void
ready_needs_a_store_and_no_draining(void **state)
{
    struct api api = {.is_writable = is_writable};

    (void)state;
    writable = true;
    assert_int_equal(ask(&api, "GET", "/readyz", ""), 200);
    writable = false;
    assert_int_equal(ask(&api, "GET", "/readyz", ""), 503);
    assert_true(body_has("store"));
    writable = true;
    atomic_store(&api.is_draining, true);
    assert_int_equal(ask(&api, "GET", "/readyz", ""), 503);
    assert_true(body_has("draining"));
    assert_int_equal(ask(&api, "GET", "/readyz", "verbose"), 503);
    assert_true(body_has("\"store_writable\":true,\"accepting\":false"));
    assert_string_equal(buf_cstr(&type), "application/json");
    assert_int_equal(ask(&api, "GET", "/readyz", "verbosely"), 503);
    assert_true(body_has("not ready"));
}

static void
metrics_are_open_metrics(void **state)
{
    struct api api = {.is_writable = is_writable};

    (void)state;
    assert_int_equal(ask(&api, "GET", "/metrics", ""), 200);
    assert_string_equal(
        buf_cstr(&type),
        "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert_true(body_has("spangraph_spans_total{result=\"accepted\"} "));
    assert_true(body_has("# EOF\n"));
}

static void
all_else_is_refused(void **state)
{
    struct api api = {.is_writable = is_writable};
    static const struct request_ops ops = {.reply = take_reply};
    struct request broken = {.ops = &ops, .problem = REQUEST_TOO_LARGE};

    (void)state;
    assert_int_equal(ask(&api, "GET", "/", ""), 404);
    assert_int_equal(ask(&api, "GET", "/healthz/", ""), 404);
    assert_int_equal(ask(&api, "POST", "/metrics", ""), 405);
    api_handle(&api, &broken);
    assert_int_equal(status, 400);
}

static int
free_replies(void **state)
{
    (void)state;
    buf_fini(&body);
    buf_fini(&type);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(health_asks_nothing_but_the_loop),
        cmocka_unit_test(ready_needs_a_store_and_no_draining),
        cmocka_unit_test(metrics_are_open_metrics),
        cmocka_unit_test(all_else_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, free_replies);
}
