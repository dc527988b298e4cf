/*
 * Every file is held compressed, and sent so to who takes it, which all
 * browsers do; for others it is made plain first.
 */
#include "api/ui.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/ui_assets.h"
#include "net/inflate.h"

/* Nothing inline, nothing from elsewhere, no text that becomes markup or code
 * (trusted-types: the page's one policy names its own workers). */
#define POLICY                                                      \
    "default-src 'none'; script-src 'self'; style-src 'self'; "     \
    "img-src 'self' data:; connect-src 'self'; worker-src 'self'; " \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " \
    "require-trusted-types-for 'script'; trusted-types spangraph"

enum { HEADERS = 10 };

static const struct ui_asset *
find(str path)
{
    if (str_eq(path, STR("/")))
        path = STR("/index.html");
    for (size_t i = 0; i < ui_asset_len; i++) {
        if (str_eq(path, str_of(ui_assets[i].path)))
            return &ui_assets[i];
    }
    return NULL;
}

bool
ui_has(str path)
{
    return find(path) != NULL;
}

/* Whether |word| is one of a list with commas, whatever follows it. */
static bool
lists(str list, str word)
{
    for (size_t i = 0; i + word.len <= list.len; i++) {
        bool begins = i == 0 || strchr(", \t", list.ptr[i - 1]);
        size_t end = i + word.len;

        if (begins && strncasecmp(list.ptr + i, word.ptr, word.len) == 0 &&
            (end == list.len || strchr(", \t;", list.ptr[end])))
            return true;
    }
    return false;
}

static bool
takes_gzip(const struct request *req)
{
    str list = request_header(req, STR("accept-encoding"));

    return lists(list, STR("gzip")) && !lists(list, STR("gzip;q=0"));
}

static void
reply(struct request *req, const struct ui_asset *asset, str body, bool is_gzip)
{
    const struct header headers[HEADERS] = {
        {STR("etag"), str_of(asset->etag)},
        {STR("cache-control"), STR("no-cache")},
        {STR("vary"), STR("accept-encoding")},
        {STR("content-security-policy"), STR(POLICY)},
        {STR("x-content-type-options"), STR("nosniff")},
        {STR("x-frame-options"), STR("DENY")},
        {STR("referrer-policy"), STR("no-referrer")},
        {STR("cross-origin-opener-policy"), STR("same-origin")},
        {STR("cross-origin-resource-policy"), STR("same-origin")},
        {STR("content-encoding"), STR("gzip")},
    };

    request_reply(req, &(struct reply){
                           .status = body.len ? 200 : 304,
                           .content_type = str_of(asset->type),
                           .body = body,
                           .headers = headers,
                           .header_len = is_gzip ? HEADERS : HEADERS - 1,
                       });
}

static void
reply_plain(struct request *req, const struct ui_asset *asset, str packed)
{
    struct inflater *inflater = inflater_new();
    char *plain = NULL;
    size_t len = 0;
    enum err err = inflater ? inflate_whole(inflater, ENCODING_GZIP, packed,
                                            asset->plain_len, &plain, &len)
                            : ERR_NOMEM;

    if (err)
        request_reply(req, &(struct reply){.status = 503,
                                           .content_type = STR("text/plain"),
                                           .body = STR("no memory\n")});
    else
        reply(req, asset, (str){plain, len}, false);
    free(plain);
    inflater_free(inflater);
}

void
ui_answer(struct request *req)
{
    const struct ui_asset *asset = find(req->path);

    assert(asset);
    str packed = {(const char *)asset->gzip, asset->gzip_len};
    if (lists(request_header(req, STR("if-none-match")), str_of(asset->etag)))
        reply(req, asset, (str){0}, false);
    else if (takes_gzip(req))
        reply(req, asset, packed, true);
    else
        reply_plain(req, asset, packed);
}
