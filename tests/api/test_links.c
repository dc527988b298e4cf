#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/links.h"
#include "base/metrics.h"
#include "tests/support/db_fixture.h"

struct graph {
    struct db_fixture fixture;
    struct query *query;
    struct query_view *view;
};

static uint32_t
service(struct graph *g, const char *name, const char *env)
{
    return db_node(&g->fixture, NODE_SERVICE, 0, name, env);
}

static void
add(struct graph *g, uint32_t from, uint32_t to, enum edge_kind kind,
    int64_t count)
{
    uint32_t edge = db_edge(&g->fixture, from, to, kind, count);

    db_daily(&g->fixture, edge, FIXTURE_DAY, FIXTURE_DAY, count, 1);
}

static void
begin(struct graph *g, uint32_t now_s)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    struct buf why = {0};

    assert_int_equal(query_open(&g->query, g->fixture.dir, &cfg, &why), OK);
    assert_int_equal(query_begin(g->query, now_s, &g->view), OK);
}

static void
end(struct graph *g)
{
    query_end(g->view);
    query_close(g->query);
    db_fixture_close(&g->fixture);
}

/* gateway calls orders in two environments; orders sends to worker over a
 * topic, and keeps things in a database. */
static void
make_shop(struct graph *g)
{
    *g = (struct graph){0};
    db_fixture_open(&g->fixture);
    uint32_t gateway = service(g, "gateway", "prod");
    uint32_t gateway_test = service(g, "gateway", "test");
    uint32_t orders = service(g, "or\"d\\ers", "prod");
    uint32_t orders_test = service(g, "or\"d\\ers", "test");
    uint32_t worker = service(g, "worker", "prod");
    uint32_t topic = db_node(&g->fixture, NODE_TOPIC, 0, "kafka:o", "");
    uint32_t db = db_node(&g->fixture, NODE_DATABASE, 0, "pg:5432", "");
    uint32_t user = db_node(&g->fixture, NODE_EXTERNAL, 0, "user", "");

    add(g, user, gateway, EDGE_VIRTUAL_IN, 9);
    add(g, gateway, orders, EDGE_CALL, 5);
    add(g, gateway_test, orders_test, EDGE_CALL, 2);
    add(g, orders, worker, EDGE_MSG, 3);
    add(g, gateway, orders, EDGE_MSG, 1);
    add(g, orders, topic, EDGE_MSG_PUB, 3);
    add(g, topic, worker, EDGE_MSG_SUB, 3);
    add(g, orders, db, EDGE_DB, 4);
    add(g, gateway, gateway_test, EDGE_CALL, 1);
}

/* ---- OpenMetrics 1.0, as far as counters, gauges and histograms go ---- */

struct family {
    char name[128];
    char type[16];
};

static bool
is_label_end(const char *p)
{
    return *p == '"' && (p[1] == ',' || p[1] == '}');
}

/* Returns what is behind the labels, or NULL if they are none. */
static const char *
skip_labels(const char *p)
{
    while (*p != '}') {
        size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz_");
        if (len == 0 || strncmp(p + len, "=\"", 2) != 0)
            return NULL;
        for (p += len + 2; !is_label_end(p); p++) {
            if (*p == '\0' || *p == '\n')
                return NULL;
            if (*p == '\\' && !strchr("\\\"n", *++p))
                return NULL;
        }
        p += p[1] == ',' ? 2 : 1;
    }
    return p + 1;
}

static bool
is_sample_of(const struct family *family, const char *name, size_t len)
{
    size_t own = strlen(family->name);
    const char *suffix = name + own;
    size_t rest = len - own;

    if (len < own || strncmp(name, family->name, own) != 0)
        return false;
    if (strcmp(family->type, "counter") == 0)
        return rest == 6 && strncmp(suffix, "_total", 6) == 0;
    if (strcmp(family->type, "gauge") == 0)
        return rest == 0;
    return rest > 0;
}

static void
check_sample(const struct family *family, const char *line)
{
    size_t len = strcspn(line, "{ ");
    const char *at = line + len;
    char *number_end;

    if (!is_sample_of(family, line, len))
        fail_msg("not of family %s: %s", family->name, line);
    if (*at == '{')
        at = skip_labels(at + 1);
    if (!at || *at != ' ')
        fail_msg("labels: %s", line);
    (void)strtod(at + 1, &number_end);
    assert_true(number_end > at + 1);
    assert_int_equal(*number_end, '\0');
}

/* Every family stands once and together, no series twice, the end last. */
static void
check_openmetrics(char *text)
{
    struct family family = {0};
    char seen[131072] = "\n";
    char *save = NULL;
    bool has_ended = false;

    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char key[1024];
        assert_false(has_ended);
        if (strcmp(line, "# EOF") == 0) {
            has_ended = true;
            continue;
        }
        if (strncmp(line, "# HELP ", 7) == 0)
            continue;
        if (sscanf(line, "# TYPE %127s %15s", family.name, family.type) == 2)
            (void)snprintf(key, sizeof(key), "\n# %s\n", family.name);
        else {
            check_sample(&family, line);
            const char *value = strrchr(line, ' ');
            (void)snprintf(key, sizeof(key), "\n%.*s\n", (int)(value - line),
                           line);
        }
        if (strstr(seen, key))
            fail_msg("twice:%s", key);
        assert_true(strlen(seen) + strlen(key) < sizeof(seen));
        strncat(seen, key + 1, sizeof(seen) - strlen(seen) - 1);
    }
    assert_true(has_ended);
}

static void
metrics_with_the_service_graph_are_openmetrics(void **state)
{
    struct graph g;
    struct buf out = {0};

    (void)state;
    make_shop(&g);
    begin(&g, FIXTURE_NOW_S);
    metrics_print(&out);
    out.len -= strlen("# EOF\n");
    assert_int_equal(links_metrics(g.view, LINKS_MAX, &out), OK);
    buf_add(&out, STR("# EOF\n"));
    char *text = strdup(buf_cstr(&out));
    assert_non_null(text);
    check_openmetrics(text);
    free(text);
    buf_fini(&out);
    end(&g);
}

static bool
has_total(struct buf *out, const char *labels, int count)
{
    char line[512];

    (void)snprintf(line, sizeof(line),
                   "\ntraces_service_graph_request_total{%s} %d\n", labels,
                   count);
    return strstr(buf_cstr(out), line) != NULL;
}

static void
series_have_the_connectors_labels_and_sum_environments(void **state)
{
    struct graph g;
    struct buf out = {0};

    (void)state;
    make_shop(&g);
    begin(&g, FIXTURE_NOW_S);
    assert_int_equal(links_metrics(g.view, LINKS_MAX, &out), OK);
    assert_true(has_total(
        &out,
        "client=\"gateway\",server=\"or\\\"d\\\\ers\",connection_type=\"\"",
        7));
    assert_true(has_total(&out,
                          "client=\"gateway\",server=\"or\\\"d\\\\ers\","
                          "connection_type=\"messaging_system\"",
                          1));
    assert_true(has_total(&out,
                          "client=\"or\\\"d\\\\ers\",server=\"pg:5432\","
                          "connection_type=\"database\"",
                          4));
    assert_true(has_total(&out,
                          "client=\"user\",server=\"gateway\","
                          "connection_type=\"virtual_node\","
                          "virtual_node=\"client\"",
                          9));
    assert_null(strstr(buf_cstr(&out), "kafka"));
    buf_fini(&out);
    end(&g);
}

static void
only_the_busiest_series_are_told_beyond_the_bound(void **state)
{
    struct graph g;
    struct buf out = {0};

    (void)state;
    make_shop(&g);
    begin(&g, FIXTURE_NOW_S);
    assert_int_equal(links_metrics(g.view, 1, &out), OK);
    assert_non_null(strstr(buf_cstr(&out), "client=\"user\""));
    assert_null(strstr(buf_cstr(&out), "client=\"gateway\""));
    assert_non_null(
        strstr(buf_cstr(&out),
               "\nspangraph_service_graph_series{state=\"told\"} 1\n"
               "spangraph_service_graph_series{state=\"left_out\"} 5\n"));
    buf_fini(&out);
    end(&g);
}

static bool
has_line(struct buf *out, const char *name, const char *more, const char *value)
{
    char line[512];

    (void)snprintf(
        line, sizeof(line),
        "\n%s{client=\"a\",server=\"b\",connection_type=\"\"%s} %s\n", name,
        more, value);
    return strstr(buf_cstr(out), line) != NULL;
}

static void
durations_are_the_sums_of_all_days_and_environments(void **state)
{
    static const char client[] = "traces_service_graph_request_client_seconds";
    struct graph g = {0};
    struct buf out = {0};
    char name[128];

    (void)state;
    db_fixture_open(&g.fixture);
    for (int i = 0; i < 2; i++) {
        const char *env = i ? "prod" : "test";
        uint32_t edge = db_edge(&g.fixture, service(&g, "a", env),
                                service(&g, "b", env), EDGE_CALL, 10);

        db_day(&g.fixture, edge, FIXTURE_DAY, 6, 1, UINT64_C(3000000));
        db_day(&g.fixture, edge, FIXTURE_DAY - 300, 4, 1,
               UINT64_C(20000000000));
    }
    begin(&g, FIXTURE_NOW_S);
    assert_int_equal(links_metrics(g.view, LINKS_MAX, &out), OK);
    (void)snprintf(name, sizeof(name), "%s_bucket", client);
    assert_true(has_line(&out, name, ",le=\"0.002\"", "0"));
    assert_true(has_line(&out, name, ",le=\"0.004\"", "12"));
    assert_true(has_line(&out, name, ",le=\"15.0\"", "12"));
    assert_true(has_line(&out, name, ",le=\"+Inf\"", "20"));
    (void)snprintf(name, sizeof(name), "%s_count", client);
    assert_true(has_line(&out, name, "", "20"));
    (void)snprintf(name, sizeof(name), "\n%s_sum{", client);
    const char *sum = strstr(buf_cstr(&out), name);
    assert_non_null(sum);
    assert_true(fabs(strtod(strchr(sum, '}') + 1, NULL) - 160.036) < 3.2);
    buf_fini(&out);
    end(&g);
}

static void
the_family_of_clients_has_what_they_measured(void **state)
{
    static const struct {
        uint8_t kind;
        bool is_callers;
    } cases[] = {{EDGE_CALL, true},
                 {EDGE_DB, true},
                 {EDGE_MSG, true},
                 {EDGE_VIRTUAL_OUT, true},
                 {EDGE_VIRTUAL_IN, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct graph g = {0};
        struct buf out = {0};

        db_fixture_open(&g.fixture);
        uint32_t edge = db_edge(&g.fixture, service(&g, "a", ""),
                                service(&g, "b", ""), cases[i].kind, 10);
        db_day(&g.fixture, edge, FIXTURE_DAY, 6, 1, UINT64_C(3000000));
        begin(&g, FIXTURE_NOW_S);
        assert_int_equal(links_metrics(g.view, LINKS_MAX, &out), OK);
        assert_non_null(
            strstr(buf_cstr(&out),
                   "\ntraces_service_graph_request_server_seconds_count{"));
        assert_int_equal(
            strstr(buf_cstr(&out),
                   "\ntraces_service_graph_request_client_seconds_count{") !=
                NULL,
            cases[i].is_callers);
        buf_fini(&out);
        end(&g);
    }
}

static void
dependencies_are_pairs_of_services_as_jaeger_tells_them(void **state)
{
    struct graph g;
    struct buf out = {0};

    (void)state;
    make_shop(&g);
    begin(&g, FIXTURE_NOW_S);
    assert_int_equal(
        links_dependencies(g.view, FIXTURE_NOW_S - 10 * 86400, 2, &out), OK);
    assert_string_equal(
        buf_cstr(&out),
        "{\"data\":[{\"parent\":\"gateway\",\"child\":\"or\\\"d\\\\ers\","
        "\"callCount\":8},{\"parent\":\"or\\\"d\\\\ers\",\"child\":\"worker\","
        "\"callCount\":3}],\"total\":0,\"limit\":0,\"offset\":0,"
        "\"errors\":null}");
    buf_reset(&out);
    /* One more than is told. */
    assert_int_equal(
        links_dependencies(g.view, FIXTURE_NOW_S - 10 * 86400, 1, &out), OK);
    assert_string_equal(
        buf_cstr(&out),
        "{\"data\":[{\"parent\":\"gateway\",\"child\":\"or\\\"d\\\\ers\","
        "\"callCount\":8}],\"total\":2,\"limit\":1,\"offset\":0,"
        "\"errors\":null}");
    buf_fini(&out);
    end(&g);
}

static void
before_there_were_calls_there_are_no_dependencies(void **state)
{
    static const char none[] =
        "{\"data\":[],\"total\":0,\"limit\":0,\"offset\":0,\"errors\":null}";
    struct graph g;
    struct buf out = {0};

    (void)state;
    make_shop(&g);
    begin(&g, FIXTURE_NOW_S - 10 * 86400);
    assert_int_equal(
        links_dependencies(g.view, FIXTURE_NOW_S - 20 * 86400, 2, &out), OK);
    assert_string_equal(buf_cstr(&out), none);
    buf_fini(&out);
    end(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_with_the_service_graph_are_openmetrics),
        cmocka_unit_test(
            series_have_the_connectors_labels_and_sum_environments),
        cmocka_unit_test(only_the_busiest_series_are_told_beyond_the_bound),
        cmocka_unit_test(durations_are_the_sums_of_all_days_and_environments),
        cmocka_unit_test(the_family_of_clients_has_what_they_measured),
        cmocka_unit_test(
            dependencies_are_pairs_of_services_as_jaeger_tells_them),
        cmocka_unit_test(before_there_were_calls_there_are_no_dependencies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
