/*
 * host - whether a Host header names this machine, and an Origin one of its
 * pages.
 *
 * A page of another site can have its own name lead here (DNS rebinding); then
 * the Host header has that name.  Or it asks by a name of this machine; then
 * the Origin header has that of the page.
 *
 * Threads    Any; a pure function.
 */
#ifndef API_HOST_H
#define API_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* host_is_known: an address, localhost, one of |allowed|, of which one with a
 * port is on that port alone, or no header. */
bool host_is_known(str header, const char *const *allowed, size_t len);

/* What an Origin header may be; names are compared whatever their case. */
struct host_pages {
    const char *const *hosts; /* whose pages may ask, as host_is_known */
    size_t host_len;
    const char *const *origins; /* listed: https://graph.example.com */
    size_t origin_len;
};

/* host_knows_page: no |origin|, one that is listed, or a page by http or https
 * of |host|, the request's Host header, of localhost or of one of the hosts. An
 * address is known only as |host|: any site may have one. */
bool host_knows_page(str origin, str host, const struct host_pages *pages);

#endif
