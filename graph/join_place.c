/*
 * The function at a place that a span tells: a file of ours, though it may lie
 * elsewhere where it runs, and a line or name in it.  Of two views of one file
 * the ends of their paths are the same.
 */
#include <string.h>

#include "graph/join_impl.h"
#include "graph/join_name.h"
#include "graph/route_text.h"

enum { FUNCTIONS = 1 << CODE_FUNCTION | 1 << CODE_METHOD };

bool
join_ends_with(str s, str end)
{
    return end.len > 0 && s.len >= end.len &&
           memcmp(s.ptr + s.len - end.len, end.ptr, end.len) == 0;
}

/* ---- files ---- */

/* What lies before the end of a path that is one of ours: where packages are
 * installed, others have such files as well. */
static bool
is_installed(str before)
{
    return join_name_installed(before) > 0 ||
           join_name_passes(before, STR("vendor/")) ||
           join_name_passes(before, STR("gems/"));
}

/* Right there the folders of packages lie, of ours as well once it is
 * installed. */
static bool
is_home_of_packages(str before)
{
    return join_name_installed(before) == before.len &&
           (join_ends_with(before, STR("-packages/")) ||
            join_ends_with(before, STR("/lib/")));
}

struct files {
    struct joining *j;
    uint32_t service;
    bool has_folder;
};

static enum err
take_file(const struct files *f, uint32_t id)
{
    struct joining *j = f->j;

    if (f->has_folder && !join_holds(j->join, f->service, id))
        return OK;
    return ids_add(&j->scratch, id);
}

/* The files of |repo| (0: any) that have that path. */
static enum err
take_equal(const struct files *f, uint32_t repo, str path)
{
    const struct join_index *index = &f->j->index;
    const struct code_file *files = f->j->code->files;
    enum err err = OK;

    for (uint32_t i = join_index_file(index, path);
         i < index->file_len && str_eq(files[index->files[i]].path, path) &&
         !err;
         i++)
        if (repo == 0 || files[index->files[i]].repo == repo)
            err = take_file(f, index->files[i]);
    return err;
}

/* The files whose whole path |path| is, or all behind a folder of the service,
 * which need not be deployed with it. */
static enum err
take_whole(const struct files *f, str path)
{
    struct joining *j = f->j;
    enum err err = take_equal(f, 0, path);

    for (uint32_t i = 0; f->has_folder && i < j->join->folder_len && !err;
         i++) {
        const struct join_folder *folder = &j->join->folders[i];
        if (folder->service != f->service || folder->directory.len == 0)
            continue;
        buf_reset(&j->path);
        buf_add(&j->path, folder->directory);
        buf_add_char(&j->path, '/');
        buf_add(&j->path, path);
        err = j->path.failed ? ERR_NOMEM
                             : take_equal(f, folder->repo, buf_str(&j->path));
    }
    return err;
}

/* The files with more before |path|.  Of very many none can be told. */
static enum err
take_deeper(const struct files *f, str path)
{
    enum { LOOKED_AT = 256 };
    struct joining *j = f->j;
    const struct join_index *index = &j->index;
    enum err err = OK;

    buf_reset(&j->path);
    buf_add_char(&j->path, '/');
    buf_add(&j->path, path);
    if (j->path.failed)
        return ERR_NOMEM;
    str end = buf_str(&j->path);
    uint32_t first = join_index_file(index, end);
    for (uint32_t i = first; i < index->file_len && !err; i++) {
        if (!join_ends_with(j->code->files[index->files[i]].path, end))
            break;
        if (i - first < LOOKED_AT) {
            err = take_file(f, index->files[i]);
            continue;
        }
        j->scratch.len = 0;
        break;
    }
    return err;
}

/* Puts the files that |path| may be into j->scratch: those that fit best. */
static enum err
find_files(struct joining *j, uint32_t service, str path)
{
    const struct files f = {j, service, join_has_folder(j->join, service)};

    j->scratch.len = 0;
    enum err err = take_whole(&f, path);
    if (!err && j->scratch.len == 0)
        err = take_deeper(&f, path);
    for (size_t at = 1; at < path.len && !err && j->scratch.len == 0; at++) {
        if (path.ptr[at - 1] != '/')
            continue;
        str before = str_cut(path, 0, at);
        str rest = str_cut(path, at, path.len);
        bool is_home = is_home_of_packages(before) &&
                       memchr(rest.ptr, '/', rest.len) != NULL;
        if (!is_home && is_installed(before))
            continue;
        err = take_whole(&f, rest);
        if (!err && is_home && j->scratch.len == 0)
            err = take_deeper(&f, rest);
    }
    return err;
}

/* ---- in a file ---- */

/* Rust's `#[instrument]` tells the line that it stands on itself: before the
 * function, where no other line is. */
static uint32_t
behind_mark(const struct code *code, uint32_t file, uint32_t line)
{
    enum { MARK_LINES = 16 };
    uint32_t len = 0;
    const uint32_t *ids = code_file_nodes(code, file, &len);

    if (!join_ends_with(code->files[file].path, STR(".rs")))
        return 0;
    for (uint32_t i = 0; i < len; i++) {
        const struct code_vertex *node = code_node(code, ids[i]);
        if (node->line > line && (FUNCTIONS & UINT32_C(1) << node->kind) != 0)
            return node->line - line <= MARK_LINES ? ids[i] : 0;
    }
    return 0;
}

static bool
ends_with_name(str qualified, str name)
{
    return qualified.len > name.len && join_ends_with(qualified, name) &&
           strchr("./", qualified.ptr[qualified.len - name.len - 1]);
}

/* The only function of |file| with that name. */
static uint32_t
by_name_there(const struct code *code, uint32_t file, str name)
{
    uint32_t len = 0;
    const uint32_t *ids = code_file_nodes(code, file, &len);
    uint32_t found = 0;

    for (uint32_t i = 0; i < len && name.len > 0; i++) {
        const struct code_vertex *node = code_node(code, ids[i]);
        if ((FUNCTIONS & UINT32_C(1) << node->kind) == 0 ||
            !ends_with_name(node->qualified, name))
            continue;
        if (found)
            return 0;
        found = ids[i];
    }
    return found;
}

bool
join_read_line(str text, uint32_t *line)
{
    *line = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!text_is_digit(text.ptr[i]) || *line > 100000000)
            return false;
        *line = *line * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    return text.len > 0;
}

static uint32_t
in_file(const struct code *code, uint32_t file, str what)
{
    uint32_t line;

    if (!join_read_line(what, &line))
        return by_name_there(code, file, what);
    uint32_t id = code_by_line(code, file, line);
    return id ? id : behind_mark(code, file, line);
}

/* ---- both ---- */

/* |path| with slashes of one kind and without what it begins with, in j->text.
 */
static str
plain_path(struct joining *j, str path)
{
    size_t at = str_starts(path, STR("file://")) ? strlen("file://") : 0;

    buf_reset(&j->text);
    for (; at < path.len; at++)
        buf_add_char(&j->text,
                     (char)(path.ptr[at] == '\\' ? '/' : path.ptr[at]));
    path = buf_str(&j->text);
    while (path.len > 0 && path.ptr[0] == '/')
        path = str_cut(path, 1, path.len);
    return str_starts(path, STR("./")) ? str_cut(path, 2, path.len) : path;
}

static const str scripts[] = {
    STR_INIT(".js"),  STR_INIT(".mjs"), STR_INIT(".cjs"), STR_INIT(".ts"),
    STR_INIT(".tsx"), STR_INIT(".jsx"), STR_INIT(".mts"), STR_INIT(".cts")};

enum { SCRIPTS = sizeof(scripts) / sizeof(scripts[0]) };

/* |path| without the end of a script; empty if it is none. */
static str
without_script_end(str path)
{
    for (size_t i = 0; i < SCRIPTS; i++)
        if (join_ends_with(path, scripts[i]))
            return str_cut(path, 0, path.len - scripts[i].len);
    return (str){NULL, 0};
}

/* Where in |path| the folder of build output begins, and what is in it in
 * |rest|; SIZE_MAX: there is none. */
static size_t
find_output(str path, str *rest)
{
    static const str folders[] = {STR_INIT("dist/"),  STR_INIT("build/"),
                                  STR_INIT("out/"),   STR_INIT("lib/"),
                                  STR_INIT(".next/"), STR_INIT(".output/")};

    for (size_t at = 0; at < path.len; at++)
        for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
            if ((at == 0 || path.ptr[at - 1] == '/') &&
                str_starts(str_cut(path, at, path.len), folders[i])) {
                *rest = str_cut(path, at + folders[i].len, path.len);
                return at;
            }
    return SIZE_MAX;
}

/* Puts the scripts into j->scratch whose path ends with |stem|. */
static enum err
find_scripts(const struct files *f, str stem)
{
    struct joining *j = f->j;
    enum err err = OK;

    j->scratch.len = 0;
    for (size_t i = 0; i < SCRIPTS && !err; i++) {
        buf_reset(&j->built);
        buf_add(&j->built, stem);
        buf_add(&j->built, scripts[i]);
        if (j->built.failed)
            return ERR_NOMEM;
        err = take_equal(f, 0, buf_str(&j->built));
        if (!err)
            err = take_deeper(f, buf_str(&j->built));
    }
    return err;
}

/* The function |name| of the source whose path is that of a built script, at
 * least with the folder around it: `dist/admin/cart.js` is made of
 * `src/admin/cart.ts`.  Folders that only the output has are left out. */
static enum err
by_output_path(struct joining *j, uint32_t service, str path, str name,
               uint32_t *vertex)
{
    enum { FOLDERS = 16 };
    const struct files f = {j, service, join_has_folder(j->join, service)};
    str stem = without_script_end(path);
    const char *slash = stem.len ? memchr(stem.ptr, '/', stem.len) : NULL;
    uint32_t found = 0;

    j->scratch.len = 0;
    for (int n = 0; n < FOLDERS && slash; n++) {
        enum err err = find_scripts(&f, stem);
        if (err)
            return err;
        if (j->scratch.len > 0)
            break;
        stem = str_cut(stem, (size_t)(slash + 1 - stem.ptr), stem.len);
        slash = stem.len ? memchr(stem.ptr, '/', stem.len) : NULL;
    }
    for (size_t i = 0; i < j->scratch.len; i++) {
        uint32_t id = by_name_there(j->code, j->scratch.ids[i], name);
        if (id && found && id != found)
            return OK;
        found = id ? id : found;
    }
    *vertex = found;
    return OK;
}

/* A script that was built (`dist/cart.js`) is none of the code but made of it:
 * of the file of that path, of that name, or of all that is in the service's
 * folder. */
static enum err
in_output(struct joining *j, uint32_t service, str path, str name,
          uint32_t *vertex)
{
    str rest = {NULL, 0};
    size_t at = find_output(path, &rest);
    uint32_t found;

    if (at == SIZE_MAX || is_installed(path) ||
        without_script_end(path).len == 0)
        return OK;
    enum err err = by_output_path(j, service, rest, name, vertex);
    if (err || *vertex)
        return err;
    err = join_by_end(j, service, name, 0, &found);
    if (err || found == 0)
        return err;
    str own = j->code->files[code_node(j->code, found)->file].path;
    str root = str_cut(path, 0, at > 0 ? at - 1 : 0);
    if (without_script_end(own).len > 0 &&
        (str_eq(join_stem(own), join_stem(path)) ||
         (root.len > 0 && join_is_root(j, service, found, join_stem(root)))))
        *vertex = found;
    return OK;
}

enum err
join_place(struct joining *j, const struct query_node *symbol, uint32_t *vertex,
           bool *is_path)
{
    str name = symbol->name;
    const char *colon = name.len ? memrchr(name.ptr, ':', name.len) : NULL;
    size_t at = colon ? (size_t)(colon - name.ptr) : 0;
    str what = str_cut(name, at + 1, name.len);
    uint32_t found = 0;
    uint32_t line;

    *vertex = 0;
    *is_path = false;
    if (at == 0 || name.ptr[at - 1] == ':')
        return OK;
    str path = plain_path(j, str_cut(name, 0, at));
    if (j->text.failed)
        return ERR_NOMEM;
    *is_path = memchr(name.ptr, '/', at) || memchr(name.ptr, '\\', at);
    if (!*is_path && !memchr(name.ptr, '.', at))
        return OK; /* a class and its function */
    enum err err = find_files(j, symbol->owner, path);
    if (!err && j->scratch.len == 0 && !join_read_line(what, &line))
        return in_output(j, symbol->owner, path, what, vertex);
    for (size_t i = 0; i < j->scratch.len && !err; i++) {
        uint32_t id = in_file(j->code, j->scratch.ids[i], what);
        if (id && found && id != found)
            return OK;
        found = id ? id : found;
    }
    *vertex = found;
    return err;
}
