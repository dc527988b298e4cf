/*
 * One lock guards the table and every write to a subscription, so that no two
 * threads write to one request.  A subscription has a call of its own, made
 * from the one that asked; the table owns it.
 *
 * What ends is taken out of the table under the lock and ended after it: the
 * end of an answer waits for a transport that may be telling us, in
 * listen_cancel, that the client is gone.
 */
#include "mcp/listen.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/method.h"

#define SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"

static const struct {
    const char *filter;
    const char *notice;
} kinds[] = {
    [MCP_LIST_TOOLS] = {"toolsListChanged", "notifications/tools/list_changed"},
    [MCP_LIST_PROMPTS] = {"promptsListChanged",
                          "notifications/prompts/list_changed"},
    [MCP_LIST_RESOURCES] = {"resourcesListChanged",
                            "notifications/resources/list_changed"},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

void
listen_init(struct listen *listen)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&listen->mutex, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&listen->stop, &attr);
    pthread_condattr_destroy(&attr);
}

void
listen_fini(struct listen *listen)
{
    pthread_cond_destroy(&listen->stop);
    pthread_mutex_destroy(&listen->mutex);
}

/* Calls taken out of the table, to be ended once the lock is released. */
struct ended {
    struct mcp_call *calls[LISTEN_MAX];
    size_t len;
};

static void
take_out(struct subscription *subscription, struct ended *ended)
{
    ended->calls[ended->len++] = subscription->call;
    *subscription = (struct subscription){0};
}

static void
drop_all(const struct ended *ended)
{
    for (size_t i = 0; i < ended->len; i++) {
        ended->calls[i]->channel->drop(ended->calls[i]);
        call_free(ended->calls[i]);
    }
}

/* Notification parameters that say to which subscription they belong. */
static cJSON *
tagged_params(const struct mcp_call *call)
{
    cJSON *params = cJSON_CreateObject();
    cJSON *meta = cJSON_AddObjectToObject(params, "_meta");

    cJSON_AddRawToObject(meta, SUBSCRIPTION_ID, call->msg.id);
    return params;
}

static bool
acknowledge(struct mcp_call *call, unsigned wants)
{
    cJSON *params = tagged_params(call);
    cJSON *honoured = cJSON_AddObjectToObject(params, "notifications");

    for (size_t i = 0; i < KINDS; i++)
        if (wants & 1u << i)
            cJSON_AddTrueToObject(honoured, kinds[i].filter);
    return call_notify(call, "notifications/subscriptions/acknowledged",
                       params);
}

static void
beat_all(struct listen *listen, struct ended *ended)
{
    for (size_t i = 0; i < LISTEN_MAX; i++) {
        struct subscription *one = &listen->subscriptions[i];
        if (one->call && !one->call->channel->beat(one->call))
            take_out(one, ended);
    }
}

static void *
run_beat(void *arg)
{
    struct listen *listen = arg;
    uint64_t next = clock_mono_ns() + LISTEN_BEAT_MS * NS_PER_MS;

    thread_set_name("mcp-listen");
    pthread_mutex_lock(&listen->mutex);
    while (!listen->stopped) {
        struct ended ended = {.len = 0};
        struct timespec until = {
            .tv_sec = (time_t)(next / NS_PER_S),
            .tv_nsec = (long)(next % NS_PER_S),
        };
        if (pthread_cond_timedwait(&listen->stop, &listen->mutex, &until) == 0)
            continue;
        next += LISTEN_BEAT_MS * NS_PER_MS;
        beat_all(listen, &ended);
        pthread_mutex_unlock(&listen->mutex);
        drop_all(&ended);
        pthread_mutex_lock(&listen->mutex);
    }
    pthread_mutex_unlock(&listen->mutex);
    return NULL;
}

/* A call that outlives |call| and answers in its place. */
static struct mcp_call *
continue_call(const struct mcp_call *call)
{
    struct mcp_call *kept =
        call_new(call->mcp, call->channel, call->channel_ctx);

    if (!kept)
        return NULL;
    memcpy(kept->msg.id, call->msg.id, sizeof(kept->msg.id));
    kept->rev = call->rev;
    kept->can_stream = call->can_stream;
    kept->must_stream = call->must_stream;
    return kept;
}

/* Enters |call|; the lock is held.  False when it cannot be. */
static bool
enter(struct listen *listen, const struct mcp_call *call, unsigned wants,
      struct ended *ended)
{
    struct subscription *slot = NULL;

    for (size_t i = 0; i < LISTEN_MAX && !slot; i++)
        if (!listen->subscriptions[i].call)
            slot = &listen->subscriptions[i];
    if (!slot || listen->stopped || !call->can_stream)
        return false;
    if (!listen->has_beat)
        listen->has_beat =
            pthread_create(&listen->beat, NULL, run_beat, listen) == 0;
    struct mcp_call *kept = continue_call(call);
    if (!kept)
        return false;
    *slot = (struct subscription){.call = kept, .wants = wants};
    if (!acknowledge(kept, wants) || atomic_load(&call->gone))
        take_out(slot, ended);
    return true;
}

void
method_listen(struct mcp_call *call)
{
    struct listen *listen = &call->mcp->listen;
    const cJSON *filter = json_member(call->msg.params, "notifications");
    struct ended ended = {.len = 0};
    unsigned wants = 0;

    if (!cJSON_IsObject(filter)) {
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "subscriptions/listen takes {\"notifications\": object}");
        return;
    }
    for (size_t i = 0; i < KINDS; i++)
        if (cJSON_IsTrue(json_member(filter, kinds[i].filter)))
            wants |= 1u << i;

    pthread_mutex_lock(&listen->mutex);
    bool entered = enter(listen, call, wants, &ended);
    pthread_mutex_unlock(&listen->mutex);
    drop_all(&ended);
    if (!entered)
        call_error(call, 503, RPC_INTERNAL_ERROR, NULL,
                   "no more subscriptions now, or the client does not accept "
                   "text/event-stream");
}

void
listen_send(struct listen *listen, enum mcp_list list)
{
    struct ended ended = {.len = 0};

    pthread_mutex_lock(&listen->mutex);
    for (size_t i = 0; i < LISTEN_MAX; i++) {
        struct subscription *one = &listen->subscriptions[i];
        if (!one->call || !(one->wants & 1u << list))
            continue;
        if (!call_notify(one->call, kinds[list].notice,
                         tagged_params(one->call)))
            take_out(one, &ended);
    }
    pthread_mutex_unlock(&listen->mutex);
    drop_all(&ended);
}

bool
listen_cancel(struct listen *listen, const void *channel_ctx, const char *id)
{
    struct ended ended = {.len = 0};

    pthread_mutex_lock(&listen->mutex);
    for (size_t i = 0; i < LISTEN_MAX && ended.len == 0; i++) {
        struct subscription *one = &listen->subscriptions[i];
        if (one->call && one->call->channel_ctx == channel_ctx &&
            (!id || strcmp(one->call->msg.id, id) == 0))
            take_out(one, &ended);
    }
    pthread_mutex_unlock(&listen->mutex);
    drop_all(&ended);
    return ended.len != 0;
}

/* The result that ends a subscription names it once more. */
static void
answer_end(struct mcp_call *call)
{
    static const char open[] = "\"_meta\":{";
    str tail = buf_str(&call->mcp->prepared[call->rev].tail);
    struct buf out = {0};

    rpc_add_head(&out, call->msg.id);
    buf_printf(&out, "\"result\":{\"resultType\":\"complete\",%s\"%s\":%s,",
               open, SUBSCRIPTION_ID, call->msg.id);
    buf_add(&out, str_cut(tail, sizeof(open) - 1, tail.len));
    buf_add(&out, STR("}}"));
    call->channel->answer(call, 200, buf_str(&out));
    buf_fini(&out);
}

void
listen_stop(struct listen *listen)
{
    struct ended ended = {.len = 0};

    pthread_mutex_lock(&listen->mutex);
    bool had_beat = listen->has_beat;
    listen->stopped = true;
    listen->has_beat = false;
    pthread_cond_broadcast(&listen->stop);
    for (size_t i = 0; i < LISTEN_MAX; i++) {
        struct subscription *one = &listen->subscriptions[i];
        if (one->call)
            take_out(one, &ended);
    }
    pthread_mutex_unlock(&listen->mutex);
    for (size_t i = 0; i < ended.len; i++) {
        answer_end(ended.calls[i]);
        call_free(ended.calls[i]);
    }
    if (had_beat)
        pthread_join(listen->beat, NULL);
}
