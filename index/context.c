/*
 * Keys are compared as Spring does, `contextPath` being `context-path`; of a
 * YAML document they are its members' names with dots between.
 */
#include "index/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "index/context_yaml.h"
#include "index/yaml_tree.h"

enum { KEY_MAX = 128 };

enum err
contexts_init(struct contexts *all)
{
    *all = (struct contexts){0};
    enum err err = texts_init(&all->texts, 0);
    return err ? err : texts_init(&all->projects, 0);
}

void
contexts_fini(struct contexts *all)
{
    context_yaml_fini(all);
    texts_fini(&all->projects);
    texts_fini(&all->texts);
    free(all->rows);
    *all = (struct contexts){0};
}

/* ---- which file, of which module ---- */

/* `cart` of `cart/src/main/java/X.java`; false: there is no such folder. */
static bool
module_of(str path, str *module, str *rest)
{
    static const char main[] = "/src/main/";
    const size_t len = sizeof(main) - 1;

    *module = (str){"", 0};
    if (str_starts(path, str_of(main + 1))) {
        *rest = str_cut(path, len - 1, path.len);
        return true;
    }
    const char *at = path.len ? memmem(path.ptr, path.len, main, len) : NULL;
    if (!at)
        return false;
    module->ptr = path.ptr;
    module->len = (size_t)(at - path.ptr);
    *rest = str_cut(path, module->len + len, path.len);
    return true;
}

/* |is_profile|: `application-prod.yml` */
static bool
is_settings(str rest, bool *is_profile)
{
    static const char *const folders[] = {"resources/config/", "resources/"};

    *is_profile = false;
    if (str_eq(rest, STR("resources/META-INF/microprofile-config.properties")))
        return true;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (!str_starts(rest, str_of(folders[i])))
            continue;
        str base = str_cut(rest, strlen(folders[i]), rest.len);
        if (!str_starts(base, STR("application")) ||
            memchr(base.ptr, '/', base.len) ||
            !(yaml_is_named(base) || str_ends(base, STR(".properties"))))
            return false;
        *is_profile = base.ptr[11] == '-';
        return *is_profile || base.ptr[11] == '.';
    }
    return false;
}

/* With its slash; empty at the root. */
static str
folder_of(str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/')
        path.len--;
    return path;
}

static bool
is_project(str path)
{
    return str_ends(path, STR(".csproj"));
}

bool
contexts_wants(str path)
{
    bool is_profile;
    str module;
    str rest;

    return context_yaml_wants(path) || is_project(path) ||
           (module_of(path, &module, &rest) && is_settings(rest, &is_profile));
}

/* ---- what it says ---- */

static const struct {
    const char *key; /* without `-` and `_`, in small letters */
    uint8_t kind;
} keys[] = {
    {"server.servlet.contextpath", CONTEXT_ROOT},
    {"server.contextpath", CONTEXT_ROOT},
    {"spring.webflux.basepath", CONTEXT_ROOT},
    {"quarkus.http.rootpath", CONTEXT_ROOT},
    {"micronaut.server.contextpath", CONTEXT_ROOT},
    {"quarkus.rest.path", CONTEXT_REST},
    {"quarkus.resteasyreactive.path", CONTEXT_REST},
    {"quarkus.resteasy.path", CONTEXT_REST},
    {"spring.data.rest.basepath", CONTEXT_DATA},
    {"spring.mvc.servlet.path", CONTEXT_OTHER},
    {"spring.jersey.applicationpath", CONTEXT_OTHER},
};

static const char *const profiles[] = {"spring.config.activate.onprofile",
                                       "spring.config.activate.oncloudplatform",
                                       "spring.profiles"};

struct taking {
    struct contexts *all;
    str module;
    bool is_profile; /* all of the file, or document */
    size_t from;     /* the first row of it */
    enum err err;
};

static bool
is_open(str value)
{
    return value.len > 0 && (memmem(value.ptr, value.len, "${", 2) ||
                             memmem(value.ptr, value.len, "#{", 2) ||
                             memchr(value.ptr, '@', value.len) ||
                             memchr(value.ptr, '\\', value.len));
}

static void
add_row(struct taking *t, uint8_t kind, str value, bool is_profile)
{
    struct contexts *all = t->all;

    if (!grow_room(all->rows, all->len, all->cap)) {
        t->err = ERR_NOMEM;
        return;
    }
    all->rows[all->len++] = (struct context_row){
        .module = texts_add(&all->texts, t->module),
        .text = texts_add(&all->texts, str_strip(value, '/')),
        .kind = kind,
        .is_profile = is_profile,
        .is_open = is_open(value),
    };
    if (all->texts.failed)
        t->err = ERR_NOMEM;
}

/* As |keys| have it; false: too long for one of them. */
static bool
plain_key(str key, char *out, size_t cap)
{
    size_t len = 0;

    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        if (c == '-' || c == '_')
            continue;
        if (len + 1 == cap)
            return false;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c | 0x20);
        out[len++] = c;
    }
    out[len] = '\0';
    return true;
}

/* `%prod.quarkus.http.root-path` is of a profile. */
static void
take_key(struct taking *t, str key, str value)
{
    bool is_profile = key.len > 0 && key.ptr[0] == '%';
    const char *dot = is_profile ? memchr(key.ptr, '.', key.len) : NULL;
    char plain[KEY_MAX];

    if (dot)
        key = str_cut(key, (size_t)(dot + 1 - key.ptr), key.len);
    if (!plain_key(key, plain, sizeof(plain)))
        return;
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
        t->is_profile |= strcmp(plain, profiles[i]) == 0;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(plain, keys[i].key) == 0)
            add_row(t, keys[i].kind, value, is_profile);
}

/* The profile may be named below what it is of. */
static void
end_document(struct taking *t)
{
    for (; t->from < t->all->len; t->from++)
        t->all->rows[t->from].is_profile |= t->is_profile;
}

static str
trim(str s)
{
    while (s.len > 0 && strchr(" \t\r\f", s.ptr[0]))
        s = str_cut(s, 1, s.len);
    while (s.len > 0 && strchr(" \t\r\f", s.ptr[s.len - 1]))
        s.len--;
    return s;
}

static void
take_line(struct taking *t, str line)
{
    size_t end = 0;

    while (end < line.len && !strchr("=: \t", line.ptr[end]))
        end++;
    str value = trim(str_cut(line, end, line.len));
    if (value.len > 0 && (value.ptr[0] == '=' || value.ptr[0] == ':'))
        value = trim(str_cut(value, 1, value.len));
    take_key(t, str_cut(line, 0, end), value);
}

static void
take_properties(struct taking *t, str text)
{
    bool is_always = !t->is_profile;

    while (text.len > 0 && !t->err) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;
        str line = trim(str_cut(text, 0, len));

        text = str_cut(text, len + 1, text.len);
        if (str_eq(line, STR("#---")) || str_eq(line, STR("!---"))) {
            end_document(t);
            t->is_profile = !is_always;
        } else if (line.len > 0 && line.ptr[0] != '#' && line.ptr[0] != '!') {
            take_line(t, line);
        }
    }
    end_document(t);
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than yaml_documents allows */
static void
take_members(struct taking *t, const cJSON *of, struct buf *key)
{
    const cJSON *member;
    size_t len = key->len;

    cJSON_ArrayForEach(member, of)
    {
        if (!member->string)
            continue;
        if (len > 0)
            buf_add_char(key, '.');
        buf_add(key, str_of(member->string));
        if (cJSON_IsObject(member))
            take_members(t, member, key);
        else if (!key->failed)
            take_key(t, buf_str(key),
                     cJSON_IsString(member) ? str_of(member->valuestring)
                                            : (str){"", 0});
        key->len = len;
    }
}

static enum err
take_document(void *ctx, const cJSON *document)
{
    struct taking *t = ctx;
    bool is_always = !t->is_profile;
    struct buf key = {0};

    take_members(t, document, &key);
    end_document(t);
    t->is_profile = !is_always;
    if (key.failed)
        t->err = ERR_NOMEM;
    buf_fini(&key);
    return t->err;
}

enum err
contexts_take(struct contexts *all, str path, str content)
{
    struct taking t = {.all = all, .from = all->len};
    struct buf why = {0};
    enum err err;
    str rest;

    if (is_project(path)) {
        (void)texts_add(&all->projects, folder_of(path));
        return all->projects.failed ? ERR_NOMEM : OK;
    }
    if (!module_of(path, &t.module, &rest) || !is_settings(rest, &t.is_profile))
        return context_yaml_wants(path) ? context_yaml_take(all, path, content)
                                        : ERR_INVALID;
    if (!yaml_is_named(rest)) {
        take_properties(&t, content);
        return t.err;
    }
    err = yaml_documents(content, take_document, &t, &why);
    buf_fini(&why);
    return err;
}

/* ---- what it is for a source ---- */

/* Whether all that is said of |kind| is the same, and always. */
static bool
agree(const struct contexts *all, str module, uint8_t kind, str *out)
{
    bool is_told = false;
    bool is_same = true;

    *out = (str){"", 0};
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < all->len; i++) {
            const struct context_row *row = &all->rows[i];
            str text = texts_get(&all->texts, row->text);
            if (row->kind != kind ||
                !str_eq(texts_get(&all->texts, row->module), module))
                continue;
            if (pass == 0 && !row->is_profile && !is_told) {
                *out = text;
                is_told = true;
            }
            is_same &= pass == 0 || (!row->is_open && str_eq(text, *out));
        }
    return is_same;
}

struct context
contexts_of(const struct contexts *all, str path)
{
    struct context out = {{"", 0}, {"", 0}, {"", 0}, true, true};
    str module;
    str rest;
    str other;

    if (!module_of(path, &module, &rest))
        return out;
    bool is_root = agree(all, module, CONTEXT_ROOT, &out.root);
    bool is_rest = agree(all, module, CONTEXT_REST, &out.rest);
    out.is_data_known = agree(all, module, CONTEXT_DATA, &out.data);
    out.is_known = agree(all, module, CONTEXT_OTHER, &other) && is_root &&
                   is_rest && other.len == 0;
    return out;
}

text_id
contexts_project(const struct contexts *all, str path)
{
    text_id found = 0;

    for (path = folder_of(path); path.len > 0 && !found;
         path.len--, path = folder_of(path))
        found = texts_find(&all->projects, path);
    return found;
}
