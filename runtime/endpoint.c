#include "runtime/endpoint.h"

#include <strings.h>

#include "base/redact.h"
#include "graph/route_text.h"
#include "runtime/http_route.h"

/* What is served by |name|: a method, which code may declare, or what has its
 * name from elsewhere. */
enum naming { AS_DECLARED, AS_ASKED };

static struct memo_value
intern(struct intake_lane *lane, enum node_kind kind, str name,
       enum naming naming)
{
    struct memo_value value = {0, 0};

    if (lane->text.failed) {
        lane->err = ERR_NOMEM;
        return value;
    }
    if (naming == AS_ASKED)
        value.id = nodes_intern_asked(lane->nodes, lane->service, name);
    else
        value.id = nodes_intern(lane->nodes, kind, lane->service, name,
                                (str){NULL, 0});
    if (http_route_excluded(lane->cfg, name))
        value.flags = STUB_SYNTHETIC;
    return value;
}

/* What of a request of MCP there are few of, and which it is: by attribute or,
 * where that is left out, as the span's name ends.  Of resources there may be
 * as many as there are values. */
static str
mcp_target(const struct span *span, str method)
{
    static const struct {
        str method;
        enum attr target;
    } named[] = {
        {STR_INIT("tools/call"), ATTR_GEN_AI_TOOL},
        {STR_INIT("prompts/get"), ATTR_GEN_AI_PROMPT},
    };
    str target = {NULL, 0};

    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (!str_eq(method, named[i].method))
            continue;
        target = attr_str(span->attrs, named[i].target);
        if (target.len == 0 && span->name.len > method.len + 1 &&
            str_starts(span->name, method) && span->name.ptr[method.len] == ' ')
            target = str_cut(span->name, method.len + 1, span->name.len);
    }
    return target;
}

/* A request of MCP, by its conventions.  One of HTTP that tells what it carries
 * is of its route. */
static struct memo_value
by_mcp(struct intake_lane *lane, const struct span *span)
{
    struct memo_key key = {.use = MEMO_MCP, .owner = lane->service};
    struct memo_value value = {0, 0};

    key.a = attr_str(span->attrs, ATTR_MCP_METHOD);
    if (key.a.len == 0 ||
        lane_either(span->attrs, ATTR_HTTP_METHOD, ATTR_HTTP_METHOD_OLD).len)
        return value;
    key.b = mcp_target(span, key.a);
    if (memo_find(lane->memo, &key, &value))
        return value;
    buf_reset(&lane->text);
    redact_add(&lane->text, key.a);
    if (key.b.len > 0)
        buf_add_char(&lane->text, ' ');
    redact_add(&lane->text, key.b);
    value = intern(lane, NODE_RPC, buf_str(&lane->text), AS_ASKED);
    lane_remember(lane, &key, value);
    return value;
}

/* `/pkg.Svc/Method` is `pkg.Svc/Method`. */
static str
plain_method(str method)
{
    return str_starts(method, STR("/")) ? str_cut(method, 1, method.len)
                                        : method;
}

/* JavaScript's spans are named `grpc.pkg.Svc/Method`. */
static str
plain_name(str name)
{
    name = plain_method(name);
    return str_starts(name, STR("grpc.")) ? str_cut(name, 5, name.len) : name;
}

/* Is |name| of the form `pkg.Service/Method`?  Without an RPC attribute only
 * the package makes it one. */
static bool
is_method_name(str name, bool needs_package)
{
    size_t slashes = 0;
    size_t dots = 0;

    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        slashes += c == '/';
        dots += c == '.' && slashes == 0;
        if (!text_is_alnum(c) && !strchr("._$/", c))
            return false;
    }
    return slashes == 1 && name.ptr[0] != '/' &&
           name.ptr[name.len - 1] != '/' && (dots > 0 || !needs_package);
}

static struct memo_value
by_rpc_name(struct intake_lane *lane, const struct span *span, bool is_rpc)
{
    str name = plain_name(span->name);

    buf_reset(&lane->text);
    return is_method_name(name, !is_rpc)
               ? intern(lane, NODE_RPC, name, AS_DECLARED)
               : (struct memo_value){0, 0};
}

/* JSON-RPC has methods and no services that code would declare. */
static enum naming
naming_of(const struct attr_set *attrs)
{
    str system = lane_either(attrs, ATTR_RPC_SYSTEM, ATTR_RPC_SYSTEM_OLD);

    return str_eq(system, STR("jsonrpc")) ? AS_ASKED : AS_DECLARED;
}

static struct memo_value
by_rpc(struct intake_lane *lane, const struct span *span)
{
    const struct attr_set *attrs = span->attrs;
    struct memo_key key = {.use = MEMO_RPC, .owner = lane->service};
    struct memo_value value = {0, 0};

    key.b = attr_str(attrs, ATTR_RPC_METHOD);
    if (str_eq(key.b, STR("_OTHER")) &&
        attr_str(attrs, ATTR_RPC_METHOD_ORIGINAL).len > 0)
        key.b = attr_str(attrs, ATTR_RPC_METHOD_ORIGINAL);
    if (key.b.len == 0)
        return by_rpc_name(lane, span, true);
    bool is_whole = memchr(key.b.ptr, '/', key.b.len);
    if (!is_whole)
        key.a = attr_str(attrs, ATTR_RPC_SERVICE);
    if (memo_find(lane->memo, &key, &value))
        return value;
    buf_reset(&lane->text);
    if (key.a.len > 0) {
        redact_add(&lane->text, key.a);
        buf_add_char(&lane->text, '/');
    }
    redact_add(&lane->text, is_whole ? plain_method(key.b) : key.b);
    value = intern(lane, NODE_RPC, buf_str(&lane->text), naming_of(attrs));
    lane_remember(lane, &key, value);
    return value;
}

/* The function that was triggered; its name is often the resource's. */
static struct memo_value
by_function(struct intake_lane *lane, const struct span *span)
{
    str name = attr_str(span->attrs, ATTR_FAAS_NAME);

    if (name.len == 0 && lane->resource)
        name = attr_str(lane->resource, ATTR_FAAS_NAME);
    buf_reset(&lane->text);
    redact_add(&lane->text, name);
    return name.len > 0 ? intern(lane, NODE_RPC, buf_str(&lane->text), AS_ASKED)
                        : (struct memo_value){0, 0};
}

static uint32_t
or_service(struct intake_lane *lane, struct memo_value value, uint32_t *flags)
{
    *flags |= value.flags;
    return value.id ? value.id : lane->service;
}

uint32_t
endpoint_of_server(struct intake_lane *lane, const struct span *span,
                   uint32_t *flags)
{
    struct memo_value value = {0, 0};

    if (lane_has_any(span->attrs, ATTR_MCP_METHOD, ATTR_RPC_SERVICE)) {
        value = by_mcp(lane, span);
        if (!value.id &&
            lane_has_any(span->attrs, ATTR_RPC_SYSTEM, ATTR_RPC_SERVICE))
            value = by_rpc(lane, span);
    }
    if (!value.id &&
        !lane_has_any(span->attrs, ATTR_HTTP_METHOD, ATTR_HTTP_STATUS_OLD))
        value = by_rpc_name(lane, span, false);
    if (!value.id)
        value = http_route_find(lane, span);
    if (!value.id)
        value = by_function(lane, span);
    return or_service(lane, value, flags);
}

uint32_t
endpoint_of_consumer(struct intake_lane *lane, const struct span *span,
                     uint32_t topic, uint32_t *flags)
{
    struct memo_key key = {.use = MEMO_CONSUMER, .owner = lane->service};
    struct memo_value value = {0, 0};

    if (!topic)
        return or_service(lane, by_function(lane, span), flags);
    key.b = (str){(const char *)&topic, sizeof(topic)};
    if (!memo_find(lane->memo, &key, &value)) {
        buf_reset(&lane->text);
        value = intern(lane, NODE_CONSUMER, nodes_get(lane->nodes, topic).name,
                       AS_DECLARED);
        lane_remember(lane, &key, value);
    }
    return or_service(lane, value, flags);
}

/* By the name of the status, which Connect writes in lower case, else by its
 * number. */
static bool
is_rpc_refused(const struct attr_set *attrs)
{
    static const enum attr names[] = {ATTR_RPC_STATUS, ATTR_RPC_STATUS_OLD,
                                      ATTR_RPC_CONNECT_ERROR,
                                      ATTR_RPC_JSON_ERROR, ATTR_COUNT};
    static const struct {
        int64_t code;
        str name;
    } refusals[] = {
        {7, STR_INIT("PERMISSION_DENIED")},
        {12, STR_INIT("UNIMPLEMENTED")},
        {16, STR_INIT("UNAUTHENTICATED")},
        {-32601, STR_INIT("-32601")}, /* JSON-RPC: no such method */
    };
    str name = lane_first(attrs, names);
    int64_t code = 0;

    if (name.len == 0 && !attr_int(attrs, ATTR_RPC_GRPC_STATUS, &code) &&
        attr_int(attrs, ATTR_RPC_JSON_ERROR, &code) && code > 0)
        return false; /* a number of the application's own */
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (code == refusals[i].code ||
            (name.ptr && name.len == refusals[i].name.len &&
             strncasecmp(name.ptr, refusals[i].name.ptr, name.len) == 0))
            return true;
    return false;
}

bool
endpoint_refused(const struct attr_set *attrs)
{
    int64_t status = http_route_status(attrs);

    return status == 401 || status == 403 || status == 404 || status == 405 ||
           (lane_has_any(attrs, ATTR_RPC_STATUS, ATTR_RPC_JSON_ERROR) &&
            is_rpc_refused(attrs));
}
