/*
 * The rules in the order of spec/attributes.md; each returns an id or 0, and
 * the first that has one wins.  What depends on the strings of its key and on
 * what is declared is kept in the lane's memo, which is emptied when more is
 * declared; matching a raw path is not, both because it would fill the memo
 * with paths and because they should not stay.  With a route is kept of which
 * requests it is not the whole truth: those are looked at each time.
 */
#include "runtime/http_route.h"

#include "base/match.h"
#include "base/redact.h"
#include "graph/route_text.h"

/* In the memo, beside the flags of a stub: where a path matters. */
#define IS_ROOT     (UINT32_C(1) << 31) /* told of what was not found, too */
#define IS_PATHLIKE (UINT32_C(1) << 30) /* has values and no variable */
/* A path of so many segments goes on where the route ends, and a declared route
 * may know how; 0: none does. */
#define LONGER_SHIFT 16
#define LONGER_MAX   UINT32_C(0xff)
#define LONGER       (LONGER_MAX << LONGER_SHIFT)
#define CAUTIONS     (IS_ROOT | IS_PATHLIKE | LONGER)

struct request {
    const struct span *span;
    str raw_method; /* as sent, _OTHER, or none; the key of the memo */
    str method;     /* upper case, _OTHER, or ANY if nobody says one */
    str path;       /* raw, without host; may hold a query */
    str name_path;  /* of a span name `METHOD /path` or `/path` */
};

int64_t
http_route_status(const struct attr_set *attrs)
{
    int64_t status = 0;

    if (!attr_int(attrs, ATTR_HTTP_STATUS, &status))
        (void)attr_int(attrs, ATTR_HTTP_STATUS_OLD, &status);
    return status;
}

bool
http_route_excluded(const struct intake_cfg *cfg, str name)
{
    const char *space = name.len > 0 ? memchr(name.ptr, ' ', name.len) : NULL;
    str path =
        space ? str_cut(name, (size_t)(space - name.ptr) + 1, name.len) : name;

    for (size_t i = 0; i < cfg->exclude_routes_len; i++) {
        str glob = str_of(cfg->exclude_routes[i]);
        if (match_glob(glob, str_starts(glob, STR("/")) ? path : name))
            return true;
    }
    return false;
}

/* Interns `METHOD pattern`, the pattern being in lane->more. */
static struct memo_value
intern(struct intake_lane *lane, const struct request *request, str pattern,
       enum route_source source)
{
    struct memo_value value = {0, 0};

    buf_reset(&lane->text);
    buf_add(&lane->text, request->method);
    buf_add_char(&lane->text, ' ');
    if (source == ROUTE_SOURCE_ATTR || source == ROUTE_SOURCE_NAME)
        redact_add(&lane->text, pattern); /* as somebody wrote it */
    else
        buf_add(&lane->text, pattern);
    if (lane->text.failed || lane->more.failed) {
        lane->err = ERR_NOMEM;
        return value;
    }
    str name = buf_str(&lane->text);
    value.id = nodes_intern_route(lane->nodes, lane->service, name, source);
    if (http_route_excluded(lane->cfg, name))
        value.flags = STUB_SYNTHETIC;
    return value;
}

static str
raw_path(const struct attr_set *attrs)
{
    static const enum attr urls[] = {ATTR_URL_FULL, ATTR_HTTP_URL, ATTR_COUNT};
    str path = attr_str(attrs, ATTR_URL_PATH);

    if (path.len == 0)
        path = text_strip_host(attr_str(attrs, ATTR_HTTP_TARGET));
    if (path.len == 0) /* what Zipkin's instrumentations have */
        path = attr_str(attrs, ATTR_HTTP_PATH);
    if (path.len == 0) {
        str url = lane_first(attrs, urls);
        path = text_strip_host(url);
        if (url.len > 0 && path.len == 0)
            path = STR("/");
    }
    return path;
}

static size_t
count_segments(str path)
{
    size_t count = 0;

    for (size_t i = 0; i < path.len && path.ptr[i] != '?' && path.ptr[i] != '#';
         i++)
        count += path.ptr[i] != '/' && (i == 0 || path.ptr[i - 1] == '/');
    return count;
}

/* A wrong `http.route`, that holds the path itself, would bring every path
 * into the graph.  It shows by having values in it and no variable, which is
 * asked here of the one whose pattern is in lane->more ... */
static bool
is_pathlike(struct intake_lane *lane, str route)
{
    size_t at = lane->more.len;

    if (memchr(lane->more.ptr, '{', at))
        return false;
    route_heuristic(route, &lane->more);
    str guess = str_cut(buf_str(&lane->more), at, lane->more.len);
    bool has_values = guess.len > 0 && memchr(guess.ptr, '{', guess.len);
    lane->more.len = at;
    return has_values;
}

/* ... and by the path that begins with it. */
static bool
is_raw_path(uint32_t cautions, str path, str route)
{
    return (cautions & IS_PATHLIKE) && path.ptr && str_starts(path, route);
}

/* The route that FastAPI's and Starlette's spans tell of what has no path of
 * its own, as an included router since FastAPI keeps it whole, is the path of
 * the request: it shows by a declared route with a variable in its place.
 * Others have routes of their own beside such a one, that are in no code. */
static bool
tells_path(struct intake_lane *lane, const struct request *request, str route)
{
    size_t at = lane->more.len;

    if (!str_eq(lane->scope_name,
                STR("opentelemetry.instrumentation.fastapi")) &&
        !str_eq(lane->scope_name,
                STR("opentelemetry.instrumentation.starlette")))
        return false;
    if (!str_starts(request->path, route) ||
        (request->path.len > route.len && request->path.ptr[route.len] != '?'))
        return false;
    bool is_known = routes_match(lane->routes, lane->service, request->method,
                                 route, &lane->more);
    str found = str_cut(buf_str(&lane->more), at, lane->more.len);
    bool has_variable = is_known && memmem(found.ptr, found.len, "{", 1);
    lane->more.len = at;
    return has_variable;
}

/* Starlette and Express tell of an application in another no more than where it
 * is mounted, Hapi of a plugin no more than what it has itself. */
static uint32_t
longer_of(const struct intake_lane *lane, str method, str pattern)
{
    str rest = STR("{**}");
    size_t longer = count_segments(pattern) + 1;

    if (pattern.len >= rest.len &&
        str_eq(str_cut(pattern, pattern.len - rest.len, pattern.len), rest))
        return 0;
    if (longer > LONGER_MAX ||
        !routes_may_go_on(lane->routes, lane->service, method, pattern))
        return 0;
    return (uint32_t)longer << LONGER_SHIFT;
}

/* Hono's and Spring's spans tell the pattern of what ran for every path, where
 * nothing answered. */
static bool
is_everything(str pattern)
{
    return str_eq(pattern, STR("/{**}"));
}

/* Of |route|, whose pattern is in lane->more. */
static uint32_t
cautions_of(struct intake_lane *lane, const struct request *request, str route)
{
    uint32_t cautions = is_pathlike(lane, route) ? IS_PATHLIKE : 0;

    if (lane->more.len == 1 || is_everything(buf_str(&lane->more)))
        cautions |= IS_ROOT;
    return cautions | longer_of(lane, request->method, buf_str(&lane->more));
}

/* Whether |route| is not the whole truth of this request. */
static bool
is_doubtful(uint32_t cautions, const struct attr_set *attrs, str route)
{
    str path = raw_path(attrs);
    size_t len = count_segments(path);
    size_t longer = (cautions & LONGER) >> LONGER_SHIFT;
    return (longer > 0 && len >= longer) ||
           ((cautions & IS_ROOT) && len > 0 &&
            http_route_status(attrs) == 404) ||
           is_raw_path(cautions, path, route);
}

static bool
is_declared(const struct intake_lane *lane, const struct request *request,
            str pattern)
{
    return routes_is_declared(lane->routes, lane->service, request->method,
                              pattern) ||
           routes_is_declared(lane->routes, lane->service, STR("ANY"), pattern);
}

static bool
is_below(str found, str pattern)
{
    size_t root = pattern.len - (pattern.ptr[pattern.len - 1] == '/');

    return found.len > pattern.len && found.ptr[root] == '/' &&
           memcmp(found.ptr, pattern.ptr, root) == 0;
}

static bool
is_end_of(str found, str pattern)
{
    return found.len > pattern.len &&
           memcmp(found.ptr + found.len - pattern.len, pattern.ptr,
                  pattern.len) == 0;
}

/* The declared route of the path, if it is below the pattern in lane->more or,
 * where that is none, ends with it; else that pattern, as the span says. */
static struct memo_value
by_mount(struct intake_lane *lane, const struct request *request)
{
    size_t len = lane->more.len;
    bool is_own = is_declared(lane, request, buf_str(&lane->more));
    bool is_known = routes_match(lane->routes, lane->service, request->method,
                                 request->path, &lane->more);
    str pattern = str_cut(buf_str(&lane->more), 0, len);
    str found = str_cut(buf_str(&lane->more), len, lane->more.len);

    if (is_known &&
        (is_below(found, pattern) || (!is_own && is_end_of(found, pattern))))
        return intern(lane, request, found, ROUTE_SOURCE_STATIC);
    /* Express's instrumentation of 2024 tells `/` of what it did not find. */
    if ((len == 1 || (is_everything(pattern) && !is_own)) &&
        http_route_status(request->span->attrs) == 404)
        return intern(lane, request, STR(NODE_NAME_UNMATCHED),
                      ROUTE_SOURCE_OVERFLOW);
    return intern(lane, request, pattern, ROUTE_SOURCE_ATTR);
}

/* Rules 1 and 2. */
static struct memo_value
by_attribute(struct intake_lane *lane, const struct request *request,
             const struct memo_key *key)
{
    str route = key->b;
    struct memo_value value = {0, 0};

    buf_reset(&lane->more);
    (void)route_canonical(route, 0, &lane->more);
    if (lane->more.failed)
        return value;
    uint32_t cautions = cautions_of(lane, request, route);
    if (lane->more.failed || is_raw_path(cautions, request->path, route) ||
        tells_path(lane, request, route))
        return value;
    if (cautions && is_doubtful(cautions, request->span->attrs, route))
        return by_mount(lane, request);
    str pattern = buf_str(&lane->more);
    routes_learn_mount(lane->routes, lane->service, request->method, pattern);
    value = intern(lane, request, pattern, ROUTE_SOURCE_ATTR);
    if (value.id)
        lane_remember(lane, key,
                      (struct memo_value){value.id, value.flags | cautions});
    return value;
}

/* Rule 3. */
static struct memo_value
by_table(struct intake_lane *lane, const struct request *request)
{
    buf_reset(&lane->more);
    if (request->path.len == 0 ||
        !routes_match(lane->routes, lane->service, request->method,
                      request->path, &lane->more))
        return (struct memo_value){0, 0};
    return intern(lane, request, buf_str(&lane->more), ROUTE_SOURCE_STATIC);
}

static bool
is_known(struct intake_lane *lane, const struct request *request, str pattern)
{
    if (is_declared(lane, request, pattern))
        return true;
    buf_reset(&lane->text);
    buf_add(&lane->text, request->method);
    buf_add_char(&lane->text, ' ');
    buf_add(&lane->text, pattern);
    uint32_t id = nodes_find(lane->nodes, NODE_ROUTE, lane->service,
                             buf_str(&lane->text), (str){NULL, 0});
    uint8_t source = id ? nodes_get(lane->nodes, id).source : 0;
    return source != ROUTE_SOURCE_NONE && source < ROUTE_SOURCE_HEURISTIC;
}

/* Rule 4. */
static struct memo_value
by_name(struct intake_lane *lane, const struct request *request)
{
    struct memo_key key = {.use = MEMO_NAME,
                           .owner = lane->service,
                           .a = request->raw_method,
                           .b = request->span->name};
    struct memo_value value = {0, 0};

    if (request->name_path.len == 0)
        return value;
    if (memo_find(lane->memo, &key, &value))
        return value;
    buf_reset(&lane->more);
    (void)route_canonical(request->name_path, 0, &lane->more);
    str pattern = buf_str(&lane->more);
    if (lane->more.failed || (!memmem(pattern.ptr, pattern.len, "{", 1) &&
                              !is_known(lane, request, pattern)))
        return value;
    value = intern(lane, request, pattern, ROUTE_SOURCE_NAME);
    lane_remember(lane, &key, value);
    return value;
}

/* Rules 5 to 7. */
static struct memo_value
by_path(struct intake_lane *lane, const struct request *request)
{
    struct memo_key key = {
        .use = MEMO_TEMPLATE, .owner = lane->service, .a = request->method};
    str path = request->path.len > 0 ? request->path : request->name_path;
    struct memo_value value = {0, 0};

    if (http_route_status(request->span->attrs) == 404)
        return intern(lane, request, STR(NODE_NAME_UNMATCHED),
                      ROUTE_SOURCE_OVERFLOW);
    if (path.len == 0)
        return value;
    buf_reset(&lane->more);
    route_heuristic(path, &lane->more);
    size_t end = lane->more.len;
    key.b = buf_str(&lane->more);
    if (lane->more.failed || memo_find(lane->memo, &key, &value))
        return value;
    /* The template is read from what it is appended to, which may move. */
    if (!buf_grow(&lane->more, 2 * end + 64)) {
        lane->err = ERR_NOMEM;
        return value;
    }
    key.b = str_cut(buf_str(&lane->more), 0, end);
    routes_template(lane->routes, lane->service, request->method, key.b,
                    &lane->more);
    value = intern(lane, request,
                   str_cut(buf_str(&lane->more), end, lane->more.len),
                   ROUTE_SOURCE_HEURISTIC);
    lane_remember(lane, &key, value);
    return value;
}

static bool
is_other(str method)
{
    return str_eq(method, STR("_OTHER"));
}

/* The raw method, and the path if the name is `[METHOD ]/path`.  A first word
 * of the name that is no known method is a method nobody knows. */
static bool
read_request(const struct span *span, struct request *out)
{
    str named = {NULL, 0};
    str name = span->name;

    out->span = span;
    out->raw_method =
        lane_either(span->attrs, ATTR_HTTP_METHOD, ATTR_HTTP_METHOD_OLD);
    bool is_unknown = is_other(out->raw_method);
    if (is_unknown)
        out->raw_method = attr_str(span->attrs, ATTR_HTTP_METHOD_ORIGINAL);
    str rest = text_strip_method(span->name, &named);
    if (rest.len > 0 && rest.ptr[0] == '/')
        out->name_path = rest;
    if (!lane_has_any(span->attrs, ATTR_HTTP_METHOD, ATTR_HTTP_STATUS_OLD) &&
        out->name_path.len == 0)
        return false;
    if (out->raw_method.len == 0)
        out->raw_method = named;
    if (out->raw_method.len == 0 &&
        (is_unknown || (out->name_path.len == 0 && name.len > 0 &&
                        memmem(name.ptr, name.len, " /", 2))))
        out->raw_method = STR("_OTHER");
    return true;
}

/* Nobody says one of the handshake of a WebSocket. */
static str
method_of(str raw)
{
    str method = text_method(raw);

    if (method.len > 0)
        return method;
    return raw.len > 0 ? STR("_OTHER") : STR("ANY");
}

static bool
is_memoized(struct intake_lane *lane, const struct span *span, str raw_method,
            struct memo_key *key, struct memo_value *out)
{
    key->b = lane_either(span->attrs, ATTR_HTTP_ROUTE, ATTR_URL_TEMPLATE);
    if (key->b.len == 0)
        return false;
    key->use = MEMO_ROUTE;
    key->owner = lane->service;
    key->a = raw_method;
    if (!memo_find(lane->memo, key, out))
        return false;
    uint32_t cautions = out->flags & CAUTIONS;
    out->flags &= ~CAUTIONS;
    return !cautions || !is_doubtful(cautions, span->attrs, key->b);
}

struct memo_value
http_route_find(struct intake_lane *lane, const struct span *span)
{
    struct request request = {.span = NULL};
    struct memo_key key = {.use = MEMO_NONE};
    struct memo_value value = {0, 0};
    str method =
        lane_either(span->attrs, ATTR_HTTP_METHOD, ATTR_HTTP_METHOD_OLD);
    bool is_usual = method.len > 0 && !is_other(method);

    /* The usual span says its method and route: no need to read its name. */
    if (!is_usual) {
        if (!read_request(span, &request))
            return value;
        method = request.raw_method;
    }
    if (is_memoized(lane, span, method, &key, &value))
        return value;
    if (is_usual)
        (void)read_request(span, &request);
    request.method = method_of(request.raw_method);
    request.path = raw_path(span->attrs);
    if (key.use != MEMO_NONE)
        value = by_attribute(lane, &request, &key);
    if (!value.id)
        value = by_table(lane, &request);
    if (!value.id)
        value = by_name(lane, &request);
    if (!value.id)
        value = by_path(lane, &request);
    return value;
}
