#include "api/debug.h"

#include <stdlib.h>

#include "api/host.h"
#include "api/write.h"
#include "net/tokens.h"

struct debug {
    struct debug_cfg cfg;
    struct tokens *tokens;
};

static const str prefix = STR_INIT("/debug/");

enum err
debug_new(struct debug **out, const struct debug_cfg *cfg)
{
    struct debug *debug = calloc(1, sizeof(*debug));

    *out = NULL;
    if (!debug || !(debug->tokens = tokens_new())) {
        free(debug);
        return ERR_NOMEM;
    }
    debug->cfg = *cfg;
    *out = debug;
    return OK;
}

void
debug_free(struct debug *debug)
{
    if (!debug)
        return;
    tokens_free(debug->tokens);
    free(debug);
}

enum err
debug_set_tokens(struct debug *debug, const char *const *tokens, size_t len)
{
    return tokens_set(debug->tokens, tokens, len);
}

static void
answer(struct request *req, int status, str body)
{
    struct header headers[] = {
        {STR("cache-control"), STR("no-store")},
        {STR("x-content-type-options"), STR("nosniff")},
        {STR("cross-origin-resource-policy"), STR("same-origin")},
        {STR("content-security-policy"),
         STR("default-src 'none'; frame-ancestors 'none'")},
        {STR("allow"), STR("GET, HEAD")},
    };

    if (status == 401)
        headers[4] = (struct header){STR("www-authenticate"),
                                     STR("Bearer realm=\"spangraph\"")};
    request_reply(req, &(struct reply){
                           .status = status,
                           .content_type = STR("application/json"),
                           .body = body,
                           .headers = headers,
                           .header_len = status == 401 || status == 405 ? 5 : 4,
                       });
}

static void
answer_error(struct request *req, int status, str why)
{
    struct buf body = {0};

    write_open(&body, NULL, '{');
    write_text(&body, "error", why);
    write_close(&body, '}');
    answer(req, status, buf_str(&body));
    buf_fini(&body);
}

static void
answer_names(const struct debug *debug, struct request *req)
{
    struct buf body = {0};

    write_open(&body, NULL, '{');
    write_open(&body, "paths", '[');
    for (size_t i = 0; i < debug->cfg.len; i++) {
        struct buf path = {0};

        buf_add(&path, prefix);
        buf_add(&path, str_of(debug->cfg.reports[i].name));
        write_text(&body, NULL, buf_str(&path));
        buf_fini(&path);
    }
    write_close(&body, ']');
    write_close(&body, '}');
    answer(req, body.failed ? 503 : 200, buf_str(&body));
    buf_fini(&body);
}

static const struct debug_report *
find_report(const struct debug *debug, str path)
{
    str name = str_cut(path, prefix.len, path.len);

    if (!str_starts(path, prefix))
        return NULL;
    for (size_t i = 0; i < debug->cfg.len; i++)
        if (str_eq(str_of(debug->cfg.reports[i].name), name))
            return &debug->cfg.reports[i];
    return NULL;
}

static void
answer_report(const struct debug *debug, const struct debug_report *report,
              struct request *req)
{
    struct buf body = {0};
    enum err err = report->write(debug->cfg.ctx, req->query, &body);

    if (err == ERR_INVALID)
        answer_error(req, 400, buf_str(&body));
    else if (err || body.failed)
        answer_error(req, 503, STR("memory is short; try again"));
    else
        answer(req, 200, buf_str(&body));
    buf_fini(&body);
}

/* Whoever asks in another's name: that of a host, or of a page. */
static bool
is_stranger(const struct debug *debug, const struct request *req)
{
    str host = request_header(req, STR("host"));
    const struct host_pages own = {0};

    return !host_is_known(host, debug->cfg.allowed_hosts,
                          debug->cfg.allowed_host_len) ||
           !host_knows_page(request_header(req, STR("origin")), host, &own);
}

void
debug_handle(void *ctx, struct request *req)
{
    struct debug *debug = ctx;

    if (req->protocol == REQUEST_GRPC) {
        request_reply(req,
                      &(struct reply){.status = GRPC_CODE_UNIMPLEMENTED,
                                      .grpc_message = STR("no such service")});
        return;
    }
    const struct debug_report *report = find_report(debug, req->path);

    if (is_stranger(debug, req))
        answer_error(req, 403,
                     STR("this Host or Origin is not answered; see "
                         "query.allowed_hosts"));
    else if (!tokens_allow(debug->tokens,
                           request_header(req, STR("authorization"))))
        answer_error(req, 401, STR("a bearer token is needed"));
    else if (!str_eq(req->method, STR("GET")) &&
             !str_eq(req->method, STR("HEAD")))
        answer_error(req, 405, STR("GET only"));
    else if (report)
        answer_report(debug, report, req);
    else if (str_eq(req->path, prefix) || str_eq(req->path, STR("/debug")))
        answer_names(debug, req);
    else
        answer_error(req, 404, STR("try /debug/"));
}
