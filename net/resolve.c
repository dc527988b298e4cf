/*
 * The target may come in any form, absolute too; path and query are cut out of
 * it.  All of it views the exchange's text, which must not grow any more.
 *
 * A target in absolute form says by its host whom it asks, and the header's is
 * to be ignored (RFC 9112, 3.2.2): who is between us and the client may have
 * gone by the one or the other, and what looks at Host alone would be told the
 * wrong one.
 */
#include "net/resolve.h"

#include <stdlib.h>
#include <string.h>

/* |authority|: of the target, or empty. */
static bool
resolve_headers(struct exchange *ex, str authority)
{
    size_t len = ex->field_len;
    bool has_host = authority.len == 0;

    const struct exchange_field *fields =
        (const struct exchange_field *)(const void *)ex->fields.ptr;

    ex->headers = malloc((len + 1) * sizeof(*ex->headers));
    if (!ex->headers)
        return false;
    for (size_t i = 0; i < len; i++) {
        struct header *header = &ex->headers[i];

        *header = (struct header){
            .name = exchange_view(ex, fields[i].name),
            .value = exchange_view(ex, fields[i].value),
        };
        if (authority.len == 0 || !str_eq(header->name, STR("host")))
            continue;
        header->value = authority;
        has_host = true;
    }
    if (!has_host) /* HTTP/1.0 needs none */
        ex->headers[len++] = (struct header){STR("host"), authority};
    ex->req.headers = ex->headers;
    ex->req.header_len = len;
    return true;
}

/* Splits the target into path and query, whatever its form; the host that it
 * names, if it names one. */
static str
resolve_target(struct exchange *ex)
{
    str target = exchange_view(ex, ex->target);
    str host = {NULL, 0};
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
            host = str_cut(target, 0, at);
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
    return host;
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
    return resolve_headers(ex, resolve_target(ex));
}
