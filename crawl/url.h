/*
 * url - http and https addresses in one spelling.
 *
 * What two parties read differently is refused, not guessed: a crawler that
 * checks one host and asks another is a way past its guards.  A host is a name
 * of letters, digits, `-`, `_` and `.`, four decimal numbers, or IPv6 in
 * brackets; there is no user, and a number in another base is no host.
 *
 * Spelling   Scheme and host in lower case, no default port, no trailing dot,
 *            `.` and `..` resolved, escapes of unreserved characters undone and
 *            others in upper case, no fragment.
 * Threads    Any; pure functions.
 */
#ifndef CRAWL_URL_H
#define CRAWL_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { URL_MAX = 2000 }; /* bytes; sitemaps.org allows 2048 */

struct url {
    struct buf text; /* as above; the rest are views of it */
    bool is_https;
    uint16_t port;
    str host; /* without brackets */
    str path; /* begins with `/` */
    str query;
    bool is_address; /* the host is an IP address */
};
void url_fini(struct url *url);

/*
 * url_parse reads |text|; |why| says what is wrong in a few words, and may be
 * NULL.
 *
 * ERR_INVALID      no http(s) URL, or one that could be read in two ways
 * ERR_DENIED       with a user or password, or a port of other services
 * ERR_UNSUPPORTED  of another scheme
 * ERR_NOMEM
 */
enum err url_parse(str text, struct url *out, struct buf *why);

/* url_join reads |reference|, as it stands in the page |base|. */
enum err url_join(const struct url *base, str reference, struct url *out);

/* url_same_site: one host, and one port or both a default one. */
bool url_same_site(const struct url *a, const struct url *b);

#endif
