/*
 * jsonrpc - the envelope of a JSON-RPC 2.0 message: taken apart, put together.
 *
 * Ids are never interpreted: an id is kept as the bytes it was sent as and goes
 * back as those bytes, so that 9007199254740993 and "7" return unharmed.
 * The same goes for a progressToken that is a number: it is a raw item in
 * |params|.
 *
 * Memory     rpc_fini frees what a message holds, also after a failed parse.
 * Threads    None.
 */
#ifndef MCP_JSONRPC_H
#define MCP_JSONRPC_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/str.h"

enum { RPC_ID_MAX = 256 }; /* bytes of an id as it is written in JSON */

enum rpc_code {
    RPC_OK = 0,
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_RESOURCE_NOT_FOUND = -32002, /* before 2026-07-28 only */
    RPC_HEADER_MISMATCH = -32020,    /* since 2026-07-28, as all below */
    RPC_MISSING_CAPABILITY = -32021,
    RPC_UNSUPPORTED_VERSION = -32022,
};

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

struct rpc_msg {
    enum rpc_kind kind;
    char id[RPC_ID_MAX + 1]; /* a JSON string or integer; "null": none known */
    const char *method;      /* NULL for a response */
    cJSON *params;           /* an object, or NULL */
    cJSON *root;             /* owns the two above */
};

/*
 * rpc_parse takes |text| apart.  On failure |why| says what is wrong, and
 * out->id is the sender's id as far as it could be read.
 *
 * RPC_PARSE_ERROR      not JSON, or over the bounds of json_scan
 * RPC_INVALID_REQUEST  JSON, but no message: a batch, no "jsonrpc", a bad id
 * RPC_INTERNAL_ERROR   no memory
 */
enum rpc_code rpc_parse(struct rpc_msg *out, str text, const char **why);
void rpc_fini(struct rpc_msg *msg);

/* rpc_cancelled is the id that a notifications/cancelled calls off, as it was
 * written there; NULL if it names none. */
const char *rpc_cancelled(const struct rpc_msg *notice);

/* rpc_add_head appends `{"jsonrpc":"2.0","id":ID,`. */
void rpc_add_head(struct buf *out, const char *id);

/* rpc_add_error appends a whole error response; |data| may be NULL. */
void rpc_add_error(struct buf *out, const char *id, enum rpc_code code,
                   str message, const cJSON *data);

/* rpc_add_notice appends a whole notification; |params| may be NULL. */
void rpc_add_notice(struct buf *out, const char *method, const cJSON *params);

#endif
