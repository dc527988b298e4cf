/*
 * Work for a client that has gone, or has waited long enough, ends; and is not
 * begun.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"
#include "api/jobs.h"
#include "base/clock.h"
#include "net/server.h"
#include "tests/support/db_fixture.h"

static struct {
    struct db_fixture db;
    struct query *query;
    struct api *api;
    int status;
    bool says_when; /* to come again */
    char body[4096];
} it;

static void
keep_reply(struct request *req, const struct reply *reply)
{
    (void)req;
    it.status = reply->status;
    it.says_when = false;
    for (size_t i = 0; i < reply->header_len; i++)
        if (str_eq(reply->headers[i].name, STR("retry-after")))
            it.says_when = true;
    (void)snprintf(it.body, sizeof(it.body), "%.*s", (int)reply->body.len,
                   reply->body.ptr);
}

static const struct request_ops ops = {.reply = keep_reply};

static bool
is_writable(void *ctx)
{
    (void)ctx;
    return true;
}

static int
open_api(uint64_t answer_ns)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    struct buf why = {0};

    memset(&it, 0, sizeof(it));
    db_fixture_open(&it.db);
    db_edge(&it.db, db_service(&it.db, "a"), db_service(&it.db, "b"), EDGE_CALL,
            5);
    assert_int_equal(query_open(&it.query, it.db.dir, &cfg, &why), OK);
    const struct api_cfg api = {
        .query = it.query, .service_graph = true, .answer_ns = answer_ns};
    assert_int_equal(api_new(&it.api, &api, is_writable, NULL), OK);
    return 0;
}

static int
close_api(void **state)
{
    (void)state;
    api_free(it.api);
    query_close(it.query);
    db_fixture_close(&it.db);
    return 0;
}

static void
get(const char *path)
{
    struct request req = {
        .ops = &ops, .method = STR("GET"), .path = str_of(path)};

    api_handle(it.api, &req);
}

static const char *const paths[] = {
    "/api/dependencies", "/api/graph/data", "/api/v1/graph",
    "/api/v1/dead",      "/api/v1/search",  "/api/v1/health",
};

/* Any question is longer than a nanosecond. */
static void
what_takes_too_long_is_told_so(void **state)
{
    (void)state;
    open_api(1);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        get(paths[i]);
        assert_int_equal(it.status, 503);
        assert_non_null(strstr(it.body, "query.timeout"));
    }
    get("/metrics"); /* the process's own, still */
    assert_int_equal(it.status, 200);
    assert_null(strstr(it.body, "traces_service_graph"));
}

static void
without_a_bound_or_within_it_all_is_answered(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_api(i * 600 * NS_PER_S);
        for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
            get(paths[k]);
            assert_int_equal(it.status, 200);
        }
        close_api(NULL);
    }
    open_api(0);
}

/* A server that does not run has no place for any. */
static void
what_finds_no_place_is_told_to_come_again(void **state)
{
    struct server *server;

    (void)state;
    open_api(0);
    assert_int_equal(server_new(&server), OK);
    api_set_server(it.api, server);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        get(paths[i]);
        assert_int_equal(it.status, 503);
        assert_true(it.says_when);
        assert_non_null(strstr(it.body, "too much is under way"));
    }
    get("/metrics");
    assert_int_equal(it.status, 200);
    assert_false(it.says_when);
    server_free(server);
}

static void
who_has_gone_is_told_to_its_own_job_alone(void **state)
{
    struct request reqs[3] = {0};
    struct jobs_entry entries[3];
    struct query_view *view;
    struct jobs jobs;

    (void)state;
    open_api(0);
    jobs_init(&jobs, 0);
    for (int i = 0; i < 3; i++)
        jobs_enter(&jobs, &entries[i], &reqs[i]);
    reqs[1].on_cancel(reqs[1].on_cancel_ctx, &reqs[1]);
    assert_false(jobs_is_over(&entries[0]));
    assert_true(jobs_is_over(&entries[1]));
    assert_false(jobs_is_over(&entries[2]));
    assert_int_equal(jobs_begin(&entries[1], it.query, 5, &view),
                     ERR_CANCELLED);
    assert_null(view);
    jobs_end(&entries[1], view);
    /* Its memory may be another's now. */
    reqs[1].on_cancel(reqs[1].on_cancel_ctx, &reqs[1]);
    assert_int_equal(jobs_begin(&entries[0], it.query, 5, &view), OK);
    jobs_end(&entries[0], view);
    reqs[2].on_cancel(reqs[2].on_cancel_ctx, &reqs[2]);
    assert_true(jobs_is_over(&entries[2]));
    jobs_leave(&entries[2]);
    assert_null(jobs.first);
    jobs_fini(&jobs);
}

/* What had no room says nothing of how long things take. */
static void
when_to_come_again_follows_what_has_left(void **state)
{
    char text[STAY_TEXT_CAP];
    struct request req = {0};
    struct jobs_entry entry;
    struct jobs jobs;

    (void)state;
    open_api(0);
    jobs_init(&jobs, 0);
    for (int i = 0; i < 100; i++) {
        jobs_enter(&jobs, &entry, &req);
        entry.begun_ns -= 7 * NS_PER_S;
        jobs_leave(&entry);
    }
    str told = stay_text(&jobs.stay, text);
    assert_true(str_eq(told, STR("7")) || str_eq(told, STR("8")));
    for (int i = 0; i < 100; i++) {
        jobs_enter(&jobs, &entry, &req);
        jobs_withdraw(&entry);
    }
    assert_true(str_eq(stay_text(&jobs.stay, text), told));
    jobs_fini(&jobs);
}

#define JOBS(test) cmocka_unit_test_teardown(test, close_api)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        JOBS(what_takes_too_long_is_told_so),
        JOBS(without_a_bound_or_within_it_all_is_answered),
        JOBS(what_finds_no_place_is_told_to_come_again),
        JOBS(who_has_gone_is_told_to_its_own_job_alone),
        JOBS(when_to_come_again_follows_what_has_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
