/*
 * Manifests that are lines of text, or a name in JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "index/manifest_impl.h"

void
manifest_program(struct manifest_file *file)
{
    manifest_folder(file, file->folder);
    if (manifest_ends(file->base, ".csproj"))
        manifest_service(file, RANK_PACKAGE,
                         str_cut(file->base, 0, file->base.len - 7),
                         file->folder, (str){"", 0});
}

static str
last_word(str text, char sign)
{
    const char *at = text.len ? memrchr(text.ptr, sign, text.len) : NULL;

    return at ? str_cut(text, (size_t)(at + 1 - text.ptr), text.len) : text;
}

void
manifest_dockerfile(struct manifest_file *file)
{
    str rest = file->content;
    str line;

    manifest_folder(file, file->folder);
    while (manifest_line(&rest, &line)) {
        line = manifest_trim(line);
        const char *at =
            line.len > 4 && str_starts(line, STR("ENV"))
                ? memmem(line.ptr, line.len, "OTEL_SERVICE_NAME", 17)
                : NULL;
        if (!at)
            continue;
        str value = str_cut(line, (size_t)(at - line.ptr) + 17, line.len);
        value = manifest_trim(value);
        if (value.len > 0 && value.ptr[0] == '=')
            value = str_cut(value, 1, value.len);
        const char *end = value.len ? memchr(value.ptr, ' ', value.len) : NULL;
        if (end)
            value.len = (size_t)(end - value.ptr);
        if (value.len >= 2 && strchr("\"'", value.ptr[0]))
            value = str_cut(value, 1, value.len - 1);
        manifest_service(file, RANK_SDK, value, file->folder, (str){"", 0});
    }
}

/* The project of `x/src/main/resources` is x. */
static str
project_of(str folder)
{
    static const char inside[] = "src/main/resources";
    size_t len = sizeof(inside) - 1;

    if (str_eq(folder, STR("src/main/resources")))
        return (str){"", 0};
    if (folder.len > len && manifest_ends(folder, inside))
        return str_cut(folder, 0, folder.len - len - 1);
    return folder;
}

void
manifest_properties(struct manifest_file *file)
{
    static const char *const keys[] = {"spring.application.name",
                                       "quarkus.application.name",
                                       "micronaut.application.name"};
    str rest = file->content;
    str line;

    while (manifest_line(&rest, &line)) {
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            manifest_service(file, RANK_SDK, manifest_value(line, keys[i]),
                             project_of(file->folder), (str){"", 0});
    }
}

void
manifest_package(struct manifest_file *file)
{
    cJSON *root = cJSON_ParseWithLength(file->content.ptr, file->content.len);
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(root, "name");

    if (cJSON_IsObject(root))
        manifest_folder(file, file->folder);
    if (cJSON_IsString(name)) {
        str whole = str_of(name->valuestring);
        manifest_service(file, RANK_PACKAGE, whole, file->folder, (str){"", 0});
        if (memchr(whole.ptr, '/', whole.len))
            manifest_service(file, RANK_PACKAGE, last_word(whole, '/'),
                             file->folder, (str){"", 0});
    }
    cJSON_Delete(root);
}

void
manifest_toml(struct manifest_file *file)
{
    static const char *const sections[] = {"[project]", "[tool.poetry]",
                                           "[package]", "[metadata]"};
    str rest = file->content;
    bool is_inside = false;
    str line;

    manifest_folder(file, file->folder);
    while (manifest_line(&rest, &line)) {
        line = manifest_trim(line);
        if (line.len > 0 && line.ptr[0] == '[') {
            is_inside = false;
            for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
                is_inside |= str_eq(line, str_of(sections[i]));
        } else if (is_inside) {
            manifest_service(file, RANK_PACKAGE, manifest_value(line, "name"),
                             file->folder, (str){"", 0});
        }
    }
}

static bool
is_number(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return true;
}

void
manifest_go_mod(struct manifest_file *file)
{
    str rest = file->content;
    str line;

    manifest_folder(file, file->folder);
    while (manifest_line(&rest, &line)) {
        line = manifest_trim(line);
        if (!str_starts(line, STR("module ")))
            continue;
        str name = manifest_trim(str_cut(line, 7, line.len));
        str last = last_word(name, '/');
        /* `example.com/cart/v2` is cart. */
        if (last.len > 1 && last.ptr[0] == 'v' &&
            is_number(str_cut(last, 1, last.len)) && name.len > last.len)
            last = last_word(str_cut(name, 0, name.len - last.len - 1), '/');
        manifest_service(file, RANK_PACKAGE, last, file->folder, (str){"", 0});
    }
}

/* ---- nginx: location PREFIX { ... proxy_pass http://SERVICE:PORT/PATH; } */

static str
next_word(str *line)
{
    *line = manifest_trim(*line);
    size_t len = 0;
    while (len < line->len && !strchr(" \t;{}", line->ptr[len]))
        len++;
    str word = str_cut(*line, 0, len);
    *line = str_cut(*line, len, line->len);
    return word;
}

static void
take_proxy(struct manifest_file *file, str host, str prefix, str url)
{
    const char *at = url.len ? memmem(url.ptr, url.len, "://", 3) : NULL;
    str rewrite = {"", 0};

    if (!at || prefix.len == 0)
        return;
    str rest = str_cut(url, (size_t)(at + 3 - url.ptr), url.len);
    const char *slash = memchr(rest.ptr, '/', rest.len);
    if (slash)
        rewrite = str_cut(rest, (size_t)(slash - rest.ptr), rest.len);
    size_t len = slash ? (size_t)(slash - rest.ptr) : rest.len;
    const char *colon = len ? memchr(rest.ptr, ':', len) : NULL;
    str service = str_cut(rest, 0, colon ? (size_t)(colon - rest.ptr) : len);
    manifest_exposure(file, host, prefix, rewrite, service);
}

void
manifest_nginx(struct manifest_file *file)
{
    str rest = file->content;
    str host = {"", 0};
    str prefix = {"", 0};
    str line;

    while (manifest_line(&rest, &line)) {
        str word = next_word(&line);
        if (str_eq(word, STR("server"))) {
            host = (str){"", 0};
        } else if (str_eq(word, STR("server_name"))) {
            host = next_word(&line);
            host = str_eq(host, STR("_")) ? (str){"", 0} : host;
        } else if (str_eq(word, STR("location"))) {
            prefix = next_word(&line);
            /* `=` and `^~` stand before a prefix, `~` before an expression. */
            if (str_eq(prefix, STR("=")) || str_eq(prefix, STR("^~")))
                prefix = next_word(&line);
            if (prefix.len > 0 && prefix.ptr[0] != '/')
                prefix = (str){"", 0};
        } else if (str_eq(word, STR("proxy_pass"))) {
            take_proxy(file, host, prefix, next_word(&line));
        }
    }
}

/* ---- CODEOWNERS ---- */

/* The first place that has one counts, as its host reads them. */
static uint8_t
place_of(str folder)
{
    static const char *const places[] = {".github", ".gitlab", "", "docs"};

    for (uint8_t i = 0; i < 4; i++)
        if (str_eq(folder, str_of(places[i])))
            return (uint8_t)(i + 1);
    return 0;
}

/* A pattern, in which `\ ` is a space. */
static str
take_pattern(str *line, struct buf *out)
{
    size_t i = 0;

    buf_reset(out);
    for (; i < line->len && !strchr(" \t", line->ptr[i]); i++) {
        if (line->ptr[i] == '\\' && i + 1 < line->len &&
            strchr(" #", line->ptr[i + 1]))
            i++;
        buf_add_char(out, line->ptr[i]);
    }
    *line = str_cut(*line, i, line->len);
    return buf_str(out);
}

void
manifest_codeowners(struct manifest_file *file)
{
    uint8_t place = place_of(file->folder);
    str rest = file->content;
    struct buf pattern = {0};
    uint32_t number = 0;
    str line;

    if (place == 0 || (file->m->owners_from && file->m->owners_from < place))
        return;
    file->m->owners_from = place;
    file->m->owner_len = 0;
    while (manifest_line(&rest, &line)) {
        bool has_owner = false;

        number++;
        line = manifest_trim(line);
        /* `[Section]` is GitLab's; its default owners are not read. */
        if (line.len == 0 || strchr("#[", line.ptr[0]) ||
            str_starts(line, STR("^[")))
            continue;
        str path = take_pattern(&line, &pattern);
        for (str owner = next_word(&line); owner.len > 0 && owner.ptr[0] != '#';
             owner = next_word(&line)) {
            manifest_owner(file, path, owner, number);
            has_owner = true;
        }
        if (!has_owner)
            manifest_owner(file, path, (str){"", 0}, number);
    }
    buf_fini(&pattern);
}
