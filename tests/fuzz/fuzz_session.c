#include "tests/fuzz/fuzz_session.h"

#include <assert.h>
#include <stdlib.h>

enum { HELD_MAX = 64, START_MS = 1000, STEP_MS = 700 };

struct fuzz {
    struct session_env env;
    struct session *session;
    struct request *held[HELD_MAX];
    size_t held_len;
    uint64_t now_ms;
    uint8_t manner;
};

static void
answer(struct fuzz *fuzz, struct request *req)
{
    struct header extra = {STR("x"), req->path};
    struct reply reply = {.status = req->protocol == REQUEST_GRPC ? 0 : 200,
                          .body = req->body,
                          .headers = &extra,
                          .header_len = 1};

    if (fuzz->manner & 2) {
        request_stream_open(req, &reply);
        request_stream_write(req, req->path);
        request_stream_close(req);
    } else {
        request_reply(req, &reply);
    }
}

static void
handle(void *ctx, struct request *req)
{
    struct fuzz *fuzz = ctx;

    for (size_t i = 0; i < REQUEST_PAD; i++)
        assert(req->body.ptr[req->body.len + i] == 0);
    if ((fuzz->manner & 1) && fuzz->held_len < HELD_MAX)
        fuzz->held[fuzz->held_len++] = req;
    else
        answer(fuzz, req);
}

static void
answer_held(struct fuzz *fuzz)
{
    while (fuzz->held_len)
        answer(fuzz, fuzz->held[--fuzz->held_len]);
}

static void
pull(struct fuzz *fuzz)
{
    struct buf out = {.cap_max = 0};

    do {
        buf_reset(&out);
        session_produce(fuzz->session, fuzz->now_ms, &out);
    } while (out.len);
    buf_fini(&out);
}

/* Reads once as a connection does: to the place the session wants, and behind
 * it.  Returns how much of the |len| bytes. */
static size_t
feed_once(struct fuzz *fuzz, const uint8_t *data, size_t len)
{
    static char spare[4096];
    struct session_room room = {.spare = spare, .spare_len = sizeof(spare)};

    session_place(fuzz->session, fuzz->now_ms, &room);
    size_t placed = len < room.place_len ? len : room.place_len;
    size_t rest = len - placed;
    rest = rest < room.spare_len ? rest : room.spare_len;
    if (placed)
        memcpy(room.place, data, placed);
    memcpy(spare, data + placed, rest);
    if (placed)
        session_feed(fuzz->session, fuzz->now_ms, (str){room.place, placed});
    if (rest)
        session_feed(fuzz->session, fuzz->now_ms, (str){spare, rest});
    pull(fuzz);
    return placed + rest;
}

static void
feed(struct fuzz *fuzz, const uint8_t *data, size_t len)
{
    while (len) {
        size_t part = feed_once(fuzz, data, len);

        data += part;
        len -= part;
    }
}

void
fuzz_session(fuzz_session_fn *make, const uint8_t *data, size_t len)
{
    static struct fuzz fuzz;
    struct session_peer peer = {.is_loopback = true};

    if (len < 1)
        return;
    if (!fuzz.env.hub) {
        fuzz.env.hub = hub_new();
        fuzz.env.inflater = inflater_new();
        fuzz.env.limits = server_limits_default;
        fuzz.env.limits.body_bytes = 1 << 16;
        fuzz.env.limits.budget_bytes = 1 << 20;
        fuzz.env.handler = handle;
        fuzz.env.ctx = &fuzz;
        hub_raise_budget(fuzz.env.hub, fuzz.env.limits.budget_bytes);
        hub_open(fuzz.env.hub, NULL, NULL);
    }
    fuzz.manner = data[0];
    fuzz.now_ms = START_MS;
    fuzz.session = make(&fuzz.env, &peer, fuzz.now_ms);
    assert(fuzz.session);
    size_t step = (size_t)(data[0] >> 2) + 1;
    step = step * step;
    for (size_t at = 1; at < len; at += step) {
        feed(&fuzz, data + at, len - at < step ? len - at : step);
        if (fuzz.held_len > 1)
            answer_held(&fuzz);
        fuzz.now_ms += STEP_MS;
        if (session_deadline(fuzz.session) <= fuzz.now_ms)
            session_expire(fuzz.session, fuzz.now_ms);
        pull(&fuzz);
    }
    if (data[0] & 4)
        session_eof(fuzz.session, fuzz.now_ms);
    answer_held(&fuzz);
    pull(&fuzz);
    session_free(fuzz.session);
    answer_held(&fuzz);
    assert(hub_left(fuzz.env.hub) == fuzz.env.limits.budget_bytes);
}
