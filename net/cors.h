/*
 * cors - lets pages of other origins ask, and read what is answered
 * (https://fetch.spec.whatwg.org/#http-cors-protocol).
 *
 * Answers what a browser asks ahead of a request (a preflight) in the handler's
 * stead, without a token, for it carries none; and marks what the handler
 * answers to a page whose origin is listed.  Who is not listed is handled as if
 * there were no such thing: the browser keeps the answer from the page.
 *
 * Threads    Any.
 */
#ifndef NET_CORS_H
#define NET_CORS_H

#include "net/request.h"

struct cors {
    const char *const *origins;
    size_t origin_len;
    bool has_globs;             /* in |origins| (base/match.h); else each is one
                                   origin */
    const char *const *headers; /* that pages may send, besides Accept,
                                   Content-Type and the like; "*": any */
    size_t header_len;
    const char *methods; /* "GET, POST" */
    const char *exposed; /* headers that pages may read besides those that every
                            page may: "Retry-After, X-Mine"; NULL: Retry-After
                            and WWW-Authenticate */
    uint32_t max_age_s;  /* how long a browser may keep what it asked ahead; 0:
                            not said, which is 5 s */
};

/* cors_take: true if |req| is answered.  If not its handler is to answer it. */
bool cors_take(const struct cors *cors, struct request *req);

/* cors_exposed is what a page may read of |reply|, once it has been marked for
 * one; empty if it has not.  For who writes it to the wire, on the loop: what
 * |cors| lists may be gone when a handler answers late. */
str cors_exposed(const struct cors *cors, const struct reply *reply);

#endif
