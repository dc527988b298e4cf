/*
 * A table of names says who reads what.  Rows are gathered as they come and put
 * together at the end: a deployment is tied to the folder that its image is
 * built from, by name, because no manifest says more.
 */
#include "index/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "index/manifest_impl.h"

enum err
manifests_init(struct manifests *m)
{
    *m = (struct manifests){0};
    return texts_init(&m->texts, 0);
}

void
manifests_fini(struct manifests *m)
{
    texts_fini(&m->texts);
    free(m->services);
    free(m->exposures);
    free(m->owners);
    free(m->folders);
    *m = (struct manifests){0};
}

/* ---- text ---- */

bool
manifest_ends(str text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

str
manifest_trim(str text)
{
    while (text.len > 0 && strchr(" \t\r\n", text.ptr[text.len - 1]))
        text.len--;
    while (text.len > 0 && strchr(" \t\r\n", text.ptr[0]))
        text = str_cut(text, 1, text.len);
    return text;
}

bool
manifest_line(str *rest, str *line)
{
    if (rest->len == 0)
        return false;
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;

    *line = str_cut(*rest, 0, len);
    *rest = str_cut(*rest, len + 1, rest->len);
    return true;
}

str
manifest_value(str line, const char *key)
{
    str empty = {"", 0};

    line = manifest_trim(line);
    if (!str_starts(line, str_of(key)))
        return empty;
    line = manifest_trim(str_cut(line, strlen(key), line.len));
    if (line.len == 0 || !strchr("=:", line.ptr[0]))
        return empty;
    line = manifest_trim(str_cut(line, 1, line.len));
    if (line.len >= 2 && strchr("\"'", line.ptr[0])) {
        const char *end = memchr(line.ptr + 1, line.ptr[0], line.len - 1);
        return end ? str_cut(line, 1, (size_t)(end - line.ptr)) : empty;
    }
    return line;
}

/* ---- rows ---- */

#define ROOM(file, rows, len, cap) \
    (grow_room(rows, len, cap) || no_memory(file))

static bool
no_memory(struct manifest_file *file)
{
    file->err = ERR_NOMEM;
    return false;
}

/* A name with a placeholder in it (`${NAME}`, `{{ .Values.name }}`) is none. */
static bool
is_plain(str text)
{
    return text.len > 0 && !memchr(text.ptr, '{', text.len) &&
           !memchr(text.ptr, '$', text.len);
}

void
manifest_service(struct manifest_file *file, enum manifest_rank rank, str name,
                 str folder, str image)
{
    struct manifests *m = file->m;

    if (!is_plain(name) ||
        !ROOM(file, m->services, m->service_len, m->service_cap))
        return;
    m->services[m->service_len++] = (struct manifest_row){
        .name = texts_add(&m->texts, name),
        .folder = texts_add(&m->texts, folder),
        .image = texts_add(&m->texts, image),
        .evidence = texts_add(&m->texts, file->path),
        .rank = (uint8_t)rank,
    };
}

void
manifest_exposure(struct manifest_file *file, str host, str prefix, str rewrite,
                  str service)
{
    struct manifests *m = file->m;

    if (!is_plain(service) || prefix.len == 0 ||
        !ROOM(file, m->exposures, m->exposure_len, m->exposure_cap))
        return;
    m->exposures[m->exposure_len++] = (struct build_exposure){
        .host = texts_add(&m->texts, host),
        .prefix = texts_add(&m->texts, prefix),
        .rewrite = texts_add(&m->texts, rewrite),
        .service = texts_add(&m->texts, service),
        .evidence = texts_add(&m->texts, file->path),
    };
}

void
manifest_owner(struct manifest_file *file, str pattern, str owner,
               uint32_t line)
{
    struct manifests *m = file->m;

    if (!ROOM(file, m->owners, m->owner_len, m->owner_cap))
        return;
    m->owners[m->owner_len++] = (struct build_owner){
        .pattern = texts_add(&m->texts, pattern),
        .owner = texts_add(&m->texts, owner),
        .line = line,
    };
}

void
manifest_folder(struct manifest_file *file, str folder)
{
    struct manifests *m = file->m;
    text_id id = texts_add(&m->texts, folder);

    for (size_t i = 0; i < m->folder_len; i++)
        if (m->folders[i] == id)
            return;
    if (ROOM(file, m->folders, m->folder_len, m->folder_cap))
        m->folders[m->folder_len++] = id;
}

/* ---- who reads what ---- */

static const struct rule {
    const char *name; /* of the file; `*` in front: an ending */
    manifest_reader *read;
} rules[] = {
    {"CODEOWNERS", manifest_codeowners},
    {"Dockerfile", manifest_dockerfile},
    {"*.Dockerfile", manifest_dockerfile},
    {"package.json", manifest_package},
    {"composer.json", manifest_package},
    {"pyproject.toml", manifest_toml},
    {"Cargo.toml", manifest_toml},
    {"setup.cfg", manifest_toml},
    {"go.mod", manifest_go_mod},
    {"pom.xml", manifest_pom},
    {"build.gradle", manifest_program},
    {"build.gradle.kts", manifest_program},
    {"requirements.txt", manifest_program},
    {"Gemfile", manifest_program},
    {"manage.py", manifest_program},
    {"*.csproj", manifest_program},
    {"nginx.conf", manifest_nginx},
    {"application.properties", manifest_properties},
    {"bootstrap.properties", manifest_properties},
    {"*.yaml", manifest_yaml},
    {"*.yml", manifest_yaml},
};

static str
base_of(str path, str *folder)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    size_t at = slash ? (size_t)(slash - path.ptr) : 0;

    *folder = str_cut(path, 0, at);
    return slash ? str_cut(path, at + 1, path.len) : path;
}

static const struct rule *
rule_of(str base)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const char *name = rules[i].name;
        if (name[0] == '*' ? manifest_ends(base, name + 1)
                           : str_eq(base, str_of(name)))
            return &rules[i];
    }
    return NULL;
}

bool
manifests_wants(str path)
{
    str folder;

    return rule_of(base_of(path, &folder)) != NULL;
}

enum err
manifests_take(struct manifests *m, str path, str content)
{
    struct manifest_file file = {.m = m, .path = path, .content = content};

    file.base = base_of(path, &file.folder);
    const struct rule *rule = rule_of(file.base);
    if (!rule || content.len > MANIFEST_BYTES_MAX)
        return ERR_INVALID;
    rule->read(&file);
    return m->texts.failed ? ERR_NOMEM : file.err;
}

/* ---- the end ---- */

static str
last_part(str path)
{
    str folder;

    return base_of(path, &folder);
}

/* The folder of a program whose last name is |name|; shortest path first. */
static bool
find_folder(const struct manifests *m, str name, text_id *out)
{
    bool found = false;

    for (size_t i = 0; i < m->folder_len; i++) {
        str folder = texts_get(&m->texts, m->folders[i]);
        if (!str_eq(last_part(folder), name) ||
            (found && folder.len >= texts_get(&m->texts, *out).len))
            continue;
        *out = m->folders[i];
        found = true;
    }
    return found;
}

/* `registry/org/shop-cart:1.2` may be built from `cart` or `shop-cart`. */
static str
image_name(str image)
{
    str name = last_part(image);
    const char *end = name.len ? memchr(name.ptr, ':', name.len) : NULL;

    if (!end)
        end = name.len ? memchr(name.ptr, '@', name.len) : NULL;
    return end ? str_cut(name, 0, (size_t)(end - name.ptr)) : name;
}

static bool
place(const struct manifests *m, struct manifest_row *row)
{
    if (row->image == 0)
        return true;
    return find_folder(m, image_name(texts_get(&m->texts, row->image)),
                       &row->folder) ||
           find_folder(m, texts_get(&m->texts, row->name), &row->folder);
}

static text_id
copy(struct code_build *build, const struct manifests *m, text_id id)
{
    return texts_add(&build->texts, texts_get(&m->texts, id));
}

static int
by_folder_and_rank(const void *left, const void *right)
{
    const struct build_service *a = left;
    const struct build_service *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->directory != b->directory)
        return a->directory < b->directory ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static bool
is_told(const struct code_build *build, const struct build_service *row)
{
    for (uint32_t i = 0; i < build->service_len; i++)
        if (build->services[i].name == row->name &&
            build->services[i].directory == row->directory)
            return true;
    return false;
}

static void
add_service(struct code_build *build, const struct build_service *row)
{
    if (!is_told(build, row))
        code_build_service(build, row);
}

/* What nothing names has the name of its folder. */
static void
add_folders(struct code_build *build, const struct manifests *m)
{
    for (size_t i = 0; i < m->folder_len; i++) {
        str folder = texts_get(&m->texts, m->folders[i]);
        str name = folder.len
                       ? last_part(folder)
                       : last_part(texts_get(&build->texts, build->repo_url));
        const struct build_service row = {
            .name = texts_add(&build->texts, name),
            .directory = texts_add(&build->texts, folder),
            .evidence = texts_add(&build->texts, STR("the folder's name")),
            .rank = RANK_FOLDER,
        };
        add_service(build, &row);
    }
}

enum err
manifests_finish(struct manifests *m, struct code_build *build)
{
    for (int rank = RANK_SDK; rank < RANK_FOLDER; rank++)
        for (size_t i = 0; i < m->service_len; i++) {
            struct manifest_row *row = &m->services[i];
            if (row->rank != rank || !place(m, row))
                continue;
            const struct build_service service = {
                .name = copy(build, m, row->name),
                .directory = copy(build, m, row->folder),
                .evidence = copy(build, m, row->evidence),
                .rank = row->rank,
            };
            add_service(build, &service);
        }
    add_folders(build, m);
    if (build->service_len)
        qsort(build->services, build->service_len, sizeof(*build->services),
              by_folder_and_rank);
    for (size_t i = 0; i < m->exposure_len; i++)
        code_build_exposure(
            build, &(struct build_exposure){
                       .host = copy(build, m, m->exposures[i].host),
                       .prefix = copy(build, m, m->exposures[i].prefix),
                       .rewrite = copy(build, m, m->exposures[i].rewrite),
                       .service = copy(build, m, m->exposures[i].service),
                       .evidence = copy(build, m, m->exposures[i].evidence),
                   });
    for (size_t i = 0; i < m->owner_len; i++)
        code_build_owner(build,
                         &(struct build_owner){
                             .pattern = copy(build, m, m->owners[i].pattern),
                             .owner = copy(build, m, m->owners[i].owner),
                             .line = m->owners[i].line,
                         });
    return build->failed || build->texts.failed ? ERR_NOMEM : OK;
}
