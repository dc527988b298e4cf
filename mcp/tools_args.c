/*
 * Arguments.  Whatever is wrong is said with what would be right: the words
 * allowed, the range, the nearest name.
 */
#include "mcp/tools_args.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
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

static bool
read_duration(const char *text, uint32_t *out)
{
    static const struct {
        char unit;
        uint32_t seconds;
    } units[] = {{'s', 1},
                 {'m', 60},
                 {'h', S_PER_H},
                 {'d', S_PER_DAY},
                 {'w', 7 * S_PER_DAY},
                 {'y', 365 * S_PER_DAY}};
    char *end;
    unsigned long number;

    if (*text < '0' || *text > '9')
        return false;
    number = strtoul(text, &end, 10);
    if (number > UINT32_MAX || !*end || end[1])
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (units[i].unit == *end &&
            (uint64_t)number * units[i].seconds < UINT32_MAX) {
            *out = (uint32_t)number * units[i].seconds;
            return true;
        }
    }
    return false;
}

/* What lies outside of the scale is its end.  False: there is no such day. */
static bool
instant_of(struct tm tm, uint32_t *out)
{
    int day = tm.tm_mday;
    long offset_s = tm.tm_gmtoff;
    time_t at = timegm(&tm);

    if (tm.tm_mday != day)
        return false;
    at -= offset_s;
    *out = at < 0 ? 0 : at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
    return true;
}

static const char *
skip_fraction(const char *text)
{
    size_t digits = *text == '.' ? strspn(text + 1, "0123456789") : 0;

    return digits > 0 ? text + 1 + digits : text;
}

static bool
read_instant(const char *text, uint32_t *out)
{
    struct tm tm = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    unsigned long number;
    char *rest;

    if (end && (end = strptime(skip_fraction(end), "%z", &tm)) && !*end)
        return instant_of(tm, out);
    tm = (struct tm){0};
    end = strptime(text, "%Y-%m-%d", &tm);
    if (end && *end == '\0')
        return instant_of(tm, out);
    if (*text < '0' || *text > '9')
        return false;
    number = strtoul(text, &rest, 10);
    if (*rest || number > UINT32_MAX)
        return false;
    *out = (uint32_t)number;
    return true;
}

uint32_t
tool_duration(struct tool_run *run, const char *name, uint32_t otherwise)
{
    str text = tool_str(run, name);
    uint32_t value;

    if (text.len == 0)
        return otherwise;
    if (read_duration(text.ptr, &value) && value > 0)
        return value;
    tool_fail(run, ERR_INVALID,
              "%s \"%.40s\" is no duration; use \"1h\", \"24h\", \"7d\"", name,
              text.ptr);
    return otherwise;
}

uint32_t
tool_since(struct tool_run *run)
{
    uint32_t since_s = tool_time(run, "since");
    uint32_t now_s = query_now_s(run->view);

    /* Our clock may be behind the asker's. */
    if (since_s > now_s && since_s - now_s > S_PER_H)
        tool_fail(run, ERR_INVALID,
                  "since \"%.40s\" is yet to come; instants are UTC",
                  tool_str(run, "since").ptr);
    return since_s;
}

uint32_t
tool_time(struct tool_run *run, const char *name)
{
    str text = tool_str(run, name);
    uint32_t now_s = query_now_s(run->view);
    uint32_t value;

    if (text.len == 0 || str_eq(text, STR("all")))
        return 0;
    if (read_duration(text.ptr, &value)) {
        return value < now_s ? now_s - value : 1;
    }
    if (read_instant(text.ptr, &value))
        return value ? value : 1;
    tool_fail(run, ERR_INVALID,
              "%s \"%.40s\" is no time; use a duration like \"15m\", "
              "\"24h\", \"7d\", or an instant like \"2026-01-31T00:00:00Z\"",
              name, text.ptr);
    return 0;
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
