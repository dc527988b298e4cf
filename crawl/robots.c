/*
 * Two passes over the lines: the first finds whether a group names the agent,
 * the second takes the rules of the groups that count.  A group is a run of
 * user-agent lines and what follows up to the next such run.
 */
#include "crawl/robots.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "crawl/fields.h"
#include "crawl/url.h"

enum { DELAY_MAX_MS = 3600 * 1000 };

struct line {
    str name;
    str value;
};

static str
trim(str text)
{
    while (text.len && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = str_cut(text, 1, text.len);
    while (text.len &&
           (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    return text;
}

static bool
is_called(str name, const char *other)
{
    return name.len == strlen(other) &&
           strncasecmp(name.ptr, other, name.len) == 0;
}

/* The next line that says something; false: there is none. */
static bool
next_line(str text, size_t *at, struct line *out)
{
    while (*at < text.len) {
        size_t end = *at;
        const char *mark;
        str line;

        while (end < text.len && text.ptr[end] != '\n' && text.ptr[end] != '\r')
            end++;
        line = str_cut(text, *at, end);
        *at = end + 1;
        mark = line.len ? memchr(line.ptr, '#', line.len) : NULL;
        if (mark)
            line.len = (size_t)(mark - line.ptr);
        mark = line.len ? memchr(line.ptr, ':', line.len) : NULL;
        if (!mark)
            continue;
        out->name = trim(str_cut(line, 0, (size_t)(mark - line.ptr)));
        out->value =
            trim(str_cut(line, (size_t)(mark - line.ptr) + 1, line.len));
        return true;
    }
    return false;
}

/* Names what follows its product token, as in `spangraph/1.0`. */
static bool
is_agent(str value, str agent)
{
    size_t len = 0;

    while (len < value.len && (isalpha((unsigned char)value.ptr[len]) ||
                               strchr("_-", value.ptr[len])))
        len++;
    return len > 0 && len == agent.len &&
           strncasecmp(value.ptr, agent.ptr, len) == 0;
}

static bool
names_agent(str text, str agent)
{
    struct line line;
    size_t at = 0;

    while (next_line(text, &at, &line))
        if (is_called(line.name, "user-agent") && is_agent(line.value, agent))
            return true;
    return false;
}

/* As url does it, so that both sides of a comparison are spelt alike. */
static void
add_pattern(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c == '%' && i + 2 < text.len &&
            str_hex_digit(text.ptr[i + 1]) >= 0 &&
            str_hex_digit(text.ptr[i + 2]) >= 0) {
            int byte = 16 * str_hex_digit(text.ptr[i + 1]) +
                       str_hex_digit(text.ptr[i + 2]);

            i += 2;
            if (isalnum(byte) || (byte && strchr("-._~", byte)))
                buf_add_char(out, (char)byte);
            else
                buf_printf(out, "%%%02X", (unsigned)byte);
        } else if (c <= ' ' || c >= 0x7f) {
            buf_printf(out, "%%%02X", c);
        } else {
            buf_add_char(out, (char)c);
        }
    }
}

static enum err
add_rule(struct robots *out, str pattern, bool allows)
{
    uint32_t at = (uint32_t)out->text.len;

    /* Nothing disallowed is everything allowed. */
    if (pattern.len == 0 || out->len == ROBOTS_RULES)
        return OK;
    add_pattern(&out->text, pattern);
    if (out->text.failed)
        return ERR_NOMEM;
    out->rules[out->len++] =
        (struct robots_rule){at, (uint32_t)out->text.len - at, allows};
    return OK;
}

static void
take_delay(struct robots *out, str value)
{
    char text[16] = "";

    if (value.len >= sizeof(text))
        return;
    memcpy(text, value.ptr, value.len);
    double seconds = strtod(text, NULL);
    if (seconds > 0 && seconds * 1000 < DELAY_MAX_MS)
        out->delay_ms = (uint32_t)(seconds * 1000);
    else if (seconds > 0)
        out->delay_ms = DELAY_MAX_MS;
}

static void
take_sitemap(struct robots *out, str value)
{
    if (value.len == 0 || value.len > URL_MAX ||
        out->sitemap_len == ROBOTS_MAPS)
        return;
    field_add(&out->sitemaps, value);
    out->sitemap_len++;
}

static enum err
take_line(struct robots *out, const struct line *line)
{
    if (is_called(line->name, "allow"))
        return add_rule(out, line->value, true);
    if (is_called(line->name, "disallow"))
        return add_rule(out, line->value, false);
    if (is_called(line->name, "crawl-delay"))
        take_delay(out, line->value);
    return OK;
}

enum err
robots_read(struct robots *out, str text, str agent)
{
    struct line line;
    size_t at = 0;
    bool in_names = false; /* of a group's user-agent lines */
    bool counts = false;
    enum err err = OK;

    *out = (struct robots){.text = {.cap_max = (size_t)4 * ROBOTS_BYTES}};
    text = str_cut(text, 0, ROBOTS_BYTES);
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_cut(text, 3, text.len);
    out->rules = calloc(ROBOTS_RULES, sizeof(*out->rules));
    if (!out->rules)
        return ERR_NOMEM;
    bool has_own = names_agent(text, agent);
    while (!err && next_line(text, &at, &line)) {
        if (is_called(line.name, "user-agent")) {
            bool is_ours = has_own ? is_agent(line.value, agent)
                                   : str_eq(line.value, STR("*"));

            counts = is_ours || (in_names && counts);
            in_names = true;
        } else if (is_called(line.name, "sitemap")) {
            take_sitemap(out, line.value); /* of no group, and ends none */
        } else {
            in_names = false;
            err = counts ? take_line(out, &line) : OK;
        }
    }
    if (!err && out->sitemaps.failed)
        err = ERR_NOMEM;
    if (err)
        robots_fini(out);
    return err;
}

void
robots_fini(struct robots *robots)
{
    buf_fini(&robots->text);
    buf_fini(&robots->sitemaps);
    free(robots->rules);
    *robots = (struct robots){0};
}

/* `*` is any run of bytes, `$` at the end the end; else what |pattern| begins
 * counts.  Goes back to the last `*` only, so no pattern costs more than
 * pattern * path. */
static bool
fits(str pattern, str path)
{
    bool to_end = pattern.len && pattern.ptr[pattern.len - 1] == '$';
    size_t p = 0;
    size_t at = 0;
    size_t run_p = SIZE_MAX;
    size_t run_at = 0;

    pattern.len -= to_end;
    while (p < pattern.len || (to_end && at < path.len)) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            run_p = ++p;
            run_at = at;
        } else if (p < pattern.len && at < path.len &&
                   pattern.ptr[p] == path.ptr[at]) {
            p++;
            at++;
        } else if (run_p != SIZE_MAX && run_at < path.len) {
            p = run_p;
            at = ++run_at;
        } else {
            return false;
        }
    }
    return true;
}

bool
robots_allows(const struct robots *robots, str path)
{
    uint32_t longest = 0;
    bool allows = true;

    if (str_eq(path, STR("/robots.txt")))
        return true;
    for (size_t i = 0; i < robots->len; i++) {
        const struct robots_rule *rule = &robots->rules[i];
        str pattern = {robots->text.ptr + rule->at, rule->len};

        if (rule->len < longest || (rule->len == longest && allows) ||
            !fits(pattern, path))
            continue;
        allows = rule->len == longest ? allows || rule->allows : rule->allows;
        longest = rule->len;
    }
    return allows;
}
