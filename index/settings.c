/*
 * tsconfig.json is JSON with comments and trailing commas; those are blanked
 * before it is parsed.
 */
#include "index/settings.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/grow.h"

enum err
settings_init(struct settings *settings)
{
    *settings = (struct settings){0};
    enum err err = texts_init(&settings->texts, 0);

    return err ? err : contexts_init(&settings->contexts);
}

void
settings_fini(struct settings *settings)
{
    texts_fini(&settings->texts);
    contexts_fini(&settings->contexts);
    free(settings->rows);
    free(settings->modules);
    free(settings->aliases);
    *settings = (struct settings){0};
}

static str
base_of(str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

    return slash ? str_cut(path, (size_t)(slash + 1 - path.ptr), path.len)
                 : path;
}

static str
folder_of(str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

    return str_cut(path, 0, slash ? (size_t)(slash - path.ptr) : 0);
}

static bool
is_tsconfig(str base)
{
    return str_starts(base, STR("tsconfig")) && base.len >= 13 &&
           str_eq(str_cut(base, base.len - 5, base.len), STR(".json"));
}

bool
settings_wants(str path)
{
    str base = base_of(path);

    return str_eq(base, STR("go.mod")) || str_eq(base, STR("package.json")) ||
           str_eq(base, STR("composer.json")) ||
           str_eq(base, STR("jsconfig.json")) || is_tsconfig(base) ||
           contexts_wants(path);
}

static enum err
add(struct settings *settings, str folder, str name, str target, uint8_t lang)
{
    if (!grow_room(settings->rows, settings->len, settings->cap))
        return ERR_NOMEM;
    settings->rows[settings->len++] = (struct settings_row){
        .folder = texts_add(&settings->texts, folder),
        .name = texts_add(&settings->texts, name),
        .target = texts_add(&settings->texts, target),
        .lang = lang,
    };
    return settings->texts.failed ? ERR_NOMEM : OK;
}

static enum err
take_go(struct settings *settings, str folder, str text)
{
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;
        str line = str_cut(text, 0, len);

        text = str_cut(text, len + 1, text.len);
        if (!str_starts(line, STR("module ")))
            continue;
        line = str_cut(line, 7, line.len);
        while (line.len > 0 && strchr(" \t\r\"", line.ptr[line.len - 1]))
            line.len--;
        while (line.len > 0 && strchr(" \t\"", line.ptr[0]))
            line = str_cut(line, 1, line.len);
        if (line.len == 0)
            break;
        return add(settings, folder, line, (str){"", 0}, LANG_GO);
    }
    return ERR_INVALID;
}

/* Comments become blanks, and so do commas before a closing bracket. */
static void
blank_comments(char *text)
{
    char *comma = NULL;

    for (char *at = text; *at; at++) {
        if (*at == '"') {
            comma = NULL;
            for (at++; *at && *at != '"'; at++)
                if (*at == '\\' && at[1])
                    at++;
            if (!*at)
                return;
        } else if (at[0] == '/' && at[1] == '/') {
            while (*at && *at != '\n')
                *at++ = ' ';
            if (!*at)
                return;
        } else if (at[0] == '/' && at[1] == '*') {
            while (*at && !(at[0] == '*' && at[1] == '/'))
                *at++ = ' ';
            if (!*at)
                return;
            at[0] = at[1] = ' ';
        } else if (*at == ',') {
            comma = at;
        } else if (*at == '}' || *at == ']') {
            if (comma)
                *comma = ' ';
            comma = NULL;
        } else if ((unsigned char)*at > ' ') {
            comma = NULL;
        }
    }
}

static str
without_star(const char *text)
{
    str s = str_of(text);

    return s.len > 0 && s.ptr[s.len - 1] == '*' ? str_cut(s, 0, s.len - 1) : s;
}

/* Appends the parts of |path|; `..` is for the resolver to judge. */
static void
add_path(struct buf *full, str path)
{
    while (path.len > 0) {
        const char *slash = memchr(path.ptr, '/', path.len);
        size_t len = slash ? (size_t)(slash - path.ptr) : path.len;
        str part = str_cut(path, 0, len);

        path = str_cut(path, slash ? len + 1 : len, path.len);
        if (part.len == 0 || str_eq(part, STR(".")))
            continue;
        if (full->len > 0)
            buf_add_char(full, '/');
        buf_add(full, part);
    }
}

/* |base| is baseUrl, `.` or `./src`; the target is seen from |folder|, and ends
 * with a slash where what the star stands for is a path below it. */
static enum err
add_alias(struct settings *settings, str folder, const char *base,
          const char *prefix, const char *target)
{
    struct buf full = {0};
    str rest = without_star(target);
    bool is_below = rest.len == 0 || rest.ptr[rest.len - 1] == '/';
    enum err err = OK;

    if (*base == '/' || *target == '/')
        return OK;
    add_path(&full, str_of(base));
    add_path(&full, rest);
    if (is_below && full.len > 0)
        buf_add_char(&full, '/');
    err = full.failed
              ? ERR_NOMEM
              : add(settings, folder, without_star(prefix), buf_str(&full), 0);
    buf_fini(&full);
    return err;
}

static enum err
take_tsconfig(struct settings *settings, str folder, const cJSON *root)
{
    const cJSON *options =
        cJSON_GetObjectItemCaseSensitive(root, "compilerOptions");
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(options, "baseUrl");
    const cJSON *paths = cJSON_GetObjectItemCaseSensitive(options, "paths");
    const char *from = cJSON_IsString(base) ? base->valuestring : ".";
    enum err err = OK;
    const cJSON *path;

    cJSON_ArrayForEach(path, paths)
    {
        const cJSON *target = cJSON_GetArrayItem(path, 0);
        if (!err && cJSON_IsString(target))
            err = add_alias(settings, folder, from, path->string,
                            target->valuestring);
    }
    if (!err && cJSON_IsString(base))
        err = add_alias(settings, folder, from, "*", "*");
    return err;
}

static enum err
take_json(struct settings *settings, str path, str content)
{
    str folder = folder_of(path);
    str base = base_of(path);
    char *text = strndup(content.ptr, content.len);
    enum err err = ERR_INVALID;

    if (!text)
        return ERR_NOMEM;
    blank_comments(text);
    cJSON *root = cJSON_Parse(text);
    free(text);
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(root, "name");

    if (cJSON_IsObject(root) &&
        (is_tsconfig(base) || str_eq(base, STR("jsconfig.json"))))
        err = take_tsconfig(settings, folder, root);
    else if (cJSON_IsString(name))
        err = add(settings, folder, str_of(name->valuestring), (str){"", 0},
                  str_eq(base, STR("composer.json")) ? LANG_PHP
                                                     : LANG_JAVASCRIPT);
    cJSON_Delete(root);
    return err;
}

enum err
settings_take(struct settings *settings, str path, str content)
{
    if (content.len == 0 || content.len > SETTINGS_BYTES_MAX)
        return ERR_INVALID;
    if (str_eq(base_of(path), STR("go.mod")))
        return take_go(settings, folder_of(path), content);
    if (contexts_wants(path))
        return contexts_take(&settings->contexts, path, content);
    return take_json(settings, path, content);
}

enum err
settings_get(struct settings *settings, struct resolve_settings *out)
{
    *out = (struct resolve_settings){0};
    settings->modules = calloc(settings->len + 1, sizeof(*settings->modules));
    settings->aliases = calloc(settings->len + 1, sizeof(*settings->aliases));
    if (!settings->modules || !settings->aliases)
        return ERR_NOMEM;
    for (size_t i = 0; i < settings->len; i++) {
        const struct settings_row *row = &settings->rows[i];
        str folder = texts_get(&settings->texts, row->folder);
        str name = texts_get(&settings->texts, row->name);

        if (row->lang)
            settings->modules[out->module_len++] =
                (struct resolve_module){folder, name, row->lang};
        else
            settings->aliases[out->alias_len++] = (struct resolve_alias){
                folder, name, texts_get(&settings->texts, row->target)};
    }
    out->modules = settings->modules;
    out->aliases = settings->aliases;
    return OK;
}
