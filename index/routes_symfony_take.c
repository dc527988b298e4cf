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
#include "index/routes_router.h"
#include "index/routes_symfony_glob.h"
#include "index/routes_symfony_take.h"
#include "index/yaml_tree.h"

enum { TAKEN_DEEP = 8 };

/* ---- names, and whether there is a configuration at all ---- */

struct symfony_names {
    bool has_root;
    struct symfony_left left;
    uint32_t *behind;     /* by call, of the file asked last */
    uint32_t behind_file; /* 1 + its index */
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
            p->symfony->left = (struct symfony_left){
                SYMFONY_TAKINGS_MAX, SYMFONY_MEMBERS_MAX, SYMFONY_STEPS_MAX};
        }
    }
    return p->symfony;
}

struct symfony_left *
symfony_left(struct parts *p)
{
    struct symfony_names *names = names_of(p);

    return names ? &names->left : NULL;
}

void
symfony_fini(struct parts *p)
{
    if (p->symfony) {
        free(p->symfony->rows);
        free(p->symfony->behind);
    }
    free(p->symfony);
}

struct at
symfony_behind(struct parts *p, struct at call)
{
    struct symfony_names *names = names_of(p);
    const struct facts *facts = part_facts(p, call.file);
    struct at none = {call.file, 0};

    if (names && names->behind_file != call.file + 1) {
        free(names->behind);
        names->behind_file = call.file + 1;
        names->behind = calloc(facts->expr_len, sizeof(*names->behind));
        for (uint32_t i = facts->expr_len; names->behind && i-- > 1;) {
            struct at next = {call.file, i};
            uint32_t on = facts->exprs[i].kind == EXPR_CALL
                              ? part_receiver(p, next).id
                              : 0;
            if (on && on < i)
                names->behind[on] = i;
        }
    }
    if (!names || !names->behind) {
        p->failed = true;
        return none;
    }
    return (struct at){call.file, names->behind[call.id]};
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
    unsigned len = 0;

    for (uint32_t k = names ? names->first[file] : 0; k;
         k = names->rows[k].next)
        if (names->rows[k].before == before || ++len == ROUTE_WAYS_MAX)
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
        if (str_ends(path, str_of(whole[i])) &&
            (path.len == strlen(whole[i]) ||
             path.ptr[path.len - strlen(whole[i]) - 1] == '/'))
            return true;
    return found && (found == path.ptr || found[-1] == '/');
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

/* What is taken in, its patterns read. */
struct sought {
    const struct symfony_taken *taken;
    const struct symfony_place *place;
    struct symfony_left *left;
    struct glob in;
    struct glob out[SYMFONY_EXCLUDES_MAX];
    unsigned out_len;
    bool is_below; /* a name of a folder is of all that is in it */
};

static void
sought_fini(struct sought *s)
{
    glob_fini(&s->in);
    for (unsigned i = 0; i < s->out_len; i++)
        glob_fini(&s->out[i]);
}

static bool
read_glob(struct parts *p, str from, str resource, uint32_t *left,
          struct glob *out)
{
    struct buf path = {0};

    resource_path(&path, from, resource);
    bool ok = !path.failed && glob_read(buf_str(&path), left, out);
    p->failed |= path.failed || out->failed;
    buf_fini(&path);
    return ok;
}

/* The framework leaves out nothing of a folder, only of a pattern.  Where what
 * it leaves out cannot be read, it is not known what it takes in. */
static bool
read_sought(struct parts *p, str resource, struct sought *s)
{
    const struct symfony_taken *taken = s->taken;
    uint32_t *left = &s->left->steps;

    s->is_below = !is_pattern(taken->resource);
    if (!read_glob(p, taken->from, resource, left, &s->in))
        return false;
    for (unsigned i = 0; !s->is_below && i < taken->exclude_len; i++)
        if (!read_glob(p, taken->from, taken->exclude[i], left,
                       &s->out[s->out_len++]))
            return false;
    return true;
}

/* Whether |path| is taken in.  Once no steps are left, nothing is: what would
 * be left out is not known. */
static bool
is_sought(struct sought *s, str path)
{
    uint32_t *left = &s->left->steps;

    if (!glob_fits(&s->in, path, s->is_below, left))
        return false;
    for (unsigned i = 0; i < s->out_len; i++)
        if (glob_fits(&s->out[i], path, true, left))
            return false;
    return *left > 0;
}

void
symfony_mount(struct parts *p, uint32_t file, const struct symfony_place *place)
{
    router_mount_at(p, symfony_file(p, file), place->parent, place->prefix,
                    place->is_tail ? MOUNT_TAIL : 0);
    name_file(p, file, place->names);
}

/* Mounts the files that are sought, of those that begin as the pattern does, or
 * end as it does where only its front is open. */
static void
take_php(struct parts *p, struct sought *s)
{
    str whole = s->in.whole;
    bool is_end = str_starts(whole, STR("**/")) &&
                  !is_pattern(str_cut(whole, 3, whole.len)) &&
                  str_ends(whole, STR(".php"));

    if (!is_pattern(str_cut(whole, whole.len < 3 ? 0 : 3, whole.len)) &&
        (yaml_is_named(whole) || str_ends(whole, STR(".xml"))))
        return;
    struct file_range range =
        is_end ? files_ending(p, str_cut(whole, 3, whole.len))
               : files_below(p, glob_front(&s->in));
    for (uint32_t i = 0; i < range.len && s->left->steps && !p->failed; i++) {
        const struct file_row *row = &range.rows[i];
        if (part_facts(p, row->file)->lang == LANG_PHP &&
            is_sought(s, row->path) &&
            symfony_spend(&s->left->steps, SYMFONY_MOUNT_STEPS))
            symfony_mount(p, row->file, s->place);
    }
}

/* A folder holds configurations only where it is told to. */
static void
take_yaml(struct parts *p, struct sought *s)
{
    if (!yaml_is_named(s->in.whole) && !is_pattern(s->in.whole) &&
        !str_eq(s->taken->type, STR("directory")))
        return;
    for (size_t i = 0; i < p->contexts->symfony_len && s->left->steps; i++)
        if (is_sought(s, str_of(p->contexts->symfony[i].path)))
            symfony_walk(p, i, s->place);
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
    bool is_all = str_eq(taken->resource, STR("routing.controllers"));
    struct sought s = {.taken = taken, .place = place, .left = symfony_left(p)};

    if (!s.left || place->depth > TAKEN_DEEP ||
        taken->resource.len > GLOB_LEN_MAX ||
        (!is_all && !is_readable(taken->type)))
        return;
    if (taken->resource.len > 0 &&
        memchr(taken->resource.ptr, '\\', taken->resource.len)) {
        take_class(p, taken->resource, place);
        return;
    }
    if (read_sought(p,
                    is_all ? STR("%kernel.project_dir%/src") : taken->resource,
                    &s)) {
        take_yaml(p, &s);
        take_php(p, &s);
    }
    sought_fini(&s);
}
