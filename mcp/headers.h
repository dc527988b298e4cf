/*
 * headers - what the HTTP headers of a request allow and claim.
 *
 * Two kinds of lies are caught here: a web page that talks to a server on the
 * reader's own machine (Host, Origin), and a request whose headers say one
 * thing to a proxy and whose body says another to us (Mcp-*).
 *
 * Threads    Any thread.
 */
#ifndef MCP_HEADERS_H
#define MCP_HEADERS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/str.h"
#include "mcp/mcp.h"
#include "net/request.h"

/* headers_count sets |value| to the value of |name| (lower case), without the
 * space around it, and returns how often the header is there. */
size_t headers_count(const struct request *req, str name, str *value);

/* headers_is_host_allowed: one Host (or :authority), and it is a loopback name
 * or one of the configuration's. */
bool
headers_is_host_allowed(const struct mcp_cfg *cfg, const struct request *req);

/* headers_is_origin_allowed: no Origin, or one of a page that an allowed host
 * served, or one of the configuration's. */
bool
headers_is_origin_allowed(const struct mcp_cfg *cfg, const struct request *req);

/* headers_bearer is the token of `Authorization: Bearer`, or the empty view. */
str headers_bearer(const struct request *req);

/* headers_is_json: the body is application/json in UTF-8. */
bool headers_is_json(const struct request *req);

/* headers_accept says which of the two the client takes. */
void headers_accept(const struct request *req, bool *json, bool *events);

/*
 * headers_matches says whether the header |name| is there once and means
 * |expected|: byte for byte, after `=?base64?...?=` is decoded.  If not, |why|
 * says what is wrong.
 */
bool headers_matches(const struct request *req, str name, str expected,
                     struct buf *why);

/* headers_mirrors holds the Mcp-Param- headers that the input schema |schema|
 * asks for against the arguments |args| (NULL: none). */
bool headers_mirrors(const struct request *req, const cJSON *schema,
                     const cJSON *args, struct buf *why);

#endif
