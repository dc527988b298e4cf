/*
 * Times and lengths of time, as people and other tools say them.  A window
 * "since yesterday" begins with that day in UTC; a month is 30 days.
 */
#include "mcp/tools_args.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "knowledge/text.h"
#include "mcp/tools_parts.h"

/* "h", "hr" and "hours" of "h hr hrs hour hours". */
static bool
is_one_of(str word, str words)
{
    while (words.len) {
        const char *space = memchr(words.ptr, ' ', words.len);
        size_t len = space ? (size_t)(space - words.ptr) : words.len;

        if (text_same(word, str_cut(words, 0, len)))
            return true;
        words = str_cut(words, len + (space ? 1 : 0), words.len);
    }
    return false;
}

static uint32_t
unit_of(str word)
{
    static const struct {
        const char *words;
        uint32_t seconds;
    } units[] = {
        {"s sec secs second seconds", 1},  {"m min mins minute minutes", 60},
        {"h hr hrs hour hours", S_PER_H},  {"d day days", S_PER_DAY},
        {"w week weeks", 7 * S_PER_DAY},   {"month months", 30 * S_PER_DAY},
        {"y year years", 365 * S_PER_DAY},
    };

    if (str_eq(word, STR("M"))) /* of dashboards: `now-1M` */
        return 30 * S_PER_DAY;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (is_one_of(word, str_of(units[i].words)))
            return units[i].seconds;
    return 0;
}

/* "24h", "24 hours"; |otherwise| is the number where none is said, 0: there
 * must be one. */
static bool
read_duration(str text, uint64_t otherwise, uint32_t *out)
{
    uint64_t number = 0;
    size_t digits = 0;

    text = text_trim(text);
    for (; digits < text.len && text.ptr[digits] >= '0' &&
           text.ptr[digits] <= '9' && number <= UINT32_MAX;
         digits++)
        number = number * 10 + (uint64_t)(text.ptr[digits] - '0');
    if (digits == 0)
        number = otherwise;
    uint32_t unit = unit_of(text_trim(str_cut(text, digits, text.len)));
    if (unit == 0 || (digits == 0 && otherwise == 0) ||
        number > UINT32_MAX / unit)
        return false;
    *out = (uint32_t)number * unit;
    return true;
}

/* Cuts |front| off |text|, which then begins a length that needs no number. */
static bool
cut_front(str *text, str front)
{
    if (text->len < front.len ||
        !text_same(str_cut(*text, 0, front.len), front))
        return false;
    *text = text_trim(str_cut(*text, front.len, text->len));
    return true;
}

/* How long ago: "24h", "24 hours ago", "last hour", "past 7 days", "now-1h". */
static bool
read_ago(str text, uint32_t *out)
{
    const str ago = STR(" ago");
    str rest = text_trim(text);

    (void)cut_front(&rest, STR("the "));
    if (cut_front(&rest, STR("last ")) || cut_front(&rest, STR("past ")))
        return read_duration(rest, 1, out);
    bool is_one = cut_front(&rest, STR("an ")) || cut_front(&rest, STR("a "));
    if (!is_one)
        (void)cut_front(&rest, STR("now-"));
    if (rest.len > ago.len &&
        text_same(str_cut(rest, rest.len - ago.len, rest.len), ago))
        rest = str_cut(rest, 0, rest.len - ago.len);
    return read_duration(rest, is_one, out);
}

static bool
read_day(str text, uint32_t now_s, uint32_t *out)
{
    uint32_t today_s = now_s - now_s % S_PER_DAY;

    text = text_trim(text);
    if (text_same(text, STR("now")))
        *out = now_s;
    else if (text_same(text, STR("today")))
        *out = today_s;
    else if (text_same(text, STR("yesterday")))
        *out = today_s - S_PER_DAY;
    else
        return false;
    return true;
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
    if (read_duration(text, 0, &value) && value > 0)
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
    if (read_ago(text, &value))
        return value < now_s ? now_s - value : 1;
    if (read_day(text, now_s, &value) || read_instant(text.ptr, &value))
        return value ? value : 1;
    tool_fail(run, ERR_INVALID,
              "%s \"%.40s\" is no time; use a duration like \"15m\", "
              "\"24h\", \"7d\", or an instant like \"2026-01-31T00:00:00Z\"",
              name, text.ptr);
    return 0;
}
