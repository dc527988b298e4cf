#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"
#include "base/metrics.h"
#include "tests/support/db_fixture.h"

struct asked {
    struct request req;
    int status;
    char type[128];
    char body[65536];
    char headers[512];
};

static void
keep_reply(struct request *req, const struct reply *reply)
{
    struct asked *asked = (struct asked *)req;
    size_t len = 0;

    asked->status = reply->status;
    (void)snprintf(asked->type, sizeof(asked->type), "%.*s",
                   (int)reply->content_type.len, reply->content_type.ptr);
    (void)snprintf(asked->body, sizeof(asked->body), "%.*s",
                   (int)reply->body.len, reply->body.ptr);
    for (size_t i = 0; i < reply->header_len; i++)
        len += (size_t)snprintf(
            asked->headers + len, sizeof(asked->headers) - len, "%.*s: %.*s\n",
            (int)reply->headers[i].name.len, reply->headers[i].name.ptr,
            (int)reply->headers[i].value.len, reply->headers[i].value.ptr);
}

static const struct request_ops ops = {.reply = keep_reply};
static bool writable = true;
static struct asked asked;

static bool
is_writable(void *ctx)
{
    (void)ctx;
    return writable;
}

static void
ask(struct api *api, const char *method, const char *path, const char *query,
    const char *host)
{
    static struct header header;

    header = (struct header){STR("host"), str_of(host)};
    asked = (struct asked){.req = {.ops = &ops,
                                   .method = str_of(method),
                                   .path = str_of(path),
                                   .query = str_of(query),
                                   .headers = &header,
                                   .header_len = host ? 1 : 0}};
    api_handle(api, &asked.req);
}

static struct api *
new_api(void)
{
    static const char *const hosts[] = {"graph.example.com",
                                        "ported.example.com:8443"};
    static const char *const origins[] = {"https://ui.example.com"};
    const struct api_cfg cfg = {.allowed_hosts = hosts,
                                .allowed_host_len = 2,
                                .allowed_origins = origins,
                                .allowed_origin_len = 1};
    struct api *api = NULL;

    writable = true;
    assert_int_equal(api_new(&api, &cfg, is_writable, NULL), OK);
    return api;
}

static void
health_looks_at_nothing_else(void **state)
{
    struct api *api = new_api();

    (void)state;
    writable = false;
    api_set_draining(api);
    ask(api, "GET", "/healthz", "", "localhost:8080");
    assert_int_equal(asked.status, 200);
    assert_string_equal(asked.type, "application/json");
    assert_string_equal(asked.body, "{\"alive\":true}\n");
    metrics_set(METRIC_START_SECONDS, 1);
    ask(api, "GET", "/healthz", "verbose", "localhost:8080");
    assert_int_equal(asked.status, 200);
    assert_non_null(strstr(asked.body, "\"uptime_seconds\":"));
    metrics_set(METRIC_START_SECONDS, 0);
    api_free(api);
}

static void
ready_means_writable_and_not_draining(void **state)
{
    struct api *api = new_api();

    (void)state;
    ask(api, "GET", "/readyz", "", "127.0.0.1:8080");
    assert_int_equal(asked.status, 200);
    assert_string_equal(asked.type, "application/json");
    assert_string_equal(asked.body, "{\"ready\":true}\n");
    writable = false;
    ask(api, "GET", "/readyz", "", NULL);
    assert_int_equal(asked.status, 503);
    assert_string_equal(
        asked.body,
        "{\"ready\":false,\"reason\":\"the store cannot be written\"}\n");
    ask(api, "GET", "/readyz", "verbose", NULL);
    assert_int_equal(asked.status, 503);
    assert_string_equal(asked.type, "application/json");
    assert_non_null(strstr(asked.body, "\"store_writable\":false"));
    writable = true;
    ask(api, "GET", "/readyz", "verbose=false&verbosely", NULL);
    assert_int_equal(asked.status, 200);
    assert_string_equal(asked.body, "{\"ready\":true}\n");
    ask(api, "GET", "/readyz", "exclude=x&verbose=1", NULL);
    assert_non_null(strstr(asked.body, "\"queue_spans\":0"));
    api_set_draining(api);
    ask(api, "GET", "/readyz", "verbose", NULL);
    assert_int_equal(asked.status, 503);
    assert_non_null(strstr(asked.body, "\"draining\":true"));
    api_free(api);
}

static void
metrics_are_openmetrics(void **state)
{
    struct api *api = new_api();
    size_t len;

    (void)state;
    ask(api, "GET", "/metrics", "", "[::1]:8080");
    assert_int_equal(asked.status, 200);
    assert_non_null(strstr(asked.type, "application/openmetrics-text"));
    len = strlen(asked.body);
    assert_string_equal(asked.body + len - 6, "# EOF\n");
    assert_non_null(strstr(asked.body, "spangraph_spans_total{result="));
    assert_non_null(
        strstr(asked.body, "spangraph_commit_seconds_bucket{le=\"+Inf\"}"));
    api_free(api);
}

static void
other_methods_and_paths_are_told_what_there_is(void **state)
{
    struct api *api = new_api();

    (void)state;
    ask(api, "POST", "/healthz", "", NULL);
    assert_int_equal(asked.status, 405);
    assert_non_null(strstr(asked.headers, "allow: GET, HEAD"));
    ask(api, "GET", "/nothing", "", NULL);
    assert_int_equal(asked.status, 404);
    assert_non_null(strstr(asked.body, "/metrics"));
    asked.req.protocol = REQUEST_GRPC;
    api_handle(api, &asked.req);
    assert_int_equal(asked.status, GRPC_CODE_UNIMPLEMENTED);
    api_free(api);
}

static void
a_rebound_host_is_refused(void **state)
{
    struct api *api = new_api();

    (void)state;
    ask(api, "GET", "/metrics", "", "evil.example.com:8080");
    assert_int_equal(asked.status, 403);
    ask(api, "GET", "/metrics", "", "127.0.0.1.evil.example.com");
    assert_int_equal(asked.status, 403);
    ask(api, "GET", "/metrics", "", "ported.example.com:1");
    assert_int_equal(asked.status, 403);
    ask(api, "GET", "/metrics", "", "Ported.example.com:8443");
    assert_int_equal(asked.status, 200);
    ask(api, "GET", "/metrics", "", "Graph.Example.com:80");
    assert_int_equal(asked.status, 200);
    ask(api, "GET", "/metrics", "", "10.1.2.3:8080");
    assert_int_equal(asked.status, 200);
    api_free(api);
}

static int
ask_from(struct api *api, const char *origin, const char *host)
{
    const struct header headers[] = {{STR("host"), str_of(host)},
                                     {STR("origin"), str_of(origin)}};

    asked = (struct asked){.req = {.ops = &ops,
                                   .method = STR("GET"),
                                   .path = STR("/metrics"),
                                   .headers = headers,
                                   .header_len = 2}};
    api_handle(api, &asked.req);
    return asked.status;
}

static void
a_page_of_another_is_refused(void **state)
{
    static const struct {
        const char *origin;
        const char *host;
        int status;
    } rows[] = {
        {"https://evil.example.com", "localhost:8080", 403},
        {"https://localhost.evil.example.com", "localhost:8080", 403},
        {"null", "localhost:8080", 403},
        {"", "localhost:8080", 200},
        {"file://", "localhost:8080", 403},
        {"http://", "localhost:8080", 403},
        {"http://203.0.113.7", "10.1.2.3:8080", 403},
        {"http://203.0.113.7", "localhost:8080", 403},
        {"http://[2001:db8::7]", "localhost:8080", 403},
        {"http://0.0.0.0:8080", "localhost:8080", 403},
        {"http://10.1.2.3:8080", "10.1.2.3:8080", 200},
        {"http://localhost:5173", "127.0.0.1:8080", 200},
        {"http://[::1]:8080", "localhost:8080", 200},
        {"https://Graph.example.com", "localhost:8080", 200},
        {"https://ported.example.com:8443", "localhost:8080", 200},
        {"https://ported.example.com", "localhost:8080", 403},
        {"https://UI.example.com", "localhost:8080", 200},
        {"http://ui.example.com", "localhost:8080", 403},
    };
    struct api *api = new_api();

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (ask_from(api, rows[i].origin, rows[i].host) != rows[i].status)
            fail_msg("%s at %s: %d", rows[i].origin, rows[i].host,
                     asked.status);
    assert_non_null(strstr(asked.body, "query.allowed_origins"));
    api_free(api);
}

struct graph {
    struct db_fixture fixture;
    struct query *query;
    struct api *api;
};

/* An api over a store in which a calls b, that wants |token| if it is one. */
static void
open_graph(struct graph *g, const char *token)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    struct buf why = {0};

    db_fixture_open(&g->fixture);
    db_edge(&g->fixture, db_service(&g->fixture, "a"),
            db_service(&g->fixture, "b"), EDGE_CALL, 5);
    assert_int_equal(query_open(&g->query, g->fixture.dir, &cfg, &why), OK);
    const struct api_cfg api = {.tokens = &token,
                                .token_len = token != NULL,
                                .query = g->query,
                                .service_graph = true};
    assert_int_equal(api_new(&g->api, &api, is_writable, NULL), OK);
}

static void
close_graph(struct graph *g)
{
    api_free(g->api);
    query_close(g->query);
    db_fixture_close(&g->fixture);
}

static void
names_need_a_token_if_there_is_one(void **state)
{
    static const char family[] = "traces_service_graph_request_total{";
    struct graph g;

    (void)state;
    open_graph(&g, "secret");
    ask(g.api, "GET", "/api/dependencies", "", NULL);
    assert_int_equal(asked.status, 401);
    assert_non_null(strstr(asked.headers, "www-authenticate: Bearer"));
    ask(g.api, "GET", "/metrics", "", NULL);
    assert_int_equal(asked.status, 200);
    assert_null(strstr(asked.body, family));
    assert_int_equal(api_set_tokens(g.api, NULL, 0), OK);
    ask(g.api, "GET", "/metrics", "", NULL);
    assert_non_null(strstr(asked.body, family));
    assert_string_equal(asked.body + strlen(asked.body) - 6, "# EOF\n");
    ask(g.api, "GET", "/api/dependencies", "", NULL);
    assert_int_equal(asked.status, 200);
    close_graph(&g);
}

static void
times_that_are_none_are_refused_by_name(void **state)
{
    static const struct {
        const char *query;
        int status;
    } rows[] = {
        {"endTs=1767011400000&lookback=86400000", 200},
        {"lookback=0&endTs=0", 200},
        {"endTs=999999999999999999&lookback=999999999999999999", 200},
        {"endTsx=soon&other", 200},
        {"endTs=1000000000000000000", 400},
        {"endTs=", 400},
        {"endTs=-1", 400},
        {"lookback=1h", 400},
    };
    struct graph g;

    (void)state;
    open_graph(&g, NULL);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ask(g.api, "GET", "/api/dependencies", rows[i].query, NULL);
        assert_int_equal(asked.status, rows[i].status);
        assert_string_equal(asked.type, "application/json");
    }
    assert_non_null(strstr(asked.body, "unable to parse param 'lookback'"));
    close_graph(&g);
}

static void
without_a_graph_there_are_no_dependencies(void **state)
{
    struct api *api = new_api();

    (void)state;
    ask(api, "GET", "/api/dependencies", "", NULL);
    assert_int_equal(asked.status, 404);
    api_free(api);
}

static void
metrics_are_told_though_the_store_is_broken(void **state)
{
    struct graph g;

    (void)state;
    open_graph(&g, NULL);
    db_fixture_sql(&g.fixture, "DROP TABLE edge");
    ask(g.api, "GET", "/metrics", "", NULL);
    assert_int_equal(asked.status, 200);
    assert_null(strstr(asked.body, "traces_service_graph"));
    ask(g.api, "GET", "/api/dependencies", "", NULL);
    assert_int_equal(asked.status, 503);
    assert_non_null(strstr(asked.body, "\"code\":503"));
    close_graph(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(health_looks_at_nothing_else),
        cmocka_unit_test(ready_means_writable_and_not_draining),
        cmocka_unit_test(metrics_are_openmetrics),
        cmocka_unit_test(other_methods_and_paths_are_told_what_there_is),
        cmocka_unit_test(a_rebound_host_is_refused),
        cmocka_unit_test(a_page_of_another_is_refused),
        cmocka_unit_test(names_need_a_token_if_there_is_one),
        cmocka_unit_test(times_that_are_none_are_refused_by_name),
        cmocka_unit_test(without_a_graph_there_are_no_dependencies),
        cmocka_unit_test(metrics_are_told_though_the_store_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
