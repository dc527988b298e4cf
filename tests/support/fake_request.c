#include "tests/support/fake_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static void
keep_reply(struct request *req, const struct reply *reply)
{
    struct fake_request *fake = (struct fake_request *)req;

    fake->status = reply->status;
    buf_add(&fake->type, reply->content_type);
    buf_add(&fake->body, reply->body);
    buf_add(&fake->message, reply->grpc_message);
    buf_add(&fake->details, reply->grpc_details);
    for (size_t i = 0; i < reply->header_len; i++)
        buf_printf(&fake->answer_headers, "%.*s: %.*s\n",
                   (int)reply->headers[i].name.len, reply->headers[i].name.ptr,
                   (int)reply->headers[i].value.len,
                   reply->headers[i].value.ptr);
    fake->replies++;
}

static const struct request_ops fake_ops = {.reply = keep_reply};

void
fake_request_init(struct fake_request *fake, enum request_protocol protocol,
                  const char *path, str body)
{
    *fake = (struct fake_request){.status = -1};
    fake->padded = calloc(1, body.len + REQUEST_PAD);
    if (body.len > 0)
        memcpy(fake->padded, body.ptr, body.len);
    fake->req.ops = &fake_ops;
    fake->req.protocol = protocol;
    fake->req.method = STR("POST");
    fake->req.path = str_of(path);
    fake->req.body = (str){fake->padded, body.len};
    fake->req.headers = fake->headers;
    fake->req.received_mono_ns = clock_mono_ns();
}

void
fake_request_header(struct fake_request *fake, const char *name,
                    const char *value)
{
    fake->headers[fake->req.header_len++] =
        (struct header){str_of(name), str_of(value)};
}

void
fake_request_fini(struct fake_request *fake)
{
    free(fake->padded);
    buf_fini(&fake->type);
    buf_fini(&fake->body);
    buf_fini(&fake->message);
    buf_fini(&fake->details);
    buf_fini(&fake->answer_headers);
}

bool
fake_request_has(const struct fake_request *fake, const char *line)
{
    return fake->answer_headers.len > 0 &&
           memmem(fake->answer_headers.ptr, fake->answer_headers.len, line,
                  strlen(line)) != NULL;
}
