/*
 * A connection of which every allocation fails in turn, once and from then on:
 * it is answered or it is over, nothing leaks, and the next one is answered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "net/hub.h"
#include "net/inflate.h"
#include "net/session.h"
#include "tests/support/fail_alloc.h"

enum { ROUNDS_MAX = 10000 };

static int answered;

static void
answer_nothing(void *ctx, struct request *req)
{
    (void)ctx;
    answered++;
    request_reply(req, &(struct reply){.status = req->problem ? 503 : 204});
}

static const char http1[] =
    "POST /v1/traces?a=b HTTP/1.1\r\nHost: here\r\nX-One: 1\r\n"
    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    "4\r\nabcd\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n";

/* Preface, SETTINGS, and a GET of / in literal headers. */
static const char http2[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                            "\0\0\0\4\0\0\0\0\0"
                            "\0\0\16\1\5\0\0\0\1"
                            "\202\204\206\101\11localhost";

static const struct {
    const char *name;
    struct session *(*make)(const struct session_env *,
                            const struct session_peer *, uint64_t);
    str bytes;
} sessions[] = {
    {"HTTP/1.1", http1_new, {http1, sizeof(http1) - 1}},
    {"HTTP/2", http2_new, {http2, sizeof(http2) - 1}},
};

/* Talks to a new connection; says whether it was answered. */
static bool
talk(const struct session_env *env, size_t which, uint64_t number, bool stays,
     bool *failed)
{
    const struct session_peer peer = {.is_loopback = true};
    struct buf out = {0};
    int before = answered;

    fail_alloc_at(number, stays);
    struct session *session = sessions[which].make(env, &peer, 1000);
    if (session) {
        session_feed(session, 1000, sessions[which].bytes);
        (void)session_produce(session, 1000, &out);
    }
    *failed = fail_alloc_end();
    session_free(session);
    buf_fini(&out);
    return answered > before;
}

static void
a_connection_is_answered_or_over_and_the_next_is_answered(void **state)
{
    struct session_env env = {
        .hub = hub_new(),
        .inflater = inflater_new(),
        .limits = server_limits_default,
        .handler = answer_nothing,
    };

    (void)state;
    hub_raise_budget(env.hub, env.limits.budget_bytes);
    hub_open(env.hub, NULL, NULL);
    for (size_t i = 0; i < 2; i++) {
        for (int stays = 0; stays < 2; stays++) {
            bool failed = true;
            uint64_t n = 1;
            for (; failed && n < ROUNDS_MAX; n++) {
                (void)talk(&env, i, n, stays, &failed);
                bool ignored;
                assert_true(talk(&env, i, 0, false, &ignored));
                /* Nothing keeps what belongs to the requests of all. */
                assert_int_equal(hub_left(env.hub), env.limits.budget_bytes);
            }
            printf("%s%s: %lu allocations\n", sessions[i].name,
                   stays ? ", for good" : "", n - 1);
        }
    }
    assert_true(hub_close(env.hub));
    hub_unref(env.hub);
    inflater_free(env.inflater);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_connection_is_answered_or_over_and_the_next_is_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
