#include "tests/support/sse_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/state.h"

struct sse_rig sse;

void
sse_client_init(struct sse_client *one)
{
    peer_init(&one->stream, sse.mcp);
    peer_init(&one->poster, sse.mcp);
    one->stream.req.path = one->poster.req.path = STR("/sse");
    one->stream.req.method = STR("GET");
}

void
sse_client_fini(struct sse_client *one)
{
    peer_fini(&one->stream);
    peer_fini(&one->poster);
}

bool
sse_client_open(struct sse_client *one)
{
    static const char event[] = "event: endpoint\ndata: /sse?";

    peer_post(&one->stream, "");
    if (!one->stream.is_stream)
        return false;
    const char *text = buf_cstr(&one->stream.body);
    assert_memory_equal(text, event, strlen(event));
    text += strlen(event);
    size_t len = strcspn(text, "\n");
    assert_int_equal(len, strlen("sessionId=") + SSE_ID_LEN);
    memcpy(one->query, text, len);
    one->query[len] = '\0';
    one->poster.req.query = str_of(one->query);
    return true;
}

int
sse_client_post(struct sse_client *one, const char *body)
{
    peer_post(&one->poster, body);
    assert_int_equal(one->poster.answers, 1);
    return one->poster.status;
}

const cJSON *
sse_client_last(struct sse_client *one)
{
    cJSON_Delete(one->stream.json);
    one->stream.json = NULL;
    return peer_json(&one->stream);
}

bool
sse_client_got(struct sse_client *one, const char *words)
{
    return strstr(buf_cstr(&one->stream.body), words) != NULL;
}

void
sse_client_go(struct sse_client *one)
{
    one->stream.req.on_cancel(one->stream.req.on_cancel_ctx, &one->stream.req);
}

int
sse_rig_setup(void **state)
{
    static const struct mcp_cfg cfg = {.sse_idle_ms = SSE_RIG_IDLE_MS};

    (void)state;
    if (mcp_new(&sse.mcp, &peer_offer, &cfg))
        return -1;
    sse_client_init(&sse.client);
    return 0;
}

int
sse_rig_teardown(void **state)
{
    (void)state;
    peer_meanwhile = NULL;
    mcp_free(sse.mcp);
    sse_client_fini(&sse.client);
    return 0;
}
