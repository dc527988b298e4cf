#include "api/params.h"

#include <string.h>

/* Appends |text| as a form means it.  False: a bad escape, or a NUL, which no
 * name has. */
static bool
decode(str text, struct buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];

        if (byte == '+') {
            byte = ' ';
        } else if (byte == '%') {
            int high = i + 2 < text.len ? str_hex_digit(text.ptr[i + 1]) : -1;
            int low = i + 2 < text.len ? str_hex_digit(text.ptr[i + 2]) : -1;

            if (high < 0 || low < 0)
                return false;
            byte = (char)(unsigned char)(high * 16 + low);
            i += 2;
        }
        if (byte == '\0')
            return false;
        buf_add_char(out, byte);
    }
    return true;
}

static enum err
take_pair(struct params *params, str pair, struct buf *why)
{
    const char *equals = pair.len ? memchr(pair.ptr, '=', pair.len) : NULL;
    size_t len = equals ? (size_t)(equals - pair.ptr) : pair.len;
    struct param *row = &params->rows[params->len];

    if (params->len == PARAMS_MAX) {
        buf_printf(why, "the query string has more than %d parts", PARAMS_MAX);
        return ERR_INVALID;
    }
    row->name = params->text.len;
    bool is_good = decode(str_cut(pair, 0, len), &params->text);
    row->value = params->text.len;
    is_good =
        is_good && decode(str_cut(pair, len + 1, pair.len), &params->text);
    row->end = params->text.len;
    if (!is_good) {
        buf_add(why, STR("the query string has a bad % escape"));
        return ERR_INVALID;
    }
    params->len++;
    return params->text.failed ? ERR_NOMEM : OK;
}

enum err
params_read(struct params *params, str query, struct buf *why)
{
    enum err err = OK;

    *params = (struct params){.len = 0};
    while (query.len && !err) {
        const char *end = memchr(query.ptr, '&', query.len);
        size_t len = end ? (size_t)(end - query.ptr) : query.len;

        if (len)
            err = take_pair(params, str_cut(query, 0, len), why);
        query = str_cut(query, len + 1, query.len);
    }
    return err;
}

void
params_fini(struct params *params)
{
    buf_fini(&params->text);
}

static str
part(const struct params *params, size_t from, size_t to)
{
    return from == to ? (str){"", 0}
                      : str_cut(buf_str(&params->text), from, to);
}

str
params_get(const struct params *params, const char *name)
{
    for (size_t i = params->len; i-- > 0;) {
        const struct param *row = &params->rows[i];

        if (str_eq(part(params, row->name, row->value), str_of(name)))
            return part(params, row->value, row->end);
    }
    return (str){"", 0};
}

enum err
params_number(const struct params *params, const char *name, uint64_t max,
              uint64_t *out, struct buf *why)
{
    str text = params_get(params, name);
    uint64_t value = 0;
    bool is_good = text.len <= 18; /* digits that always fit */

    if (text.len == 0)
        return OK;
    for (size_t i = 0; i < text.len && is_good; i++) {
        is_good = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        value = 10 * value + (uint64_t)(text.ptr[i] - '0');
    }
    if (!is_good || value > max) {
        buf_printf(why, "%s is a whole number, at most %llu", name,
                   (unsigned long long)max);
        return ERR_INVALID;
    }
    *out = value;
    return OK;
}

str
params_unknown(const struct params *params, const char *const *known)
{
    for (size_t i = 0; i < params->len; i++) {
        str name = part(params, params->rows[i].name, params->rows[i].value);
        size_t k = 0;

        while (known[k] && !str_eq(name, str_of(known[k])))
            k++;
        if (!known[k])
            return name;
    }
    return (str){"", 0};
}

bool
params_find_number(str query, str name, uint64_t *out)
{
    while (query.len) {
        const char *end = memchr(query.ptr, '&', query.len);
        size_t len = end ? (size_t)(end - query.ptr) : query.len;
        str pair = str_cut(query, 0, len);
        uint64_t value = 0;

        query = str_cut(query, len + 1, query.len);
        if (!str_starts(pair, name) || pair.len <= name.len ||
            pair.ptr[name.len] != '=')
            continue;
        str digits = str_cut(pair, name.len + 1, pair.len);
        if (digits.len == 0 || digits.len > 18)
            return false;
        for (size_t i = 0; i < digits.len; i++) {
            if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
                return false;
            value = 10 * value + (uint64_t)(digits.ptr[i] - '0');
        }
        *out = value;
        return true;
    }
    return true;
}
