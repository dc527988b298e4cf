#include "mcp/headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "mcp/json.h"

static str
trim(str s)
{
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
        s = str_cut(s, 1, s.len);
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
        s.len--;
    return s;
}

static bool
eq_nocase(str a, str b)
{
    if (a.len != b.len || !a.ptr || !b.ptr)
        return a.len == b.len;
    return strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

/* Cuts |s| at the first |byte|: the part before is returned, |s| becomes the
 * part behind. */
static str
cut_at(str *s, char byte)
{
    const char *at = s->len ? memchr(s->ptr, byte, s->len) : NULL;
    size_t len = at ? (size_t)(at - s->ptr) : s->len;
    str before = str_cut(*s, 0, len);

    *s = str_cut(*s, at ? len + 1 : len, s->len);
    return before;
}

size_t
headers_count(const struct request *req, str name, str *value)
{
    size_t count = 0;

    *value = (str){0};
    for (size_t i = 0; i < req->header_len; i++) {
        if (!str_eq(req->headers[i].name, name))
            continue;
        if (count++ == 0)
            *value = trim(req->headers[i].value);
    }
    return count;
}

/* ---- Host and Origin ---- */

/* Takes a ":port" off the end of |authority|; false if it is malformed. */
static bool
split_port(str *authority)
{
    size_t len = authority->len;
    size_t digits = 0;

    while (digits < len && authority->ptr[len - 1 - digits] >= '0' &&
           authority->ptr[len - 1 - digits] <= '9')
        digits++;
    if (digits == len || authority->ptr[len - 1 - digits] != ':')
        return true;
    /* "::1" without brackets is an address, not a port. */
    if (memchr(authority->ptr, ':', len - 1 - digits) &&
        authority->ptr[0] != '[')
        return true;
    authority->len = len - 1 - digits;
    return digits > 0 && digits <= 5;
}

static bool
is_allowed_host(const struct mcp_cfg *cfg, str authority)
{
    static const char *const loopback[] = {"localhost", "127.0.0.1", "[::1]"};
    str host = authority;

    if (authority.len == 0 || !split_port(&host))
        return false;
    for (size_t i = 0; i < sizeof(loopback) / sizeof(loopback[0]); i++)
        if (eq_nocase(host, str_of(loopback[i])))
            return true;
    for (size_t i = 0; i < cfg->allowed_host_len; i++) {
        str allowed = str_of(cfg->allowed_hosts[i]);
        if (eq_nocase(host, allowed) || eq_nocase(authority, allowed))
            return true;
    }
    return false;
}

bool
headers_is_host_allowed(const struct mcp_cfg *cfg, const struct request *req)
{
    str host;
    str authority;
    size_t hosts = headers_count(req, STR("host"), &host);
    size_t authorities = headers_count(req, STR(":authority"), &authority);

    if (hosts > 1 || authorities > 1 || hosts + authorities == 0)
        return false;
    if (hosts && authorities && !eq_nocase(host, authority))
        return false;
    return is_allowed_host(cfg, hosts ? host : authority);
}

bool
headers_is_origin_allowed(const struct mcp_cfg *cfg, const struct request *req)
{
    str origin;
    size_t count = headers_count(req, STR("origin"), &origin);

    if (count == 0)
        return true;
    if (count > 1)
        return false;
    for (size_t i = 0; i < cfg->allowed_origin_len; i++)
        if (eq_nocase(origin, str_of(cfg->allowed_origins[i])))
            return true;
    if (str_starts(origin, STR("http://")))
        return is_allowed_host(cfg, str_cut(origin, 7, origin.len));
    return str_starts(origin, STR("https://")) &&
           is_allowed_host(cfg, str_cut(origin, 8, origin.len));
}

/* ---- the other standard headers ---- */

str
headers_bearer(const struct request *req)
{
    str value;

    if (headers_count(req, STR("authorization"), &value) != 1 ||
        !eq_nocase(str_cut(value, 0, 7), STR("Bearer ")))
        return (str){0};
    return trim(str_cut(value, 7, value.len));
}

bool
headers_is_json(const struct request *req)
{
    str value;

    if (headers_count(req, STR("content-type"), &value) != 1 ||
        !eq_nocase(trim(cut_at(&value, ';')), STR("application/json")))
        return false;
    while (value.len) {
        str parameter = trim(cut_at(&value, ';'));
        str name = trim(cut_at(&parameter, '='));
        str charset = trim(parameter);
        if (charset.len >= 2 && charset.ptr[0] == '"')
            charset = str_cut(charset, 1, charset.len - 1);
        if (eq_nocase(name, STR("charset")) &&
            !eq_nocase(charset, STR("utf-8")) &&
            !eq_nocase(charset, STR("us-ascii")))
            return false;
    }
    return true;
}

/* q=0 refuses what it stands at. */
static bool
is_refused_range(str parameters)
{
    while (parameters.len) {
        str parameter = trim(cut_at(&parameters, ';'));
        str name = trim(cut_at(&parameter, '='));
        str value = trim(parameter);
        size_t zeros = 0;
        while (zeros < value.len &&
               (value.ptr[zeros] == '0' || value.ptr[zeros] == '.'))
            zeros++;
        if (eq_nocase(name, STR("q")) && zeros == value.len)
            return true;
    }
    return false;
}

void
headers_accept(const struct request *req, bool *json, bool *events)
{
    bool any = false;

    *json = *events = false;
    for (size_t i = 0; i < req->header_len; i++) {
        if (!str_eq(req->headers[i].name, STR("accept")))
            continue;
        str value = req->headers[i].value;
        any = true;
        while (value.len) {
            str parameters = cut_at(&value, ',');
            str range = trim(cut_at(&parameters, ';'));
            if (is_refused_range(parameters))
                continue;
            bool all = eq_nocase(range, STR("*/*"));
            *json = *json || all || eq_nocase(range, STR("application/*")) ||
                    eq_nocase(range, STR("application/json"));
            *events = *events || all || eq_nocase(range, STR("text/*")) ||
                      eq_nocase(range, STR("text/event-stream"));
        }
    }
    /* No Accept at all means that anything will do; but who does not say that
     * it reads streams is not sent one. */
    if (!any)
        *json = true;
}

/* ---- headers that repeat the body ---- */

static int
base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Appends the bytes that |text| encodes; false unless it is base64 as it is
 * written, with padding. */
static bool
decode_base64(struct buf *out, str text)
{
    size_t padding = 0;
    uint32_t bits = 0;
    unsigned have = 0;

    while (padding < 2 && padding < text.len &&
           text.ptr[text.len - 1 - padding] == '=')
        padding++;
    if (text.len % 4 != 0)
        return false;
    for (size_t i = 0; i < text.len - padding; i++) {
        int value = base64_value(text.ptr[i]);
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        have += 6;
        if (have >= 8) {
            have -= 8;
            buf_add_char(out, (char)(bits >> have & 0xff));
        }
    }
    return (bits & ((1u << have) - 1)) == 0 && !out->failed;
}

static bool
is_visible(str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char byte = (unsigned char)value.ptr[i];
        if (byte != '\t' && (byte < 0x20 || byte > 0x7e))
            return false;
    }
    return true;
}

/* Sets |out| to what the header |value| means; false if it is malformed. */
static bool
decode_value(struct buf *out, str value)
{
    str open = STR("=?base64?");
    str close = STR("?=");

    if (!is_visible(value))
        return false;
    if (value.len < open.len + close.len || !str_starts(value, open) ||
        !str_eq(str_cut(value, value.len - close.len, value.len), close)) {
        buf_add(out, value);
        return !out->failed;
    }
    return decode_base64(out,
                         str_cut(value, open.len, value.len - close.len)) &&
           utf8_valid(buf_str(out));
}

static bool
says(struct buf *why, str name, const char *what)
{
    buf_add(why, STR("the header "));
    buf_add(why, name);
    buf_printf(why, " %s", what);
    return false;
}

bool
headers_matches(const struct request *req, str name, str expected,
                struct buf *why)
{
    struct buf meant = {0};
    str value;
    size_t count = headers_count(req, name, &value);

    if (count != 1)
        return says(why, name, count ? "appears twice" : "is missing");
    bool is_decoded = decode_value(&meant, value);
    bool is_same = is_decoded && str_eq(buf_str(&meant), expected);
    buf_fini(&meant);
    if (!is_decoded)
        return says(why, name, "is malformed");
    return is_same || says(why, name, "does not match the body");
}

/* The text by which |value| is mirrored, or the empty view: it is not. */
static str
mirrored(const cJSON *value, char *number, size_t cap)
{
    if (cJSON_IsString(value))
        return str_of(value->valuestring);
    if (cJSON_IsBool(value))
        return cJSON_IsTrue(value) ? STR("true") : STR("false");
    if (!cJSON_IsNumber(value))
        return (str){0};
    (void)snprintf(number, cap, "%.17g", value->valuedouble);
    return str_of(number);
}

/* 1.0, 1 and 1e0 are the same number. */
static bool
is_same_number(const struct request *req, str name, const cJSON *value)
{
    char text[64];
    char *end = NULL;
    str header;

    if (!cJSON_IsNumber(value) || headers_count(req, name, &header) != 1 ||
        header.len == 0 || header.len >= sizeof(text))
        return false;
    memcpy(text, header.ptr, header.len);
    text[header.len] = '\0';
    double number = strtod(text, &end);
    return *end == '\0' && !(number < value->valuedouble) &&
           !(number > value->valuedouble);
}

static bool
mirrors_one(const struct request *req, const char *header, const cJSON *value,
            struct buf *why)
{
    char number[32];
    char text[128];
    str ignored;
    int len = snprintf(text, sizeof(text), "mcp-param-%s", header);

    if (len < 0 || (size_t)len >= sizeof(text))
        return true; /* longer than any header name that is declared */
    for (char *c = text; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + ('a' - 'A') : *c);
    str name = {text, (size_t)len};
    if (!value || cJSON_IsNull(value))
        return headers_count(req, name, &ignored) == 0 ||
               says(why, name, "has no argument to match");
    if (is_same_number(req, name, value))
        return true;
    return headers_matches(req, name, mirrored(value, number, sizeof(number)),
                           why);
}

bool
headers_mirrors(const struct request *req, const cJSON *schema,
                const cJSON *args, struct buf *why)
{
    const cJSON *property = NULL;

    cJSON_ArrayForEach(property, json_member(schema, "properties"))
    {
        const char *header = json_text(property, "x-mcp-header");
        if (header &&
            !mirrors_one(req, header, json_member(args, property->string), why))
            return false;
    }
    return true;
}
