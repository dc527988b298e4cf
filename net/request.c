#include "net/request.h"

bool
reply_has(const struct reply *reply, str name)
{
    for (size_t i = 0; i < reply->header_len; i++)
        if (str_eq(reply->headers[i].name, name))
            return true;
    return false;
}

str
request_header(const struct request *req, str name)
{
    for (size_t i = 0; i < req->header_len; i++)
        if (str_eq(req->headers[i].name, name))
            return req->headers[i].value;
    return (str){NULL, 0};
}

size_t
request_most(request_body_most *ask, void *ctx, const struct request *req,
             size_t limit)
{
    size_t most = ask ? ask(ctx, req) : limit;

    return most < limit ? most : limit;
}

void
request_reply(struct request *req, const struct reply *reply)
{
    req->ops->reply(req, reply);
}

void
request_stream_open(struct request *req, const struct reply *head)
{
    req->ops->stream_open(req, head);
}

bool
request_stream_write(struct request *req, str bytes)
{
    return req->ops->stream_write(req, bytes);
}

void
request_stream_close(struct request *req)
{
    req->ops->stream_close(req);
}
