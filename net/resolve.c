/*
 * The target may come in any form, absolute too; path and query are cut out of
 * it.  All of it views the exchange's text, which must not grow any more.
 */
#include "net/resolve.h"

#include <stdlib.h>
#include <string.h>

static bool
resolve_headers(struct exchange *ex)
{
    const struct exchange_field *fields =
        (const struct exchange_field *)(const void *)ex->fields.ptr;

    if (ex->field_len) {
        ex->headers = malloc(ex->field_len * sizeof(*ex->headers));
        if (!ex->headers)
            return false;
    }
    for (size_t i = 0; i < ex->field_len; i++)
        ex->headers[i] = (struct header){
            .name = exchange_view(ex, fields[i].name),
            .value = exchange_view(ex, fields[i].value),
        };
    ex->req.headers = ex->headers;
    ex->req.header_len = ex->field_len;
    return true;
}

/* Splits the target into path and query, whatever its form. */
static void
resolve_target(struct exchange *ex)
{
    str target = exchange_view(ex, ex->target);
    size_t at = 0;

    if (!target.ptr)
        target = STR("/");
    if (target.len && target.ptr[0] != '/') {
        const char *authority = memmem(target.ptr, target.len, "://", 3);
        if (authority) {
            target = str_cut(target, (size_t)(authority + 3 - target.ptr),
                             target.len);
            while (at < target.len && target.ptr[at] != '/' &&
                   target.ptr[at] != '?')
                at++;
            target = str_cut(target, at, target.len);
        }
    }
    for (at = 0; at < target.len && target.ptr[at] != '#';)
        at++;
    target = str_cut(target, 0, at);
    for (at = 0; at < target.len && target.ptr[at] != '?';)
        at++;
    ex->req.path = str_cut(target, 0, at);
    ex->req.query = str_cut(target, at + 1, target.len);
    if (ex->req.path.len == 0)
        ex->req.path = STR("/");
}

/* The request may outlive the connection whose name it is; before all views of
 * |text|, which moves. */
static bool
resolve_peer(struct exchange *ex)
{
    str name = ex->session->peer.tls_name;
    size_t at = ex->text.len;

    if (name.len == 0)
        return true;
    buf_add(&ex->text, name);
    ex->req.tls_peer_name = str_cut(buf_str(&ex->text), at, ex->text.len);
    return !ex->text.failed;
}

bool
resolve_request(struct exchange *ex)
{
    if (ex->is_resolved)
        return true;
    ex->is_resolved = true;
    if (!resolve_peer(ex))
        return false;
    resolve_target(ex);
    return resolve_headers(ex);
}
