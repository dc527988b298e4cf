/*
 * Each call of a handler becomes one message, a single block that holds copies
 * of all it was given.  On the loop's own thread it is delivered at once,
 * elsewhere through the hub.  Once the last message is posted the answering
 * thread never looks at the exchange again, for the loop may have freed it.
 *
 * A request is cancelled and answered by different threads, and the handler
 * frees its own context once it has answered.  |state| settles who was first:
 * an answer waits for an on_cancel that has begun, and after it none begins.
 */
#include "net/answer.h"

#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/metrics.h"

enum { LIVE, CANCELLING, CANCELLED, ANSWERED };
enum { GRPC_PREFIX = 5 };
enum { ANSWER_SMALL = 1 << 10 }; /* less than the exchange itself takes */

static struct exchange *
exchange_of(struct request *req)
{
    return (struct exchange *)(void *)req;
}

/* After this no on_cancel runs. */
static void
settle(struct exchange *ex)
{
    int live = LIVE;

    if (atomic_compare_exchange_strong(&ex->state, &live, ANSWERED))
        return;
    while (!hub_is_loop(ex->hub) && atomic_load(&ex->state) == CANCELLING)
        sched_yield();
}

static void
post(struct exchange *ex, struct message *message)
{
    struct hub *hub = ex->hub;

    message->exchange = ex;
    if (hub_is_loop(hub)) {
        exchange_take(ex, message);
        return;
    }
    hub_ref(hub);
    /* Closed: the loop has ended, and we alone know this exchange. */
    if (!hub_post(hub, message))
        exchange_take(ex, message);
    hub_unref(hub);
}

void
exchange_return(struct exchange *ex)
{
    ex->ending.is_embedded = true;
    ex->ending.kind = MESSAGE_BACK;
    post(ex, &ex->ending);
}

/* Copies |bytes| to |to|, which moves on. */
static str
put(char **to, str bytes)
{
    str copy = {*to, bytes.len};

    if (bytes.len)
        memcpy(*to, bytes.ptr, bytes.len);
    *to += bytes.len;
    return copy;
}

/* A field for the wire: no byte of it can end the line. */
static str
put_clean(char **to, str bytes, bool is_name)
{
    char *start = *to;
    str copy = put(to, bytes);

    for (size_t i = 0; i < copy.len; i++) {
        unsigned char byte = (unsigned char)start[i];

        if (byte < 0x20 || byte == 0x7f)
            start[i] = ' ';
        else if (is_name && byte >= 'A' && byte <= 'Z')
            start[i] = (char)(byte | 0x20);
    }
    return copy;
}

/* The body as it goes out; gRPC: one message of it. */
static str
put_body(char **to, str body, bool is_grpc)
{
    char *start = *to;

    if (is_grpc) {
        char prefix[GRPC_PREFIX] = {0, (char)(body.len >> 24),
                                    (char)(body.len >> 16),
                                    (char)(body.len >> 8), (char)body.len};
        put(to, (str){prefix, sizeof(prefix)});
    }
    put(to, body);
    return (str){start, (size_t)(*to - start)};
}

static size_t
reply_size(const struct reply *reply)
{
    size_t size = reply->content_type.len + reply->body.len + GRPC_PREFIX +
                  reply->grpc_message.len + reply->grpc_details.len;

    for (size_t i = 0; i < reply->header_len; i++)
        size += sizeof(struct header) + reply->headers[i].name.len +
                reply->headers[i].value.len;
    return size;
}

static struct message *
copy_reply(const struct reply *reply, bool is_grpc, bool has_body)
{
    struct message *message = malloc(sizeof(*message) + reply_size(reply));

    if (!message)
        return NULL;

    struct header *headers = (struct header *)(void *)(message + 1);
    char *to = (char *)(headers + reply->header_len);
    *message = (struct message){.head = *reply};
    message->head.content_type = put_clean(&to, reply->content_type, false);
    message->head.grpc_message = put(&to, reply->grpc_message);
    message->head.grpc_details = put(&to, reply->grpc_details);
    message->head.headers = headers;
    for (size_t i = 0; i < reply->header_len; i++) {
        headers[i].name = put_clean(&to, reply->headers[i].name, true);
        headers[i].value = put_clean(&to, reply->headers[i].value, false);
    }
    if (has_body)
        message->bytes = put_body(&to, reply->body, is_grpc);
    message->head.body = message->bytes;
    return message;
}

/* The answer when there is no memory for the answer; |is_hopeless|: nor will
 * there be. */
static struct message *
spare_reply(struct exchange *ex, bool is_grpc, bool is_hopeless)
{
    static const str later = STR_INIT("no memory for the answer\n");
    static const str never =
        STR_INIT("the answer is larger than store.request_memory\n");
    struct message *spare = &ex->spare;
    str text = is_hopeless ? never : later;

    spare->is_embedded = true;
    if (is_grpc) {
        spare->head.status =
            is_hopeless ? GRPC_CODE_RESOURCE_EXHAUSTED : GRPC_CODE_UNAVAILABLE;
        spare->head.grpc_message = str_cut(text, 0, text.len - 1);
    } else {
        spare->head.status = is_hopeless ? 500 : 503;
        spare->head.content_type = STR("text/plain");
        ex->spare_header = (struct header){
            STR("retry-after"), stay_text(hub_stay(ex->hub), ex->spare_text)};
        spare->head.headers = &ex->spare_header;
        spare->head.header_len = is_hopeless ? 0 : 1;
        spare->head.body = spare->bytes = text;
    }
    metrics_add(is_hopeless ? METRIC_REFUSED_TOO_LARGE : METRIC_REFUSED_FULL,
                1);
    return spare;
}

static void
answer_reply(struct request *req, const struct reply *reply)
{
    struct exchange *ex = exchange_of(req);
    bool is_grpc = req->protocol == REQUEST_GRPC;
    struct message *message =
        copy_reply(reply, is_grpc, !is_grpc || reply->status == GRPC_CODE_OK);

    settle(ex);
    if (!message)
        message = spare_reply(ex, is_grpc, false);
    message->kind = MESSAGE_REPLY;
    post(ex, message);
}

static void
answer_open(struct request *req, const struct reply *head)
{
    struct exchange *ex = exchange_of(req);
    bool is_grpc = req->protocol == REQUEST_GRPC;
    struct message *message =
        copy_reply(head, is_grpc, !is_grpc || head->body.len);

    if (!message) {
        message = spare_reply(ex, is_grpc, false);
        atomic_store(&ex->is_broken, true);
    }
    message->kind = MESSAGE_OPEN;
    atomic_fetch_add(&ex->queued, message->bytes.len);
    post(ex, message);
}

static bool
answer_write(struct request *req, str bytes)
{
    struct exchange *ex = exchange_of(req);

    if (atomic_load(&ex->state) != LIVE || atomic_load(&ex->is_broken))
        return false;
    if (bytes.len == 0)
        return true;

    struct reply piece = {.body = bytes};
    struct message *message =
        copy_reply(&piece, req->protocol == REQUEST_GRPC, true);
    size_t len = message ? message->bytes.len : 0;
    size_t queued = atomic_fetch_add(&ex->queued, len);
    if (!message || len > EXCHANGE_QUEUE_MAX ||
        queued > EXCHANGE_QUEUE_MAX - len) {
        atomic_fetch_sub(&ex->queued, len);
        atomic_store(&ex->is_broken, true);
        free(message);
        return false;
    }
    message->kind = MESSAGE_WRITE;
    post(ex, message);
    return true;
}

static void
answer_close(struct request *req)
{
    struct exchange *ex = exchange_of(req);

    settle(ex);
    ex->ending.is_embedded = true;
    ex->ending.kind = MESSAGE_CLOSE;
    post(ex, &ex->ending);
}

const struct request_ops answer_ops = {
    .reply = answer_reply,
    .stream_open = answer_open,
    .stream_write = answer_write,
    .stream_close = answer_close,
};

static void
drop_message(struct message *message)
{
    if (!message->is_embedded)
        free(message);
}

static void
drop_first(struct exchange *ex)
{
    struct message *piece = ex->first;

    ex->first = piece->next;
    if (!ex->first)
        ex->last = NULL;
    ex->piece_at = 0;
    if (piece != ex->opening)
        drop_message(piece);
}

static void
drop_answer(struct exchange *ex)
{
    while (ex->first)
        drop_first(ex);
    ex->pending = 0;
}

static void
finish(struct exchange *ex)
{
    drop_answer(ex);
    if (ex->opening)
        drop_message(ex->opening);
    exchange_free(ex);
}

static void
append(struct exchange *ex, struct message *message)
{
    message->next = NULL;
    ex->pending += message->bytes.len;
    if (ex->last)
        ex->last->next = message;
    else
        ex->first = message;
    ex->last = message;
}

/* An answer lies here until the peer takes it, which may be never: it has the
 * place of the request's body in the budget, and gives way to a short one if
 * there is none.  Small ones are always given, for they tell what was done. */
static struct message *
make_room(struct exchange *ex, struct message *message)
{
    exchange_forget_body(ex);
    if (message->is_embedded || message->bytes.len <= ANSWER_SMALL ||
        exchange_reserve(ex, message->bytes.len))
        return message;

    bool is_hopeless = message->bytes.len > hub_budget(ex->hub);
    free(message);
    /* No part of |ex|, which is embedded: NOLINTNEXTLINE(*-unix.Malloc) */
    message = spare_reply(ex, ex->req.protocol == REQUEST_GRPC, is_hopeless);
    message->kind = MESSAGE_REPLY;
    return message;
}

void
exchange_take(struct exchange *ex, struct message *message)
{
    if (message->kind == MESSAGE_BACK) {
        exchange_hand(ex);
        return;
    }
    if (message->kind == MESSAGE_REPLY)
        message = make_room(ex, message);
    switch (message->kind) {
    case MESSAGE_REPLY:
    case MESSAGE_OPEN:
        ex->opening = message;
        ex->answer = &message->head;
        ex->is_stream = message->kind == MESSAGE_OPEN;
        ex->is_whole = !ex->is_stream;
        append(ex, message);
        break;
    case MESSAGE_WRITE:
        append(ex, message);
        break;
    case MESSAGE_CLOSE:
        ex->is_whole = true;
        exchange_forget_body(ex);
        break;
    case MESSAGE_BACK:
    case MESSAGE_WORK:
    case MESSAGE_GLANCE:
        break;
    }
    if (ex->session) {
        ex->session->ops->answered(ex->session, ex);
        if (ex->session->wake)
            ex->session->wake(ex->session->owner);
        return;
    }
    drop_answer(ex);
    if (ex->is_whole && !ex->in_cancel)
        finish(ex);
}

size_t
exchange_pull(struct exchange *ex, char *to, size_t len)
{
    size_t done = 0;

    while (ex->first) {
        str rest = str_cut(ex->first->bytes, ex->piece_at, SIZE_MAX);
        size_t part = rest.len < len - done ? rest.len : len - done;

        if (part && rest.ptr)
            memcpy(to + done, rest.ptr, part);
        done += part;
        ex->piece_at += part;
        if (part < rest.len)
            break;
        drop_first(ex);
    }
    ex->pending -= done;
    if (ex->is_stream)
        atomic_fetch_sub(&ex->queued, done);
    return done;
}

bool
exchange_is_done(const struct exchange *ex)
{
    return ex->is_whole && ex->pending == 0;
}

/* Tells the handler, unless it has answered. */
static void
cancel(struct exchange *ex)
{
    int live = LIVE;

    if (!atomic_compare_exchange_strong(&ex->state, &live, CANCELLING))
        return;
    if (ex->req.on_cancel) {
        ex->in_cancel = true;
        ex->req.on_cancel(ex->req.on_cancel_ctx, &ex->req);
        ex->in_cancel = false;
    }
    atomic_store(&ex->state, CANCELLED);
}

void
exchange_cancel(struct exchange *ex)
{
    if (ex->is_dispatched && !ex->is_whole)
        cancel(ex);
}

void
exchange_release(struct exchange *ex)
{
    if (!ex)
        return;
    if (atomic_load(&ex->had_room))
        stay_note(hub_stay(ex->hub),
                  (ex->session->now_ms - ex->begun_ms) * NS_PER_MS);
    ex->session = NULL;
    atomic_store(&ex->is_gone, true);
    exchange_cancel(ex);
    drop_answer(ex);
    if (!ex->is_dispatched || ex->is_whole)
        finish(ex);
}
