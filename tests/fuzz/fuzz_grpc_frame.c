/*
 * Any bytes as the DATA of a gRPC call, cut anywhere: the call is one whole
 * message or a problem, and the same however it was cut.
 */
#include <assert.h>
#include <stdlib.h>

#include "net/answer.h"
#include "net/grpc_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static enum request_problem result;
static size_t body_len;

static void
handle(void *ctx, struct request *req)
{
    (void)ctx;
    result = req->problem;
    body_len = req->body.len;
    request_reply(req, &(struct reply){.status = 0, .body = req->body});
}

static void
ignore(struct session *session, struct exchange *ex)
{
    (void)session;
    (void)ex;
}

static const struct session_ops ops = {.answered = ignore};

static struct session_env *
env_of(void)
{
    static struct session_env env;

    if (!env.hub) {
        env.hub = hub_new();
        env.inflater = inflater_new();
        env.limits = server_limits_default;
        env.limits.body_bytes = 1 << 16;
        env.limits.budget_bytes = 1 << 20;
        env.handler = handle;
        hub_raise_budget(env.hub, env.limits.budget_bytes);
        hub_open(env.hub, NULL, NULL);
    }
    return &env;
}

static enum request_problem
run(str bytes, size_t step, enum encoding encoding)
{
    struct session session = {.ops = &ops, .env = env_of(), .now_ms = 1};
    struct exchange *ex = exchange_new(&session, NULL);
    struct grpc_frame frame = {.have = 0};
    enum request_problem problem = REQUEST_WHOLE;

    assert(ex);
    ex->req.protocol = REQUEST_GRPC;
    ex->encoding = encoding;
    for (size_t at = 0; at < bytes.len && !problem; at += step)
        problem = grpc_frame_feed(&frame, ex, str_cut(bytes, at, at + step));
    if (!problem)
        problem = grpc_frame_end(&frame, ex);
    exchange_dispatch(ex, problem);
    exchange_release(ex);
    assert(hub_left(session.env->hub) == session.env->limits.budget_bytes);
    return result;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct buf text = {.cap_max = 0};
    uint64_t ms;

    if (len < 2)
        return 0;
    str bytes = {(const char *)data + 2, len - 2};
    enum encoding encoding = (enum encoding)(data[0] % ENCODING_UNKNOWN);
    enum request_problem whole = run(bytes, len, encoding);
    size_t whole_len = body_len;
    enum request_problem cut = run(bytes, (size_t)data[1] + 1, encoding);
    assert(whole == cut && whole_len == body_len);
    if (grpc_timeout_parse(bytes, &ms))
        assert(ms <= UINT64_C(366) * 86400 * 1000);
    grpc_message_encode(&text, bytes);
    grpc_binary_encode(&text, bytes);
    assert(text.len >= bytes.len + bytes.len * 4 / 3);
    (void)grpc_is_content_type(bytes);
    buf_fini(&text);
    return 0;
}
