/*
 * debug - answers /debug/NAME: who may ask, and in what shape; what is told is
 * its owner's.
 *
 * GET /debug/ lists the names.  Who asks needs a token, if there are any, and
 * by a Host of this machine (api/host.h): a page of another site that has its
 * name lead here is told nothing, nor is any page of another origin.
 *
 * Memory     The configuration's lists and reports outlive it.
 * Threads    debug_handle is called on the loop and answers there, so a report
 *            may take a moment of a loop that serves nothing else.  The rest:
 *            the owner; debug_set_tokens: any.
 */
#ifndef API_DEBUG_H
#define API_DEBUG_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "net/request.h"

struct debug;

struct debug_report {
    const char *name; /* "memory" */
    /* Appends JSON.  ERR_INVALID: |query| is of no use, and |out| says why. */
    enum err (*write)(void *ctx, str query, struct buf *out);
};

struct debug_cfg {
    const struct debug_report *reports;
    size_t len;
    void *ctx;
    const char *const *allowed_hosts; /* besides this machine's */
    size_t allowed_host_len;
};

/* debug_new: ERR_NOMEM. */
enum err debug_new(struct debug **out, const struct debug_cfg *cfg);
void debug_free(struct debug *debug);

/* debug_set_tokens replaces those that let in; none lets everyone in.
 * ERR_INVALID: an empty one; ERR_NOMEM.  On failure the old ones stay. */
enum err
debug_set_tokens(struct debug *debug, const char *const *tokens, size_t len);

/* debug_handle is a request_handler; |ctx| is a struct debug. */
void debug_handle(void *ctx, struct request *req);

#endif
