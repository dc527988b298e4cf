/*
 * What a repository is called must be the same wherever it was cloned to and
 * however: only host and path count, without what says how to get there.
 */
#include <string.h>

#include "base/utf8.h"
#include "graph/code_write.h"

enum { URL_LEN_MAX = 512 };

static size_t
find(str text, char byte)
{
    const char *at = text.len ? memchr(text.ptr, byte, text.len) : NULL;

    return at ? (size_t)(at - text.ptr) : text.len;
}

static str
trim(str text)
{
    while (text.len > 0 && (unsigned char)text.ptr[0] <= ' ')
        text = str_cut(text, 1, text.len);
    while (text.len > 0 && (unsigned char)text.ptr[text.len - 1] <= ' ')
        text.len--;
    return text;
}

/* Without slashes and `.git` at the end. */
static str
trim_end(str path)
{
    path = str_strip(path, '/');
    if (path.len > 4 &&
        str_eq(str_cut(path, path.len - 4, path.len), STR(".git")))
        path.len -= 4;
    return str_strip(path, '/');
}

static str
last_part(str path)
{
    path = trim_end(path);
    for (size_t i = path.len; i-- > 0;)
        if (path.ptr[i] == '/' || path.ptr[i] == '\\')
            return str_cut(path, i + 1, path.len);
    return str_eq(path, STR(".")) || str_eq(path, STR("..")) ? (str){0} : path;
}

static char
lower(char byte)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

    if (byte >= 'A' && byte <= 'Z')
        return letters[byte - 'A'];
    return byte;
}

static void
add_host(str host, struct buf *out)
{
    size_t at = host.len;

    while (at > 0 && host.ptr[at - 1] != '@')
        at--;
    host = str_cut(host, at, host.len);
    host.len = find(host, ':'); /* a port is a way to get there */
    for (size_t i = 0; i < host.len; i++)
        buf_add_char(out, lower(host.ptr[i]));
}

static void
add_path(str path, struct buf *out)
{
    path.len = find(path, '?');
    path.len = find(path, '#');
    path = trim_end(path);
    if (path.len > 0) {
        buf_add_char(out, '/');
        utf8_clean(out, path, URL_LEN_MAX);
    }
}

void
code_repo_url(str raw, struct buf *out)
{
    str rest = trim(raw);
    size_t colon = find(rest, ':');
    size_t slash = find(rest, '/');

    if (colon + 2 < rest.len &&
        str_eq(str_cut(rest, colon, colon + 3), STR("://"))) {
        str scheme = str_cut(rest, 0, colon);
        rest = str_cut(rest, colon + 3, rest.len);
        if (str_eq(scheme, STR("file"))) {
            utf8_clean(out, last_part(rest), URL_LEN_MAX);
            return;
        }
        slash = find(rest, '/');
    } else if (slash == 0 || (rest.len > 0 && rest.ptr[0] == '.') ||
               find(rest, '\\') < rest.len) {
        utf8_clean(out, last_part(rest), URL_LEN_MAX); /* a path */
        return;
    } else if (colon == rest.len && slash == rest.len) {
        utf8_clean(out, trim_end(rest), URL_LEN_MAX); /* just a name */
        return;
    } else if (colon < slash) { /* user@host:path */
        add_host(str_cut(rest, 0, colon), out);
        add_path(str_cut(rest, colon + 1, rest.len), out);
        return;
    }
    add_host(str_cut(rest, 0, slash), out);
    add_path(str_cut(rest, slash, rest.len), out);
}
