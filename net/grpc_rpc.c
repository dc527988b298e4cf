/*
 * A call passes through these events, all on the completion queue's thread:
 *
 *     arrived      core has a call; another rpc is put in line for the next
 *     read         its message is here (known methods: already on arrival)
 *     closed       nothing more will come: answered, cancelled, or cut off
 *     sent         the answer is on its way
 *
 * Each batch of operations costs core some microseconds.  So |closed| is asked
 * for with the answer, in the same batch, when the handler gives that before it
 * returns, and with a batch of its own only when it does not: |is_watched| says
 * who was first.
 *
 * Core queues events in order.  So |sent| of the first answer of a round says
 * that all calls that had come before it have been seen, and the round ends.
 *
 * Two references keep an rpc: one for |closed|, one for the answer.  |state|
 * decides the race between an answer from some thread and a cancellation:
 * OPEN becomes SENDING or GONE, and only who changed it may touch the core
 * call from then on.  A call that is GONE is given back to core at once, so
 * that stopping does not wait for its handler; everything a handler can see is
 * therefore a copy.
 *
 * Core orders what is written before an rpc is handed to it and what is read
 * after its event.  |handed| says the same in our own code, where compilers
 * and sanitizers can see it.
 */
#include "net/grpc_rpc.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "net/grpc_body.h"
#include "net/grpc_head.h"
#include "net/grpc_place.h"
#include "net/grpc_reply.h"

enum { CALL_BYTES = 4096 }; /* charged for a call besides its body */

enum rpc_state { OPEN, SENDING, GONE };

struct rpc {
    struct request req; /* first: a request of ours is an rpc */
    struct rpc_home *home;
    const struct rpc_method *method;
    atomic_int refs;
    atomic_int state;       /* enum rpc_state */
    atomic_bool is_watched; /* |closed| has been asked for */
    struct rpc_charge charge;
    size_t most; /* bytes of a body that the handler would read */
    struct grpc_body body;
    struct header *headers; /* with the bytes they and the path view */

    grpc_call *call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    gpr_timespec deadline;
    int is_cancelled;
    struct rpc_tag arrived;
    struct rpc_tag read;
    struct rpc_tag closed;
    struct rpc_tag sent;
    struct aside_job job;

    struct grpc_reply reply; /* while SENDING */
};

static grpc_call_error
start_batch(struct rpc *rpc, const grpc_op *ops, size_t len,
            struct rpc_tag *tag)
{
    grpc_call *call = rpc->call;

    atomic_fetch_add(&rpc->home->handed, 1);
    return grpc_call_start_batch(call, ops, len, tag, NULL);
}

void
rpc_event(struct rpc_home *home, struct rpc_tag *tag, bool ok)
{
    (void)atomic_load(&home->handed);
    tag->happened(tag->rpc, ok);
}

static void
drop_body(struct rpc *rpc)
{
    rpc_charge_keep(&rpc->charge, 0);
    grpc_body_drop(&rpc->body);
    rpc->req.body = (str){NULL, 0};
}

/* Gives back what is core's: the head once it is copied, and the message. */
static void
drop_arrival(struct rpc *rpc)
{
    grpc_head_drop(&rpc->metadata, &rpc->details);
    grpc_body_drop(&rpc->body);
}

static void
drop_call(struct rpc *rpc)
{
    if (rpc->call)
        grpc_call_unref(rpc->call);
    rpc->call = NULL;
}

static void
rpc_unref(struct rpc *rpc)
{
    if (atomic_fetch_sub(&rpc->refs, 1) != 1)
        return;
    drop_body(rpc);
    drop_call(rpc);
    free(rpc->headers);
    rpc_home_unref(rpc->home);
    free(rpc);
}

static grpc_op
watch(struct rpc *rpc)
{
    grpc_op op;

    memset(&op, 0, sizeof(op));
    op.op = GRPC_OP_RECV_CLOSE_ON_SERVER;
    op.data.recv_close_on_server.cancelled = &rpc->is_cancelled;
    return op;
}

static void
answer(struct request *req, const struct reply *reply)
{
    struct rpc *rpc = (struct rpc *)req;
    grpc_op ops[GRPC_REPLY_OPS + 1];
    int open = OPEN;

    if (!atomic_compare_exchange_strong(&rpc->state, &open, SENDING)) {
        rpc_unref(rpc);
        return;
    }
    grpc_reply_init(&rpc->reply, reply);
    drop_body(rpc);
    size_t len = grpc_reply_ops(&rpc->reply, ops);
    if (!atomic_exchange(&rpc->is_watched, true))
        ops[len++] = watch(rpc);
    grpc_call_error error = start_batch(rpc, ops, len, &rpc->sent);
    if (error == GRPC_CALL_OK)
        return;
    log_error("core refused an answer", "error", "%s",
              grpc_call_error_to_string(error));
    grpc_call_cancel(rpc->call, NULL);
    grpc_reply_drop(&rpc->reply);
    rpc_unref(rpc);
}

static void
on_sent(struct rpc *rpc, bool ok)
{
    (void)ok; /* the peer may be gone; there is nobody left to tell */
    cork_flush(&rpc->home->cork);
    grpc_reply_drop(&rpc->reply);
    rpc_unref(rpc);
}

static void
answer_error(struct rpc *rpc, enum grpc_code code, str message)
{
    answer(&rpc->req, &(struct reply){.status = code, .grpc_message = message});
}

/* gRPC core's C API has unary answers only. */
static void
open_stream(struct request *req, const struct reply *head)
{
    (void)head;
    answer_error((struct rpc *)req, GRPC_CODE_UNIMPLEMENTED,
                 STR("streamed answers are not supported"));
}

static bool
write_stream(struct request *req, str bytes)
{
    (void)req;
    (void)bytes;
    return false;
}

static void
close_stream(struct request *req)
{
    (void)req; /* open_stream has answered, |req| may be gone */
}

static const struct request_ops ops_of_rpc = {
    .reply = answer,
    .stream_open = open_stream,
    .stream_write = write_stream,
    .stream_close = close_stream,
};

/* As far as |inflater| may go, |max| bytes: false when that is not enough.  The
 * message is there, too, meanwhile. */
static bool
unpack(struct rpc *rpc, struct inflater *inflater, size_t max)
{
    struct request *req = &rpc->req;
    size_t charged = rpc->charge.bytes;
    size_t all = rpc_home_beside(rpc->home, charged + REQUEST_PAD);
    size_t most = rpc->most < all ? rpc->most : all;
    struct inflate_room room = {max < most ? max : most, rpc_charge_take,
                                &rpc->charge};
    enum err err = grpc_body_unpack(&rpc->body, inflater, &room);

    rpc_charge_keep(&rpc->charge, err ? charged : CALL_BYTES + rpc->body.len);
    if (err == ERR_TOO_LARGE && max < most)
        return false;
    req->problem = grpc_body_problem(err);
    return true;
}

static void
hand(struct rpc *rpc)
{
    struct request *req = &rpc->req;

    if (req->problem)
        drop_body(rpc);
    else
        req->body = (str){rpc->body.bytes, rpc->body.len};
    rpc->home->handler(rpc->home->ctx, req);
}

/* On the other thread.  Who has left has no time spent on what it sent. */
static void
run_aside(struct aside_job *job, struct inflater *inflater)
{
    struct rpc *rpc =
        (struct rpc *)(void *)((char *)job - offsetof(struct rpc, job));

    if (atomic_load(&rpc->state) != OPEN) {
        rpc_unref(rpc);
        return;
    }
    (void)unpack(rpc, inflater, SIZE_MAX);
    hand(rpc);
}

static void
post(struct rpc *rpc, struct aside_body body)
{
    if (!body.share)
        body.share = grpc_place_share_of(rpc->home->peer_seed, rpc->call);
    rpc->job.run = run_aside;
    rpc->job.body = body;
    aside_post(rpc->home->aside, &rpc->job);
}

/* The message, and on to the handler: now or on the other thread. */
static void
take_message(struct rpc *rpc)
{
    struct rpc_home *home = rpc->home;
    struct request *req = &rpc->req;
    struct aside_body body = {.encoding = ENCODING_IDENTITY};
    uint64_t begin_ns = req->received_mono_ns;

    rpc->most = home->body_bytes;
    if (rpc->body.payload) {
        req->wire_len = grpc_body_wire_len(&rpc->body);
        if (req->wire_len > REQUEST_SMALL)
            rpc->most =
                request_most(home->body_most, home->ctx, req, rpc->most);
        req->problem =
            req->wire_len > rpc->most
                ? REQUEST_TOO_LARGE
                : rpc_charge_begin(&rpc->charge, CALL_BYTES + req->wire_len);
    } else {
        req->problem = REQUEST_BAD_FRAME;
    }
    if (!req->problem)
        body = grpc_body_seems(&rpc->body);
    if (aside_is_wary(home->aside, &body, begin_ns))
        body.share = grpc_place_share_of(home->peer_seed, rpc->call);
    if (!req->problem &&
        (aside_is_for(home->aside, &body, begin_ns) ||
         !unpack(rpc, home->inflater, aside_here_max(home->aside, body.len)))) {
        post(rpc, body);
        return;
    }
    cork_begin(&home->cork, rpc->body.len);
    hand(rpc);
    cork_end();
    aside_judge(home->aside, &body, begin_ns);
}

/* The message is here, or it is known that none comes. */
static void
take(struct rpc *rpc)
{
    struct rpc_home *home = rpc->home;
    struct request *req = &rpc->req;
    struct buf peer = {.cap_max = 4096};
    str path = rpc->method->path ? str_of(rpc->method->path)
                                 : grpc_head_str(&rpc->details.method);
    bool is_allowed =
        !home->cert || grpc_cert_peer(home->cert, rpc->call, &peer);
    struct header *headers =
        grpc_head_copy(req, &rpc->metadata, path, buf_str(&peer));

    rpc->headers = headers;
    req->ops = &ops_of_rpc;
    req->protocol = REQUEST_GRPC;
    req->method = STR("POST");
    req->is_tls = home->cert != NULL;
    req->is_loopback = home->is_loopback || grpc_place_is_near(rpc->call);
    req->received_mono_ns = clock_mono_ns();
    buf_fini(&peer);
    grpc_head_drop(&rpc->metadata, &rpc->details);
    if (is_allowed && headers) {
        take_message(rpc);
        return;
    }
    drop_arrival(rpc);
    if (!is_allowed) {
        metrics_add(METRIC_REFUSED_DENIED, 1);
        answer_error(rpc, GRPC_CODE_PERMISSION_DENIED,
                     STR("this client certificate is not allowed here"));
    } else {
        answer_error(rpc, GRPC_CODE_UNAVAILABLE, STR("out of memory"));
    }
}

static void
on_closed(struct rpc *rpc, bool ok)
{
    int open = OPEN;

    (void)ok;
    if (rpc->is_cancelled &&
        atomic_compare_exchange_strong(&rpc->state, &open, GONE)) {
        if (rpc->req.on_cancel)
            rpc->req.on_cancel(rpc->req.on_cancel_ctx, &rpc->req);
        drop_call(rpc);
    }
    rpc_unref(rpc);
}

/* A call that is lost is ended, and |closed| follows. */
static void
on_read(struct rpc *rpc, bool ok)
{
    int open = OPEN;

    if (ok && atomic_load(&rpc->state) == OPEN &&
        !grpc_body_is_lost(&rpc->body, rpc->call)) {
        take(rpc);
        return;
    }
    drop_arrival(rpc);
    if (atomic_compare_exchange_strong(&rpc->state, &open, GONE)) {
        grpc_body_tell_lost(rpc->call);
        drop_call(rpc);
    }
    rpc_unref(rpc);
}

/* Has |on_closed| called, later and with a reference of its own, unless the
 * answer has seen to it. */
static void
start_close(struct rpc *rpc)
{
    if (atomic_exchange(&rpc->is_watched, true))
        return;
    grpc_op op = watch(rpc);
    atomic_fetch_add(&rpc->refs, 1);
    if (start_batch(rpc, &op, 1, &rpc->closed) != GRPC_CALL_OK)
        rpc_unref(rpc);
}

static void
start_read(struct rpc *rpc)
{
    grpc_op op;

    memset(&op, 0, sizeof(op));
    op.op = GRPC_OP_RECV_MESSAGE;
    op.data.recv_message.recv_message = &rpc->body.payload;
    if (start_batch(rpc, &op, 1, &rpc->read))
        on_read(rpc, false);
}

static grpc_call_error
request_call(struct rpc *rpc)
{
    struct rpc_home *home = rpc->home;
    void *handle = rpc->method->handle;

    atomic_fetch_add(&home->handed, 1);
    if (handle)
        return grpc_server_request_registered_call(
            home->server, handle, &rpc->call, &rpc->deadline, &rpc->metadata,
            &rpc->body.payload, home->queue, home->queue, &rpc->arrived);
    return grpc_server_request_call(home->server, &rpc->call, &rpc->details,
                                    &rpc->metadata, home->queue, home->queue,
                                    &rpc->arrived);
}

/* The analyzer takes any rpc_unref for the last: NOLINTBEGIN(*-unix.Malloc) */
static void
on_arrived(struct rpc *rpc, bool ok)
{
    if (!ok) { /* the server stops */
        drop_arrival(rpc);
        rpc_unref(rpc);
        return;
    }
    if (rpc_await(rpc->home, rpc->method)) {
        drop_arrival(rpc);
        grpc_call_cancel(rpc->call, NULL);
        drop_call(rpc);
        if (request_call(rpc))
            rpc_unref(rpc);
        return;
    }
    if (!rpc->method->handle) {
        start_close(rpc);
        start_read(rpc);
        return;
    }
    if (grpc_body_is_lost(&rpc->body, rpc->call)) {
        drop_arrival(rpc);
        grpc_body_tell_lost(rpc->call);
        start_close(rpc);
        rpc_unref(rpc);
        return;
    }
    atomic_fetch_add(&rpc->refs, 1);
    take(rpc);
    start_close(rpc);
    rpc_unref(rpc);
}
/* NOLINTEND(*-unix.Malloc) */

enum err
rpc_await(struct rpc_home *home, const struct rpc_method *method)
{
    struct rpc *rpc = calloc(1, sizeof(*rpc));

    if (!rpc)
        return ERR_NOMEM;
    rpc_home_ref(home);
    rpc->home = rpc->charge.home = home;
    rpc->method = method;
    atomic_init(&rpc->refs, 1);
    grpc_metadata_array_init(&rpc->metadata);
    grpc_call_details_init(&rpc->details);
    rpc->arrived = (struct rpc_tag){rpc, on_arrived};
    rpc->read = (struct rpc_tag){rpc, on_read};
    rpc->closed = (struct rpc_tag){rpc, on_closed};
    rpc->sent = (struct rpc_tag){rpc, on_sent};
    if (request_call(rpc) == GRPC_CALL_OK)
        return OK;
    drop_arrival(rpc);
    rpc_unref(rpc);
    return ERR_NOMEM;
}
