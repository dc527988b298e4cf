/*
 * A document becomes one cJSON tree, whether it is JSON or YAML, and the tree
 * is walked.  A list is told from a document by its first line that says
 * something: a route begins with a slash, with a method and a slash, or is the
 * name of an RPC method.
 */
#include "index/openapi.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "index/yaml_tree.h"

static const char *const methods[] = {"get",     "put",  "post",  "delete",
                                      "options", "head", "patch", "trace"};

static str
trim(str s)
{
    while (s.len && strchr(" \t\r", s.ptr[0]))
        s = str_cut(s, 1, s.len);
    while (s.len && strchr(" \t\r", s.ptr[s.len - 1]))
        s.len--;
    return s;
}

static str
next_line(str *text)
{
    const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
    size_t len = end ? (size_t)(end - text->ptr) : text->len;
    str line = {text->ptr, len};

    *text = str_cut(*text, len + (end != NULL), text->len);
    return trim(line);
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Letters and digits, not a digit first; the same between dots. */
static bool
is_identifier(str name, size_t *dots)
{
    bool is_first = true;

    *dots = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '.' && is_first)
            return false;
        if (c != '.' && !is_letter(c) && (is_first || c < '0' || c > '9'))
            return false;
        *dots += c == '.';
        is_first = c == '.';
    }
    return !is_first;
}

/* "pkg.Service/Method".  Without a package it would be as good as a path whose
 * first slash was forgotten, so that must be said to be one: "RPC Cart/Add". */
static bool
is_rpc(str name, bool is_said)
{
    const char *slash = name.len ? memchr(name.ptr, '/', name.len) : NULL;
    size_t at = slash ? (size_t)(slash - name.ptr) : name.len;
    size_t packages;
    size_t parts;

    return slash && is_identifier(str_cut(name, 0, at), &packages) &&
           is_identifier(str_cut(name, at + 1, name.len), &parts) &&
           parts == 0 && (is_said || packages > 0);
}

static bool
split_rpc(str line, str *method, str *pattern)
{
    bool is_said =
        str_starts(line, STR("RPC ")) || str_starts(line, STR("RPC\t"));

    *method = STR("");
    *pattern = is_said ? trim(str_cut(line, 4, line.len)) : line;
    return is_rpc(*pattern, is_said);
}

/* Cuts "METHOD /pattern", "/pattern" or "pkg.Service/Method"; false if |line|
 * is none of them. */
static bool
split_route(str line, str *method, str *pattern)
{
    size_t word = 0;

    while (word < line.len && line.ptr[word] != ' ' && line.ptr[word] != '\t')
        word++;
    if (split_rpc(line, method, pattern))
        return true;
    *method = STR("ANY");
    *pattern = line;
    if (line.len && line.ptr[0] != '/') {
        *method = str_cut(line, 0, word);
        *pattern = trim(str_cut(line, word, line.len));
    }
    if (pattern->len == 0 || pattern->ptr[0] != '/' || method->len > 16)
        return false;
    for (size_t i = 0; i < method->len; i++) {
        if (method->ptr[i] < 'A' || method->ptr[i] > 'Z')
            return false;
    }
    return memchr(pattern->ptr, ' ', pattern->len) == NULL;
}

static bool
is_list(str text)
{
    while (text.len) {
        str method;
        str pattern;
        str line = next_line(&text);
        if (line.len && line.ptr[0] != '#')
            return split_route(line, &method, &pattern);
    }
    return true;
}

static enum err
read_list(str text, openapi_route_fn *fn, void *ctx, struct buf *why)
{
    size_t number = 0;
    size_t routes = 0;
    enum err err = OK;

    while (!err && text.len) {
        str method;
        str pattern;
        str line = next_line(&text);
        number++;
        if (line.len == 0 || line.ptr[0] == '#')
            continue;
        if (!split_route(line, &method, &pattern)) {
            buf_printf(why,
                       "line %zu is no route: write METHOD /path, /path or "
                       "package.Service/Method",
                       number);
            return ERR_INVALID;
        }
        if (++routes > OPENAPI_ROUTES_MAX)
            return ERR_TOO_LARGE;
        err = fn(ctx, method, pattern);
    }
    return err;
}

/* The path part of a server URL: "https://h/v1/" gives "/v1". */
static str
url_path(const char *url)
{
    const char *host = strstr(url, "://");
    str found = str_of(strchr(host ? host + 3 : url, '/'));

    while (found.len && found.ptr[found.len - 1] == '/')
        found.len--;
    return found;
}

static str
base_path(const cJSON *root)
{
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(root, "basePath");
    const cJSON *servers = cJSON_GetObjectItemCaseSensitive(root, "servers");
    const cJSON *url =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(servers, 0), "url");

    if (cJSON_IsString(base))
        return url_path(base->valuestring);
    return cJSON_IsString(url) ? url_path(url->valuestring) : STR("");
}

static bool
is_method(const char *name, char upper[16])
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        size_t j = 0;
        if (strcasecmp(name, methods[i]) != 0)
            continue;
        for (; methods[i][j]; j++)
            upper[j] = (char)(methods[i][j] - 'a' + 'A');
        upper[j] = '\0';
        return true;
    }
    return false;
}

static enum err
walk_operations(const cJSON *path, str pattern, size_t *routes,
                openapi_route_fn *fn, void *ctx)
{
    enum err err = OK;

    for (const cJSON *op = path->child; op && !err; op = op->next) {
        char method[16];
        if (!op->string || !is_method(op->string, method))
            continue;
        if (++*routes > OPENAPI_ROUTES_MAX)
            return ERR_TOO_LARGE;
        err = fn(ctx, str_of(method), pattern);
    }
    return err;
}

static enum err
walk_paths(const cJSON *root, openapi_route_fn *fn, void *ctx, struct buf *why)
{
    const cJSON *paths = cJSON_GetObjectItemCaseSensitive(root, "paths");
    str base = base_path(root);
    struct buf pattern = {0};
    size_t routes = 0;
    enum err err = OK;

    if (!cJSON_IsObject(paths)) {
        buf_add(why, STR("no `paths`: not an OpenAPI document"));
        return ERR_INVALID;
    }
    for (const cJSON *path = paths->child; path && !err; path = path->next) {
        if (path->string[0] != '/')
            continue; /* an extension, x-... */
        buf_reset(&pattern);
        buf_add(&pattern, base);
        buf_add(&pattern, str_of(path->string));
        err = pattern.failed
                  ? ERR_NOMEM
                  : walk_operations(path, buf_str(&pattern), &routes, fn, ctx);
    }
    buf_fini(&pattern);
    return err;
}

static bool
looks_like_json(str text)
{
    while (text.len && strchr(" \t\r\n", text.ptr[0]))
        text = str_cut(text, 1, text.len);
    return text.len && text.ptr[0] == '{';
}

static enum err
read_document(str text, openapi_route_fn *fn, void *ctx, struct buf *why)
{
    cJSON *root = NULL;
    enum err err = OK;

    if (looks_like_json(text)) {
        const char *stop = NULL;
        root = cJSON_ParseWithLengthOpts(text.ptr, text.len, &stop, false);
        if (!root) {
            buf_printf(why, "not JSON at byte %zu",
                       stop ? (size_t)(stop - text.ptr) : 0);
            err = ERR_INVALID;
        }
    } else {
        err = yaml_tree(text, &root, why);
    }
    if (!err)
        err = walk_paths(root, fn, ctx, why);
    cJSON_Delete(root);
    return err;
}

enum err
openapi_read(str text, openapi_route_fn *fn, void *ctx,
             enum openapi_format *format, struct buf *why)
{
    enum err err;

    *format = is_list(text) ? OPENAPI_LIST : OPENAPI_DOCUMENT;
    if (text.len > OPENAPI_BYTES_MAX)
        err = ERR_TOO_LARGE;
    else if (*format == OPENAPI_LIST)
        err = read_list(text, fn, ctx, why);
    else
        err = read_document(text, fn, ctx, why);
    if (err == ERR_TOO_LARGE)
        buf_printf(why, "over %d MiB or %d routes", OPENAPI_BYTES_MAX >> 20,
                   OPENAPI_ROUTES_MAX);
    return err;
}
