/*
 * What a configuration of Symfony takes in: a folder of controllers, a file, or
 * several by a pattern.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "index/context.h"
#include "index/routes_files.h"
#include "index/routes_php_class.h"
#include "index/routes_symfony.h"

enum {
    TAKEN_DEEP = 8,
    GLOB_STEPS_MAX = 4096,
    GLOB_DEPTH_MAX = 64,
};

/* ---- names, and whether there is a configuration at all ---- */

struct symfony_names {
    bool has_root;
    uint32_t len, cap;
    struct symfony_named {
        uint32_t next; /* of the same file; 0: none */
        text_id before;
    } * rows;         /* from 1 */
    uint32_t first[]; /* per file */
};

static bool
has_root(const struct parts *p)
{
    for (size_t i = 0; i < p->contexts->symfony_len; i++)
        if (symfony_is_root(str_of(p->contexts->symfony[i].path)))
            return true;
    for (uint32_t i = 0; i < p->len; i++)
        if (part_facts(p, i)->lang == LANG_PHP &&
            symfony_is_root(p->files[i].path) &&
            part_imports(p, i, "Symfony.Component.Routing"))
            return true;
    return false;
}

static struct symfony_names *
names_of(struct parts *p)
{
    if (!p->symfony) {
        p->symfony = calloc(1, sizeof(*p->symfony) +
                                   p->len * sizeof(p->symfony->first[0]));
        p->failed |= !p->symfony;
        if (p->symfony) {
            p->symfony->has_root = has_root(p);
            p->symfony->len = 1;
        }
    }
    return p->symfony;
}

void
symfony_fini(struct parts *p)
{
    if (p->symfony)
        free(p->symfony->rows);
    free(p->symfony);
}

bool
symfony_names(struct parts *p, uint32_t file, unsigned i, text_id *out)
{
    const struct symfony_names *names = names_of(p);

    *out = 0;
    if (!names)
        return false;
    uint32_t row = names->first[file];
    if (!row)
        return !names->has_root && i == 0;
    for (; row && i > 0; i--)
        row = names->rows[row].next;
    if (row)
        *out = names->rows[row].before;
    return row != 0;
}

static void
name_file(struct parts *p, uint32_t file, text_id before)
{
    struct symfony_names *names = names_of(p);

    for (uint32_t k = names ? names->first[file] : 0; k;
         k = names->rows[k].next)
        if (names->rows[k].before == before)
            return;
    if (!names || !grow_room(names->rows, names->len, names->cap)) {
        p->failed = true;
        return;
    }
    names->rows[names->len] =
        (struct symfony_named){names->first[file], before};
    names->first[file] = names->len++;
}

uint32_t
symfony_file(struct parts *p, uint32_t file)
{
    const struct symfony_names *names = names_of(p);

    return router_make(p, SPACE_FILE, (struct at){file, 0}, FW_SYMFONY,
                       names && names->has_root ? ROUTER_OPEN : 0);
}

/* ---- places ---- */

struct symfony_place
symfony_below(struct parts *p, const struct symfony_place *place, str prefix,
              str names)
{
    struct symfony_place below = *place;
    struct buf out = {0};

    below.depth++;
    while (prefix.len > 0 && prefix.ptr[0] == '/')
        prefix = str_cut(prefix, 1, prefix.len);
    while (prefix.len > 0 && prefix.ptr[prefix.len - 1] == '/')
        prefix.len--;
    buf_add(&out, texts_get(&p->texts, place->prefix));
    if (prefix.len > 0) {
        buf_add_char(&out, '/');
        buf_add(&out, prefix);
    }
    if (!out.failed)
        below.prefix = symfony_text(p, buf_str(&out));
    below.names = symfony_joined(p, place->names, texts_add(&p->texts, names));
    p->failed |= out.failed || p->texts.failed;
    buf_fini(&out);
    return below;
}

/* `config/routes.yaml`, `config/routes/x.php`, `config/routes/dev/x.yaml`, and
 * `app/config/routing.yml` of old. */
bool
symfony_is_root(str path)
{
    static const char *const whole[] = {
        "config/routes.yaml", "config/routes.yml", "config/routes.php",
        "app/config/routing.yml", "app/config/routing.yaml"};
    const char *found = path.len ? memmem(path.ptr, path.len, "config/routes/",
                                          strlen("config/routes/"))
                                 : NULL;

    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
        if (str_ends(path, whole[i]) &&
            (path.len == strlen(whole[i]) ||
             path.ptr[path.len - strlen(whole[i]) - 1] == '/'))
            return true;
    return found && (found == path.ptr || found[-1] == '/');
}

/* ---- patterns ---- */

struct globbing {
    unsigned steps;
    unsigned depth;
    bool is_below;
};

static bool glob_fits(struct globbing *g, str pattern, str path);

/* `{a,b}rest` */
static bool
glob_choice(struct globbing *g, str pattern, size_t end, str path)
{
    size_t from = 1;
    bool fits = false;

    for (size_t i = 1; i <= end && !fits; i++) {
        if (i < end && pattern.ptr[i] != ',')
            continue;
        struct buf one = {0};
        buf_add(&one, str_cut(pattern, from, i));
        buf_add(&one, str_cut(pattern, end + 1, pattern.len));
        fits = !one.failed && glob_fits(g, buf_str(&one), path);
        buf_fini(&one);
        from = i + 1;
    }
    return fits;
}

static bool
glob_star(struct globbing *g, str pattern, str path)
{
    bool is_deep = pattern.len > 1 && pattern.ptr[1] == '*';
    str rest = str_cut(pattern, is_deep ? 2 : 1, pattern.len);

    if (is_deep && rest.len > 0 && rest.ptr[0] == '/' &&
        glob_fits(g, str_cut(rest, 1, rest.len), path))
        return true;
    for (size_t i = 0; i <= path.len; i++) {
        if (glob_fits(g, rest, str_cut(path, i, path.len)))
            return true;
        if (i < path.len && path.ptr[i] == '/' && !is_deep)
            break;
    }
    return false;
}

/* Whether |path| is what |pattern| names.
 * NOLINTNEXTLINE(misc-no-recursion): GLOB_DEPTH_MAX, GLOB_STEPS_MAX */
static bool
glob_fits(struct globbing *g, str pattern, str path)
{
    bool fits = true;

    if (++g->depth > GLOB_DEPTH_MAX)
        fits = false;
    while (fits && pattern.len > 0 && ++g->steps < GLOB_STEPS_MAX) {
        char c = pattern.ptr[0];
        const char *end = memchr(pattern.ptr, '}', pattern.len);
        if (c == '*' || (c == '{' && end)) {
            fits = c == '*' ? glob_star(g, pattern, path)
                            : glob_choice(g, pattern,
                                          (size_t)(end - pattern.ptr), path);
            g->depth--;
            return fits;
        }
        fits = path.len > 0 &&
               (c == path.ptr[0] || (c == '?' && path.ptr[0] != '/'));
        pattern = str_cut(pattern, 1, pattern.len);
        path = str_cut(path, 1, path.len);
    }
    g->depth--;
    return fits && pattern.len == 0 &&
           (path.len == 0 || (g->is_below && path.ptr[0] == '/'));
}

/* |is_below|: what a folder that is named holds, too. */
static bool
fits(str pattern, str path, bool is_below)
{
    struct globbing g = {0, 0, is_below};

    return pattern.len > 0 && glob_fits(&g, pattern, path);
}

static bool
is_pattern(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr("*?{[", text.ptr[i]))
            return true;
    return false;
}

/* ---- where a resource is ---- */

/* Puts the folders of |path| behind |out|, `..` off. */
static void
add_path(struct buf *out, str path)
{
    while (path.len > 0) {
        const char *slash = memchr(path.ptr, '/', path.len);
        size_t len = slash ? (size_t)(slash - path.ptr) : path.len;
        str part = str_cut(path, 0, len);

        path = str_cut(path, slash ? len + 1 : len, path.len);
        if (part.len == 0 || str_eq(part, STR(".")))
            continue;
        if (str_eq(part, STR(".."))) {
            const char *cut =
                out->len ? memrchr(out->ptr, '/', out->len) : NULL;
            out->len = cut ? (size_t)(cut - out->ptr) : 0;
            continue;
        }
        if (out->len > 0)
            buf_add_char(out, '/');
        buf_add(out, part);
    }
}

static str
folder_of(str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

    return str_cut(path, 0, slash ? (size_t)(slash - path.ptr) : 0);
}

/* The folder that `config/` or `app/config/` of |path| stands in, or `src/` of
 * the kernel. */
static str
project_of(str path)
{
    static const char *const folders[] = {"app/config/", "config/", "src/"};

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const char *at =
            memmem(path.ptr, path.len, folders[i], strlen(folders[i]));
        if (at && (at == path.ptr || at[-1] == '/'))
            return str_cut(path, 0, (size_t)(at - path.ptr));
    }
    return folder_of(path);
}

/* As a pattern of paths of the repository. */
static void
resource_path(struct buf *out, str from, str resource)
{
    static const char *const kernel[] = {"%kernel.project_dir%",
                                         "%kernel.root_dir%"};

    for (size_t i = 0; i < 2; i++)
        if (str_starts(resource, str_of(kernel[i]))) {
            add_path(out, project_of(from));
            if (i == 1)
                add_path(out, STR("app"));
            add_path(out, str_cut(resource, strlen(kernel[i]), resource.len));
            return;
        }
    if (resource.len > 0 && resource.ptr[0] == '@') {
        buf_add(out, STR("**/"));
        buf_add(out, str_cut(resource, 1, resource.len));
        while (out->len > 0 && out->ptr[out->len - 1] == '/')
            out->len--;
        return;
    }
    add_path(out, folder_of(from));
    add_path(out, resource);
}

/* ---- taking in ---- */

/* The framework leaves out nothing of a folder, only of a pattern. */
static bool
is_left_out(const struct symfony_taken *taken, str path)
{
    bool is_out = false;

    if (!is_pattern(taken->resource))
        return false;
    for (unsigned i = 0; i < taken->exclude_len && !is_out; i++) {
        struct buf pattern = {0};
        resource_path(&pattern, taken->from, taken->exclude[i]);
        is_out = !pattern.failed && fits(buf_str(&pattern), path, true);
        buf_fini(&pattern);
    }
    return is_out;
}

void
symfony_mount(struct parts *p, uint32_t file, const struct symfony_place *place)
{
    router_mount_at(p, symfony_file(p, file), place->parent, place->prefix,
                    place->is_tail ? MOUNT_TAIL : 0);
    name_file(p, file, place->names);
}

/* Mounts the files of |pattern|, of those that begin as it does. */
static void
take_php(struct parts *p, const struct symfony_taken *taken, str pattern,
         const struct symfony_place *place)
{
    /* A pattern is of files, a name of a folder of all that is in it. */
    bool is_below = !is_pattern(taken->resource);
    size_t fixed = 0;

    while (fixed < pattern.len && !strchr("*?{", pattern.ptr[fixed]))
        fixed++;
    struct file_range range = files_below(p, str_cut(pattern, 0, fixed));
    for (uint32_t i = 0; i < range.len && !p->failed; i++) {
        const struct file_row *row = &range.rows[i];
        if (part_facts(p, row->file)->lang == LANG_PHP &&
            fits(pattern, row->path, is_below) &&
            !is_left_out(taken, row->path))
            symfony_mount(p, row->file, place);
    }
}

static bool
is_yaml(str path)
{
    return str_ends(path, ".yaml") || str_ends(path, ".yml");
}

/* A folder holds configurations only where it is told to. */
static void
take_yaml(struct parts *p, const struct symfony_taken *taken, str pattern,
          const struct symfony_place *place)
{
    if (!is_yaml(pattern) && !is_pattern(pattern) &&
        !str_eq(taken->type, STR("directory")))
        return;
    for (size_t i = 0; i < p->contexts->symfony_len; i++) {
        str path = str_of(p->contexts->symfony[i].path);
        if (fits(pattern, path, !is_pattern(taken->resource)) &&
            !is_left_out(taken, path))
            symfony_walk(p, i, place);
    }
}

static bool
is_readable(str type)
{
    static const char *const types[] = {
        "attribute", "annotation", "glob", "directory", "php", "yaml", "yml"};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (str_eq(type, str_of(types[i])))
            return true;
    return type.len == 0;
}

/* `App\Kernel` */
static void
take_class(struct parts *p, str name, const struct symfony_place *place)
{
    struct at type;

    if (php_class_called(p, name, &type))
        symfony_mount(p, type.file, place);
}

void
symfony_take(struct parts *p, const struct symfony_taken *taken,
             const struct symfony_place *place)
{
    struct buf out = {0};
    bool is_all = str_eq(taken->resource, STR("routing.controllers"));

    if (place->depth > TAKEN_DEEP || (!is_all && !is_readable(taken->type)))
        return;
    if (taken->resource.len > 0 &&
        memchr(taken->resource.ptr, '\\', taken->resource.len)) {
        take_class(p, taken->resource, place);
        return;
    }
    resource_path(&out, taken->from,
                  is_all ? STR("%kernel.project_dir%/src") : taken->resource);
    str pattern = buf_str(&out);
    if (!out.failed && pattern.len > 0) {
        take_yaml(p, taken, pattern, place);
        take_php(p, taken, pattern, place);
    }
    p->failed |= out.failed;
    buf_fini(&out);
}
