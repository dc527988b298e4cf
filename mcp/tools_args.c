/*
 * Arguments.  Whatever is wrong is said with what would be right: the words
 * allowed, the range, the nearest name.
 */
#include "mcp/tools_args.h"

#include <string.h>

#include "graph/routes.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"

str
tool_str(struct tool_run *run, const char *name)
{
    const cJSON *arg = cJSON_GetObjectItemCaseSensitive(run->args, name);

    if (!arg || cJSON_IsNull(arg))
        return (str){"", 0};
    if (!cJSON_IsString(arg)) {
        tool_fail(run, ERR_INVALID, "%s must be a string; try %s%s", name,
                  run->tool->name, run->tool->example);
        return (str){"", 0};
    }
    return str_of(arg->valuestring);
}

/* One segment of a path, with its slash. */
static void
add_segment(struct buf *text, str segment)
{
    bool is_plain = segment.len == 1 || memchr(segment.ptr, '*', segment.len) ||
                    memchr(segment.ptr, '%', segment.len);

    if (is_plain || !route_canonical(segment, 0, text))
        buf_add(text, segment);
}

/* `users/<int:id>/`, `^users/(?P<id>[0-9]+)`: Django's begin with no slash. */
static bool
is_bare_pattern(str path)
{
    if (path.len == 0 || path.ptr[0] == '/' || memchr(path.ptr, '%', path.len))
        return false;
    return path.ptr[0] == '^' || path.ptr[path.len - 1] == '/' ||
           memchr(path.ptr, '<', path.len) || memchr(path.ptr, '{', path.len);
}

str
tool_route(struct tool_run *run, const char *name, struct buf *text)
{
    str route = tool_str(run, name);
    const char *slash = route.len ? memchr(route.ptr, '/', route.len) : NULL;
    const char *space = route.len ? memchr(route.ptr, ' ', route.len) : NULL;
    size_t first = slash ? (size_t)(slash - route.ptr) : 0;
    size_t at = first;
    size_t path = space ? (size_t)(space - route.ptr) + 1 : 0;

    if (is_bare_pattern(str_cut(route, path, route.len))) {
        buf_add(text, str_cut(route, 0, path));
        if (!route_canonical(str_cut(route, path, route.len), 0, text))
            return route;
        if (text->failed)
            run->err = ERR_NOMEM;
        return buf_str(text);
    }
    /* `pkg.Service/Method` is no path. */
    if (!slash || (at > 0 && route.ptr[at - 1] != ' '))
        return route;
    buf_add(text, str_cut(route, 0, at));
    while (at < route.len) {
        size_t end = at + 1;
        while (end < route.len && route.ptr[end] != '/')
            end++;
        /* No slash at the end, but where there is nothing else. */
        if (end - at > 1 || at == first)
            add_segment(text, str_cut(route, at, end));
        at = end;
    }
    if (text->failed)
        run->err = ERR_NOMEM;
    return buf_str(text);
}

int64_t
tool_int(struct tool_run *run, const char *name, int64_t otherwise,
         int64_t least, int64_t most)
{
    const cJSON *arg = cJSON_GetObjectItemCaseSensitive(run->args, name);

    if (!arg || cJSON_IsNull(arg))
        return otherwise;
    /* Not a number is neither below nor above: ask what it is, not is not. */
    bool is_within = cJSON_IsNumber(arg) && arg->valuedouble >= (double)least &&
                     arg->valuedouble <= (double)most;
    if (!is_within || arg->valuedouble != (double)(int64_t)arg->valuedouble) {
        tool_fail(run, ERR_INVALID,
                  "%s must be a whole number from %lld to %lld; try %lld", name,
                  (long long)least, (long long)most, (long long)otherwise);
        return otherwise;
    }
    return (int64_t)arg->valuedouble;
}

enum query_level
tool_level(struct tool_run *run, enum query_level otherwise)
{
    str word = tool_str(run, "level");
    enum query_level level = otherwise;

    if (word.len && !query_level_of(word, &level))
        tool_fail(run, ERR_INVALID,
                  "level \"%.40s\" is none of service, endpoint, symbol",
                  word.ptr);
    return level;
}

uint32_t
tool_kinds(struct tool_run *run)
{
    str word = tool_str(run, "kind");
    uint8_t kind = word.len ? edge_kind_of(word.ptr) : EDGE_NONE;

    if (word.len && kind == EDGE_NONE)
        tool_fail(run, ERR_INVALID,
                  "kind \"%.40s\" is none of call, virtual_in, virtual_out, "
                  "db, msg, msg_pub, msg_sub",
                  word.ptr);
    return kind ? UINT32_C(1) << kind : 0;
}
