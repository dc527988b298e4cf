/*
 * A handler answers through request.ops, so what stands before the transport's
 * own marks what goes by; the Origin is the request's still.
 */
#include "net/cors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/match.h"
#include "net/answer.h"

static bool
eq_nocase(str a, str b)
{
    return a.len == b.len && (!a.len || !strncasecmp(a.ptr, b.ptr, a.len));
}

/* Cuts the first of a list with commas off, without the space around it. */
static str
next_of(str *list)
{
    const char *comma = list->len ? memchr(list->ptr, ',', list->len) : NULL;
    size_t len = comma ? (size_t)(comma - list->ptr) : list->len;
    str item = str_cut(*list, 0, len);

    *list = str_cut(*list, comma ? len + 1 : len, list->len);
    while (item.len && (item.ptr[0] == ' ' || item.ptr[0] == '\t'))
        item = str_cut(item, 1, item.len);
    while (item.len &&
           (item.ptr[item.len - 1] == ' ' || item.ptr[item.len - 1] == '\t'))
        item.len--;
    return item;
}

static bool
allows_origin(const struct cors *cors, str origin)
{
    for (size_t i = 0; origin.len && i < cors->origin_len; i++) {
        str allowed = str_of(cors->origins[i]);
        if (cors->has_globs ? match_glob(allowed, origin)
                            : eq_nocase(allowed, origin))
            return true;
    }
    return false;
}

static bool
allows_method(const struct cors *cors, str method)
{
    str list = str_of(cors->methods);

    while (list.len)
        if (str_eq(next_of(&list), method))
            return true;
    return false;
}

static bool
allows_header(const struct cors *cors, str name)
{
    static const str plain[] = {
        STR_INIT("accept"),           STR_INIT("accept-language"),
        STR_INIT("content-language"), STR_INIT("content-type"),
        STR_INIT("origin"),           STR_INIT("x-requested-with"),
    };

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        if (eq_nocase(plain[i], name))
            return true;
    for (size_t i = 0; i < cors->header_len; i++)
        if (strcmp(cors->headers[i], "*") == 0 ||
            eq_nocase(str_of(cors->headers[i]), name))
            return true;
    return name.len == 0;
}

static bool
allows_headers(const struct cors *cors, str names)
{
    while (names.len)
        if (!allows_header(cors, next_of(&names)))
            return false;
    return true;
}

/* ---- what goes back ---- */

static const struct header credentials = {
    STR_INIT("access-control-allow-credentials"), STR_INIT("true")};

static void
reply_ahead(const struct cors *cors, struct request *req, str method,
            str headers)
{
    char age[16];

    snprintf(age, sizeof(age), "%u", (unsigned)cors->max_age_s);
    const struct header all[] = {
        {STR("access-control-allow-origin"),
         request_header(req, STR("origin"))},
        credentials,
        {STR("vary"), STR("Origin, Access-Control-Request-Method, "
                          "Access-Control-Request-Headers")},
        {STR("access-control-allow-methods"), method},
        {STR("access-control-allow-headers"), headers},
        {STR("access-control-max-age"), str_of(age)},
    };
    struct reply reply = {.status = 204, .headers = all};

    reply.header_len = sizeof(all) / sizeof(all[0]) - !cors->max_age_s;
    request_reply(req, &reply);
}

enum { MARKS = 3 };

/* Without memory it goes as it is, and the page may not read it. */
static void
mark(struct request *req, const struct reply *reply,
     void (*send)(struct request *req, const struct reply *reply))
{
    struct header *all = malloc((reply->header_len + MARKS) * sizeof(*all));
    struct reply marked = *reply;

    if (!all) {
        send(req, reply);
        return;
    }
    if (reply->header_len)
        memcpy(all, reply->headers, reply->header_len * sizeof(*all));
    struct header *to = all + reply->header_len;

    to[0] = (struct header){STR("access-control-allow-origin"),
                            request_header(req, STR("origin"))};
    to[1] = credentials;
    to[2] = (struct header){STR("vary"), STR("Origin")};
    marked.headers = all;
    marked.header_len += MARKS;
    send(req, &marked);
    free(all);
}

static void
mark_reply(struct request *req, const struct reply *reply)
{
    mark(req, reply, answer_ops.reply);
}

static void
mark_open(struct request *req, const struct reply *head)
{
    mark(req, head, answer_ops.stream_open);
}

static bool
pass_write(struct request *req, str bytes)
{
    return answer_ops.stream_write(req, bytes);
}

static void
pass_close(struct request *req)
{
    answer_ops.stream_close(req);
}

static const struct request_ops marking_ops = {
    .reply = mark_reply,
    .stream_open = mark_open,
    .stream_write = pass_write,
    .stream_close = pass_close,
};

str
cors_exposed(const struct cors *cors, const struct reply *reply)
{
    if (!cors || !reply_has(reply, STR("access-control-allow-origin")) ||
        reply_has(reply, STR("access-control-allow-methods")))
        return (str){NULL, 0};
    return cors->exposed ? str_of(cors->exposed)
                         : STR("Retry-After, WWW-Authenticate");
}

bool
cors_take(const struct cors *cors, struct request *req)
{
    str method = request_header(req, STR("access-control-request-method"));
    str headers = request_header(req, STR("access-control-request-headers"));

    if (req->protocol != REQUEST_HTTP ||
        !allows_origin(cors, request_header(req, STR("origin"))))
        return false;
    if (!str_eq(req->method, STR("OPTIONS")) || !method.len) {
        req->ops = &marking_ops;
        return false;
    }
    if (!allows_method(cors, method) || !allows_headers(cors, headers))
        return false;
    reply_ahead(cors, req, method, headers);
    return true;
}
