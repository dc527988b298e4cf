/*
 * Answers that are all there is to say: one body, and the request is done.
 */
#include "mcp/call.h"
#include "mcp/http_parts.h"
#include "mcp/json.h"
#include "net/request.h"

void
http_refuse(struct request *req, int status, const struct header *header,
            const char *message)
{
    struct buf out = {0};

    rpc_add_error(&out, "null", RPC_INVALID_REQUEST, str_of(message), NULL);
    request_reply(req, &(struct reply){
                           .status = status,
                           .content_type = STR("application/json"),
                           .body = buf_str(&out),
                           .headers = header,
                           .header_len = header != NULL,
                       });
    buf_fini(&out);
}

void
http_refuse_full(const struct mcp *mcp, struct request *req,
                 const char *message)
{
    char away[STAY_TEXT_CAP];
    const struct header retry = {STR("retry-after"),
                                 stay_text(&mcp->stay, away)};

    http_refuse(req, 503, &retry, message);
}

void
http_reply(const struct mcp *mcp, struct request *req, int status, str json)
{
    char away[STAY_TEXT_CAP];
    const struct header retry = {STR("retry-after"),
                                 stay_text(&mcp->stay, away)};

    request_reply(req, &(struct reply){
                           .status = status,
                           .content_type = STR("application/json"),
                           .body = json,
                           .headers = &retry,
                           .header_len = status == 503,
                       });
}
