/*
 * The next minute of cron is found by going through days, at most eight years
 * of them (a 29th of February that is also a Monday comes within 28 years, but
 * both kinds of days given mean either), and then through the day's minutes.
 */
#include "knowledge/schedule.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { DAYS_AHEAD = 8 * 366, S_DAY = 86400, S_MINUTE = 60 };

static bool
is_word(str text, const char *word)
{
    return text.len == strlen(word) &&
           strncasecmp(text.ptr, word, text.len) == 0;
}

static bool
read_number(str text, size_t *at, uint32_t *out)
{
    size_t from = *at;

    *out = 0;
    while (*at < text.len && isdigit((unsigned char)text.ptr[*at]) &&
           *at - from < 9)
        *out = *out * 10 + (uint32_t)(text.ptr[(*at)++] - '0');
    return *at > from;
}

static enum err
parse_every(str text, struct schedule *out)
{
    static const struct {
        char unit;
        uint32_t seconds;
    } units[] = {
        {'s', 1}, {'m', 60}, {'h', 3600}, {'d', S_DAY}, {'w', 7 * S_DAY}};
    size_t at = 0;
    uint32_t count;

    if (!read_number(text, &at, &count) || at + 1 != text.len)
        return ERR_INVALID;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        uint64_t every = (uint64_t)count * units[i].seconds;

        if (text.ptr[at] != units[i].unit || every < SCHEDULE_MIN_S ||
            every > SCHEDULE_MAX_S)
            continue;
        out->every_s = (uint32_t)every;
        return OK;
    }
    return ERR_INVALID;
}

/* ---- the fields of cron ---- */

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                     "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const weekdays[] = {"sun", "mon", "tue", "wed",
                                       "thu", "fri", "sat"};

static const struct field {
    uint32_t least;
    uint32_t most;
    const char *const *names;
    uint32_t name_len;
} fields[5] = {
    {0, 59, NULL, 0},    {0, 23, NULL, 0},    {1, 31, NULL, 0},
    {1, 12, months, 12}, {0, 7, weekdays, 7},
};

static bool
read_value(const struct field *field, str text, size_t *at, uint32_t *out)
{
    if (read_number(text, at, out))
        return *out >= field->least && *out <= field->most;
    for (uint32_t i = 0; i < field->name_len; i++)
        if (text.len - *at >= 3 &&
            strncasecmp(text.ptr + *at, field->names[i], 3) == 0) {
            *at += 3;
            *out = i + field->least;
            return true;
        }
    return false;
}

/* `*`, `5`, `1-5`, any of them with `/2`. */
static bool
read_part(const struct field *field, str text, uint64_t *bits)
{
    size_t at = 0;
    uint32_t from = field->least;
    uint32_t to = field->most;
    uint32_t step = 1;
    bool is_all = text.len && text.ptr[0] == '*';

    if (is_all)
        at = 1;
    else if (!read_value(field, text, &at, &from))
        return false;
    else
        to = from;
    if (!is_all && at < text.len && text.ptr[at] == '-') {
        at++;
        if (!read_value(field, text, &at, &to) || to < from)
            return false;
    }
    if (at < text.len && text.ptr[at] == '/') {
        bool is_one = !is_all && to == from;

        at++;
        if (!read_number(text, &at, &step) || step == 0)
            return false;
        if (is_one)
            to = field->most;
    }
    if (at != text.len)
        return false;
    for (uint64_t i = from; i <= to; i += step)
        *bits |= UINT64_C(1) << i;
    return true;
}

static bool
read_field(const struct field *field, str text, uint64_t *bits)
{
    size_t from = 0;

    *bits = 0;
    for (size_t at = 0; at <= text.len; at++) {
        if (at < text.len && text.ptr[at] != ',')
            continue;
        if (!read_part(field, str_cut(text, from, at), bits))
            return false;
        from = at + 1;
    }
    return true;
}

static enum err
parse_cron(str text, struct schedule *out)
{
    uint64_t bits[5];
    str parts[5];
    size_t at = 0;

    for (int i = 0; i < 5; i++) {
        size_t from;

        while (at < text.len && text.ptr[at] == ' ')
            at++;
        from = at;
        while (at < text.len && text.ptr[at] != ' ')
            at++;
        parts[i] = str_cut(text, from, at);
        if (!read_field(&fields[i], parts[i], &bits[i]))
            return ERR_INVALID;
    }
    if (at != text.len)
        return ERR_INVALID;
    out->minutes = bits[0];
    out->hours = (uint32_t)bits[1];
    out->days = (uint32_t)bits[2];
    out->months = (uint32_t)bits[3];
    out->weekdays = (uint32_t)(bits[4] | bits[4] >> 7) & 0x7f;
    out->any_day = parts[2].ptr[0] == '*';
    out->any_weekday = parts[4].ptr[0] == '*';
    return OK;
}

enum err
schedule_parse(str text, struct schedule *out)
{
    static const struct {
        const char *word;
        uint32_t every_s;
    } words[] = {{"hourly", 3600},
                 {"daily", S_DAY},
                 {"weekly", 7 * S_DAY},
                 {"monthly", 30 * S_DAY}};

    *out = (struct schedule){0};
    while (text.len && text.ptr[text.len - 1] == ' ')
        text.len--;
    while (text.len && text.ptr[0] == ' ')
        text = str_cut(text, 1, text.len);
    str word =
        text.len && text.ptr[0] == '@' ? str_cut(text, 1, text.len) : text;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (is_word(word, words[i].word)) {
            out->every_s = words[i].every_s;
            return OK;
        }
    if (memchr(text.len ? text.ptr : "", ' ', text.len))
        return parse_cron(text, out);
    return parse_every(text, out);
}

/* Both kinds of days given: either will do, as cron has always had it. */
static bool
is_day(const struct schedule *schedule, const struct tm *tm)
{
    bool by_day = schedule->days >> tm->tm_mday & 1;
    bool by_weekday = schedule->weekdays >> tm->tm_wday & 1;

    if (!(schedule->months >> (tm->tm_mon + 1) & 1))
        return false;
    if (schedule->any_day || schedule->any_weekday)
        return by_day && by_weekday;
    return by_day || by_weekday;
}

uint32_t
schedule_next(const struct schedule *schedule, uint32_t last_s)
{
    uint64_t first = ((uint64_t)last_s / S_MINUTE + 1) * S_MINUTE;
    uint64_t day = first / S_DAY * S_DAY;

    if (last_s == 0)
        return 0;
    if (schedule->every_s)
        return last_s > UINT32_MAX - schedule->every_s
                   ? UINT32_MAX
                   : last_s + schedule->every_s;
    for (int i = 0; i < DAYS_AHEAD; i++, day += S_DAY) {
        time_t at = (time_t)day;
        struct tm tm;

        gmtime_r(&at, &tm);
        if (!is_day(schedule, &tm))
            continue;
        for (uint64_t s = day > first ? day : first; s < day + S_DAY;
             s += S_MINUTE)
            if (schedule->hours >> (s - day) / 3600 & 1 &&
                schedule->minutes >> (s - day) / 60 % 60 & 1)
                return s < UINT32_MAX ? (uint32_t)s : UINT32_MAX;
    }
    return UINT32_MAX;
}
