/*
 * What is received: header text in one buffer with positions into it, and a
 * body in one block, paid for from the hub's budget before it is allocated.
 * A length that is merely declared pays for little: a few that declare much
 * and send it slowly would take the budget from all others.  And the bodies of
 * one address may have as much of it as they leave, and no more.  What would
 * not fit if it were the only one is too large: to be told to come again would
 * be of no use to its sender.
 *
 * What would hold up the loop is decompressed, and handed over if the handler
 * may be called there, on the thread of net/aside.h; nobody else looks at an
 * exchange meanwhile but to say that its peer is gone.
 *
 * What is answered lives in net/answer.c; both sides of the life of one
 * struct.
 */
#include "net/exchange.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/answer.h"
#include "net/cors.h"
#include "net/resolve.h"

enum {
    BODY_FIRST_CAP = REQUEST_SMALL,
    FIELD_OVERHEAD = 32,
    /* Behind a large piece of a body likely comes another: only its header, for
     * which this is enough, has to be read before there is a place for it. */
    PLACE_LARGE = 16 << 10,
    PLACE_MAX = 512 << 10, /* of one read, lest it goes on while more comes */
    SPARE_SMALL = 4 << 10,
};

static const char no_body[REQUEST_PAD];

struct exchange *
exchange_new(struct session *session, void *stream)
{
    /* Not calloc, which has no memory at hand as malloc has. */
    struct exchange *ex = malloc(sizeof(*ex));

    if (!ex)
        return NULL;
    *ex = (struct exchange){
        .req = {.ops = &answer_ops,
                .is_tls = session->peer.is_tls,
                .is_loopback = session->peer.is_loopback,
                .share = session->peer.share},
        .hub = hub_ref(session->env->hub),
        .session = session,
        .env = session->env,
        .stream = stream,
        .claim = {.share = session->peer.share},
        .begun_ms = session->now_ms,
        .rate_ms = session->now_ms,
        .most = SIZE_MAX,
    };
    return ex;
}

enum err
exchange_add(struct exchange *ex, str text, struct exchange_span *to)
{
    size_t max = ex->env->limits.header_bytes;

    if (text.len > max || ex->text.len > max - text.len)
        return ERR_TOO_LARGE;
    buf_add(&ex->text, text);
    if (ex->text.failed)
        return ERR_NOMEM;
    to->at = (uint32_t)(ex->text.len - text.len);
    to->len = (uint32_t)text.len;
    return OK;
}

enum err
exchange_add_field(struct exchange *ex, const struct exchange_field *field)
{
    size_t size = ex->text.len + (ex->field_len + 1) * FIELD_OVERHEAD;

    if (ex->field_len == EXCHANGE_HEADERS_MAX ||
        size > ex->env->limits.header_bytes)
        return ERR_TOO_LARGE;
    buf_add(&ex->fields, (str){(const char *)field, sizeof(*field)});
    if (ex->fields.failed)
        return ERR_NOMEM;
    ex->field_len++;
    return OK;
}

str
exchange_view(const struct exchange *ex, struct exchange_span span)
{
    if (!ex->text.ptr)
        return (str){NULL, 0};
    return (str){ex->text.ptr + span.at, span.len};
}

static const struct exchange_field *
field_at(const struct exchange *ex, size_t i)
{
    return (const struct exchange_field *)(const void *)ex->fields.ptr + i;
}

str
exchange_find(const struct exchange *ex, str name, size_t *count)
{
    str value = {NULL, 0};
    size_t found = 0;

    for (size_t i = 0; i < ex->field_len; i++) {
        if (!str_eq(exchange_view(ex, field_at(ex, i)->name), name))
            continue;
        if (found++ == 0)
            value = exchange_view(ex, field_at(ex, i)->value);
    }
    if (count)
        *count = found;
    return value;
}

/* Asks the handler, once, how large a body it would read. */
static bool
ask_most(struct exchange *ex)
{
    const struct session_env *env = ex->env;

    if (ex->is_asked)
        return true;
    if (!resolve_request(ex))
        return false;
    ex->is_asked = true;
    ex->most = request_most(env->body_most, env->ctx, &ex->req, SIZE_MAX);
    return true;
}

/* The largest body that |bytes| of the budget are enough for. */
static size_t
body_within(size_t bytes)
{
    return bytes < REQUEST_PAD ? 0 : bytes - REQUEST_PAD;
}

/* The largest body there may be, were it the only one. */
static size_t
body_most(const struct exchange *ex)
{
    size_t max = ex->env->limits.body_bytes;
    size_t all = body_within(hub_budget(ex->hub));

    max = ex->most < max ? ex->most : max;
    return all < max ? all : max;
}

bool
exchange_reserve(struct exchange *ex, size_t bytes)
{
    if (!hub_reserve(ex->hub, &ex->claim, bytes))
        return false;
    atomic_store(&ex->had_room, true);
    return true;
}

/* Makes room for |cap| bytes of body and the pad, reserved first. */
static enum request_problem
body_resize(struct exchange *ex, size_t cap)
{
    size_t more = cap + REQUEST_PAD - ex->claim.held;

    if (!exchange_reserve(ex, more))
        return REQUEST_NO_ROOM;

    char *body = realloc(ex->body, cap + REQUEST_PAD);
    if (!body)
        return REQUEST_NO_ROOM;
    ex->body = body;
    ex->body_cap = cap;
    return REQUEST_WHOLE;
}

enum request_problem
exchange_expect(struct exchange *ex, size_t len)
{
    ex->rate_ms = ex->session->now_ms;
    ex->rate_len = ex->received;
    if (len == SIZE_MAX || len == 0)
        return REQUEST_WHOLE;
    if (len > REQUEST_SMALL && !ask_most(ex))
        return REQUEST_NO_ROOM;
    if (len > body_most(ex))
        return REQUEST_TOO_LARGE;
    ex->expected = len;
    return body_resize(ex, len < EXCHANGE_FIRST_MAX ? len : EXCHANGE_FIRST_MAX);
}

enum request_problem
exchange_body(struct exchange *ex, str bytes)
{
    size_t need = ex->body_len + bytes.len;
    size_t max;

    if (bytes.len == 0)
        return REQUEST_WHOLE;
    ex->received += bytes.len;
    if (need > REQUEST_SMALL && !ask_most(ex))
        return REQUEST_NO_ROOM;
    max = body_most(ex);
    if (bytes.len > max || ex->body_len > max - bytes.len)
        return REQUEST_TOO_LARGE;
    if (need > ex->body_cap) {
        size_t cap = ex->body_cap ? ex->body_cap * 2 : BODY_FIRST_CAP;
        if (ex->expected >= need)
            max = ex->expected;
        while (cap < need)
            cap *= 2;
        enum request_problem problem = body_resize(ex, cap < max ? cap : max);
        if (problem)
            return problem;
    }
    if (bytes.ptr != ex->body + ex->body_len)
        memcpy(ex->body + ex->body_len, bytes.ptr, bytes.len);
    ex->body_len = need;
    return REQUEST_WHOLE;
}

void
exchange_place(const struct exchange *ex, size_t len, struct session_room *room)
{
    size_t left = ex->body_cap - ex->body_len;

    len = len < left ? len : left;
    len = len < PLACE_MAX ? len : PLACE_MAX;
    if (!ex->body || len == 0)
        return;
    room->place = ex->body + ex->body_len;
    room->place_len = len;
    if (len >= PLACE_LARGE && room->spare_len > SPARE_SMALL)
        room->spare_len = SPARE_SMALL;
}

uint64_t
exchange_rate_deadline(const struct exchange *ex)
{
    return ex->env->limits.body_rate ? ex->rate_ms + EXCHANGE_RATE_MS
                                     : SESSION_NEVER;
}

bool
exchange_is_slow(struct exchange *ex, uint64_t now_ms)
{
    if (now_ms < exchange_rate_deadline(ex))
        return false;

    uint64_t due = ex->env->limits.body_rate * (now_ms - ex->rate_ms) / 1000;
    bool is_slow = ex->received - ex->rate_len < due;
    ex->rate_ms = now_ms;
    ex->rate_len = ex->received;
    return is_slow;
}

void
exchange_forget_body(struct exchange *ex)
{
    free(ex->body);
    ex->body = NULL;
    ex->body_len = ex->body_cap = 0;
    ex->req.body = (str){no_body, 0};
    hub_release(ex->hub, &ex->claim);
}

void
exchange_free(struct exchange *ex)
{
    exchange_forget_body(ex);
    free(ex->headers);
    buf_fini(&ex->text);
    buf_fini(&ex->fields);
    hub_unref(ex->hub);
    free(ex);
}

/* What the body may become if no other is under way: it is there, too. */
static size_t
plain_most(const struct exchange *ex)
{
    size_t most = ex->env->limits.body_bytes;
    size_t bound = inflate_bound(ex->body_len);
    size_t all = body_within(hub_budget(ex->hub) - ex->claim.held);

    most = ex->most < most ? ex->most : most;
    most = bound < most ? bound : most;
    return all < most ? all : most;
}

static bool
take_room(void *ctx, size_t bytes)
{
    return exchange_reserve(ctx, bytes);
}

/* Replaces the body by its decompressed bytes, |max| of them at most: |is_long|
 * where it becomes more than that and may, and then nothing has changed. */
static enum request_problem
decode_body(struct exchange *ex, struct inflater *inflater, size_t max,
            bool *is_long)
{
    if (!ask_most(ex))
        return REQUEST_NO_ROOM;

    size_t most = plain_most(ex);
    size_t left = body_within(hub_left(ex->hub));
    size_t may = left < most ? left : most;
    struct inflate_room room = {max < may ? max : may, take_room, ex};
    size_t held = ex->claim.held;
    char *plain = NULL;
    size_t len = 0;
    enum err err =
        inflate_within(inflater, ex->encoding, (str){ex->body, ex->body_len},
                       &room, &plain, &len);

    *is_long = err == ERR_TOO_LARGE && max < may;
    hub_shrink(ex->hub, &ex->claim, err ? held : len + REQUEST_PAD);
    switch (err) {
    case OK:
        break;
    case ERR_TOO_LARGE:
        return may < most ? REQUEST_NO_ROOM : REQUEST_TOO_LARGE;
    case ERR_NOMEM: /* there may be none for a single byte, ever */
        return most ? REQUEST_NO_ROOM : REQUEST_TOO_LARGE;
    default:
        return REQUEST_BAD_ENCODING;
    }
    free(ex->body);
    ex->body = plain;
    ex->body_len = ex->body_cap = len;
    return REQUEST_WHOLE;
}

/* The request as its handler gets it. */
static void
finish_request(struct exchange *ex, enum request_problem problem)
{
    if (problem || !ex->body)
        exchange_forget_body(ex);
    else
        memset(ex->body + ex->body_len, 0, REQUEST_PAD);
    if (ex->body)
        ex->req.body = (str){ex->body, ex->body_len};
    ex->req.problem = problem;
}

static void
call_handler(struct exchange *ex)
{
    const struct session_env *env = ex->env;

    if (!env->cors || !cors_take(env->cors, &ex->req))
        env->handler(env->ctx, &ex->req);
}

void
exchange_hand(struct exchange *ex)
{
    if (atomic_load(&ex->is_gone))
        request_reply(&ex->req, &(struct reply){.status = 503});
    else
        call_handler(ex);
}

/* On the other thread.  Who has left has no time spent on what it sent. */
static void
run_aside(struct aside_job *job, struct inflater *inflater)
{
    struct exchange *ex =
        (struct exchange *)(void *)((char *)job -
                                    offsetof(struct exchange, job));
    enum request_problem problem = REQUEST_WHOLE;
    bool is_long;

    if (ex->encoding != ENCODING_IDENTITY && !atomic_load(&ex->is_gone))
        problem = decode_body(ex, inflater, SIZE_MAX, &is_long);
    finish_request(ex, problem);
    if (ex->env->is_any_thread)
        exchange_hand(ex);
    else
        exchange_return(ex);
}

void
exchange_dispatch(struct exchange *ex, enum request_problem problem)
{
    const struct session_env *env = ex->env;

    assert(!ex->is_dispatched);
    ex->is_dispatched = true;
    ex->req.wire_len = ex->body_len;
    ex->req.received_mono_ns = clock_mono_ns();
    if (!resolve_request(ex)) {
        exchange_refuse(ex, 503, STR("out of memory\n"));
        return;
    }

    const struct aside_body body = {ex->claim.share, ex->encoding,
                                    ex->body_len};
    uint64_t begin_ns = ex->req.received_mono_ns;
    bool is_packed = ex->encoding != ENCODING_IDENTITY;
    bool is_long = !problem && aside_is_for(env->aside, &body, begin_ns) &&
                   (is_packed || env->is_any_thread);
    if (!problem && !is_long && is_packed)
        problem =
            decode_body(ex, env->inflater,
                        aside_here_max(env->aside, ex->body_len), &is_long);
    if (is_long) {
        ex->job.run = run_aside;
        ex->job.body = body;
        aside_post(env->aside, &ex->job);
        return;
    }
    finish_request(ex, problem);
    call_handler(ex);
    if (env->is_any_thread)
        aside_judge(env->aside, &body, begin_ns);
}

void
exchange_refuse(struct exchange *ex, int status, str text)
{
    ex->is_dispatched = true;
    request_reply(&ex->req, &(struct reply){
                                .status = status,
                                .content_type = STR("text/plain"),
                                .body = text,
                            });
}
