/*
 * Cut by RFC 3986, then rewritten piece by piece into one spelling; where
 * browsers are more generous (backslashes, tabs, numbers in other bases), the
 * URL is refused.
 */
#include "crawl/url.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Cut, not yet looked at. */
struct pieces {
    str scheme;
    str authority;
    str path;
    str query;
    bool has_authority;
    bool has_query;
};

void
url_fini(struct url *url)
{
    buf_fini(&url->text);
    *url = (struct url){0};
}

static enum err
refuse(struct buf *why, enum err err, const char *text)
{
    if (why && why->len == 0)
        buf_add(why, str_of(text));
    return err;
}

static size_t
find(str text, size_t from, const char *any)
{
    while (from < text.len && !strchr(any, text.ptr[from]))
        from++;
    return from;
}

static str
trim(str text)
{
    while (text.len && strchr(" \t\r\n\f", text.ptr[0]))
        text = str_cut(text, 1, text.len);
    while (text.len && strchr(" \t\r\n\f", text.ptr[text.len - 1]))
        text.len--;
    return text;
}

static str
scheme_of(str text)
{
    size_t at = 0;

    while (at < text.len && (isalnum((unsigned char)text.ptr[at]) ||
                             (at && strchr("+-.", text.ptr[at]))))
        at++;
    return at && at < text.len && text.ptr[at] == ':' &&
                   isalpha((unsigned char)text.ptr[0])
               ? str_cut(text, 0, at)
               : (str){"", 0};
}

static struct pieces
cut(str text)
{
    struct pieces out = {.scheme = scheme_of(text)};
    size_t at = out.scheme.len ? out.scheme.len + 1 : 0;
    size_t end = find(text, at, "#");

    text.len = end;
    if (str_starts(str_cut(text, at, text.len), STR("//"))) {
        end = find(text, at + 2, "/?");
        out.authority = str_cut(text, at + 2, end);
        out.has_authority = true;
        at = end;
    }
    end = find(text, at, "?");
    out.path = str_cut(text, at, end);
    out.has_query = end < text.len;
    out.query = str_cut(text, end + 1, text.len);
    return out;
}

/* ---- the host ---- */

static bool
is_number(str label)
{
    bool is_hex = label.len >= 2 && label.ptr[0] == '0' &&
                  (label.ptr[1] == 'x' || label.ptr[1] == 'X');

    for (size_t i = is_hex ? 2 : 0; i < label.len; i++)
        if (is_hex ? !isxdigit((unsigned char)label.ptr[i])
                   : !isdigit((unsigned char)label.ptr[i]))
            return false;
    return label.len > 0;
}

static enum err
read_name(str host, struct url *out, struct buf *why)
{
    struct in_addr address;
    char text[256] = "";
    str last = host;

    if (host.len && host.ptr[host.len - 1] == '.')
        host.len--;
    if (host.len == 0 || host.len > 253)
        return refuse(why, ERR_INVALID, "it names no host");
    if (host.ptr[host.len - 1] == '.')
        return refuse(why, ERR_INVALID, "its host has an empty part");
    for (size_t i = 0; i < host.len; i++) {
        unsigned char c = (unsigned char)host.ptr[i];
        bool is_dot = c == '.';

        if (!isalnum(c) && !is_dot && c != '-' && c != '_')
            return refuse(why, ERR_INVALID,
                          c >= 0x80 ? "write the host in ASCII (xn--)"
                                    : "its host has a character that no host "
                                      "has");
        if (is_dot && (i == 0 || host.ptr[i - 1] == '.'))
            return refuse(why, ERR_INVALID, "its host has an empty part");
        if (is_dot)
            last = str_cut(host, i + 1, host.len);
        text[i] = (char)tolower(c);
    }
    if (last.len > host.len) /* one part, and the dot behind it */
        last = host;
    if (is_number(last)) {
        /* inet_pton takes four decimal numbers and nothing else. */
        if (inet_pton(AF_INET, text, &address) != 1)
            return refuse(why, ERR_INVALID,
                          "its address is not spelt as four decimal numbers");
        out->is_address = true;
    }
    out->host.len = host.len;
    buf_add(&out->text, str_of(text));
    return OK;
}

static enum err
read_ipv6(str host, struct url *out, struct buf *why)
{
    struct in6_addr address;
    char text[INET6_ADDRSTRLEN + 1];

    if (host.len >= sizeof(text))
        return refuse(why, ERR_INVALID, "its IPv6 address is none");
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    if (inet_pton(AF_INET6, text, &address) != 1 ||
        !inet_ntop(AF_INET6, &address, text, sizeof(text)))
        return refuse(why, ERR_INVALID, "its IPv6 address is none");
    out->is_address = true;
    out->host.len = strlen(text);
    buf_printf(&out->text, "[%s]", text);
    return OK;
}

/* Besides the two of the web only those that need no privilege, so that no mail
 * server is asked a page. */
static enum err
read_port(str text, struct url *out, struct buf *why)
{
    unsigned port = 0;

    out->port = out->is_https ? 443 : 80;
    if (text.len == 0)
        return OK;
    for (size_t i = 0; i < text.len; i++) {
        if (!isdigit((unsigned char)text.ptr[i]) || port > 65535)
            return refuse(why, ERR_INVALID, "its port is no number");
        port = port * 10 + (unsigned)(text.ptr[i] - '0');
    }
    if (port == 0 || port > 65535)
        return refuse(why, ERR_INVALID, "its port is no port");
    if (port != 80 && port != 443 && port < 1024)
        return refuse(why, ERR_DENIED,
                      "its port belongs to another service; 80, 443 and "
                      "those from 1024 are allowed");
    if (port != out->port)
        buf_printf(&out->text, ":%u", port);
    out->port = (uint16_t)port;
    return OK;
}

static enum err
read_authority(str authority, struct url *out, struct buf *why)
{
    bool is_ipv6 = authority.len && authority.ptr[0] == '[';
    size_t end = is_ipv6 ? find(authority, 0, "]") : find(authority, 0, ":");
    str port = {"", 0};
    enum err err;

    if (memchr(authority.ptr, '@', authority.len))
        return refuse(why, ERR_DENIED,
                      "it has a user or a password; leave them out");
    if (is_ipv6 && end == authority.len)
        return refuse(why, ERR_INVALID, "its host has no closing bracket");
    err = is_ipv6 ? read_ipv6(str_cut(authority, 1, end), out, why)
                  : read_name(str_cut(authority, 0, end), out, why);
    end += is_ipv6;
    if (!err && end < authority.len && authority.ptr[end] != ':')
        err = refuse(why, ERR_INVALID, "behind its host stands no port");
    if (!err && end < authority.len)
        port = str_cut(authority, end + 1, authority.len);
    return err ? err : read_port(port, out, why);
}

/* ---- path and query ---- */

static bool
is_unreserved(int c)
{
    return isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* |text| with its escapes in one spelling; what may not stand is escaped. */
static void
add_escaped(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool is_escape = c == '%' && i + 2 < text.len &&
                         str_hex_digit(text.ptr[i + 1]) >= 0 &&
                         str_hex_digit(text.ptr[i + 2]) >= 0;

        if (is_escape) {
            int byte = 16 * str_hex_digit(text.ptr[i + 1]) +
                       str_hex_digit(text.ptr[i + 2]);

            i += 2;
            if (is_unreserved(byte))
                buf_add_char(out, (char)byte);
            else
                buf_printf(out, "%%%02X", (unsigned)byte);
        } else if (c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}%", c)) {
            buf_printf(out, "%%%02X", c);
        } else {
            buf_add_char(out, (char)c);
        }
    }
}

/* Appends |path| without `.` and `..` parts; it begins with a slash. */
static void
add_path(struct buf *out, str path)
{
    size_t root = out->len;

    for (size_t at = 0; at < path.len && !out->failed;) {
        size_t end = find(path, at + 1, "/");
        str part = str_cut(path, at + 1, end);
        bool is_last = end >= path.len;

        if (str_eq(part, STR(".."))) {
            while (out->len > root && out->ptr[--out->len] != '/')
                ;
            if (is_last)
                buf_add_char(out, '/');
        } else if (!str_eq(part, STR("."))) {
            buf_add_char(out, '/');
            buf_add(out, part);
        } else if (is_last) {
            buf_add_char(out, '/');
        }
        at = end;
    }
    if (out->len == root)
        buf_add_char(out, '/');
}

static enum err
finish(struct url *out, const struct pieces *pieces, struct buf *why)
{
    size_t host_at = out->is_https ? 8 : 7;
    struct buf path = {0};
    size_t path_at = out->text.len;
    size_t query_at;

    add_escaped(&path, pieces->path);
    add_path(&out->text, buf_str(&path));
    query_at = out->text.len;
    if (pieces->has_query) {
        buf_add_char(&out->text, '?');
        add_escaped(&out->text, pieces->query);
    }
    bool failed = path.failed || out->text.failed;
    buf_fini(&path);
    if (failed)
        return ERR_NOMEM;
    if (out->text.len > URL_MAX)
        return refuse(why, ERR_INVALID, "it is too long");
    if (out->text.ptr[host_at] == '[')
        host_at++;
    out->host.ptr = out->text.ptr + host_at;
    out->path = str_cut(buf_str(&out->text), path_at, query_at);
    out->query = str_cut(buf_str(&out->text), query_at + pieces->has_query,
                         out->text.len);
    return OK;
}

static enum err
build(const struct pieces *pieces, struct url *out, struct buf *why)
{
    bool is_http = pieces->scheme.len == 4 &&
                   strncasecmp(pieces->scheme.ptr, "http", 4) == 0;
    enum err err;

    *out = (struct url){.text = {.cap_max = (size_t)16 * URL_MAX}};
    out->is_https = pieces->scheme.len == 5 &&
                    strncasecmp(pieces->scheme.ptr, "https", 5) == 0;
    if (!is_http && !out->is_https)
        return refuse(why, ERR_UNSUPPORTED, "only http and https are read");
    if (!pieces->has_authority)
        return refuse(why, ERR_INVALID, "it names no host");
    buf_add(&out->text, out->is_https ? STR("https://") : STR("http://"));
    err = read_authority(pieces->authority, out, why);
    if (!err)
        err = finish(out, pieces, why);
    if (err)
        url_fini(out);
    return err;
}

static bool
has_strange(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            return true;
    return false;
}

enum err
url_parse(str text, struct url *out, struct buf *why)
{
    *out = (struct url){0};
    text = trim(text);
    if (text.len > URL_MAX)
        return refuse(why, ERR_INVALID, "it is too long");
    if (has_strange(text))
        return refuse(why, ERR_INVALID, "it has a control character");
    struct pieces pieces = cut(text);
    return build(&pieces, out, why);
}

/* RFC 3986, 5.2.2; |path| holds what is merged. */
static void
resolve(const struct url *base, struct pieces *pieces, struct buf *path)
{
    struct pieces of = cut(buf_str(&base->text));

    if (pieces->scheme.len)
        return;
    pieces->scheme = of.scheme;
    if (pieces->has_authority)
        return;
    pieces->authority = of.authority;
    pieces->has_authority = true;
    if (pieces->path.len == 0) {
        pieces->path = base->path;
        if (!pieces->has_query) {
            pieces->has_query = of.has_query;
            pieces->query = of.query;
        }
    } else if (pieces->path.ptr[0] != '/') {
        size_t end = base->path.len;

        while (end && base->path.ptr[end - 1] != '/')
            end--;
        buf_add(path, str_cut(base->path, 0, end));
        buf_add(path, pieces->path);
        pieces->path = buf_str(path);
    }
}

enum err
url_join(const struct url *base, str reference, struct url *out)
{
    struct buf path = {0};
    enum err err;

    *out = (struct url){0};
    reference = trim(reference);
    if (reference.len > URL_MAX || has_strange(reference))
        return ERR_INVALID;
    struct pieces pieces = cut(reference);
    resolve(base, &pieces, &path);
    err = path.failed ? ERR_NOMEM : build(&pieces, out, NULL);
    buf_fini(&path);
    return err;
}

bool
url_same_site(const struct url *a, const struct url *b)
{
    bool is_usual =
        (a->port == 80 || a->port == 443) && (b->port == 80 || b->port == 443);

    return str_eq(a->host, b->host) && (is_usual || a->port == b->port);
}
