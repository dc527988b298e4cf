/*
 * Names of routes, taken apart and compared segment by segment.  An exact fit
 * may accuse; the others only clear: an observed `/api/users/{}` may well be
 * the declared `/users/{}` behind a mount prefix, and then it is not dead.
 */
#include <string.h>
#include <strings.h>

#include "graph/audit_candidate.h"
#include "graph/route_text.h"

str
route_path_trim(str path)
{
    while (path.len && path.ptr[0] == '/')
        path = str_cut(path, 1, path.len);
    while (path.len && path.ptr[path.len - 1] == '/')
        path.len--;
    return path;
}

struct route_name
route_name_of(str name)
{
    const char *space = name.len ? memchr(name.ptr, ' ', name.len) : NULL;

    if (!space)
        return (struct route_name){.method = {"", 0},
                                   .path = route_path_trim(name)};
    return (struct route_name){
        .method = str_cut(name, 0, (size_t)(space - name.ptr)),
        .path = route_path_trim(
            str_cut(name, (size_t)(space - name.ptr) + 1, name.len)),
    };
}

bool
route_is_unmatched(const struct query_node *node)
{
    return str_eq(route_name_of(node->name).path, STR(NODE_NAME_UNMATCHED));
}

bool
route_is_catch_all(const struct query_node *node)
{
    str path = route_name_of(node->name).path;

    return node->source == ROUTE_SOURCE_OVERFLOW || route_is_unmatched(node) ||
           str_eq(path, STR(NODE_NAME_OTHER)) ||
           str_eq(path, STR(NODE_NAME_OVERFLOW));
}

bool
route_is_named(const struct query_node *node)
{
    return node->source == ROUTE_SOURCE_ATTR ||
           node->source == ROUTE_SOURCE_NAME;
}

bool
route_is_asked(const struct query_node *node)
{
    bool has_service =
        node->name.len > 0 && memchr(node->name.ptr, '/', node->name.len);

    return node->kind == NODE_RPC && node->source != ROUTE_SOURCE_OVERFLOW &&
           (node->source == ROUTE_SOURCE_HEURISTIC || !has_service);
}

bool
route_method_fits(str declared, str observed)
{
    return str_eq(declared, observed) || str_eq(declared, STR("ANY")) ||
           str_eq(observed, STR("ANY")) || declared.len == 0 ||
           observed.len == 0 ||
           (str_eq(declared, STR("GET")) && str_eq(observed, STR("HEAD")));
}

/* Cuts the first segment off |path|. */
static str
next_segment(str *path)
{
    const char *slash = path->len ? memchr(path->ptr, '/', path->len) : NULL;
    size_t len = slash ? (size_t)(slash - path->ptr) : path->len;
    str segment = str_cut(*path, 0, len);

    *path = str_cut(*path, slash ? len + 1 : len, path->len);
    return segment;
}

static bool
is_variable(str segment)
{
    return str_eq(segment, STR("{}"));
}

/* May |b| be a value of |a|, or the same word in another case? */
static bool
may_be(str a, str b)
{
    return (a.len == b.len && a.len && !strncasecmp(a.ptr, b.ptr, a.len)) ||
           text_fits(a, b);
}

static bool
covers(str a, str b, bool is_loose)
{
    while (a.len && b.len) {
        str left = next_segment(&a);
        str right = next_segment(&b);

        if (str_eq(left, STR("{**}")))
            return true;
        if (!is_variable(left) &&
            !(is_loose ? may_be(left, right) : str_eq(left, right)))
            return false;
        if (is_variable(left) && str_eq(right, STR("{**}")))
            return false;
    }
    return b.len == 0 && (a.len == 0 || str_eq(a, STR("{**}")));
}

bool
route_covers(str a, str b)
{
    return covers(a, b, false);
}

static bool
has_literal(str path)
{
    while (path.len) {
        if (next_segment(&path).ptr[0] != '{')
            return true;
    }
    return false;
}

/* |whole| is |part| behind a prefix without variables or, where it |may_vary|,
 * that is one: the language, the tenant. */
static bool
is_behind(str whole, str part, bool may_vary)
{
    str prefix;

    if (part.len == 0 || whole.len <= part.len + 1)
        return false;
    prefix = str_cut(whole, 0, whole.len - part.len - 1);
    return whole.ptr[prefix.len] == '/' &&
           str_eq(str_cut(whole, prefix.len + 1, whole.len), part) &&
           ((may_vary && is_variable(prefix)) ||
            !memchr(prefix.ptr, '{', prefix.len));
}

static bool
is_mounted(str whole, str part, bool may_vary)
{
    return has_literal(part) && is_behind(whole, part, may_vary);
}

static bool
ends_open(str path)
{
    str last = {"", 0};

    while (path.len)
        last = next_segment(&path);
    return str_eq(last, STR("{**}"));
}

enum fit
route_fits(struct route_name declared, struct route_name observed,
           bool is_guess)
{
    if (!route_method_fits(declared.method, observed.method))
        return FIT_NONE;
    if (str_eq(declared.path, observed.path))
        return FIT_EXACT;
    /* A call of `/status` is none of a declared `/{}/status`. */
    if (is_mounted(observed.path, declared.path, true) ||
        is_mounted(declared.path, observed.path, false))
        return FIT_MOUNTED;
    /* A catch-all takes whatever its prefix takes, named or guessed. */
    bool is_open = ends_open(declared.path);
    if ((is_guess || is_open) && route_covers(declared.path, observed.path))
        return FIT_GUESSED;
    return FIT_NONE;
}

enum fit
route_clears(struct route_name declared, struct route_name observed,
             bool is_guess)
{
    enum fit fit = route_fits(declared, observed, is_guess);

    if (fit != FIT_NONE || !route_method_fits(declared.method, observed.method))
        return fit;
    if (!is_guess)
        return is_behind(declared.path, observed.path, false) ? FIT_MOUNTED
                                                              : FIT_NONE;
    return covers(declared.path, observed.path, true) ||
                   (!ends_open(observed.path) &&
                    covers(observed.path, declared.path, false))
               ? FIT_GUESSED
               : FIT_NONE;
}

size_t
candidates_from(const struct candidate *rows, size_t declared, uint32_t service,
                str path)
{
    size_t low = 0;
    size_t high = declared;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct candidate *c = &rows[mid];

        if (c->service < service ||
            (c->service == service &&
             str_order(route_path_trim(c->route.pattern), path) < 0))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
