/*
 * remote - a running service, asked over HTTP: pages and MCP tools.
 *
 * What the subcommands with --server share.  Nothing is printed: |why| says
 * what is wrong, for whoever asked.
 *
 * Errors     ERR_INVALID: not such a URL, or the tool does not take that;
 *            ERR_DENIED: 401; ERR_IO: no answer, or another than was asked for;
 *            ERR_NOMEM.
 * Threads    Any; nothing is shared.
 */
#ifndef CMD_REMOTE_H
#define CMD_REMOTE_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"

struct remote {
    const char *server; /* URL, with or without /mcp */
    const char *token;  /* "": none */
    uint32_t timeout_ms;
};

/* remote_read_token appends the first line of |file|, or if that is NULL what
 * SPANGRAPH_TOKEN holds, which may be nothing.  ERR_IO. */
enum err remote_read_token(const char *file, struct buf *out, struct buf *why);

/* remote_get fetches |path|; any status is an answer. */
enum err remote_get(const struct remote *remote, const char *path, int *status,
                    struct buf *body, struct buf *why);

/* remote_call calls |tool| with |args|, which it frees.  |out| is the
 * structured content, for cJSON_Delete, and has |member|, an array. */
enum err remote_call(const struct remote *remote, const char *tool, cJSON *args,
                     const char *member, cJSON **out, struct buf *why);

#endif
