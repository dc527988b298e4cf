#include "mcp/jsonrpc.h"

#include <string.h>

#include "mcp/json.h"

/* A string, or an integer without fraction and exponent. */
static bool
is_id(str token)
{
    if (token.len == 0 || token.len > RPC_ID_MAX)
        return false;
    if (token.ptr[0] == '"')
        return true;
    for (size_t i = token.ptr[0] == '-'; i < token.len; i++)
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return false;
    return true;
}

static void
keep_id(struct rpc_msg *msg, str token)
{
    memcpy(msg->id, token.ptr, token.len);
    msg->id[token.len] = '\0';
}

/* Of a message that is refused before all of it was read; what is escaped in
 * its id may be why. */
static void
keep_plain_id(struct rpc_msg *msg, str token)
{
    if (is_id(token) && !memchr(token.ptr, '\\', token.len))
        keep_id(msg, token);
}

/* A response has a result or an error and no method. */
static const char *
check_response(struct rpc_msg *msg, bool has_id)
{
    bool has_result = json_member(msg->root, "result") != NULL;
    bool has_error = json_member(msg->root, "error") != NULL;

    if (has_result == has_error)
        return "a message has a \"method\", a \"result\" or an \"error\"";
    if (!has_id)
        return "a response needs the \"id\" of its request";
    msg->kind = RPC_RESPONSE;
    return NULL;
}

static const char *
check_call(struct rpc_msg *msg, const cJSON *method, bool has_id)
{
    cJSON *params = json_member(msg->root, "params");

    if (!cJSON_IsString(method))
        return "\"method\" must be a string";
    if (json_member(msg->root, "result") || json_member(msg->root, "error"))
        return "a message is a request or a response, not both";
    if (params && !cJSON_IsObject(params) && !cJSON_IsNull(params))
        return "\"params\" must be an object";
    msg->kind = has_id ? RPC_REQUEST : RPC_NOTIFICATION;
    msg->method = method->valuestring;
    msg->params = cJSON_IsObject(params) ? params : NULL;
    return NULL;
}

static const char *
check_envelope(struct rpc_msg *msg, str id)
{
    static const char *const once[] = {"jsonrpc", "id",     "method",
                                       "params",  "result", "error"};

    if (cJSON_IsArray(msg->root))
        return "batches are not supported; send one message at a time";
    if (!cJSON_IsObject(msg->root))
        return "a message is a JSON object";

    const cJSON *item = json_member(msg->root, "id");
    for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++)
        if (!json_is_unique(msg->root, once[i]))
            return "a member appears twice in the message";
    if (item && !is_id(id))
        return "\"id\" must be a string or an integer of at most 256 bytes";
    if (item)
        keep_id(msg, id);
    const char *version = json_text(msg->root, "jsonrpc");
    if (!version || strcmp(version, "2.0") != 0)
        return "\"jsonrpc\" must be \"2.0\"";
    const cJSON *method = json_member(msg->root, "method");
    return method ? check_call(msg, method, item != NULL)
                  : check_response(msg, item != NULL);
}

/* Puts how it was written in place of the member of |object| that stands at
 * |path| in |text| and is called |name|. */
static void
keep_raw(cJSON *object, const char *name, str text, const char *const *path)
{
    struct buf raw = {0};

    buf_add(&raw, json_token(text, path));
    cJSON *item = raw.len ? cJSON_CreateRaw(buf_cstr(&raw)) : NULL;
    if (!cJSON_ReplaceItemInObjectCaseSensitive(object, name, item))
        cJSON_Delete(item);
    buf_fini(&raw);
}

/* What is held against an id is no more interpreted than that; a number that
 * goes back does not pass through a double. */
static void
keep_tokens(struct rpc_msg *msg, str text)
{
    static const char *const asked[] = {"params", "requestId", NULL};
    static const char *const token[] = {"params", "_meta", "progressToken",
                                        NULL};
    cJSON *meta = json_member(msg->params, "_meta");

    if (json_member(msg->params, "requestId"))
        keep_raw(msg->params, "requestId", text, asked);
    if (cJSON_IsNumber(json_member(meta, "progressToken")))
        keep_raw(meta, "progressToken", text, token);
}

enum rpc_code
rpc_parse(struct rpc_msg *out, str text, const char **why)
{
    str id = {0};

    *out = (struct rpc_msg){.kind = RPC_REQUEST, .id = "null"};
    if (!json_scan(text, &id, why)) {
        keep_plain_id(out, id);
        return RPC_PARSE_ERROR;
    }
    uint64_t failures = json_failures();
    out->root = cJSON_ParseWithLength(text.ptr, text.len);
    if (!out->root && json_failures() != failures) {
        *why = "out of memory; try again";
        return RPC_INTERNAL_ERROR;
    }
    if (!out->root) {
        keep_plain_id(out, id);
        *why = "half a surrogate pair in a string";
        return RPC_PARSE_ERROR;
    }
    *why = check_envelope(out, id);
    if (*why)
        return RPC_INVALID_REQUEST;
    keep_tokens(out, text);
    return RPC_OK;
}

const char *
rpc_cancelled(const struct rpc_msg *notice)
{
    const cJSON *id = json_member(notice->params, "requestId");

    return cJSON_IsRaw(id) ? id->valuestring : NULL;
}

void
rpc_fini(struct rpc_msg *msg)
{
    cJSON_Delete(msg->root);
    msg->root = NULL;
    msg->params = NULL;
    msg->method = NULL;
}

void
rpc_add_head(struct buf *out, const char *id)
{
    buf_add(out, STR("{\"jsonrpc\":\"2.0\",\"id\":"));
    buf_add(out, str_of(id));
    buf_add_char(out, ',');
}

void
rpc_add_error(struct buf *out, const char *id, enum rpc_code code, str message,
              const cJSON *data)
{
    rpc_add_head(out, id);
    buf_printf(out, "\"error\":{\"code\":%d,\"message\":", (int)code);
    json_add_string(out, message);
    if (data) {
        buf_add(out, STR(",\"data\":"));
        json_add_tree(out, data);
    }
    buf_add(out, STR("}}"));
}

void
rpc_add_notice(struct buf *out, const char *method, const cJSON *params)
{
    buf_printf(out, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"", method);
    if (params) {
        buf_add(out, STR(",\"params\":"));
        json_add_tree(out, params);
    }
    buf_add_char(out, '}');
}
